#include "selftest.h"

#include <string.h>

#include <curves/inputs.h>

#include "field.h"
#include "matrix.h"
#include "vector.h"
#include "work.h"

/* Few, but with both ends of the range, with a row of a matrix that is cut into pieces, and with a
 * transform of two passes or more on every device. */
enum { FEW = 40, ROWS = 4, LOG_N = 11, N = 1 << LOG_N };
#define SEED 1u

/* Elements of all that is below: operands, what is expected, and what is read. */
enum { OPERANDS = N, EXPECTED = N, READ = N };

struct testing {
    struct pail_vectors *field;
    const struct pail_curve_ops *ops;
    struct pail_vk_pipeline_stats *pipelines;
    uint8_t *operands, *expected, *read; /* 32 bytes each */
    pail_vector *a, *r;                  /* of N elements; a has the operands */
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

/* Whether a vector begins with what is expected. */
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

/* A power of 5, which is no square of either field. */
static pail_u256 root_of(const struct pail_curve_ops *ops)
{
    const pail_u256 five = pail_scalar_of(5);
    pail_u256 r = pail_scalar_of(1);
    for (uint32_t bit = 256; bit-- > LOG_N;) { /* of (order - 1) / N: order - 1 ends in zeros */
        ops->scalar_mul(&r, &r, &r);
        if (ops->order.l[bit / 64] >> bit % 64 & 1)
            ops->scalar_mul(&r, &r, &five);
    }
    return r;
}

static uint32_t reversed(uint32_t i)
{
    uint32_t r = 0;
    for (uint32_t bit = 0; bit < LOG_N; bit++)
        r |= (i >> bit & 1) << (LOG_N - 1 - bit);
    return r;
}

/* In place, from bit-reversed order: Cooley and Tukey's. */
static void transform(const struct pail_curve_ops *ops, pail_u256 x[N], const pail_u256 *root)
{
    for (uint32_t log_half = 0; log_half < LOG_N; log_half++) {
        const uint32_t half = 1u << log_half;
        const pail_u256 step = pail_scalar_square_times(ops, root, LOG_N - 1 - log_half);
        pail_u256 w = pail_scalar_of(1);
        for (uint32_t i = 0; i < half; i++) {
            for (uint32_t at = i; at < N; at += 2 * half) {
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

static pail_status expect_transform(const struct testing *t, const pail_u256 *root,
                                    const pail_u256 *shift, struct pail_error *err)
{
    pail_u256 *x = pail_calloc(&t->field->alloc, N, sizeof(*x)), power = pail_scalar_of(1);
    if (!x)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a self-test");
    for (uint32_t i = 0; i < N; i++) {
        const pail_u256 a = operand(t, i);
        t->ops->scalar_mul(&x[reversed(i)], &a, &power);
        t->ops->scalar_mul(&power, &power, shift);
    }
    transform(t->ops, x, root);
    for (uint32_t i = 0; i < N; i++)
        expect(t, i, &x[i]);
    pail_free(&t->field->alloc, x);
    return PAIL_OK;
}

/* There, on a coset, and back. Few elements take the kernel of few elements a thread, where a
 * device has one (pail_ntt_kernel_of_pass); that of longer transforms is not looked at then. */
static pail_status test_transforms(struct testing *t, struct pail_error *err)
{
    const pail_u256 root = root_of(t->ops), shift = operand(t, FEW);
    pail_vector_op op = {.kind = PAIL_VECTOR_OP_NTT, .log_n = LOG_N, .n = N, .r = t->r, .a = t->a};
    pail_u256_to_bytes(op.root, &root);
    pail_u256_to_bytes(op.shift, &shift);
    pail_status status = expect_transform(t, &root, &shift, err);
    if (status == PAIL_OK)
        status = pail_field_run_ops(t->field, &op, 1, t->pipelines, err);
    if (status == PAIL_OK)
        status = compare(t, t->r, t->expected, N, "transform", err);
    op.kind = PAIL_VECTOR_OP_INTT;
    op.a = t->r;
    if (status == PAIL_OK)
        status = pail_field_run_ops(t->field, &op, 1, t->pipelines, err);
    return status == PAIL_OK ? compare(t, t->r, t->operands, N, "inverse transform", err) : status;
}

/* ---- All ------------------------------------------------------------------------------------- */
static const struct {
    uint32_t part;
    pail_status (*test)(struct testing *t, struct pail_error *err);
} tests[] = {
    /* The others write and read by it. */
    {PAIL_FIELD_ENCODINGS, test_encodings},   {PAIL_FIELD_ARITHMETIC, test_arithmetic},
    {PAIL_FIELD_POWERS, test_powers},         {PAIL_FIELD_PRODUCTS, test_products},
    {PAIL_FIELD_TRANSFORMS, test_transforms},
};

enum { TESTS = sizeof(tests) / sizeof(tests[0]) };

static pail_status run(struct testing *t, uint32_t parts, uint32_t *passed, struct pail_error *err)
{
    const uint32_t curve = t->ops->curve;
    pail_status status = pail_vector_make(t->field, &t->a, curve, N, err);
    if (status == PAIL_OK)
        status = pail_vector_make(t->field, &t->r, curve, N, err);
    if (status == PAIL_OK)
        status = pail_vector_put(t->a, 0, t->operands, N, PAIL_ENCODING_CANONICAL, err);
    for (uint32_t i = 0; i < TESTS && status == PAIL_OK; i++) {
        if (!(parts & tests[i].part))
            continue;
        status = tests[i].test(t, err);
        /* Limits that these few elements do not fit say nothing about the device. */
        if (!t->wrong && (status == PAIL_ERR_ARGUMENT || status == PAIL_ERR_UNSUPPORTED))
            status = PAIL_OK;
        if (status == PAIL_OK)
            *passed |= tests[i].part;
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

uint32_t pail_field_parts_of(const pail_vector_op ops[], size_t n_ops, uint32_t curve)
{
    static const uint32_t parts[] = {
        [PAIL_VECTOR_OP_NTT] = PAIL_FIELD_TRANSFORMS,
        [PAIL_VECTOR_OP_INTT] = PAIL_FIELD_TRANSFORMS,
        [PAIL_VECTOR_OP_SPMV] = PAIL_FIELD_PRODUCTS,
        [PAIL_VECTOR_OP_ADD] = PAIL_FIELD_ARITHMETIC,
        [PAIL_VECTOR_OP_SUB] = PAIL_FIELD_ARITHMETIC,
        [PAIL_VECTOR_OP_MUL] = PAIL_FIELD_ARITHMETIC,
        [PAIL_VECTOR_OP_MUL_SUB] = PAIL_FIELD_ARITHMETIC,
        [PAIL_VECTOR_OP_POWERS] = PAIL_FIELD_POWERS,
        [PAIL_VECTOR_OP_COPY] = 0,
    };
    uint32_t all = 0;
    for (size_t i = 0; i < n_ops; i++)
        if (ops[i].r->curve == curve && ops[i].n)
            all |= parts[ops[i].kind];
    return all;
}
