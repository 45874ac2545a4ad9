#include "layout.h"

#include <inttypes.h>

#include "tasks.h"

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
                          const pail_task_launch *launch, const char *where, struct pail_error *err)
{
    const uint64_t rows[2] = {pail_ad_rows(launch), launch->threads};
    for (int heap = 0; heap < 2; heap++)
        if (!multiply_add(&bytes[heap], stride[heap], rows[heap], 0))
            return pail_fail(err, PAIL_ERR_DATA,
                             "%s: %" PRIu64 " bytes for each of %" PRIu64
                             " %s of the %s heap are beyond 64 bits",
                             where, stride[heap], rows[heap],
                             heap == PAIL_HEAP_FLOAT && pail_ad_is_gated(launch) ? "rows"
                                                                                 : "threads",
                             heap == PAIL_HEAP_FLOAT ? "float" : "int");
    return PAIL_OK;
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

pail_status pail_ad_metadata(uint32_t words[], uint32_t task_flags,
                             const struct pail_ad_place places[], size_t n_stacks,
                             const uint64_t stride[2], size_t task, struct pail_error *err)
{
    for (size_t i = 0; i < 2 * n_stacks + 2; i++) {
        const struct pail_ad_place *place = i < 2 ? NULL : &places[i / 2 - 1];
        const uint64_t value = !place  ? pail_ad_units(task_flags, stride[i])
                               : i % 2 ? place->capacity
                                       : pail_ad_units(task_flags, place->offset);
        static const char *const names[] = {"float stride", "int stride", "offset", "capacity"};
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
    words[2 * n_stacks + 2] = 0;
    return PAIL_OK;
}
