/* SPDX-License-Identifier: Apache-2.0 */
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lock.h"
#include "memory.h"
#include "place.h"
#include "update.h"

static const struct pail_cache_alloc plain = {.user = NULL};

/* "a/b" is the folder "a" and the name "b". False when it does not fit. */
static bool split(const char *path, char folder[PATH_MAX], const char **name)
{
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    const size_t length = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    if (length >= PATH_MAX)
        return false;
    memcpy(folder, slash ? path : ".", slash ? length : 1);
    folder[slash ? length : 1] = '\0';
    return true;
}

/* Opens a file by its path; -1 with a sentence. The folder is looked at as well. */
static int open_path(const char *path, enum pail_cache_trust trust, const char **why)
{
    char folder[PATH_MAX];
    const char *name;
    *why = pail_cache_errno(ENAMETOOLONG);
    if (!split(path, folder, &name))
        return -1;
    int file = -1;
    const int at = pail_cache_open_folder(folder, trust, why);
    if (at >= 0) {
        file = pail_cache_open_file(at, name, trust, why);
        (void)close(at);
    }
    if (file < 0 && !*why)
        *why = pail_cache_errno(ENOENT);
    return file;
}

/* The entries of an open file, in its order. */
static const char *read_entries(int fd, struct pail_cache_file_info *info,
                                bool (*each)(void *user, const struct pail_cache_file_entry *entry),
                                void *user)
{
    struct pail_cache_index index;
    const char *why = NULL;
    if (pail_cache_index_read(&index, fd, &plain, &why) != PAIL_CACHE_READ)
        return why;
    *info = (struct pail_cache_file_info){
        .device = index.device,
        .bytes = index.size,
        .n_entries = index.n_named,
        .n_damaged = index.n_damaged,
    };
    uint64_t largest = 0;
    for (size_t i = 0; i < index.n; i++)
        if (!index.records[i].damage && index.records[i].bytes > largest)
            largest = index.records[i].bytes;
    /* Same index, as a lookup would use it. */
    struct pail_cache_index found = index;
    uint8_t *buffer = pail_cache_take(&plain, (size_t)largest, 1);
    found.records = pail_cache_take(&plain, index.n, sizeof(*found.records));
    if (!buffer || !found.records) {
        why = "there is no memory for its entries";
        *info = (struct pail_cache_file_info){.bytes = 0};
        goto out;
    }
    if (index.n > 0)
        memcpy(found.records, index.records, index.n * sizeof(*found.records));
    pail_cache_index_sort(&found);
    bool more = true;
    for (size_t i = 0; i < index.n; i++) {
        const struct pail_cache_record *record = &index.records[i];
        struct pail_cache_file_entry entry = {.used = record->used, .damage = record->damage};
        if (!entry.damage) {
            if (pail_cache_index_find(&found, record->hash)->offset != record->offset)
                entry.damage = "another before it has its key";
            else
                (void)pail_cache_entry_read(&entry.entry, buffer, fd, record, &index.device,
                                            &entry.damage);
            info->n_damaged += entry.damage != NULL;
        }
        if (more && each)
            more = each(user, &entry);
    }
out:
    pail_cache_give(&plain, found.records);
    pail_cache_give(&plain, buffer);
    pail_cache_index_free(&index, &plain);
    return why;
}

static const char *read_file(const char *path, enum pail_cache_trust trust,
                             struct pail_cache_file_info *info,
                             bool (*each)(void *user, const struct pail_cache_file_entry *entry),
                             void *user)
{
    *info = (struct pail_cache_file_info){.bytes = 0};
    const char *why;
    const int fd = open_path(path, trust, &why);
    if (fd < 0)
        return why;
    why = read_entries(fd, info, each, user);
    (void)close(fd);
    return why;
}

const char *pail_cache_file_read(const char *path, struct pail_cache_file_info *info,
                                 bool (*each)(void *user,
                                              const struct pail_cache_file_entry *entry),
                                 void *user)
{
    return read_file(path, PAIL_CACHE_READABLE, info, each, user);
}

const char *pail_cache_file_examine(const char *path, struct pail_cache_file_info *info,
                                    bool (*each)(void *user,
                                                 const struct pail_cache_file_entry *entry),
                                    void *user)
{
    return read_file(path, PAIL_CACHE_NAMED, info, each, user);
}

const char *pail_cache_file_prune(const char *path, const struct pail_cache_prune *what,
                                  uint64_t *entries_gone, uint64_t *bytes_gone)
{
    *entries_gone = 0;
    *bytes_gone = 0;
    char folder[PATH_MAX];
    const char *name;
    if (!split(path, folder, &name))
        return pail_cache_errno(ENAMETOOLONG);
    struct stat before, after;
    if (stat(path, &before) != 0)
        return pail_cache_errno(errno);
    struct pail_cache_update update = {
        .alloc = &plain,
        .max_bytes = what->max_bytes,
        .used_before = what->used_before,
        .until = pail_cache_lock_until(0),
        .all = what->all,
        .any_device = true,
        .only_removes = true,
        .keeps_damage = !what->damaged && !what->all,
    };
    const char *why = pail_cache_update(folder, name, &update);
    if (why)
        return why;
    *entries_gone = update.entries_gone;
    if (stat(path, &after) != 0)
        after.st_size = 0;
    *bytes_gone = after.st_size < before.st_size ? (uint64_t)(before.st_size - after.st_size) : 0;
    return NULL;
}

/* ---- From one file to others -----------------------------------------------------------------*/

/* Entries that are whole, gathered from files that stay open. */
struct gathered {
    struct item {
        struct pail_cache_device device;
        struct pail_cache_change change;
    } * items;
    size_t n, capacity;
    uint64_t n_damaged;
    struct pail_cache_change *changes; /* one for each item, once they are sorted */
};

static bool is_private(const struct pail_cache_key *key)
{
    return strncmp(key->name, PAIL_CACHE_PRIVATE, sizeof(PAIL_CACHE_PRIVATE) - 1) == 0;
}

/* PAIL_CACHE_FAILED: there may be more that is whole. */
static enum pail_cache_reading gather(struct gathered *all, int fd, const char **why)
{
    struct pail_cache_index index;
    enum pail_cache_reading result = pail_cache_index_read(&index, fd, &plain, why);
    if (result != PAIL_CACHE_READ)
        return result;
    pail_cache_index_sort(&index);
    all->n_damaged += index.n_damaged;
    for (size_t i = 0; i < index.n && result == PAIL_CACHE_READ; i++) {
        const struct pail_cache_record *record = &index.records[i];
        struct pail_cache_entry entry;
        void *items = all->items;
        uint8_t *buffer = pail_cache_take(&plain, (size_t)record->bytes, 1);
        if (!buffer ||
            !pail_cache_grow(&plain, &items, &all->capacity, all->n, sizeof(*all->items))) {
            *why = "there is no memory for its entries";
            result = PAIL_CACHE_FAILED;
        } else {
            result = pail_cache_entry_read(&entry, buffer, fd, record, &index.device, why);
        }
        all->items = items;
        if (result == PAIL_CACHE_DAMAGED) {
            result = PAIL_CACHE_READ;
            all->n_damaged++;
        } else if (result == PAIL_CACHE_READ && !is_private(&entry.key)) {
            all->items[all->n++] = (struct item){
                .device = entry.key.device,
                .change = {.hash = record->hash,
                           .used = record->used,
                           .from = fd,
                           .offset = record->offset,
                           .bytes = record->bytes},
            };
        }
        pail_cache_give(&plain, buffer);
    }
    pail_cache_index_free(&index, &plain);
    return result;
}

/* Orders by device, hash, and the latest use first. */
static int by_device(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    const struct pail_cache_device *x = &a->device, *y = &b->device;
    if (x->vendor != y->vendor)
        return x->vendor < y->vendor ? -1 : 1;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->driver != y->driver)
        return x->driver < y->driver ? -1 : 1;
    const int uuid = memcmp(x->uuid, y->uuid, sizeof(x->uuid));
    if (uuid != 0)
        return uuid;
    if (a->change.hash != b->change.hash)
        return a->change.hash < b->change.hash ? -1 : 1;
    return a->change.used > b->change.used ? -1 : a->change.used < b->change.used;
}

/* Sorts, and leaves of one key in several files the entry that was of use last. */
static const char *sort(struct gathered *all)
{
    size_t n = 0;
    if (all->n > 0)
        qsort(all->items, all->n, sizeof(*all->items), by_device);
    for (size_t i = 0; i < all->n; i++)
        if (n == 0 || all->items[n - 1].change.hash != all->items[i].change.hash)
            all->items[n++] = all->items[i];
    all->n = n;
    all->changes = pail_cache_take(&plain, n, sizeof(*all->changes));
    if (!all->changes)
        return "there is no memory for its entries";
    for (size_t i = 0; i < n; i++)
        all->changes[i] = all->items[i].change;
    return NULL;
}

static void gathered_free(struct gathered *all)
{
    pail_cache_give(&plain, all->items);
    pail_cache_give(&plain, all->changes);
}

static bool is_cache_name(const char *name)
{
    static const char suffix[] = ".pailcache";
    const size_t n = strlen(name), length = sizeof(suffix) - 1;
    return n > length && strcmp(name + n - length, suffix) == 0;
}

/* Errors of an open that say nothing of the file. */
static bool system_failed(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM || error == EIO || error == EINTR;
}

/* Opens every cache file of a folder and gathers from it. Files that are of no use are skipped; one
 * that cannot be read is an error, for what it holds may be whole. */
static const char *gather_folder(struct gathered *all, const char *dir, int **files,
                                 size_t *n_files)
{
    const char *why;
    const int folder = pail_cache_open_folder(dir, PAIL_CACHE_READABLE, &why);
    if (folder < 0)
        return why ? why : pail_cache_errno(ENOENT);
    const int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *const entries = copy < 0 ? NULL : fdopendir(copy);
    if (!entries) {
        why = pail_cache_errno(errno);
        if (copy >= 0)
            (void)close(copy);
        (void)close(folder);
        return why;
    }
    size_t capacity = 0;
    while (!why) {
        errno = 0;
        const struct dirent *entry = readdir(entries);
        if (!entry) {
            why = errno != 0 ? pail_cache_errno(errno) : NULL;
            break;
        }
        if (!is_cache_name(entry->d_name))
            continue;
        const char *unusable = NULL;
        errno = 0;
        const int fd = pail_cache_open_file(folder, entry->d_name, PAIL_CACHE_READABLE, &unusable);
        if (fd < 0) {
            if (system_failed(errno))
                why = unusable;
            continue;
        }
        void *array = *files;
        const bool grown = pail_cache_grow(&plain, &array, &capacity, *n_files, sizeof(**files));
        *files = array;
        if (!grown) {
            (void)close(fd);
            why = "there is no memory for its files";
            break;
        }
        (*files)[(*n_files)++] = fd;
        if (gather(all, fd, &unusable) == PAIL_CACHE_FAILED)
            why = unusable;
    }
    (void)closedir(entries);
    (void)close(folder);
    return why;
}

const char *pail_cache_export(const char *path, const char *dir, uint64_t *n_entries)
{
    *n_entries = 0;
    struct gathered all = {.n = 0};
    int *files = NULL;
    size_t n_files = 0;
    char folder[PATH_MAX];
    const char *name, *why = gather_folder(&all, dir, &files, &n_files);
    if (!why && all.n == 0)
        why = "the folder has no entries";
    if (!why)
        why = sort(&all);
    if (!why && !split(path, folder, &name))
        why = pail_cache_errno(ENAMETOOLONG);
    if (!why) {
        struct pail_cache_update update = {
            .device = all.items[0].device,
            .alloc = &plain,
            .changes = all.changes,
            .n_changes = all.n,
        };
        if (!pail_cache_device_equal(&all.items[all.n - 1].device, &update.device))
            update.device = (struct pail_cache_device){.vendor = 0};
        why = pail_cache_write_new(folder, name, &update);
        if (!why)
            *n_entries = all.n;
    }
    for (size_t i = 0; i < n_files; i++)
        (void)close(files[i]);
    pail_cache_give(&plain, files);
    gathered_free(&all);
    return why;
}

const char *pail_cache_import(const char *path, const char *dir, uint64_t *n_entries,
                              uint64_t *n_damaged)
{
    *n_entries = 0;
    *n_damaged = 0;
    const char *why;
    const int fd = open_path(path, PAIL_CACHE_NAMED, &why);
    if (fd < 0)
        return why;
    struct gathered all = {.n = 0};
    if (gather(&all, fd, &why) == PAIL_CACHE_READ)
        why = NULL;
    *n_damaged = all.n_damaged;
    if (!why)
        why = sort(&all);
    if (!why)
        why = pail_cache_make_folder(dir);
    const uint64_t until = pail_cache_lock_until(0);
    for (size_t first = 0, end; first < all.n && !why; first = end) {
        for (end = first + 1; end < all.n; end++)
            if (!pail_cache_device_equal(&all.items[end].device, &all.items[first].device))
                break;
        struct pail_cache_update update = {
            .device = all.items[first].device,
            .alloc = &plain,
            .changes = all.changes + first,
            .n_changes = end - first,
            .until = until,
        };
        char name[PAIL_CACHE_FILE_NAME_MAX];
        pail_cache_file_name(name, &update.device);
        why = pail_cache_update(dir, name, &update);
        if (!why)
            *n_entries += end - first;
    }
    (void)close(fd);
    gathered_free(&all);
    return why;
}
