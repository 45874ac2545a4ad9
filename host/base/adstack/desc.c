/* SPDX-License-Identifier: Apache-2.0 */
#include "desc.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <platform/text.h>

#include <core/structs.h>

#define ALIGN(bytes) (((bytes) + 15) & ~(size_t)15)

/* Memory of the copy: the first pass counts, the second fills. */
struct room {
    unsigned char *memory; /* NULL: the first pass */
    size_t used;
};

/* The place of a copy. In the first pass: all zeros, good for one element. */
static void *take(struct room *room, size_t n, size_t size)
{
    unsigned char *at = room->memory ? room->memory + room->used : NULL;
    room->used += ALIGN(n * size);
    return at;
}

static void *keep(struct room *room, const void *from, size_t n, size_t size)
{
    unsigned char *to = take(room, n, size);
    if (to && n > 0)
        memcpy(to, from, n * size);
    return to;
}

/* An element of a caller's array of structs; the first one gives the stride. */
static pail_status element(void *out, size_t size, const void *array, size_t i, size_t least,
                           const char *what, const char *where, struct pail_error *err)
{
    uint32_t stride;
    struct pail_error inner = {0};
    memcpy(&stride, array, sizeof(stride));
    if (stride < least)
        i = 0;
    pail_status status =
        pail_struct_in(out, size, (const char *)array + i * stride, least, what, &inner);
    uint32_t own;
    memcpy(&own, out, sizeof(own));
    if (status != PAIL_OK)
        return pail_fail(err, status, "%s%s", where, inner.text);
    if (own != stride)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s%s: struct_size of %zu is %u, of 0 %u", where,
                         what, i, own, stride);
    memcpy(out, &(uint32_t){(uint32_t)size}, sizeof(uint32_t));
    return PAIL_OK;
}

static const char *const heap_names[] = {"PAIL_HEAP_FLOAT", "PAIL_HEAP_INT", "PAIL_HEAP_ROWS",
                                         "PAIL_HEAP_FLOAT_CLAIMS", "PAIL_HEAP_INT_CLAIMS"};

/* The order of a task's stacks, by their heaps; those with memory come first. */
static int order_of(uint32_t heap)
{
    return heap < PAIL_HEAP_ROWS ? 0 : heap == PAIL_HEAP_ROWS ? INT_MAX : (int)heap;
}

/* A stack that has a size and no memory. before: heap of the stack in front of it. */
static pail_status check_without_memory(const pail_stack_desc *stack, uint32_t before, bool last,
                                        const char *where, struct pail_error *err)
{
    const struct {
        const char *name;
        uint32_t value;
    } words[] = {{"element_bytes", stack->element_bytes},
                 {"copies", stack->copies},
                 {"header_bytes", stack->header_bytes},
                 {"alignment", stack->alignment}};
    if (stack->heap == PAIL_HEAP_ROWS && !last)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "%s: heap is PAIL_HEAP_ROWS, which only the last stack of a task may have",
                         where);
    if (before >= PAIL_HEAP_ROWS && order_of(stack->heap) <= order_of(before))
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "%s: heap is %s, behind a stack of %s; claims are of the float heap, then "
                         "of the int heap, one stack for each",
                         where, heap_names[stack->heap], heap_names[before]);
    for (size_t i = 0; i < 4; i++)
        if (words[i].value)
            return pail_fail(err, PAIL_ERR_ARGUMENT,
                             "%s: %s is %u; a stack of %s has no memory, and 0", where,
                             words[i].name, words[i].value, heap_names[stack->heap]);
    return PAIL_OK;
}

static pail_status check_memory(const pail_stack_desc *stack, uint32_t before, uint32_t task_flags,
                                const char *where, struct pail_error *err)
{
    if (stack->heap > PAIL_HEAP_INT_CLAIMS)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s: heap is %u", where, stack->heap);
    if (before >= PAIL_HEAP_ROWS)
        return pail_fail(
            err, PAIL_ERR_ARGUMENT,
            "%s: heap is %s, behind a stack of %s, which has no memory and comes after "
            "all that have",
            where, heap_names[stack->heap], heap_names[before]);
    if (stack->copies != 1 && stack->copies != 2)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s: copies is %u, neither 1 nor 2", where,
                         stack->copies);
    if (stack->element_bytes == 0)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s: element_bytes is 0", where);
    if (stack->alignment & (stack->alignment - 1))
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s: alignment is %u, no power of two", where,
                         stack->alignment);
    const struct {
        const char *name;
        uint32_t bytes;
    } words[] = {{"element_bytes", stack->element_bytes},
                 {"header_bytes", stack->header_bytes},
                 {"alignment", stack->alignment}};
    for (size_t i = 0; i < 3 && (task_flags & PAIL_TASK_ELEMENT_UNITS); i++)
        if (words[i].bytes % 4)
            return pail_fail(err, PAIL_ERR_ARGUMENT,
                             "%s: %s is %u, no multiple of the 4 bytes of a unit", where,
                             words[i].name, words[i].bytes);
    return PAIL_OK;
}

static pail_status check_stack(const pail_stack_desc *stack, uint32_t before, uint32_t task_flags,
                               bool last, const char *where, struct pail_error *err)
{
    const pail_status status = stack->heap >= PAIL_HEAP_ROWS && stack->heap <= PAIL_HEAP_INT_CLAIMS
                                   ? check_without_memory(stack, before, last, where, err)
                                   : check_memory(stack, before, task_flags, where, err);
    if (status != PAIL_OK)
        return status;
    const pail_tree *tree = &stack->tree;
    if (tree->n_nodes == 0 && stack->static_capacity == 0)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "%s: there is neither a static_capacity nor a tree", where);
    if (tree->n_nodes > PAIL_AD_MAX_NODES)
        return pail_fail(err, PAIL_ERR_DATA, "%s: the tree has %zu nodes, more than %u", where,
                         tree->n_nodes, PAIL_AD_MAX_NODES);
    if (tree->n_indices > PAIL_AD_MAX_INDICES)
        return pail_fail(err, PAIL_ERR_DATA, "%s: the tree has %zu indices, more than %u", where,
                         tree->n_indices, PAIL_AD_MAX_INDICES);
    if ((tree->n_nodes > 0 && !tree->nodes) || (tree->n_indices > 0 && !tree->indices))
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s: %s of the tree: NULL", where,
                         tree->nodes ? "indices" : "nodes");
    return PAIL_OK;
}

static pail_status copy_stacks(struct room *room, pail_task_desc *task, const char *where,
                               struct pail_error *err)
{
    const pail_stack_desc *given = task->stacks;
    pail_stack_desc *stacks = take(room, task->n_stacks, sizeof(*stacks));
    uint32_t before = PAIL_HEAP_FLOAT;
    for (size_t i = 0; i < task->n_stacks; i++) {
        pail_stack_desc stack;
        char place[64];
        pail_status status = element(&stack, sizeof(stack), given, i, PAIL_STACK_DESC_SIZE_1_0,
                                     "pail_stack_desc", where, err);
        (void)snprintf(place, sizeof(place), "%sstack %zu", where, i);
        if (status == PAIL_OK)
            status = check_stack(&stack, before, task->flags, i + 1 == task->n_stacks, place, err);
        if (status != PAIL_OK)
            return status;
        before = stack.heap;
        stack.tree.nodes =
            keep(room, stack.tree.nodes, stack.tree.n_nodes, sizeof(*stack.tree.nodes));
        stack.tree.indices =
            keep(room, stack.tree.indices, stack.tree.n_indices, sizeof(*stack.tree.indices));
        if (stacks)
            stacks[i] = stack;
    }
    task->stacks = stacks;
    return PAIL_OK;
}

static pail_status check_task(const pail_task_desc *task, size_t *n_stacks, const char *where,
                              struct pail_error *err)
{
    if (task->flags & ~(uint32_t)(PAIL_TASK_ELEMENT_UNITS | PAIL_TASK_WIDE_METADATA))
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%sflags is 0x%x", where, task->flags);
    if (task->n_stacks > PAIL_AD_MAX_STACKS - *n_stacks)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%sn_stacks is %zu, more than %u in all", where,
                         task->n_stacks, PAIL_AD_MAX_STACKS);
    if (task->n_stacks > 0 && !task->stacks)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%sstacks: NULL", where);
    *n_stacks += task->n_stacks;
    return PAIL_OK;
}

static pail_status check_kernel(const pail_kernel_desc *desc, struct pail_error *err)
{
    if (desc->flags & ~(uint32_t)(PAIL_KERNEL_CLAMP_RANGES | PAIL_KERNEL_WRAP_ARITHMETIC))
        return pail_fail(err, PAIL_ERR_ARGUMENT, "pail_kernel_desc: flags is 0x%x", desc->flags);
    if (desc->name_bytes > PAIL_AD_MAX_NAME)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "pail_kernel_desc: name_bytes is %zu, more than %u", desc->name_bytes,
                         PAIL_AD_MAX_NAME);
    if (desc->n_tasks == 0 || desc->n_tasks > PAIL_AD_MAX_TASKS)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "pail_kernel_desc: n_tasks is %zu", desc->n_tasks);
    if (desc->n_sources > PAIL_AD_MAX_SOURCES)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "pail_kernel_desc: n_sources is %zu, more than %u",
                         desc->n_sources, PAIL_AD_MAX_SOURCES);
    if ((desc->name_bytes > 0 && !desc->name) || !desc->tasks ||
        (desc->n_sources > 0 && !desc->source_rank))
        return pail_fail(err, PAIL_ERR_ARGUMENT, "pail_kernel_desc: %s: NULL",
                         desc->name_bytes > 0 && !desc->name ? "name"
                         : !desc->tasks                      ? "tasks"
                                                             : "source_rank");
    for (size_t i = 0; i < desc->n_sources; i++)
        if (desc->source_rank[i] > PAIL_AD_MAX_RANK)
            return pail_fail(err, PAIL_ERR_ARGUMENT,
                             "pail_kernel_desc: source_rank of source %zu is %u, more than %u", i,
                             desc->source_rank[i], PAIL_AD_MAX_RANK);
    return PAIL_OK;
}

/* Copies the whole description in one pass. */
static pail_status copy(struct room *room, const pail_kernel_desc *given, struct pail_error *err)
{
    pail_kernel_desc desc;
    size_t n_stacks = 0;
    pail_status status = pail_struct_in(&desc, sizeof(desc), given, PAIL_KERNEL_DESC_SIZE_1_0,
                                        "pail_kernel_desc", err);
    if (status == PAIL_OK)
        status = check_kernel(&desc, err);
    if (status != PAIL_OK)
        return status;
    pail_kernel_desc *kernel = take(room, 1, sizeof(*kernel));
    char *name = take(room, desc.name_bytes + 1, 1);
    if (name && desc.name_bytes > 0)
        memcpy(name, desc.name, desc.name_bytes);
    desc.name = name;
    desc.source_rank = keep(room, desc.source_rank, desc.n_sources, 1);
    const pail_task_desc *tasks = desc.tasks;
    pail_task_desc *copies = take(room, desc.n_tasks, sizeof(*copies));
    for (size_t i = 0; i < desc.n_tasks; i++) {
        pail_task_desc task;
        char where[32];
        status = element(&task, sizeof(task), tasks, i, PAIL_TASK_DESC_SIZE_1_0, "pail_task_desc",
                         "", err);
        (void)snprintf(where, sizeof(where), "task %zu, ", i);
        if (status == PAIL_OK)
            status = check_task(&task, &n_stacks, where, err);
        if (status == PAIL_OK)
            status = copy_stacks(room, &task, where, err);
        if (status != PAIL_OK)
            return status;
        if (copies)
            copies[i] = task;
    }
    desc.tasks = copies;
    desc.struct_size = sizeof(desc);
    if (kernel)
        *kernel = desc;
    return PAIL_OK;
}

/* Checks the trees as they were copied: nobody can change them any more. */
static pail_status check_trees(const pail_kernel_desc *desc, const struct pail_alloc *alloc,
                               struct pail_error *err)
{
    pail_status status = PAIL_OK;
    for (size_t t = 0; t < desc->n_tasks; t++)
        for (size_t s = 0; s < desc->tasks[t].n_stacks && status == PAIL_OK; s++) {
            const pail_tree *tree = &desc->tasks[t].stacks[s].tree;
            char where[64];
            (void)snprintf(where, sizeof(where), "task %zu, stack %zu", t, s);
            if (tree->n_nodes > 0)
                status =
                    pail_ad_tree_check(tree, desc->source_rank, desc->n_sources, where, alloc, err);
        }
    return status;
}

pail_status pail_ad_desc_copy(pail_kernel_desc **out, const pail_kernel_desc *desc,
                              const struct pail_alloc *alloc, struct pail_error *err)
{
    *out = NULL;
    struct room room = {0};
    pail_status status = copy(&room, desc, err);
    if (status != PAIL_OK)
        return status;
    const size_t bytes = room.used;
    room = (struct room){.memory = pail_calloc(alloc, 1, bytes)};
    if (!room.memory)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %zu bytes of a kernel",
                         bytes);
    status = copy(&room, desc, err);
    pail_kernel_desc *made = (pail_kernel_desc *)(void *)room.memory;
    if (status == PAIL_OK)
        status = check_trees(made, alloc, err);
    if (status == PAIL_OK)
        *out = made;
    else
        pail_free(alloc, made);
    return status;
}

void pail_ad_desc_free(pail_kernel_desc *desc, const struct pail_alloc *alloc)
{
    pail_free(alloc, desc);
}

const char *pail_ad_printable(char *text, size_t capacity, const char *name, size_t name_bytes)
{
    (void)pail_quote(text, capacity, name, name_bytes);
    return text;
}
