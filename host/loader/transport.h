/* A transport of a cluster: found, judged and opened as a plugin is. */
#ifndef PAIL_LOADER_TRANSPORT_H
#define PAIL_LOADER_TRANSPORT_H

#include <pail/backend.h>
#include <pail/transport.h>

struct pail_transport_file {
    void *handle; /* from dlopen; NULL: none */
    const pail_transport *table;
};

/* Opens the first libpail-NAME.so that can be. path: in place of PAIL_BACKEND_PATH, or NULL.
 *
 * Returns PAIL_OK, PAIL_ERR_ARGUMENT (there is no transport of that name), PAIL_ERR_HOST_MEMORY, or
 * PAIL_ERR_UNSUPPORTED: the sentence says that it is not there, or why none could be opened. */
pail_status pail_transport_load(struct pail_transport_file *file, const char *name,
                                const char *path, char *error, size_t capacity);

void pail_transport_unload(struct pail_transport_file *file);

#endif
