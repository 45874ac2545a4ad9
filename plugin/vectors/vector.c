/* SPDX-License-Identifier: Apache-2.0 */
#include "vector.h"

#include "field.h"
#include "run.h"
#include "vk/send.h"
#include "vk/staging.h"
#include "vk/wipe.h"

#include <platform/memory.h>
#include <platform/thread.h>
#include <shared/vector_layout.h>
#include <stdatomic.h>
#include <string.h>

/* Elements that are read at a time: 16 MiB. */
#define READ_ELEMENTS (UINT64_C(1) << 19)

/* Elements that one thread checks at a time. */
#define CHECK_ELEMENTS (UINT64_C(1) << 16)

pail_status pail_vector_curve(const struct pail_curve_ops **out, uint32_t curve,
                              struct pail_error *err)
{
    *out = curve == PAIL_CURVE_BN254 || curve == PAIL_CURVE_BLS12_381
               ? pail_curve_ops(curve, PAIL_G1)
               : NULL;
    return *out ? PAIL_OK
                : pail_fail(err, PAIL_ERR_ARGUMENT, "curve: %u is not a pail_curve", curve);
}

struct pail_vk_slice pail_vector_all(const struct pail_vector *vector)
{
    return pail_vk_buffer_slice(&vector->buffer, 0, vector->buffer.size);
}

void pail_vector_note_read(struct pail_vector *vector, uint32_t side, pail_vk_ticket ticket)
{
    pail_vk_ticket last = atomic_load(&vector->read[side]);
    while (last < ticket && !atomic_compare_exchange_weak(&vector->read[side], &last, ticket))
        ;
}

void pail_vector_note_written(struct pail_vector *vector, pail_vk_ticket ticket)
{
    pail_vk_ticket last = atomic_load(&vector->written);
    while (last < ticket && !atomic_compare_exchange_weak(&vector->written, &last, ticket))
        ;
}

/* All that was submitted may write it. */
static void note_all_written(struct pail_vector *vector)
{
    pail_vector_note_written(vector, pail_vk_last_ticket(vector->field->dev, PAIL_VK_QUEUE_MAIN));
}

static pail_status make_memory(struct pail_vector *vector, struct pail_error *err)
{
    struct pail_vectors *field = vector->field;
    const uint64_t bytes = 32 * vector->n;
    pail_vk_ticket wiped;
    if (pail_field_spare_take(field, &vector->buffer, &wiped, bytes)) {
        atomic_store(&vector->settled, wiped);
        return PAIL_OK;
    }
    const pail_status status = pail_field_buffer(field, &vector->buffer, bytes, "vector", err);
    if (status != PAIL_OK)
        return status;
    const struct pail_vk_slice all = pail_vector_all(vector);
    return pail_vk_wipe(field->dev, &all, err);
}

pail_status pail_vector_make(struct pail_vectors *field, struct pail_vector **out, uint32_t curve,
                             uint64_t n, struct pail_error *err)
{
    const struct pail_curve_ops *ops;
    *out = NULL;
    pail_status status = pail_vector_curve(&ops, curve, err);
    if (status != PAIL_OK)
        return status;
    const uint64_t most = pail_vk_device_caps(field->dev)->max_buffer_bytes / 32;
    if (n > most)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "n: %llu elements, but a buffer of device \"%s\" has at most %llu",
                         (unsigned long long)n, pail_vk_device_caps(field->dev)->name,
                         (unsigned long long)most);
    struct pail_vector *vector = pail_calloc(&field->alloc, 1, sizeof(*vector));
    if (!vector)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a vector");
    vector->field = field;
    vector->ops = ops;
    vector->curve = curve;
    vector->n = n;
    atomic_init(&vector->refs, 1);
    atomic_init(&vector->settled, 0);
    atomic_init(&vector->written, 0);
    for (uint32_t i = 0; i < PAIL_VK_SIDES_MAX; i++)
        atomic_init(&vector->read[i], 0);
    if (n)
        status = make_memory(vector, err);
    note_all_written(vector);
    if (status != PAIL_OK) {
        pail_vk_buffer_destroy(field->dev, &vector->buffer);
        pail_free(&field->alloc, vector);
        return status;
    }
    *out = vector;
    return PAIL_OK;
}

pail_status pail_vector_copy(const struct pail_vector *vector, struct pail_vector **out,
                             uint64_t first, uint64_t n, struct pail_error *err)
{
    struct pail_field_steps s;
    pail_status status = pail_vector_make(vector->field, out, vector->curve, n, err);
    if (status != PAIL_OK)
        return status;
    const struct pail_vk_slice from = pail_vector_all(vector), to = pail_vector_all(*out);
    pail_field_steps_init(&s, vector->field);
    s.list.phase = "copy";
    pail_vk_steps_copy(&s.list,
                       (struct pail_vk_range){pail_field_region(&s, &from), 32 * first, 32 * n},
                       (struct pail_vk_range){pail_field_region(&s, &to), 0, 32 * n});
    status = pail_field_run(&s, err);
    pail_field_steps_fini(&s);
    note_all_written(*out);
    if (status != PAIL_OK) {
        pail_vector_release(*out);
        *out = NULL;
    }
    return status;
}

/* Before anything but work on the main queue reads or writes it. */
static pail_status settle(const struct pail_vector *vector, struct pail_error *err)
{
    pail_status status =
        pail_vk_wait(vector->field->dev, atomic_load(&vector->settled), PAIL_VK_FOREVER, err);
    for (uint32_t i = 0; i < PAIL_VK_SIDES_MAX && status == PAIL_OK; i++)
        status =
            pail_vk_wait(vector->field->dev, atomic_load(&vector->read[i]), PAIL_VK_FOREVER, err);
    return status;
}

void pail_vector_retain(struct pail_vector *vector)
{
    atomic_fetch_add(&vector->refs, 1);
}

/* True if nobody else's work is under way behind the vector's own: then its fill is over soon. */
static bool is_last(const struct pail_vector *vector)
{
    struct pail_vk_device *dev = vector->field->dev;
    const pail_vk_ticket last = pail_vk_last_ticket(dev, PAIL_VK_QUEUE_MAIN);
    bool done = false;
    return last == atomic_load(&vector->settled) ||
           (pail_vk_poll(dev, last, &done, NULL) == PAIL_OK && done);
}

void pail_vector_release(struct pail_vector *vector)
{
    if (!vector || atomic_fetch_sub(&vector->refs, 1) != 1)
        return;
    struct pail_vectors *field = vector->field;
    if (vector->n) {
        struct pail_error err;
        const struct pail_vk_slice all = pail_vector_all(vector);
        pail_vk_ticket wiped;
        const bool last = is_last(vector);
        if (pail_field_wipe(field, &all, &wiped, &err) != PAIL_OK) {
            (void)pail_vk_wait(field->dev, atomic_load(&vector->settled), PAIL_VK_FOREVER, NULL);
            pail_log(&field->log, PAIL_LOG_WARNING, "a vector is freed unwiped: %s", err.text);
        } else {
            /* A wait behind others' work would keep a prover's threads from theirs. */
            if (last)
                (void)pail_vk_wait(field->dev, wiped, PAIL_VK_FOREVER, NULL);
            pail_field_spare_give(field, &vector->buffer, wiped);
        }
        pail_vk_buffer_destroy(field->dev, &vector->buffer);
    }
    pail_free(&field->alloc, vector);
}

void pail_vector_encode_steps(struct pail_field_steps *s, uint32_t curve, uint32_t operation,
                              const struct pail_vk_slice *to, uint64_t to_offset,
                              const struct pail_vk_slice *from, uint64_t from_offset, uint64_t n)
{
    const struct pail_vk_pipeline_request request = {.kernel = PAIL_KERNEL_VECTOR_ENCODE,
                                                     .variant = {.curve = curve}};
    const uint32_t a = pail_field_region(s, from), r = pail_field_region(s, to);
    const uint64_t most = pail_field_binding_most(s->field);
    for (uint64_t done = 0; done < n; done += most) {
        const uint64_t count = n - done < most ? n - done : most;
        struct vector_encode_push push = {.n = (uint32_t)count, .operation = operation};
        struct pail_vk_dispatch encode = {
            .request = &request,
            .push = &push,
            .work = {.kind = PAIL_VK_WORDS, .units = 32.0 * (double)count},
            .bindings = {pail_field_elements(s, a, from_offset + done, count, &push.first_a),
                         pail_field_elements(s, r, to_offset + done, count, &push.first_r)},
        };
        pail_vk_grid(count, VECTOR_WORKGROUP, encode.grid);
        pail_vk_steps_dispatch(&s->list, &encode);
    }
}

pail_status pail_vector_encode(struct pail_vectors *field, uint32_t curve, uint32_t operation,
                               const struct pail_vk_slice *to, uint64_t to_offset,
                               const struct pail_vk_slice *from, uint64_t from_offset, uint64_t n,
                               struct pail_error *err)
{
    struct pail_field_steps s;
    pail_field_steps_init(&s, field);
    s.list.phase = "encode";
    pail_vector_encode_steps(&s, curve, operation, to, to_offset, from, from_offset, n);
    const pail_status status = pail_field_run(&s, err);
    pail_field_steps_fini(&s);
    return status;
}

/* ---- From the host --------------------------------------------------------------------------- */
static void vector_check(const struct pail_vector *vector, const uint8_t *elements, uint64_t first,
                         uint64_t n, _Atomic uint64_t *bad)
{
    uint64_t at;
    if (pail_scalars_below(vector->ops, elements, n, &at))
        return;
    at += first;
    uint64_t least = atomic_load(bad);
    while (at < least && !atomic_compare_exchange_weak(bad, &least, at))
        ;
}

struct checking {
    const struct pail_vector *vector;
    const uint8_t *elements;
    uint64_t n;
    _Atomic uint64_t bad; /* the least number of one that is not below the order; n: none */
};

static void check_piece(void *user, uint32_t i)
{
    struct checking *c = user;
    const uint64_t first = i * CHECK_ELEMENTS, left = c->n - first;
    vector_check(c->vector, c->elements + 32 * first, first,
                 left < CHECK_ELEMENTS ? left : CHECK_ELEMENTS, &c->bad);
}

static pail_status check_elements(const struct pail_vector *vector, const void *elements,
                                  uint64_t n, struct pail_error *err)
{
    struct checking c = {.vector = vector, .elements = elements, .n = n};
    atomic_init(&c.bad, n);
    pail_team_run((uint32_t)((n + CHECK_ELEMENTS - 1) / CHECK_ELEMENTS), vector->field->threads,
                  check_piece, &c);
    const uint64_t bad = atomic_load(&c.bad);
    if (bad == n)
        return PAIL_OK;
    return pail_fail(err, PAIL_ERR_DATA, "elements[%llu] is not below the order of %s",
                     (unsigned long long)bad, vector->ops->curve_name);
}

pail_status pail_vector_put(struct pail_vector *vector, uint64_t offset, const void *elements,
                            uint64_t n, uint32_t encoding, struct pail_error *err)
{
    struct pail_vk_device *dev = vector->field->dev;
    if (n == 0)
        return PAIL_OK;
    pail_status status = check_elements(vector, elements, n, err);
    if (status == PAIL_OK)
        status = settle(vector, err);
    if (status != PAIL_OK)
        return status;
    const struct pail_vk_slice all = pail_vector_all(vector);
    status = pail_vk_upload_secret(dev, &all, 32 * offset, elements, 32 * n, err);
    if (status == PAIL_OK && encoding == PAIL_ENCODING_CANONICAL)
        status = pail_vector_encode(vector->field, vector->curve, VECTOR_DECODE, &all, offset, &all,
                                    offset, n, err);
    note_all_written(vector);
    if (status != PAIL_OK) { /* it may hold anything now */
        const struct pail_vk_slice part =
            pail_vk_buffer_slice(&vector->buffer, 32 * offset, 32 * n);
        (void)pail_vk_wipe(dev, &part, NULL);
    }
    return status;
}

/* ---- To the host ----------------------------------------------------------------------------- */
static pail_status get(const struct pail_vector *vector, uint8_t *elements, uint64_t offset,
                       uint64_t n, const struct pail_vk_slice *canonical, struct pail_error *err)
{
    struct pail_vectors *field = vector->field;
    const struct pail_vk_slice all = pail_vector_all(vector);
    pail_status status = PAIL_OK;
    for (uint64_t done = 0; done < n && status == PAIL_OK; done += READ_ELEMENTS) {
        const uint64_t count = n - done < READ_ELEMENTS ? n - done : READ_ELEMENTS;
        const struct pail_vk_slice *from = &all;
        uint64_t at = 32 * (offset + done);
        if (canonical) {
            status = pail_vector_encode(field, vector->curve, VECTOR_ENCODE, canonical, 0, &all,
                                        offset + done, count, err);
            from = canonical;
            at = 0;
        }
        if (status == PAIL_OK)
            status = pail_vk_download(field->dev, from, at, elements + 32 * done, 32 * count,
                                      PAIL_VK_FOREVER, err);
    }
    return status;
}

pail_status pail_vector_get(const struct pail_vector *vector, void *elements, uint64_t offset,
                            uint64_t n, uint32_t encoding, struct pail_error *err)
{
    struct pail_field_scratch *scratch = NULL;
    struct pail_vk_slice canonical;
    if (n == 0)
        return PAIL_OK;
    pail_status status = settle(vector, err);
    if (status != PAIL_OK)
        return status;
    if (encoding == PAIL_ENCODING_MONTGOMERY)
        return get(vector, elements, offset, n, NULL, err);
    status = pail_field_scratch_take(vector->field, &scratch, &canonical,
                                     32 * (n < READ_ELEMENTS ? n : READ_ELEMENTS), err);
    if (status == PAIL_OK)
        status = get(vector, elements, offset, n, &canonical, err);
    if (status != PAIL_OK)
        (void)pail_vk_wait(vector->field->dev,
                           pail_vk_last_ticket(vector->field->dev, PAIL_VK_QUEUE_MAIN),
                           PAIL_VK_FOREVER, NULL);
    pail_field_scratch_give(vector->field, scratch);
    return status;
}

/* A vector from a reader: several threads read, check and write into the staging ring, from where
 * the device copies what is there while they read more. */

/* Read at a time. The ring may be slow to read, so elements are checked here, where they stay in a
 * cache of the processor. Reading from a file takes as long for a call as for 16 KiB. */
#define PIECE_BYTES 65536u
/* The same on the stack, where there is no memory for more. */
#define SMALL_BYTES 8192u

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
    const struct pail_alloc *const alloc = &f->vector->field->alloc;
    uint8_t small[SMALL_BYTES];
    uint8_t *const large = bytes > sizeof(small) ? pail_calloc(alloc, 1, PIECE_BYTES) : NULL;
    uint8_t *const piece = large ? large : small;
    const size_t most = large ? PIECE_BYTES : sizeof(small);
    pail_status status = PAIL_OK;
    for (uint64_t done = 0; done < bytes && status == PAIL_OK; done += most) {
        const size_t count = bytes - done < most ? (size_t)(bytes - done) : most;
        status = read_piece(f, piece, offset + done, count, err);
        if (status != PAIL_OK)
            break;
        vector_check(f->vector, piece, (offset + done) / 32, count / 32, &f->bad);
        memcpy((uint8_t *)to + done, piece, count);
    }
    pail_wipe(piece, bytes < most ? (size_t)bytes : most);
    pail_free(alloc, large);
    return status;
}

/* Makes what was copied visible to work that is submitted to the main queue from now on. */
static pail_status hand_over(struct pail_vk_device *dev, pail_vk_ticket copied,
                             struct pail_error *err)
{
    struct pail_vk_cmd *cmd = NULL;
    pail_vk_ticket ticket;
    pail_status status = pail_vk_cmd_begin(dev, PAIL_VK_QUEUE_MAIN, "sent", &cmd, err);
    if (status != PAIL_OK)
        return status;
    pail_vk_cmd_wait(cmd, copied);
    status = pail_vk_cmd_submit(cmd, &ticket, err);
    pail_vk_cmd_release(&cmd);
    return status;
}

/* Returns when all elements are read and on their way, or it failed.
 *
 * The main queue would bring the elements behind all work that others have submitted to it. The
 * other queue brings them at once; it is for vectors of which nothing is under way. Work retains
 * its vectors, and the caller has settled this one. */
static pail_status read_all(struct filling *f, uint64_t offset, uint64_t n, pail_vk_ticket *copied,
                            struct pail_error *err)
{
    struct pail_vk_device *const dev = f->vector->field->dev;
    const struct pail_vk_slice all = pail_vector_all(f->vector);
    const bool beside =
        pail_vk_device_caps(dev)->transfer_queue && atomic_load(&f->vector->refs) == 1;
    const struct pail_vk_parcel parcel = {
        .dst = &all,
        .offset = 32 * offset,
        .bytes = 32 * n,
        .fill = fill,
        .user = f,
        .secret = true,
        .queue = beside ? PAIL_VK_QUEUE_TRANSFER : PAIL_VK_QUEUE_MAIN,
    };
    pail_status status = pail_vk_send_all(dev, &parcel, copied, err);
    if (status == PAIL_OK && beside)
        status = hand_over(dev, *copied, err);
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
    pail_status status = settle(vector, err);
    if (status == PAIL_OK)
        status = read_all(&f, offset, n, &copied, err);
    if (status == PAIL_OK && encoding == PAIL_ENCODING_CANONICAL) {
        const struct pail_vk_slice all = pail_vector_all(vector);
        s.list.phase = "encode";
        pail_vector_encode_steps(&s, vector->curve, VECTOR_DECODE, &all, offset, &all, offset, n);
        status = pail_field_run_begin(&run, &s, err);
    }
    if (status == PAIL_OK)
        status = pail_vk_wait(dev, copied, PAIL_VK_FOREVER, err);
    if (status != PAIL_OK) /* nothing keeps running on behalf of a call that failed */
        for (int kind = 0; kind < PAIL_VK_QUEUE_KINDS; kind++)
            (void)pail_vk_wait(dev, pail_vk_last_ticket(dev, (enum pail_vk_queue_kind)kind),
                               PAIL_VK_FOREVER, NULL);
    (void)pail_vk_wipe_ring(dev); /* while the device brings elements into its form */
    /* Work that others have submitted before is waited for by nobody but the device. */
    if (status == PAIL_OK && run.cmd)
        atomic_store(&vector->settled, run.ticket);
    if (status == PAIL_OK && run.cmd)
        pail_vector_note_written(vector, run.ticket);
    else
        note_all_written(vector);
    if (status != PAIL_OK) {
        const struct pail_vk_slice part =
            pail_vk_buffer_slice(&vector->buffer, 32 * offset, 32 * n);
        (void)pail_vk_wipe(dev, &part, NULL);
    }
    pail_field_run_fini(&run, &s);
    pail_field_steps_fini(&s);
    return status;
}
