/* SPDX-License-Identifier: Apache-2.0 */
#include <pail/encoding.h>

#include <string.h>

#include <formats/points.h>
#include <formats/report.h>

enum { FAULT_CHARS = 256 };

static pail_status find_codec(struct pail_point_codec *codec, const pail_point_format *format,
                              char *error, size_t capacity)
{
    if (!format || format->struct_size < sizeof *format) {
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "the format of the points is missing or too small");
    }
    if (!pail_point_codec_init(codec, format->curve, format->group, format->form)) {
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "points of curve %u, group %u have no form %u", format->curve,
                           format->group, format->form);
    }
    return PAIL_OK;
}

size_t pail_point_bytes(const pail_point_format *format)
{
    struct pail_point_codec codec;
    return find_codec(&codec, format, NULL, 0) == PAIL_OK ? codec.encoded_bytes : 0;
}

/* The common beginning of both directions: empty outputs. */
static void begin(size_t *bad_index, char *error, size_t capacity)
{
    if (bad_index)
        *bad_index = SIZE_MAX;
    if (error && capacity > 0)
        error[0] = '\0';
}

static pail_status report_point(size_t *bad_index, size_t i, pail_status status, const char *fault,
                                char *error, size_t capacity)
{
    if (bad_index)
        *bad_index = i;
    return pail_report(error, capacity, status, "point %zu: %s", i, fault);
}

static pail_status check_count(const struct pail_point_codec *codec, size_t n, char *error,
                               size_t capacity)
{
    if (n > SIZE_MAX / codec->encoded_bytes || n > SIZE_MAX / codec->point_bytes) {
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "%zu points do not fit the address space", n);
    }
    return PAIL_OK;
}

pail_status pail_points_decode(void *points, size_t *bad_index, const pail_point_format *format,
                               const void *encoded, size_t encoded_bytes, size_t n, char *error,
                               size_t capacity)
{
    struct pail_point_codec codec;
    begin(bad_index, error, capacity);
    pail_status status = find_codec(&codec, format, error, capacity);
    if (status == PAIL_OK)
        status = check_count(&codec, n, error, capacity);
    if (status != PAIL_OK)
        return status;
    if (!points && n > 0)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "points is NULL");
    size_t owned = n; /* points to zero: as many as both lengths cover */
    if (!encoded && encoded_bytes > 0) {
        owned = 0;
        status = pail_report(error, capacity, PAIL_ERR_ARGUMENT, "encoded is NULL");
    } else if (codec.form != PAIL_POINT_EIP196 && encoded_bytes != n * codec.encoded_bytes) {
        const size_t whole = encoded_bytes / codec.encoded_bytes;
        owned = whole < n ? whole : n;
        status = pail_report(error, capacity, PAIL_ERR_DATA,
                             "%zu points of %zu bytes take %zu bytes, not %zu", n,
                             codec.encoded_bytes, n * codec.encoded_bytes, encoded_bytes);
    }
    if (status == PAIL_OK && format->validation > PAIL_VALIDATE_SUBGROUP)
        status = pail_report(error, capacity, PAIL_ERR_ARGUMENT, "there is no validation %u",
                             format->validation);
    for (size_t i = 0; status == PAIL_OK && i < n; i++) {
        /* Bytes of the point that are there; the rest stays zero. */
        uint8_t bytes[4 * 64] = {0};
        char fault[FAULT_CHARS] = "";
        const size_t at = i * codec.encoded_bytes;
        const size_t left = at < encoded_bytes ? encoded_bytes - at : 0;
        const size_t there = left < codec.encoded_bytes ? left : codec.encoded_bytes;
        if (there > 0)
            memcpy(bytes, (const uint8_t *)encoded + at, there);
        status = pail_point_decode(&codec, (uint8_t *)points + i * codec.point_bytes, bytes,
                                   format->validation, fault, sizeof fault);
        if (status != PAIL_OK)
            status = report_point(bad_index, i, status, fault, error, capacity);
    }
    if (status != PAIL_OK && owned > 0)
        memset(points, 0, owned * codec.point_bytes);
    return status;
}

pail_status pail_points_encode(void *encoded, size_t *bad_index, const pail_point_format *format,
                               const void *points, size_t n, char *error, size_t capacity)
{
    struct pail_point_codec codec;
    begin(bad_index, error, capacity);
    pail_status status = find_codec(&codec, format, error, capacity);
    if (status == PAIL_OK)
        status = check_count(&codec, n, error, capacity);
    if (status != PAIL_OK || n == 0)
        return status;
    if (!encoded)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "encoded is NULL");
    if (!points)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "points is NULL");
    for (size_t i = 0; status == PAIL_OK && i < n; i++) {
        char fault[FAULT_CHARS] = "";
        status =
            pail_point_encode(&codec, (uint8_t *)encoded + i * codec.encoded_bytes,
                              (const uint8_t *)points + i * codec.point_bytes, fault, sizeof fault);
        if (status != PAIL_OK)
            status = report_point(bad_index, i, status, fault, error, capacity);
    }
    if (status != PAIL_OK)
        memset(encoded, 0, n * codec.encoded_bytes);
    return status;
}
