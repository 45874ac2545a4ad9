/* SPDX-License-Identifier: Apache-2.0 */
/* The library and the CPU backend in a thread with a stack of 128 KiB: multiplications on all
 * groups in all arithmetics, points in all forms, plugins searched and opened. */
#include "backends.h"

#include <curves/inputs.h>
#include <pail/encoding.h>
#include <pail/pail.h>

#include <pthread.h>

#include "support/test.h"

#ifdef PAIL_TEST_SANITIZED /* frames are larger, and so are the sanitizer's own */
enum { STACK_BYTES = 2 << 20 };
#else
enum { STACK_BYTES = 128 << 10 };
#endif
enum { N = 300 };

static pail_registry *registry;
static char sentence[512];

static bool fail_with(const char *what, const char *why)
{
    (void)snprintf(sentence, sizeof sentence, "%s: %s", what, why);
    return false;
}

/* One multiplication of points that were decoded and are checked. */
static bool multiply(const struct pail_curve_ops *ops)
{
    const size_t width = 2 * ops->coordinate_bytes;
    const pail_backend *backend = NULL;
    pail_context *context = NULL;
    pail_bases *bases = NULL;
    bool skipped = false;
    pail_point sum;
    pail_affine affine;
    uint8_t expected[2 * PAIL_COORDINATE_MAX];
    uint8_t *points = malloc(N * width), *scalars = malloc(32 * N);
    bool good = points && scalars &&
                pail_registry_find(registry, &backend, "cpu", sentence, sizeof sentence) == PAIL_OK;
    const pail_context_params params = {.struct_size = sizeof params, .threads = 2};
    if (good) {
        pail_make_bases(ops, points, false, 0, N, PAIL_BASES_DISTINCT, 1);
        pail_make_scalars(ops, scalars, N, PAIL_SCALARS_UNIFORM, 1);
        pail_expected_msm(ops, &sum, scalars, 0, N, PAIL_BASES_DISTINCT, 1);
        ops->to_affine(&affine, &sum);
        ops->encode(expected, &affine, false);
        const pail_status status =
            backend->context_create(pail_registry_host(registry), &context, &params);
        skipped = status == PAIL_ERR_UNSUPPORTED; /* an arithmetic that the processor lacks */
        good = status == PAIL_OK || fail_with("context_create", backend->error(NULL));
    }
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = ops->curve, .group = ops->group,
              .validation = PAIL_VALIDATE_SUBGROUP, .points = points, .n_points = N);
    if (good) {
        good = backend->bases_create(context, &bases, NULL, &desc) == PAIL_OK ||
               fail_with("bases_create", backend->error(context));
    }
    const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = N);
    pail_msm_result result = {.struct_size = sizeof result};
    pail_stats stats = {.struct_size = sizeof stats};
    if (good) {
        good = (backend->msm_estimate(context, &stats, &job, NULL) == PAIL_OK &&
                pail_msm(backend, context, &result, &stats, &job, NULL) == PAIL_OK) ||
               fail_with("pail_msm", backend->error(context));
    }
    if (good) {
        good = (memcmp(result.x, expected, width / 2) == 0 &&
                memcmp(result.y, expected + width / 2, width / 2) == 0) ||
               fail_with("pail_msm", "the sum is wrong");
    }
    if (backend) {
        backend->bases_destroy(context, &bases);
        backend->context_destroy(&context);
    }
    free(scalars);
    free(points);
    return good || skipped;
}

/* Points through all forms that the group has. */
static bool convert(const struct pail_curve_ops *ops)
{
    uint8_t points[4 * 2 * PAIL_COORDINATE_MAX], back[sizeof points], encoded[4 * 512];
    const size_t bytes = 4 * 2 * ops->coordinate_bytes;
    unsigned forms = 0;
    pail_make_bases(ops, points, false, 0, 4, PAIL_BASES_DISTINCT, 1);
    for (uint32_t encoding = 0; encoding < 16; encoding++) {
        const pail_point_format format =
            SIZED(pail_point_format, .curve = ops->curve, .group = ops->group, .form = encoding,
                  .validation = PAIL_VALIDATE_SUBGROUP);
        const size_t each = pail_point_bytes(&format);
        if (each == 0 || each > 512)
            continue;
        if (pail_points_encode(encoded, NULL, &format, points, 4, sentence, sizeof sentence) !=
                PAIL_OK ||
            pail_points_decode(back, NULL, &format, encoded, 4 * each, 4, sentence,
                               sizeof sentence) != PAIL_OK)
            return false;
        if (memcmp(points, back, bytes) != 0)
            return fail_with("pail_points_decode", "a point has changed");
        forms++;
    }
    return forms > 0 || fail_with("pail_point_bytes", "no form at all");
}

static void *run(void *argument)
{
    static const char *const arithmetics[] = {"", "portable", "adx", "avx2", "ifma"};
    const pail_registry_params params =
        SIZED(pail_registry_params, .flags = PAIL_REGISTRY_PATH_ONLY,
              .path = PAIL_TEST_FAKES ":/nowhere:relative");
    bool *good = argument;
    *good = pail_registry_create(&registry, &params, sentence, sizeof sentence) == PAIL_OK;
    for (size_t i = 0; i < sizeof arithmetics / sizeof arithmetics[0] && *good; i++) {
        *good = setenv("PAIL_CPU", arithmetics[i], 1) == 0;
        for (uint32_t curve = 1; curve <= 2 && *good; curve++) {
            for (uint32_t group = 1; group <= 2 && *good; group++) {
                *good = multiply(pail_curve_ops(curve, group)) &&
                        (i > 0 || convert(pail_curve_ops(curve, group)));
            }
        }
    }
    pail_registry_destroy(&registry);
    return NULL;
}

PAIL_TEST(small_stack)
{
    bool good = false;
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, run, &good), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pthread_attr_destroy(&attributes), 0);
    if (!good)
        fail_msg("%s", sentence);
}
