/* SPDX-License-Identifier: Apache-2.0 */
#include "update.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <platform/file.h>

#include "lock.h"
#include "memory.h"
#include "place.h"
#include <curves/little_endian.h>

/* An entry of the file to be written. */
struct candidate {
    uint64_t hash, used;
    const uint8_t *entry; /* address in memory, or NULL */
    int from;             /* file that has it otherwise */
    bool old;             /* it was in the file before */
    uint64_t offset, bytes;
};

struct work {
    struct pail_cache_update *update;
    int folder, old; /* old: the file as it is, or -1 */
    struct pail_cache_index index;
    size_t n;
    struct candidate *candidates;
};

uint64_t pail_cache_entry_check(const uint8_t *entry)
{
    return pail_read_u64(entry + PAIL_CACHE_ENTRY_HEADER - 8);
}

uint64_t pail_cache_now(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_REALTIME, &now) == 0 && now.tv_sec > 0 ? (uint64_t)now.tv_sec : 0;
}

/* Removes files that killed writers left: the holder of the lock is alone, so they are nobody's. */
static void remove_leftovers(int folder, const char *name)
{
    const int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *const entries = copy < 0 ? NULL : fdopendir(copy);
    if (!entries) {
        if (copy >= 0)
            (void)close(copy);
        return;
    }
    const size_t length = strlen(name);
    for (const struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        const size_t n = strlen(entry->d_name);
        if (n > length + 5 && strncmp(entry->d_name, name, length) == 0 &&
            entry->d_name[length] == '.' && strcmp(entry->d_name + n - 4, ".tmp") == 0)
            (void)unlinkat(folder, entry->d_name, 0);
    }
    (void)closedir(entries);
}

/* Reads the present contents of the file. A file that is damaged as a whole counts as empty and
 * will be replaced. */
static const char *read_old(struct work *work, const char *name)
{
    struct pail_cache_update *update = work->update;
    const char *why = NULL;
    work->old = pail_cache_open_file(work->folder, name, PAIL_CACHE_OURS, &why);
    if (work->old < 0)
        return why;
    switch (pail_cache_index_read(&work->index, work->old, update->alloc, &why)) {
    case PAIL_CACHE_FAILED:
        return why;
    case PAIL_CACHE_DAMAGED:
        if (update->keeps_damage)
            return why;
        update->replaced_damage = true;
        return NULL;
    case PAIL_CACHE_READ:
        break;
    }
    if (update->any_device) {
        update->device = work->index.device;
    } else if (!pail_cache_device_equal(&work->index.device, &update->device)) {
        pail_cache_index_free(&work->index, update->alloc);
        update->replaced_damage = true;
        return NULL;
    }
    pail_cache_index_sort(&work->index);
    update->n_damaged += work->index.n_damaged;
    update->entries_gone += work->index.n_damaged;
    return NULL;
}

static bool is_dropped(const struct work *work, const struct pail_cache_record *record)
{
    const struct pail_cache_update *update = work->update;
    for (size_t i = 0; i < update->n_dropped; i++) {
        uint8_t check[8];
        const char *why;
        if (update->dropped[i].hash == record->hash &&
            pail_cache_read_at(work->old, check, sizeof(check),
                               record->offset + PAIL_CACHE_ENTRY_HEADER - sizeof(check),
                               &why) == PAIL_CACHE_READ &&
            pail_read_u64(check) == update->dropped[i].check)
            return true;
    }
    return false;
}

static int newest_first(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->used != b->used)
        return a->used > b->used ? -1 : 1;
    return a->hash < b->hash ? -1 : a->hash > b->hash;
}

static void count_gone(struct pail_cache_update *update, const struct candidate *candidate)
{
    if (candidate->old) {
        update->entries_gone++;
        update->bytes_gone += candidate->bytes;
    }
}

/* Old and new in one list, the newest first, cut where it would be too large. */
static const char *merge(struct work *work)
{
    struct pail_cache_update *update = work->update;
    const struct pail_cache_index *index = &work->index;
    if (update->n_changes > PAIL_CACHE_ENTRIES_MAX)
        return "there are too many entries for a file";
    work->candidates =
        pail_cache_take(update->alloc, index->n + update->n_changes, sizeof(*work->candidates));
    if (!work->candidates)
        return "there is no memory for its index";
    /* The first index->n stay in the order of the index until all changes have found theirs. */
    for (size_t i = 0; i < index->n; i++) {
        const struct pail_cache_record *record = &index->records[i];
        work->candidates[work->n++] = (struct candidate){
            .hash = record->hash,
            .used = record->used,
            .from = work->old,
            .old = true,
            .offset = record->offset,
            .bytes = record->bytes,
        };
    }
    bool *gone = pail_cache_take(update->alloc, work->n + update->n_changes, sizeof(*gone));
    if (!gone)
        return "there is no memory for its index";
    for (size_t i = 0; i < index->n; i++)
        gone[i] = update->all || is_dropped(work, &index->records[i]);
    for (size_t i = 0; i < update->n_changes; i++) {
        const struct pail_cache_change *change = &update->changes[i];
        const bool adds = change->entry || change->from >= 0;
        const struct pail_cache_record *record = pail_cache_index_find(index, change->hash);
        size_t at = record ? (size_t)(record - index->records) : work->n;
        if (!record && !adds)
            continue;
        uint64_t used = change->used;
        if (record && work->candidates[at].used > used)
            used = work->candidates[at].used;
        if (adds) {
            if (!record)
                work->n++;
            work->candidates[at] = (struct candidate){
                .hash = change->hash,
                .entry = change->entry,
                .from = change->from,
                .old = false,
                .offset = change->offset,
                .bytes = change->bytes,
            };
            gone[at] = false;
        }
        work->candidates[at].used = used;
    }
    const uint64_t now = pail_cache_now();
    size_t n = 0;
    for (size_t i = 0; i < work->n; i++) {
        struct candidate *candidate = &work->candidates[i];
        /* A clock that was wrong once must not keep an entry for ever. */
        if (candidate->used > now)
            candidate->used = now;
        if (gone[i] || candidate->used < update->used_before)
            count_gone(update, candidate);
        else
            work->candidates[n++] = *candidate;
    }
    pail_cache_give(update->alloc, gone);
    work->n = n;
    if (n > 0)
        qsort(work->candidates, n, sizeof(*work->candidates), newest_first);
    return NULL;
}

static void evict(struct work *work)
{
    struct pail_cache_update *update = work->update;
    const uint64_t empty = pail_cache_index_bytes(0);
    uint64_t total = empty, limit = update->max_bytes > 0 ? update->max_bytes : UINT64_MAX;
    if (limit < empty)
        limit = empty;
    bool full = false;
    size_t n = 0;
    for (size_t i = 0; i < work->n; i++) {
        const struct candidate *candidate = &work->candidates[i];
        const uint64_t bytes = PAIL_CACHE_FILE_RECORD + candidate->bytes;
        /* An entry that would not fit alone drives out no other. */
        const bool fits_alone = bytes <= limit - empty;
        full = full || n == PAIL_CACHE_ENTRIES_MAX || (fits_alone && bytes > limit - total);
        if (full || !fits_alone) {
            count_gone(update, candidate);
            continue;
        }
        total += bytes;
        work->candidates[n++] = *candidate;
    }
    work->n = n;
}

static const char *write_at(int fd, const uint8_t *bytes, size_t n, uint64_t offset)
{
    while (n > 0) {
        const ssize_t put = pwrite(fd, bytes, n, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return pail_cache_errno(put < 0 ? errno : ENOSPC);
        bytes += put;
        n -= (size_t)put;
        offset += (uint64_t)put;
    }
    return NULL;
}

/* Entries first, for an old one that turns out to be damaged is left out of the index. */
static const char *write_new(struct work *work, int fd)
{
    struct pail_cache_update *update = work->update;
    uint64_t largest = 0, end = pail_cache_index_bytes(work->n);
    for (size_t i = 0; i < work->n; i++)
        if (!work->candidates[i].entry && work->candidates[i].bytes > largest)
            largest = work->candidates[i].bytes;
    const size_t index_bytes = (size_t)pail_cache_index_bytes(work->n);
    uint8_t *buffer = pail_cache_take(update->alloc, (size_t)largest, 1);
    uint8_t *head = pail_cache_take(update->alloc, index_bytes, 1);
    const char *why = buffer && head ? NULL : "there is no memory to write it";
    size_t n = 0;
    for (size_t i = 0; i < work->n && !why; i++) {
        struct candidate *candidate = &work->candidates[i];
        struct pail_cache_record record = {
            .hash = candidate->hash,
            .offset = candidate->offset,
            .bytes = candidate->bytes,
            .used = candidate->used,
        };
        const uint8_t *entry = candidate->entry;
        if (!entry) {
            struct pail_cache_entry decoded;
            const enum pail_cache_reading reading = pail_cache_entry_read(
                &decoded, buffer, candidate->from, &record, &update->device, &why);
            if (reading == PAIL_CACHE_FAILED)
                break; /* the file as it was has it still */
            if (reading == PAIL_CACHE_DAMAGED) {
                why = NULL;
                update->n_damaged++;
                count_gone(update, candidate);
                continue;
            }
            entry = buffer;
        }
        why = write_at(fd, entry, (size_t)record.bytes, end);
        record.offset = end;
        end += record.bytes;
        pail_cache_record_encode(head + pail_cache_index_bytes(n++), &record);
    }
    work->n = n;
    if (!why) {
        /* Should some have been left out, nothing is between the index and the entries. */
        memset(head + pail_cache_index_bytes(n), 0, index_bytes - pail_cache_index_bytes(n));
        pail_cache_header_encode(head, &update->device, (uint32_t)n, end);
        why = write_at(fd, head, index_bytes, 0);
    }
    pail_cache_give(update->alloc, head);
    pail_cache_give(update->alloc, buffer);
    return why;
}

/* The holder of the lock has looked at the old file: one that is damaged as a whole is replaced. */
static const struct pail_replace_rule in_our_folder = {.mode = 0600};
static const struct pail_magic magic = {.bytes = PAIL_CACHE_MAGIC,
                                        .n = sizeof(PAIL_CACHE_MAGIC) - 1};
static const struct pail_replace_rule anywhere = {.ours = &magic, .n_ours = 1, .mode = 0644};

/* Writes aside and renames, or removes. */
static const char *replace(struct work *work, const char *name,
                           const struct pail_replace_rule *rule)
{
    struct pail_replace made;
    const char *why = pail_replace_begin_at(&made, work->folder, name, rule);
    if (why)
        return why;
    why = write_new(work, made.fd);
    const struct pail_cache_update *update = work->update;
    const bool nothing_went =
        update->only_removes && update->entries_gone == 0 && !update->replaced_damage;
    if (!why && !nothing_went && work->n > 0)
        why = pail_replace_publish(&made);
    pail_replace_end(&made);
    if (!why && work->n == 0) {
        if (unlinkat(work->folder, name, 0) != 0 && errno != ENOENT)
            why = pail_cache_errno(errno);
        else
            (void)fsync(work->folder);
    }
    return why;
}

const char *pail_cache_update(const char *folder, const char *name,
                              struct pail_cache_update *update)
{
    struct work work = {.update = update, .folder = -1, .old = -1};
    int lock = -1;
    const char *why = NULL;
    work.folder = pail_cache_open_folder(folder, PAIL_CACHE_OURS, &why);
    if (work.folder < 0)
        return why ? why : pail_cache_errno(ENOENT);
    lock = pail_cache_lock(work.folder, name, update->until, &why);
    if (lock < 0)
        goto out;
    remove_leftovers(work.folder, name);
    why = read_old(&work, name);
    if (why)
        goto out;
    why = merge(&work);
    if (why)
        goto out;
    evict(&work);
    if (work.old >= 0 || work.n > 0)
        why = replace(&work, name, &in_our_folder);
out:
    if (lock >= 0)
        pail_cache_unlock(lock);
    pail_cache_give(update->alloc, work.candidates);
    pail_cache_index_free(&work.index, update->alloc);
    if (work.old >= 0)
        (void)close(work.old);
    (void)close(work.folder);
    return why;
}

const char *pail_cache_write_new(const char *folder, const char *name,
                                 struct pail_cache_update *update)
{
    struct work work = {.update = update, .folder = -1, .old = -1};
    const char *why;
    work.folder = pail_cache_open_folder(folder, PAIL_CACHE_NAMED, &why);
    if (work.folder < 0)
        return why ? why : pail_cache_errno(ENOENT);
    why = merge(&work);
    if (!why) {
        evict(&work);
        why = replace(&work, name, &anywhere);
    }
    pail_cache_give(update->alloc, work.candidates);
    (void)close(work.folder);
    return why;
}
