/* SPDX-License-Identifier: Apache-2.0 */
/* Structs and arguments that callers of the prover's functions pass, of any version. */
#ifndef PAIL_HOST_CALLER_H
#define PAIL_HOST_CALLER_H

#include <core/structs.h>

#include <pail/prover.h>

/* Takes a caller's struct of any version: missing members are zero. NULL: all zero. */
pail_status pail_take(void *ours, size_t our_size, const void *theirs, const char *what,
                      char *error, size_t capacity);

/* Checks that an output can be written, and zeroes it. */
pail_status pail_check_out(void *theirs, size_t least, const char *what, char *error,
                           size_t capacity);

void pail_clear_error(char *error, size_t capacity);

/* PAIL_ERR_ARGUMENT in a child of fork. */
pail_status pail_check_process(char *error, size_t capacity);

/* Takes the params of a key, in the process that may: a key is given in one way and fits the
 * address space, and no flags but those in `known` are set. */
pail_status pail_take_key_params(pail_groth16_key_params *ours,
                                 const pail_groth16_key_params *theirs, uint32_t known, char *error,
                                 size_t capacity);

/* Takes element i of devices of any version: it has a backend with vectors, a context, and known
 * flags only. */
pail_status pail_take_device(pail_prover_device *ours, const pail_prover_device *devices,
                             uint32_t i, char *error, size_t capacity);

/* Checks that a witness is given in one way, and fits the address space. */
pail_status pail_check_witness(const pail_groth16_witness *witness, char *error, size_t capacity);

/* Takes an assignment: its arrays are there and fit the address space, and the encoding exists. */
pail_status pail_take_assignment(pail_groth16_assignment *ours,
                                 const pail_groth16_assignment *theirs, char *error,
                                 size_t capacity);

/* Takes the KZG request of a prover's request, and sizes it. Out: *work: the caller's; with run and
 * end set. On failure its outputs are zeroed as <pail/kzg.h> says. */
struct pail_job_work;
pail_status pail_take_kzg(struct pail_job_work **work, const pail_prover_request *theirs,
                          char *error, size_t capacity);

/* Checks that no flags but those in `known` are set. */
pail_status pail_check_options(const pail_groth16_options *options, uint32_t known, char *error,
                               size_t capacity);

#endif /* PAIL_HOST_CALLER_H */
