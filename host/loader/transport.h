/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that are no backends, found, judged and opened as plugins are: the transport of a
 * cluster, the engine of circuits. */
#ifndef PAIL_LOADER_TRANSPORT_H
#define PAIL_LOADER_TRANSPORT_H

#include <pail/backend.h>
#include <pail/transport.h>

#include <stdbool.h>

struct pail_module_kind {
    const char *name;   /* of libpail-NAME.so, in the list of search.c */
    const char *symbol; /* that it exports */
    /* Gets the table. Otherwise *reason is a sentence for free(), or NULL without memory. */
    bool (*take)(const void **table, void *symbol, char **reason);
    const char *use;   /* "which runs circuits" */
    const char *needs; /* of a build: "SpiderMonkey (Debian: libmozjs-102-dev)" */
};

/* Opens the first libpail-NAME.so that can be. path: in place of PAIL_BACKEND_PATH, or NULL.
 *
 * Out: *handle: from dlopen, for pail_module_unload; *table: of `take`. NULL on failure.
 * Returns PAIL_OK, PAIL_ERR_HOST_MEMORY, or PAIL_ERR_UNSUPPORTED: the sentence says that it is not
 * there, or why none could be opened. */
pail_status pail_module_load(void **handle, const void **table, const struct pail_module_kind *kind,
                             const char *path, char *error, size_t capacity);

void pail_module_unload(void **handle);

struct pail_transport_file {
    void *handle; /* from dlopen; NULL: none */
    const pail_transport *table;
};

/* The same of a transport. Also PAIL_ERR_ARGUMENT: there is none of that name. */
pail_status pail_transport_load(struct pail_transport_file *file, const char *name,
                                const char *path, char *error, size_t capacity);

void pail_transport_unload(struct pail_transport_file *file);

#endif
