/* SPDX-License-Identifier: Apache-2.0 */
/* A proof over several devices: each has the witness and a part of the key, and their results are
 * added up. pail_place chooses the parts. A lost device leaves its part to the others, and the
 * proof that was running begins again. */
#ifndef PAIL_SPREAD_SPREAD_H
#define PAIL_SPREAD_SPREAD_H

#include <pail/prover.h>

#include <prover/proof/run.h>

struct pail_spread;

/* As pail_groth16_key_open_on, for arguments that are known to be good. */
pail_status pail_spread_key_open(pail_groth16_key **key, const pail_prover_device *devices,
                                 uint32_t n_devices, const pail_groth16_key_params *params,
                                 bool everywhere, char *error, size_t error_cap);

/* Closes any key, of several devices or of one. No proof may be under way. Legal on NULL. */
void pail_spread_key_close(pail_groth16_key **key);

/* Computes the multiplications of a proof. One proof at a time: others wait, from PAIL_OK on until
 * pail_spread_release. Out: runs, results: [PAIL_PLACE_DEVICES_MAX], *n of them are in use; runs
 * have ended, and keep their vectors until the caller resets them; results are the caller's to
 * wipe. Returns PAIL_OK or a device's status; PAIL_ERR_DEVICE_LOST where all are lost. On failure
 * nothing is left of the witness. */
pail_status pail_spread_compute(struct pail_spread *spread, struct pail_lane_run *runs,
                                pail_msm_result (*results)[PAIL_PROOF_RESULTS], uint32_t *n,
                                struct pail_witness *witness, char *error, size_t error_cap);

/* Lets the next proof begin, in the same thread as the computation that ended with PAIL_OK. */
void pail_spread_release(struct pail_spread *spread);

/* Gets the placement. Safe. */
void pail_spread_get(struct pail_spread *spread, pail_groth16_spread *stats);
/* Gets part i; false: there is none. Safe. */
bool pail_spread_get_part(struct pail_spread *spread, pail_groth16_part *part, size_t i);

#endif /* PAIL_SPREAD_SPREAD_H */
