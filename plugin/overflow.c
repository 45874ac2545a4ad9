#include "overflow.h"

#include <adstack/diagnose.h>

#define BYTES ((uint64_t)PAIL_AD_OVERFLOW_WORDS(PAIL_AD_OVERFLOW_RECORDS) * sizeof(uint32_t))

static bool is_open(struct pail_context *ctx)
{
    pthread_mutex_lock(&ctx->lock);
    const bool open = ctx->overflow.handle != VK_NULL_HANDLE;
    pthread_mutex_unlock(&ctx->lock);
    return open;
}

pail_status pail_overflow_open(struct pail_context *ctx, struct pail_error *err)
{
    struct pail_vk_buffer made;
    if (is_open(ctx))
        return PAIL_OK;
    pail_status status = pail_vk_buffer_create(ctx->dev, &made, PAIL_VK_MEMORY_READBACK, BYTES,
                                               "adstack overflows", err);
    if (status != PAIL_OK)
        return status;
    pthread_mutex_lock(&ctx->lock);
    if (ctx->overflow.handle == VK_NULL_HANDLE) {
        ctx->overflow = made;
        made = (struct pail_vk_buffer){0};
        pail_ad_overflow_lend(&ctx->adstack->overflows, ctx->overflow.mapped,
                              PAIL_AD_OVERFLOW_RECORDS);
    }
    pthread_mutex_unlock(&ctx->lock);
    pail_vk_buffer_destroy(ctx->dev, &made);
    const struct pail_vk_slice all = pail_vk_buffer_slice(&ctx->overflow, 0, BYTES);
    return pail_vk_flush(ctx->dev, &all, err);
}

pail_status pail_overflow_poll(struct pail_context *ctx, pail_overflow records[], size_t room,
                               size_t *n, struct pail_error *err)
{
    *n = 0;
    if (room == 0 || !is_open(ctx))
        return PAIL_OK;
    const struct pail_vk_slice all = pail_vk_buffer_slice(&ctx->overflow, 0, BYTES);
    pail_status status = pail_vk_invalidate(ctx->dev, &all, err);
    if (status == PAIL_OK)
        *n = pail_adstack_poll_overflow(ctx->adstack, records, room);
    return status == PAIL_OK ? pail_vk_flush(ctx->dev, &all, err) : status;
}
