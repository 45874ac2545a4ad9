/* SPDX-License-Identifier: Apache-2.0 */
/* A backend: opened, negotiated with, scored. */
#ifndef PAIL_LOADER_PLUGIN_H
#define PAIL_LOADER_PLUGIN_H

#include <pail/backend.h>

#include <stdbool.h>
#include <sys/types.h>

struct pail_plugin {
    char *path;   /* NULL: built in */
    dev_t device; /* with inode: the file that was judged */
    ino_t inode;
    pail_status status;          /* PAIL_OK: usable */
    char *reason;                /* NULL when usable */
    void *handle;                /* from dlopen */
    const pail_backend *backend; /* NULL when not opened; may be set with status UNSUPPORTED */
    uint32_t score;
    const char *only; /* optional: a backend of another name is not scored. Read while opening */
    bool left_out;    /* it has another name */
};

/* Opens the shared object at plugin->path; the outcome is in `status` and `reason`.
 * Returns false when there is no memory for the reason. */
bool pail_plugin_open(struct pail_plugin *plugin, const pail_host *host);

/* The same for a backend that is linked in. */
bool pail_plugin_open_builtin(struct pail_plugin *plugin, const pail_host *host,
                              pail_backend_open_fn open);

/* Opens a file that was judged, and nothing of what it has: for dlclose(). Out: *symbol: what it
 * exports by that name.
 * Returns NULL, with *reason for free(), or NULL when there is no memory for that. */
void *pail_plugin_open_file(const char *path, dev_t device, ino_t inode, const char *name,
                            void **symbol, char **reason);

void pail_plugin_close(struct pail_plugin *plugin);

#endif
