/* SPDX-License-Identifier: Apache-2.0 */
/* Refusals that every backend gives: the right status, a sentence that names the value, and all
 * outputs zeroed. */
#include "conformance.h"

#define SCRAP(type) ((type)(uintptr_t)8) /* an output handle that a failure must overwrite */

CONFORMANCE_ALONE(negotiation_is_strict)
{
    const pail_backend_open_fn open = subject->opened.open;
    if (open == NULL)
        SKIP_BECAUSE("the table is not opened: devices.h gives it");
    const pail_backend *table = SCRAP(const pail_backend *);
    assert_int_equal(open(NULL, &table), PAIL_ERR_ARGUMENT);
    assert_null(table);
    assert_int_equal(open(&subject->counting.host, NULL), PAIL_ERR_ARGUMENT);

    struct {
        pail_host host;
        uint64_t appended;
    } longer = {.host = subject->counting.host, .appended = UINT64_MAX};
    const uint32_t too_small[] = {0, 4, 16, sizeof(pail_host) - 1};
    for (size_t i = 0; i < sizeof too_small / sizeof too_small[0]; ++i) {
        longer.host.struct_size = too_small[i];
        table = SCRAP(const pail_backend *);
        assert_int_equal(open(&longer.host, &table), PAIL_ERR_ARGUMENT);
        assert_null(table);
    }
    longer.host.struct_size = sizeof longer;
    longer.host.abi_minor = PAIL_ABI_MINOR + 9;
    assert_int_equal(open(&longer.host, &table), PAIL_OK);
    assert_ptr_equal(table, backend);
    const uint32_t majors[] = {0, PAIL_ABI_MAJOR + 1, UINT32_MAX};
    for (size_t i = 0; i < sizeof majors / sizeof majors[0]; ++i) {
        longer.host.abi_major = majors[i];
        table = SCRAP(const pail_backend *);
        assert_int_equal(open(&longer.host, &table), PAIL_ERR_ABI);
        assert_null(table);
    }

    assert_int_equal(backend->abi_major, PAIL_ABI_MAJOR);
    assert_int_equal(backend->abi_minor, PAIL_ABI_MINOR);
    assert_int_equal(backend->struct_size, sizeof(pail_backend));
    assert_true(backend->name[0] && subject->backend->version[0]);
    assert_non_null(backend->error(NULL)); /* also when nothing has failed */
    assert_true(PAIL_HAS(backend, device_count));
    assert_true(PAIL_HAS(backend, bases_create));
    assert_true(PAIL_HAS(backend, msm_estimate));
    assert_true(PAIL_HAS(backend, pending_abandon));
}

CONFORMANCE_ALONE(device_calls_check_arguments)
{
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

CONFORMANCE_ALONE(contexts_check_arguments)
{
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
    const pail_cache_callbacks no_get = {.struct_size = sizeof no_get};
    params.cache = &no_get;
    context = SCRAP(pail_context *);
    assert_int_equal(backend->context_create(host, &context, &params), PAIL_ERR_ARGUMENT);
    assert_null(context);
    expect_sentence(subject, "params->cache->get is NULL");
    params.cache = NULL;
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

/* The calls of bases and of multiplications without an object; conformance_sentences.c has the
 * members of their structs. */
CONFORMANCE(handles_are_checked)
{
    const pail_bases_desc desc = desc_of(g1_generator, 1);
    pail_bases *bases = SCRAP(pail_bases *);
    size_t bad_index = 5;
    assert_int_equal(backend->bases_create(NULL, &bases, &bad_index, &desc), PAIL_ERR_ARGUMENT);
    assert_null(bases);
    assert_true(bad_index == SIZE_MAX);
    assert_int_equal(backend->bases_create(subject->context, NULL, NULL, &desc), PAIL_ERR_ARGUMENT);
    expect_sentence(subject, "bases");
    bases = SCRAP(pail_bases *);
    assert_int_equal(backend->bases_create(subject->context, &bases, NULL, NULL),
                     PAIL_ERR_ARGUMENT);
    assert_null(bases);
    expect_sentence(subject, "desc");

    bases = make_bases(subject, 4);
    const pail_msm_job job = job_of(bases, small_scalars, 4);
    pail_pending *pending = SCRAP(pail_pending *);
    assert_int_equal(backend->msm_start(NULL, &pending, &job, 1, NULL), PAIL_ERR_ARGUMENT);
    assert_null(pending);
    assert_int_equal(backend->msm_start(subject->context, NULL, &job, 1, NULL), PAIL_ERR_ARGUMENT);
    expect_sentence(subject, "pending");
    pending = SCRAP(pail_pending *);
    assert_int_equal(backend->msm_start(subject->context, &pending, NULL, 1, NULL),
                     PAIL_ERR_ARGUMENT);
    assert_null(pending);
    expect_sentence(subject, "jobs");
    pending = SCRAP(pail_pending *);
    assert_int_equal(backend->msm_start(subject->context, &pending, &job, 0, NULL),
                     PAIL_ERR_ARGUMENT);
    assert_null(pending);
    expect_sentence(subject, "n_jobs is 0; at least 1 is needed");
    backend->bases_destroy(subject->context, &bases);
}

CONFORMANCE(bases_check_points)
{
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
            pail_bases_desc desc = desc_of(points, N);
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

CONFORMANCE(finish_checks_arguments)
{
    pail_bases *bases = make_bases(subject, 4);
    const pail_msm_job job = job_of(bases, small_scalars, 4);

    /* Whatever is wrong, the work is over and its handle gone. */
    pail_msm_result results[2];
    memset(results, 0xa5, sizeof results);
    results[0].struct_size = results[1].struct_size = sizeof results[0];
    pail_pending *pending = start(subject, &job, 1, NULL);
    assert_int_equal(backend->msm_finish(&pending, NULL, 1, NULL), PAIL_ERR_ARGUMENT);
    assert_null(pending);
    expect_sentence(subject, "results");

    pending = start(subject, &job, 1, NULL);
    assert_int_equal(backend->msm_finish(&pending, results, 2, NULL), PAIL_ERR_ARGUMENT);
    assert_null(pending);
    expect_sentence(subject, "2");
    expect_zeroed(&results[0], sizeof results[0]);
    assert_int_equal(results[1].x[0],
                     0xa5); /* there was one job: nobody knows of a second result */

    pending = start(subject, &job, 1, NULL);
    results[0].struct_size = 16;
    assert_int_equal(backend->msm_finish(&pending, results, 1, NULL), PAIL_ERR_ARGUMENT);
    assert_null(pending);
    expect_sentence(subject, "16");

    memset(results, 0xa5, sizeof results);
    results[0].struct_size = sizeof results[0];
    pail_stats stats;
    memset(&stats, 0xa5, sizeof stats);
    stats.struct_size = 24;
    pending = start(subject, &job, 1, NULL);
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

CONFORMANCE(estimates_check_arguments)
{
    pail_bases *bases = make_bases(subject, 4);
    pail_msm_job job = job_of(bases, NULL, 4);
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

CONFORMANCE(null_handles_are_harmless)
{
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
