/* SPDX-License-Identifier: Apache-2.0 */
/* `pail kzg`: commitments, proofs and cells of EIP-4844 and EIP-7594. */
#include <stdlib.h>

#include "commands.h"
#include "kzg.h"
#include "process/process.h"
#include <platform/memory.h>

enum { ALL = 0, PROVES = 1 << 0, VERIFIES = 1 << 1 };

#define SETUP_HELP                                                                                 \
    "setup to use: mainnet is that of Ethereum's ceremony, for blobs of 4096 scalars; "            \
    "otherwise a file as c-kzg-4844 reads it (trusted_setup.txt), the same in binary, or powers "  \
    "of tau of snarkjs (.ptau); of bls12-381 or bn254"

static const struct pail_option rows[] = {
    {PAIL_FILE(struct pail_kzg_options, setup, "setup", "S", SETUP_HELP), .not_empty = true},
    {PAIL_U64(struct pail_kzg_options, n, "n", "N",
              "with powers of tau: scalars of a blob, a power of two (default: as many as the "
              "powers allow); as many powers are read"),
     .min = 2, .max = PAIL_KZG_N_MAX},
    {PAIL_TEXT(struct pail_kzg_options, at, "at", "Z",
               "prove the value at this point, 0x and 64 digits, in place of the point that "
               "EIP-4844 derives from the blob"),
     .takers = PROVES},
    {PAIL_FILE(
         struct pail_kzg_options, claims, "claims", "FILE",
         "JSON with \"commitments\" and \"proofs\", as prove --json prints it; with \"z\" and "
         "\"ys\" no blob is needed, and with \"blobs\", in hexadecimal, no file of one"),
     .not_empty = true, .takers = VERIFIES},
    {PAIL_U64(struct pail_kzg_options, repeat, "repeat", "N",
              "do it N times; all results must be equal"),
     .min = 1},
    {PAIL_FLAG(struct pail_kzg_options, json, "json", "print one JSON object")},
};

static const struct pail_kzg_options defaults = {.setup = "mainnet", .repeat = 1};

/* ---- Commands -------------------------------------------------------------------------------- */
static pail_status check_words(struct pail_kzg_state *state, const struct pail_call *call,
                               struct pail_error *error)
{
    const struct pail_kzg_kind *const kind = state->kind;
    const bool verifies = kind->operation == PAIL_KZG_VERIFY_BLOBS;
    const size_t least = kind->setup_first ? 2 : verifies ? 0 : 1;
    if (call->n < least || (!kind->blobs && call->n > 1))
        return pail_fail(error, PAIL_ERR_ARGUMENT, "expected %s, got %zu; see pail %s --help",
                         kind->setup_first                          ? "SETUP BLOB..."
                         : kind->blobs                              ? "BLOB..."
                         : kind->operation == PAIL_KZG_VERIFY_CELLS ? "FILE"
                                                                    : "CELLS",
                         call->n, call->command->name);
    if (verifies && !state->options->claims)
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "%s needs --claims, a file with the commitments and proofs",
                         call->command->name);
    if (state->options->at)
        return pail_kzg_option_bytes(state->point, sizeof(state->point), "at", state->options->at,
                                     error);
    return PAIL_OK;
}

static void run(struct pail_error *error, void *given, const struct pail_call *call)
{
    const pail_host host = pail_log_host();
    struct pail_kzg_state state = {.kind = call->command->more, .options = given};
    const struct pail_kzg_kind *const kind = state.kind;
    const size_t before = kind->setup_first ? 1 : 0;
    pail_status status = check_words(&state, call, error);
    if (status != PAIL_OK)
        return;
    if (kind->blobs && call->n > before) {
        state.n = call->n - before;
        state.blobs = calloc(state.n, sizeof(*state.blobs));
        if (!state.blobs) {
            (void)pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu blobs", state.n);
            return;
        }
        for (size_t i = 0; i < state.n; i++)
            state.blobs[i].name = call->words[before + i];
    }
    status = pail_session_begin(&state.session, &host, &state.options->session, error);
    if (status == PAIL_OK)
        status = pail_kzg_begin(&state, kind->setup_first ? call->words[0] : state.options->setup,
                                error);
    if (status == PAIL_OK)
        status = pail_kzg_do(&state, call->n > 0 ? call->words[0] : NULL, error);
    const bool verified =
        status == PAIL_OK && !error->differs && state.n_bad == 0 &&
        (kind->operation == PAIL_KZG_VERIFY_BLOBS || kind->operation == PAIL_KZG_VERIFY_CELLS);
    if (status == PAIL_OK && !error->differs &&
        (state.n_bad == 0 || kind->operation != PAIL_KZG_VERIFY_BLOBS))
        status = pail_kzg_print(&state, error);
    if (status == PAIL_OK && state.n_bad > 0)
        pail_kzg_say_bad(&state, error);
    if (status == PAIL_OK && verified && !state.valid)
        pail_differs(error, "%s: not every proof is valid",
                     kind->blobs ? state.options->claims : call->words[0]);
    pail_kzg_close(&state.kzg);
    pail_session_close(&state.session);
    pail_kzg_claims_free(&state.claims);
    for (size_t i = 0; i < state.n; i++)
        free(state.blobs[i].defect);
    free(state.blobs);
    free(state.commitments);
    free(state.proofs);
    free(state.values);
    pail_wipe_and_free(state.cells);
}

#define BLOBS_HELP                                                                                 \
    "blobs of as many scalars of 32 bytes, big-endian, as the setup has Lagrange points: bytes, "  \
    "or hexadecimal text that begins with 0x"
static const struct pail_option blob_words[] = {
    {.argument = "BLOB...", .kind = PAIL_OPTION_WORDS, .file = true, .help = BLOBS_HELP}};
static const struct pail_option old_words[] = {
    {.argument = "SETUP BLOB...",
     .kind = PAIL_OPTION_WORDS,
     .file = true,
     .help = "a setup, by its name or its file, and " BLOBS_HELP}};
static const struct pail_option cells_words[] = {
    {.argument = "CELLS",
     .kind = PAIL_OPTION_WORDS,
     .file = true,
     .help = "JSON with \"cell_indices\", ascending, and \"cells\", in hexadecimal: half of the "
             "cells of a blob, or more"}};
static const struct pail_option file_words[] = {
    {.argument = "FILE",
     .kind = PAIL_OPTION_WORDS,
     .file = true,
     .help = "JSON with \"commitments\", \"cell_indices\", \"cells\" and \"proofs\", an entry for "
             "each cell, as cells --json prints it"}};

static const struct pail_kzg_kind commit = {PAIL_KZG_COMMIT, "committing", true, false},
                                  old_commit = {PAIL_KZG_COMMIT, "committing", true, true},
                                  prove = {PAIL_KZG_PROVE_BLOB, "proving", true, false},
                                  verify_blobs = {PAIL_KZG_VERIFY_BLOBS, "verifying", true, false},
                                  cells = {PAIL_KZG_CELLS, "proving cells", true, false},
                                  recover = {PAIL_KZG_RECOVER, "recovering", false, false},
                                  verify_cells = {PAIL_KZG_VERIFY_CELLS, "verifying", false, false};

#define COMMAND(kind_, words, takes)                                                               \
    .parts = {{PAIL_PART(words)},                                                                  \
              {.rows = rows, .n = sizeof(rows) / sizeof(rows[0]), .taker = (takes)},               \
              {PAIL_SESSION_PART(struct pail_kzg_options, session)}},                              \
    .size = sizeof(struct pail_kzg_options), .defaults = &defaults, .run = run, .more = &(kind_)

#define EACH_LINE                                                                                  \
    "one blob on each line; for a bad blob, a dash and what is wrong with it. The exit status "    \
    "tells whether there was one."

const struct pail_command pail_commit_command = {
    .name = "commit",
    .summary = "KZG commitments to blobs: the older name of kzg commit",
    .usage = "SETUP BLOB... [OPTIONS]",
    .text = "Does what pail kzg commit does, with the setup in front of the blobs.",
    .examples = "commit trusted_setup.txt blob.bin",
    COMMAND(old_commit, old_words, ALL)};

const struct pail_command pail_kzg_commit_command = {
    .name = "kzg commit",
    .summary = "KZG commitments to blobs",
    .usage = "BLOB... [OPTIONS]",
    .text =
        "Prints KZG commitments to blobs as in EIP-4844, compressed and in hexadecimal, " EACH_LINE,
    .examples = "kzg commit blob.bin\nkzg commit --setup trusted_setup.txt blob.bin",
    COMMAND(commit, blob_words, ALL)};

const struct pail_command pail_kzg_prove_command = {
    .name = "kzg prove",
    .summary = "KZG proofs of blobs",
    .usage = "BLOB... [OPTIONS]",
    .text = "Prints the commitment and the proof of EIP-4844, and with --at the value at that "
            "point: " EACH_LINE,
    .examples = "kzg prove blob.bin\nkzg prove --json a.bin b.bin > claims.json",
    COMMAND(prove, blob_words, PROVES)};

const struct pail_command pail_kzg_verify_command = {
    .name = "kzg verify",
    .summary = "verify KZG proofs of blobs",
    .usage = "--claims FILE BLOB... [OPTIONS]",
    .text = "Verifies all proofs at once. The exit status is 0 if all are valid, 1 if not, and 3 "
            "if a file has the wrong format, a scalar that is too large, or a point that is not "
            "one of the group.",
    .examples = "kzg verify --claims claims.json a.bin b.bin",
    COMMAND(verify_blobs, blob_words, VERIFIES)};

const struct pail_command pail_kzg_cells_command = {
    .name = "kzg cells",
    .summary = "the cells of blobs with their proofs",
    .usage = "BLOB... [OPTIONS]",
    .text = "Extends blobs to the cells of EIP-7594 and proves each. Prints commitments, and with "
            "--json all cells and proofs: " EACH_LINE,
    .examples = "kzg cells blob.bin --json > cells.json",
    COMMAND(cells, blob_words, ALL)};

const struct pail_command pail_kzg_recover_command = {
    .name = "kzg recover",
    .summary = "all cells of a blob from half of them",
    .usage = "CELLS [OPTIONS]",
    .text = "Recovers the cells of a blob and their proofs. Prints the blob's commitment, and with "
            "--json the same as kzg cells.",
    .examples = "kzg recover cells.json --json > all.json",
    COMMAND(recover, cells_words, ALL)};

const struct pail_command pail_kzg_verify_cells_command = {
    .name = "kzg verify-cells",
    .summary = "verify cells with their proofs",
    .usage = "FILE [OPTIONS]",
    .text = "Verifies all cells at once. The exit status is that of kzg verify.",
    .examples = "kzg verify-cells cells.json",
    COMMAND(verify_cells, file_words, ALL)};
