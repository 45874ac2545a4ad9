/* What is put is found: in memory, in the file, by the next process, in a layer. */
#include "cache_support.h"

#include <sys/stat.h>
#include <unistd.h>

#include "../abi/files.h"

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

static void found_at_once_and_later(void **state)
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
    assert_int_equal(stats.flushes, 1);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(found_at_once_and_later, make_folder, drop_folder),
    };
    return cmocka_run_group_tests_name("unit/cache_round", tests, NULL, NULL);
}
