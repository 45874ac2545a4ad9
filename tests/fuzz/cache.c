/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target.h"
#include <curves/fnv.h>
#include <curves/little_endian.h>

#include <cache/files.h>
#include <cache/layout.h>

/* Parts that the first byte asks to seal: otherwise checksums would hide what is behind them. */
enum { SEAL_HEADER = 1, SEAL_RECORDS = 2, SEAL_ENTRIES = 4 };

static char dir[64], path[72 + PAIL_CACHE_FILE_NAME_MAX];

/* The folder of this process; in memory where there is such a place. */
static void make_folder(void)
{
    if (dir[0])
        return;
    (void)snprintf(dir, sizeof(dir), "%s/pail-fuzz-XXXXXX",
                   access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(dir))
        abort();
}

static void remove_folder(void)
{
    (void)rmdir(dir);
}

static void seal(uint8_t *file, size_t size, unsigned what)
{
    if ((what & SEAL_HEADER) && size >= PAIL_CACHE_FILE_HEADER)
        pail_store_u64(file + 56, pail_fnv1a64(file, 56));
    for (size_t at = PAIL_CACHE_FILE_HEADER; at + PAIL_CACHE_FILE_RECORD <= size;
         at += PAIL_CACHE_FILE_RECORD) {
        uint8_t *record = file + at;
        const uint64_t offset = pail_read_u64(record + 8), bytes = pail_read_u64(record + 16);
        if ((at - PAIL_CACHE_FILE_HEADER) / PAIL_CACHE_FILE_RECORD >=
            (size >= 32 ? pail_read_u32(file + 28) : 0))
            break;
        if (what & SEAL_RECORDS)
            pail_store_u64(record + 32, pail_fnv1a64(record, 32));
        /* Only what is after all records, which would be changed otherwise. */
        if ((what & SEAL_ENTRIES) && offset >= at && offset <= size && bytes <= size - offset &&
            bytes >= PAIL_CACHE_ENTRY_HEADER) {
            uint8_t *entry = file + offset;
            pail_store_u64(entry + 184, pail_fnv1a64(entry + PAIL_CACHE_ENTRY_HEADER,
                                                     (size_t)bytes - PAIL_CACHE_ENTRY_HEADER));
            pail_store_u64(entry + 192, pail_fnv1a64(entry, 192));
        }
    }
}

struct seen {
    uint32_t n, n_damaged;
    struct pail_cache *cache;
};

/* A whole entry is what it says, and a cache gives that or nothing, never anything else. */
static bool look(void *user, const struct pail_cache_file_entry *entry)
{
    struct seen *seen = user;
    seen->n++;
    seen->n_damaged += entry->damage != NULL;
    if (entry->damage) {
        if (entry->damage[0] == '\0' || entry->entry.payload || entry->entry.payload_bytes > 0)
            abort();
        return true;
    }
    if (entry->entry.key.n_specs > PAIL_CACHE_SPECS_MAX ||
        strnlen(entry->entry.key.name, PAIL_CACHE_NAME_MAX) == PAIL_CACHE_NAME_MAX)
        abort();
    size_t n;
    uint8_t *payload = pail_cache_get(seen->cache, &entry->entry.key, &n);
    if (payload &&
        (n != entry->entry.payload_bytes || memcmp(payload, entry->entry.payload, n) != 0))
        abort();
    pail_cache_release(seen->cache, payload);
    return true;
}

static void read_entry(const uint8_t *data, size_t size)
{
    struct pail_cache_entry entry;
    const char *why = pail_cache_entry_decode(&entry, data, size);
    if (why ? why[0] == '\0' || entry.payload != NULL
            : entry.payload != data + PAIL_CACHE_ENTRY_HEADER ||
                  entry.payload_bytes != size - PAIL_CACHE_ENTRY_HEADER)
        abort();
}

/* The first byte says which checksums are made right; the rest is a file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const unsigned what = data[0];
    const size_t n = size - 1;
    read_entry(data + 1, n);
    uint8_t *file = malloc(n + 1);
    if (!file)
        abort();
    memcpy(file, data + 1, n);
    seal(file, n, what);

    /* Under the name that a cache of its device looks for. */
    struct pail_cache_params params = {.dir = dir, .layers = ""};
    if (n >= PAIL_CACHE_FILE_HEADER) {
        params.device.vendor = pail_read_u32(file + 16);
        params.device.device = pail_read_u32(file + 20);
        params.device.driver = pail_read_u32(file + 24);
        memcpy(params.device.uuid, file + 32, sizeof(params.device.uuid));
    }
    make_folder();
    static bool registered;
    if (!registered && atexit(remove_folder) == 0)
        registered = true;
    char name[PAIL_CACHE_FILE_NAME_MAX];
    pail_cache_file_name(name, &params.device);
    (void)snprintf(path, sizeof(path), "%s/%s", dir, name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || (n > 0 && write(fd, file, n) != (ssize_t)n) || close(fd) != 0)
        abort();
    free(file);

    struct seen seen = {.cache = pail_cache_open(&params)};
    struct pail_cache_file_info info;
    const char *why = pail_cache_file_read(path, &info, look, &seen);
    static const struct pail_cache_file_info zero;
    if (!seen.cache || (why && (why[0] == '\0' || memcmp(&info, &zero, sizeof(info)) != 0)))
        abort();
    if (!why && (info.bytes != n || seen.n > info.n_entries || seen.n_damaged > info.n_damaged ||
                 info.n_damaged > info.n_entries ||
                 info.n_entries - info.n_damaged > n / PAIL_CACHE_ENTRY_HEADER))
        abort();
    /* Found entries of old times make the cache write when it is closed. */
    if (unlink(path) != 0)
        abort();
    pail_cache_close(seen.cache);
    (void)unlink(path);
    (void)snprintf(path, sizeof(path), "%s/%s.lock", dir, name);
    (void)unlink(path);
    return 0;
}
