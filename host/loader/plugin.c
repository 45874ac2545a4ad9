/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin.h"

#include "image.h"
#include "messages.h"
#include <pail/pail.h>

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Takes reason over. */
static bool fail(struct pail_plugin *plugin, pail_status status, char *reason)
{
    plugin->status = status;
    plugin->reason = reason;
    return reason != NULL;
}

/* Checks that a table can be used. Otherwise *reason is the sentence, for free(); NULL: no
 * memory. */
static bool table_fits(const pail_backend *backend, char **reason)
{
    if (!backend) {
        *reason = pail_format(PAIL_BACKEND_SYMBOL " returned PAIL_OK, but no table");
        return false;
    }
    if (backend->struct_size < PAIL_BACKEND_SIZE_1_0) {
        *reason = pail_format("its table has %u bytes; at least %zu are needed",
                              backend->struct_size, PAIL_BACKEND_SIZE_1_0);
        return false;
    }
    if (backend->abi_major != PAIL_ABI_MAJOR) {
        *reason =
            pail_format("its table is of ABI %u.%u; this host speaks %u.%u", backend->abi_major,
                        backend->abi_minor, PAIL_ABI_MAJOR, PAIL_ABI_MINOR);
        return false;
    }
    if (!backend->name || !backend->name[0] || !backend->version) {
        *reason = pail_format("its table lacks a name or a version");
        return false;
    }
    if (!backend->error || !backend->score || !backend->device_count || !backend->device_info ||
        !backend->context_create || !backend->context_destroy) {
        *reason = pail_format("the table of '%s' lacks one of error, score, device_count, "
                              "device_info, context_create, context_destroy",
                              backend->name);
        return false;
    }
    return true;
}

bool pail_plugin_open_builtin(struct pail_plugin *plugin, const pail_host *host,
                              pail_backend_open_fn open)
{
    const pail_backend *backend = NULL;
    const pail_status status = open(host, &backend);
    if (status == PAIL_ERR_ABI) {
        return fail(
            plugin, status,
            pail_format("does not speak ABI %u.%u of this host", host->abi_major, host->abi_minor));
    }
    if (status != PAIL_OK) {
        return fail(plugin, status,
                    pail_format(PAIL_BACKEND_SYMBOL " returned %s (%d)", pail_status_name(status),
                                (int)status));
    }
    char *reason = NULL;
    if (!table_fits(backend, &reason))
        return fail(plugin, PAIL_ERR_ABI, reason);
    plugin->backend = backend;
    if (plugin->only && strcmp(backend->name, plugin->only) != 0) {
        plugin->left_out = true;
        return fail(plugin, PAIL_ERR_UNSUPPORTED,
                    pail_format("was left out: backend '%s' alone was asked for", plugin->only));
    }
    plugin->score = backend->score(host);
    if (plugin->score == 0) {
        const char *why = backend->error(NULL);
        return fail(plugin, PAIL_ERR_UNSUPPORTED,
                    pail_format("cannot serve this machine: %s", why && why[0] ? why : "unknown"));
    }
    plugin->status = PAIL_OK;
    return true;
}

/* The reason of the last dlopen or dlsym without the path, which the entry carries already. */
static char *dl_reason(const char *path)
{
    const char *why = dlerror(); /* not NULL after a failure */
    const size_t n = strlen(path);
    if (strncmp(why, path, n) == 0 && strncmp(why + n, ": ", 2) == 0)
        why += n + 2;
    return pail_format("cannot be loaded: %s", why);
}

/* Checks that the file is the one that was judged, and whole. The dynamic linker opens it again by
 * its path: only trusted users can have changed or replaced it in between. Through /proc/self/fd
 * the linker would open the very file, but under that name: $ORIGIN, dladdr and debuggers would
 * look for the plugin in the wrong place. */
static bool is_whole(const char *path, dev_t device, ino_t inode, char *reason, size_t capacity)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0) {
        pail_say(reason, capacity, "%s", strerror(errno));
        return false;
    }
    struct stat info;
    bool good = false;
    if (fstat(file, &info) != 0 || info.st_dev != device || info.st_ino != inode) {
        pail_say(reason, capacity,
                 "another file was put in its place while plugins were looked for");
    } else {
        good = pail_image_check(file, reason, capacity);
    }
    close(file);
    return good;
}

/* *status: of the failure. */
static void *open_file(const char *path, dev_t device, ino_t inode, const char *name, void **symbol,
                       pail_status *status, char **reason)
{
    char why[256];
    *status = PAIL_ERR_IO;
    if (!is_whole(path, device, inode, why, sizeof why)) {
        *reason = pail_format("cannot be loaded: %s", why);
        return NULL;
    }
    void *const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        *reason = dl_reason(path);
        return NULL;
    }
    *symbol = dlsym(handle, name);
    if (*symbol)
        return handle;
    *status = PAIL_ERR_ABI;
    *reason = pail_format("is no Pail plugin: it does not export %s", name);
    dlclose(handle);
    return NULL;
}

void *pail_plugin_open_file(const char *path, dev_t device, ino_t inode, const char *name,
                            void **symbol, char **reason)
{
    pail_status status;
    return open_file(path, device, inode, name, symbol, &status, reason);
}

bool pail_plugin_open(struct pail_plugin *plugin, const pail_host *host)
{
    char *reason = NULL;
    void *symbol;
    pail_status status;
    plugin->handle = open_file(plugin->path, plugin->device, plugin->inode, PAIL_BACKEND_SYMBOL,
                               &symbol, &status, &reason);
    if (!plugin->handle)
        return fail(plugin, status, reason);
    pail_backend_open_fn open;
    static_assert(sizeof open == sizeof symbol, "POSIX: a function fits into void *");
    memcpy(&open, &symbol, sizeof open);
    const bool has_reason = pail_plugin_open_builtin(plugin, host, open);
    if (!plugin->backend) {
        dlclose(plugin->handle);
        plugin->handle = NULL;
    }
    return has_reason;
}

void pail_plugin_close(struct pail_plugin *plugin)
{
    if (plugin->handle)
        dlclose(plugin->handle);
    free(plugin->path);
    free(plugin->reason);
    *plugin = (struct pail_plugin){.path = NULL};
}
