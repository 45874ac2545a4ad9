/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads of one process at one cache, and at two caches of one file. */
#include "support.h"
#include "support/test.h"

#include <pthread.h>
#include <stdatomic.h>

#include "abi/files.h"

enum { CACHES = 2, THREADS = 8, KEYS = 16, STEPS = 120 };

struct thread {
    pthread_t id;
    struct pail_cache *cache;
    unsigned number;
    atomic_uint *wrong;
};

/* Puts, gets, drops and flushes at random; payloads are of the versions 0 to 6. */
static void *work(void *argument)
{
    const struct thread *thread = argument;
    unsigned random = thread->number + 1;
    for (unsigned step = 0; step < STEPS; step++) {
        random = random * 1103515245u + 12345u;
        const unsigned number = random >> 16 & (KEYS - 1), action = random >> 24 & 15;
        const struct pail_cache_key key = test_key(number);
        uint8_t payload[256], expected[256];
        const size_t bytes = 100 + number;
        if (action < 6) {
            test_payload(payload, bytes, number, thread->number % 7);
            pail_cache_put(thread->cache, &key, payload, bytes);
        } else if (action == 6) {
            if (!pail_cache_flush(thread->cache))
                atomic_fetch_add(thread->wrong, 1);
        } else if (action == 7) {
            pail_cache_drop(thread->cache, &key);
        } else {
            size_t n;
            uint8_t *got = pail_cache_get(thread->cache, &key, &n);
            unsigned version = 0;
            for (; got && version < 8; version++) {
                test_payload(expected, bytes, number, version);
                if (n == bytes && memcmp(got, expected, bytes) == 0)
                    break;
            }
            if (version == 8)
                atomic_fetch_add(thread->wrong, 1);
            pail_cache_release(thread->cache, got);
        }
    }
    return NULL;
}

PAIL_TEST(all_at_once)
{
    char *dir = files_temporary();
    struct test_log log[CACHES] = {{.n = 0}};
    struct pail_cache *caches[CACHES];
    struct thread threads[CACHES * THREADS];
    atomic_uint wrong = 0;
    for (unsigned i = 0; i < CACHES; i++)
        caches[i] = test_open(dir, &log[i]);
    for (unsigned i = 0; i < CACHES * THREADS; i++) {
        threads[i] = (struct thread){.cache = caches[i % CACHES], .number = i, .wrong = &wrong};
        assert_int_equal(pthread_create(&threads[i].id, NULL, work, &threads[i]), 0);
    }
    for (unsigned i = 0; i < CACHES * THREADS; i++)
        assert_int_equal(pthread_join(threads[i].id, NULL), 0);
    assert_int_equal(wrong, 0);
    /* Entries that nobody has dropped, and nobody else is about to write, may not be lost. */
    for (unsigned i = 0; i < CACHES; i++)
        assert_true(pail_cache_flush(caches[i]));
    for (unsigned i = 0; i < CACHES; i++)
        for (unsigned number = i; number < KEYS; number += CACHES)
            test_put(caches[i], number, 7);
    struct pail_cache_stats stats;
    for (unsigned i = 0; i < CACHES; i++) {
        assert_true(pail_cache_flush(caches[i]));
        pail_cache_read_stats(caches[i], &stats);
        assert_int_equal(stats.pending, 0);
        assert_int_equal(stats.damaged, 0);
    }
    for (unsigned i = 0; i < CACHES; i++)
        for (unsigned number = 0; number < KEYS; number++)
            assert_true(test_get(caches[i], number) >= 0);
    for (unsigned i = 0; i < CACHES; i++) {
        pail_cache_close(caches[i]);
        assert_int_equal(log[i].n, 0);
    }
    struct pail_cache *cache = test_open(dir, NULL);
    for (unsigned number = 0; number < KEYS; number++)
        assert_int_equal(test_get(cache, number), 7);
    pail_cache_close(cache);
    files_remove(dir);
    free(dir);
}
