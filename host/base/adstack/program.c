/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <string.h>

#include "build.h"

void pail_ad_program_free(struct pail_ad_program *program, const struct pail_alloc *alloc)
{
    if (!program)
        return;
    pail_free(alloc, program->ranks);
    pail_free(alloc, program->slots);
    pail_free(alloc, program->specs);
    pail_free(alloc, program->code);
    pail_free(alloc, program->axes);
    pail_free(alloc, program->args);
    pail_free(alloc, program->deps);
    pail_free(alloc, program->dep_lists);
    pail_free(alloc, program->sites);
    pail_free(alloc, program->task_first);
    pail_free(alloc, program->roots);
    pail_free(alloc, program);
}

static void build_free(struct pail_ad_build *build)
{
    pail_ad_dag_free(&build->dag);
    pail_free(build->alloc, build->slot_of);
    pail_free(build->alloc, build->body.register_of);
    pail_free(build->alloc, build->body.seen);
    pail_free(build->alloc, build->body.computed);
    pail_free(build->alloc, build->body.frames);
    pail_free(build->alloc, build->body.walk);
    pail_free(build->alloc, build->body.guards);
    pail_free(build->alloc, build->live);
    pail_free(build->alloc, build->dying);
}

/* Room for what the description says; roots are of nothing yet. */
static pail_status make(struct pail_ad_build *build, const pail_kernel_desc *desc)
{
    const struct pail_alloc *alloc = build->alloc;
    size_t n_roots = 0;
    for (size_t task = 0; task < desc->n_tasks; task++) {
        if (desc->tasks[task].n_stacks > PAIL_AD_MAX_SLOTS - n_roots)
            return pail_fail(build->err, PAIL_ERR_DATA,
                             "task %zu: the kernel has more than %u stacks", task,
                             PAIL_AD_MAX_SLOTS);
        n_roots += desc->tasks[task].n_stacks;
    }
    if (desc->n_tasks > PAIL_AD_MAX_SLOTS || desc->n_sources > PAIL_AD_MAX_SLOTS)
        return pail_fail(build->err, PAIL_ERR_DATA,
                         "the kernel has %zu tasks and %zu arrays; at most %u of each are possible",
                         desc->n_tasks, desc->n_sources, PAIL_AD_MAX_SLOTS);
    struct pail_ad_program *program = pail_calloc(alloc, 1, sizeof *program);
    build->program = program;
    if (program) {
        program->n_tasks = (uint32_t)desc->n_tasks;
        program->n_sources = (uint32_t)desc->n_sources;
        program->ranks = pail_calloc(alloc, desc->n_sources + 1, sizeof(program->ranks[0]));
        program->roots = pail_calloc(alloc, n_roots + 1, sizeof(program->roots[0]));
        program->task_first = pail_calloc(alloc, desc->n_tasks + 1, sizeof(program->task_first[0]));
    }
    if (!program || !program->ranks || !program->roots || !program->task_first)
        return pail_fail(build->err, PAIL_ERR_HOST_MEMORY, "no host memory for %zu stacks",
                         n_roots);
    if (desc->n_sources)
        memcpy(program->ranks, desc->source_rank, desc->n_sources);
    for (size_t task = 0; task < desc->n_tasks; task++)
        program->task_first[task + 1] =
            program->task_first[task] + (uint32_t)desc->tasks[task].n_stacks;
    return PAIL_OK;
}

/* The flags that a stack's tree is read with. Claims are bytes of a heap that threads write to, so
 * they never wrap. */
static uint32_t flags_of(const pail_kernel_desc *desc, const pail_stack_desc *stack)
{
    const bool claims =
        stack->heap == PAIL_HEAP_FLOAT_CLAIMS || stack->heap == PAIL_HEAP_INT_CLAIMS;
    return claims ? desc->flags & ~(uint32_t)PAIL_KERNEL_WRAP_ARITHMETIC : desc->flags;
}

/* The nodes that the stacks' sizes are, then their slots. */
static pail_status write_roots(struct pail_ad_build *build, const pail_kernel_desc *desc)
{
    struct pail_ad_program *program = build->program;
    const uint32_t n = program->task_first[program->n_tasks];
    uint32_t *numbers = pail_calloc(build->alloc, (size_t)n + 1, sizeof(numbers[0]));
    if (!numbers)
        return pail_fail(build->err, PAIL_ERR_HOST_MEMORY, "no host memory for %u stacks", n);
    pail_status status = PAIL_OK;
    for (uint32_t task = 0; task < program->n_tasks; task++) {
        const uint32_t first = program->task_first[task];
        for (uint32_t i = first; i < program->task_first[task + 1] && !status; i++) {
            const pail_stack_desc *stack = &desc->tasks[task].stacks[i - first];
            numbers[i] = PAIL_AD_NONE;
            if (!stack->static_capacity)
                status = pail_ad_dag_tree(&build->dag, &stack->tree, flags_of(desc, stack), task,
                                          i - first, &numbers[i]);
        }
    }
    if (!status)
        status = pail_ad_slots_write(build, numbers, n);
    for (uint32_t i = 0; i < n && !status; i++)
        program->roots[i].slot =
            numbers[i] == PAIL_AD_NONE ? PAIL_AD_NONE : build->slot_of[numbers[i]] - 1;
    pail_free(build->alloc, numbers);
    return status;
}

pail_status pail_ad_program_build(struct pail_ad_program **out, const pail_kernel_desc *desc,
                                  const struct pail_alloc *alloc, struct pail_error *err)
{
    *out = NULL;
    struct pail_ad_build build = {
        .alloc = alloc,
        .err = err,
        .dag = {.alloc = alloc, .err = err},
    };
    pail_status status = make(&build, desc);
    if (!status)
        status = write_roots(&build, desc);
    if (!status)
        status = pail_ad_deps_write(&build);
    if (!status)
        status = pail_ad_bodies_number(&build);
    if (!status) {
        *out = build.program;
        build.program->sites = build.dag.sites;
        build.program->n_sites = build.dag.n_sites;
        build.dag.sites = NULL;
    }
    build_free(&build);
    if (status)
        pail_ad_program_free(build.program, alloc);
    return status;
}
