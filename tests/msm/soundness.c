/* SPDX-License-Identifier: Apache-2.0 */
/* Faults that other programs of this kind have had, each looked for where it would show: see
 * docs/faults.md. */

#include "support/test.h"

#include <curves/inputs.h>
#include <curves/rng.h>

#include "support/plugin_group.h"

struct set {
    const struct pail_curve_ops *ops;
    size_t n;
    enum pail_base_kind kind;
    uint64_t seed;
    pail_bases *bases;
};

static struct set make_set(const struct pail_curve_ops *ops, size_t n, enum pail_base_kind kind,
                           uint64_t seed)
{
    struct set set = {ops, n, kind, seed, NULL};
    uint8_t *points = malloc(n * 2 * ops->coordinate_bytes + 1);
    assert_non_null(points);
    pail_make_bases(ops, points, true, 0, n, kind, seed);
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = ops->curve, .group = ops->group,
              .encoding = PAIL_ENCODING_MONTGOMERY, .validation = PAIL_VALIDATE_CURVE,
              .points = points, .n_points = n);
    if (plugin.api->bases_create(plugin.context, &set.bases, NULL, &desc) != PAIL_OK)
        fail_msg("%s %s: %s", ops->curve_name, ops->group_name, plugin.api->error(plugin.context));
    free(points);
    return set;
}

static void free_set(struct set *set)
{
    plugin.api->bases_destroy(plugin.context, &set->bases);
}

/* Multiplies and compares with the closed form. */
static pail_stats check_job(const struct set *set, const pail_msm_job *job,
                            const pail_msm_config *config)
{
    const size_t first = job->base_offset, n = job->n;
    pail_pending *pending = NULL;
    pail_msm_result result = {.struct_size = sizeof(result)};
    pail_stats stats = {.struct_size = sizeof(stats)};
    if (plugin.api->msm_start(plugin.context, &pending, job, 1, config) != PAIL_OK ||
        plugin.api->msm_finish(&pending, &result, 1, &stats) != PAIL_OK)
        fail_msg("n %zu: %s", n, plugin.api->error(plugin.context));
    const struct pail_curve_ops *ops = set->ops;
    pail_point expected;
    pail_expected_msm(ops, &expected, job->scalars, first, n, set->kind, set->seed);
    if (!test_result_is(ops, &result, &expected))
        fail_msg("%s %s: n %zu from %zu of %s bases, seed %llu, window %u, batches %u: wrong",
                 ops->curve_name, ops->group_name, n, first, pail_base_kind_name(set->kind),
                 (unsigned long long)set->seed, stats.window_bits, stats.batches);
    return stats;
}

/* The same for n bases from `first` on. */
static pail_stats check(const struct set *set, size_t first, size_t n, const uint8_t *scalars,
                        const pail_msm_config *config)
{
    const pail_msm_job job =
        SIZED(pail_msm_job, .bases = set->bases, .base_offset = first, .scalars = scalars, .n = n);
    return check_job(set, &job, config);
}

static const struct pail_curve_ops *bn254(void)
{
    return pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
}

/* Magnitude of the signed digit of window w: bits of the scalar, the top one counted negatively,
 * and the bit below. */
static uint32_t magnitude(const uint8_t scalar[32], uint32_t w, uint32_t c)
{
    int64_t digit = 0;
    for (uint32_t i = 0; i <= c; i++) {
        const uint32_t at = w * c + i; /* index of the bit above the one that is taken */
        if (at == 0 || at > 256)
            continue;
        const int64_t bit = scalar[(at - 1) / 8] >> ((at - 1) % 8) & 1;
        digit += i == 0 ? bit : i == c ? -(bit << (c - 1)) : bit << (i - 1);
    }
    return (uint32_t)(digit < 0 ? -digit : digit);
}

/* The kernels do the additions that there are to do, neither fewer nor more: in each bucket one
 * less than it has points. A kernel that did nothing, beside another that did its work, shows.
 * Slow drivers get points for several workgroups, and no more. */
PAIL_TEST(test_additions)
{
    enum { MOST = 1000 };
    static uint8_t scalars[32 * MOST];
    const size_t n = plugin_is_slow() ? 257 : MOST;
    struct set set = make_set(bn254(), n, PAIL_BASES_DISTINCT, 21);
    pail_make_scalars(bn254(), scalars, n, PAIL_SCALARS_UNIFORM, 21);
    for (uint32_t c = 4; c <= 10; c += 3) {
        for (uint32_t batches = 1; batches <= 4; batches += 3) {
            const pail_msm_config config =
                SIZED(pail_msm_config, .window_bits = c, .force_batches = batches);
            const pail_stats stats = check(&set, 0, n, scalars, &config);
            assert_int_equal(stats.window_bits, c);
            uint64_t adds = 0;
            uint8_t *used = calloc(1, ((size_t)1 << (c - 1)) + 1);
            assert_non_null(used);
            for (uint32_t w = 0; w < stats.windows; w++) {
                memset(used, 0, ((size_t)1 << (c - 1)) + 1);
                for (size_t i = 0; i < n; i++) {
                    const uint32_t m = magnitude(scalars + 32 * i, w, c);
                    adds += m && used[m];
                    used[m] = 1;
                }
            }
            free(used);
            /* To a piece that happens to be infinity nothing is added. */
            assert_in_range(stats.adds, adds - adds / 1000, adds);
        }
    }
    free_set(&set);
}

/* Device times are taken in every run; what they are taken with must not run out. */
PAIL_TEST(test_many_runs)
{
    if (!(plugin.device.features & PAIL_FEATURE_TIMESTAMPS))
        SKIP_BECAUSE("the device has no timestamps");
    enum { N = 2 };
    struct set set = make_set(bn254(), N, PAIL_BASES_DISTINCT, 22);
    const int runs = plugin_is_slow() ? 100 : 1000;
    for (int i = 0; i < runs; i++) {
        const uint8_t scalars[32 * N] = {[0] = (uint8_t)i, [32] = 1};
        const pail_msm_job job =
            SIZED(pail_msm_job, .bases = set.bases, .scalars = scalars, .n = N, .scalar_bits = 8);
        const pail_stats stats = check_job(&set, &job, NULL);
        assert_true(stats.n_phases > 0 && stats.wall_ms > 0);
    }
    free_set(&set);
}

/* Small n with every window: fewer points than buckets, one point, buckets of two and three. Beside
 * uniform scalars, all 2 (one bucket that is not the first), and one scalar that is not zero. */
PAIL_TEST(test_small)
{
    static const size_t sizes[] = {1, 2, 3, 5, 31, 100, 255, 257};
    enum { MOST = 257 };
    static uint8_t scalars[32 * MOST];
    struct set distinct = make_set(bn254(), MOST, PAIL_BASES_DISTINCT, 23);
    struct set equal = make_set(bn254(), MOST, PAIL_BASES_EQUAL, 24);
    for (uint32_t c = 2; c <= 16; c += plugin_is_slow() ? 5 : 1)
        for (size_t i = c % 2; i < sizeof(sizes) / sizeof(sizes[0]); i += 2) {
            const pail_msm_config config = SIZED(pail_msm_config, .window_bits = c);
            const size_t n = sizes[i];
            pail_make_scalars(bn254(), scalars, n, PAIL_SCALARS_UNIFORM, c);
            check(&distinct, 0, n, scalars, &config);
            memset(scalars, 0, 32 * n);
            switch ((c + i) % 3) {
            case 0:
                for (size_t k = 0; k < n; k++)
                    scalars[32 * k] = 2;
                check(&equal, 0, n, scalars, &config);
                break;
            case 1:
                scalars[32 * (n / 2) + 9] = 1;
                check(&distinct, 0, n, scalars, &config);
                break;
            default: /* buckets of equal sums */
                for (size_t k = 0; k < n; k++)
                    scalars[32 * k] = (uint8_t)(1 + k % 16);
                check(&equal, 0, n, scalars, &config);
                break;
            }
        }
    free_set(&distinct);
    free_set(&equal);
}

/* Sizes around powers of two, from offsets, with scalars as programs have them: uniform, half of
 * them tiny, all tiny, constant, few different. */
PAIL_TEST(test_profiles)
{
    enum { MOST = 4200, PROFILES = 5 };
    static uint8_t scalars[32 * MOST];
    struct set set = make_set(bn254(), MOST, PAIL_BASES_MULTIPLES, 25);
    struct pail_rng rng;
    pail_rng_init(&rng, 25);
    for (uint32_t log2_n = 3; log2_n <= (plugin_is_slow() ? 8u : 12u);
         log2_n += plugin_is_slow() ? 5 : 3)
        for (size_t n = ((size_t)1 << log2_n) - 1; n <= ((size_t)1 << log2_n) + 1; n++)
            for (int profile = 0; profile < PROFILES; profile++) {
                pail_make_scalars(bn254(), scalars, n,
                                  profile == 3 ? PAIL_SCALARS_EQUAL : PAIL_SCALARS_UNIFORM, n);
                for (size_t i = 0; i < n; i++) {
                    if (profile == 1 && pail_rng_below(&rng, 2)) {
                        memset(scalars + 32 * i, 0, 32);
                        scalars[32 * i] = (uint8_t)pail_rng_below(&rng, 4);
                    } else if (profile == 2) {
                        memset(scalars + 32 * i, 0, 32);
                        scalars[32 * i] = (uint8_t)pail_rng_below(&rng, 16);
                    } else if (profile == 4 && i >= 3) {
                        memcpy(scalars + 32 * i, scalars + 32 * (i % 3), 32);
                    }
                }
                check(&set, (size_t)profile * 13, n, scalars, NULL);
            }
    free_set(&set);
}

/* 50 multiplications of random shape one after another on one context: what one leaves behind must
 * not be seen by the next. Once a group has been used with many buckets, nothing about n or the
 * window makes another pipeline. */
PAIL_TEST(test_reuse)
{
    enum { MOST = 3000 };
    static uint8_t scalars[32 * MOST];
    static const uint32_t groups[][2] = {{PAIL_CURVE_BN254, PAIL_G1},
                                         {PAIL_CURVE_BLS12_381, PAIL_G1},
                                         {PAIL_CURVE_BN254, PAIL_G2},
                                         {PAIL_CURVE_BLS12_381, PAIL_G2}};
    const size_t n_groups = plugin_is_slow() ? 1 : sizeof(groups) / sizeof(groups[0]);
    bool used[4] = {false};
    struct pail_rng rng;
    pail_rng_init(&rng, 26);
    for (int i = 0; i < (plugin_is_slow() ? 12 : 50); i++) {
        const size_t g = (size_t)pail_rng_below(&rng, n_groups);
        const struct pail_curve_ops *ops = pail_curve_ops(groups[g][0], groups[g][1]);
        assert_non_null(ops);
        const size_t most = g || plugin_is_slow() ? 400 : MOST;
        const size_t n = 1 + (size_t)pail_rng_below(&rng, most);
        const size_t first = (size_t)pail_rng_below(&rng, n);
        struct set set =
            make_set(ops, n, (enum pail_base_kind)pail_rng_below(&rng, PAIL_BASES_COUNT),
                     pail_rng_next(&rng));
        pail_make_scalars(ops, scalars, n - first,
                          (enum pail_scalar_dist)pail_rng_below(&rng, PAIL_SCALARS_COUNT),
                          pail_rng_next(&rng));
        pail_msm_config config = SIZED(
            pail_msm_config,
            .window_bits = pail_rng_below(&rng, 2) ? 2 + (uint32_t)pail_rng_below(&rng, 10) : 0,
            .force_batches = pail_rng_below(&rng, 2) ? 1 + (uint32_t)pail_rng_below(&rng, 9) : 0,
            .threads = pail_rng_below(&rng, 2) ? 1 + (uint32_t)pail_rng_below(&rng, 999) : 0);
        /* Many buckets may take a kernel that few do not. */
        if (!used[g]) {
            config.window_bits = 11;
            config.force_batches = 1;
        }
        const pail_stats stats = check(&set, first, n - first, scalars, &config);
        if (used[g])
            assert_int_equal(stats.pipelines_compiled, 0);
        used[g] = true;
        free_set(&set);
    }
}

/* A knob is either in force, and then the statistics say so, or refused: never ignored. */
PAIL_TEST(test_knobs)
{
    enum { N = 300 };
    uint8_t scalars[32 * N];
    struct set set = make_set(bn254(), N, PAIL_BASES_PAIRS, 27);
    pail_make_scalars(bn254(), scalars, N, PAIL_SCALARS_UNIFORM, 27);
    for (uint32_t c = 3; c <= 11; c += 4)
        assert_int_equal(
            check(&set, 0, N, scalars, &(pail_msm_config)SIZED(pail_msm_config, .window_bits = c))
                .window_bits,
            c);
    for (uint32_t batches = 1; batches <= 5; batches += 2)
        assert_int_equal(check(&set, 0, N, scalars,
                               &(pail_msm_config)SIZED(pail_msm_config, .window_bits = 4,
                                                       .force_batches = batches))
                             .batches,
                         batches);
    for (uint32_t threads = 10; threads <= 1000; threads *= 10)
        assert_int_equal(
            check(&set, 0, N, scalars, &(pail_msm_config)SIZED(pail_msm_config, .threads = threads))
                .threads,
            threads);
    for (uint32_t workgroup = 32; workgroup <= 128; workgroup *= 2)
        assert_int_equal(check(&set, 0, N, scalars,
                               &(pail_msm_config)SIZED(pail_msm_config, .workgroup = workgroup))
                             .workgroup,
                         workgroup);
    if (!plugin_is_slow()) {
        uint64_t hash[2];
        for (uint32_t field = PAIL_FIELD_LIMB32; field <= PAIL_FIELD_LIMB29; field++) {
            const pail_msm_config config = SIZED(pail_msm_config, .field = field);
            const pail_stats stats = check(&set, 0, N, scalars, &config);
            assert_int_equal(stats.field, field);
            hash[field - PAIL_FIELD_LIMB32] = stats.kernel_hash;
        }
        assert_true(hash[0] != hash[1]); /* it is another kernel, not another name */
    }
    free_set(&set);
}

PAIL_TEST_GROUP(plugin_setup, plugin_teardown)
