/* SPDX-License-Identifier: Apache-2.0 */
#include "steps.h"

#include <string.h>

/* Room that a list has first: as much as most recordings take. */
#define STEPS 96u

void pail_vk_steps_init(struct pail_vk_steps *list, const struct pail_alloc *alloc)
{
    *list = (struct pail_vk_steps){.alloc = alloc};
}

void pail_vk_steps_fini(struct pail_vk_steps *list)
{
    if (list->alloc) {
        pail_free(list->alloc, list->steps);
        pail_free(list->alloc, list->requests);
    }
    *list = (struct pail_vk_steps){0};
}

void pail_vk_steps_clear(struct pail_vk_steps *list)
{
    list->n = 0;
    list->phase = NULL;
}

/* NULL once something is wrong. */
static struct pail_vk_step *add(struct pail_vk_steps *list, enum pail_vk_step_kind kind)
{
    if (list->failed == PAIL_OK && list->n == list->capacity)
        list->failed = pail_grow(list->alloc, &list->steps, &list->capacity,
                                 list->n ? list->n + 1 : STEPS, sizeof(*list->steps), &list->error);
    if (list->failed != PAIL_OK)
        return NULL;
    struct pail_vk_step *step = &list->steps[list->n++];
    step->kind = kind;
    step->phase = list->phase;
    return step;
}

static bool same_request(const struct pail_vk_pipeline_request *a,
                         const struct pail_vk_pipeline_request *b)
{
    return a->kernel == b->kernel && a->variant.curve == b->variant.curve &&
           a->variant.group == b->variant.group && a->variant.field == b->variant.field &&
           a->variant.lanes == b->variant.lanes && a->n_specs == b->n_specs &&
           memcmp(a->specs, b->specs, a->n_specs * sizeof(a->specs[0])) == 0;
}

static uint32_t request_number(struct pail_vk_steps *list,
                               const struct pail_vk_pipeline_request *request)
{
    struct pail_vk_pipeline_request one = *request;
    uint32_t i = 0;
    one.variant = pail_kernel_narrow(&pail_kernels[one.kernel], one.variant);
    while (i < list->n_requests && !same_request(&list->requests[i], &one))
        i++;
    if (i < list->n_requests)
        return i;
    if (list->failed == PAIL_OK)
        list->failed = pail_grow(list->alloc, &list->requests, &list->requests_capacity, i + 1,
                                 sizeof(one), &list->error);
    if (list->failed != PAIL_OK)
        return 0;
    list->requests[list->n_requests++] = one;
    return i;
}

static void use(struct pail_vk_step *step, struct pail_vk_range range, enum pail_access access)
{
    step->uses[step->n_uses++] = (struct pail_vk_use){range, access};
}

void pail_vk_steps_dispatch(struct pail_vk_steps *list, const struct pail_vk_dispatch *d)
{
    const struct pail_kernel *kernel = &pail_kernels[d->request->kernel];
    const uint32_t number = request_number(list, d->request);
    if (d->grid[0] == 0 || d->grid[1] == 0 || d->grid[2] == 0)
        return;
    struct pail_vk_step *step = add(list, PAIL_VK_STEP_DISPATCH);
    if (!step)
        return;
    step->request = number;
    step->word = 0;
    memcpy(step->grid, d->grid, sizeof(step->grid));
    step->push_bytes = kernel->push_bytes;
    memcpy(step->push, d->push, kernel->push_bytes);
    step->work = d->work;
    step->n_ranges = kernel->n_bindings;
    memcpy(step->ranges, d->bindings, kernel->n_bindings * sizeof(d->bindings[0]));
    step->n_uses = d->n_uses;
    memcpy(step->uses, d->uses, d->n_uses * sizeof(d->uses[0]));
    for (uint32_t i = 0; d->n_uses == 0 && i < kernel->n_bindings; i++)
        use(step, d->bindings[i], kernel->bindings[i].access);
}

static struct pail_vk_step *add_transfer(struct pail_vk_steps *list, enum pail_vk_step_kind kind)
{
    struct pail_vk_step *step = add(list, kind);
    if (!step)
        return NULL;
    step->request = step->push_bytes = step->n_ranges = step->n_uses = step->word = 0;
    memset(step->grid, 0, sizeof(step->grid));
    step->work = (struct pail_vk_work){.units = 0};
    return step;
}

void pail_vk_steps_fill(struct pail_vk_steps *list, struct pail_vk_range range, uint32_t word)
{
    struct pail_vk_step *step = range.bytes ? add_transfer(list, PAIL_VK_STEP_FILL) : NULL;
    if (!step)
        return;
    step->word = word;
    step->ranges[step->n_ranges++] = range;
    use(step, range, PAIL_WRITE);
}

void pail_vk_steps_copy(struct pail_vk_steps *list, struct pail_vk_range from,
                        struct pail_vk_range to)
{
    struct pail_vk_step *step = from.bytes ? add_transfer(list, PAIL_VK_STEP_COPY) : NULL;
    if (!step)
        return;
    step->ranges[step->n_ranges++] = from;
    step->ranges[step->n_ranges++] = to;
    use(step, from, PAIL_READ);
    use(step, to, PAIL_WRITE);
}

void pail_vk_steps_weave(struct pail_vk_steps *list, uint32_t first, uint32_t middle)
{
    for (uint32_t i = 0; middle + i < list->n && first + 2 * i < middle + i; i++) {
        const uint32_t from = middle + i;
        struct pail_vk_step *const at = &list->steps[first + 2 * i];
        struct pail_vk_step step = list->steps[from];
        step.phase = at->phase;
        memmove(at + 1, at, (size_t)(&list->steps[from] - at) * sizeof(*at));
        *at = step;
    }
}

void pail_vk_grid(uint64_t threads, uint32_t workgroup, uint32_t grid[3])
{
    const uint32_t groups = (uint32_t)((threads + workgroup - 1) / workgroup);
    const uint32_t width = groups <= 32768 ? 32768 : groups <= 65535u * 256 ? 256 : 65535;
    grid[1] = (groups + width - 1) / width;
    grid[0] = grid[1] ? (groups + grid[1] - 1) / grid[1] : 0;
    grid[2] = 1;
}
