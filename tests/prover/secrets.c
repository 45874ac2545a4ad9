/* SPDX-License-Identifier: Apache-2.0 */
/* A proof leaves nothing of its witness in the memory of the process, nor of r and s, nor of
 * results before they are blinded: alone, and as a job of a prover, whose threads live on. */
#include <time.h>
#include <unistd.h>

#include <pail/prover.h>
#include <platform/memory.h>

#include "abi/scan.h"
#include "assigned.h"
#include "support.h"
#include "support/test.h"
#include <curves/curve_ops.h>

enum { CONSTRAINTS = 500 };

enum { POINTS_A = 5, POINTS_B2 = 7 }; /* sections of a key */

enum { VALUE, MONTGOMERY_VALUE, BLIND_R, BLIND_S }; /* numbers of the secrets */

/* One secret as a value of the witness, which vectors keep in Montgomery form. */
static void make_secrets(struct scan *scan, uint32_t curve)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(curve, PAIL_G1);
    uint8_t bytes[SCAN_SECRET_BYTES];
    pail_u256 value, radix = {{1}};
    for (int i = 0; i < 256; i++)
        ops->scalar_add(&radix, &radix, &radix);
    scan_begin(scan);
    (void)scan_make(scan);
    scan_reveal(scan, VALUE, bytes);
    pail_u256_from_bytes(&value, bytes);
    ops->scalar_mul(&value, &value, &radix);
    pail_u256_to_bytes(bytes, &value);
    (void)scan_add(scan, bytes);
    (void)scan_make(scan);
    (void)scan_make(scan);
    pail_wipe(&value, sizeof(value));
    pail_wipe_stack();
}

/* The result of a multiplication of the proof, whose points are in a section of the key: the sum of
 * the first point and those of the private values. Who finds it can test a guess of the witness.
 * Its x, or c0 of it, as the boundary has it, and in Montgomery form. */
static void add_result(struct scan *scan, const struct support_bytes *zkey, uint32_t section,
                       uint32_t group)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BN254, group);
    uint64_t size;
    const uint8_t *const points = support_section(zkey, section, &size);
    uint8_t bytes[2 * PAIL_COORDINATE_MAX];
    pail_affine affine;
    pail_point sum, first;
    pail_u256 value;
    assert_int_equal(size, 2 * ops->coordinate_bytes * (CONSTRAINTS + 2));
    assert_true(ops->decode(&affine, points, true));
    ops->from_affine(&first, &affine);
    ops->neg(&sum, &first);
    ops->add(&sum, &sum, &first); /* infinity */
    for (size_t i = 2; i < CONSTRAINTS + 2; i++) {
        assert_true(ops->decode(&affine, points + 2 * ops->coordinate_bytes * i, true));
        ops->add_affine(&sum, &sum, &affine);
    }
    scan_reveal(scan, VALUE, bytes);
    pail_u256_from_bytes(&value, bytes);
    ops->mul(&sum, &sum, &value);
    ops->add(&sum, &sum, &first);
    ops->to_affine(&affine, &sum);
    for (int montgomery = 0; montgomery < 2; montgomery++) {
        ops->encode(bytes, &affine, montgomery);
        (void)scan_add(scan, bytes);
        pail_wipe(bytes, sizeof(bytes));
    }
    pail_wipe(&value, sizeof(value));
    pail_wipe(&sum, sizeof(sum));
    pail_wipe(&affine, sizeof(affine));
    pail_wipe_stack();
}

static void hide(uint8_t *values, const struct scan *scan)
{
    for (size_t i = 2; i < CONSTRAINTS + 2; i++)
        scan_reveal(scan, VALUE, values + 32 * i);
}

/* Over several devices whatever moves between them goes through the host's memory. */
static pail_groth16_key *open_spread(const struct support_bytes *zkey)
{
    pail_groth16_key *key = NULL;
    char error[512] = "";
    const pail_groth16_key_params params = support_params(zkey);
    pail_prover_device devices[3];
    for (int i = 0; i < 3; i++)
        devices[i] = (pail_prover_device){
            .struct_size = sizeof(devices[i]), .backend = backend, .context = context};
    if (pail_groth16_key_open_on(&key, devices, 3, PAIL_GROTH16_SPREAD_EVERYWHERE, &params, error,
                                 sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    return key;
}

/* The processors have the witness, too. */
static pail_groth16_key *open_beside(const struct support_bytes *zkey)
{
    static pail_backend device;
    pail_groth16_key *key = NULL;
    char error[512] = "";
    pail_groth16_key_params params = support_params(zkey);
    params.b2 = PAIL_GROTH16_B2_CPU;
    device = *backend;
    if (strcmp(device.name, "cpu") == 0)
        device.name = "other";
    if (pail_groth16_key_open(&key, &device, context, &params, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    return key;
}

enum way { ALONE, SPREAD, BESIDE };

static void nothing_stays_with(enum way keys)
{
    struct scan scan;
    struct support_case files;
    make_secrets(&scan, PAIL_CURVE_BN254); /* first, for it may skip */
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, CONSTRAINTS, 1, 1});
    add_result(&scan, &files.zkey, POINTS_A, PAIL_G1);
    add_result(&scan, &files.zkey, POINTS_B2, PAIL_G2);
    pail_groth16_key *key = keys == SPREAD   ? open_spread(&files.zkey)
                            : keys == BESIDE ? open_beside(&files.zkey)
                                             : support_open(&files.zkey);
    uint64_t size;
    uint8_t *const values = support_section(&files.wtns, 2, &size);
    for (int way = 0; way < 4; way++) {
        pail_groth16_options options = {.struct_size = sizeof(options),
                                        .flags = PAIL_GROTH16_FIXED_BLINDING};
        pail_groth16_proof proof = {.struct_size = sizeof(proof)};
        uint8_t publics[32];
        const bool bad = way >= 2;
        if (way % 2 == 1)
            options.flags |= PAIL_GROTH16_STAGES;
        pail_wipe(values, (size_t)size); /* the public value is 0 */
        values[0] = 1;
        hide(values, &scan);
        scan_reveal(&scan, BLIND_R, options.r);
        scan_reveal(&scan, BLIND_S, options.s);
        if (bad) /* the last value is not below r, which is found behind all others */
            memset(values + 32 * (CONSTRAINTS + 1), 0xff, 32);
        const pail_groth16_witness witness = {
            .struct_size = sizeof(witness), .wtns = files.wtns.data, .n_wtns = files.wtns.size};
        assert_true(scan_count(&scan, NULL) >= CONSTRAINTS);
        assert_int_equal(
            pail_groth16_prove(key, &proof, publics, NULL, &witness, &options, NULL, 0),
            bad ? PAIL_ERR_DATA : PAIL_OK);
        pail_wipe(values, (size_t)size);
        pail_wipe(&options, sizeof(options));
        assert_int_equal(scan_count(&scan, bad ? "a bad witness" : "a proof"), 0);
    }
    scan_end(&scan);
    pail_groth16_key_close(&key);
    support_case_free(&files);
}

/* ---- Assignments ----------------------------------------------------------------------------- */
static void fill(uint8_t *values, size_t n, const struct scan *scan, uint32_t encoding)
{
    for (size_t i = 0; i < n; i++)
        scan_reveal(scan, encoding == PAIL_ENCODING_MONTGOMERY ? MONTGOMERY_VALUE : VALUE,
                    values + 32 * i);
}

static void wipe_arrays(struct assigned *made)
{
    for (int i = 0; i < 3; i++)
        pail_wipe(made->rows[i], 32 * (size_t)made->assignment.n_constraints);
    pail_wipe(made->aux, 32 * (size_t)made->assignment.n_aux);
}

PAIL_TEST(nothing_stays_of_assignments)
{
    static const uint32_t encodings[] = {PAIL_ENCODING_CANONICAL, PAIL_ENCODING_MONTGOMERY};
    struct scan scan;
    make_secrets(&scan, PAIL_CURVE_BLS12_381);
    for (size_t e = 0; e < 2; e++) {
        struct assigned made;
        assigned_make(&made, CONSTRAINTS, 1, encodings[e]);
        pail_groth16_assignment *const given = &made.assignment;
        pail_groth16_key *key = support_open(&made.params);
        /* A proof, in stages, with a bad value, with a bad row, and one that is cancelled. */
        for (int way = 0; way < 5; way++) {
            static const pail_status statuses[] = {PAIL_OK, PAIL_OK, PAIL_ERR_DATA, PAIL_ERR_DATA,
                                                   PAIL_ERR_STOPPED};
            const uint32_t cancel = 1;
            pail_groth16_options options = {.struct_size = sizeof(options),
                                            .flags = PAIL_GROTH16_FIXED_BLINDING};
            pail_groth16_proof proof = {.struct_size = sizeof(proof)};
            if (way == 1)
                options.flags |= PAIL_GROTH16_STAGES;
            if (way == 4)
                options.cancel = &cancel;
            for (int i = 0; i < 3; i++)
                fill(made.rows[i], (size_t)given->n_constraints, &scan, encodings[e]);
            fill(made.aux, (size_t)given->n_aux, &scan, encodings[e]);
            if (way == 2)
                memset(made.aux + 32 * (given->n_aux - 1), 0xff, 32);
            if (way == 3)
                memset(made.rows[2] + 32 * (given->n_constraints - 1), 0xff, 32);
            scan_reveal(&scan, BLIND_R, options.r);
            scan_reveal(&scan, BLIND_S, options.s);
            assert_true(scan_count(&scan, NULL) >= CONSTRAINTS);
            assert_int_equal(
                pail_groth16_prove_assignment(key, &proof, NULL, NULL, given, &options, NULL, 0),
                statuses[way]);
            wipe_arrays(&made);
            pail_wipe(&options, sizeof(options));
            assert_int_equal(scan_count(&scan, "an assignment"), 0);
        }
        pail_groth16_key_close(&key);
        assigned_free(&made);
    }
    scan_end(&scan);
}

/* ---- Jobs ------------------------------------------------------------------------------------ */
enum end { FINISHES, FAILS, IS_CANCELLED };

static pail_prover *make_prover(uint32_t *number, const struct support_bytes *zkey)
{
    char error[512] = "";
    const pail_prover_device device = {
        .struct_size = sizeof(device), .backend = backend, .context = context};
    const pail_prover_params params = {
        .struct_size = sizeof(params), .devices = &device, .n_devices = 1};
    const pail_groth16_key_params key = support_params(zkey);
    pail_prover *prover = NULL;
    if (pail_prover_create(&prover, &params, error, sizeof(error)) != PAIL_OK ||
        pail_prover_add_key(prover, number, &key, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    return prover;
}

static void write_file(const char *path, const struct support_bytes *bytes)
{
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    setbuf(file, NULL); /* a buffer would keep a copy */
    assert_int_equal(fwrite(bytes->data, 1, bytes->size, file), bytes->size);
    assert_int_equal(fclose(file), 0);
}

/* Submits, with the witness in memory or in the file, and waits. */
static void run_job(pail_prover *prover, uint32_t key, const struct support_bytes *wtns,
                    const char *path, const struct scan *scan, enum end end, int pause_ms)
{
    pail_groth16_options options = {.struct_size = sizeof(options),
                                    .flags = PAIL_GROTH16_FIXED_BLINDING};
    const pail_groth16_witness witness = {.struct_size = sizeof(witness),
                                          .path = path,
                                          .wtns = path != NULL ? NULL : wtns->data,
                                          .n_wtns = path != NULL ? 0 : wtns->size};
    const pail_prover_request request = {
        .struct_size = sizeof(request), .key = key, .witness = &witness, .options = &options};
    pail_groth16_proof proof = {.struct_size = sizeof(proof)};
    pail_prover_job *job = NULL;
    uint8_t publics[32];
    char error[512] = "";
    scan_reveal(scan, BLIND_R, options.r);
    scan_reveal(scan, BLIND_S, options.s);
    if (pail_prover_submit(prover, &job, &request, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    pail_wipe(&options, sizeof(options));
    if (end == IS_CANCELLED) {
        (void)nanosleep(&(const struct timespec){.tv_nsec = pause_ms * 1000000L}, NULL);
        pail_prover_cancel(prover, job);
    }
    const pail_status status =
        pail_prover_wait(prover, &job, UINT64_MAX, &proof, publics, NULL, error, sizeof(error));
    if (end == IS_CANCELLED && status == PAIL_OK)
        return; /* it was as quick */
    assert_int_equal(status, end == FINISHES ? PAIL_OK
                             : end == FAILS  ? PAIL_ERR_DATA
                                             : PAIL_ERR_STOPPED);
}

/* The threads of the prover are there all the time, and so are their stacks. */
PAIL_TEST(nothing_stays_of_jobs)
{
    static const char *const ends[] = {"a finished job", "a failed job", "a cancelled job"};
    char path[] = "/tmp/pail-secrets-XXXXXX";
    struct support_case files;
    struct scan scan;
    uint64_t size;
    uint32_t key;
    make_secrets(&scan, PAIL_CURVE_BN254);
    const int fd = mkstemp(path);
    assert_true(fd >= 0 && close(fd) == 0);
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, CONSTRAINTS, 1, 1});
    add_result(&scan, &files.zkey, POINTS_A, PAIL_G1);
    add_result(&scan, &files.zkey, POINTS_B2, PAIL_G2);
    uint8_t *const values = support_section(&files.wtns, 2, &size);
    pail_prover *prover = make_prover(&key, &files.zkey);
    for (int way = 0; way < 6; way++) {
        const bool in_file = way % 2;
        const enum end end = (enum end)(way / 2);
        pail_wipe(values, (size_t)size);
        values[0] = 1;
        hide(values, &scan);
        if (end == FAILS)
            memset(values + 32 * (CONSTRAINTS + 1), 0xff, 32);
        write_file(path, &files.wtns);
        if (in_file)
            pail_wipe(values, (size_t)size);
        run_job(prover, key, &files.wtns, in_file ? path : NULL, &scan, end, in_file ? 3 : 0);
        pail_wipe(values, (size_t)size);
        assert_int_equal(scan_count(&scan, ends[end]), 0);
    }
    pail_prover_destroy(&prover);
    assert_int_equal(scan_count(&scan, "the prover"), 0);
    assert_int_equal(unlink(path), 0);
    scan_end(&scan);
    support_case_free(&files);
}

/* ---- Proofs ---------------------------------------------------------------------------------- */
PAIL_TEST(nothing_stays)
{
    nothing_stays_with(ALONE);
}

PAIL_TEST(nothing_stays_of_several_devices)
{
    nothing_stays_with(SPREAD);
}

PAIL_TEST(nothing_stays_on_the_processors)
{
    nothing_stays_with(BESIDE);
}

PAIL_TEST_GROUP(support_setup, support_teardown)
