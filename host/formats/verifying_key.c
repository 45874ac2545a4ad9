/* SPDX-License-Identifier: Apache-2.0 */
#include "verifying_key.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "params.h"
#include "report.h"
#include <curves/curve_ops.h>

enum { NAME_CHARS = 32 };

pail_status pail_verifying_key_reserve(struct pail_verifying_key *key, const char *name,
                                       uint64_t n_public, char *error, size_t error_cap)
{
    const size_t point_bytes = 2 * pail_curve_ops(key->key.curve, PAIL_G1)->coordinate_bytes;
    key->ic =
        n_public < SIZE_MAX / point_bytes - 1 ? calloc((size_t)n_public + 1, point_bytes) : NULL;
    if (!key->ic)
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY,
                           "%s: no memory for the points of %" PRIu64 " public values", name,
                           n_public);
    key->key.n_public = n_public;
    key->key.ic = key->ic;
    return PAIL_OK;
}

/* Converts from the form of the key. The check of the curve is here, where a point's place is
 * known. */
static pail_status convert(uint8_t *to, const struct pail_curve_ops *ops, const uint8_t *from,
                           const struct pail_zkey *proving, const char *name, unsigned section,
                           uint64_t at, char *error, size_t error_cap)
{
    pail_affine point;
    char in[24] = "";
    const char *const fault = !ops->decode(&point, from, proving->form == PAIL_KEY_ZKEY)
                                  ? "has a coordinate that is not below the modulus"
                              : !ops->on_curve(&point) ? "is not on the curve"
                                                       : NULL;
    if (proving->form == PAIL_KEY_ZKEY)
        (void)snprintf(in, sizeof(in), " in section %u", section);
    if (fault)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: %s%s, at byte %" PRIu64 ", %s, of %s", proving->container.name,
                           name, in, at, fault, ops->curve_name);
    ops->encode(to, &point, false);
    return PAIL_OK;
}

static pail_status convert_ic(struct pail_verifying_key *key, const struct pail_zkey *proving,
                              const struct pail_zkey_points *points, const uint8_t *from,
                              char *error, size_t error_cap)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(key->key.curve, PAIL_G1);
    pail_status status = PAIL_OK;
    for (size_t i = 0; status == PAIL_OK && i < points->count; i++) {
        char name[NAME_CHARS];
        uint8_t canonical[PAIL_ZKEY_POINT_MAX];
        const uint8_t *point = from + i * points->point_bytes;
        const uint64_t at = points->offset + i * points->point_bytes;
        (void)snprintf(name, sizeof(name), "IC[%zu]", i);
        if (proving->form == PAIL_KEY_PARAMS) {
            const char *const fault = pail_params_point(canonical, point, PAIL_G1);
            if (fault)
                return pail_report(error, error_cap, PAIL_ERR_DATA,
                                   "%s: %s, at byte %" PRIu64 ", %s", proving->container.name, name,
                                   at, fault);
            point = canonical;
        }
        status = convert(key->ic + i * points->point_bytes, ops, point, proving, name, 3, at, error,
                         error_cap);
    }
    return status;
}

pail_status pail_verifying_key_of_zkey(struct pail_verifying_key *key,
                                       const struct pail_zkey *proving, char *error,
                                       size_t error_cap)
{
    const char *const name = proving->container.name;
    struct pail_verifying_key made = {
        .key = {.struct_size = sizeof(made.key), .curve = proving->curve}};
    const struct {
        enum pail_zkey_point point;
        uint8_t *to;
    } rows[] = {{PAIL_ZKEY_ALPHA1, made.key.alpha1},
                {PAIL_ZKEY_BETA2, made.key.beta2},
                {PAIL_ZKEY_GAMMA2, made.key.gamma2},
                {PAIL_ZKEY_DELTA2, made.key.delta2}};
    struct pail_zkey_points ic;
    struct pail_bytes bytes = {0};
    const uint8_t *points = NULL;
    *key = (struct pail_verifying_key){0};
    pail_status status = PAIL_OK;
    for (size_t i = 0; status == PAIL_OK && i < sizeof(rows) / sizeof(rows[0]); i++)
        status = convert(
            rows[i].to, pail_curve_ops(proving->curve, pail_zkey_point_group(rows[i].point)),
            proving->header[rows[i].point], proving, pail_zkey_point_name(rows[i].point), 2,
            proving->header_offsets[rows[i].point], error, error_cap);
    if (status == PAIL_OK)
        status = pail_zkey_find_ic(&ic, proving, error, error_cap);
    if (status == PAIL_OK)
        status = pail_binfile_load(&points, &bytes, &proving->container, ic.count * ic.point_bytes,
                                   ic.offset, error, error_cap);
    if (status == PAIL_OK)
        status = pail_verifying_key_reserve(&made, name, proving->n_public, error, error_cap);
    if (status == PAIL_OK)
        status = convert_ic(&made, proving, &ic, points, error, error_cap);
    pail_bytes_free(&bytes, false);
    if (status == PAIL_OK)
        *key = made;
    else
        pail_verifying_key_free(&made);
    return status;
}

pail_status pail_verifying_key_of_file(struct pail_verifying_key *key, const char *path,
                                       char *error, size_t error_cap)
{
    struct pail_zkey proving;
    *key = (struct pail_verifying_key){0};
    pail_status status = pail_key_file_open(&proving, path, path, NULL, 0, error, error_cap);
    if (status == PAIL_OK)
        status = pail_verifying_key_of_zkey(key, &proving, error, error_cap);
    pail_zkey_close(&proving);
    return status;
}

void pail_verifying_key_free(struct pail_verifying_key *key)
{
    free(key->ic);
    *key = (struct pail_verifying_key){0};
}
