/* SPDX-License-Identifier: Apache-2.0 */
/* B2 of a key's proofs on the processors beside the device, which has the other multiplications: a
 * second context, of the CPU backend, with the points of B2. Where a key has none (key->b2 is
 * NULL), the device has B2 as well. */
#ifndef PAIL_B2_B2_H
#define PAIL_B2_B2_H

#include <prover/key/key.h>
#include <prover/key/witness.h>

struct pail_b2 {
    const pail_backend *backend;
    pail_context *context; /* of all keys that want as many threads */
    pail_bases *bases;
    uint64_t host_bytes;            /* bytes of the points */
    uint32_t threads, most_threads; /* of a multiplication; of the context */
};

/* True if the points of B2 belong to the processors: where the params say so, and by default beside
 * a software driver. part: as for pail_key_open_part; such keys have B2 on the device. */
bool pail_b2_is_beside(const pail_backend *backend, pail_context *context,
                       const pail_groth16_key_params *params, const struct pail_key_part *part);

/* Registers the points of B2 of a key that is being opened with the processors, where they belong
 * there. To be called before the key's other points are registered. If the processors were not
 * requested and there is no memory, B2 is on the device. Returns PAIL_OK or as pail_key_open. */
pail_status pail_b2_open(pail_groth16_key *key, const pail_groth16_key_params *params,
                         const struct pail_key_part *part, char *error, size_t error_cap);

/* No proof may be under way. Legal where there is none. */
void pail_b2_close(pail_groth16_key *key);

/* Sets the most bytes of scratch for the threads of such a multiplication; 0: half of the L3
 * caches. UINT64_MAX: no bound. To be called before the first proof. */
void pail_b2_bound(const pail_groth16_key *key, uint64_t bytes);

/* Bytes of host memory that B2 of one proof takes; 0: it is on the device. */
uint64_t pail_b2_work_bytes(const pail_groth16_key *key);

/* Fills the members of B2 as pail_groth16_key_get_info does. */
void pail_b2_info(const pail_groth16_key *key, pail_groth16_key_info *info);

/* Multiplies on the processors, for a witness in memory (pail_witness_keep); wait with
 * key->b2->backend. Returns PAIL_OK or what the CPU backend says, with a sentence. */
pail_status pail_b2_start(const pail_groth16_key *key, pail_pending **pending,
                          const struct pail_witness *witness, char *error, size_t error_cap);
/* Out: *ms: the duration. */
pail_status pail_b2_finish(const pail_groth16_key *key, pail_pending **pending,
                           pail_msm_result *result, double *ms, char *error, size_t error_cap);

/* Host struct of contexts that are made from now on; NULL: the C library's own memory. For
 * tests. */
extern const pail_host *pail_b2_host;

#endif /* PAIL_B2_B2_H */
