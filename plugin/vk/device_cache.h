/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of a device (cache/cache.h): where it is kept, and for whom. */
#ifndef PAIL_VK_CACHE_H
#define PAIL_VK_CACHE_H

#include <cache/cache.h>

#include "device.h"

struct pail_cache_device pail_vk_cache_device(const struct pail_vk_caps *caps);

/* Sets dev->cache, which stays NULL with PAIL_DEBUG=nocache. params: optional.
 * Errors: PAIL_ERR_HOST_MEMORY */
pail_status pail_vk_cache_open(struct pail_vk_device *dev,
                               const struct pail_vk_cache_params *params, struct pail_error *err);
void pail_vk_cache_close(struct pail_vk_device *dev);

/* NULL where there is none. Valid as long as the device. */
struct pail_cache *pail_vk_device_cache(struct pail_vk_device *dev);

#endif /* PAIL_VK_CACHE_H */
