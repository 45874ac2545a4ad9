/* SPDX-License-Identifier: Apache-2.0 */
/* Every call of the system that the cache makes fails, each once and each with all that follow it:
 * no entry that was whole is lost, none is wrong, nothing hangs, and one line says what was wrong.
 * The same for calls that are interrupted or do a part of what was asked. */
#include <platform/clock.h>

#include "cache/support.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/files.h"
#include "syscalls.h"

enum { OLD = 4, NEW = 3, LONGEST_MS = 8000 }; /* less than the ten seconds of a wait for a lock */

static char *dir, *packed, *name;

/* A folder with OLD entries of version 1, on which entry 0 becomes version 2 later. */
static int make_folder(void **state)
{
    (void)state;
    uint64_t n;
    dir = files_temporary();
    if (chmod(dir, 0700) != 0)
        return -1;
    packed = files_path("%s/packed", dir);
    name = files_path("%s/cache", dir);
    struct pail_cache *cache = test_open(name, NULL);
    for (unsigned i = 0; i < OLD; i++)
        test_put(cache, i, 1);
    pail_cache_close(cache);
    return pail_cache_export(packed, name, &n) != NULL;
}

static int drop_folder(void **state)
{
    (void)state;
    files_remove(dir);
    free(dir);
    free(packed);
    free(name);
    return 0;
}

static void put_back(void)
{
    uint64_t n, damaged;
    files_remove(name);
    assert_null(pail_cache_import(packed, name, &n, &damaged));
    assert_int_equal(n, OLD);
}

static unsigned count_aside(const char *folder)
{
    DIR *const entries = opendir(folder);
    unsigned n = 0;
    if (entries == NULL)
        return 0;
    for (const struct dirent *entry = readdir(entries); entry; entry = readdir(entries))
        n += strstr(entry->d_name, ".tmp") != NULL;
    assert_int_equal(closedir(entries), 0);
    return n;
}

/* Uses a cache as a process does: looks up, adds, replaces, drops, writes. True: it was told that
 * all is written. */
static bool work(struct test_log *log)
{
    const struct pail_cache_key useless = test_key(OLD - 1);
    struct pail_cache_params params = test_params(name, log);
    params.lock_wait_ms = 200;
    struct pail_cache *cache = pail_cache_open(&params);
    assert_non_null(cache);
    for (unsigned i = 0; i < OLD; i++) {
        const int version = test_get(cache, i);
        assert_true(version == 1 || version == -1);
    }
    test_put(cache, 0, 2);
    for (unsigned i = 0; i < NEW; i++)
        test_put(cache, OLD + i, 1);
    const bool flushed = pail_cache_flush(cache);
    pail_cache_drop(cache, &useless);
    /* An entry that was put is there as long as it is not written. */
    const int put = test_get(cache, 0);
    assert_true(put == 2 || (flushed && put == -1));
    pail_cache_close(cache);
    return flushed;
}

/* Checks the entries that are there afterwards, without trouble. */
static void look(bool flushed, const char *when)
{
    struct test_log log = {0};
    struct pail_cache *cache = test_open(name, &log);
    if (log.n > 0)
        fail_msg("%s: %s", when, log.last);
    const int first = test_get(cache, 0);
    if (first != 2 && (flushed || first != 1))
        fail_msg("%s: entry 0 has version %d", when, first);
    for (unsigned i = 1; i < OLD - 1; i++)
        if (test_get(cache, i) != 1)
            fail_msg("%s: entry %u is lost", when, i);
    const int dropped = test_get(cache, OLD - 1);
    assert_true(dropped == 1 || dropped == -1);
    for (unsigned i = 0; i < NEW; i++) {
        const int version = test_get(cache, OLD + i);
        if (version != 1 && (flushed || version != -1))
            fail_msg("%s: new entry %u has version %d", when, i, version);
    }
    test_put(cache, 20, 1);
    assert_true(pail_cache_flush(cache));
    pail_cache_close(cache);
    assert_int_equal(count_aside(name), 0); /* left files go with the next writing */
}

static unsigned long count_calls(void)
{
    struct test_log log = {0};
    put_back();
    syscalls_arm(CALLS_FAIL, 0, false);
    const bool flushed = work(&log);
    syscalls_arm(CALLS_PASS, 0, false);
    assert_true(flushed);
    assert_int_equal(log.n, 0);
    look(true, "without trouble");
    return atomic_load(&syscalls.count);
}

static void each_call_fails(void **state)
{
    const bool lasting = *state != NULL;
    const unsigned long n = count_calls();
    assert_in_range(n, 30, 400);
    unsigned told = 0;
    for (unsigned long at = 1; at <= n + 2; at++) {
        char when[64];
        (void)snprintf(when, sizeof(when), "call %lu%s", at, lasting ? " and all after it" : "");
        put_back();
        struct test_log log = {0};
        const double begin = pail_now_ms();
        syscalls_arm(CALLS_FAIL, at, lasting);
        const bool flushed = work(&log);
        syscalls_arm(CALLS_PASS, 0, false);
        if (pail_now_ms() - begin > LONGEST_MS)
            fail_msg("%s: it took %.0f ms", when, pail_now_ms() - begin);
        /* One line for each thing that went wrong, and the last cause for a failure is told. */
        if (!flushed && log.n == 0)
            fail_msg("%s: it failed and nobody was told", when);
        if (log.n > 3)
            fail_msg("%s: %u lines, the last: %s", when, log.n, log.last);
        assert_null(strchr(log.last, '\n'));
        told += log.n > 0;
        look(flushed, when);
    }
    print_message("%lu calls, %u times told\n", n, told);
}

static void interrupted_and_shortened(void **state)
{
    (void)state;
    for (enum syscall_mode mode = CALLS_INTERRUPT; mode <= CALLS_SHORTEN; mode++) {
        put_back();
        struct test_log log = {0};
        syscalls_arm(mode, 0, false);
        const bool flushed = work(&log);
        syscalls_arm(CALLS_PASS, 0, false);
        assert_true(flushed);
        if (log.n > 0)
            fail_msg("%s", log.last);
        look(true, mode == CALLS_INTERRUPT ? "interrupted" : "shortened");
    }
}

/* From one file to a folder and back: whole or not at all, and the old export stays. */
static void export_and_import(void **state)
{
    const bool lasting = *state != NULL;
    char *const out = files_path("%s/out", dir), *const other = files_path("%s/other", dir);
    uint64_t n, damaged;
    unsigned long calls = 1000;
    for (unsigned long at = 1; at <= calls; at++) {
        (void)unlink(out);
        assert_null(pail_cache_export(out, name, &n));
        if (access(other, F_OK) == 0)
            files_remove(other);
        syscalls_arm(CALLS_FAIL, at, lasting);
        const char *why = pail_cache_export(out, name, &n);
        const char *const then = pail_cache_import(packed, other, &n, &damaged);
        syscalls_arm(CALLS_PASS, 0, false);
        if (!why && !then)
            calls = atomic_load(&syscalls.count) < at ? at : calls;
        struct pail_cache_file_info info;
        assert_null(pail_cache_file_examine(out, &info, NULL, NULL));
        assert_int_equal(info.n_damaged, 0);
        assert_int_equal(info.n_entries, OLD);
        if (!then) {
            assert_null(pail_cache_import(packed, other, &n, &damaged));
            struct pail_cache *cache = test_open(other, NULL);
            for (unsigned i = 0; i < OLD; i++)
                assert_int_equal(test_get(cache, i), 1);
            pail_cache_close(cache);
        }
    }
    assert_in_range(calls, 20, 400);
    free(out);
    free(other);
}

int main(void)
{
    static char all_after[] = "";
#define PLACED(test, how)                                                                          \
    {                                                                                              \
#test, test, make_folder, drop_folder, how                                                 \
    }
    const struct CMUnitTest tests[] = {
        PLACED(interrupted_and_shortened, NULL), PLACED(each_call_fails, NULL),
        PLACED(each_call_fails, all_after),      PLACED(export_and_import, NULL),
        PLACED(export_and_import, all_after),
    };
    return cmocka_run_group_tests_name("fault/cache_calls", tests, NULL, NULL);
}
