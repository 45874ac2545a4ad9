/* SPDX-License-Identifier: Apache-2.0 */
#include "source.h"

#include <stdio.h>
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
    if (source->points)
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

static char *hex_of(char *out, const uint8_t *little_endian, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = n; i-- > 0;) {
        *out++ = digits[little_endian[i] >> 4];
        *out++ = digits[little_endian[i] & 15];
    }
    *out = '\0';
    return out;
}

/* "0x...", or in the second group "0x... + 0x... u". */
static void name_x(char *out, const struct pail_bad_point *bad)
{
    const size_t parts = bad->group == PAIL_G2 ? 2 : 1, bytes = bad->coordinate_bytes / parts;
    for (size_t i = 0; i < parts; i++) {
        memcpy(out, i ? " + 0x" : "0x", i ? 5 : 2);
        out = hex_of(out + (i ? 5 : 2), bad->at + i * bytes, bytes);
    }
    if (parts == 2)
        memcpy(out, " u", 3);
}

void pail_bad_point_text(char text[PAIL_BAD_POINT_TEXT], const struct pail_bad_point *bad)
{
    static const char *const defects[] = {
        [PAIL_POINT_NOT_BELOW_P] = "has a coordinate that is not below p of",
        [PAIL_POINT_OFF_CURVE] = "is not on",
        [PAIL_POINT_NOT_IN_SUBGROUP] = "is on the curve, but not in the subgroup of order r, of",
    };
    char x[2 * PAIL_COORDINATE_MAX + sizeof("0x + 0x u")];
    name_x(x, bad);
    (void)snprintf(text, PAIL_BAD_POINT_TEXT, "point %zu (x = %s as given) %s %s %s", bad->index, x,
                   defects[bad->defect], bad->curve_name, bad->group_name);
}
