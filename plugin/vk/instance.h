/* SPDX-License-Identifier: Apache-2.0 */
/* A Vulkan instance of our own and the devices it sees.
 *
 * Several instances may live at once; each has its own table of functions. The loader (libvulkan)
 * is opened once for the process, when the first instance is created. */
#ifndef PAIL_VK_INSTANCE_H
#define PAIL_VK_INSTANCE_H

#include "caps.h"

#include <core/alloc.h>
#include <core/error.h>
#include <core/log.h>

struct pail_vk_instance;

/* Services that the layer takes from its host. Copied; the callbacks must outlive whatever is made
 * with it. */
struct pail_vk_env {
    struct pail_alloc alloc;
    struct pail_log log;
    const char *debug;  /* optional: words in place of the environment's PAIL_DEBUG */
    const char *limits; /* optional: words in place of the environment's PAIL_LIMITS */
};

/* Messages of the validation layer since the instance was created. */
struct pail_vk_messages {
    uint64_t errors, warnings;
};

/* Errors: PAIL_ERR_UNSUPPORTED  no loader, no driver, Vulkan below 1.2, or PAIL_DEBUG asks for a
 *                               validation layer that is not installed
 *         PAIL_ERR_ARGUMENT     an unknown word in PAIL_DEBUG or PAIL_LIMITS
 *         PAIL_ERR_HOST_MEMORY */
pail_status pail_vk_instance_create(struct pail_vk_instance **out, const struct pail_vk_env *env,
                                    struct pail_error *err);

/* All devices made from it must be gone. Accepts a pointer to NULL, and leaves NULL behind. */
void pail_vk_instance_destroy(struct pail_vk_instance **instance);

/* Devices in the order of the driver, unusable ones included (see caps.unusable). */
uint32_t pail_vk_instance_n_devices(const struct pail_vk_instance *instance);

/* index < pail_vk_instance_n_devices. Features that PAIL_LIMITS takes away are not there. Valid as
 * long as the instance. */
const struct pail_vk_caps *pail_vk_instance_caps(const struct pail_vk_instance *instance,
                                                 uint32_t index);

/* Thread-safe. */
struct pail_vk_messages pail_vk_instance_messages(const struct pail_vk_instance *instance);

#endif /* PAIL_VK_INSTANCE_H */
