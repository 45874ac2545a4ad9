/* SPDX-License-Identifier: Apache-2.0 */
#include "selftest.h"

#include <string.h>

#include <curves/inputs.h>
#include <curves/words.h>
#include <shared/vector_layout.h>

#include "field.h"
#include "matrix.h"
#include "ntt.h"
#include "points.h"
#include "steps.h"
#include "vector.h"
#include "work.h"

/* Few, but with both ends of the range, with a row of a matrix that is cut into pieces, and with a
 * transform of two passes or more on every device. The longest one that is tested. */
enum { FEW = 40, ROWS = 4, LOG_N = 11, N = 1 << LOG_N };
#define SEED 1u

/* Elements of all that is below: operands, what is expected, and what is read. */
enum { OPERANDS = N, EXPECTED = N, READ = N };

struct testing {
    struct pail_vectors *field;
    const struct pail_curve_ops *ops;
    struct pail_vk_pipeline_stats *pipelines;
    uint8_t *operands, *expected, *read; /* 32 bytes each */
    pail_vector *a, *r;                  /* vectors of N elements; a has the operands */
    bool wrong;                          /* the device is */
};

static pail_u256 operand(const struct testing *t, uint32_t i)
{
    pail_u256 x;
    pail_u256_from_bytes(&x, t->operands + 32 * i);
    return x;
}

static void expect(const struct testing *t, uint32_t i, const pail_u256 *x)
{
    pail_u256_to_bytes(t->expected + 32 * i, x);
}

/* Below the order, with 0, 1 and -1 among them. */
static void make_operands(const struct testing *t)
{
    const pail_u256 one = pail_scalar_of(1);
    pail_u256 last;
    t->ops->scalar_neg(&last, &one);
    pail_make_scalars(t->ops, t->operands, OPERANDS, PAIL_SCALARS_UNIFORM, SEED);
    memset(t->operands, 0, 64);
    t->operands[32] = 1;
    pail_u256_to_bytes(t->operands + 64, &last);
}

static pail_status differs(struct testing *t, const char *what, struct pail_error *err)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(t->field->dev);
    t->wrong = true;
    return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                     "device \"%s\" (%s) fails its self-test: over the scalars of %s it computes a "
                     "wrong %s; its results cannot be trusted",
                     caps->name, caps->driver_name, t->ops->curve_name, what);
}

/* Checks that a vector begins with the expected elements. */
static pail_status compare(struct testing *t, const pail_vector *vector, const uint8_t *expected,
                           uint32_t n, const char *what, struct pail_error *err)
{
    const pail_status status = pail_vector_get(vector, t->read, 0, n, PAIL_ENCODING_CANONICAL, err);
    if (status != PAIL_OK || memcmp(t->read, expected, 32 * (size_t)n) == 0)
        return status;
    return differs(t, what, err);
}

/* ---- Parts ----------------------------------------------------------------------------------- */
static pail_status test_encodings(struct testing *t, struct pail_error *err)
{
    pail_status status = pail_vector_get(t->a, t->read, 0, FEW, PAIL_ENCODING_MONTGOMERY, err);
    for (uint32_t i = 0; i < FEW && status == PAIL_OK; i++) {
        const pail_u256 expected = operand(t, i);
        pail_u256 got;
        pail_u256_from_bytes(&got, t->read + 32 * i);
        t->ops->scalar_from_montgomery(&got, &got);
        if (!pail_scalar_equal(&got, &expected))
            status = differs(t, "encoding", err);
    }
    if (status == PAIL_OK)
        status = pail_vector_put(t->r, 0, t->read, FEW, PAIL_ENCODING_MONTGOMERY, err);
    if (status == PAIL_OK) {
        const struct pail_vk_slice from = pail_vector_all(t->r);
        status = pail_vector_encode(t->field, t->ops->curve, VECTOR_REDUCE, &from, 0, &from, 0, FEW,
                                    err);
    }
    return status == PAIL_OK ? compare(t, t->r, t->operands, FEW, "encoding", err) : status;
}

static pail_status test_arithmetic(struct testing *t, struct pail_error *err)
{
    static const uint32_t kinds[] = {PAIL_VECTOR_OP_ADD, PAIL_VECTOR_OP_SUB, PAIL_VECTOR_OP_MUL,
                                     PAIL_VECTOR_OP_MUL_SUB};
    enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };
    pail_vector_op ops[KINDS];
    for (uint32_t k = 0; k < KINDS; k++) {
        ops[k] = (pail_vector_op){.kind = kinds[k],
                                  .n = FEW,
                                  .r = t->r,
                                  .r_offset = k * FEW,
                                  .a = t->a,
                                  .b = t->a,
                                  .b_offset = 1};
        if (kinds[k] == PAIL_VECTOR_OP_MUL_SUB) {
            ops[k].c = t->a;
            ops[k].c_offset = 2;
        }
    }
    for (uint32_t i = 0; i < FEW; i++) {
        const pail_u256 a = operand(t, i), b = operand(t, i + 1), c = operand(t, i + 2);
        pail_u256 less, product, x;
        t->ops->scalar_add(&x, &a, &b);
        expect(t, i, &x);
        t->ops->scalar_neg(&less, &b);
        t->ops->scalar_add(&x, &a, &less);
        expect(t, FEW + i, &x);
        t->ops->scalar_mul(&product, &a, &b);
        expect(t, 2 * FEW + i, &product);
        t->ops->scalar_neg(&less, &c);
        t->ops->scalar_add(&x, &product, &less);
        expect(t, 3 * FEW + i, &x);
    }
    const pail_status status = pail_field_run_ops(t->field, ops, KINDS, t->pipelines, err);
    if (status != PAIL_OK)
        return status;
    return compare(t, t->r, t->expected, KINDS * FEW, "sum, difference or product", err);
}

static pail_status test_powers(struct testing *t, struct pail_error *err)
{
    pail_vector_op op = {.kind = PAIL_VECTOR_OP_POWERS, .n = FEW, .r = t->r, .a = t->a};
    const pail_u256 shift = operand(t, FEW);
    pail_u256 power = operand(t, FEW + 1);
    pail_u256_to_bytes(op.shift, &shift);
    pail_u256_to_bytes(op.scale, &power);
    for (uint32_t i = 0; i < FEW; i++) {
        const pail_u256 a = operand(t, i);
        pail_u256 x;
        t->ops->scalar_mul(&x, &a, &power);
        expect(t, i, &x);
        t->ops->scalar_mul(&power, &power, &shift);
    }
    const pail_status status = pail_field_run_ops(t->field, &op, 1, t->pipelines, err);
    return status == PAIL_OK ? compare(t, t->r, t->expected, FEW, "product with powers", err)
                             : status;
}

/* Out of place and in place, which is there and back but for an element in between. */
static pail_status test_reversals(struct testing *t, struct pail_error *err)
{
    enum { LOG_BLOCK = 3, BLOCK = 1 << LOG_BLOCK, ALL = FEW & ~(BLOCK - 1) };
    pail_vector_op ops[] = {
        {.kind = PAIL_VECTOR_OP_BIT_REVERSE, .log_n = LOG_BLOCK, .n = ALL, .r = t->r, .a = t->a},
        {.kind = PAIL_VECTOR_OP_BIT_REVERSE, .log_n = 1, .n = ALL, .r = t->r, .a = t->r},
        {.kind = PAIL_VECTOR_OP_BIT_REVERSE, .log_n = 2, .n = ALL, .r = t->r, .a = t->r}};
    for (uint32_t i = 0; i < ALL; i++) {
        const uint32_t in_4 = (i & ~3u) | (i & 1) << 1 | (i >> 1 & 1); /* before the last */
        const uint32_t in_8 = (in_4 & ~7u) | (in_4 & 1) << 2 | (in_4 & 2) | (in_4 >> 2 & 1);
        const pail_u256 x = operand(t, in_8);
        expect(t, i, &x);
    }
    const pail_status status =
        pail_field_run_ops(t->field, ops, sizeof(ops) / sizeof(ops[0]), t->pipelines, err);
    return status == PAIL_OK ? compare(t, t->r, t->expected, ALL, "order", err) : status;
}

/* Rows of no value, of one, of two, and of more than a piece has. */
static pail_status test_products(struct testing *t, struct pail_error *err)
{
    static const uint64_t starts[ROWS + 1] = {0, 0, 1, 3, 3 + FEW};
    uint32_t columns[3 + FEW];
    for (uint32_t i = 0; i < 3 + FEW; i++)
        columns[i] = FEW - 1 - i % FEW;
    const pail_matrix_desc desc = {.curve = t->ops->curve,
                                   .n_rows = ROWS,
                                   .n_columns = FEW,
                                   .row_starts = starts,
                                   .columns = columns,
                                   .values = t->operands + 32};
    struct pail_matrix *matrix;
    uint64_t bad;
    pail_status status = pail_matrix_register(t->field, &matrix, &bad, &desc, err);
    if (status != PAIL_OK)
        return status;
    for (uint32_t row = 0; row < ROWS; row++) {
        pail_u256 sum = pail_scalar_of(0);
        for (uint64_t k = starts[row]; k < starts[row + 1]; k++) {
            const pail_u256 value = operand(t, 1 + (uint32_t)k), a = operand(t, columns[k]);
            pail_u256 x;
            t->ops->scalar_mul(&x, &value, &a);
            t->ops->scalar_add(&sum, &sum, &x);
        }
        expect(t, row, &sum);
    }
    const pail_vector_op op = {
        .kind = PAIL_VECTOR_OP_SPMV, .n = ROWS, .r = t->r, .a = t->a, .matrix = matrix};
    status = pail_field_run_ops(t->field, &op, 1, t->pipelines, err);
    pail_matrix_release(matrix);
    return status == PAIL_OK ? compare(t, t->r, t->expected, ROWS, "sparse product", err) : status;
}

/* ---- Transforms ------------------------------------------------------------------------------ */
/* A pipeline has the workgroups of a pass, which go by its bits and by the elements of the
 * dispatch (pail_ntt_kernel_of_pass). Of 9 and of 10 bits a column is a workgroup; those of fewer
 * share one, and where elements are many, with more threads or with more elements each. */
const struct pail_field_shape pail_field_shapes[PAIL_FIELD_SHAPES] = {
    {9, 9},
    {10, 10},
    {LOG_N, LOG_N},
    {LOG_N, PAIL_NTT_LOG_MANY}, /* two passes: with factors between them */
    {10, PAIL_NTT_LOG_MANY},
};

static bool same_kernel(const struct pail_ntt_kernel *a, const struct pail_ntt_kernel *b)
{
    return a->form == b->form && a->workgroup == b->workgroup && a->limbs == b->limbs &&
           a->items == b->items;
}

/* Kernels that transforms take: of each pass, in a dispatch of many transforms and in the last. */
struct kernels {
    struct pail_ntt_kernel all[2 * PAIL_NTT_PASSES_MAX];
    uint32_t n;
};

static struct kernels kernels_of(const struct pail_vk_caps *caps, uint64_t most, uint32_t log_n,
                                 uint64_t n)
{
    const struct pail_ntt_kernel widest = pail_ntt_kernel(caps, pail_ntt_form_auto(caps));
    const struct pail_ntt_plan plan =
        pail_ntt_plan(&widest, &(struct pail_ntt_kind){.log_n = log_n});
    const uint64_t batch = pail_ntt_batch(most, log_n, n), last = (n >> log_n) % batch;
    struct kernels kernels = {.n = 0};
    for (uint32_t i = 0; i < plan.n; i++) {
        kernels.all[kernels.n++] =
            pail_ntt_kernel_of_pass(caps, &widest, batch << log_n, plan.bits[i]);
        if (last)
            kernels.all[kernels.n++] =
                pail_ntt_kernel_of_pass(caps, &widest, last << log_n, plan.bits[i]);
    }
    return kernels;
}

/* The largest shape that has the kernel and at most n elements, otherwise the smallest that has it;
 * PAIL_FIELD_SHAPES: none has it. */
static uint32_t shape_with(const struct pail_vk_caps *caps, uint64_t most,
                           const struct pail_ntt_kernel *kernel, uint64_t n)
{
    uint32_t found = PAIL_FIELD_SHAPES;
    for (uint32_t s = 0; s < PAIL_FIELD_SHAPES; s++) {
        const struct pail_field_shape *shape = &pail_field_shapes[s];
        const uint64_t elements = UINT64_C(1) << shape->log_all;
        const struct kernels kernels = kernels_of(caps, most, shape->log_n, elements);
        for (uint32_t i = 0; i < kernels.n; i++)
            if (same_kernel(&kernels.all[i], kernel) &&
                (found == PAIL_FIELD_SHAPES || elements <= n))
                found = s;
    }
    return found;
}

uint32_t pail_field_transform_parts(const struct pail_vk_caps *caps, uint64_t most, uint32_t log_n,
                                    uint64_t n)
{
    uint32_t parts = 0;
    if (log_n == 0)
        return 0;
    const struct kernels kernels = kernels_of(caps, most, log_n, n);
    for (uint32_t i = 0; i < kernels.n; i++) {
        const uint32_t shape = shape_with(caps, most, &kernels.all[i], n);
        if (shape < PAIL_FIELD_SHAPES)
            parts |= (uint32_t)PAIL_FIELD_TRANSFORMS << shape;
    }
    return parts;
}

static uint32_t reversed(uint32_t i, uint32_t log_n)
{
    uint32_t r = 0;
    for (uint32_t bit = 0; bit < log_n; bit++)
        r |= (i >> bit & 1) << (log_n - 1 - bit);
    return r;
}

/* Transforms in place, from bit-reversed order: Cooley and Tukey's. */
static void transform(const struct pail_curve_ops *ops, pail_u256 x[], uint32_t log_n,
                      const pail_u256 *root)
{
    for (uint32_t log_half = 0; log_half < log_n; log_half++) {
        const uint32_t half = 1u << log_half;
        const pail_u256 step = pail_scalar_square_times(ops, root, log_n - 1 - log_half);
        pail_u256 w = pail_scalar_of(1);
        for (uint32_t i = 0; i < half; i++) {
            for (uint32_t at = i; at < 1u << log_n; at += 2 * half) {
                pail_u256 odd, less;
                ops->scalar_mul(&odd, &x[at + half], &w);
                ops->scalar_neg(&less, &odd);
                ops->scalar_add(&x[at + half], &x[at], &less);
                ops->scalar_add(&x[at], &x[at], &odd);
            }
            ops->scalar_mul(&w, &w, &step);
        }
    }
}

static pail_status expect_transform(const struct testing *t, uint32_t log_n, const pail_u256 *root,
                                    const pail_u256 *shift, struct pail_error *err)
{
    const uint32_t n = 1u << log_n;
    pail_u256 *x = pail_calloc(&t->field->alloc, n, sizeof(*x)), power = pail_scalar_of(1);
    if (!x)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a self-test");
    for (uint32_t i = 0; i < n; i++) {
        const pail_u256 a = operand(t, i);
        t->ops->scalar_mul(&x[reversed(i, log_n)], &a, &power);
        t->ops->scalar_mul(&power, &power, shift);
    }
    transform(t->ops, x, log_n, root);
    for (uint32_t i = 0; i < n; i++)
        expect(t, i, &x[i]);
    pail_free(&t->field->alloc, x);
    return PAIL_OK;
}

/* A transform of a batch: its elements, and room for as many that are read. */
struct batch {
    pail_vector *vector;
    uint8_t *rows, *read;
    uint32_t n, all; /* elements */
};

/* a + b modulo the order, both below it. The table's scalar_add, for any integers, takes three
 * products, and a hundred thousand sums are made. */
static pail_u256 sum_of(const struct pail_curve_ops *ops, const pail_u256 *a, const pail_u256 *b)
{
    pail_u256 sum, less;
    uint64_t carry = 0, borrow = 0; /* no carry is left at the end: orders are below 2^255 */
    for (uint32_t i = 0; i < 4; i++) {
        sum.l[i] = pail_add_carry(a->l[i], b->l[i], &carry);
        less.l[i] = pail_sub_borrow(sum.l[i], ops->order.l[i], &borrow);
    }
    return borrow ? sum : less;
}

/* Row i is i + 1 times the first, of n elements: no two are the same, as are their transforms. */
static void make_rows(const struct testing *t, const struct batch *b, const uint8_t *first)
{
    memcpy(b->rows, first, 32 * (size_t)b->n);
    for (uint32_t i = b->n; i < b->all; i++) {
        pail_u256 x, y;
        pail_u256_from_bytes(&x, b->rows + 32 * (size_t)(i - b->n));
        pail_u256_from_bytes(&y, first + 32 * (size_t)(i % b->n));
        x = sum_of(t->ops, &x, &y);
        pail_u256_to_bytes(b->rows + 32 * (size_t)i, &x);
    }
}

static pail_status run_batch(struct testing *t, const struct batch *b, const pail_vector_op *op,
                             const uint8_t *first, const char *what, struct pail_error *err)
{
    pail_status status = pail_field_run_ops(t->field, op, 1, t->pipelines, err);
    if (status == PAIL_OK)
        status = pail_vector_get(b->vector, b->read, 0, b->all, PAIL_ENCODING_CANONICAL, err);
    if (status != PAIL_OK)
        return status;
    make_rows(t, b, first);
    return memcmp(b->rows, b->read, 32 * (size_t)b->all) == 0 ? PAIL_OK : differs(t, what, err);
}

/* There, on a coset, and back. */
static pail_status test_transforms(struct testing *t, const struct pail_field_shape *shape,
                                   struct pail_error *err)
{
    const pail_u256 root = pail_scalar_root(t->ops, shape->log_n), shift = operand(t, FEW);
    struct batch b = {.n = 1u << shape->log_n, .all = 1u << shape->log_all};
    pail_status status = pail_vector_make(t->field, &b.vector, t->ops->curve, b.all, err);
    if (status != PAIL_OK)
        return status;
    b.rows = pail_calloc(&t->field->alloc, 2 * (size_t)b.all, 32);
    if (b.rows) {
        b.read = b.rows + 32 * (size_t)b.all;
        make_rows(t, &b, t->operands);
        status = pail_vector_put(b.vector, 0, b.rows, b.all, PAIL_ENCODING_CANONICAL, err);
    } else {
        status = pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a self-test");
    }
    pail_vector_op op = {.kind = PAIL_VECTOR_OP_NTT,
                         .log_n = shape->log_n,
                         .n = b.all,
                         .r = b.vector,
                         .a = b.vector};
    pail_u256_to_bytes(op.root, &root);
    pail_u256_to_bytes(op.shift, &shift);
    if (status == PAIL_OK)
        status = expect_transform(t, shape->log_n, &root, &shift, err);
    if (status == PAIL_OK)
        status = run_batch(t, &b, &op, t->expected, "transform", err);
    op.kind = PAIL_VECTOR_OP_INTT;
    if (status == PAIL_OK)
        status = run_batch(t, &b, &op, t->operands, "inverse transform", err);
    pail_vector_release(b.vector);
    pail_free(&t->field->alloc, b.rows);
    return status;
}

/* ---- Points ---------------------------------------------------------------------------------- */
static pail_status test_points(struct testing *t, struct pail_error *err)
{
    bool wrong;
    const pail_status status =
        pail_points_test_transforms(t->field, t->ops->curve, t->pipelines, &wrong, err);
    return wrong ? differs(t, "transform of points", err) : status;
}

static pail_status test_conversions(struct testing *t, struct pail_error *err)
{
    bool wrong;
    const pail_status status =
        pail_points_test_conversions(t->field, t->ops->curve, t->pipelines, &wrong, err);
    return wrong ? differs(t, "encoding of points", err) : status;
}

static pail_status test_sums(struct testing *t, struct pail_error *err)
{
    bool wrong;
    const pail_status status =
        pail_points_test_sums(t->field, t->ops->curve, t->pipelines, &wrong, err);
    return wrong ? differs(t, "sum of points", err) : status;
}

/* ---- All ------------------------------------------------------------------------------------- */
static const struct {
    uint32_t part;
    pail_status (*test)(struct testing *t, struct pail_error *err);
} tests[] = {
    /* The others write and read by it. */
    {PAIL_FIELD_ENCODINGS, test_encodings},     {PAIL_FIELD_ARITHMETIC, test_arithmetic},
    {PAIL_FIELD_POWERS, test_powers},           {PAIL_FIELD_PRODUCTS, test_products},
    {PAIL_FIELD_REVERSALS, test_reversals},     {PAIL_FIELD_POINTS, test_points},
    {PAIL_FIELD_CONVERSIONS, test_conversions}, {PAIL_FIELD_SUMS, test_sums},
};

enum { TESTS = sizeof(tests) / sizeof(tests[0]) };

/* Settles the verdict on a part. */
static pail_status settle(const struct testing *t, pail_status status, uint32_t part,
                          uint32_t *passed)
{
    /* Limits that these few elements do not fit say nothing about the device. */
    if (!t->wrong && (status == PAIL_ERR_ARGUMENT || status == PAIL_ERR_UNSUPPORTED))
        status = PAIL_OK;
    if (status == PAIL_OK)
        *passed |= part;
    return status;
}

static pail_status run(struct testing *t, uint32_t parts, uint32_t *passed, struct pail_error *err)
{
    const uint32_t curve = t->ops->curve;
    pail_status status = pail_vector_make(t->field, &t->a, curve, N, err);
    if (status == PAIL_OK)
        status = pail_vector_make(t->field, &t->r, curve, N, err);
    if (status == PAIL_OK)
        status = pail_vector_put(t->a, 0, t->operands, N, PAIL_ENCODING_CANONICAL, err);
    for (uint32_t i = 0; i < TESTS && status == PAIL_OK; i++)
        if (parts & tests[i].part)
            status = settle(t, tests[i].test(t, err), tests[i].part, passed);
    for (uint32_t i = 0; i < PAIL_FIELD_SHAPES && status == PAIL_OK; i++) {
        const uint32_t part = (uint32_t)PAIL_FIELD_TRANSFORMS << i;
        if (parts & part)
            status = settle(t, test_transforms(t, &pail_field_shapes[i], err), part, passed);
    }
    return status;
}

pail_status pail_field_self_test(struct pail_vectors *field, uint32_t curve, uint32_t parts,
                                 struct pail_vk_pipeline_stats *pipelines, struct pail_error *err)
{
    struct pail_vk_pipeline_stats unread = {0};
    struct testing t = {.field = field, .pipelines = pipelines ? pipelines : &unread};
    struct pail_error none;
    if (parts == 0 || pail_vector_curve(&t.ops, curve, &none) != PAIL_OK)
        return PAIL_OK;
    parts |= PAIL_FIELD_ENCODINGS;
    const uint32_t left = parts & ~atomic_load(&field->self_tested[curve - 1]);
    if (left == 0)
        return PAIL_OK;
    t.operands = pail_calloc(&field->alloc, OPERANDS + EXPECTED + READ, 32);
    if (!t.operands)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a self-test");
    t.expected = t.operands + 32 * OPERANDS;
    t.read = t.expected + 32 * EXPECTED;
    make_operands(&t);
    uint32_t passed = 0;
    const pail_status status = run(&t, left, &passed, err);
    atomic_fetch_or(&field->self_tested[curve - 1], passed);
    pail_vector_release(t.a);
    pail_vector_release(t.r);
    pail_free(&field->alloc, t.operands);
    return status;
}

uint32_t pail_field_parts_of(const struct pail_vectors *field, const pail_vector_op ops[],
                             size_t n_ops, uint32_t curve)
{
    static const uint32_t parts[] = {
        [PAIL_VECTOR_OP_SPMV] = PAIL_FIELD_PRODUCTS,
        [PAIL_VECTOR_OP_ADD] = PAIL_FIELD_ARITHMETIC,
        [PAIL_VECTOR_OP_SUB] = PAIL_FIELD_ARITHMETIC,
        [PAIL_VECTOR_OP_MUL] = PAIL_FIELD_ARITHMETIC,
        [PAIL_VECTOR_OP_MUL_SUB] = PAIL_FIELD_ARITHMETIC,
        [PAIL_VECTOR_OP_POWERS] = PAIL_FIELD_POWERS,
        [PAIL_VECTOR_OP_COPY] = 0,
        [PAIL_VECTOR_OP_LOAD] = PAIL_FIELD_ENCODINGS,
        [PAIL_VECTOR_OP_STORE] = PAIL_FIELD_ENCODINGS,
        [PAIL_VECTOR_OP_BIT_REVERSE] = PAIL_FIELD_REVERSALS,
        [PAIL_VECTOR_OP_POINTS_NTT] = PAIL_FIELD_POINTS,
        [PAIL_VECTOR_OP_POINTS_INTT] = PAIL_FIELD_POINTS,
        [PAIL_VECTOR_OP_POINTS_CONVERT] = PAIL_FIELD_CONVERSIONS,
        [PAIL_VECTOR_OP_POINTS_TABLE] = PAIL_FIELD_SUMS,
        [PAIL_VECTOR_OP_POINTS_SUMS] = PAIL_FIELD_SUMS,
        [PAIL_VECTOR_OP_POINTS_TRUNCATE] = PAIL_FIELD_SUMS,
    };
    const struct pail_vk_caps *caps = pail_vk_device_caps(field->dev);
    uint32_t all = 0;
    for (size_t i = 0; i < n_ops; i++) {
        if (pail_op_curve(&ops[i]) != curve || ops[i].n == 0)
            continue;
        if (pail_op_reverses(&ops[i]))
            all |= PAIL_FIELD_REVERSALS;
        if (pail_op_transforms(&ops[i]))
            all |= pail_field_transform_parts(caps, pail_field_binding_most(field), ops[i].log_n,
                                              ops[i].n);
        else
            all |= parts[ops[i].kind];
        if (pail_op_within_memory(&ops[i]) && ops[i].log_n == 0)
            all |= PAIL_FIELD_ENCODINGS;
    }
    return all;
}
