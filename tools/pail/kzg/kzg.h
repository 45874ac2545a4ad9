/* SPDX-License-Identifier: Apache-2.0 */
/* `pail kzg`: what its commands share. Bytes are those of <pail/kzg.h>, and hexadecimal text begins
 * with 0x, as the vectors of c-kzg have it. */
#ifndef PAIL_TOOL_KZG_KZG_H
#define PAIL_TOOL_KZG_KZG_H

#include <pail/kzg.h>

#include "error/error.h"
#include "output/json.h"
#include "output/progress.h"
#include "process/session.h"

/* ---- Files: kzg_input.c, and from option_bytes on kzg_claims.c ------------------------------- */

/* The path of a setup: that of an installed one for its name, otherwise the text itself. */
pail_status pail_kzg_setup_path(char *path, size_t capacity, const char *setup,
                                struct pail_error *error);

/* Reads 0x and digits for n bytes, as an option has it. PAIL_ERR_ARGUMENT. */
pail_status pail_kzg_option_bytes(uint8_t *bytes, size_t n, const char *option, const char *text,
                                  struct pail_error *error);

/* Claims in a file, packed. Members that are not there are NULL, and have no entries. */
struct pail_kzg_claims {
    size_t n, n_blobs, n_indices; /* n: commitments, proofs, values */
    uint8_t *blobs, *commitments, *proofs, *values, *cells;
    uint64_t *indices;
    uint8_t point[PAIL_KZG_SCALAR_BYTES]; /* of `values` */
};

enum pail_kzg_member {
    PAIL_KZG_MEMBER_BLOBS = 1 << 0,
    PAIL_KZG_MEMBER_COMMITMENTS = 1 << 1,
    PAIL_KZG_MEMBER_PROOFS = 1 << 2,
    PAIL_KZG_MEMBER_VALUES = 1 << 3, /* "z" and "ys" */
    PAIL_KZG_MEMBER_CELLS = 1 << 4,  /* "cell_indices" and "cells" */
};

/* Reads an object; arrays that are needed, and values beside proofs, must have as many entries as
 * each other. needs: pail_kzg_member, or-ed; others are read where they are. */
pail_status pail_kzg_claims_read(struct pail_kzg_claims *claims, const char *path,
                                 const pail_kzg_info *info, uint32_t needs,
                                 struct pail_error *error);

/* The same of an object that was read from there. */
pail_status pail_kzg_claims_of_json(struct pail_kzg_claims *claims, const json_t *root,
                                    const char *path, const pail_kzg_info *info, uint32_t needs,
                                    struct pail_error *error);
void pail_kzg_claims_free(struct pail_kzg_claims *claims);

/* ---- The state ------------------------------------------------------------------------------- */

struct pail_kzg_options {
    const char *setup, *at, *claims;
    uint64_t n; /* powers that are used of a .ptau; 0: all */
    uint64_t repeat;
    bool json;
    struct pail_session_params session;
};

/* The difference from command to command. */
struct pail_kzg_kind {
    uint32_t operation;
    const char *doing;
    bool blobs;       /* the words are blobs; otherwise one file of claims */
    bool setup_first; /* the first word is the setup: the old form of commit */
};

struct pail_kzg_blob {
    const char *name;
    char *defect; /* a sentence that begins with its name; NULL: it is good */
};

struct pail_kzg_state {
    const struct pail_kzg_kind *kind;
    const struct pail_kzg_options *options;
    struct pail_session session;
    pail_kzg *kzg;
    pail_kzg_info info;
    struct pail_progress progress;

    size_t n; /* blobs */
    struct pail_kzg_blob *blobs;
    struct pail_kzg_claims claims;
    const char *claims_path; /* NULL: there are none */
    /* Of each blob; cells and proofs: n_cells of them. */
    uint8_t *commitments, *proofs, *values, *cells;
    uint8_t point[PAIL_KZG_SCALAR_BYTES];
    bool valid;

    size_t n_bad;
    pail_status bad;
    double open_ms, best_ms, sum_ms;
};

static inline size_t pail_kzg_blob_bytes(const struct pail_kzg_state *state)
{
    return (size_t)state->info.n * state->info.scalar_bytes;
}

static inline size_t pail_kzg_cell_bytes(const struct pail_kzg_state *state)
{
    return (size_t)state->info.cell_elements * state->info.scalar_bytes;
}

static inline bool pail_kzg_of_cells(const struct pail_kzg_state *state)
{
    return state->kind->operation == PAIL_KZG_CELLS || state->kind->operation == PAIL_KZG_RECOVER;
}

/* ---- Work: kzg_run.c ------------------------------------------------------------------------- */

pail_status pail_kzg_begin(struct pail_kzg_state *state, const char *setup,
                           struct pail_error *error);

/* Does what the kind says, of the blobs or of the file of claims. Bad blobs have a defect. */
pail_status pail_kzg_do(struct pail_kzg_state *state, const char *path, struct pail_error *error);

/* ---- Printing: kzg_print.c ------------------------------------------------------------------- */

pail_status pail_kzg_print(const struct pail_kzg_state *state, struct pail_error *error);

/* Once all lines are out: how many blobs are bad, and the first of them. */
void pail_kzg_say_bad(const struct pail_kzg_state *state, struct pail_error *error);

#endif /* PAIL_TOOL_KZG_KZG_H */
