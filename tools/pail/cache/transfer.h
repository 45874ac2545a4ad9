/* The cache as one file, on the way from one machine to another that is just like it. */
#ifndef PAIL_TOOL_CACHE_TRANSFER_H
#define PAIL_TOOL_CACHE_TRANSFER_H

#include <stdbool.h>

#include "error/error.h"
#include <pail/backend.h>

enum { PAIL_TRANSFER_PATH_MAX = 4096 };

/* The folder of the cache: `wanted`, or where the environment says. Makes nothing. Returns PAIL_OK,
 * or PAIL_ERR_IO with a sentence. */
pail_status pail_transfer_folder(char dir[PAIL_TRANSFER_PATH_MAX], const char *wanted,
                                 struct pail_error *error);

/* Writes the entries of the folder to a new file. Returns PAIL_OK, PAIL_ERR_ARGUMENT if there are
 * none, or PAIL_ERR_IO. */
pail_status pail_transfer_export(uint64_t *n_entries, const char *path, const char *dir,
                                 struct pail_error *error);

/* Adds what the file holds to the folder, or nothing if any of it is damaged. Returns PAIL_OK,
 * PAIL_ERR_DATA or PAIL_ERR_IO. */
pail_status pail_transfer_import(uint64_t *n_entries, const char *path, const char *dir,
                                 struct pail_error *error);

#endif /* PAIL_TOOL_CACHE_TRANSFER_H */
