/* SPDX-License-Identifier: Apache-2.0 */
/* Trees that <pail/adstack_build.h> builds, in C and C++, node by node. */
#include <math.h>

#include <adstack/layout.h>
#include <pail/adstack_build.h>

#include "build_trees.h"
#include "support.h"
#include "support/test.h"

enum { NODES_MOST = 32, INDICES_MOST = 4 };

static int32_t longest(pail_tree_builder *b)
{
    const int32_t zero = pail_tree_const(b, 0), n = pail_tree_shape(b, 0, 0);
    const int64_t at[] = {PAIL_TREE_INDEX(0)};
    return pail_tree_max_over(b, 0, zero, n, pail_tree_read(b, 0, PAIL_DTYPE_I64, 1, at));
}

static int32_t matrix(pail_tree_builder *b)
{
    const int64_t at[] = {PAIL_TREE_INDEX(0), PAIL_TREE_INDEX(1)};
    const int32_t read = pail_tree_read(b, 1, PAIL_DTYPE_U8, 2, at);
    const int32_t body = pail_tree_op(b, PAIL_NODE_MUL, read, pail_tree_const(b, 3));
    const int32_t from = pail_tree_variable(b, 0);
    const int32_t row = pail_tree_max_over(b, 1, from, pail_tree_shape(b, 1, 1), body);
    return pail_tree_sum_over(b, 0, pail_tree_const(b, 0), pail_tree_shape(b, 1, 0), row);
}

static int32_t differences(pail_tree_builder *b)
{
    const int32_t i = pail_tree_variable(b, 0), one = pail_tree_const(b, 1);
    const int32_t before = pail_tree_op(b, PAIL_NODE_SUB, i, one);
    const int32_t body =
        pail_tree_op(b, PAIL_NODE_SUB, pail_tree_read_at(b, 0, PAIL_DTYPE_I64, 1, &i),
                     pail_tree_read_at(b, 0, PAIL_DTYPE_I64, 1, &before));
    return pail_tree_max_over(b, 0, one, pail_tree_shape(b, 0, 0), body);
}

static int32_t choice(pail_tree_builder *b)
{
    const int64_t zero = 0;
    const int32_t first = pail_tree_read(b, 0, PAIL_DTYPE_I64, 1, &zero);
    const int32_t two = pail_tree_const(b, 2);
    const int32_t odd = pail_tree_op(b, PAIL_NODE_MOD, first, two);
    const int32_t half = pail_tree_op(b, PAIL_NODE_FLOOR_DIV, first, two);
    const int32_t most = pail_tree_op(b, PAIL_NODE_MAX, half, pail_tree_const(b, 4));
    const int32_t left = pail_tree_op(b, PAIL_NODE_SUB, pail_tree_const(b, 7), first);
    const int32_t least = pail_tree_op(b, PAIL_NODE_MIN, left, pail_tree_const(b, 5));
    return pail_tree_select(b, odd, most, least);
}

static int32_t before_the_first(pail_tree_builder *b)
{
    const int32_t at = pail_tree_const(b, -1);
    return pail_tree_read_at(b, 0, PAIL_DTYPE_I64, 1, &at);
}

static int32_t comparisons(pail_tree_builder *b)
{
    const int64_t at[] = {PAIL_TREE_INDEX(0)};
    const int32_t x = pail_tree_read(b, 0, PAIL_DTYPE_I64, 1, at);
    const int32_t zero = pail_tree_const(b, 0), one = pail_tree_const(b, 1);
    const int32_t above = pail_tree_compare(b, PAIL_TREE_GREATER, x, zero, one, zero);
    const int32_t two = pail_tree_const(b, 2);
    const int32_t equal = pail_tree_compare_double(b, PAIL_TREE_EQUAL, x, 1.5, two, zero);
    const int32_t both = pail_tree_op(b, PAIL_NODE_ADD, above, equal);
    return pail_tree_sum_over(b, 0, zero, pail_tree_shape(b, 0, 0), both);
}

static const pail_stack_desc uneven = {
    .copies = 2, .element_bytes = 4, .header_bytes = 4, .alignment = 16};

static int32_t parts(pail_tree_builder *b)
{
    const int64_t at[] = {PAIL_TREE_INDEX(0)};
    const int32_t x = pail_tree_read(b, 0, PAIL_DTYPE_I64, 1, at), zero = pail_tree_const(b, 0);
    const int32_t part = pail_tree_part(b, x, &uneven, PAIL_TASK_ELEMENT_UNITS);
    return pail_tree_sum_over(b, 0, zero, pail_tree_shape(b, 0, 0), part);
}

static const struct {
    int32_t (*build)(pail_tree_builder *b);
    const char *text; /* the same expression, as nodes_text has it */
} trees[] = {
    {longest, "(max_over i 0 (shape 0 0) (read:i64 0 i))"},
    {matrix, "(sum_over i 0 (shape 1 0) (max_over j i (shape 1 1) (mul (read:u8 1 i j) 3)))"},
    {differences, "(max_over i 1 (shape 0 0) (sub (read:i64 0 (add i 0)) (read:i64 0 (sub i 1))))"},
    {choice, "(select (mod (read:i64 0 0) 2) (max (floor_div (read:i64 0 0) 2) 4) "
             "(min (sub 7 (read:i64 0 0)) 5))"},
    {before_the_first, "(read:i64 0 (floor_div -1 1))"},
    {comparisons, "(sum_over i 0 (shape 0 0) (add (select (sub (read:i64 0 i) 0) 1 0) "
                  "(select (sub 4609434218613702657 (max (read:i64 0 i) 0)) "
                  "(select (sub (max (read:i64 0 i) 0) 4609434218613702655) 2 0) 0)))"},
    {parts, "(sum_over i 0 (shape 0 0) "
            "(mul (floor_div (add (mul (max (read:i64 0 i) 1) 2) 4) 4) 4))"},
};
enum { N_TREES = sizeof trees / sizeof trees[0] };

/* Trees agree when a program makes one slot of them: equal parts of a kernel are computed once. */
static void assert_same(const pail_tree *tree, const pail_tree *wanted)
{
    static const uint8_t ranks[] = {1, 2};
    struct test_kernel kernel;
    const pail_tree both[] = {*tree, *wanted};
    test_kernel_of(&kernel, both, 2, ranks, 2);
    struct pail_ad_program *const program = test_build(&kernel.desc);
    assert_int_equal(program->roots[0].slot, program->roots[1].slot);
    pail_ad_program_free(program, &(const struct pail_alloc){0});
}

PAIL_TEST(trees_are_as_written)
{
    for (int which = 0; which < N_TREES; which++) {
        pail_node nodes[2][NODES_MOST];
        int64_t indices[2][INDICES_MOST];
        pail_tree built[2];
        struct nodes text = {0};
        pail_tree_builder b = pail_tree_begin(nodes[0], NODES_MOST, indices[0], INDICES_MOST);
        const int32_t root = trees[which].build(&b);
        assert_int_equal(pail_tree_end(&b, root, &built[0]), PAIL_OK);
        assert_int_equal(
            build_tree_in_cpp(which, nodes[1], NODES_MOST, indices[1], INDICES_MOST, &built[1]),
            PAIL_OK);
        (void)NODES(&text, trees[which].text, 0);
        const pail_tree wanted = nodes_tree(&text);
        for (int language = 0; language < 2; language++)
            assert_same(&built[language], &wanted);
        nodes_free(&text);
    }
    assert_int_equal(build_tree_in_cpp(N_TREES, NULL, 0, NULL, 0, &(pail_tree){0}),
                     PAIL_ERR_UNSUPPORTED);
}

/* ---- Comparisons ----------------------------------------------------------------------------- */
static const double reals[] = {0.0,   -0.0,   1.0,      -1.0,      0.5,      -0.5,   3.25,
                               -3.25, 1e-310, -1e-310,  2.5e-45,   -2.5e-45, 3.5e38, -3.5e38,
                               1e300, -1e300, INFINITY, -INFINITY, NAN,      -NAN};
enum { N_REALS = sizeof reals / sizeof reals[0], N_ELEMENTS = 60 };

static bool holds(pail_tree_comparison comparison, double x, double y)
{
    switch (comparison) {
    case PAIL_TREE_LESS:
        return x < y;
    case PAIL_TREE_LESS_EQUAL:
        return x <= y;
    case PAIL_TREE_GREATER:
        return x > y;
    case PAIL_TREE_GREATER_EQUAL:
        return x >= y;
    case PAIL_TREE_EQUAL:
        return x == y;
    case PAIL_TREE_NOT_EQUAL:
        break;
    }
    return x != y;
}

/* Elements as integers: the constants, their neighbours, the ends of each sign, and any NaN. */
static void make_bits(int64_t bits[N_ELEMENTS], double values[N_ELEMENTS], bool wide)
{
    static const int64_t ends[] = {INT64_MAX, -1, INT64_MIN + 1, 0x7ff0000000000001,
                                   0x7fefffffffffffff};
    for (int i = 0; i < N_ELEMENTS; i++) {
        const float narrow = (float)reals[i % N_REALS];
        int32_t word;
        memcpy(&word, &narrow, sizeof word);
        memcpy(&bits[i], &reals[i % N_REALS], sizeof bits[i]);
        bits[i] = wide ? bits[i] : word;
        if (i / N_REALS == 1)
            bits[i] = (int64_t)((uint64_t)bits[i] ^ 1);
        if (i / N_REALS == 2)
            bits[i] = i % 5 ? ends[i % 5] >> (wide ? 0 : 32) : 5 * i;
        if (wide) {
            memcpy(&values[i], &bits[i], sizeof values[i]);
        } else {
            float value;
            word = (int32_t)bits[i];
            memcpy(&value, &word, sizeof value);
            values[i] = value;
        }
    }
}

/* The same nodes in memory that test_value_of frees. */
static struct nodes nodes_of(const pail_tree *tree)
{
    struct nodes list = {0};
    for (size_t i = 0; i < tree->n_nodes; i++) {
        const pail_node *const node = &tree->nodes[i];
        if (node->index_count > 0)
            (void)nodes_read(&list, node->kind, node->source, node->dtype, node->index_count,
                             &tree->indices[node->index_first]);
        else
            (void)nodes_put(&list, node);
    }
    return list;
}

/* The elements for which a comparison holds, as bits of a number: the sum of 2^i. */
static void check_comparisons(bool wide, uint32_t flags)
{
    int64_t bits[N_ELEMENTS], weights[N_ELEMENTS];
    int32_t words[N_ELEMENTS];
    double values[N_ELEMENTS];
    make_bits(bits, values, wide);
    for (int i = 0; i < N_ELEMENTS; i++) {
        words[i] = (int32_t)bits[i];
        weights[i] = INT64_C(1) << i;
    }
    const struct test_source sources[] = {
        {.dtype = wide ? PAIL_DTYPE_I64 : PAIL_DTYPE_I32,
         .rank = 1,
         .shape = {N_ELEMENTS},
         .host = wide ? (const void *)bits : (const void *)words},
        {.dtype = PAIL_DTYPE_I64, .rank = 1, .shape = {N_ELEMENTS}, .host = weights}};
    for (int c = 0; c < N_REALS; c++)
        for (int of = 0; of < 12; of++) {
            const pail_tree_comparison comparison = (pail_tree_comparison)(of / 2);
            const double constant = wide ? reals[c] : (float)reals[c];
            const bool negated = of % 2;
            pail_node nodes[64];
            int64_t indices[4], expected = 0;
            pail_tree tree;
            pail_tree_builder b = pail_tree_begin(nodes, 64, indices, 4);
            const int64_t at[] = {PAIL_TREE_INDEX(0)};
            const int32_t zero = pail_tree_const(&b, 0), end = pail_tree_shape(&b, 0, 0);
            const int32_t weight = pail_tree_read(&b, 1, PAIL_DTYPE_I64, 1, at);
            const int32_t read = pail_tree_read(&b, 0, sources[0].dtype, 1, at);
            const int32_t yes = negated ? zero : weight, no = negated ? weight : zero;
            const int32_t body =
                wide ? pail_tree_compare_double(&b, comparison, read, constant, yes, no)
                     : pail_tree_compare_float(&b, comparison, read, (float)constant, yes, no);
            const int32_t sum = pail_tree_sum_over(&b, 0, zero, end, body);
            assert_int_equal(pail_tree_end(&b, sum, &tree), PAIL_OK);
            struct nodes list = nodes_of(&tree);
            for (int i = 0; i < N_ELEMENTS; i++)
                if (holds(comparison, values[i], constant) != negated)
                    expected |= weights[i];
            const struct test_value value = test_evaluate_as(flags, &list, sources, 2, TEST_STEPS);
            const int64_t found = value.v;
            if (value.kind || found != expected)
                fail_msg("%s: comparison %d with %g, %s: %llx instead of %llx",
                         wide ? "double" : "float", (int)comparison, constant,
                         negated ? "negated" : "as it is", (unsigned long long)found,
                         (unsigned long long)expected);
        }
}

PAIL_TEST(integers_compare)
{
    static const int32_t values[] = {INT32_MIN, -2, -1, 0, 1, 2, INT32_MAX};
    enum { N = sizeof values / sizeof values[0] };
    for (int of = 0; of < 6 * N * N; of++) {
        const pail_tree_comparison comparison = (pail_tree_comparison)(of / (N * N));
        const int32_t x = values[of / N % N], y = values[of % N];
        pail_node nodes[16];
        pail_tree tree;
        pail_tree_builder b = pail_tree_begin(nodes, 16, NULL, 0);
        const int32_t first = pail_tree_const(&b, x), second = pail_tree_const(&b, y);
        const int32_t yes = pail_tree_const(&b, 7), no = pail_tree_const(&b, 9);
        const int32_t root = pail_tree_compare(&b, comparison, first, second, yes, no);
        assert_int_equal(pail_tree_end(&b, root, &tree), PAIL_OK);
        struct nodes list = nodes_of(&tree);
        const int64_t found = test_value_of(&list, NULL, 0);
        if (found != (holds(comparison, x, y) ? 7 : 9))
            fail_msg("comparison %d of %d and %d: %d", (int)comparison, x, y, (int)found);
    }
}

PAIL_TEST(floats_compare_as_in_ieee_754)
{
    check_comparisons(false, 0);
    check_comparisons(false, PAIL_KERNEL_WRAP_ARITHMETIC);
}

PAIL_TEST(doubles_compare_as_in_ieee_754)
{
    check_comparisons(true, 0);
    check_comparisons(true, PAIL_KERNEL_WRAP_ARITHMETIC);
}

/* A thread claims for a stack as much as a row of that size has. */
PAIL_TEST(parts_are_as_in_rows)
{
    static const uint32_t bytes[] = {0, 4, 8, 12, 16, 64};
    for (int of = 0; of < 5 * 5 * 6 * 6 * 2 * 2; of++) {
        const int64_t entries = of % 5 - 1; /* at least one is taken */
        const pail_stack_desc stack = {.element_bytes = bytes[1 + of / 5 % 5],
                                       .header_bytes = bytes[of / 25 % 6],
                                       .alignment = bytes[of / 150 % 6 == 3 ? 1 : of / 150 % 6],
                                       .copies = 1 + (uint32_t)(of / 900 % 2)};
        const uint32_t flags = of / 1800 ? PAIL_TASK_ELEMENT_UNITS : 0;
        const pail_task_desc task = {.stacks = &stack, .n_stacks = 1, .flags = flags};
        struct pail_ad_place place;
        uint64_t stride[2];
        pail_node nodes[16];
        pail_tree tree;
        assert_int_equal(pail_ad_layout(&place, stride, &task, &entries, "", NULL), PAIL_OK);
        pail_tree_builder b = pail_tree_begin(nodes, 16, NULL, 0);
        const int32_t part = pail_tree_part(&b, pail_tree_const(&b, entries), &stack, flags);
        assert_int_equal(pail_tree_end(&b, part, &tree), PAIL_OK);
        struct nodes list = nodes_of(&tree);
        const int64_t found = test_value_of(&list, NULL, 0);
        if (found != (int64_t)pail_ad_units(flags, stride[PAIL_HEAP_FLOAT]))
            fail_msg("%d entries of %u * %u bytes behind %u, aligned to %u: %d", (int)entries,
                     stack.copies, stack.element_bytes, stack.header_bytes, stack.alignment,
                     (int)found);
    }
}

/* Every room that is too small is reported, and nothing is written behind it. */
PAIL_TEST(room_is_kept)
{
    for (int which = 0; which < N_TREES; which++) {
        pail_node nodes[NODES_MOST];
        int64_t indices[INDICES_MOST];
        pail_tree_builder b = pail_tree_begin(nodes, NODES_MOST, indices, INDICES_MOST);
        const int32_t root = trees[which].build(&b);
        const size_t n = b.n_nodes, n_indices = b.n_indices;
        assert_int_equal(root, (int32_t)n - 1);
        for (size_t less = 0; less < n + n_indices; less++) {
            const size_t room = less < n ? less : n;
            const size_t room_indices = less < n ? n_indices : less - n;
            pail_tree tree = {nodes, 1, NULL, 0};
            memset(nodes, 0x55, sizeof nodes);
            memset(indices, 0x55, sizeof indices);
            b = pail_tree_begin(nodes, room, indices, room_indices);
            assert_int_equal(trees[which].build(&b), -1);
            assert_int_equal(pail_tree_const(&b, 0), -1);
            assert_int_equal(pail_tree_end(&b, 0, &tree), PAIL_ERR_HOST_MEMORY);
            assert_null(tree.nodes);
            assert_int_equal(tree.n_nodes, 0);
            assert_int_equal(nodes[room].kind, 0x5555);
            assert_int_equal(indices[room_indices], 0x5555555555555555);
        }
    }
}

PAIL_TEST(operands_are_earlier_nodes)
{
    pail_node nodes[4];
    int64_t indices[2];
    pail_tree tree;
    for (int32_t wrong = -1; wrong <= 2; wrong++) {
        const bool right = wrong == 0;
        pail_tree_builder b[5];
        for (int i = 0; i < 5; i++) {
            b[i] = pail_tree_begin(nodes, 4, indices, 2);
            assert_int_equal(pail_tree_const(&b[i], 1), 0);
        }
        const int32_t roots[] = {
            pail_tree_op(&b[0], PAIL_NODE_ADD, 0, wrong),
            pail_tree_op(&b[1], PAIL_NODE_ADD, wrong, 0),
            pail_tree_select(&b[2], 0, 0, wrong),
            pail_tree_max_over(&b[3], 0, 0, wrong, 0),
            pail_tree_read_at(&b[4], 0, PAIL_DTYPE_I32, 1, &wrong),
        };
        for (int i = 0; i < 5; i++) {
            assert_int_equal(roots[i], right ? 1 : -1);
            assert_int_equal(pail_tree_end(&b[i], right ? 1 : 0, &tree),
                             right ? PAIL_OK : PAIL_ERR_ARGUMENT);
        }
        pail_tree_builder one = pail_tree_begin(nodes, 4, indices, 2);
        (void)pail_tree_const(&one, 1);
        assert_int_equal(pail_tree_end(&one, wrong, &tree), right ? PAIL_OK : PAIL_ERR_ARGUMENT);
    }
    /* Nodes behind the root are left out. */
    pail_tree_builder b = pail_tree_begin(nodes, 4, indices, 2);
    const int32_t root = pail_tree_const(&b, 5);
    (void)pail_tree_shape(&b, 0, 0);
    assert_int_equal(pail_tree_end(&b, root, &tree), PAIL_OK);
    assert_int_equal(tree.n_nodes, 1);
}

PAIL_TEST_GROUP(NULL, NULL)
