/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads that were put are found: in memory, in the file, by the next process, in a layer. */
#include "support.h"
#include "support/test.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "abi/files.h"

static int make_folder(void **state)
{
    *state = files_temporary();
    return 0;
}

static int drop_folder(void **state)
{
    files_remove(*state);
    free(*state);
    return 0;
}

PAIL_TEST_WITH(found_at_once_and_later, make_folder, drop_folder)
{
    const char *top = *state;
    char *dir = files_path("%s/a/b/pail", top);
    struct test_log log = {0};
    struct pail_cache *cache = test_open(dir, &log);
    assert_int_equal(test_get(cache, 1), -1);
    for (unsigned i = 0; i < 20; i++)
        test_put(cache, i, 0);
    test_put(cache, 3, 1);
    for (unsigned i = 0; i < 20; i++)
        assert_int_equal(test_get(cache, i), i == 3);
    assert_true(pail_cache_flush(cache));
    struct pail_cache_stats stats;
    pail_cache_read_stats(cache, &stats);
    assert_int_equal(stats.pending, 0);
    assert_true(stats.flushes >= 1); /* the writer may have been there before */
    assert_int_equal(stats.hits, 20);
    assert_int_equal(stats.misses, 1);
    for (unsigned i = 0; i < 20; i++)
        assert_int_equal(test_get(cache, i), i == 3);

    struct stat st;
    assert_int_equal(stat(pail_cache_path(cache), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    for (unsigned i = 0; i < 3; i++) {
        static const char *const parts[] = {"a", "a/b", "a/b/pail"};
        char *part = files_path("%s/%s", top, parts[i]);
        assert_int_equal(stat(part, &st), 0);
        assert_int_equal(st.st_mode & 07777, 0700);
        free(part);
    }

    struct pail_cache *other = test_open(dir, &log);
    for (unsigned i = 0; i < 20; i++)
        assert_int_equal(test_get(other, i), i == 3);
    assert_int_equal(test_get(other, 20), -1);
    /* Each sees what the other writes. */
    test_put(cache, 20, 2);
    assert_true(pail_cache_flush(cache));
    assert_int_equal(test_get(other, 20), 2);
    test_put(other, 21, 0);
    pail_cache_close(other);
    assert_int_equal(test_get(cache, 21), 0);
    pail_cache_close(cache);
    assert_int_equal(log.n, 0);
    free(dir);
}

/* Nobody asks for it to be written, and the process may be killed later. */
PAIL_TEST_WITH(written_behind, make_folder, drop_folder)
{
    struct pail_cache *cache = test_open(*state, NULL);
    test_put(cache, 1, 5);
    struct pail_cache_stats stats;
    do {
        const struct timespec moment = {.tv_nsec = 10000000};
        (void)nanosleep(&moment, NULL);
        pail_cache_read_stats(cache, &stats);
    } while (stats.pending > 0);
    struct pail_cache *other = test_open(*state, NULL);
    assert_int_equal(test_get(other, 1), 5);
    pail_cache_close(other);
    pail_cache_close(cache);
}

/* A payload that was handed out stays as it is, whatever becomes of the entry. */
PAIL_TEST_WITH(payloads_outlast_their_entries, make_folder, drop_folder)
{
    struct pail_cache *cache = test_open(*state, NULL);
    const struct pail_cache_key key = test_key(1);
    test_put(cache, 1, 1);
    size_t n;
    uint8_t *memory = pail_cache_get(cache, &key, &n), expected[101];
    assert_int_equal(n, sizeof(expected));
    test_put(cache, 1, 2);
    assert_true(pail_cache_flush(cache));
    uint8_t *file = pail_cache_get(cache, &key, &n);
    pail_cache_drop(cache, &key);
    assert_true(pail_cache_flush(cache));
    test_payload(expected, sizeof(expected), 1, 1);
    assert_memory_equal(memory, expected, sizeof(expected));
    test_payload(expected, sizeof(expected), 1, 2);
    assert_memory_equal(file, expected, sizeof(expected));
    pail_cache_release(cache, memory);
    pail_cache_release(cache, file);
    pail_cache_release(cache, NULL);
    pail_cache_close(cache);
    pail_cache_close(NULL);
}

/* An entry without a payload is an entry; one that is too large is none. */
PAIL_TEST_WITH(sizes, make_folder, drop_folder)
{
    struct test_log log = {0};
    struct pail_cache *cache = test_open(*state, &log);
    const struct pail_cache_key none = test_key(1), large = test_key(2);
    size_t n = 1;
    pail_cache_put(cache, &none, NULL, 0);
    pail_cache_put(cache, &large, (const uint8_t *)"", (size_t)PAIL_CACHE_PAYLOAD_MAX + 1);
    pail_cache_put(cache, &large, (const uint8_t *)"", (size_t)PAIL_CACHE_PAYLOAD_MAX + 1);
    assert_int_equal(log.n, 1);
    assert_non_null(strstr(log.last, "test/kernel2"));
    pail_cache_close(cache);
    cache = test_open(*state, &log);
    uint8_t *payload = pail_cache_get(cache, &none, &n);
    assert_non_null(payload);
    assert_int_equal(n, 0);
    pail_cache_release(cache, payload);
    assert_null(pail_cache_get(cache, &large, &n));
    pail_cache_close(cache);
    assert_int_equal(log.n, 1);
}

/* A device has a file of its own. */
PAIL_TEST_WITH(other_devices, make_folder, drop_folder)
{
    struct pail_cache_params params = test_params(*state, NULL);
    struct pail_cache *cache = test_open(*state, NULL);
    test_put(cache, 1, 1);
    pail_cache_close(cache);
    for (unsigned i = 0; i < 4; i++) {
        params.device = test_device;
        if (i == 0)
            params.device.uuid[3]++;
        else
            (i == 1   ? &params.device.vendor
             : i == 2 ? &params.device.device
                      : &params.device.driver)[0]++;
        cache = pail_cache_open(&params);
        assert_non_null(cache);
        struct pail_cache_key key = test_key(1);
        key.device = params.device;
        size_t n;
        assert_null(pail_cache_get(cache, &key, &n));
        pail_cache_put(cache, &key, (const uint8_t *)"x", 1);
        pail_cache_close(cache);
    }
    cache = test_open(*state, NULL);
    assert_int_equal(test_get(cache, 1), 1);
    pail_cache_close(cache);
}

PAIL_TEST_WITH(dropped_and_made_anew, make_folder, drop_folder)
{
    struct pail_cache *cache = test_open(*state, NULL);
    const struct pail_cache_key key = test_key(1);
    pail_cache_drop(cache, &key); /* nothing there yet */
    assert_true(pail_cache_flush(cache));
    test_put(cache, 1, 1);
    test_put(cache, 2, 1);
    pail_cache_drop(cache, &key); /* from memory */
    assert_int_equal(test_get(cache, 1), -1);
    test_put(cache, 1, 1); /* the same bytes again */
    assert_int_equal(test_get(cache, 1), 1);
    assert_true(pail_cache_flush(cache));
    assert_int_equal(test_get(cache, 1), 1);
    pail_cache_drop(cache, &key); /* from the file */
    assert_int_equal(test_get(cache, 1), -1);
    assert_true(pail_cache_flush(cache));
    assert_int_equal(test_get(cache, 1), -1);
    struct pail_cache *other = test_open(*state, NULL);
    assert_int_equal(test_get(other, 1), -1);
    assert_int_equal(test_get(other, 2), 1);
    /* An entry that another process has made meanwhile is not the one that was dropped. */
    test_put(other, 1, 2);
    assert_true(pail_cache_flush(other));
    test_put(cache, 3, 0);
    assert_true(pail_cache_flush(cache));
    assert_int_equal(test_get(cache, 1), 2);
    pail_cache_close(other);
    pail_cache_close(cache);
    other = test_open(*state, NULL);
    assert_int_equal(test_get(other, 1), 2);
    pail_cache_close(other);
}

PAIL_TEST_WITH(layered, make_folder, drop_folder)
{
    const char *top = *state;
    char *dirs[3], *list;
    for (unsigned i = 0; i < 3; i++)
        dirs[i] = files_path("%s/%u", top, i);
    list = files_path(":%s/none:%s::%s:", top, dirs[1], dirs[2]);
    for (unsigned i = 1; i < 3; i++) {
        struct pail_cache *cache = test_open(dirs[i], NULL);
        test_put(cache, 0, i);
        test_put(cache, i, i);
        pail_cache_close(cache);
        /* Nobody writes to a layer. */
        assert_int_equal(chmod(dirs[i], 0555), 0);
    }
    struct test_log log = {0};
    struct pail_cache_params params = test_params(dirs[0], &log);
    params.layers = list;
    struct pail_cache *cache = pail_cache_open(&params);
    assert_int_equal(test_get(cache, 0), 1); /* the first has it */
    assert_int_equal(test_get(cache, 1), 1);
    assert_int_equal(test_get(cache, 2), 2);
    assert_int_equal(test_get(cache, 3), -1);
    assert_true(pail_cache_flush(cache));
    assert_int_equal(access(dirs[0], F_OK), -1); /* nothing to write */
    test_put(cache, 0, 3);
    assert_int_equal(test_get(cache, 0), 3);
    assert_true(pail_cache_flush(cache));
    assert_int_equal(test_get(cache, 0), 3); /* the user's comes first */
    /* An entry that was dropped from a layer stays so, and can be replaced. */
    const struct pail_cache_key key = test_key(2);
    pail_cache_drop(cache, &key);
    assert_int_equal(test_get(cache, 2), -1);
    test_put(cache, 2, 4);
    assert_true(pail_cache_flush(cache));
    assert_int_equal(test_get(cache, 2), 4);
    pail_cache_close(cache);

    params.layers = NULL;
    assert_int_equal(setenv("PAIL_CACHE_LAYERS", dirs[1], 1), 0);
    cache = pail_cache_open(&params);
    assert_int_equal(test_get(cache, 1), 1);
    pail_cache_close(cache);
    assert_int_equal(setenv("PAIL_CACHE_LAYERS", "", 1), 0);
    cache = pail_cache_open(&params);
    assert_int_equal(test_get(cache, 1), -1);
    pail_cache_close(cache);
    assert_int_equal(unsetenv("PAIL_CACHE_LAYERS"), 0);

    assert_int_equal(log.n, 0);

    /* A layer that is damaged is told of, and those below it are looked at. */
    char name[PAIL_CACHE_FILE_NAME_MAX];
    pail_cache_file_name(name, &test_device);
    char *damaged = files_path("%s/%s", dirs[1], name);
    files_write(damaged, "x", 1, 0600);
    params.dir = "none";
    params.layers = list;
    cache = pail_cache_open(&params);
    assert_int_equal(log.n, 1);
    assert_int_equal(test_get(cache, 0), 2);
    assert_int_equal(test_get(cache, 1), -1);
    pail_cache_close(cache);
    assert_int_equal(log.n, 1);
    free(damaged);
    for (unsigned i = 0; i < 3; i++)
        free(dirs[i]);
    free(list);
}

/* ---- A host's own store ----------------------------------------------------------------------*/

struct store {
    unsigned n;
    struct slot {
        uint64_t key;
        uint8_t value[1500];
        size_t size;
    } slots[8];
    bool changes; /* it answers with another size the second time */
};

static size_t store_get(void *user, void *value, size_t capacity, uint64_t key)
{
    struct store *store = user;
    for (unsigned i = 0; i < store->n; i++) {
        struct slot *slot = &store->slots[i];
        if (slot->key != key)
            continue;
        const size_t n = slot->size < capacity ? slot->size : capacity;
        if (n > 0)
            memcpy(value, slot->value, n);
        return store->changes && capacity > 0 ? slot->size + 1 : slot->size;
    }
    return 0;
}

static void store_put(void *user, uint64_t key, const void *value, size_t size)
{
    struct store *store = user;
    unsigned i = 0;
    while (i < store->n && store->slots[i].key != key)
        i++;
    assert_true(i < 8 && size <= sizeof(store->slots[i].value));
    store->n = i < store->n ? store->n : i + 1;
    store->slots[i].key = key;
    store->slots[i].size = size;
    memcpy(store->slots[i].value, value, size);
}

PAIL_TEST_WITH(in_a_hosts_store, make_folder, drop_folder)
{
    const char *top = *state;
    static struct store store;
    struct test_log log = {0};
    char *dir = files_path("%s/unused", top);
    struct pail_cache_params params = test_params(dir, &log);
    params.get = store_get;
    params.put = store_put;
    params.store_user = &store;
    store.n = 0;
    struct pail_cache *cache = pail_cache_open(&params);
    assert_string_equal(pail_cache_path(cache), "");
    assert_int_equal(test_get(cache, 1), -1);
    test_put(cache, 1, 1); /* at once */
    assert_int_equal(store.n, 1);
    const struct pail_cache_key key = test_key(1);
    assert_int_equal(store.slots[0].key, pail_cache_key_hash(&key));
    assert_int_equal(store.slots[0].size, 200 + 101);
    struct pail_cache_entry entry;
    assert_null(pail_cache_entry_decode(&entry, store.slots[0].value, store.slots[0].size));
    assert_true(pail_cache_key_equal(&entry.key, &key));
    assert_int_equal(test_get(cache, 1), 1);
    assert_true(pail_cache_flush(cache));
    pail_cache_close(cache);
    cache = pail_cache_open(&params);
    assert_int_equal(test_get(cache, 1), 1);
    assert_int_equal(log.n, 0);

    /* Whatever a host gives back, it is a miss or what was put. */
    const struct slot good = store.slots[0];
    for (size_t bit = 0; bit < 8 * good.size; bit++) {
        store.slots[0].value[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(test_get(cache, 1), -1);
        store.slots[0] = good;
    }
    for (store.slots[0].size = 0; store.slots[0].size < good.size; store.slots[0].size++)
        assert_int_equal(test_get(cache, 1), -1);
    store.slots[0].size = SIZE_MAX;
    store.changes = true;
    assert_int_equal(test_get(cache, 1), -1);
    store.slots[0] = good;
    assert_int_equal(test_get(cache, 1), -1);
    store.changes = false;
    assert_int_equal(log.n, 1);
    assert_int_equal(test_get(cache, 1), 1);
    /* An entry of another key. */
    const struct pail_cache_key other = test_key(2);
    store.slots[0].key = pail_cache_key_hash(&other);
    assert_int_equal(test_get(cache, 2), -1);
    store.slots[0] = good;

    pail_cache_drop(cache, &other);
    pail_cache_drop(cache, &key);
    assert_int_equal(test_get(cache, 1), -1);
    test_put(cache, 1, 1);
    assert_int_equal(test_get(cache, 1), 1);
    struct pail_cache_stats stats;
    pail_cache_read_stats(cache, &stats);
    assert_int_equal(stats.pending, 0);
    assert_true(stats.damaged > 8 * good.size);
    pail_cache_close(cache);
    assert_int_equal(access(dir, F_OK), -1);
    assert_int_equal(log.n, 1);
    free(dir);
}
