/* SPDX-License-Identifier: Apache-2.0 */
#include "joined.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pail/encoding.h>

#include <platform/file.h>

/* Compressed points have no beginning by which a file of ours could be told from others, so the
 * place has to be new: no file begins so. */
static const char none[] = "no file of proofs begins like this, so no file is replaced by one";
static const struct pail_magic ours = {.bytes = none, .n = PAIL_MAGIC_MAX};
static const struct pail_replace_rule rule = {.ours = &ours, .n_ours = 1, .mode = 0666};
static_assert(sizeof(none) > PAIL_MAGIC_MAX, "as long as a beginning may be");

pail_status pail_joined_begin(struct pail_joined *joined, const char *path,
                              struct pail_error *error)
{
    *joined = PAIL_JOINED_NONE;
    if (!path)
        return PAIL_OK;
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "--joined %s: the report goes to standard output; name a file", path);
    /* A file that is begun may have a name, which would stay behind an interrupt. */
    struct pail_replace file = PAIL_REPLACE_NONE;
    const char *const why = pail_replace_begin(&file, path, &rule);
    if (why)
        return pail_fail(error, PAIL_ERR_IO, "--joined %s: %s", path, why);
    pail_replace_end(&file);
    joined->path = path;
    return PAIL_OK;
}

/* The form of compressed points of the curve, as kzg has it. */
static pail_point_format format_of(uint32_t curve, uint32_t group)
{
    return (pail_point_format){.struct_size = sizeof(pail_point_format),
                               .curve = curve,
                               .group = group,
                               .form = curve == PAIL_CURVE_BLS12_381 ? PAIL_POINT_ZCASH
                                                                     : PAIL_POINT_GNARK};
}

pail_status pail_joined_room(struct pail_joined *joined, size_t n, uint32_t curve,
                             struct pail_error *error)
{
    const pail_point_format g1 = format_of(curve, PAIL_G1), g2 = format_of(curve, PAIL_G2);
    if (!joined->path)
        return PAIL_OK;
    joined->n = n;
    joined->curve = curve;
    joined->proof_bytes = 2 * pail_point_bytes(&g1) + pail_point_bytes(&g2);
    joined->proofs = calloc(n + 1, joined->proof_bytes);
    return joined->proofs ? PAIL_OK
                          : pail_fail(error, PAIL_ERR_HOST_MEMORY,
                                      "--joined %s: no memory for %zu proofs", joined->path, n);
}

pail_status pail_joined_put(struct pail_joined *joined, size_t i, const pail_groth16_proof *proof,
                            struct pail_error *error)
{
    const struct {
        uint32_t group;
        const uint8_t *point;
    } points[] = {{PAIL_G1, proof->a}, {PAIL_G2, proof->b}, {PAIL_G1, proof->c}};
    if (!joined->path)
        return PAIL_OK;
    uint8_t *at = joined->proofs + i * joined->proof_bytes;
    for (size_t k = 0; k < sizeof(points) / sizeof(points[0]); k++) {
        const pail_point_format format = format_of(joined->curve, points[k].group);
        if (pail_told(error, pail_points_encode(at, NULL, &format, points[k].point, 1,
                                                PAIL_SENTENCE(error))) != PAIL_OK)
            return error->status;
        at += pail_point_bytes(&format);
    }
    return PAIL_OK;
}

pail_status pail_joined_write(struct pail_joined *joined, struct pail_error *error)
{
    if (!joined->path)
        return PAIL_OK;
    struct pail_replace file = PAIL_REPLACE_NONE;
    const char *why = pail_replace_begin(&file, joined->path, &rule);
    if (!why)
        why = pail_replace_write(&file, joined->proofs, joined->n * joined->proof_bytes);
    if (!why)
        why = pail_replace_publish(&file);
    pail_replace_end(&file);
    return why ? pail_fail(error, PAIL_ERR_IO, "--joined %s: %s", joined->path, why) : PAIL_OK;
}

void pail_joined_end(struct pail_joined *joined)
{
    free(joined->proofs);
    *joined = PAIL_JOINED_NONE;
}
