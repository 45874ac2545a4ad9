/* SPDX-License-Identifier: Apache-2.0 */
/* Modules that earlier runs of the tool made, by what they were made from: the flattened text, the
 * defines, and the tool's own bytes. Saves minutes where one kernel of a hundred was changed, and
 * where two lists of kernels have most of them in common. */
#ifndef PAIL_SPIRV_KEEP_H
#define PAIL_SPIRV_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAIL_KEEP_PATH_MAX 512u

/* The tool whose modules are kept, NULL for the program that runs: another program that compiles
 * with the same code may take what that one made, and keep what it makes as that one's. Called
 * before the first path is made. False if the file cannot be read. */
bool pail_keep_tool(const char *tool);

/* The file that keeps the module of `text` in `dir`, or "" where that cannot be known. */
void pail_keep_path(char path[PAIL_KEEP_PATH_MAX], const char *dir, const char *text);

/* Reads a kept module. Out: *words, to be freed with free(). False, and nothing to free, if there
 * is none. */
bool pail_keep_read(const char *path, uint32_t **words, size_t *n_words);

/* Other runs see all of the module or none. A module that cannot be written is not kept. */
void pail_keep_write(const char *path, const uint32_t *words, size_t n_words);

#endif /* PAIL_SPIRV_KEEP_H */
