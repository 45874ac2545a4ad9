/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of a cache fails once: nothing is leaked or crashes, and what is found is right.
 */
#include "support.h"
#include "support/test.h"

#include <pthread.h>

#include "abi/files.h"

/* Counts from any thread. */
struct memory {
    pthread_mutex_t mutex;
    unsigned long n, fails, held; /* fails: the number of the one that fails, from 1 on; 0: none */
};

static void *take(void *user, size_t size)
{
    struct memory *memory = user;
    pthread_mutex_lock(&memory->mutex);
    const bool good = ++memory->n != memory->fails;
    memory->held += good;
    pthread_mutex_unlock(&memory->mutex);
    void *ptr = good ? malloc(size) : NULL;
    if (ptr)
        memset(ptr, 0xcc, size);
    return ptr;
}

static void give(void *user, void *ptr)
{
    struct memory *memory = user;
    assert_non_null(ptr);
    pthread_mutex_lock(&memory->mutex);
    memory->held--;
    pthread_mutex_unlock(&memory->mutex);
    free(ptr);
}

static size_t no_value(void *user, void *value, size_t capacity, uint64_t key)
{
    (void)key;
    uint8_t made[264];
    const struct pail_cache_entry entry = {
        .key = test_key(1), .payload = user, .payload_bytes = 64};
    pail_cache_entry_encode(made, &entry);
    if (capacity > 0)
        memcpy(value, made, capacity < sizeof(made) ? capacity : sizeof(made));
    return sizeof(made);
}

static void no_put(void *user, uint64_t key, const void *value, size_t size)
{
    (void)user;
    (void)key;
    (void)value;
    (void)size;
}

/* A life with a bit of all; false when it could not begin. */
static bool live(struct memory *memory, const char *top, struct test_log *log)
{
    char *dir = files_path("%s/pail", top), *layer = files_path("%s/layer:/nowhere", top);
    struct pail_cache_params params = test_params(dir, log);
    params.layers = layer;
    params.alloc = (struct pail_cache_alloc){.user = memory, .alloc = take, .free = give};
    struct pail_cache *cache = pail_cache_open(&params);
    if (cache) {
        const struct pail_cache_key key = test_key(3);
        int version = test_get(cache, 0);
        assert_true(version == -1 || version == 0);
        version = test_get(cache, 1);
        assert_true(version == -1 || version == 1);
        for (unsigned i = 0; i < 20; i++)
            test_put(cache, i, 2);
        (void)pail_cache_flush(cache);
        pail_cache_drop(cache, &key);
        for (unsigned i = 0; i < 20; i++) {
            version = test_get(cache, i);
            assert_true(version == -1 || version == 2 || version == (int)i);
        }
        pail_cache_close(cache);
    }
    uint8_t payload[64] = {1};
    params.get = no_value;
    params.put = no_put;
    params.store_user = payload;
    struct pail_cache *store = pail_cache_open(&params);
    if (store) {
        const struct pail_cache_key key = test_key(1);
        size_t n;
        pail_cache_release(store, pail_cache_get(store, &key, &n));
        pail_cache_put(store, &key, payload, sizeof(payload));
        pail_cache_drop(store, &key);
        pail_cache_close(store);
    }
    assert_int_equal(memory->held, 0);
    free(dir);
    free(layer);
    return cache && store;
}

/* The user's file has 0 at version 0, a layer has 1 at version 1. */
static char *prepare(void)
{
    char *top = files_temporary();
    for (unsigned i = 0; i < 2; i++) {
        char *dir = files_path("%s/%s", top, i == 0 ? "pail" : "layer");
        struct pail_cache *cache = test_open(dir, NULL);
        test_put(cache, i, i);
        pail_cache_close(cache);
        free(dir);
    }
    return top;
}

PAIL_TEST(each_allocation_fails)
{
    struct memory memory = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    struct test_log log = {0};
    char *top = prepare();
    assert_true(live(&memory, top, &log));
    assert_int_equal(log.n, 0);
    const unsigned long n = memory.n;
    assert_in_range(n, 40, 400);
    unsigned unopened = 0;
    for (unsigned long i = 1; i <= n; i++) {
        files_remove(top);
        free(top);
        top = prepare();
        memory.n = 0;
        memory.fails = i;
        log.n = 0;
        unopened += !live(&memory, top, &log);
        assert_true(log.n <= 2); /* a file that is not opened, an entry that is not kept */
        /* Files are whole, whatever happened. */
        char *dir = files_path("%s/pail", top);
        struct pail_cache *cache = test_open(dir, &log);
        log.n = 0;
        const int version = test_get(cache, 0);
        assert_true(version == 0 || version == 2);
        pail_cache_close(cache);
        assert_int_equal(log.n, 0);
        free(dir);
    }
    assert_in_range(unopened, 5, n / 2);
    files_remove(top);
    free(top);
}
