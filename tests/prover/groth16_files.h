/* SPDX-License-Identifier: Apache-2.0 */
/* The Groth16 cases of tests/data, in memory. */
#ifndef PAIL_TESTS_PROVER_GROTH16_FILES_H
#define PAIL_TESTS_PROVER_GROTH16_FILES_H

#include <stddef.h>

#include <formats/groth16_json.h>

struct groth16_files {
    json_t *vkey, *public, *proof;
    char *proof_text, *public_text; /* the texts of the files */
    size_t n_proof_text, n_public_text;
    struct pail_verifying_key key;
    pail_groth16_proof of_proof;
    uint8_t *publics;
    uint64_t n_public;
};

/* Folders of tests/data/groth16, and "ledger"; up to a NULL. */
extern const char *const groth16_cases[];

/* Reads all three files of a case, which ends the test where it fails. */
struct groth16_files groth16_files_load(const char *name);
void groth16_files_free(struct groth16_files *files);

#endif /* PAIL_TESTS_PROVER_GROTH16_FILES_H */
