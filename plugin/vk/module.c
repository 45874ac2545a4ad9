/* SPDX-License-Identifier: Apache-2.0 */
/* The code of a kernel: embedded by the build, or compiled here from the embedded sources. */
#include "pipeline_priv.h"

#include <stdlib.h>
#include <string.h>

#include <compile.h>
#include <curves/fnv.h>
#include <modules.h>

#include "device_cache.h"
#include "device_priv.h"
#include "faults.h"

static pail_status failed(struct pail_error *err, enum pail_spirv_status status, const char *name,
                          const char *why)
{
    if (status == PAIL_SPIRV_MEMORY)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory to compile %s", name);
    return pail_fail(err, PAIL_ERR_INTERNAL, "%s cannot be compiled: %s", name, why);
}

static pail_status compile(struct pail_vk_module *module, const struct pail_source_tree *sources,
                           const struct pail_kernel *kernel, struct pail_variant variant,
                           const char *name, struct pail_error *err)
{
    char why[256];
    enum pail_spirv_status status = pail_spirv_compile(sources, kernel, variant, &module->compiled,
                                                       &module->n_words, why, sizeof(why));
    if (status == PAIL_SPIRV_OK)
        status =
            pail_spirv_check(kernel, variant, module->compiled, module->n_words, why, sizeof(why));
    if (status != PAIL_SPIRV_OK) {
        pail_vk_module_fini(module);
        return failed(err, status, name, why);
    }
    module->words = module->compiled;
    /* A module is a stream of little-endian words, and so is every host Vulkan runs on. */
    module->hash = pail_fnv1a64(module->words, module->n_words * sizeof(*module->words));
    return PAIL_OK;
}

/* Compiled here before, by the same compiler from the same texts: then the build's own hash is
 * equal too. */
static struct pail_cache_key key_of(const struct pail_vk_device *dev, const char *name,
                                    const struct pail_module *built,
                                    const struct pail_source_tree *sources)
{
    struct pail_cache_key key = {.kind = PAIL_CACHE_SPIRV,
                                 .code_hash = built->hash,
                                 .device = pail_vk_cache_device(&dev->caps)};
    for (size_t i = 0; i < sources->n_files; i++)
        key.code_hash =
            pail_fnv1a64_more(key.code_hash, sources->files[i].text, sources->files[i].length);
    memcpy(key.name, name, strlen(name));
    return key;
}

static bool from_cache(struct pail_vk_module *module, struct pail_vk_device *dev,
                       const struct pail_cache_key *key)
{
    size_t bytes = 0;
    uint8_t *words = dev->cache ? pail_cache_get(dev->cache, key, &bytes) : NULL;
    const bool whole = words && bytes && bytes % sizeof(uint32_t) == 0;
    if (whole && (module->compiled = malloc(bytes))) {
        memcpy(module->compiled, words, bytes);
        module->words = module->compiled;
        module->n_words = bytes / sizeof(uint32_t);
        module->hash = pail_fnv1a64(module->words, bytes);
    }
    if (words)
        pail_cache_release(dev->cache, words);
    return module->words;
}

static void into_cache(const struct pail_vk_module *module, struct pail_vk_device *dev,
                       const struct pail_cache_key *key)
{
    if (dev->cache)
        pail_cache_put(dev->cache, key, (const uint8_t *)module->words,
                       module->n_words * sizeof(uint32_t));
}

static pail_status recompile(struct pail_vk_module *module, struct pail_vk_device *dev,
                             const struct pail_module *built, const struct pail_kernel *kernel,
                             struct pail_variant variant, const char *name, struct pail_error *err)
{
    const struct pail_cache_key key = key_of(dev, name, built, &pail_sources);
    if (!from_cache(module, dev, &key)) {
        const pail_status status = compile(module, &pail_sources, kernel, variant, name, err);
        if (status != PAIL_OK)
            return status;
        if (module->hash == built->hash)
            into_cache(module, dev, &key);
    }
    if (module->hash == built->hash)
        return PAIL_OK;
    pail_vk_module_fini(module);
    return pail_fail(err, PAIL_ERR_INTERNAL,
                     "%s compiled here is not what the build made of the same sources", name);
}

static pail_status compile_with(struct pail_vk_module *module, struct pail_vk_device *dev,
                                const struct pail_module *built, const struct pail_kernel *kernel,
                                struct pail_variant variant, const struct pail_source *text,
                                bool kept, const char *name, struct pail_error *err)
{
    struct pail_source *files = pail_calloc(&dev->alloc, pail_sources.n_files, sizeof(*files));
    if (!files)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for the sources of %s", name);
    size_t replaced = 0;
    for (size_t i = 0; i < pail_sources.n_files; i++) {
        const bool same = strcmp(pail_sources.files[i].path, text->path) == 0;
        files[i] = same ? *text : pail_sources.files[i];
        replaced += same;
    }
    const struct pail_source_tree tree = {files, pail_sources.n_files};
    pail_status status = PAIL_OK;
    if (!replaced) {
        status = pail_fail(err, PAIL_ERR_ARGUMENT, "there is no file glsl/%s", text->path);
    } else {
        const struct pail_cache_key key = key_of(dev, name, built, &tree);
        if (!from_cache(module, dev, &key) && kept) {
            status = PAIL_NOT_READY;
        } else if (!module->words) {
            status = compile(module, &tree, kernel, variant, name, err);
            if (status == PAIL_OK)
                into_cache(module, dev, &key);
        }
    }
    pail_free(&dev->alloc, files);
    return status;
}

pail_status pail_vk_module_init(struct pail_vk_module *module, struct pail_vk_device *dev,
                                enum pail_kernel_id id, struct pail_variant variant,
                                const struct pail_source *text, bool kept, struct pail_error *err)
{
    memset(module, 0, sizeof(*module));
    const struct pail_kernel *kernel = &pail_kernels[id];
    char name[PAIL_NAME_MAX];
    pail_variant_name(kernel, variant, name);
    const uint32_t index = pail_variant_index(id, variant);
    if (index >= pail_n_modules)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "there is no kernel %s", name);
#ifdef PAIL_TEST_FAULTS
    struct pail_fault_tree faulty;
    pail_status faulted = pail_fault_sources(&faulty, &pail_sources, err);
    if (faulted == PAIL_OK && faulty.files) {
        faulted = compile(module, &faulty.tree, kernel, variant, name, err);
        pail_fault_sources_free(&faulty);
        return faulted;
    }
    if (faulted != PAIL_OK)
        return faulted;
#endif
    const struct pail_module *built = &pail_modules[index];
    if (text)
        return compile_with(module, dev, built, kernel, variant, text, kept, name, err);
    if (dev->debug & PAIL_DEBUG_RECOMPILE)
        return recompile(module, dev, built, kernel, variant, name, err);
    module->words = built->words;
    module->n_words = built->n_words;
    module->hash = built->hash;
    return PAIL_OK;
}

void pail_vk_module_fini(struct pail_vk_module *module)
{
    free(module->compiled);
    memset(module, 0, sizeof(*module));
}
