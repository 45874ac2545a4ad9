/* What callers of the prover's functions hand in and get. */
#ifndef PAIL_HOST_CALLER_H
#define PAIL_HOST_CALLER_H

#include <pail/prover.h>

/* Takes a struct of the caller's, of any version: what is missing is zero. NULL: all zero. */
pail_status pail_take(void *ours, size_t our_size, const void *theirs, const char *what,
                      char *error, size_t capacity);

/* Gives a struct to the caller, who has set its struct_size; what ours does not have is zeroed. */
void pail_give(void *theirs, const void *ours, size_t our_size);

/* Whether an output can be written, which is zeroed then. */
pail_status pail_check_out(void *theirs, size_t least, const char *what, char *error,
                           size_t capacity);

void pail_clear_error(char *error, size_t capacity);

/* PAIL_ERR_ARGUMENT in a child of fork. */
pail_status pail_check_process(char *error, size_t capacity);

/* Takes what a key is opened with, in the process that may: a key is given in one way, and fits the
 * address space, and there are no flags but those in `known`. */
pail_status pail_take_key_params(pail_groth16_key_params *ours,
                                 const pail_groth16_key_params *theirs, uint32_t known, char *error,
                                 size_t capacity);

/* Takes element i of devices of any version: it has a backend with vectors, a context, and flags
 * that there are. */
pail_status pail_take_device(pail_prover_device *ours, const pail_prover_device *devices,
                             uint32_t i, char *error, size_t capacity);

/* Whether a witness is given in one way, and fits the address space. */
pail_status pail_check_witness(const pail_groth16_witness *witness, char *error, size_t capacity);

/* Whether there are no flags but those in `known`. */
pail_status pail_check_options(const pail_groth16_options *options, uint32_t known, char *error,
                               size_t capacity);

#endif /* PAIL_HOST_CALLER_H */
