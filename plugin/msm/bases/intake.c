/* SPDX-License-Identifier: Apache-2.0 */
#include "points.h"

#include <string.h>

#include <front/front.h>
#include <platform/thread.h>

#include "msm/service/service.h"
#include "vk/staging.h"

/* Points of a stretch that one thread counts: whole words of bits. */
#define STRETCH_POINTS ((size_t)65536)

struct pail_intake_buffer {
    struct pail_intake_buffer *next;
    uint8_t bytes[PAIL_POINTS_BUFFER];
};

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

pail_status pail_intake_begin(struct pail_intake *intake, struct pail_bases *bases,
                              const pail_bases_desc *desc, struct pail_error *err)
{
    struct pail_front_place place;
    *intake = (struct pail_intake){.bases = bases};
    pail_point_source_init(&intake->source, desc, bases->group.ops->coordinate_bytes);
    pthread_mutex_init(&intake->lock, NULL);
    if (!desc->address || !desc->n_points)
        return PAIL_OK;
    const uint64_t bytes = intake->source.n * intake->source.point_bytes;
    const pail_status status =
        pail_front_place(&place, &bases->msm->memories->ranges, desc->address, bytes,
                         sizeof(uint32_t), "desc->address", err);
    if (status == PAIL_OK)
        intake->memory = pail_vk_buffer_slice(&place.memory->buffer, place.offset, bytes);
    return status;
}

void pail_intake_end(struct pail_intake *intake)
{
    while (intake->idle) {
        struct pail_intake_buffer *const buffer = intake->idle;
        intake->idle = buffer->next;
        pail_free(&intake->bases->msm->alloc, buffer);
    }
    pthread_mutex_destroy(&intake->lock);
}

static pail_status buffer_take(struct pail_intake *intake, struct pail_intake_buffer **out,
                               struct pail_error *err)
{
    pthread_mutex_lock(&intake->lock);
    struct pail_intake_buffer *buffer = intake->idle;
    if (buffer)
        intake->idle = buffer->next;
    pthread_mutex_unlock(&intake->lock);
    if (!buffer)
        buffer = pail_calloc(&intake->bases->msm->alloc, 1, sizeof(*buffer));
    *out = buffer;
    return buffer ? PAIL_OK
                  : pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory to read points into");
}

static void buffer_put(struct pail_intake *intake, struct pail_intake_buffer *buffer)
{
    pthread_mutex_lock(&intake->lock);
    buffer->next = intake->idle;
    intake->idle = buffer;
    pthread_mutex_unlock(&intake->lock);
}

/* The whole sentence is made when nobody reads any more: pail_intake_explain. */
static pail_status reader_said(pail_status status, struct pail_error *err)
{
    return status == PAIL_OK ? PAIL_OK : pail_fail(err, status, "read_points: failed");
}

bool pail_intake_failed(struct pail_intake *intake)
{
    return pail_point_source_status(&intake->source) != PAIL_OK;
}

pail_status pail_intake_explain(struct pail_intake *intake, struct pail_error *err)
{
    struct pail_point_source *const source = &intake->source;
    const pail_status status = pail_point_source_status(source);
    return pail_fail(err, status, "read_points: status %d for bytes %llu to %llu of %zu points",
                     (int)status, (unsigned long long)source->failed_offset,
                     (unsigned long long)(source->failed_offset + source->failed_bytes - 1),
                     source->n);
}

/* ---- Counting -------------------------------------------------------------------------------- */
struct counting {
    struct pail_intake *intake;
    uint64_t *bits;
    pthread_mutex_t lock; /* guards everything below */
    uint64_t n;
    pail_status status;
    struct pail_error err;
};

static pail_status count_stretch(struct counting *c, uint64_t *n, size_t begin, uint8_t *buffer,
                                 struct pail_error *err)
{
    struct pail_point_source *const source = &c->intake->source;
    const size_t end = min_size(source->n, begin + STRETCH_POINTS);
    const size_t most = pail_point_source_at_once(source);
    pail_status status = PAIL_OK;
    for (size_t first = begin; first < end && status == PAIL_OK; first += most) {
        const size_t count = min_size(most, end - first);
        struct pail_point_view view;
        status = reader_said(pail_point_source_view(source, &view, first, count, buffer), err);
        for (size_t i = 0; i < count && status == PAIL_OK; i++)
            if (pail_point_view_is_infinity(&view, i)) {
                c->bits[(first + i) / 64] |= UINT64_C(1) << (first + i) % 64;
                ++*n;
            }
    }
    return status;
}

static void count(void *user, uint32_t i)
{
    struct counting *const c = user;
    struct pail_intake_buffer *buffer;
    struct pail_error err;
    uint64_t n = 0;
    pail_status status = buffer_take(c->intake, &buffer, &err);
    if (status == PAIL_OK) {
        status = count_stretch(c, &n, i * STRETCH_POINTS, buffer->bytes, &err);
        buffer_put(c->intake, buffer);
    }
    pthread_mutex_lock(&c->lock);
    c->n += n;
    if (status != PAIL_OK && c->status == PAIL_OK) {
        c->status = status;
        c->err = err;
    }
    pthread_mutex_unlock(&c->lock);
}

pail_status pail_intake_infinities(struct pail_intake *intake, uint64_t **bits, uint64_t *n,
                                   struct pail_error *err)
{
    struct pail_msm *const msm = intake->bases->msm;
    const size_t points = intake->source.n;
    *bits = NULL;
    *n = 0;
    if (points == 0 || intake->memory.buffer)
        return PAIL_OK;
    struct counting c = {.intake = intake, .bits = pail_calloc(&msm->alloc, points / 64 + 1, 8)};
    if (!c.bits)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY,
                         "no host memory for the infinities of %zu points", points);
    pthread_mutex_init(&c.lock, NULL);
    pail_team_run((uint32_t)((points + STRETCH_POINTS - 1) / STRETCH_POINTS), msm->threads, count,
                  &c);
    pthread_mutex_destroy(&c.lock);
    if (c.status != PAIL_OK) {
        pail_free(&msm->alloc, c.bits);
        if (err)
            *err = c.err;
        return c.status;
    }
    *bits = c.bits;
    *n = c.n;
    return PAIL_OK;
}

/* ---- Packing --------------------------------------------------------------------------------- */
static size_t original(const struct pail_bases *bases, uint64_t kept)
{
    return (size_t)(bases->map ? bases->map[kept] : kept);
}

static void pack(uint8_t *out, const struct pail_point_view *view, size_t i, size_t from, size_t n)
{
    if (pail_point_view_marked(view, i))
        memset(out, 0, n);
    else
        memcpy(out, pail_point_view_at(view, i) + from, n);
}

/* The part of a piece that is written: bytes begin ... end - 1 of the kept points. */
struct packing {
    struct pail_intake *intake;
    uint8_t *to;
    uint64_t begin, end;
};

/* Packs those of the kept points from *kept on that are among the `n` points of a view, and moves
 * *kept behind them. Points that were left out must still be infinity. */
static pail_status pack_view(const struct packing *p, const struct pail_point_view *view,
                             size_t first, size_t n, uint64_t *kept, struct pail_error *err)
{
    const struct pail_bases *const bases = p->intake->bases;
    const size_t bytes = view->point_bytes;
    for (size_t i = 0; i < n; i++) {
        if (original(bases, *kept) != first + i) {
            if (!pail_point_view_is_infinity(view, i))
                return pail_fail(err, PAIL_ERR_DATA,
                                 "points: point %zu was infinity, and another point when it was "
                                 "read again: somebody is changing them",
                                 first + i);
            continue;
        }
        const uint64_t at = *kept * bytes;
        const uint64_t from = at < p->begin ? p->begin : at;
        const uint64_t to = at + bytes > p->end ? p->end : at + bytes;
        pack(p->to + (from - p->begin), view, i, (size_t)(from - at), (size_t)(to - from));
        ++*kept;
    }
    return PAIL_OK;
}

/* Whole points are read, though the first and the last may be wanted in part. */
static pail_status pack_points(const struct packing *p, struct pail_error *err)
{
    struct pail_intake *const intake = p->intake;
    struct pail_point_source *const source = &intake->source;
    const size_t bytes = source->point_bytes, most = pail_point_source_at_once(source);
    struct pail_intake_buffer *buffer;
    pail_status status = buffer_take(intake, &buffer, err);
    if (status != PAIL_OK)
        return status;
    uint64_t kept = p->begin / bytes;
    const uint64_t last = (p->end - 1) / bytes;
    size_t first = original(intake->bases, kept);
    const size_t end = original(intake->bases, last) + 1;
    for (size_t n; first < end && status == PAIL_OK; first += n) {
        struct pail_point_view view;
        n = min_size(most, end - first);
        status = reader_said(pail_point_source_view(source, &view, first, n, buffer->bytes), err);
        if (status == PAIL_OK)
            status = pack_view(p, &view, first, n, &kept, err);
    }
    buffer_put(intake, buffer);
    return status;
}

pail_status pail_intake_fill(void *user, void *to, uint64_t offset, uint64_t bytes,
                             struct pail_error *err)
{
    const struct pail_intake_piece *const piece = user;
    struct pail_intake *const intake = piece->intake;
    struct pail_point_source *const source = &intake->source;
    const size_t size = source->point_bytes;
    const uint64_t begin = piece->first * size + offset, end = begin + bytes;
    struct packing packing = {.intake = intake, .to = to, .begin = begin, .end = end};
    if (!pail_point_source_is_packed(source) || intake->bases->map)
        return pack_points(&packing, err);
    /* Whole points go straight to their place. Those at the ends may be wanted in part, and a
     * reader gives whole ones. */
    const uint64_t whole = (begin + size - 1) / size * size, rest = end / size * size;
    if (whole >= rest)
        return pack_points(&packing, err);
    pail_status status = reader_said(pail_point_source_read(source, (uint8_t *)to + (whole - begin),
                                                            whole, (size_t)(rest - whole)),
                                     err);
    packing.end = whole;
    if (status == PAIL_OK && begin < whole)
        status = pack_points(&packing, err);
    packing = (struct packing){
        .intake = intake, .to = (uint8_t *)to + (rest - begin), .begin = rest, .end = end};
    if (status == PAIL_OK && rest < end)
        status = pack_points(&packing, err);
    return status;
}

pail_status pail_intake_point(struct pail_intake *intake, uint8_t *out, size_t i,
                              struct pail_error *err)
{
    struct pail_intake_buffer *buffer;
    struct pail_point_view view;
    const size_t bytes = intake->source.point_bytes;
    if (intake->memory.buffer)
        return pail_vk_download(intake->bases->msm->dev, &intake->memory, i * bytes, out, bytes,
                                PAIL_VK_FOREVER, err);
    pail_status status = buffer_take(intake, &buffer, err);
    if (status != PAIL_OK)
        return status;
    status = reader_said(pail_point_source_view(&intake->source, &view, i, 1, buffer->bytes), err);
    if (status == PAIL_OK)
        pack(out, &view, 0, 0, view.point_bytes);
    buffer_put(intake, buffer);
    return status;
}
