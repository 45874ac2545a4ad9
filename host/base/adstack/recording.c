#include "recording.h"

#include <string.h>

#include "record.h"

void pail_ad_recording_keep(struct pail_ad_kernel *kernel, struct pail_ad_recording *recording)
{
    pthread_mutex_lock(&kernel->lock);
    recording->order = ++kernel->order;
    recording->next = kernel->recordings;
    recording->link = &kernel->recordings;
    if (recording->next)
        recording->next->link = &recording->next;
    kernel->recordings = recording;
    pthread_mutex_unlock(&kernel->lock);
}

void pail_ad_recording_end(struct pail_ad_kernel *kernel, struct pail_ad_recording *recording)
{
    pthread_mutex_lock(&kernel->lock);
    *recording->link = recording->next;
    if (recording->next)
        recording->next->link = recording->link;
    kernel->released[kernel->n_released++ % PAIL_AD_RECENT] = recording->serial;
    if (kernel->n_released == 2 * PAIL_AD_RECENT) /* however long it goes on */
        kernel->n_released = PAIL_AD_RECENT;
    pthread_mutex_unlock(&kernel->lock);
}

/* Makes the layout that the metadata say. false: a run writes no such words. */
static bool lay_out(struct pail_ad_laid *laid, const pail_task_desc *task, int64_t raw[],
                    const uint32_t words[])
{
    struct pail_error ignored;
    for (uint32_t i = 0; i < laid->n_stacks; i++) {
        raw[i] = words[3 + 2 * i];
        if (raw[i] == 0)
            return false;
    }
    if (pail_ad_layout(laid->places, laid->stride, task, raw, "", &ignored) != PAIL_OK)
        return false;
    for (int heap = 0; heap < 2; heap++)
        if (pail_ad_units(task->flags, laid->stride[heap]) != words[heap])
            return false;
    for (uint32_t i = 0; i < laid->n_stacks; i++)
        if (pail_ad_units(task->flags, laid->places[i].offset) != words[2 + 2 * i] ||
            laid->places[i].capacity != words[3 + 2 * i])
            return false;
    return words[2 + 2 * laid->n_stacks] == 0;
}

/* words: metadata; from word `needed` on what belongs to adstack_record_layout's needed_offset. */
static pail_status decode(const struct pail_ad_kernel *kernel, uint32_t task,
                          const uint32_t words[], uint64_t needed, struct pail_ad_ran *ran,
                          struct pail_error *err)
{
    const pail_task_desc *desc = &kernel->desc->tasks[task];
    const uint32_t n_stacks = (uint32_t)desc->n_stacks;
    memcpy(ran->needed, words + needed, sizeof(ran->needed));
    ran->status = words[needed + 4];
    ran->place = words[needed + 5];
    ran->sensible = ran->status <= PAIL_RECORD_RANGE && ran->place <= n_stacks;
    if (!ran->sensible || ran->status == PAIL_RECORD_ERROR || ran->status == PAIL_RECORD_RANGE)
        return PAIL_OK;
    int64_t *raw = pail_calloc(&kernel->alloc, n_stacks + 1, sizeof(*raw));
    pail_status status = PAIL_ERR_HOST_MEMORY;
    if (raw)
        status = pail_ad_laid_make(&ran->laid, n_stacks, kernel->tasks[task].n_leaves,
                                   &kernel->alloc, err);
    else
        (void)pail_fail(err, status, "no host memory for the layout of %u stacks", n_stacks);
    ran->sensible = status == PAIL_OK && lay_out(ran->laid, desc, raw, words);
    if (!ran->sensible) {
        pail_ad_laid_release(ran->laid, &kernel->alloc);
        ran->laid = NULL;
    }
    pail_free(&kernel->alloc, raw);
    return status;
}

pail_status pail_ad_recording_look(const struct pail_adstack *service,
                                   const struct pail_ad_kernel *kernel,
                                   const struct pail_ad_recording *recording, uint32_t task,
                                   struct pail_ad_ran *ran, struct pail_error *err)
{
    const struct pail_ad_device *device = service->env.device;
    const struct pail_alloc *alloc = &service->env.alloc;
    pail_record_task *places = pail_calloc(alloc, kernel->desc->n_tasks, sizeof(*places));
    *ran = (struct pail_ad_ran){.sensible = false};
    if (!places)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for places of %zu tasks",
                         kernel->desc->n_tasks);
    (void)pail_ad_record_places(kernel->desc, places);
    const uint64_t from = places[task].metadata_offset;
    const uint64_t needed = places[task].needed_offset - from, bytes = needed + 24;
    pail_free(alloc, places);
    uint32_t *words = pail_calloc(alloc, 1, bytes);
    if (!words)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for the metadata of task %u",
                         task);
    pail_status status =
        device->fetch(device->user, words, recording->metadata_address + from, bytes, 0, 0, err);
    if (status == PAIL_OK)
        status = decode(kernel, task, words, needed / 4, ran, err);
    pail_free(alloc, words);
    return status;
}
