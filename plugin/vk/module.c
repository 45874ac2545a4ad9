#include "vk/module.h"

#include <stdlib.h>
#include <string.h>

#include <compile.h>
#include <fnv.h>
#include <modules.h>

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

pail_status pail_vk_module_init(struct pail_vk_module *module, enum pail_kernel_id id,
                                struct pail_variant variant, bool recompile, struct pail_error *err)
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
    if (!recompile) {
        module->words = built->words;
        module->n_words = built->n_words;
        module->hash = built->hash;
        return PAIL_OK;
    }
    const pail_status status = compile(module, &pail_sources, kernel, variant, name, err);
    if (status != PAIL_OK || module->hash == built->hash)
        return status;
    pail_vk_module_fini(module);
    return pail_fail(err, PAIL_ERR_INTERNAL,
                     "%s compiled here is not what the build made of the same sources", name);
}

void pail_vk_module_fini(struct pail_vk_module *module)
{
    free(module->compiled);
    memset(module, 0, sizeof(*module));
}
