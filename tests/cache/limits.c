/* SPDX-License-Identifier: Apache-2.0 */
/* Entries that stay when there is too much, and limits by the environment. */
#include "support.h"
#include "support/test.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cache/place.h>
#include <cache/update.h>

#include "abi/files.h"

static char *dir, *file;

PAIL_FIXTURE(make_folder)
{
    char name[PAIL_CACHE_FILE_NAME_MAX];
    pail_cache_file_name(name, &test_device);
    dir = files_temporary();
    file = files_path("%s/%s", dir, name);
    return 0;
}

PAIL_FIXTURE(drop_folder)
{
    files_remove(dir);
    free(dir);
    free(file);
    return 0;
}

/* Puts entry `number` into the file as last used at a time. */
static void write_entry(unsigned number, uint64_t used, uint64_t max_bytes)
{
    uint8_t payload[1024], made[1224];
    test_payload(payload, 100 + number, number, 0);
    const struct pail_cache_entry entry = {
        .key = test_key(number), .id = 1, .payload = payload, .payload_bytes = 100 + number};
    pail_cache_entry_encode(made, &entry);
    const struct pail_cache_alloc plain = {.user = NULL};
    const struct pail_cache_change change = {.hash = pail_cache_key_hash(&entry.key),
                                             .used = used,
                                             .entry = made,
                                             .from = -1,
                                             .bytes = 300 + number};
    struct pail_cache_update update = {.device = test_device,
                                       .alloc = &plain,
                                       .changes = &change,
                                       .n_changes = 1,
                                       .max_bytes = max_bytes};
    char name[PAIL_CACHE_FILE_NAME_MAX];
    pail_cache_file_name(name, &test_device);
    assert_null(pail_cache_update(dir, name, &update));
}

struct times {
    unsigned n;
    uint64_t used[64]; /* by number; 0: it is not there */
    unsigned order[64];
};

static bool note(void *user, const struct pail_cache_file_entry *entry)
{
    struct times *times = user;
    assert_null(entry->damage);
    assert_true(entry->entry.key.task < 64 && times->n < 64);
    times->order[times->n++] = (unsigned)entry->entry.key.task;
    times->used[entry->entry.key.task] = entry->used;
    return true;
}

static struct times read_times(void)
{
    struct times times = {0};
    struct pail_cache_file_info info;
    assert_null(pail_cache_file_read(file, &info, note, &times));
    assert_int_equal(info.n_entries, times.n);
    return times;
}

PAIL_TEST_WITH(the_oldest_go, make_folder, drop_folder)
{
    /* Room for exactly four of these. */
    const uint64_t room = 64 + 4 * 40 + 301 + 303 + 304 + 305;
    write_entry(1, 1000, room);
    write_entry(2, 900, room);
    write_entry(3, 1100, room);
    write_entry(4, 1200, room);
    struct times times = read_times();
    assert_int_equal(times.n, 4);
    write_entry(5, 1300, room);
    times = read_times();
    assert_int_equal(times.n, 4);
    assert_int_equal(times.used[2], 0);
    /* The newest first. */
    static const unsigned order[] = {5, 4, 3, 1};
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(times.order[i], order[i]);
    struct stat st;
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_size, room);
    /* An entry that is older than all others does not come in. */
    write_entry(6, 800, room);
    times = read_times();
    assert_int_equal(times.used[6], 0);
    assert_int_equal(times.n, 4);
    /* One byte less, and another goes. */
    write_entry(5, 1300, room - 1);
    times = read_times();
    assert_int_equal(times.n, 3);
    assert_int_equal(times.used[1], 0);
    /* An entry that would not fit alone drives out nothing. */
    write_entry(900, 1400, room / 2);
    times = read_times();
    assert_int_equal(times.n, 1);
    assert_int_equal(times.order[0], 5);
    /* No room at all: no file. */
    write_entry(1, 1400, 1);
    assert_int_equal(access(file, F_OK), -1);
}

PAIL_TEST_WITH(the_latest_use_counts, make_folder, drop_folder)
{
    const uint64_t now = pail_cache_now();
    write_entry(1, 1000, 0);
    write_entry(1, 900, 0); /* a process that read the clock before */
    write_entry(2, now + 1000000, 0);
    struct times times = read_times();
    assert_int_equal(times.used[1], 1000);
    /* A time to come is a clock that was wrong. */
    assert_in_range(times.used[2], now, now + 100);

    /* A hit is written at once where the time in the file is older than a day. */
    struct pail_cache *cache = test_open(dir, NULL);
    assert_int_equal(test_get(cache, 1), 0);
    assert_true(pail_cache_flush(cache));
    times = read_times();
    assert_in_range(times.used[1], now, now + 100);
    struct pail_cache_stats stats;
    pail_cache_read_stats(cache, &stats);
    assert_in_range(stats.flushes, 1, 1);
    /* And otherwise with the next entry only. */
    assert_int_equal(test_get(cache, 2), 0);
    assert_true(pail_cache_flush(cache));
    pail_cache_read_stats(cache, &stats);
    assert_int_equal(stats.flushes, 1);
    pail_cache_close(cache);

    write_entry(3, now - 3600, 0);
    write_entry(4, now - 3600, 0);
    cache = test_open(dir, NULL);
    assert_int_equal(test_get(cache, 3), 0);
    assert_true(pail_cache_flush(cache));
    assert_int_equal(read_times().used[3], now - 3600);
    test_put(cache, 5, 0);
    pail_cache_close(cache);
    times = read_times();
    assert_true(times.used[3] >= now && times.used[5] >= now);
    assert_int_equal(times.used[4], now - 3600);
}

/* A time of use that another process's write has passed by is not lost. */
PAIL_TEST_WITH(uses_outlast_a_reload, make_folder, drop_folder)
{
    const uint64_t now = pail_cache_now();
    write_entry(1, now - 3600, 0);
    struct pail_cache *cache = test_open(dir, NULL);
    assert_int_equal(test_get(cache, 1), 0);
    write_entry(2, now - 3600, 0);
    assert_int_equal(test_get(cache, 2), 0); /* looks at the file anew */
    write_entry(3, now - 3600, 0);
    test_put(cache, 4, 0);
    pail_cache_close(cache);
    const struct times times = read_times();
    assert_true(times.used[1] >= now && times.used[2] >= now && times.used[4] >= now);
    assert_int_equal(times.used[3], now - 3600);
}

PAIL_TEST_WITH(the_cap_of_a_cache, make_folder, drop_folder)
{
    struct pail_cache_params params = test_params(dir, NULL);
    params.max_bytes = 64 + 3 * (40 + 310);
    struct pail_cache *cache = pail_cache_open(&params);
    assert_non_null(cache);
    for (unsigned i = 1; i < 20; i++)
        test_put(cache, i, 0);
    assert_true(pail_cache_flush(cache));
    struct stat st;
    assert_int_equal(stat(file, &st), 0);
    assert_true((uint64_t)st.st_size <= params.max_bytes);
    struct pail_cache_stats stats;
    pail_cache_read_stats(cache, &stats);
    assert_int_equal(stats.pending, 0);
    for (unsigned i = 1; i < 20; i++)
        assert_in_range(test_get(cache, i) + 1, 0, 1);
    pail_cache_close(cache);
    assert_in_range(read_times().n, 2, 3);
}

static void set(const char *name, const char *value)
{
    assert_int_equal(value ? setenv(name, value, 1) : unsetenv(name), 0);
}

static void expect_dir(const char *given, const char *expected)
{
    char path[64];
    memset(path, 'x', sizeof(path));
    const bool found = pail_cache_user_dir(path, sizeof(path), given);
    assert_int_equal(found, expected != NULL);
    assert_string_equal(path, expected ? expected : "");
    /* Every capacity that is too small. */
    for (size_t capacity = 0; expected && capacity <= strlen(expected); capacity++) {
        memset(path, 'x', sizeof(path));
        assert_false(pail_cache_user_dir(path, capacity, given));
        assert_int_equal(path[0], capacity > 0 ? 0 : 'x');
    }
}

PAIL_TEST_WITH(folders, make_folder, drop_folder)
{
    set("PAIL_CACHE_DIR", "/one");
    set("XDG_CACHE_HOME", "/two");
    set("HOME", "/three");
    expect_dir("/zero", "/zero");
    expect_dir("", NULL);
    expect_dir(NULL, "/one");
    set("PAIL_CACHE_DIR", "one/here"); /* from where the process is */
    expect_dir(NULL, "one/here");
    set("PAIL_CACHE_DIR", "");
    expect_dir(NULL, "/two/pail");
    set("PAIL_CACHE_DIR", NULL);
    expect_dir(NULL, "/two/pail");
    set("XDG_CACHE_HOME", "two");
    expect_dir(NULL, "/three/.cache/pail");
    set("XDG_CACHE_HOME", "");
    expect_dir(NULL, "/three/.cache/pail");
    set("XDG_CACHE_HOME", NULL);
    expect_dir(NULL, "/three/.cache/pail");
    set("HOME", "");
    expect_dir(NULL, NULL);
    set("HOME", NULL);
    expect_dir(NULL, NULL);

    /* Without one there are no files, and all else works. */
    struct test_log log = {0};
    struct pail_cache *cache = test_open(NULL, &log);
    assert_int_equal(log.n, 1);
    assert_non_null(strstr(log.last, "HOME"));
    assert_string_equal(pail_cache_path(cache), "");
    test_put(cache, 1, 3);
    assert_true(pail_cache_flush(cache));
    assert_int_equal(test_get(cache, 1), 3);
    pail_cache_close(cache);
    assert_int_equal(log.n, 1);

    char *longest = malloc(10001);
    assert_non_null(longest);
    memset(longest, '/', 10000);
    longest[10000] = '\0';
    cache = test_open(longest, &log);
    assert_int_equal(log.n, 2);
    assert_non_null(strstr(log.last, "too long"));
    pail_cache_close(cache);
    free(longest);
    log.n = 1;

    set("HOME", dir);
    cache = test_open(NULL, &log);
    test_put(cache, 1, 3);
    pail_cache_close(cache);
    char *path = files_path("%s/.cache/pail%s", dir, strrchr(file, '/'));
    assert_int_equal(access(path, F_OK), 0);
    free(path);
    cache = test_open("", &log);
    assert_int_equal(test_get(cache, 1), -1);
    pail_cache_close(cache);
    assert_int_equal(log.n, 1);
}

PAIL_TEST_WITH(size_of_the_environment, make_folder, drop_folder)
{
    static const struct {
        const char *text;
        uint64_t mib; /* 0: bad */
    } cases[] = {
        {"1", 1},      {"300", 300}, {"007", 7},        {"999999999", 999999999},
        {"0", 0},      {"-1", 0},    {"1000000000", 0}, {"18446744073709551617", 0},
        {"12 MiB", 0}, {" 12", 0},   {"0x10", 0},       {"+3", 0},
        {"1e3", 0},    {"12.5", 0},  {"a", 0},
    };
    const char *bad;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        set("PAIL_CACHE_MAX_MIB", cases[i].text);
        const uint64_t bytes = pail_cache_max_bytes(0, &bad);
        assert_int_equal(bytes, (cases[i].mib ? cases[i].mib : 256) << 20);
        if (cases[i].mib)
            assert_null(bad);
        else
            assert_string_equal(bad, cases[i].text);
        assert_int_equal(pail_cache_max_bytes(12345, &bad), 12345);
        assert_null(bad);
    }
    struct test_log log = {0};
    struct pail_cache_params params = test_params(dir, &log);
    params.max_bytes = 0;
    set("PAIL_CACHE_MAX_MIB", "lots");
    pail_cache_close(pail_cache_open(&params));
    assert_int_equal(log.n, 1);
    assert_non_null(strstr(log.last, "PAIL_CACHE_MAX_MIB"));
    assert_non_null(strstr(log.last, "'lots'"));
    set("PAIL_CACHE_MAX_MIB", "");
    assert_int_equal(pail_cache_max_bytes(0, &bad), 256 << 20);
    assert_null(bad);
    set("PAIL_CACHE_MAX_MIB", NULL);
    assert_int_equal(pail_cache_max_bytes(0, &bad), 256 << 20);
}
