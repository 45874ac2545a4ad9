#include "verifying_key.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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

/* Converts from Montgomery form. The check of the curve is here, where a point's place is known. */
static pail_status convert(uint8_t *to, const struct pail_curve_ops *ops, const uint8_t *from,
                           const char *file, const char *name, unsigned section, uint64_t at,
                           char *error, size_t error_cap)
{
    pail_affine point;
    const char *const fault = !ops->decode(&point, from, true)
                                  ? "has a coordinate that is not below the modulus"
                              : !ops->on_curve(&point) ? "is not on the curve"
                                                       : NULL;
    if (fault)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: %s in section %u, at byte %" PRIu64 ", %s, of %s", file, name,
                           section, at, fault, ops->curve_name);
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
        (void)snprintf(name, sizeof(name), "IC[%zu]", i);
        status = convert(key->ic + i * points->point_bytes, ops, from + i * points->point_bytes,
                         proving->container.name, name, 3, points->offset + i * points->point_bytes,
                         error, error_cap);
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
        status = convert(rows[i].to,
                         pail_curve_ops(proving->curve, pail_zkey_point_group(rows[i].point)),
                         proving->header[rows[i].point], name, pail_zkey_point_name(rows[i].point),
                         2, proving->header_offsets[rows[i].point], error, error_cap);
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
    pail_status status = pail_zkey_open(&proving, path, error, error_cap);
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
