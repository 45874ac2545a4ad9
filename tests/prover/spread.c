/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs over several devices, on the CPU backend: the bytes are those of one device, also when one
 * is lost or memory runs out at any point. */
#include "support.h"
#include <cpu/cpu.h>

#include <pail/prover.h>
#include <pthread.h>
#include <stdatomic.h>

#include "support/counted.h"
#include "support/test.h"

enum { MEMBERS = 4 };

const pail_backend *backend;
pail_context *context;
static pail_context *contexts[MEMBERS];

/* A backend whose calls on one context are counted, and fail from one of them on. */
static pail_backend frail;
static pail_context *doomed;
static atomic_long calls_left; /* negative: it is never lost */

static bool lost(const pail_context *which)
{
    if (which != doomed || atomic_load(&calls_left) < 0)
        return false;
    if (atomic_load(&calls_left) == 0)
        return true;
    atomic_fetch_sub(&calls_left, 1);
    return false;
}

static pail_status start_multiplying(pail_context *on, pail_pending **pending,
                                     const pail_msm_job *jobs, size_t n,
                                     const pail_msm_config *config)
{
    *pending = NULL;
    return lost(on) ? PAIL_ERR_DEVICE_LOST : backend->msm_start(on, pending, jobs, n, config);
}

static pail_status start_vectors(pail_context *on, pail_pending **pending,
                                 const pail_vector_op *ops, size_t n)
{
    *pending = NULL;
    return lost(on) ? PAIL_ERR_DEVICE_LOST : backend->vector_start(on, pending, ops, n);
}

static pail_status make_vector(pail_context *on, pail_vector **vector, uint32_t curve, uint64_t n)
{
    *vector = NULL;
    return lost(on) ? PAIL_ERR_DEVICE_LOST : backend->vector_create(on, vector, curve, n);
}

static pail_status make_bases(pail_context *on, pail_bases **bases, size_t *bad,
                              const pail_bases_desc *desc)
{
    *bases = NULL;
    return lost(on) ? PAIL_ERR_DEVICE_LOST : backend->bases_create(on, bases, bad, desc);
}

/* Calls that have no context: one of them fails, whoever makes it. */
static atomic_long ends_left; /* 0: none does */

static bool ends_now(void)
{
    return atomic_load(&ends_left) > 0 && atomic_fetch_sub(&ends_left, 1) == 1;
}

static pail_status end_multiplying(pail_pending **pending, pail_msm_result *results, size_t n,
                                   pail_stats *stats)
{
    if (!ends_now())
        return backend->msm_finish(pending, results, n, stats);
    backend->pending_abandon(pending);
    return PAIL_ERR_DEVICE_LOST;
}

static pail_status end_vectors(pail_pending **pending, pail_stats *stats)
{
    if (!ends_now())
        return backend->vector_finish(pending, stats);
    backend->pending_abandon(pending);
    return PAIL_ERR_DEVICE_LOST;
}

static pail_status read_vector(const pail_vector *vector, void *elements, uint64_t offset,
                               uint64_t n, uint32_t encoding)
{
    return ends_now() ? PAIL_ERR_DEVICE_LOST
                      : backend->vector_read(vector, elements, offset, n, encoding);
}

static pail_status write_vector(pail_vector *vector, uint64_t offset, const void *elements,
                                uint64_t n, uint32_t encoding)
{
    return ends_now() ? PAIL_ERR_DEVICE_LOST
                      : backend->vector_write(vector, offset, elements, n, encoding);
}

int support_setup(void **state)
{
    (void)state;
    static const pail_host host = {.struct_size = sizeof(host),
                                   .abi_major = PAIL_ABI_MAJOR,
                                   .abi_minor = PAIL_ABI_MINOR,
                                   .alloc = counted_alloc,
                                   .free = counted_free};
    const pail_context_params params = {.struct_size = sizeof(params), .threads = 1};
    atomic_store(&counted_left, 100000000);
    atomic_store(&calls_left, -1);
    if (pail_cpu_open(&host, &backend) != PAIL_OK)
        return -1;
    for (int i = 0; i < MEMBERS; i++)
        if (backend->context_create(&host, &contexts[i], &params) != PAIL_OK)
            return -1;
    context = contexts[0];
    frail = *backend;
    frail.msm_start = start_multiplying;
    frail.vector_start = start_vectors;
    frail.vector_create = make_vector;
    frail.bases_create = make_bases;
    frail.msm_finish = end_multiplying;
    frail.vector_finish = end_vectors;
    frail.vector_read = read_vector;
    frail.vector_write = write_vector;
    return 0;
}

int support_teardown(void **state)
{
    (void)state;
    for (int i = 0; i < MEMBERS; i++)
        backend->context_destroy(&contexts[i]);
    return atomic_load(&counted_blocks) == 0 ? 0 : -1;
}

static pail_status open_on(pail_groth16_key **key, const struct support_case *files, uint32_t n,
                           uint32_t flags, char *error, size_t capacity)
{
    pail_prover_device devices[MEMBERS];
    for (uint32_t i = 0; i < n; i++)
        devices[i] = (pail_prover_device){
            .struct_size = sizeof(devices[i]), .backend = &frail, .context = contexts[i]};
    const pail_groth16_key_params params = support_params(&files->zkey);
    return pail_groth16_key_open_on(key, devices, n, flags, &params, error, capacity);
}

static pail_groth16_key *must_open(const struct support_case *files, uint32_t n)
{
    pail_groth16_key *key = NULL;
    char error[512] = "";
    if (open_on(&key, files, n, PAIL_GROTH16_SPREAD_EVERYWHERE, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    return key;
}

/* With r = s = 0, or others that are fixed. */
static pail_groth16_options fixed(uint8_t r)
{
    pail_groth16_options options = {.struct_size = sizeof(options),
                                    .flags = PAIL_GROTH16_FIXED_BLINDING};
    options.r[3] = r;
    options.s[0] = r;
    return options;
}

static void expect_same(const struct support_case *files, const pail_groth16_key *key,
                        const pail_groth16_key *whole, uint8_t r)
{
    const pail_groth16_options options = fixed(r);
    struct support_proof one, other;
    support_prove(&one, whole, &files->wtns, &options);
    support_prove(&other, key, &files->wtns, &options);
    assert_true(one.valid && other.valid);
    assert_memory_equal(&one.proof, &other.proof, sizeof(one.proof));
    assert_memory_equal(one.publics, other.publics, 32 * (size_t)one.n_public);
    support_proof_free(&one);
    support_proof_free(&other);
}

static pail_groth16_spread facts_of(const pail_groth16_key *key)
{
    pail_groth16_spread spread = {.struct_size = sizeof(spread)};
    assert_int_equal(pail_groth16_key_get_spread(key, &spread), PAIL_OK);
    return spread;
}

PAIL_TEST(bytes_are_those_of_one_device)
{
    static const struct circuit_params circuits[] = {{PAIL_CURVE_BN254, 1, 1, 1},
                                                     {PAIL_CURVE_BN254, 20, 1, 2},
                                                     {PAIL_CURVE_BN254, 700, 5, 3},
                                                     {PAIL_CURVE_BLS12_381, 60, 2, 4}};
    for (size_t c = 0; c < sizeof(circuits) / sizeof(circuits[0]); c++) {
        struct support_case files;
        support_make_case(&files, &circuits[c]);
        pail_groth16_key *whole = support_open(&files.zkey);
        pail_groth16_key_info all = {.struct_size = sizeof(all)}, parts = all;
        assert_int_equal(pail_groth16_key_get_info(whole, &all), PAIL_OK);
        for (uint32_t n = 1; n <= MEMBERS; n++) {
            pail_groth16_key *key = must_open(&files, n);
            expect_same(&files, key, whole, 0);
            expect_same(&files, key, whole, 7);
            assert_int_equal(pail_groth16_key_get_info(key, &parts), PAIL_OK);
            assert_int_equal(parts.n_points, all.n_points);
            assert_int_equal(parts.n_infinities, all.n_infinities);
            const pail_groth16_spread spread = facts_of(key);
            assert_int_equal(spread.n_devices, n);
            assert_int_equal(spread.placements, 1);
            if (circuits[c].n_constraints >= 60)
                assert_int_equal(spread.n_used, n);
            pail_groth16_key_close(&key);
        }
        pail_groth16_key_close(&whole);
        support_case_free(&files);
    }
}

/* The parts that are told of are all there is. */
PAIL_TEST(parts_are_told)
{
    struct support_case files;
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, 300, 1, 1});
    pail_groth16_key *key = must_open(&files, 3), *whole = support_open(&files.zkey);
    pail_groth16_key_info info = {.struct_size = sizeof(info)};
    assert_int_equal(pail_groth16_key_get_info(key, &info), PAIL_OK);
    uint64_t points = 0, steps = 0;
    pail_groth16_part part = {.struct_size = sizeof(part)};
    size_t i = 0;
    for (; pail_groth16_key_get_part(key, &part, i) == PAIL_OK; i++) {
        assert_true(part.device < 3 && part.n > 0);
        if (part.stage == PAIL_GROTH16_STAGE_QUOTIENT)
            steps |= UINT64_C(1) << part.step;
        else
            points += part.n;
    }
    assert_true(i > 4 + 5);
    assert_int_equal(steps, 15);
    assert_int_equal(points, info.n_points);
    assert_int_equal(pail_groth16_key_get_part(whole, &part, 0), PAIL_ERR_ARGUMENT);
    pail_groth16_spread spread = {.struct_size = sizeof(spread)};
    assert_int_equal(pail_groth16_key_get_spread(whole, &spread), PAIL_ERR_ARGUMENT);
    assert_int_equal(pail_groth16_key_get_spread(NULL, &spread), PAIL_ERR_ARGUMENT);
    pail_groth16_key_close(&whole);
    pail_groth16_key_close(&key);
    support_case_free(&files);
}

/* Each device, at each of its calls, of opening and of proving. */
PAIL_TEST(a_lost_device_is_replaced)
{
    struct support_case files;
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, 90, 1, 1});
    pail_groth16_key *whole = support_open(&files.zkey);
    const long before = atomic_load(&counted_blocks);
    unsigned redone = 0, placed_without = 0;
    for (int d = 0; d < 3; d++) {
        bool was_lost = true;
        doomed = contexts[d];
        for (long when = 0; was_lost; when++) {
            atomic_store(&calls_left, when);
            pail_groth16_key *key = must_open(&files, 3);
            placed_without += facts_of(key).n_lost;
            expect_same(&files, key, whole, 3);
            expect_same(&files, key, whole, 4);
            const pail_groth16_spread spread = facts_of(key);
            was_lost = spread.n_lost != 0;
            assert_true(spread.redone <= spread.n_lost && spread.n_lost <= 1);
            if (was_lost) {
                redone += (unsigned)spread.redone;
                pail_groth16_part part = {.struct_size = sizeof(part)};
                for (size_t i = 0; pail_groth16_key_get_part(key, &part, i) == PAIL_OK; i++)
                    assert_int_not_equal(part.device, d);
            }
            pail_groth16_key_close(&key);
            assert_int_equal(atomic_load(&counted_blocks), before);
            assert_true(when < 100);
        }
    }
    assert_true(redone >= 9 && placed_without >= 3);
    atomic_store(&calls_left, -1);
    pail_groth16_key_close(&whole);
    support_case_free(&files);
}

/* Also where it is waited for, and between devices. */
PAIL_TEST(a_loss_is_told_by_any_call)
{
    struct support_case files;
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, 90, 1, 1});
    pail_groth16_key *whole = support_open(&files.zkey);
    long when = 1, before = atomic_load(&counted_blocks);
    for (bool was_lost = true; was_lost; when++) {
        pail_groth16_key *key = must_open(&files, 3);
        atomic_store(&ends_left, when);
        expect_same(&files, key, whole, 5);
        was_lost = atomic_load(&ends_left) <= 0;
        atomic_store(&ends_left, 0);
        const pail_groth16_spread spread = facts_of(key);
        assert_int_equal(spread.n_lost, was_lost);
        assert_int_equal(spread.redone, was_lost);
        assert_int_equal(spread.placements, 1 + was_lost);
        pail_groth16_key_close(&key);
        assert_int_equal(atomic_load(&counted_blocks), before);
    }
    assert_in_range(when, 8, 100); /* transforms and H go from one to another */
    pail_groth16_key_close(&whole);
    support_case_free(&files);
}

PAIL_TEST(without_devices_there_is_no_proof)
{
    struct support_case files;
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, 20, 1, 1});
    char error[512] = "";
    uint8_t publics[32];
    pail_groth16_key *key = must_open(&files, 1);
    const pail_groth16_witness witness = {
        .struct_size = sizeof(witness), .wtns = files.wtns.data, .n_wtns = files.wtns.size};
    doomed = contexts[0];
    atomic_store(&calls_left, 0);
    for (int i = 0; i < 2; i++) {
        static const pail_groth16_proof zero;
        pail_groth16_proof proof = {.struct_size = sizeof(proof)};
        assert_int_equal(
            pail_groth16_prove(key, &proof, publics, NULL, &witness, NULL, error, sizeof(error)),
            PAIL_ERR_DEVICE_LOST);
        support_expect_words(error, "k.zkey|all devices");
        assert_memory_equal(proof.a, zero.a, sizeof(proof.a));
    }
    pail_groth16_key_close(&key);
    assert_int_equal(open_on(&key, &files, 1, 0, error, sizeof(error)), PAIL_ERR_DEVICE_LOST);
    assert_null(key);
    atomic_store(&calls_left, -1);
    support_case_free(&files);
}

PAIL_TEST(memory_runs_out)
{
    struct support_case files;
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, 40, 1, 1});
    const long before = atomic_load(&counted_blocks);
    pail_status status = PAIL_ERR_HOST_MEMORY;
    for (long n = 0; status != PAIL_OK; n++) {
        char error[512] = "";
        pail_groth16_key *key = NULL;
        atomic_store(&counted_left, n);
        status = open_on(&key, &files, 3, PAIL_GROTH16_SPREAD_EVERYWHERE, error, sizeof(error));
        assert_true(status == PAIL_OK || status == PAIL_ERR_HOST_MEMORY);
        assert_true((status == PAIL_OK) == (error[0] == '\0') &&
                    (status == PAIL_OK) == (key != NULL));
        pail_groth16_key_close(&key);
        assert_int_equal(atomic_load(&counted_blocks), before);
        assert_true(n < 1000);
    }
    atomic_store(&counted_left, 100000000);
    pail_groth16_key *key = must_open(&files, 3);
    const long opened = atomic_load(&counted_blocks);
    const pail_groth16_witness witness = {
        .struct_size = sizeof(witness), .wtns = files.wtns.data, .n_wtns = files.wtns.size};
    status = PAIL_ERR_HOST_MEMORY;
    for (long n = 0; status != PAIL_OK; n++) {
        char error[512] = "";
        uint8_t publics[32];
        pail_groth16_proof proof = {.struct_size = sizeof(proof)};
        atomic_store(&counted_left, n);
        status =
            pail_groth16_prove(key, &proof, publics, NULL, &witness, NULL, error, sizeof(error));
        assert_true(status == PAIL_OK || status == PAIL_ERR_HOST_MEMORY);
        assert_true((status == PAIL_OK) == (error[0] == '\0'));
        assert_int_equal(atomic_load(&counted_blocks), opened);
        assert_true(n < 1000);
    }
    atomic_store(&counted_left, 100000000);
    pail_groth16_key_close(&key);
    support_case_free(&files);
}

/* A bad value and a bad point are told as one device tells them. */
PAIL_TEST(bad_input_is_told)
{
    struct support_case files;
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, 40, 1, 1});
    pail_groth16_key *key = must_open(&files, 3);
    uint64_t size;
    char error[512] = "";
    uint8_t publics[32];
    uint8_t *const values = support_section(&files.wtns, 2, &size);
    memset(values + size - 32, 0xff, 32);
    const pail_groth16_witness witness = {
        .struct_size = sizeof(witness), .wtns = files.wtns.data, .n_wtns = files.wtns.size};
    pail_groth16_proof proof = {.struct_size = sizeof(proof)};
    assert_int_equal(
        pail_groth16_prove(key, &proof, publics, NULL, &witness, NULL, error, sizeof(error)),
        PAIL_ERR_DATA);
    support_expect_words(error, "value");
    assert_int_equal(facts_of(key).redone, 0);
    pail_groth16_key_close(&key);
    uint8_t *const points = support_section(&files.zkey, 8, &size); /* C */
    points[size - 1] ^= 1;                                          /* the last one, in a piece */
    assert_int_equal(open_on(&key, &files, 3, PAIL_GROTH16_SPREAD_EVERYWHERE, error, sizeof(error)),
                     PAIL_ERR_DATA);
    char words[64];
    (void)snprintf(words, sizeof(words), "k.zkey|point %u|section 8", (unsigned)(size / 64 - 1));
    support_expect_words(error, words);
    assert_null(key);
    support_case_free(&files);
}

PAIL_TEST(arguments_are_checked)
{
    struct support_case files;
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, 20, 1, 1});
    char error[512];
    pail_groth16_key *key = NULL;
    pail_prover_device device = {
        .struct_size = sizeof(device), .backend = backend, .context = context};
    pail_groth16_key_params params = support_params(&files.zkey);
    assert_int_equal(pail_groth16_key_open_on(NULL, &device, 1, 0, &params, error, sizeof(error)),
                     PAIL_ERR_ARGUMENT);
    assert_int_equal(pail_groth16_key_open_on(&key, NULL, 1, 0, &params, error, sizeof(error)),
                     PAIL_ERR_ARGUMENT);
    assert_int_equal(pail_groth16_key_open_on(&key, &device, 0, 0, &params, error, sizeof(error)),
                     PAIL_ERR_ARGUMENT);
    support_expect_words(error, "n_devices is 0");
    assert_int_equal(pail_groth16_key_open_on(&key, &device, 17, 0, &params, error, sizeof(error)),
                     PAIL_ERR_ARGUMENT);
    assert_int_equal(pail_groth16_key_open_on(&key, &device, 1, 8, &params, error, sizeof(error)),
                     PAIL_ERR_ARGUMENT);
    support_expect_words(error, "0x8");
    params.flags = PAIL_GROTH16_KEY_ONCE;
    assert_int_equal(pail_groth16_key_open_on(&key, &device, 1, 0, &params, error, sizeof(error)),
                     PAIL_ERR_ARGUMENT);
    params.flags = 0;
    device.flags = PAIL_PROVER_DEVICE_SPARE;
    assert_int_equal(pail_groth16_key_open_on(&key, &device, 1, 0, &params, error, sizeof(error)),
                     PAIL_ERR_ARGUMENT);
    assert_null(key);
    support_case_free(&files);
}

/* Threads that prove with one key at a time. */
struct client {
    pthread_t thread;
    const pail_groth16_key *key, *whole;
    const struct support_case *files;
    int differs;
};

static void *prove_often(void *argument)
{
    struct client *const client = argument;
    const pail_groth16_options options = fixed(9);
    const pail_groth16_witness witness = {.struct_size = sizeof(witness),
                                          .wtns = client->files->wtns.data,
                                          .n_wtns = client->files->wtns.size};
    for (int i = 0; i < 4; i++) {
        uint8_t publics[2][32];
        pail_groth16_proof one = {.struct_size = sizeof(one)}, other = one;
        if (pail_groth16_prove(client->whole, &one, publics[0], NULL, &witness, &options, NULL,
                               0) != PAIL_OK ||
            pail_groth16_prove(client->key, &other, publics[1], NULL, &witness, &options, NULL,
                               0) != PAIL_OK ||
            memcmp(&one, &other, sizeof(one)) != 0)
            client->differs++;
    }
    return NULL;
}

PAIL_TEST(threads_share_a_key)
{
    struct support_case files;
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, 50, 1, 1});
    pail_groth16_key *key = must_open(&files, 3), *whole = support_open(&files.zkey);
    struct client clients[3];
    for (int i = 0; i < 3; i++) {
        clients[i] = (struct client){.key = key, .whole = whole, .files = &files};
        assert_int_equal(pthread_create(&clients[i].thread, NULL, prove_often, &clients[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(clients[i].thread, NULL);
        assert_int_equal(clients[i].differs, 0);
    }
    pail_groth16_key_close(&whole);
    pail_groth16_key_close(&key);
    support_case_free(&files);
}

PAIL_TEST_GROUP(support_setup, support_teardown)
