/* SPDX-License-Identifier: Apache-2.0 */
/* An assignment for a key of bellman: read piece by piece, and never copied as a whole on the
 * host. */
#ifndef PAIL_PROVER_ASSIGNMENT_H
#define PAIL_PROVER_ASSIGNMENT_H

#include "key.h"

/* A density, with the number of bits before each block of its words. */
struct pail_density {
    const uint64_t *words; /* the caller's */
    uint64_t n, n_set;     /* bits; those that are 1 */
    uint64_t *before;      /* [blocks + 1] */
};

struct pail_assigned {
    const pail_groth16_key *key;
    const char *name;              /* the caller's: name in errors */
    pail_groth16_assignment given; /* its arrays are the caller's */
    struct pail_density a_aux, b_inputs, b_aux;
    uint8_t *publics; /* [key->n_public * 32], canonical */
};

/* Checks that the numbers of values are those of the key, of which only facts are used, and tells
 * the bytes of all arrays. Returns PAIL_OK or PAIL_ERR_DATA. */
pail_status pail_assigned_bytes(uint64_t *bytes, const pail_groth16_key *key,
                                const pail_groth16_assignment *given, char *error,
                                size_t error_cap);

/* Copies all arrays to `to`, whose alignment is that of words, and makes the assignment have the
 * copies. */
void pail_assigned_copy(pail_groth16_assignment *assignment, void *to);

/* Checks that the assignment belongs to the key: numbers of values and density bits, the constant
 * 1, and public values below r. To be given to pail_assigned_close.
 * Returns PAIL_OK, or PAIL_ERR_DATA or PAIL_ERR_HOST_MEMORY, with nothing to close. */
pail_status pail_assigned_open(struct pail_assigned *assigned, const pail_groth16_key *key,
                               const pail_groth16_assignment *given, char *error, size_t error_cap);

/* Vectors of a proof from an assignment. */
enum pail_assigned_part {
    PAIL_ASSIGNED_ROWS, /* [3 n], n the size of the domain: a, b and c, each with zeros behind it */
    PAIL_ASSIGNED_ALL,  /* inputs, then aux */
    PAIL_ASSIGNED_A,    /* scalars of A: inputs, then aux with a point in the list a */
    PAIL_ASSIGNED_B     /* scalars of B1 and B2: inputs and aux with a point in b_g1 */
};

/* Sends a part to a new vector of the key's backend, and checks that each scalar is below r. The
 * key may be another copy of the one that the assignment was opened for.
 * Returns PAIL_OK, PAIL_ERR_DATA, or the backend's status; the vector must not be used then. */
pail_status pail_assigned_load(pail_vector *vector, enum pail_assigned_part part,
                               const struct pail_assigned *assigned, const pail_groth16_key *key,
                               char *error, size_t error_cap);

/* Legal on one that is zeroed or failed to open. */
void pail_assigned_close(struct pail_assigned *assigned);

#endif /* PAIL_PROVER_ASSIGNMENT_H */
