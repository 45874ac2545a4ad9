/* SPDX-License-Identifier: Apache-2.0 */
/* Files as bytes: the one in the documentation, and what becomes of damage. */
#include "support.h"
#include "support/test.h"

#include <fcntl.h>
#include <unistd.h>

#include "abi/files.h"
#include <curves/fnv.h>

#include <cache/update.h>

enum { ENTRIES = 3, HEADER = 64, RECORD = 40, LARGEST = 4096 };

struct folder {
    char *dir, *file;
};

static int make_folder(void **state)
{
    struct folder *folder = calloc(1, sizeof(*folder));
    assert_non_null(folder);
    char name[PAIL_CACHE_FILE_NAME_MAX];
    pail_cache_file_name(name, &test_device);
    folder->dir = files_temporary();
    folder->file = files_path("%s/%s", folder->dir, name);
    *state = folder;
    return 0;
}

static int drop_folder(void **state)
{
    struct folder *folder = *state;
    files_remove(folder->dir);
    free(folder->dir);
    free(folder->file);
    free(folder);
    return 0;
}

/* Rewrites a file in place, never through an empty one: some file systems wait for the disk then.
 */
static void write_file(const char *path, const uint8_t *bytes, size_t n)
{
    const int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, n), n);
    assert_int_equal(ftruncate(fd, (off_t)n), 0);
    assert_int_equal(close(fd), 0);
}

static void store(uint8_t *at, uint64_t value, int n)
{
    for (int i = 0; i < n; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* The lines "0010  de 10 ..." of docs/cache-format.md. */
static size_t documented(uint8_t *bytes, size_t capacity)
{
    size_t n = 0, length;
    char *text = files_read(PAIL_TEST_DOCS "/cache-format.md", &length);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *end, start[8];
        (void)snprintf(start, sizeof(start), "%04zx  ", n);
        if (strncmp(line, start, 6) != 0)
            continue;
        for (char *at = line + 6;; at = end) {
            const unsigned long value = strtoul(at, &end, 16);
            if (end == at)
                break;
            assert_true(n < capacity && value < 256);
            bytes[n++] = (uint8_t)value;
        }
    }
    free(text);
    return n;
}

/* The writer makes exactly the bytes that the documentation shows, and the reader takes them. */
PAIL_TEST_OF_WITH(the_documented_file, const struct folder *folder, make_folder, drop_folder)
{
    struct pail_cache_key key = test_key(7);
    memset(key.name, 0, sizeof(key.name));
    memcpy(key.name, "msm/sort.toy", 12);
    key.kind = PAIL_CACHE_SPIRV;
    key.task = UINT64_C(0x0102030405060708);
    uint8_t payload[4] = {0x03, 0x02, 0x23, 0x07}, bytes[1024];
    struct pail_cache_entry entry = {
        .key = key, .id = 0xd75b0473, .payload = payload, .payload_bytes = sizeof(payload)};
    uint8_t made[204];
    pail_cache_entry_encode(made, &entry);
    const struct pail_cache_alloc plain = {.user = NULL};
    const struct pail_cache_change change = {.hash = pail_cache_key_hash(&key),
                                             .used = 1700000000,
                                             .entry = made,
                                             .from = -1,
                                             .bytes = sizeof(made)};
    struct pail_cache_update update = {
        .device = test_device, .alloc = &plain, .changes = &change, .n_changes = 1};
    char name[PAIL_CACHE_FILE_NAME_MAX];
    pail_cache_file_name(name, &test_device);
    assert_string_equal(name, "10de-2335-89abcdef-a0a1a2a3a4a5a6a7a8a9aaabacadaeaf.pailcache");
    assert_null(pail_cache_update(folder->dir, name, &update));

    size_t n;
    char *written = files_read(folder->file, &n);
    assert_int_equal(n, 308);
    assert_int_equal(documented(bytes, sizeof(bytes)), n);
    assert_memory_equal(written, bytes, n);
    free(written);

    write_file(folder->file, bytes, n);
    struct pail_cache *cache = test_open(folder->dir, NULL);
    uint8_t *got = pail_cache_get(cache, &key, &n);
    assert_non_null(got);
    assert_int_equal(n, sizeof(payload));
    assert_memory_equal(got, payload, n);
    pail_cache_release(cache, got);
    /* And put by hand it has the same id. */
    pail_cache_put(cache, &key, payload, sizeof(payload));
    pail_cache_close(cache);
    written = files_read(folder->file, &n);
    assert_int_equal(n, 308);
    assert_memory_equal(written + 104, bytes + 104, 204);
    free(written);
}

/* A file of three entries; returns its size. */
static size_t make_file(const struct folder *folder, uint8_t bytes[LARGEST])
{
    struct pail_cache *cache = test_open(folder->dir, NULL);
    for (unsigned i = 0; i < ENTRIES; i++)
        test_put(cache, i, 1);
    pail_cache_close(cache);
    size_t n;
    char *text = files_read(folder->file, &n);
    assert_int_equal(n, HEADER + ENTRIES * (RECORD + 200 + 100) + 0 + 1 + 2);
    memcpy(bytes, text, n);
    free(text);
    return n;
}

/* Number of the entry at a place of the file. They are in order of their hashes, for they are of
 * one time. */
static unsigned number_at(const uint8_t *file, unsigned place)
{
    uint64_t hash = 0;
    for (int i = 7; i >= 0; i--)
        hash = hash << 8 | file[HEADER + RECORD * place + (unsigned)i];
    for (unsigned number = 0; number < ENTRIES; number++) {
        const struct pail_cache_key key = test_key(number);
        if (pail_cache_key_hash(&key) == hash)
            return number;
    }
    fail_msg("the record %u is of no entry", place);
    return 0;
}

static uint64_t field(const uint8_t *record, unsigned at)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | record[at + (unsigned)i];
    return value;
}

/* Opens a damaged file. Entry `number` of `whole` bit n must be found; of the others none may be
 * found with anything but what was put. One line is told, and the next write makes it whole. */
static void expect_survivors(const struct folder *folder, unsigned whole, bool all_or_rest)
{
    struct test_log log = {0};
    struct pail_cache *cache = test_open(folder->dir, &log);
    unsigned found = 0;
    for (unsigned i = 0; i < ENTRIES; i++) {
        const int version = test_get(cache, i);
        assert_true(version == -1 || version == 1);
        found |= (version == 1 ? 1u : 0u) << i;
    }
    if ((found & whole) != whole || (all_or_rest && found != whole))
        fail_msg("found %x of %x", found, whole);
    assert_true(log.n <= 1);
    if (found != (1 << ENTRIES) - 1) {
        struct pail_cache_stats stats;
        pail_cache_read_stats(cache, &stats);
        assert_int_equal(log.n, 1);
        assert_true(stats.damaged > 0);
        assert_non_null(strstr(log.last, folder->file));
    }
    pail_cache_close(cache);
}

static void expect_repaired(const struct folder *folder)
{
    struct pail_cache *cache = test_open(folder->dir, NULL);
    for (unsigned i = 0; i < ENTRIES; i++)
        test_put(cache, i, 2);
    assert_true(pail_cache_flush(cache));
    pail_cache_close(cache);
    struct test_log log = {0};
    cache = test_open(folder->dir, &log);
    for (unsigned i = 0; i < ENTRIES; i++)
        assert_int_equal(test_get(cache, i), 2);
    pail_cache_close(cache);
    assert_int_equal(log.n, 0);
}

PAIL_TEST_OF_WITH(cut_anywhere, const struct folder *folder, make_folder, drop_folder)
{
    uint8_t bytes[LARGEST];
    const size_t n = make_file(folder, bytes);
    for (size_t cut = 0; cut < n; cut++) {
        write_file(folder->file, bytes, cut);
        unsigned whole = 0;
        for (unsigned i = 0; i < ENTRIES; i++) {
            const uint8_t *record = bytes + HEADER + RECORD * i;
            if (field(record, 8) + field(record, 16) <= cut)
                whole |= 1u << number_at(bytes, i);
        }
        expect_survivors(folder, whole, true);
    }
    expect_repaired(folder);
    /* Something after the end is told of and does no harm. */
    bytes[n] = 'x';
    write_file(folder->file, bytes, n + 1);
    struct test_log log = {0};
    struct pail_cache *cache = test_open(folder->dir, &log);
    for (unsigned i = 0; i < ENTRIES; i++)
        assert_int_equal(test_get(cache, i), 1);
    pail_cache_close(cache);
    assert_int_equal(log.n, 1);
}

PAIL_TEST_OF_WITH(any_bit, const struct folder *folder, make_folder, drop_folder)
{
    uint8_t bytes[LARGEST];
    const size_t n = make_file(folder, bytes);
    for (size_t bit = 0; bit < 8 * n; bit++) {
        const size_t at = bit / 8;
        unsigned whole = at < HEADER ? 0 : (1 << ENTRIES) - 1;
        for (unsigned i = 0; i < ENTRIES; i++) {
            const uint8_t *record = bytes + HEADER + RECORD * i;
            const bool in_record = at >= HEADER + RECORD * i && at < HEADER + RECORD * (i + 1);
            if (in_record || (at >= field(record, 8) && at < field(record, 8) + field(record, 16)))
                whole &= ~(1u << number_at(bytes, i));
        }
        bytes[at] ^= (uint8_t)(1 << bit % 8);
        write_file(folder->file, bytes, n);
        expect_survivors(folder, whole, true);
        bytes[at] ^= (uint8_t)(1 << bit % 8);
        if (bit % 997 == 0)
            expect_repaired(folder);
    }
}

/* A flush by somebody who never looked at the damaged entry carries over only the whole ones. */
PAIL_TEST_OF_WITH(damage_is_not_carried_over, const struct folder *folder, make_folder, drop_folder)
{
    uint8_t bytes[LARGEST];
    const size_t n = make_file(folder, bytes);
    const size_t offset = (size_t)field(bytes + HEADER + RECORD, 8);
    bytes[offset + 200] ^= 1;
    write_file(folder->file, bytes, n);
    struct pail_cache *cache = test_open(folder->dir, NULL);
    test_put(cache, 9, 0);
    pail_cache_close(cache);

    struct test_log log = {0};
    struct pail_cache_file_info info;
    assert_null(pail_cache_file_read(folder->file, &info, NULL, NULL));
    assert_int_equal(info.n_entries, 3);
    assert_int_equal(info.n_damaged, 0);
    cache = test_open(folder->dir, &log);
    const unsigned lost = number_at(bytes, 1);
    for (unsigned i = 0; i < ENTRIES; i++)
        assert_int_equal(test_get(cache, i), i == lost ? -1 : 1);
    assert_int_equal(test_get(cache, 9), 0);
    assert_int_equal(log.n, 0);
    pail_cache_close(cache);
}

/* Sound checksums over what cannot be. */
PAIL_TEST_OF_WITH(impossible, const struct folder *folder, make_folder, drop_folder)
{
    uint8_t good[LARGEST], bytes[LARGEST];
    const size_t n = make_file(folder, good);
    const unsigned all = (1 << ENTRIES) - 1;
    const unsigned first = 1u << number_at(good, 0), second = 1u << number_at(good, 1);
    const unsigned third = 1u << number_at(good, 2);
    const struct {
        size_t at;
        uint64_t value;
        int bytes;
        unsigned whole;
    } cases[] = {
        {0, 'p', 1, 0},            /* magic */
        {8, 0, 4, 0},              /* older */
        {8, 2, 4, 0},              /* newer */
        {12, 65, 4, 0},            /* size of the header */
        {16, 0x1002, 4, 0},        /* another vendor, */
        {20, 0x2330, 4, 0},        /* device, */
        {24, 0x89abcdee, 4, 0},    /* driver, */
        {47, 0xff, 1, 0},          /* or UUID than the file is named for */
        {28, 0, 4, 0},             /* no entries */
        {28, 1, 4, first},         /* one */
        {28, 4, 4, all & ~first},  /* more than there are: the first is where a record would be */
        {28, 1 << 20, 4, 0},       /* the most there may be, */
        {28, (1 << 20) + 1, 4, 0}, /* more than that, */
        {28, UINT32_MAX, 4, 0},    /* more than fit any file */
        {48, 0, 8, 0},             /* total bytes: less than the index */
        {48, n - 1, 8, all & ~third},              /* less than there is */
        {48, UINT64_MAX, 8, all},                  /* told of, and of no consequence */
        {HEADER, 1, 8, all & ~first},              /* another hash */
        {HEADER + 8, 0, 8, all & ~first},          /* in the header */
        {HEADER + 8, HEADER, 8, all & ~first},     /* in the index */
        {HEADER + 8, UINT64_MAX, 8, all & ~first}, /* beyond the end */
        {HEADER + 8, UINT64_MAX - 100, 8, all & ~first},
        {HEADER + 8, n, 8, all & ~first},
        {HEADER + 16, 0, 8, all & ~first}, /* too small */
        {HEADER + 16, 199, 8, all & ~first},
        {HEADER + 16, 200, 8, all & ~first},        /* smaller than it is */
        {HEADER + 16, UINT64_MAX, 8, all & ~first}, /* too large */
        {HEADER + 16, UINT64_C(1) << 30, 8, all & ~first},
        {HEADER + 16, 400, 8, all & ~first & ~second},                /* over the next one */
        {HEADER + RECORD + 8, HEADER + 3 * RECORD, 8, all & ~second}, /* over the one before */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        memcpy(bytes, good, n);
        store(bytes + cases[i].at, cases[i].value, cases[i].bytes);
        store(bytes + 56, pail_fnv1a64(bytes, 56), 8);
        for (size_t r = 0; r < ENTRIES; r++) {
            uint8_t *record = bytes + HEADER + RECORD * r;
            store(record + 32, pail_fnv1a64(record, 32), 8);
        }
        write_file(folder->file, bytes, n);
        struct test_log log = {0};
        struct pail_cache *cache = test_open(folder->dir, &log);
        unsigned found = 0;
        for (unsigned k = 0; k < ENTRIES; k++)
            found |= (test_get(cache, k) == 1 ? 1u : 0u) << k;
        if (found != cases[i].whole)
            fail_msg("case %zu: found %x of %x", i, found, cases[i].whole);
        /* Nobody asks for what is not named, nor for the hash 1. */
        const bool seen = !(cases[i].at == 28 && cases[i].value < 2) && cases[i].at != HEADER;
        assert_int_equal(log.n, seen);
        pail_cache_close(cache);
        if (i % 4 == 0)
            expect_repaired(folder);
    }
    /* Two records of one entry. */
    memcpy(bytes, good, n);
    memcpy(bytes + HEADER + RECORD, bytes + HEADER, RECORD);
    write_file(folder->file, bytes, n);
    expect_survivors(folder, all & ~second, true);
    /* Two records that name each other's entry. */
    memcpy(bytes, good, n);
    for (size_t r = 0; r < 2; r++) {
        memcpy(bytes + HEADER + RECORD * r, good + HEADER + RECORD * (1 - r), 8);
        store(bytes + HEADER + RECORD * r + 32, pail_fnv1a64(bytes + HEADER + RECORD * r, 32), 8);
    }
    write_file(folder->file, bytes, n);
    expect_survivors(folder, third, true);
    struct pail_cache_file_info info;
    assert_null(pail_cache_file_read(folder->file, &info, NULL, NULL));
    assert_int_equal(info.n_damaged, 2);
    /* Entries of ours in a file of several devices, which is no cache. */
    memcpy(bytes, good, n);
    memset(bytes + 16, 0, 12);
    memset(bytes + 32, 0, 16);
    store(bytes + 56, pail_fnv1a64(bytes, 56), 8);
    write_file(folder->file, bytes, n);
    expect_survivors(folder, 0, true);
    /* One record more than there may be, and room for all of them. */
    memcpy(bytes, good, HEADER);
    store(bytes + 28, (1 << 20) + 1, 4);
    store(bytes + 48, HEADER + RECORD * ((UINT64_C(1) << 20) + 1), 8);
    store(bytes + 56, pail_fnv1a64(bytes, 56), 8);
    write_file(folder->file, bytes, HEADER);
    assert_int_equal(truncate(folder->file, HEADER + RECORD * ((1 << 20) + 1)), 0);
    assert_string_equal(pail_cache_file_read(folder->file, &info, NULL, NULL),
                        "it has too many entries");
}

/* Entries of another device in a file of ours. */
PAIL_TEST_OF_WITH(foreign_entries, const struct folder *folder, make_folder, drop_folder)
{
    const struct pail_cache_alloc plain = {.user = NULL};
    uint8_t payload[64], made[264];
    test_payload(payload, sizeof(payload), 0, 0);
    struct pail_cache_entry entry = {
        .key = test_key(0), .id = 1, .payload = payload, .payload_bytes = sizeof(payload)};
    entry.key.device.driver++;
    pail_cache_entry_encode(made, &entry);
    const struct pail_cache_change change = {.hash = pail_cache_key_hash(&entry.key),
                                             .used = 1700000000,
                                             .entry = made,
                                             .from = -1,
                                             .bytes = sizeof(made)};
    struct pail_cache_update update = {
        .device = test_device, .alloc = &plain, .changes = &change, .n_changes = 1};
    char name[PAIL_CACHE_FILE_NAME_MAX];
    pail_cache_file_name(name, &test_device);
    assert_null(pail_cache_update(folder->dir, name, &update));
    struct test_log log = {0};
    struct pail_cache *cache = test_open(folder->dir, &log);
    size_t n;
    assert_null(pail_cache_get(cache, &entry.key, &n));
    assert_int_equal(test_get(cache, 0), -1);
    assert_int_equal(log.n, 1);
    assert_non_null(strstr(log.last, "another device or driver"));
    pail_cache_close(cache);
}
