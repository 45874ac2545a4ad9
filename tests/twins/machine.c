/* SPDX-License-Identifier: Apache-2.0 */
#include "machine.h"
#include "support/test.h"
#include "twins.h"

#define POISON 0xAAAAAAAAu

void machine_region(struct machine *m, uint32_t region, uint64_t bytes)
{
    assert_in_range(region, 0, MACHINE_REGIONS_MAX - 1);
    m->regions[region] = malloc((size_t)bytes + 4);
    assert_non_null(m->regions[region]);
    memset(m->regions[region], 0xAA, (size_t)bytes + 4);
    m->bytes[region] = bytes;
}

void machine_end(struct machine *m)
{
    for (uint32_t i = 0; i < MACHINE_REGIONS_MAX; i++) {
        if (!m->regions[i])
            continue;
        assert_int_equal(m->regions[i][m->bytes[i] / 4], POISON);
        free(m->regions[i]);
        m->regions[i] = NULL;
    }
}

static uint32_t *words_of(const struct machine *m, const struct pail_vk_range *range)
{
    assert_in_range(range->region, 0, MACHINE_REGIONS_MAX - 1);
    assert_non_null(m->regions[range->region]);
    if (range->offset > m->bytes[range->region] ||
        range->bytes > m->bytes[range->region] - range->offset)
        fail_msg("region %u has %llu bytes, a step wants %llu at %llu", range->region,
                 (unsigned long long)m->bytes[range->region], (unsigned long long)range->bytes,
                 (unsigned long long)range->offset);
    return m->regions[range->region] + range->offset / 4;
}

static void dispatch(struct machine *m, const struct pail_vk_steps *list,
                     const struct pail_vk_step *step)
{
    const struct pail_vk_pipeline_request *request = &list->requests[step->request];
    const struct pail_kernel *kernel = &pail_kernels[request->kernel];
    uint32_t defaults[PAIL_MAX_SPECS] = {0};
    pail_twin_fn *const twin = pail_twin_of(request->kernel);
    if (!twin)
        fail_msg("%s has no twin", kernel->name);
    for (uint32_t i = 0; i < kernel->n_specs; i++)
        defaults[i] = kernel->specs[i].value;
    struct pail_twin_call call = {
        .push = step->push,
        .grid = step->grid,
        .specs = request->n_specs ? request->specs : defaults,
        .variant = {pail_curve_ops(request->variant.curve,
                                   request->variant.group ? request->variant.group : 1),
                    (enum pail_field_form)request->variant.field},
    };
    for (uint32_t i = 0; i < step->n_ranges; i++)
        call.bound[i] = words_of(m, &step->ranges[i]);
    twin(&call);
}

static void execute(struct machine *m, const struct pail_vk_steps *list,
                    const struct pail_vk_step *step)
{
    const struct pail_vk_range *ranges = step->ranges;
    uint32_t *to;
    switch (step->kind) {
    case PAIL_VK_STEP_DISPATCH:
        dispatch(m, list, step);
        break;
    case PAIL_VK_STEP_FILL:
        to = words_of(m, &ranges[0]);
        for (uint64_t i = 0; i < ranges[0].bytes / 4; i++)
            to[i] = step->word;
        break;
    case PAIL_VK_STEP_COPY:
        assert_int_equal(ranges[0].bytes, ranges[1].bytes);
        memcpy(words_of(m, &ranges[1]), words_of(m, &ranges[0]), (size_t)ranges[0].bytes);
        break;
    }
}

static bool may_write(const struct pail_vk_step *step, uint32_t region, uint64_t byte)
{
    for (uint32_t i = 0; i < step->n_uses; i++) {
        const struct pail_vk_use *use = &step->uses[i];
        if ((use->access & PAIL_WRITE) && use->range.region == region &&
            byte >= use->range.offset && byte < use->range.offset + use->range.bytes)
            return true;
    }
    return false;
}

static void compare(const struct machine *m, uint32_t *const before[],
                    const struct pail_vk_steps *list, const struct pail_vk_step *step)
{
    for (uint32_t r = 0; r < MACHINE_REGIONS_MAX; r++)
        for (uint64_t w = 0; m->regions[r] && w < m->bytes[r] / 4; w++)
            if (m->regions[r][w] != before[r][w] && !may_write(step, r, 4 * w))
                fail_msg("step %u (%s) writes word %llu of region %u, and does not say so",
                         (unsigned)(step - list->steps),
                         step->kind == PAIL_VK_STEP_DISPATCH
                             ? pail_kernels[list->requests[step->request].kernel].name
                             : "a transfer",
                         (unsigned long long)w, r);
}

static void execute_strictly(struct machine *m, const struct pail_vk_steps *list,
                             const struct pail_vk_step *step)
{
    uint32_t *before[MACHINE_REGIONS_MAX] = {NULL};
    for (uint32_t r = 0; r < MACHINE_REGIONS_MAX; r++)
        if (m->regions[r]) {
            before[r] = malloc((size_t)m->bytes[r] + 1);
            assert_non_null(before[r]);
            memcpy(before[r], m->regions[r], (size_t)m->bytes[r]);
        }
    execute(m, list, step);
    compare(m, before, list, step);
    for (uint32_t r = 0; r < MACHINE_REGIONS_MAX; r++)
        free(before[r]);
}

void machine_execute(struct machine *m, const struct pail_vk_steps *list)
{
    if (list->failed != PAIL_OK)
        fail_msg("%s", list->error.text);
    for (uint32_t i = 0; i < list->n; i++)
        if (m->strict)
            execute_strictly(m, list, &list->steps[i]);
        else
            execute(m, list, &list->steps[i]);
}
