/* SPDX-License-Identifier: Apache-2.0 */
/* Random kernels: the program's values against those of the oracle. */
#include <inttypes.h>

#include <oracle.h>
#include <trees.h>

#include <adstack/culprit.h>

#include "support.h"
#include "support/test.h"

static const struct pail_alloc alloc;

struct counts {
    uint64_t values, errors, tired, nonzero, specs, loops, shared, joined;
    uint64_t outside, exactly; /* indices, and of them those that were found */
};

static void count_specs(const struct pail_ad_program *program, struct counts *counts)
{
    counts->specs += program->n_specs;
    for (uint32_t i = 0; i < program->n_specs; i++)
        counts->shared += program->specs[i].shared_loop != PAIL_AD_NONE;
    for (uint32_t i = 0; i < program->n_code; i++) {
        counts->loops += program->code[i].op == PAIL_AD_LOOP;
        counts->joined += program->code[i].op == PAIL_AD_LOOP && program->code[i].joined;
    }
}

/* Checks that an index that is said to be outside is outside. */
static void check_culprit(const struct pail_ad_program *program,
                          const struct pail_ad_array arrays[], const struct pail_ad_values *values,
                          uint32_t root, uint32_t error, struct counts *counts)
{
    struct pail_ad_culprit culprit;
    if (PAIL_AD_ERROR_KIND(error) != PAIL_AD_RANGE)
        return;
    counts->outside++;
    if (!pail_ad_find_culprit(program, arrays, values, root, error, &alloc, &culprit))
        return;
    assert_true(culprit.source < program->n_sources);
    assert_true(culprit.axis < arrays[culprit.source].rank);
    assert_true(culprit.first < 0 || culprit.last >= arrays[culprit.source].shape[culprit.axis]);
    counts->exactly += culprit.first == culprit.last;
}

static void compare_stack(const struct trees_kernel *kernel, const struct pail_ad_program *program,
                          const struct pail_ad_array arrays[], struct pail_ad_values *values,
                          uint32_t root, const pail_stack_desc *stack, struct counts *counts)
{
    if (stack->static_capacity) {
        assert_int_equal(root, PAIL_AD_NONE);
        return;
    }
    const struct oracle expected = oracle_evaluate(&stack->tree, kernel->bindings,
                                                   kernel->desc.flags, 20 * (uint64_t)TREES_STEPS);
    counts->tired += expected.state == ORACLE_TIRED;
    if (expected.state == ORACLE_TIRED)
        return;
    struct pail_error err = {0};
    assert_int_equal(pail_ad_eval(program, arrays, values, &root, 1, &alloc, &err), PAIL_OK);
    assert_true(values->known[root]);
    const struct pail_ad_value value = values->value[root];
    if (value.error ? expected.state != ORACLE_ERROR
                    : expected.state != ORACLE_VALUE || value.v != expected.v) {
        char text[512] = "";
        if (value.error)
            pail_ad_describe_error(program, arrays, value.error, text, sizeof text);
        fail_msg("seed %" PRIu64 ": %" PRId64 " (%s), and the oracle has %" PRId64 " (%s)",
                 kernel->seed, value.v, text, expected.v,
                 expected.state == ORACLE_ERROR ? "an error" : "no error");
    }
    if (value.error)
        check_culprit(program, arrays, values, root, value.error, counts);
    counts->values += !value.error;
    counts->errors += value.error != 0;
    counts->nonzero += value.v != 0;
}

static void compare_kernel(uint64_t seed, struct counts *counts)
{
    struct trees_kernel *kernel = trees_make(seed, NULL);
    assert_non_null(kernel);
    struct pail_error err = {0};
    for (size_t task = 0; task < kernel->desc.n_tasks; task++)
        for (size_t i = 0; i < kernel->desc.tasks[task].n_stacks; i++) {
            const pail_stack_desc *stack = &kernel->desc.tasks[task].stacks[i];
            if (!stack->static_capacity &&
                pail_ad_tree_check(&stack->tree, kernel->desc.source_rank, kernel->desc.n_sources,
                                   "here", &alloc, &err))
                fail_msg("seed %" PRIu64 ": %s", seed, err.text);
        }
    struct pail_ad_program *program;
    assert_int_equal(pail_ad_program_build(&program, &kernel->desc, &alloc, &err), PAIL_OK);
    test_check_program(program);
    count_specs(program, counts);

    struct pail_ad_array arrays[8];
    for (size_t i = 0; i < kernel->desc.n_sources; i++)
        arrays[i] = array_of(&kernel->bindings[i]);
    struct pail_ad_values values = {
        .value = calloc(program->n_slots + 1, sizeof values.value[0]),
        .known = calloc(program->n_slots + 1, 1),
    };
    for (size_t task = 0; task < kernel->desc.n_tasks; task++)
        for (size_t i = 0; i < kernel->desc.tasks[task].n_stacks; i++)
            compare_stack(kernel, program, arrays, &values,
                          program->roots[program->task_first[task] + i].slot,
                          &kernel->desc.tasks[task].stacks[i], counts);
    free(values.value);
    free(values.known);
    pail_ad_program_free(program, &alloc);
    trees_free(kernel);
}

/* PAIL_TEST_SEEDS: how many, for longer runs; PAIL_TEST_SEED: the first. */
static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 0) : otherwise;
}

PAIL_TEST(test_random)
{
    struct counts counts = {0};
    const uint64_t first = from_environment("PAIL_TEST_SEED", 1);
    const uint64_t n = from_environment("PAIL_TEST_SEEDS", 4000);
    for (uint64_t seed = first; seed < first + n; seed++)
        compare_kernel(seed, &counts);
    print_message("%" PRIu64 " values (%" PRIu64 " not 0), %" PRIu64 " errors, %" PRIu64
                  " too long; %" PRIu64 " specs, %" PRIu64 " loops, %" PRIu64 " shared, %" PRIu64
                  " joined\n",
                  counts.values, counts.nonzero, counts.errors, counts.tired, counts.specs,
                  counts.loops, counts.shared, counts.joined);
    if (n < 100)
        return;
    /* The kernels are worth something: all kinds of results, and most of them numbers. */
    assert_true(counts.values > counts.errors && counts.errors > counts.values / 100);
    print_message("%" PRIu64 " indices outside, of which %" PRIu64 " are known\n", counts.outside,
                  counts.exactly);
    assert_true(counts.exactly > counts.outside / 2);
    assert_true(counts.nonzero > counts.values / 3 && counts.tired < counts.values / 50);
    assert_true(counts.specs > n && counts.loops > n / 10 && counts.shared > n / 20);
    assert_true(counts.joined >= counts.shared);
}
