/* SPDX-License-Identifier: Apache-2.0 */
/* A cache in a process that forks, and in one whose files may not grow. */
#include "support.h"
#include "support/test.h"

#include <sys/resource.h>
#include <unistd.h>

#include "abi/files.h"
#include "support/await.h"

/* The child has none of the threads: it can do nothing with the cache but leave it alone. */
PAIL_TEST(forked)
{
    char *dir = files_temporary();
    struct pail_cache *cache = test_open(dir, NULL);
    test_put(cache, 1, 1); /* starts the writer */
    (void)fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct pail_cache_key key = test_key(1);
        size_t n = 1;
        bool good = !pail_cache_get(cache, &key, &n) && n == 0 && !pail_cache_flush(cache);
        pail_cache_put(cache, &key, (const uint8_t *)"x", 1);
        pail_cache_drop(cache, &key);
        pail_cache_close(cache);
        struct pail_cache *own = test_open(dir, NULL); /* this process's */
        good = good && own;
        pail_cache_close(own);
        _exit(good ? 0 : 1);
    }
    assert_int_equal(await(child), 0);
    assert_int_equal(test_get(cache, 1), 1);
    assert_true(pail_cache_flush(cache));
    pail_cache_close(cache);
    files_remove(dir);
    free(dir);
}

/* Writing fails with a sentence, in whichever thread; no signal ends the process. */
PAIL_TEST(no_growth)
{
    char *dir = files_temporary();
    struct test_log log = {.n = 0};
    struct pail_cache *cache = test_open(dir, &log);
    struct rlimit before, none;
    struct sigaction action = {.sa_handler = SIG_DFL};
    assert_int_equal(sigaction(SIGXFSZ, &action, NULL), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    test_put(cache, 1, 1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    const bool written = pail_cache_flush(cache);
    (void)usleep(600000); /* the writer tries as well */
    sigset_t pending;
    const bool asked = sigpending(&pending) == 0;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_false(written);
    assert_true(asked && sigismember(&pending, SIGXFSZ) == 0);
    assert_int_equal(log.n, 1);
    assert_non_null(strstr(log.last, "File too large"));
    assert_int_equal(test_get(cache, 1), 1);
    assert_true(pail_cache_flush(cache));
    pail_cache_close(cache);
    files_remove(dir);
    free(dir);
}
