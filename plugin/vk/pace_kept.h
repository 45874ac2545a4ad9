/* SPDX-License-Identifier: Apache-2.0 */
/* The pace of a device in its cache. */
#ifndef PAIL_VK_PACE_KEPT_H
#define PAIL_VK_PACE_KEPT_H

#include <kernels.h>

#include "device.h"
#include "pace.h"
#include "pipeline.h"

/* Takes what an earlier process has learned, where there is a cache with it. */
void pail_vk_pace_load(struct pail_vk_device *dev);

/* Keeps what was learned since. */
void pail_vk_pace_store(struct pail_vk_device *dev);

/* Units of a kernel's work that one dispatch may have; 0: as many as it likes. */
double pail_vk_pace_units(struct pail_vk_device *dev, enum pail_kernel_id kernel,
                          struct pail_variant variant, enum pail_vk_work_kind kind);

/* Nanoseconds of a unit of a pipeline's work; 0: nothing is limited. */
double pail_vk_pace_of(struct pail_vk_device *dev, const struct pail_vk_pipeline *pipeline,
                       enum pail_vk_work_kind kind);

/* Takes the time of one dispatch whose work was not known when it was recorded; units: of it, more
 * than 0. It filled the device. */
void pail_vk_pace_saw(struct pail_vk_device *dev, const struct pail_vk_pipeline *pipeline,
                      enum pail_vk_work_kind kind, double units, double ms);

/* True if any work is limited. */
bool pail_vk_pace_limits(const struct pail_vk_device *dev);

/* Workgroups that fill the device. */
uint32_t pail_vk_pace_fill(const struct pail_vk_device *dev);

#endif /* PAIL_VK_PACE_KEPT_H */
