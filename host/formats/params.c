/* SPDX-License-Identifier: Apache-2.0 */
#include "params.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "report.h"
#include <curves/curve_ops.h>

enum {
    FIELD_BYTES = 48,
    G1_BYTES = 2 * FIELD_BYTES,
    G2_BYTES = 4 * FIELD_BYTES,
    COUNT_BYTES = 4,
    PIECE_BYTES = 1 << 20, /* bytes converted at a time; a multiple of either point's */
    COMPRESSED = 0x80,
    INFINITE = 0x40,
    SIGN = 0x20
};

/* ---- Points ---------------------------------------------------------------------------------- */
static size_t bytes_of(uint32_t group)
{
    return group == PAIL_G2 ? G2_BYTES : G1_BYTES;
}

const char *pail_params_point(uint8_t *to, const uint8_t *from, uint32_t group)
{
    const size_t half = bytes_of(group) / 2;
    if ((from[0] & COMPRESSED) != 0)
        return "has the flag of compressed points";
    if ((from[0] & INFINITE) != 0)
        return "is infinity, which such a file has nowhere";
    if ((from[0] & SIGN) != 0)
        return "has the sign flag, which is for compressed points";
    if (pail_all_zero(from, 2 * half)) /* in memory this means infinity */
        return "is (0, 0), which is no point";
    for (size_t i = 0; i < 2; i++) /* in G2 this also swaps c1 and c0 */
        pail_copy_reversed(to + i * half, from + i * half, half);
    return NULL;
}

const char *pail_key_list_name(char text[32], const struct pail_zkey *key, enum pail_zkey_msm msm)
{
    static const char *const lists[PAIL_ZKEY_MSMS] = {[PAIL_ZKEY_A] = "a",
                                                      [PAIL_ZKEY_B1] = "b_g1",
                                                      [PAIL_ZKEY_B2] = "b_g2",
                                                      [PAIL_ZKEY_C] = "l",
                                                      [PAIL_ZKEY_H] = "h"};
    if (key->form == PAIL_KEY_PARAMS)
        (void)snprintf(text, 32, "the list %s", lists[msm]);
    else
        (void)snprintf(text, 32, "section %" PRIu32 " (%s)", pail_zkey_msm_section(msm),
                       pail_zkey_msm_name(msm));
    return text;
}

void pail_key_points_init(struct pail_key_points *points, const struct pail_zkey *key,
                          enum pail_zkey_msm msm, size_t first, size_t count)
{
    const struct pail_zkey_points *const of = &key->points[msm];
    *points = (struct pail_key_points){.data = of->data ? of->data + first * of->point_bytes : NULL,
                                       .key = key,
                                       .msm = msm,
                                       .first = first,
                                       .encoding = key->form == PAIL_KEY_PARAMS
                                                       ? PAIL_ENCODING_CANONICAL
                                                       : PAIL_ENCODING_MONTGOMERY};
    pail_file_part_init(&points->part, &key->file, of->offset + first * of->point_bytes,
                        count * of->point_bytes);
}

static pail_status read_raw(struct pail_key_points *points, void *to, uint64_t offset, size_t bytes)
{
    if (!points->data)
        return pail_file_part_read(&points->part, to, offset, bytes);
    memcpy(to, points->data + offset, bytes);
    return PAIL_OK;
}

/* Keeps the sentence of the first failure. */
static pail_status fail(struct pail_key_points *points, size_t index, const char *fault)
{
    const struct pail_zkey *const key = points->key;
    const struct pail_zkey_points *const of = &key->points[points->msm];
    char list[32];
    if (!atomic_flag_test_and_set(&points->part.told))
        (void)pail_report(points->part.error, sizeof(points->part.error), PAIL_ERR_DATA,
                          "%s: point %zu in %s, at byte %zu, %s", key->container.name, index,
                          pail_key_list_name(list, key, points->msm),
                          of->offset + index * of->point_bytes, fault);
    return PAIL_ERR_DATA;
}

/* Converts a piece in memory of its own, for `to` may be slow to read. */
static pail_status read_piece(struct pail_key_points *points, uint8_t *to, uint8_t *piece,
                              uint64_t offset, size_t bytes)
{
    const uint32_t group = pail_zkey_msm_group(points->msm);
    const size_t size = bytes_of(group);
    const pail_status status = read_raw(points, piece, offset, bytes);
    for (size_t at = 0; status == PAIL_OK && at < bytes; at += size) {
        uint8_t point[G2_BYTES];
        const char *const fault = pail_params_point(point, piece + at, group);
        if (fault)
            return fail(points, points->first + (size_t)(offset + at) / size, fault);
        memcpy(to + at, point, size);
    }
    return status;
}

pail_status pail_key_points_read(void *user, void *to, uint64_t offset, size_t bytes)
{
    struct pail_key_points *const points = user;
    if (points->key->form == PAIL_KEY_ZKEY)
        return read_raw(points, to, offset, bytes);
    const size_t most = PIECE_BYTES / G2_BYTES * G2_BYTES;
    uint8_t *const piece = malloc(bytes < most ? bytes : most);
    pail_status status = piece ? PAIL_OK : PAIL_ERR_HOST_MEMORY;
    if (!piece && !atomic_flag_test_and_set(&points->part.told))
        (void)pail_report(points->part.error, sizeof(points->part.error), status,
                          "%s: no memory for points", points->key->container.name);
    for (size_t at = 0; status == PAIL_OK && at < bytes; at += most) {
        const size_t left = bytes - at;
        status =
            read_piece(points, (uint8_t *)to + at, piece, offset + at, left < most ? left : most);
    }
    free(piece);
    return status;
}

/* ---- The file -------------------------------------------------------------------------------- */
/* A key while its parts are found, one after the other. */
struct finding {
    struct pail_zkey *key;
    size_t at;
    char *error;
    size_t error_cap;
};

/* Reads the next bytes, which errors call `what`. */
static pail_status next(struct finding *finding, uint8_t *to, size_t n, const char *what)
{
    const struct pail_binfile *const file = &finding->key->container;
    const size_t at = finding->at;
    if (n > file->size - at)
        return pail_report(finding->error, finding->error_cap, PAIL_ERR_DATA,
                           "%s: ends at byte %zu, inside of %s, which begins at byte %zu",
                           file->name, file->size, what, at);
    finding->at += n;
    if (!file->data)
        return pail_file_read(file->file, to, n, at, finding->error, finding->error_cap);
    memcpy(to, file->data + at, n);
    return PAIL_OK;
}

static pail_status find_header(struct finding *finding)
{
    struct pail_zkey *const key = finding->key;
    pail_status status = PAIL_OK;
    for (enum pail_zkey_point i = PAIL_ZKEY_ALPHA1;
         status == PAIL_OK && i < PAIL_ZKEY_HEADER_POINTS; i++) {
        const uint32_t group = pail_zkey_point_group(i);
        uint8_t point[G2_BYTES];
        key->header_offsets[i] = finding->at;
        status = next(finding, point, bytes_of(group), pail_zkey_point_name(i));
        const char *const fault =
            status == PAIL_OK ? pail_params_point(key->header[i], point, group) : NULL;
        if (fault)
            status = pail_report(finding->error, finding->error_cap, PAIL_ERR_DATA,
                                 "%s: %s, at byte %zu, %s", key->container.name,
                                 pail_zkey_point_name(i), key->header_offsets[i], fault);
    }
    return status;
}

static pail_status find_list(struct finding *finding, struct pail_zkey_points *points,
                             const char *what, uint32_t group)
{
    const struct pail_binfile *const file = &finding->key->container;
    uint8_t bytes[COUNT_BYTES];
    const size_t at = finding->at;
    const pail_status status = next(finding, bytes, sizeof(bytes), what);
    if (status != PAIL_OK)
        return status;
    const size_t count =
        (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | (size_t)bytes[3];
    if (count > (file->size - finding->at) / bytes_of(group))
        return pail_report(finding->error, finding->error_cap, PAIL_ERR_DATA,
                           "%s: %s, at byte %zu, counts %zu points of %zu bytes, but %zu bytes "
                           "follow",
                           file->name, what, at, count, bytes_of(group), file->size - finding->at);
    *points = (struct pail_zkey_points){.data = file->data && count != 0 ? file->data + finding->at
                                                                         : NULL,
                                        .offset = finding->at,
                                        .count = count,
                                        .point_bytes = bytes_of(group)};
    finding->at += count * bytes_of(group);
    return PAIL_OK;
}

/* The counts of the lists fit each other. */
static pail_status check_counts(struct finding *finding)
{
    struct pail_zkey *const key = finding->key;
    const struct pail_zkey_points *const p = key->points;
    const uint64_t n_vars = (uint64_t)key->ic.count + p[PAIL_ZKEY_C].count,
                   domain = (uint64_t)p[PAIL_ZKEY_H].count + 1;
    const char *const name = key->container.name;
    if (key->ic.count == 0)
        return pail_report(finding->error, finding->error_cap, PAIL_ERR_DATA,
                           "%s: the list ic has no point for the constant 1", name);
    if ((domain & (domain - 1)) != 0 || domain > UINT64_C(1) << PAIL_NTT_LOG_MAX)
        return pail_report(finding->error, finding->error_cap, PAIL_ERR_DATA,
                           "%s: the list h has %zu points, which is not one less than a power of "
                           "two up to 2^%u",
                           name, p[PAIL_ZKEY_H].count, PAIL_NTT_LOG_MAX);
    if (n_vars > UINT32_MAX || p[PAIL_ZKEY_A].count < key->ic.count ||
        p[PAIL_ZKEY_A].count > n_vars)
        return pail_report(finding->error, finding->error_cap, PAIL_ERR_DATA,
                           "%s: the lists ic, l and a have %zu, %zu and %zu points, but a has a "
                           "point of each of ic, and at most one of each of l",
                           name, key->ic.count, p[PAIL_ZKEY_C].count, p[PAIL_ZKEY_A].count);
    if (p[PAIL_ZKEY_B1].count != p[PAIL_ZKEY_B2].count || p[PAIL_ZKEY_B1].count > n_vars)
        return pail_report(finding->error, finding->error_cap, PAIL_ERR_DATA,
                           "%s: the lists b_g1 and b_g2 have %zu and %zu points, not the same "
                           "number of at most %" PRIu64,
                           name, p[PAIL_ZKEY_B1].count, p[PAIL_ZKEY_B2].count, n_vars);
    key->n_vars = (uint32_t)n_vars;
    key->n_public = (uint32_t)key->ic.count - 1;
    key->domain_size = (uint32_t)domain;
    return PAIL_OK;
}

/* Finds the parts of a key whose container is there. */
static pail_status find(struct pail_zkey *key, char *error, size_t error_cap)
{
    struct finding finding = {.key = key, .error = error, .error_cap = error_cap};
    const struct {
        struct pail_zkey_points *points;
        const char *what;
        uint32_t group;
    } lists[] = {{&key->ic, "the list ic", PAIL_G1},
                 {&key->points[PAIL_ZKEY_H], "the list h", PAIL_G1},
                 {&key->points[PAIL_ZKEY_C], "the list l", PAIL_G1},
                 {&key->points[PAIL_ZKEY_A], "the list a", PAIL_G1},
                 {&key->points[PAIL_ZKEY_B1], "the list b_g1", PAIL_G1},
                 {&key->points[PAIL_ZKEY_B2], "the list b_g2", PAIL_G2}};
    key->form = PAIL_KEY_PARAMS;
    key->curve = PAIL_CURVE_BLS12_381;
    pail_status status = find_header(&finding);
    for (size_t i = 0; status == PAIL_OK && i < sizeof(lists) / sizeof(lists[0]); i++)
        status = find_list(&finding, lists[i].points, lists[i].what, lists[i].group);
    return status == PAIL_OK ? check_counts(&finding) : status;
}

/* True for the beginning of a .params: alpha1. */
static bool begins(const uint8_t *bytes, size_t n)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BLS12_381, PAIL_G1);
    uint8_t point[G1_BYTES];
    pail_affine affine;
    return n >= G1_BYTES && !pail_params_point(point, bytes, PAIL_G1) &&
           ops->decode(&affine, point, false) && ops->on_curve(&affine);
}

static pail_status open_file(struct pail_zkey *key, const char *path, const char *name, char *error,
                             size_t error_cap)
{
    uint8_t head[G1_BYTES];
    pail_status status = pail_file_open_as(&key->file, path, name, error, error_cap);
    const size_t n = key->file.size < sizeof(head) ? key->file.size : sizeof(head);
    if (status == PAIL_OK)
        status = pail_file_read(&key->file, head, n, 0, error, error_cap);
    if (status == PAIL_OK && begins(head, n)) {
        key->container =
            (struct pail_binfile){.name = name, .file = &key->file, .size = key->file.size};
        return find(key, error, error_cap);
    }
    pail_zkey_close(key);
    return status == PAIL_OK ? pail_zkey_open_as(key, path, name, error, error_cap) : status;
}

pail_status pail_key_file_open(struct pail_zkey *key, const char *path, const char *name,
                               const void *bytes, size_t n_bytes, char *error, size_t error_cap)
{
    *key = (struct pail_zkey){0};
    if (!path && !begins(bytes, n_bytes))
        return pail_zkey_parse(key, name, bytes, n_bytes, error, error_cap);
    pail_status status;
    if (path) {
        status = open_file(key, path, name, error, error_cap);
    } else {
        key->container = (struct pail_binfile){.name = name, .data = bytes, .size = n_bytes};
        status = find(key, error, error_cap);
    }
    if (status != PAIL_OK)
        pail_zkey_close(key);
    return status;
}
