#include "source.h"

#include <string.h>

/* Stride from which on bytes between two points cost more to read than another call. */
enum { STRIDE_APART = 4096 };

static pail_status copy(void *user, void *to, uint64_t offset, size_t bytes)
{
    memcpy(to, (const uint8_t *)user + offset, bytes);
    return PAIL_OK;
}

/* Bytes of a point from its first to the last that means something. */
static size_t span_of(const struct pail_point_source *source)
{
    return source->infinity_byte > source->point_bytes ? source->infinity_byte
                                                       : source->point_bytes;
}

size_t pail_point_source_bytes(uint32_t encoding, size_t coordinate_bytes)
{
    return (encoding == PAIL_ENCODING_JACOBIAN ? 3 : 2) * coordinate_bytes;
}

bool pail_point_source_fits(const pail_bases_desc *desc, size_t coordinate_bytes)
{
    const size_t stride =
        desc->stride ? desc->stride : pail_point_source_bytes(desc->encoding, coordinate_bytes);
    return desc->n_points <= SIZE_MAX / stride;
}

void pail_point_source_init(struct pail_point_source *source, const pail_bases_desc *desc,
                            size_t coordinate_bytes)
{
    const bool read = desc->read_points != NULL;
    const size_t point_bytes = pail_point_source_bytes(desc->encoding, coordinate_bytes);
    *source = (struct pail_point_source){
        .n = desc->n_points,
        .point_bytes = point_bytes,
        .stride = desc->stride ? desc->stride : point_bytes,
        .zero_from = desc->encoding == PAIL_ENCODING_JACOBIAN ? point_bytes - coordinate_bytes : 0,
        .infinity_byte = desc->infinity_byte,
        .points = read ? NULL : desc->points,
        .read = read ? desc->read_points : copy,
        .user = read ? desc->read_user : (void *)(uintptr_t)desc->points,
        .claimed = ATOMIC_FLAG_INIT,
    };
    atomic_init(&source->status, PAIL_OK);
}

bool pail_point_source_is_packed(const struct pail_point_source *source)
{
    return source->stride == source->point_bytes && source->infinity_byte == 0;
}

pail_status pail_point_source_read(struct pail_point_source *source, void *to, uint64_t offset,
                                   size_t bytes)
{
    pail_status status = pail_point_source_status(source);
    if (status != PAIL_OK)
        return status;
    status = source->read(source->user, to, offset, bytes);
    if (status == PAIL_OK)
        return PAIL_OK;
    const pail_status_kind kind = PAIL_STATUS_KIND(status);
    if (kind < PAIL_KIND_CALLER || kind > PAIL_KIND_WORLD)
        status = PAIL_ERR_IO;
    if (!atomic_flag_test_and_set(&source->claimed)) {
        source->failed_offset = offset;
        source->failed_bytes = bytes;
        atomic_store(&source->status, (int)status);
    }
    return status;
}

pail_status pail_point_source_status(struct pail_point_source *source)
{
    return (pail_status)atomic_load(&source->status);
}

/* ---- Views ----------------------------------------------------------------------------------- */

/* True if points are far apart: the buffer then has the points and the infinity bytes, packed. */
static bool is_apart(const struct pail_point_source *source)
{
    return source->stride > STRIDE_APART;
}

static size_t packed_stride(const struct pail_point_source *source)
{
    return source->point_bytes + (source->infinity_byte != 0);
}

size_t pail_point_source_at_once(const struct pail_point_source *source)
{
    return PAIL_POINTS_BUFFER / (is_apart(source) ? packed_stride(source) : source->stride);
}

static pail_status view_apart(struct pail_point_source *source, struct pail_point_view *view,
                              size_t first, size_t n, uint8_t *buffer)
{
    pail_status status = PAIL_OK;
    view->stride = packed_stride(source);
    if (source->infinity_byte != 0)
        view->infinity_byte = view->stride;
    for (size_t i = 0; i < n && status == PAIL_OK; i++, buffer += view->stride) {
        const uint64_t offset = (uint64_t)(first + i) * source->stride;
        status = pail_point_source_read(source, buffer, offset, source->point_bytes);
        if (status == PAIL_OK && source->infinity_byte != 0)
            status = pail_point_source_read(source, buffer + source->point_bytes,
                                            offset + source->infinity_byte - 1, 1);
    }
    return status;
}

pail_status pail_point_source_view(struct pail_point_source *source, struct pail_point_view *view,
                                   size_t first, size_t n, void *buffer)
{
    pail_status status = PAIL_OK;
    *view = (struct pail_point_view){
        .at = buffer,
        .point_bytes = source->point_bytes,
        .stride = source->stride,
        .zero_from = source->zero_from,
        .infinity_byte = source->infinity_byte,
    };
    if (source->points != NULL)
        view->at = source->points + first * source->stride;
    else if (is_apart(source))
        status = view_apart(source, view, first, n, buffer);
    else
        status = pail_point_source_read(source, buffer, (uint64_t)first * source->stride,
                                        (n - 1) * source->stride + span_of(source));
    return status;
}

const uint8_t *pail_point_view_at(const struct pail_point_view *view, size_t i)
{
    return view->at + i * view->stride;
}

bool pail_point_view_marked(const struct pail_point_view *view, size_t i)
{
    return view->infinity_byte != 0 && pail_point_view_at(view, i)[view->infinity_byte - 1] != 0;
}

bool pail_point_view_is_infinity(const struct pail_point_view *view, size_t i)
{
    const uint8_t *const point = pail_point_view_at(view, i);
    if (pail_point_view_marked(view, i))
        return true;
    for (size_t b = view->zero_from; b < view->point_bytes; b++)
        if (point[b] != 0)
            return false;
    return true;
}
