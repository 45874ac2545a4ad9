/* Actions of `pail cache` on one cache file, and the report of each. */
#ifndef PAIL_TOOL_CACHE_CACHE_FILES_H
#define PAIL_TOOL_CACHE_CACHE_FILES_H

#include <stdbool.h>
#include <stdio.h>

#include <cache/files.h>

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

#endif /* PAIL_TOOL_CACHE_CACHE_FILES_H */
