/* SPDX-License-Identifier: Apache-2.0 */
/* Counters by level, for whoever tests a compiler with them: what was found, and what was computed,
 * wherever that is. */
#include "service_support.h"
#include "support/test.h"

enum { N = 3 };

/* Task 0: max(a) * max(b), the same again, and a stack of 4; task 1: max(a), and 7 by a tree. */
static uint64_t register_kernel(struct stage *stage)
{
    struct kernel *kernel = kernel_make("counted", "11");
    (void)kernel_task(kernel, 0);
    tree_product_of(kernel_stack(kernel), 0, 1);
    tree_product_of(kernel_stack(kernel), 0, 1);
    kernel_static(kernel, 4);
    (void)kernel_task(kernel, 1);
    tree_max_of(kernel_stack(kernel), 0);
    (void)nodes_const(kernel_stack(kernel), 7);
    const uint64_t handle = stage_register(stage, kernel);
    kernel_free(kernel);
    return handle;
}

struct levels {
    uint64_t evaluations, launch_hits, task_hits, layouts, tree_hits, trees, spec_hits, reductions;
};

/* One launch, and what it counted; the rest is checked against the place where it was done. */
static void expect(struct stage *stage, uint64_t kernel, const pail_binding bindings[2],
                   uint32_t flags, bool on_host, struct levels want)
{
    pail_adstack_reset_stats(stage->service);
    (void)stage_size(stage, kernel, 2, bindings, 2, flags, 0, 0);
    const pail_adstack_stats s = stage_stats(stage);
    const struct levels got = {s.evaluations, s.launch_hits, s.task_hits, s.layouts,
                               s.tree_hits,   s.trees,       s.spec_hits, s.reductions};
    const uint64_t *a = &got.evaluations, *b = &want.evaluations;
    for (size_t i = 0; i < sizeof(got) / sizeof(*a); i++)
        if (a[i] != b[i])
            fail_msg("counter %zu is %llu, not %llu", i, (unsigned long long)a[i],
                     (unsigned long long)b[i]);
    assert_int_equal(s.host_reductions, on_host ? s.reductions : 0);
    assert_int_equal(s.dispatches, on_host ? 0 : s.reductions);
}

PAIL_TEST(by_level)
{
    for (int on_host = 0; on_host < 2; on_host++) {
        struct stage stage;
        int32_t a[N] = {2, 3, 1}, b[N] = {4, 1, 1};
        const int64_t n = N;
        pail_binding bindings[] = {bind(0, 1, a, &n), bind(1, 2, b, &n)};
        stage_open(&stage, !on_host, 0); /* the device is worth it always */
        const uint64_t kernel = register_kernel(&stage);
        expect(&stage, kernel, bindings, 0, on_host, (struct levels){1, 0, 0, 2, 0, 2, 0, 2});
        expect(&stage, kernel, bindings, 0, on_host, (struct levels){1, 1, 0, 0, 0, 0, 0, 0});
        /* Task 1 does not read b: it is found as a whole, and max(a) alone for task 0. */
        b[0] = 9;
        pail_ad_identities_bump(&stage.service->identities, 2);
        expect(&stage, kernel, bindings, 0, on_host, (struct levels){1, 0, 1, 1, 0, 1, 1, 1});
        /* The tree of task 1 is the reduction that task 0 has computed anew. */
        a[0] = 9;
        pail_ad_identities_bump(&stage.service->identities, 1);
        expect(&stage, kernel, bindings, 0, on_host, (struct levels){1, 0, 0, 2, 0, 2, 1, 1});
        /* Everything, and nothing of it is kept. */
        expect(&stage, kernel, bindings, PAIL_LAUNCH_NO_CACHE, on_host,
               (struct levels){1, 0, 0, 2, 0, 2, 0, 2});
        expect(&stage, kernel, bindings, 0, on_host, (struct levels){1, 1, 0, 0, 0, 0, 0, 0});
        stage_close(&stage);
    }
}

/* A reduction that a device gives back is done once. */
STAGE_TEST(given_back, true)
{
    int32_t a[N] = {2, 3, 1}, b[N] = {4, 1, 1};
    const int64_t n = N;
    const pail_binding bindings[] = {bind(0, 1, a, &n), bind(1, 2, b, &n)};
    const uint64_t kernel = register_kernel(stage);
    stage->device.give_back = 1;
    (void)stage_size(stage, kernel, 2, bindings, 2, 0, 0, 0);
    const pail_adstack_stats stats = stage_stats(stage);
    assert_int_equal(stats.fallbacks, 1);
    assert_int_equal(stats.reductions, 2);
    assert_int_equal(stats.host_reductions, 1);
}
