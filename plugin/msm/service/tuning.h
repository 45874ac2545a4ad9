/* SPDX-License-Identifier: Apache-2.0 */
/* Measured choices of a device: pail_tuning of the boundary, kept in the device's cache and taken
 * where a configuration leaves a choice open. */
#ifndef PAIL_MSM_TUNING_H
#define PAIL_MSM_TUNING_H

#include "msm/plan/curve.h"
#include "service.h"

#include <cache/entry.h>

/* Key of a group's record of that name in the device's cache. */
struct pail_cache_key pail_tuning_key(const struct pail_msm *msm, const char *name, uint32_t curve,
                                      uint32_t group);

/* Reads what the device's cache has, into msm->tunings. A record that is damaged, of another driver
 * or of other kernels is not there. */
void pail_tuning_load(struct pail_msm *msm);

/* Reads a group's tuning. Out: all but struct_size, curve and group. PAIL_NOT_READY: there is
 * none; without one, choices of first uses count where the caller's struct has their members. */
pail_status pail_tuning_read(struct pail_msm *msm, pail_tuning *tuning, bool of_first_uses,
                             struct pail_error *err);

/* Checks the choices against the device, keeps them for this context and in the cache. Without a
 * choice, forgets the tuning and what first uses found.
 * Errors: PAIL_ERR_ARGUMENT, PAIL_ERR_UNSUPPORTED  choices that no configuration could make */
pail_status pail_tuning_write(struct pail_msm *msm, const pail_tuning *tuning,
                              struct pail_error *err);

/* The tuning of a group, for a question (resolution.h); struct_size 0: there is none. */
pail_tuning pail_msm_tuning_of(struct pail_msm *msm, const struct pail_msm_group *group);

#endif /* PAIL_MSM_TUNING_H */
