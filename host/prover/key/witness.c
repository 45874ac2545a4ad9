/* SPDX-License-Identifier: Apache-2.0 */
#include "witness.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <formats/prime.h>
#include <formats/report.h>
#include <formats/wtns.h>
#include <platform/memory.h>

enum { VALUE_BYTES = 32, PIECE_VALUES = 256 };

/* ---- Its place ----------------------------------------------------------------------------- */
static pail_status find_in_container(struct pail_wtns_place *place, struct pail_witness *witness,
                                     const pail_groth16_witness *given, char *error,
                                     size_t error_cap)
{
    const bool in_file = given->path != NULL;
    const struct pail_binfile_bytes bytes = {given->wtns, (size_t)given->n_wtns};
    const pail_status status =
        pail_wtns_locate(place, in_file ? given->path : witness->name, in_file ? NULL : &bytes,
                         in_file ? &witness->file : NULL, error, error_cap);
    if (status == PAIL_OK && !in_file)
        witness->values = (const uint8_t *)given->wtns + place->offset;
    return status;
}

static pail_status find(struct pail_wtns_place *place, struct pail_witness *witness,
                        const pail_groth16_witness *given, char *error, size_t error_cap)
{
    if (given->path || given->wtns)
        return find_in_container(place, witness, given, error, error_cap);
    *place =
        (struct pail_wtns_place){.curve = witness->key->curve, .count = (size_t)given->n_values};
    witness->values = given->values;
    return PAIL_OK;
}

static pail_status check_place(const struct pail_wtns_place *place, const char *name,
                               const pail_groth16_key *key, char *error, size_t error_cap)
{
    if (place->curve != key->curve)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: is a witness over %s, but %s is a key over %s", name,
                           pail_prime_curve_name(place->curve), key->name,
                           pail_prime_curve_name(key->curve));
    if (place->count != key->n_vars)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: has %zu values, but %s has %" PRIu32 " variables", name,
                           place->count, key->name, key->n_vars);
    return PAIL_OK;
}

/* ---- Its beginning --------------------------------------------------------------------- */
static pail_status read_head(struct pail_witness *witness, char *error, size_t error_cap)
{
    const size_t count = (size_t)witness->key->n_public + 1, bytes = VALUE_BYTES * count;
    const uint8_t *values = witness->values;
    pail_status status = PAIL_OK;
    if (!values) {
        status = pail_file_load(&witness->head, &witness->file, bytes, witness->offset, error,
                                error_cap);
        values = witness->head.data;
    }
    if (status == PAIL_OK)
        status = pail_wtns_check_values(witness->name, witness->offset, values, 0, count,
                                        witness->key->curve, error, error_cap);
    static const uint8_t one[VALUE_BYTES] = {1};
    if (status == PAIL_OK && memcmp(values, one, VALUE_BYTES) != 0)
        status = pail_report(error, error_cap, PAIL_ERR_DATA,
                             "%s: value 0 is not the constant 1 that a witness begins with",
                             witness->name);
    if (status == PAIL_OK)
        witness->publics = values + VALUE_BYTES;
    return status;
}

pail_status pail_witness_open(struct pail_witness *witness, const pail_groth16_key *key,
                              const pail_groth16_witness *given, char *error, size_t error_cap)
{
    *witness = (struct pail_witness){.key = key, .name = given->name};
    if (!witness->name)
        witness->name = given->path ? given->path : "the witness";
    struct pail_wtns_place place;
    pail_status status = find(&place, witness, given, error, error_cap);
    if (status == PAIL_OK)
        status = check_place(&place, witness->name, key, error, error_cap);
    if (status == PAIL_OK) {
        witness->offset = place.offset;
        status = read_head(witness, error, error_cap);
    }
    if (status != PAIL_OK)
        pail_witness_close(witness);
    return status;
}

void pail_witness_close(struct pail_witness *witness)
{
    pail_bytes_free(&witness->head, true);
    pail_bytes_free(&witness->all, true);
    pail_file_close(&witness->file);
    *witness = (struct pail_witness){0};
}

pail_status pail_witness_keep(struct pail_witness *witness, char *error, size_t error_cap)
{
    if (witness->values)
        return PAIL_OK;
    const pail_status status =
        pail_file_load(&witness->all, &witness->file, (size_t)VALUE_BYTES * witness->key->n_vars,
                       witness->offset, error, error_cap);
    witness->values = witness->all.data;
    return status;
}

/* ---- All values -------------------------------------------------------------------------------
 */
static pail_status read_memory(void *user, void *to, uint64_t offset, size_t bytes)
{
    memcpy(to, (const uint8_t *)user + offset, bytes);
    return PAIL_OK;
}

/* Words the error of a value that the backend has refused, with its byte and the value. PAIL_OK:
 * none is found any more. */
static pail_status find_bad(const struct pail_witness *witness, pail_read_elements read, void *user,
                            char *error, size_t error_cap)
{
    uint8_t piece[VALUE_BYTES * PIECE_VALUES];
    const size_t n = witness->key->n_vars;
    pail_status status = PAIL_OK;
    for (size_t at = 0; at < n && status == PAIL_OK; at += PIECE_VALUES) {
        const size_t count = n - at < PIECE_VALUES ? n - at : PIECE_VALUES;
        if (read(user, piece, (uint64_t)VALUE_BYTES * at, VALUE_BYTES * count) != PAIL_OK)
            break; /* the backend's sentence stays */
        status = pail_wtns_check_values(witness->name, witness->offset, piece, at, count,
                                        witness->key->curve, error, error_cap);
    }
    pail_wipe(piece, sizeof(piece));
    return status;
}

pail_status pail_witness_load(pail_vector *vector, const struct pail_witness *witness,
                              const pail_groth16_key *key, char *error, size_t error_cap)
{
    const pail_backend *const backend = key->backend;
    const bool in_file = witness->values == NULL;
    struct pail_file_part part = {0};
    if (in_file)
        pail_file_part_init(&part, &witness->file, witness->offset,
                            (size_t)VALUE_BYTES * key->n_vars);
    const pail_read_elements read = in_file ? pail_file_part_read : read_memory;
    void *const user = in_file ? (void *)&part : (void *)(uintptr_t)witness->values;
    const pail_status status =
        backend->vector_fill(vector, 0, read, user, key->n_vars, PAIL_ENCODING_CANONICAL);
    if (status == PAIL_OK)
        return PAIL_OK;
    const char *const sentence = backend->error(key->context);
    if (in_file && part.error[0] != '\0')
        return pail_report(error, error_cap, status, "%s", part.error);
    if (status == PAIL_ERR_DATA && find_bad(witness, read, user, error, error_cap) != PAIL_OK)
        return status;
    return pail_report(error, error_cap, status, "%s: %s: %s", witness->name, backend->name,
                       sentence);
}
