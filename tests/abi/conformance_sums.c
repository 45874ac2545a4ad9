/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of points, sums by them and truncations of values, in memory at addresses. Points are
 * known multiples of the generator, so that the same sums of numbers say what is to come out. */
#include "conformance.h"
#include "support/long.h"

#include <curves/curve_ops.h>
#include <curves/scalar.h>
#include <curves/sums.h>

enum { POINT = 3 * 48, LOG_MAX = 4, ROWS = 3, N_MAX = 3 << LOG_MAX, FIRST = 16, OFFSET = 5 };

struct place {
    pail_memory *memory;
    uint64_t address;
};

/* False where the device has no addresses. */
static bool make(const struct subject *subject, struct place *place, uint64_t bytes)
{
    pail_memory_info info = {.struct_size = sizeof info};
    const pail_status status = subject->backend->memory_create(
        subject->context, &place->memory, &info, PAIL_MEMORY_DEVICE, FIRST + bytes);
    place->address = info.address + FIRST;
    if (status == PAIL_ERR_UNSUPPORTED)
        return false;
    assert_int_equal(status, PAIL_OK);
    return true;
}

static void drop(const struct subject *subject, struct place *place)
{
    subject->backend->memory_destroy(subject->context, &place->memory);
}

static void run(const struct subject *subject, const pail_vector_op *ops, size_t n)
{
    pail_pending *pending = NULL;
    if (subject->backend->vector_start(subject->context, &pending, ops, n) != PAIL_OK ||
        subject->backend->vector_finish(&pending, NULL) != PAIL_OK)
        fail_msg("%s", subject->backend->error(subject->context));
}

/* Number i: 0 now and then, and equal and opposite ones. */
static pail_u256 number(const struct pail_curve_ops *ops, size_t i)
{
    pail_u256 x = pail_scalar_of(i % 7 == 3 ? 0 : i % 5 == 4 ? 9 : 1 + 3 * i);
    if (i % 6 == 5)
        ops->scalar_neg(&x, &x);
    return x;
}

/* Scalar i: with 0, 1, the largest, and many digits. */
static pail_u256 scalar(const struct pail_curve_ops *ops, size_t i)
{
    pail_u256 x = pail_scalar_of(i % 4 == 3 ? i % 3 : i * UINT64_C(0x9e3779b97f4a7c15));
    for (size_t k = 0; k < i % 4; k++)
        ops->scalar_mul(&x, &x, &x);
    if (i % 5 == 1)
        x = pail_scalar_of(1);
    if (i % 5 < 2)
        ops->scalar_neg(&x, &x);
    return x;
}

static void multiple(const struct pail_curve_ops *ops, pail_point *r, const pail_u256 *k)
{
    pail_affine generator;
    ops->generator(&generator);
    ops->from_affine(r, &generator);
    ops->mul(r, r, k);
}

static void put(const struct subject *subject, const struct place *place,
                const struct pail_curve_ops *ops, size_t n, uint32_t encoding)
{
    const struct pail_point_encoding e = pail_point_encoding_of(encoding);
    static uint8_t bytes[N_MAX * POINT];
    const size_t of_point = e.coordinates * ops->coordinate_bytes;
    for (size_t i = 0; i < n; i++) {
        const pail_u256 k = number(ops, i);
        pail_point point;
        pail_affine affine;
        multiple(ops, &point, &k);
        ops->to_affine(&affine, &point);
        ops->store_point(bytes + i * of_point, &affine, e);
    }
    assert_int_equal(subject->backend->memory_write(place->memory, FIRST, bytes, n * of_point),
                     PAIL_OK);
}

static void expect(const struct subject *subject, const struct place *place,
                   const struct pail_curve_ops *ops, const pail_u256 *numbers, size_t n,
                   uint32_t encoding)
{
    const struct pail_point_encoding e = pail_point_encoding_of(encoding);
    static uint8_t bytes[N_MAX * POINT];
    const size_t of_point = e.coordinates * ops->coordinate_bytes;
    assert_int_equal(subject->backend->memory_read(place->memory, bytes, FIRST, n * of_point),
                     PAIL_OK);
    for (size_t i = 0; i < n; i++) {
        pail_point want, got;
        pail_affine affine;
        multiple(ops, &want, &numbers[i]);
        ops->load_points(&affine, bytes + i * of_point, 1, e);
        assert_true(ops->on_curve(&affine));
        ops->from_affine(&got, &affine);
        if (!ops->equal(&want, &got))
            fail_msg("point %zu of %zu is another", i, n);
    }
}

/* ---- Sums ------------------------------------------------------------------------------------ */
static void check_sums(const struct subject *subject, const struct pail_curve_ops *ops,
                       size_t batches, uint32_t log_n, uint32_t bits, uint32_t copies,
                       uint32_t encoding)
{
    const size_t columns = (size_t)1 << log_n, points = ROWS * columns, n = batches * columns;
    static uint8_t scalars[32 * (OFFSET + 2 * N_MAX)];
    pail_u256 wanted[N_MAX];
    pail_vector *v = NULL;
    struct place from, table, to;
    assert_true(make(subject, &from, points * POINT));
    assert_true(make(subject, &to, n * POINT));
    assert_true(make(subject, &table, points * pail_sum_table_bytes(ops, bits, copies)));
    for (size_t i = 0; i < ROWS * n; i++) {
        const pail_u256 k = scalar(ops, i);
        pail_u256_to_bytes(scalars + 32 * i, &k);
    }
    for (size_t i = 0; i < n; i++) {
        wanted[i] = pail_scalar_of(0);
        for (size_t k = 0; k < ROWS; k++) {
            pail_u256 x = scalar(ops, (i / columns * ROWS + k) * columns + i % columns);
            const pail_u256 of_point = number(ops, k * columns + i % columns);
            ops->scalar_mul(&x, &x, &of_point);
            ops->scalar_add(&wanted[i], &wanted[i], &x);
        }
    }
    assert_int_equal(
        subject->backend->vector_create(subject->context, &v, ops->curve, OFFSET + ROWS * n),
        PAIL_OK);
    assert_int_equal(
        subject->backend->vector_write(v, OFFSET, scalars, ROWS * n, PAIL_ENCODING_CANONICAL),
        PAIL_OK);
    put(subject, &from, ops, points, encoding);
    const pail_vector_op list[] = {
        SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_POINTS_TABLE, .n = points,
              .address = from.address, .to_address = table.address, .encoding = encoding,
              .curve = ops->curve, .group = PAIL_G1, .window_bits = bits, .copies = copies),
        SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_POINTS_SUMS, .log_n = log_n, .n = n, .a = v,
              .a_offset = OFFSET, .address = table.address, .to_address = to.address,
              .to_encoding = encoding, .curve = ops->curve, .group = PAIL_G1, .rows = ROWS,
              .window_bits = bits, .copies = copies)};
    run(subject, list, 2);
    expect(subject, &to, ops, wanted, n, encoding);
    subject->backend->vector_destroy(subject->context, &v);
    drop(subject, &from);
    drop(subject, &table);
    drop(subject, &to);
}

static bool has_addresses(const struct subject *subject)
{
    struct place place;
    if (!make(subject, &place, POINT))
        return false;
    drop(subject, &place);
    return true;
}

CONFORMANCE_NEEDS(points_are_added_up_by_tables, memory_find)
{
    static const struct {
        uint32_t curve, log_n, bits, copies, encoding;
    } rows[] = {{PAIL_CURVE_BN254, 0, 2, 1, PAIL_ENCODING_CANONICAL},
                {PAIL_CURVE_BN254, 3, 5, 51, PAIL_ENCODING_PROJECTIVE},
                {PAIL_CURVE_BN254, 2, 7, 4, PAIL_ENCODING_MONTGOMERY},
                {PAIL_CURVE_BLS12_381, 1, 4, 5, PAIL_ENCODING_JACOBIAN},
                {PAIL_CURVE_BLS12_381, 3, 6, 2, PAIL_ENCODING_PROJECTIVE_MONTGOMERY}};
    if (!has_addresses(subject))
        SKIP_BECAUSE("the device has no addresses");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_sums(subject, pail_curve_ops(rows[i].curve, PAIL_G1), 2, rows[i].log_n, rows[i].bits,
                   rows[i].copies, rows[i].encoding);
}

/* ---- Truncations ----------------------------------------------------------------------------- */
static size_t placed(size_t i, uint32_t log_n, bool reverse)
{
    size_t r = 0;
    for (uint32_t k = 0; k < log_n && reverse; k++)
        r |= (i >> k & 1) << (log_n - 1 - k);
    return reverse ? r : i;
}

/* values at root^k of the lower half of the coefficients that have values u at root^e. */
static void lower_half(const struct pail_curve_ops *ops, pail_u256 *values, const pail_u256 *u,
                       uint32_t log_n, const pail_u256 *root)
{
    const size_t n = (size_t)1 << log_n;
    const pail_u256 number_of = pail_scalar_of(n);
    pail_u256 powers[1 << LOG_MAX], per_n = pail_scalar_inverse(ops, &number_of);
    powers[0] = pail_scalar_of(1);
    for (size_t i = 1; i < n; i++)
        ops->scalar_mul(&powers[i], &powers[i - 1], root);
    for (size_t k = 0; k < n; k++)
        values[k] = pail_scalar_of(0);
    for (size_t c = 0; c < n / 2; c++) {
        pail_u256 coefficient = pail_scalar_of(0), term;
        for (size_t e = 0; e < n; e++) {
            ops->scalar_mul(&term, &u[e], &powers[(n - c) * e % n]);
            ops->scalar_add(&coefficient, &coefficient, &term);
        }
        ops->scalar_mul(&coefficient, &coefficient, &per_n);
        for (size_t k = 0; k < n; k++) {
            ops->scalar_mul(&term, &coefficient, &powers[c * k % n]);
            ops->scalar_add(&values[k], &values[k], &term);
        }
    }
}

static void check_truncation(const struct subject *subject, const struct pail_curve_ops *ops,
                             uint32_t log_n, size_t batches, uint32_t flags, bool in_place)
{
    const size_t n = (size_t)1 << log_n, all = batches * n;
    const pail_u256 root = pail_scalar_root(ops, log_n);
    const uint32_t encoding = in_place ? PAIL_ENCODING_CANONICAL : PAIL_ENCODING_JACOBIAN;
    pail_u256 u[1 << LOG_MAX], values[1 << LOG_MAX], wanted[N_MAX];
    struct place from, to;
    assert_true(make(subject, &from, all * POINT));
    assert_true(make(subject, &to, all * POINT));
    for (size_t b = 0; b < batches; b++) {
        for (size_t e = 0; e < n; e++)
            u[e] = number(ops, b * n + placed(e, log_n, flags != 0));
        lower_half(ops, values, u, log_n, &root);
        for (size_t k = 0; k < n; k++)
            wanted[b * n + placed(k, log_n, flags != 0)] = values[k];
    }
    put(subject, &from, ops, all, PAIL_ENCODING_CANONICAL);
    pail_vector_op op = SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_POINTS_TRUNCATE,
                              .flags = flags, .log_n = log_n, .n = all, .address = from.address,
                              .to_address = in_place ? from.address : to.address,
                              .to_encoding = encoding, .curve = ops->curve, .group = PAIL_G1);
    pail_u256_to_bytes(op.root, &root);
    run(subject, &op, 1);
    expect(subject, in_place ? &from : &to, ops, wanted, all, encoding);
    drop(subject, &from);
    drop(subject, &to);
}

CONFORMANCE_NEEDS(values_of_points_are_truncated, memory_find)
{
    if (!has_addresses(subject))
        SKIP_BECAUSE("the device has no addresses");
    for (uint32_t curve = PAIL_CURVE_BN254; curve <= PAIL_CURVE_BLS12_381; curve++) {
        const struct pail_curve_ops *const ops = pail_curve_ops(curve, PAIL_G1);
        check_truncation(subject, ops, 2, 2, 0, false);
        check_truncation(subject, ops, LOG_MAX, curve, PAIL_VECTOR_OP_BIT_REVERSED, true);
    }
}

/* ---- Bindings -------------------------------------------------------------------------------- */
/* More turns than one, and what a binding never has. */
CONFORMANCE_NEEDS(sums_of_points_are_made_within_bindings, memory_find)
{
    enum { LOG = 12, BITS = 9, BATCHES = 5 };
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    struct subject limited;
    if (!has_addresses(subject))
        SKIP_BECAUSE("the device has no addresses");
    if (subject->import && !test_long())
        SKIP_BECAUSE("cuts are those of the plugin's own device: its row, or PAIL_TEST_LONG");
    /* Slices of few terms, whose parts are more than those of a batch. */
    (void)open_limited(subject, &limited, "int64=0,float64=0,binding=24576");
    check_sums(&limited, ops, BATCHES, 0, 2, 16, PAIL_ENCODING_CANONICAL);
    backend->context_destroy(&limited.context);
    bool is_bound = open_limited(subject, &limited, "binding=24576");
    check_sums(&limited, ops, BATCHES, 1, 4, 1, PAIL_ENCODING_CANONICAL);
    check_truncation(&limited, ops, 2, BATCHES, 0, false);
    pail_vector_op op =
        SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_POINTS_TABLE, .n = 1, .curve = ops->curve,
              .group = PAIL_G1, .window_bits = BITS, .copies = 1);
    struct place from, to;
    pail_pending *pending = NULL;
    assert_true(make(&limited, &from, POINT << LOG));
    assert_true(make(&limited, &to, pail_sum_table_bytes(ops, BITS, 1)));
    op.address = from.address;
    op.to_address = to.address;
    if (is_bound) {
        assert_int_equal(backend->vector_start(limited.context, &pending, &op, 1),
                         PAIL_ERR_UNSUPPORTED);
        expect_sentence(&limited, "ops[0]: scratch of 32768 bytes, but device \"");
    }
    drop(&limited, &to);
    drop(&limited, &from);
    backend->context_destroy(&limited.context);
    is_bound = open_limited(subject, &limited, "binding=134217728");
    assert_true(make(&limited, &from, POINT << LOG));
    const pail_u256 root = pail_scalar_root(ops, LOG);
    op = (pail_vector_op)SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_POINTS_TRUNCATE, .log_n = LOG,
                               .n = 1 << LOG, .address = from.address, .to_address = from.address,
                               .curve = ops->curve, .group = PAIL_G1);
    pail_u256_to_bytes(op.root, &root);
    if (is_bound) {
        assert_int_equal(backend->vector_start(limited.context, &pending, &op, 1),
                         PAIL_ERR_UNSUPPORTED);
        expect_sentence(&limited, "ops[0]: constants of 268697600 bytes, but device \"");
    }
    drop(&limited, &from);
    backend->context_destroy(&limited.context);
}

/* ---- Refusals -------------------------------------------------------------------------------- */
CONFORMANCE_NEEDS(sums_of_points_are_refused_in_the_same_words, memory_find)
{
    struct place from, table;
    pail_vector *v = NULL, *other = NULL;
    if (!has_addresses(subject))
        SKIP_BECAUSE("the device has no addresses");
    enum { BITS = 3, COPIES = 2, N = 4 };
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    assert_true(make(subject, &from, N * POINT));
    assert_true(make(subject, &table, N * pail_sum_table_bytes(ops, BITS, COPIES)));
    assert_int_equal(backend->vector_create(subject->context, &v, PAIL_CURVE_BN254, N), PAIL_OK);
    assert_int_equal(backend->vector_create(subject->context, &other, PAIL_CURVE_BLS12_381, N),
                     PAIL_OK);
    const pail_vector_op make_table =
        SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_POINTS_TABLE, .n = N, .address = from.address,
              .to_address = table.address, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
              .window_bits = BITS, .copies = COPIES);
    const pail_vector_op sums =
        SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_POINTS_SUMS, .log_n = 1, .n = 2, .a = v,
              .address = table.address, .to_address = from.address, .curve = PAIL_CURVE_BN254,
              .group = PAIL_G1, .rows = 2, .window_bits = BITS, .copies = COPIES);
    pail_vector_op truncate =
        SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_POINTS_TRUNCATE, .log_n = 2, .n = N,
              .address = from.address, .to_address = from.address, .curve = PAIL_CURVE_BN254,
              .group = PAIL_G1);
    const pail_u256 root = pail_scalar_root(ops, 2);
    pail_u256_to_bytes(truncate.root, &root);
    const pail_vector_op add =
        SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_ADD, .r = v, .a = v, .b = v, .n = N);
    OP_REFUSED(make_table, PAIL_ERR_ARGUMENT, "ops[0].window_bits is 1, not 2 to 12",
               window_bits = 1);
    OP_REFUSED(make_table, PAIL_ERR_ARGUMENT, "ops[0].window_bits is 13, not", window_bits = 13);
    OP_REFUSED(make_table, PAIL_ERR_ARGUMENT, "ops[0].copies is 86; there are 85 windows of 3 bits",
               copies = 86);
    OP_REFUSED(make_table, PAIL_ERR_ARGUMENT, "ops[0].copies is 0; there are", copies = 0);
    OP_REFUSED(make_table, PAIL_ERR_ARGUMENT, "ops[0].rows is 1; a table has n points", rows = 1);
    OP_REFUSED(make_table, PAIL_ERR_ARGUMENT, "ops[0].reserved is 1, not 0", reserved = 1);
    OP_REFUSED(make_table, PAIL_ERR_ARGUMENT,
               "ops[0].to_encoding is 1, but a table has no encoding", to_encoding = 1);
    OP_REFUSED(make_table, PAIL_ERR_ARGUMENT, "bytes are asked for; its memory ends", copies = 3);
    OP_REFUSED(make_table, PAIL_ERR_ARGUMENT, "ops[0].a is set, but kind 18, points_table, has no",
               a = v);
    OP_REFUSED(make_table, PAIL_ERR_UNSUPPORTED, "group is 2, but", group = PAIL_G2);
    OP_REFUSED(make_table, PAIL_ERR_ARGUMENT, "more points than an address space has",
               n = UINT64_MAX / 8);
    OP_REFUSED(sums, PAIL_ERR_ARGUMENT, "ops[0].rows is 0; a sum has at least 1", rows = 0);
    OP_REFUSED(sums, PAIL_ERR_ARGUMENT, "ops[0].encoding is 1, but a table has no", encoding = 1);
    OP_REFUSED(sums, PAIL_ERR_ARGUMENT, "ops[0].a is NULL", a = NULL);
    OP_REFUSED(sums, PAIL_ERR_ARGUMENT, "ops[0].a is of bls12_381, but ops[0].curve is 1",
               a = other);
    OP_REFUSED(sums, PAIL_ERR_ARGUMENT, "ops[0].a: elements 1 to 1 + 4 are asked for; there are 4",
               a_offset = 1);
    OP_REFUSED(sums, PAIL_ERR_ARGUMENT, "ops[0].r is set, but kind 19, points_sums, has no", r = v);
    OP_REFUSED(sums, PAIL_ERR_ARGUMENT, "ops[0].n is 3, no multiple of 2^1", n = 3);
    OP_REFUSED(sums, PAIL_ERR_ARGUMENT, "bytes overlap the", to_address = table.address);
    OP_REFUSED(truncate, PAIL_ERR_ARGUMENT, "ops[0].log_n is 1; at least 2", log_n = 1);
    OP_REFUSED(truncate, PAIL_ERR_ARGUMENT, "ops[0].shift is neither 0 nor 1", shift[0] = 7);
    OP_REFUSED(truncate, PAIL_ERR_ARGUMENT, "flags is 0x2; kind 20, points_truncate, knows 0x1",
               flags = 2);
    OP_REFUSED(truncate, PAIL_ERR_ARGUMENT, "ops[0].root is not of order 2^2", root[3]--);
    OP_REFUSED(truncate, PAIL_ERR_ARGUMENT, "ops[0].copies is set, but kind 20, points_truncate",
               copies = 1);
    OP_REFUSED(add, PAIL_ERR_ARGUMENT, "ops[0].window_bits is set, but kind 4, add, has no such",
               window_bits = 1);
    backend->vector_destroy(subject->context, &v);
    backend->vector_destroy(subject->context, &other);
    drop(subject, &from);
    drop(subject, &table);
}
