/* SPDX-License-Identifier: Apache-2.0 */
/* KZG requests as jobs of a prover, beside proofs: the same bytes as direct calls, in the order of
 * priorities, also past a proof that runs, and what ends them early. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "jobs_world.h"
#include "kzg/made.h"
#include "support/test.h"

enum { N = 16, LENGTH = 4, CELLS = 2 * N / LENGTH, BLOBS = 5, FEW = 40, MANY = 4096, CHARS = 512 };

static struct made made;
static pail_kzg *kzg;
static uint8_t *blobs; /* [MANY][N] */
static bool on_cpu;

struct outputs {
    uint8_t commitments[BLOBS * POINT], proofs[BLOBS * POINT];
    uint8_t cells[BLOBS * 2 * N * SCALAR], cell_proofs[BLOBS * CELLS * POINT];
};

static struct outputs expected;

static pail_kzg_request request_of(uint32_t operation, uint64_t n)
{
    return (pail_kzg_request){.struct_size = sizeof(pail_kzg_request),
                              .operation = operation,
                              .n = n,
                              .blobs = blobs,
                              .commitments = expected.commitments,
                              .proofs = expected.proofs};
}

static pail_kzg_result result_of(struct outputs *outputs, uint32_t operation)
{
    const bool of_cells = operation == PAIL_KZG_CELLS || operation == PAIL_KZG_RECOVER;
    memset(outputs, 0xee, sizeof(*outputs));
    return (pail_kzg_result){.struct_size = sizeof(pail_kzg_result),
                             .valid = 7,
                             .commitments = outputs->commitments,
                             .proofs = of_cells ? outputs->cell_proofs : outputs->proofs,
                             .cells = outputs->cells};
}

static int kzg_setup(void **state)
{
    char error[CHARS];
    if (setup(state) != 0)
        return 1;
    made_create(&made, PAIL_CURVE_BLS12_381, N, LENGTH, LENGTH + 1);
    const pail_kzg_params params = made_params(&made);
    blobs = malloc((size_t)MANY * N * SCALAR);
    struct pail_rng rng;
    on_cpu = strcmp(backend->name, "cpu") == 0;
    pail_rng_init(&rng, 1);
    for (size_t i = 0; blobs != NULL && i < (size_t)MANY * N; i++) {
        const pail_u256 value = made_random(&made, &rng);
        made_write(blobs + i * SCALAR, &value);
    }
    if (blobs == NULL || pail_kzg_open(&kzg, backend, context, &params, error, CHARS) != PAIL_OK)
        return 1;
    static const uint32_t operations[] = {PAIL_KZG_COMMIT, PAIL_KZG_PROVE_BLOB, PAIL_KZG_CELLS};
    struct outputs outputs;
    for (size_t i = 0; i < 3; i++) {
        const pail_kzg_request request = request_of(operations[i], BLOBS);
        pail_kzg_result result = result_of(&outputs, operations[i]);
        if (pail_kzg_run(kzg, &result, &request, error, CHARS) != PAIL_OK)
            return 1;
        if (i == 0)
            memcpy(expected.commitments, outputs.commitments, sizeof(expected.commitments));
        if (i == 1)
            memcpy(expected.proofs, outputs.proofs, sizeof(expected.proofs));
        if (i == 2) {
            memcpy(expected.cells, outputs.cells, sizeof(expected.cells));
            memcpy(expected.cell_proofs, outputs.cell_proofs, sizeof(expected.cell_proofs));
        }
    }
    return 0;
}

static int kzg_teardown(void **state)
{
    pail_kzg_close(&kzg);
    free(blobs);
    return teardown(state);
}

/* A job, and where its results go. */
struct kzg_job {
    pail_prover_job *job;
    pail_kzg_result result;
    struct outputs outputs;
};

static pail_status submit_kzg(pail_prover *prover, struct kzg_job *job,
                              const pail_kzg_request *request, int32_t priority,
                              uint64_t deadline_ms, char error[CHARS])
{
    const pail_prover_request its = {.struct_size = sizeof(its),
                                     .priority = priority,
                                     .deadline_ms = deadline_ms,
                                     .kzg = kzg,
                                     .kzg_request = request,
                                     .kzg_result = &job->result};
    job->result = result_of(&job->outputs, request->operation);
    return pail_prover_submit(prover, &job->job, &its, error, CHARS);
}

static void begin_kzg(pail_prover *prover, struct kzg_job *job, uint32_t operation,
                      int32_t priority)
{
    char error[CHARS] = "";
    const pail_kzg_request request = request_of(operation, BLOBS);
    if (submit_kzg(prover, job, &request, priority, 0, error) != PAIL_OK)
        fail_msg("%s", error);
}

static bool are(const uint8_t *bytes, uint8_t value, size_t n)
{
    while (n > 0 && bytes[n - 1] == value)
        n--;
    return n == 0;
}

static void end_kzg(pail_prover *prover, struct kzg_job *job, pail_status status, const char *words)
{
    char error[CHARS] = "";
    const pail_status got =
        pail_prover_wait(prover, &job->job, UINT64_MAX, NULL, NULL, NULL, error, CHARS);
    if (got != status)
        fail_msg("%s: \"%s\"", pail_status_name(got), error);
    assert_null(job->job);
    support_expect_words(error, words);
}

static void expect_cells(pail_prover *prover, struct kzg_job *job)
{
    end_kzg(prover, job, PAIL_OK, "");
    assert_memory_equal(job->outputs.cells, expected.cells, sizeof(expected.cells));
    assert_memory_equal(job->outputs.cell_proofs, expected.cell_proofs,
                        sizeof(expected.cell_proofs));
    assert_true(are(job->outputs.commitments, 0xee, sizeof(job->outputs.commitments)));
    assert_true(job->result.wall_ms > 0 && job->result.bad == UINT64_MAX);
}

static void expect_no_cells(const struct kzg_job *job)
{
    assert_true(are(job->outputs.cells, 0, sizeof(job->outputs.cells)));
    assert_true(are(job->outputs.cell_proofs, 0, sizeof(job->outputs.cell_proofs)));
    assert_true(are(job->outputs.commitments, 0xee, sizeof(job->outputs.commitments)));
    assert_int_equal(job->result.valid, 0);
}

PAIL_TEST(same_as_direct_calls)
{
    pail_prover *prover = make((pail_prover_params){.inflight = 2});
    static struct kzg_job jobs[8];
    uint64_t starts[BLOBS + 1] = {0}, indices[BLOBS * CELLS];
    uint8_t half[BLOBS * N * SCALAR], each[BLOBS * CELLS * POINT];
    for (size_t i = 0; i < (size_t)BLOBS * CELLS / 2; i++) { /* the odd ones */
        indices[i] = (2 * i + 1) % CELLS;
        starts[i / (CELLS / 2) + 1] = i + 1;
        memcpy(half + i * LENGTH * SCALAR, expected.cells + (2 * i + 1) * LENGTH * SCALAR,
               LENGTH * SCALAR);
    }
    begin_kzg(prover, &jobs[0], PAIL_KZG_COMMIT, 0);
    begin_kzg(prover, &jobs[1], PAIL_KZG_PROVE_BLOB, 1);
    begin_kzg(prover, &jobs[2], PAIL_KZG_CELLS, 2);
    begin_kzg(prover, &jobs[3], PAIL_KZG_VERIFY_BLOBS, 0);
    char error[CHARS];
    pail_kzg_request request = request_of(PAIL_KZG_RECOVER, BLOBS);
    request.starts = starts;
    request.indices = indices;
    request.cells = half;
    assert_int_equal(submit_kzg(prover, &jobs[4], &request, 0, 0, error), PAIL_OK);
    uint64_t numbers[BLOBS * CELLS];
    for (size_t i = 0; i < (size_t)BLOBS * CELLS; i++) {
        numbers[i] = i % CELLS;
        memcpy(each + i * POINT, expected.commitments + i / CELLS * POINT, POINT);
    }
    request = request_of(PAIL_KZG_VERIFY_CELLS, BLOBS * CELLS);
    request.commitments = each;
    request.indices = numbers;
    request.cells = expected.cells;
    request.proofs = expected.cell_proofs;
    assert_int_equal(submit_kzg(prover, &jobs[5], &request, 0, 0, error), PAIL_OK);
    request = request_of(PAIL_KZG_CELLS, 0); /* nothing */
    assert_int_equal(submit_kzg(prover, &jobs[6], &request, 0, 0, error), PAIL_OK);

    assert_int_equal(pail_prover_wait_copied(prover, jobs[0].job, UINT64_MAX), PAIL_OK);
    assert_int_equal(pail_prover_poll(prover, jobs[0].job), PAIL_OK);
    end_kzg(prover, &jobs[0], PAIL_OK, "");
    end_kzg(prover, &jobs[1], PAIL_OK, "");
    assert_memory_equal(jobs[0].outputs.commitments, expected.commitments,
                        sizeof(expected.commitments));
    assert_memory_equal(jobs[1].outputs.proofs, expected.proofs, sizeof(expected.proofs));
    expect_cells(prover, &jobs[2]);
    end_kzg(prover, &jobs[3], PAIL_OK, "");
    assert_int_equal(jobs[3].result.valid, 1);
    expect_cells(prover, &jobs[4]);
    end_kzg(prover, &jobs[5], PAIL_OK, "");
    assert_int_equal(jobs[5].result.valid, 1);
    end_kzg(prover, &jobs[6], PAIL_OK, "");

    /* A proof that is asked for is zeroed. */
    begin_kzg(prover, &jobs[0], PAIL_KZG_CELLS, 0);
    pail_groth16_proof proof = {.struct_size = sizeof(proof)}, zero = {0};
    pail_groth16_timings timings = {.struct_size = sizeof(timings), .wall_ms = 7};
    uint8_t publics[32];
    memset(proof.a, 0xa5, sizeof(proof.a));
    memset(publics, 0xa5, sizeof(publics));
    assert_int_equal(
        pail_prover_wait(prover, &jobs[0].job, UINT64_MAX, &proof, publics, &timings, error, CHARS),
        PAIL_OK);
    assert_memory_equal(proof.a, zero.a, sizeof(zero.a));
    assert_true(are(publics, 0xa5, sizeof(publics)) && timings.wall_ms == 0);
    end(&prover);
}

/* ---- Beside a proof that runs --------------------------------------------------------------- */
/* A proof stays in its first multiplication until it may go on. */
static atomic_bool holds, is_held;
static atomic_int starts_seen, starts_early;
static pail_prover *watched;
static _Atomic(pail_prover_job *) watched_job;

static uint32_t state_of(pail_prover *prover, const pail_prover_job *job)
{
    pail_prover_job_info info = {.struct_size = sizeof(info)};
    assert_int_equal(pail_prover_get_job(prover, job, &info), PAIL_OK);
    return info.state;
}

static pail_status held_start(pail_context *on, pail_pending **pending, const pail_msm_job *jobs,
                              size_t n, const pail_msm_config *config)
{
    const pail_prover_job *const job = atomic_load(&watched_job);
    if (job != NULL) {
        atomic_fetch_add(&starts_seen, 1);
        if (state_of(watched, job) != PAIL_PROVER_ENDED)
            atomic_fetch_add(&starts_early, 1);
    }
    while (atomic_load(&holds)) {
        atomic_store(&is_held, true);
        (void)sched_yield();
    }
    return backend->msm_start(on, pending, jobs, n, config);
}

static pail_backend held_backend(void)
{
    pail_backend held = *backend;
    held.msm_start = held_start;
    atomic_store(&watched_job, NULL);
    atomic_store(&is_held, false);
    return held;
}

/* A proof that is held in its slot, and one behind it. */
static void hold_proofs(pail_prover *prover, pail_prover_job *proofs[2])
{
    const uint32_t key = add_key(prover, 0);
    atomic_store(&is_held, false);
    atomic_store(&holds, true);
    for (int i = 0; i < 2; i++)
        assert_int_equal(submit(prover, &proofs[i], key, 0, NULL), PAIL_OK);
    while (!atomic_load(&is_held))
        (void)sched_yield();
}

PAIL_TEST(urgent_ones_pass_a_proof)
{
    const pail_backend held = held_backend();
    for (uint32_t flags = 0; flags <= (slow ? 0 : PAIL_PROVER_WHOLE_SLOTS);
         flags += PAIL_PROVER_WHOLE_SLOTS) {
        pail_prover *prover =
            make_on(&held, 1, (pail_prover_params){.flags = flags, .inflight = 1, .producers = 1});
        pail_prover_job *proofs[2] = {NULL};
        static struct kzg_job urgent[2], equal, late, dropped;
        char error[CHARS];
        const pail_kzg_request request = request_of(PAIL_KZG_CELLS, BLOBS);
        hold_proofs(prover, proofs);
        begin_kzg(prover, &equal, PAIL_KZG_CELLS, 0);
        begin_kzg(prover, &dropped, PAIL_KZG_CELLS, 0);
        assert_int_equal(submit_kzg(prover, &late, &request, 0, 1, error), PAIL_OK);
        for (int i = 0; i < 2; i++)
            begin_kzg(prover, &urgent[i], PAIL_KZG_CELLS, 1);
        for (int i = 0; i < 2; i++) /* while the proof has the only slot */
            expect_cells(prover, &urgent[i]);
        end_kzg(prover, &late, PAIL_ERR_STOPPED, "the deadline passed before the job had a device");
        expect_no_cells(&late);
        pail_prover_cancel(prover, dropped.job);
        end_kzg(prover, &dropped, PAIL_ERR_STOPPED, "the job was cancelled");
        expect_no_cells(&dropped);
        assert_int_equal(pail_prover_poll(prover, equal.job), PAIL_NOT_READY);
        assert_int_equal(state_of(prover, equal.job), PAIL_PROVER_READY);
        atomic_store(&holds, false);
        expect_cells(prover, &equal);
        for (int i = 0; i < 2; i++)
            expect_valid(prover, &proofs[i], 0);
        pail_prover_stats stats = {.struct_size = sizeof(stats)};
        assert_int_equal(pail_prover_get_stats(prover, &stats), PAIL_OK);
        assert_int_equal(stats.late, 1);
        assert_int_equal(stats.cancelled, 1);
        end(&prover);
    }
}

/* The proof begins no multiplication while the job computes, on the CPU backend: on devices it may
 * between two batches. */
PAIL_TEST(a_proof_gives_way)
{
    const pail_backend held = held_backend();
    pail_prover *prover = make_on(&held, 1, (pail_prover_params){.inflight = 1});
    const uint32_t key = add_key(prover, 0);
    pail_prover_job *proof = NULL;
    static struct kzg_job job;
    uint8_t *const commitments = malloc((size_t)MANY * POINT);
    char error[CHARS] = "";
    const pail_kzg_request request = request_of(PAIL_KZG_COMMIT, on_cpu ? MANY : FEW);
    assert_non_null(commitments);
    begin_kzg(prover, &job, PAIL_KZG_CELLS, 1); /* from now on proofs are by steps */
    expect_cells(prover, &job);
    atomic_store(&starts_seen, 0);
    atomic_store(&starts_early, 0);
    atomic_store(&holds, true);
    assert_int_equal(submit(prover, &proof, key, 0, NULL), PAIL_OK);
    while (!atomic_load(&is_held))
        (void)sched_yield();
    job.result.commitments = commitments;
    const pail_prover_request its = {.struct_size = sizeof(its),
                                     .priority = 1,
                                     .kzg = kzg,
                                     .kzg_request = &request,
                                     .kzg_result = &job.result};
    assert_int_equal(pail_prover_submit(prover, &job.job, &its, error, CHARS), PAIL_OK);
    while (state_of(prover, job.job) < PAIL_PROVER_COMPUTING)
        (void)sched_yield();
    watched = prover;
    atomic_store(&watched_job, job.job);
    atomic_store(&holds, false);
    expect_valid(prover, &proof, 0);
    assert_true(atomic_load(&starts_seen) > 2); /* one by one, and B2 may be elsewhere */
    if (on_cpu)
        assert_int_equal(atomic_load(&starts_early), 0);
    atomic_store(&watched_job, NULL);
    end_kzg(prover, &job, PAIL_OK, "");
    assert_memory_equal(commitments, expected.commitments, sizeof(expected.commitments));
    free(commitments);
    end(&prover);
}

/* ---- Ends that are none of success ----------------------------------------------------------- */
PAIL_TEST(cancelled_while_it_computes)
{
    pail_prover *prover = make((pail_prover_params){.inflight = 1});
    static struct kzg_job job;
    uint8_t *const commitments = malloc((size_t)MANY * POINT);
    char error[CHARS] = "";
    const pail_kzg_request request = request_of(PAIL_KZG_COMMIT, on_cpu ? MANY : FEW);
    assert_non_null(commitments);
    memset(commitments, 0xee, (size_t)MANY * POINT);
    job.result = result_of(&job.outputs, PAIL_KZG_COMMIT);
    job.result.commitments = commitments;
    const pail_prover_request its = {
        .struct_size = sizeof(its), .kzg = kzg, .kzg_request = &request, .kzg_result = &job.result};
    assert_int_equal(pail_prover_submit(prover, &job.job, &its, error, CHARS), PAIL_OK);
    while (state_of(prover, job.job) < PAIL_PROVER_COMPUTING)
        (void)sched_yield();
    pail_prover_cancel(prover, job.job);
    assert_true(pail_prover_wait(prover, &job.job, UINT64_MAX, NULL, NULL, NULL, error, CHARS) ==
                    PAIL_ERR_STOPPED ||
                !on_cpu); /* few blobs may have been done before */
    if (on_cpu)
        assert_true(are(commitments, 0, (size_t)MANY * POINT));
    free(commitments);
    end(&prover);
}

PAIL_TEST(what_is_wrong_is_said)
{
    pail_prover *prover = make((pail_prover_params){.inflight = 1});
    static struct kzg_job job;
    uint8_t *const bad = malloc(sizeof(expected.cells));
    char error[CHARS];
    pail_kzg_request request = request_of(PAIL_KZG_CELLS, BLOBS);
    const pail_groth16_witness witness = {.struct_size = sizeof(witness), .path = "w"};
    const pail_prover_request right = {.struct_size = sizeof(right),
                                       .kzg = kzg,
                                       .kzg_request = &request,
                                       .kzg_result = &job.result};
    pail_prover_request wrong[8];
    static const char *const words[] = {"kzg is NULL",
                                        "request is NULL",
                                        "result is NULL",
                                        "kzg_request and witness are both set",
                                        "kzg_request and options are both set",
                                        "kzg_request and key are both set",
                                        "kzg_request and flags are both set",
                                        "kzg_request and reserved_flags are both set"};
    const pail_groth16_options options = {.struct_size = sizeof(options)};
    assert_non_null(bad);
    for (size_t i = 0; i < 8; i++)
        wrong[i] = right;
    wrong[0].kzg = NULL;
    wrong[1].kzg_request = NULL;
    wrong[2].kzg_result = NULL;
    wrong[3].witness = &witness;
    wrong[4].options = &options;
    wrong[5].key = 1;
    wrong[6].flags = PAIL_PROVER_REQUEST_COPY;
    wrong[7].reserved_flags = 1;
    for (size_t i = 0; i < 8; i++) {
        job.job = (pail_prover_job *)&job; /* something that has to go */
        job.result = result_of(&job.outputs, PAIL_KZG_CELLS);
        assert_int_equal(pail_prover_submit(prover, &job.job, &wrong[i], error, CHARS),
                         PAIL_ERR_ARGUMENT);
        assert_null(job.job);
        support_expect_words(error, words[i]);
        if (i > 2)
            expect_no_cells(&job);
    }
    request.operation = 99;
    assert_int_equal(submit_kzg(prover, &job, &request, 0, 0, error), PAIL_ERR_ARGUMENT);
    support_expect_words(error, "operation is 99");
    request = request_of(PAIL_KZG_CELLS, BLOBS);
    request.blobs = NULL;
    assert_int_equal(submit_kzg(prover, &job, &request, 0, 0, error), PAIL_ERR_ARGUMENT);
    support_expect_words(error, "blobs is NULL");
    expect_no_cells(&job);

    memcpy(bad, blobs, (size_t)BLOBS * N * SCALAR);
    memset(bad + (size_t)3 * N * SCALAR, 0xff, SCALAR);
    request.blobs = bad;
    assert_int_equal(submit_kzg(prover, &job, &request, 0, 0, error), PAIL_OK);
    end_kzg(prover, &job, PAIL_ERR_DATA, "blob 3: scalar 0 is not below the order");
    expect_no_cells(&job);
    assert_int_equal(job.result.bad, 3);
    end(&prover);

    /* A context that is none of the prover's. */
    pail_context *other = NULL;
    const pail_context_params params = {.struct_size = sizeof(params), .threads = 1};
    const pail_host host = {
        .struct_size = sizeof(host), .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR};
    if (backend->context_create(&host, &other, &params) == PAIL_OK) {
        pail_prover *strange = NULL;
        const pail_prover_device device = {
            .struct_size = sizeof(device), .backend = backend, .context = other};
        const pail_prover_params its = {
            .struct_size = sizeof(its), .devices = &device, .n_devices = 1};
        assert_int_equal(pail_prover_create(&strange, &its, error, CHARS), PAIL_OK);
        request = request_of(PAIL_KZG_CELLS, BLOBS);
        assert_int_equal(submit_kzg(strange, &job, &request, 0, 0, error), PAIL_ERR_ARGUMENT);
        support_expect_words(error, "context that none of the prover's 1 devices has");
        expect_no_cells(&job);
        pail_prover_destroy(&strange);
        backend->context_destroy(&other);
    }
    /* Memory that there never is. */
    prover = make((pail_prover_params){.mem_budget = 4096});
    request = request_of(PAIL_KZG_CELLS, BLOBS);
    assert_int_equal(submit_kzg(prover, &job, &request, 0, 0, error), PAIL_OK);
    end_kzg(prover, &job, PAIL_ERR_HOST_MEMORY, "never fit");
    expect_no_cells(&job);
    end(&prover);
    free(bad);
}

static atomic_int failures; /* that are to come */
static pail_status failure;

static pail_status failing_start(pail_context *on, pail_pending **pending, const pail_msm_job *jobs,
                                 size_t n, const pail_msm_config *config)
{
    if (atomic_load(&failures) > 0) {
        atomic_fetch_sub(&failures, 1);
        *pending = NULL;
        return failure;
    }
    return backend->msm_start(on, pending, jobs, n, config);
}

/* A setup over the boundary, whose multiplications fail: the job is tried once more where memory
 * was missing, and a lost device ends it, and those behind it. */
PAIL_TEST(failures_of_a_device)
{
    pail_backend failing = *backend;
    failing.name = "failing"; /* not the CPU backend, which is not asked */
    failing.msm_start = failing_start;
    pail_kzg *its = NULL;
    char error[CHARS] = "";
    static struct kzg_job job;
    const pail_kzg_params params = made_params(&made);
    atomic_store(&failures, 0);
    if (pail_kzg_open(&its, &failing, context, &params, error, CHARS) != PAIL_OK)
        fail_msg("%s", error);
    const pail_kzg_request commit = request_of(PAIL_KZG_COMMIT, BLOBS),
                           cells = request_of(PAIL_KZG_CELLS, BLOBS);
    pail_prover_request request = {
        .struct_size = sizeof(request), .kzg = its, .kzg_result = &job.result};
    pail_prover *prover = make((pail_prover_params){.inflight = 1});
    for (int n = 0; n < 3; n++) {
        atomic_store(&failures, n);
        failure = PAIL_ERR_DEVICE_MEMORY;
        job.result = result_of(&job.outputs, PAIL_KZG_COMMIT);
        request.kzg_request = &commit;
        assert_int_equal(pail_prover_submit(prover, &job.job, &request, error, CHARS), PAIL_OK);
        end_kzg(prover, &job, n < 2 ? PAIL_OK : PAIL_ERR_DEVICE_MEMORY, "");
        if (n < 2)
            assert_memory_equal(job.outputs.commitments, expected.commitments,
                                sizeof(expected.commitments));
        else
            assert_true(are(job.outputs.commitments, 0, sizeof(job.outputs.commitments)));
    }
    job.result = result_of(&job.outputs, PAIL_KZG_CELLS);
    request.kzg_request = &cells;
    assert_int_equal(pail_prover_submit(prover, &job.job, &request, error, CHARS), PAIL_OK);
    expect_cells(prover, &job);
    atomic_store(&failures, 1);
    failure = PAIL_ERR_DEVICE_LOST;
    for (int i = 0; i < 2; i++) {
        job.result = result_of(&job.outputs, PAIL_KZG_COMMIT);
        request.kzg_request = &commit;
        assert_int_equal(pail_prover_submit(prover, &job.job, &request, error, CHARS), PAIL_OK);
        end_kzg(prover, &job, PAIL_ERR_DEVICE_LOST, i == 0 ? "" : "the device of the job was lost");
        assert_true(are(job.outputs.commitments, 0, sizeof(job.outputs.commitments)));
    }
    end(&prover);
    pail_kzg_close(&its);
}

PAIL_TEST(a_prover_ends_with_jobs)
{
    enum { MOST = 8 };
    static struct kzg_job jobs[MOST];
    pail_prover *prover = make((pail_prover_params){.inflight = 1});
    pail_prover_job *proof = NULL;
    const uint32_t key = add_key(prover, 0);
    assert_int_equal(submit(prover, &proof, key, 0, NULL), PAIL_OK);
    for (int i = 0; i < MOST; i++)
        begin_kzg(prover, &jobs[i], PAIL_KZG_CELLS, i % 3);
    pail_prover_destroy(&prover);
    for (int i = 0; i < MOST; i++)
        if (memcmp(jobs[i].outputs.cells, expected.cells, sizeof(expected.cells)) != 0)
            expect_no_cells(&jobs[i]);
}

/* ---- Threads --------------------------------------------------------------------------------- */
struct client {
    pthread_t thread;
    pail_prover *prover;
    int32_t priority;
    bool differs;
};

static void *ask(void *argument)
{
    struct client *const client = argument;
    struct kzg_job *const job = calloc(1, sizeof(*job));
    char error[CHARS];
    for (int i = 0; job != NULL && i < (slow ? 1 : 10) && !client->differs; i++) {
        const pail_kzg_request request = request_of(PAIL_KZG_CELLS, BLOBS);
        client->differs =
            submit_kzg(client->prover, job, &request, client->priority, 0, error) != PAIL_OK ||
            pail_prover_wait(client->prover, &job->job, UINT64_MAX, NULL, NULL, NULL, error,
                             CHARS) != PAIL_OK ||
            memcmp(job->outputs.cell_proofs, expected.cell_proofs, sizeof(expected.cell_proofs)) !=
                0;
    }
    client->differs |= job == NULL;
    free(job);
    return NULL;
}

PAIL_TEST(threads)
{
    enum { CLIENTS = 4 };
    pail_prover *prover = make_on(backend, 2, (pail_prover_params){.inflight = 1});
    struct client clients[CLIENTS];
    pail_prover_job *proofs[JOBS];
    const uint32_t key = add_key(prover, 0);
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = (struct client){.prover = prover, .priority = i - 1};
        assert_int_equal(pthread_create(&clients[i].thread, NULL, ask, &clients[i]), 0);
    }
    for (int i = 0; i < n_jobs; i++)
        assert_int_equal(submit(prover, &proofs[i], key, 0, NULL), PAIL_OK);
    for (int i = 0; i < CLIENTS; i++) {
        assert_int_equal(pthread_join(clients[i].thread, NULL), 0);
        assert_false(clients[i].differs);
    }
    for (int i = 0; i < n_jobs; i++)
        expect_valid(prover, &proofs[i], 0);
    end(&prover);
}

PAIL_TEST_GROUP(kzg_setup, kzg_teardown)
