/* SPDX-License-Identifier: Apache-2.0 */
/* When a kernel is compiled for a body, and when it is taken: after the interpreter has spent as
 * long on it, at once where the cache has it, and never where a launch says so. */
#include "gpu_support.h"

#include "support/host_store.h"
#include "support/test.h"

enum { N = 1 << 18, LAUNCHES_MAX = 60 };

struct opened {
    struct pail_vk_device *dev;
    struct pail_ad_choices *choices;
    struct pail_ad_gpu *gpu;
};

static struct opened open_device(struct vk_fixture *f, struct host_store *store)
{
    struct opened o = {.dev = NULL};
    const struct pail_vk_cache_params cache = {
        .get = host_store_get, .put = host_store_put, .user = store};
    const struct pail_vk_device_params params = {.cache = &cache};
    ASSERT_OK(pail_vk_device_create(&o.dev, f->inst, 0, &params, ERR));
    ASSERT_OK(pail_ad_choices_create(&o.choices, o.dev, ERR));
    const struct pail_ad_bodies bodies = pail_ad_choices_bodies(o.choices);
    ASSERT_OK(pail_ad_gpu_create(&o.gpu, o.dev, &bodies, ERR));
    return o;
}

static void close_device(struct opened *o)
{
    pail_ad_gpu_destroy(&o->gpu);
    pail_ad_choices_destroy(&o->choices);
    pail_vk_device_destroy(&o->dev);
}

/* True if the reduction was done by a kernel of its own; its value is checked. */
static bool is_special(const struct opened *o, const pail_binding *binding, uint64_t serial,
                       uint32_t flags)
{
    const int64_t index = VARIABLE_INDEX(0);
    struct nodes t = {0};
    struct ad_launch l;
    const int32_t begin = nodes_const(&t, 0), end = nodes_shape(&t, 0, 0);
    const int32_t element = nodes_read(&t, PAIL_NODE_ARRAY_READ, 0, PAIL_DTYPE_I32, 1, &index);
    const int32_t body = nodes_op(&t, PAIL_NODE_ADD, element, nodes_const(&t, 5));
    nodes_range(&t, PAIL_NODE_MAX_OVER_RANGE, 0, begin, end, body);
    ad_launch_make(&l, &t, 1, binding, 1);
    l.work.serial = serial;
    l.work.flags = flags;
    const struct pail_ad_device *device = pail_ad_gpu_device(o->gpu);
    ASSERT_OK(device->run(device->user, &l.work, ERR));
    assert_int_equal(ad_value(&l, 0), N + 4);
    assert_int_equal(l.work.dispatches, 1);
    const bool special = l.work.specialised;
    ad_launch_free(&l);
    return special;
}

PAIL_TEST_OF(test_choices, struct vk_fixture *f)
{
    if (pail_vk_device_caps(f->dev)->timestamp_bits == 0)
        SKIP_BECAUSE("the device has no timestamps");
    int32_t *a = malloc(N * sizeof(*a));
    assert_non_null(a);
    for (int32_t i = 0; i < N; i++)
        a[i] = i;
    const int64_t shape = N;
    const pail_binding binding = ad_binding(0, PAIL_DTYPE_I32, 1, &shape, a, N * sizeof(*a));
    struct host_store store = {.n = 0};

    struct opened o = open_device(f, &store);
    assert_false(is_special(&o, &binding, 1, 0)); /* it has not paid yet */
    assert_false(is_special(&o, &binding, 1, PAIL_LAUNCH_INTERPRET));
    /* On a card the interpreter would take thousands of launches of so few cells to get there. */
    const bool software = pail_vk_device_caps(f->dev)->type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    if (!software)
        assert_true(is_special(&o, &binding, 1, PAIL_LAUNCH_SPECIALISE));
    int launches = 0;
    while (!is_special(&o, &binding, 1, 0))
        assert_true(++launches < LAUNCHES_MAX);
    /* The same body in another program is known by its text. */
    assert_true(is_special(&o, &binding, 2, 0));
    assert_false(is_special(&o, &binding, 2, PAIL_LAUNCH_INTERPRET));
    close_device(&o);

    /* A later process finds it in the cache, and a demand is heeded without any. */
    o = open_device(f, &store);
    assert_true(is_special(&o, &binding, 3, 0));
    close_device(&o);
    host_store_free(&store);
    o = open_device(f, &store);
    assert_false(is_special(&o, &binding, 4, 0));
    assert_true(is_special(&o, &binding, 4, PAIL_LAUNCH_SPECIALISE));
    close_device(&o);
    host_store_free(&store);
    free(a);
}

PAIL_TEST_GROUP(vk_setup, vk_teardown)
