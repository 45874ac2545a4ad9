/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <shared/adstack_layout.h>

#include "gpu_priv.h"

pail_status pail_ad_space_take(struct pail_ad_gpu *gpu, struct pail_ad_space **out,
                               struct pail_error *err)
{
    pthread_mutex_lock(&gpu->lock);
    struct pail_ad_space *space = gpu->idle;
    if (space)
        gpu->idle = space->next;
    pthread_mutex_unlock(&gpu->lock);
    *out = space;
    if (space)
        return PAIL_OK;
    space = pail_calloc(pail_vk_device_alloc(gpu->dev), 1, sizeof(*space));
    if (!space)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a reduction");
    pail_vk_arena_init(&space->device, gpu->dev, PAIL_VK_MEMORY_DEVICE, "adstack scratch");
    pail_vk_arena_init(&space->upload, gpu->dev, PAIL_VK_MEMORY_UPLOAD, "adstack program");
    pail_vk_arena_init(&space->readback, gpu->dev, PAIL_VK_MEMORY_READBACK, "adstack values");
    *out = space;
    return PAIL_OK;
}

void pail_ad_space_give(struct pail_ad_gpu *gpu, struct pail_ad_space *space)
{
    pail_vk_arena_reset(&space->device);
    pail_vk_arena_reset(&space->upload);
    pail_vk_arena_reset(&space->readback);
    pthread_mutex_lock(&gpu->lock);
    space->next = gpu->idle;
    gpu->idle = space;
    pthread_mutex_unlock(&gpu->lock);
}

void pail_ad_space_free(struct pail_ad_gpu *gpu, struct pail_ad_space *space)
{
    const struct pail_alloc *alloc = pail_vk_device_alloc(gpu->dev);
    pail_vk_arena_fini(&space->device);
    pail_vk_arena_fini(&space->upload);
    pail_vk_arena_fini(&space->readback);
    pail_ad_encoded_free(&space->encoded, alloc);
    pail_free(alloc, space->sizes);
    pail_free(alloc, space->on_device);
    pail_free(alloc, space->mapped);
    pail_free(alloc, space);
}

struct finder {
    const struct pail_ad_gpu *gpu;
    const struct pail_ad_work *work;
};

static struct pail_ad_kernel_for find_kernel(void *user, uint32_t spec)
{
    const struct finder *f = user;
    const struct pail_ad_bodies *bodies = &f->gpu->bodies;
    struct pail_ad_kernel_for answer = {.kernel = NULL, .together = 1};
    if (bodies->find)
        answer.kernel = bodies->find(bodies->user, f->work, spec, &answer.together);
    return answer;
}

pail_status pail_ad_space_encode(struct pail_ad_gpu *gpu, struct pail_ad_space *space,
                                 const struct pail_ad_work *work,
                                 const struct pail_ad_record *record, struct pail_error *err)
{
    struct finder finder = {gpu, work};
    const struct pail_ad_special special = {&finder, find_kernel};
    return pail_ad_encode(&space->encoded, work, record, &gpu->shape, &special,
                          pail_vk_device_alloc(gpu->dev), err);
}

/* All slices of one arena in one step. */
static pail_status take_all(struct pail_vk_arena *arena, const uint64_t sizes[],
                            struct pail_vk_slice slices[], uint32_t n, struct pail_error *err)
{
    pail_status status = pail_vk_arena_reserve(arena, sizes, n, err);
    for (uint32_t i = 0; i < n && status == PAIL_OK; i++)
        status = pail_vk_arena_take(arena, sizes[i], &slices[i], err);
    return status;
}

/* Whole words: kernels read every word that has a byte of an array. */
static uint64_t whole_words(uint64_t bytes)
{
    return (bytes + 3) / 4 * 4;
}

static pail_status place(struct pail_ad_gpu *gpu, struct pail_ad_space *s, struct pail_error *err)
{
    const struct pail_alloc *alloc = pail_vk_device_alloc(gpu->dev);
    const struct pail_ad_encoded *e = &s->encoded;
    const uint32_t n = 1 + e->n_copied;
    pail_status status = pail_grow(alloc, &s->sizes, &s->cap_sizes, n, sizeof(*s->sizes), err);
    if (status == PAIL_OK)
        status = pail_grow(alloc, &s->on_device, &s->cap_on_device, n, sizeof(*s->on_device), err);
    if (status == PAIL_OK)
        status = pail_grow(alloc, &s->mapped, &s->cap_mapped, n, sizeof(*s->mapped), err);
    if (status != PAIL_OK)
        return status;
    for (uint32_t i = 0; i < e->n_copied; i++)
        s->sizes[1 + i] = whole_words(e->copied[i].bytes);
    s->sizes[0] = 4 * (uint64_t)e->n_total;
    status = take_all(&s->device, s->sizes, s->on_device, n, err);
    s->sizes[0] = 4 * (uint64_t)e->n_words;
    if (status == PAIL_OK)
        status = take_all(&s->upload, s->sizes, s->mapped, n, err);
    return status;
}

static uint64_t address_of(const struct pail_vk_slice *slice)
{
    return slice->buffer->address + slice->offset;
}

/* Bytes that are copied between two looks at the caller's limits. */
#define COPIED_UNSEEN (UINT64_C(16) << 20)

static pail_status copy_contents(const struct pail_ad_copied *copied, void *to,
                                 const struct pail_ad_work *work, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    for (uint64_t at = 0, n; at < copied->bytes && status == PAIL_OK; at += n) {
        n = copied->bytes - at < COPIED_UNSEEN ? copied->bytes - at : COPIED_UNSEEN;
        memcpy((uint8_t *)to + at, copied->from + at, (size_t)n);
        status = pail_ad_look(work, err);
    }
    return status;
}

pail_status pail_ad_space_fill(struct pail_ad_gpu *gpu, struct pail_ad_space *s,
                               const struct pail_ad_work *work, struct pail_error *err)
{
    struct pail_ad_encoded *e = &s->encoded;
    pail_status status = place(gpu, s, err);
    for (uint32_t i = 0; i < e->n_copied && status == PAIL_OK; i++) {
        const struct pail_ad_copied *copied = &e->copied[i];
        const uint64_t address = address_of(&s->on_device[1 + i]) + copied->before;
        e->words[copied->record + AD_SOURCE_ADDRESS] = (uint32_t)(address & UINT32_MAX);
        e->words[copied->record + AD_SOURCE_ADDRESS + 1] = (uint32_t)(address >> 32);
        status = copy_contents(copied, s->mapped[1 + i].mapped, work, err);
        if (status == PAIL_OK)
            status = pail_vk_flush(gpu->dev, &s->mapped[1 + i], err);
    }
    if (status != PAIL_OK)
        return status;
    memcpy(s->mapped[0].mapped, e->words, 4 * (size_t)e->n_words);
    return pail_vk_flush(gpu->dev, &s->mapped[0], err);
}
