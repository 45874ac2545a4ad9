/* Threads for multiplications on the host, by what third-level caches hold. */
#include <stdio.h>
#include <stdlib.h>

#include <prover/jobs/pool_size.h>

#include "support/cmocka_all.h"

static void as_many_threads_as_caches_hold(void **state)
{
    (void)state;
    /* 192 threads, 12 caches of 32 MiB, and 6 MiB of buckets in each thread: 32 was tuned by hand.
     */
    const struct pail_caches large = {.processors = 192, .l3_bytes = UINT64_C(384) << 20};
    assert_int_equal(pail_pool_threads(&large, 0, 6291456), 32);
    assert_int_equal(pail_pool_threads(&large, 64 << 20, 6291456), 10);
    assert_int_equal(pail_pool_threads(&large, 1, 6291456), 1);
    assert_int_equal(pail_pool_threads(&large, 0, 1000), 192);
    assert_int_equal(pail_pool_threads(&(struct pail_caches){.processors = 8}, 0, 6291456), 8);
}

/* Processors 0 and 1 share a cache, 2 has one of its own. */
static void caches_of_a_machine(void **state)
{
    (void)state;
    static const char *const shared[] = {"0-1", "0-1", "2"};
    char folder[] = "/tmp/pail-caches-XXXXXX", text[512];
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 3; i++) {
        (void)snprintf(text, sizeof(text),
                       "d=%s/cpu%d/cache/index3 && mkdir -p $d && echo 3 > $d/level && echo %s > "
                       "$d/shared_cpu_list && echo 32768K > $d/size",
                       folder, i, shared[i]);
        assert_int_equal(system(text), 0);
    }
    struct pail_caches caches;
    pail_read_caches(&caches, folder);
    assert_int_equal(caches.processors, 3);
    assert_int_equal(caches.l3_bytes, 64 << 20);
    (void)snprintf(text, sizeof(text), "rm -r '%s'", folder);
    assert_int_equal(system(text), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_threads_as_caches_hold),
        cmocka_unit_test(caches_of_a_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
