/* SPDX-License-Identifier: Apache-2.0 */
#include "points.h"

#include <string.h>

#include <curves/scalar.h>
#include <curves/sums.h>

#include "field.h"
#include "vk/staging.h"
#include "work.h"

/* Points in two transforms of two stages, and in one of three, of which the first is alone: with a
 * twiddle that is none of 1, infinity, and points that are equal or opposite. Multiples of the
 * generator, by numbers that say what is to come out. */
enum { ALL = 8, POINT_MAX = 3 * 2 * 48 };

static const uint64_t numbers[ALL] = {3, 0, 5, 5, 7, 2, 0, 11};

/* A memory with points at the beginning. */
struct testing {
    struct pail_vectors *field;
    struct pail_vk_pipeline_stats *pipelines;
    struct pail_memory *memory;
    struct pail_vk_slice all;
    uint64_t address;
    uint8_t bytes[ALL * POINT_MAX];
};

static pail_status begin(struct testing *t, struct pail_error *err)
{
    const pail_status status = pail_memory_create(t->field->memories, &t->memory,
                                                  PAIL_MEMORY_DEVICE, sizeof(t->bytes), err);
    if (status != PAIL_OK)
        return status;
    t->all = pail_vk_buffer_slice(&t->memory->buffer, 0, sizeof(t->bytes));
    t->address = t->memory->buffer.address;
    return PAIL_OK;
}

/* Sends the bytes, runs operations on them, and reads what is in their place then. */
static pail_status run_all(struct testing *t, const pail_vector_op ops[], size_t n,
                           struct pail_error *err)
{
    pail_vk_ticket sent;
    pail_status status =
        pail_vk_upload(t->field->dev, &t->all, 0, t->bytes, sizeof(t->bytes), &sent, err);
    if (status == PAIL_OK)
        status = pail_vk_wait(t->field->dev, sent, PAIL_VK_FOREVER, err);
    if (status == PAIL_OK)
        status = pail_field_run_ops(t->field, ops, n, t->pipelines, err);
    if (status == PAIL_OK)
        status = pail_vk_download(t->field->dev, &t->all, 0, t->bytes, sizeof(t->bytes),
                                  PAIL_VK_FOREVER, err);
    return status;
}

/* The same of one operation, in place. */
static pail_status run(struct testing *t, pail_vector_op *op, struct pail_error *err)
{
    op->address = op->to_address = t->address;
    return run_all(t, op, 1, err);
}

static void multiple(const struct pail_curve_ops *ops, pail_point *r, const pail_u256 *k)
{
    pail_affine generator;
    ops->generator(&generator);
    ops->from_affine(r, &generator);
    ops->mul(r, r, k);
}

static void put(struct testing *t, const struct pail_curve_ops *ops, uint32_t encoding)
{
    const struct pail_point_encoding e = pail_point_encoding_of(encoding);
    for (uint32_t i = 0; i < ALL; i++) {
        const pail_u256 k = pail_scalar_of(numbers[i]);
        pail_point point;
        pail_affine affine;
        multiple(ops, &point, &k);
        ops->to_affine(&affine, &point);
        ops->store_point(t->bytes + i * e.coordinates * ops->coordinate_bytes, &affine, e);
    }
}

/* True if the points are those multiples. */
static bool holds(const struct testing *t, const struct pail_curve_ops *ops, uint32_t encoding,
                  const pail_u256 multiples[ALL])
{
    const struct pail_point_encoding e = pail_point_encoding_of(encoding);
    bool right = true;
    for (uint32_t i = 0; i < ALL; i++) {
        pail_point want, got;
        pail_affine affine;
        ops->load_points(&affine, t->bytes + i * e.coordinates * ops->coordinate_bytes, 1, e);
        ops->from_affine(&got, &affine);
        multiple(ops, &want, &multiples[i]);
        right &= ops->on_curve(&affine) && ops->equal(&want, &got);
    }
    return right;
}

static void transform(const struct pail_curve_ops *ops, pail_u256 values[ALL], uint32_t n,
                      const pail_u256 *root, const pail_u256 *shift)
{
    for (uint32_t first = 0; first < ALL; first += n) {
        pail_u256 x = *shift;
        for (uint32_t k = 0; k < n; k++) {
            pail_u256 value = pail_scalar_of(0);
            for (uint32_t j = n; j-- > 0;) {
                const pail_u256 number = pail_scalar_of(numbers[first + j]);
                ops->scalar_mul(&value, &value, &x);
                ops->scalar_add(&value, &value, &number);
            }
            values[first + k] = value;
            ops->scalar_mul(&x, &x, root);
        }
    }
}

/* There and back on a coset, by all kinds of encodings. */
pail_status pail_points_test_transforms(struct pail_vectors *field, uint32_t curve,
                                        struct pail_vk_pipeline_stats *pipelines, bool *wrong,
                                        struct pail_error *err)
{
    static const uint32_t encodings[] = {PAIL_ENCODING_MONTGOMERY, PAIL_ENCODING_PROJECTIVE,
                                         PAIL_ENCODING_JACOBIAN};
    const struct pail_curve_ops *ops = pail_curve_ops(curve, PAIL_G1);
    struct testing t = {.field = field, .pipelines = pipelines};
    const pail_u256 shift = pail_scalar_of(7);
    pail_u256 values[ALL], before[ALL];
    for (uint32_t i = 0; i < ALL; i++)
        before[i] = pail_scalar_of(numbers[i]);
    pail_status status = begin(&t, err);
    *wrong = false;
    for (uint32_t i = 0; i < 3 && status == PAIL_OK && !*wrong; i++) {
        const uint32_t log_n = i == 1 ? 3 : 2;
        const pail_u256 root = pail_scalar_root(ops, log_n);
        pail_vector_op op = {.kind = PAIL_VECTOR_OP_POINTS_NTT,
                             .log_n = log_n,
                             .n = ALL,
                             .curve = curve,
                             .group = PAIL_G1,
                             .encoding = encodings[i],
                             .to_encoding = encodings[i]};
        transform(ops, values, UINT32_C(1) << log_n, &root, &shift);
        pail_u256_to_bytes(op.root, &root);
        pail_u256_to_bytes(op.shift, &shift);
        put(&t, ops, encodings[i]);
        status = run(&t, &op, err);
        *wrong = status == PAIL_OK && !holds(&t, ops, encodings[i], values);
        op.kind = PAIL_VECTOR_OP_POINTS_INTT;
        if (status == PAIL_OK && !*wrong)
            status = run(&t, &op, err);
        *wrong = *wrong || (status == PAIL_OK && !holds(&t, ops, encodings[i], before));
    }
    if (t.memory)
        pail_memory_destroy(t.memory);
    return status;
}

/* Into Montgomery form and back. */
pail_status pail_points_test_conversions(struct pail_vectors *field, uint32_t curve,
                                         struct pail_vk_pipeline_stats *pipelines, bool *wrong,
                                         struct pail_error *err)
{
    const struct pail_curve_ops *ops = pail_curve_ops(curve, PAIL_G1);
    struct testing t = {.field = field, .pipelines = pipelines};
    uint8_t want[sizeof(t.bytes)];
    pail_status status = begin(&t, err);
    *wrong = false;
    for (uint32_t i = 0; i < 2 && status == PAIL_OK && !*wrong; i++) {
        const uint32_t from = i ? PAIL_ENCODING_MONTGOMERY : PAIL_ENCODING_CANONICAL,
                       to = i ? PAIL_ENCODING_CANONICAL : PAIL_ENCODING_MONTGOMERY;
        pail_vector_op op = {.kind = PAIL_VECTOR_OP_POINTS_CONVERT,
                             .n = ALL,
                             .curve = curve,
                             .group = PAIL_G1,
                             .encoding = from,
                             .to_encoding = to};
        put(&t, ops, to);
        memcpy(want, t.bytes, sizeof(want));
        put(&t, ops, from);
        status = run(&t, &op, err);
        *wrong = status == PAIL_OK && memcmp(t.bytes, want, sizeof(want)) != 0;
    }
    if (t.memory)
        pail_memory_destroy(t.memory);
    return status;
}

/* ---- Sums ------------------------------------------------------------------------------------ */
enum { LOG_N = 2, N = 1 << LOG_N, ROWS = 2, BITS = 4, COPIES = 3, SCALARS = ROWS * ALL };

static pail_u256 scalar_of(const struct pail_curve_ops *ops, uint32_t i)
{
    pail_u256 k = pail_scalar_of(i + 1);
    if (i % 3 == 1)
        ops->scalar_neg(&k, &k); /* the largest ones */
    if (i % 3 == 2)
        k.l[3] = UINT64_C(1) << 40;
    return k;
}

/* Sums of two batches of N by a table of all points, [ROWS][N]. */
static pail_status test_table(struct testing *t, const struct pail_curve_ops *ops, bool *wrong,
                              struct pail_error *err)
{
    uint8_t scalars[32 * SCALARS];
    pail_u256 want[ALL];
    struct pail_memory *table = NULL;
    struct pail_vector *vector = NULL;
    for (uint32_t i = 0; i < SCALARS; i++) {
        const pail_u256 k = scalar_of(ops, i);
        pail_u256_to_bytes(scalars + 32 * (size_t)i, &k);
    }
    for (uint32_t i = 0; i < ALL; i++) {
        want[i] = pail_scalar_of(0);
        for (uint32_t k = 0; k < ROWS; k++) {
            pail_u256 x = scalar_of(ops, (i / N * ROWS + k) * N + i % N);
            const pail_u256 number = pail_scalar_of(numbers[k * N + i % N]);
            ops->scalar_mul(&x, &x, &number);
            ops->scalar_add(&want[i], &want[i], &x);
        }
    }
    pail_status status = pail_memory_create(t->field->memories, &table, PAIL_MEMORY_DEVICE,
                                            ALL * pail_sum_table_bytes(ops, BITS, COPIES), err);
    if (status == PAIL_OK)
        status = pail_vector_make(t->field, &vector, ops->curve, SCALARS, err);
    if (status == PAIL_OK)
        status = pail_vector_put(vector, 0, scalars, SCALARS, PAIL_ENCODING_CANONICAL, err);
    if (status == PAIL_OK) {
        const pail_vector_op list[] = {{.kind = PAIL_VECTOR_OP_POINTS_TABLE,
                                        .n = ALL,
                                        .curve = ops->curve,
                                        .group = PAIL_G1,
                                        .address = t->address,
                                        .encoding = PAIL_ENCODING_MONTGOMERY,
                                        .to_address = table->buffer.address,
                                        .window_bits = BITS,
                                        .copies = COPIES},
                                       {.kind = PAIL_VECTOR_OP_POINTS_SUMS,
                                        .log_n = LOG_N,
                                        .a = vector,
                                        .n = ALL,
                                        .curve = ops->curve,
                                        .group = PAIL_G1,
                                        .address = table->buffer.address,
                                        .to_address = t->address,
                                        .to_encoding = PAIL_ENCODING_CANONICAL,
                                        .rows = ROWS,
                                        .window_bits = BITS,
                                        .copies = COPIES}};
        put(t, ops, PAIL_ENCODING_MONTGOMERY);
        status = run_all(t, list, 2, err);
        *wrong = status == PAIL_OK && !holds(t, ops, PAIL_ENCODING_CANONICAL, want);
    }
    pail_vector_release(vector);
    if (table)
        pail_memory_destroy(table);
    return status;
}

/* The values of the lower halves of the coefficients: c + d root^k. */
static void lower_halves(const struct pail_curve_ops *ops, pail_u256 values[ALL],
                         const pail_u256 *root)
{
    const pail_u256 n = pail_scalar_of(N), per_n = pail_scalar_inverse(ops, &n),
                    back = pail_scalar_inverse(ops, root);
    for (uint32_t first = 0; first < ALL; first += N) {
        pail_u256 coefficients[N / 2], x = per_n, power = pail_scalar_of(1);
        for (uint32_t c = 0; c < N / 2; c++) {
            pail_u256 step = pail_scalar_of(1);
            for (uint32_t i = 0; i < c; i++)
                ops->scalar_mul(&step, &step, &back);
            coefficients[c] = pail_scalar_of(0);
            x = per_n;
            for (uint32_t e = 0; e < N; e++) {
                const pail_u256 number = pail_scalar_of(numbers[first + e]);
                pail_u256 term;
                ops->scalar_mul(&term, &x, &number);
                ops->scalar_add(&coefficients[c], &coefficients[c], &term);
                ops->scalar_mul(&x, &x, &step);
            }
        }
        for (uint32_t k = 0; k < N; k++) {
            ops->scalar_mul(&values[first + k], &coefficients[1], &power);
            ops->scalar_add(&values[first + k], &values[first + k], &coefficients[0]);
            ops->scalar_mul(&power, &power, root);
        }
    }
}

pail_status pail_points_test_sums(struct pail_vectors *field, uint32_t curve,
                                  struct pail_vk_pipeline_stats *pipelines, bool *wrong,
                                  struct pail_error *err)
{
    const struct pail_curve_ops *ops = pail_curve_ops(curve, PAIL_G1);
    struct testing t = {.field = field, .pipelines = pipelines};
    const pail_u256 root = pail_scalar_root(ops, LOG_N);
    pail_u256 want[ALL];
    pail_vector_op op = {.kind = PAIL_VECTOR_OP_POINTS_TRUNCATE,
                         .log_n = LOG_N,
                         .n = ALL,
                         .curve = curve,
                         .group = PAIL_G1,
                         .encoding = PAIL_ENCODING_MONTGOMERY,
                         .to_encoding = PAIL_ENCODING_MONTGOMERY};
    pail_u256_to_bytes(op.root, &root);
    lower_halves(ops, want, &root);
    *wrong = false;
    pail_status status = begin(&t, err);
    if (status == PAIL_OK)
        status = test_table(&t, ops, wrong, err);
    if (status == PAIL_OK && !*wrong) {
        put(&t, ops, PAIL_ENCODING_MONTGOMERY);
        status = run(&t, &op, err);
        *wrong = status == PAIL_OK && !holds(&t, ops, PAIL_ENCODING_MONTGOMERY, want);
    }
    if (t.memory)
        pail_memory_destroy(t.memory);
    return status;
}
