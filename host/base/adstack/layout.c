/* SPDX-License-Identifier: Apache-2.0 */
#include "layout.h"

#include "desc.h"
#include "tasks.h"

#include <inttypes.h>
#include <string.h>

/* a * b + c, and whether it fits. */
static bool multiply_add(uint64_t *out, uint64_t a, uint64_t b, uint64_t c)
{
    if (a && b > UINT64_MAX / a)
        return false;
    *out = a * b;
    if (*out > UINT64_MAX - c)
        return false;
    *out += c;
    return true;
}

static bool round_up(uint64_t *bytes, uint32_t alignment)
{
    if (alignment == 0)
        return true;
    const uint64_t mask = alignment - 1;
    if (*bytes > UINT64_MAX - mask)
        return false;
    *bytes = (*bytes + mask) & ~mask;
    return true;
}

pail_status pail_ad_layout(struct pail_ad_place places[], uint64_t stride[2],
                           const pail_task_desc *task, const int64_t raw[], const char *where,
                           struct pail_error *err)
{
    stride[PAIL_HEAP_FLOAT] = stride[PAIL_HEAP_INT] = 0;
    for (size_t i = 0; i < task->n_stacks; i++) {
        const pail_stack_desc *stack = &task->stacks[i];
        if (stack->heap >= PAIL_HEAP_ROWS) {
            const uint64_t count = stack->static_capacity ? stack->static_capacity
                                   : raw[i] > 0           ? (uint64_t)raw[i]
                                                          : 0;
            places[i] = (struct pail_ad_place){count, 0, raw[i]};
            continue;
        }
        const uint64_t capacity = stack->static_capacity ? stack->static_capacity
                                  : raw[i] > 1           ? (uint64_t)raw[i]
                                                         : 1;
        uint64_t *end = &stride[stack->heap], step;
        places[i] = (struct pail_ad_place){capacity, *end, raw[i]};
        if (!multiply_add(&step, (uint64_t)stack->copies * stack->element_bytes, capacity,
                          stack->header_bytes) ||
            !round_up(&step, stack->alignment) || !multiply_add(end, 1, step, *end))
            return pail_fail(err, PAIL_ERR_DATA,
                             "%s, stack %zu: %" PRIu64 " entries of %u * %u bytes for each thread "
                             "are beyond 64 bits",
                             where, i, capacity, stack->copies, stack->element_bytes);
    }
    return PAIL_OK;
}

pail_status pail_ad_heaps(uint64_t bytes[2], const uint64_t stride[2],
                          const pail_task_launch *launch, const struct pail_ad_place *counted,
                          const char *where, struct pail_error *err)
{
    const bool counts = counted && !pail_ad_is_gated(launch);
    const uint64_t rows[2] = {counts ? counted->capacity : pail_ad_rows(launch), launch->threads};
    pail_status status = PAIL_OK;
    for (int heap = 2; heap-- > 0;) {
        if (multiply_add(&bytes[heap], stride[heap], rows[heap], 0))
            continue;
        bytes[heap] = UINT64_MAX;
        status = pail_fail(
            err, PAIL_ERR_DATA,
            "%s: %" PRIu64 " bytes for each of %" PRIu64 " %s of the %s heap are beyond 64 bits",
            where, stride[heap], rows[heap],
            heap == PAIL_HEAP_FLOAT && (counts || pail_ad_is_gated(launch)) ? "rows" : "threads",
            heap == PAIL_HEAP_FLOAT ? "float" : "int");
    }
    return status;
}

uint64_t pail_ad_grow(uint64_t have, uint64_t need)
{
    if (have >= need)
        return have;
    const uint64_t twice = have > UINT64_MAX / 2 ? UINT64_MAX : 2 * have;
    return twice > need ? twice : need;
}

uint64_t pail_ad_units(uint32_t task_flags, uint64_t bytes)
{
    return task_flags & PAIL_TASK_ELEMENT_UNITS ? bytes / 4 : bytes;
}

static bool is_wide(uint32_t task_flags)
{
    return (task_flags & PAIL_TASK_WIDE_METADATA) != 0;
}

uint64_t pail_ad_metadata_words(uint32_t task_flags, uint64_t n_stacks)
{
    return is_wide(task_flags) ? 4 + 4 * n_stacks : 3 + 2 * n_stacks;
}

/* The place of a number of wide metadata: all offsets come before all capacities. */
static size_t wide_place(size_t number, size_t n_stacks)
{
    return number < 2 ? number : 2 + (number % 2 ? n_stacks : 0) + (number - 2) / 2;
}

uint64_t pail_ad_metadata_at(const uint32_t words[], uint32_t task_flags, size_t n_stacks,
                             size_t number)
{
    if (!is_wide(task_flags))
        return words[number];
    const uint32_t *at = &words[2 * wide_place(number, n_stacks)];
    return at[0] | (uint64_t)at[1] << 32;
}

pail_status pail_ad_metadata(uint32_t words[], uint32_t task_flags,
                             const struct pail_ad_place places[], size_t n_stacks,
                             const uint64_t stride[2], size_t task, struct pail_error *err)
{
    const bool wide = is_wide(task_flags);
    for (size_t i = 0; i < 2 * n_stacks + 2; i++) {
        const struct pail_ad_place *place = i < 2 ? NULL : &places[i / 2 - 1];
        const uint64_t value = !place  ? pail_ad_units(task_flags, stride[i])
                               : i % 2 ? place->capacity
                                       : pail_ad_units(task_flags, place->offset);
        static const char *const names[] = {"float stride", "int stride", "offset", "capacity"};
        if (wide) {
            uint32_t *at = &words[2 * wide_place(i, n_stacks)];
            at[0] = (uint32_t)(value & UINT32_MAX);
            at[1] = (uint32_t)(value >> 32);
            continue;
        }
        if (value > UINT32_MAX && !place)
            return pail_fail(err, PAIL_ERR_DATA,
                             "task %zu: the %s of %" PRIu64 " does not fit 32 bits", task, names[i],
                             value);
        if (value > UINT32_MAX)
            return pail_fail(err, PAIL_ERR_DATA,
                             "task %zu, stack %zu: the %s of %" PRIu64 " does not fit 32 bits",
                             task, i / 2 - 1, names[2 + i % 2], value);
        words[i] = (uint32_t)value;
    }
    if (!wide)
        words[2 * n_stacks + 2] = 0;
    return PAIL_OK;
}

/* ---- Claims ---------------------------------------------------------------------------------- */
uint64_t pail_ad_words_in(uint32_t task_flags, uint64_t n_placed, bool claims)
{
    const uint64_t words = pail_ad_metadata_words(task_flags, n_placed);
    return claims ? words + PAIL_AD_CLAIM_NUMBERS * (is_wide(task_flags) ? 2u : 1u) : words;
}

/* The bytes of both heaps times the time of a kernel, of which a signed number keeps what a device
 * can compute as well. */
static uint64_t weigh(const uint64_t bytes[2], uint32_t time)
{
    uint64_t sum, weight;
    return multiply_add(&sum, 1, bytes[0], bytes[1]) && multiply_add(&weight, sum, time, 0) &&
                   weight < INT64_MAX
               ? weight
               : INT64_MAX;
}

static bool claims_are_less(const struct pail_ad_claims *claims, uint32_t task_flags,
                            const pail_task_launch *launch)
{
    for (int heap = 0; heap < 2; heap++)
        if (!is_wide(task_flags) && claims->total[heap] > UINT32_MAX)
            return false;
    return weigh(claims->claimed, pail_ad_claimed_time(launch)) <
           weigh(claims->rows, PAIL_AD_ROWS_TIME);
}

pail_status pail_ad_claims_choose(struct pail_ad_claims *claims, const struct pail_ad_laid *laid,
                                  uint32_t task_flags, const pail_task_launch *launch,
                                  const char *where, struct pail_error *err)
{
    struct pail_error rows_err = {0};
    const pail_status rows =
        pail_ad_heaps(claims->rows, laid->stride, launch, pail_ad_counted(laid), where, &rows_err);
    pail_status status = PAIL_OK;
    claims->any = laid->claims[0] != PAIL_AD_NONE || laid->claims[1] != PAIL_AD_NONE;
    for (int heap = 2; heap-- > 0;) {
        const uint32_t stack = laid->claims[heap];
        claims->claimed[heap] = claims->rows[heap];
        claims->total[heap] = 0;
        if (stack == PAIL_AD_NONE)
            continue;
        claims->total[heap] = laid->places[stack].capacity;
        if (multiply_add(&claims->claimed[heap], claims->total[heap],
                         task_flags & PAIL_TASK_ELEMENT_UNITS ? 4 : 1, 0))
            continue;
        claims->claimed[heap] = UINT64_MAX;
        status =
            pail_fail(err, PAIL_ERR_DATA,
                      "%s, stack %u: claims of %" PRIu64 " elements of 4 bytes are beyond 64 bits",
                      where, stack, claims->total[heap]);
    }
    const bool claimed =
        claims->any && launch->layout != PAIL_LAYOUT_ROWS &&
        (launch->layout == PAIL_LAYOUT_CLAIMED || claims_are_less(claims, task_flags, launch));
    claims->layout = claimed ? PAIL_LAYOUT_CLAIMED : PAIL_LAYOUT_ROWS;
    if (claimed && status != PAIL_OK)
        return status;
    if (rows != PAIL_OK &&
        (!claimed || claims->claimed[0] == UINT64_MAX || claims->claimed[1] == UINT64_MAX))
        return pail_fail(err, rows, "%s", rows_err.text);
    return PAIL_OK;
}

pail_status pail_ad_claims_put(uint32_t words[], uint32_t task_flags,
                               const struct pail_ad_claims *claims, size_t task,
                               struct pail_error *err)
{
    const uint64_t numbers[PAIL_AD_CLAIM_NUMBERS] = {claims->layout, 0, claims->total[0], 0,
                                                     claims->total[1]};
    for (size_t i = 0; i < PAIL_AD_CLAIM_NUMBERS; i++) {
        if (is_wide(task_flags)) {
            words[2 * i] = (uint32_t)(numbers[i] & UINT32_MAX);
            words[2 * i + 1] = (uint32_t)(numbers[i] >> 32);
            continue;
        }
        if (numbers[i] > UINT32_MAX && claims->layout == PAIL_LAYOUT_CLAIMED)
            return pail_fail(err, PAIL_ERR_DATA,
                             "task %zu: the %" PRIu64 " units that threads claim of the %s heap do "
                             "not fit 32 bits",
                             task, numbers[i], i < 3 ? "float" : "int");
        words[i] = (uint32_t)(numbers[i] < UINT32_MAX ? numbers[i] : UINT32_MAX);
    }
    return PAIL_OK;
}

bool pail_ad_claims_read(uint32_t *layout, uint64_t total[2], const uint32_t words[],
                         uint32_t task_flags)
{
    const uint32_t step = is_wide(task_flags) ? 2 : 1;
    *layout = words[0];
    for (uint32_t heap = 0; heap < 2; heap++) {
        const uint32_t *const at = &words[step * (2 + 2 * heap)];
        total[heap] = at[0] | (step == 2 ? (uint64_t)at[1] << 32 : 0);
        if (total[heap] > INT64_MAX)
            return false;
        if (step == 1 && words[0] == PAIL_LAYOUT_ROWS && total[heap] == UINT32_MAX)
            total[heap] = INT64_MAX; /* that or more */
    }
    return (*layout == PAIL_LAYOUT_ROWS || *layout == PAIL_LAYOUT_CLAIMED) &&
           (step == 1 || words[1] == 0);
}

#define ALIGN(bytes) (((bytes) + 15) & ~(size_t)15)

pail_status pail_ad_laid_make(struct pail_ad_laid **out, const pail_task_desc *task,
                              uint32_t n_leaves, const struct pail_alloc *alloc,
                              struct pail_error *err)
{
    const uint32_t n_stacks = (uint32_t)task->n_stacks;
    const size_t head = ALIGN(sizeof(struct pail_ad_laid));
    const size_t places = ALIGN(n_stacks * sizeof(struct pail_ad_place));
    const size_t leaves = ALIGN(n_leaves * sizeof(struct pail_ad_value));
    unsigned char *memory = pail_calloc(alloc, 1, head + places + leaves + n_leaves);
    *out = NULL;
    if (!memory)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for the layout of %u stacks",
                         n_stacks);
    struct pail_ad_laid *laid = (struct pail_ad_laid *)(void *)memory;
    atomic_init(&laid->refs, 1);
    laid->n_stacks = n_stacks;
    laid->n_placed = (uint32_t)pail_ad_n_placed(task);
    laid->counted = pail_ad_stack_on(task, PAIL_HEAP_ROWS);
    laid->claims[PAIL_HEAP_FLOAT] = pail_ad_stack_on(task, PAIL_HEAP_FLOAT_CLAIMS);
    laid->claims[PAIL_HEAP_INT] = pail_ad_stack_on(task, PAIL_HEAP_INT_CLAIMS);
    laid->n_leaves = n_leaves;
    laid->bytes = head + places + leaves + n_leaves;
    laid->places = (struct pail_ad_place *)(void *)(memory + head);
    laid->leaves = (struct pail_ad_value *)(void *)(memory + head + places);
    laid->leaf_known = memory + head + places + leaves;
    *out = laid;
    return PAIL_OK;
}

void pail_ad_laid_retain(struct pail_ad_laid *laid)
{
    atomic_fetch_add_explicit(&laid->refs, 1, memory_order_relaxed);
}

void pail_ad_laid_release(struct pail_ad_laid *laid, const struct pail_alloc *alloc)
{
    if (laid && atomic_fetch_sub_explicit(&laid->refs, 1, memory_order_acq_rel) == 1)
        pail_free(alloc, laid);
}

pail_status pail_ad_result_make(struct pail_adstack_result **out, uint32_t n_tasks,
                                const uint32_t n_stacks[], uint32_t n_key,
                                const struct pail_alloc *alloc, struct pail_error *err)
{
    const size_t head = ALIGN(sizeof(struct pail_adstack_result));
    const size_t tasks = ALIGN(n_tasks * sizeof(struct pail_ad_result_task));
    const size_t key = ALIGN(n_key * sizeof(uint64_t));
    size_t origins = 0;
    for (uint32_t t = 0; t < n_tasks; t++)
        origins += n_stacks[t];
    unsigned char *memory = pail_calloc(alloc, 1, head + tasks + key + origins);
    *out = NULL;
    if (!memory)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for the sizes of %u tasks",
                         n_tasks);
    struct pail_adstack_result *result = (struct pail_adstack_result *)(void *)memory;
    atomic_init(&result->refs, 1);
    result->alloc = *alloc;
    result->n_tasks = n_tasks;
    result->n_key = n_key;
    result->bytes = head + tasks + key + origins;
    result->tasks = (struct pail_ad_result_task *)(void *)(memory + head);
    result->key = (uint64_t *)(void *)(memory + head + tasks);
    uint8_t *at = memory + head + tasks + key;
    for (uint32_t t = 0; t < n_tasks; at += n_stacks[t++])
        result->tasks[t].origins = at;
    *out = result;
    return PAIL_OK;
}

pail_status pail_ad_result_tell(struct pail_adstack_result *result, const char *text,
                                struct pail_error *err)
{
    const size_t bytes = strlen(text) + 1;
    result->text = pail_calloc(&result->alloc, 1, bytes);
    if (!result->text)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %zu bytes of explanation",
                         bytes);
    memcpy(result->text, text, bytes);
    return PAIL_OK;
}

pail_status pail_ad_result_cached(struct pail_adstack_result **out,
                                  const struct pail_adstack_result *result, const char *text,
                                  struct pail_error *err)
{
    struct pail_adstack_result *made;
    uint32_t *n_stacks = pail_calloc(&result->alloc, result->n_tasks, sizeof(*n_stacks));
    *out = NULL;
    if (!n_stacks)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for the sizes of %u tasks",
                         result->n_tasks);
    for (uint32_t t = 0; t < result->n_tasks; t++)
        n_stacks[t] = result->tasks[t].laid->n_stacks;
    pail_status status =
        pail_ad_result_make(&made, result->n_tasks, n_stacks, result->n_key, &result->alloc, err);
    pail_free(&result->alloc, n_stacks);
    if (status != PAIL_OK)
        return status;
    memcpy(made->key, result->key, result->n_key * sizeof(uint64_t));
    for (uint32_t t = 0; t < result->n_tasks; t++) {
        uint8_t *origins = made->tasks[t].origins;
        made->tasks[t] = result->tasks[t];
        made->tasks[t].origins = origins;
        pail_ad_laid_retain(made->tasks[t].laid);
        for (uint32_t s = 0; s < made->tasks[t].laid->n_stacks; s++) {
            const uint8_t origin = result->tasks[t].origins[s];
            origins[s] =
                origin == PAIL_SIZE_HOST || origin == PAIL_SIZE_DEVICE ? PAIL_SIZE_CACHED : origin;
        }
    }
    if (text)
        status = pail_ad_result_tell(made, text, err);
    if (status == PAIL_OK)
        *out = made;
    else
        pail_ad_result_release(made);
    return status;
}

uint64_t pail_ad_result_bytes(const struct pail_adstack_result *result, bool with_layouts)
{
    uint64_t bytes = result->bytes;
    for (uint32_t t = 0; with_layouts && t < result->n_tasks; t++)
        bytes += result->tasks[t].laid->bytes;
    return bytes;
}

void pail_ad_result_retain(struct pail_adstack_result *result)
{
    atomic_fetch_add_explicit(&result->refs, 1, memory_order_relaxed);
}

bool pail_ad_result_try_retain(struct pail_adstack_result *result)
{
    unsigned int refs = atomic_load_explicit(&result->refs, memory_order_relaxed);
    while (refs > 0)
        if (atomic_compare_exchange_weak_explicit(&result->refs, &refs, refs + 1,
                                                  memory_order_relaxed, memory_order_relaxed))
            return true;
    return false;
}

void pail_ad_result_release(struct pail_adstack_result *result)
{
    if (!result || atomic_fetch_sub_explicit(&result->refs, 1, memory_order_acq_rel) != 1)
        return;
    const struct pail_alloc alloc = result->alloc;
    for (uint32_t t = 0; t < result->n_tasks; t++)
        pail_ad_laid_release(result->tasks[t].laid, &alloc);
    if (result->drop)
        result->drop(result->user);
    pail_free(&alloc, result->text);
    pail_free(&alloc, result);
}
