/* SPDX-License-Identifier: Apache-2.0 */
/* One writer at a time, and what becomes of the others. */
#include "support.h"
#include "support/test.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "abi/files.h"
#include <platform/clock.h>

#include <cache/lock.h>

static char *dir, *lock_path;
static int folder;

PAIL_FIXTURE(make_folder)
{
    dir = files_temporary();
    lock_path = files_path("%s/name.lock", dir);
    folder = open(dir, O_RDONLY | O_DIRECTORY);
    return folder < 0;
}

PAIL_FIXTURE(drop_folder)
{
    (void)close(folder);
    files_remove(dir);
    free(dir);
    free(lock_path);
    return 0;
}

static void moment(void)
{
    const struct timespec time = {.tv_nsec = 50000000};
    (void)nanosleep(&time, NULL);
}

struct waiter {
    pthread_t id;
    const char *why;
    int lock;
};

static void *wait_for_it(void *argument)
{
    struct waiter *waiter = argument;
    waiter->lock = pail_cache_lock(folder, "name", pail_cache_lock_until(0), &waiter->why);
    return NULL;
}

PAIL_TEST_WITH(one_at_a_time, make_folder, drop_folder)
{
    const char *why;
    struct waiter waiter = {.lock = -1};
    const int lock = pail_cache_lock(folder, "name", pail_cache_lock_until(0), &why);
    assert_true(lock >= 0);
    struct stat st;
    assert_int_equal(stat(lock_path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    const int other = open(lock_path, O_RDWR);
    assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
    assert_int_equal(pthread_create(&waiter.id, NULL, wait_for_it, &waiter), 0);
    moment();
    /* A child that was forked meanwhile would have a copy of it. */
    const int copy = dup(lock);
    pail_cache_unlock(lock);
    assert_int_equal(pthread_join(waiter.id, NULL), 0);
    assert_true(waiter.lock >= 0);
    pail_cache_unlock(waiter.lock);
    assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(close(copy), 0);
    assert_int_equal(close(other), 0);
}

/* Somebody removes the folder's files while we wait: what we then lock must be what others see. */
PAIL_TEST_WITH(removed_meanwhile, make_folder, drop_folder)
{
    const char *why;
    struct waiter waiter = {.lock = -1};
    const int lock = pail_cache_lock(folder, "name", pail_cache_lock_until(0), &why);
    assert_int_equal(pthread_create(&waiter.id, NULL, wait_for_it, &waiter), 0);
    moment();
    assert_int_equal(unlink(lock_path), 0);
    pail_cache_unlock(lock);
    assert_int_equal(pthread_join(waiter.id, NULL), 0);
    struct stat ours, seen;
    assert_true(waiter.lock >= 0);
    assert_int_equal(fstat(waiter.lock, &ours), 0);
    assert_int_equal(stat(lock_path, &seen), 0);
    assert_int_equal(ours.st_ino, seen.st_ino);
    pail_cache_unlock(waiter.lock);
}

/* A process that keeps the lock for ever stops nobody else: the entries stay in memory. */
PAIL_TEST_WITH(kept_for_ever, make_folder, drop_folder)
{
    char name[PAIL_CACHE_FILE_NAME_MAX];
    const char *why;
    struct test_log log = {0};
    pail_cache_file_name(name, &test_device);
    const int lock = pail_cache_lock(folder, name, pail_cache_lock_until(0), &why);
    assert_int_equal(chmod(dir, 0700), 0);
    struct pail_cache_params params = test_params(dir, &log);
    params.lock_wait_ms = 100;
    struct pail_cache *cache = pail_cache_open(&params);
    test_put(cache, 1, 1);
    assert_false(pail_cache_flush(cache));
    assert_int_equal(log.n, 1);
    assert_non_null(strstr(log.last, "others have kept it locked"));
    assert_int_equal(test_get(cache, 1), 1);
    pail_cache_unlock(lock);
    assert_true(pail_cache_flush(cache));
    pail_cache_close(cache);
    cache = test_open(dir, &log);
    assert_int_equal(test_get(cache, 1), 1);
    pail_cache_close(cache);
    assert_int_equal(log.n, 1);
}

/* Than it was asked to. A machine may be so busy that a thread has to wait for long itself; four
 * waits one after the other would still be longer. */
enum { LONGER_MS = 1500 };

/* The time to wait is time and not a number of sleeps, and a moment that is past still allows one
 * attempt. */
PAIL_TEST_WITH(waits_as_long_as_told, make_folder, drop_folder)
{
    const char *why = NULL;
    const int lock = pail_cache_lock(folder, "name", 0, &why);
    assert_true(lock >= 0);
    for (uint32_t wait = 1; wait <= 401; wait += 200) {
        const double begin = pail_now_ms();
        assert_int_equal(pail_cache_lock(folder, "name", pail_cache_lock_until(wait), &why), -1);
        const double waited = pail_now_ms() - begin;
        assert_non_null(strstr(why, "others have kept it locked"));
        if (waited < wait || waited > wait + LONGER_MS)
            fail_msg("waited %.1f ms where %u were allowed", waited, wait);
    }
    pail_cache_unlock(lock);
}

static void *flush(void *cache)
{
    assert_false(pail_cache_flush(cache));
    return NULL;
}

/* Four threads that write, the one behind the cache's back, and its end: each would wait after the
 * one before it, were the time not that of all of them. */
PAIL_TEST_WITH(one_time_for_all, make_folder, drop_folder)
{
    enum { WAIT_MS = 600, THREADS = 4 };
    char name[PAIL_CACHE_FILE_NAME_MAX];
    const char *why;
    pail_cache_file_name(name, &test_device);
    const int lock = pail_cache_lock(folder, name, 0, &why);
    assert_true(lock >= 0);
    assert_int_equal(chmod(dir, 0700), 0);
    struct pail_cache_params params = test_params(dir, NULL);
    params.lock_wait_ms = WAIT_MS;
    struct pail_cache *cache = pail_cache_open(&params);
    assert_non_null(cache);
    test_put(cache, 1, 1);
    const double begin = pail_now_ms();
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, flush, cache), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    const double flushed = pail_now_ms() - begin;
    if (flushed < WAIT_MS || flushed > WAIT_MS + LONGER_MS)
        fail_msg("four flushes took %.1f ms where %d were allowed", flushed, WAIT_MS);
    test_put(cache, 2, 1); /* the writer is about it when the cache is closed */
    const struct timespec while_it_waits = {.tv_nsec = 400000000};
    (void)nanosleep(&while_it_waits, NULL);
    const double closing = pail_now_ms();
    pail_cache_close(cache);
    const double closed = pail_now_ms() - closing;
    if (closed > WAIT_MS + LONGER_MS)
        fail_msg("the end took %.1f ms where %d were allowed", closed, WAIT_MS);
    pail_cache_unlock(lock);
}
