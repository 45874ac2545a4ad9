/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs_world.h"
#include "support/long.h"
#include "support/test.h"

struct support_case files[2];
pail_groth16_key *keys[2]; /* to verify with */
bool slow;
int n_jobs;
uint32_t keys_b2;

int setup(void **state)
{
    if (support_setup(state) != 0)
        return 1;
    pail_device_info info = {.struct_size = sizeof(info)};
    if (backend->context_device(context, &info) != PAIL_OK)
        return 1;
    slow = (info.features & PAIL_FEATURE_INT64) == 0;
    /* Waiting for each other is the host's: the CPU backend has the most jobs. */
    n_jobs = slow ? 3 : strcmp(backend->name, "cpu") == 0 || test_long() ? JOBS : JOBS / 2;
    const uint32_t other = slow ? PAIL_CURVE_BN254 : PAIL_CURVE_BLS12_381;
    support_make_case(&files[0], &(struct circuit_params){PAIL_CURVE_BN254, slow ? 30 : 300, 3, 1});
    support_make_case(&files[1], &(struct circuit_params){other, slow ? 40 : 100, 0, 2});
    for (int i = 0; i < 2; i++)
        keys[i] = support_open(&files[i].zkey);
    return 0;
}

int teardown(void **state)
{
    for (int i = 0; i < 2; i++) {
        pail_groth16_key_close(&keys[i]);
        support_case_free(&files[i]);
    }
    return support_teardown(state);
}

static pail_prover *make_of(const pail_prover_device *devices, uint32_t n_devices,
                            pail_prover_params params)
{
    pail_prover *prover = NULL;
    char error[512] = "";
    params.struct_size = sizeof(params);
    params.devices = devices;
    params.n_devices = n_devices;
    if (pail_prover_create(&prover, &params, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    return prover;
}

static pail_prover_device device_of(const pail_backend *on, uint32_t flags)
{
    return (pail_prover_device){.struct_size = sizeof(pail_prover_device),
                                .flags = flags,
                                .backend = on,
                                .context = context};
}

pail_prover *make_on(const pail_backend *on, uint32_t n_devices, pail_prover_params params)
{
    const pail_prover_device devices[] = {device_of(on, 0), device_of(on, 0)};
    return make_of(devices, n_devices, params);
}

pail_prover *make(pail_prover_params params)
{
    return make_on(backend, 1, params);
}

pail_prover *make_with_spare(const pail_backend *first, pail_prover_params params)
{
    const pail_prover_device devices[] = {device_of(first, 0),
                                          device_of(backend, PAIL_PROVER_DEVICE_SPARE)};
    return make_of(devices, 2, params);
}

pail_groth16_key_params key_params(int i)
{
    return (pail_groth16_key_params){.struct_size = sizeof(pail_groth16_key_params),
                                     .validation = PAIL_VALIDATE_SUBGROUP,
                                     .bytes = files[i].zkey.data,
                                     .n_bytes = files[i].zkey.size,
                                     .name = "k.zkey",
                                     .b2 = keys_b2};
}

uint32_t add_key(pail_prover *prover, int i)
{
    uint32_t key = 99;
    char error[512] = "";
    const pail_groth16_key_params params = key_params(i);
    if (pail_prover_add_key(prover, &key, &params, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    return key;
}

pail_status submit(pail_prover *prover, pail_prover_job **job, uint32_t key, int file,
                   const char *path)
{
    char error[512];
    const pail_groth16_witness witness = {.struct_size = sizeof(witness),
                                          .wtns = path != NULL ? NULL : files[file].wtns.data,
                                          .n_wtns = path != NULL ? 0 : files[file].wtns.size,
                                          .path = path};
    const pail_prover_request request = {
        .struct_size = sizeof(request), .key = key, .witness = &witness};
    return pail_prover_submit(prover, job, &request, error, sizeof(error));
}

void expect_valid(pail_prover *prover, pail_prover_job **job, int file)
{
    pail_groth16_proof proof = {.struct_size = sizeof(proof)};
    pail_groth16_timings timings = {.struct_size = sizeof(timings)};
    pail_groth16_verifying_key verifying = {.struct_size = sizeof(verifying)};
    uint8_t publics[PUBLICS_MAX * 32];
    char error[512] = "";
    uint32_t valid = 0;
    if (pail_prover_wait(prover, job, UINT64_MAX, &proof, publics, &timings, error,
                         sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    assert_null(*job);
    assert_true(timings.wall_ms > 0);
    assert_int_equal(pail_groth16_key_verifying(keys[file], &verifying), PAIL_OK);
    assert_int_equal(pail_groth16_verify(&valid, &verifying, &proof, publics, verifying.n_public,
                                         error, sizeof(error)),
                     PAIL_OK);
    assert_int_equal(valid, 1);
}

void end(pail_prover **prover)
{
    pail_prover_stats stats = {.struct_size = sizeof(stats)};
    assert_int_equal(pail_prover_drain(*prover, UINT64_MAX), PAIL_OK);
    assert_int_equal(pail_prover_get_stats(*prover, &stats), PAIL_OK);
    assert_int_equal(stats.submitted, stats.ended);
    /* But for what loaded keys keep there. */
    uint64_t keys_bytes = 0;
    for (int i = 0; i < 2; i++) {
        pail_groth16_key_info info = {.struct_size = sizeof(info)};
        assert_int_equal(pail_groth16_key_get_info(keys[i], &info), PAIL_OK);
        keys_bytes += stats.n_devices * info.host_bytes;
    }
    assert_in_range(stats.host_bytes, stats.buffers_idle_bytes,
                    keys_bytes + stats.buffers_idle_bytes);
    pail_prover_destroy(prover);
    assert_null(*prover);
}
