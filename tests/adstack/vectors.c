/* SPDX-License-Identifier: Apache-2.0 */
/* Values of trees: worked examples, every operation and type at its edges. */
#include <inttypes.h>

#include "support.h"
#include "support/test.h"

#define MAX_OVER PAIL_NODE_MAX_OVER_RANGE
#define SUM_OVER PAIL_NODE_SUM_OVER_RANGE
#define ARRAY    PAIL_NODE_ARRAY_READ

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Worked examples ------------------------------------------------------------------------- */

PAIL_TEST(test_max_of_an_array)
{
    const int32_t a[] = {2, 3, 1, 2};
    struct nodes t = {0};
    test_over_all(&t, MAX_OVER, 0, 0);
    assert_int_equal(test_value_of(&t, (struct test_source[]){test_line(a, 4)}, 1), 3);
    test_over_all(&t, MAX_OVER, 0, 0);
    assert_int_equal(test_value_of(&t, (struct test_source[]){test_line(NULL, 0)}, 1), 0);
}

PAIL_TEST(test_sub_stops_at_0)
{
    struct nodes t = {0};
    nodes_op(&t, PAIL_NODE_SUB, nodes_const(&t, 2), nodes_const(&t, 5));
    assert_int_equal(test_value_of(&t, NULL, 0), 0);
    nodes_text(&t, "(add (sub 2 5) 4)", NULL);
    assert_int_equal(test_value_of(&t, NULL, 0), 4);
}

PAIL_TEST(test_max_of_negative_values_is_0)
{
    const int32_t a[] = {2, 3};
    struct nodes t = {0};
    nodes_text(&t, "(max_over i 0 2 (add (read 0 i) -10))", NULL);
    assert_int_equal(test_value_of(&t, (struct test_source[]){test_line(a, 2)}, 1), 0);
}

PAIL_TEST(test_two_axes)
{
    int32_t a[15] = {0};
    a[12] = 100;
    struct nodes t = {0};
    nodes_text(&t, "(max_over i 0 3 (max_over j 0 5 (read 0 i j)))", NULL);
    const struct test_source source = {PAIL_DTYPE_I32, 2, {3, 5}, a, NULL};
    assert_int_equal(test_value_of(&t, &source, 1), 100);
}

PAIL_TEST(test_begin_is_in_and_end_is_not)
{
    const int32_t a[] = {9, 9, 1, 5, 9};
    struct nodes t = {0};
    nodes_text(&t, "(max_over p 2 4 (read 0 p))", NULL);
    assert_int_equal(test_value_of(&t, (struct test_source[]){test_line(a, 5)}, 1), 5);
}

PAIL_TEST(test_end_from_another_range)
{
    const int32_t m[] = {7, 0, 9, 50};
    int32_t n[] = {1, 3};
    for (int32_t last = 3; last <= 4; last++) {
        n[1] = last;
        struct nodes t = {0};
        nodes_text(&t, "(max_over j 0 (max_over i 0 (shape 0 0) (read 0 i)) (read 1 j))", NULL);
        const struct test_source sources[] = {test_line(n, 2), test_line(m, 4)};
        assert_int_equal(test_value_of(&t, sources, 2), last == 3 ? 9 : 50);
    }
}

PAIL_TEST(test_hidden_variable)
{
    struct nodes t = {0};
    nodes_text(&t, "(max_over i 0 2 (add (max_over i 5 7 i) i))", NULL);
    assert_int_equal(test_value_of(&t, NULL, 0), 7);
}

/* Bounds are outside of their range, so they mean the variable around it. */
PAIL_TEST(test_bounds_are_outside)
{
    struct nodes t = {0};
    nodes_text(&t, "(max_over l 0 5 (sum_over l 0 l (mul l 100)))", NULL);
    assert_int_equal(test_value_of(&t, NULL, 0), 600); /* 100 * (0 + 1 + 2 + 3) */
}

PAIL_TEST(test_product_of_maxima)
{
    const int32_t n[] = {2, 3}, m[] = {4, 1};
    struct nodes t = {0};
    const int32_t a = test_over_all(&t, MAX_OVER, 0, 0), b = test_over_all(&t, MAX_OVER, 0, 1);
    nodes_op(&t, PAIL_NODE_MUL, a, b);
    assert_int_equal(test_value_of(&t, (struct test_source[]){test_line(n, 2), test_line(m, 2)}, 2),
                     12);
}

/* The example of docs/adstack-trees.md. */
PAIL_TEST(test_neighbours)
{
    const int32_t start[] = {0, 2, 5}, end[] = {2, 5, 5}, steps[] = {4, 0, 7};
    int32_t cell[] = {0, 1, 1, 2, 0, 3};
    for (int wrong = 0; wrong < 2; wrong++) {
        cell[4] = wrong ? 3 : 0;
        const struct test_source sources[] = {test_line(start, 3), test_line(end, 3),
                                              test_line(cell, 6), test_line(steps, 3)};
        struct nodes t = {0};
        nodes_text(&t, "0", NULL);
        nodes_text(&t, "(shape 0 0)", NULL);
        nodes_text(&t, "(read 0 -1)", NULL);
        nodes_text(&t, "(read 1 -1)", NULL);
        nodes_text(&t, "(read 2 -2)", NULL);
        NODES(&t, "(read 3 @)", 4);
        nodes_text(&t, "1", NULL);
        NODES(&t, "(add @ @)", 6, 5);
        NODES(&t, "(sum_over j @ @ @)", 2, 3, 7);
        NODES(&t, "(max_over i @ @ @)", 0, 1, 8);
        const struct test_value value = test_evaluate(&t, sources, 4, TEST_STEPS);
        assert_int_equal(value.v, wrong ? 0 : 14);
        assert_string_equal(value.text, wrong ? "task 0, stack 0: node 5: an index is outside of "
                                                "source 3, which is 3"
                                              : "");
    }
}

/* ---- Operations ------------------------------------------------------------------------------ */

struct op_case {
    pail_node_kind kind;
    int64_t a, b, v;
    uint32_t error;
};

static const struct op_case op_cases[] = {
    {PAIL_NODE_ADD, INT64_MAX, 0, INT64_MAX, 0},
    {PAIL_NODE_ADD, INT64_MAX, 1, 0, PAIL_AD_OVERFLOW},
    {PAIL_NODE_ADD, INT64_MIN, -1, 0, PAIL_AD_OVERFLOW},
    {PAIL_NODE_ADD, INT64_MIN, INT64_MAX, -1, 0},
    {PAIL_NODE_SUB, INT64_MIN, INT64_MAX, 0, 0},
    {PAIL_NODE_SUB, INT64_MAX, INT64_MIN, 0, PAIL_AD_OVERFLOW},
    {PAIL_NODE_SUB, 0, INT64_MIN, 0, PAIL_AD_OVERFLOW},
    {PAIL_NODE_SUB, -1, INT64_MIN, INT64_MAX, 0},
    {PAIL_NODE_SUB, -5, -7, 2, 0},
    {PAIL_NODE_SUB, 3, 3, 0, 0},
    {PAIL_NODE_MUL, INT64_C(1) << 32, INT64_C(1) << 31, 0, PAIL_AD_OVERFLOW},
    {PAIL_NODE_MUL, INT64_C(1) << 32, -(INT64_C(1) << 31), INT64_MIN, 0},
    {PAIL_NODE_MUL, INT64_MIN, -1, 0, PAIL_AD_OVERFLOW},
    {PAIL_NODE_MUL, -3, 7, -21, 0},
    {PAIL_NODE_MAX, INT64_MIN, -1, -1, 0},
    {PAIL_NODE_MIN, INT64_MIN, -1, INT64_MIN, 0},
    {PAIL_NODE_FLOOR_DIV, 7, 2, 3, 0},
    {PAIL_NODE_FLOOR_DIV, -7, 2, -4, 0},
    {PAIL_NODE_FLOOR_DIV, 7, -2, -4, 0},
    {PAIL_NODE_FLOOR_DIV, -7, -2, 3, 0},
    {PAIL_NODE_FLOOR_DIV, -8, 2, -4, 0},
    {PAIL_NODE_FLOOR_DIV, 0, -5, 0, 0},
    {PAIL_NODE_FLOOR_DIV, INT64_MIN, -1, 0, PAIL_AD_OVERFLOW},
    {PAIL_NODE_FLOOR_DIV, INT64_MIN, 1, INT64_MIN, 0},
    {PAIL_NODE_FLOOR_DIV, INT64_MIN, INT64_MAX, -2, 0},
    {PAIL_NODE_FLOOR_DIV, 1, 0, 0, PAIL_AD_DIVISION},
    {PAIL_NODE_MOD, 7, 3, 1, 0},
    {PAIL_NODE_MOD, -7, 3, 2, 0},
    {PAIL_NODE_MOD, 7, -3, -2, 0},
    {PAIL_NODE_MOD, -7, -3, -1, 0},
    {PAIL_NODE_MOD, 6, -3, 0, 0},
    {PAIL_NODE_MOD, INT64_MIN, -1, 0, 0},
    {PAIL_NODE_MOD, INT64_MIN, INT64_MAX, INT64_MAX - 1, 0},
    {PAIL_NODE_MOD, INT64_MAX, INT64_MIN, -1, 0},
    {PAIL_NODE_MOD, 1, 0, 0, PAIL_AD_DIVISION},
};

/* A constant, an element that is read once, or one that is read in a cell: all three places where
 * operations are done. */
static int32_t operand(struct nodes *t, uint32_t place, int32_t source, int64_t v)
{
    const int64_t index = place == 2 ? VARIABLE_INDEX(5) : 0;
    return place ? nodes_read(t, ARRAY, source, PAIL_DTYPE_I64, 1, &index) : nodes_const(t, v);
}

PAIL_TEST(test_operations)
{
    for (size_t i = 0; i < COUNT(op_cases); i++) {
        const struct op_case *c = &op_cases[i];
        const struct test_source sources[] = {
            {PAIL_DTYPE_I64, 1, {1}, &c->a, NULL},
            {PAIL_DTYPE_I64, 1, {1}, &c->b, NULL},
        };
        for (uint32_t place = 0; place < 3; place++) {
            struct nodes t = {0};
            const int32_t zero = nodes_const(&t, 0), one = nodes_const(&t, 1);
            const int32_t a = operand(&t, place, 0, c->a), b = operand(&t, place, 1, c->b);
            const int32_t op = nodes_op(&t, c->kind, a, b);
            if (place == 2)
                nodes_range(&t, SUM_OVER, 5, zero, one, op);
            const struct test_value value = test_evaluate(&t, sources, 2, TEST_STEPS);
            assert_int_equal(value.kind, c->error);
            assert_true(value.v == c->v);
            assert_true(!value.kind || value.node == (uint32_t)op);
        }
    }
}

/* The same in one turn of many, of which the others are harmless. */
PAIL_TEST(test_operations_in_a_row)
{
    enum { TURNS = 150 };
    for (size_t i = 0; i < COUNT(op_cases); i++)
        for (uint32_t at = 0; at < TURNS; at += 149) {
            const struct op_case *c = &op_cases[i];
            int64_t a[TURNS], b[TURNS];
            for (uint32_t k = 0; k < TURNS; k++)
                a[k] = b[k] = 1;
            a[at] = c->a;
            b[at] = c->b;
            const struct test_source sources[] = {
                {PAIL_DTYPE_I64, 1, {TURNS}, a, NULL},
                {PAIL_DTYPE_I64, 1, {TURNS}, b, NULL},
            };
            for (int select = 0; select < 2; select++) {
                struct nodes t = {0};
                const int32_t zero = nodes_const(&t, 0), end = nodes_shape(&t, 0, 0);
                const int32_t x = operand(&t, 2, 0, 0), y = operand(&t, 2, 1, 0);
                const int32_t op = nodes_op(&t, c->kind, x, y);
                /* Nothing is wrong with it where its second operand is not 0. */
                nodes_range(&t, select ? SUM_OVER : MAX_OVER, 5, zero, end,
                            select ? nodes_select(&t, y, op, zero) : op);
                const struct test_value value = test_evaluate(&t, sources, 2, TEST_STEPS);
                if (!select) {
                    assert_int_equal(value.kind, c->error);
                    assert_true(value.kind || value.v >= c->v);
                }
            }
        }
}

PAIL_TEST(test_select)
{
    for (int64_t a = -1; a <= 1; a++) {
        struct nodes t = {0};
        nodes_text(&t, "(select (read:i64 0) 10 20)", NULL);
        const struct test_source source = {PAIL_DTYPE_I64, 0, {0}, &a, NULL};
        assert_int_equal(test_value_of(&t, &source, 1), a > 0 ? 10 : 20);
    }
}

/* ---- Types ----------------------------------------------------------------------------------- */

static const uint8_t ones[8] = {255, 255, 255, 255, 255, 255, 255, 255};
static const uint8_t top[8][8] = {{0x80}, {0, 0x80}, {0, 0, 0, 0x80}, {0, 0, 0, 0, 0, 0, 0, 0x80}};

PAIL_TEST(test_types_at_their_ends)
{
    const struct {
        pail_dtype dtype;
        int64_t all, highest; /* all bits set, the highest only */
    } cases[] = {
        {PAIL_DTYPE_I8, -1, INT8_MIN},
        {PAIL_DTYPE_I16, -1, INT16_MIN},
        {PAIL_DTYPE_I32, -1, INT32_MIN},
        {PAIL_DTYPE_I64, -1, INT64_MIN},
        {PAIL_DTYPE_U8, 255, 128},
        {PAIL_DTYPE_U16, 65535, 32768},
        {PAIL_DTYPE_U32, UINT32_MAX, INT64_C(1) << 31},
        {PAIL_DTYPE_U64, -1, INT64_MIN},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        for (int which = 0; which < 2; which++) {
            struct nodes t = {0};
            nodes_read(&t, which ? PAIL_NODE_FIELD_READ : ARRAY, 0, cases[i].dtype, 0, NULL);
            const struct test_source source = {
                cases[i].dtype, 0, {0}, which ? top[i % 4] : ones, NULL};
            assert_true(test_value_of(&t, &source, 1) == (which ? cases[i].highest : cases[i].all));
        }
}

/* Rows of all lengths, steps and types: against the oracle. */
PAIL_TEST(test_rows)
{
    static const pail_dtype dtypes[] = {PAIL_DTYPE_I8,  PAIL_DTYPE_I16, PAIL_DTYPE_I32,
                                        PAIL_DTYPE_I64, PAIL_DTYPE_U8,  PAIL_DTYPE_U16,
                                        PAIL_DTYPE_U32, PAIL_DTYPE_U64};
    static const int64_t steps[] = {1, 2, 0, -1, -3};
    uint8_t bytes[8 * 400];
    uint32_t x = 1;
    for (size_t i = 0; i < sizeof bytes; i++) {
        x = x * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(x >> 24);
    }
    for (size_t d = 0; d < COUNT(dtypes); d++)
        for (size_t s = 0; s < COUNT(steps); s++)
            for (int64_t n = 1; n <= 100; n += n < 70 ? 1 : 10)
                for (int sum = 0; sum < 2; sum++) {
                    const int64_t stride = steps[s] * (INT64_C(1) << d % 4);
                    const struct test_source source = {
                        dtypes[d], 1, {n}, bytes + (steps[s] < 0 ? 8 * 300 : 1), &stride};
                    struct nodes t = {0};
                    NODES(&t, "(% i 0 (shape 0 0) (read:% 0 i))", sum ? SUM_OVER : MAX_OVER,
                          dtypes[d]);
                    const struct test_value value = test_evaluate(&t, &source, 1, TEST_STEPS);
                    assert_true(value.kind == 0 || (sum && d % 4 == 3));
                }
}

/* The largest is found wherever it is. */
PAIL_TEST(test_every_place)
{
    enum { N = 70 };
    for (uint32_t at = 0; at < N; at++) {
        int32_t a[N];
        for (uint32_t i = 0; i < N; i++)
            a[i] = (int32_t)i % 7;
        a[at] = 1000;
        struct nodes t = {0};
        test_over_all(&t, MAX_OVER, 0, 0);
        assert_int_equal(test_value_of(&t, (struct test_source[]){test_line(a, N)}, 1), 1000);
    }
}
