/* SPDX-License-Identifier: Apache-2.0 */
#include "pending.h"

#include <string.h>

#include <platform/memory.h>
#include <platform/thread.h>

#include "vectors/vector.h"
#include "vk/staging.h"

/* ---- A copy ---------------------------------------------------------------------------------- */
static pail_status copy_elements(struct pail_msm_bundle *b, struct pail_error *err)
{
    struct pail_msm_vector *vector = &b->vectors[0];
    struct pail_vector *copied;
    if (!vector->elements || !b->shape.n)
        return PAIL_OK;
    const pail_status status =
        pail_vector_copy(vector->elements, &copied, vector->first, b->n_original, err);
    if (status != PAIL_OK)
        return status;
    pail_vector_release(vector->elements);
    vector->elements = copied;
    vector->first = 0;
    return PAIL_OK;
}

pail_status pail_msm_elements_copy(struct pail_pending *p, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    bool streamed = false;
    for (size_t i = 0; i < p->n_bundles; i++) {
        const struct pail_msm_bundle *b = &p->bundles[i];
        streamed |= b->shape.streamed && b->shape.n;
        p->borrows |= b->vectors[0].elements && b->shape.n;
    }
    p->borrows &= !streamed;
    for (size_t i = 0; streamed && i < p->n_bundles && status == PAIL_OK; i++)
        status = copy_elements(&p->bundles[i], err);
    return status;
}

pail_status pail_msm_scalars_copy(struct pail_pending *p, struct pail_error *err)
{
    uint64_t total = 0;
    for (size_t i = 0; i < p->n_bundles; i++)
        for (uint32_t v = 0; v < p->bundles[i].n_vectors; v++)
            if (p->bundles[i].vectors[v].scalars)
                total += p->bundles[i].n_original;
    if (total == 0 || p->stable)
        return PAIL_OK;
    p->scalars_copy = pail_calloc(&p->msm->alloc, (size_t)total, 32);
    if (!p->scalars_copy)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory to keep %llu scalars",
                         (unsigned long long)total);
    p->copy_bytes = 32 * (size_t)total;
    uint8_t *at = p->scalars_copy;
    for (size_t i = 0; i < p->n_bundles; i++)
        for (uint32_t v = 0; v < p->bundles[i].n_vectors; v++) {
            struct pail_msm_vector *vector = &p->bundles[i].vectors[v];
            if (!vector->scalars)
                continue;
            pail_team_copy(at, vector->scalars, 32 * (size_t)p->bundles[i].n_original,
                           p->msm->threads);
            vector->scalars = at;
            at += 32 * p->bundles[i].n_original;
        }
    return PAIL_OK;
}

/* ---- Sending --------------------------------------------------------------------------------- */
/* Scalars i ... i + n - 1 of a vector's chunk, in the order of the points that are kept, decoded
 * where they are in Montgomery form. */
static void fill_vector(const struct pail_msm_bundle *b, uint32_t v,
                        const struct pail_msm_chunk *chunk, uint8_t *to, uint64_t i, uint64_t n)
{
    const struct pail_bases *bases = b->sets[0].bases;
    const struct pail_msm_vector *vector = &b->vectors[v];
    const uint32_t *map = NULL;
    if (pail_bases_mapped(bases))
        map = bases->map + b->sets[0].first + v * b->handle_stride + chunk->first;
    const bool decode = b->scalar_encoding == PAIL_ENCODING_MONTGOMERY;
    if (!map && !decode) {
        memcpy(to, vector->scalars + 32 * (chunk->first + i), 32 * (size_t)n);
        return;
    }
    uint8_t bytes[32]; /* memory that the device reads is slow to read here */
    pail_u256 scalar;
    for (uint64_t k = i; k < i + n; k++, to += 32) {
        const uint64_t from = map ? map[k] - vector->offset : chunk->first + k;
        memcpy(bytes, vector->scalars + 32 * from, 32);
        if (decode) {
            pail_u256_from_bytes(&scalar, bytes);
            b->scalar_ops->scalar_from_montgomery(&scalar, &scalar);
            pail_u256_to_bytes(bytes, &scalar);
        }
        memcpy(to, bytes, 32);
    }
    pail_wipe(bytes, sizeof(bytes));
    pail_wipe(&scalar, sizeof(scalar));
}

static pail_status fill_scalars(void *user, void *to, uint64_t offset, uint64_t bytes,
                                struct pail_error *err)
{
    (void)err;
    const struct pail_msm_scalars *s = user;
    const uint64_t n = s->chunk->n, end = (offset + bytes) / 32;
    uint8_t *at = to;
    for (uint64_t i = offset / 32; i < end;) {
        const uint64_t k = i % n, left = n - k < end - i ? n - k : end - i;
        fill_vector(s->bundle, s->first + (uint32_t)(i / n), s->chunk, at, k, left);
        at += 32 * left;
        i += left;
    }
    pail_wipe_stack(); /* the stack of conversions */
    return PAIL_OK;
}

/* Scalars of the next vectors in a row that are in host memory; *v moves behind them. */
static uint32_t next_vectors(const struct pail_msm_bundle *b, uint32_t *v)
{
    while (*v < b->n_vectors && !b->vectors[*v].scalars)
        ++*v;
    const uint32_t first = *v;
    while (*v < b->n_vectors && b->vectors[*v].scalars)
        ++*v;
    return first;
}

static struct pail_vk_parcel parcel_of(const struct pail_pending *p, struct pail_msm_scalars *s,
                                       const struct pail_vk_slice *dst, uint32_t vectors)
{
    return (struct pail_vk_parcel){
        .dst = dst,
        .offset = 32 * (uint64_t)s->first * s->chunk->n,
        .bytes = 32 * (uint64_t)vectors * s->chunk->n,
        .fill = fill_scalars,
        .user = s,
        .secret = p->secret,
    };
}

/* Sends a parcel. Out: *sent: ticket of the last copy; untouched where there is none. */
static pail_status send_parcel(struct pail_pending *p, const struct pail_vk_parcel *parcel,
                               pail_vk_ticket *sent, struct pail_error *err)
{
    pail_vk_ticket ticket;
    const pail_status status = pail_vk_send_all(p->msm->dev, parcel, &ticket, err);
    if (ticket)
        *sent = ticket;
    return status;
}

static pail_status send_scalars(struct pail_pending *p, const struct pail_msm_bundle *b,
                                const struct pail_vk_slice *dst, const struct pail_msm_chunk *chunk,
                                enum pail_vk_queue_kind queue, pail_vk_ticket *sent,
                                struct pail_error *err)
{
    pail_status status = PAIL_OK;
    struct pail_msm_scalars s = {.bundle = b, .chunk = chunk};
    if (pail_msm_bundle_copies_chunks(b)) {
        const struct pail_vk_slice pinned =
            pail_vk_slice_part(&b->vectors[0].pinned, 32 * chunk->first, 32 * (uint64_t)chunk->n);
        const struct pail_vk_parcel parcel = {
            .dst = dst, .bytes = pinned.size, .src = &pinned, .queue = queue};
        return send_parcel(p, &parcel, sent, err);
    }
    for (uint32_t v = 0; v < b->n_vectors && status == PAIL_OK;) {
        s.first = next_vectors(b, &v);
        struct pail_vk_parcel parcel = parcel_of(p, &s, dst, v - s.first);
        parcel.queue = queue;
        if (parcel.bytes) /* there may be no room for scalars that are read where they are */
            status = send_parcel(p, &parcel, sent, err);
    }
    return status;
}

static pail_status fill_bases(void *user, void *to, uint64_t offset, uint64_t bytes,
                              struct pail_error *err)
{
    (void)err;
    memcpy(to, (const uint8_t *)user + offset, (size_t)bytes);
    return PAIL_OK;
}

/* Bases of a chunk, from pinned memory as they are, else through the ring. */
static pail_status send_bases(struct pail_pending *p, const struct pail_msm_bundle *b,
                              const struct pail_vk_slice *dst, const struct pail_msm_chunk *chunk,
                              enum pail_vk_queue_kind queue, pail_vk_ticket *sent,
                              struct pail_error *err)
{
    const struct pail_msm_set *set = &b->sets[0];
    pail_status status = PAIL_OK;
    for (uint64_t done = 0, n; done < chunk->n && status == PAIL_OK; done += n) {
        struct pail_vk_slice pinned;
        const void *points = pail_bases_host_points(
            set->bases, b->form, set->first + chunk->first + done, chunk->n - done, &n, &pinned);
        const struct pail_vk_parcel parcel = {
            .dst = dst,
            .offset = done * b->shape.point_bytes,
            .bytes = n * b->shape.point_bytes,
            .fill = fill_bases,
            .user = (void *)(uintptr_t)points,
            .src = pinned.buffer ? &pinned : NULL,
            .queue = queue,
        };
        status = send_parcel(p, &parcel, sent, err);
        p->bytes_streamed += parcel.bytes;
    }
    return status;
}

pail_status pail_msm_send_chunk(struct pail_pending *p, const struct pail_msm_bundle *b,
                                const struct pail_msm_part *part,
                                const struct pail_msm_chunk *chunk, pail_vk_ticket *sent,
                                struct pail_error *err)
{
    /* With one place, submitted work still uses it, and the main queue keeps order. */
    const enum pail_vk_queue_kind queue =
        b->plan.places > 1 ? PAIL_VK_QUEUE_TRANSFER : PAIL_VK_QUEUE_MAIN;
    *sent = 0;
    pail_status status =
        send_scalars(p, b, &part->slices[PAIL_MSM_SCALARS], chunk, queue, sent, err);
    if (status == PAIL_OK && b->shape.streamed)
        status = send_bases(p, b, &part->slices[PAIL_MSM_STREAM], chunk, queue, sent, err);
    /* The map goes with bases that are not on the device. It goes to where sorting
     * begins: not before the work on other chunks is through. */
    const struct pail_msm_set *set = &b->sets[0];
    if (status == PAIL_OK && b->shape.streamed && pail_bases_mapped(set->bases) &&
        !b->vectors[0].scalars)
        status = pail_vk_upload(p->msm->dev, &part->slices[PAIL_MSM_SHARED], 0,
                                set->bases->map + set->first + chunk->first, 4 * (uint64_t)chunk->n,
                                NULL, err);
    return status;
}

pail_status pail_msm_scalars_begin(struct pail_pending *p, struct pail_msm_scalars *s,
                                   const struct pail_msm_part *part, struct pail_vk_cmd *cmd,
                                   struct pail_error *err)
{
    const struct pail_msm_bundle *b = s->bundle;
    const struct pail_vk_slice *pinned = &b->vectors[0].pinned;
    uint32_t end = 0;
    if (b->plan.overlaps && pinned->buffer) {
        const struct pail_vk_parcel parcel = {
            .dst = &part->slices[PAIL_MSM_SCALARS],
            .bytes = pinned->size,
            .src = pinned,
            .at_once = 32 * pail_msm_chunk_at(&b->plan, &b->shape, 0),
            .queue = PAIL_VK_QUEUE_TRANSFER, /* for the reason given below */
        };
        p->sending_needed = p->sending_bytes = parcel.bytes;
        return pail_vk_send_begin(p->msm->dev, &p->sending, &parcel, err);
    }
    s->first = next_vectors(b, &end);
    if (s->first != 0 || end != b->n_vectors) {
        pail_vk_ticket sent; /* unused: the main queue keeps order */
        return send_scalars(p, b, &part->slices[PAIL_MSM_SCALARS], s->chunk, PAIL_VK_QUEUE_MAIN,
                            &sent, err);
    }
    struct pail_vk_parcel parcel = parcel_of(p, s, &part->slices[PAIL_MSM_SCALARS], end);
    if (b->plan.overlaps) /* no work submitted before uses the workspace */
        parcel.queue = PAIL_VK_QUEUE_TRANSFER;
    else
        parcel.cmd = cmd;
    p->sending_needed = p->sending_bytes = parcel.bytes;
    return pail_vk_send_begin(p->msm->dev, &p->sending, &parcel, err);
}
