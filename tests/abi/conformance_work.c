/* SPDX-License-Identifier: Apache-2.0 */
/* Right results of every backend, whatever the host does meanwhile. */
#include "conformance.h"

#include <pthread.h>

enum { ONE_SECOND = 1000000000 };

CONFORMANCE_ALONE(devices_describe_themselves)
{
    const pail_host *host = subject->host;
    uint32_t n = 0;
    const pail_status status = backend->device_count(host, &n);
    if (status != PAIL_OK) { /* no driver at all */
        assert_int_equal(status, PAIL_ERR_UNSUPPORTED);
        assert_int_equal(n, 0);
        assert_int_equal(backend->score(host), 0);
        SKIP_BECAUSE(backend->error(NULL));
    }
    uint32_t best = 0;
    for (uint32_t i = 0; i < n; ++i) {
        pail_device_info info = {.struct_size = sizeof info};
        assert_int_equal(backend->device_info(host, i, &info), PAIL_OK);
        assert_int_equal(info.index, i);
        assert_true(info.name[0] != '\0');
        assert_non_null(memchr(info.name, '\0', sizeof info.name));
        assert_non_null(memchr(info.driver, '\0', sizeof info.driver));
        assert_true(info.usable == (info.score > 0));
        assert_true(info.usable == (info.reason[0] == '\0'));
        best = info.score > best ? info.score : best;
    }
    assert_int_equal(backend->score(host), best);
    assert_int_equal(subject->counting.blocks, 0);
}

static void expect_point(const pail_msm_result *result, const uint8_t point[64])
{
    assert_int_equal(result->infinity, point == NULL);
    assert_int_equal(result->coordinate_bytes, 32);
    static const uint8_t zeros[PAIL_COORDINATE_MAX];
    assert_memory_equal(result->x, point ? point : zeros, 32);
    assert_memory_equal(result->y, point ? point + 32 : zeros, 32);
    assert_memory_equal(result->x + 32, zeros, PAIL_COORDINATE_MAX - 32);
    assert_memory_equal(result->y + 32, zeros, PAIL_COORDINATE_MAX - 32);
}

static void finish(const struct subject *subject, pail_pending *pending, pail_msm_result *results,
                   size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        memset(&results[i], 0xa5, sizeof results[i]);
        results[i].struct_size = sizeof results[i];
    }
    if (subject->backend->msm_finish(&pending, results, n, NULL) != PAIL_OK)
        fail_msg("%s", subject->backend->error(subject->context));
    assert_null(pending);
}

CONFORMANCE(results_are_right)
{
    static const uint8_t scalars[5][32] = {{1}, {200}, {0}, {255}, {2}};
    uint8_t others[3][32] = {{0}, {9}, {3}};
    memcpy(others[0], minus_one, 32); /* -G */
    pail_bases *bases = make_bases(subject, 5);
    pail_msm_job jobs[5] = {
        job_of(bases, scalars, 5), /* G + 2 G */
        job_of(bases, NULL, 0),    /* nothing */
        job_of(bases, others, 3),  /* -G + 3 G */
        job_of(bases, scalars, 4), /* G */
        job_of(bases, scalars, 3), /* from base 1 on: 200 G */
    };
    jobs[4].base_offset = 1;
    jobs[4].n = 1; /* base 1 is infinity */
    pail_msm_result results[5];
    finish(subject, start(subject, jobs, 5, NULL), results, 5);
    expect_point(&results[0], g1_times_3);
    expect_point(&results[1], NULL);
    expect_point(&results[2], g1_times_2);
    expect_point(&results[3], g1_generator);
    expect_point(&results[4], NULL);
    subject->backend->bases_destroy(subject->context, &bases);

    bases = make_bases(subject, 0);
    const pail_msm_job nothing = job_of(bases, NULL, 0);
    finish(subject, start(subject, &nothing, 1, NULL), results, 1);
    expect_point(&results[0], NULL);
    subject->backend->bases_destroy(subject->context, &bases);
}

/* Points that are kept as x and a sign, of both signs and infinity. */
CONFORMANCE(compact_points)
{
    static const uint8_t scalars[3][32] = {{3}, {77}, {2}};
    uint8_t points[3][64] = {{0}};
    memcpy(points[0], g1_generator, 64);
    memcpy(points[2], g1_generator, 64);
    /* -G has p - 2 in place of 2. */
    static const uint8_t p[32] = {0x47, 0xfd, 0x7c, 0xd8, 0x16, 0x8c, 0x20, 0x3c, 0x8d, 0xca, 0x71,
                                  0x68, 0x91, 0x6a, 0x81, 0x97, 0x5d, 0x58, 0x81, 0x81, 0xb6, 0x45,
                                  0x50, 0xb8, 0x29, 0xa0, 0x31, 0xe1, 0x72, 0x4e, 0x64, 0x30};
    memcpy(points[2] + 32, p, sizeof p);
    points[2][32] -= 2;
    pail_bases_desc desc = desc_of(points, 3);
    desc.flags = PAIL_BASES_COMPACT;
    pail_bases *bases = NULL;
    if (backend->bases_create(subject->context, &bases, NULL, &desc) != PAIL_OK)
        fail_msg("%s", backend->error(subject->context));
    const pail_msm_job jobs[2] = {job_of(bases, scalars, 3), job_of(bases, scalars, 1)};
    pail_msm_result results[2];
    finish(subject, start(subject, jobs, 2, NULL), results, 2);
    expect_point(&results[0], g1_generator);
    expect_point(&results[1], g1_times_3);
    subject->backend->bases_destroy(subject->context, &bases);
}

/* A host of a later MINOR: every struct is longer, and what was appended means nothing here. */
CONFORMANCE(a_host_of_a_later_minor)
{
    static const uint8_t scalars[3][32] = {{1}, {200}, {2}};
    struct {
        pail_bases_desc known;
        uint64_t appended;
    } desc = {.appended = UINT64_MAX};
    uint8_t points[3][64] = {{0}};
    memcpy(points[0], g1_generator, 64);
    memcpy(points[2], g1_generator, 64);
    desc.known = desc_of(points, 3);
    desc.known.struct_size = sizeof desc;
    pail_bases *bases = NULL;
    assert_int_equal(backend->bases_create(subject->context, &bases, NULL, &desc.known), PAIL_OK);

    struct {
        pail_msm_job known;
        uint64_t appended;
    } jobs[2];
    for (int i = 0; i < 2; ++i) {
        jobs[i].known = job_of(bases, scalars, i ? 1 : 3);
        jobs[i].known.struct_size = sizeof jobs[i];
        jobs[i].appended = UINT64_MAX;
    }
    struct {
        pail_msm_config known;
        uint64_t appended;
    } config = {.known = {.struct_size = sizeof config}, .appended = UINT64_MAX};
    struct {
        pail_msm_result known;
        uint64_t appended;
    } results[2];
    struct {
        pail_stats known;
        uint64_t appended;
    } stats;
    struct {
        pail_device_info known;
        uint64_t appended;
    } info;
    memset(results, 0xa5, sizeof results);
    memset(&stats, 0xa5, sizeof stats);
    memset(&info, 0xa5, sizeof info);
    results[0].known.struct_size = results[1].known.struct_size = sizeof results[0];
    stats.known.struct_size = sizeof stats;
    info.known.struct_size = sizeof info;

    pail_pending *pending = start(subject, &jobs[0].known, 2, &config.known);
    assert_int_equal(backend->msm_finish(&pending, &results[0].known, 2, &stats.known), PAIL_OK);
    expect_point(&results[0].known, g1_times_3);
    expect_point(&results[1].known, g1_generator);
    assert_int_equal(results[0].known.struct_size, sizeof results[0]);
    assert_int_equal(stats.known.struct_size, sizeof stats);
    assert_int_equal(stats.known.n_jobs, 2);
    /* Zero says that a backend does not know the members that were appended. */
    assert_int_equal(results[0].appended, 0);
    assert_int_equal(results[1].appended, 0);
    assert_int_equal(stats.appended, 0);
    assert_int_equal(backend->context_device(subject->context, &info.known), PAIL_OK);
    assert_int_equal(info.appended, 0);
    assert_int_equal(info.known.struct_size, sizeof info);
    backend->bases_destroy(subject->context, &bases);
}

/* The sizes that structs began with (tests/abi/layout.c has the numbers) are enough for everything,
 * from a host of MINOR 0, and a byte less is not. */
CONFORMANCE_ALONE(least_sizes_are_enough)
{
    subject->counting.host.struct_size = PAIL_HOST_SIZE_1_0;
    subject->counting.host.abi_minor = 0;
    const pail_host *host = subject->host;
    const pail_backend *again = backend;
    if (subject->opened.open != NULL)
        assert_int_equal(subject->opened.open(host, &again), PAIL_OK);
    assert_ptr_equal(again, backend);

    pail_device_info info = {.struct_size = PAIL_DEVICE_INFO_SIZE_1_0};
    if (backend->device_info(host, 0, &info) != PAIL_OK)
        SKIP_BECAUSE(backend->error(NULL));
    pail_context_params params = {
        .struct_size = PAIL_CONTEXT_PARAMS_SIZE_1_0,
        .device = PAIL_DEVICE_BEST,
        .import = subject->import,
    };
    static const uint8_t scalars[1][32] = {{3}};
    pail_bases_desc desc = desc_of(g1_generator, 1);
    desc.struct_size = PAIL_BASES_DESC_SIZE_1_0;
    pail_msm_config config = {.struct_size = PAIL_MSM_CONFIG_SIZE_1_0};
    pail_bases *bases = NULL;
    pail_pending *pending = NULL;
    pail_msm_result result = {.struct_size = PAIL_MSM_RESULT_SIZE_1_0};
    pail_stats stats = {.struct_size = PAIL_STATS_SIZE_1_0};
    --params.struct_size;
    assert_int_equal(backend->context_create(host, &subject->context, &params), PAIL_ERR_ARGUMENT);
    ++params.struct_size;
    assert_int_equal(backend->context_create(host, &subject->context, &params), PAIL_OK);
    assert_int_equal(backend->context_device(subject->context, &info), PAIL_OK);
    --desc.struct_size;
    assert_int_equal(backend->bases_create(subject->context, &bases, NULL, &desc),
                     PAIL_ERR_ARGUMENT);
    ++desc.struct_size;
    assert_int_equal(backend->bases_create(subject->context, &bases, NULL, &desc), PAIL_OK);
    pail_msm_job job = job_of(bases, scalars, 1);
    job.struct_size = PAIL_MSM_JOB_SIZE_1_0 - 1;
    assert_int_equal(backend->msm_estimate(subject->context, &stats, &job, &config),
                     PAIL_ERR_ARGUMENT);
    ++job.struct_size;
    --config.struct_size;
    assert_int_equal(backend->msm_estimate(subject->context, &stats, &job, &config),
                     PAIL_ERR_ARGUMENT);
    ++config.struct_size;
    --stats.struct_size;
    assert_int_equal(backend->msm_estimate(subject->context, &stats, &job, &config),
                     PAIL_ERR_ARGUMENT);
    ++stats.struct_size;
    assert_int_equal(backend->msm_estimate(subject->context, &stats, &job, &config), PAIL_OK);
    assert_int_equal(backend->msm_start(subject->context, &pending, &job, 1, &config), PAIL_OK);
    assert_int_equal(backend->msm_finish(&pending, &result, 1, &stats), PAIL_OK);
    expect_point(&result, g1_times_3);
    backend->bases_destroy(subject->context, &bases);
    backend->context_destroy(&subject->context);
    assert_int_equal(subject->counting.blocks, 0);
}

CONFORMANCE(inputs_are_copied)
{
    enum { N = 3000 };
    uint8_t(*scalars)[32] = calloc(N, sizeof *scalars);
    assert_non_null(scalars);
    scalars[0][0] = 1;
    scalars[N - 2][0] = 1;
    for (size_t i = 1; i < N; i += 2)
        memset(scalars[i], 0xff, 32); /* times infinity */
    pail_bases *bases = make_bases(subject, N);
    pail_msm_job job = job_of(bases, scalars, N);
    pail_msm_config config = {.struct_size = sizeof config, .window_bits = 7};
    pail_pending *pending = start(subject, &job, 1, &config);
    /* Everything that was handed in goes away while the work runs. */
    memset(scalars, 0x5a, N * sizeof *scalars);
    free(scalars);
    memset(&job, 0x5a, sizeof job);
    memset(&config, 0x5a, sizeof config);
    subject->backend->bases_destroy(subject->context, &bases);
    assert_null(bases);
    pail_msm_result result;
    finish(subject, pending, &result, 1);
    expect_point(&result, g1_times_2);
}

CONFORMANCE(waiting_and_polling)
{
    enum { N = 5000 };
    uint8_t(*scalars)[32] = calloc(N, sizeof *scalars);
    assert_non_null(scalars);
    scalars[N - 2][0] = 3;
    pail_bases *bases = make_bases(subject, N);
    const pail_msm_job job = job_of(bases, scalars, N);
    pail_pending *pending = start(subject, &job, 1, NULL);
    pail_status status = backend->pending_poll(pending);
    assert_true(status == PAIL_OK || status == PAIL_NOT_READY);
    status = backend->pending_wait(pending, 0);
    assert_true(status == PAIL_OK || status == PAIL_NOT_READY);
    status = backend->pending_wait(pending, 1);
    assert_true(status == PAIL_OK || status == PAIL_NOT_READY);
    do {
        status = backend->pending_wait(pending, ONE_SECOND);
    } while (status == PAIL_NOT_READY);
    assert_int_equal(status, PAIL_OK);
    assert_int_equal(backend->pending_poll(pending), PAIL_OK); /* and it stays so */
    pail_msm_result result;
    finish(subject, pending, &result, 1);
    expect_point(&result, g1_times_3);

    pending = start(subject, &job, 1, NULL);
    assert_int_equal(backend->pending_wait(pending, UINT64_MAX), PAIL_OK); /* for ever */
    finish(subject, pending, &result, 1);
    expect_point(&result, g1_times_3);
    backend->bases_destroy(subject->context, &bases);
    free(scalars);
}

CONFORMANCE(work_can_be_abandoned)
{
    enum { N = 5000 };
    uint8_t(*scalars)[32] = calloc(N, sizeof *scalars);
    assert_non_null(scalars);
    scalars[0][0] = 2;
    pail_bases *bases = make_bases(subject, N);
    const pail_msm_job job = job_of(bases, scalars, N);
    pail_pending *kept = start(subject, &job, 1, NULL);
    for (int i = 0; i < 5; ++i) {
        pail_pending *pending = start(subject, &job, 1, NULL);
        if (i % 2)
            (void)backend->pending_poll(pending);
        backend->pending_abandon(&pending);
        assert_null(pending);
    }
    pail_msm_result result;
    finish(subject, kept, &result, 1); /* the others took nothing of it with them */
    expect_point(&result, g1_times_2);
    backend->bases_destroy(subject->context, &bases);
    free(scalars);
}

CONFORMANCE(stats_are_filled)
{
    enum { N = 2000 };
    uint8_t(*scalars)[32] = malloc(N * sizeof *scalars);
    assert_non_null(scalars);
    memset(scalars, 0x35, N * sizeof *scalars);
    pail_bases *bases = make_bases(subject, N);
    pail_msm_job job = job_of(bases, scalars, N);

    pail_stats estimate, stats;
    memset(&estimate, 0xa5, sizeof estimate);
    memset(&stats, 0xa5, sizeof stats);
    estimate.struct_size = stats.struct_size = sizeof stats;
    job.scalars = NULL; /* not looked at */
    assert_int_equal(backend->msm_estimate(subject->context, &estimate, &job, NULL), PAIL_OK);
    assert_true(estimate.bytes_estimate > 0);
    assert_true(estimate.window_bits > 0 && estimate.windows > 0 && estimate.batches > 0);

    job.scalars = scalars;
    pail_pending *pending = start(subject, &job, 1, NULL);
    pail_msm_result result = {.struct_size = sizeof result};
    assert_int_equal(backend->msm_finish(&pending, &result, 1, &stats), PAIL_OK);
    assert_int_equal(stats.struct_size, sizeof stats);
    assert_int_equal(stats.n_jobs, 1);
    assert_true(stats.wall_ms > 0);
    assert_true(stats.device_ms >= 0);
    assert_true(stats.n_phases <= PAIL_PHASES_MAX);
    for (uint32_t i = 0; i < stats.n_phases; ++i) {
        assert_true(stats.phases[i].name[0] != '\0');
        assert_non_null(memchr(stats.phases[i].name, '\0', sizeof stats.phases[i].name));
        assert_true(stats.phases[i].ms >= 0);
    }
    assert_int_equal(stats.window_bits, estimate.window_bits);
    assert_int_equal(stats.batches, estimate.batches);
    assert_int_equal(stats.bytes_estimate, estimate.bytes_estimate);
    assert_true(stats.bytes_requested <= stats.bytes_estimate);
    /* Every other one is infinity, which need not be kept. */
    assert_true(stats.bytes_bases >= (uint64_t)N / 2 * 64);
    assert_true(stats.accumulator != PAIL_ACCUMULATOR_AUTO && stats.field != PAIL_FIELD_AUTO);
    /* Each base that is not infinity meets a bucket in every window but the last. */
    assert_true(stats.adds >= (uint64_t)N / 2 * (stats.windows - 1) / 2);
    backend->bases_destroy(subject->context, &bases);
    free(scalars);
}

struct worker {
    const struct subject *subject;
    uint8_t factor; /* 1 to 3 */
    int failures;
};

static void *work(void *argument)
{
    struct worker *worker = argument;
    const struct subject *subject = worker->subject;
    const pail_backend *backend = subject->backend;
    static const uint8_t *const multiples[] = {NULL, g1_generator, g1_times_2, g1_times_3};
    uint8_t points[2][64] = {{0}};
    memcpy(points[1], g1_generator, 64);
    const pail_bases_desc desc = desc_of(points, 2);
    for (int round = 0; round < 8; ++round) {
        pail_bases *bases = NULL;
        pail_pending *pending = NULL;
        pail_msm_result result = {.struct_size = sizeof result};
        const uint8_t scalars[2][32] = {{77}, {worker->factor}};
        if (backend->bases_create(subject->context, &bases, NULL, &desc) != PAIL_OK) {
            ++worker->failures;
            continue;
        }
        pail_msm_job job = job_of(bases, scalars, 2);
        if (backend->msm_start(subject->context, &pending, &job, 1, NULL) != PAIL_OK ||
            backend->msm_finish(&pending, &result, 1, NULL) != PAIL_OK ||
            memcmp(result.x, multiples[worker->factor], 32) != 0)
            ++worker->failures;
        /* The sentence of a failure is the thread's own. */
        job.scalar_bits = 1000u + worker->factor;
        char number[16];
        snprintf(number, sizeof number, "100%u", worker->factor);
        if (backend->msm_start(subject->context, &pending, &job, 1, NULL) != PAIL_ERR_ARGUMENT ||
            !strstr(backend->error(subject->context), number))
            ++worker->failures;
        backend->bases_destroy(subject->context, &bases);
    }
    return NULL;
}

CONFORMANCE(threads_share_a_context)
{
    enum { THREADS = 6 };
    pthread_t threads[THREADS];
    struct worker workers[THREADS];
    for (size_t i = 0; i < THREADS; ++i) {
        workers[i] = (struct worker){.subject = subject, .factor = (uint8_t)(1 + i % 3)};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(workers[i].failures, 0);
    }
}

/* One whole use of a backend; stops at the first failure and takes everything down again. */
static pail_status use_once(struct subject *subject)
{
    const pail_backend *backend = subject->backend;
    const pail_context_params params = {
        .struct_size = sizeof params, .device = PAIL_DEVICE_BEST, .import = subject->import};
    static const uint8_t scalars[40][32] = {{1}, {5}, {2}};
    uint8_t points[40][64] = {{0}};
    memcpy(points[0], g1_generator, 64);
    memcpy(points[2], g1_generator, 64);
    const pail_bases_desc desc = desc_of(points, 40);
    pail_bases *bases = NULL;
    pail_pending *pending = NULL;
    pail_msm_result result = {.struct_size = sizeof result};
    pail_status status = backend->context_create(subject->host, &subject->context, &params);
    assert_int_equal(status == PAIL_OK, subject->context != NULL);
    if (status == PAIL_OK) {
        status = backend->bases_create(subject->context, &bases, NULL, &desc);
        assert_int_equal(status == PAIL_OK, bases != NULL);
    }
    if (status == PAIL_OK) {
        const pail_msm_job job = job_of(bases, scalars, 40);
        status = backend->msm_start(subject->context, &pending, &job, 1, NULL);
        assert_int_equal(status == PAIL_OK, pending != NULL);
    }
    if (status == PAIL_OK) {
        status = backend->msm_finish(&pending, &result, 1, NULL);
        assert_null(pending);
    }
    if (status == PAIL_OK)
        expect_point(&result, g1_times_3);
    else if (status == PAIL_ERR_HOST_MEMORY)
        expect_sentence(subject, "memory");
    backend->bases_destroy(subject->context, &bases);
    backend->context_destroy(&subject->context);
    return status;
}

/* True if making pipelines takes long: on a Vulkan driver without 64-bit integers in shaders, or on
 * any under sanitizers. */
static bool is_slow(struct subject *subject)
{
    pail_device_info info = {.struct_size = sizeof info};
    return strcmp(subject->backend->name, "vulkan") == 0 &&
           subject->backend->device_info(subject->host, 0, &info) == PAIL_OK &&
           (BACKENDS_SANITIZED || !(info.features & PAIL_FEATURE_INT64));
}

/* Each allocation fails once, or where each run makes pipelines for long every seventh: the call
 * says so, and nothing is left behind. Sanitizers see each allocation fail in fault_msm, where
 * those of multiplications share one context. */
CONFORMANCE_ALONE(failing_allocations_are_survived)
{
    struct counting_host *host = &subject->counting;
    const pail_status first = use_once(subject);
    if (first == PAIL_ERR_UNSUPPORTED)
        SKIP_BECAUSE(subject->backend->error(NULL));
    assert_int_equal(first, PAIL_OK);
    long after = 0;
    /* One of several devices has had its own allocations fail in abi_conformance. */
    const bool is_member = subject->own != NULL && subject->opened.handle != NULL;
    const long step = is_member ? 61 : is_slow(subject) ? 7 : 1;
    for (pail_status status = PAIL_ERR_HOST_MEMORY; status != PAIL_OK; after += step) {
        host->fail_after = after;
        status = use_once(subject);
        host->fail_after = -1;
        assert_int_equal(host->blocks, 0);
        if (status != PAIL_OK)
            assert_int_equal(status, PAIL_ERR_HOST_MEMORY);
        assert_true(after < 5000);
    }
    print_message("%ld allocations\n", after - step);
    assert_true(after > step); /* the host's memory is used at all */
}
