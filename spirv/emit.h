/* SPDX-License-Identifier: Apache-2.0 */
/* Writes modules and sources as C, the definitions behind modules.h. A file is written beside its
 * place and renamed, so that a failed build leaves no half of one. False: `error` says what could
 * not be written. */
#ifndef PAIL_SPIRV_EMIT_H
#define PAIL_SPIRV_EMIT_H

#include <stdbool.h>

#include "modules.h"

/* The hashes are computed here; the field is not read. */
bool pail_emit_modules(const char *path, const struct pail_module *modules, size_t n_modules,
                       char *error, size_t error_cap);

bool pail_emit_sources(const char *path, const struct pail_source_tree *tree, char *error,
                       size_t error_cap);

/* Writes one module as a header of its own, with the words as a static array `name`. */
bool pail_emit_words(const char *path, const char *name, const uint32_t *words, size_t n_words,
                     char *error, size_t error_cap);

#endif /* PAIL_SPIRV_EMIT_H */
