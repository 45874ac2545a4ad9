/* SPDX-License-Identifier: Apache-2.0 */
/* The arrays of a launch: bindings checked and turned into what the evaluators read. */
#ifndef PAIL_ADSTACK_ARRAYS_H
#define PAIL_ADSTACK_ARRAYS_H

#include "kernel.h"

struct pail_ad_env;

/* Checks the bindings of a launch and fills frame->arrays, bound, untracked and seen (but epochs).
 * env: of the service, for what its bindings may be.
 * Errors: PAIL_ERR_ARGUMENT  a binding breaks a rule, or is missing (the sentence has its number,
 *                            its source and the value) */
pail_status pail_ad_arrays_take(struct pail_ad_frame *frame, const struct pail_ad_kernel *kernel,
                                const pail_launch *launch, const struct pail_ad_env *env,
                                struct pail_error *err);

/* Checks n bindings, each by itself. Errors: as above. */
pail_status pail_ad_arrays_check(const struct pail_ad_kernel *kernel, const pail_binding *bindings,
                                 size_t n, const struct pail_ad_env *env, struct pail_error *err);

/* The source of one. */
uint32_t pail_ad_arrays_source(const pail_binding *bindings, size_t number);

/* Puts one that was checked in the place of its source's binding; the epoch is 0 then. */
void pail_ad_arrays_bind(struct pail_ad_frame *frame, const struct pail_ad_kernel *kernel,
                         const pail_binding *bindings, size_t number,
                         const struct pail_ad_env *env);

/* Bytes of arrays in host memory alone that a slot reads, but of those marked in counted[source],
 * which becomes 1. */
uint64_t pail_ad_arrays_bytes(const struct pail_ad_frame *frame,
                              const struct pail_ad_program *program, uint32_t slot,
                              uint8_t counted[]);

/* The words of a needed dependency in a key, at most PAIL_AD_DEP_WORDS. Returns how many. */
#define PAIL_AD_DEP_WORDS (7u + 2u * PAIL_AD_MAX_RANK)
uint32_t pail_ad_arrays_words(uint64_t words[], const struct pail_ad_frame *frame,
                              const struct pail_ad_kernel *kernel, uint32_t dep);

/* Fills frame->key and hash, once the epochs are known: exactly what the result of the launch
 * depends on, and where the arrays are, so that whoever has the key can read them again. Returns
 * false where nothing may be kept, because an array is written without a word. */
bool pail_ad_arrays_key(struct pail_ad_frame *frame, const struct pail_ad_kernel *kernel,
                        const pail_launch *launch);

/* The arrays of a key, as far as it has them. Out: frame->arrays, bound, untracked and seen, epochs
 * as they were. */
void pail_ad_arrays_of_key(struct pail_ad_frame *frame, const struct pail_ad_kernel *kernel,
                           const uint64_t key[]);

#endif /* PAIL_ADSTACK_ARRAYS_H */
