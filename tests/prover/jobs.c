/* SPDX-License-Identifier: Apache-2.0 */
/* The prover under load, on the CPU backend: real proofs, in order, within bounds, and what fails.
 */
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <pail/prover.h>

#include <platform/machine.h>

#include "jobs_world.h"
#include "support/long.h"
#include "support/test.h"

PAIL_TEST(two_keys)
{
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

static uint64_t device_bytes(pail_prover *prover)
{
    pail_prover_device_stats stats = {.struct_size = sizeof(stats)};
    assert_int_equal(pail_prover_get_device(prover, 0, &stats), PAIL_OK);
    return stats.bytes;
}

/* More keys than a prover has numbers, one after the other; none is removed under a job. */
PAIL_TEST(keys_are_removed)
{
    pail_prover *prover = make((pail_prover_params){.inflight = 1});
    pail_prover_job *job = NULL;
    char error[512] = "";
    const uint32_t kept = add_key(prover, 1);
    const uint64_t bytes = device_bytes(prover);
    for (int i = 0; i < (slow ? 3 : 70); i++) {
        const uint32_t key = add_key(prover, 0);
        assert_true(device_bytes(prover) > bytes);
        if (i % 10 == 0) {
            assert_int_equal(submit(prover, &job, key, 0, NULL), PAIL_OK);
            assert_int_equal(pail_prover_remove_key(prover, key, error, sizeof(error)),
                             PAIL_NOT_READY);
            support_expect_words(error, "has 1 jobs that are still to be waited for");
            expect_valid(prover, &job, 0);
        }
        assert_int_equal(pail_prover_remove_key(prover, key, error, sizeof(error)), PAIL_OK);
        assert_int_equal(device_bytes(prover), bytes);
        assert_int_equal(pail_prover_remove_key(prover, key, error, sizeof(error)),
                         PAIL_ERR_ARGUMENT);
        assert_int_equal(submit(prover, &job, key, 0, NULL), PAIL_ERR_ARGUMENT);
    }
    assert_int_equal(submit(prover, &job, kept, 1, NULL), PAIL_OK);
    expect_valid(prover, &job, 1);
    end(&prover);
}

/* Two contexts, here the same one twice. */
PAIL_TEST(two_devices)
{
    pail_prover *prover = make_on(backend, 2, (pail_prover_params){.inflight = 1});
    const uint32_t key = add_key(prover, 0);
    pail_prover_job *jobs[JOBS];
    for (int i = 0; i < n_jobs; i++)
        assert_int_equal(submit(prover, &jobs[i], key, 0, NULL), PAIL_OK);
    for (int i = 0; i < n_jobs; i++)
        expect_valid(prover, &jobs[i], 0);
    end(&prover);
}

PAIL_TEST(the_queue_is_full)
{
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

PAIL_TEST(what_is_wrong_is_said)
{
    pail_prover *prover = make((pail_prover_params){.inflight = 1});
    const uint32_t key = add_key(prover, 0);
    pail_prover_job *job = NULL;
    uint32_t none = 5;
    char error[512];
    assert_int_equal(submit(prover, &job, key, 0, "/nowhere/w.wtns"), PAIL_OK);
    expect_failure(prover, &job, PAIL_ERR_IO, "/nowhere/w.wtns");
    assert_int_equal(submit(prover, &job, key, 1, NULL), PAIL_OK); /* the other key's witness */
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
    assert_int_equal(add_key(prover, 1), key + 1); /* a failed one has used up no number */
    assert_int_equal(submit(prover, &job, key, 0, NULL), PAIL_OK);
    expect_valid(prover, &job, 0);
    end(&prover);

    pail_prover_params bad = {.struct_size = sizeof(bad)};
    assert_int_equal(pail_prover_create(&prover, &bad, error, sizeof(error)), PAIL_ERR_ARGUMENT);
    assert_string_equal(error, "params: there are no devices");
    assert_int_equal(pail_prover_create(NULL, &bad, error, sizeof(error)), PAIL_ERR_ARGUMENT);
    const pail_prover_device device = {
        .struct_size = sizeof(device), .backend = backend, .context = context};
    bad.devices = &device;
    bad.n_devices = 1;
    bad.share = 17;
    assert_int_equal(pail_prover_create(&prover, &bad, error, sizeof(error)), PAIL_ERR_ARGUMENT);
    assert_string_equal(error, "params: share is 17, and 16 at most");
}

/* The deprecated share of programs for 1.0: each job still has a start of its own. */
PAIL_TEST(share_means_one)
{
    enum { N = 5 };
    pail_prover *prover = make((pail_prover_params){.inflight = 1, .share = 4});
    const uint32_t key = add_key(prover, 0);
    pail_prover_job *jobs[N];
    pail_prover_stats before = {.struct_size = sizeof(before)}, after = before;
    assert_int_equal(pail_prover_get_stats(prover, &before), PAIL_OK);
    for (int i = 0; i < N; i++)
        assert_int_equal(submit(prover, &jobs[i], key, 0, NULL), PAIL_OK);
    for (int i = 0; i < N; i++)
        expect_valid(prover, &jobs[i], 0);
    assert_int_equal(pail_prover_get_stats(prover, &after), PAIL_OK);
    assert_int_equal(after.starts - before.starts, N);
    end(&prover);
}

static void ignore_stage(void *user, uint32_t stage)
{
    (void)user;
    (void)stage;
}

/* Jobs have neither stages nor callbacks of their own: who asks for them is told so. */
PAIL_TEST(what_jobs_do_not_have)
{
    pail_prover *prover = make((pail_prover_params){.inflight = 1});
    const pail_groth16_witness witness = {
        .struct_size = sizeof(witness), .wtns = files[0].wtns.data, .n_wtns = files[0].wtns.size};
    const uint32_t cancel = 0;
    const pail_groth16_options options[] = {
        {.struct_size = sizeof(options[0]), .stage = ignore_stage},
        {.struct_size = sizeof(options[0]), .cancel = &cancel},
        {.struct_size = sizeof(options[0]), .flags = PAIL_GROTH16_STAGES},
    };
    static const char *const words[] = {"options: stage is set", "options: cancel is set",
                                        "options: there are no flags 0x2"};
    const uint32_t key = add_key(prover, 0);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        pail_prover_job *job = (pail_prover_job *)(void *)prover;
        char error[512] = "";
        const pail_prover_request request = {.struct_size = sizeof(request),
                                             .key = key,
                                             .witness = &witness,
                                             .options = &options[i]};
        assert_int_equal(pail_prover_submit(prover, &job, &request, error, sizeof(error)),
                         PAIL_ERR_ARGUMENT);
        assert_null(job);
        support_expect_words(error, words[i]);
    }
    end(&prover);
}

/* A file is read into a buffer that comes round. */
PAIL_TEST(from_files)
{
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
    /* It is counted as long as it is there. */
    assert_int_equal(pail_prover_drain(prover, UINT64_MAX), PAIL_OK);
    assert_int_equal(pail_prover_get_stats(prover, &stats), PAIL_OK);
    assert_true(stats.buffers_idle_bytes >= files[0].wtns.size);
    end(&prover);
    /* With as much memory as one job took, several take turns, and never have more than that. */
    const uint64_t budget = stats.host_peak_bytes + stats.device_peak_bytes;
    prover = make((pail_prover_params){.inflight = 2, .producers = 3, .mem_budget = budget});
    const uint32_t again = add_key(prover, 0);
    pail_prover_job *jobs[JOBS];
    for (int i = 0; i < n_jobs; i++)
        assert_int_equal(submit(prover, &jobs[i], again, 0, path), PAIL_OK);
    for (int i = 0; i < n_jobs; i++)
        expect_valid(prover, &jobs[i], 0);
    assert_int_equal(pail_prover_get_stats(prover, &stats), PAIL_OK);
    assert_true(stats.host_peak_bytes <= budget);
    assert_int_equal(unlink(path), 0);
    end(&prover);
}

PAIL_TEST(cancelled)
{
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
PAIL_TEST(keys_give_way)
{
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

static void some_proofs(pail_prover *prover, uint32_t key, pail_prover_job **jobs, int at_a_time,
                        int n)
{
    for (int i = 0; i < n; i++) {
        pail_prover_job **const job = &jobs[i % at_a_time];
        if (*job != NULL)
            expect_valid(prover, job, 1);
        assert_int_equal(submit(prover, job, key, 1, NULL), PAIL_OK);
    }
}

/* Memory is flat: what is finished late is bounded, and buffers go round. */
PAIL_TEST(hundreds_of_proofs)
{
    enum { AT_A_TIME = 6, ROUNDS = 8 };
    if (slow && !test_long())
        SKIP_BECAUSE("what is kept does not depend on the driver: lavapipe, or PAIL_TEST_LONG");
    /* in_a_row.c has hundreds on a driver, one after the other. */
    const bool many = test_long() || strcmp(backend->name, "cpu") == 0;
    const int warm_up = many ? 40 : 12, n_proofs = many ? 260 : 12;
    const long slack_pages = many ? 512 : 160; /* on a device 54 kB for each proof */
    pail_prover *prover = make((pail_prover_params){.inflight = 3, .queue_depth = AT_A_TIME});
    const uint32_t key = add_key(prover, 1);
    pail_prover_job *jobs[AT_A_TIME] = {NULL};
    some_proofs(prover, key, jobs, AT_A_TIME, warm_up);
    long pages = settled_pages(prover, jobs, AT_A_TIME), grown = slack_pages + 1;
    /* A leak grows in each round. Memory that the allocator cannot give back, by the turns of
     * threads, does not: on a busy machine it grew in three rounds in a row. */
    for (int round = 0; round < ROUNDS && grown > slack_pages; round++) {
        some_proofs(prover, key, jobs, AT_A_TIME, n_proofs);
        const long now = settled_pages(prover, jobs, AT_A_TIME);
        grown = now - pages;
        pages = now;
#ifdef PAIL_TEST_SANITIZED
        grown = 0; /* freed memory is kept for a while */
#endif
    }
    if (grown > slack_pages)
        fail_msg("%ld pages more after %d proofs, %d times in a row", grown, n_proofs, ROUNDS);
    end(&prover);
}

/* ---- Threads of multiplications ------------------------------------------------------------- */
PAIL_TEST(threads_of_multiplications)
{
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
PAIL_TEST(spans_of_jobs)
{
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

PAIL_TEST(a_crowd)
{
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

PAIL_TEST_GROUP(setup, teardown)
