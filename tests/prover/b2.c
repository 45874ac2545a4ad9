/* SPDX-License-Identifier: Apache-2.0 */
/* B2 on the device, on the processors beside it, and where the kind of the device says: the same
 * bytes. */
#include <pthread.h>
#include <unistd.h>

#include <pail/prover.h>
#include <prover/b2/b2.h>

#include "support.h"
#include "support/test.h"

enum { PUBLICS = 2, THREADS = 4 };

static struct support_case files;
static struct support_proof expected; /* with B2 on the device */
static pail_backend device;           /* no CPU backend, by its name */
static bool slow;                     /* a driver that interprets: fewer proofs */
static char folder[] = "/tmp/pail-b2-XXXXXX";
static const pail_groth16_options fixed = {.struct_size = sizeof(fixed),
                                           .flags = PAIL_GROTH16_FIXED_BLINDING};

/* The context's device, as one of that kind. */
static uint32_t kind;

static pail_status device_of_kind(pail_context *of, pail_device_info *info)
{
    const pail_status status = backend->context_device(of, info);
    info->type = kind;
    return status;
}

static pail_groth16_key *open_key(uint32_t b2)
{
    pail_groth16_key *key = NULL;
    char error[512] = "";
    pail_groth16_key_params params = support_params(&files.zkey);
    params.b2 = b2;
    if (pail_groth16_key_open(&key, &device, context, &params, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    return key;
}

static int setup(void **state)
{
    if (support_setup(state) != 0 || mkdtemp(folder) == NULL)
        return -1;
    device = *backend;
    if (strcmp(device.name, "cpu") == 0)
        device.name = "other";
    device.context_device = device_of_kind;
    pail_device_info info = {.struct_size = sizeof(info)};
    if (backend->context_device(context, &info) != PAIL_OK)
        return -1;
    slow = (info.features & PAIL_FEATURE_INT64) == 0;
    support_make_case(&files,
                      &(struct circuit_params){PAIL_CURVE_BN254, slow ? 30 : 300, PUBLICS, 1});
    pail_groth16_key *key = open_key(PAIL_GROTH16_B2_DEVICE);
    support_prove(&expected, key, &files.wtns, &fixed);
    pail_groth16_key_close(&key);
    return expected.valid ? 0 : -1;
}

static int teardown(void **state)
{
    char command[sizeof(folder) + 16];
    (void)snprintf(command, sizeof(command), "rm -r %s", folder);
    support_proof_free(&expected);
    support_case_free(&files);
    return support_teardown(state) != 0 || system(command) != 0 ? -1 : 0;
}

static uint32_t b2_of(const pail_groth16_key *key)
{
    pail_groth16_key_info info = {.struct_size = sizeof(info)};
    assert_int_equal(pail_groth16_key_get_info(key, &info), PAIL_OK);
    assert_int_equal(info.b2_threads != 0, info.b2 != PAIL_GROTH16_B2_DEVICE);
    if (info.b2 == PAIL_GROTH16_B2_CPU)
        assert_true(info.host_bytes != 0); /* its points are there, and not on the device */
    return info.b2;
}

/* Proves as expected, by the witness's file or its bytes. Returns where B2 was. */
static uint32_t prove(const pail_groth16_key *key, const char *path, uint32_t flags)
{
    char error[512] = "";
    pail_groth16_proof proof = {.struct_size = sizeof(proof)};
    pail_groth16_timings timings = {.struct_size = sizeof(timings)};
    uint8_t publics[32 * PUBLICS];
    pail_groth16_options options = fixed;
    options.flags |= flags;
    const pail_groth16_witness witness = {.struct_size = sizeof(witness),
                                          .wtns = path == NULL ? files.wtns.data : NULL,
                                          .n_wtns = path == NULL ? files.wtns.size : 0,
                                          .path = path};
    if (pail_groth16_prove(key, &proof, publics, &timings, &witness, &options, error,
                           sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    assert_memory_equal(&proof, &expected.proof, sizeof(proof));
    assert_memory_equal(publics, expected.publics, sizeof(publics));
    const double b2_ms = timings.stage_ms[PAIL_GROTH16_STAGE_B2];
    if (timings.b2 == PAIL_GROTH16_B2_CPU)
        assert_true(b2_ms > 0 && timings.stage_device_ms[PAIL_GROTH16_STAGE_B2] == 0);
    else
        assert_true(flags != 0 || b2_ms == 0);
    return timings.b2;
}

PAIL_TEST(the_same_bytes)
{
    char path[sizeof(folder) + 8];
    (void)snprintf(path, sizeof(path), "%s/w.wtns", folder);
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(files.wtns.data, 1, files.wtns.size, file), files.wtns.size);
    assert_int_equal(fclose(file), 0);
    for (uint32_t b2 = PAIL_GROTH16_B2_DEVICE; b2 <= PAIL_GROTH16_B2_CPU; b2++) {
        pail_groth16_key *key = open_key(b2);
        pail_groth16_key_info info = {.struct_size = sizeof(info)};
        assert_int_equal(b2_of(key), b2);
        assert_int_equal(pail_groth16_key_get_info(key, &info), PAIL_OK);
        assert_true(info.n_points > 0 && info.n_infinities < info.n_points);
        for (int i = 0; i < 4; i++)
            assert_int_equal(prove(key, i % 2 == 0 ? NULL : path, i < 2 ? 0 : PAIL_GROTH16_STAGES),
                             b2);
        pail_groth16_key_close(&key);
    }
}

/* By default a GPU has B2, and the processors have it beside a software driver. */
PAIL_TEST(by_kind_of_device)
{
    for (int software = 0; software < 2; software++) {
        const uint32_t place = software ? PAIL_GROTH16_B2_CPU : PAIL_GROTH16_B2_DEVICE;
        kind = software ? PAIL_DEVICE_CPU : PAIL_DEVICE_DISCRETE;
        for (uint32_t b2 = PAIL_GROTH16_B2_AUTO; b2 <= PAIL_GROTH16_B2_KEPT; b2 += 3) {
            pail_groth16_key *key = open_key(b2);
            for (int i = 0; i < (slow ? 1 : 3); i++) {
                assert_int_equal(b2_of(key), place);
                assert_int_equal(prove(key, NULL, 0), place);
            }
            pail_groth16_key_close(&key);
        }
    }
}

struct prover_thread {
    pthread_t thread;
    const pail_groth16_key *key;
};

static void *prove_some(void *user)
{
    const struct prover_thread *const mine = user;
    for (int i = 0; i < (slow ? 1 : 6); i++)
        (void)prove(mine->key, NULL, 0);
    return NULL;
}

PAIL_TEST(from_many_threads)
{
    struct prover_thread threads[THREADS];
    pail_groth16_key *key = open_key(PAIL_GROTH16_B2_CPU);
    for (int i = 0; i < THREADS; i++) {
        threads[i].key = key;
        assert_int_equal(pthread_create(&threads[i].thread, NULL, prove_some, &threads[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i].thread, NULL), 0);
    pail_groth16_key_close(&key);
}

PAIL_TEST(under_load)
{
    pail_prover *prover = NULL;
    const pail_prover_device devices = {
        .struct_size = sizeof(devices), .backend = &device, .context = context};
    const pail_prover_params params = {
        .struct_size = sizeof(params), .devices = &devices, .n_devices = 1};
    pail_groth16_key_params key_params = support_params(&files.zkey);
    key_params.b2 = PAIL_GROTH16_B2_CPU;
    uint32_t key = 0;
    assert_int_equal(pail_prover_create(&prover, &params, NULL, 0), PAIL_OK);
    assert_int_equal(pail_prover_add_key(prover, &key, &key_params, NULL, 0), PAIL_OK);
    const pail_groth16_witness witness = {
        .struct_size = sizeof(witness), .wtns = files.wtns.data, .n_wtns = files.wtns.size};
    const pail_prover_request request = {
        .struct_size = sizeof(request), .key = key, .witness = &witness, .options = &fixed};
    pail_prover_job *jobs[6];
    for (int i = 0; i < 6; i++)
        assert_int_equal(pail_prover_submit(prover, &jobs[i], &request, NULL, 0), PAIL_OK);
    pail_prover_cancel(prover, jobs[5]); /* wherever it is */
    for (int i = 0; i < 6; i++) {
        pail_groth16_proof proof = {.struct_size = sizeof(proof)};
        pail_groth16_timings timings = {.struct_size = sizeof(timings)};
        uint8_t publics[32 * PUBLICS];
        char error[512] = "";
        const pail_status status = pail_prover_wait(prover, &jobs[i], UINT64_MAX, &proof, publics,
                                                    &timings, error, sizeof(error));
        if (i == 5 && status == PAIL_ERR_STOPPED)
            continue;
        if (status != PAIL_OK)
            fail_msg("%s", error);
        assert_memory_equal(&proof, &expected.proof, sizeof(proof));
        assert_int_equal(timings.b2, PAIL_GROTH16_B2_CPU);
    }
    pail_prover_destroy(&prover);
}

PAIL_TEST(refused)
{
    static const struct {
        pail_groth16_key_params params;
        const char *words;
    } cases[] = {
        {{.b2 = PAIL_GROTH16_B2_KEPT + 1}, "b2 4"},
        {{.b2_threads = 5000}, "b2_threads is 5000"},
        {{.b2 = PAIL_GROTH16_B2_CPU, .flags = PAIL_GROTH16_KEY_ONCE}, "for one proof"},
    };
    char error[512];
    pail_groth16_key *key = NULL;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        pail_groth16_key_params params = cases[i].params;
        params.struct_size = sizeof(params);
        params.bytes = files.zkey.data;
        params.n_bytes = files.zkey.size;
        assert_int_equal(
            pail_groth16_key_open(&key, &device, context, &params, error, sizeof(error)),
            PAIL_ERR_ARGUMENT);
        assert_null(key);
        support_expect_words(error, cases[i].words);
    }
    pail_groth16_key_params params = support_params(&files.zkey);
    params.b2 = PAIL_GROTH16_B2_CPU;
    pail_prover_device devices[2];
    for (int i = 0; i < 2; i++)
        devices[i] = (pail_prover_device){
            .struct_size = sizeof(devices[i]), .backend = &device, .context = context};
    assert_int_equal(pail_groth16_key_open_on(&key, devices, 2, 0, &params, error, sizeof(error)),
                     PAIL_ERR_ARGUMENT);
    support_expect_words(error, "several devices|B2");
    /* On the CPU backend itself there is nothing to choose. */
    if (strcmp(backend->name, "cpu") != 0)
        return;
    assert_int_equal(pail_groth16_key_open(&key, backend, context, &params, NULL, 0), PAIL_OK);
    assert_int_equal(b2_of(key), PAIL_GROTH16_B2_DEVICE);
    pail_groth16_key_close(&key);
}

PAIL_TEST(bad_values)
{
    uint64_t size;
    pail_groth16_key *key = open_key(PAIL_GROTH16_B2_CPU);
    uint8_t *const last = support_section(&files.wtns, 2, &size) + (size - 32);
    uint8_t good[32];
    memcpy(good, last, sizeof(good));
    memset(last, 0xff, sizeof(good));
    const pail_groth16_witness witness = {
        .struct_size = sizeof(witness), .wtns = files.wtns.data, .n_wtns = files.wtns.size};
    pail_groth16_proof proof = {.struct_size = sizeof(proof)};
    uint8_t publics[32 * PUBLICS];
    char error[512] = "";
    assert_int_equal(
        pail_groth16_prove(key, &proof, publics, NULL, &witness, &fixed, error, sizeof(error)),
        PAIL_ERR_DATA);
    assert_true(error[0] != '\0');
    memcpy(last, good, sizeof(good));
    (void)prove(key, NULL, 0);
    pail_groth16_key_close(&key);
}

PAIL_TEST_GROUP(setup, teardown)
