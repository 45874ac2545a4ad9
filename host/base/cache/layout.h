/* SPDX-License-Identifier: Apache-2.0 */
/* A cache file as bytes: a header, an index of records, the entries. docs/cache-format.md */
#ifndef PAIL_CACHE_LAYOUT_H
#define PAIL_CACHE_LAYOUT_H

#include "cache.h"

#define PAIL_CACHE_MAGIC       "PAILCACH" /* the first 8 bytes of a file */
#define PAIL_CACHE_FILE_HEADER 64u
#define PAIL_CACHE_FILE_RECORD 40u
#define PAIL_CACHE_ENTRIES_MAX (UINT32_C(1) << 20) /* limit of a file */

/* Place of an entry. Offset and size are inside the file that it was read from. */
struct pail_cache_record {
    uint64_t hash; /* pail_cache_key_hash */
    uint64_t offset, bytes;
    uint64_t used;      /* seconds since 1970 */
    uint64_t touched;   /* a later time that is not in the file yet, or 0 */
    const char *damage; /* NULL: the record is whole; nothing is known of its entry yet */
};

struct pail_cache_index {
    struct pail_cache_device device;   /* all zero: of several */
    uint64_t size;                     /* size of the file as it is */
    uint32_t n_named;                  /* records that the header tells of */
    uint32_t n_damaged;                /* records among those that are cut off or not to be used */
    const char *damage;                /* the first fault of a part of the file, or NULL */
    size_t n;                          /* records that are there, damaged ones among them */
    struct pail_cache_record *records; /* in the order of the file */
};

enum pail_cache_reading {
    PAIL_CACHE_READ,
    PAIL_CACHE_DAMAGED, /* the contents are of no use */
    PAIL_CACHE_FAILED,  /* the contents are unknown: no memory, or the disk failed */
};

/* Reads header and index of an open file. Anything but PAIL_CACHE_READ comes with a sentence in
 * *why and nothing to be freed. */
enum pail_cache_reading pail_cache_index_read(struct pail_cache_index *index, int fd,
                                              const struct pail_cache_alloc *alloc,
                                              const char **why);
void pail_cache_index_free(struct pail_cache_index *index, const struct pail_cache_alloc *alloc);

/* Sorts by ascending hash, damaged records left out; of two records of one hash the first stays. */
void pail_cache_index_sort(struct pail_cache_index *index);

/* Finds a record in a sorted index; NULL where there is none. */
struct pail_cache_record *pail_cache_index_find(const struct pail_cache_index *index,
                                                uint64_t hash);

/* Bytes of a file without its entries. */
static inline uint64_t pail_cache_index_bytes(size_t n_entries)
{
    return PAIL_CACHE_FILE_HEADER + (uint64_t)n_entries * PAIL_CACHE_FILE_RECORD;
}

void pail_cache_header_encode(uint8_t out[PAIL_CACHE_FILE_HEADER],
                              const struct pail_cache_device *device, uint32_t n_entries,
                              uint64_t total_bytes);
void pail_cache_record_encode(uint8_t out[PAIL_CACHE_FILE_RECORD],
                              const struct pail_cache_record *record);

/* Fills buffer[n] from a place in a file. PAIL_CACHE_DAMAGED: it is not all there. */
enum pail_cache_reading pail_cache_read_at(int fd, void *buffer, size_t n, uint64_t offset,
                                           const char **why);

bool pail_cache_device_equal(const struct pail_cache_device *a, const struct pail_cache_device *b);

/* Reads and checks the whole entry of a record: buffer[record->bytes] holds it afterwards. `device`
 * is the file's; all zero: any. Anything but PAIL_CACHE_READ comes with what is wrong in *why. An
 * entry that FAILED to be read may be whole: nobody may throw it away for that. */
enum pail_cache_reading pail_cache_entry_read(struct pail_cache_entry *entry, uint8_t *buffer,
                                              int fd, const struct pail_cache_record *record,
                                              const struct pail_cache_device *device,
                                              const char **why);

#endif /* PAIL_CACHE_LAYOUT_H */
