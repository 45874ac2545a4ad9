/* The prover under load, on the CPU backend: real proofs, in order, within bounds, and what fails.
 */
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pail/prover.h>

#include <prover/jobs/pool_size.h>

#include "support.h"
#include "support/cmocka_all.h"
#include "support/long.h"

enum { JOBS = 12, PUBLICS_MAX = 8 };

static struct support_case files[2];
static pail_groth16_key *keys[2]; /* to verify with */
static bool slow;                 /* a driver that interprets: fewer proofs, and kernels */
static int n_jobs;                /* at most JOBS */

static int setup(void **state)
{
    if (support_setup(state) != 0)
        return 1;
    pail_device_info info = {.struct_size = sizeof(info)};
    if (backend->context_device(context, &info) != PAIL_OK)
        return 1;
    slow = (info.features & PAIL_FEATURE_INT64) == 0;
    n_jobs = slow ? 3 : JOBS;
    const uint32_t other = slow ? PAIL_CURVE_BN254 : PAIL_CURVE_BLS12_381;
    support_make_case(&files[0], &(struct circuit_params){PAIL_CURVE_BN254, slow ? 30 : 300, 3, 1});
    support_make_case(&files[1], &(struct circuit_params){other, slow ? 40 : 100, 0, 2});
    for (int i = 0; i < 2; i++)
        keys[i] = support_open(&files[i].zkey);
    return 0;
}

static int teardown(void **state)
{
    for (int i = 0; i < 2; i++) {
        pail_groth16_key_close(&keys[i]);
        support_case_free(&files[i]);
    }
    return support_teardown(state);
}

static pail_prover *make_on(const pail_backend *on, uint32_t n_devices, pail_prover_params params)
{
    pail_prover *prover = NULL;
    pail_prover_device devices[2];
    char error[512] = "";
    for (uint32_t i = 0; i < n_devices; i++)
        devices[i] = (pail_prover_device){
            .struct_size = sizeof(devices[i]), .backend = on, .context = context};
    params.struct_size = sizeof(params);
    params.devices = devices;
    params.n_devices = n_devices;
    if (pail_prover_create(&prover, &params, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    return prover;
}

static pail_prover *make(pail_prover_params params)
{
    return make_on(backend, 1, params);
}

static pail_groth16_key_params key_params(int i)
{
    return (pail_groth16_key_params){.struct_size = sizeof(pail_groth16_key_params),
                                     .validation = PAIL_VALIDATE_SUBGROUP,
                                     .bytes = files[i].zkey.data,
                                     .n_bytes = files[i].zkey.size,
                                     .name = "k.zkey"};
}

static uint32_t add_key(pail_prover *prover, int i)
{
    uint32_t key = 99;
    char error[512] = "";
    const pail_groth16_key_params params = key_params(i);
    if (pail_prover_add_key(prover, &key, &params, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    return key;
}

static pail_status submit(pail_prover *prover, pail_prover_job **job, uint32_t key, int file,
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

static void expect_valid(pail_prover *prover, pail_prover_job **job, int file)
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

static void end(pail_prover **prover)
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
    assert_in_range(stats.host_bytes, 0, keys_bytes);
    pail_prover_destroy(prover);
    assert_null(*prover);
}

static void two_keys(void **state)
{
    (void)state;
    static const uint32_t flags[] = {0, PAIL_PROVER_NO_LEDGER, PAIL_PROVER_NO_RECLAIMER,
                                     PAIL_PROVER_WHOLE_SLOTS, PAIL_PROVER_THROTTLE};
    for (size_t f = 0; f < (slow ? 1 : sizeof(flags) / sizeof(flags[0])); f++) {
        pail_prover *prover = make((pail_prover_params){.flags = flags[f], .inflight = 3});
        const uint32_t key[2] = {add_key(prover, 0), add_key(prover, 1)};
        pail_prover_job *jobs[JOBS];
        for (int i = 0; i < n_jobs; i++)
            assert_int_equal(submit(prover, &jobs[i], key[i % 2], i % 2, NULL), PAIL_OK);
        for (int i = n_jobs - 1; i >= 0; i--)
            expect_valid(prover, &jobs[i], i % 2);
        pail_prover_stats stats = {.struct_size = sizeof(stats)};
        assert_int_equal(pail_prover_get_stats(prover, &stats), PAIL_OK);
        assert_int_equal(stats.failed, 0);
        assert_int_equal(stats.keys_loaded, 2);
        assert_true(stats.slot_ms >= stats.busy_ms && stats.busy_ms > 0);
        assert_int_equal(stats.reclaimed == 0, flags[f] == PAIL_PROVER_NO_RECLAIMER);
        end(&prover);
    }
}

/* Two contexts, here the same one twice. */
static void two_devices(void **state)
{
    (void)state;
    pail_prover *prover = make_on(backend, 2, (pail_prover_params){.inflight = 1});
    const uint32_t key = add_key(prover, 0);
    pail_prover_job *jobs[JOBS];
    for (int i = 0; i < n_jobs; i++)
        assert_int_equal(submit(prover, &jobs[i], key, 0, NULL), PAIL_OK);
    for (int i = 0; i < n_jobs; i++)
        expect_valid(prover, &jobs[i], 0);
    end(&prover);
}

static void the_queue_is_full(void **state)
{
    (void)state;
    pail_prover *prover = make((pail_prover_params){.queue_depth = 2, .inflight = 1});
    const uint32_t key = add_key(prover, 0);
    pail_prover_job *jobs[3] = {NULL}, *refused = NULL;
    int full = 0;
    for (int i = 0; i < 2; i++)
        assert_int_equal(submit(prover, &jobs[i], key, 0, NULL), PAIL_OK);
    for (int i = 0; i < 1000 && full == 0; i++) {
        const pail_status status = submit(prover, &refused, key, 0, NULL);
        if (status == PAIL_NOT_READY)
            full++;
        else
            expect_valid(prover, &refused, 0);
    }
    assert_int_equal(full, 1);
    assert_null(refused);
    for (int i = 0; i < 2; i++)
        expect_valid(prover, &jobs[i], 0);
    assert_int_equal(submit(prover, &jobs[2], key, 0, NULL), PAIL_OK);
    assert_int_equal(pail_prover_drain(prover, UINT64_MAX), PAIL_OK);
    assert_int_equal(pail_prover_poll(prover, jobs[2]), PAIL_OK);
    assert_int_equal(submit(prover, &refused, key, 0, NULL), PAIL_ERR_STOPPED);
    expect_valid(prover, &jobs[2], 0);
    end(&prover);
}

static void expect_failure(pail_prover *prover, pail_prover_job **job, pail_status status,
                           const char *words)
{
    pail_groth16_proof proof = {.struct_size = sizeof(proof)}, zero = {0};
    uint8_t publics[PUBLICS_MAX * 32];
    char error[512] = "";
    memset(publics, 0xa5, sizeof(publics));
    memset(proof.a, 0xa5, sizeof(proof.a));
    assert_int_equal(
        pail_prover_wait(prover, job, UINT64_MAX, &proof, publics, NULL, error, sizeof(error)),
        status);
    assert_null(*job);
    assert_memory_equal(proof.a, zero.a, sizeof(zero.a));
    for (int i = 0; i < 3 * 32; i++)
        assert_int_equal(publics[i], 0);
    assert_int_equal(publics[3 * 32], 0xa5);
    support_expect_words(error, words);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    pail_prover *prover = make((pail_prover_params){.inflight = 1});
    const uint32_t key = add_key(prover, 0);
    pail_prover_job *job = NULL;
    uint32_t none = 5;
    char error[512];
    assert_int_equal(submit(prover, &job, key, 0, "/nowhere/w.wtns"), PAIL_OK);
    expect_failure(prover, &job, PAIL_ERR_IO, "/nowhere/w.wtns");
    assert_int_equal(submit(prover, &job, key, 1, NULL), PAIL_OK); /* of the other key */
    expect_failure(prover, &job, PAIL_ERR_DATA,
                   slow ? "values|k.zkey" : "is a witness over|k.zkey");
    assert_int_equal(submit(prover, &job, key + 1, 0, NULL), PAIL_ERR_ARGUMENT);
    pail_groth16_key_params params = key_params(0);
    params.n_bytes = 100;
    assert_int_equal(pail_prover_add_key(prover, &none, &params, error, sizeof(error)),
                     PAIL_ERR_DATA);
    support_expect_words(error, "k.zkey");
    assert_int_equal(none, 0);
    assert_int_equal(submit(prover, &job, key + 1, 0, NULL), PAIL_ERR_ARGUMENT);
    assert_int_equal(add_key(prover, 1), key + 1); /* what failed has used up no number */
    assert_int_equal(submit(prover, &job, key, 0, NULL), PAIL_OK);
    expect_valid(prover, &job, 0);
    end(&prover);

    pail_prover_params bad = {.struct_size = sizeof(bad)};
    assert_int_equal(pail_prover_create(&prover, &bad, error, sizeof(error)), PAIL_ERR_ARGUMENT);
    assert_string_equal(error, "params: there are no devices");
    assert_int_equal(pail_prover_create(NULL, &bad, error, sizeof(error)), PAIL_ERR_ARGUMENT);
}

/* A file is read into a buffer that comes round. */
static void from_files(void **state)
{
    (void)state;
    char path[] = "/tmp/pail-jobs-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    FILE *const stream = fdopen(file, "wb");
    assert_int_equal(fwrite(files[0].wtns.data, 1, files[0].wtns.size, stream), files[0].wtns.size);
    assert_int_equal(fclose(stream), 0);
    pail_prover *prover = make((pail_prover_params){.inflight = 2});
    const uint32_t key = add_key(prover, 0);
    pail_prover_job *job = NULL;
    for (int i = 0; i < n_jobs; i++) {
        assert_int_equal(submit(prover, &job, key, 0, path), PAIL_OK);
        expect_valid(prover, &job, 0);
    }
    pail_prover_stats stats = {.struct_size = sizeof(stats)};
    assert_int_equal(pail_prover_get_stats(prover, &stats), PAIL_OK);
    assert_int_equal(stats.buffers_mapped, 1);
    assert_int_equal(stats.buffers_reused, n_jobs - 1);
    assert_int_equal(unlink(path), 0);
    end(&prover);
}

static void cancelled(void **state)
{
    (void)state;
    pail_prover *prover = make((pail_prover_params){.inflight = 1, .producers = 1});
    const uint32_t key = add_key(prover, 0);
    pail_prover_job *jobs[JOBS];
    for (int i = 0; i < n_jobs; i++)
        assert_int_equal(submit(prover, &jobs[i], key, 0, NULL), PAIL_OK);
    for (int i = 1; i < n_jobs; i += 2)
        pail_prover_cancel(prover, jobs[i]);
    int stopped = 0;
    for (int i = 0; i < n_jobs; i++) {
        pail_groth16_proof proof = {.struct_size = sizeof(proof)};
        uint8_t publics[PUBLICS_MAX * 32];
        const pail_status status =
            pail_prover_wait(prover, &jobs[i], UINT64_MAX, &proof, publics, NULL, NULL, 0);
        assert_true(status == PAIL_OK || (i % 2 == 1 && status == PAIL_ERR_STOPPED));
        stopped += status == PAIL_ERR_STOPPED;
    }
    assert_true(stopped >= n_jobs / 2 - 2);
    /* Destroying ends what is queued, and frees what was not waited for. */
    for (int i = 0; i < n_jobs; i++)
        assert_int_equal(submit(prover, &jobs[i], key, 0, NULL), PAIL_OK);
    pail_prover_destroy(&prover);
    assert_null(prover);
}

/* A budget for one key: the other gives way, and both go on. */
static void keys_give_way(void **state)
{
    (void)state;
    uint64_t budget = 0;
    pail_prover *prover;
    pail_prover_stats stats = {.struct_size = sizeof(stats)};
    for (int i = 0; i < 2; i++) {
        pail_prover_job *job = NULL;
        prover = make((pail_prover_params){.inflight = 1});
        assert_int_equal(submit(prover, &job, add_key(prover, i), i, NULL), PAIL_OK);
        expect_valid(prover, &job, i);
        assert_int_equal(pail_prover_get_stats(prover, &stats), PAIL_OK);
        if (stats.device_peak_bytes > budget)
            budget = stats.device_peak_bytes;
        end(&prover);
    }
    prover = make((pail_prover_params){.vram_budget = budget, .inflight = 1});
    const uint32_t key[2] = {add_key(prover, 0), add_key(prover, 1)};
    pail_prover_job *job = NULL;
    for (int i = 0; i < 6; i++) {
        assert_int_equal(submit(prover, &job, key[i % 2], i % 2, NULL), PAIL_OK);
        expect_valid(prover, &job, i % 2);
    }
    assert_int_equal(pail_prover_get_stats(prover, &stats), PAIL_OK);
    assert_true(stats.keys_evicted >= 1 && stats.keys_loaded > stats.keys_evicted);
    assert_true(stats.device_peak_bytes <= stats.device_capacity);
    end(&prover);
}

/* ---- A long run ----------------------------------------------------------------------------- */
static long resident_pages(void)
{
    long all, resident;
    FILE *const file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &all, &resident), 2);
    assert_int_equal(fclose(file), 0);
    return resident;
}

/* Waits for all jobs. What the allocator keeps for itself after that is given back first: how much
 * that is, threads decide by their turns. */
static long settled_pages(pail_prover *prover, pail_prover_job **jobs, int n)
{
    for (int i = 0; i < n; i++)
        if (jobs[i] != NULL)
            expect_valid(prover, &jobs[i], 1);
    (void)malloc_trim(0);
    return resident_pages();
}

/* Memory is flat: what is finished late is bounded, and buffers go round. */
static void hundreds_of_proofs(void **state)
{
    (void)state;
    enum { AT_A_TIME = 6 };
    /* Software drivers allocate in threads of their own, by their turns. */
    const long slack_pages = strcmp(backend->name, "cpu") == 0 ? 512 : 1024;
    const int warm_at = slow ? 6 : 40;
    /* in_a_row.c has as many on a driver, one after the other. */
    const int n_proofs = test_long()                         ? 300
                         : slow                              ? 12
                         : strcmp(backend->name, "cpu") == 0 ? 300
                                                             : 80;
    pail_prover *prover = make((pail_prover_params){.inflight = 3, .queue_depth = AT_A_TIME});
    const uint32_t key = add_key(prover, 1);
    pail_prover_job *jobs[AT_A_TIME] = {NULL};
    long warm = 0;
    for (int i = 0; i < n_proofs; i++) {
        pail_prover_job **const job = &jobs[i % AT_A_TIME];
        if (*job != NULL)
            expect_valid(prover, job, 1);
        assert_int_equal(submit(prover, job, key, 1, NULL), PAIL_OK);
        if (i == warm_at)
            warm = settled_pages(prover, jobs, AT_A_TIME);
    }
    const long grown = settled_pages(prover, jobs, AT_A_TIME) - warm;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    print_message("# %ld pages more after %d proofs than after %d\n", grown, n_proofs, warm_at);
    if (grown > slack_pages && !slow) /* too few of them to be warm */
        fail_msg("%ld pages more after %d proofs than after %d", grown, n_proofs, warm_at);
#else
    (void)grown;
    (void)slack_pages; /* what is freed is kept for a while */
#endif
    end(&prover);
}

/* ---- Threads of multiplications ------------------------------------------------------------- */
static void threads_of_multiplications(void **state)
{
    (void)state;
    struct pail_caches here;
    pail_read_caches(&here, NULL);
    assert_true(here.processors >= 1);
    static const uint32_t flags[] = {0, PAIL_PROVER_ALL_THREADS};
    for (int i = 0; i < 2; i++) {
        pail_prover *prover = make((pail_prover_params){.flags = flags[i], .host_bucket_mb = 1});
        pail_prover_job *job = NULL;
        assert_int_equal(submit(prover, &job, add_key(prover, 0), 0, NULL), PAIL_OK);
        expect_valid(prover, &job, 0);
        pail_prover_stats stats = {.struct_size = sizeof(stats)};
        assert_int_equal(pail_prover_get_stats(prover, &stats), PAIL_OK);
        assert_int_equal(stats.processors, here.processors);
        if (flags[i] == 0 && strcmp(backend->name, "cpu") == 0) {
            assert_true(stats.pool_threads >= 1);
            assert_true(stats.pool_threads == 1 ||
                        stats.pool_threads * stats.pool_worker_bytes <= 1 << 20);
        } else {
            assert_int_equal(stats.pool_threads, 0);
        }
        end(&prover);
    }
}

/* ---- Failures of the backend ---------------------------------------------------------------- */
static atomic_int calls, failing_call;

static pail_status fail_or(pail_status (*start)(pail_context *, pail_pending **,
                                                const pail_msm_job *, size_t,
                                                const pail_msm_config *),
                           pail_context *on, pail_pending **pending, const pail_msm_job *jobs,
                           size_t n, const pail_msm_config *config)
{
    if (atomic_fetch_add(&calls, 1) == failing_call) {
        *pending = NULL;
        return PAIL_ERR_DEVICE_MEMORY;
    }
    return start(on, pending, jobs, n, config);
}

static pail_status failing_start(pail_context *on, pail_pending **pending, const pail_msm_job *jobs,
                                 size_t n, const pail_msm_config *config)
{
    return fail_or(backend->msm_start, on, pending, jobs, n, config);
}

/* The k-th start finds no memory: that job is done once more, and all proofs are right. */
static void no_device_memory(void **state)
{
    (void)state;
    pail_backend failing = *backend;
    failing.msm_start = failing_start;
    for (int k = 0; k < (slow ? 1 : 6); k++) {
        calls = 0;
        failing_call = k;
        pail_prover *prover = make_on(&failing, 1, (pail_prover_params){.inflight = 2});
        const uint32_t key = add_key(prover, 0);
        pail_prover_job *jobs[4];
        for (int i = 0; i < 4; i++)
            assert_int_equal(submit(prover, &jobs[i], key, 0, NULL), PAIL_OK);
        for (int i = 0; i < 4; i++)
            expect_valid(prover, &jobs[i], 0);
        pail_prover_stats stats = {.struct_size = sizeof(stats)};
        assert_int_equal(pail_prover_get_stats(prover, &stats), PAIL_OK);
        assert_int_equal(stats.retried, k < 4 ? 1 : 0);
        end(&prover);
    }
}

/* The device is lost at the k-th start: what was on it is done again on the spare one, which says
 * so, and whoever asked is told of every end. */
static pail_status losing_start(pail_context *on, pail_pending **pending, const pail_msm_job *jobs,
                                size_t n, const pail_msm_config *config)
{
    if (atomic_fetch_add(&calls, 1) >= failing_call) {
        *pending = NULL;
        return PAIL_ERR_DEVICE_LOST;
    }
    return backend->msm_start(on, pending, jobs, n, config);
}

static void count_end(void *user, uint64_t job)
{
    (void)job;
    atomic_fetch_add((atomic_int *)user, 1);
}

static void lost_device(void **state)
{
    (void)state;
    pail_backend losing = *backend;
    losing.msm_start = losing_start;
    for (int k = 0; k < 6; k++) {
        atomic_int ended = 0;
        calls = 0;
        failing_call = k;
        const pail_prover_device devices[] = {
            {.struct_size = sizeof(devices[0]), .backend = &losing, .context = context},
            {.struct_size = sizeof(devices[0]),
             .flags = PAIL_PROVER_DEVICE_SPARE,
             .backend = backend,
             .context = context}};
        const pail_prover_params params = {.struct_size = sizeof(params),
                                           .devices = devices,
                                           .n_devices = 2,
                                           .inflight = 1,
                                           .user = &ended,
                                           .ended = count_end};
        pail_prover *prover = NULL;
        assert_int_equal(pail_prover_create(&prover, &params, NULL, 0), PAIL_OK);
        const uint32_t key = add_key(prover, 0);
        pail_prover_job *jobs[4];
        for (int i = 0; i < 4; i++)
            assert_int_equal(submit(prover, &jobs[i], key, 0, NULL), PAIL_OK);
        uint32_t lost = 0;
        for (int i = 0; i < 4; i++) {
            pail_prover_job_info info = {.struct_size = sizeof(info)};
            while (pail_prover_poll(prover, jobs[i]) != PAIL_OK)
                sched_yield();
            assert_int_equal(pail_prover_get_job(prover, jobs[i], &info), PAIL_OK);
            assert_int_equal(info.state, PAIL_PROVER_ENDED);
            assert_int_equal(info.job, i + 1);
            assert_int_equal(info.device, i >= k);
            assert_int_equal(info.retries, info.lost_device == 0);
            lost += info.lost_device == 0;
            expect_valid(prover, &jobs[i], 0);
        }
        assert_int_equal(lost, k < 4);
        pail_prover_device_stats stats[2] = {{.struct_size = sizeof(stats[0])},
                                             {.struct_size = sizeof(stats[0])}};
        for (uint32_t d = 0; d < 2; d++)
            assert_int_equal(pail_prover_get_device(prover, d, &stats[d]), PAIL_OK);
        assert_int_equal(stats[0].lost, k < 4);
        assert_int_equal(stats[1].lost, 0);
        assert_int_equal(stats[1].keys_loaded, k < 4);
        assert_int_equal(pail_prover_get_device(prover, 2, &stats[0]), PAIL_ERR_ARGUMENT);
        assert_int_equal(pail_prover_get_job(prover, NULL, NULL), PAIL_ERR_ARGUMENT);
        assert_int_equal(atomic_load(&ended), 5); /* the key's as well */
        end(&prover);
    }
}

/* ---- Spans ---------------------------------------------------------------------------------- */
struct told {
    pail_prover_span spans[16 * JOBS];
    size_t n;
};

static void note_span(void *user, const pail_prover_span *span)
{
    struct told *const told = user;
    if (told->n < sizeof(told->spans) / sizeof(told->spans[0]))
        told->spans[told->n] = *span;
    told->n++;
}

static bool takes_a_slot(uint32_t kind)
{
    return kind == PAIL_PROVER_LOAD || kind == PAIL_PROVER_UPLOAD || kind == PAIL_PROVER_DEVICE;
}

/* Each job does everything once, one after the other, and slots are as many as there are. */
static void spans_of_jobs(void **state)
{
    (void)state;
    static struct told told;
    told.n = 0;
    pail_prover *prover =
        make((pail_prover_params){.inflight = 2, .span = note_span, .user = &told});
    const uint32_t key = add_key(prover, 0);
    pail_prover_job *jobs[JOBS];
    for (int i = 0; i < n_jobs; i++)
        assert_int_equal(submit(prover, &jobs[i], key, 0, NULL), PAIL_OK);
    for (int i = 0; i < n_jobs; i++)
        expect_valid(prover, &jobs[i], 0);
    assert_int_equal(pail_prover_drain(prover, UINT64_MAX), PAIL_OK);
    pail_prover_stats stats = {.struct_size = sizeof(stats)};
    assert_int_equal(pail_prover_get_stats(prover, &stats), PAIL_OK);
    assert_true(told.n <= sizeof(told.spans) / sizeof(told.spans[0]));
    uint64_t ended_ns[JOBS + 1] = {0}, device_ns = 0;
    unsigned counts[JOBS + 1][PAIL_PROVER_SPAN_KINDS] = {{0}};
    for (size_t i = 0; i < told.n; i++) {
        const pail_prover_span *const span = &told.spans[i];
        unsigned slots = 0;
        assert_int_equal(span->struct_size, sizeof(*span));
        assert_true(span->job <= (uint32_t)n_jobs && span->kind < PAIL_PROVER_SPAN_KINDS);
        assert_true(span->begin_ns < span->end_ns && span->begin_ns >= ended_ns[span->job]);
        ended_ns[span->job] = span->end_ns;
        counts[span->job][span->kind]++;
        device_ns += span->device_ns;
        assert_true(span->device_ns == 0 || span->kind == PAIL_PROVER_FINISH);
        for (size_t j = 0; j < told.n; j++)
            slots += takes_a_slot(told.spans[j].kind) && told.spans[j].begin_ns <= span->begin_ns &&
                     told.spans[j].end_ns > span->begin_ns;
        assert_in_range(slots, 0, 2);
    }
    for (uint32_t job = 0; job <= (uint32_t)n_jobs; job++) { /* number 0 is the key */
        static const uint32_t stages[] = {PAIL_PROVER_PRODUCE, PAIL_PROVER_UPLOAD,
                                          PAIL_PROVER_DEVICE, PAIL_PROVER_FINISH,
                                          PAIL_PROVER_RELEASE};
        for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++)
            assert_int_equal(counts[job][stages[i]], job != 0);
        assert_int_equal(counts[job][PAIL_PROVER_LOAD], job == 0);
    }
    assert_true(device_ns > 0);
    const double told_ms = 1e-6 * (double)device_ns;
    assert_true(told_ms > stats.device_ms - 1e-3 && told_ms < stats.device_ms + 1e-3);
    end(&prover);
}

/* Many threads submit, wait and cancel. */
static pail_prover *shared;
static uint32_t shared_key;

static void *client(void *argument)
{
    const int number = *(int *)argument;
    for (int i = 0; i < n_jobs; i++) {
        pail_prover_job *job = NULL;
        while (submit(shared, &job, shared_key, 0, NULL) != PAIL_OK)
            sched_yield();
        if ((i + number) % 4 == 0)
            pail_prover_cancel(shared, job);
        pail_groth16_proof proof = {.struct_size = sizeof(proof)};
        uint8_t publics[PUBLICS_MAX * 32];
        const pail_status status =
            pail_prover_wait(shared, &job, UINT64_MAX, &proof, publics, NULL, NULL, 0);
        if (status != PAIL_OK && status != PAIL_ERR_STOPPED)
            return argument;
    }
    return NULL;
}

static void a_crowd(void **state)
{
    (void)state;
    enum { CLIENTS = 6 };
    const int n_clients = slow ? 2 : CLIENTS;
    pthread_t threads[CLIENTS];
    int numbers[CLIENTS];
    shared = make((pail_prover_params){.inflight = 3, .queue_depth = 5, .producers = 3});
    shared_key = add_key(shared, 0);
    for (int i = 0; i < n_clients; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, client, &numbers[i]), 0);
    }
    for (int i = 0; i < n_clients; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    end(&shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lost_device),
        cmocka_unit_test(two_keys),
        cmocka_unit_test(two_devices),
        cmocka_unit_test(the_queue_is_full),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(from_files),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(keys_give_way),
        cmocka_unit_test(no_device_memory),
        cmocka_unit_test(hundreds_of_proofs),
        cmocka_unit_test(threads_of_multiplications),
        cmocka_unit_test(spans_of_jobs),
        cmocka_unit_test(a_crowd),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
