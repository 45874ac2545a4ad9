/* SPDX-License-Identifier: Apache-2.0 */
/* Jacobian points: the same sums as affine ones, wherever their coordinates come from; which of
 * them are refused, and by which number. */

#include "support/jacobian.h"
#include "support.h"
#include "support/test.h"
#include <curves/inputs.h>

enum { STRIDE_MORE = 8, THREADS = 3 };
/* No multiple of a batch; of one group more than a task, which is where threads come in. */
static size_t n_points;

struct given {
    struct test_cpu cpu;
    size_t width, stride;
    uint8_t *affine, *packed, *strided, *scalars;
};

/* In the strided ones, points at infinity are told by a byte behind them, and z is not below p. */
static void begin(struct given *g, enum pail_base_kind kind)
{
    test_cpu_begin(&g->cpu, THREADS);
    g->width = test_ops()->coordinate_bytes;
    g->stride = 3 * g->width + STRIDE_MORE;
    g->affine = malloc(2 * g->width * n_points);
    g->packed = malloc(3 * g->width * n_points);
    g->strided = calloc(n_points, g->stride);
    g->scalars = malloc(32 * n_points);
    assert_true(g->affine && g->packed && g->strided && g->scalars);
    pail_make_bases(test_ops(), g->affine, true, 0, n_points, kind, 3);
    pail_make_scalars(test_ops(), g->scalars, n_points, PAIL_SCALARS_SMALL, 4);
    test_jacobians(g->packed, g->affine, n_points, test_ops(), 5);
    for (size_t i = 0; i < n_points; i++) {
        static const uint8_t zero[POINT_MAX];
        uint8_t *const to = g->strided + i * g->stride;
        memcpy(to, g->packed + 3 * g->width * i, 3 * g->width);
        to[g->stride - 1] = memcmp(to + 2 * g->width, zero, g->width) == 0;
        if (to[g->stride - 1])
            memset(to + 2 * g->width, 0xff, g->width);
    }
}

static void end(struct given *g)
{
    test_cpu_end(&g->cpu);
    free(g->affine);
    free(g->packed);
    free(g->strided);
    free(g->scalars);
}

static pail_status give(void *user, void *to, uint64_t offset, size_t bytes)
{
    memcpy(to, (const uint8_t *)user + offset, bytes);
    return PAIL_OK;
}

static pail_bases_desc describe(const struct given *g, uint32_t encoding, const void *points)
{
    return (pail_bases_desc)SIZED(pail_bases_desc, .curve = test_ops()->curve,
                                  .group = test_ops()->group, .encoding = encoding,
                                  .validation = PAIL_VALIDATE_CURVE,
                                  .stride = points == g->strided ? g->stride : 0,
                                  .infinity_byte = points == g->strided ? (uint32_t)g->stride : 0,
                                  .points = points, .n_points = n_points);
}

/* Destroys the set. */
static void multiply(struct given *g, uint8_t sum[POINT_MAX], pail_bases_info *info,
                     const pail_bases_desc *desc)
{
    const pail_backend *const backend = g->cpu.backend;
    pail_bases *bases;
    if (backend->bases_create(g->cpu.context, &bases, NULL, desc) != PAIL_OK)
        fail_msg("%s", backend->error(g->cpu.context));
    *info = (pail_bases_info){.struct_size = sizeof *info};
    assert_int_equal(backend->bases_info(bases, info), PAIL_OK);
    const pail_msm_job job =
        SIZED(pail_msm_job, .bases = bases, .scalars = g->scalars, .n = n_points, .scalar_bits = 4);
    test_msm(&g->cpu, sum, &job, NULL, NULL);
    backend->bases_destroy(g->cpu.context, &bases);
}

PAIL_TEST(same_sums)
{
    static const enum pail_base_kind kinds[] = {PAIL_BASES_DISTINCT, PAIL_BASES_INFINITY};
    for (size_t k = 0; k < 2; k++) {
        struct given g;
        begin(&g, kinds[k]);
        uint8_t want[POINT_MAX], got[POINT_MAX];
        pail_bases_info affine, info;
        pail_bases_desc desc = describe(&g, PAIL_ENCODING_MONTGOMERY, g.affine);
        multiply(&g, want, &affine, &desc);
        for (uint32_t way = 0; way < 8; way++) {
            const uint8_t *const points = way & 1 ? g.strided : g.packed;
            desc = describe(&g, PAIL_ENCODING_JACOBIAN, points);
            desc.flags = way & 2 ? PAIL_BASES_KEEP_INFINITIES : 0;
            if (way & 4) {
                desc.points = NULL;
                desc.read_points = give;
                desc.read_user = (void *)(uintptr_t)points;
            }
            multiply(&g, got, &info, &desc);
            assert_memory_equal(got, want, sizeof got);
            assert_int_equal(info.n_infinities, affine.n_infinities);
            assert_int_equal(info.n_kept, way & 2 ? n_points : affine.n_kept);
        }
        end(&g);
    }
}

static void expect_bad(struct given *g, uint32_t validation, size_t number, const char *what)
{
    pail_bases_desc desc = describe(g, PAIL_ENCODING_JACOBIAN, g->packed);
    desc.validation = validation;
    pail_bases *bases = NULL;
    size_t bad = 0;
    char place[40];
    const pail_status status = g->cpu.backend->bases_create(g->cpu.context, &bases, &bad, &desc);
    snprintf(place, sizeof place, "point %zu (x = 0x", number);
    assert_int_equal(status, what != NULL ? PAIL_ERR_DATA : PAIL_OK);
    assert_int_equal(bad, number);
    if (what != NULL) {
        assert_ptr_equal(strstr(g->cpu.backend->error(g->cpu.context), place),
                         g->cpu.backend->error(g->cpu.context));
        assert_non_null(strstr(g->cpu.backend->error(g->cpu.context), what));
    }
    g->cpu.backend->bases_destroy(g->cpu.context, &bases);
}

PAIL_TEST(refused)
{
    struct given g;
    begin(&g, PAIL_BASES_DISTINCT);
    const size_t width = g.width;
    expect_bad(&g, PAIL_VALIDATE_SUBGROUP, SIZE_MAX, NULL);
    const size_t last = n_points - 1;
    g.packed[3 * width * last + width] ^= 1;
    expect_bad(&g, PAIL_VALIDATE_NONE, SIZE_MAX, NULL);
    expect_bad(&g, PAIL_VALIDATE_CURVE, last, "is not on");
    memset(g.packed + 3 * width * 1007, 0, 2 * width); /* (0, 0, z) is no infinity */
    expect_bad(&g, PAIL_VALIDATE_NONE, SIZE_MAX, NULL);
    expect_bad(&g, PAIL_VALIDATE_CURVE, 1007, "is not on");
    for (size_t c = 0; c < 3; c++) { /* z, y, x */
        const size_t number = 1006 - 300 * c;
        memset(g.packed + 3 * width * number + (3 - c) * width - 8, 0xff, 8);
        expect_bad(&g, PAIL_VALIDATE_NONE, number, "has a coordinate that is not below p");
        expect_bad(&g, PAIL_VALIDATE_CURVE, number, "has a coordinate that is not below p");
    }
    memset(g.packed + 3 * width * 33 + 2 * width, 0, width); /* infinity before them is good */
    expect_bad(&g, PAIL_VALIDATE_CURVE, 406, "has a coordinate that is not below p");
    end(&g);
}

PAIL_TEST_MAIN
{
    int failed = 0;
    for (uint32_t curve = PAIL_CURVE_BN254; curve <= PAIL_CURVE_BLS12_381; curve++)
        for (uint32_t group = PAIL_G1; group <= PAIL_G2; group++) {
            char name[32];
            test_choose(pail_curve_ops(curve, group));
            n_points = curve == PAIL_CURVE_BN254 && group == PAIL_G1 ? 20000 : 2100;
            snprintf(name, sizeof name, "%s %s", test_ops()->curve_name, test_ops()->group_name);
            failed += test_run(name, NULL, NULL);
        }
    return failed;
}
