/* One proof over several devices: each has the witness and a part of the key, and what they give is
 * added up. pail_place says which part. A device that is lost leaves its part to the others, and
 * the proof that it was lost in begins again. */
#ifndef PAIL_SPREAD_SPREAD_H
#define PAIL_SPREAD_SPREAD_H

#include <pail/prover.h>

#include "place.h"
#include <prover/key/key.h>
#include <prover/key/witness.h>

struct pail_spread;

/* As pail_groth16_key_open_on, for arguments that are known to be good. */
pail_status pail_spread_key_open(pail_groth16_key **key, const pail_prover_device *devices,
                                 uint32_t n_devices, const pail_groth16_key_params *params,
                                 bool everywhere, char *error, size_t error_cap);

/* Of any key, of several devices or of one. No proof may be under way. Legal on NULL. */
void pail_spread_key_close(pail_groth16_key **key);

struct pail_spread_result {
    pail_msm_result (*results)[PAIL_ZKEY_MSMS]; /* [PAIL_PLACE_DEVICES_MAX]: what each device gave;
                                                   zeroed: nothing */
    size_t n_results;
    double upload_ms, quotient_ms;                 /* the longest, and until the scalars of H were
                                                      there */
    double quotient_device_ms, multiply_device_ms; /* the longest, by the devices' clocks */
};

/* Computes the multiplications of a proof. One proof at a time: others wait, from PAIL_OK on until
 * pail_spread_release. Out: result; results are the caller's to wipe. Returns PAIL_OK or what the
 * devices say; PAIL_ERR_DEVICE_LOST where all are lost. On failure nothing is left of the witness.
 */
pail_status pail_spread_compute(struct pail_spread *spread, struct pail_spread_result *result,
                                const struct pail_witness *witness, char *error, size_t error_cap);

/* Behind a computation that has ended with PAIL_OK, by the same thread: frees what the devices have
 * of the witness. */
void pail_spread_release(struct pail_spread *spread);

/* What it is at. Safe. */
void pail_spread_get(struct pail_spread *spread, pail_groth16_spread *stats);
/* Part i of those that there are; false: there is none. Safe. */
bool pail_spread_get_part(struct pail_spread *spread, pail_groth16_part *part, size_t i);

#endif /* PAIL_SPREAD_SPREAD_H */
