/* Vectors of scalars on a device, through the boundary: every kind of operation next to the CPU's,
 * chains of them, and multiplications that take their scalars from a vector. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <curves/inputs.h>
#include <curves/rng.h>

#include "field/gpu_support.h"
#include "support/plugin_group.h"

static const uint32_t curves[] = {PAIL_CURVE_BN254, PAIL_CURVE_BLS12_381};

static const struct pail_curve_ops *ops_of(uint32_t curve)
{
    return pail_curve_ops(curve, PAIL_G1);
}

static void check(pail_status status)
{
    if (status != PAIL_OK)
        fail_msg("status %d: %s", (int)status, plugin.api->error(plugin.context));
}

static pail_vector *make(uint32_t curve, uint64_t n)
{
    pail_vector *vector = NULL;
    check(plugin.api->vector_create(plugin.context, &vector, curve, n));
    return vector;
}

static void destroy(pail_vector *vector)
{
    plugin.api->vector_destroy(plugin.context, &vector);
    assert_null(vector);
}

/* n elements below r, from a seed. */
static uint8_t *elements_of(const struct pail_curve_ops *ops, size_t n, uint64_t seed)
{
    uint8_t *bytes = malloc(32 * n + 1);
    for (size_t block = 0; block * PAIL_SCALARS_BLOCK < n; block++) {
        const size_t left = n - block * PAIL_SCALARS_BLOCK;
        pail_make_scalar_block(ops, bytes + 32 * block * PAIL_SCALARS_BLOCK, block,
                               left < PAIL_SCALARS_BLOCK ? left : PAIL_SCALARS_BLOCK,
                               PAIL_SCALARS_UNIFORM, seed);
    }
    return bytes;
}

static void write(pail_vector *vector, uint64_t offset, const uint8_t *elements, uint64_t n)
{
    check(plugin.api->vector_write(vector, offset, elements, n, PAIL_ENCODING_CANONICAL));
}

static void expect(const pail_vector *vector, uint64_t offset, const uint8_t *elements, uint64_t n,
                   const char *what)
{
    uint8_t *got = malloc(32 * n + 1);
    check(plugin.api->vector_read(vector, got, offset, n, PAIL_ENCODING_CANONICAL));
    for (uint64_t i = 0; i < n; i++)
        if (memcmp(got + 32 * i, elements + 32 * i, 32) != 0)
            fail_msg("%s: element %llu of %llu differs", what, (unsigned long long)i,
                     (unsigned long long)n);
    free(got);
}

static pail_stats run(const pail_vector_op *ops, size_t n)
{
    pail_pending *pending = NULL;
    pail_stats stats = {.struct_size = sizeof(stats)};
    check(plugin.api->vector_start(plugin.context, &pending, ops, n));
    check(plugin.api->vector_finish(&pending, &stats));
    assert_null(pending);
    return stats;
}

static pail_u256 number(uint64_t low)
{
    return (pail_u256){{low, 0, 0, 0}};
}

/* ---- Reading and writing --------------------------------------------------------------------- */
static void encodings(void **state)
{
    (void)state;
    enum { N = 300 };
    for (uint32_t c = 0; c < 2; c++) {
        const struct pail_curve_ops *ops = ops_of(curves[c]);
        uint8_t *in = elements_of(ops, N, 1), out[32 * N];
        pail_vector *vector = make(curves[c], N);
        check(plugin.api->vector_read(vector, out, 0, N, PAIL_ENCODING_MONTGOMERY));
        for (size_t i = 0; i < sizeof(out); i++)
            assert_int_equal(out[i], 0);
        write(vector, 3, in, N - 3);
        expect(vector, 3, in, N - 3, "canonical");
        check(plugin.api->vector_read(vector, out, 3, N - 3, PAIL_ENCODING_MONTGOMERY));
        for (size_t i = 0; i < N - 3; i++) {
            pail_u256 value, encoded;
            pail_u256_from_bytes(&encoded, out + 32 * i);
            ops->scalar_from_montgomery(&value, &encoded);
            pail_u256_from_bytes(&encoded, in + 32 * i);
            assert_memory_equal(&value, &encoded, sizeof(value));
        }
        check(plugin.api->vector_write(vector, 0, out, N - 3, PAIL_ENCODING_MONTGOMERY));
        expect(vector, 0, in, N - 3, "Montgomery");
        /* r itself is too large, r - 1 is not; nothing changes. */
        uint8_t bad[64];
        pail_u256 less = ops->order;
        less.l[0]--;
        pail_u256_to_bytes(bad, &less);
        pail_u256_to_bytes(bad + 32, &ops->order);
        assert_int_equal(plugin.api->vector_write(vector, 5, bad, 2, PAIL_ENCODING_CANONICAL),
                         PAIL_ERR_DATA);
        assert_non_null(strstr(plugin.api->error(plugin.context), "element 1 "));
        expect(vector, 0, in, N - 3, "after an element that is too large");
        write(vector, 5, bad, 1);
        expect(vector, 5, bad, 1, "r - 1");
        assert_int_equal(plugin.api->vector_write(vector, N - 1, in, 2, PAIL_ENCODING_CANONICAL),
                         PAIL_ERR_ARGUMENT);
        assert_int_equal(plugin.api->vector_read(vector, out, 1, N, PAIL_ENCODING_CANONICAL),
                         PAIL_ERR_ARGUMENT);
        assert_int_equal(plugin.api->vector_read(vector, out, 0, 1, 7), PAIL_ERR_ARGUMENT);
        destroy(vector);
        free(in);
    }
    destroy(make(PAIL_CURVE_BN254, 0));
}

/* ---- Transforms ------------------------------------------------------------------------------ */
/* One size, on one curve, with one shift: there and back, in both orders, in place and not. */
static void transform(uint32_t curve, uint32_t log_n, const pail_u256 *shift)
{
    const struct pail_curve_ops *ops = ops_of(curve);
    const size_t n = (size_t)1 << log_n;
    const pail_u256 root = field_root(ops, log_n);
    uint8_t *a = elements_of(ops, n, log_n), *values = malloc(32 * n), *turned = malloc(32 * n);
    pail_u256 one = number(1);
    field_transform(ops, values, a, log_n, &root, shift->l[0] || shift->l[3] ? shift : &one);
    for (size_t i = 0; i < n; i++)
        memcpy(turned + 32 * field_reverse((uint32_t)i, log_n), values + 32 * i, 32);
    pail_vector *x = make(curve, n + 1), *y = make(curve, n + 2);
    for (uint32_t i = 0; i < 8; i++) {
        const bool inverse = i & 1, reversed = i & 2, in_place = i & 4;
        const uint8_t *in_order = reversed ? turned : values;
        pail_vector_op op = {
            .struct_size = sizeof(op),
            .kind = inverse ? PAIL_VECTOR_OP_INTT : PAIL_VECTOR_OP_NTT,
            .flags = reversed ? PAIL_VECTOR_OP_BIT_REVERSED : 0,
            .log_n = log_n,
            .r = in_place ? x : y,
            .a = x,
            .r_offset = in_place ? 1 : 2,
            .a_offset = 1,
            .n = n,
        };
        char what[96];
        pail_u256_to_bytes(op.root, &root);
        pail_u256_to_bytes(op.shift, shift);
        write(x, 1, inverse ? in_order : a, n);
        run(&op, 1);
        (void)snprintf(what, sizeof(what), "curve %u, 2^%u, shift %llx, %s%s%s", curve, log_n,
                       (unsigned long long)shift->l[0], inverse ? "inverse" : "forward",
                       reversed ? ", reversed" : "", in_place ? ", in place" : "");
        expect(op.r, op.r_offset, inverse ? a : in_order, n, what);
    }
    destroy(x);
    destroy(y);
    free(a);
    free(values);
    free(turned);
}

static void transforms(void **state)
{
    (void)state;
    const uint32_t most = plugin_is_slow() ? 11 : 13;
    for (uint32_t c = 0; c < 2; c++)
        for (uint32_t log_n = 0; log_n <= most; log_n++) {
            pail_u256 shift = number(0);
            transform(curves[c], log_n, &shift);
            shift = number(7 + log_n);
            shift.l[3] = UINT64_C(0x123456789abcdef);
            transform(curves[c], log_n, &shift);
        }
}

static void large_transforms(void **state)
{
    (void)state;
    const pail_u256 shift = number(5);
    transform(PAIL_CURVE_BN254, plugin_is_slow() ? 12 : 16, &shift);
    if (!plugin_is_slow())
        transform(PAIL_CURVE_BLS12_381, 16, &shift);
}

/* Values at the edges of the field. */
static void edges(void **state)
{
    (void)state;
    enum { LOG_N = 6, N = 1 << LOG_N };
    for (uint32_t c = 0; c < 2; c++) {
        const struct pail_curve_ops *ops = ops_of(curves[c]);
        const pail_u256 root = field_root(ops, LOG_N), one = number(1);
        uint8_t a[32 * N], values[32 * N];
        for (uint32_t kind = 0; kind < 4; kind++) {
            for (uint32_t i = 0; i < N; i++) {
                pail_u256 v = number(kind == 0 ? 0 : kind == 1 ? 1 : i);
                if (kind == 3 || (kind == 2 && i % 3 == 0)) {
                    v = ops->order;
                    v.l[0] -= 1 + (kind == 2 ? i : 0);
                }
                ops->scalar_reduce(&v, &v);
                pail_u256_to_bytes(a + 32 * i, &v);
            }
            field_transform(ops, values, a, LOG_N, &root, &one);
            pail_vector *x = make(curves[c], N);
            pail_vector_op op[2] = {{.struct_size = sizeof(op[0]),
                                     .kind = PAIL_VECTOR_OP_NTT,
                                     .log_n = LOG_N,
                                     .r = x,
                                     .a = x,
                                     .n = N}};
            pail_u256_to_bytes(op[0].root, &root);
            op[1] = op[0];
            op[1].kind = PAIL_VECTOR_OP_INTT;
            write(x, 0, a, N);
            run(op, 1);
            expect(x, 0, values, N, "edges");
            run(op + 1, 1);
            expect(x, 0, a, N, "edges, back");
            destroy(x);
        }
    }
}

static void batches(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {0, 1, 2, 5, 11};
    for (uint32_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        const uint32_t log_n = sizes[s];
        const size_t n = (size_t)1 << log_n, batch = log_n < 5 ? 1001 : 3;
        const struct pail_curve_ops *ops = ops_of(PAIL_CURVE_BN254);
        const pail_u256 root = field_root(ops, log_n), one = number(1);
        uint8_t *a = elements_of(ops, n * batch, s), *values = malloc(32 * n * batch);
        for (size_t b = 0; b < batch; b++)
            field_transform(ops, values + 32 * n * b, a + 32 * n * b, log_n, &root, &one);
        pail_vector *x = make(PAIL_CURVE_BN254, n * batch + 5);
        pail_vector_op op = {.struct_size = sizeof(op),
                             .kind = PAIL_VECTOR_OP_NTT,
                             .log_n = log_n,
                             .r = x,
                             .a = x,
                             .r_offset = 5,
                             .a_offset = 5,
                             .n = n * batch};
        pail_u256_to_bytes(op.root, &root);
        write(x, 5, a, n * batch);
        run(&op, 1);
        expect(x, 5, values, n * batch, "batch");
        op.kind = PAIL_VECTOR_OP_INTT;
        run(&op, 1);
        expect(x, 5, a, n * batch, "batch, back");
        destroy(x);
        free(a);
        free(values);
    }
}

/* ---- Element by element ---------------------------------------------------------------------- */
static void arithmetic(void **state)
{
    (void)state;
    enum { N = 1000, A = 3, B = 0, C = 7, R = 1 };
    for (uint32_t c = 0; c < 2; c++) {
        const struct pail_curve_ops *ops = ops_of(curves[c]);
        uint8_t *in[3], *out = malloc(32 * N);
        pail_vector *v[3], *r = make(curves[c], N + R);
        const uint64_t offset[3] = {A, B, C};
        for (uint32_t i = 0; i < 3; i++) {
            in[i] = elements_of(ops, N, 10 + i);
            v[i] = make(curves[c], N + offset[i]);
        }
        memset(in[1], 0, 32); /* a b with b = 0 */
        for (uint32_t kind = PAIL_VECTOR_OP_ADD; kind <= PAIL_VECTOR_OP_COPY; kind++)
            for (uint32_t place = 0; place < 2; place++) {
                pail_u256 power = number(9), shift = number(12345);
                for (uint32_t i = 0; i < N; i++) {
                    pail_u256 x, y, z, s;
                    pail_u256_from_bytes(&x, in[0] + 32 * i);
                    pail_u256_from_bytes(&y, in[1] + 32 * i);
                    pail_u256_from_bytes(&z, in[2] + 32 * i);
                    switch (kind) {
                    case PAIL_VECTOR_OP_ADD:
                        ops->scalar_add(&s, &x, &y);
                        break;
                    case PAIL_VECTOR_OP_SUB:
                        ops->scalar_neg(&y, &y);
                        ops->scalar_add(&s, &x, &y);
                        break;
                    case PAIL_VECTOR_OP_MUL:
                        ops->scalar_mul(&s, &x, &y);
                        break;
                    case PAIL_VECTOR_OP_MUL_SUB:
                        ops->scalar_mul(&s, &x, &y);
                        ops->scalar_neg(&z, &z);
                        ops->scalar_add(&s, &s, &z);
                        break;
                    case PAIL_VECTOR_OP_POWERS:
                        ops->scalar_mul(&s, &x, &power);
                        ops->scalar_mul(&power, &power, &shift);
                        break;
                    default:
                        s = x;
                        break;
                    }
                    pail_u256_to_bytes(out + 32 * i, &s);
                }
                pail_vector_op op = {
                    .struct_size = sizeof(op),
                    .kind = kind,
                    .r = place ? v[0] : r,
                    .a = v[0],
                    .r_offset = place ? A : R,
                    .a_offset = A,
                    .n = N,
                };
                if (kind <= PAIL_VECTOR_OP_MUL_SUB) {
                    op.b = v[1];
                    op.b_offset = B;
                }
                if (kind == PAIL_VECTOR_OP_MUL_SUB) {
                    op.c = v[2];
                    op.c_offset = C;
                }
                if (kind == PAIL_VECTOR_OP_POWERS) {
                    const pail_u256 scale = number(9);
                    pail_u256_to_bytes(op.shift, &shift);
                    pail_u256_to_bytes(op.scale, &scale);
                }
                for (uint32_t i = 0; i < 3; i++)
                    write(v[i], offset[i], in[i], N);
                run(&op, 1);
                expect(op.r, op.r_offset, out, N, "arithmetic");
            }
        for (uint32_t i = 0; i < 3; i++) {
            destroy(v[i]);
            free(in[i]);
        }
        destroy(r);
        free(out);
    }
}

/* ---- Sparse products ------------------------------------------------------------------------- */
enum { ROWS = 400, COLUMNS = 300, ENTRIES_MAX = 20000 };

struct sparse {
    uint64_t starts[ROWS + 1];
    uint32_t *columns;
    uint8_t *values;
};

/* Rows that are empty, short, of 32 and 33 entries, and of some thousand. */
static struct sparse make_sparse(const struct pail_curve_ops *ops)
{
    struct sparse s = {.starts = {0}};
    struct pail_rng rng;
    pail_rng_init(&rng, 3);
    for (uint32_t row = 0; row < ROWS; row++) {
        uint64_t n = pail_rng_below(&rng, 5);
        n = row == 7 ? 32 : row == 8 ? 33 : row == 100 ? 3000 : row == ROWS - 1 ? 1025 : n;
        s.starts[row + 1] = s.starts[row] + n;
    }
    s.columns = calloc(s.starts[ROWS], sizeof(*s.columns));
    s.values = elements_of(ops, s.starts[ROWS], 4);
    for (uint64_t k = 0; k < s.starts[ROWS]; k++)
        s.columns[k] = (uint32_t)pail_rng_below(&rng, COLUMNS);
    return s;
}

static pail_matrix_desc desc_of(const struct sparse *s, uint32_t curve)
{
    return (pail_matrix_desc){.struct_size = sizeof(pail_matrix_desc),
                              .curve = curve,
                              .n_rows = ROWS,
                              .n_columns = COLUMNS,
                              .row_starts = s->starts,
                              .columns = s->columns,
                              .values = s->values};
}

static void multiply_sparse(const struct pail_curve_ops *ops, const struct sparse *s,
                            const uint8_t *a, uint8_t *r)
{
    for (uint32_t row = 0; row < ROWS; row++) {
        pail_u256 sum = number(0);
        for (uint64_t k = s->starts[row]; k < s->starts[row + 1]; k++) {
            pail_u256 x, y;
            pail_u256_from_bytes(&x, s->values + 32 * k);
            pail_u256_from_bytes(&y, a + 32 * s->columns[k]);
            ops->scalar_mul(&x, &x, &y);
            ops->scalar_add(&sum, &sum, &x);
        }
        pail_u256_to_bytes(r + 32 * row, &sum);
    }
}

static void sparse_products(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < 2; c++) {
        const struct pail_curve_ops *ops = ops_of(curves[c]);
        struct sparse s = make_sparse(ops);
        const pail_matrix_desc desc = desc_of(&s, curves[c]);
        pail_matrix *matrix = NULL;
        uint64_t bad = 0;
        check(plugin.api->matrix_create(plugin.context, &matrix, &bad, &desc));
        assert_true(bad == UINT64_MAX);
        uint8_t *a = elements_of(ops, COLUMNS, 5), *product = malloc(32 * ROWS);
        multiply_sparse(ops, &s, a, product);
        pail_vector *x = make(curves[c], COLUMNS + 1), *y = make(curves[c], ROWS + 3);
        write(x, 1, a, COLUMNS);
        const pail_vector_op op = {.struct_size = sizeof(op),
                                   .kind = PAIL_VECTOR_OP_SPMV,
                                   .r = y,
                                   .a = x,
                                   .matrix = matrix,
                                   .r_offset = 3,
                                   .a_offset = 1,
                                   .n = ROWS};
        pail_pending *pending = NULL;
        check(plugin.api->vector_start(plugin.context, &pending, &op, 1));
        /* Legal while in use. */
        plugin.api->matrix_destroy(plugin.context, &matrix);
        plugin.api->vector_destroy(plugin.context, &x);
        assert_int_equal(plugin.api->pending_wait(pending, UINT64_MAX), PAIL_OK);
        assert_int_equal(plugin.api->pending_poll(pending), PAIL_OK);
        check(plugin.api->vector_finish(&pending, NULL));
        expect(y, 3, product, ROWS, "sparse product");
        destroy(y);
        free(a);
        free(product);
        free(s.columns);
        free(s.values);
    }
}

static void bad_matrices(void **state)
{
    (void)state;
    const struct pail_curve_ops *ops = ops_of(PAIL_CURVE_BN254);
    struct sparse s = make_sparse(ops);
    pail_matrix_desc desc = desc_of(&s, PAIL_CURVE_BN254);
    pail_matrix *matrix = NULL;
    uint64_t bad = 0;
    s.columns[77] = COLUMNS;
    assert_int_equal(plugin.api->matrix_create(plugin.context, &matrix, &bad, &desc),
                     PAIL_ERR_DATA);
    assert_true(bad == 77 && !matrix);
    s.columns[77] = 0;
    pail_u256_to_bytes(s.values + 32 * 99, &ops->order);
    assert_int_equal(plugin.api->matrix_create(plugin.context, &matrix, &bad, &desc),
                     PAIL_ERR_DATA);
    assert_true(bad == 99);
    memset(s.values + 32 * 99, 0, 32);
    s.starts[50] = s.starts[49] + 10000000;
    assert_int_equal(plugin.api->matrix_create(plugin.context, &matrix, &bad, &desc),
                     PAIL_ERR_DATA);
    assert_true(bad == 51);
    desc.curve = 9;
    assert_int_equal(plugin.api->matrix_create(plugin.context, &matrix, &bad, &desc),
                     PAIL_ERR_ARGUMENT);
    assert_true(bad == UINT64_MAX);
    free(s.columns);
    free(s.values);
}

/* ---- What is refused ------------------------------------------------------------------------- */
static void expect_refusal(const pail_vector_op *op, const char *words)
{
    pail_pending *pending = NULL;
    pail_vector_op two[2] = {*op, *op};
    two[0].n = 0; /* the second one is wrong */
    if (op->matrix || op->kind != PAIL_VECTOR_OP_ADD)
        two[0] = (pail_vector_op){.struct_size = sizeof(*op),
                                  .kind = PAIL_VECTOR_OP_COPY,
                                  .r = op->r ? op->r : (pail_vector *)(uintptr_t)op->a,
                                  .a = op->r ? op->r : op->a};
    assert_int_equal(plugin.api->vector_start(plugin.context, &pending, two, 2), PAIL_ERR_ARGUMENT);
    assert_null(pending);
    const char *said = plugin.api->error(plugin.context);
    if (!strstr(said, "operation 1") || !strstr(said, words))
        fail_msg("\"%s\" lacks \"%s\"", said, words);
}

static void refusals(void **state)
{
    (void)state;
    const struct pail_curve_ops *ops = ops_of(PAIL_CURVE_BN254);
    pail_vector *x = make(PAIL_CURVE_BN254, 100), *other = make(PAIL_CURVE_BLS12_381, 100);
    const pail_vector_op copy = {
        .struct_size = sizeof(copy), .kind = PAIL_VECTOR_OP_COPY, .r = x, .a = x, .n = 10};
    pail_vector_op ntt = copy;
    ntt.kind = PAIL_VECTOR_OP_NTT;
    ntt.n = 16;
    ntt.log_n = 4;
    const pail_u256 root = field_root(ops, 4), wrong = field_root(ops, 5);
    pail_u256_to_bytes(ntt.root, &root);
    pail_vector_op op = copy;
    op.kind = 10;
    expect_refusal(&op, "kind 10");
    op = copy;
    op.a_offset = 5;
    expect_refusal(&op, "overlaps");
    op = copy;
    op.a = other;
    expect_refusal(&op, "bls12_381");
    op = copy;
    op.b = x;
    expect_refusal(&op, "no operand b");
    op = copy;
    op.a = NULL;
    expect_refusal(&op, "a is NULL");
    op = copy;
    op.r_offset = 91;
    expect_refusal(&op, "r has 100");
    op = copy;
    op.flags = PAIL_VECTOR_OP_BIT_REVERSED;
    expect_refusal(&op, "flags 0x1");
    op = ntt;
    op.n = 17;
    expect_refusal(&op, "not a multiple");
    op = ntt;
    op.log_n = 29;
    expect_refusal(&op, "log_n is 29");
    op = ntt;
    pail_u256_to_bytes(op.root, &wrong);
    expect_refusal(&op, "order 2^4");
    op = ntt;
    pail_u256_to_bytes(op.shift, &ops->order);
    expect_refusal(&op, "shift");
    op = copy;
    op.kind = PAIL_VECTOR_OP_SPMV;
    expect_refusal(&op, "matrix is NULL");
    pail_pending *pending = NULL;
    assert_int_equal(plugin.api->vector_start(plugin.context, &pending, &copy, 0),
                     PAIL_ERR_ARGUMENT);
    /* What the other slot ends. */
    check(plugin.api->vector_start(plugin.context, &pending, &copy, 1));
    pail_msm_result result = {.struct_size = sizeof(result)};
    assert_int_equal(plugin.api->msm_finish(&pending, &result, 1, NULL), PAIL_ERR_ARGUMENT);
    assert_null(pending);
    destroy(x);
    destroy(other);
}

/* ---- Chains and multiplications -------------------------------------------------------------- */
/* Sums of the same scalars, from a vector and from the host. */
static void expect_same_sum(pail_bases *bases, const pail_vector *vector, uint64_t offset,
                            const uint8_t *scalars, size_t base_offset, size_t n,
                            uint32_t scalar_bits)
{
    pail_msm_job jobs[2] = {{.struct_size = sizeof(jobs[0]),
                             .scalar_bits = scalar_bits,
                             .bases = bases,
                             .base_offset = base_offset,
                             .scalars = scalars,
                             .n = n}};
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
    const pail_bases_desc desc = {.struct_size = sizeof(desc),
                                  .curve = ops->curve,
                                  .group = ops->group,
                                  .encoding = PAIL_ENCODING_MONTGOMERY,
                                  .residency = residency,
                                  .points = points,
                                  .n_points = n};
    pail_bases *bases = NULL;
    check(plugin.api->bases_create(plugin.context, &bases, NULL, &desc));
    free(points);
    return bases;
}

static void multiplications(void **state)
{
    (void)state;
    enum { N = 500, FIRST = 11 };
    static const enum pail_base_kind kinds[] = {PAIL_BASES_DISTINCT, PAIL_BASES_INFINITY};
    for (uint32_t c = 0; c < (plugin_is_slow() ? 1u : 2u); c++)
        for (uint32_t k = 0; k < 2; k++)
            for (uint32_t residency = 0; residency < 2; residency++) {
                const struct pail_curve_ops *ops = ops_of(curves[c]);
                pail_bases *bases = bases_of(ops, N, kinds[k], residency ? PAIL_RESIDENCY_HOST : 0);
                uint8_t *scalars = elements_of(ops, N, 6);
                pail_vector *x = make(curves[c], N + FIRST);
                write(x, FIRST, scalars, N);
                expect_same_sum(bases, x, FIRST, scalars, 0, N, 0);
                expect_same_sum(bases, x, FIRST + 3, scalars + 32 * 3, 7, N - 10, 0);
                expect_same_sum(bases, x, FIRST, scalars, 0, 0, 0);
                for (size_t i = 0; i < N; i++)
                    memset(scalars + 32 * i + 8, 0, 24);
                write(x, FIRST, scalars, N);
                expect_same_sum(bases, x, FIRST, scalars, 0, N, 64);
                plugin.api->bases_destroy(plugin.context, &bases);
                destroy(x);
                free(scalars);
            }
}

static void broken_promise(void **state)
{
    (void)state;
    enum { N = 50 };
    const struct pail_curve_ops *ops = ops_of(PAIL_CURVE_BN254);
    pail_bases *bases = bases_of(ops, N, PAIL_BASES_DISTINCT, 0);
    uint8_t scalars[32 * N] = {0};
    pail_vector *x = make(PAIL_CURVE_BN254, N);
    scalars[32 * 17 + 8] = 1;
    write(x, 0, scalars, N);
    const pail_msm_job job = {.struct_size = sizeof(job),
                              .scalar_bits = 64,
                              .scalar_location = PAIL_LOCATION_VECTOR,
                              .bases = bases,
                              .n = N,
                              .scalar_vector = x};
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
static void chain(void **state)
{
    (void)state;
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
    pail_msm_job job = {.struct_size = sizeof(job),
                        .scalar_location = PAIL_LOCATION_VECTOR,
                        .bases = bases,
                        .n = N,
                        .scalar_vector = z};
    check(plugin.api->msm_start(plugin.context, &second, &job, 1, NULL));
    /* What comes later does not change what the multiplication reads. */
    const pail_vector_op over = {
        .struct_size = sizeof(over), .kind = PAIL_VECTOR_OP_SUB, .r = z, .a = z, .b = z, .n = N};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodings),        cmocka_unit_test(transforms),
        cmocka_unit_test(large_transforms), cmocka_unit_test(edges),
        cmocka_unit_test(batches),          cmocka_unit_test(arithmetic),
        cmocka_unit_test(sparse_products),  cmocka_unit_test(bad_matrices),
        cmocka_unit_test(refusals),         cmocka_unit_test(multiplications),
        cmocka_unit_test(broken_promise),   cmocka_unit_test(chain),
    };
    return cmocka_run_group_tests_name("vectors", tests, plugin_setup, plugin_teardown);
}
