/* SPDX-License-Identifier: Apache-2.0 */
/* Threads for multiplications on the host, by what third-level caches hold. */
#include <sched.h>

#include <platform/machine.h>

#include "support/test.h"

PAIL_TEST(as_many_threads_as_caches_hold)
{
    /* 192 threads, 12 caches of 32 MiB, and 6 MiB of buckets in each thread: 32 was tuned by hand.
     */
    const struct pail_caches large = {.processors = 192, .l3_bytes = UINT64_C(384) << 20};
    assert_int_equal(pail_pool_threads(&large, 0, 6291456), 32);
    assert_int_equal(pail_pool_threads(&large, 64 << 20, 6291456), 10);
    assert_int_equal(pail_pool_threads(&large, 1, 6291456), 1);
    assert_int_equal(pail_pool_threads(&large, 0, 1000), 192);
    assert_int_equal(pail_pool_threads(&(struct pail_caches){.processors = 8}, 0, 6291456), 8);
}

static char folder[] = "/tmp/pail-caches-XXXXXX";

static void shell(const char *words)
{
    char text[1024];
    (void)snprintf(text, sizeof(text), "cd '%s' && %s", folder, words);
    assert_int_equal(system(text), 0);
}

/* Processors 0 and 1 share a cache, and 2 and 3; which of them may be used, and for how long. */
PAIL_TEST(caches_of_a_machine)
{
    static const struct {
        const char *allowed, *quota;
        uint32_t processors;
        uint64_t l3_mib;
    } cases[] = {
        {"0-3", "max 100000", 4, 64},    {"0,2", "max 100000", 2, 64},
        {"2-3", "max 100000", 2, 32},    {"3", "max 100000", 1, 32},
        {"0-3", "250000 100000", 3, 64}, {"0-3", "50000 100000", 1, 64},
        {"0-1", "900000 100000", 2, 32}, {"0-3", "0 0", 4, 64},
    };
    char text[512], cpus[64], proc[64], cgroup[64];
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 4; i++) {
        (void)snprintf(text, sizeof(text),
                       "d=cpu%d/cache/index3 && mkdir -p $d && echo 3 > $d/level && echo %d-%d > "
                       "$d/shared_cpu_list && echo 32768K > $d/size",
                       i, i / 2 * 2, i / 2 * 2 + 1);
        shell(text);
    }
    shell("mkdir -p proc/self proc/thread-self groups/a/b && echo 0::/a/b > proc/self/cgroup");
    (void)snprintf(cpus, sizeof(cpus), "%s", folder);
    (void)snprintf(proc, sizeof(proc), "%s/proc", folder);
    (void)snprintf(cgroup, sizeof(cgroup), "%s/groups", folder);
    const struct pail_processor_files files = {cpus, proc, cgroup};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pail_caches caches;
        (void)snprintf(text, sizeof(text),
                       "printf 'Name:\\tx\\nCpus_allowed_list:\\t%s\\n' > "
                       "proc/thread-self/status && echo %s > groups/a/cpu.max",
                       cases[i].allowed, cases[i].quota);
        shell(text);
        pail_read_caches(&caches, &files);
        assert_int_equal(caches.processors, cases[i].processors);
        assert_int_equal(caches.l3_bytes, cases[i].l3_mib << 20);
    }
    (void)snprintf(text, sizeof(text), "rm -r '%s'", folder);
    assert_int_equal(system(text), 0);
}

/* A thread that may run on one processor alone counts one. */
PAIL_TEST(processors_of_a_thread)
{
    cpu_set_t all, one;
    struct pail_caches caches;
    assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
    pail_read_caches(&caches, NULL);
    assert_int_equal(caches.processors, 1);
    assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
}
