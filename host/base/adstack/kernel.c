/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.h"

#include "tasks.h"

#include <string.h>

/* An operand of code: a slot, a register (which is nobody's), or none. */
static void code_operand(uint32_t operand, void (*each)(void *, uint32_t), void *user)
{
    if (operand != PAIL_AD_NONE && (operand & PAIL_AD_SLOT))
        each(user, operand & ~PAIL_AD_SLOT);
}

static void spec_operands(const struct pail_ad_program *program, const struct pail_ad_spec *spec,
                          void (*each)(void *, uint32_t), void *user)
{
    for (uint32_t i = 0; i < spec->n_axes; i++) {
        each(user, program->axes[spec->axes_first + i].begin);
        each(user, program->axes[spec->axes_first + i].end);
    }
    for (uint32_t i = 0; i < spec->n_code; i++) {
        const struct pail_ad_instr *instr = &program->code[spec->code_first + i];
        if (instr->op != PAIL_AD_READ) {
            code_operand(instr->a, each, user);
            code_operand(instr->b, each, user);
        }
        if (instr->op == PAIL_AD_SELECT || instr->op == PAIL_AD_LOOP)
            code_operand(instr->c, each, user);
        for (uint32_t k = 0; instr->op == PAIL_AD_READ && k < instr->n_args; k++)
            code_operand(program->args[instr->args_first + k], each, user);
    }
    code_operand(spec->value, each, user);
}

void pail_ad_each_operand(const struct pail_ad_program *program, uint32_t slot,
                          void (*each)(void *user, uint32_t operand), void *user)
{
    const struct pail_ad_slot *s = &program->slots[slot];
    switch ((enum pail_ad_op)s->op) {
    case PAIL_AD_CONST:
    case PAIL_AD_SHAPE:
    case PAIL_AD_LOOP:
        break;
    case PAIL_AD_SPEC:
        spec_operands(program, &program->specs[s->spec], each, user);
        break;
    case PAIL_AD_SELECT:
        each(user, s->c);
        each(user, s->b);
        each(user, s->a);
        break;
    case PAIL_AD_READ:
        for (uint32_t i = 0; i < s->n_args; i++)
            each(user, program->args[s->args_first + i]);
        break;
    case PAIL_AD_ADD:
    case PAIL_AD_SUB:
    case PAIL_AD_MUL:
    case PAIL_AD_MAX:
    case PAIL_AD_MIN:
    case PAIL_AD_FLOOR_DIV:
    case PAIL_AD_MOD:
    case PAIL_AD_WRAP_ADD:
    case PAIL_AD_WRAP_SUB:
    case PAIL_AD_WRAP_MUL:
        each(user, s->b);
        each(user, s->a);
        break;
    }
}

/* ---- Sources --------------------------------------------------------------------------------- */
static pail_status take_dtype(struct pail_ad_kernel *kernel, uint32_t source, uint32_t dtype,
                              uint32_t site, struct pail_error *err)
{
    struct pail_ad_source *s = &kernel->sources[source];
    if (s->dtype == 0 || s->dtype == dtype) {
        s->dtype = dtype;
        return PAIL_OK;
    }
    const struct pail_ad_site *at = &kernel->program->sites[site];
    return pail_fail(err, PAIL_ERR_DATA,
                     "task %u, stack %u, node %u: source %u is read with dtype %u, and with dtype "
                     "%u before",
                     at->task, at->stack, at->node, source, dtype, s->dtype);
}

static pail_status find_sources(struct pail_ad_kernel *kernel, struct pail_error *err)
{
    const struct pail_ad_program *p = kernel->program;
    pail_status status = PAIL_OK;
    for (uint32_t i = 0; i < p->n_slots && status == PAIL_OK; i++)
        if (p->slots[i].op == PAIL_AD_READ)
            status =
                take_dtype(kernel, p->slots[i].source, p->slots[i].dtype, p->slots[i].site, err);
    for (uint32_t i = 0; i < p->n_code && status == PAIL_OK; i++)
        if (p->code[i].op == PAIL_AD_READ)
            status = take_dtype(kernel, p->code[i].source, p->code[i].dtype, p->code[i].site, err);
    for (uint32_t i = 0; i < p->n_sources; i++)
        kernel->sources[i].seen = PAIL_AD_NONE;
    return status;
}

/* Computes which sources the stacks need, and the length of a launch's key. */
static void use_sources(struct pail_ad_kernel *kernel)
{
    const struct pail_ad_program *p = kernel->program;
    kernel->n_key = 0;
    for (uint32_t i = 0; i < p->n_deps; i++) {
        const struct pail_ad_dep *dep = &p->deps[i];
        struct pail_ad_source *source = &kernel->sources[dep->source];
        if (!kernel->needed[i])
            continue;
        source->used = true;
        if (dep->kind == PAIL_AD_DEP_CONTENTS) {
            source->contents = true;
            source->seen = kernel->n_seen++;
            kernel->n_key += 7 + 2 * (uint32_t)p->ranks[dep->source];
        } else {
            kernel->n_key += 1;
        }
    }
    /* Threads and heaps come last: what sizes do not depend on. */
    kernel->launches.n_sized = kernel->n_key;
    kernel->first_task = kernel->n_key + 2;
    kernel->n_key = kernel->first_task + PAIL_AD_TASK_WORDS * p->n_tasks;
    kernel->launches.n_key = kernel->n_key;
    kernel->launches.max_bytes = PAIL_AD_CACHE_BYTES;
}

/* ---- Tasks ----------------------------------------------------------------------------------- */
struct marks {
    uint8_t *slot, *dep;
};

static void mark_slot(void *user, uint32_t operand)
{
    ((struct marks *)user)->slot[operand] = 1;
}

/* Marks all slots and deps below a task's roots. */
static void mark_task(const struct pail_ad_program *p, uint32_t task, struct marks *marks)
{
    memset(marks->slot, 0, p->n_slots);
    memset(marks->dep, 0, p->n_deps);
    for (uint32_t r = p->task_first[task]; r < p->task_first[task + 1]; r++)
        if (p->roots[r].slot != PAIL_AD_NONE) {
            const struct pail_ad_slot *root = &p->slots[p->roots[r].slot];
            marks->slot[p->roots[r].slot] = 1;
            for (uint32_t i = 0; i < root->n_deps; i++)
                marks->dep[p->dep_lists[root->deps_first + i]] = 1;
        }
    for (uint32_t i = p->n_slots; i-- > 0;)
        if (marks->slot[i])
            pail_ad_each_operand(p, i, mark_slot, marks);
}

static bool is_leaf(const struct pail_ad_slot *slot)
{
    return slot->op == PAIL_AD_SPEC || slot->op == PAIL_AD_READ;
}

/* Two passes: the first counts (lists are NULL), the second fills. */
static void list_tasks(struct pail_ad_kernel *kernel, struct marks *marks, uint32_t *n_deps,
                       uint32_t *n_leaves)
{
    const struct pail_ad_program *p = kernel->program;
    *n_deps = *n_leaves = 0;
    for (uint32_t t = 0; t < p->n_tasks; t++) {
        struct pail_ad_task *task = &kernel->tasks[t];
        mark_task(p, t, marks);
        task->deps_first = *n_deps;
        task->leaves_first = *n_leaves;
        for (uint32_t i = 0; i < p->n_deps; i++) {
            if (marks->dep[i] && kernel->task_deps)
                kernel->task_deps[*n_deps] = i;
            *n_deps += marks->dep[i];
            kernel->needed[i] |= marks->dep[i];
        }
        for (uint32_t i = 0; i < p->n_slots; i++) {
            const bool leaf = marks->slot[i] && is_leaf(&p->slots[i]);
            if (leaf && kernel->task_leaves)
                kernel->task_leaves[*n_leaves] = i;
            *n_leaves += leaf;
        }
        task->n_deps = *n_deps - task->deps_first;
        task->n_leaves = *n_leaves - task->leaves_first;
    }
}

/* Room for `n` elements; there is always one, so that NULL is a failure. */
static bool make(const struct pail_alloc *alloc, void *array, size_t n, size_t size)
{
    void *memory = pail_calloc(alloc, n ? n : 1, size);
    memcpy(array, &memory, sizeof(memory)); /* array is the address of a pointer of any type */
    return memory != NULL;
}

static pail_status find_tasks(struct pail_ad_kernel *kernel, struct pail_error *err)
{
    const struct pail_alloc *alloc = &kernel->alloc;
    const struct pail_ad_program *p = kernel->program;
    struct marks marks = {0};
    uint32_t n_deps = 0, n_leaves = 0;
    bool good = make(alloc, &marks.slot, p->n_slots, 1) && make(alloc, &marks.dep, p->n_deps, 1) &&
                make(alloc, &kernel->needed, p->n_deps, 1);
    if (good)
        list_tasks(kernel, &marks, &n_deps, &n_leaves);
    good = good && make(alloc, &kernel->task_deps, n_deps, sizeof(uint32_t)) &&
           make(alloc, &kernel->task_leaves, n_leaves, sizeof(uint32_t));
    if (good) {
        list_tasks(kernel, &marks, &n_deps, &n_leaves);
        use_sources(kernel);
    }
    pail_free(alloc, marks.slot);
    pail_free(alloc, marks.dep);
    return good ? PAIL_OK
                : pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for the tasks of a kernel");
}

/* ---- Memos ----------------------------------------------------------------------------------- */
static void remember(struct pail_ad_kernel *kernel, uint32_t slot)
{
    if (slot != PAIL_AD_NONE && kernel->memo_of[slot] == PAIL_AD_NONE)
        kernel->memo_of[slot] = kernel->n_slot_memos++;
}

static size_t place_memos(struct pail_ad_kernel *kernel)
{
    const struct pail_ad_program *p = kernel->program;
    size_t words = 0;
    for (uint32_t i = 0; i < p->n_deps; i++) {
        const uint32_t n_key = 3 + 2 * (uint32_t)p->ranks[p->deps[i].source];
        if (p->deps[i].kind != PAIL_AD_DEP_CONTENTS)
            continue;
        if (kernel->memory)
            pail_ad_memo_init(&kernel->dep_memos[i], kernel->memory + words, PAIL_AD_ARRAY_WAYS,
                              n_key, 1);
        words += pail_ad_memo_words(PAIL_AD_ARRAY_WAYS, n_key, 1);
    }
    for (uint32_t i = 0; i < p->n_slots; i++) {
        if (kernel->memo_of[i] == PAIL_AD_NONE)
            continue;
        if (kernel->memory)
            pail_ad_memo_init(&kernel->slot_memos[kernel->memo_of[i]], kernel->memory + words,
                              PAIL_AD_SLOT_WAYS, p->slots[i].n_deps, 2);
        words += pail_ad_memo_words(PAIL_AD_SLOT_WAYS, p->slots[i].n_deps, 2);
    }
    for (uint32_t t = 0; t < p->n_tasks; t++) {
        struct pail_ad_task *task = &kernel->tasks[t];
        if (kernel->memory)
            pail_ad_memo_init(&task->memo, kernel->memory + words, PAIL_AD_TASK_WAYS, task->n_deps,
                              1);
        words += pail_ad_memo_words(PAIL_AD_TASK_WAYS, task->n_deps, 1);
    }
    return words;
}

static pail_status make_memos(struct pail_ad_kernel *kernel, struct pail_error *err)
{
    const struct pail_alloc *alloc = &kernel->alloc;
    const struct pail_ad_program *p = kernel->program;
    bool good = make(alloc, &kernel->memo_of, p->n_slots, sizeof(uint32_t)) &&
                make(alloc, &kernel->dep_memos, p->n_deps, sizeof(*kernel->dep_memos));
    for (uint32_t i = 0; good && i < p->n_slots; i++)
        kernel->memo_of[i] = PAIL_AD_NONE;
    for (uint32_t i = 0; good && i < p->n_specs; i++)
        remember(kernel, p->specs[i].slot);
    for (uint32_t i = 0; good && i < p->task_first[p->n_tasks]; i++)
        remember(kernel, p->roots[i].slot);
    good =
        good && make(alloc, &kernel->slot_memos, kernel->n_slot_memos, sizeof(*kernel->slot_memos));
    good = good && make(alloc, &kernel->memory, place_memos(kernel), sizeof(uint64_t));
    if (good)
        (void)place_memos(kernel);
    return good ? PAIL_OK
                : pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for the cache of a kernel");
}

/* ---- Kernels --------------------------------------------------------------------------------- */
pail_status pail_ad_kernel_make(struct pail_ad_kernel **out, const pail_kernel_desc *desc,
                                const struct pail_alloc *alloc, struct pail_error *err)
{
    *out = NULL;
    struct pail_ad_kernel *kernel = pail_calloc(alloc, 1, sizeof(*kernel));
    if (!kernel)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a kernel");
    kernel->alloc = *alloc;
    atomic_init(&kernel->refs, 1);
    if (pthread_mutex_init(&kernel->lock, NULL) != 0) {
        pail_free(alloc, kernel);
        return pail_fail(err, PAIL_ERR_INTERNAL, "a mutex cannot be made");
    }
    pail_status status = pail_ad_desc_copy(&kernel->desc, desc, alloc, err);
    if (status == PAIL_OK)
        status = pail_ad_program_build(&kernel->program, kernel->desc, alloc, err);
    if (status == PAIL_OK &&
        (!make(alloc, &kernel->sources, kernel->desc->n_sources, sizeof(*kernel->sources)) ||
         !make(alloc, &kernel->tasks, kernel->desc->n_tasks, sizeof(*kernel->tasks))))
        status = pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a kernel");
    if (status == PAIL_OK)
        status = find_sources(kernel, err);
    if (status == PAIL_OK)
        status = find_tasks(kernel, err);
    if (status == PAIL_OK)
        status = make_memos(kernel, err);
    if (status != PAIL_OK) {
        pail_ad_kernel_release(kernel);
        return status;
    }
    *out = kernel;
    return PAIL_OK;
}

void pail_ad_kernel_retain(struct pail_ad_kernel *kernel)
{
    atomic_fetch_add_explicit(&kernel->refs, 1, memory_order_relaxed);
}

static void free_results(struct pail_ad_kernel *kernel)
{
    (void)pail_ad_launches_free(pail_ad_launches_take(&kernel->launches, NULL, NULL),
                                &kernel->alloc);
    for (uint32_t i = 0; i < PAIL_AD_RECENT; i++)
        pail_ad_result_release(kernel->recent[i].result);
    for (uint32_t t = 0; kernel->memory && t < kernel->program->n_tasks; t++)
        for (uint32_t way = 0; way < PAIL_AD_TASK_WAYS; way++) {
            const uint64_t *laid = pail_ad_memo_value(&kernel->tasks[t].memo, way);
            if (laid)
                pail_ad_laid_release((struct pail_ad_laid *)(uintptr_t)*laid, &kernel->alloc);
        }
}

void pail_ad_kernel_release(struct pail_ad_kernel *kernel)
{
    if (!kernel || atomic_fetch_sub_explicit(&kernel->refs, 1, memory_order_acq_rel) != 1)
        return;
    const struct pail_alloc alloc = kernel->alloc;
    free_results(kernel);
    while (kernel->idle) {
        struct pail_ad_frame *frame = kernel->idle;
        kernel->idle = frame->next;
        pail_free(&alloc, frame);
    }
    void *const parts[] = {kernel->memory,     kernel->dep_memos,
                           kernel->slot_memos, kernel->memo_of,
                           kernel->task_deps,  kernel->task_leaves,
                           kernel->tasks,      kernel->sources,
                           kernel->needed,     kernel->launches.turnover.ghosts};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        pail_free(&alloc, parts[i]);
    pail_ad_program_free(kernel->program, &alloc);
    pail_ad_desc_free(kernel->desc, &alloc);
    pthread_mutex_destroy(&kernel->lock);
    pail_free(&alloc, kernel);
}

/* ---- Frames ---------------------------------------------------------------------------------- */
#define ALIGN(bytes) (((bytes) + 15) & ~(size_t)15)

pail_status pail_ad_frame_take(struct pail_ad_frame **out, struct pail_ad_kernel *kernel,
                               struct pail_error *err)
{
    pthread_mutex_lock(&kernel->lock);
    struct pail_ad_frame *frame = kernel->idle;
    if (frame)
        kernel->idle = frame->next;
    pthread_mutex_unlock(&kernel->lock);
    *out = frame;
    if (frame)
        return PAIL_OK;
    const size_t n_sources = kernel->desc->n_sources, n_deps = kernel->program->n_deps;
    const size_t sizes[] = {ALIGN(sizeof(*frame)),
                            ALIGN(n_sources * sizeof(*frame->arrays)),
                            ALIGN(kernel->n_seen * sizeof(*frame->seen)),
                            ALIGN(kernel->n_key * sizeof(*frame->key)),
                            ALIGN(n_deps * sizeof(*frame->versions)),
                            ALIGN(n_deps * sizeof(*frame->scratch)),
                            ALIGN(n_sources),
                            ALIGN(n_sources)};
    size_t at[9] = {0};
    for (int i = 0; i < 8; i++)
        at[i + 1] = at[i] + sizes[i];
    unsigned char *memory = pail_calloc(&kernel->alloc, 1, at[8]);
    if (!memory)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a launch");
    frame = (struct pail_ad_frame *)(void *)memory;
    frame->arrays = (struct pail_ad_array *)(void *)(memory + at[1]);
    frame->seen = (struct pail_ad_seen *)(void *)(memory + at[2]);
    frame->key = (uint64_t *)(void *)(memory + at[3]);
    frame->versions = (uint64_t *)(void *)(memory + at[4]);
    frame->scratch = (uint64_t *)(void *)(memory + at[5]);
    frame->bound = memory + at[6];
    frame->untracked = memory + at[7];
    *out = frame;
    return PAIL_OK;
}

void pail_ad_frame_give(struct pail_ad_kernel *kernel, struct pail_ad_frame *frame)
{
    if (!frame)
        return;
    pthread_mutex_lock(&kernel->lock);
    frame->next = kernel->idle;
    kernel->idle = frame;
    pthread_mutex_unlock(&kernel->lock);
}
