/* SPDX-License-Identifier: Apache-2.0 */
/* The two files of a proof. Their places are checked before anything is computed, and both are on
 * the disk before either gets its name: the public values first, the proof in the call of the
 * system after that. Between the two, and where only the second fails, there are new public values
 * beside the proof of before, which is not valid with them, or beside none. */
#ifndef PAIL_FORMATS_PROOF_FILES_H
#define PAIL_FORMATS_PROOF_FILES_H

#include <pail/groth16.h>

#include <platform/file.h>

struct pail_proof_files {
    const char *proof_path, *public_path; /* the caller's */
    struct pail_replace proof, publics;
};

#define PAIL_PROOF_FILES_NONE                                                                      \
    ((struct pail_proof_files){.proof = {.fd = -1, .folder = -1},                                  \
                               .publics = {.fd = -1, .folder = -1}})

/* Paths must stay valid until the files are ended. PAIL_ERR_IO where a place cannot be taken: a
 * file must be new, or begin like one of snarkjs or rapidsnark. PAIL_ERR_ARGUMENT where both are
 * one place. error: holds error_cap bytes. */
pail_status pail_proof_files_begin(struct pail_proof_files *files, const char *proof_path,
                                   const char *public_path, char *error, size_t error_cap);

/* In: publics: [n_public * 32]. PAIL_OK, PAIL_ERR_IO, PAIL_ERR_HOST_MEMORY, or the status of making
 * the texts. */
pail_status pail_proof_files_write(struct pail_proof_files *files, const pail_groth16_proof *proof,
                                   const uint8_t *publics, size_t n_public,
                                   enum pail_groth16_layout layout, char *error, size_t error_cap);

/* The same for texts that are made already. */
pail_status pail_proof_files_write_texts(struct pail_proof_files *files, const char *proof_text,
                                         size_t proof_length, const char *public_text,
                                         size_t public_length, char *error, size_t error_cap);

/* Legal on PAIL_PROOF_FILES_NONE and on files that failed to begin. */
void pail_proof_files_end(struct pail_proof_files *files);

#endif /* PAIL_FORMATS_PROOF_FILES_H */
