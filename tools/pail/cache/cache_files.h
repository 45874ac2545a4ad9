/* SPDX-License-Identifier: Apache-2.0 */
/* Actions of `pail cache` on one cache file, and the report of each. */
#ifndef PAIL_TOOL_CACHE_CACHE_FILES_H
#define PAIL_TOOL_CACHE_CACHE_FILES_H

#include <stdbool.h>
#include <stdio.h>

#include <pail/backend.h>

#include <cache/files.h>

#include "error/error.h"
#include "output/json.h"

/* The form in which a file is shown: either a table or JSON. */
struct pail_cache_view {
    FILE *table;   /* NULL: JSON is wanted */
    json_t *files; /* the array that JSON is appended to */
    bool entries;  /* each entry as well, not the damaged ones alone */
    bool named;    /* the files were named: they may be anybody's */
    bool failed;   /* no memory for the JSON */
};

/* Sums over files. */
struct pail_cache_sum {
    uint64_t files, entries, damaged, refused, bytes;
    uint64_t entries_gone, bytes_gone;
};

/* Reads the file with every checksum in it and shows it. */
void pail_cache_show(struct pail_cache_view *view, struct pail_cache_sum *sum, const char *path);

/* Prunes the file and shows what went. */
void pail_cache_shrink(struct pail_cache_view *view, struct pail_cache_sum *sum, const char *path,
                       const struct pail_cache_prune *what);

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

#endif /* PAIL_TOOL_CACHE_CACHE_FILES_H */
