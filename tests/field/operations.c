/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse products and operations element by element, against single numbers; multiplications with
 * scalars of a vector. */

#include "support.h"
#include "support/test.h"

/* No multiple of a vector's lanes; more than a task takes. */
enum { FEW = 77, MANY = 40003 };

static struct test_cpu cpu;

static void destroy(pail_vector *vector)
{
    cpu.backend->vector_destroy(cpu.context, &vector);
    assert_null(vector);
}

/* Element i of the operation's result. x, y, z: elements of a, b, c. */
static pail_u256 wanted(const pail_vector_op *op, uint64_t i, const pail_u256 *x,
                        const pail_u256 *y, const pail_u256 *z)
{
    const struct pail_curve_ops *const ops = field_ops();
    pail_u256 r = *x, shift, scale;
    pail_u256_from_bytes(&shift, op->shift);
    pail_u256_from_bytes(&scale, op->scale);
    switch ((pail_vector_op_kind)op->kind) {
    case PAIL_VECTOR_OP_ADD:
        ops->scalar_add(&r, x, y);
        return r;
    case PAIL_VECTOR_OP_SUB:
        return field_sub(x, y);
    case PAIL_VECTOR_OP_MUL:
        ops->scalar_mul(&r, x, y);
        return r;
    case PAIL_VECTOR_OP_MUL_SUB:
        ops->scalar_mul(&r, x, y);
        return field_sub(&r, z);
    case PAIL_VECTOR_OP_POWERS:
        if ((shift.l[0] | shift.l[1] | shift.l[2] | shift.l[3]) != 0) {
            shift = field_power(&shift, i);
            ops->scalar_mul(&r, &r, &shift);
        }
        if ((scale.l[0] | scale.l[1] | scale.l[2] | scale.l[3]) != 0)
            ops->scalar_mul(&r, &r, &scale);
        return r;
    case PAIL_VECTOR_OP_COPY:
        return r;
    case PAIL_VECTOR_OP_NTT:
    case PAIL_VECTOR_OP_INTT:
    case PAIL_VECTOR_OP_SPMV:
    case PAIL_VECTOR_OP_LOAD:
    case PAIL_VECTOR_OP_STORE:
    case PAIL_VECTOR_OP_BIT_REVERSE:
    case PAIL_VECTOR_OP_NTT_AT:
    case PAIL_VECTOR_OP_INTT_AT:
    case PAIL_VECTOR_OP_POINTS_NTT:
    case PAIL_VECTOR_OP_POINTS_INTT:
    case PAIL_VECTOR_OP_POINTS_CONVERT:
    case PAIL_VECTOR_OP_POINTS_TABLE:
    case PAIL_VECTOR_OP_POINTS_SUMS:
    case PAIL_VECTOR_OP_POINTS_TRUNCATE:
    case PAIL_VECTOR_OP_FORCE_32:
        break;
    }
    fail();
    return r;
}

static uint32_t operands(uint32_t kind)
{
    if (kind == PAIL_VECTOR_OP_MUL_SUB)
        return 3;
    return kind == PAIL_VECTOR_OP_POWERS || kind == PAIL_VECTOR_OP_COPY ? 1 : 2;
}

/* way: 0: all vectors are different; 1, 2, 3: r is a, b, c; 4: a, b and c are one. */
static void check_each(uint32_t kind, size_t n, unsigned way)
{
    enum { OFFSET = 5, BEYOND = 3 };
    const size_t size = n + OFFSET + BEYOND;
    uint8_t *const bytes = malloc(4 * 32 * size), *const got = malloc(32 * size);
    field_numbers(bytes, 4 * size, 1000 + kind);
    memset(bytes + 32 * (OFFSET + 1), 0, 32); /* a zero among them */
    pail_vector *v[4];
    for (size_t k = 0; k < 4; k++)
        v[k] = field_vector_of(&cpu, bytes + 32 * size * k, size);
    pail_vector_op op =
        SIZED(pail_vector_op, .kind = kind, .r = v[way <= operands(kind) ? way : 0], .a = v[1],
              .b = operands(kind) < 2 ? NULL : v[way == 4 ? 1 : 2],
              .c = operands(kind) < 3 ? NULL : v[way == 4 ? 1 : 3], .r_offset = OFFSET,
              .a_offset = OFFSET, .b_offset = OFFSET, .c_offset = OFFSET, .n = n);
    const bool given = way % 2 == 0;
    const pail_u256 shift = field_number(9, 1), scale = field_number(9, 2);
    if (given) {
        pail_u256_to_bytes(op.shift, &shift);
        pail_u256_to_bytes(op.scale, &scale);
    }
    const size_t r = way <= operands(kind) ? way : 0;
    field_run(&cpu, &op, 1);
    field_read(&cpu, v[r], got, size);
    for (size_t i = 0; i < size; i++) {
        pail_u256 x[4], want;
        for (size_t k = 0; k < 4; k++)
            pail_u256_from_bytes(&x[k], bytes + 32 * (size * (way == 4 && k > 0 ? 1 : k) + i));
        want = x[r];
        if (i >= OFFSET && i < OFFSET + n)
            want = wanted(&op, i - OFFSET, &x[1], &x[2], &x[3]);
        uint8_t expected[32];
        pail_u256_to_bytes(expected, &want);
        assert_memory_equal(got + 32 * i, expected, 32);
    }
    for (size_t k = 0; k < 4; k++)
        destroy(v[k]);
    free(got);
    free(bytes);
}

static void each_of_one(void)
{
    for (uint32_t kind = PAIL_VECTOR_OP_ADD; kind <= PAIL_VECTOR_OP_COPY; kind++) {
        for (unsigned way = 0; way <= 4; way++)
            check_each(kind, FEW, way);
        check_each(kind, 1, 0);
        check_each(kind, 8, 1);
    }
    check_each(PAIL_VECTOR_OP_MUL_SUB, MANY, 0);
    check_each(PAIL_VECTOR_OP_POWERS, 17000, 0);
}

PAIL_TEST(each)
{
    test_cpu_begin(&cpu, 2);
    field_on_both(each_of_one);
    test_cpu_end(&cpu);
}

/* ---- Sparse products ------------------------------------------------------------------------- */

/* Rows of 0, 1, 2, ... entries, columns more than once among them. n_values: different values at
 * most; 0: as many as entries. */
static void check_sparse(size_t n_rows, size_t n_columns, size_t n_values, bool montgomery)
{
    const struct pail_curve_ops *const ops = field_ops();
    uint64_t *const starts = malloc((n_rows + 1) * sizeof *starts);
    starts[0] = 0;
    for (size_t i = 0; i < n_rows; i++)
        starts[i + 1] = starts[i] + (n_columns == 0 ? 0 : i * i % 23);
    const size_t n = (size_t)starts[n_rows];
    uint32_t *const columns = malloc((n + 1) * sizeof *columns);
    uint8_t *const values = calloc(n + 1, 32), *const x = calloc(n_columns + 1, 32),
                   *const got = calloc(n_rows + 1, 32);
    field_numbers(values, n, 40);
    for (size_t i = n_values; n_values != 0 && i < n; i++)
        memcpy(values + 32 * i, values + 32 * (i * i % n_values), 32);
    field_numbers(x, n_columns, 41);
    for (size_t i = 0; i < n; i++)
        columns[i] = (uint32_t)((i * i + i / 3) % n_columns);
    const pail_matrix_desc desc =
        SIZED(pail_matrix_desc, .curve = field_curve(),
              .encoding = montgomery ? PAIL_ENCODING_MONTGOMERY : PAIL_ENCODING_CANONICAL,
              .n_rows = n_rows, .n_columns = n_columns, .row_starts = starts, .columns = columns,
              .values = values);
    pail_matrix *matrix;
    uint64_t bad = 0;
    assert_int_equal(cpu.backend->matrix_create(cpu.context, &matrix, &bad, &desc), PAIL_OK);
    assert_true(bad == UINT64_MAX);
    pail_vector *const a = field_vector_of(&cpu, x, n_columns), *const r =
                                                                    field_vector(&cpu, n_rows);
    const pail_vector_op op = SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_SPMV, .r = r, .a = a,
                                    .matrix = matrix, .n = n_rows);
    field_run(&cpu, &op, 1);
    cpu.backend->matrix_destroy(cpu.context, &matrix);
    assert_null(matrix);
    field_read(&cpu, r, got, n_rows);
    for (size_t i = 0; i < n_rows; i++) {
        pail_u256 sum = {{0}};
        for (uint64_t e = starts[i]; e < starts[i + 1]; e++) {
            pail_u256 value, element;
            pail_u256_from_bytes(&value, values + 32 * e);
            pail_u256_from_bytes(&element, x + 32 * (size_t)columns[e]);
            if (montgomery)
                ops->scalar_from_montgomery(&value, &value);
            ops->scalar_mul(&value, &value, &element);
            ops->scalar_add(&sum, &sum, &value);
        }
        uint8_t want[32];
        pail_u256_to_bytes(want, &sum);
        assert_memory_equal(got + 32 * i, want, 32);
    }
    destroy(a);
    destroy(r);
    free(got);
    free(x);
    free(values);
    free(columns);
    free(starts);
}

static void sparse_of_one(void)
{
    check_sparse(0, 0, 0, false);
    check_sparse(5, 0, 0, false);
    check_sparse(1, 1, 0, false);
    check_sparse(40, 33, 0, true);
    check_sparse(5000, 777, 0, false);
    check_sparse(40, 33, 1, false);
    check_sparse(500, 77, 1 << 11, true); /* not far from half as many as entries */
    check_sparse(5000, 777, 1000, true);
}

PAIL_TEST(sparse)
{
    test_cpu_begin(&cpu, 2);
    field_on_both(sparse_of_one);
    test_cpu_end(&cpu);
}

/* ---- Multiplications ------------------------------------------------------------------------- */

/* The product of two vectors is on its way when the multiplication starts. */
static void msm_of_one(void)
{
    enum { N = 20000, BASES = N + 10, OFFSET = 7 };
    test_choose(field_ops());
    uint8_t *const points = malloc((size_t)BASES * test_point_bytes()),
                   *const a_bytes = malloc(32 * (N + OFFSET)), *const product = malloc(32 * N);
    pail_make_bases(field_ops(), points, false, 0, BASES, PAIL_BASES_DISTINCT, 3);
    field_numbers(a_bytes, N + OFFSET, 50);
    for (size_t i = 0; i < N; i++) {
        pail_u256 x;
        pail_u256_from_bytes(&x, a_bytes + 32 * (i + OFFSET));
        field_ops()->scalar_mul(&x, &x, &x);
        pail_u256_to_bytes(product + 32 * i, &x);
    }
    pail_bases *bases = test_bases(&cpu, points, BASES, false);
    pail_vector *const a = field_vector_of(&cpu, a_bytes, N + OFFSET), *const r = field_vector(
                                                                           &cpu, N + OFFSET);
    pail_msm_job job =
        SIZED(pail_msm_job, .bases = bases, .base_offset = 3, .scalars = product, .n = N);
    uint8_t want[POINT_MAX], got[POINT_MAX];
    test_msm(&cpu, want, &job, NULL, NULL);
    const pail_vector_op op =
        SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_MUL, .r = r, .a = a, .b = a, .n = N + OFFSET);
    pail_pending *pending;
    assert_int_equal(cpu.backend->vector_start(cpu.context, &pending, &op, 1), PAIL_OK);
    job.scalars = NULL;
    job.scalar_location = PAIL_LOCATION_VECTOR;
    job.scalar_vector = r;
    job.scalar_offset = OFFSET;
    test_msm(&cpu, got, &job, NULL, NULL);
    assert_memory_equal(got, want, sizeof want);
    assert_int_equal(cpu.backend->vector_finish(&pending, NULL), PAIL_OK);

    /* A promise that the vector breaks is known when its turn has come. */
    pail_msm_result result = SIZED(pail_msm_result, .infinity = 1);
    job.scalar_bits = 200;
    assert_int_equal(cpu.backend->msm_start(cpu.context, &pending, &job, 1, NULL), PAIL_OK);
    assert_int_equal(cpu.backend->msm_finish(&pending, &result, 1, NULL), PAIL_ERR_DATA);
    assert_int_equal(result.infinity, 0);
    assert_non_null(
        strstr(cpu.backend->error(cpu.context), "jobs[0].scalars[0] is not below 2^200"));

    /* Zeros and no scalars at all. */
    memset(want, 0, sizeof want);
    pail_vector *const zeros = field_vector(&cpu, 3);
    job.scalar_vector = zeros;
    job.scalar_offset = 0;
    job.n = 3;
    test_msm(&cpu, got, &job, NULL, NULL);
    assert_memory_equal(got, want, sizeof want);
    job.n = 0;
    test_msm(&cpu, got, &job, NULL, NULL);
    assert_memory_equal(got, want, sizeof want);
    destroy(zeros);
    destroy(a);
    destroy(r);
    cpu.backend->bases_destroy(cpu.context, &bases);
    free(product);
    free(a_bytes);
    free(points);
}

PAIL_TEST(msm)
{
    test_cpu_begin(&cpu, 2);
    field_on_both(msm_of_one);
    test_cpu_end(&cpu);
}

PAIL_TEST_MAIN
{
    return field_main();
}
