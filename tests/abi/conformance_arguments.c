/* Refusals that every backend gives: the right status, a sentence that names the value, and all
 * outputs zeroed. */
#include "conformance.h"
#include "support/test.h"

/* Not known: the caller's mistake, or of a later MINOR. A backend need not tell which. */
#define UNKNOWN PAIL_OK

#define SCRAP(type) ((type)(uintptr_t)8) /* an output handle that a failure must overwrite */

void negotiation_is_strict(void **state)
{
    const struct subject *subject = *state;
    const pail_backend_open_fn open = subject->opened.open;
    if (open == NULL)
        SKIP_BECAUSE("the table is not opened: devices.h gives it");
    const pail_backend *backend = SCRAP(const pail_backend *);
    assert_int_equal(open(NULL, &backend), PAIL_ERR_ARGUMENT);
    assert_null(backend);
    assert_int_equal(open(&subject->counting.host, NULL), PAIL_ERR_ARGUMENT);

    struct {
        pail_host host;
        uint64_t appended;
    } longer = {.host = subject->counting.host, .appended = UINT64_MAX};
    const uint32_t too_small[] = {0, 4, 16, sizeof(pail_host) - 1};
    for (size_t i = 0; i < sizeof too_small / sizeof too_small[0]; ++i) {
        longer.host.struct_size = too_small[i];
        backend = SCRAP(const pail_backend *);
        assert_int_equal(open(&longer.host, &backend), PAIL_ERR_ARGUMENT);
        assert_null(backend);
    }
    longer.host.struct_size = sizeof longer;
    longer.host.abi_minor = PAIL_ABI_MINOR + 9;
    assert_int_equal(open(&longer.host, &backend), PAIL_OK);
    assert_ptr_equal(backend, subject->backend);
    const uint32_t majors[] = {0, PAIL_ABI_MAJOR + 1, UINT32_MAX};
    for (size_t i = 0; i < sizeof majors / sizeof majors[0]; ++i) {
        longer.host.abi_major = majors[i];
        backend = SCRAP(const pail_backend *);
        assert_int_equal(open(&longer.host, &backend), PAIL_ERR_ABI);
        assert_null(backend);
    }

    assert_int_equal(subject->backend->abi_major, PAIL_ABI_MAJOR);
    assert_int_equal(subject->backend->abi_minor, PAIL_ABI_MINOR);
    assert_int_equal(subject->backend->struct_size, sizeof(pail_backend));
    assert_true(subject->backend->name[0] && subject->backend->version[0]);
    assert_non_null(subject->backend->error(NULL)); /* also when nothing has failed */
    assert_true(PAIL_HAS(subject->backend, device_count));
    assert_true(PAIL_HAS(subject->backend, bases_create));
    assert_true(PAIL_HAS(subject->backend, msm_estimate));
    assert_true(PAIL_HAS(subject->backend, pending_abandon));
}

void device_calls_check_arguments(void **state)
{
    const struct subject *subject = *state;
    const pail_backend *backend = subject->backend;
    const pail_host *host = subject->host;
    pail_host truncated = *host;
    truncated.struct_size = 16;
    uint32_t n = 77;
    assert_int_equal(backend->device_count(NULL, &n), PAIL_ERR_ARGUMENT);
    assert_int_equal(n, 0);
    expect_sentence(subject, "host");
    n = 77;
    assert_int_equal(backend->device_count(&truncated, &n), PAIL_ERR_ARGUMENT);
    assert_int_equal(n, 0);
    expect_sentence(subject, "16");
    assert_int_equal(backend->device_count(host, NULL), PAIL_ERR_ARGUMENT);
    expect_sentence(subject, "count");
    assert_int_equal(backend->score(NULL), 0);
    assert_int_equal(backend->score(&truncated), 0);

    pail_device_info info;
    memset(&info, 0xa5, sizeof info);
    info.struct_size = sizeof info;
    assert_int_equal(backend->device_info(NULL, 0, &info), PAIL_ERR_ARGUMENT);
    expect_zeroed(&info, sizeof info);
    assert_int_equal(info.struct_size, sizeof info);
    assert_int_equal(backend->device_info(host, 0, NULL), PAIL_ERR_ARGUMENT);
    expect_sentence(subject, "info");
    info.struct_size = 12;
    assert_int_equal(backend->device_info(host, 0, &info), PAIL_ERR_ARGUMENT);
    expect_sentence(subject, "12");

    if (backend->device_count(host, &n) == PAIL_OK) {
        memset(&info, 0xa5, sizeof info);
        info.struct_size = sizeof info;
        assert_int_equal(backend->device_info(host, n + 4, &info), PAIL_ERR_ARGUMENT);
        expect_zeroed(&info, sizeof info);
    }
    assert_int_equal(subject->counting.blocks, 0);
}

void contexts_check_arguments(void **state)
{
    const struct subject *subject = *state;
    const pail_backend *backend = subject->backend;
    const pail_host *host = subject->host;
    pail_context *context = SCRAP(pail_context *);
    pail_context_params params = {.struct_size = sizeof params, .device = PAIL_DEVICE_BEST};

    assert_int_equal(backend->context_create(host, NULL, &params), PAIL_ERR_ARGUMENT);
    expect_sentence(subject, "context");
    assert_int_equal(backend->context_create(NULL, &context, &params), PAIL_ERR_ARGUMENT);
    assert_null(context);
    context = SCRAP(pail_context *);
    assert_int_equal(backend->context_create(host, &context, NULL), PAIL_ERR_ARGUMENT);
    assert_null(context);
    expect_sentence(subject, "params");
    context = SCRAP(pail_context *);
    params.struct_size = 8;
    assert_int_equal(backend->context_create(host, &context, &params), PAIL_ERR_ARGUMENT);
    assert_null(context);
    expect_sentence(subject, "8");

    params.struct_size = sizeof params;
    if (subject->opened.open != NULL) { /* the hosts of devices.h cannot be copied */
        pail_host other = *host;
        other.abi_major = PAIL_ABI_MAJOR + 1;
        context = SCRAP(pail_context *);
        assert_int_equal(backend->context_create(&other, &context, &params), PAIL_ERR_ABI);
        assert_null(context);
        other = *host;
        other.free = NULL;
        context = SCRAP(pail_context *);
        assert_int_equal(backend->context_create(&other, &context, &params), PAIL_ERR_ARGUMENT);
        assert_null(context);
        expect_sentence(subject, "free");
    }

    uint32_t n = 0;
    if (backend->device_count(host, &n) == PAIL_OK && n > 0) {
        params.device = 4321;
        context = SCRAP(pail_context *);
        assert_int_equal(backend->context_create(host, &context, &params), PAIL_ERR_ARGUMENT);
        assert_null(context);
        expect_sentence(subject, "4321");
    }
    backend->context_destroy(NULL);
    context = NULL;
    backend->context_destroy(&context);
    assert_int_equal(subject->counting.blocks, 0);
}

static bool fits(pail_status status, pail_status expected)
{
    return expected == UNKNOWN ? status == PAIL_ERR_ARGUMENT || status == PAIL_ERR_UNSUPPORTED
                               : status == expected;
}

static pail_bases_desc good_desc(const void *points, size_t n)
{
    return (pail_bases_desc){
        .struct_size = sizeof(pail_bases_desc),
        .curve = PAIL_CURVE_BN254,
        .group = PAIL_G1,
        .validation = PAIL_VALIDATE_CURVE,
        .points = points,
        .n_points = n,
    };
}

static void refuse_bases(const struct subject *subject, pail_bases_desc desc, pail_status expected,
                         const char *word)
{
    pail_bases *bases = SCRAP(pail_bases *);
    size_t bad_index = 5;
    const pail_status status =
        subject->backend->bases_create(subject->context, &bases, &bad_index, &desc);
    if (!fits(status, expected))
        fail_msg("%s: status %d, not %d", word, (int)status, (int)expected);
    assert_null(bases);
    assert_true(bad_index == SIZE_MAX);
    expect_sentence(subject, word);
}

/* The good one but for one member. */
#define REFUSE_BASES(change, status, word)                                                         \
    do {                                                                                           \
        desc = good;                                                                               \
        desc.change;                                                                               \
        refuse_bases(subject, desc, status, word);                                                 \
    } while (0)

void bases_check_arguments(void **state)
{
    const struct subject *subject = *state;
    const pail_backend *backend = subject->backend;
    uint8_t points[2][64];
    memcpy(points[0], g1_generator, 64);
    memcpy(points[1], g1_times_2, 64);
    const pail_bases_desc good = good_desc(points, 2);
    pail_bases_desc desc = good;

    pail_bases *bases = SCRAP(pail_bases *);
    size_t bad_index = 5;
    assert_int_equal(backend->bases_create(NULL, &bases, &bad_index, &good), PAIL_ERR_ARGUMENT);
    assert_null(bases);
    assert_true(bad_index == SIZE_MAX);
    assert_int_equal(backend->bases_create(subject->context, NULL, NULL, &good), PAIL_ERR_ARGUMENT);
    expect_sentence(subject, "bases");
    bases = SCRAP(pail_bases *);
    assert_int_equal(backend->bases_create(subject->context, &bases, NULL, NULL),
                     PAIL_ERR_ARGUMENT);
    assert_null(bases);
    expect_sentence(subject, "desc");

    desc.struct_size = 24;
    refuse_bases(subject, desc, PAIL_ERR_ARGUMENT, "24");
    REFUSE_BASES(curve = 77, UNKNOWN, "77");
    REFUSE_BASES(group = 9, UNKNOWN, "9");
    REFUSE_BASES(encoding = 5, UNKNOWN, "encoding");
    REFUSE_BASES(validation = 6, UNKNOWN, "validation");
    REFUSE_BASES(stride = 63, PAIL_ERR_ARGUMENT, "63");
    desc = good, desc.stride = 64, desc.infinity_byte = 65;
    refuse_bases(subject, desc, PAIL_ERR_ARGUMENT, "65");
    REFUSE_BASES(points = NULL, PAIL_ERR_ARGUMENT, "NULL");

    desc = good, desc.points = NULL, desc.n_points = 0;
    assert_int_equal(backend->bases_create(subject->context, &bases, &bad_index, &desc), PAIL_OK);
    assert_non_null(bases);
    assert_true(bad_index == SIZE_MAX);
    backend->bases_destroy(subject->context, &bases);
    assert_null(bases);
}

void bases_check_points(void **state)
{
    const struct subject *subject = *state;
    const pail_backend *backend = subject->backend;
    static const uint8_t p[32] = {
        0x47, 0xfd, 0x7c, 0xd8, 0x16, 0x8c, 0x20, 0x3c, 0x8d, 0xca, 0x71,
        0x68, 0x91, 0x6a, 0x81, 0x97, 0x5d, 0x58, 0x81, 0x81, 0xb6, 0x45,
        0x50, 0xb8, 0x29, 0xa0, 0x31, 0xe1, 0x72, 0x4e, 0x64, 0x30,
    };
    enum { N = 300 };
    uint8_t(*points)[64] = malloc(N * sizeof *points);
    assert_non_null(points);
    const size_t places[] = {0, 1, 255, N - 1};
    for (size_t k = 0; k < sizeof places / sizeof places[0]; ++k) {
        for (size_t i = 0; i < N; ++i)
            memcpy(points[i], i % 3 ? g1_times_3 : g1_generator, 64);
        const size_t bad = places[k];
        char number[16];
        snprintf(number, sizeof number, "%zu", bad);
        for (int fault = 0; fault < 4; ++fault) {
            memcpy(points[bad], g1_generator, 64);
            pail_bases_desc desc = good_desc(points, N);
            if (fault == 0) { /* not on the curve */
                points[bad][32] = 3;
            } else if (fault == 1) { /* x = p, which would be 0 */
                memcpy(points[bad], p, 32);
            } else if (fault == 2) { /* checked also where nothing else is */
                memcpy(points[bad] + 32, p, 32);
                desc.validation = PAIL_VALIDATE_NONE;
            } else { /* (0, y) is not infinity */
                points[bad][0] = 0;
            }
            pail_bases *bases = SCRAP(pail_bases *);
            size_t bad_index = 5;
            assert_int_equal(backend->bases_create(subject->context, &bases, &bad_index, &desc),
                             PAIL_ERR_DATA);
            assert_null(bases);
            assert_int_equal(bad_index, bad);
            expect_sentence(subject, number);
            assert_int_equal(backend->bases_create(subject->context, &bases, NULL, &desc),
                             PAIL_ERR_DATA);
        }
    }
    free(points);
}

static pail_msm_job good_job(const pail_bases *bases, const void *scalars, size_t n)
{
    return (pail_msm_job){
        .struct_size = sizeof(pail_msm_job), .bases = bases, .scalars = scalars, .n = n};
}

static void refuse_job(const struct subject *subject, pail_msm_job job, pail_status expected,
                       const char *word)
{
    pail_pending *pending = SCRAP(pail_pending *);
    const pail_status status =
        subject->backend->msm_start(subject->context, &pending, &job, 1, NULL);
    if (!fits(status, expected))
        fail_msg("%s: status %d, not %d", word, (int)status, (int)expected);
    assert_null(pending);
    expect_sentence(subject, word);
}

/* The good one but for one member. */
#define REFUSE_JOB(change, status, word)                                                           \
    do {                                                                                           \
        job = good;                                                                                \
        job.change;                                                                                \
        refuse_job(subject, job, status, word);                                                    \
    } while (0)

void jobs_are_checked(void **state)
{
    const struct subject *subject = *state;
    const pail_backend *backend = subject->backend;
    static const uint8_t scalars[4][32] = {{1}, {2}, {3}, {4}};
    pail_bases *bases = make_bases(subject, 4);
    const pail_msm_job good = good_job(bases, scalars, 4);
    pail_msm_job job = good;

    pail_pending *pending = SCRAP(pail_pending *);
    assert_int_equal(backend->msm_start(NULL, &pending, &good, 1, NULL), PAIL_ERR_ARGUMENT);
    assert_null(pending);
    assert_int_equal(backend->msm_start(subject->context, NULL, &good, 1, NULL), PAIL_ERR_ARGUMENT);
    expect_sentence(subject, "pending");
    pending = SCRAP(pail_pending *);
    assert_int_equal(backend->msm_start(subject->context, &pending, NULL, 1, NULL),
                     PAIL_ERR_ARGUMENT);
    assert_null(pending);
    expect_sentence(subject, "jobs");
    pending = SCRAP(pail_pending *);
    assert_int_equal(backend->msm_start(subject->context, &pending, &good, 0, NULL),
                     PAIL_ERR_ARGUMENT);
    assert_null(pending);
    expect_sentence(subject, "n_jobs");

    job.struct_size = 20;
    refuse_job(subject, job, PAIL_ERR_ARGUMENT, "20");
    REFUSE_JOB(bases = NULL, PAIL_ERR_ARGUMENT, "bases");
    REFUSE_JOB(scalars = NULL, PAIL_ERR_ARGUMENT, "scalars");
    REFUSE_JOB(n = 5, PAIL_ERR_ARGUMENT, "5");
    REFUSE_JOB(base_offset = 1, PAIL_ERR_ARGUMENT, "4");
    REFUSE_JOB(base_offset = SIZE_MAX, PAIL_ERR_ARGUMENT, "base");
    REFUSE_JOB(n = SIZE_MAX, PAIL_ERR_ARGUMENT, "base");
    REFUSE_JOB(scalar_encoding = 9, UNKNOWN, "9");
    REFUSE_JOB(scalar_encoding = PAIL_ENCODING_JACOBIAN, UNKNOWN, "2"); /* for points alone */
    REFUSE_JOB(scalar_bits = 257, PAIL_ERR_ARGUMENT, "257");
    /* the scalar 4 breaks the promise */
    REFUSE_JOB(scalar_bits = 2, PAIL_ERR_DATA, "scalar");
    REFUSE_JOB(scalar_location = 7, UNKNOWN, "7");

    pail_msm_job jobs[2] = {good, good};
    jobs[1].scalar_encoding = 9;
    pending = SCRAP(pail_pending *);
    assert_true(fits(backend->msm_start(subject->context, &pending, jobs, 2, NULL), UNKNOWN));
    assert_null(pending);
    expect_sentence(subject, "9");
    backend->bases_destroy(subject->context, &bases);
}

void configs_are_checked(void **state)
{
    const struct subject *subject = *state;
    static const uint8_t scalars[4][32] = {{1}, {2}, {3}, {4}};
    pail_bases *bases = make_bases(subject, 4);
    const pail_msm_job job = good_job(bases, scalars, 4);
    const pail_msm_config good = {.struct_size = sizeof good};
    const struct {
        const char *word;
        pail_status status;
        size_t offset;
        uint32_t value;
    } faults[] = {
        {"12", PAIL_ERR_ARGUMENT, offsetof(pail_msm_config, struct_size), 12},
        {"1000", PAIL_ERR_ARGUMENT, offsetof(pail_msm_config, window_bits), 1000},
        {"accumulator", UNKNOWN, offsetof(pail_msm_config, accumulator), 99},
        {"field", UNKNOWN, offsetof(pail_msm_config, field), 99},
        {"flags", UNKNOWN, offsetof(pail_msm_config, flags), 4},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; ++i) {
        pail_msm_config config = good;
        memcpy((char *)&config + faults[i].offset, &faults[i].value, sizeof faults[i].value);
        pail_pending *pending = SCRAP(pail_pending *);
        const pail_status status =
            subject->backend->msm_start(subject->context, &pending, &job, 1, &config);
        if (!fits(status, faults[i].status))
            fail_msg("%s: status %d", faults[i].word, (int)status);
        assert_null(pending);
        expect_sentence(subject, faults[i].word);
    }
    subject->backend->bases_destroy(subject->context, &bases);
}

static pail_pending *start(const struct subject *subject, const pail_msm_job *job)
{
    pail_pending *pending = NULL;
    assert_int_equal(subject->backend->msm_start(subject->context, &pending, job, 1, NULL),
                     PAIL_OK);
    assert_non_null(pending);
    return pending;
}

void finish_checks_arguments(void **state)
{
    const struct subject *subject = *state;
    const pail_backend *backend = subject->backend;
    static const uint8_t scalars[4][32] = {{1}, {2}, {3}, {4}};
    pail_bases *bases = make_bases(subject, 4);
    const pail_msm_job job = good_job(bases, scalars, 4);

    /* Whatever is wrong, the work is over and its handle gone. */
    pail_msm_result results[2];
    memset(results, 0xa5, sizeof results);
    results[0].struct_size = results[1].struct_size = sizeof results[0];
    pail_pending *pending = start(subject, &job);
    assert_int_equal(backend->msm_finish(&pending, NULL, 1, NULL), PAIL_ERR_ARGUMENT);
    assert_null(pending);
    expect_sentence(subject, "results");

    pending = start(subject, &job);
    assert_int_equal(backend->msm_finish(&pending, results, 2, NULL), PAIL_ERR_ARGUMENT);
    assert_null(pending);
    expect_sentence(subject, "2");
    expect_zeroed(&results[0], sizeof results[0]);
    assert_int_equal(results[1].x[0],
                     0xa5); /* there was one job: nobody knows of a second result */

    pending = start(subject, &job);
    results[0].struct_size = 16;
    assert_int_equal(backend->msm_finish(&pending, results, 1, NULL), PAIL_ERR_ARGUMENT);
    assert_null(pending);
    expect_sentence(subject, "16");

    memset(results, 0xa5, sizeof results);
    results[0].struct_size = sizeof results[0];
    pail_stats stats;
    memset(&stats, 0xa5, sizeof stats);
    stats.struct_size = 24;
    pending = start(subject, &job);
    assert_int_equal(backend->msm_finish(&pending, results, 1, &stats), PAIL_ERR_ARGUMENT);
    assert_null(pending);
    expect_sentence(subject, "24");
    expect_zeroed(&results[0], sizeof results[0]);

    /* There is nothing to finish a second time. */
    memset(results, 0xa5, sizeof results);
    results[0].struct_size = sizeof results[0];
    memset(&stats, 0xa5, sizeof stats);
    stats.struct_size = sizeof stats;
    assert_int_equal(backend->msm_finish(&pending, results, 1, &stats), PAIL_ERR_ARGUMENT);
    expect_zeroed(&results[0], sizeof results[0]);
    expect_zeroed(&stats, sizeof stats);
    assert_int_equal(backend->msm_finish(NULL, results, 1, &stats), PAIL_ERR_ARGUMENT);
    backend->bases_destroy(subject->context, &bases);
}

void estimates_check_arguments(void **state)
{
    const struct subject *subject = *state;
    const pail_backend *backend = subject->backend;
    pail_bases *bases = make_bases(subject, 4);
    pail_msm_job job = good_job(bases, NULL, 4);
    pail_stats stats;

    memset(&stats, 0xa5, sizeof stats);
    stats.struct_size = sizeof stats;
    assert_int_equal(backend->msm_estimate(NULL, &stats, &job, NULL), PAIL_ERR_ARGUMENT);
    expect_zeroed(&stats, sizeof stats);
    assert_int_equal(backend->msm_estimate(subject->context, NULL, &job, NULL), PAIL_ERR_ARGUMENT);
    expect_sentence(subject, "stats");
    memset((char *)&stats + 4, 0xa5, sizeof stats - 4);
    assert_int_equal(backend->msm_estimate(subject->context, &stats, NULL, NULL),
                     PAIL_ERR_ARGUMENT);
    expect_sentence(subject, "job");
    expect_zeroed(&stats, sizeof stats);
    job.base_offset = 3;
    memset((char *)&stats + 4, 0xa5, sizeof stats - 4);
    assert_int_equal(backend->msm_estimate(subject->context, &stats, &job, NULL),
                     PAIL_ERR_ARGUMENT);
    expect_sentence(subject, "3");
    expect_zeroed(&stats, sizeof stats);
    job.base_offset = 0;
    stats.struct_size = 40;
    assert_int_equal(backend->msm_estimate(subject->context, &stats, &job, NULL),
                     PAIL_ERR_ARGUMENT);
    expect_sentence(subject, "40");
    backend->bases_destroy(subject->context, &bases);
}

void null_handles_are_harmless(void **state)
{
    const struct subject *subject = *state;
    const pail_backend *backend = subject->backend;
    pail_bases *bases = NULL;
    pail_pending *pending = NULL;
    backend->bases_destroy(subject->context, &bases);
    backend->bases_destroy(subject->context, NULL);
    backend->pending_abandon(&pending);
    backend->pending_abandon(NULL);
    assert_int_equal(backend->pending_poll(NULL), PAIL_ERR_ARGUMENT);
    assert_int_equal(backend->pending_wait(NULL, 0), PAIL_ERR_ARGUMENT);
    pail_device_info info = {.struct_size = sizeof info, .index = 7};
    assert_int_equal(backend->context_device(NULL, &info), PAIL_ERR_ARGUMENT);
    expect_zeroed(&info, sizeof info);
    assert_int_equal(backend->context_device(subject->context, NULL), PAIL_ERR_ARGUMENT);
    if (PAIL_HAS(backend, throttle)) {
        assert_null(backend->throttle(NULL));
        assert_non_null(backend->throttle(subject->context));
        assert_int_equal(*backend->throttle(subject->context), 0);
    }
    assert_int_equal(PAIL_HAS(backend, throttle_begin), PAIL_HAS(backend, throttle_end));
    if (PAIL_HAS(backend, throttle_begin)) {
        assert_int_equal(backend->throttle_begin(NULL), PAIL_ERR_ARGUMENT);
        assert_int_equal(backend->throttle_end(NULL), PAIL_ERR_ARGUMENT);
        const pail_status ended = backend->throttle_end(subject->context);
        const pail_status begun = backend->throttle_begin(subject->context);
        if (begun == PAIL_ERR_UNSUPPORTED) { /* with several devices, none gives way */
            assert_int_equal(ended, PAIL_ERR_UNSUPPORTED);
            assert_int_equal(backend->throttle_end(subject->context), PAIL_ERR_UNSUPPORTED);
        } else {
            assert_int_equal(ended, PAIL_ERR_ARGUMENT);
            assert_int_equal(begun, PAIL_OK);
            assert_int_equal(backend->throttle_end(subject->context), PAIL_OK);
        }
    }
}
