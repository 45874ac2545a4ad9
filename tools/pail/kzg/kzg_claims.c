/* SPDX-License-Identifier: Apache-2.0 */
/* Claims about blobs and cells in JSON, and bytes in hexadecimal. */
#include <stdlib.h>
#include <string.h>

#include <platform/memory.h>

#include "kzg.h"
#include <formats/bytes.h>

/* ---- Bytes ----------------------------------------------------------------------------------- */
static bool read_hex(uint8_t *bytes, size_t n, const char *text)
{
    return strlen(text) == 2 + 2 * n && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') &&
           pail_hex_read(bytes, text + 2, n) == n;
}

pail_status pail_kzg_option_bytes(uint8_t *bytes, size_t n, const char *option, const char *text,
                                  struct pail_error *error)
{
    return read_hex(bytes, n, text)
               ? PAIL_OK
               : pail_fail(error, PAIL_ERR_ARGUMENT,
                           "--%s %s: expected 0x and %zu hexadecimal digits", option, text, 2 * n);
}

/* Reads one entry, which should be text of n bytes. */
static void read_entry(uint8_t *bytes, size_t n, const json_t *value,
                       const struct pail_json_place *place)
{
    const char *const text = json_string_value(value);
    if (!text || !read_hex(bytes, n, text))
        (void)pail_json_complain(place, PAIL_ERR_DATA, "expected 0x and %zu hexadecimal digits",
                                 2 * n);
}

/* Reads an array of entries of `size` bytes; *n: how many there are. */
static uint8_t *read_entries(size_t *n, size_t size, const json_t *root,
                             const struct pail_json_place *top, const char *key)
{
    const struct pail_json_place place = pail_json_member(top, key);
    json_t *array = NULL;
    pail_json_array(root, top, key, &array);
    *n = json_array_size(array);
    if (!array || pail_json_status(top) != PAIL_OK)
        return NULL;
    uint8_t *const bytes = malloc(*n * size + 1);
    if (!bytes)
        (void)pail_json_complain(&place, PAIL_ERR_HOST_MEMORY, "no memory for %zu entries", *n);
    for (size_t i = 0; bytes && i < *n && pail_json_status(top) == PAIL_OK; i++) {
        const struct pail_json_place entry = pail_json_element(&place, i);
        read_entry(bytes + i * size, size, json_array_get(array, i), &entry);
    }
    return bytes;
}

static void read_indices(struct pail_kzg_claims *claims, const json_t *root,
                         const struct pail_json_place *top)
{
    const struct pail_json_place place = pail_json_member(top, "cell_indices");
    json_t *array = NULL;
    pail_json_array(root, top, "cell_indices", &array);
    claims->n_indices = json_array_size(array);
    if (!array || pail_json_status(top) != PAIL_OK)
        return;
    claims->indices = calloc(claims->n_indices + 1, sizeof(*claims->indices));
    if (!claims->indices)
        (void)pail_json_complain(&place, PAIL_ERR_HOST_MEMORY, "no memory for %zu entries",
                                 claims->n_indices);
    for (size_t i = 0; claims->indices && i < claims->n_indices; i++) {
        const json_t *const value = json_array_get(array, i);
        const struct pail_json_place entry = pail_json_element(&place, i);
        if (!json_is_integer(value) || json_integer_value(value) < 0) {
            (void)pail_json_complain(&entry, PAIL_ERR_DATA, "expected the number of a cell");
            return;
        }
        claims->indices[i] = (uint64_t)json_integer_value(value);
    }
}

/* ---- Claims ---------------------------------------------------------------------------------- */
/* The first member of those that are needed that is missing, or has another number of entries. */
static void compare(const struct pail_kzg_claims *claims, const size_t counts[5], uint32_t needs,
                    const struct pail_json_place *top)
{
    static const char *const names[] = {"blobs", "commitments", "proofs", "ys", "cells"};
    const void *const there[] = {claims->blobs, claims->commitments, claims->proofs, claims->values,
                                 claims->cells};
    const char *first = NULL;
    size_t n = 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!there[i]) {
            if ((needs & 1u << i) != 0 && pail_json_status(top) == PAIL_OK)
                (void)pail_json_complain(top, PAIL_ERR_DATA, "has no \"%s\"", names[i]);
            continue;
        }
        if ((needs & 1u << i) == 0)
            continue;
        if (!first) {
            first = names[i];
            n = counts[i];
        }
        if (counts[i] != n && pail_json_status(top) == PAIL_OK)
            (void)pail_json_complain(top, PAIL_ERR_DATA,
                                     "has %zu entries in \"%s\", but %zu in \"%s\"", counts[i],
                                     names[i], n, first);
    }
    if (claims->cells && (!claims->indices || claims->n_indices != counts[4]) &&
        pail_json_status(top) == PAIL_OK)
        (void)pail_json_complain(top, PAIL_ERR_DATA,
                                 "has %zu entries in \"cells\", but %zu in \"cell_indices\"",
                                 counts[4], claims->n_indices);
}

pail_status pail_kzg_claims_read(struct pail_kzg_claims *claims, const char *path,
                                 const pail_kzg_info *info, uint32_t needs,
                                 struct pail_error *error)
{
    json_t *root = NULL;
    *claims = (struct pail_kzg_claims){0};
    if (pail_json_file_read(&root, path, error) == PAIL_OK)
        (void)pail_kzg_claims_of_json(claims, root, path, info, needs, error);
    json_decref(root);
    return error->status;
}

pail_status pail_kzg_claims_of_json(struct pail_kzg_claims *claims, const json_t *root,
                                    const char *path, const pail_kzg_info *info, uint32_t needs,
                                    struct pail_error *error)
{
    const struct pail_json_file file = {path, error};
    const struct pail_json_place top = {.file = &file};
    const size_t scalar = info->scalar_bytes, point = info->point_bytes;
    size_t counts[5];
    *claims = (struct pail_kzg_claims){0};
    if (!json_is_object(root))
        (void)pail_json_complain(&top, PAIL_ERR_DATA, "expected an object");
    claims->blobs = read_entries(&counts[0], (size_t)info->n * scalar, root, &top, "blobs");
    claims->commitments = read_entries(&counts[1], point, root, &top, "commitments");
    claims->proofs = read_entries(&counts[2], point, root, &top, "proofs");
    claims->values = read_entries(&counts[3], scalar, root, &top, "ys");
    claims->cells = read_entries(&counts[4], info->cell_elements * scalar, root, &top, "cells");
    read_indices(claims, root, &top);
    if (claims->values && pail_json_status(&top) == PAIL_OK) {
        const struct pail_json_place z = pail_json_member(&top, "z");
        read_entry(claims->point, scalar, json_object_get(root, "z"), &z);
    }
    /* Values are optional beside proofs, and then as many. */
    if (claims->values && (needs & PAIL_KZG_MEMBER_PROOFS) != 0)
        needs |= PAIL_KZG_MEMBER_VALUES;
    if (pail_json_status(&top) == PAIL_OK)
        compare(claims, counts, needs, &top);
    claims->n_blobs = counts[0];
    claims->n = (needs & PAIL_KZG_MEMBER_CELLS) != 0 ? counts[4] : counts[2];
    if (error->status != PAIL_OK)
        pail_kzg_claims_free(claims);
    return error->status;
}

void pail_kzg_claims_free(struct pail_kzg_claims *claims)
{
    pail_wipe_and_free(claims->blobs);
    free(claims->commitments);
    free(claims->proofs);
    free(claims->values);
    pail_wipe_and_free(claims->cells);
    free(claims->indices);
    *claims = (struct pail_kzg_claims){0};
}
