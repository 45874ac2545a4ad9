/* SPDX-License-Identifier: Apache-2.0 */
/* A directory of GLSL as a source tree. Only for programs of the build: the library reads no files.
 */
#ifndef PAIL_SPIRV_TREE_H
#define PAIL_SPIRV_TREE_H

#include <stdbool.h>

#include "compile.h"

/* Reads every *.comp, *.glsl and *.h below the directories, those of one directory in the order of
 * their paths, so that what is made from the tree does not depend on the file system, and those of
 * the next behind them: a file's number, which modules are made from too, does not depend on what
 * is added. False: `error` says which file could not be read, or is in two of the directories. */
bool pail_tree_read(const char *const *dirs, size_t n_dirs, struct pail_source_tree *tree,
                    char *error, size_t error_cap);

/* Accepts what pail_tree_read made; leaves an empty tree. */
void pail_tree_free(struct pail_source_tree *tree);

#endif /* PAIL_SPIRV_TREE_H */
