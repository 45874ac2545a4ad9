/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms against sums of all terms where these are few, against the polynomial's value at a
 * chosen point (Schwartz and Zippel) where they are many, and against each other. */

#include <curves/words.h>

#include "support.h"
#include "support/test.h"

enum { NAIVE_LOG = 7, EVALUATED_LOG = 13, LARGE_LOG = 16 };

static struct test_cpu cpu;

/* Value k of the transform: the polynomial's at shift root^k. */
static void naive(uint8_t *values, const uint8_t *coefficients, uint32_t log_n,
                  const pail_u256 *shift, bool reversed)
{
    const pail_u256 root = field_root(log_n);
    pail_u256 x = *shift;
    for (size_t k = 0; k < (size_t)1 << log_n; k++) {
        const pail_u256 value = field_horner(coefficients, (size_t)1 << log_n, &x);
        pail_u256_to_bytes(values + 32 * (reversed ? field_reverse(k, log_n) : k), &value);
        field_ops()->scalar_mul(&x, &x, &root);
    }
}

static void reverse_all(uint8_t *to, const uint8_t *from, uint32_t log_n)
{
    for (size_t i = 0; i < (size_t)1 << log_n; i++)
        memcpy(to + 32 * field_reverse(i, log_n), from + 32 * i, 32);
}

/* Forward and backward, all orders, with and without shift, in place and not. */
static void small_sizes_of_one(void)
{
    uint8_t *const in = malloc(32 << NAIVE_LOG), *const want = malloc(32 << NAIVE_LOG),
                   *const got = malloc(32 << NAIVE_LOG), *const given = malloc(32 << NAIVE_LOG);
    const pail_u256 shifts[] = {{{1}}, field_number(2, 0)};
    for (uint32_t log_n = 0; log_n <= NAIVE_LOG; log_n++) {
        const size_t n = (size_t)1 << log_n;
        field_numbers(in, n, 3 + log_n);
        for (unsigned way = 0; way < 16; way++) {
            const uint32_t values = way & 1 ? PAIL_VECTOR_OP_BIT_REVERSED : 0;
            const uint32_t flags =
                values | (way & 8 ? (uint32_t)PAIL_VECTOR_OP_COEFFICIENTS_REVERSED : 0);
            const pail_u256 *const shift = &shifts[way >> 1 & 1];
            naive(want, in, log_n, shift, values != 0);
            if (way & 8)
                reverse_all(given, in, log_n);
            else
                memcpy(given, in, 32 * n);
            pail_vector *const a = field_vector_of(&cpu, given, n);
            pail_vector *const r = way & 4 ? a : field_vector(&cpu, n);
            pail_vector_op op = field_transform(PAIL_VECTOR_OP_NTT, flags, log_n, r, a, n, shift);
            field_run(&cpu, &op, 1);
            field_read(&cpu, r, got, n);
            assert_memory_equal(got, want, 32 * n);
            if (r != a) { /* the operand is as it was */
                field_read(&cpu, a, got, n);
                assert_memory_equal(got, given, 32 * n);
            }
            op = field_transform(PAIL_VECTOR_OP_INTT, flags, log_n, r, r, n, shift);
            field_run(&cpu, &op, 1);
            field_read(&cpu, r, got, n);
            assert_memory_equal(got, given, 32 * n);
            pail_vector *destroyed = a;
            cpu.backend->vector_destroy(cpu.context, &destroyed);
            destroyed = way & 4 ? NULL : r;
            cpu.backend->vector_destroy(cpu.context, &destroyed);
        }
    }
    free(given);
    free(got);
    free(want);
    free(in);
}

/* Elements in memory, several polynomials, next to the same in a vector. Every third is not below
 * the order, and the first has all bits set. */
static void check_memory(uint32_t log_n, unsigned way, const pail_u256 *shift)
{
    enum { BATCH = 9 };
    const size_t n = (size_t)BATCH << log_n, bytes = 32 * n;
    const bool inverse = way & 4, in_place = way & 16;
    uint8_t *const in = malloc(bytes), *const want = malloc(bytes), *const got = malloc(bytes);
    pail_memory_info info = {.struct_size = sizeof info};
    pail_memory *memory = NULL;
    assert_int_equal(
        cpu.backend->memory_create(cpu.context, &memory, &info, PAIL_MEMORY_DEVICE, 2 * bytes),
        PAIL_OK);
    field_numbers(in, n, 200 + log_n);
    pail_vector *v = field_vector_of(&cpu, in, n);
    pail_vector_op op = field_transform(inverse ? PAIL_VECTOR_OP_INTT : PAIL_VECTOR_OP_NTT, way % 4,
                                        log_n, v, v, n, way & 8 ? shift : NULL);
    for (size_t i = 0; i < n; i += 3) { /* no carry: the order is below 2^255 */
        uint64_t carry = 0;
        pail_u256 x;
        pail_u256_from_bytes(&x, in + 32 * i);
        for (size_t k = 0; k < 4; k++)
            x.l[k] = pail_add_carry(x.l[k], field_ops()->order.l[k], &carry);
        pail_u256_to_bytes(in + 32 * i, &x);
    }
    memset(in, 0xff, 32);
    pail_vector_op ops[3] = {op, op, op};
    assert_int_equal(cpu.backend->memory_write(memory, in_place ? bytes : 0, in, bytes), PAIL_OK);
    ops[0] = (pail_vector_op)SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_LOAD, .r = v, .n = n,
                                   .address = info.address + (in_place ? bytes : 0));
    ops[2].kind = inverse ? PAIL_VECTOR_OP_INTT_AT : PAIL_VECTOR_OP_NTT_AT;
    ops[2].r = NULL;
    ops[2].a = NULL;
    ops[2].curve = field_curve();
    ops[2].address = ops[0].address;
    ops[2].to_address = info.address + bytes;
    field_run(&cpu, ops, 3);
    field_read(&cpu, v, want, n);
    assert_int_equal(cpu.backend->memory_read(memory, got, bytes, bytes), PAIL_OK);
    assert_memory_equal(got, want, bytes);
    if (!in_place) { /* the operand is as it was */
        assert_int_equal(cpu.backend->memory_read(memory, got, 0, bytes), PAIL_OK);
        assert_memory_equal(got, in, bytes);
    }
    cpu.backend->vector_destroy(cpu.context, &v);
    cpu.backend->memory_destroy(cpu.context, &memory);
    free(got);
    free(want);
    free(in);
}

static void in_memory_of_one(void)
{
    static const uint32_t logs[] = {0, 1, 2, 3, 5, 6, 9, 13};
    const pail_u256 shift = field_number(3, 7);
    for (size_t l = 0; l < sizeof logs / sizeof logs[0]; l++)
        for (unsigned way = 0; way < 32; way++)
            check_memory(logs[l], way, &shift);
}

PAIL_TEST(in_memory)
{
    test_cpu_begin(&cpu, 2);
    field_on_both(in_memory_of_one);
    test_cpu_end(&cpu);
}

/* Several blocks, of more elements than a task has, in place and not. */
PAIL_TEST(reversals)
{
    static const uint32_t logs[] = {0, 1, 5, 13, 15};
    enum { N = 3 << 15 };
    uint8_t *const in = malloc(32 * N), *const want = malloc(32 * N), *const got = malloc(32 * N);
    test_cpu_begin(&cpu, 2);
    for (size_t l = 0; l < sizeof logs / sizeof logs[0]; l++) {
        const size_t block = (size_t)1 << logs[l];
        field_numbers(in, N, 50 + l);
        for (size_t i = 0; i < N; i += block)
            reverse_all(want + 32 * i, in + 32 * i, logs[l]);
        pail_vector *a = field_vector_of(&cpu, in, N), *r = field_vector(&cpu, N);
        const pail_vector_op ops[] = {SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_BIT_REVERSE,
                                            .log_n = logs[l], .r = r, .a = a, .n = N),
                                      SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_BIT_REVERSE,
                                            .log_n = logs[l], .r = a, .a = a, .n = N)};
        field_run(&cpu, ops, 2);
        field_read(&cpu, r, got, N);
        assert_memory_equal(got, want, 32 * N);
        field_read(&cpu, a, got, N);
        assert_memory_equal(got, want, 32 * N);
        cpu.backend->vector_destroy(cpu.context, &a);
        cpu.backend->vector_destroy(cpu.context, &r);
    }
    test_cpu_end(&cpu);
    free(got);
    free(want);
    free(in);
}

PAIL_TEST(small_sizes)
{
    test_cpu_begin(&cpu, 2);
    field_on_both(small_sizes_of_one);
    test_cpu_end(&cpu);
}

/* The values f(shift root^k) fix f: the barycentric formula gives f(x) from them, for any x. */
static pail_u256 from_values(const uint8_t *values, uint32_t log_n, bool reversed,
                             const pail_u256 *shift, const pail_u256 *x)
{
    /* f(x) = ((x/s)^n - 1) / n times the sum of f(s w^k) w^k / (x/s - w^k) */
    const struct pail_curve_ops *const ops = field_ops();
    const size_t n = (size_t)1 << log_n;
    const pail_u256 root = field_root(log_n), one = {{1}}, count = {{n}};
    pail_u256 y = field_inverse(shift), w = one, sum = {{0}};
    ops->scalar_mul(&y, &y, x);
    /* One inversion for all: prefix products of the differences. */
    pail_u256 *const before = malloc(n * sizeof *before), *const points =
                                                              malloc(n * sizeof *points);
    pail_u256 product = one;
    for (size_t k = 0; k < n; k++) {
        points[k] = w;
        before[k] = product;
        const pail_u256 difference = field_sub(&y, &w);
        ops->scalar_mul(&product, &product, &difference);
        ops->scalar_mul(&w, &w, &root);
    }
    pail_u256 inverse = field_inverse(&product);
    for (size_t k = n; k-- > 0;) {
        pail_u256 term, value;
        const pail_u256 difference = field_sub(&y, &points[k]);
        ops->scalar_mul(&term, &inverse, &before[k]);
        ops->scalar_mul(&inverse, &inverse, &difference);
        pail_u256_from_bytes(&value, values + 32 * (reversed ? field_reverse(k, log_n) : k));
        ops->scalar_mul(&term, &term, &points[k]);
        ops->scalar_mul(&term, &term, &value);
        ops->scalar_add(&sum, &sum, &term);
    }
    free(points);
    free(before);
    pail_u256 factor = field_power(&y, n);
    factor = field_sub(&factor, &one);
    const pail_u256 n_inverse = field_inverse(&count);
    ops->scalar_mul(&factor, &factor, &n_inverse);
    ops->scalar_mul(&sum, &sum, &factor);
    return sum;
}

static void check_size(uint32_t log_n, bool reversed, const pail_u256 *shift)
{
    const size_t n = (size_t)1 << log_n;
    const uint32_t flags = reversed ? PAIL_VECTOR_OP_BIT_REVERSED : 0;
    uint8_t *const in = malloc(32 * n), *const got = malloc(32 * n);
    field_numbers(in, n, 100 + log_n);
    pail_vector *a = field_vector_of(&cpu, in, n), *r = field_vector(&cpu, n);
    pail_vector_op op = field_transform(PAIL_VECTOR_OP_NTT, flags, log_n, r, a, n, shift);
    field_run(&cpu, &op, 1);
    field_read(&cpu, r, got, n);
    const pail_u256 x = field_number(5, log_n);
    const pail_u256 want = field_horner(in, n, &x),
                    value = from_values(got, log_n, reversed, shift, &x);
    assert_memory_equal(&value, &want, sizeof want);
    op = field_transform(PAIL_VECTOR_OP_INTT, flags, log_n, r, r, n, shift);
    field_run(&cpu, &op, 1);
    field_read(&cpu, r, got, n);
    assert_memory_equal(got, in, 32 * n);
    /* Backward from values that are no transform of anything that was kept. */
    op = field_transform(PAIL_VECTOR_OP_INTT, flags, log_n, r, a, n, shift);
    field_run(&cpu, &op, 1);
    field_read(&cpu, r, got, n);
    const pail_u256 coefficients = field_horner(got, n, &x),
                    values = from_values(in, log_n, reversed, shift, &x);
    assert_memory_equal(&coefficients, &values, sizeof values);
    cpu.backend->vector_destroy(cpu.context, &a);
    cpu.backend->vector_destroy(cpu.context, &r);
    free(got);
    free(in);
}

static void all_sizes_of_one(void)
{
    const pail_u256 one = {{1}}, shift = field_number(6, 0);
    for (uint32_t log_n = NAIVE_LOG; log_n <= EVALUATED_LOG; log_n++) {
        check_size(log_n, log_n % 2 == 0, &one);
        check_size(log_n, log_n % 2 == 1, &shift);
    }
    check_size(LARGE_LOG, false, &shift);
    check_size(LARGE_LOG, true, &one);
}

PAIL_TEST(all_sizes)
{
    test_cpu_begin(&cpu, 2);
    field_on_both(all_sizes_of_one);
    test_cpu_end(&cpu);
}

/* Many polynomials at once, more and fewer than there are lanes, at an offset: each as alone, and
 * nothing else is touched. */
static void batches_of_one(void)
{
    enum { OFFSET = 3, BEYOND = 2 };
    static const uint32_t logs[] = {0, 1, 2, 3, 5, 6, 7, 9};
    static const size_t counts[] = {1, 2, 7, 8, 9, 21};
    const pail_u256 shift = field_number(7, 0);
    for (size_t l = 0; l < sizeof logs / sizeof logs[0]; l++) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            const size_t n = (size_t)1 << logs[l], total = n * counts[c];
            const size_t size = total + OFFSET + BEYOND;
            const uint32_t flags = c % 2 ? PAIL_VECTOR_OP_BIT_REVERSED : 0;
            uint8_t *const in = malloc(32 * size), *const want = malloc(32 * size),
                           *const got = malloc(32 * size);
            field_numbers(in, size, 70 + l);
            memcpy(want, in, 32 * size);
            for (size_t i = 0; i < counts[c]; i++) {
                pail_vector *one = field_vector_of(&cpu, in + 32 * (OFFSET + i * n), n);
                const pail_vector_op op =
                    field_transform(PAIL_VECTOR_OP_NTT, flags, logs[l], one, one, n, &shift);
                field_run(&cpu, &op, 1);
                field_read(&cpu, one, want + 32 * (OFFSET + i * n), n);
                cpu.backend->vector_destroy(cpu.context, &one);
            }
            pail_vector *all = field_vector_of(&cpu, in, size);
            pail_vector_op op =
                field_transform(PAIL_VECTOR_OP_NTT, flags, logs[l], all, all, total, &shift);
            op.r_offset = op.a_offset = OFFSET;
            field_run(&cpu, &op, 1);
            field_read(&cpu, all, got, size);
            assert_memory_equal(got, want, 32 * size);
            op.kind = PAIL_VECTOR_OP_INTT;
            field_run(&cpu, &op, 1);
            field_read(&cpu, all, got, size);
            assert_memory_equal(got, in, 32 * size);
            cpu.backend->vector_destroy(cpu.context, &all);
            free(got);
            free(want);
            free(in);
        }
    }
}

PAIL_TEST(batches)
{
    test_cpu_begin(&cpu, 2);
    field_on_both(batches_of_one);
    test_cpu_end(&cpu);
}

/* Extreme elements: sums of the largest go through all levels unreduced where values are lazy. */
static void extremes_of_one(void)
{
    enum { LOG_N = 12, SIZE = 1 << LOG_N };
    const pail_u256 one = {{1}}, zero = {{0}}, most = field_sub(&zero, &one);
    uint8_t *const in = malloc(32 * SIZE), *const got = malloc(32 * SIZE);
    for (unsigned way = 0; way < 6; way++) {
        for (size_t i = 0; i < SIZE; i++) {
            const bool high = way < 2 || (way < 4 ? i % 2 == 0 : i < SIZE / 2);
            pail_u256_to_bytes(in + 32 * i, high ? &most : &zero);
        }
        const uint32_t flags = way % 2 ? PAIL_VECTOR_OP_BIT_REVERSED : 0;
        const pail_u256 shift = way % 3 ? field_number(8, way) : one;
        pail_vector *v = field_vector(&cpu, SIZE);
        /* The largest words that a vector can hold: r - 1 in Montgomery form. */
        assert_int_equal(cpu.backend->vector_write(v, 0, in, SIZE, PAIL_ENCODING_MONTGOMERY),
                         PAIL_OK);
        uint8_t *const plain = malloc(32 * SIZE);
        field_read(&cpu, v, plain, SIZE);
        pail_vector *r = field_vector(&cpu, SIZE);
        for (uint32_t kind = PAIL_VECTOR_OP_NTT; kind <= PAIL_VECTOR_OP_INTT; kind++) {
            const bool forward = kind == PAIL_VECTOR_OP_NTT;
            const pail_u256 x = field_number(9, way);
            const pail_vector_op op =
                field_transform((pail_vector_op_kind)kind, flags, LOG_N, r, v, SIZE, &shift);
            field_run(&cpu, &op, 1);
            field_read(&cpu, r, got, SIZE);
            const pail_u256 a = field_horner(forward ? plain : got, SIZE, &x);
            const pail_u256 b = from_values(forward ? got : plain, LOG_N, flags != 0, &shift, &x);
            assert_memory_equal(&a, &b, sizeof a);
        }
        free(plain);
        cpu.backend->vector_destroy(cpu.context, &r);
        cpu.backend->vector_destroy(cpu.context, &v);
    }
    free(got);
    free(in);
}

PAIL_TEST(extremes)
{
    test_cpu_begin(&cpu, 2);
    field_on_both(extremes_of_one);
    test_cpu_end(&cpu);
}

PAIL_TEST_MAIN
{
    return field_main();
}
