/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs from assignments: beside others, with arrays that are freed, in memory that holds a quarter
 * of the key, and on several devices. */
#include <pthread.h>

#include <pail/prover.h>

#include "assigned.h"
#include "jobs_world.h"
#include "support/test.h"

enum { COPIES = 4 };

static const pail_groth16_options blinding = {
    .struct_size = sizeof(blinding), .flags = PAIL_GROTH16_FIXED_BLINDING, .r = {5}, .s = {6}};

static pail_groth16_key_params params_of(const struct assigned *made)
{
    pail_groth16_key_params params = support_params(&made->params);
    params.name = "k.params";
    return params;
}

/* A circuit, and its proof by a call of its own. */
static void make_alone(struct assigned *made, struct support_proof *alone, uint32_t n)
{
    char error[512] = "";
    pail_groth16_key *opened = NULL;
    assigned_make(made, n, 2, PAIL_ENCODING_MONTGOMERY);
    const pail_groth16_key_params params = params_of(made);
    assert_int_equal(
        pail_groth16_key_open(&opened, backend, context, &params, error, sizeof(error)), PAIL_OK);
    assigned_prove(alone, opened, made, &blinding);
    assert_true(alone->valid);
    pail_groth16_key_close(&opened);
}

static uint32_t add_params(pail_prover *prover, const struct assigned *made)
{
    uint32_t key = 99;
    char error[512] = "";
    const pail_groth16_key_params params = params_of(made);
    if (pail_prover_add_key(prover, &key, &params, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    return key;
}

static pail_prover_job *submit_of(pail_prover *prover, uint32_t key, const struct assigned *made,
                                  uint32_t flags)
{
    pail_prover_job *job = NULL;
    char error[512] = "";
    const pail_prover_request request = {.struct_size = sizeof(request),
                                         .key = key,
                                         .options = &blinding,
                                         .assignment = &made->assignment,
                                         .flags = flags};
    if (pail_prover_submit(prover, &job, &request, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    return job;
}

static void expect_same(pail_prover *prover, pail_prover_job **job,
                        const struct support_proof *alone)
{
    pail_groth16_proof proof = {.struct_size = sizeof(proof)};
    uint8_t publics[2 * 32];
    char error[512] = "";
    if (pail_prover_wait(prover, job, UINT64_MAX, &proof, publics, NULL, error, sizeof(error)) !=
        PAIL_OK)
        fail_msg("%s", error);
    assert_memory_equal(&proof, &alone->proof, sizeof(proof));
    assert_memory_equal(publics, alone->publics, sizeof(publics));
}

static void expect_none(pail_prover *prover, pail_prover_job **job, pail_status status,
                        const char *words)
{
    pail_groth16_proof proof = {.struct_size = sizeof(proof)};
    char error[512] = "";
    assert_int_equal(
        pail_prover_wait(prover, job, UINT64_MAX, &proof, NULL, NULL, error, sizeof(error)),
        status);
    support_expect_words(error, words);
}

/* Assignments for a key of bellman, between jobs with witnesses: the same proofs as alone. */
PAIL_TEST(assignments)
{
    struct assigned made;
    struct support_proof alone;
    pail_prover_job *jobs[JOBS], *job = NULL;
    char error[512] = "";
    if (slow)
        SKIP_BECAUSE("kernels of BLS12-381 take minutes here; gpu_prover_assignment has them");
    make_alone(&made, &alone, 300);
    pail_prover *prover = make((pail_prover_params){.inflight = 2});
    const uint32_t other = add_key(prover, 0), key = add_params(prover, &made);
    for (int i = 0; i < n_jobs; i++)
        if (i % 3 == 2)
            assert_int_equal(submit(prover, &jobs[i], other, 0, NULL), PAIL_OK);
        else
            jobs[i] = submit_of(prover, key, &made, i % 3 == 1 ? PAIL_PROVER_REQUEST_COPY : 0);
    for (int i = 0; i < n_jobs; i++)
        if (i % 3 == 2)
            expect_valid(prover, &jobs[i], 0);
        else
            expect_same(prover, &jobs[i], &alone);
    for (uint32_t copy = 0; copy < 2; copy++) {
        job = submit_of(prover, other, &made, copy);
        assert_int_equal(pail_prover_wait_copied(prover, job, UINT64_MAX), PAIL_OK);
        assert_int_equal(pail_prover_poll(prover, job), PAIL_OK); /* nothing is read any more */
        expect_none(prover, &job, PAIL_ERR_ARGUMENT, "is a key of snarkjs: prove from a witness");
    }
    pail_prover_request request = {.struct_size = sizeof(request), .key = key};
    assert_int_equal(pail_prover_submit(prover, &job, &request, error, sizeof(error)),
                     PAIL_ERR_ARGUMENT);
    support_proof_free(&alone);
    end(&prover);
    assigned_free(&made);
}

/* ---- Arrays that are freed ------------------------------------------------------------------- */
/* Sending scalars to the device waits at the gate. */
static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool open;
    int waiting;
} gate = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static pail_status held_fill(pail_vector *vector, uint64_t offset, pail_read_elements read,
                             void *user, uint64_t n, uint32_t encoding)
{
    pthread_mutex_lock(&gate.mutex);
    gate.waiting++;
    pthread_cond_broadcast(&gate.changed);
    while (!gate.open)
        pthread_cond_wait(&gate.changed, &gate.mutex);
    gate.waiting--;
    pthread_mutex_unlock(&gate.mutex);
    return backend->vector_fill(vector, offset, read, user, n, encoding);
}

static void set_gate(bool open)
{
    pthread_mutex_lock(&gate.mutex);
    gate.open = open;
    pthread_cond_broadcast(&gate.changed);
    pthread_mutex_unlock(&gate.mutex);
}

static void wait_for_waiting(int n)
{
    pthread_mutex_lock(&gate.mutex);
    while (gate.waiting != n)
        pthread_cond_wait(&gate.changed, &gate.mutex);
    pthread_mutex_unlock(&gate.mutex);
}

static void overwrite(struct assigned *made)
{
    const pail_groth16_assignment *const given = &made->assignment;
    for (int i = 0; i < 3; i++)
        memset(made->rows[i], 0xff, 32 * (size_t)given->n_constraints);
    memset(made->inputs, 0xff, 32 * (size_t)given->n_inputs);
    memset(made->aux, 0xff, 32 * (size_t)given->n_aux);
    memset(made->a_aux, 0, 8 * (size_t)(given->n_aux / 64 + 1));
    memset(made->b_aux, 0, 8 * (size_t)(given->n_aux / 64 + 1));
    memset(made->b_inputs, 0, 8 * (size_t)(given->n_inputs / 64 + 1));
}

/* All jobs have their copies while the first of them is held on the device; one is cancelled. */
PAIL_TEST(copies)
{
    static pail_backend held;
    struct assigned made;
    struct support_proof alone;
    pail_prover_job *jobs[COPIES];
    if (slow)
        SKIP_BECAUSE("kernels of BLS12-381 take minutes here");
    make_alone(&made, &alone, 60);
    held = *backend;
    held.vector_fill = held_fill;
    pail_prover *prover = make_on(&held, 1, (pail_prover_params){.inflight = 1});
    const uint32_t key = add_params(prover, &made);
    set_gate(false);
    pail_prover_job *reads = submit_of(prover, key, &made, 0); /* the caller's arrays */
    wait_for_waiting(1);
    assert_int_equal(pail_prover_wait_copied(prover, reads, 1), PAIL_NOT_READY);
    set_gate(true);
    assert_int_equal(pail_prover_wait_copied(prover, reads, UINT64_MAX), PAIL_OK);
    expect_same(prover, &reads, &alone);
    set_gate(false);
    for (int i = 0; i < COPIES; i++)
        jobs[i] = submit_of(prover, key, &made, PAIL_PROVER_REQUEST_COPY);
    for (int i = 0; i < COPIES; i++) {
        assert_int_equal(pail_prover_wait_copied(prover, jobs[i], UINT64_MAX), PAIL_OK);
        assert_int_equal(pail_prover_poll(prover, jobs[i]), PAIL_NOT_READY);
    }
    overwrite(&made);
    pail_prover_cancel(prover, jobs[1]); /* it waits behind the first */
    pail_prover_stats stats = {.struct_size = sizeof(stats)};
    assert_int_equal(pail_prover_get_stats(prover, &stats), PAIL_OK);
    assert_true(stats.host_bytes >=
                (COPIES - 1) * 32 * (3 * made.assignment.n_constraints + made.assignment.n_aux));
    set_gate(true);
    for (int i = 0; i < COPIES; i++)
        if (i == 1)
            expect_none(prover, &jobs[i], PAIL_ERR_STOPPED, "the job was cancelled");
        else
            expect_same(prover, &jobs[i], &alone);
    support_proof_free(&alone);
    end(&prover);
    assigned_free(&made);
}

/* With memory for one copy at a time they take turns. */
PAIL_TEST(copies_within_a_budget)
{
    struct assigned made;
    struct support_proof alone;
    pail_prover_job *jobs[COPIES] = {NULL};
    pail_prover_stats stats = {.struct_size = sizeof(stats)};
    if (slow)
        SKIP_BECAUSE("kernels of BLS12-381 take minutes here");
    make_alone(&made, &alone, 500);
    pail_prover *prover = make((pail_prover_params){.inflight = 1});
    jobs[0] = submit_of(prover, add_params(prover, &made), &made, PAIL_PROVER_REQUEST_COPY);
    expect_same(prover, &jobs[0], &alone);
    assert_int_equal(pail_prover_get_stats(prover, &stats), PAIL_OK);
    end(&prover);
    const uint64_t budget = stats.host_peak_bytes + stats.device_peak_bytes;
    prover = make((pail_prover_params){.inflight = 2, .producers = 3, .mem_budget = budget});
    const uint32_t key = add_params(prover, &made);
    for (int i = 0; i < COPIES; i++)
        jobs[i] = submit_of(prover, key, &made, PAIL_PROVER_REQUEST_COPY);
    for (int i = 0; i < COPIES; i++)
        expect_same(prover, &jobs[i], &alone);
    assert_int_equal(pail_prover_get_stats(prover, &stats), PAIL_OK);
    assert_true(stats.host_peak_bytes <= budget);
    support_proof_free(&alone);
    end(&prover);
    assigned_free(&made);
}

PAIL_TEST(bad_copies)
{
    struct assigned made;
    char error[512] = "";
    pail_prover_job *job = NULL;
    if (slow)
        SKIP_BECAUSE("kernels of BLS12-381 take minutes here");
    assigned_make(&made, 60, 2, PAIL_ENCODING_MONTGOMERY);
    pail_prover *prover = make((pail_prover_params){.inflight = 1});
    const uint32_t key = add_params(prover, &made);
    const pail_groth16_witness witness = {
        .struct_size = sizeof(witness), .wtns = files[0].wtns.data, .n_wtns = files[0].wtns.size};
    pail_groth16_assignment wrong = made.assignment;
    pail_prover_request request = {.struct_size = sizeof(request),
                                   .key = key,
                                   .assignment = &wrong,
                                   .flags = PAIL_PROVER_REQUEST_COPY};
    wrong.n_constraints = 129;
    assert_int_equal(pail_prover_submit(prover, &job, &request, error, sizeof(error)),
                     PAIL_ERR_DATA);
    support_expect_words(error, "has 129 constraints, but the domain of k.params");
    wrong = made.assignment;
    wrong.n_aux++;
    assert_int_equal(pail_prover_submit(prover, &job, &request, error, sizeof(error)),
                     PAIL_ERR_DATA);
    support_expect_words(error, "other values");
    wrong = made.assignment;
    request.flags = 2;
    assert_int_equal(pail_prover_submit(prover, &job, &request, error, sizeof(error)),
                     PAIL_ERR_ARGUMENT);
    assert_string_equal(error, "request: there are no flags 0x2");
    request.flags = PAIL_PROVER_REQUEST_COPY;
    request.reserved_flags = 1;
    assert_int_equal(pail_prover_submit(prover, &job, &request, error, sizeof(error)),
                     PAIL_ERR_ARGUMENT);
    assert_string_equal(error, "request: reserved_flags is 0x1, not 0");
    request.reserved_flags = 0;
    request.assignment = NULL;
    request.witness = &witness;
    assert_int_equal(pail_prover_submit(prover, &job, &request, error, sizeof(error)),
                     PAIL_ERR_ARGUMENT);
    support_expect_words(error, "request: flags is 0x1, and only assignments are copied");
    assert_null(job);
    assert_int_equal(pail_prover_wait_copied(prover, NULL, 0), PAIL_ERR_ARGUMENT);
    /* Densities are counted in the copy. */
    made.a_aux[0] ^= 1;
    job = submit_of(prover, key, &made, PAIL_PROVER_REQUEST_COPY);
    assert_int_equal(pail_prover_wait_copied(prover, job, UINT64_MAX), PAIL_OK);
    assert_int_equal(pail_prover_poll(prover, job), PAIL_OK);
    expect_none(prover, &job, PAIL_ERR_DATA, "densities count");
    end(&prover);
    assigned_free(&made);
}

/* ---- Memory of the device -------------------------------------------------------------------- */
/* The points of a key that fits, but not beside a proof, stay in the host's memory: the same
 * proofs, and no more memory than there may be. */
PAIL_TEST(points_on_the_host)
{
    struct assigned made;
    struct support_proof alone;
    pail_prover_job *job;
    pail_prover_stats stats = {.struct_size = sizeof(stats)};
    uint64_t of_key[2];
    if (slow)
        SKIP_BECAUSE("kernels of BLS12-381 take minutes here");
    if (strcmp(backend->name, "cpu") == 0)
        SKIP_BECAUSE("its memory is the host's");
    make_alone(&made, &alone, 500);
    uint64_t budget = 0;
    for (int way = 0; way < 2; way++) {
        pail_prover *prover = make((pail_prover_params){.inflight = 1, .vram_budget = budget});
        const uint32_t key = add_params(prover, &made);
        assert_int_equal(pail_prover_get_stats(prover, &stats), PAIL_OK);
        of_key[way] = stats.device_bytes;
        for (int i = 0; i < 2; i++) {
            job = submit_of(prover, key, &made, 0);
            expect_same(prover, &job, &alone);
        }
        assert_int_equal(pail_prover_get_stats(prover, &stats), PAIL_OK);
        assert_true(budget == 0 || stats.device_peak_bytes <= budget);
        budget = stats.device_peak_bytes - 1;
        pail_prover_destroy(&prover);
    }
    assert_true(of_key[0] > 0);
    assert_true(of_key[1] < of_key[0] / 2);
    support_proof_free(&alone);
    assigned_free(&made);
}

/* ---- Several devices ------------------------------------------------------------------------- */
/* Two contexts: each has some of the jobs, from the first ones on. */
PAIL_TEST(two_devices)
{
    struct assigned made;
    struct support_proof alone;
    pail_prover_job *jobs[COPIES];
    if (slow)
        SKIP_BECAUSE("kernels of BLS12-381 take minutes here");
    make_alone(&made, &alone, 60);
    pail_prover *prover = make_on(
        backend, 2, (pail_prover_params){.flags = PAIL_PROVER_KEYS_EVERYWHERE, .inflight = COPIES});
    const uint32_t key = add_params(prover, &made);
    for (int i = 0; i < COPIES; i++)
        jobs[i] = submit_of(prover, key, &made, PAIL_PROVER_REQUEST_COPY);
    for (int i = 0; i < COPIES; i++)
        expect_same(prover, &jobs[i], &alone);
    for (uint32_t d = 0; d < 2; d++) {
        pail_prover_device_stats stats = {.struct_size = sizeof(stats)};
        assert_int_equal(pail_prover_get_device(prover, d, &stats), PAIL_OK);
        assert_true(stats.jobs > 0);
        assert_int_equal(stats.keys_loaded, 1);
    }
    support_proof_free(&alone);
    end(&prover);
    assigned_free(&made);
}

PAIL_TEST_GROUP(setup, teardown)
