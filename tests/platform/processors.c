/* SPDX-License-Identifier: Apache-2.0 */
/* Processors of threads: lists, NUMA nodes out of a made folder, and threads that are moved. */
#define _GNU_SOURCE /* mkdtemp */

#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <platform/counters.h>
#include <platform/machine.h>
#include <platform/processors.h>
#include <platform/thread.h>

static const struct {
    const char *text;
    uint32_t count; /* 0: refused */
    const char *canonical;
} lists[] = {
    {"0", 1, "0"},       {"0-3,8\n", 5, "0-3,8"}, {"8,0-3", 5, "0-3,8"}, {"5,5,4-6", 3, "4-6"},
    {"4095", 1, "4095"}, {"63-64", 2, "63-64"},   {"", 0, ""},           {",1", 0, ""},
    {"1,", 0, ""},       {"3-1", 0, ""},          {"4096", 0, ""},       {"-1", 0, ""},
    {"1-", 0, ""},       {"0x1", 0, ""},          {"1 2", 0, ""},        {"0-99999999999", 0, ""},
};

PAIL_TEST(reads_lists)
{
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        struct pail_processors set;
        char text[64];
        assert_int_equal(pail_processors_read(&set, lists[i].text), lists[i].count != 0);
        assert_int_equal(set.count, lists[i].count);
        assert_string_equal(pail_processors_text(text, sizeof(text), &set), lists[i].canonical);
    }
}

static void write_node(const char *folder, uint32_t node, const char *text)
{
    char path[256];
    (void)snprintf(path, sizeof(path), "%s/node%u", folder, node);
    assert_int_equal(mkdir(path, 0700), 0);
    (void)snprintf(path, sizeof(path), "%s/node%u/cpulist", folder, node);
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void remove_node(const char *folder, uint32_t node)
{
    char path[256];
    (void)snprintf(path, sizeof(path), "%s/node%u/cpulist", folder, node);
    assert_int_equal(unlink(path), 0);
    (void)snprintf(path, sizeof(path), "%s/node%u", folder, node);
    assert_int_equal(rmdir(path), 0);
}

/* The first processor of the set. */
static uint32_t first_of(const struct pail_processors *set)
{
    uint32_t i = 0;
    while (!pail_processors_has(set, i))
        i++;
    return i;
}

static void expect_refusal(const char *cpus, const char *numa, const char *folder,
                           const char *words)
{
    struct pail_processors set;
    char sentence[256] = "";
    assert_false(pail_processors_choose(&set, "--cpus", cpus, "--numa", numa, folder, sentence,
                                        sizeof(sentence)));
    if (strstr(sentence, words) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", sentence, words);
}

PAIL_TEST(chooses_by_nodes)
{
    struct pail_processors own, set;
    char folder[] = "/tmp/pail-nodes-XXXXXX", all[256], one[16], sentence[256];
    pail_processors_get(&own);
    if (own.count == 0)
        SKIP_BECAUSE("the system has no affinity of threads");
    assert_non_null(mkdtemp(folder));
    (void)pail_processors_text(all, sizeof(all), &own);
    (void)snprintf(one, sizeof(one), "%u", first_of(&own));
    write_node(folder, 0, all);
    write_node(folder, 1, "\n"); /* memory alone */
    write_node(folder, 2, "4000-4095\n");
    assert_true(pail_processors_choose(&set, "c", NULL, "n", "0,2", folder, sentence, 256));
    assert_int_equal(set.count, own.count);
    assert_true(pail_processors_choose(&set, "c", one, "n", "0", folder, sentence, 256));
    assert_int_equal(set.count, 1);
    expect_refusal(NULL, "1", folder, "--numa 1: this process may run on no processor of it");
    expect_refusal(one, "2", folder, "--numa 2: this process may run on no processor of it");
    expect_refusal(NULL, "0,7", folder, "--numa 0,7: there is no such NUMA node");
    expect_refusal(NULL, "x", folder, "--numa x: expected numbers such as 0-3,8");
    expect_refusal("all", NULL, folder, "--cpus all: expected numbers such as 0-3,8");
    expect_refusal("4000-4095", NULL, folder, "this process may run on none of these processors");
    for (uint32_t i = 0; i < 3; i++)
        remove_node(folder, i);
    assert_int_equal(rmdir(folder), 0);
}

static void *note_set(void *set)
{
    pail_processors_get(set);
    return NULL;
}

static void expect_thread(const struct pail_processors *wanted)
{
    struct pail_processors got = {.count = 0};
    pthread_t thread;
    assert_int_equal(pail_thread_start(&thread, "pail-test", PAIL_STACK_OWN, note_set, &got), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_memory_equal(got.bits, wanted->bits, sizeof(got.bits));
}

PAIL_TEST(moves_threads)
{
    struct pail_processors own, one = {.count = 1}, now;
    char text[16], sentence[256];
    pail_processors_get(&own);
    if (own.count == 0)
        SKIP_BECAUSE("the system has no affinity of threads");
    const uint32_t first = first_of(&own);
    one.bits[first / 64] = UINT64_C(1) << first % 64;
    expect_thread(&own);

    /* By the environment: threads that are made, not the one that makes them. */
    (void)snprintf(text, sizeof(text), "%u", first);
    assert_int_equal(setenv("PAIL_CPUS", text, 1), 0);
    expect_thread(&one);
    pail_processors_get(&now);
    assert_memory_equal(now.bits, own.bits, sizeof(own.bits));
    assert_int_equal(pail_team_processors(), 1);
    assert_int_equal(setenv("PAIL_CPUS", "4095", 1), 0);
    assert_false(pail_processors_of_environment(&now, sentence, sizeof(sentence)));
    assert_non_null(strstr(sentence, "PAIL_CPUS 4095: this process may run on none"));

    /* The caches are those of the same set as the processors. */
    assert_int_equal(setenv("PAIL_CPUS", text, 1), 0);
    struct pail_caches caches, of_one;
    pail_read_caches(&caches, NULL);
    assert_int_equal(pail_processors_use(&one), 0);
    assert_int_equal(unsetenv("PAIL_CPUS"), 0);
    pail_read_caches(&of_one, NULL);
    assert_int_equal(pail_processors_use(&own), 0);
    assert_int_equal(caches.processors, 1);
    assert_int_equal(caches.l3_bytes, of_one.l3_bytes);
    assert_int_equal(pail_team_processors(), own.count);

    /* By the call: the thread itself, and those that it makes. */
    assert_int_equal(pail_processors_use(&one), 0);
    expect_thread(&one);
    assert_int_equal(pail_team_processors(), 1);
    assert_int_equal(pail_processors_use(&own), 0);
}

/* Numbers that the kernel scales shrink where counters take turns: 100 of (10, 5) is 200, and 101
 * of (12, 7) is 173. */
PAIL_TEST(scales_differences)
{
    static const struct {
        struct pail_reading before, after;
        bool ran;
        uint64_t counted;
    } rows[] = {
        {{0, 0, 0}, {100, 10, 10}, true, 100},  {{0, 0, 0}, {100, 10, 5}, true, 200},
        {{100, 10, 5}, {101, 12, 7}, true, 1},  {{100, 10, 5}, {104, 14, 7}, true, 8},
        {{100, 10, 5}, {100, 14, 5}, false, 0}, {{100, 10, 5}, {100, 10, 5}, false, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t counted = 7;
        assert_int_equal(pail_counted_between(&counted, &rows[i].before, &rows[i].after),
                         rows[i].ran);
        assert_int_equal(counted, rows[i].counted);
    }
}

/* Counters are there, or there is a reason; a loop takes as many instructions as it has turns. */
PAIL_TEST(counts)
{
    struct pail_counters counters;
    enum { TURNS = 1000000 };
    pail_counters_begin(&counters);
    for (volatile uint32_t i = 0; i < TURNS; i++) {
    }
    static char reason[sizeof(counters.reason)];
    bool any = false;
    for (enum pail_counter i = 0; i < PAIL_COUNTERS; i++) {
        const bool there = pail_counters_read(&counters, i);
        any |= there;
        if (!there)
            assert_true(counters.reason[0] != '\0');
        else if (i == PAIL_COUNTER_INSTRUCTIONS)
            assert_true(counters.values[i] > TURNS);
    }
    memcpy(reason, counters.reason, sizeof(reason));
    pail_counters_end(&counters);
    assert_int_equal(counters.fds[0], -1);
    if (!any)
        SKIP_BECAUSE(reason);
}

/* Once a call has chosen, the environment is not asked. It cannot be taken back, so it is the last.
 */
PAIL_TEST(a_call_wins)
{
    struct pail_processors own, set;
    char sentence[256];
    pail_processors_get(&own);
    if (own.count == 0)
        SKIP_BECAUSE("the system has no affinity of threads");
    assert_int_equal(setenv("PAIL_CPUS", "4095", 1), 0);
    assert_false(pail_processors_of_environment(&set, sentence, sizeof(sentence)));
    pail_processors_chosen();
    assert_true(pail_processors_of_environment(&set, sentence, sizeof(sentence)));
    assert_int_equal(set.count, 0);
    expect_thread(&own);
    pail_processors_forget_environment();
    assert_null(getenv("PAIL_CPUS"));
}
