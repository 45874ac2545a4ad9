/* SPDX-License-Identifier: Apache-2.0 */
/* Many turns, many ranges, many nodes: what is large is computed, and what is too large is said. */

#include "support.h"
#include "support/test.h"

#define MAX_OVER PAIL_NODE_MAX_OVER_RANGE
#define SUM_OVER PAIL_NODE_SUM_OVER_RANGE
#define ARRAY    PAIL_NODE_ARRAY_READ

static const struct pail_alloc from_libc;

/* The range over its own variable, or over a constant. */
static struct test_value range_of(pail_node_kind kind, int64_t begin, int64_t end,
                                  const int64_t *constant)
{
    struct nodes t = {0};
    const int32_t body = constant ? nodes_const(&t, *constant) : nodes_variable(&t, 0);
    nodes_range(&t, kind, 0, nodes_const(&t, begin), nodes_const(&t, end), body);
    return test_evaluate(&t, NULL, 0, 0);
}

PAIL_TEST(test_bounds_of_64_bits)
{
    const int64_t cells = (int64_t)PAIL_AD_MAX_CELLS;
    assert_true(range_of(MAX_OVER, INT64_MAX - 3, INT64_MAX, NULL).v == INT64_MAX - 1);
    assert_int_equal(range_of(SUM_OVER, INT64_MAX - 3, INT64_MAX, NULL).kind, PAIL_AD_OVERFLOW);
    assert_true(range_of(MAX_OVER, INT64_MIN, INT64_MIN + cells, NULL).v == 0);
    assert_true(range_of(SUM_OVER, -(cells / 2), cells / 2, NULL).v == -(cells / 2));
    assert_int_equal(range_of(MAX_OVER, INT64_MIN, INT64_MAX, NULL).kind, PAIL_AD_CELLS);
    assert_true(range_of(MAX_OVER, INT64_MAX, INT64_MIN, NULL).v == 0);
    assert_true(range_of(MAX_OVER, 5, 5 + cells, NULL).v == 4 + cells);
    const struct test_value beyond = range_of(MAX_OVER, 5, 6 + cells, NULL);
    assert_int_equal(beyond.kind, PAIL_AD_CELLS);
    assert_string_equal(beyond.text, "task 0, stack 0: node 3: a range has more than "
                                     "281474976710656 turns");
}

PAIL_TEST(test_sums_of_many)
{
    const int64_t cells = (int64_t)PAIL_AD_MAX_CELLS, small = 1 << 14, large = 1 << 15;
    assert_true(range_of(SUM_OVER, 0, cells, &small).v == INT64_C(1) << 62);
    assert_int_equal(range_of(SUM_OVER, 0, cells, &large).kind, PAIL_AD_OVERFLOW);
    const int64_t negative = -large;
    assert_true(range_of(SUM_OVER, 0, cells, &negative).v == INT64_MIN);
    assert_true(range_of(MAX_OVER, 0, cells, &negative).v == 0);
    assert_int_equal(range_of(SUM_OVER, 0, cells + 1, &small).kind, PAIL_AD_CELLS);
}

/* 2^17 times 2^48 times 2^62, and all of it away again, but for a difference of the two. */
PAIL_TEST(test_sums_beyond_128_bits)
{
    for (int64_t rest = -1; rest <= 1; rest++) {
        const int64_t each[] = {INT64_C(1) << 62, -(INT64_C(1) << 62), rest};
        const int64_t turns[] = {INT64_C(1) << 48, INT64_C(1) << 48, 5};
        const struct test_source sources[] = {
            {PAIL_DTYPE_I64, 1, {3}, each, NULL},
            {PAIL_DTYPE_I64, 1, {3}, turns, NULL},
        };
        for (int part = 1; part <= 3; part++) {
            struct nodes t = {0};
            /* part 1: 2^128 and nothing else; 2: all; 3: and the rest */
            const int64_t at = NODES(&t, "(floor_div i %)", part == 1 ? 1 << 18 : 1 << 17);
            const int32_t v = NODES(&t, "(read:i64 0 @)", at);
            NODES(&t, "(sum_over i 0 % (sum_over j 0 (read:i64 1 @) @))", (1 << 18) + (part == 3),
                  at, v);
            const struct test_value value = test_evaluate(&t, sources, 2, 0);
            assert_int_equal(value.kind, part == 1 ? PAIL_AD_OVERFLOW : 0);
            assert_true(value.v == (part == 3 ? 5 * rest : 0));
        }
    }
}

PAIL_TEST(test_cells_of_several_axes)
{
    for (int64_t more = 0; more < 2; more++) {
        struct nodes t = {0};
        const int32_t zero = nodes_const(&t, 0), n = nodes_const(&t, 1 << 24);
        const int32_t m = nodes_const(&t, (1 << 24) + more), var = nodes_variable(&t, 1);
        nodes_range(&t, MAX_OVER, 0, zero, n, nodes_range(&t, MAX_OVER, 1, zero, m, var));
        /* The inner one has no other variable, so it is computed once; its turns count the same. */
        const struct test_value once = test_evaluate(&t, NULL, 0, 0);
        assert_int_equal(once.kind, more ? PAIL_AD_CELLS : 0);
        assert_int_equal(once.v, more ? 0 : (1 << 24) - 1);

        NODES(&t, "(max_over i 0 % (max_over j 0 % i))", 1 << 24, (1 << 24) + more);
        const struct test_value value = test_evaluate(&t, NULL, 0, 0);
        assert_int_equal(value.kind, more ? PAIL_AD_CELLS : 0);
        assert_int_equal(value.v, more ? 0 : (1 << 24) - 1);
    }
    /* An empty axis makes it 0 cells; one that is too long for itself comes first. */
    for (int which = 0; which < 2; which++) {
        const int64_t huge = INT64_C(1) << (which ? 49 : 48), zero_elements = 0;
        const struct test_source source = {PAIL_DTYPE_I64, 1, {zero_elements}, NULL, NULL};
        struct nodes t = {0};
        NODES(&t, "(max_over i 0 % (max_over j 0 % (max_over k 0 (shape 0 0) i)))", huge, huge);
        assert_int_equal(test_evaluate(&t, &source, 1, 0).kind, which ? PAIL_AD_CELLS : 0);
    }
}

/* A loop in the cells that is too long. */
PAIL_TEST(test_turns_of_a_loop)
{
    int64_t ends[] = {3, INT64_C(1) << 48, 0};
    const struct test_source source = {PAIL_DTYPE_I64, 1, {3}, ends, NULL};
    for (int joined = 0; joined < 2; joined++)
        for (int64_t more = 0; more < 2; more++) {
            ends[1] = (INT64_C(1) << 48) + more;
            struct nodes t = {0};
            const int32_t inner = nodes_text(&t, "(max_over j 0 (read:i64 0 i) j)", NULL);
            NODES(&t, "(% i 0 (shape 0 0) @)", joined ? MAX_OVER : SUM_OVER, inner);
            const struct test_value value = test_evaluate(&t, &source, 1, 0);
            assert_int_equal(value.kind, more ? PAIL_AD_CELLS : 0);
            assert_int_equal(value.node, more ? (uint32_t)inner : 0);
            if (!more)
                assert_true(value.v == (INT64_C(1) << 48) - 1 + (joined ? 0 : 2));
        }
}

/* depth ranges inside one another over the sum of their variables, kinds changing every `same`
 * ranges; the first three have two turns. */
static int64_t nested(int32_t depth, int32_t same)
{
    struct nodes t = {0};
    int32_t body = nodes_const(&t, 1);
    for (int32_t i = 0; i < depth; i++)
        body = nodes_op(&t, PAIL_NODE_ADD, body, nodes_variable(&t, i));
    const int32_t zero = nodes_const(&t, 0), one = nodes_const(&t, 1), two = nodes_const(&t, 2);
    for (int32_t i = 0; i < depth; i++)
        body =
            nodes_range(&t, i / same % 2 ? SUM_OVER : MAX_OVER, i, zero, i < 3 ? two : one, body);
    return test_value_of(&t, NULL, 0);
}

PAIL_TEST(test_nested_ranges)
{
    for (int32_t depth = 1; depth <= 24; depth++)
        for (int32_t same = 1; same <= depth; same++)
            nested(depth, same);
    assert_int_equal(nested(PAIL_AD_MAX_DEPTH, PAIL_AD_MAX_DEPTH), 4);
    assert_int_equal(nested(PAIL_AD_MAX_DEPTH, 1), 7); /* 2 + v + w, then 5 + 2 * w */
}

PAIL_TEST(test_axes)
{
    for (uint32_t rank = 1; rank <= PAIL_AD_MAX_RANK; rank++) {
        const uint32_t cells = 1u << rank;
        int16_t *a = calloc(cells, sizeof a[0]);
        struct test_source source = {PAIL_DTYPE_I16, rank, {0}, a, NULL};
        int64_t indices[PAIL_AD_MAX_RANK];
        struct nodes t = {0};
        a[cells - 1] = 77; /* the last one counts */
        for (uint32_t k = 0; k < rank; k++) {
            source.shape[k] = 2;
            indices[k] = VARIABLE_INDEX(k);
        }
        const int32_t zero = nodes_const(&t, 0);
        int32_t body = nodes_read(&t, ARRAY, 0, PAIL_DTYPE_I16, rank, indices);
        for (uint32_t k = rank; k-- > 0;)
            body =
                nodes_range(&t, MAX_OVER, (int32_t)k, zero, nodes_shape(&t, 0, (int32_t)k), body);
        assert_int_equal(test_value_of(&t, &source, 1), 77);
        free(a);
    }
}

/* A chain of as many nodes as a tree may have, each on top of the one before. */
PAIL_TEST(test_deep_chains)
{
    struct nodes t = {0};
    int32_t top = nodes_read(&t, ARRAY, 0, PAIL_DTYPE_I8, 0, NULL);
    const int32_t read = top;
    while (t.n < PAIL_AD_MAX_NODES)
        top = nodes_op(&t, PAIL_NODE_ADD, top, read);
    const int8_t one = 1;
    const struct test_source source = {PAIL_DTYPE_I8, 0, {0}, &one, NULL};
    assert_int_equal(test_evaluate(&t, &source, 1, 0).v, PAIL_AD_MAX_NODES);

    /* In a cell. */
    const int32_t var = nodes_variable(&t, 0), zero = nodes_const(&t, 0), two = nodes_const(&t, 2);
    for (top = var; t.n < PAIL_AD_MAX_NODES - 1;)
        top = nodes_op(&t, PAIL_NODE_ADD, top, var);
    nodes_range(&t, MAX_OVER, 0, zero, two, top);
    assert_int_equal(test_evaluate(&t, NULL, 0, 0).v, PAIL_AD_MAX_NODES - 3);

    /* A chain of ranges in ends of ranges. */
    top = nodes_read(&t, ARRAY, 0, PAIL_DTYPE_I8, 0, NULL);
    const int32_t nil = nodes_const(&t, 0), first = nodes_variable(&t, 0), un = nodes_const(&t, 1);
    const int32_t next = nodes_op(&t, PAIL_NODE_ADD, first, un);
    while (t.n < PAIL_AD_MAX_NODES)
        top = nodes_range(&t, MAX_OVER, 0, nil, top, next);
    assert_int_equal(test_evaluate(&t, &source, 1, 0).v, 1);
}

/* Every node twice in the next one: as a tree this would have 2^60 nodes. */
PAIL_TEST(test_shared_parts)
{
    struct nodes t = {0};
    int32_t top = nodes_variable(&t, 0);
    const int32_t zero = nodes_const(&t, 0), two = nodes_const(&t, 2);
    for (int i = 0; i < 60; i++)
        top = nodes_op(&t, PAIL_NODE_ADD, top, top);
    nodes_range(&t, MAX_OVER, 0, zero, two, top);
    assert_true(test_evaluate(&t, NULL, 0, 0).v == INT64_C(1) << 60);

    /* And under different ranges of the same variable. */
    top = nodes_variable(&t, 0);
    const int32_t nil = nodes_const(&t, 0), deux = nodes_const(&t, 2), trois = nodes_const(&t, 3);
    for (int i = 0; i < 60; i++) {
        const int32_t x = nodes_range(&t, MAX_OVER, 0, nil, deux, top);
        const int32_t y = nodes_range(&t, MAX_OVER, 0, nil, trois, top);
        top = nodes_op(&t, PAIL_NODE_MIN, nodes_op(&t, PAIL_NODE_MAX, x, y), nodes_const(&t, 2));
        top = nodes_op(&t, PAIL_NODE_MAX, top, nodes_variable(&t, 0));
    }
    nodes_range(&t, MAX_OVER, 0, nil, deux, top);
    assert_int_equal(test_evaluate(&t, NULL, 0, 0).v, 2);
}

/* The sum of k % 7 for k below element `index` of source 1: what takes long for a large element. */
static int32_t long_sum(struct nodes *t, int64_t index)
{
    return NODES(t, "(sum_over r 0 (read:i64 1 %) (mod r 7))", index);
}

static const int64_t flags[] = {0, 1, 0, 1}, no_flags[] = {1, 0, 1, 0};
static const int64_t ends[] = {INT64_C(1) << 47, 4, INT64_C(1) << 47, 5};
static const struct test_source guarded_sources[] = {
    {PAIL_DTYPE_I64, 1, {4}, flags, NULL},
    {PAIL_DTYPE_I64, 1, {4}, ends, NULL},
    {PAIL_DTYPE_I64, 1, {4}, no_flags, NULL},
};

/* A loop that would take days has no turns in an arm that is not taken, on whichever side, and
 * however deep in others. */
PAIL_TEST(test_loops_in_arms)
{
    for (int positive = 0; positive < 2; positive++)
        for (int deep = 0; deep < 2; deep++) {
            struct nodes t = {0};
            const int64_t i = VARIABLE_INDEX(0);
            const int32_t zero = nodes_const(&t, 0), four = nodes_const(&t, 4);
            const int32_t flag = nodes_read(&t, ARRAY, positive ? 0 : 2, PAIL_DTYPE_I64, 1, &i);
            int32_t arm = long_sum(&t, i);
            if (deep) {
                const int32_t loop =
                    NODES(&t, "(max_over j @ @ (select j (add @ 1) j))", zero, four, arm);
                arm = nodes_op(&t, PAIL_NODE_MAX, loop, arm);
            }
            const int32_t select =
                nodes_select(&t, flag, positive ? arm : zero, positive ? zero : arm);
            nodes_range(&t, MAX_OVER, 0, zero, four, select);
            assert_int_equal(test_value_of(&t, guarded_sources, 3), 10 + deep);
        }
}

/* Nor has one that does not change in the turns of another which has none. */
PAIL_TEST(test_loops_in_front_of_loops)
{
    struct nodes t = {0};
    const int64_t i = VARIABLE_INDEX(0);
    NODES(&t, "(max_over i 0 4 (max_over j 0 (read:i64 0 i) (add @ j)))", long_sum(&t, i));
    assert_int_equal(test_value_of(&t, guarded_sources, 3), 10);
}

/* Not even where the selection changes from turn to turn and the arm does not. */
PAIL_TEST(test_loops_in_arms_in_loops)
{
    struct nodes t = {0};
    const int64_t i = VARIABLE_INDEX(0);
    const int32_t one = nodes_const(&t, 1);
    const int32_t flag = nodes_text(&t, "(read:i64 2 i)", NULL);
    NODES(&t, "(sum_over i 0 4 (sum_over j 0 (sub 4 @) (select (sub j 2) @ @)))", flag,
          long_sum(&t, i), one);
    /* Turns 0, 1, 2 and 3 where the flag is 0, else one less: 3 + 6 + 3 + 3 + 10 + 3 */
    assert_int_equal(test_value_of(&t, guarded_sources, 3), 28);
}

/* A loop that every arm of many shares: the code stays short. */
PAIL_TEST(test_shared_arms)
{
    struct nodes t = {0};
    const int32_t zero = nodes_const(&t, 0);
    const int32_t one = nodes_const(&t, 1);
    const int32_t four = nodes_const(&t, 4);
    const int32_t flag = nodes_text(&t, "(read:i64 0 i)", NULL);
    int32_t top = NODES(&t, "(max_over j @ (add (read:i64 1 1) @) j)", zero, flag);
    for (int k = 0; k < 50; k++)
        top = nodes_select(&t, flag, nodes_op(&t, PAIL_NODE_ADD, top, one), top);
    nodes_range(&t, MAX_OVER, 0, zero, four, top);
    assert_int_equal(test_value_of(&t, guarded_sources, 3), 54);
}

/* Loops in loops, each level twice the code of the one below: a sentence, and in time. */
PAIL_TEST(test_too_much_code)
{
    struct nodes t = {0};
    enum { LEVELS = 40 };
    int32_t top = nodes_const(&t, 0);
    const int32_t zero = nodes_const(&t, 0);
    for (int32_t i = 0; i < LEVELS; i++)
        top = nodes_op(&t, PAIL_NODE_ADD, top, nodes_variable(&t, i));
    for (int32_t i = 0; i + 1 < LEVELS; i++) {
        const int32_t end = nodes_variable(&t, i + 1);
        const int32_t end_2 = nodes_op(&t, PAIL_NODE_ADD, end, end);
        const int32_t x = nodes_range(&t, MAX_OVER, i, zero, end, top);
        const int32_t y = nodes_range(&t, MAX_OVER, i, zero, end_2, top);
        top = nodes_op(&t, PAIL_NODE_ADD, x, y);
    }
    nodes_range(&t, MAX_OVER, LEVELS - 1, zero, nodes_const(&t, 3), top);
    const pail_tree tree = nodes_tree(&t);
    struct test_kernel kernel;
    test_kernel_of(&kernel, &tree, 1, NULL, 0);
    struct pail_ad_program *program;
    struct pail_error err = {0};
    assert_int_equal(pail_ad_tree_check(&tree, NULL, 0, "here", &from_libc, &err), PAIL_OK);
    assert_int_equal(pail_ad_program_build(&program, &kernel.desc, &from_libc, &err),
                     PAIL_ERR_DATA);
    assert_null(program);
    assert_non_null(strstr(err.text, "task 0, stack 0: node "));
    assert_non_null(strstr(err.text, "more than 1048576 operations"));
    nodes_free(&t);
}
