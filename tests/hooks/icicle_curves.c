/* SPDX-License-Identifier: Apache-2.0 */
/* ICICLE's multiplications, transforms, vectors and points over Pail, against closed forms. */
#include "icicle.h"

#include <curves/inputs.h>
#include <curves/scalar.h>

enum { N = 48, BATCH = 3, WIDEST = 96 };

static const MSMConfig msm_default = {.precompute_factor = 1, .batch_size = 1, .shared = true};
static const VecOpsConfig vectors_default = {.batch_size = 1};

/* Points and scalars of a batch, and the sums with points of the first multiplication and of its
 * own. */
struct batch {
    const struct pail_curve_ops *ops;
    uint8_t *points, *points_montgomery, *scalars, *scalars_montgomery;
    uint8_t shared[BATCH][3 * WIDEST], own[BATCH][3 * WIDEST]; /* packed as sums are */
    size_t point_bytes, sum_bytes;
};

static void write_sum(uint8_t *to, const struct pail_curve_ops *ops, const pail_point *sum)
{
    pail_affine affine;
    const size_t width = ops->coordinate_bytes;
    memset(to, 0, 3 * width);
    ops->to_affine(&affine, sum);
    ops->encode(to, &affine, false);
    to[ops->is_infinity(sum) ? width : 2 * width] = 1;
}

static void to_montgomery(uint8_t *to, const uint8_t *from, size_t n,
                          const struct pail_curve_ops *ops)
{
    const pail_u256 one = {{1}}, largest = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
    pail_u256 radix, value;
    ops->scalar_add(&radix, &largest, &one);
    for (size_t i = 0; i < n; i++) {
        pail_u256_from_bytes(&value, from + 32 * i);
        ops->scalar_mul(&value, &value, &radix);
        pail_u256_to_bytes(to + 32 * i, &value);
    }
}

static void make(struct batch *batch, uint32_t curve, uint32_t group, enum pail_base_kind kind,
                 enum pail_scalar_dist dist)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(curve, group);
    const size_t n = N * BATCH, size = 2 * ops->coordinate_bytes;
    *batch =
        (struct batch){.ops = ops, .point_bytes = size, .sum_bytes = 3 * ops->coordinate_bytes};
    batch->points = calloc(n, size);
    batch->points_montgomery = calloc(n, size);
    batch->scalars = calloc(n, 32);
    batch->scalars_montgomery = calloc(n, 32);
    pail_make_bases(ops, batch->points, false, 0, n, kind, 5);
    pail_make_bases(ops, batch->points_montgomery, true, 0, n, kind, 5);
    pail_make_scalars(ops, batch->scalars, n, dist, 6);
    to_montgomery(batch->scalars_montgomery, batch->scalars, n, ops);
    uint8_t *shared = batch->shared[0], *own = batch->own[0];
    for (size_t i = 0; i < BATCH; i++) {
        pail_point sum;
        pail_expected_msm(ops, &sum, batch->scalars + 32 * N * i, 0, N, kind, 5);
        write_sum(shared + i * batch->sum_bytes, ops, &sum);
        pail_expected_msm(ops, &sum, batch->scalars + 32 * N * i, N * i, N, kind, 5);
        write_sum(own + i * batch->sum_bytes, ops, &sum);
    }
}

static void drop(struct batch *batch)
{
    free(batch->points);
    free(batch->points_montgomery);
    free(batch->scalars);
    free(batch->scalars_montgomery);
}

/* ---- Multiplications ------------------------------------------------------------------------- */

static void multiplications(const struct curve_api *api, uint32_t group)
{
    const struct group_api *const g = &api->groups[group - 1];
    struct batch batch;
    uint8_t sums[BATCH][3 * WIDEST];
    make(&batch, api->curve, group, PAIL_BASES_INFINITY, PAIL_SCALARS_UNIFORM);
    MSMConfig config = msm_default;
    expect_status(g->msm(batch.scalars, batch.points, N, &config, sums), SUCCESS);
    assert_memory_equal(sums, batch.shared, batch.sum_bytes);
    config.batch_size = BATCH;
    config.c = 7;
    expect_status(g->msm(batch.scalars, batch.points, N, &config, sums), SUCCESS);
    assert_memory_equal(sums, batch.shared, BATCH * batch.sum_bytes);
    config.c = 29; /* beyond what Pail has */
    config.shared = false;
    expect_status(g->msm(batch.scalars, batch.points, N, &config, sums), SUCCESS);
    assert_memory_equal(sums, batch.own, BATCH * batch.sum_bytes);
    config.scalars_montgomery = config.points_montgomery = true;
    expect_status(g->msm(batch.scalars_montgomery, batch.points_montgomery, N, &config, sums),
                  SUCCESS);
    assert_memory_equal(sums, batch.own, BATCH * batch.sum_bytes);
    drop(&batch);
}

PAIL_TEST(multiplications_from_the_host)
{
    for (size_t i = 0; i < 2; i++) {
        multiplications(&icicle_curves[i], PAIL_G1);
        multiplications(&icicle_curves[i], PAIL_G2);
    }
}

PAIL_TEST(multiplications_on_the_device)
{
    const struct group_api *const g = &icicle_curves[0].groups[0];
    struct batch batch, others;
    uint8_t sums[BATCH][3 * WIDEST];
    make(&batch, PAIL_CURVE_BN254, PAIL_G1, PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM);
    make(&others, PAIL_CURVE_BN254, PAIL_G1, PAIL_BASES_MULTIPLES, PAIL_SCALARS_UNIFORM);
    uint8_t *const points = icicle_upload(batch.points, N * BATCH * batch.point_bytes);
    uint8_t *const scalars = icicle_upload(batch.scalars, 32 * N * BATCH);
    uint8_t *const forms = icicle_upload(batch.scalars_montgomery, 32 * N * BATCH);
    uint8_t *const results = icicle_upload(NULL, BATCH * batch.sum_bytes + 96);
    MSMConfig config = msm_default;
    config.batch_size = BATCH;
    config.scalars_on_device = config.points_on_device = config.results_on_device = true;
    config.is_async = true;
    expect_status(icicle_create_stream(&config.stream), SUCCESS);
    config.shared = false;
    expect_status(g->msm(scalars, points, N, &config, results + 96), SUCCESS);
    expect_status(
        icicle_copy_to_host_async(sums, results + 96, BATCH * batch.sum_bytes, config.stream),
        SUCCESS);
    expect_status(icicle_stream_synchronize(config.stream), SUCCESS);
    assert_memory_equal(sums, batch.own, BATCH * batch.sum_bytes);
    /* The same points again, then others in the same memory, then a part of them. */
    for (int round = 0; round < 3; round++) {
        const struct batch *const now = round < 2 ? &batch : &others;
        if (round == 2)
            expect_status(icicle_copy_to_device_async(points, others.points, N * others.point_bytes,
                                                      config.stream),
                          SUCCESS);
        config.shared = true;
        config.scalars_montgomery = round == 1; /* as in gnark's last sum */
        expect_status(g->msm(round == 1 ? forms : scalars, points, N, &config, results), SUCCESS);
        expect_status(icicle_stream_synchronize(config.stream), SUCCESS);
        expect_status(icicle_copy_to_host(sums, results, BATCH * batch.sum_bytes), SUCCESS);
        /* Scalars of both batches are the same. */
        assert_memory_equal(sums, now->shared, BATCH * batch.sum_bytes);
    }
    config.results_on_device = config.is_async = false;
    config.batch_size = 1;
    expect_status(g->msm(scalars + 32 * N, points + N * batch.point_bytes, N, &config, sums),
                  SUCCESS);
    assert_memory_equal(sums, batch.own[0] + batch.sum_bytes, batch.sum_bytes);
    expect_status(icicle_destroy_stream(config.stream), SUCCESS);
    expect_status(icicle_free(points), SUCCESS);
    expect_status(icicle_free(scalars), SUCCESS);
    expect_status(icicle_free(forms), SUCCESS);
    expect_status(icicle_free(results), SUCCESS);
    drop(&batch);
    drop(&others);
}

PAIL_TEST(multiplications_with_precomputed_points)
{
    enum { FACTOR = 4 };
    const struct group_api *const g = &icicle_curves[1].groups[0];
    struct batch batch;
    uint8_t sums[BATCH][3 * WIDEST];
    make(&batch, PAIL_CURVE_BLS12_381, PAIL_G1, PAIL_BASES_PAIRS, PAIL_SCALARS_UNIFORM);
    MSMConfig config = msm_default;
    config.precompute_factor = FACTOR;
    uint8_t *const host = calloc(N * BATCH * FACTOR, batch.point_bytes);
    expect_status(g->precompute(batch.points, N, &config, host), SUCCESS);
    expect_status(g->msm(batch.scalars, host, N, &config, sums), SUCCESS);
    assert_memory_equal(sums, batch.shared, batch.sum_bytes);
    config.batch_size = BATCH;
    config.shared = false;
    config.results_on_device = config.points_on_device = true;
    uint8_t *const points = icicle_upload(batch.points, N * BATCH * batch.point_bytes);
    uint8_t *const slots = icicle_upload(NULL, N * BATCH * FACTOR * batch.point_bytes);
    expect_status(g->precompute(points, N, &config, slots), SUCCESS);
    config.results_on_device = false;
    for (int again = 0; again < 2; again++) {
        expect_status(g->msm(batch.scalars, slots, N, &config, sums), SUCCESS);
        assert_memory_equal(sums, batch.own, BATCH * batch.sum_bytes);
    }
    expect_status(icicle_free(points), SUCCESS);
    expect_status(icicle_free(slots), SUCCESS);
    free(host);
    drop(&batch);
}

PAIL_TEST(multiplications_of_few_and_small)
{
    const struct group_api *const g = &icicle_curves[0].groups[0];
    struct batch batch;
    uint8_t sum[96], zero[32] = {0}, one[32] = {1};
    make(&batch, PAIL_CURVE_BN254, PAIL_G1, PAIL_BASES_DISTINCT, PAIL_SCALARS_SMALL);
    MSMConfig config = msm_default;
    config.bitsize = 4;
    expect_status(g->msm(batch.scalars, batch.points, N, &config, sum), SUCCESS);
    assert_memory_equal(sum, batch.shared, 96);
    /* A scalar above the promise is no silent wrong sum. */
    memset(batch.scalars, 0xff, 31);
    expect_refused(g->msm(batch.scalars, batch.points, N, &config, sum), INVALID_ARGUMENT, "msm");
    assert_memory_equal(sum, zero, 32);
    for (int n = 0; n < 2; n++) { /* an empty sum, and 0 P: (0, 1, 0) */
        expect_status(g->msm(zero, batch.points, n, &msm_default, sum), SUCCESS);
        assert_memory_equal(sum, zero, 32);
        assert_memory_equal(sum + 32, one, 32);
        assert_memory_equal(sum + 64, zero, 32);
    }
    drop(&batch);
}

PAIL_TEST(bad_multiplications)
{
    const struct group_api *const g = &icicle_curves[0].groups[0];
    static uint8_t points[64 * 4], scalars[32 * 4], sum[96];
    MSMConfig config = msm_default;
#define REFUSED(member, value, status, part)                                                       \
    do {                                                                                           \
        config = msm_default;                                                                      \
        config.member = value;                                                                     \
        expect_refused(g->msm(scalars, points, 4, &config, sum), status, part);                    \
    } while (0)
    REFUSED(batch_size, 0, INVALID_ARGUMENT, "batch_size is 0");
    REFUSED(batch_size, INT32_MAX, INVALID_ARGUMENT, "more than fit");
    REFUSED(precompute_factor, 0, INVALID_ARGUMENT, "precompute_factor is 0");
    REFUSED(precompute_factor, 1000, INVALID_ARGUMENT, "precompute_factor is 1000");
    REFUSED(c, -1, INVALID_ARGUMENT, "c is -1");
    REFUSED(bitsize, 257, INVALID_ARGUMENT, "bitsize is 257");
    REFUSED(scalars_on_device, true, INVALID_POINTER, "scalars");
    REFUSED(points_on_device, true, INVALID_POINTER, "points");
    REFUSED(results_on_device, true, INVALID_POINTER, "results");
    REFUSED(stream, &config, INVALID_ARGUMENT, "no stream");
#undef REFUSED
    config = msm_default;
    expect_refused(g->msm(scalars, points, -1, &config, sum), INVALID_ARGUMENT, "size is -1");
    expect_refused(g->msm(NULL, points, 4, &config, sum), INVALID_POINTER, "scalars: NULL");
    expect_refused(g->msm(scalars, NULL, 4, &config, sum), INVALID_POINTER, "points: NULL");
    expect_refused(g->msm(scalars, points, 4, &config, NULL), INVALID_POINTER, "results: NULL");
    expect_refused(g->msm(scalars, points, 4, NULL, sum), INVALID_POINTER, "NULL");
    expect_refused(g->msm(scalars, points, 4, &config, points), INVALID_ARGUMENT, "overlap");
    memset(points, 0xff, sizeof(points)); /* no coordinates */
    expect_refused(g->msm(scalars, points, 4, &config, sum), INVALID_ARGUMENT, "points");
    expect_refused(g->precompute(points, 4, NULL, sum), INVALID_POINTER, "NULL");
    expect_refused(g->precompute(NULL, 4, &config, sum), INVALID_POINTER, "bases: NULL");
    /* Work that fails in a stream is told when the stream is waited for. */
    void *stream = NULL;
    uint8_t *const bad = icicle_upload(points, sizeof(points));
    uint8_t *const device_scalars = icicle_upload(scalars, sizeof(scalars));
    uint8_t *const result = icicle_upload(NULL, 96);
    expect_status(icicle_create_stream(&stream), SUCCESS);
    config.stream = stream;
    config.scalars_on_device = config.points_on_device = config.results_on_device = true;
    config.is_async = true;
    expect_status(g->msm(device_scalars, bad, 4, &config, result), SUCCESS);
    expect_refused(icicle_stream_synchronize(stream), INVALID_ARGUMENT, "points");
    expect_status(icicle_stream_synchronize(stream), SUCCESS);
    expect_status(g->msm(device_scalars, bad, 4, &config, result), SUCCESS);
    expect_status(icicle_destroy_stream(stream), INVALID_ARGUMENT);
    expect_status(icicle_free(bad), SUCCESS);
    expect_status(icicle_free(device_scalars), SUCCESS);
    expect_status(icicle_free(result), SUCCESS);
}

/* ---- Transforms ------------------------------------------------------------------------------ */

enum { LOG_N = 4, SIZE = 1 << LOG_N };

static size_t bit_reverse(size_t index)
{
    size_t r = 0;
    for (int bit = 0; bit < LOG_N; bit++)
        r |= (index >> bit & 1) << (LOG_N - 1 - bit);
    return r;
}

static void domain(const struct curve_api *api, uint64_t size, uint8_t *root)
{
    static const NTTInitDomainConfig config;
    expect_status(api->release_domain(), SUCCESS);
    expect_status(api->root(size, root), SUCCESS);
    expect_status(api->init_domain(root, &config), SUCCESS);
}

/* values[k] = the sum of coefficients[j] (shift root^k)^j. */
static void evaluate(uint8_t *values, const uint8_t *coefficients, const struct curve_api *api,
                     const uint8_t *root, const uint8_t *shift)
{
    uint8_t x[32], term[32];
    memcpy(x, shift, 32);
    for (size_t k = 0; k < SIZE; k++) {
        uint8_t *const value = values + 32 * k;
        memset(value, 0, 32);
        for (size_t j = SIZE; j-- > 0;) {
            api->field.mul(value, x, term);
            api->field.add(term, coefficients + 32 * j, value);
        }
        api->field.mul(x, root, x);
    }
}

/* Lays rows in natural order out as a batch in memory. */
static void lay_out(uint8_t *to, const uint8_t *rows, bool columns, bool reversed)
{
    for (size_t i = 0; i < BATCH; i++)
        for (size_t j = 0; j < SIZE; j++)
            memcpy(to + 32 * (columns ? j * BATCH + i : i * SIZE + j),
                   rows + 32 * (i * SIZE + (reversed ? bit_reverse(j) : j)), 32);
}

static void transform_both_ways(const struct curve_api *api, NTTConfig config,
                                const uint8_t *coefficients, const uint8_t *values)
{
    enum { BYTES = 32 * SIZE * BATCH };
    const bool in = config.ordering == 2 || config.ordering == 3 || config.ordering == 5;
    const bool out = config.ordering == 1 || config.ordering == 3 || config.ordering == 4;
    uint8_t from[BYTES], to[BYTES], expected[BYTES];
    config.batch_size = BATCH;
    for (int inverse = 0; inverse < 2; inverse++) {
        lay_out(from, inverse ? values : coefficients, config.columns_batch, in);
        lay_out(expected, inverse ? coefficients : values, config.columns_batch, out);
        void *input = from, *output = to;
        if (config.in_on_device)
            input = icicle_upload(from, BYTES);
        if (config.out_on_device)
            output = config.in_on_device && inverse ? input : icicle_upload(NULL, BYTES);
        expect_status(api->ntt(input, SIZE, inverse, &config, output), SUCCESS);
        expect_status(icicle_stream_synchronize(config.stream), SUCCESS);
        if (config.out_on_device)
            expect_status(icicle_copy_to_host(to, output, BYTES), SUCCESS);
        assert_memory_equal(to, expected, BYTES);
        if (config.in_on_device)
            expect_status(icicle_free(input), SUCCESS);
        if (config.out_on_device && output != input)
            expect_status(icicle_free(output), SUCCESS);
    }
}

static void transforms(const struct curve_api *api)
{
    static const uint8_t one[32] = {1};
    uint8_t coefficients[32 * SIZE * BATCH], values[32 * SIZE * BATCH], root[32], shift[32];
    void *stream = NULL;
    api->field.generate(coefficients, SIZE * BATCH);
    api->field.generate(shift, 1);
    domain(api, 4 * SIZE, root);
    expect_status(api->root_from_domain(LOG_N, root), SUCCESS);
    expect_status(icicle_create_stream(&stream), SUCCESS);
    for (int coset = 0; coset < 2; coset++) {
        NTTConfig config = {0};
        memcpy(config.coset_gen, coset ? shift : one, 32);
        for (size_t i = 0; i < BATCH; i++)
            evaluate(values + 32 * SIZE * i, coefficients + 32 * SIZE * i, api, root,
                     coset ? shift : one);
        for (config.ordering = 0; config.ordering < 6; config.ordering++) {
            for (unsigned ways = 0; ways < 8; ways++) {
                config.columns_batch = ways & 1;
                config.in_on_device = ways >> 1 & 1;
                config.out_on_device = ways >> 2 & 1;
                config.is_async = config.out_on_device;
                config.stream = config.is_async ? stream : NULL;
                transform_both_ways(api, config, coefficients, values);
            }
        }
    }
    expect_status(icicle_destroy_stream(stream), SUCCESS);
    expect_status(api->release_domain(), SUCCESS);
}

PAIL_TEST(transforms_bn254)
{
    transforms(&icicle_curves[0]);
}

PAIL_TEST(transforms_bls12_381)
{
    transforms(&icicle_curves[1]);
}

/* The roots that ICICLE's fields have: 5^((r - 1) / 2^s). */
PAIL_TEST(roots)
{
    static const uint32_t bn254[8] = {0x725b19f0, 0x9bd61b6e, 0x41112ed4, 0x402d111e,
                                      0x8ef62abc, 0x00e0a7eb, 0xa58a7e85, 0x2a3c09f0};
    uint32_t root[8];
    expect_status(icicle_curves[0].root((uint64_t)1 << 28, root), SUCCESS);
    assert_memory_equal(root, bn254, 32);
    expect_refused(icicle_curves[0].root(((uint64_t)1 << 28) + 1, root), INVALID_ARGUMENT,
                   "root of the order");
    expect_refused(icicle_curves[0].root(UINT64_MAX, root), INVALID_ARGUMENT, "root of the order");
    expect_status(icicle_curves[1].root(1000, root), SUCCESS);
    uint8_t root_of_domain[32];
    domain(&icicle_curves[1], 1024, root_of_domain);
    assert_memory_equal(root, root_of_domain, 32);
    expect_status(icicle_curves[1].release_domain(), SUCCESS);
}

PAIL_TEST(bad_transforms)
{
    const struct curve_api *const api = &icicle_curves[0];
    static const NTTInitDomainConfig domain_config;
    const NTTConfig good = {.batch_size = 1, .coset_gen = {1}};
    uint8_t root[32], elements[32 * 8] = {0}, other[32] = {3};
    NTTConfig config = good;
    expect_status(api->release_domain(), SUCCESS);
    expect_refused(api->ntt(elements, 8, 0, &config, elements), INVALID_ARGUMENT, "no domain");
    expect_refused(api->root_from_domain(1, root), INVALID_ARGUMENT, "no domain");
    expect_refused(api->init_domain(other, &domain_config), INVALID_ARGUMENT, "root is none");
    expect_refused(api->init_domain(NULL, &domain_config), INVALID_POINTER, "NULL");
    expect_refused(api->init_domain(other, NULL), INVALID_POINTER, "NULL");
    domain(api, 4, root);
    expect_status(api->init_domain(root, &domain_config), SUCCESS); /* the same again */
    expect_refused(api->ntt(elements, 8, 0, &config, elements), INVALID_ARGUMENT,
                   "above the domain");
    domain(api, 8, root);
    expect_status(api->ntt(elements, 8, 0, &config, elements), SUCCESS);
    expect_refused(api->ntt(elements, 6, 0, &config, elements), INVALID_ARGUMENT, "power of two");
    expect_refused(api->ntt(elements, 0, 0, &config, elements), INVALID_ARGUMENT, "power of two");
    expect_refused(api->ntt(elements, -8, 0, &config, elements), INVALID_ARGUMENT, "power of two");
    expect_refused(api->ntt(elements, 8, 2, &config, elements), INVALID_ARGUMENT, "direction is 2");
    expect_refused(api->ntt(NULL, 8, 0, &config, elements), INVALID_POINTER, "input: NULL");
    expect_refused(api->ntt(elements, 8, 0, &config, NULL), INVALID_POINTER, "output: NULL");
    expect_refused(api->ntt(elements, 4, 0, &config, elements + 32), INVALID_ARGUMENT, "overlaps");
    expect_refused(api->ntt(elements, 8, 0, NULL, elements), INVALID_POINTER, "NULL");
    config.ordering = 6;
    expect_refused(api->ntt(elements, 8, 0, &config, elements), INVALID_ARGUMENT, "ordering is 6");
    config = good;
    config.batch_size = -1;
    expect_refused(api->ntt(elements, 8, 0, &config, elements), INVALID_ARGUMENT,
                   "batch_size is -1");
    config = good;
    config.coset_gen[0] = 0;
    expect_refused(api->ntt(elements, 8, 0, &config, elements), INVALID_ARGUMENT, "coset_gen is 0");
    config.coset_gen[7] = UINT32_MAX;
    expect_refused(api->ntt(elements, 8, 0, &config, elements), INVALID_ARGUMENT, "shift");
    memset(elements, 0xff, 32);
    expect_refused(api->ntt(elements, 8, 0, &good, elements), INVALID_ARGUMENT, "not below");
    expect_status(api->release_domain(), SUCCESS);
}

/* ---- Vectors --------------------------------------------------------------------------------- */

static void vectors(const struct curve_api *api, bool on_device)
{
    enum { COUNT = 60, BYTES = 32 * COUNT };
    uint8_t host[3][BYTES], expected[32], to[BYTES];
    const uint8_t *const x = host[0], *const y = host[1];
    api->field.generate(host, 2 * COUNT);
    VecOpsConfig config = vectors_default;
    config.batch_size = 4;
    config.a_on_device = config.b_on_device = config.result_on_device = on_device;
    void *const a = on_device ? icicle_upload(x, BYTES) : host[0];
    void *const b = on_device ? icicle_upload(y, BYTES) : host[1];
    void *const r = on_device ? icicle_upload(NULL, BYTES) : host[2];
    vector_function *const functions[] = {api->vector_add, api->vector_sub, api->vector_mul};
    void (*const single[])(const void *, const void *, void *) = {api->field.add, api->field.sub,
                                                                  api->field.mul};
    for (size_t op = 0; op < 3; op++) {
        expect_status(functions[op](a, b, COUNT / 4, &config, r), SUCCESS);
        expect_status(icicle_copy(to, r, BYTES), SUCCESS);
        for (size_t i = 0; i < COUNT; i++) {
            single[op](x + 32 * i, y + 32 * i, expected);
            assert_memory_equal(to + 32 * i, expected, 32);
        }
    }
    uint8_t montgomery[BYTES];
    to_montgomery(montgomery, x, COUNT, pail_curve_ops(api->curve, PAIL_G1));
    expect_status(api->convert(a, COUNT / 4, true, &config, r), SUCCESS);
    expect_status(icicle_copy(to, r, BYTES), SUCCESS);
    assert_memory_equal(to, montgomery, BYTES);
    expect_status(api->convert(r, COUNT / 4, false, &config, r), SUCCESS);
    expect_status(icicle_copy(to, r, BYTES), SUCCESS);
    assert_memory_equal(to, x, BYTES);
    expect_status(api->accumulate(r, b, COUNT / 4, &config), SUCCESS);
    expect_status(icicle_copy(to, r, BYTES), SUCCESS);
    api->field.add(x + 32 * 7, y + 32 * 7, expected);
    assert_memory_equal(to + 32 * 7, expected, 32);
    /* Elements in another order: 4 vectors of 15, as rows and as columns. */
    for (unsigned columns = 0; columns < 2; columns++) {
        config.columns_batch = columns;
        expect_status(api->slice(a, 2, 3, COUNT / 4, 4, &config, r), SUCCESS);
        expect_status(icicle_copy(to, r, 32 * 16), SUCCESS);
        for (size_t i = 0; i < 4; i++)
            for (size_t j = 0; j < 4; j++)
                assert_memory_equal(to + 32 * (columns ? j * 4 + i : i * 4 + j),
                                    x + 32 * (columns ? (2 + 3 * j) * 4 + i : i * 15 + 2 + 3 * j),
                                    32);
    }
    config.columns_batch = false;
    config.batch_size = 1;
    expect_status(api->transpose(a, 5, 12, &config, r), SUCCESS);
    expect_status(icicle_copy(to, r, BYTES), SUCCESS);
    for (size_t i = 0; i < COUNT; i++)
        assert_memory_equal(to + 32 * (i % 12 * 5 + i / 12), x + 32 * i, 32);
    expect_status(api->bit_reverse(a, SIZE, &config, r), SUCCESS);
    expect_status(icicle_copy(to, r, 32 * SIZE), SUCCESS);
    for (size_t i = 0; i < SIZE; i++)
        assert_memory_equal(to + 32 * i, x + 32 * bit_reverse(i), 32);
    for (size_t i = 0; on_device && i < 3; i++)
        expect_status(icicle_free(((void *[]){a, b, r})[i]), SUCCESS);
}

PAIL_TEST(vectors_of_scalars)
{
    for (size_t i = 0; i < 2; i++) {
        vectors(&icicle_curves[i], false);
        vectors(&icicle_curves[i], true);
    }
}

/* Vectors of 5000 elements, more than a thread takes in one go; three of them, one after another or
 * as columns. The first element of the second operand is 0. */
static void maps(const struct curve_api *api, bool columns, bool on_device)
{
    enum { LONG = 5000, COUNT = LONG * BATCH };
    uint8_t *const x = malloc(32 * COUNT), *const y = malloc(32 * COUNT),
                   *const r = malloc(32 * COUNT);
    uint8_t folded[2][BATCH][32], term[32];
    VecOpsConfig config = vectors_default;
    config.batch_size = BATCH;
    config.columns_batch = columns;
    config.a_on_device = on_device;
    api->field.generate(x, COUNT);
    api->field.generate(y, COUNT);
    memset(y, 0, 32);
    void *const a = on_device ? icicle_upload(x, 32 * COUNT) : x;
    vector_function *const scalar[] = {api->scalar_add, api->scalar_sub, api->scalar_mul};
    void (*const single[])(const void *, const void *, void *) = {api->field.add, api->field.sub,
                                                                  api->field.mul};
    for (size_t op = 0; op < 5; op++) {
        if (op < 3)
            expect_status(scalar[op](a, y, LONG, &config, r), SUCCESS);
        else if (op == 3)
            expect_status(api->vector_div(a, y, LONG, &config, r), SUCCESS);
        else
            expect_status(api->vector_inv(a, LONG, &config, r), SUCCESS);
        for (size_t i = 0; i < COUNT; i += i < 32 ? 1 : 997) {
            const size_t vector = columns ? i % BATCH : i / LONG;
            if (op < 3) {
                single[op](x + 32 * vector, y + 32 * i, term);
            } else {
                api->field.inv((op == 3 ? y : x) + 32 * i, term);
                if (op == 3)
                    api->field.mul(term, x + 32 * i, term);
            }
            assert_memory_equal(r + 32 * i, term, 32);
        }
    }
    for (size_t i = 0; i < BATCH; i++) {
        api->field.from_u32(0, folded[0][i]);
        api->field.from_u32(1, folded[1][i]);
        for (size_t j = 0; j < LONG; j++) {
            const uint8_t *const element = x + 32 * (columns ? j * BATCH + i : i * LONG + j);
            api->field.add(folded[0][i], element, folded[0][i]);
            api->field.mul(folded[1][i], element, folded[1][i]);
        }
    }
    expect_status(api->vector_sum(a, LONG, &config, r), SUCCESS);
    assert_memory_equal(r, folded[0], 32 * BATCH);
    expect_status(api->vector_product(a, LONG, &config, r), SUCCESS);
    assert_memory_equal(r, folded[1], 32 * BATCH);
    if (on_device)
        expect_status(icicle_free(a), SUCCESS);
    free(x);
    free(y);
    free(r);
}

PAIL_TEST(vectors_on_the_cpu)
{
    for (unsigned i = 0; i < 4; i++)
        maps(&icicle_curves[i / 2], i % 2, i % 2);
}

PAIL_TEST(bad_vectors)
{
    const struct curve_api *const api = &icicle_curves[1];
    static uint8_t a[32 * 8], r[32 * 8];
    VecOpsConfig config = vectors_default;
    expect_status(api->vector_add(a, a, 0, &config, r), SUCCESS);
    expect_refused(api->vector_add(a, a, (vector_size)-3, &config, r), INVALID_ARGUMENT, "fit 32");
    expect_refused(api->vector_add(a, NULL, 8, &config, r), INVALID_POINTER, "NULL");
    expect_refused(api->vector_add(a, a, 8, NULL, r), INVALID_POINTER, "NULL");
    expect_refused(api->vector_mul(a, a, 4, &config, a + 32), INVALID_ARGUMENT, "overlaps");
    expect_refused(api->accumulate(a, a, 4, NULL), INVALID_POINTER, "NULL");
    expect_refused(api->bit_reverse(a, 6, &config, r), INVALID_ARGUMENT, "power of two");
    expect_refused(api->slice(a, 4, 4, 8, 2, &config, r), INVALID_ARGUMENT, "not all among 8");
    config.batch_size = 0;
    expect_refused(api->vector_add(a, a, 8, &config, r), INVALID_ARGUMENT, "batch_size is 0");
    config = vectors_default;
    config.a_on_device = true;
    expect_refused(api->vector_sub(a, a, 8, &config, r), INVALID_POINTER, "no memory");
    memset(a + 96, 0xff, 32);
    expect_refused(api->convert(a, 8, true, &vectors_default, r), INVALID_ARGUMENT, "not below");
    memset(a, 0, sizeof(a));
}
