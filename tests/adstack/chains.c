/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of ranges: their turns are limited all together, whatever the body is. */

#include <adstack/watch.h>

#include "support.h"
#include "support/test.h"

enum { DEPTH = 3, KERNELS = 3000 };

static const struct pail_alloc alloc;

static uint64_t draw(uint64_t *seed, uint64_t n)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*seed >> 33) % n;
}

/* A number, as a constant or as an element or an extent. */
static int32_t number(struct nodes *t, int64_t v, uint64_t how, int64_t elements[], int64_t *n)
{
    const int64_t at[] = {*n};
    if (how == 0)
        return nodes_const(t, v);
    elements[(*n)++] = v;
    return nodes_read(t, PAIL_NODE_ARRAY_READ, 0, PAIL_DTYPE_I64, 1, at);
}

/* A body that has some of the variables in it, or none. */
static int32_t body_of(struct nodes *t, uint64_t *seed, int32_t depth)
{
    int32_t body = nodes_const(t, (int64_t)draw(seed, 9));
    for (int32_t v = 0; v < depth; v++) {
        const uint64_t how = draw(seed, 4);
        const int32_t variable = nodes_variable(t, v);
        const int64_t at[] = {nodes_op(t, PAIL_NODE_MOD, variable, nodes_const(t, 4))};
        if (how == 1)
            body = draw(seed, 2) ? variable : nodes_op(t, PAIL_NODE_MAX, body, variable);
        else if (how == 2)
            body = nodes_op(t, PAIL_NODE_MAX, body,
                            nodes_read(t, PAIL_NODE_READ_AT, 0, PAIL_DTYPE_I64, 1, at));
    }
    return body;
}

enum outcome { VALUE, TOO_MANY, TIRED };

/* Outcome of a kernel of this tree; TIRED: it would take too long. A sum may be beyond 64 bits,
 * which is no error of its turns. */
static enum outcome evaluate(struct nodes *t, int64_t elements[], int64_t n, uint64_t seed)
{
    struct test_kernel kernel;
    const uint8_t ranks[] = {1};
    const pail_tree tree = nodes_tree(t);
    const struct pail_ad_array array = {.host = (const uint8_t *)elements,
                                        .size_bytes = 8 * (uint64_t)n,
                                        .dtype = PAIL_DTYPE_I64,
                                        .rank = 1,
                                        .shape = {n},
                                        .stride = {8}};
    test_kernel_of(&kernel, &tree, 1, ranks, 1);
    struct pail_ad_program *program = test_build(&kernel.desc);
    struct pail_ad_watch watch;
    pail_ad_watch_begin(&watch, 20000, 0, NULL);
    struct pail_ad_values values = {
        .value = calloc(program->n_slots, sizeof values.value[0]),
        .known = calloc(program->n_slots, 1),
        .watch = &watch,
    };
    struct pail_error err = {0};
    const uint32_t root = program->roots[0].slot;
    const pail_status status = pail_ad_eval(program, &array, &values, &root, 1, &alloc, &err);
    const uint32_t error = status ? 0 : values.value[root].error;
    if (error && PAIL_AD_ERROR_KIND(error) != PAIL_AD_CELLS &&
        PAIL_AD_ERROR_KIND(error) != PAIL_AD_OVERFLOW)
        fail_msg("seed %llu: an error of kind %u", (unsigned long long)seed,
                 PAIL_AD_ERROR_KIND(error));
    free(values.value);
    free(values.known);
    pail_ad_program_free(program, &alloc);
    nodes_free(t);
    return status ? TIRED : error && PAIL_AD_ERROR_KIND(error) == PAIL_AD_CELLS ? TOO_MANY : VALUE;
}

/* inside: in the body of a range of the other kind. */
static bool check(uint64_t seed, bool inside, uint32_t *tired)
{
    static const int64_t lengths[] = {0,      1, 2, 3, 1 << 16, 1 << 23, 1 << 24, (1 << 24) + 1,
                                      1 << 25};
    const uint64_t first = seed;
    struct nodes t = {0};
    int64_t elements[16] = {4, 3, 2, 1}, n = 4;
    const int32_t depth = 2 + (int32_t)draw(&seed, DEPTH - 1);
    const bool sum = draw(&seed, 2);
    const uint64_t how = draw(&seed, 2);
    const pail_node_kind kind = sum ? PAIL_NODE_SUM_OVER_RANGE : PAIL_NODE_MAX_OVER_RANGE;
    int32_t body = body_of(&t, &seed, depth + inside);
    double turns = 1;
    for (int32_t v = depth; v-- > 0;) {
        const int64_t length = lengths[draw(&seed, sizeof lengths / sizeof lengths[0])];
        const int64_t from = (int64_t)draw(&seed, 3) - 1;
        const int32_t begin = number(&t, from, how, elements, &n);
        const int32_t end = number(&t, from + length, how, elements, &n);
        body = nodes_range(&t, kind, v, begin, end, body);
        /* From the inside: an empty one makes what is further in nothing. */
        turns = length == 0 ? 0 : turns == 0 && length > 0 ? 0 : turns * (double)length;
    }
    if (inside)
        (void)nodes_range(&t, sum ? PAIL_NODE_MAX_OVER_RANGE : PAIL_NODE_SUM_OVER_RANGE, depth,
                          nodes_const(&t, 0), nodes_const(&t, 3), body);
    const bool beyond = turns > (double)PAIL_AD_MAX_CELLS;
    const enum outcome outcome = evaluate(&t, elements, n, first);
    /* Parts of a chain that is too long may be long by themselves, and come first. */
    if (outcome == TIRED)
        *tired += beyond;
    else if ((outcome == TOO_MANY) != beyond)
        fail_msg("seed %llu%s: %.0f turns are %s error", (unsigned long long)first,
                 inside ? ", in a body" : "", turns, beyond ? "no" : "an");
    return beyond;
}

static void check_many(bool inside)
{
    uint32_t beyond = 0, tired = 0;
    for (uint64_t seed = 1; seed <= KERNELS; seed++)
        beyond += check(seed, inside, &tired);
    print_message("%u of %d beyond the limit, %u of them too long\n", beyond, KERNELS, tired);
    assert_true(beyond > KERNELS / 20 && tired < beyond / 2);
}

PAIL_TEST(test_random)
{
    check_many(false);
}

PAIL_TEST(test_random_in_a_body)
{
    check_many(true);
}

/* 2^49 turns, with the outer variable, with the inner one, with both, and with none. */
PAIL_TEST(test_every_body)
{
    for (int which = 0; which < 4; which++) {
        struct nodes t = {0};
        int64_t none[1] = {0};
        int32_t body = nodes_const(&t, 5);
        for (int v = 0; v < 2; v++)
            if (which & 1 << v)
                body = nodes_op(&t, PAIL_NODE_MAX, body, nodes_variable(&t, v));
        const int32_t begin = nodes_const(&t, 0);
        body = nodes_range(&t, PAIL_NODE_MAX_OVER_RANGE, 1, begin, nodes_const(&t, 1 << 25), body);
        (void)nodes_range(&t, PAIL_NODE_MAX_OVER_RANGE, 0, begin, nodes_const(&t, 1 << 24), body);
        assert_int_equal(evaluate(&t, none, 1, 0), TOO_MANY);
    }
}

/* Bounds that are elements, in the body of another range whose variable the body has: as loops each
 * range would be short enough. */
PAIL_TEST(test_elements_in_a_body)
{
    for (int which = 0; which < 8; which++) {
        const bool sum = which & 1, more = which & 2, apart = which & 4;
        const pail_node_kind kind = sum ? PAIL_NODE_SUM_OVER_RANGE : PAIL_NODE_MAX_OVER_RANGE;
        struct nodes t = {0};
        int64_t elements[16], n = 0;
        int32_t body = nodes_variable(&t, 2);
        for (int32_t v = 2; v-- > 0;) {
            const int32_t begin = number(&t, 0, 1, elements, &n);
            const int32_t end = number(&t, (1 << 24) + (v && more), 1, elements, &n);
            body = nodes_range(&t, kind, v, begin, end, body);
        }
        /* A range of the same kind, but not directly around them; or of the other. */
        if (apart)
            body = nodes_op(&t, PAIL_NODE_ADD, body, nodes_const(&t, 1));
        const bool other = !apart;
        (void)nodes_range(&t, sum != other ? PAIL_NODE_SUM_OVER_RANGE : PAIL_NODE_MAX_OVER_RANGE, 2,
                          number(&t, 0, 1, elements, &n), number(&t, 3, 1, elements, &n), body);
        assert_int_equal(evaluate(&t, elements, n, 0) == TOO_MANY, more);
    }
}

/* More ranges than a reduction has axes: what is left of them are loops. */
PAIL_TEST(test_more_than_axes)
{
    for (int which = 0; which < 8; which++) {
        const bool sum = which & 1, more = which & 2;
        const uint64_t how = (which & 4) != 0; /* constants, elements */
        struct nodes t = {0};
        int64_t elements[64], n = 0;
        int32_t body = nodes_const(&t, 1);
        for (int32_t v = 0; v <= (int32_t)PAIL_AD_MAX_AXES; v++)
            body = nodes_op(&t, PAIL_NODE_MAX, body, nodes_variable(&t, v));
        for (int32_t v = (int32_t)PAIL_AD_MAX_AXES; v >= 0; v--) {
            const int32_t begin = number(&t, 0, how, elements, &n);
            const int64_t length = v == 0 ? 1 + more : 8;
            const int32_t end = number(&t, length, how, elements, &n);
            body = nodes_range(&t, sum ? PAIL_NODE_SUM_OVER_RANGE : PAIL_NODE_MAX_OVER_RANGE, v,
                               begin, end, body);
        }
        assert_int_equal(evaluate(&t, elements, n, 0), more ? TOO_MANY : TIRED);
    }
}
