/* SPDX-License-Identifier: Apache-2.0 */
/* ICICLE's functions of single scalars and points over Pail. */
#include "icicle.h"

#include <curves/inputs.h>
#include <curves/scalar.h>
#include <platform/memory.h>

#include "abi/scan.h"

static void points(const struct curve_api *api, uint32_t group)
{
    const struct group_api *const g = &api->groups[group - 1];
    const struct pail_curve_ops *const ops = pail_curve_ops(api->curve, group);
    const size_t width = ops->coordinate_bytes;
    uint8_t p[288], q[288], r[288], s[288], affine[192], again[288], scalar[32] = {5};
    pail_affine generator;
    ops->generator(&generator);
    ops->encode(affine, &generator, false);
    g->generator(p);
    assert_memory_equal(p, affine, 2 * width);
    /* 5 G - G - G = 3 G, also with other coordinates of the same points. */
    g->mul_scalar(p, scalar, q);
    g->ecadd(p, p, r);
    g->ecsub(q, r, s);
    scalar[0] = 3;
    g->mul_scalar(p, scalar, again);
    assert_true(g->eq(s, again));
    assert_false(g->eq(s, q));
    assert_true(g->is_on_curve(s));
    g->to_affine(s, affine);
    g->from_affine(affine, r);
    assert_memory_equal(r, again, 3 * width);
    /* Infinity. */
    uint8_t zero[288] = {0}, infinity[288] = {0};
    infinity[width] = 1;
    g->ecsub(p, p, r);
    assert_memory_equal(r, infinity, 3 * width);
    assert_true(g->eq(r, infinity) && g->is_on_curve(r));
    assert_false(g->eq(r, p) || g->eq(p, r));
    assert_false(g->eq(zero, zero));
    g->to_affine(r, affine);
    assert_memory_equal(affine, zero, 2 * width);
    g->from_affine(affine, r);
    assert_memory_equal(r, infinity, 3 * width);
    g->ecadd(p, infinity, r);
    assert_true(g->eq(r, p));
    /* Coordinates of no point. */
    memcpy(r, p, 3 * width);
    r[0] ^= 1;
    assert_false(g->is_on_curve(r));
    memset(r, 0xff, width);
    g->ecadd(r, p, s);
    assert_memory_equal(s, zero, 3 * width);
    assert_non_null(strstr(pail_icicle_error(), "modulus"));
    g->base_from_u32(77, r);
    assert_int_equal(r[0], 77);
    assert_memory_equal(r + 1, zero, width - 1);
}

/* The same point with all coordinates times z, made from 2 G by formulas of a first course:
 * 3 G = G + 2 G. */
static void other_coordinates(const struct curve_api *api)
{
    const struct group_api *const g = &api->groups[0];
    const struct pail_curve_ops *const ops = pail_curve_ops(api->curve, PAIL_G1);
    const size_t width = ops->coordinate_bytes;
    uint8_t p[144], q[144], r[144];
    const VecOpsConfig config = {.batch_size = 1};
    /* Times R: the Montgomery form, read as if it were canonical. */
    g->generator(p);
    expect_status(g->projective_convert(p, 1, true, &config, q), SUCCESS);
    assert_memory_not_equal(p, q, width);
    assert_true(g->eq(p, q));
    assert_true(g->is_on_curve(q));
    g->ecadd(p, q, r);
    uint8_t two[32] = {2}, doubled[144], affine[96], expected[96];
    g->mul_scalar(q, two, doubled);
    assert_true(g->eq(r, doubled));
    g->to_affine(q, affine);
    g->to_affine(p, expected);
    assert_memory_equal(affine, expected, 2 * width);
}

PAIL_TEST(single_points)
{
    for (size_t i = 0; i < 2; i++) {
        points(&icicle_curves[i], PAIL_G1);
        points(&icicle_curves[i], PAIL_G2);
        other_coordinates(&icicle_curves[i]);
    }
}

/* 2 G of BN254, as EIP-196's users know it. */
PAIL_TEST(a_known_point)
{
    static const uint64_t x[4] = {0xd3c208c16d87cfd3u, 0xd97816a916871ca8u, 0x9b85045b68181585u,
                                  0x030644e72e131a02u};
    uint8_t p[96];
    icicle_curves[0].groups[0].generator(p);
    icicle_curves[0].groups[0].ecadd(p, p, p);
    assert_memory_equal(p, x, 32);
}

PAIL_TEST(single_scalars)
{
    for (size_t i = 0; i < 2; i++) {
        const struct field_api *const f = &icicle_curves[i].field;
        uint8_t a[32], b[32], x[32], y[32], one[32] = {1}, zero[32] = {0};
        f->generate(a, 1);
        f->generate(b, 1);
        assert_memory_not_equal(a, b, 32);
        f->sub(a, b, x);
        f->add(x, b, x);
        assert_memory_equal(x, a, 32);
        f->inv(a, x);
        f->mul(a, x, x);
        assert_memory_equal(x, one, 32);
        f->inv(zero, x);
        assert_memory_equal(x, zero, 32);
        f->pow(a, 5, x);
        f->mul(a, a, y);
        f->mul(y, y, y);
        f->mul(y, a, y);
        assert_memory_equal(x, y, 32);
        f->pow(a, 0, x);
        assert_memory_equal(x, one, 32);
        f->from_u32(0x01020304, x);
        assert_int_equal(x[0], 4);
        assert_int_equal(x[3], 1);
        f->sub(zero, one, x); /* r - 1 */
        const struct pail_curve_ops *const ops = pail_curve_ops(icicle_curves[i].curve, PAIL_G1);
        pail_u256_to_bytes(y, &ops->order);
        y[0]--;
        assert_memory_equal(x, y, 32);
    }
}

static void generated(const struct curve_api *api, uint32_t group)
{
    enum { COUNT = 120 };
    const struct group_api *const g = &api->groups[group - 1];
    const size_t width = pail_curve_ops(api->curve, group)->coordinate_bytes;
    uint8_t *const affine = calloc(COUNT, 2 * width), *const points = calloc(COUNT, 3 * width);
    uint8_t p[288];
    g->generate_affine(affine, COUNT);
    g->generate_projective(points, COUNT);
    for (size_t i = 0; i < COUNT; i += 17) {
        assert_true(g->is_on_curve(points + i * 3 * width));
        g->from_affine(affine + i * 2 * width, p);
        assert_true(g->is_on_curve(p));
        assert_false(g->eq(p, points + i * 3 * width));
    }
    free(affine);
    free(points);
}

PAIL_TEST(generated_points)
{
    for (size_t i = 0; i < 2; i++) {
        generated(&icicle_curves[i], PAIL_G1);
        generated(&icicle_curves[i], PAIL_G2);
    }
}

/* ---- Transforms of points -------------------------------------------------------------------- */
enum { LOG_SIZE = 3, SIZE = 1 << LOG_SIZE, SEQUENCES = 2, WIDEST = 144 };

/* Number i of a sequence, one of them 0. */
static uint32_t number(size_t sequence, size_t i)
{
    return i == 5 ? 0 : (uint32_t)(1 + 10 * sequence + 3 * i);
}

static void scaled_generator(const struct group_api *g, const uint8_t k[32], uint8_t *p)
{
    uint8_t generator[WIDEST];
    g->generator(generator);
    g->mul_scalar(generator, k, p);
}

/* Point k of a transform of a sequence: (shift root^k)^j times number j, all j. */
static void transformed(const struct curve_api *api, size_t sequence, size_t k, const uint8_t *root,
                        const uint8_t *shift, uint8_t *p)
{
    const struct field_api *const f = &api->field;
    uint8_t x[32], value[32] = {0}, one[32];
    memcpy(x, shift, 32);
    for (size_t i = 0; i < k; i++)
        f->mul(x, root, x);
    for (size_t j = SIZE; j-- > 0;) {
        f->mul(value, x, value);
        f->from_u32(number(sequence, j), one);
        f->add(value, one, value);
    }
    scaled_generator(&api->groups[0], value, p);
}

static size_t turned(size_t i)
{
    return (i & 1) << 2 | (i & 2) | i >> 2;
}

/* In rows or columns, in order or to bit-reversed order, on the device or not, and back. */
static void points_transformed(const struct curve_api *api, unsigned way)
{
    enum { COLUMNS = 1, REVERSED = 2, DEVICE = 4, COSET = 8 };
    const struct group_api *const g = &api->groups[0];
    const size_t size = 3 * pail_curve_ops(api->curve, PAIL_G1)->coordinate_bytes;
    uint8_t points[SEQUENCES * SIZE * WIDEST], got[SEQUENCES * SIZE * WIDEST], root[32],
        want[WIDEST];
    NTTConfig config = {.coset_gen = {1}, .batch_size = SEQUENCES, .columns_batch = way & COLUMNS};
    if (way & COSET)
        config.coset_gen[0] = 9;
    for (size_t i = 0; i < (size_t)SEQUENCES * SIZE; i++) {
        const size_t at = way & COLUMNS ? i % SIZE * SEQUENCES + i / SIZE : i;
        uint8_t k[32];
        api->field.from_u32(number(i / SIZE, i % SIZE), k);
        scaled_generator(g, k, points + at * size);
    }
    config.ordering = way & REVERSED ? 1 : 0; /* NR, NN */
    config.in_on_device = config.out_on_device = way & DEVICE;
    const size_t bytes = sizeof(points) / WIDEST * size;
    void *const place = way & DEVICE ? icicle_upload(points, bytes) : memcpy(got, points, bytes);
    expect_status(api->ecntt(place, SIZE, 0, &config, place), SUCCESS);
    expect_status(icicle_copy(got, place, bytes), SUCCESS);
    expect_status(api->root(SIZE, root), SUCCESS);
    for (size_t i = 0; i < (size_t)SEQUENCES * SIZE; i++) {
        const size_t k = way & REVERSED ? turned(i % SIZE) : i % SIZE;
        const size_t at = way & COLUMNS ? k * SEQUENCES + i / SIZE : i / SIZE * SIZE + k;
        transformed(api, i / SIZE, i % SIZE, root, (const uint8_t *)config.coset_gen, want);
        assert_true(g->eq(got + at * size, want));
    }
    config.ordering = way & REVERSED ? 2 : 0; /* RN, NN */
    expect_status(api->ecntt(place, SIZE, 1, &config, place), SUCCESS);
    expect_status(icicle_copy(got, place, bytes), SUCCESS);
    for (size_t i = 0; i < (size_t)SEQUENCES * SIZE; i++)
        assert_true(g->eq(got + i * size, points + i * size));
    if (way & DEVICE)
        expect_status(icicle_free(place), SUCCESS);
}

PAIL_TEST(points_are_transformed)
{
    static const NTTInitDomainConfig domain;
    uint8_t root[32], points[3 * WIDEST] = {0};
    for (size_t c = 0; c < 2; c++) {
        const struct curve_api *const api = &icicle_curves[c];
        const NTTConfig config = {.coset_gen = {1}, .batch_size = 1};
        expect_status(api->release_domain(), SUCCESS);
        expect_refused(api->ecntt(points, 2, 0, &config, points), INVALID_ARGUMENT, "no domain");
        expect_status(api->root(4 * SIZE, root), SUCCESS);
        expect_status(api->init_domain(root, &domain), SUCCESS);
        for (unsigned way = 0; way < 16; way++)
            points_transformed(api, way);
        expect_refused(api->ecntt(points, 3, 0, &config, points), INVALID_ARGUMENT,
                       "ecntt: the size");
        expect_refused(api->ecntt(points, 2, 2, &config, points), INVALID_ARGUMENT,
                       "direction is 2");
        expect_refused(api->ecntt(NULL, 2, 0, &config, points), INVALID_POINTER, "input: NULL");
        expect_refused(api->ecntt(points, 2, 0, NULL, points), INVALID_POINTER, "ecntt: the conf");
        expect_refused(api->ecntt(points, 2, 0, &config, points + 48), INVALID_ARGUMENT,
                       "overlaps");
        expect_refused(api->ecntt(points, 8 * SIZE, 0, &config, points), INVALID_ARGUMENT, "above");
        expect_status(api->release_domain(), SUCCESS);
    }
}

static void conversions(const struct curve_api *api, uint32_t group, bool on_device)
{
    enum { COUNT = 9000 }; /* more than a thread converts in one go */
    const struct group_api *const g = &api->groups[group - 1];
    const struct pail_curve_ops *const ops = pail_curve_ops(api->curve, group);
    const size_t size = 2 * ops->coordinate_bytes, bytes = COUNT * size;
    VecOpsConfig config = {.batch_size = 3}; /* it does not count here */
    uint8_t *const canonical = malloc(bytes), *const montgomery = malloc(bytes);
    uint8_t *const to = malloc(bytes);
    pail_make_bases(ops, canonical, false, 0, COUNT, PAIL_BASES_INFINITY, 4);
    pail_make_bases(ops, montgomery, true, 0, COUNT, PAIL_BASES_INFINITY, 4);
    config.a_on_device = config.result_on_device = on_device;
    void *const place = on_device ? icicle_upload(canonical, bytes) : to;
    if (!on_device)
        memcpy(to, canonical, bytes);
    expect_status(g->affine_convert(place, COUNT, true, &config, place), SUCCESS);
    expect_status(icicle_copy(to, place, bytes), SUCCESS);
    assert_memory_equal(to, montgomery, bytes);
    expect_status(g->affine_convert(place, COUNT, false, &config, place), SUCCESS);
    expect_status(icicle_copy(to, place, bytes), SUCCESS);
    assert_memory_equal(to, canonical, bytes);
    if (on_device)
        expect_status(icicle_free(place), SUCCESS);
    /* Projective points are as many coordinates as they are. */
    config.a_on_device = config.result_on_device = false;
    expect_status(g->projective_convert(canonical, COUNT / 3 * 2, true, &config, to), SUCCESS);
    assert_memory_equal(to, montgomery, bytes);
    memset(canonical + size / 2 * 7000, 0xff, size / 2);
    expect_refused(g->affine_convert(canonical, COUNT, true, &config, to), INVALID_ARGUMENT,
                   "coordinate 7000 is not");
    expect_refused(g->affine_convert(canonical, COUNT, true, NULL, to), INVALID_POINTER, "NULL");
    expect_refused(g->affine_convert(NULL, COUNT, true, &config, to), INVALID_POINTER, "NULL");
    free(canonical);
    free(montgomery);
    free(to);
}

PAIL_TEST(converted_points)
{
    for (size_t i = 0; i < 2; i++) {
        conversions(&icicle_curves[i], PAIL_G1, i == 0);
        conversions(&icicle_curves[i], PAIL_G2, i == 1);
    }
}

/* ---- Secrets --------------------------------------------------------------------------------- */

#if PAIL_ICICLE_VERSION >= 40
void bn254_eq(const void *a, const void *b, bool *r);
#endif

enum { SECRET };

/* A scalar and its inverse, and both forms of each; and of x of the generator times the scalar.
 * What this leaves is in its own frame. */
__attribute__((noinline)) static void make_secrets(struct scan *scan, uint32_t curve)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(curve, PAIL_G1);
    uint8_t bytes[192];
    pail_affine affine;
    pail_point point;
    pail_u256 value, radix = {{1}}, product;
    for (int i = 0; i < 256; i++)
        ops->scalar_add(&radix, &radix, &radix);
    scan_begin(scan);
    (void)scan_make(scan);
    scan_reveal(scan, SECRET, bytes);
    pail_u256_from_bytes(&value, bytes);
    ops->scalar_mul(&product, &value, &radix);
    pail_u256_to_bytes(bytes, &product);
    (void)scan_add(scan, bytes);
    product = pail_scalar_inverse(ops, &value);
    for (int montgomery = 0; montgomery < 2; montgomery++) {
        pail_u256_to_bytes(bytes, &product);
        (void)scan_add(scan, bytes);
        ops->scalar_mul(&product, &product, &radix);
    }
    ops->generator(&affine);
    ops->from_affine(&point, &affine);
    ops->mul(&point, &point, &value);
    ops->to_affine(&affine, &point);
    for (int montgomery = 0; montgomery < 2; montgomery++) {
        ops->encode(bytes, &affine, montgomery);
        (void)scan_add(scan, bytes);
    }
}

/* After a call with the secret k, or the point p that it makes of the generator: the caller's
 * copies were the only ones. */
#define NOTHING_IS_LEFT_OF(call)                                                                   \
    do {                                                                                           \
        scan_reveal(&scan, SECRET, k);                                                             \
        call;                                                                                      \
        pail_wipe(k, sizeof(k));                                                                   \
        pail_wipe(r, sizeof(r));                                                                   \
        assert_int_equal(scan_count(&scan, #call), 0);                                             \
    } while (0)

PAIL_TEST(nothing_is_left_of_secrets)
{
    if (strcmp(icicle_tested()->type, "CPU") != 0)
        return; /* the same functions, in a process whose memory takes long to search */
    for (size_t i = 0; i < 2; i++) {
        const struct field_api *const f = &icicle_curves[i].field;
        const struct group_api *const g = &icicle_curves[i].groups[0];
        const uint8_t one[32] = {1}, zero[288] = {0};
        uint8_t k[32], r[288], p[288], generator[288];
        struct scan scan;
        make_secrets(&scan, icicle_curves[i].curve);
        pail_wipe_stack();
        g->generator(generator);
        NOTHING_IS_LEFT_OF(f->add(k, one, r));
        NOTHING_IS_LEFT_OF(f->sub(k, one, r));
        NOTHING_IS_LEFT_OF(f->mul(one, k, r));
        NOTHING_IS_LEFT_OF(f->inv(k, r));
        NOTHING_IS_LEFT_OF(f->pow(k, 1, r));
#if PAIL_ICICLE_VERSION >= 40
        bool same;
        NOTHING_IS_LEFT_OF(bn254_eq(k, one, &same));
        NOTHING_IS_LEFT_OF(bn254_eq(one, k, &same));
#endif
        NOTHING_IS_LEFT_OF(g->mul_scalar(generator, k, r));
        NOTHING_IS_LEFT_OF(g->mul_scalar(generator, k, p); g->ecadd(p, zero, r);
                           pail_wipe(p, sizeof(p)));
        NOTHING_IS_LEFT_OF(g->mul_scalar(generator, k, p); (void)g->eq(p, generator);
                           pail_wipe(p, sizeof(p)));
        NOTHING_IS_LEFT_OF(g->mul_scalar(generator, k, p); (void)g->is_on_curve(p);
                           pail_wipe(p, sizeof(p)));
        NOTHING_IS_LEFT_OF(g->mul_scalar(generator, k, p); g->to_affine(p, r);
                           pail_wipe(p, sizeof(p)));
        NOTHING_IS_LEFT_OF(g->mul_scalar(generator, k, p); g->from_affine(p, r);
                           pail_wipe(p, sizeof(p)));
        icicle_curves[i].groups[1].generator(generator);
        NOTHING_IS_LEFT_OF(icicle_curves[i].groups[1].mul_scalar(generator, k, r));
        scan_end(&scan);
    }
}
