/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of supraseal-c2 by their names: Groth16 proofs over BLS12-381 from assignments of
 * bellperson. Declared after the public bindings of supraseal-c2 (src/lib.rs);
 * docs/from/supraseal.md says which library has which of them.
 *
 * PAIL_SUPRASEAL_ARGUMENTS: what the caller's bindings pass to proving functions behind `srs`:
 *     0: nothing            libsupraseal-c2.so, for bellperson
 *     1: gpu_mtx            libsupraseal-c2-mutex.so
 *     2: gpu_mtx, gpu_index libsupraseal-c2-cuzk.so, for the engine of curio
 *
 * An error is a code other than 0 and a sentence, which the caller releases with free(); without an
 * error both are 0. Thread-safety: safe. */
#ifndef PAIL_SUPRASEAL_H
#define PAIL_SUPRASEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef PAIL_SUPRASEAL_ARGUMENTS
#define PAIL_SUPRASEAL_ARGUMENTS 0
#endif

#define PAIL_SUPRASEAL_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RustError {
    int code;
    char *message;
} RustError;

/* A key; one count of its references. */
typedef struct SRS {
    void *ptr;
} SRS;

/* Scalars are in Montgomery form, bits in words of 64. */
typedef struct supraseal_assignment {
    const uint64_t *a_aux_density;
    size_t a_aux_bit_len, a_aux_popcount;
    const uint64_t *b_inp_density;
    size_t b_inp_bit_len, b_inp_popcount;
    const uint64_t *b_aux_density;
    size_t b_aux_bit_len, b_aux_popcount;
    const void *a, *b, *c;
    size_t abc_size;
    const void *inp_assignment_data;
    size_t inp_assignment_size;
    const void *aux_assignment_data;
    size_t aux_assignment_size;
} supraseal_assignment;

/* Affine points in Montgomery form, x then y, in G2 c0 before c1; all zero is infinity. */
typedef struct supraseal_proof {
    uint64_t a[12], b[24], c[12];
} supraseal_proof;

/* Loads the key of a .params file. cache: later calls with this path return the same key until it
 * is evicted. ret->ptr is NULL on failure. */
PAIL_SUPRASEAL_API RustError create_SRS(SRS *ret, const char *path, bool cache);
PAIL_SUPRASEAL_API SRS clone_SRS(const SRS *srs);
/* Forgets the path; the key lives as long as it has references. */
PAIL_SUPRASEAL_API void evict_SRS(const SRS *srs);
/* Gives one reference back; the last one unloads the key. */
PAIL_SUPRASEAL_API void drop_SRS(const SRS *srs);

/* Makes a proof of each circuit. Waits while circuits of other calls fill the queue. Out: proofs:
 * [num_circuits], zeroed on failure. In: r_s, s_s: [num_circuits], Montgomery form, secret. */
PAIL_SUPRASEAL_API RustError generate_groth16_proofs_c(const supraseal_assignment provers[],
                                                       size_t num_circuits, const void *r_s,
                                                       const void *s_s, supraseal_proof proofs[],
                                                       const SRS *srs
#if PAIL_SUPRASEAL_ARGUMENTS >= 1
                                                       ,
                                                       void *gpu_mtx
#endif
#if PAIL_SUPRASEAL_ARGUMENTS >= 2
                                                       ,
                                                       int gpu_index
#endif
);

#if PAIL_SUPRASEAL_ARGUMENTS >= 1
/* Resources of a device, opaque. Proofs are ordered by Pail's scheduler, so no call locks them. */
PAIL_SUPRASEAL_API void *create_gpu_mutex(void);
PAIL_SUPRASEAL_API void destroy_gpu_mutex(void *resources);
/* The address of a word of them: a signed number of 32 bits, above 0 while calls that were given
 * the resources read assignments. NULL for NULL. */
PAIL_SUPRASEAL_API void *get_membw_throttle(void *resources);

/* The same in two parts. Start returns once all arguments are copied and checked, but for the size
 * of single scalars; proofs are made while the caller goes on. It waits for host memory for the
 * copies. *pending_out: given to one of the two functions below; NULL on failure. */
PAIL_SUPRASEAL_API RustError generate_groth16_proofs_start_c(const supraseal_assignment provers[],
                                                             size_t num_circuits, const void *r_s,
                                                             const void *s_s, const SRS *srs,
                                                             void *gpu_mtx,
#if PAIL_SUPRASEAL_ARGUMENTS >= 2
                                                             int gpu_index,
#endif
                                                             void **pending_out);
/* Waits for the proofs of the handle, writes them, zeros on failure, and releases it; not if proofs
 * is NULL. */
PAIL_SUPRASEAL_API RustError finalize_groth16_proof_c(void *pending, supraseal_proof proofs[]);
/* Cancels the proofs of a handle, waits for what is on the device, and releases it. NULL: nothing.
 */
PAIL_SUPRASEAL_API void destroy_pending_proof(void *pending);
#endif

#ifdef __cplusplus
}
#endif

#endif /* PAIL_SUPRASEAL_H */
