/* The pace of a device in its cache. */
#ifndef PAIL_VK_PACE_KEPT_H
#define PAIL_VK_PACE_KEPT_H

#include <kernels.h>

#include "device.h"
#include "pace.h"

/* Takes what an earlier process has learned, where there is a cache with it. */
void pail_vk_pace_load(struct pail_vk_device *dev);

/* Keeps what was learned since. */
void pail_vk_pace_store(struct pail_vk_device *dev);

/* Units of a kernel's work that one dispatch may have; 0: as many as it likes. */
double pail_vk_pace_units(struct pail_vk_device *dev, enum pail_kernel_id kernel,
                          struct pail_variant variant, enum pail_vk_work_kind kind);

#endif /* PAIL_VK_PACE_KEPT_H */
