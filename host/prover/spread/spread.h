/* A proof over several devices: each has the witness and a part of the key, and their results are
 * added up. pail_place chooses the parts. A lost device leaves its part to the others, and the
 * proof that was running begins again. */
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

/* Closes any key, of several devices or of one. No proof may be under way. Legal on NULL. */
void pail_spread_key_close(pail_groth16_key **key);

struct pail_spread_result {
    pail_msm_result (*results)[PAIL_ZKEY_MSMS]; /* [PAIL_PLACE_DEVICES_MAX]: results of each device;
                                                   zeroed: none */
    size_t n_results;
    double upload_ms,
        quotient_ms; /* the longest upload; the time until the scalars of H were there */
    double quotient_device_ms, multiply_device_ms; /* the longest, by the devices' clocks */
};

/* Computes the multiplications of a proof. One proof at a time: others wait, from PAIL_OK on until
 * pail_spread_release. Out: result; results are the caller's to wipe. Returns PAIL_OK or a device's
 * status; PAIL_ERR_DEVICE_LOST where all are lost. On failure nothing is left of the witness. */
pail_status pail_spread_compute(struct pail_spread *spread, struct pail_spread_result *result,
                                const struct pail_witness *witness, char *error, size_t error_cap);

/* Frees the devices' vectors of the witness, after a computation that has ended with PAIL_OK, in
 * the same thread. */
void pail_spread_release(struct pail_spread *spread);

/* Gets the placement. Safe. */
void pail_spread_get(struct pail_spread *spread, pail_groth16_spread *stats);
/* Gets part i; false: there is none. Safe. */
bool pail_spread_get_part(struct pail_spread *spread, pail_groth16_part *part, size_t i);

#endif /* PAIL_SPREAD_SPREAD_H */
