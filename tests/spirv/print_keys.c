/* SPDX-License-Identifier: Apache-2.0 */
/* print_keys GLSL_DIR: compiles some kernels and prints the key of each in the cache, for a device
 * that is not there. tests/spirv/same_keys.py compares what several builds of it print. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curves/fnv.h>
#include <curves/registry_id.h>

#include <cache/entry.h>
#include <compile.h>
#include <kernels.h>
#include <tree.h>

/* Kernels without axes, and one with all of them. */
static bool is_wanted(const struct pail_kernel *kernel, const struct pail_variant *v)
{
    return kernel->axes == 0 || (strcmp(kernel->name, "msm/bases/convert") == 0 &&
                                 v->curve == PAIL_KC_BN254 && v->group == PAIL_KG_G1);
}

static int print_key(const struct pail_source_tree *tree, const struct pail_kernel *kernel,
                     const struct pail_variant *variant)
{
    char name[PAIL_NAME_MAX], error[1024];
    uint32_t *words, specs[PAIL_MAX_SPECS] = {0};
    size_t n_words;
    pail_variant_name(kernel, *variant, name);
    if (pail_spirv_compile(tree, kernel, *variant, &words, &n_words, error, sizeof(error)) !=
        PAIL_SPIRV_OK) {
        (void)fprintf(stderr, "%s: %s\n", name, error);
        return 1;
    }
    for (uint32_t i = 0; i < kernel->n_specs; i++)
        specs[i] = kernel->specs[i].value;
    const struct pail_cache_device device = {
        .uuid = "sixteen bytes...", .vendor = 1, .device = 2, .driver = 3};
    const struct pail_cache_pipeline pipeline = {
        .name = name,
        .code_hash = pail_fnv1a64(words, n_words * sizeof(*words)),
        .specs = specs,
        .n_specs = kernel->n_specs,
        .n_bindings = kernel->n_bindings,
        .push_bytes = kernel->push_bytes,
    };
    const struct pail_cache_key key = pail_cache_pipeline_key(&pipeline, &device);
    (void)printf("%s %08x %016llx %016llx %016llx\n", name,
                 (unsigned)pail_registry_id(name, strlen(name), key.task),
                 (unsigned long long)key.task, (unsigned long long)key.code_hash,
                 (unsigned long long)pail_cache_key_hash(&key));
    free(words);
    return 0;
}

int main(int argc, char **argv)
{
    struct pail_source_tree tree;
    char error[1024] = "usage: print_keys GLSL_DIR";
    if (argc != 2 ||
        !pail_tree_read((const char *const *)argv + 1, 1, &tree, error, sizeof(error))) {
        (void)fprintf(stderr, "%s\n", error);
        return 1;
    }
    int failed = 0;
    for (uint32_t k = 0; k < pail_n_kernels; k++) {
        struct pail_variant list[PAIL_MAX_VARIANTS];
        const uint32_t n = pail_kernel_variants(&pail_kernels[k], list);
        for (uint32_t v = 0; v < n && !failed; v++)
            if (is_wanted(&pail_kernels[k], &list[v]))
                failed = print_key(&tree, &pail_kernels[k], &list[v]);
    }
    pail_tree_free(&tree);
    return failed;
}
