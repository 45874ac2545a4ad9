/* SPDX-License-Identifier: Apache-2.0 */
/* GLSL to SPIR-V, and the check of a module against the list of kernels.
 *
 * The same code serves the build (sources read from glsl/) and the plugin (sources embedded in it):
 * both hand over a tree of texts, nothing is ever read from disk here. For one tree and one version
 * of glslang and SPIRV-Tools the words are the same on every run, thread and machine: a module
 * holds no path, no name and no debug information.
 *
 * Every function is safe to call from several threads. Where an error text is taken, `error` gets
 * one sentence on each line, always terminated, cut at `error_cap`; `error` may be NULL if the cap
 * is 0.
 */
#ifndef PAIL_SPIRV_COMPILE_H
#define PAIL_SPIRV_COMPILE_H

#include <stddef.h>
#include <stdint.h>

#include <kernels.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pail_spirv_status {
    PAIL_SPIRV_OK = 0,
    PAIL_SPIRV_REQUEST,  /* the kernel has no such variant */
    PAIL_SPIRV_SOURCE,   /* a file is missing, or the text is not valid GLSL */
    PAIL_SPIRV_INVALID,  /* the words are not a valid module for Vulkan 1.2 */
    PAIL_SPIRV_MISMATCH, /* the module is not what the list of kernels says */
    PAIL_SPIRV_MEMORY,   /* out of memory */
};

/* A module of the list of kernels may not be larger. */
#define PAIL_SPIRV_MAX_BYTES 327680u

struct pail_source {
    const char *path; /* relative to the root, parts separated by '/', for example "ec/xyzz.glsl" */
    const char *text;
    size_t length; /* bytes, without a terminating zero */
};

struct pail_source_tree {
    const struct pail_source *files;
    size_t n_files;
};

/* Keeps glslang's symbol tables (tens of milliseconds to build) alive until pail_spirv_release;
 * every call is counted. Optional: pail_spirv_compile takes and drops a hold of its own. After the
 * last release nothing of glslang is left in the process, so that the code can be unloaded.
 *
 * Returns PAIL_SPIRV_MEMORY when glslang cannot start; then there is nothing to release. */
enum pail_spirv_status pail_spirv_acquire(void);
void pail_spirv_release(void);

/* Compiles "<kernel>.comp" for Vulkan 1.2 (SPIR-V 1.5), validates, shortens and validates again.
 *
 * `#include "x"` is looked up beside the including file, then in "curve/<curve>" (or its folder
 * "scalar": pail_kernel_curve_dir) if the kernel has that axis, then at the root. Defined are
 * PAIL_GROUP (1 or 2) and PAIL_FIELD_<FORM>, each if the kernel has the axis. `variant` must be one
 * that pail_kernel_variants lists.
 *
 * Out: `*words` of `*n_words`, to be freed with free(); NULL and 0 on failure. On success `error`
 * holds the compiler's warnings, or is empty. Places are given as "file:line". */
enum pail_spirv_status pail_spirv_compile(const struct pail_source_tree *tree,
                                          const struct pail_kernel *kernel,
                                          struct pail_variant variant, uint32_t **words,
                                          size_t *n_words, char *error, size_t error_cap);

/* The text that pail_spirv_compile compiles, in one piece: the defines, then the text with its
 * includes in place. NULL where that cannot be had; to be freed with free(). */
char *pail_spirv_text(const struct pail_source_tree *tree, const struct pail_kernel *kernel,
                      struct pail_variant variant);

/* Compares a valid module with its row: entry point, bindings and their access, push constant
 * bytes, specialisation constants and their defaults, and the capabilities allowed to it. Reports
 * every difference, not only the first. */
enum pail_spirv_status pail_spirv_check(const struct pail_kernel *kernel,
                                        struct pail_variant variant, const uint32_t *words,
                                        size_t n_words, char *error, size_t error_cap);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_SPIRV_COMPILE_H */
