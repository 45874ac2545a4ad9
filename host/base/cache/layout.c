/* SPDX-License-Identifier: Apache-2.0 */
#include "layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "place.h"
#include <curves/fnv.h>
#include <curves/little_endian.h>

static const char magic[] = PAIL_CACHE_MAGIC;

enum {
    AT_FORMAT = 8,
    AT_HEADER = 12,
    AT_VENDOR = 16,
    AT_DEVICE = 20,
    AT_DRIVER = 24,
    AT_COUNT = 28,
    AT_UUID = 32,
    AT_TOTAL = 48,
    AT_HEADER_HASH = 56,

    RECORD_OFFSET = 8,
    RECORD_BYTES = 16,
    RECORD_USED = 24,
    RECORD_HASH = 32,
};

_Static_assert(AT_HEADER_HASH + 8 == PAIL_CACHE_FILE_HEADER, "the header is full");
_Static_assert(RECORD_HASH + 8 == PAIL_CACHE_FILE_RECORD, "the record is full");

bool pail_cache_device_equal(const struct pail_cache_device *a, const struct pail_cache_device *b)
{
    return a->vendor == b->vendor && a->device == b->device && a->driver == b->driver &&
           memcmp(a->uuid, b->uuid, sizeof(a->uuid)) == 0;
}

static bool device_is_zero(const struct pail_cache_device *device)
{
    static const struct pail_cache_device none;
    return pail_cache_device_equal(device, &none);
}

void pail_cache_header_encode(uint8_t out[PAIL_CACHE_FILE_HEADER],
                              const struct pail_cache_device *device, uint32_t n_entries,
                              uint64_t total_bytes)
{
    memcpy(out, magic, sizeof(magic) - 1);
    pail_store_u32(out + AT_FORMAT, PAIL_CACHE_FORMAT);
    pail_store_u32(out + AT_HEADER, PAIL_CACHE_FILE_HEADER);
    pail_store_u32(out + AT_VENDOR, device->vendor);
    pail_store_u32(out + AT_DEVICE, device->device);
    pail_store_u32(out + AT_DRIVER, device->driver);
    pail_store_u32(out + AT_COUNT, n_entries);
    memcpy(out + AT_UUID, device->uuid, sizeof(device->uuid));
    pail_store_u64(out + AT_TOTAL, total_bytes);
    pail_store_u64(out + AT_HEADER_HASH, pail_fnv1a64(out, AT_HEADER_HASH));
}

void pail_cache_record_encode(uint8_t out[PAIL_CACHE_FILE_RECORD],
                              const struct pail_cache_record *record)
{
    pail_store_u64(out, record->hash);
    pail_store_u64(out + RECORD_OFFSET, record->offset);
    pail_store_u64(out + RECORD_BYTES, record->bytes);
    pail_store_u64(out + RECORD_USED, record->used);
    pail_store_u64(out + RECORD_HASH, pail_fnv1a64(out, RECORD_HASH));
}

/* Returns what is wrong with it, or NULL. */
static const char *decode_header(struct pail_cache_index *index, uint64_t *total,
                                 const uint8_t bytes[PAIL_CACHE_FILE_HEADER])
{
    if (memcmp(bytes, magic, sizeof(magic) - 1) != 0)
        return "it is no cache file";
    const uint32_t format = pail_read_u32(bytes + AT_FORMAT);
    if (format != PAIL_CACHE_FORMAT)
        return format < PAIL_CACHE_FORMAT ? "its format is older" : "its format is newer";
    if (pail_read_u64(bytes + AT_HEADER_HASH) != pail_fnv1a64(bytes, AT_HEADER_HASH))
        return "the checksum of its header is wrong";
    if (pail_read_u32(bytes + AT_HEADER) != PAIL_CACHE_FILE_HEADER)
        return "the size of its header is wrong";
    index->device.vendor = pail_read_u32(bytes + AT_VENDOR);
    index->device.device = pail_read_u32(bytes + AT_DEVICE);
    index->device.driver = pail_read_u32(bytes + AT_DRIVER);
    memcpy(index->device.uuid, bytes + AT_UUID, sizeof(index->device.uuid));
    index->n_named = pail_read_u32(bytes + AT_COUNT);
    if (index->n_named > PAIL_CACHE_ENTRIES_MAX)
        return "it has too many entries";
    *total = pail_read_u64(bytes + AT_TOTAL);
    if (*total < pail_cache_index_bytes(index->n_named))
        return "it has no room for its index";
    return NULL;
}

/* *end: where the entries before it end; moves on. Entries follow one another in the order of their
 * records, so that none overlaps another. */
static void decode_record(struct pail_cache_record *record, const uint8_t *bytes, uint64_t *end,
                          uint64_t total, uint64_t size)
{
    *record = (struct pail_cache_record){
        .hash = pail_read_u64(bytes),
        .offset = pail_read_u64(bytes + RECORD_OFFSET),
        .bytes = pail_read_u64(bytes + RECORD_BYTES),
        .used = pail_read_u64(bytes + RECORD_USED),
    };
    if (pail_read_u64(bytes + RECORD_HASH) != pail_fnv1a64(bytes, RECORD_HASH))
        record->damage = "the checksum of its record is wrong";
    else if (record->bytes < PAIL_CACHE_ENTRY_HEADER ||
             record->bytes > PAIL_CACHE_ENTRY_HEADER + PAIL_CACHE_PAYLOAD_MAX)
        record->damage = "its size is impossible";
    else if (record->offset < *end)
        record->damage = "it overlaps what is before it";
    else if (record->offset > total || record->bytes > total - record->offset)
        record->damage = "it ends beyond the end of the file";
    else if (record->offset > size || record->bytes > size - record->offset)
        record->damage = "it is cut off";
    else
        *end = record->offset + record->bytes;
}

enum pail_cache_reading pail_cache_read_at(int fd, void *buffer, size_t n, uint64_t offset,
                                           const char **why)
{
    uint8_t *at = buffer;
    while (n > 0) {
        const ssize_t got = pread(fd, at, n, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            *why = got < 0 ? pail_cache_errno(errno) : "it is cut off";
            return got < 0 ? PAIL_CACHE_FAILED : PAIL_CACHE_DAMAGED;
        }
        at += got;
        n -= (size_t)got;
        offset += (uint64_t)got;
    }
    return PAIL_CACHE_READ;
}

enum pail_cache_reading pail_cache_index_read(struct pail_cache_index *index, int fd,
                                              const struct pail_cache_alloc *alloc,
                                              const char **why)
{
    *index = (struct pail_cache_index){.n = 0};
    struct stat st;
    if (fstat(fd, &st) != 0) {
        *why = pail_cache_errno(errno);
        return PAIL_CACHE_FAILED;
    }
    index->size = (uint64_t)st.st_size;
    if (index->size < PAIL_CACHE_FILE_HEADER) {
        *why = index->size == 0 ? "it is empty" : "it is shorter than its header";
        return PAIL_CACHE_DAMAGED;
    }
    uint8_t header[PAIL_CACHE_FILE_HEADER];
    if (pail_cache_read_at(fd, header, sizeof(header), 0, why) != PAIL_CACHE_READ)
        return PAIL_CACHE_FAILED;
    uint64_t total;
    *why = decode_header(index, &total, header);
    if (*why)
        return PAIL_CACHE_DAMAGED;
    if (index->size < total)
        index->damage = "it is cut off";
    else if (index->size > total)
        index->damage = "there is something after its end";

    const uint64_t whole = (index->size - PAIL_CACHE_FILE_HEADER) / PAIL_CACHE_FILE_RECORD;
    index->n = whole < index->n_named ? (size_t)whole : index->n_named;
    index->n_damaged = index->n_named - (uint32_t)index->n;
    uint8_t *bytes = pail_cache_take(alloc, index->n, PAIL_CACHE_FILE_RECORD);
    index->records = pail_cache_take(alloc, index->n, sizeof(*index->records));
    enum pail_cache_reading reading = PAIL_CACHE_FAILED;
    if (!bytes || !index->records) {
        *why = "there is no memory for its index";
        goto out;
    }
    if (pail_cache_read_at(fd, bytes, index->n * PAIL_CACHE_FILE_RECORD, PAIL_CACHE_FILE_HEADER,
                           why) != PAIL_CACHE_READ)
        goto out;
    uint64_t end = pail_cache_index_bytes(index->n_named);
    for (size_t i = 0; i < index->n; i++) {
        struct pail_cache_record *record = &index->records[i];
        decode_record(record, bytes + i * PAIL_CACHE_FILE_RECORD, &end, total, index->size);
        if (record->damage) {
            index->n_damaged++;
            if (!index->damage)
                index->damage = record->damage;
        }
    }
    reading = PAIL_CACHE_READ;
out:
    pail_cache_give(alloc, bytes);
    if (reading != PAIL_CACHE_READ)
        pail_cache_index_free(index, alloc);
    return reading;
}

void pail_cache_index_free(struct pail_cache_index *index, const struct pail_cache_alloc *alloc)
{
    pail_cache_give(alloc, index->records);
    *index = (struct pail_cache_index){.n = 0};
}

static int by_hash(const void *left, const void *right)
{
    const struct pail_cache_record *a = left, *b = right;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

void pail_cache_index_sort(struct pail_cache_index *index)
{
    size_t n = 0;
    for (size_t i = 0; i < index->n; i++)
        if (!index->records[i].damage)
            index->records[n++] = index->records[i];
    if (n > 0)
        qsort(index->records, n, sizeof(*index->records), by_hash);
    index->n = 0;
    for (size_t i = 0; i < n; i++)
        if (index->n > 0 && index->records[index->n - 1].hash == index->records[i].hash)
            index->n_damaged++;
        else
            index->records[index->n++] = index->records[i];
}

struct pail_cache_record *pail_cache_index_find(const struct pail_cache_index *index, uint64_t hash)
{
    size_t low = 0, high = index->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (index->records[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low < index->n && index->records[low].hash == hash ? &index->records[low] : NULL;
}

enum pail_cache_reading pail_cache_entry_read(struct pail_cache_entry *entry, uint8_t *buffer,
                                              int fd, const struct pail_cache_record *record,
                                              const struct pail_cache_device *device,
                                              const char **why)
{
    *entry = (struct pail_cache_entry){.id = 0};
    const enum pail_cache_reading reading =
        pail_cache_read_at(fd, buffer, (size_t)record->bytes, record->offset, why);
    if (reading != PAIL_CACHE_READ)
        return reading;
    *why = pail_cache_entry_decode(entry, buffer, (size_t)record->bytes);
    if (!*why && pail_cache_key_hash(&entry->key) != record->hash)
        *why = "it is not what its record says";
    if (!*why && !device_is_zero(device) && !pail_cache_device_equal(device, &entry->key.device))
        *why = "it is of another device or driver than the file";
    if (!*why)
        return PAIL_CACHE_READ;
    *entry = (struct pail_cache_entry){.id = 0};
    return PAIL_CACHE_DAMAGED;
}
