/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of operations on vectors, and multiplications that take their scalars from one. */
#include "field/gpu_plugin.h"
#include "support/test.h"

/* Sums of the same scalars, from a vector and from the host. */
static void expect_same_sum(pail_bases *bases, const pail_vector *vector, uint64_t offset,
                            const uint8_t *scalars, size_t base_offset, size_t n,
                            uint32_t scalar_bits)
{
    pail_msm_job jobs[2] = {SIZED(pail_msm_job, .scalar_bits = scalar_bits, .bases = bases,
                                  .base_offset = base_offset, .scalars = scalars, .n = n)};
    pail_msm_result results[2];
    jobs[1] = jobs[0];
    jobs[1].scalars = NULL;
    jobs[1].scalar_location = PAIL_LOCATION_VECTOR;
    jobs[1].scalar_vector = vector;
    jobs[1].scalar_offset = offset;
    plugin_run(jobs, 2, NULL, results);
    assert_memory_equal(&results[0], &results[1], sizeof(results[0]));
}

static pail_bases *bases_of(const struct pail_curve_ops *ops, size_t n, enum pail_base_kind kind,
                            uint32_t residency)
{
    uint8_t *points = malloc(2 * ops->coordinate_bytes * n);
    pail_make_bases(ops, points, true, 0, n, kind, 1);
    const pail_bases_desc desc = SIZED(pail_bases_desc, .curve = ops->curve, .group = ops->group,
                                       .encoding = PAIL_ENCODING_MONTGOMERY, .residency = residency,
                                       .points = points, .n_points = n);
    pail_bases *bases = NULL;
    check(plugin.api->bases_create(plugin.context, &bases, NULL, &desc));
    free(points);
    return bases;
}

PAIL_TEST(multiplications)
{
    enum { MOST = 500, FIRST = 11 };
    static const enum pail_base_kind kinds[] = {PAIL_BASES_INFINITY, PAIL_BASES_DISTINCT};
    const size_t n = plugin_is_slow() ? 257 : MOST;
    for (uint32_t c = 0; c < (plugin_is_slow() ? 1u : 2u); c++)
        for (uint32_t k = 0; k < (plugin_is_slow() ? 1u : 2u); k++)
            for (uint32_t residency = 0; residency < 2; residency++) {
                const struct pail_curve_ops *ops = ops_of(curves[c]);
                pail_bases *bases = bases_of(ops, n, kinds[k], residency ? PAIL_RESIDENCY_HOST : 0);
                uint8_t *scalars = elements_of(ops, n, 6);
                pail_vector *x = make(curves[c], n + FIRST);
                write(x, FIRST, scalars, n);
                expect_same_sum(bases, x, FIRST, scalars, 0, n, 0);
                expect_same_sum(bases, x, FIRST + 3, scalars + 32 * 3, 7, n - 10, 0);
                expect_same_sum(bases, x, FIRST, scalars, 0, 0, 0);
                for (size_t i = 0; i < n; i++)
                    memset(scalars + 32 * i + 8, 0, 24);
                write(x, FIRST, scalars, n);
                expect_same_sum(bases, x, FIRST, scalars, 0, n, 64);
                plugin.api->bases_destroy(plugin.context, &bases);
                destroy(x);
                free(scalars);
            }
}

PAIL_TEST(broken_promise)
{
    enum { N = 50 };
    const struct pail_curve_ops *ops = ops_of(PAIL_CURVE_BN254);
    pail_bases *bases = bases_of(ops, N, PAIL_BASES_DISTINCT, 0);
    uint8_t scalars[32 * N] = {0};
    pail_vector *x = make(PAIL_CURVE_BN254, N);
    scalars[32 * 17 + 8] = 1;
    write(x, 0, scalars, N);
    const pail_msm_job job =
        SIZED(pail_msm_job, .scalar_bits = 64, .scalar_location = PAIL_LOCATION_VECTOR,
              .bases = bases, .n = N, .scalar_vector = x);
    pail_pending *pending = NULL;
    pail_msm_result result = {.struct_size = sizeof(result)};
    check(plugin.api->msm_start(plugin.context, &pending, &job, 1, NULL));
    assert_int_equal(plugin.api->msm_finish(&pending, &result, 1, NULL), PAIL_ERR_DATA);
    assert_non_null(strstr(plugin.api->error(plugin.context), "scalar 17"));
    pail_msm_job wrong = job;
    wrong.scalar_vector = NULL;
    assert_int_equal(plugin.api->msm_start(plugin.context, &pending, &wrong, 1, NULL),
                     PAIL_ERR_ARGUMENT);
    wrong = job;
    wrong.scalar_offset = 1;
    assert_int_equal(plugin.api->msm_start(plugin.context, &pending, &wrong, 1, NULL),
                     PAIL_ERR_ARGUMENT);
    plugin.api->bases_destroy(plugin.context, &bases);
    destroy(x);
}

/* The chain of a prover, without a wait of the host until the end: products of a sparse matrix,
 * values on a coset, their square, and the sum with its coefficients. */
PAIL_TEST(chain)
{
    enum { LOG_N = 9, N = 1 << LOG_N };
    const struct pail_curve_ops *ops = ops_of(PAIL_CURVE_BN254);
    const pail_u256 root = field_root(ops, LOG_N), one = number(1), shift = number(5);
    struct sparse s = make_sparse(ops);
    const pail_matrix_desc desc = desc_of(&s, PAIL_CURVE_BN254);
    pail_matrix *matrix = NULL;
    check(plugin.api->matrix_create(plugin.context, &matrix, NULL, &desc));
    uint8_t *a = elements_of(ops, COLUMNS, 8), *w = calloc(N, 32), *v = calloc(N, 32);
    multiply_sparse(ops, &s, a, w);
    /* On the host: w are values; their coefficients, values on the coset, squares of these. */
    const pail_u256 back = field_pow(ops, &root, N - 1);
    field_transform(ops, v, w, LOG_N, &back, &one);
    /* 1/n: 2^-1 = (r + 1) / 2. */
    pail_u256 half = ops->order;
    for (uint32_t i = 0; i < 4; i++)
        half.l[i] = half.l[i] >> 1 | (i < 3 ? half.l[i + 1] << 63 : 0);
    ops->scalar_add(&half, &half, &one);
    const pail_u256 per_n = field_pow(ops, &half, LOG_N);
    for (uint32_t i = 0; i < N; i++) {
        pail_u256 x;
        pail_u256_from_bytes(&x, v + 32 * i);
        ops->scalar_mul(&x, &x, &per_n);
        pail_u256_to_bytes(v + 32 * i, &x);
    }
    field_transform(ops, w, v, LOG_N, &root, &shift);
    for (uint32_t i = 0; i < N; i++) {
        pail_u256 x;
        pail_u256_from_bytes(&x, w + 32 * i);
        ops->scalar_mul(&x, &x, &x);
        pail_u256_to_bytes(w + 32 * i, &x);
    }
    pail_vector *x = make(PAIL_CURVE_BN254, COLUMNS), *y = make(PAIL_CURVE_BN254, N),
                *z = make(PAIL_CURVE_BN254, N);
    write(x, 0, a, COLUMNS);
    pail_vector_op list[4] = {
        {.kind = PAIL_VECTOR_OP_SPMV, .r = y, .a = x, .matrix = matrix, .n = ROWS},
        {.kind = PAIL_VECTOR_OP_INTT, .flags = 0, .log_n = LOG_N, .r = y, .a = y, .n = N},
        {.kind = PAIL_VECTOR_OP_NTT, .log_n = LOG_N, .r = z, .a = y, .n = N},
        {.kind = PAIL_VECTOR_OP_MUL, .r = z, .a = z, .b = z, .n = N},
    };
    for (uint32_t i = 0; i < 4; i++) {
        list[i].struct_size = sizeof(list[i]);
        pail_u256_to_bytes(list[i].root, &root);
    }
    pail_u256_to_bytes(list[2].shift, &shift);
    pail_bases *bases = bases_of(ops, N, PAIL_BASES_DISTINCT, 0);
    pail_pending *first = NULL, *second = NULL, *third = NULL;
    pail_msm_result results[2] = {{.struct_size = sizeof(results[0])},
                                  {.struct_size = sizeof(results[0])}};
    check(plugin.api->vector_start(plugin.context, &first, list, 4));
    pail_msm_job job = SIZED(pail_msm_job, .scalar_location = PAIL_LOCATION_VECTOR, .bases = bases,
                             .n = N, .scalar_vector = z);
    check(plugin.api->msm_start(plugin.context, &second, &job, 1, NULL));
    /* A later operation does not change what the multiplication reads. */
    const pail_vector_op over =
        SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_SUB, .r = z, .a = z, .b = z, .n = N);
    check(plugin.api->vector_start(plugin.context, &third, &over, 1));
    check(plugin.api->vector_finish(&third, NULL));
    check(plugin.api->msm_finish(&second, &results[0], 1, NULL));
    plugin.api->pending_abandon(&first);
    memset(v, 0, 32 * N);
    expect(z, 0, v, N, "z - z");
    job.scalar_location = PAIL_LOCATION_HOST;
    job.scalar_vector = NULL;
    job.scalars = w;
    plugin_run(&job, 1, NULL, &results[1]);
    assert_memory_equal(&results[0], &results[1], sizeof(results[0]));
    plugin.api->bases_destroy(plugin.context, &bases);
    plugin.api->matrix_destroy(plugin.context, &matrix);
    destroy(x);
    destroy(y);
    destroy(z);
    free(a);
    free(w);
    free(v);
    free(s.columns);
    free(s.values);
}

/* Multiplications over two vectors go side by side: one submission, two blocks, and the sums of the
 * same scalars from the host. Where the caller's budget has no room for both, they go one after the
 * other, and the sums are the same. */
PAIL_TEST(abreast)
{
    enum { N = 300, BOTH = 2 };
    const struct pail_curve_ops *ops = ops_of(PAIL_CURVE_BN254);
    const uint32_t seeds[BOTH] = {21, 22};
    uint8_t *scalars[BOTH];
    pail_vector *vectors[BOTH];
    pail_bases *bases[BOTH] = {bases_of(ops, N, PAIL_BASES_DISTINCT, 0),
                               bases_of(ops, N, PAIL_BASES_INFINITY, 0)};
    pail_msm_job of_vectors[BOTH], of_host[BOTH];
    pail_msm_result want[BOTH], got[BOTH];
    for (size_t i = 0; i < BOTH; i++) {
        scalars[i] = elements_of(ops, N, seeds[i]);
        vectors[i] = make(PAIL_CURVE_BN254, N);
        write(vectors[i], 0, scalars[i], N);
        of_host[i] = (pail_msm_job){
            .struct_size = sizeof(of_host[i]), .bases = bases[i], .scalars = scalars[i], .n = N};
        of_vectors[i] = (pail_msm_job){.struct_size = sizeof(of_vectors[i]),
                                       .scalar_location = PAIL_LOCATION_VECTOR,
                                       .bases = bases[i],
                                       .scalar_vector = vectors[i],
                                       .n = N};
    }
    plugin_run(of_host, BOTH, NULL, want);
    assert_memory_not_equal(&want[0], &want[1], sizeof(want[0]));
    const pail_stats both = plugin_run(of_vectors, BOTH, NULL, got);
    assert_memory_equal(got, want, sizeof(want));
    assert_int_equal(both.submissions, 1);
    assert_int_equal(both.blocks, BOTH);
    const pail_stats alone = plugin_run(&of_vectors[0], 1, NULL, got);
    assert_memory_equal(&got[0], &want[0], sizeof(want[0]));
    assert_in_range(alone.bytes_requested, 1, both.bytes_requested - 1);
    const pail_msm_config config =
        SIZED(pail_msm_config, .memory_budget = (alone.bytes_requested + both.bytes_requested) / 2);
    const pail_stats apart = plugin_run(of_vectors, BOTH, &config, got);
    assert_memory_equal(got, want, sizeof(want));
    assert_in_range(apart.submissions, BOTH, 100);
    assert_in_range(apart.bytes_requested, 1, config.memory_budget);
    for (size_t i = 0; i < BOTH; i++) {
        plugin.api->bases_destroy(plugin.context, &bases[i]);
        destroy(vectors[i]);
        free(scalars[i]);
    }
}

/* A multiplication takes scalars from the vector itself, chunk by chunk, if the context has no room
 * for them once more. They may be overwritten once it has started. */
PAIL_TEST(in_chunks)
{
    enum { N = 1 << 14 };
    if (plugin_is_slow())
        SKIP_BECAUSE("this driver takes minutes for so many points; the others show it");
    const pail_context_params params = {
        .struct_size = sizeof(params), .device = PAIL_DEVICE_BEST, .memory_budget = 67 * 32 * 1024};
    const struct pail_curve_ops *ops = ops_of(PAIL_CURVE_BN254);
    pail_context *usual = plugin.context;
    uint8_t *scalars = elements_of(ops, N, 31);
    check(plugin.api->context_create(&plugin.host, &plugin.context, &params));
    pail_bases *bases = bases_of(ops, N, PAIL_BASES_DISTINCT, PAIL_RESIDENCY_DEVICE);
    pail_vector *x = make(PAIL_CURVE_BN254, N);
    write(x, 0, scalars, N);
    pail_msm_job job = {.struct_size = sizeof(job),
                        .scalar_location = PAIL_LOCATION_VECTOR,
                        .bases = bases,
                        .scalar_vector = x,
                        .n = N};
    pail_pending *pending = NULL;
    pail_msm_result got = {.struct_size = sizeof(got)}, want;
    pail_stats stats = {.struct_size = sizeof(stats)};
    check(plugin.api->msm_start(plugin.context, &pending, &job, 1, NULL));
    uint8_t *zeros = calloc(N, 32);
    write(x, 0, zeros, N);
    check(plugin.api->msm_finish(&pending, &got, 1, &stats));
    assert_in_range(stats.chunks, 2, 16);
    assert_in_range(stats.bytes_requested, 1, params.memory_budget - (64 + 32) * N);
    job.scalar_location = PAIL_LOCATION_HOST;
    job.scalar_vector = NULL;
    job.scalars = scalars;
    plugin_run(&job, 1, NULL, &want);
    assert_memory_equal(&got, &want, sizeof(want));
    plugin.api->bases_destroy(plugin.context, &bases);
    destroy(x);
    free(scalars);
    free(zeros);
    plugin.api->context_destroy(&plugin.context);
    plugin.context = usual;
}

PAIL_TEST_GROUP(plugin_setup, plugin_teardown)
