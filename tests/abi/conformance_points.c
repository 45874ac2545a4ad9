/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms of points, and points between encodings, in memory at addresses. Points are known
 * multiples of the generator, so that a transform of the multiples says what is to come out. */
#include "conformance.h"
#include "support/long.h"

#include <curves/curve_ops.h>
#include <curves/scalar.h>

enum { POINT_MAX = 3 * 48, LOG_MAX = 5, N_MAX = 224 };

struct place {
    pail_memory *memory;
    uint64_t address;
};

/* False where the device has no addresses. */
static bool make(const struct subject *subject, struct place *place, uint64_t bytes)
{
    pail_memory_info info = {.struct_size = sizeof info};
    const pail_status status = subject->backend->memory_create(subject->context, &place->memory,
                                                               &info, PAIL_MEMORY_DEVICE, bytes);
    place->address = info.address;
    if (status == PAIL_ERR_UNSUPPORTED)
        return false;
    assert_int_equal(status, PAIL_OK);
    return true;
}

static void put(const struct subject *subject, const struct place *place, uint64_t at,
                const void *bytes, size_t n)
{
    assert_int_equal(subject->backend->memory_write(place->memory, at, bytes, n), PAIL_OK);
}

static void get(const struct subject *subject, const struct place *place, uint64_t at, void *bytes,
                size_t n)
{
    assert_int_equal(subject->backend->memory_read(place->memory, bytes, at, n), PAIL_OK);
}

static void run(const struct subject *subject, const pail_vector_op *ops, size_t n)
{
    pail_pending *pending = NULL;
    if (subject->backend->vector_start(subject->context, &pending, ops, n) != PAIL_OK)
        fail_msg("%s", subject->backend->error(subject->context));
    if (subject->backend->vector_finish(&pending, NULL) != PAIL_OK)
        fail_msg("%s", subject->backend->error(subject->context));
}

/* ---- What is expected ------------------------------------------------------------------------ */
static size_t reversed(size_t i, uint32_t log_n)
{
    size_t r = 0;
    for (uint32_t k = 0; k < log_n; k++)
        r |= (i >> k & 1) << (log_n - 1 - k);
    return r;
}

static size_t placed(size_t i, uint32_t log_n, bool reverse)
{
    return reverse ? reversed(i, log_n) : i;
}

/* Number i: 0 now and then, and equal and opposite ones. */
static pail_u256 number(const struct pail_curve_ops *ops, size_t i)
{
    pail_u256 x = pail_scalar_of(i % 7 == 3 ? 0 : i % 5 == 4 ? 9 : 1 + 3 * i);
    if (i % 6 == 5)
        ops->scalar_neg(&x, &x);
    return x;
}

static void naive(const struct pail_curve_ops *ops, pail_u256 *values, const pail_u256 *numbers,
                  uint32_t log_n, const pail_u256 *root, const pail_u256 *shift)
{
    pail_u256 x = *shift;
    for (size_t k = 0; k < (size_t)1 << log_n; k++) {
        values[k] = pail_scalar_of(0);
        for (size_t j = (size_t)1 << log_n; j-- > 0;) {
            ops->scalar_mul(&values[k], &values[k], &x);
            ops->scalar_add(&values[k], &values[k], &numbers[j]);
        }
        ops->scalar_mul(&x, &x, root);
    }
}

static void multiple(const struct pail_curve_ops *ops, pail_point *r, const pail_u256 *k)
{
    pail_affine generator;
    ops->generator(&generator);
    ops->from_affine(r, &generator);
    ops->mul(r, r, k);
}

/* An encoded point, projective and Jacobian ones with another z than 1. */
static void encode(const struct pail_curve_ops *ops, uint8_t *bytes, const pail_u256 *k,
                   struct pail_point_encoding e)
{
    pail_point point;
    pail_affine affine;
    multiple(ops, &point, k);
    ops->to_affine(&affine, &point);
    ops->store_point(bytes, &affine, e);
    if (e.coordinates == 2 || ops->affine_is_infinity(&affine))
        return;
    /* z = -1: (-x, -y) of projective points, (x, -y) of Jacobian ones. */
    const size_t width = ops->coordinate_bytes;
    uint8_t minus[2 * POINT_MAX];
    pail_affine opposite;
    ops->affine_neg(&opposite, &affine);
    ops->store_point(minus, &opposite, e);
    memcpy(bytes + width, minus + width, width);
    /* -1 and -x as p less 1 and x: y + (-y) is p. */
    uint8_t p[POINT_MAX] = {0}, y[POINT_MAX], one[POINT_MAX];
    ops->store_point(y, &affine, e);
    memcpy(one, y + 2 * width, width);
    unsigned carry = 0, borrow = 0, less = 0;
    for (size_t i = 0; i < width; i++) {
        const unsigned sum = y[width + i] + minus[width + i] + carry;
        p[i] = (uint8_t)sum;
        carry = sum >> 8;
    }
    for (size_t i = 0; i < width; i++) {
        const unsigned z = p[i] - one[i] - borrow, x = p[i] - y[i] - less;
        borrow = z >> 31;
        less = x >> 31;
        bytes[2 * width + i] = (uint8_t)z;
        if (!e.jacobian)
            bytes[i] = (uint8_t)x;
    }
}

static void expect_point(const struct pail_curve_ops *ops, const uint8_t *bytes,
                         struct pail_point_encoding e, const pail_u256 *k)
{
    pail_point want, got;
    pail_affine affine;
    const size_t width = ops->coordinate_bytes;
    multiple(ops, &want, k);
    ops->load_points(&affine, bytes, 1, e);
    assert_true(ops->on_curve(&affine));
    ops->from_affine(&got, &affine);
    assert_true(ops->equal(&want, &got));
    if (!ops->is_infinity(&want))
        return;
    uint8_t infinity[POINT_MAX]; /* zeros, or (0, 1, 0) */
    ops->store_point(infinity, &affine, e);
    assert_memory_equal(bytes, infinity, e.coordinates * width);
}

/* ---- Transforms ------------------------------------------------------------------------------ */
struct shape {
    const struct pail_curve_ops *ops;
    uint32_t log_n, batch, flags, from, to;
    bool shifted, in_place;
};

static void check_shape(const struct subject *subject, const struct place m[2],
                        const struct shape *s)
{
    const struct pail_curve_ops *const ops = s->ops;
    const struct pail_point_encoding from = pail_point_encoding_of(s->from),
                                     to = pail_point_encoding_of(s->to);
    const size_t n = (size_t)1 << s->log_n, all = n * s->batch,
                 from_bytes = from.coordinates * ops->coordinate_bytes,
                 to_bytes = to.coordinates * ops->coordinate_bytes;
    const bool values = s->flags & PAIL_VECTOR_OP_BIT_REVERSED,
               coefficients = s->flags & PAIL_VECTOR_OP_COEFFICIENTS_REVERSED;
    const pail_u256 root = pail_scalar_root(ops, s->log_n), one = pail_scalar_of(1);
    pail_u256 numbers[1 << LOG_MAX], wanted[1 << LOG_MAX], shift = one;
    static uint8_t bytes[N_MAX * POINT_MAX];
    if (s->shifted)
        shift = pail_scalar_of(7);
    for (size_t t = 0; t < s->batch; t++)
        for (size_t i = 0; i < n; i++) {
            const pail_u256 k = number(ops, t * n + i);
            encode(ops, bytes + (t * n + placed(i, s->log_n, coefficients)) * from_bytes, &k, from);
        }
    put(subject, &m[0], 16, bytes, all * from_bytes);
    pail_vector_op op = SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_POINTS_NTT, .flags = s->flags,
                              .log_n = s->log_n, .n = all, .address = m[0].address + 16,
                              .to_address = m[!s->in_place].address + 16, .encoding = s->from,
                              .to_encoding = s->to, .curve = ops->curve, .group = PAIL_G1);
    pail_u256_to_bytes(op.root, &root);
    if (s->shifted)
        pail_u256_to_bytes(op.shift, &shift);
    run(subject, &op, 1);
    get(subject, &m[!s->in_place], 16, bytes, all * to_bytes);
    for (size_t t = 0; t < s->batch; t++) {
        for (size_t i = 0; i < n; i++)
            numbers[i] = number(ops, t * n + i);
        naive(ops, wanted, numbers, s->log_n, &root, &shift);
        for (size_t k = 0; k < n; k++)
            expect_point(ops, bytes + (t * n + placed(k, s->log_n, values)) * to_bytes, to,
                         &wanted[k]);
    }
    /* And back, in place. */
    op.kind = PAIL_VECTOR_OP_POINTS_INTT;
    op.address = op.to_address;
    op.encoding = s->to;
    run(subject, &op, 1);
    get(subject, &m[!s->in_place], 16, bytes, all * to_bytes);
    for (size_t i = 0; i < all; i++) {
        const pail_u256 k = number(ops, i);
        const size_t at = i / n * n + placed(i % n, s->log_n, coefficients);
        expect_point(ops, bytes + at * to_bytes, to, &k);
    }
}

static bool make_two(const struct subject *subject, struct place m[2])
{
    if (!make(subject, &m[0], 16 + N_MAX * POINT_MAX))
        return false;
    assert_true(make(subject, &m[1], 16 + N_MAX * POINT_MAX));
    return true;
}

static void drop_two(const struct subject *subject, struct place m[2])
{
    subject->backend->memory_destroy(subject->context, &m[0].memory);
    subject->backend->memory_destroy(subject->context, &m[1].memory);
}

CONFORMANCE_NEEDS(points_are_transformed, memory_find)
{
    /* Orders and cosets, with encodings of all kinds at one end or the other. */
    struct place m[2];
    if (!make_two(subject, m))
        SKIP_BECAUSE("the device has no addresses");
    static const uint32_t logs[] = {0, 1, 3};
    uint32_t way = 0;
    for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++)
        for (uint32_t kind = 0; kind < 8; kind++, way++) {
            const uint32_t curve = (way + i) % 2 ? PAIL_CURVE_BN254 : PAIL_CURVE_BLS12_381;
            const struct shape shape = {.ops = pail_curve_ops(curve, PAIL_G1),
                                        .log_n = logs[i],
                                        .batch = 1 + way % 3,
                                        .flags = kind % 4,
                                        .from = way % 5,
                                        .to = way / 3 % 5,
                                        .shifted = kind >= 4};
            check_shape(subject, m, &shape);
        }
    drop_two(subject, m);
}

CONFORMANCE_NEEDS(points_are_transformed_in_place, memory_find)
{
    struct place m[2];
    if (!make_two(subject, m))
        SKIP_BECAUSE("the device has no addresses");
    for (uint32_t curve = PAIL_CURVE_BN254; curve <= PAIL_CURVE_BLS12_381; curve++) {
        struct shape shape = {.ops = pail_curve_ops(curve, PAIL_G1),
                              .log_n = LOG_MAX,
                              .batch = 2,
                              .from = PAIL_ENCODING_PROJECTIVE,
                              .to = PAIL_ENCODING_JACOBIAN,
                              .in_place = true};
        check_shape(subject, m, &shape);
    }
    drop_two(subject, m);
}

/* Transforms in more groups than one, and the values of a pass in more portions; a
 * transform that is too large for a binding is refused. */
CONFORMANCE_NEEDS(points_are_transformed_within_bindings, memory_find)
{
    struct place m[2];
    struct subject limited;
    if (subject->import && !test_long())
        SKIP_BECAUSE("cuts are those of the plugin's own device: its row, or PAIL_TEST_LONG");
    if (!make_two(subject, m))
        SKIP_BECAUSE("the device has no addresses");
    drop_two(subject, m);
    /* Portions of a place, and of ten, which are no workgroup's. */
    struct shape shape = {.ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1),
                          .log_n = LOG_MAX,
                          .batch = N_MAX >> LOG_MAX,
                          .in_place = true};
    (void)open_limited(subject, &limited, "binding=188160");
    assert_true(make_two(&limited, m));
    check_shape(&limited, m, &shape);
    drop_two(&limited, m);
    backend->context_destroy(&limited.context);
    const bool is_bound = open_limited(subject, &limited, "binding=24576");
    assert_true(make_two(&limited, m));
    check_shape(&limited, m, &shape);
    shape.log_n = 2;
    shape.batch = N_MAX / 4;
    check_shape(&limited, m, &shape);
    enum { LOG = 8 };
    const pail_u256 root = pail_scalar_root(shape.ops, LOG);
    pail_vector_op large = SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_POINTS_NTT, .log_n = LOG,
                                 .n = 1 << LOG, .address = m[0].address, .to_address = m[1].address,
                                 .curve = PAIL_CURVE_BN254, .group = PAIL_G1);
    pail_u256_to_bytes(large.root, &root);
    if (is_bound) {
        pail_pending *pending = NULL;
        assert_int_equal(backend->vector_start(limited.context, &pending, &large, 1),
                         PAIL_ERR_UNSUPPORTED);
        expect_sentence(&limited, "ops[0]: a transform of 2^8 points, but device \"");
        expect_sentence(&limited, "\" binds 192 at a time");
        assert_null(pending);
    }
    drop_two(&limited, m);
    backend->context_destroy(&limited.context);
}

/* ---- All kinds ------------------------------------------------------------------------------- */
static pail_matrix *make_identity(const struct subject *subject)
{
    static const uint64_t starts[] = {0, 1, 2, 3, 4};
    static const uint32_t columns[] = {0, 1, 2, 3};
    static const uint8_t values[4][PAIL_SCALAR_BYTES] = {{1}, {1}, {1}, {1}};
    const pail_matrix_desc desc =
        SIZED(pail_matrix_desc, .curve = PAIL_CURVE_BN254, .n_rows = 4, .n_columns = 4,
              .row_starts = starts, .columns = columns, .values = values);
    pail_matrix *matrix = NULL;
    assert_int_equal(subject->backend->matrix_create(subject->context, &matrix, NULL, &desc),
                     PAIL_OK);
    return matrix;
}

/* An operation of the kind on 4 elements or points. */
static pail_vector_op any_op(uint32_t kind, pail_vector *r, const pail_vector *a,
                             const pail_matrix *matrix, const struct place m[2])
{
    const bool loads = kind == PAIL_VECTOR_OP_LOAD, stores = kind == PAIL_VECTOR_OP_STORE,
               points = kind >= PAIL_VECTOR_OP_POINTS_NTT && kind <= PAIL_VECTOR_OP_POINTS_CONVERT,
               within = points || kind >= PAIL_VECTOR_OP_NTT_AT,
               transform =
                   kind <= PAIL_VECTOR_OP_INTT || (within && kind != PAIL_VECTOR_OP_POINTS_CONVERT),
               two = kind >= PAIL_VECTOR_OP_ADD && kind <= PAIL_VECTOR_OP_MUL_SUB;
    pail_vector_op op =
        SIZED(pail_vector_op, .kind = kind, .n = 4,
              .log_n = transform || kind == PAIL_VECTOR_OP_BIT_REVERSE,
              .r = within || stores ? NULL : r, .a = within || loads ? NULL : a,
              .b = two ? a : NULL, .c = kind == PAIL_VECTOR_OP_MUL_SUB ? a : NULL,
              .matrix = kind == PAIL_VECTOR_OP_SPMV ? matrix : NULL,
              .address = within || loads ? m[0].address
                         : stores        ? m[1].address
                                         : 0,
              .to_address = within ? m[1].address : 0, .curve = within ? PAIL_CURVE_BN254 : 0,
              .group = points ? PAIL_G1 : 0);
    if (transform)
        memcpy(op.root, minus_one, sizeof op.root);
    return op;
}

/* Statistics have room for the phases of all kinds. */
CONFORMANCE_NEEDS(all_kinds_in_one_list, memory_find)
{
    enum { KINDS = PAIL_VECTOR_OP_INTT_AT };
    static const uint8_t zeros[16 + N_MAX * POINT_MAX]; /* infinity */
    struct place m[2];
    struct {
        pail_stats stats;
        uint8_t behind[256];
    } out;
    pail_vector *r = NULL, *a = NULL;
    pail_vector_op ops[KINDS];
    pail_pending *pending = NULL;
    if (!make_two(subject, m))
        SKIP_BECAUSE("the device has no addresses");
    assert_int_equal(backend->vector_create(subject->context, &r, PAIL_CURVE_BN254, 4), PAIL_OK);
    assert_int_equal(backend->vector_create(subject->context, &a, PAIL_CURVE_BN254, 4), PAIL_OK);
    put(subject, &m[0], 0, zeros, sizeof zeros);
    pail_matrix *matrix = make_identity(subject);
    for (uint32_t kind = 1; kind <= KINDS; kind++)
        ops[kind - 1] = any_op(kind, r, a, matrix, m);
    memset(&out, 0x5a, sizeof out);
    out.stats.struct_size = sizeof out.stats;
    if (backend->vector_start(subject->context, &pending, ops, KINDS) != PAIL_OK)
        fail_msg("%s", backend->error(subject->context));
    assert_int_equal(backend->vector_finish(&pending, &out.stats), PAIL_OK);
    assert_in_range(out.stats.n_phases, 1, PAIL_PHASES_MAX);
    for (size_t i = 0; i < sizeof out.behind; i++)
        assert_int_equal(out.behind[i], 0x5a);
    backend->matrix_destroy(subject->context, &matrix);
    backend->vector_destroy(subject->context, &r);
    backend->vector_destroy(subject->context, &a);
    drop_two(subject, m);
}

/* ---- Encodings ------------------------------------------------------------------------------- */
/* Points, among them infinity, and coordinates that are not below p: all bits set. In place and
 * not. Of points that are none, too: no point is looked at. */
static void check_conversion(const struct subject *subject, const struct place m[2],
                             const struct pail_curve_ops *ops, uint32_t from, uint32_t to)
{
    enum { N = 70 };
    const struct pail_point_encoding before = pail_point_encoding_of(from),
                                     after = pail_point_encoding_of(to);
    const size_t width = ops->coordinate_bytes, all = N * before.coordinates * width;
    static uint8_t bytes[N * 6 * 48], want[N * 6 * 48], got[N * 6 * 48];
    memset(bytes, 0, sizeof bytes);
    for (size_t i = 0; i < N; i++) {
        const pail_u256 k = number(ops, i);
        pail_point point;
        pail_affine affine;
        multiple(ops, &point, &k);
        ops->to_affine(&affine, &point);
        ops->store_point(bytes + i * before.coordinates * width, &affine, before);
        ops->store_point(want + i * after.coordinates * width, &affine, after);
    }
    pail_vector_op op =
        SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_POINTS_CONVERT, .n = N,
              .address = m[0].address + 32, .to_address = m[1].address + 16, .encoding = from,
              .to_encoding = to, .curve = ops->curve, .group = ops->group);
    put(subject, &m[0], 32, bytes, all);
    run(subject, &op, 1);
    get(subject, &m[1], 16, got, all);
    assert_memory_equal(got, want, all);
    get(subject, &m[0], 32, got, all);
    assert_memory_equal(got, bytes, all);
    op.to_address = op.address;
    run(subject, &op, 1);
    get(subject, &m[0], 32, got, all);
    assert_memory_equal(got, want, all);

    /* 2^(8 width) - 1 in each coefficient: what the CPU's own conversion says. */
    memset(bytes, 0xff, all);
    ops->convert(want, bytes, N * before.coordinates, after.montgomery);
    if (before.montgomery == after.montgomery)
        memcpy(want, bytes, all);
    put(subject, &m[0], 32, bytes, all);
    run(subject, &op, 1);
    get(subject, &m[0], 32, got, all);
    assert_memory_equal(got, want, all);
}

CONFORMANCE_NEEDS(points_are_converted, memory_find)
{
    static const uint32_t pairs[][2] = {
        {PAIL_ENCODING_CANONICAL, PAIL_ENCODING_MONTGOMERY},
        {PAIL_ENCODING_MONTGOMERY, PAIL_ENCODING_CANONICAL},
        {PAIL_ENCODING_PROJECTIVE, PAIL_ENCODING_PROJECTIVE_MONTGOMERY},
        {PAIL_ENCODING_PROJECTIVE_MONTGOMERY, PAIL_ENCODING_PROJECTIVE},
        {PAIL_ENCODING_JACOBIAN, PAIL_ENCODING_JACOBIAN}};
    struct place m[2];
    if (!make_two(subject, m))
        SKIP_BECAUSE("the device has no addresses");
    for (uint32_t curve = PAIL_CURVE_BN254; curve <= PAIL_CURVE_BLS12_381; curve++)
        for (uint32_t group = PAIL_G1; group <= PAIL_G2; group++)
            for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
                check_conversion(subject, m, pail_curve_ops(curve, group), pairs[i][0],
                                 pairs[i][1]);
    drop_two(subject, m);
}

/* ---- Refusals -------------------------------------------------------------------------------- */
CONFORMANCE_NEEDS(operations_on_points_are_refused_in_the_same_words, memory_find)
{
    struct place m[2];
    pail_vector *v = NULL;
    if (!make_two(subject, m))
        SKIP_BECAUSE("the device has no addresses");
    assert_int_equal(backend->vector_create(subject->context, &v, PAIL_CURVE_BN254, 8), PAIL_OK);
    pail_vector_op ntt = SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_POINTS_NTT, .log_n = 1,
                               .n = 2, .address = m[0].address, .to_address = m[1].address,
                               .curve = PAIL_CURVE_BN254, .group = PAIL_G1);
    memcpy(ntt.root, minus_one, sizeof ntt.root);
    pail_vector_op convert = ntt;
    convert.kind = PAIL_VECTOR_OP_POINTS_CONVERT;
    convert.to_encoding = PAIL_ENCODING_MONTGOMERY;
    const pail_vector_op add =
        SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_ADD, .r = v, .a = v, .b = v, .n = 8);
    OP_REFUSED(ntt, PAIL_ERR_ARGUMENT, "where no memory of the context is", address = 1);
    OP_REFUSED(ntt, PAIL_ERR_ARGUMENT, "ops[0].to_address is 0x0, where no memory", to_address = 0);
    OP_REFUSED(ntt, PAIL_ERR_ARGUMENT, "8 bytes into its memory, which is no multiple of 16",
               to_address += 8);
    OP_REFUSED(ntt, PAIL_ERR_ARGUMENT, "bytes are asked for; its memory ends behind",
               address += 16 + N_MAX * POINT_MAX - 64);
    OP_REFUSED(ntt, PAIL_ERR_ARGUMENT, "more points than an address space has", n = UINT64_MAX - 1);
    OP_REFUSED(ntt, PAIL_ERR_ARGUMENT, "from where on 2 points of 96 bytes overlap those of 64",
               to_address = m[0].address, op.to_encoding = PAIL_ENCODING_PROJECTIVE);
    OP_REFUSED(ntt, PAIL_ERR_ARGUMENT, "overlap those of 64", to_address = m[0].address + 64);
    OP_REFUSED(ntt, PAIL_ERR_ARGUMENT, "ops[0].encoding is 5, which is none", encoding = 5);
    OP_REFUSED(ntt, PAIL_ERR_ARGUMENT, "ops[0].to_encoding is 77, which is none", to_encoding = 77);
    OP_REFUSED(ntt, PAIL_ERR_ARGUMENT, "ops[0].curve is 3 and ops[0].group 1, which is no group",
               curve = 3);
    OP_REFUSED(ntt, PAIL_ERR_ARGUMENT, "ops[0].group 0, which is no group", group = 0);
    OP_REFUSED(ntt, PAIL_ERR_UNSUPPORTED, "group is 2, but transforms are of points of group 1",
               group = PAIL_G2);
    OP_REFUSED(ntt, PAIL_ERR_ARGUMENT, "ops[0].a is set, but kind 13, points_ntt, has no such",
               a = v);
    OP_REFUSED(ntt, PAIL_ERR_ARGUMENT, "ops[0].r is set, but kind 13, points_ntt, has no such",
               r = v);
    OP_REFUSED(ntt, PAIL_ERR_ARGUMENT, "ops[0].flags is 0x4; kind 13, points_ntt, knows 0x3",
               flags = 4);
    OP_REFUSED(ntt, PAIL_ERR_ARGUMENT, "ops[0].n is 3, no multiple of 2^1", n = 3);
    OP_REFUSED(ntt, PAIL_ERR_ARGUMENT, "ops[0].root is not of order 2^1", root[3]--);
    OP_REFUSED(ntt, PAIL_ERR_ARGUMENT, "ops[0].log_n is 29; at most 28", log_n = 29);
    OP_REFUSED(convert, PAIL_ERR_ARGUMENT,
               "ops[0].flags is 0x1; kind 15, points_convert, knows 0x0", flags = 1);
    OP_REFUSED(convert, PAIL_ERR_UNSUPPORTED, "ops[0].encoding is 0 and ops[0].to_encoding 3, but",
               to_encoding = PAIL_ENCODING_PROJECTIVE);
    OP_REFUSED(add, PAIL_ERR_ARGUMENT,
               "ops[0].to_address is set, but kind 4, add, has no such member", to_address = 1);
    OP_REFUSED(add, PAIL_ERR_ARGUMENT, "ops[0].curve is set, but kind 4, add, has no such member",
               curve = 1);
    /* No points: no memory is looked for. */
    ntt.n = ntt.address = ntt.to_address = 0;
    run(subject, &ntt, 1);
    backend->vector_destroy(subject->context, &v);
    drop_two(subject, m);
}
