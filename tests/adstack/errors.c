/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of a tree, oddities that are none, and sums that are exact. */
#include <inttypes.h>

#include "support.h"
#include "support/test.h"

#define MAX_OVER PAIL_NODE_MAX_OVER_RANGE
#define SUM_OVER PAIL_NODE_SUM_OVER_RANGE
#define ARRAY    PAIL_NODE_ARRAY_READ

/* ---- Errors ---------------------------------------------------------------------------------- */

/* An element outside of a source of 3 elements. */
static int32_t outside(struct nodes *t)
{
    return test_read_1(t, 0, 3);
}

static const int32_t three[] = {1, 2, 3};

PAIL_TEST(test_index_outside)
{
    struct nodes t = {0};
    const struct test_source source = test_line(three, 3);
    outside(&t);
    struct test_value value = test_evaluate(&t, &source, 1, TEST_STEPS);
    assert_int_equal(value.kind, PAIL_AD_RANGE);
    assert_string_equal(value.text, "task 0, stack 0: node 0: an index is outside of source 0, "
                                    "which is 3");
    for (int64_t end = 3; end <= 4; end++)
        for (int64_t begin = -1; begin <= 0; begin++) {
            NODES(&t, "(max_over i % % (read 0 i))", begin, end);
            value = test_evaluate(&t, &source, 1, TEST_STEPS);
            assert_int_equal(value.kind, end == 3 && begin == 0 ? 0 : PAIL_AD_RANGE);
        }
}

/* Iterations that read outside are left out; -1: an error all the same. */
PAIL_TEST(test_clamped_ranges)
{
    static const int32_t row[] = {2, 3, 1, 2}, two[] = {1, 2, 3, 4, 5, 6};
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"(max_over i 0 9 (read 0 i))", 3},
        {"(max_over i -2 1152921504606846976 (read 0 i))", 3}, /* 2^60 */
        {"(sum_over i 0 9 (add 5 (read 0 i)))", 28},
        {"(max_over i 3 9 (read 0 i))", 2},
        {"(max_over i 4 9 (add 1 (read 0 i)))", 0},
        {"(max_over i 0 9 (read 2 i))", 0}, /* an axis without elements */
        {"(max_over i 0 9 (max_over j 0 9 (read 1 i j)))", 6},
        {"(max_over i 0 9 (max_over j 0 9 (read 1 j i)))", 6},
        {"(sum_over i 0 9 (sum_over j 0 9 (read 1 i j)))", 21},
        {"(sum_over i 0 9 (max_over j 0 9 (read 1 i j)))", 9},
        {"(max_over i 0 3 (max_over i 0 9 (read 0 i)))", 3},
        /* the inner range is empty; its own iterations are what reads */
        {"(max_over i 0 9 (add i (max_over j 0 9 (read 1 i j))))", 8},
        {"(max_over i 0 9 (max_over j (read 0 i) 9 j))", 8},
        {"(sum_over i 0 9 (sum_over j 0 (read 0 i) 1))", 8},
        {"(max_over i 0 9 (read 1 7 i))", 0}, /* whatever i is */
        {"(max_over i 0 9 (add i (read 1 1 2)))", 14},
        {"(max_over i 0 9 (select (sub 4 i) (read 0 i) 7))", 7},
        {"(max_over i 0 9 (select (read 0 i) i 7))", 3},
        {"(read 0 4)", -1},
        {"(max_over i 0 (read 0 9) (read 1 7 i))", -1},
        {"(max_over i 0 9 (read 0 (add i 0)))", -1},
        {"(max_over i 0 9 (select i (read 0 i) 7))", -1},
        {"(max_over i 0 9 (max_over j 0 1152921504606846976 (read 0 i)))", -1},
    };
    const struct test_source sources[] = {
        test_line(row, 4), {PAIL_DTYPE_I32, 2, {2, 3}, two, NULL}, test_line(NULL, 0)};
    struct nodes t = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int64_t value = cases[i].value;
        (void)nodes_text(&t, cases[i].text, NULL);
        const struct test_value found =
            test_evaluate_as(PAIL_KERNEL_CLAMP_RANGES, &t, sources, 3, value < 0 ? 0 : 200);
        if (value < 0 ? found.kind == 0 : found.kind != 0 || found.v != value)
            fail_msg("%s: %" PRId64 " %s", cases[i].text, found.v, found.text);
    }
}

/* Modulo 2^64; -1: an error all the same. Each is beyond 64 bits somewhere. */
PAIL_TEST(test_wrapping_arithmetic)
{
    static const int64_t some[] = {INT64_MAX, INT64_MIN, 5,  INT64_MAX - 1, -3,
                                   1,         7,         -9, INT64_MIN + 2, 0};
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"(add (read:i64 0 0) 1)", INT64_MIN},
        {"(add (add (read:i64 0 0) 7) -4)", INT64_MIN + 2},
        {"(sub (read:i64 0 0) -1)", 0},
        {"(sub (read:i64 0 1) 1)", INT64_MAX},      /* as the difference wraps */
        {"(sub 0 (read:i64 0 1))", 0},              /* of 2^63 */
        {"(sub (read:i64 0 1) (read:i64 0 0))", 1}, /* -2^64 + 1 */
        {"(mul (read:i64 0 0) 3)", INT64_MAX - 2},  /* 2^64 + 2^63 - 3 */
        {"(mul (read:i64 0 1) -1)", INT64_MIN},
        {"(mul 4294967296 4294967296)", 0}, /* a constant */
        {"(mul (add 9223372036854775807 9223372036854775807) 9223372036854775807)", 2},
        {"(max_over i 0 (shape 0 0) (add (read:i64 0 i) 3))", 10},
        {"(max_over i 0 (shape 0 0) (sub (read:i64 0 i) 9))", INT64_MAX - 6},
        {"(max_over i 0 (shape 0 0) (mul (read:i64 0 i) (read:i64 0 i)))", 81},
        {"(sum_over i 0 (shape 0 0) (mul (read:i64 0 i) 0))", 0},
        {"(sum_over i 0 (shape 0 0) (add (read:i64 0 i) (read:i64 0 i)))", 0},
        {"(max_over i 0 (shape 0 0) (select (sub (read:i64 0 i) 6) i 0))", 8},
        {"(max_over i 0 (sub (read:i64 0 8) (read:i64 0 0)) i)", 2}, /* the end wraps to 3 */
        {"(max_over i 0 3 (max_over j 0 (add i 2) (add (read:i64 0 j) (mul i "
         "9223372036854775807))))",
         INT64_MAX},
        {"(sum_over i 0 2 9223372036854775807)", -1}, /* sums over ranges do not */
        {"(sum_over i 0 2 (read:i64 0 (mul i 0)))", -1},
        {"(floor_div (read:i64 0 1) -1)", -1},
        {"(read:i64 0 (add (read:i64 0 0) 1))", -1},
        {"(max_over i 0 (read:i64 0 0) 1)", -1}, /* 2^63 - 1 turns */
    };
    const struct test_source source = {PAIL_DTYPE_I64, 1, {10}, some, NULL};
    struct nodes t = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int64_t value = cases[i].value;
        (void)nodes_text(&t, cases[i].text, NULL);
        const struct test_value found =
            test_evaluate_as(PAIL_KERNEL_WRAP_ARITHMETIC, &t, &source, 1, TEST_STEPS);
        if (value == -1 ? found.kind == 0 : found.kind != 0 || found.v != value)
            fail_msg("%s: %" PRId64 " %s", cases[i].text, found.v, found.text);
    }
}

/* In one turn of many: too large, or an error itself. */
PAIL_TEST(test_computed_index)
{
    enum { N = 150 }; /* more than are computed side by side */
    for (int wrong = 0; wrong < 3; wrong++)
        for (int at = 0; at < N; at += N - 1) {
            int32_t a[N], by[N];
            for (int i = 0; i < N; i++) {
                a[i] = i;
                by[i] = 1;
            }
            a[at] = wrong == 1 ? N : a[at];
            by[at] = wrong == 2 ? 0 : 1;
            struct nodes t = {0};
            nodes_text(&t, "(max_over i 0 (shape 0 0) (read 0 (floor_div (read 0 i) (read 1 i))))",
                       NULL);
            const struct test_source sources[] = {test_line(a, N), test_line(by, N)};
            const struct test_value value = test_evaluate(&t, sources, 2, TEST_STEPS);
            assert_int_equal(value.kind, wrong == 0   ? 0
                                         : wrong == 1 ? PAIL_AD_RANGE
                                                      : PAIL_AD_DIVISION);
            assert_int_equal(value.v, wrong ? 0 : N - 1);
        }
}

PAIL_TEST(test_select_hides_what_is_not_taken)
{
    const struct test_source source = test_line(three, 3);
    for (int cell = 0; cell < 2; cell++)
        for (int taken = 0; taken < 2; taken++) {
            struct nodes t = {0};
            const int32_t zero = nodes_const(&t, 0), one = nodes_const(&t, 1);
            const int32_t condition = test_read_1(&t, 0, cell ? VARIABLE_INDEX(0) : 0);
            const int32_t bad = nodes_op(&t, PAIL_NODE_ADD, outside(&t), nodes_variable(&t, 0));
            const int32_t error = cell ? bad : outside(&t);
            const int32_t select =
                nodes_select(&t, condition, taken ? error : one, taken ? one : error);
            if (cell)
                nodes_range(&t, MAX_OVER, 0, zero, one, select);
            const struct test_value value = test_evaluate(&t, &source, 1, TEST_STEPS);
            assert_int_equal(value.kind, taken ? PAIL_AD_RANGE : 0);
            assert_int_equal(value.v, taken ? 0 : 1);
        }
    /* An erroneous condition is an error whatever the arms. */
    struct nodes t = {0};
    const int32_t bad = outside(&t), one = nodes_const(&t, 1);
    nodes_select(&t, bad, one, one);
    assert_int_equal(test_evaluate(&t, &source, 1, TEST_STEPS).kind, PAIL_AD_RANGE);
}

PAIL_TEST(test_empty_range_hides_what_is_in_it)
{
    const struct test_source source = test_line(three, 3);
    struct nodes t = {0};
    /* The body of the range. */
    int32_t bad = outside(&t), zero = nodes_const(&t, 0);
    nodes_range(&t, MAX_OVER, 0, zero, zero, bad);
    assert_int_equal(test_value_of(&t, &source, 1), 0);
    /* The bounds of the range inside; both are axes of one reduction. */
    for (int64_t n = 0; n < 2; n++) {
        bad = outside(&t);
        zero = nodes_const(&t, 0);
        const int32_t var = nodes_variable(&t, 1);
        const int32_t inner = NODES(&t, "(max_over i @ @ @)", zero, bad, var);
        NODES(&t, "(max_over j @ (min 3 %) @)", zero, n, inner);
        const struct test_value value = test_evaluate(&t, &source, 1, TEST_STEPS);
        assert_int_equal(value.kind, n ? PAIL_AD_RANGE : 0);
    }
    /* An empty range inside of one whose bounds are wrong hides nothing of them. */
    bad = outside(&t);
    zero = nodes_const(&t, 0);
    NODES(&t, "(max_over j @ @ (max_over i (shape 0 0) (shape 0 0) j))", zero, bad);
    assert_int_equal(test_evaluate(&t, &source, 1, TEST_STEPS).kind, PAIL_AD_RANGE);
}

PAIL_TEST(test_least_error)
{
    const struct test_source source = test_line(three, 3);
    for (int swap = 0; swap < 2; swap++)
        for (int cell = 0; cell < 2; cell++) {
            struct nodes t = {0};
            const int32_t zero = nodes_const(&t, 0), two = nodes_const(&t, 2);
            const int32_t x = cell ? nodes_variable(&t, 0) : nodes_shape(&t, 0, 0);
            const int32_t first = nodes_op(&t, PAIL_NODE_FLOOR_DIV, x, zero);
            const int32_t second = outside(&t);
            const int32_t sum =
                nodes_op(&t, PAIL_NODE_ADD, swap ? second : first, swap ? first : second);
            if (cell)
                nodes_range(&t, SUM_OVER, 0, zero, two, sum);
            const struct test_value value = test_evaluate(&t, &source, 1, TEST_STEPS);
            assert_int_equal(value.kind, PAIL_AD_DIVISION);
            assert_int_equal(value.node, first);
            assert_non_null(strstr(value.text, "a division by 0"));
        }
}

/* ---- Sums ------------------------------------------------------------------------------------ */

static const int64_t big[] = {INT64_MAX, INT64_MAX, -INT64_MAX, -INT64_MAX};
static const int64_t rows[] = {2, 2};

/* The sum over rows of the sum of a row of two, the rows' lengths being in source 1 if ragged. */
static int32_t sum_of_rows(struct nodes *t, bool ragged, bool plus_0)
{
    const int64_t indices[] = {VARIABLE_INDEX(0), VARIABLE_INDEX(1)}, row = VARIABLE_INDEX(0);
    const int32_t zero = nodes_const(t, 0), two = nodes_const(t, 2);
    const int32_t end = ragged ? nodes_read(t, ARRAY, 1, PAIL_DTYPE_I64, 1, &row) : two;
    const int32_t read = nodes_read(t, ARRAY, 0, PAIL_DTYPE_I64, 2, indices);
    const int32_t inner = nodes_range(t, SUM_OVER, 1, zero, end, read);
    const int32_t body = plus_0 ? nodes_op(t, PAIL_NODE_ADD, inner, zero) : inner;
    return nodes_range(t, SUM_OVER, 0, zero, two, body);
}

PAIL_TEST(test_sums_are_exact)
{
    const struct test_source sources[] = {
        {PAIL_DTYPE_I64, 2, {2, 2}, big, NULL},
        {PAIL_DTYPE_I64, 1, {2}, rows, NULL},
    };
    for (int ragged = 0; ragged < 2; ragged++)
        for (int plus_0 = 0; plus_0 < 2; plus_0++) {
            struct nodes t = {0};
            sum_of_rows(&t, ragged, plus_0);
            const struct test_value value = test_evaluate(&t, sources, 2, TEST_STEPS);
            /* Not directly under the other, the inner one has to fit 64 bits. */
            assert_int_equal(value.kind, plus_0 ? PAIL_AD_OVERFLOW : 0);
            assert_int_equal(value.v, 0);
        }
}

/* The inner sum is also in the end of the one in the middle, which does not need it in the end: it
 * has no value of 64 bits, and counts as part of the whole all the same. */
PAIL_TEST(test_sum_that_is_an_end_too)
{
    const struct test_source source = {PAIL_DTYPE_I64, 2, {2, 2}, big, NULL};
    struct nodes t = {0};
    const int32_t inner = nodes_text(&t, "(sum_over j 0 2 (read:i64 0 i j))", NULL);
    NODES(&t, "(sum_over i 0 2 (sum_over k 0 (select (sub i 2) @ 1) @))", inner, inner);
    assert_int_equal(test_value_of(&t, &source, 1), 0);
}

PAIL_TEST(test_sum_that_does_not_fit)
{
    const int64_t two_big[] = {INT64_MAX, 1, -1};
    for (int64_t n = 1; n <= 3; n++) {
        const struct test_source source = {PAIL_DTYPE_I64, 1, {n}, two_big, NULL};
        struct nodes t = {0};
        const int32_t sum = nodes_text(&t, "(sum_over i 0 (shape 0 0) (read:i64 0 i))", NULL);
        const struct test_value value = test_evaluate(&t, &source, 1, TEST_STEPS);
        assert_int_equal(value.kind, n == 2 ? PAIL_AD_OVERFLOW : 0);
        assert_true(n != 2 || value.node == (uint32_t)sum);
        assert_true(n == 2 || value.v == INT64_MAX);
    }
}

/* Invariant in a ragged sum, and directly under it: it may be taken out of the turns only as part
 * of the whole. */
PAIL_TEST(test_sum_that_does_not_change)
{
    const struct test_source sources[] = {
        {PAIL_DTYPE_I64, 2, {2, 2}, big, NULL},
        {PAIL_DTYPE_I64, 1, {2}, rows, NULL},
    };
    struct nodes t = {0};
    const int32_t end = nodes_text(&t, "(read:i64 1 i)", NULL);
    NODES(&t, "(sum_over i 0 2 (sum_over j 0 @ (sum_over k 0 @ (read:i64 0 i k))))", end, end);
    assert_int_equal(test_value_of(&t, sources, 2), 0);
}
