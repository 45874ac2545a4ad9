/* SPDX-License-Identifier: Apache-2.0 */
/* Every k-th call of Vulkan, or every k-th allocation of the plugin with all that follow it, fails
 * while a prover has several jobs: each job ends with a valid proof or with a status and one
 * sentence, all reservations are given back, nothing is lost, and the next jobs are proved. */
#include "devices_faults.h"
#include "prover/support.h"
#include "support/counted.h"
#include "support/long.h"
#include "support/test.h"

#include <cpu/cpu.h>
#include <pail/prover.h>

#include <stdatomic.h>

enum { N_JOBS = 3, PUBLICS = 2, POSITIONS = 8 };

const pail_backend *backend; /* declared in support.h */
pail_context *context;

static struct support_case files;
static const pail_backend *cpu;
static pail_context *processors;
static pail_groth16_key *judge; /* the CPU backend's: proofs are verified with it */
static pail_groth16_verifying_key verifying = {.struct_size = sizeof verifying};

static const pail_host host =
    SIZED(pail_host, .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR,
          .alloc = counted_alloc, .free = counted_free);

static pail_status open_context(void)
{
    const pail_context_params params = SIZED(pail_context_params, .device = PAIL_DEVICE_BEST);
    return backend->context_create(&host, &context, &params);
}

int support_setup(void **state)
{
    (void)state;
    const pail_context_params params = {.struct_size = sizeof params};
    atomic_store(&counted_left, -1);
    if (pail_backend_open(&host, &backend) != PAIL_OK)
        return -1;
    if (open_context() != PAIL_OK)
        context = NULL; /* the test says so */
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, 40, PUBLICS, 1});
    const pail_groth16_key_params key = support_params(&files.zkey);
    return pail_cpu_open(&host, &cpu) == PAIL_OK &&
                   cpu->context_create(&host, &processors, &params) == PAIL_OK &&
                   pail_groth16_key_open(&judge, cpu, processors, &key, NULL, 0) == PAIL_OK &&
                   pail_groth16_key_verifying(judge, &verifying) == PAIL_OK
               ? 0
               : -1;
}

int support_teardown(void **state)
{
    (void)state;
    pail_groth16_key_close(&judge);
    cpu->context_destroy(&processors);
    support_case_free(&files);
    backend->context_destroy(&context);
    return atomic_load(&counted_blocks) == 0 ? 0 : -1;
}

static char last_said[512];

static void expect_sentence(pail_status status, const char *said)
{
    (void)snprintf(last_said, sizeof last_said, "%s", said);
    if (said[0] == '\0' || strchr(said, '\n') != NULL)
        fail_msg("status %d: %s", (int)status, said);
}

/* Ends a job. Returns whether there is a proof, which is valid then. */
static bool end_job(pail_prover *prover, pail_prover_job **job)
{
    static const pail_groth16_proof zero;
    pail_groth16_proof proof = {.struct_size = sizeof proof};
    uint8_t publics[32 * PUBLICS];
    char said[512] = "";
    uint32_t valid = 0;
    const pail_status status =
        pail_prover_wait(prover, job, UINT64_MAX, &proof, publics, NULL, said, sizeof said);
    assert_null(*job);
    if (status != PAIL_OK) {
        expect_sentence(status, said);
        assert_memory_equal(proof.a, zero.a, sizeof zero.a);
        return false;
    }
    assert_int_equal(pail_groth16_verify(&valid, &verifying, &proof, publics, PUBLICS, NULL, 0),
                     PAIL_OK);
    assert_int_equal(valid, 1);
    return true;
}

static uint64_t key_host_bytes, key_device_bytes; /* taken by the key when it is loaded */

/* Several jobs at once, from the key on. Returns how many proofs there are; *lost: the device is.
 */
static int sweep(bool *lost)
{
    const pail_prover_device on = SIZED(pail_prover_device, .backend = backend, .context = context);
    const pail_prover_params params =
        SIZED(pail_prover_params, .devices = &on, .n_devices = 1, .inflight = 2, .producers = 2);
    const pail_groth16_witness witness =
        SIZED(pail_groth16_witness, .wtns = files.wtns.data, .n_wtns = files.wtns.size);
    pail_groth16_key_params key_params = support_params(&files.zkey);
    pail_prover_stats stats = {.struct_size = sizeof stats};
    pail_prover *prover = NULL;
    pail_prover_job *jobs[N_JOBS] = {NULL};
    uint32_t key = 0;
    int proofs = 0;
    char said[512] = "";
    key_params.b2 = PAIL_GROTH16_B2_DEVICE;
    key_params.residency = PAIL_RESIDENCY_DEVICE; /* or points would move to the host */
    pail_status status = pail_prover_create(&prover, &params, said, sizeof said);
    if (status == PAIL_OK)
        status = pail_prover_add_key(prover, &key, &key_params, said, sizeof said);
    for (int i = 0; i < N_JOBS && status == PAIL_OK; i++) {
        const pail_prover_request request =
            SIZED(pail_prover_request, .key = key, .witness = &witness);
        status = pail_prover_submit(prover, &jobs[i], &request, said, sizeof said);
    }
    if (status != PAIL_OK)
        expect_sentence(status, said);
    for (int i = 0; i < N_JOBS; i++)
        proofs += jobs[i] != NULL && end_job(prover, &jobs[i]);
    if (prover != NULL) {
        pail_prover_device_stats device = {.struct_size = sizeof device};
        assert_int_equal(pail_prover_drain(prover, UINT64_MAX), PAIL_OK);
        assert_int_equal(pail_prover_get_stats(prover, &stats), PAIL_OK);
        assert_int_equal(stats.submitted, stats.ended);
        const uint64_t kept = stats.host_bytes - stats.buffers_idle_bytes;
        if (kept != 0 ||
            stats.device_bytes != 0) { /* the key is loaded, and nothing else is left */
            key_host_bytes = key_host_bytes != 0 ? key_host_bytes : kept;
            key_device_bytes = key_device_bytes != 0 ? key_device_bytes : stats.device_bytes;
            assert_int_equal(kept, key_host_bytes);
            assert_int_equal(stats.device_bytes, key_device_bytes);
        }
        assert_int_equal(pail_prover_get_device(prover, 0, &device), PAIL_OK);
        *lost = device.lost != 0;
    }
    pail_prover_destroy(&prover);
    return proofs;
}

static void restore(bool lost)
{
    if (!lost)
        return;
    backend->context_destroy(&context);
    assert_int_equal(open_context(), PAIL_OK);
}

static void expect_whole(long after)
{
    bool lost = false;
    const int proofs = sweep(&lost);
    restore(lost); /* the fault came when no job was left to be told */
    const bool again = lost && after >= 0;
    lost = false;
    if (proofs != N_JOBS && (!again || sweep(&lost) != N_JOBS || lost))
        fail_msg("after a fault at %ld: %s", after, last_said);
}

PAIL_TEST(calls_fail)
{
    long failed, tried = 0, losses = 0, proofs = 0;
    bool lost = false;
    if (context == NULL)
        SKIP_BECAUSE("there is no device of the plugin");
    expect_whole(-1); /* pipelines are made */
    devices_faults_arm(context, 0, false);
    expect_whole(-1);
    const long calls = devices_faults_disarm(&failed);
    const long step = test_long() ? 1 : calls / POSITIONS + 1;
    assert_true(calls > 10 && failed == 0);
    for (int each = 0; each < 2; each++) {
        for (long at = each ? 3 : 1; at <= calls; at += step, tried++) {
            lost = false;
            devices_faults_arm(context, at, each != 0);
            proofs += sweep(&lost);
            (void)devices_faults_disarm(&failed);
            losses += lost;
            restore(lost);
            expect_whole(at);
        }
    }
    print_message("# %ld calls, %ld sweeps with faults, %ld losses, %ld proofs\n", calls, tried,
                  losses, proofs);
}

PAIL_TEST(allocations_fail)
{
    if (context == NULL)
        SKIP_BECAUSE("there is no device of the plugin");
    expect_whole(-1);
    const long many = 1L << 40;
    atomic_store(&counted_left, many);
    expect_whole(-1);
    const long allocations = many - atomic_exchange(&counted_left, -1);
    const long step = test_long() ? 1 : allocations / POSITIONS + 1;
    const long before = atomic_load(&counted_blocks);
    assert_true(allocations > 10);
    for (long at = 0; at < allocations; at += step) {
        bool lost = false;
        atomic_store(&counted_left, at);
        (void)sweep(&lost);
        atomic_store(&counted_left, -1);
        restore(lost);
        expect_whole(at);
    }
    print_message("# %ld allocations, %ld blocks before, %ld after\n", allocations, before,
                  atomic_load(&counted_blocks));
}

PAIL_TEST_GROUP(support_setup, support_teardown)
