/* The prover under load whose jobs share starts: proofs are right, and what is wrong with a job, or
 * with a start, is nobody else's. */
#include <sched.h>
#include <stdatomic.h>

#include "jobs_world.h"
#include "support/test.h"

enum { SHARE = 4, MSMS = 5 };

/* A backend whose first start waits until it is let go, so that others are ready by then. */
static atomic_bool closed;
static atomic_int starts, most_jobs, failing_start;
static pail_status failure;

static pail_status gated_start(pail_context *on, pail_pending **pending, const pail_msm_job *jobs,
                               size_t n, const pail_msm_config *config)
{
    const int start = atomic_fetch_add(&starts, 1);
    while (atomic_load(&closed))
        sched_yield();
    if ((int)n > atomic_load(&most_jobs))
        atomic_store(&most_jobs, (int)n);
    if (start == atomic_load(&failing_start)) {
        *pending = NULL;
        return failure;
    }
    return backend->msm_start(on, pending, jobs, n, config);
}

static pail_backend gated(int fails_at, pail_status status)
{
    pail_backend on = *backend;
    on.msm_start = gated_start;
    atomic_store(&closed, true);
    atomic_store(&starts, 0);
    atomic_store(&most_jobs, 0);
    atomic_store(&failing_start, fails_at);
    failure = status;
    return on;
}

/* All of them have read their witness, or have ended. */
static void wait_until_ready(pail_prover *prover, pail_prover_job *const jobs[], int n)
{
    for (int i = 0; i < n; i++) {
        pail_prover_job_info info = {.struct_size = sizeof(info)};
        do {
            sched_yield();
            assert_int_equal(pail_prover_get_job(prover, jobs[i], &info), PAIL_OK);
        } while (info.state < PAIL_PROVER_READY);
    }
}

static void expect_status(pail_prover *prover, pail_prover_job **job, pail_status status,
                          const char *words)
{
    pail_groth16_proof proof = {.struct_size = sizeof(proof)};
    uint8_t publics[PUBLICS_MAX * 32];
    char error[512] = "";
    const pail_groth16_proof none = {.struct_size = sizeof(none)};
    assert_int_equal(
        pail_prover_wait(prover, job, UINT64_MAX, &proof, publics, NULL, error, sizeof(error)),
        status);
    support_expect_words(error, words);
    assert_memory_equal(&proof, &none, sizeof(proof));
}

static pail_prover_stats stats_of(pail_prover *prover)
{
    pail_prover_stats stats = {.struct_size = sizeof(stats)};
    assert_int_equal(pail_prover_get_stats(prover, &stats), PAIL_OK);
    return stats;
}

/* One for itself, then four together, then what is left; 1 is off. */
PAIL_TEST(shared_or_not)
{
    enum { N = 7 };
    for (uint32_t share = 1; share <= SHARE; share += SHARE - 1) {
        const pail_backend on = gated(-1, PAIL_OK);
        pail_prover *prover =
            make_on(&on, 1, (pail_prover_params){.inflight = 1, .share = share, .producers = 3});
        const uint32_t key = add_key(prover, 0);
        const uint64_t before = stats_of(prover).starts;
        pail_prover_job *jobs[N];
        for (int i = 0; i < N; i++)
            assert_int_equal(submit(prover, &jobs[i], key, 0, NULL), PAIL_OK);
        wait_until_ready(prover, jobs, N);
        atomic_store(&closed, false);
        for (int i = 0; i < N; i++)
            expect_valid(prover, &jobs[i], 0);
        assert_int_equal(stats_of(prover).starts - before, share == 1 ? N : 3);
        assert_int_equal(atomic_load(&most_jobs), MSMS * (int)share);
        end(&prover);
    }
}

static struct support_bytes changed(const struct support_bytes *wtns, size_t value, uint8_t byte)
{
    struct support_bytes copy = {.data = malloc(wtns->size), .size = wtns->size};
    uint64_t size;
    assert_non_null(copy.data);
    memcpy(copy.data, wtns->data, wtns->size);
    memset(support_section(&copy, 2, &size) + 32 * value, byte, 32);
    return copy;
}

/* A witness with a value that is none, one that satisfies nothing, a job that is cancelled before
 * the start and one that is cancelled behind it: the others are proved. */
PAIL_TEST(each_for_itself)
{
    enum { N = 10 };
    const struct support_bytes good = files[0].wtns, bad = changed(&good, 10, 0xff);
    const struct support_bytes wrong = changed(&good, 10, 0x03);
    const pail_backend on = gated(-1, PAIL_OK);
    pail_prover *prover =
        make_on(&on, 1, (pail_prover_params){.inflight = 1, .share = SHARE, .producers = 1});
    const uint32_t key = add_key(prover, 0);
    pail_prover_job *jobs[N];
    for (int i = 0; i < N; i++) {
        files[0].wtns = i == 2 ? bad : i == 3 ? wrong : good;
        assert_int_equal(submit(prover, &jobs[i], key, 0, NULL), PAIL_OK);
    }
    files[0].wtns = good;
    wait_until_ready(prover, jobs, N);
    pail_prover_cancel(prover, jobs[4]); /* waits */
    pail_prover_cancel(prover, jobs[0]); /* is at the gate */
    atomic_store(&closed, false);
    expect_status(prover, &jobs[0], PAIL_ERR_STOPPED, "cancelled");
    expect_valid(prover, &jobs[1], 0);
    expect_status(prover, &jobs[2], PAIL_ERR_DATA, "value 10|order");
    pail_groth16_proof proof = {.struct_size = sizeof(proof)};
    pail_groth16_verifying_key verifying = {.struct_size = sizeof(verifying)};
    uint8_t publics[PUBLICS_MAX * 32];
    uint32_t valid = 1;
    assert_int_equal(pail_prover_wait(prover, &jobs[3], UINT64_MAX, &proof, publics, NULL, NULL, 0),
                     PAIL_OK);
    assert_int_equal(pail_groth16_key_verifying(keys[0], &verifying), PAIL_OK);
    assert_int_equal(
        pail_groth16_verify(&valid, &verifying, &proof, publics, verifying.n_public, NULL, 0),
        PAIL_OK);
    assert_int_equal(valid, 0);
    expect_status(prover, &jobs[4], PAIL_ERR_STOPPED, "cancelled");
    for (int i = 5; i < N; i++)
        expect_valid(prover, &jobs[i], 0);
    assert_int_equal(atomic_load(&most_jobs), MSMS * SHARE);
    end(&prover);
    free(bad.data);
    free(wrong.data);
}

/* The start of four finds no memory: each of them is done by itself. */
PAIL_TEST(no_memory_together)
{
    enum { N = 5 };
    const pail_backend on = gated(1, PAIL_ERR_DEVICE_MEMORY);
    pail_prover *prover = make_on(&on, 1, (pail_prover_params){.inflight = 1, .share = SHARE});
    const uint32_t key = add_key(prover, 0);
    pail_prover_job *jobs[N];
    for (int i = 0; i < N; i++)
        assert_int_equal(submit(prover, &jobs[i], key, 0, NULL), PAIL_OK);
    wait_until_ready(prover, jobs, N);
    atomic_store(&closed, false);
    for (int i = 0; i < N; i++)
        expect_valid(prover, &jobs[i], 0);
    const pail_prover_stats stats = stats_of(prover);
    assert_int_equal(stats.retried, SHARE);
    assert_int_equal(atomic_load(&starts), 1 + 1 + SHARE);
    end(&prover);
}

/* The device is lost under four: all are done on the spare one. */
PAIL_TEST(lost_together)
{
    enum { N = 5 };
    const pail_backend losing = gated(1, PAIL_ERR_DEVICE_LOST);
    pail_prover *prover =
        make_with_spare(&losing, (pail_prover_params){.inflight = 1, .share = SHARE});
    const uint32_t key = add_key(prover, 0);
    pail_prover_job *jobs[N];
    for (int i = 0; i < N; i++)
        assert_int_equal(submit(prover, &jobs[i], key, 0, NULL), PAIL_OK);
    wait_until_ready(prover, jobs, N);
    atomic_store(&closed, false);
    for (int i = 0; i < N; i++)
        expect_valid(prover, &jobs[i], 0);
    assert_int_equal(stats_of(prover).retried, SHARE);
    end(&prover);
}

PAIL_TEST(too_many)
{
    pail_prover *prover = NULL;
    char error[512] = "";
    const pail_prover_device device = {
        .struct_size = sizeof(device), .backend = backend, .context = context};
    const pail_prover_params params = {
        .struct_size = sizeof(params), .devices = &device, .n_devices = 1, .share = 17};
    assert_int_equal(pail_prover_create(&prover, &params, error, sizeof(error)), PAIL_ERR_ARGUMENT);
    support_expect_words(error, "share is 17|16 at most");
}

PAIL_TEST_MAIN
{
    keys_b2 = PAIL_GROTH16_B2_DEVICE; /* its multiplications are counted */
    return test_run(NULL, setup, teardown);
}
