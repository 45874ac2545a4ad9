/* SPDX-License-Identifier: Apache-2.0 */
/* Trees that are refused, and the sentence that says why; and some that look odd and are not. */

#include "support.h"
#include "support/test.h"

static const struct pail_alloc from_libc;
static const uint8_t ranks[] = {1, 2, 0, 16, 17};

static pail_status check(const pail_tree *tree, struct pail_error *err)
{
    memset(err, 0, sizeof *err);
    return pail_ad_tree_check(tree, ranks, sizeof ranks, "task 3, stack 2", &from_libc, err);
}

/* Frees the nodes. */
static void assert_refused(struct nodes *t, const char *text)
{
    struct pail_error err;
    const pail_tree tree = nodes_tree(t);
    assert_int_equal(check(&tree, &err), PAIL_ERR_DATA);
    assert_string_equal(err.text, text);
    assert_int_equal(err.status, PAIL_ERR_DATA);
    nodes_free(t);
}

static void assert_accepted(struct nodes *t)
{
    struct pail_error err;
    const pail_tree tree = nodes_tree(t);
    if (check(&tree, &err))
        fail_msg("%s", err.text);
    nodes_free(t);
}

static pail_node *last(struct nodes *t)
{
    return &t->nodes[t->n - 1];
}

PAIL_TEST(test_pointers)
{
    struct pail_error err;
    assert_int_equal(check(NULL, &err), PAIL_ERR_ARGUMENT);
    assert_string_equal(err.text, "task 3, stack 2: tree is NULL");
    assert_int_equal(check(&(pail_tree){.n_nodes = 1}, &err), PAIL_ERR_ARGUMENT);
    assert_string_equal(err.text, "task 3, stack 2: tree.nodes is NULL");
    assert_int_equal(check(&(pail_tree){.n_indices = 1}, &err), PAIL_ERR_ARGUMENT);
    assert_string_equal(err.text, "task 3, stack 2: tree.indices is NULL");
    assert_int_equal(pail_ad_tree_check(&(pail_tree){0}, NULL, 1, "here", &from_libc, &err),
                     PAIL_ERR_ARGUMENT);
    assert_string_equal(err.text, "here: source_rank is NULL");
    struct nodes t = {0};
    assert_refused(&t, "task 3, stack 2: the tree has no nodes");
}

PAIL_TEST(test_kinds)
{
    const uint16_t bad[] = {10, 31, 38, UINT16_MAX};
    const char *const text[] = {
        "task 3, stack 2: node 1: kind 10 is unknown",
        "task 3, stack 2: node 1: kind 31 is unknown",
        "task 3, stack 2: node 1: kind 38 is unknown",
        "task 3, stack 2: node 1: kind 65535 is unknown",
    };
    for (int i = 0; i < 4; i++) {
        struct nodes t = {0};
        nodes_const(&t, 1);
        nodes_const(&t, 1);
        last(&t)->kind = bad[i];
        assert_refused(&t, text[i]);
    }
}

PAIL_TEST(test_operands)
{
    struct nodes t = {0};
    nodes_const(&t, 1);
    nodes_op(&t, PAIL_NODE_ADD, 0, 1);
    assert_refused(&t, "task 3, stack 2: node 1: operand b is node 1, which is not earlier");
    nodes_const(&t, 1);
    nodes_op(&t, PAIL_NODE_MIN, -1, 0);
    assert_refused(&t, "task 3, stack 2: node 1: operand a is node -1, which is not earlier");
    nodes_const(&t, 1);
    nodes_range(&t, PAIL_NODE_SUM_OVER_RANGE, 0, 0, 0, INT32_MAX);
    assert_refused(
        &t, "task 3, stack 2: node 1: operand body is node 2147483647, which is not earlier");
    nodes_const(&t, 1);
    nodes_select(&t, 0, 0, INT32_MIN);
    assert_refused(
        &t, "task 3, stack 2: node 1: operand body is node -2147483648, which is not earlier");
    nodes_read(&t, PAIL_NODE_READ_AT, 0, PAIL_DTYPE_I8, 1, (int64_t[]){0});
    assert_refused(&t, "task 3, stack 2: node 0: index 0 is node 0, which is not earlier");
    nodes_const(&t, 1);
    nodes_read(&t, PAIL_NODE_READ_AT, 1, PAIL_DTYPE_I8, 2, (int64_t[]){0, -1});
    assert_refused(&t, "task 3, stack 2: node 1: index 1 is node -1, which is not earlier");
}

PAIL_TEST(test_sources)
{
    struct nodes t = {0};
    nodes_shape(&t, 5, 0);
    assert_refused(&t, "task 3, stack 2: node 0: source 5 is none of the kernel's 5");
    nodes_shape(&t, -1, 0);
    assert_refused(&t, "task 3, stack 2: node 0: source -1 is none of the kernel's 5");
    nodes_shape(&t, 1, 2);
    assert_refused(&t, "task 3, stack 2: node 0: axis 2 of source 1, which has 2");
    nodes_shape(&t, 1, -1);
    assert_refused(&t, "task 3, stack 2: node 0: axis -1 of source 1, which has 2");
    nodes_shape(&t, 2, 0);
    assert_refused(&t, "task 3, stack 2: node 0: axis 0 of source 2, which has 0");
    nodes_shape(&t, 4, 0);
    assert_refused(&t, "task 3, stack 2: node 0: source 4 has 17 axes; at most 16 are possible");
    nodes_shape(&t, 3, 15);
    assert_accepted(&t);
}

PAIL_TEST(test_reads)
{
    struct nodes t = {0};
    nodes_read(&t, PAIL_NODE_ARRAY_READ, 0, PAIL_DTYPE_I8, 0, NULL);
    assert_refused(&t, "task 3, stack 2: node 0: 0 indices for source 0, which has 1 axes");
    nodes_read(&t, PAIL_NODE_FIELD_READ, 2, PAIL_DTYPE_I8, 1, (int64_t[]){0});
    assert_refused(&t, "task 3, stack 2: node 0: 1 indices for source 2, which has 0 axes");
    for (uint32_t dtype = 0; dtype <= 12; dtype++) {
        char text[80];
        snprintf(text, sizeof text, "task 3, stack 2: node 0: dtype %u is no integer type", dtype);
        nodes_read(&t, PAIL_NODE_ARRAY_READ, 2, (pail_dtype)dtype, 0, NULL);
        if ((dtype >= 3 && dtype <= 6) || (dtype >= 8 && dtype <= 11))
            assert_accepted(&t);
        else
            assert_refused(&t, text);
    }
    nodes_read(&t, PAIL_NODE_ARRAY_READ, 0, PAIL_DTYPE_I8, 1, (int64_t[]){0});
    last(&t)->index_first = 1;
    assert_refused(&t, "task 3, stack 2: node 0: indices 1 and 1 more, of the tree's 1");
    nodes_read(&t, PAIL_NODE_ARRAY_READ, 0, PAIL_DTYPE_I8, 1, (int64_t[]){0});
    last(&t)->index_first = UINT32_MAX;
    assert_refused(&t, "task 3, stack 2: node 0: indices 4294967295 and 1 more, of the tree's 1");
    nodes_read(&t, PAIL_NODE_ARRAY_READ, 0, PAIL_DTYPE_I8, 1, (int64_t[]){INT64_MIN});
    assert_refused(&t, "task 3, stack 2: node 0: index 0 is -9223372036854775808, a variable "
                       "beyond 2147483647, the largest number of one");
    /* Literals may be anything: whether they are inside of an axis is seen at a launch. */
    nodes_read(&t, PAIL_NODE_ARRAY_READ, 0, PAIL_DTYPE_I8, 1, (int64_t[]){INT64_MAX});
    assert_accepted(&t);
}

PAIL_TEST(test_variables)
{
    struct nodes t = {0};
    nodes_variable(&t, -1);
    assert_refused(&t, "task 3, stack 2: node 0: variable -1 is negative");
    nodes_range(&t, PAIL_NODE_MAX_OVER_RANGE, -5, nodes_const(&t, 0), 0, 0);
    assert_refused(&t, "task 3, stack 2: node 1: variable -5 is negative");
    nodes_variable(&t, 7);
    assert_refused(&t, "task 3, stack 2: node 0: no range around it binds variable 7");
    /* Bound on one way from the root, and free on another. */
    const int32_t v = nodes_variable(&t, 2), zero = nodes_const(&t, 0);
    const int32_t range = nodes_range(&t, PAIL_NODE_MAX_OVER_RANGE, 2, zero, zero, v);
    nodes_op(&t, PAIL_NODE_ADD, range, v);
    assert_refused(&t, "task 3, stack 2: node 0: no range around it binds variable 2");
    /* The bounds are outside. */
    const int32_t var = nodes_variable(&t, 2);
    nodes_range(&t, PAIL_NODE_MAX_OVER_RANGE, 2, var, var, var);
    assert_refused(&t, "task 3, stack 2: node 0: no range around it binds variable 2");
    nodes_const(&t, 0);
    nodes_read(&t, PAIL_NODE_FIELD_READ, 0, PAIL_DTYPE_I8, 1,
               (int64_t[]){VARIABLE_INDEX(INT32_MAX)});
    nodes_range(&t, PAIL_NODE_MAX_OVER_RANGE, INT32_MAX - 1, 0, 0, 1);
    assert_refused(&t, "task 3, stack 2: node 1: no range around it binds variable 2147483647");
    nodes_const(&t, 0);
    nodes_read(&t, PAIL_NODE_FIELD_READ, 0, PAIL_DTYPE_I8, 1,
               (int64_t[]){VARIABLE_INDEX(INT32_MAX)});
    nodes_range(&t, PAIL_NODE_MAX_OVER_RANGE, INT32_MAX, 0, 0, 1);
    assert_accepted(&t);
}

/* Nodes on which the root does not depend may have free variables; unused members may be anything.
 * */
PAIL_TEST(test_oddities)
{
    struct nodes t = {0};
    nodes_variable(&t, 2);
    nodes_put(&t, &(pail_node){.kind = PAIL_NODE_CONST,
                               .dtype = 9999,
                               .a = 77,
                               .b = INT32_MIN,
                               .body = 5,
                               .variable = -9,
                               .source = 1000,
                               .axis = -3,
                               .index_first = UINT32_MAX,
                               .index_count = UINT32_MAX,
                               .reserved = 1});
    assert_accepted(&t);
}

/* n ranges inside one another, over the sum of all their variables. */
static void nest(struct nodes *t, int32_t n)
{
    int32_t body = nodes_variable(t, 0);
    for (int32_t i = 1; i < n; i++)
        body = nodes_op(t, PAIL_NODE_ADD, body, nodes_variable(t, i));
    const int32_t zero = nodes_const(t, 0), one = nodes_const(t, 1);
    for (int32_t i = 0; i < n; i++)
        body = nodes_range(t, PAIL_NODE_MAX_OVER_RANGE, i, zero, one, body);
}

PAIL_TEST(test_depth)
{
    struct nodes t = {0};
    nest(&t, PAIL_AD_MAX_DEPTH);
    assert_accepted(&t);
    nest(&t, PAIL_AD_MAX_DEPTH + 1);
    assert_refused(&t, "task 3, stack 2: node 128: more than 64 variables have to be bound outside "
                       "of it; ranges can be 64 deep");
    int32_t body = nodes_const(&t, 0);
    for (int32_t i = 0; i <= 64; i++)
        body = nodes_range(&t, PAIL_NODE_MAX_OVER_RANGE, 0, 0, 0, body);
    assert_refused(&t, "task 3, stack 2: node 65: ranges are more than 64 deep");
    /* In bounds, ranges are beside one another. */
    body = nodes_const(&t, 0);
    for (int32_t i = 0; i <= 1000; i++)
        body = nodes_range(&t, PAIL_NODE_MAX_OVER_RANGE, 0, 0, body, 0);
    assert_accepted(&t);
}

PAIL_TEST(test_too_many_nodes)
{
    struct nodes t = {0};
    for (uint32_t i = 0; i < PAIL_AD_MAX_NODES; i++)
        nodes_const(&t, i);
    pail_tree tree = nodes_tree(&t);
    struct pail_error err;
    assert_int_equal(check(&tree, &err), PAIL_OK);
    nodes_const(&t, 0);
    assert_refused(
        &t, "task 3, stack 2: node 65536: one too many: a tree has at most 65536, this one 65537");
}
