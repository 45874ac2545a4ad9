/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms on a device, through the boundary, next to the CPU's. */
#include "field/gpu_plugin.h"
#include "support/test.h"

/* One size, on one curve, with one shift: there and back, in both orders, in place and not. */
static void transform(uint32_t curve, uint32_t log_n, const pail_u256 *shift)
{
    const struct pail_curve_ops *ops = ops_of(curve);
    const size_t n = (size_t)1 << log_n;
    const pail_u256 root = field_root(ops, log_n);
    uint8_t *a = elements_of(ops, n, log_n), *values = malloc(32 * n), *turned = malloc(32 * n),
            *a_turned = malloc(32 * n);
    pail_u256 one = number(1);
    field_transform(ops, values, a, log_n, &root, shift->l[0] || shift->l[3] ? shift : &one);
    for (size_t i = 0; i < n; i++) {
        memcpy(turned + 32 * field_reverse((uint32_t)i, log_n), values + 32 * i, 32);
        memcpy(a_turned + 32 * field_reverse((uint32_t)i, log_n), a + 32 * i, 32);
    }
    pail_vector *x = make(curve, n + 1), *y = make(curve, n + 2);
    for (uint32_t i = 0; i < 16; i++) {
        const bool inverse = i & 1, reversed = i & 2, in_place = i & 4, other = i & 8;
        const uint8_t *in_order = reversed ? turned : values, *given = other ? a_turned : a;
        pail_vector_op op =
            SIZED(pail_vector_op, .kind = inverse ? PAIL_VECTOR_OP_INTT : PAIL_VECTOR_OP_NTT,
                  .flags = (reversed ? (uint32_t)PAIL_VECTOR_OP_BIT_REVERSED : 0) |
                           (other ? (uint32_t)PAIL_VECTOR_OP_COEFFICIENTS_REVERSED : 0),
                  .log_n = log_n, .r = in_place ? x : y, .a = x, .r_offset = in_place ? 1 : 2,
                  .a_offset = 1, .n = n);
        char what[96];
        pail_u256_to_bytes(op.root, &root);
        pail_u256_to_bytes(op.shift, shift);
        write(x, 1, inverse ? in_order : given, n);
        run(&op, 1);
        (void)snprintf(what, sizeof(what), "curve %u, 2^%u, shift %llx, %s%s%s%s", curve, log_n,
                       (unsigned long long)shift->l[0], inverse ? "inverse" : "forward",
                       reversed ? ", reversed" : "", other ? ", coefficients reversed" : "",
                       in_place ? ", in place" : "");
        expect(op.r, op.r_offset, inverse ? given : in_order, n, what);
    }
    free(a_turned);
    destroy(x);
    destroy(y);
    free(a);
    free(values);
    free(turned);
}

PAIL_TEST(transforms)
{
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

PAIL_TEST(large_transforms)
{
    const pail_u256 shift = number(5);
    transform(PAIL_CURVE_BN254, plugin_is_slow() ? 12 : 16, &shift);
    if (!plugin_is_slow())
        transform(PAIL_CURVE_BLS12_381, 16, &shift);
}

/* Values at the edges of the field. */
PAIL_TEST(edges)
{
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
            pail_vector_op op[2] = {SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_NTT,
                                          .log_n = LOG_N, .r = x, .a = x, .n = N)};
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

PAIL_TEST(batches)
{
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
        pail_vector_op op = SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_NTT, .log_n = log_n,
                                  .r = x, .a = x, .r_offset = 5, .a_offset = 5, .n = n * batch);
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

/* A device with nothing but what every one has, whose work is cut into portions. */
static int limited_setup(void **state)
{
    return setenv("PAIL_LIMITS", "portable,slow,watched", 1) ? -1 : plugin_setup(state);
}

static int limited_teardown(void **state)
{
    return unsetenv("PAIL_LIMITS") ? -1 : plugin_teardown(state);
}

PAIL_TEST_MAIN
{
    const int failed = test_run("transforms", plugin_setup, plugin_teardown);
    return failed + test_run("transforms, limited", limited_setup, limited_teardown);
}
