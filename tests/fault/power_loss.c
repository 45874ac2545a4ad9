/* SPDX-License-Identifier: Apache-2.0 */
/* The power goes at any moment of a write of the cache: whatever the disk kept, the cache can be
 * read, what was whole is whole, nothing is wrong, and what a flush has promised is there. Also of
 * a pair of files, each of which is whole. */
#include "cache/support.h"
#include "support/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <platform/file.h>

#include "abi/files.h"
#include "disk.h"
#include "syscalls.h"

enum { OLD = 2, EVERY = 64 /* one state in so many is written to as well */ };

static char *dir, *at;

PAIL_FIXTURE(make_folders)
{
    dir = files_temporary();
    at = files_temporary();
    return chmod(dir, 0700) != 0 || chmod(at, 0700) != 0;
}

PAIL_FIXTURE(drop_folders)
{
    files_remove(dir);
    files_remove(at);
    free(dir);
    free(at);
    return 0;
}

/* Entries that may be found, with their versions; -1: none. */
struct expected {
    unsigned key;
    int before, after;
};

struct story {
    const struct expected *entries;
    size_t n, states;
};

static void look(void *user, const char *where, bool promised, const char *what)
{
    struct story *const story = user;
    struct test_log log = {0};
    struct pail_cache *cache = test_open(where, &log);
    for (size_t i = 0; i < story->n; i++) {
        const struct expected *const entry = &story->entries[i];
        const int found = test_get(cache, entry->key);
        if (found != entry->after && (promised || found != entry->before))
            fail_msg("%s%s: entry %u has version %d", what, promised ? ", promised" : "",
                     entry->key, found);
    }
    if (log.n > 0)
        fail_msg("%s: %s", what, log.last);
    if (story->states++ % EVERY == 0) {
        test_put(cache, 9, 1);
        assert_true(pail_cache_flush(cache));
        DIR *const entries = opendir(where);
        for (const struct dirent *entry = readdir(entries); entry; entry = readdir(entries))
            assert_null(strstr(entry->d_name, ".tmp"));
        assert_int_equal(closedir(entries), 0);
        assert_int_equal(test_get(cache, 9), 1);
    }
    pail_cache_close(cache);
    if (log.n > 0)
        fail_msg("%s: %s", what, log.last);
}

static void put_old(void)
{
    struct pail_cache *cache = test_open(dir, NULL);
    for (unsigned i = 0; i < OLD; i++)
        test_put(cache, i, 1);
    assert_true(pail_cache_flush(cache));
    pail_cache_close(cache);
}

/* Runs through all states of what was recorded. */
static void lose_power(struct disk *disk, const struct expected *entries, size_t n)
{
    disk_stop(disk);
    struct story story = {.entries = entries, .n = n};
    assert_in_range(disk_calls(disk), 4, 40);
    const size_t states = disk_each_state(disk, at, look, &story);
    print_message("%zu calls, %zu states\n", disk_calls(disk), states);
    disk_free(disk);
    assert_true(states > 20);
}

PAIL_TEST_WITH(first_write, make_folders, drop_folders)
{
    static const struct expected entries[] = {{0, -1, 1}, {1, -1, 1}};
    struct pail_cache *cache = test_open(dir, NULL);
    struct disk *disk = disk_record(dir);
    test_put(cache, 0, 1);
    test_put(cache, 1, 1);
    assert_true(pail_cache_flush(cache));
    disk_promise(disk);
    lose_power(disk, entries, 2);
    pail_cache_close(cache);
}

PAIL_TEST_WITH(update, make_folders, drop_folders)
{
    static const struct expected entries[] = {{0, 1, 2}, {1, 1, 1}, {2, -1, 1}};
    put_old();
    struct pail_cache *cache = test_open(dir, NULL);
    struct disk *disk = disk_record(dir);
    test_put(cache, 0, 2);
    test_put(cache, 2, 1);
    assert_true(pail_cache_flush(cache));
    disk_promise(disk);
    lose_power(disk, entries, 3);
    pail_cache_close(cache);
}

/* Each with what the one before has left unsynced. */
PAIL_TEST_WITH(two_updates, make_folders, drop_folders)
{
    static const struct expected entries[] = {{0, 1, 1}, {1, 1, 1}, {2, -1, 1}};
    put_old();
    struct pail_cache *cache = test_open(dir, NULL);
    struct disk *disk = disk_record(dir);
    test_put(cache, 2, 1);
    assert_true(pail_cache_flush(cache));
    disk_promise(disk);
    test_put(cache, 3, 1);
    assert_true(pail_cache_flush(cache));
    lose_power(disk, entries, 3);
    pail_cache_close(cache);
}

PAIL_TEST_WITH(pruned_to_nothing, make_folders, drop_folders)
{
    static const struct expected entries[] = {{0, 1, -1}, {1, 1, -1}};
    char name[PAIL_CACHE_FILE_NAME_MAX];
    uint64_t gone, bytes;
    put_old();
    pail_cache_file_name(name, &test_device);
    char *const path = files_path("%s/%s", dir, name);
    struct disk *disk = disk_record(dir);
    assert_null(
        pail_cache_file_prune(path, &(struct pail_cache_prune){.all = true}, &gone, &bytes));
    disk_promise(disk);
    free(path);
    lose_power(disk, entries, 2);
}

/* An export over an earlier one: that one or the new one, and whole. */
struct exported {
    uint32_t before, after;
    char *path;
};

static void look_at_export(void *user, const char *where, bool promised, const char *what)
{
    const struct exported *const exported = user;
    (void)where;
    struct pail_cache_file_info info;
    const char *const why = pail_cache_file_examine(exported->path, &info, NULL, NULL);
    if (why || info.n_damaged > 0)
        fail_msg("%s: %s", what, why ? why : "damaged entries");
    if (info.n_entries != exported->after && (promised || info.n_entries != exported->before))
        fail_msg("%s: %u entries", what, info.n_entries);
}

static void export_anew(int no_links)
{
    uint64_t n;
    char *const out = files_temporary();
    char *const path = files_path("%s/out", out);
    struct exported exported = {OLD, OLD + 1, files_path("%s/out", at)};
    put_old();
    assert_null(pail_cache_export(path, dir, &n));
    struct pail_cache *cache = test_open(dir, NULL);
    test_put(cache, 2, 1);
    pail_cache_close(cache);
    struct disk *disk = disk_record(out);
    syscalls.no_links = no_links;
    assert_null(pail_cache_export(path, dir, &n));
    syscalls.no_links = 0;
    disk_promise(disk);
    disk_stop(disk);
    /* A file that gets its name when it is whole has few states, one with a name from the beginning
     * has more. */
    assert_true(disk_each_state(disk, at, look_at_export, &exported) > 8);
    disk_free(disk);
    files_remove(out);
    free(out);
    free(path);
    free(exported.path);
}

PAIL_TEST_WITH(exported_anew, make_folders, drop_folders)
{
    export_anew(0);
}

/* Then it gets a name before it is whole, and another one afterwards. */
PAIL_TEST_WITH(exported_without_links, make_folders, drop_folders)
{
    export_anew(EACCES);
}

/* ---- Two files that belong together ---- */
static const char *const pair[] = {"proof", "publics"};
static const char before_text[] = "[old", after_text[] = "[new, and longer";

static void put_one(const char *folder, const char *name, const char *text)
{
    char *const path = files_path("%s/%s", folder, name);
    files_write(path, text, strlen(text), 0644);
    free(path);
}

/* user: how often one was new and the other old. Each in itself is whole. */
static void look_at_pair(void *user, const char *where, bool promised, const char *what)
{
    size_t n_new = 0;
    for (size_t i = 0; i < 2; i++) {
        char found[64] = "";
        char *const path = files_path("%s/%s", where, pair[i]);
        FILE *const file = fopen(path, "r");
        free(path);
        assert_non_null(file);
        (void)fread(found, 1, sizeof(found) - 1, file);
        assert_int_equal(fclose(file), 0);
        const bool is_new = strcmp(found, after_text) == 0;
        n_new += is_new;
        if (!is_new && (promised || strcmp(found, before_text) != 0))
            fail_msg("%s%s: %s is \"%s\"", what, promised ? ", promised" : "", pair[i], found);
    }
    *(size_t *)user += n_new == 1;
}

PAIL_TEST_WITH(pair_of_files, make_folders, drop_folders)
{
    static const struct pail_magic magic = {.bytes = "[", .n = 1};
    const struct pail_replace_rule rule = {.ours = &magic, .n_ours = 1, .mode = 0644};
    struct pail_replace files[2];
    const struct pail_replace *failed;
    const int folder = open(dir, O_RDONLY | O_DIRECTORY);
    size_t mixed = 0;
    for (size_t i = 0; i < 2; i++)
        put_one(dir, pair[i], before_text);
    struct disk *disk = disk_record(dir);
    for (size_t i = 0; i < 2; i++) {
        assert_null(pail_replace_begin_at(&files[i], folder, pair[i], &rule));
        assert_int_equal(pwrite(files[i].fd, after_text, sizeof(after_text) - 1, 0),
                         sizeof(after_text) - 1);
    }
    assert_null(pail_replace_publish_both(&files[1], &files[0], &failed));
    assert_null(failed);
    disk_promise(disk);
    disk_stop(disk);
    assert_true(disk_each_state(disk, at, look_at_pair, &mixed) > 4);
    assert_true(mixed > 0); /* a disk may keep one name of two, which docs/proving.md says */
    disk_free(disk);
    for (size_t i = 0; i < 2; i++)
        pail_replace_end(&files[i]);
    (void)close(folder);
}
