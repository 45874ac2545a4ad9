/* SPDX-License-Identifier: Apache-2.0 */
/* The search for plugins: from search paths to a list of files, each fit to be opened or with the
 * reason why it is not. Opens no plugin. */
#ifndef PAIL_LOADER_SEARCH_H
#define PAIL_LOADER_SEARCH_H

#include <pail/backend.h>

#include <stdbool.h>
#include <sys/types.h>

struct pail_candidate {
    char *path;
    pail_status status; /* PAIL_OK: may be opened */
    char *reason;       /* NULL when it may be opened */
    dev_t device;       /* with inode: the identity of a file that may be opened */
    ino_t inode;
};

struct pail_candidates {
    struct pail_candidate *items;
    size_t n, capacity;
};

/* Fills an empty list in the order of <pail/pail.h>. path: in place of PAIL_BACKEND_PATH, or NULL.
 * path_only: leave out the folders of the library itself.
 * Returns PAIL_OK or PAIL_ERR_HOST_MEMORY, with an empty list. */
pail_status pail_search(struct pail_candidates *list, const char *path, bool path_only);

/* True if a file of that name is no backend: a transport, or the engine of circuits. */
bool pail_search_is_module(const char *name);

/* The same for such a file: those of that name alone, which pail_search leaves out. */
pail_status pail_search_module(struct pail_candidates *list, const char *name, const char *path);

void pail_candidates_fini(struct pail_candidates *list);

#endif
