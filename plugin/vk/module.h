/* The code of a kernel: embedded by the build, or compiled here from the embedded sources. */
#ifndef PAIL_VK_MODULE_H
#define PAIL_VK_MODULE_H

#include <compile.h>

#include "device.h"

struct pail_vk_module {
    const uint32_t *words;
    size_t n_words;
    uint64_t hash;      /* FNV-1a-64 of the words as little-endian bytes */
    uint32_t *compiled; /* words that pail_vk_module_fini frees; NULL for an embedded module */
};

/* The embedded module of the variant, or with a text (vk/pipeline.h) what its sources are with that
 * text in the place of the file of its path; that is compiled, checked against the list of kernels,
 * and kept in the device's cache. With PAIL_DEBUG=recompile the embedded sources are compiled too,
 * and must give the same words bit for bit.
 * kept: PAIL_NOT_READY where a text would have to be compiled.
 * Errors: PAIL_ERR_ARGUMENT     there is no such variant, or no file of the text's path
 *         PAIL_ERR_INTERNAL     the sources do not compile, or not to what the build made of them
 *         PAIL_ERR_HOST_MEMORY */
pail_status pail_vk_module_init(struct pail_vk_module *module, struct pail_vk_device *dev,
                                enum pail_kernel_id kernel, struct pail_variant variant,
                                const struct pail_source *text, bool kept, struct pail_error *err);

void pail_vk_module_fini(struct pail_vk_module *module);

#endif /* PAIL_VK_MODULE_H */
