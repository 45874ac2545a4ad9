/* One writer at a time, and what becomes of the others. */
#include "cache_support.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../cache/lock.h"
#include "../abi/files.h"

static char *dir, *lock_path;
static int folder;

static int make_folder(void **state)
{
    (void)state;
    dir = files_temporary();
    lock_path = files_path("%s/name.lock", dir);
    folder = open(dir, O_RDONLY | O_DIRECTORY);
    return folder < 0;
}

static int drop_folder(void **state)
{
    (void)state;
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
    waiter->lock = pail_cache_lock(folder, "name", &waiter->why);
    return NULL;
}

static void one_at_a_time(void **state)
{
    (void)state;
    const char *why;
    struct waiter waiter = {.lock = -1};
    const int lock = pail_cache_lock(folder, "name", &why);
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
static void removed_meanwhile(void **state)
{
    (void)state;
    const char *why;
    struct waiter waiter = {.lock = -1};
    const int lock = pail_cache_lock(folder, "name", &why);
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

/* Whoever keeps it for ever stops nobody else: the entries stay in memory. */
static void kept_for_ever(void **state)
{
    (void)state;
    char name[PAIL_CACHE_FILE_NAME_MAX];
    const char *why;
    struct test_log log = {0};
    pail_cache_file_name(name, &test_device);
    const int lock = pail_cache_lock(folder, name, &why);
    assert_int_equal(chmod(dir, 0700), 0);
    struct pail_cache *cache = test_open(dir, &log);
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

int main(void)
{
#define PLACED(test) cmocka_unit_test_setup_teardown(test, make_folder, drop_folder)
    const struct CMUnitTest tests[] = {
        PLACED(one_at_a_time),
        PLACED(removed_meanwhile),
        PLACED(kept_for_ever),
    };
    return cmocka_run_group_tests_name("unit/cache_lock", tests, NULL, NULL);
}
