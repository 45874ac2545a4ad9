/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of scalars on a device, through the boundary: reading and writing, arithmetic, sparse
 * products, and what is refused. */
#include "field/gpu_plugin.h"
#include "support/test.h"

/* ---- Reading and writing --------------------------------------------------------------------- */
PAIL_TEST(encodings)
{
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
        assert_non_null(strstr(plugin.api->error(plugin.context), "elements[1] "));
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

/* ---- Element by element ---------------------------------------------------------------------- */
PAIL_TEST(arithmetic)
{
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
                pail_vector_op op =
                    SIZED(pail_vector_op, .kind = kind, .r = place ? v[0] : r, .a = v[0],
                          .r_offset = place ? A : R, .a_offset = A, .n = N);
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
PAIL_TEST(sparse_products)
{
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
        const pail_vector_op op = SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_SPMV, .r = y, .a = x,
                                        .matrix = matrix, .r_offset = 3, .a_offset = 1, .n = ROWS);
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

PAIL_TEST(bad_matrices)
{
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
    if (!strstr(said, "ops[1].") || !strstr(said, words))
        fail_msg("\"%s\" lacks \"%s\"", said, words);
}

/* An operation that is right but for one member. */
#define REFUSE(good, change, words)                                                                \
    do {                                                                                           \
        pail_vector_op changed = good;                                                             \
        changed.change;                                                                            \
        expect_refusal(&changed, words);                                                           \
    } while (0)

PAIL_TEST(refusals)
{
    const struct pail_curve_ops *ops = ops_of(PAIL_CURVE_BN254);
    pail_vector *x = make(PAIL_CURVE_BN254, 100), *other = make(PAIL_CURVE_BLS12_381, 100);
    const pail_vector_op copy =
        SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_COPY, .r = x, .a = x, .n = 10);
    pail_vector_op ntt = copy;
    ntt.kind = PAIL_VECTOR_OP_NTT;
    ntt.n = 16;
    ntt.log_n = 4;
    const pail_u256 root = field_root(ops, 4), wrong = field_root(ops, 5);
    pail_u256_to_bytes(ntt.root, &root);
    pail_vector_op op = copy;
    op.kind = 99;
    expect_refusal(&op, "kind is 99");
    REFUSE(copy, a_offset = 5, "overlaps");
    REFUSE(copy, a = other, "bls12_381");
    REFUSE(copy, b = x, "b is set, but kind 9, copy, has no such operand");
    REFUSE(copy, a = NULL, "a is NULL");
    REFUSE(copy, r_offset = 91, "r: elements 91 to 91 + 10 are asked for; there are 100");
    REFUSE(copy, flags = PAIL_VECTOR_OP_BIT_REVERSED, "flags is 0x1");
    REFUSE(ntt, n = 17, "no multiple");
    REFUSE(ntt, log_n = 29, "log_n is 29");
    op = ntt;
    pail_u256_to_bytes(op.root, &wrong);
    expect_refusal(&op, "order 2^4");
    op = ntt;
    pail_u256_to_bytes(op.shift, &ops->order);
    expect_refusal(&op, "shift");
    REFUSE(copy, kind = PAIL_VECTOR_OP_SPMV, "matrix is NULL");
    pail_pending *pending = NULL;
    assert_int_equal(plugin.api->vector_start(plugin.context, &pending, &copy, 0),
                     PAIL_ERR_ARGUMENT);
    /* An operation that another slot would have to end. */
    check(plugin.api->vector_start(plugin.context, &pending, &copy, 1));
    pail_msm_result result = {.struct_size = sizeof(result)};
    assert_int_equal(plugin.api->msm_finish(&pending, &result, 1, NULL), PAIL_ERR_ARGUMENT);
    assert_null(pending);
    destroy(x);
    destroy(other);
}

/* Vectors count in the context's budget, and what earlier ones have left idle gives way. */
PAIL_TEST(budget)
{
    const pail_context_params params =
        SIZED(pail_context_params, .device = PAIL_DEVICE_BEST, .memory_budget = UINT64_C(1) << 20);
    pail_context *small = NULL;
    pail_vector *vector = NULL;
    check(plugin.api->context_create(&plugin.host, &small, &params));
    assert_int_equal(plugin.api->vector_create(small, &vector, PAIL_CURVE_BN254, 1 << 16),
                     PAIL_ERR_DEVICE_MEMORY);
    assert_null(vector);
    assert_non_null(strstr(plugin.api->error(small), "a memory budget of 1048576"));
    check(plugin.api->vector_create(small, &vector, PAIL_CURVE_BN254, 1 << 14));
    plugin.api->vector_destroy(small, &vector);
    check(plugin.api->vector_create(small, &vector, PAIL_CURVE_BN254, 20000));
    plugin.api->vector_destroy(small, &vector);
    plugin.api->context_destroy(&small);
}

PAIL_TEST_GROUP(plugin_setup, plugin_teardown)
