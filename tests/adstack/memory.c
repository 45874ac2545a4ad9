/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation fails once: the right status, and nothing is lost. */

#include <trees.h>

#include "support.h"
#include "support/test.h"

/* Checks, builds and evaluates all of a kernel, as far as there is memory. */
static pail_status run(const struct trees_kernel *kernel, const struct pail_alloc *alloc,
                       struct pail_error *err)
{
    pail_status status = PAIL_OK;
    struct pail_ad_program *program = NULL;
    struct pail_ad_array arrays[8];
    for (size_t i = 0; i < kernel->desc.n_sources; i++)
        arrays[i] = array_of(&kernel->bindings[i]);
    for (size_t task = 0; task < kernel->desc.n_tasks && !status; task++)
        for (size_t i = 0; i < kernel->desc.tasks[task].n_stacks && !status; i++) {
            const pail_stack_desc *stack = &kernel->desc.tasks[task].stacks[i];
            if (!stack->static_capacity)
                status = pail_ad_tree_check(&stack->tree, kernel->desc.source_rank,
                                            kernel->desc.n_sources, "here", alloc, err);
        }
    if (!status)
        status = pail_ad_program_build(&program, &kernel->desc, alloc, err);
    assert_true(!status == !!program);
    if (status)
        return status;
    struct pail_ad_values values = {.value = calloc(program->n_slots + 1, sizeof values.value[0]),
                                    .known = calloc(program->n_slots + 1, 1)};
    for (uint32_t i = 0; i < program->task_first[program->n_tasks] && !status; i++) {
        const uint32_t root = program->roots[i].slot;
        if (root != PAIL_AD_NONE)
            status = pail_ad_eval(program, arrays, &values, &root, 1, alloc, err);
    }
    free(values.value);
    free(values.known);
    pail_ad_program_free(program, alloc);
    return status;
}

PAIL_TEST(test_memory)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct trees_kernel *kernel = trees_make(seed, NULL);
        assert_non_null(kernel);
        struct test_memory memory = {0};
        const struct pail_alloc alloc = test_alloc(&memory);
        struct pail_error err = {0};
        assert_int_equal(run(kernel, &alloc, &err), PAIL_OK);
        assert_int_equal(memory.out, 0);
        const uint64_t n = memory.made;
        assert_true(n > 10);
        for (uint64_t fail_at = 1; fail_at <= n; fail_at++) {
            memory = (struct test_memory){.fail_at = fail_at};
            err = (struct pail_error){0};
            assert_int_equal(run(kernel, &alloc, &err), PAIL_ERR_HOST_MEMORY);
            assert_int_equal(err.status, PAIL_ERR_HOST_MEMORY);
            assert_true(err.text[0]);
            assert_int_equal(memory.out, 0);
        }
        trees_free(kernel);
    }
}
