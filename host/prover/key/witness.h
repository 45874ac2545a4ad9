/* SPDX-License-Identifier: Apache-2.0 */
/* A witness of a key: read piece by piece, and never in memory as a whole but the caller's. */
#ifndef PAIL_PROVER_WITNESS_H
#define PAIL_PROVER_WITNESS_H

#include "key.h"
#include <formats/file.h>

struct pail_witness {
    const pail_groth16_key *key;
    const char *name;       /* the caller's: name in errors */
    const uint8_t *values;  /* in memory, the caller's; NULL: in the file */
    struct pail_file file;  /* open, or none */
    size_t offset;          /* place of value 0 in the file or memory called `name` */
    struct pail_bytes head; /* the constant and the public values. Wiped */
    const uint8_t *publics; /* [key->n_public * 32], within the head */
    struct pail_bytes all;  /* contents of `values`, if they were read from the file. Wiped */
};

/* Finds the witness, given in any way, and checks that it belongs to the key: prime, length, the
 * constant 1, and public values below r. To be given to pail_witness_close.
 *
 * Returns PAIL_OK, or PAIL_ERR_DATA, PAIL_ERR_IO or PAIL_ERR_HOST_MEMORY, with nothing to close. */
pail_status pail_witness_open(struct pail_witness *witness, const pail_groth16_key *key,
                              const pail_groth16_witness *given, char *error, size_t error_cap);

/* Reads all values into a vector of the key's backend, [key->n_vars], and checks that each is below
 * r: by several threads, while what was read is on its way. The key may be another copy of the one
 * that the witness was opened for, on another device.
 * Returns PAIL_OK, or PAIL_ERR_DATA, PAIL_ERR_IO, or the backend's status; the vector must not be
 * used then. */
pail_status pail_witness_load(pail_vector *vector, const struct pail_witness *witness,
                              const pail_groth16_key *key, char *error, size_t error_cap);

/* Loads all values into memory, for work that cannot read them piece by piece, without checks.
 * Returns PAIL_OK, PAIL_ERR_IO or PAIL_ERR_HOST_MEMORY. */
pail_status pail_witness_keep(struct pail_witness *witness, char *error, size_t error_cap);

/* Wipes the contents. Legal on a witness that is zeroed or failed to open. */
void pail_witness_close(struct pail_witness *witness);

#endif /* PAIL_PROVER_WITNESS_H */
