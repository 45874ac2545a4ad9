/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include "field.h"

#include <curves/fnv.h>

#define ELEMENT_BYTES 32u

void pail_field_steps_init(struct pail_field_steps *s, struct pail_vectors *field)
{
    *s = (struct pail_field_steps){.field = field};
    pail_vk_steps_init(&s->list, &field->alloc);
}

void pail_field_steps_fini(struct pail_field_steps *s)
{
    pail_vk_steps_fini(&s->list);
    pail_free(&s->field->alloc, s->regions);
    s->regions = NULL;
}

uint32_t pail_field_region(struct pail_field_steps *s, const struct pail_vk_slice *slice)
{
    for (uint32_t i = 0; i < s->n_regions; i++)
        if (s->regions[i].buffer == slice->buffer)
            return i;
    if (s->list.failed == PAIL_OK)
        s->list.failed = pail_grow(&s->field->alloc, &s->regions, &s->regions_capacity,
                                   s->n_regions + 1, sizeof(*slice), &s->list.error);
    if (s->list.failed != PAIL_OK)
        return 0;
    s->regions[s->n_regions] = *slice;
    return s->n_regions++;
}

struct pail_vk_range pail_field_elements(const struct pail_field_steps *s, uint32_t region,
                                         uint64_t offset, uint64_t n, uint32_t *first)
{
    const uint64_t align = pail_vk_device_caps(s->field->dev)->storage_align;
    const uint64_t at = ELEMENT_BYTES * offset, before = at % align;
    *first = (uint32_t)(before / ELEMENT_BYTES);
    return (struct pail_vk_range){region, at - before, before + ELEMENT_BYTES * n};
}

uint64_t pail_field_binding_most(const struct pail_vectors *field)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(field->dev);
    return (caps->max_storage_range - caps->storage_align) / ELEMENT_BYTES;
}

pail_status pail_field_run_begin(struct pail_field_run *run, const struct pail_field_steps *s,
                                 struct pail_error *err)
{
    struct pail_vectors *field = s->field;
    const uint32_t n = s->list.n_requests;
    struct pail_vk_hazards hazards = {.unknown = true};
    pail_status status = PAIL_OK;
    *run = (struct pail_field_run){.ticket = 0};
    if (s->list.failed != PAIL_OK)
        return pail_fail(err, s->list.failed, "%s", s->list.error.text);
    if (n && !(run->pipelines = pail_calloc(&field->alloc, n, sizeof(*run->pipelines))))
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %u pipelines", n);
    if (n)
        status = pail_vk_pipelines_find(field->dev, s->list.requests, n, field->threads,
                                        run->pipelines, &run->stats, err);
    if (status == PAIL_OK)
        status = pail_vk_cmd_begin(field->dev, PAIL_VK_QUEUE_MAIN, "vectors", &run->cmd, err);
    if (status != PAIL_OK)
        return status;
    run->kernel_hash = pail_fnv1a64(NULL, 0);
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t one = pail_vk_pipeline_hash(run->pipelines[i]);
        run->kernel_hash = pail_fnv1a64_more(run->kernel_hash, &one, sizeof(one));
    }
    for (uint32_t i = 0; i < PAIL_VK_SIDES_MAX; i++)
        pail_vk_cmd_wait(run->cmd, s->behind[i]);
    pail_vk_cmd_steps(run->cmd, &s->list, 0, s->list.n, run->pipelines, n, s->regions, s->n_regions,
                      &hazards);
    pail_vk_cmd_stamp(run->cmd, NULL);
    pail_vk_cmd_barrier(run->cmd, PAIL_VK_COMPUTE | PAIL_VK_TRANSFER,
                        PAIL_VK_COMPUTE | PAIL_VK_TRANSFER |
                            (s->stores ? (uint32_t)PAIL_VK_HOST : 0));
    return pail_vk_cmd_submit(run->cmd, &run->ticket, err);
}

void pail_field_run_fini(struct pail_field_run *run, const struct pail_field_steps *s)
{
    pail_vk_cmd_release(&run->cmd);
    pail_free(&s->field->alloc, run->pipelines);
    run->pipelines = NULL;
}

pail_status pail_field_run(const struct pail_field_steps *s, struct pail_error *err)
{
    struct pail_field_run run;
    pail_status status = pail_field_run_begin(&run, s, err);
    if (status == PAIL_OK)
        status = pail_vk_wait(s->field->dev, run.ticket, PAIL_VK_FOREVER, err);
    else if (run.cmd) /* part of it may have been submitted */
        (void)pail_vk_wait(s->field->dev, pail_vk_last_ticket(s->field->dev, PAIL_VK_QUEUE_MAIN),
                           PAIL_VK_FOREVER, NULL);
    pail_field_run_fini(&run, s);
    return status;
}
