/* SPDX-License-Identifier: Apache-2.0 */
#include "overflow.h"

#include <adstack/diagnose.h>
#include <adstack/service.h>

#define BYTES ((uint64_t)PAIL_AD_OVERFLOW_WORDS(PAIL_AD_OVERFLOW_RECORDS) * sizeof(uint32_t))

pail_status pail_overflows_init(struct pail_overflows *overflows, struct pail_error *err)
{
    *overflows = (struct pail_overflows){.dev = NULL};
    return pthread_mutex_init(&overflows->lock, NULL) == 0
               ? PAIL_OK
               : pail_fail(err, PAIL_ERR_INTERNAL, "a mutex cannot be made");
}

void pail_overflows_fini(struct pail_overflows *overflows)
{
    if (overflows->dev)
        pail_vk_buffer_destroy(overflows->dev, &overflows->buffer);
    pthread_mutex_destroy(&overflows->lock);
}

static bool is_open(struct pail_overflows *o)
{
    pthread_mutex_lock(&o->lock);
    const bool open = o->buffer.handle != VK_NULL_HANDLE;
    pthread_mutex_unlock(&o->lock);
    return open;
}

/* Makes the buffer if nobody has. */
static pail_status make(struct pail_overflows *o, struct pail_error *err)
{
    struct pail_vk_buffer made;
    if (is_open(o))
        return PAIL_OK;
    pail_status status = pail_vk_buffer_create(o->dev, &made, PAIL_VK_MEMORY_READBACK, BYTES,
                                               "adstack overflows", err);
    if (status != PAIL_OK)
        return status;
    pthread_mutex_lock(&o->lock);
    if (o->buffer.handle == VK_NULL_HANDLE) {
        o->buffer = made;
        made = (struct pail_vk_buffer){0};
        pail_ad_overflow_lend(&o->adstack->overflows, o->buffer.mapped, PAIL_AD_OVERFLOW_RECORDS);
    }
    pthread_mutex_unlock(&o->lock);
    pail_vk_buffer_destroy(o->dev, &made);
    const struct pail_vk_slice all = pail_vk_buffer_slice(&o->buffer, 0, BYTES);
    return pail_vk_flush(o->dev, &all, err);
}

static pail_status open_overflow(void *user, uint64_t *vk_buffer, uint64_t *address,
                                 struct pail_error *err)
{
    struct pail_overflows *o = user;
    const pail_status status = make(o, err);
    if (status != PAIL_OK)
        return status;
    *vk_buffer = (uint64_t)(uintptr_t)o->buffer.handle;
    *address = o->buffer.address;
    return PAIL_OK;
}

static pail_status poll_overflow(void *user, pail_overflow records[], size_t room, size_t *n,
                                 struct pail_error *err)
{
    struct pail_overflows *o = user;
    if (room == 0 || !is_open(o))
        return PAIL_OK;
    const struct pail_vk_slice all = pail_vk_buffer_slice(&o->buffer, 0, BYTES);
    pail_status status = pail_vk_invalidate(o->dev, &all, err);
    if (status == PAIL_OK)
        *n = pail_adstack_poll_overflow(o->adstack, records, room);
    return status == PAIL_OK ? pail_vk_flush(o->dev, &all, err) : status;
}

struct pail_ad_overflow_memory pail_overflows_memory(struct pail_overflows *overflows)
{
    return (struct pail_ad_overflow_memory){overflows, open_overflow, poll_overflow};
}
