/* SPDX-License-Identifier: Apache-2.0 */
/* Values that are found again and values that are computed anew: each launch says how many
 * reductions the device did. */
#include "service_support.h"
#include "support/test.h"

enum { A = 0, B = 1, ID_A = 11, ID_B = 22 };

static uint64_t dispatches(struct stage *stage)
{
    return stage_stats(stage).dispatches;
}

/* Launches a kernel of one task, and says how many reductions that took. */
static uint64_t launch(struct stage *stage, uint64_t kernel, const pail_binding *bindings, size_t n,
                       uint64_t capacity)
{
    const uint64_t before = dispatches(stage);
    const pail_stack_size size = stage_size(stage, kernel, 1, bindings, n, 0, 0, 0);
    assert_int_equal(size.capacity, capacity);
    return dispatches(stage) - before;
}

PAIL_TEST(the_counter_counts_what_changed)
{
    struct product p;
    product_open(&p, true, 0);
    assert_int_equal(launch(&p.stage, p.kernel, p.bindings, 2, 12), 2);
    assert_int_equal(launch(&p.stage, p.kernel, p.bindings, 2, 12), 0);
    assert_int_equal(stage_stats(&p.stage).launch_hits, 1);
    p.a[0] = 5;
    assert_int_equal(launch(&p.stage, p.kernel, p.bindings, 2, 12), 0); /* nobody told */
    pail_ad_identities_bump(&p.stage.service->identities, ID_A);
    assert_int_equal(launch(&p.stage, p.kernel, p.bindings, 2, 20), 1);
    assert_int_equal(stage_stats(&p.stage).spec_hits, 1);
    assert_int_equal(launch(&p.stage, p.kernel, p.bindings, 2, 20), 0);
    p.b[1] = 6;
    p.bindings[1].generation = 7; /* tells as well as a bump */
    assert_int_equal(launch(&p.stage, p.kernel, p.bindings, 2, 30), 1);
    assert_int_equal(launch(&p.stage, p.kernel, p.bindings, 2, 30), 0);
    p.bindings[1].generation =
        0; /* the old one: still remembered, right or not is the caller's word */
    assert_int_equal(launch(&p.stage, p.kernel, p.bindings, 2, 20), 0);
    const pail_adstack_stats stats = stage_stats(&p.stage);
    assert_int_equal(stats.evaluations, 8);
    assert_int_equal(stats.dispatches, 4);
    assert_int_equal(stats.submissions, 3);
    assert_int_equal(stats.waits, 3);
    stage_close(&p.stage);
}

STAGE_TEST(a_shape_alone_changes, true)
{
    /* MOR(v, 0, shape(b), a[v]): b is bounds alone. */
    struct kernel *kernel = kernel_make("bounds", "11");
    (void)kernel_task(kernel, 0);
    struct nodes *nodes = kernel_stack(kernel);
    NODES(nodes, "(max_over i 0 (shape % 0) (read % i))", B, A);
    const uint64_t handle = stage_register(stage, kernel);
    int32_t a[] = {2, 3, 9};
    int64_t three = 3, n = 2;
    pail_binding bindings[] = {bind(A, ID_A, a, &three), bind(B, 0, NULL, &n)};
    assert_int_equal(launch(stage, handle, bindings, 2, 3), 1);
    n = 3;
    assert_int_equal(launch(stage, handle, bindings, 2, 9), 1);
    bindings[1].identity = 5; /* another array of the same shape, with another type */
    bindings[1].dtype = PAIL_DTYPE_U8;
    assert_int_equal(launch(stage, handle, bindings, 2, 9), 0);
    assert_int_equal(stage_stats(stage).launch_hits, 1);
    n = 2;
    assert_int_equal(launch(stage, handle, bindings, 2, 3), 0);
    /* An empty range costs nothing, and is known as well. */
    n = 0;
    assert_int_equal(launch(stage, handle, bindings, 2, 1), 0);
    assert_int_equal(stage_stats(stage).spec_hits, 0);
    bindings[0].host = NULL; /* elsewhere: not the same launch */
    bindings[0].device_address = (uint64_t)(uintptr_t)a;
    const uint64_t hits = stage_stats(stage).task_hits;
    assert_int_equal(launch(stage, handle, bindings, 2, 1), 0);
    assert_int_equal(stage_stats(stage).task_hits, hits + 1);
    kernel_free(kernel);
}

/* MOR(w, 0, MOR(v, 0, shape(n), n[v]), m[w]): the outer depends on what the inner reads. */
STAGE_TEST(dependents_follow, true)
{
    struct kernel *kernel = kernel_make("dependents", "11");
    (void)kernel_task(kernel, 0);
    struct nodes *nodes = kernel_stack(kernel);
    const int64_t index[] = {VARIABLE_INDEX(1)};
    tree_max_of(nodes, A);
    const int32_t end = (int32_t)nodes->n - 1, begin = nodes_const(nodes, 0);
    const int32_t body = nodes_read(nodes, PAIL_NODE_ARRAY_READ, B, PAIL_DTYPE_I32, 1, index);
    (void)nodes_range(nodes, PAIL_NODE_MAX_OVER_RANGE, 1, begin, end, body);
    const uint64_t handle = stage_register(stage, kernel);
    int32_t a[] = {1, 3}, b[] = {7, 0, 9, 50};
    const int64_t two = 2, four = 4;
    pail_binding bindings[] = {bind(A, ID_A, a, &two), bind(B, ID_B, b, &four)};
    assert_int_equal(launch(stage, handle, bindings, 2, 9), 2);
    a[1] = 4;
    pail_ad_identities_bump(&stage->service->identities, ID_A);
    assert_int_equal(launch(stage, handle, bindings, 2, 50), 2);
    b[3] = 8;
    pail_ad_identities_bump(&stage->service->identities, ID_B);
    assert_int_equal(launch(stage, handle, bindings, 2, 9), 1); /* the inner is as it was */
    kernel_free(kernel);
}

STAGE_TEST(alternating_arrays_hit, true)
{
    const uint64_t kernel = stage_register_product(stage);
    const int32_t x[] = {2, 3}, y[] = {5, 1}, z[] = {1, 1};
    const int64_t two = 2;
    const int32_t *const arrays[] = {x, y, z};
    const uint64_t max[] = {3, 5, 1};
    for (unsigned round = 0; round < 3; round++)
        for (uint64_t i = 0; i < 3; i++) {
            const pail_binding bindings[] = {bind(A, 100 + i, arrays[i], &two),
                                             bind(B, 100 + (i + 1) % 3, arrays[(i + 1) % 3], &two)};
            assert_int_equal(launch(stage, kernel, bindings, 2, max[i] * max[(i + 1) % 3]),
                             round == 0 ? 2 : 0);
        }
    assert_int_equal(stage_stats(stage).launch_hits, 6);
}

/* A number that is used again after forget is another array. */
PAIL_TEST(identities_do_not_come_back)
{
    struct product p;
    product_open(&p, true, 0);
    p.bindings[0].generation = 1;
    assert_int_equal(launch(&p.stage, p.kernel, p.bindings, 2, 12), 2);
    p.a[1] = 7;
    pail_ad_identities_forget(&p.stage.service->identities, ID_A);
    pail_ad_identities_forget(&p.stage.service->identities, 999); /* never seen */
    pail_ad_identities_bump(&p.stage.service->identities, 999);
    assert_int_equal(launch(&p.stage, p.kernel, p.bindings, 2, 28), 1);
    stage_close(&p.stage);
}

PAIL_TEST(untracked_arrays_are_never_found)
{
    struct product p;
    product_open(&p, true, 0);
    p.bindings[0].flags = PAIL_BINDING_UNTRACKED;
    assert_int_equal(launch(&p.stage, p.kernel, p.bindings, 2, 12), 2);
    p.a[1] = 8;
    assert_int_equal(launch(&p.stage, p.kernel, p.bindings, 2, 32), 1);
    assert_int_equal(launch(&p.stage, p.kernel, p.bindings, 2, 32), 1);
    assert_int_equal(stage_stats(&p.stage).launch_hits, 0);
    p.bindings[0].flags = 0; /* nothing of before counts for it */
    assert_int_equal(launch(&p.stage, p.kernel, p.bindings, 2, 32), 1);
    assert_int_equal(launch(&p.stage, p.kernel, p.bindings, 2, 32), 0);
    stage_close(&p.stage);
}

/* Two kernels of equal trees on the same arrays each compute for themselves. */
STAGE_TEST(kernels_are_apart, true)
{
    const uint64_t first = stage_register_product(stage), second = stage_register_product(stage);
    assert_int_not_equal(first, second);
    const int32_t a[] = {2, 3}, b[] = {4, 1};
    const int64_t two = 2;
    const pail_binding bindings[] = {bind(A, ID_A, a, &two), bind(B, ID_B, b, &two)};
    assert_int_equal(launch(stage, first, bindings, 2, 12), 2);
    assert_int_equal(launch(stage, second, bindings, 2, 12), 2);
    assert_int_equal(launch(stage, first, bindings, 2, 12), 0);
    assert_int_equal(launch(stage, second, bindings, 2, 12), 0);
}

STAGE_TEST(constant_trees_ask_nobody, true)
{
    struct kernel *kernel = kernel_make("constant", "1");
    (void)kernel_task(kernel, 0);
    struct nodes *nodes = kernel_stack(kernel);
    (void)nodes_op(nodes, PAIL_NODE_ADD, nodes_const(nodes, 3), nodes_const(nodes, 4));
    kernel_static(kernel, 32);
    const uint64_t handle = stage_register(stage, kernel);
    for (int i = 0; i < 3; i++) {
        pail_stack_size size = stage_size(stage, handle, 1, NULL, 0, 0, 0, 0);
        assert_int_equal(size.capacity, 7);
        assert_int_equal(size.origin, PAIL_SIZE_CONSTANT);
        size = stage_size(stage, handle, 1, NULL, 0, PAIL_LAUNCH_DEVICE, 0, 1);
        assert_int_equal(size.capacity, 32);
        assert_int_equal(size.raw, 32);
        assert_int_equal(size.origin, PAIL_SIZE_STATIC);
    }
    assert_int_equal(stage->device.runs, 0);
    assert_int_equal(dispatches(stage), 0);
    kernel_free(kernel);
}

STAGE_TEST(invalidation, true)
{
    const uint64_t first = stage_register_product(stage), second = stage_register_product(stage);
    const int32_t a[] = {2, 3}, b[] = {4, 1};
    const int64_t two = 2;
    const pail_binding bindings[] = {bind(A, ID_A, a, &two), bind(B, ID_B, b, &two)};
    (void)launch(stage, first, bindings, 2, 12);
    (void)launch(stage, second, bindings, 2, 12);
    pail_adstack_invalidate(stage->service, first);
    /* The launch, the task, the tree and two reductions. */
    assert_int_equal(stage_stats(stage).invalidations, 5);
    assert_int_equal(launch(stage, first, bindings, 2, 12), 2);
    assert_int_equal(launch(stage, second, bindings, 2, 12), 0);
    pail_adstack_invalidate(stage->service, 0);
    assert_int_equal(stage_stats(stage).invalidations, 15);
    pail_adstack_invalidate(stage->service, 12345); /* no such kernel */
    assert_int_equal(launch(stage, first, bindings, 2, 12), 2);
    assert_int_equal(launch(stage, second, bindings, 2, 12), 2);
    pail_adstack_reset_stats(stage->service);
    const pail_adstack_stats none = {.struct_size = sizeof(none)}, stats = stage_stats(stage);
    assert_memory_equal(&stats, &none, sizeof(none));
}

/* Without the cache nothing is found and nothing kept, whatever is there. */
PAIL_TEST(no_cache)
{
    struct product p;
    product_open(&p, true, 0);
    for (int i = 0; i < 2; i++) {
        (void)stage_size(&p.stage, p.kernel, 1, p.bindings, 2, PAIL_LAUNCH_NO_CACHE, 0, 0);
        assert_int_equal(dispatches(&p.stage), 2 * (uint64_t)i + 2);
    }
    assert_int_equal(launch(&p.stage, p.kernel, p.bindings, 2, 12), 2);
    (void)stage_size(&p.stage, p.kernel, 1, p.bindings, 2, PAIL_LAUNCH_NO_CACHE, 0, 0);
    assert_int_equal(dispatches(&p.stage), 8);
    stage_close(&p.stage);
}

/* Origins say where a size came from at this launch. */
PAIL_TEST(origins)
{
    struct product p;
    product_open(&p, true, 0);
    const struct {
        uint32_t flags, origin;
    } launches[] = {{PAIL_LAUNCH_NO_CACHE, PAIL_SIZE_DEVICE},
                    {PAIL_LAUNCH_NO_CACHE | PAIL_LAUNCH_HOST, PAIL_SIZE_HOST},
                    {PAIL_LAUNCH_NO_CACHE | PAIL_LAUNCH_DEVICE, PAIL_SIZE_DEVICE},
                    {0, PAIL_SIZE_DEVICE},
                    {0, PAIL_SIZE_CACHED},
                    {PAIL_LAUNCH_HOST, PAIL_SIZE_CACHED},
                    {PAIL_LAUNCH_EXPLAIN, PAIL_SIZE_CACHED}};
    for (size_t i = 0; i < sizeof(launches) / sizeof(launches[0]); i++)
        assert_int_equal(
            stage_size(&p.stage, p.kernel, 1, p.bindings, 2, launches[i].flags, 0, 0).origin,
            launches[i].origin);
    p.stage.device.worth = 1000; /* cheap enough for the host */
    assert_int_equal(
        stage_size(&p.stage, p.kernel, 1, p.bindings, 2, PAIL_LAUNCH_NO_CACHE, 0, 0).origin,
        PAIL_SIZE_HOST);
    stage_close(&p.stage);
}

/* The same array in another shape. */
STAGE_TEST(another_shape_of_the_array, true)
{
    const uint64_t kernel = stage_register_product(stage);
    const int32_t a[] = {2, 3}, b[] = {4, 1};
    const int64_t two = 2;
    int64_t n = 2;
    const pail_binding bindings[] = {bind(A, ID_A, a, &n), bind(B, ID_B, b, &two)};
    assert_int_equal(launch(stage, kernel, bindings, 2, 12), 2);
    n = 1;
    assert_int_equal(launch(stage, kernel, bindings, 2, 8), 1);
    const int64_t same[] = {0}; /* the first element's, over and over */
    pail_binding strided[] = {bindings[0], bindings[1]};
    n = 2;
    strided[0].stride_bytes = same;
    assert_int_equal(launch(stage, kernel, strided, 2, 8), 1);
    assert_int_equal(launch(stage, kernel, bindings, 2, 12), 0);
}

static void invalidate_all(struct stage *stage)
{
    pail_adstack_invalidate(stage->service, 0);
}

static void bump_a(struct stage *stage)
{
    pail_ad_identities_bump(&stage->service->identities, ID_A);
}

/* A value that is invalidated while it is computed is not kept. */
PAIL_TEST(in_the_middle)
{
    void (*const middle[])(struct stage *) = {invalidate_all, bump_a};
    for (int i = 0; i < 2; i++) {
        struct stage stage;
        stage_open(&stage, true, 0);
        const uint64_t kernel = stage_register_product(&stage);
        const int32_t a[] = {2, 3}, b[] = {4, 1};
        const int64_t two = 2;
        const pail_binding bindings[] = {bind(A, ID_A, a, &two), bind(B, ID_B, b, &two)};
        stage.device.on_run = middle[i];
        assert_int_equal(launch(&stage, kernel, bindings, 2, 12), 2);
        stage.device.on_run = NULL;
        assert_int_equal(launch(&stage, kernel, bindings, 2, 12), i ? 1 : 2);
        assert_int_equal(launch(&stage, kernel, bindings, 2, 12), 0);
        stage_close(&stage);
    }
}

/* An entry that is used often stays, whatever comes and goes. */
STAGE_TEST(the_least_recently_used_goes, true)
{
    const uint64_t kernel = stage_register_product(stage);
    const int32_t a[] = {2, 3}, b[] = {4, 1};
    const int64_t two = 2;
    for (uint64_t i = 0; i < 40; i++) {
        const uint64_t hits = stage_stats(stage).launch_hits;
        pail_binding bindings[] = {bind(A, ID_A, a, &two), bind(B, ID_B, b, &two)};
        assert_int_equal(launch(stage, kernel, bindings, 2, 12), i == 0 ? 2 : 0);
        assert_int_equal(stage_stats(stage).launch_hits, hits + (i > 0));
        bindings[1].identity = 1000 + i;
        assert_int_equal(launch(stage, kernel, bindings, 2, 12), 1);
    }
}

/* Looks for a value and stores it where it is not there. */
static uint64_t *remember(struct pail_ad_memo *memo, uint64_t key)
{
    const uint64_t words[] = {key, 7};
    assert_null(pail_ad_memo_find(memo, words));
    return pail_ad_memo_store(memo, words);
}

PAIL_TEST(memos)
{
    uint64_t memory[4 * 4 + 8] = {0};
    struct pail_ad_memo memo;
    assert_int_equal(pail_ad_memo_words(4, 2, 1), 24);
    pail_ad_memo_init(&memo, memory, 4, 2, 1);
    assert_null(pail_ad_memo_latest(&memo));
    for (uint64_t i = 1; i <= 4; i++)
        *remember(&memo, i) = 10 * i;
    assert_null(pail_ad_memo_find(&memo, (const uint64_t[]){1, 8}));
    assert_int_equal(*pail_ad_memo_find(&memo, (const uint64_t[]){1, 7}), 10);
    assert_int_equal(pail_ad_memo_latest(&memo)[0], 1);
    uint64_t *place = remember(&memo, 5);
    assert_int_equal(*place, 20); /* over the second, which was not used for longest */
    *place = 50;
    assert_null(pail_ad_memo_find(&memo, (const uint64_t[]){2, 7}));
    assert_int_equal(*pail_ad_memo_find(&memo, (const uint64_t[]){1, 7}), 10);
    assert_ptr_equal(pail_ad_memo_store(&memo, (const uint64_t[]){5, 7}), place);
    for (uint32_t way = 0; way < 4; way++)
        pail_ad_memo_drop(&memo, way);
    assert_null(pail_ad_memo_find(&memo, (const uint64_t[]){5, 7}));
    assert_null(pail_ad_memo_latest(&memo));
}

/* A map against a plain list, with keys that land at the same places. */
PAIL_TEST(maps)
{
    enum { KEYS = 200 };
    static bool there[KEYS];
    const struct pail_alloc alloc = {0};
    struct pail_ad_map map = {0};
    struct pail_error err;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    unsigned random = 1, n = 0;
    assert_null(pail_ad_map_find(&map, 5));
    pail_ad_map_remove(&map, 5);
    for (unsigned step = 0; step < 20000; step++) {
        random = random * 1103515245u + 12345u;
        const unsigned i = (random >> 16) % KEYS;
        const uint64_t key = (uint64_t)(i + 1) * (i % 2 ? 1 : UINT64_C(0x9e3779b97f4a7c15));
        while (!pail_ad_map_has_room(&map, 1))
            assert_int_equal(pail_ad_map_make_room(&map, &lock, 1, &alloc, &err), PAIL_OK);
        if (random >> 8 & 1) {
            n += !there[i];
            there[i] = true;
            pail_ad_map_put(&map, key)->value[0] = i;
        } else {
            n -= there[i];
            there[i] = false;
            pail_ad_map_remove(&map, key);
        }
        assert_int_equal(map.n, n);
        for (unsigned k = step % 7; k < KEYS; k += 7) {
            const uint64_t other = (uint64_t)(k + 1) * (k % 2 ? 1 : UINT64_C(0x9e3779b97f4a7c15));
            const struct pail_ad_map_slot *slot = pail_ad_map_find(&map, other);
            assert_int_equal(slot != NULL, there[k]);
            if (slot)
                assert_int_equal(slot->value[0], k);
        }
    }
    pail_ad_map_free(&map, &alloc);
}
