/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the device when a multiplication is over: nothing of scalars, digits, entries and sums
 * is left in it, nor of what was sent and read back. */

#include "support/test.h"

#include <curves/inputs.h>

#include <api/api.h>
#include <msm/service/service.h>
#include <vk/device_priv.h>
#include <vk/staging.h>
#include <vk/staging_priv.h>

enum { N = 3000, JOBS = 3, PART = 1 << 20 };

struct stage {
    pail_context *context;
    pail_bases *bases;
    uint8_t (*scalars)[32];
};

static void open_stage(struct stage *s, const char *more, uint32_t residency)
{
    static char given[128];
    const char *value = getenv("PAIL_DEBUG");
    char words[256];
    if (given[0] == '\0')
        (void)snprintf(given, sizeof(given), "%s", value ? value : "");
    (void)snprintf(words, sizeof(words), "%s%s%s", given, given[0] && more[0] ? "," : "", more);
    assert_int_equal(setenv("PAIL_DEBUG", words, 1), 0);
    const pail_host host =
        SIZED(pail_host, .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR);
    const pail_context_params params = {.struct_size = sizeof(params), .device = PAIL_DEVICE_BEST};
    if (pail_api_table.context_create(&host, &s->context, &params) != PAIL_OK)
        fail_msg("%s", pail_api_table.error(NULL));
    const struct pail_curve_ops *ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    uint8_t(*points)[64] = calloc(N, sizeof(*points));
    s->scalars = calloc(N, sizeof(*s->scalars));
    assert_true(points && s->scalars);
    pail_make_bases(ops, points[0], true, 0, N, PAIL_BASES_DISTINCT, 1);
    pail_make_scalars(ops, s->scalars[0], N, PAIL_SCALARS_UNIFORM, 1);
    const pail_bases_desc desc = SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
                                       .encoding = PAIL_ENCODING_MONTGOMERY, .points = points,
                                       .n_points = N, .residency = residency);
    if (pail_api_table.bases_create(s->context, &s->bases, NULL, &desc) != PAIL_OK)
        fail_msg("%s", pail_api_table.error(s->context));
    free(points);
}

static void close_stage(struct stage *s)
{
    pail_api_table.bases_destroy(s->context, &s->bases);
    pail_api_table.context_destroy(&s->context);
    free(s->scalars);
}

static pail_stats multiply(struct stage *s, size_t n_jobs, uint32_t flags, bool abandon)
{
    pail_msm_job jobs[JOBS];
    pail_msm_result results[JOBS];
    pail_stats stats = {.struct_size = sizeof(stats)};
    const pail_msm_config config = {.struct_size = sizeof(config), .flags = flags};
    pail_pending *pending = NULL;
    for (size_t i = 0; i < n_jobs; i++) {
        jobs[i] = (pail_msm_job){.struct_size = sizeof(jobs[i]),
                                 .bases = s->bases,
                                 .base_offset = i * (N / n_jobs),
                                 .scalars = s->scalars[i * (N / n_jobs)],
                                 .n = N / n_jobs};
        results[i] = (pail_msm_result){.struct_size = sizeof(results[i])};
    }
    if (pail_api_table.msm_start(s->context, &pending, jobs, n_jobs, &config) != PAIL_OK)
        fail_msg("%s", pail_api_table.error(s->context));
    if (abandon)
        pail_api_table.pending_abandon(&pending);
    else if (pail_api_table.msm_finish(&pending, results, n_jobs, &stats) != PAIL_OK)
        fail_msg("%s", pail_api_table.error(s->context));
    return stats;
}

static size_t count_set(const uint8_t *bytes, size_t n)
{
    size_t set = 0;
    for (size_t i = 0; i < n; i++)
        set += bytes[i] != 0;
    return set;
}

static size_t left_in(struct pail_vk_device *dev, struct pail_vk_slice all)
{
    uint8_t *bytes = malloc(PART);
    size_t set = 0;
    assert_non_null(bytes);
    for (uint64_t at = 0; at < all.size; at += PART) {
        const uint64_t left = all.size - at, n = left < PART ? left : PART;
        struct pail_error err;
        if (pail_vk_download(dev, &all, at, bytes, n, PAIL_VK_FOREVER, &err) != PAIL_OK)
            fail_msg("%s", err.text);
        set += count_set(bytes, (size_t)n);
    }
    free(bytes);
    return set;
}

/* Bytes that are not zero in all idle workspaces. */
static size_t left_on_the_device(const struct stage *s)
{
    size_t set = 0, workspaces = 0;
    for (const struct pail_workspace *ws = s->context->msm->idle; ws; ws = ws->next, workspaces++) {
        for (uint32_t i = 0; i < ws->device.n_blocks; i++)
            set += left_in(s->context->dev, pail_vk_arena_block(&ws->device, i));
        for (uint32_t i = 0; i < ws->readback.n_blocks; i++)
            set += left_in(s->context->dev, pail_vk_arena_block(&ws->readback, i));
    }
    assert_true(workspaces > 0);
    return set;
}

/* The part of the ring that chunks were filled in; registering points leaves points there. */
static size_t secret_in_the_ring(const struct stage *s)
{
    const struct pail_vk_staging *staging = s->context->dev->staging;
    size_t secret = 0;
    for (uint32_t i = 0; i < PAIL_VK_CHUNKS; i++)
        secret += staging->chunks[i].secret;
    return secret;
}

static void expect_nothing(const struct stage *s)
{
    assert_int_equal(left_on_the_device(s), 0);
    assert_int_equal(secret_in_the_ring(s), 0);
}

PAIL_TEST(all_is_zero_afterwards)
{
    static const char *const debug[] = {"", "glv,overlap", "runs"};
    for (size_t d = 0; d < sizeof(debug) / sizeof(debug[0]); d++) {
        struct stage s;
        open_stage(&s, debug[d], PAIL_RESIDENCY_AUTO);
        /* Drivers that take long to make kernels make them for each context. */
        if (d != 1 && !pail_vk_device_caps(s.context->dev)->int64) {
            close_stage(&s);
            continue;
        }
        const pail_stats stats = multiply(&s, 1, 0, false);
        expect_nothing(&s);
        assert_true(stats.bytes_wiped >= stats.bytes_requested + 32 * (uint64_t)N);
        (void)multiply(&s, JOBS, 0, false);
        expect_nothing(&s);
        (void)multiply(&s, 1, 0, true);
        expect_nothing(&s);
        /* The search finds what is there. */
        const pail_stats lazy = multiply(&s, 1, PAIL_MSM_PUBLIC_SCALARS, false);
        assert_true(left_on_the_device(&s) > N);
        assert_int_equal(lazy.bytes_wiped, 0);
        (void)multiply(&s, 1, 0, false);
        expect_nothing(&s);
        close_stage(&s);
    }
}

PAIL_TEST(all_is_zero_after_streaming)
{
    struct stage s;
    open_stage(&s, "", PAIL_RESIDENCY_HOST);
    const pail_stats stats = multiply(&s, 1, 0, false);
    expect_nothing(&s);
    /* The thread that sends has a copy. */
    assert_true(stats.bytes_wiped >= stats.bytes_requested + 2 * 32 * (uint64_t)N);
    /* It has none of scalars that stay where they are. */
    const pail_stats stable = multiply(&s, 1, PAIL_MSM_STABLE_SCALARS, false);
    assert_int_equal(stats.bytes_wiped - stable.bytes_wiped, 32 * (uint64_t)N);
    expect_nothing(&s);
    (void)multiply(&s, 1, 0, true);
    expect_nothing(&s);
    close_stage(&s);
}
