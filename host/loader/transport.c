/* SPDX-License-Identifier: Apache-2.0 */
#include "transport.h"

#include "messages.h"
#include "plugin.h"
#include "search.h"

#include <platform/file.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Checks that the table can be used; otherwise *reason is a sentence for free(), or NULL. */
static bool table_fits(const pail_transport *table, char **reason)
{
    if (!table || table->struct_size < sizeof *table || table->abi != PAIL_TRANSPORT_ABI) {
        *reason = pail_format("its table is not of version %d of this host", PAIL_TRANSPORT_ABI);
        return false;
    }
    if (!table->name || !table->version || !table->open || !table->close || !table->broadcast ||
        !table->gather || !table->scatter || !table->send || !table->receive || !table->abort) {
        *reason = pail_format("its table lacks a function or a name");
        return false;
    }
    return true;
}

static bool take_table(const void **table, void *symbol, char **reason)
{
    pail_transport_open_fn open;
    const pail_transport *transport = NULL;
    memcpy(&open, &symbol, sizeof open);
    if (open(PAIL_TRANSPORT_ABI, &transport) != PAIL_OK) {
        *reason = pail_format("does not speak version %d of this host", PAIL_TRANSPORT_ABI);
        return false;
    }
    *table = transport;
    return table_fits(transport, reason);
}

/* Opens the candidate. False: its reason is set, or NULL when there is no memory. */
static bool open_file(void **handle, const void **table, const struct pail_module_kind *kind,
                      struct pail_candidate *item)
{
    void *symbol;
    *handle = pail_plugin_open_file(item->path, item->device, item->inode, kind->symbol, &symbol,
                                    &item->reason);
    if (!*handle)
        return false;
    if (kind->take(table, symbol, &item->reason))
        return true;
    pail_module_unload(handle);
    *table = NULL;
    return false;
}

static pail_status open_first(void **handle, const void **table,
                              const struct pail_module_kind *kind, struct pail_candidates *list,
                              char *error, size_t capacity)
{
    const struct pail_candidate *refused = NULL;
    for (size_t i = 0; i < list->n; ++i) {
        struct pail_candidate *const item = &list->items[i];
        if (item->status == PAIL_OK && open_file(handle, table, kind, item))
            return PAIL_OK;
        if (!refused || item->status == PAIL_OK)
            refused = item; /* a file that was there says more than a folder without one */
    }
    if (!refused)
        pail_say(error, capacity,
                 "there is no libpail-%s" PAIL_LIBRARY_TAIL
                 ", %s, beside the library, nor where PAIL_BACKEND_PATH says: Debian's package "
                 "libpail-%s has it, and a build with %s",
                 kind->name, kind->use, kind->name, kind->needs);
    else
        pail_say(error, capacity, "%s: %s", refused->path,
                 refused->reason ? refused->reason : "cannot be opened, and no memory says why");
    return PAIL_ERR_UNSUPPORTED;
}

pail_status pail_module_load(void **handle, const void **table, const struct pail_module_kind *kind,
                             const char *path, char *error, size_t capacity)
{
    char wanted[64];
    struct pail_candidates list = {.items = NULL};
    *handle = NULL;
    *table = NULL;
    pail_say(wanted, sizeof wanted, "libpail-%s" PAIL_LIBRARY_TAIL, kind->name);
    pail_status status = pail_search_module(&list, wanted, path);
    if (status != PAIL_OK)
        pail_say(error, capacity, "out of memory while looking for %s", wanted);
    else
        status = open_first(handle, table, kind, &list, error, capacity);
    pail_candidates_fini(&list);
    return status;
}

void pail_module_unload(void **handle)
{
    if (*handle)
        dlclose(*handle);
    *handle = NULL;
}

pail_status pail_transport_load(struct pail_transport_file *file, const char *name,
                                const char *path, char *error, size_t capacity)
{
    static const struct pail_module_kind mpi = {.name = "mpi",
                                                .symbol = PAIL_TRANSPORT_SYMBOL,
                                                .take = take_table,
                                                .use = "the transport of clusters over MPI",
                                                .needs = "an MPI (Debian: libopenmpi-dev)"};
    const void *table = NULL;
    *file = (struct pail_transport_file){.table = NULL};
    if (strcmp(name, mpi.name) != 0) {
        pail_say(error, capacity, "there is no transport \"%s\"; \"mpi\" is one", name);
        return PAIL_ERR_ARGUMENT;
    }
    const pail_status status = pail_module_load(&file->handle, &table, &mpi, path, error, capacity);
    file->table = table;
    return status;
}

void pail_transport_unload(struct pail_transport_file *file)
{
    pail_module_unload(&file->handle);
    file->table = NULL;
}
