/* SPDX-License-Identifier: Apache-2.0 */
/* Every function by its name, in its owner's memory layout, against closed forms. */
#include <pthread.h>

#include "support/jacobian.h"
#include "support/test.h"
#include <curves/curve_ops.h>
#include <curves/inputs.h>
#include <hooks.h>

enum { MANY = 700, WIDEST = 96 };

/* Points and scalars as a peer has them, and the sum as an affine point in Montgomery form. */
struct given {
    const struct pail_curve_ops *ops;
    size_t n;
    uint8_t *points, *integers, *elements; /* elements: in Montgomery form */
    uint8_t one[WIDEST], x[WIDEST], y[WIDEST];
    bool infinity;
};

/* 2^256 mod r. */
static void scalar_radix(pail_u256 *radix, const struct pail_curve_ops *ops)
{
    const pail_u256 one = {{1}}, largest = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
    ops->scalar_add(radix, &largest, &one);
}

static void make(struct given *given, uint32_t curve, uint32_t group, size_t n,
                 enum pail_base_kind kind, enum pail_scalar_dist dist)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(curve, group);
    *given = (struct given){.ops = ops, .n = n};
    given->points = calloc(n + 1, 2 * ops->coordinate_bytes);
    given->integers = calloc(n + 1, 32);
    given->elements = calloc(n + 1, 32);
    assert_true(given->points && given->integers && given->elements);
    pail_make_bases(ops, given->points, true, 0, n, kind, 7);
    pail_make_scalars(ops, given->integers, n, dist, 8);
    pail_u256 radix, scalar;
    scalar_radix(&radix, ops);
    for (size_t i = 0; i < n; i++) {
        pail_u256_from_bytes(&scalar, given->integers + 32 * i);
        ops->scalar_mul(&scalar, &scalar, &radix);
        pail_u256_to_bytes(given->elements + 32 * i, &scalar);
    }
    pail_point sum;
    pail_affine affine;
    uint8_t bytes[2 * WIDEST] = {1};
    (void)ops->decode(&affine, bytes, false);
    ops->encode(bytes, &affine, true);
    memcpy(given->one, bytes, ops->coordinate_bytes);
    pail_expected_msm(ops, &sum, given->integers, 0, n, kind, 7);
    given->infinity = ops->is_infinity(&sum);
    ops->to_affine(&affine, &sum);
    ops->encode(bytes, &affine, true);
    memcpy(given->x, bytes, ops->coordinate_bytes);
    memcpy(given->y, bytes + ops->coordinate_bytes, ops->coordinate_bytes);
}

static void drop(struct given *given)
{
    free(given->points);
    free(given->integers);
    free(given->elements);
}

static void expect(const struct given *given, const void *sum, const char *infinity)
{
    static const uint8_t zero[WIDEST];
    const size_t width = given->ops->coordinate_bytes;
    const uint8_t *const part[3] = {given->x, given->y, given->one};
    for (size_t i = 0; i < 3; i++) {
        const uint8_t *const expected = !given->infinity     ? part[i]
                                        : infinity[i] == '1' ? given->one
                                                             : zero;
        assert_memory_equal((const uint8_t *)sum + i * width, expected, width);
    }
}

/* ---- sppark ---------------------------------------------------------------------------------- */
static void expect_good(pail_rust_error error)
{
    if (error.code != 0)
        fail_msg("%s", error.message);
    assert_null(error.message);
}

static void expect_bad(pail_rust_error error, int code, const char *part)
{
    assert_int_equal(error.code, code);
    assert_non_null(error.message);
    assert_non_null(strstr(error.message, part));
    assert_string_equal(error.message, pail_hooks_error());
    free(error.message);
}

PAIL_TEST(sppark)
{
    static const size_t sizes[] = {0, 1, 33, MANY};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct given given;
        pail_blst_p1 sum;
        make(&given, PAIL_CURVE_BLS12_381, PAIL_G1, sizes[i], PAIL_BASES_INFINITY,
             PAIL_SCALARS_UNIFORM);
        memset(&sum, 0xff, sizeof(sum));
        expect_good(mult_pippenger(&sum, (const void *)given.points, given.n,
                                   (const void *)given.elements));
        expect(&given, &sum, "000");
        void *msm = prepare_msm((const void *)given.points, given.n);
        assert_non_null(msm);
        memset(given.points, 0xff, given.n * 96); /* they are copied */
        for (int again = 0; again < 2; again++) {
            memset(&sum, 0xff, sizeof(sum));
            expect_good(mult_pippenger_prepared(msm, &sum, given.n, (const void *)given.elements));
            expect(&given, &sum, "000");
        }
        pail_hooks_drop_msm(msm);
        drop(&given);
    }
}

PAIL_TEST(sppark_refuses)
{
    struct given given;
    pail_blst_p1 sum;
    static const pail_blst_p1 zero;
    make(&given, PAIL_CURVE_BLS12_381, PAIL_G1, 9, PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM);
    void *msm = prepare_msm((const void *)given.points, 8);
    assert_non_null(msm);
    memset(&sum, 0xff, sizeof(sum));
    expect_bad(mult_pippenger_prepared(msm, &sum, 9, (const void *)given.elements),
               PAIL_ERR_ARGUMENT, "9 scalars for 8 prepared points");
    assert_memory_equal(&sum, &zero, sizeof(sum));
    expect_good(mult_pippenger_prepared(msm, &sum, 8, (const void *)given.elements));
    assert_string_equal(pail_hooks_error(), "");
    expect_bad(mult_pippenger_prepared(NULL, &sum, 1, (const void *)given.elements),
               PAIL_ERR_ARGUMENT, "msm is NULL");
    memset(given.points + 96 * 5, 0xff, 48); /* not below p */
    assert_null(prepare_msm((const void *)given.points, 9));
    assert_non_null(strstr(pail_hooks_error(), "5"));
    memset(&sum, 0xff, sizeof(sum));
    expect_bad(mult_pippenger(&sum, (const void *)given.points, 9, (const void *)given.elements),
               PAIL_ERR_DATA, "5");
    assert_memory_equal(&sum, &zero, sizeof(sum));
    pail_hooks_drop_msm(msm);
    pail_hooks_drop_msm(NULL);
    drop(&given);
}

/* ---- constantine ----------------------------------------------------------------------------- */
typedef void (*ctt_msm)(void *r, const void *coefs, const void *points, size_t len);
typedef void (*ctt_msm_parallel)(const void *tp, void *r, const void *coefs, const void *points,
                                 size_t len);

#define ROW(name, c, g, form)                                                                      \
    {                                                                                              \
        ctt_##name##_##form##_multi_scalar_mul_big_coefs_vartime,                                  \
            ctt_##name##_##form##_multi_scalar_mul_fr_coefs_vartime, c, g,                         \
            (#form)[0] == 'j' ? "110" : "010"                                                      \
    }
#define ROW_PARALLEL(name, c, form)                                                                \
    {                                                                                              \
        ctt_##name##_g1_##form##_multi_scalar_mul_big_coefs_vartime_parallel,                      \
            ctt_##name##_g1_##form##_multi_scalar_mul_fr_coefs_vartime_parallel, c,                \
            (#form)[0] == 'j' ? "110" : "010"                                                      \
    }

PAIL_TEST(constantine)
{
    static const struct {
        ctt_msm big, fr;
        uint32_t curve, group;
        const char *infinity;
    } rows[] = {
        ROW(bn254_snarks_g1, PAIL_CURVE_BN254, PAIL_G1, jac),
        ROW(bn254_snarks_g1, PAIL_CURVE_BN254, PAIL_G1, prj),
        ROW(bn254_snarks_g2, PAIL_CURVE_BN254, PAIL_G2, jac),
        ROW(bn254_snarks_g2, PAIL_CURVE_BN254, PAIL_G2, prj),
        ROW(bls12_381_g1, PAIL_CURVE_BLS12_381, PAIL_G1, jac),
        ROW(bls12_381_g1, PAIL_CURVE_BLS12_381, PAIL_G1, prj),
        ROW(bls12_381_g2, PAIL_CURVE_BLS12_381, PAIL_G2, jac),
        ROW(bls12_381_g2, PAIL_CURVE_BLS12_381, PAIL_G2, prj),
    };
    static const size_t sizes[] = {0, 1, 50};
    for (size_t i = 0; i < 3 * sizeof(rows) / sizeof(rows[0]); i++) {
        const size_t row = i / 3;
        struct given given;
        uint8_t sum[3 * WIDEST];
        make(&given, rows[row].curve, rows[row].group, sizes[i % 3], PAIL_BASES_DISTINCT,
             PAIL_SCALARS_UNIFORM);
        memset(sum, 0xff, sizeof(sum));
        rows[row].big(sum, given.integers, given.points, given.n);
        assert_string_equal(pail_hooks_error(), "");
        expect(&given, sum, rows[row].infinity);
        memset(sum, 0xff, sizeof(sum));
        rows[row].fr(sum, given.elements, given.points, given.n);
        expect(&given, sum, rows[row].infinity);
        drop(&given);
    }
}

PAIL_TEST(constantine_parallel)
{
    static const struct {
        ctt_msm_parallel big, fr;
        uint32_t curve;
        const char *infinity;
    } rows[] = {
        ROW_PARALLEL(bn254_snarks, PAIL_CURVE_BN254, jac),
        ROW_PARALLEL(bn254_snarks, PAIL_CURVE_BN254, prj),
        ROW_PARALLEL(bls12_381, PAIL_CURVE_BLS12_381, jac),
        ROW_PARALLEL(bls12_381, PAIL_CURVE_BLS12_381, prj),
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct given given;
        uint8_t sum[3 * WIDEST];
        make(&given, rows[i].curve, PAIL_G1, 50, PAIL_BASES_PAIRS, PAIL_SCALARS_EQUAL);
        assert_true(given.infinity); /* P - P + Q - Q ... */
        rows[i].big(NULL, sum, given.integers, given.points, given.n);
        expect(&given, sum, rows[i].infinity);
        rows[i].fr(NULL, sum, given.elements, given.points, given.n);
        expect(&given, sum, rows[i].infinity);
        drop(&given);
    }
}

PAIL_TEST(constantine_refuses)
{
    static const uint8_t zero[96];
    struct given given;
    uint8_t sum[96];
    make(&given, PAIL_CURVE_BN254, PAIL_G1, 3, PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM);
    memset(given.points + 64, 0xff, 32);
    memset(sum, 0xff, sizeof(sum));
    ctt_bn254_snarks_g1_jac_multi_scalar_mul_fr_coefs_vartime(sum, given.elements, given.points, 3);
    assert_non_null(strstr(pail_hooks_error(), "1"));
    assert_memory_equal(sum, zero, sizeof(sum));
    drop(&given);
}

/* ---- c-kzg ----------------------------------------------------------------------------------- */
/* Jacobian points with z = 1 and zeros at infinity, or with a z of each point's own and any x and y
 * at infinity. */
static pail_blst_p1 *jacobian(const struct given *given, bool own)
{
    pail_blst_p1 *const points = calloc(given->n + 1, sizeof(*points));
    assert_non_null(points);
    for (size_t i = 0; i < given->n; i++)
        test_jacobian((uint8_t *)&points[i], given->points + 96 * i, given->ops,
                      own ? 2 * i + 1 : 0);
    return points;
}

PAIL_TEST(c_kzg)
{
    static const size_t sizes[] = {0, 1, 7, 64, MANY};
    for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct given given;
        make(&given, PAIL_CURVE_BLS12_381, PAIL_G1, sizes[i / 2], PAIL_BASES_INFINITY,
             PAIL_SCALARS_UNIFORM);
        pail_blst_p1 sum, *const points = jacobian(&given, i % 2 != 0);
        for (int again = 0; again < 2; again++) {
            memset(&sum, 0xff, sizeof(sum));
            assert_int_equal(g1_lincomb_fast(&sum, points, (const void *)given.elements, given.n),
                             0);
            expect(&given, &sum, "000");
        }
        free(points);
        drop(&given);
    }
}

/* A set is found by what is in it, and not by where it is. More sets than are kept. */
PAIL_TEST(c_kzg_sets)
{
    struct given given[7];
    pail_blst_p1 *points[7], *const place = calloc(MANY, sizeof(*place)), sum;
    assert_non_null(place);
    for (size_t i = 0; i < 7; i++) {
        make(&given[i], PAIL_CURVE_BLS12_381, PAIL_G1, MANY, (enum pail_base_kind)(i % 6),
             PAIL_SCALARS_UNIFORM);
        points[i] = jacobian(&given[i], i % 2 != 0);
    }
    for (size_t round = 0; round < 3; round++)
        for (size_t i = 0; i < 7; i++) {
            memcpy(place, points[i], MANY * sizeof(*place));
            assert_int_equal(g1_lincomb_fast(&sum, place, (const void *)given[i].elements, MANY),
                             0);
            expect(&given[i], &sum, "000");
        }
    for (size_t i = 0; i < 7; i++) {
        free(points[i]);
        drop(&given[i]);
    }
    free(place);
}

PAIL_TEST(c_kzg_refuses)
{
    static const pail_blst_p1 zero;
    struct given given;
    make(&given, PAIL_CURVE_BLS12_381, PAIL_G1, 10, PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM);
    for (int own = 0; own < 2; own++) {
        pail_blst_p1 sum, *const points = jacobian(&given, own != 0);
        memset(points[3].y, 0xff, sizeof(points[3].y));
        memset(&sum, 0xff, sizeof(sum));
        assert_int_equal(g1_lincomb_fast(&sum, points, (const void *)given.elements, 10), 1);
        assert_non_null(strstr(pail_hooks_error(), "3"));
        assert_memory_equal(&sum, &zero, sizeof(sum));
        free(points);
    }
    pail_blst_p1 sum;
    assert_int_equal(g1_lincomb_fast(&sum, NULL, (const void *)given.elements, 1), 1);
    assert_string_equal(pail_hooks_error(), "p is NULL");
    assert_int_equal(g1_lincomb_fast(NULL, NULL, NULL, 0), 1);
    drop(&given);
}

/* ---- Several threads ------------------------------------------------------------------------- */
enum { THREADS = 4 };

struct work {
    struct given given;
    pail_blst_p1 *points;
    void *msm;
    size_t good;
};

static void *work(void *argument)
{
    struct work *const work = argument;
    for (int i = 0; i < 6; i++) {
        pail_blst_p1 sums[2];
        const int status = g1_lincomb_fast(&sums[0], work->points,
                                           (const void *)work->given.elements, work->given.n);
        const pail_rust_error error = mult_pippenger_prepared(work->msm, &sums[1], work->given.n,
                                                              (const void *)work->given.elements);
        work->good += status == 0 && error.code == 0 &&
                      memcmp(&sums[0], &sums[1], sizeof(sums[0])) == 0 &&
                      memcmp(sums[0].x, work->given.x, 48) == 0;
        free(error.message);
    }
    return NULL;
}

PAIL_TEST(threads)
{
    struct work works[THREADS];
    pthread_t ids[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        make(&works[i].given, PAIL_CURVE_BLS12_381, PAIL_G1, 600,
             i % 2 ? PAIL_BASES_DISTINCT : PAIL_BASES_MULTIPLES, PAIL_SCALARS_UNIFORM);
        works[i].points = jacobian(&works[i].given, false);
        works[i].msm = prepare_msm((const void *)works[i].given.points, 600);
        works[i].good = 0;
        assert_non_null(works[i].msm);
    }
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&ids[i], NULL, work, &works[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(ids[i], NULL), 0);
        assert_int_equal(works[i].good, 6);
        pail_hooks_drop_msm(works[i].msm);
        free(works[i].points);
        drop(&works[i].given);
    }
}

/* A process after it closed, and with a backend that is not there. */
PAIL_TEST(closing)
{
    sppark(state);
    pail_hooks_close();
    pail_hooks_close();
    c_kzg(state);
    pail_hooks_close();
    char *const wanted = getenv("PAIL_BACKEND") ? strdup(getenv("PAIL_BACKEND")) : NULL;
    assert_int_equal(setenv("PAIL_BACKEND", "nobody", 1), 0);
    pail_blst_p1 sum;
    static const pail_blst_p1_affine point;
    static const pail_blst_fr scalar;
    pail_rust_error error = mult_pippenger(&sum, &point, 1, &scalar);
    expect_bad(error, PAIL_ERR_ARGUMENT, "nobody");
    assert_int_equal(wanted ? setenv("PAIL_BACKEND", wanted, 1) : unsetenv("PAIL_BACKEND"), 0);
    free(wanted);
    expect_good(mult_pippenger(&sum, &point, 1, &scalar));
    pail_hooks_close();
}
