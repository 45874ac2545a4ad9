/* SPDX-License-Identifier: Apache-2.0 */
/* Results of `pail kzg`, as text and as JSON. */
#include <inttypes.h>
#include <stdlib.h>

#include <platform/text.h>

#include "kzg.h"

static json_t *hex(const uint8_t *bytes, size_t n)
{
    char *const text = malloc(3 + 2 * n);
    char *end = text;
    if (!text)
        return NULL;
    end += sprintf(end, "0x");
    for (size_t i = 0; i < n; i++)
        end += sprintf(end, "%02x", bytes[i]);
    json_t *const string = json_string_nocheck(text);
    free(text);
    return string;
}

/* Sets an array of what good blobs have, `each` of them. */
static void set_all(struct pail_json *json, const char *key, const struct pail_kzg_state *state,
                    const uint8_t *all, size_t each, size_t bytes)
{
    struct pail_json list;
    if (!all)
        return;
    pail_json_begin_list(&list);
    for (size_t i = 0; i < (state->n > 0 ? state->n : 1); i++)
        for (size_t k = 0; (state->n == 0 || !state->blobs[i].defect) && k < each; k++)
            pail_json_add(&list, hex(all + (i * each + k) * bytes, bytes));
    pail_json_set(json, key, pail_json_take(&list));
}

static void set_cells(struct pail_json *json, const struct pail_kzg_state *state)
{
    struct pail_json indices, commitments;
    const size_t point = state->info.point_bytes, n = state->n > 0 ? state->n : 1;
    pail_json_begin_list(&indices);
    pail_json_begin_list(&commitments);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; (state->n == 0 || !state->blobs[i].defect) && k < state->info.n_cells;
             k++) {
            pail_json_add(&commitments, hex(state->commitments + i * point, point));
            pail_json_add(&indices, json_integer((json_int_t)k));
        }
    pail_json_set(json, "commitments", pail_json_take(&commitments));
    pail_json_set(json, "cell_indices", pail_json_take(&indices));
    set_all(json, "cells", state, state->cells, state->info.n_cells, pail_kzg_cell_bytes(state));
    set_all(json, "proofs", state, state->proofs, state->info.n_cells, point);
}

/* The blobs by their files; of bad ones what is wrong. */
static void set_files(struct pail_json *json, const struct pail_kzg_state *state,
                      bool with_commitments)
{
    const size_t point = state->info.point_bytes;
    struct pail_json list, row;
    pail_json_begin_list(&list);
    for (size_t i = 0; i < state->n; i++) {
        pail_json_begin(&row);
        pail_json_set_text(&row, "blob", state->blobs[i].name);
        if (state->blobs[i].defect)
            pail_json_set_text(&row, "error", state->blobs[i].defect);
        else if (with_commitments)
            pail_json_set(&row, "commitment", hex(state->commitments + i * point, point));
        pail_json_add(&list, pail_json_take(&row));
    }
    pail_json_set(json, with_commitments ? "commitments" : "files", pail_json_take(&list));
}

static pail_status print_json(const struct pail_kzg_state *state, struct pail_error *error)
{
    const size_t point = state->info.point_bytes;
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set_text(&json, "backend", state->session.backend->name);
    pail_json_set_text(&json, "device", state->session.device.name);
    pail_json_set_real(&json, "open_ms", state->open_ms);
    pail_json_set_number(&json, "repeats", state->options->repeat);
    pail_json_set_real(&json, "wall_ms", state->best_ms);
    pail_json_set_real(&json, "mean_ms", state->sum_ms / (double)state->options->repeat);
    if (state->kind->blobs && state->kind->operation != PAIL_KZG_VERIFY_BLOBS)
        set_files(&json, state, state->kind->operation == PAIL_KZG_COMMIT);
    if (pail_kzg_of_cells(state)) {
        set_cells(&json, state);
    } else if (state->kind->operation == PAIL_KZG_PROVE_BLOB) {
        set_all(&json, "commitments", state, state->commitments, 1, point);
        set_all(&json, "proofs", state, state->proofs, 1, point);
        if (state->options->at)
            pail_json_set(&json, "z", hex(state->point, sizeof(state->point)));
        set_all(&json, "ys", state, state->values, 1, state->info.scalar_bytes);
    } else if (state->kind->operation != PAIL_KZG_COMMIT) {
        pail_json_set_bool(&json, "valid", state->valid);
        pail_json_set_number(&json, "claims", state->claims.n);
    }
    return pail_json_print(stdout, &json, error);
}

static void print_hex(const uint8_t *bytes, size_t n)
{
    (void)pail_print(stdout, "0x");
    for (size_t i = 0; i < n; i++)
        (void)pail_print(stdout, "%02x", bytes[i]);
    (void)pail_print(stdout, "  ");
}

static void print_blobs(const struct pail_kzg_state *state)
{
    const size_t point = state->info.point_bytes, scalar = state->info.scalar_bytes;
    for (size_t i = 0; i < state->n; i++) {
        if (state->blobs[i].defect) {
            (void)pail_print(stdout, "-  %s\n", state->blobs[i].defect);
            continue;
        }
        print_hex(state->commitments + i * point, point);
        if (state->kind->operation == PAIL_KZG_PROVE_BLOB)
            print_hex(state->proofs + i * point, point);
        if (state->values)
            print_hex(state->values + i * scalar, scalar);
        if (state->cells)
            (void)pail_print(stdout, "%" PRIu32 " cells with proofs  ", state->info.n_cells);
        (void)pail_print(stdout, "%s\n", state->blobs[i].name);
    }
}

pail_status pail_kzg_print(const struct pail_kzg_state *state, struct pail_error *error)
{
    const uint32_t operation = state->kind->operation;
    if (state->options->json)
        return print_json(state, error);
    if (operation == PAIL_KZG_VERIFY_BLOBS || operation == PAIL_KZG_VERIFY_CELLS) {
        (void)pail_print(stdout, "%s (%zu %s, %.1f ms)\n", state->valid ? "valid" : "invalid",
                         state->claims.n, operation == PAIL_KZG_VERIFY_CELLS ? "cells" : "proofs",
                         state->best_ms);
    } else if (operation == PAIL_KZG_RECOVER) {
        print_hex(state->commitments, state->info.point_bytes);
        (void)pail_print(stdout, "%" PRIu32 " cells with proofs from %zu\n", state->info.n_cells,
                         state->claims.n);
    } else if (state->n > 1 || state->n_bad == 0) { /* otherwise the error says it all */
        print_blobs(state);
    }
    if (state->options->repeat > 1)
        (void)pail_print(stdout, "%.2f ms, the best of %" PRIu64 " (mean %.2f)\n", state->best_ms,
                         state->options->repeat, state->sum_ms / (double)state->options->repeat);
    return PAIL_OK;
}

void pail_kzg_say_bad(const struct pail_kzg_state *state, struct pail_error *error)
{
    size_t i = 0;
    while (!state->blobs[i].defect)
        i++;
    if (state->n == 1)
        (void)pail_fail(error, state->bad, "%s", state->blobs[i].defect);
    else
        (void)pail_fail(error, state->bad, "%zu of %zu blobs are bad; the first: %s", state->n_bad,
                        state->n, state->blobs[i].defect);
}
