/* The code of a kernel: embedded by the build, or compiled here from the embedded sources. */
#ifndef PAIL_VK_MODULE_H
#define PAIL_VK_MODULE_H

#include <kernels.h>

#include "vk/device.h"

struct pail_vk_module {
    const uint32_t *words;
    size_t n_words;
    uint64_t hash;      /* FNV-1a-64 of the words as little-endian bytes */
    uint32_t *compiled; /* what pail_vk_module_fini frees; NULL for an embedded module */
};

/* The embedded module of the variant. With PAIL_DEBUG=recompile its sources are compiled and
 * checked against the list of kernels, and must give the same words bit for bit; the device's cache
 * keeps what was compiled. Errors: PAIL_ERR_ARGUMENT     there is no such variant PAIL_ERR_INTERNAL
 * the sources do not compile, or not to what the build made of them PAIL_ERR_HOST_MEMORY */
pail_status pail_vk_module_init(struct pail_vk_module *module, struct pail_vk_device *dev,
                                enum pail_kernel_id kernel, struct pail_variant variant,
                                struct pail_error *err);

void pail_vk_module_fini(struct pail_vk_module *module);

#endif /* PAIL_VK_MODULE_H */
