/* A vector from a reader: several threads read, check and write into the staging ring, from where
 * the device copies what is there while they read more. */
#include <stdatomic.h>
#include <string.h>

#include <platform/memory.h>
#include <shared/vector_layout.h>

#include "field.h"
#include "run.h"
#include "vector.h"
#include "vk/send.h"
#include "vk/wipe.h"

/* Read at a time. The ring may be slow to read, so that elements are checked here, where they stay
 * in a processor's nearest cache, and where a thread that copies has room for them. */
#define PIECE_BYTES 8192u

struct filling {
    const struct pail_vector *vector;
    pail_read_elements read;
    void *user;
    _Atomic uint64_t
        bad; /* the least number of one that is not below the order; UINT64_MAX: none */
};

static pail_status read_piece(struct filling *f, uint8_t *piece, uint64_t offset, size_t bytes,
                              struct pail_error *err)
{
    pail_status status = f->read(f->user, piece, offset, bytes);
    if (status == PAIL_OK)
        return PAIL_OK;
    const int said = (int)status;
    const pail_status_kind kind = PAIL_STATUS_KIND(status);
    if (kind < PAIL_KIND_CALLER || kind > PAIL_KIND_WORLD)
        status = PAIL_ERR_IO;
    return pail_fail(err, status, "read: status %d for bytes %llu to %llu", said,
                     (unsigned long long)offset, (unsigned long long)(offset + bytes - 1));
}

static pail_status fill(void *user, void *to, uint64_t offset, uint64_t bytes,
                        struct pail_error *err)
{
    struct filling *f = user;
    uint8_t piece[PIECE_BYTES];
    pail_status status = PAIL_OK;
    for (uint64_t done = 0; done < bytes && status == PAIL_OK; done += sizeof(piece)) {
        const size_t count = bytes - done < sizeof(piece) ? (size_t)(bytes - done) : sizeof(piece);
        status = read_piece(f, piece, offset + done, count, err);
        if (status != PAIL_OK)
            break;
        pail_vector_check(f->vector, piece, (offset + done) / 32, count / 32, &f->bad);
        memcpy((uint8_t *)to + done, piece, count);
    }
    pail_wipe(piece, sizeof(piece));
    return status;
}

/* Returns when all elements are read and on their way, or it failed. */
static pail_status read_all(struct filling *f, uint64_t offset, uint64_t n, pail_vk_ticket *copied,
                            struct pail_error *err)
{
    const struct pail_vk_slice all = pail_vector_all(f->vector);
    const struct pail_vk_parcel parcel = {
        .dst = &all,
        .offset = 32 * offset,
        .bytes = 32 * n,
        .fill = fill,
        .user = f,
        .secret = true,
    };
    pail_status status = pail_vk_send_all(f->vector->field->dev, &parcel, copied, err);
    const uint64_t bad = atomic_load(&f->bad);
    if (status == PAIL_OK && bad != UINT64_MAX)
        status = pail_fail(err, PAIL_ERR_DATA, "elements[%llu] is not below the order of %s",
                           (unsigned long long)bad, f->vector->ops->curve_name);
    return status;
}

pail_status pail_vector_fill(struct pail_vector *vector, uint64_t offset, pail_read_elements read,
                             void *user, uint64_t n, uint32_t encoding, struct pail_error *err)
{
    struct pail_vk_device *dev = vector->field->dev;
    struct filling f = {.vector = vector, .read = read, .user = user};
    struct pail_field_steps s;
    struct pail_field_run run = {.ticket = 0};
    pail_vk_ticket copied = 0;
    if (n == 0)
        return PAIL_OK;
    atomic_init(&f.bad, UINT64_MAX);
    pail_field_steps_init(&s, vector->field);
    pail_status status = pail_vector_settle(vector, err);
    if (status == PAIL_OK)
        status = read_all(&f, offset, n, &copied, err);
    if (status == PAIL_OK && encoding == PAIL_ENCODING_CANONICAL) {
        const struct pail_vk_slice all = pail_vector_all(vector);
        pail_vector_encode_steps(&s, vector->curve, VECTOR_DECODE, &all, offset, &all, offset, n);
        status = pail_field_run_begin(&run, &s, err);
    }
    if (status == PAIL_OK)
        status = pail_vk_wait(dev, copied, PAIL_VK_FOREVER, err);
    if (status != PAIL_OK) /* nothing keeps running on behalf of a call that failed */
        (void)pail_vk_wait(dev, pail_vk_last_ticket(dev, PAIL_VK_QUEUE_MAIN), PAIL_VK_FOREVER,
                           NULL);
    (void)pail_vk_wipe_ring(dev); /* while the device brings elements into its form */
    /* Work that others have submitted before is waited for by nobody but the device. */
    if (status == PAIL_OK && run.cmd)
        atomic_store(&vector->settled, run.ticket);
    if (status != PAIL_OK) {
        const struct pail_vk_slice part =
            pail_vk_buffer_slice(&vector->buffer, 32 * offset, 32 * n);
        (void)pail_vk_wipe(dev, &part, NULL);
    }
    pail_field_run_fini(&run, &s);
    pail_field_steps_fini(&s);
    return status;
}
