/* SPDX-License-Identifier: Apache-2.0 */
/* Faults that reductions on the device must not have quietly: they read what is not there, count
 * turns of loops that are none, or none where there are some. */
#include "gpu_support.h"
#include "support/test.h"

static int setup_specialised_pairs(void **state)
{
    const int failed = ad_setup_pairs(state);
    if (!failed)
        ((struct ad_fixture *)*state)->flags = PAIL_LAUNCH_SPECIALISE;
    return failed;
}

static uint32_t limit_of(const struct ad_fixture *f)
{
    return pail_vk_device_caps(f->dev)->max_loop_iterations;
}

/* A source without contents gives its reductions back: by rows, where an element does not change
 * along the last axis, and by cells. */
PAIL_TEST(test_absent)
{
    static const int32_t contents[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    static const int64_t shape = 12;
    for (int32_t i = 0; i < 2; i++) {
        const pail_binding b = ad_binding(0, PAIL_DTYPE_I32, 1, &shape, contents, sizeof(contents));
        const int64_t index = VARIABLE_INDEX(i);
        struct nodes t = {0};
        struct ad_launch l;
        const int32_t zero = nodes_const(&t, 0), end = nodes_const(&t, 12);
        const int32_t read = nodes_read(&t, PAIL_NODE_ARRAY_READ, 0, PAIL_DTYPE_I32, 1, &index);
        const int32_t sum = nodes_op(&t, PAIL_NODE_ADD, read, nodes_variable(&t, 1 - i));
        const int32_t inner = nodes_range(&t, PAIL_NODE_MAX_OVER_RANGE, 1, zero, end, sum);
        nodes_range(&t, PAIL_NODE_MAX_OVER_RANGE, 0, zero, end, inner);
        ad_launch_make(&l, &t, 1, &b, 1);
        l.arrays[0].host = NULL;
        ad_run(*state, &l.work);
        assert_int_equal(l.work.n_given_back, 1);
        assert_int_equal(l.values.known[l.roots[0]], 0);
        ad_launch_free(&l);
    }
}

/* 2 * sum of (x + y, modulo 7 if asked for) over y below `turns`, the largest over 5 of x: a loop
 * that lanes do not share. begin_varies: the loop begins at x. */
static void make_loops(struct ad_launch *l, int64_t turns, bool modulo, bool begin_varies)
{
    struct nodes t = {0};
    const int32_t zero = nodes_const(&t, 0), cells = nodes_const(&t, 5);
    const int32_t end = nodes_const(&t, turns), two = nodes_const(&t, 2);
    const int32_t x = nodes_variable(&t, 0);
    int32_t body = nodes_op(&t, PAIL_NODE_ADD, x, nodes_variable(&t, 1));
    if (modulo)
        body = nodes_op(&t, PAIL_NODE_MOD, body, nodes_const(&t, 7));
    const int32_t loop =
        nodes_range(&t, PAIL_NODE_SUM_OVER_RANGE, 1, begin_varies ? x : zero, end, body);
    NODES(&t, "(max_over i @ @ (mul @ @))", zero, cells, loop, two);
    ad_launch_make(l, &t, 1, NULL, 0);
}

static void check_divisions(struct ad_fixture *f, uint32_t turns, bool begin_varies)
{
    struct ad_launch l;
    make_loops(&l, turns, true, begin_varies);
    ad_run(f, &l.work);
    const bool pairs = !pail_vk_device_caps(f->dev)->int64;
    assert_int_equal(l.work.n_given_back, limit_of(f) && pairs);
    if (l.work.n_given_back == 0)
        assert_int_equal(ad_value(&l, 0), ad_host_value(&l, 0).v);
    ad_launch_free(&l);
}

/* Divisions are loops where 64-bit integers are pairs of words, and only there. Many of them are
 * right, or given back where the driver ends loops before. */
PAIL_TEST(test_divisions)
{
    check_divisions(*state, 600, true);
    check_divisions(*state, 3000, false);
}

/* A turn without a loop in it is one turn for a kernel of its own. The interpreter turns several of
 * its own loops for each: right, or given back. */
PAIL_TEST_OF(test_turns, struct ad_fixture *f)
{
    static const int64_t turns[] = {5000, 10900, 11000, 14000, 16300, 16400, 20000, 31000};
    for (uint32_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
        struct ad_launch l;
        make_loops(&l, turns[i], false, false);
        ad_run(f, &l.work);
        if (i == 0 || f->flags & PAIL_LAUNCH_SPECIALISE || limit_of(f) == 0)
            assert_int_equal(l.work.n_given_back, 0);
        if (l.work.n_given_back == 0)
            assert_int_equal(ad_value(&l, 0), ad_host_value(&l, 0).v);
        ad_launch_free(&l);
    }
}

PAIL_TEST_MAIN
{
    return ad_run_all_groups() +
           test_run("specialised pairs", setup_specialised_pairs, ad_teardown);
}
