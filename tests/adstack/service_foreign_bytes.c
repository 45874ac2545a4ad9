/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of arrays on a device that Pail cannot read: those that expressions read, and no
 * others. */
#include "remote.h"
#include "service_support.h"
#include "support/test.h"
#include "trees.h"

enum { A = 11, B = 22 };

struct reading {
    const char *tree;
    const char *ranks;
    int64_t value;
    uint32_t starts, reductions;
    uint64_t offset, bytes; /* of the last one */
};

/* Source 0: [2][6] of i32, 1000 on; source 1: [4], 2 1 0 3. */
static const struct reading readings[] = {
    {"(read 1 3)", "21", 3, 1, 0, 12, 4},
    {"(max_over i 1 3 (read 1 i))", "21", 1, 1, 1, 4, 8},
    {"(sum_over i 1 3 (read 1 i))", "21", 1, 1, 0, 4, 8},
    {"(max_over i 1 3 (add 1 (read 1 i)))", "21", 2, 1, 0, 4, 8},
    {"(max_over i 0 2 (read 1 (add i 2)))", "21", 3, 1, 0, 8, 8},
    /* a row, and a part of one; a column; all, turned round; not all; a diagonal; a row twice */
    {"(max_over i 0 6 (read 0 1 i))", "21", 1011, 1, 1, 24, 24},
    {"(max_over i 2 4 (read 0 1 i))", "21", 1009, 1, 1, 32, 8},
    {"(max_over i 0 2 (read 0 i 2))", "21", 1008, 1, 0, 8, 28},
    {"(max_over i 0 2 (max_over j 0 6 (read 0 i j)))", "21", 1011, 1, 1, 0, 48},
    {"(max_over j 0 6 (max_over i 0 2 (read 0 i j)))", "21", 1011, 1, 1, 0, 48},
    {"(max_over i 0 2 (max_over j 0 5 (read 0 i j)))", "21", 1010, 1, 0, 0, 44},
    {"(max_over i 0 2 (max_over j 0 2 (read 0 i i)))", "21", 1007, 1, 0, 0, 32},
    {"(max_over i 0 2 (max_over j 0 6 (read 0 1 j)))", "21", 1011, 1, 1, 24, 24},
    /* an index that is an element; nothing at all; beyond the array */
    {"(max_over i 0 4 (read 0 1 (read 1 i)))", "21", 1009, 2, 0, 0, 16},
    {"(max_over i 3 3 (read 1 i))", "21", 0, 0, 0, 0, 0},
    {"(select 0 (max_over i 0 4 (read 1 i)) 5)", "21", 5, 0, 0, 0, 0},
    {"(max_over i -7 0 (read 1 3))", "21", 3, 1, 0, 12, 4},
};

static void read_one(const struct reading *reading, bool reduces, bool with_device)
{
    struct stage stage;
    struct remote remote;
    int32_t two_axes[12], one_axis[4] = {2, 1, 0, 3};
    const int64_t shape[] = {2, 6}, four = 4;
    stage_open(&stage, with_device, 0);
    remote_open(&remote);
    remote.way = REMOTE_REVERSED;
    stage.service->env.fetch = remote_callbacks(&remote, reduces);
    for (int i = 0; i < 12; i++)
        two_axes[i] = 1000 + i;
    remote_put(&remote, A, two_axes);
    remote_put(&remote, B, one_axis);
    struct kernel *kernel = kernel_make("reading", reading->ranks);
    (void)kernel_task(kernel, 0);
    (void)nodes_text(kernel_stack(kernel), reading->tree, NULL);
    const uint64_t handle = stage_register(&stage, kernel);
    pail_binding bindings[] = {bind(0, A, NULL, &four), bind(1, B, NULL, &four)};
    bindings[0].rank = 2;
    bindings[0].shape = shape;
    bindings[0].size_bytes = sizeof(two_axes);
    bindings[0].flags = bindings[1].flags = PAIL_BINDING_FOREIGN;
    const pail_stack_size size = stage_size(&stage, handle, 1, bindings, 2, 0, 0, 0);
    const uint32_t reductions = reduces ? reading->reductions : 0;
    if (size.raw != reading->value || remote.reductions != reductions ||
        remote.starts != reading->starts - reductions)
        fail_msg("%s: %lld, %u starts, %u reductions", reading->tree, (long long)size.raw,
                 remote.starts, remote.reductions);
    const pail_fetch_range range = remote.tickets ? remote_last(&remote) : (pail_fetch_range){0};
    if (!with_device && (range.offset != reading->offset || range.bytes != reading->bytes))
        fail_msg("%s: %llu bytes from %llu on", reading->tree, (unsigned long long)range.bytes,
                 (unsigned long long)range.offset);
    assert_int_equal(stage_stats(&stage).reduced, reductions);
    /* The value is cached, however it came. */
    assert_int_equal(stage_size(&stage, handle, 1, bindings, 2, 0, 0, 0).raw, reading->value);
    assert_int_equal(remote.starts + remote.reductions, reading->starts);
    kernel_free(kernel);
    stage_close(&stage);
    remote_close(&remote);
}

PAIL_TEST(bytes_that_expressions_read)
{
    for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++)
        for (int way = 0; way < 4; way++)
            read_one(&readings[i], way & 1, way & 2);
}

/* Random kernels have the sizes that they have with arrays in host memory: a byte that was not
 * fetched would show. */
PAIL_TEST(random_kernels)
{
    uint64_t fetched = 0, reduced = 0, computed = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        struct trees_kernel *k = trees_make(seed, NULL);
        struct stage stage;
        struct remote remote;
        struct pail_error near = {0}, far = {0};
        uint64_t handle;
        assert_non_null(k);
        stage_open(&stage, seed % 3 == 0, 0);
        remote_open(&remote);
        remote.way = (enum remote_way)(seed % 3);
        stage.service->env.fetch = remote_callbacks(&remote, seed % 2);
        assert_int_equal(pail_adstack_register(stage.service, &handle, NULL, &k->desc, &near),
                         PAIL_OK);
        struct pail_adstack_result *one = stage_launch(&stage, handle, (uint32_t)k->desc.n_tasks,
                                                       k->bindings, k->desc.n_sources, 0, &near);
        pail_binding *bindings = calloc(k->desc.n_sources + 1, sizeof(*bindings));
        assert_non_null(bindings);
        for (size_t i = 0; i < k->desc.n_sources; i++) {
            bindings[i] = k->bindings[i];
            bindings[i].identity += 1000;
            bindings[i].flags |= PAIL_BINDING_FOREIGN;
            bindings[i].host = NULL;
            remote_put(&remote, bindings[i].identity, k->bindings[i].host);
        }
        struct pail_adstack_result *two = stage_launch(&stage, handle, (uint32_t)k->desc.n_tasks,
                                                       bindings, k->desc.n_sources, 0, &far);
        if (near.status != far.status || !one != !two)
            fail_msg("seed %llu: '%s', '%s'", (unsigned long long)seed, near.text, far.text);
        for (uint32_t t = 0; one && t < one->n_tasks; t++)
            for (uint32_t i = 0; i < one->tasks[t].laid->n_stacks; i++)
                if (one->tasks[t].laid->places[i].raw != two->tasks[t].laid->places[i].raw)
                    fail_msg("seed %llu, task %u, stack %u", (unsigned long long)seed, t, i);
        computed += one != NULL;
        fetched += stage_stats(&stage).fetches;
        reduced += stage_stats(&stage).reduced;
        pail_ad_result_release(one);
        pail_ad_result_release(two);
        free(bindings);
        trees_free(k);
        stage_close(&stage);
        remote_close(&remote);
    }
    print_message("%llu kernels, %llu copies, %llu reductions\n", (unsigned long long)computed,
                  (unsigned long long)fetched, (unsigned long long)reduced);
    assert_true(computed > 700 && fetched > 1000 && reduced > 10);
}
