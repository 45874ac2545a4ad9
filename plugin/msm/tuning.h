/* What was measured to be best on a device: pail_tuning of the boundary, kept in the device's cache
 * and taken where a configuration leaves a choice open. */
#ifndef PAIL_PLUGIN_TUNING_H
#define PAIL_PLUGIN_TUNING_H

#include "service.h"

/* Reads what the device's cache has, into msm->tunings. A record that is damaged, of another driver
 * or of other kernels is not there. */
void pail_tuning_load(struct pail_msm *msm);

/* Out: all but struct_size, curve and group. PAIL_NOT_READY: there is none. */
pail_status pail_tuning_read(struct pail_msm *msm, pail_tuning *tuning, struct pail_error *err);

/* Checks the choices against the device, keeps them for this context and in the cache.
 * Errors: PAIL_ERR_ARGUMENT, PAIL_ERR_UNSUPPORTED  choices that no configuration could make */
pail_status pail_tuning_write(struct pail_msm *msm, const pail_tuning *tuning,
                              struct pail_error *err);

/* Fills what *config leaves open for a multiplication of n points of a group: accumulator and field
 * form with their knobs if neither is chosen, and the window if no memory has to be saved. */
void pail_tuning_apply(struct pail_msm *msm, pail_msm_config *config, uint32_t curve,
                       uint32_t group, uint64_t n);

#endif /* PAIL_PLUGIN_TUNING_H */
