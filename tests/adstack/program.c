/* SPDX-License-Identifier: Apache-2.0 */
/* Trees in a program: parts that are shared, parts that are taken out of ranges, code and
 * dependencies. */

#include "support.h"
#include "support/test.h"

#define MAX_OVER PAIL_NODE_MAX_OVER_RANGE
#define SUM_OVER PAIL_NODE_SUM_OVER_RANGE
#define ARRAY    PAIL_NODE_ARRAY_READ

static const struct pail_alloc from_libc;
static const uint8_t ranks[] = {1, 2, 0, 1};
enum { N_SOURCES = sizeof ranks };

static struct pail_ad_program *build(struct nodes trees[], size_t n)
{
    struct test_kernel kernel;
    pail_tree list[8] = {0};
    for (size_t i = 0; i < n; i++)
        list[i] = nodes_tree(&trees[i]);
    test_kernel_of(&kernel, list, n, ranks, N_SOURCES);
    struct pail_ad_program *program = test_build(&kernel.desc);
    for (size_t i = 0; i < n; i++)
        nodes_free(&trees[i]);
    return program;
}

static int32_t read_of(struct nodes *t, int32_t source, int64_t index)
{
    return nodes_read(t, ARRAY, source, PAIL_DTYPE_I32, 1, &index);
}

/* MAX over v in [0, shape(source)) of source[v] + add */
static int32_t max_of(struct nodes *t, int32_t v, int32_t source, int64_t add)
{
    const int32_t read = read_of(t, source, VARIABLE_INDEX(v));
    return NODES(t, "(max_over % 0 (shape % 0) (add @ %))", v, source, read, add);
}

static uint32_t count_slots(const struct pail_ad_program *program, uint32_t op)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < program->n_slots; i++)
        n += program->slots[i].op == op;
    return n;
}

PAIL_TEST(test_equal_trees_are_one)
{
    struct nodes trees[3] = {0};
    max_of(&trees[0], 0, 0, 5);
    nodes_op(&trees[1], PAIL_NODE_MUL, max_of(&trees[1], 3, 0, 5), max_of(&trees[1], 9, 0, 5));
    max_of(&trees[2], 1, 0, 6);
    struct pail_ad_program *program = build(trees, 3);
    assert_int_equal(program->n_specs, 2);
    assert_int_equal(program->n_bodies, 1);
    /* 0, 5, 6, the shape, two ranges and their product */
    assert_int_equal(program->n_slots, 7);
    assert_int_equal(program->slots[program->roots[1].slot].a, program->roots[0].slot);
    assert_int_equal(program->slots[program->roots[1].slot].b, program->roots[0].slot);
    assert_int_equal(program->n_code, 4);
    pail_ad_program_free(program, &from_libc);
}

/* Across tasks, too, and with static stacks between. */
PAIL_TEST(test_tasks)
{
    struct nodes trees[3] = {0};
    for (int32_t i = 0; i < 3; i++)
        max_of(&trees[i], i, 0, 1);
    const pail_tree list[] = {
        nodes_tree(&trees[0]), {0}, nodes_tree(&trees[1]), nodes_tree(&trees[2])};
    struct test_kernel kernel;
    test_kernel_of(&kernel, list, 4, ranks, N_SOURCES);
    kernel.tasks[0].n_stacks = 2;
    kernel.tasks[1] = kernel.tasks[0];
    kernel.tasks[1].stacks = &kernel.stacks[2];
    kernel.desc.n_tasks = 2;
    struct pail_ad_program *program = test_build(&kernel.desc);
    assert_int_equal(program->n_tasks, 2);
    assert_int_equal(program->task_first[1], 2);
    assert_int_equal(program->task_first[2], 4);
    assert_int_equal(program->n_specs, 1);
    assert_int_equal(program->roots[1].slot, PAIL_AD_NONE);
    assert_int_equal(program->roots[0].slot, program->roots[2].slot);
    assert_int_equal(program->roots[0].slot, program->roots[3].slot);
    pail_ad_program_free(program, &from_libc);
    for (int32_t i = 0; i < 3; i++)
        nodes_free(&trees[i]);
}

PAIL_TEST(test_nothing_but_static)
{
    struct test_kernel kernel;
    test_kernel_of(&kernel, &(pail_tree){0}, 1, ranks, 0);
    struct pail_ad_program *program = test_build(&kernel.desc);
    assert_int_equal(program->n_slots, 0);
    pail_ad_program_free(program, &from_libc);
    kernel.desc.n_tasks = 0;
    program = test_build(&kernel.desc);
    assert_int_equal(program->n_tasks, 0);
    pail_ad_program_free(program, &from_libc);
}

/* The order of what can be swapped does not matter, and one variable hiding another of the same
 * number is the same as two numbers. */
PAIL_TEST(test_same_in_other_words)
{
    struct nodes trees[4] = {0};
    for (int32_t i = 0; i < 4; i++) {
        struct nodes *t = &trees[i];
        const int32_t outer = i == 3 ? 4 : 0, inner = i == 1 ? 1 : i == 3 ? 7 : 0;
        const int32_t zero = nodes_const(t, 0), end = nodes_shape(t, 0, 0);
        const int32_t of_inner = read_of(t, 0, VARIABLE_INDEX(inner));
        const int32_t max = nodes_range(t, MAX_OVER, inner, zero, end, of_inner);
        const int32_t var = nodes_variable(t, outer);
        const int32_t body = nodes_op(t, PAIL_NODE_ADD, i == 2 ? var : max, i == 2 ? max : var);
        nodes_range(t, MAX_OVER, outer, zero, end, body);
    }
    struct pail_ad_program *program = build(trees, 4);
    assert_int_equal(program->n_specs, 2);
    for (int i = 1; i < 4; i++)
        assert_int_equal(program->roots[i].slot, program->roots[0].slot);
    pail_ad_program_free(program, &from_libc);
}

/* A node under two ranges that bind its variable is two things. */
PAIL_TEST(test_one_node_under_two_ranges)
{
    const int32_t a[] = {3, 8, 5}, b[] = {1, 2};
    const struct test_source sources[] = {{PAIL_DTYPE_I32, 1, {3}, a, NULL},
                                          {PAIL_DTYPE_I32, 1, {2}, b, NULL}};
    struct nodes t = {0};
    const int32_t zero = nodes_const(&t, 0);
    const int32_t read =
        nodes_read(&t, ARRAY, 0, PAIL_DTYPE_I32, 1, (int64_t[]){VARIABLE_INDEX(0)});
    const int32_t end_a = nodes_shape(&t, 0, 0), end_b = nodes_shape(&t, 1, 0);
    const int32_t all = nodes_range(&t, SUM_OVER, 0, zero, end_a, read);
    const int32_t some = nodes_range(&t, SUM_OVER, 0, zero, end_b, read);
    /* and under both at once: the inner one counts */
    const int32_t both = NODES(&t, "(sum_over i @ @ (add @ @))", zero, end_a, read, some);
    NODES(&t, "(add (mul @ @) @)", all, some, both);
    /* all 16, some 11, both 16 + 3 * 11 */
    assert_int_equal(test_value_of(&t, sources, 2), 16 * 11 + 49);
}

PAIL_TEST(test_constants_are_folded)
{
    struct nodes trees[2] = {0};
    struct nodes *t = &trees[0];
    const int32_t six = nodes_text(t, "(mul 2 3)", NULL);
    NODES(t, "(select 0 @ (add (sum_over i 0 @ 7) (max_over i @ @ @)))", read_of(t, 0, 1), six, six,
          six, read_of(t, 0, 0));
    /* An error stays what it is. */
    t = &trees[1];
    nodes_op(t, PAIL_NODE_FLOOR_DIV, nodes_const(t, 42), nodes_const(t, 0));
    struct pail_ad_program *program = build(trees, 2);
    assert_int_equal(program->n_specs, 0);
    assert_int_equal(program->n_slots, 3);
    assert_int_equal(program->slots[program->roots[0].slot].op, PAIL_AD_CONST);
    assert_int_equal(program->slots[program->roots[0].slot].imm, 42);
    assert_int_equal(program->slots[program->roots[1].slot].op, PAIL_AD_FLOOR_DIV);
    pail_ad_program_free(program, &from_libc);
}

/* Ranges of one kind are axes of one spec as far as their bounds allow; what has no variable is
 * taken out, and what changes with an outer variable alone is computed in front of the loop. */
PAIL_TEST(test_axes_and_loops)
{
    struct nodes t = {0};
    const int32_t end = nodes_text(&t, "(read 1 i j)", NULL);
    const int32_t once = read_of(&t, 0, VARIABLE_INDEX(1));
    const int32_t each = read_of(&t, 3, VARIABLE_INDEX(2));
    NODES(&t,
          "(max_over i 0 (shape 1 0) (max_over j 0 (shape 1 1) (max_over k 0 @ (add (mul @ @) (mul "
          "@ (read:i64 2))))))",
          end, once, once, each);
    struct pail_ad_program *program = build(&t, 1);
    assert_int_equal(program->n_specs, 2); /* and the one of `turns` */
    const struct pail_ad_spec *spec = &program->specs[1], *turns = &program->specs[0];
    assert_int_equal(program->roots[0].slot, spec->slot);
    assert_int_equal(spec->n_axes, 2);
    assert_int_equal(spec->n_code, 7);
    const struct pail_ad_instr *code = &program->code[spec->code_first];
    assert_int_equal(spec->shared_loop, 3);
    assert_int_equal(code[3].op, PAIL_AD_LOOP);
    assert_int_equal(code[3].end, 7);
    assert_int_equal(spec->turns, turns->slot);
    assert_int_equal(turns->n_axes, 2);
    assert_int_equal(turns->reduction, PAIL_AD_REDUCE_MAX);
    assert_int_equal(turns->turns, PAIL_AD_NONE);
    assert_int_equal(count_slots(program, PAIL_AD_READ), 1);
    assert_int_equal(program->n_levels, 3);
    pail_ad_program_free(program, &from_libc);
}

static void assert_deps(const struct pail_ad_program *program, uint32_t slot,
                        const struct pail_ad_dep expected[], uint32_t n)
{
    assert_int_equal(program->slots[slot].n_deps, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct pail_ad_dep *dep =
            &program->deps[program->dep_lists[program->slots[slot].deps_first + i]];
        assert_int_equal(dep->kind, expected[i].kind);
        assert_int_equal(dep->source, expected[i].source);
        assert_int_equal(dep->axis, expected[i].axis);
    }
}

/* The larger of shape(1, 1) and the largest of source 3 up to the largest of source 0. */
PAIL_TEST(test_dependencies)
{
    struct nodes trees[3] = {0};
    struct nodes *t = &trees[0];
    const int32_t end = max_of(t, 0, 0, 0), zero = nodes_const(t, 0);
    const int32_t read = read_of(t, 3, VARIABLE_INDEX(0));
    const int32_t range = nodes_range(t, MAX_OVER, 0, zero, end, read);
    nodes_op(t, PAIL_NODE_MAX, range, nodes_shape(t, 1, 1));
    nodes_op(&trees[1], PAIL_NODE_MAX, nodes_shape(&trees[1], 0, 0), nodes_shape(&trees[1], 1, 0));
    nodes_const(&trees[2], 9);
    struct pail_ad_program *program = build(trees, 3);
    const struct pail_ad_dep first[] = {
        {PAIL_AD_DEP_CONTENTS, 0, 0}, {PAIL_AD_DEP_SHAPE, 1, 1}, {PAIL_AD_DEP_CONTENTS, 3, 0}};
    const struct pail_ad_dep second[] = {{PAIL_AD_DEP_SHAPE, 0, 0}, {PAIL_AD_DEP_SHAPE, 1, 0}};
    assert_deps(program, program->roots[0].slot, first, 3);
    assert_deps(program, program->roots[1].slot, second, 2);
    assert_deps(program, program->roots[2].slot, NULL, 0);
    assert_int_equal(program->n_deps, 5);
    assert_int_equal(program->slots[program->roots[0].slot].level, 2);
    assert_int_equal(program->n_levels, 3);
    pail_ad_program_free(program, &from_libc);
}

/* A thousand additions need no more registers than two. */
PAIL_TEST(test_registers_are_used_again)
{
    struct nodes t = {0};
    const int32_t zero = nodes_const(&t, 0), end = nodes_shape(&t, 0, 0);
    int32_t body = read_of(&t, 0, VARIABLE_INDEX(0));
    for (int64_t i = 1; i < 1000; i++)
        body = nodes_op(&t, PAIL_NODE_MUL, nodes_op(&t, PAIL_NODE_ADD, body, nodes_const(&t, i)),
                        nodes_variable(&t, 0));
    nodes_range(&t, MAX_OVER, 0, zero, end, body);
    struct pail_ad_program *program = build(&t, 1);
    assert_int_equal(program->specs[0].n_code, 1999);
    assert_int_equal(program->specs[0].n_registers, 2);
    pail_ad_program_free(program, &from_libc);
}

/* The host looks only at what is needed, and never at `turns`. */
PAIL_TEST(test_what_is_evaluated)
{
    struct nodes t = {0};
    const int32_t zero = nodes_const(&t, 0), n = nodes_shape(&t, 0, 0);
    const int32_t end = read_of(&t, 0, VARIABLE_INDEX(0));
    const int32_t ragged =
        nodes_range(&t, MAX_OVER, 1, zero, end, read_of(&t, 3, VARIABLE_INDEX(1)));
    const int32_t other = max_of(&t, 0, 3, 1);
    NODES(&t, "(select @ (max_over i @ @ @) @)", n, zero, n, ragged, other);
    struct pail_ad_program *program = build(&t, 1);
    const int32_t a[] = {1, 2}, b[] = {5, 6, 7};
    const struct pail_ad_array arrays[N_SOURCES] = {
        {.host = (const uint8_t *)a,
         .dtype = PAIL_DTYPE_I32,
         .rank = 1,
         .shape = {2},
         .stride = {4}},
        {0},
        {0},
        {.host = (const uint8_t *)b,
         .dtype = PAIL_DTYPE_I32,
         .rank = 1,
         .shape = {3},
         .stride = {4}},
    };
    struct pail_ad_values values = {.value = calloc(program->n_slots, sizeof values.value[0]),
                                    .known = calloc(program->n_slots, 1)};
    struct pail_error err = {0};
    const uint32_t root = program->roots[0].slot;
    assert_int_equal(pail_ad_eval(program, arrays, &values, &root, 1, &from_libc, &err), PAIL_OK);
    assert_int_equal(values.value[root].v, 6);
    assert_int_equal(values.cells, 2);
    assert_int_equal(program->n_specs, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(values.known[program->specs[i].slot],
                         program->specs[i].shared_loop != PAIL_AD_NONE);
    /* A known value is not computed again; `turns` is, on request. */
    assert_int_equal(pail_ad_eval(program, arrays, &values, &root, 1, &from_libc, &err), PAIL_OK);
    assert_int_equal(values.cells, 2);
    for (uint32_t i = 0; i < 3; i++)
        if (program->specs[i].turns != PAIL_AD_NONE) {
            const uint32_t turns = program->specs[i].turns;
            assert_int_equal(pail_ad_eval(program, arrays, &values, &turns, 1, &from_libc, &err),
                             PAIL_OK);
            assert_int_equal(values.value[turns].v, 2);
        }
    free(values.value);
    free(values.known);
    pail_ad_program_free(program, &from_libc);
}
