/* SPDX-License-Identifier: Apache-2.0 */
/* Cache files from outside: listing, pruning, exporting, importing. */
#include "support.h"
#include "support/test.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cache/update.h>

#include "abi/files.h"

static char *top, *dir, *file;

PAIL_FIXTURE(make_folder)
{
    char name[PAIL_CACHE_FILE_NAME_MAX];
    pail_cache_file_name(name, &test_device);
    top = files_temporary();
    dir = files_path("%s/pail", top);
    file = files_path("%s/%s", dir, name);
    return 0;
}

PAIL_FIXTURE(drop_folder)
{
    files_remove(top);
    free(top);
    free(dir);
    free(file);
    return 0;
}

static struct pail_cache_device other_device(void)
{
    struct pail_cache_device device = test_device;
    device.driver++;
    return device;
}

/* Puts entry `number` into the file of a device as last used at a time. */
/* Its name is that of test_key, behind `prefix`. */
static void write_named(const char *folder, const struct pail_cache_device *device,
                        const char *prefix, unsigned number, unsigned version, uint64_t used)
{
    uint8_t payload[256], made[456];
    test_payload(payload, 100 + number, number, version);
    struct pail_cache_entry entry = {
        .key = test_key(number), .id = 1, .payload = payload, .payload_bytes = 100 + number};
    entry.key.device = *device;
    (void)snprintf(entry.key.name, sizeof(entry.key.name), "%stest/kernel%u", prefix, number);
    pail_cache_entry_encode(made, &entry);
    const struct pail_cache_alloc plain = {.user = NULL};
    const struct pail_cache_change change = {.hash = pail_cache_key_hash(&entry.key),
                                             .used = used,
                                             .entry = made,
                                             .from = -1,
                                             .bytes = 300 + number};
    struct pail_cache_update update = {
        .device = *device, .alloc = &plain, .changes = &change, .n_changes = 1};
    char name[PAIL_CACHE_FILE_NAME_MAX];
    pail_cache_file_name(name, device);
    if (access(folder, F_OK) != 0)
        files_folder(folder, 0700);
    assert_null(pail_cache_update(folder, name, &update));
}

static void write_entry(const char *folder, const struct pail_cache_device *device, unsigned number,
                        unsigned version, uint64_t used)
{
    write_named(folder, device, "", number, version, used);
}

struct listing {
    unsigned n, n_damaged, stop_after;
    uint64_t used[16];   /* by number; 0: it is not there */
    unsigned devices[2]; /* entries of each */
};

static bool note(void *user, const struct pail_cache_file_entry *entry)
{
    struct listing *listing = user;
    static const struct pail_cache_entry zero;
    if (entry->damage) {
        listing->n_damaged++;
        assert_memory_equal(&entry->entry, &zero, sizeof(zero));
    } else {
        const unsigned number = (unsigned)entry->entry.key.task;
        uint8_t expected[256];
        assert_true(number < 16);
        assert_int_equal(entry->entry.payload_bytes, 100 + number);
        unsigned version = 0;
        for (; version < 8; version++) {
            test_payload(expected, 100 + number, number, version);
            if (memcmp(expected, entry->entry.payload, 100 + number) == 0)
                break;
        }
        assert_true(version < 8);
        listing->used[number] = entry->used;
        listing->devices[entry->entry.key.device.driver != test_device.driver]++;
    }
    return ++listing->n != listing->stop_after;
}

static struct listing list(const char *path, struct pail_cache_file_info *info)
{
    struct listing listing = {0};
    struct pail_cache_file_info own;
    assert_null(pail_cache_file_read(path, info ? info : &own, note, &listing));
    return listing;
}

static void flip(const char *path, size_t at)
{
    size_t n;
    char *bytes = files_read(path, &n);
    bytes[at] = (char)(bytes[at] ^ 1);
    files_write(path, bytes, n, 0600);
    free(bytes);
}

static void cut(const char *path, size_t bytes)
{
    assert_int_equal(truncate(path, (off_t)bytes), 0);
}

PAIL_TEST_WITH(listed, make_folder, drop_folder)
{
    struct pail_cache_file_info info;
    for (unsigned i = 1; i < 5; i++)
        write_entry(dir, &test_device, i, 0, 1000 + i);
    struct listing listing = list(file, &info);
    assert_int_equal(listing.n, 4);
    for (unsigned i = 1; i < 5; i++)
        assert_int_equal(listing.used[i], 1000 + i);
    assert_int_equal(info.n_entries, 4);
    assert_int_equal(info.n_damaged, 0);
    assert_int_equal(info.bytes, 64 + 4 * 340 + 10);
    assert_memory_equal(&info.device, &test_device, sizeof(test_device));
    listing = (struct listing){.stop_after = 2};
    assert_null(pail_cache_file_read(file, &info, note, &listing));
    assert_int_equal(listing.n, 2);

    /* One entry, one record; all that is damaged is counted, whether it is listed or not. */
    flip(file, 64 + 4 * 40 + 250);
    flip(file, 64 + 40 + 3);
    listing = list(file, &info);
    assert_int_equal(listing.n, 4);
    assert_int_equal(listing.n_damaged, 2);
    assert_int_equal(info.n_damaged, 2);
    assert_null(pail_cache_file_read(file, &info, NULL, NULL));
    assert_int_equal(info.n_damaged, 2);
    cut(file, 64 + 3 * 40 + 5);
    listing = list(file, &info);
    assert_int_equal(listing.n, 3);
    assert_int_equal(listing.n_damaged, 3);
    assert_int_equal(info.n_entries, 4);
    assert_int_equal(info.n_damaged, 4);

    static const struct pail_cache_file_info zero;
    cut(file, 63);
    assert_string_equal(pail_cache_file_read(file, &info, note, &listing),
                        "it is shorter than its header");
    assert_memory_equal(&info, &zero, sizeof(zero));
    cut(file, 0);
    assert_string_equal(pail_cache_file_read(file, &info, note, &listing), "it is empty");
    assert_int_equal(unlink(file), 0);
    assert_string_equal(pail_cache_file_read(file, &info, note, &listing),
                        "No such file or directory");
    assert_int_equal(symlink("x", file), 0);
    assert_string_equal(pail_cache_file_read(file, &info, note, &listing), "it is a symbolic link");
    assert_string_equal(pail_cache_file_read(dir, &info, note, &listing), "it is a folder");
}

PAIL_TEST_WITH(pruned, make_folder, drop_folder)
{
    uint64_t entries, bytes;
    for (unsigned i = 1; i < 7; i++)
        write_entry(dir, &test_device, i, 0, 1000 + i);
    struct stat before, after;
    assert_int_equal(stat(file, &before), 0);
    /* Nothing to do: the file stays the same one. */
    struct pail_cache_prune what = {
        .max_bytes = (uint64_t)before.st_size, .used_before = 1001, .damaged = true};
    assert_null(pail_cache_file_prune(file, &what, &entries, &bytes));
    assert_int_equal(stat(file, &after), 0);
    assert_int_equal(after.st_ino, before.st_ino);
    assert_int_equal(entries, 0);
    assert_int_equal(bytes, 0);

    what = (struct pail_cache_prune){.used_before = 1003};
    assert_null(pail_cache_file_prune(file, &what, &entries, &bytes));
    assert_int_equal(entries, 2);
    assert_int_equal(bytes, 2 * 340 + 1 + 2);
    struct listing listing = list(file, NULL);
    assert_int_equal(listing.n, 4);
    assert_int_equal(listing.used[3], 1003);

    what = (struct pail_cache_prune){.max_bytes = 64 + 3 * 340 + 4 + 5 + 6};
    assert_null(pail_cache_file_prune(file, &what, &entries, &bytes));
    assert_int_equal(entries, 1);
    listing = list(file, NULL);
    assert_int_equal(listing.n, 3);
    assert_int_equal(listing.used[3], 0);

    flip(file, 64 + 3 * 40 + 250);
    what = (struct pail_cache_prune){.damaged = true};
    assert_null(pail_cache_file_prune(file, &what, &entries, &bytes));
    assert_int_equal(entries, 1);
    struct pail_cache_file_info info;
    listing = list(file, &info);
    assert_int_equal(listing.n, 2);
    assert_int_equal(info.n_damaged, 0);

    what = (struct pail_cache_prune){.all = true};
    assert_null(pail_cache_file_prune(file, &what, &entries, &bytes));
    assert_int_equal(entries, 2);
    assert_int_equal(bytes, info.bytes);
    assert_int_equal(access(file, F_OK), -1);
    assert_non_null(pail_cache_file_prune(file, &what, &entries, &bytes));
    assert_int_equal(entries, 0);

    /* A file that is of no use goes only when that is asked for. */
    files_write(file, "no cache", 8, 0600);
    what = (struct pail_cache_prune){.used_before = 5};
    assert_non_null(pail_cache_file_prune(file, &what, &entries, &bytes));
    assert_int_equal(access(file, F_OK), 0);
    what = (struct pail_cache_prune){.damaged = true};
    assert_null(pail_cache_file_prune(file, &what, &entries, &bytes));
    assert_int_equal(access(file, F_OK), -1);
    assert_int_equal(bytes, 8);
    /* And what is not a file of ours never. */
    assert_int_equal(symlink(dir, file), 0);
    what = (struct pail_cache_prune){.damaged = true, .all = true};
    assert_string_equal(pail_cache_file_prune(file, &what, &entries, &bytes),
                        "it is a symbolic link");
    struct stat st;
    assert_int_equal(lstat(file, &st), 0);
}

PAIL_TEST_WITH(moved_to_another_machine, make_folder, drop_folder)
{
    const struct pail_cache_device other = other_device();
    char *exported = files_path("%s/all.pailcache", top), *there = files_path("%s/new/there", top);
    uint64_t n, damaged;
    assert_non_null(pail_cache_export(exported, dir, &n)); /* no folder */
    files_folder(dir, 0700);
    assert_non_null(pail_cache_export(exported, dir, &n)); /* nothing in it */
    assert_int_equal(access(exported, F_OK), -1);

    /* Entries of one device: a file that can serve as it is. */
    for (unsigned i = 1; i < 4; i++)
        write_entry(dir, &test_device, i, 0, 1000 + i);
    assert_null(pail_cache_export(exported, dir, &n));
    assert_int_equal(n, 3);
    struct stat st;
    assert_int_equal(stat(exported, &st), 0);
    assert_int_equal(st.st_mode & 0600, 0600);
    struct pail_cache_file_info info;
    struct listing listing = list(exported, &info);
    assert_int_equal(listing.n, 3);
    assert_memory_equal(&info.device, &test_device, sizeof(test_device));

    /* Entries of several, with damage in one, a file that is none, and files of other names. */
    for (unsigned i = 2; i < 7; i++)
        write_entry(dir, &other, i, 1, 2000 + i);
    flip(file, 64 + 3 * 40 + 250);
    char *rest = files_path("%s/rest.pailcache", dir), *notes = files_path("%s/notes", dir);
    files_write(rest, "x", 1, 0600);
    files_write(notes, "x", 1, 0600);
    assert_null(pail_cache_export(exported, dir, &n));
    assert_int_equal(n, 7);
    listing = list(exported, &info);
    assert_int_equal(info.n_damaged, 0);
    assert_int_equal(listing.devices[0], 2);
    assert_int_equal(listing.devices[1], 5);
    static const struct pail_cache_device none;
    assert_memory_equal(&info.device, &none, sizeof(none));

    /* An entry that is in two files goes once, as of its latest use. */
    char *copy = files_path("%s/copy.pailcache", dir);
    files_copy(copy, file, 0600);
    write_entry(dir, &test_device, 8, 0, 1000);
    write_entry(dir, &test_device, 8, 0, 3000);
    assert_null(pail_cache_export(exported, dir, &n));
    assert_int_equal(n, 8);
    assert_int_equal(unlink(copy), 0);
    files_copy(copy, file, 0600);
    write_entry(dir, &test_device, 8, 0, 4000);
    assert_null(pail_cache_export(exported, dir, &n));
    assert_int_equal(n, 8);
    listing = list(exported, &info);
    assert_int_equal(listing.n, 8);
    assert_int_equal(listing.used[8], 4000);
    free(copy);

    /* There each goes to the file of its device, beside what is there already. */
    write_entry(dir, &test_device, 9, 0, 1000); /* elsewhere */
    assert_null(pail_cache_import(exported, there, &n, &damaged));
    assert_int_equal(n, 8);
    assert_int_equal(damaged, 0);
    assert_int_equal(stat(there, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    struct test_log log = {0};
    struct pail_cache *cache = test_open(there, &log);
    unsigned found = 0;
    for (unsigned i = 1; i < 4; i++)
        found += test_get(cache, i) == 0;
    assert_int_equal(found, 2);
    test_put(cache, 10, 3);
    pail_cache_close(cache);
    struct pail_cache_params params = test_params(there, &log);
    params.device = other;
    cache = pail_cache_open(&params);
    for (unsigned i = 2; i < 7; i++) {
        struct pail_cache_key key = test_key(i);
        key.device = other;
        size_t size;
        uint8_t *payload = pail_cache_get(cache, &key, &size);
        assert_non_null(payload);
        pail_cache_release(cache, payload);
    }
    pail_cache_close(cache);
    /* Once more changes nothing. */
    assert_null(pail_cache_import(exported, there, &n, &damaged));
    assert_int_equal(n, 8);
    cache = test_open(there, &log);
    assert_int_equal(test_get(cache, 10), 3);
    pail_cache_close(cache);
    assert_int_equal(log.n, 0);

    /* From a damaged file the whole entries are taken. */
    assert_int_equal(stat(exported, &st), 0);
    flip(exported, (size_t)st.st_size - 1);
    files_remove(there);
    assert_null(pail_cache_import(exported, there, &n, &damaged));
    assert_int_equal(n, 7);
    assert_int_equal(damaged, 1);
    files_write(exported, "x", 1, 0644);
    assert_non_null(pail_cache_import(exported, there, &n, &damaged));
    assert_int_equal(n, 0);
    assert_int_equal(unlink(exported), 0);
    assert_string_equal(pail_cache_import(exported, there, &n, &damaged),
                        "No such file or directory");
    assert_non_null(pail_cache_export(dir, dir, &n)); /* there is a folder of the name */
    free(rest);
    free(notes);
    free(exported);
    free(there);
}

/* A layer of an image is a folder with the files of an import, or one exported file. */
/* They are in no export, and nothing takes one from elsewhere. */
PAIL_TEST_WITH(private_entries_stay, make_folder, drop_folder)
{
    char *exported = files_path("%s/all.pailcache", top), *there = files_path("%s/there", top);
    uint64_t n, damaged;
    write_named(dir, &test_device, PAIL_CACHE_PRIVATE, 1, 0, 1000);
    assert_string_equal(pail_cache_export(exported, dir, &n), "the folder has no entries");
    write_entry(dir, &test_device, 2, 0, 1000);
    assert_null(pail_cache_export(exported, dir, &n));
    assert_int_equal(n, 1);
    struct pail_cache_file_info info;
    assert_int_equal(list(exported, &info).n, 1);
    assert_null(pail_cache_import(file, there, &n, &damaged));
    assert_int_equal(n, 1);
    assert_int_equal(damaged, 0);
    free(exported);
    free(there);
}

PAIL_TEST_WITH(served_as_a_layer, make_folder, drop_folder)
{
    char name[PAIL_CACHE_FILE_NAME_MAX];
    pail_cache_file_name(name, &test_device);
    char *layer = files_path("%s/layer", top), *path = files_path("%s/%s", layer, name);
    files_folder(layer, 0755);
    uint64_t n;
    write_entry(dir, &test_device, 1, 4, 1000);
    assert_null(pail_cache_export(path, dir, &n));
    struct test_log log = {0};
    char *user = files_path("%s/user", top);
    struct pail_cache_params params = test_params(user, &log);
    params.layers = layer;
    struct pail_cache *cache = pail_cache_open(&params);
    assert_int_equal(test_get(cache, 1), 4);
    pail_cache_close(cache);
    assert_int_equal(log.n, 0);
    free(layer);
    free(path);
    free(user);
}
