/* A witness that goes with a key. */
#ifndef PAIL_PROVER_WITNESS_H
#define PAIL_PROVER_WITNESS_H

#include "key.h"
#include <formats/wtns.h>

/* Reads the witness, in whichever way it is given, and checks that it is one of the key's: prime,
 * length, values below r, and the constant 1. To be given to pail_wtns_close.
 *
 * Returns PAIL_OK, or PAIL_ERR_DATA, PAIL_ERR_IO or PAIL_ERR_HOST_MEMORY, with nothing to close. */
pail_status pail_witness_read(struct pail_wtns *witness, const pail_groth16_key *key,
                              const pail_groth16_witness *given, char *error, size_t error_cap);

#endif /* PAIL_PROVER_WITNESS_H */
