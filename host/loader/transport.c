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

/* Opens the candidate. False: its reason is set, or NULL when there is no memory. */
static bool open_file(struct pail_transport_file *file, struct pail_candidate *item)
{
    void *symbol;
    void *const handle = pail_plugin_open_file(item->path, item->device, item->inode,
                                               PAIL_TRANSPORT_SYMBOL, &symbol, &item->reason);
    if (!handle)
        return false;
    pail_transport_open_fn open;
    memcpy(&open, &symbol, sizeof open);
    const pail_transport *table = NULL;
    if (open(PAIL_TRANSPORT_ABI, &table) != PAIL_OK)
        item->reason = pail_format("does not speak version %d of this host", PAIL_TRANSPORT_ABI);
    else if (table_fits(table, &item->reason)) {
        *file = (struct pail_transport_file){.handle = handle, .table = table};
        return true;
    }
    dlclose(handle);
    return false;
}

static pail_status open_first(struct pail_transport_file *file, struct pail_candidates *list,
                              const char *name, char *error, size_t capacity)
{
    const struct pail_candidate *refused = NULL;
    for (size_t i = 0; i < list->n; ++i) {
        struct pail_candidate *const item = &list->items[i];
        if (item->status == PAIL_OK && open_file(file, item))
            return PAIL_OK;
        if (!refused || item->status == PAIL_OK)
            refused = item; /* a file that was there says more than a folder without one */
    }
    if (!refused)
        pail_say(error, capacity,
                 "there is no libpail-%s" PAIL_LIBRARY_TAIL
                 " beside the library, nor where PAIL_BACKEND_PATH says: Debian's package "
                 "libpail-%s has it, and a build with an MPI (Debian: libopenmpi-dev)",
                 name, name);
    else
        pail_say(error, capacity, "%s: %s", refused->path,
                 refused->reason ? refused->reason : "cannot be opened, and no memory says why");
    return PAIL_ERR_UNSUPPORTED;
}

pail_status pail_transport_load(struct pail_transport_file *file, const char *name,
                                const char *path, char *error, size_t capacity)
{
    *file = (struct pail_transport_file){.handle = NULL};
    char wanted[64];
    pail_say(wanted, sizeof wanted, "libpail-%s" PAIL_LIBRARY_TAIL, name);
    if (strlen(name) > 32 || !pail_search_is_transport(wanted)) {
        pail_say(error, capacity, "there is no transport \"%s\"; \"mpi\" is one", name);
        return PAIL_ERR_ARGUMENT;
    }
    struct pail_candidates list = {.items = NULL};
    pail_status status = pail_search_transport(&list, wanted, path);
    if (status != PAIL_OK)
        pail_say(error, capacity, "out of memory while looking for %s", wanted);
    else
        status = open_first(file, &list, name, error, capacity);
    pail_candidates_fini(&list);
    return status;
}

void pail_transport_unload(struct pail_transport_file *file)
{
    if (file->handle)
        dlclose(file->handle);
    *file = (struct pail_transport_file){.handle = NULL};
}
