/* SPDX-License-Identifier: Apache-2.0 */
/* Modules and sources that the build embeds: every module of the list of kernels, and the texts
 * they were made from. */
#ifndef PAIL_SPIRV_MODULES_H
#define PAIL_SPIRV_MODULES_H

#include "compile.h"

struct pail_module {
    const char *name; /* pail_variant_name */
    const uint32_t *words;
    size_t n_words;
    uint64_t hash; /* FNV-1a-64 of the words as little-endian bytes */
};

/* Modules in the order of pail_variant_index. */
extern const struct pail_module pail_modules[];
extern const size_t pail_n_modules;

/* glsl/, for compiling variants at run time. */
extern const struct pail_source_tree pail_sources;

#endif /* PAIL_SPIRV_MODULES_H */
