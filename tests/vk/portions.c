/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatches in portions and recordings of several submissions, on a device whose pace is forced
 * low: the same results, in their order, whatever the grid; and failures in the middle. */

#include <shared/adstack_layout.h>
#include <shared/msm_layout.h>

#include "support.h"
#include "support/test.h"
#include <vk/cmd_priv.h>

enum { WIDTH = 8, ROWS = 24, N = WIDTH * ROWS * AD_WORKGROUP }; /* words, one for each invocation */

/* Nanoseconds that a word takes under PAIL_LIMITS=slow. */
static double word_ns(struct pail_vk_device *dev)
{
    return pail_vk_pace_ns(&dev->pace, 0, PAIL_VK_WORDS);
}

static struct pail_vk_device *open_slow(struct vk_fixture *f, bool slow)
{
    const struct pail_vk_limits_override limits = {.slow = slow};
    struct pail_vk_device *dev;
    ASSERT_OK(pail_vk_device_create(&dev, f->inst, 0,
                                    &(struct pail_vk_device_params){.limits = &limits}, ERR));
    dev->pace.learns = false; /* other load of the machine does not count */
    return dev;
}

struct copying {
    const struct pail_vk_pipeline *pipeline;
    struct pail_vk_buffer a, b, back;
    uint32_t *words;
};

static void copying_make(struct pail_vk_device *dev, struct copying *c)
{
    const uint64_t bytes = 4 * (uint64_t)N;
    ASSERT_OK(pail_vk_pipeline_get(dev, PAIL_KERNEL_ADSTACK_FETCH, (struct pail_variant){0}, NULL,
                                   0, &c->pipeline, ERR));
    ASSERT_OK(pail_vk_buffer_create(dev, &c->a, PAIL_VK_MEMORY_DEVICE, bytes, "a", ERR));
    ASSERT_OK(pail_vk_buffer_create(dev, &c->b, PAIL_VK_MEMORY_DEVICE, bytes, "b", ERR));
    ASSERT_OK(pail_vk_buffer_create(dev, &c->back, PAIL_VK_MEMORY_READBACK, bytes, "back", ERR));
    c->words = malloc(bytes);
    assert_non_null(c->words);
    for (uint32_t i = 0; i < N; i++)
        c->words[i] = i * i + 1;
    const struct pail_vk_slice a = pail_vk_buffer_slice(&c->a, 0, bytes);
    ASSERT_OK(pail_vk_upload(dev, &a, 0, c->words, bytes, NULL, ERR));
}

static void copying_free(struct pail_vk_device *dev, struct copying *c)
{
    pail_vk_buffer_destroy(dev, &c->a);
    pail_vk_buffer_destroy(dev, &c->b);
    pail_vk_buffer_destroy(dev, &c->back);
    free(c->words);
}

static void copy(struct pail_vk_cmd *cmd, const struct copying *c, const struct pail_vk_buffer *to,
                 const struct pail_vk_buffer *from, uint32_t rows, double ms)
{
    const struct ad_fetch_push push = {
        .from_low = (uint32_t)(from->address & UINT32_MAX),
        .from_high = (uint32_t)(from->address >> 32),
        .to_low = (uint32_t)(to->address & UINT32_MAX),
        .to_high = (uint32_t)(to->address >> 32),
        .n = N,
    };
    const double ns = word_ns(cmd->dev);
    const struct pail_vk_work work = {.kind = PAIL_VK_WORDS, .units = ns > 0 ? ms * 1e6 / ns : 1};
    pail_vk_cmd_expect(cmd, &work);
    pail_vk_cmd_dispatch(cmd, c->pipeline, NULL, 0, &push, sizeof(push), WIDTH * ROWS / rows, rows,
                         1);
}

/* There and back and to the host, each time from what the step before has written. */
static void record(struct pail_vk_cmd *cmd, const struct copying *c, uint32_t rows, double ms)
{
    const uint64_t bytes = 4 * (uint64_t)N;
    const struct pail_vk_slice a = pail_vk_buffer_slice(&c->a, 0, bytes),
                               b = pail_vk_buffer_slice(&c->b, 0, bytes),
                               back = pail_vk_buffer_slice(&c->back, 0, bytes);
    pail_vk_cmd_label_begin(cmd, "outer");
    pail_vk_cmd_stamp(cmd, "there");
    pail_vk_cmd_fill(cmd, &b, 0, bytes, 0);
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_COMPUTE);
    copy(cmd, c, &c->b, &c->a, rows, ms);
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_TRANSFER);
    pail_vk_cmd_fill(cmd, &a, 0, bytes, 0);
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_COMPUTE);
    pail_vk_cmd_stamp(cmd, "back");
    copy(cmd, c, &c->a, &c->b, rows, ms);
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_TRANSFER);
    pail_vk_cmd_copy(cmd, &a, 0, &back, 0, bytes);
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_HOST);
    pail_vk_cmd_stamp(cmd, NULL);
    pail_vk_cmd_label_end(cmd);
}

static struct pail_vk_submissions run(struct pail_vk_device *dev, const struct copying *c,
                                      uint32_t rows, double ms)
{
    const struct pail_vk_slice back = pail_vk_buffer_slice(&c->back, 0, 4 * (uint64_t)N);
    struct pail_vk_submissions made;
    struct pail_vk_phase phases[4];
    struct pail_vk_cmd *cmd;
    pail_vk_ticket ticket;
    uint32_t n;
    memset(c->back.mapped, 0, 4 * (size_t)N);
    ASSERT_OK(pail_vk_cmd_begin(dev, PAIL_VK_QUEUE_MAIN, "portions", &cmd, ERR));
    record(cmd, c, rows, ms);
    ASSERT_OK(pail_vk_cmd_submit(cmd, &ticket, ERR));
    ASSERT_OK(pail_vk_wait(dev, ticket, PAIL_VK_FOREVER, ERR));
    ASSERT_OK(pail_vk_invalidate(dev, &back, ERR));
    assert_memory_equal(c->back.mapped, c->words, 4 * (size_t)N);
    ASSERT_OK(pail_vk_cmd_phases(cmd, phases, 4, &n, ERR));
    assert_int_equal(n, dev->caps.timestamp_bits ? 2 : 0);
    ASSERT_OK(pail_vk_cmd_submissions(cmd, &made, ERR));
    assert_true(made.longest_ms > 0 || !dev->caps.timestamp_bits);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(phases[i].n_spans, 1);
    pail_vk_cmd_release(&cmd);
    return made;
}

/* A line, and a grid whose kernel numbers its workgroups over both axes. */
PAIL_TEST_OF(portions, struct vk_fixture *f)
{
    static const struct {
        uint32_t rows;
        double ms;
        uint32_t least, most; /* submissions */
    } cases[] = {{1, 1, 1, 1},      {1, 65, 1, 1},  {ROWS, 65, 1, 1},  {1, 300, 4, 8},
                 {ROWS, 300, 4, 8}, {2, 100, 2, 4}, {1, 1000, 14, 20}, {ROWS, 1000, 14, 20},
                 {4, 1, 1, 1},      {ROWS, 3, 1, 1}};
    struct pail_vk_device *dev = open_slow(f, true);
    struct copying c;
    copying_make(dev, &c);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct pail_vk_submissions made = run(dev, &c, cases[i].rows, cases[i].ms);
        assert_in_range(made.n, cases[i].least, cases[i].most);
        assert_true(made.expected_ms <= PAIL_VK_SUBMISSION_MS && made.expected_ms > 0);
        assert_true(made.expected_dispatch_ms <= PAIL_VK_DISPATCH_MS);
    }
    copying_free(dev, &c);
    pail_vk_device_destroy(&dev);
}

/* The same work on the device as it is: nothing watches over a software driver. */
PAIL_TEST_OF(whole, struct vk_fixture *f)
{
    struct pail_vk_device *dev = open_slow(f, false);
    struct copying c;
    copying_make(dev, &c);
    if (!dev->pace.limits) {
        const struct pail_vk_submissions made = run(dev, &c, ROWS, 1000);
        assert_int_equal(made.n, 1);
        assert_true(made.expected_ms == 0 && made.expected_dispatch_ms == 0);
    }
    copying_free(dev, &c);
    pail_vk_device_destroy(&dev);
}

/* A kernel whose rows and columns are apart, cut along both axes: histograms of random keys. */
PAIL_TEST_OF(apart, struct vk_fixture *f)
{
    enum { KEYS = 10000, BITS = 6, BINS = 1 << BITS, WINDOWS = 3, TILE = 1024 };
    struct pail_vk_device *dev = open_slow(f, true);
    const uint32_t tiles = (KEYS + TILE - 1) / TILE;
    const uint64_t in_bytes = (uint64_t)WINDOWS * KEYS * 4,
                   out_bytes = (uint64_t)WINDOWS * BINS * tiles * 4;
    const struct pail_vk_pipeline *pipeline;
    ASSERT_OK(pail_vk_pipeline_get(dev, PAIL_KERNEL_MSM_SORT_COUNT, (struct pail_variant){0}, NULL,
                                   0, &pipeline, ERR));
    struct pail_vk_arena arena;
    struct pail_vk_slice keys, counts;
    pail_vk_arena_init(&arena, dev, PAIL_VK_MEMORY_DEVICE, "apart");
    ASSERT_OK(pail_vk_arena_take(&arena, in_bytes, &keys, ERR));
    ASSERT_OK(pail_vk_arena_take(&arena, out_bytes, &counts, ERR));
    uint32_t *host = malloc(in_bytes), *wanted = calloc(1, out_bytes), *got = malloc(out_bytes);
    assert_true(host && wanted && got);
    uint32_t seed = 7;
    for (uint32_t i = 0; i < WINDOWS * KEYS; i++) {
        seed = seed * 1664525u + 1013904223u;
        host[i] = seed >> 5;
        wanted[(i / KEYS * tiles + i % KEYS / TILE) * BINS + (host[i] >> 3) % BINS]++;
    }
    ASSERT_OK(pail_vk_upload(dev, &keys, 0, host, in_bytes, NULL, ERR));
    const struct msm_sort_push push = {.n = KEYS,
                                       .tile = TILE,
                                       .tiles = tiles,
                                       .first_pass = 1,
                                       .bits = BITS,
                                       .mask = (BINS - 1) << 3,
                                       .down = 3,
                                       .epochs = 1,
                                       .epoch_tiles = tiles,
                                       .groups = 1};
    const struct pail_vk_slice bindings[] = {keys, counts};
    static const double ms[] = {10, 150, 500, 900};
    for (size_t i = 0; i < sizeof(ms) / sizeof(ms[0]); i++) {
        const struct pail_vk_work work = {
            .kind = PAIL_VK_WORDS, .units = ms[i] * 1e6 / word_ns(dev), .apart = true};
        struct pail_vk_cmd *cmd;
        struct pail_vk_submissions made;
        pail_vk_ticket ticket;
        ASSERT_OK(pail_vk_cmd_begin(dev, PAIL_VK_QUEUE_MAIN, "apart", &cmd, ERR));
        pail_vk_cmd_fill(cmd, &counts, 0, out_bytes, 0xaaaaaaaau);
        pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_COMPUTE);
        pail_vk_cmd_expect(cmd, &work);
        pail_vk_cmd_dispatch(cmd, pipeline, bindings, 2, &push, sizeof(push), tiles, WINDOWS, 1);
        ASSERT_OK(pail_vk_cmd_submit(cmd, &ticket, ERR));
        ASSERT_OK(pail_vk_wait(dev, ticket, PAIL_VK_FOREVER, ERR));
        ASSERT_OK(pail_vk_cmd_submissions(cmd, &made, ERR));
        assert_in_range(made.n, ms[i] / PAIL_VK_SUBMISSION_MS, 1 + ms[i] / 50);
        assert_true(made.expected_dispatch_ms <= PAIL_VK_DISPATCH_MS);
        pail_vk_cmd_release(&cmd);
        memset(got, 0, out_bytes);
        ASSERT_OK(pail_vk_download(dev, &counts, 0, got, out_bytes, PAIL_VK_FOREVER, ERR));
        assert_memory_equal(got, wanted, out_bytes);
    }
    free(host);
    free(wanted);
    free(got);
    pail_vk_arena_fini(&arena);
    pail_vk_device_destroy(&dev);
}

/* ---- A device that slows down ---------------------------------------------------------------- */
static double tick_ms, now_ms; /* from any timestamp to the next, and of the last one */

/* In place of the device's clock. Pools of a recording are asked in their order. */
static VKAPI_ATTR VkResult VKAPI_CALL on_results(VkDevice device, VkQueryPool pool, uint32_t first,
                                                 uint32_t n, size_t size, void *data,
                                                 VkDeviceSize stride, VkQueryResultFlags flags)
{
    uint64_t *const ticks = data;
    (void)device;
    (void)pool;
    (void)first;
    (void)size;
    assert_true(stride == sizeof(*ticks) && flags == VK_QUERY_RESULT_64_BIT);
    for (uint32_t i = 0; i < n; i++)
        ticks[i] = (uint64_t)(1e6 * (now_ms += tick_ms));
    return VK_SUCCESS;
}

/* Work that took too long is recorded in more portions the next time, and in as many as before when
 * the device is quick again. */
PAIL_TEST_OF(slows_down, struct vk_fixture *f)
{
    struct pail_vk_device *dev = open_slow(f, true);
    struct copying c;
    struct pail_vk_submissions made;
    if (!dev->caps.timestamp_bits) {
        pail_vk_device_destroy(&dev);
        SKIP_BECAUSE("the device has no timestamps, for which a test could stand in");
    }
    dev->vk.vkGetQueryPoolResults = on_results;
    dev->caps.timestamp_ns = 1;
    dev->pace.learns = true;
    copying_make(dev, &c);
    tick_ms = 1;
    const uint32_t before = run(dev, &c, 1, 300).n;
    made = run(dev, &c, 1, 300);
    assert_int_equal(made.n, before);
    tick_ms = 60; /* a dispatch is as quick as is promised, its submission is not */
    made = run(dev, &c, 1, 300);
    assert_int_equal(made.n, before);
    assert_true(made.longest_ms > PAIL_VK_SUBMISSION_MS);
    tick_ms = 428;
    (void)run(dev, &c, 1, 300);
    made = run(dev, &c, 1, 300);
    print_message("%u submissions, %u of a device that is slower\n", before, made.n);
    assert_true(made.n >= 3 * before);
    assert_true(made.expected_ms <= PAIL_VK_SUBMISSION_MS &&
                made.expected_dispatch_ms <= PAIL_VK_DISPATCH_MS);
    tick_ms = 1;
    for (int i = 0; i < 6; i++)
        made = run(dev, &c, 1, 300);
    assert_int_equal(made.n, before);
    copying_free(dev, &c);
    pail_vk_device_destroy(&dev);
}

/* ---- Failures in the middle ------------------------------------------------------------------ */
static PFN_vkQueueSubmit real_submit;
static uint32_t submits, failing;
static VkResult failure;

static VKAPI_ATTR VkResult VKAPI_CALL on_submit(VkQueue queue, uint32_t n, const VkSubmitInfo *info,
                                                VkFence fence)
{
    return ++submits == failing ? failure : real_submit(queue, n, info, fence);
}

/* The submissions before it have run or still do; the recorder is not used again until then. */
static void fails_at(struct vk_fixture *f, uint32_t number, VkResult result)
{
    struct pail_vk_device *dev = open_slow(f, true);
    struct copying c;
    struct pail_vk_cmd *cmd;
    struct pail_vk_submissions made;
    pail_vk_ticket ticket;
    copying_make(dev, &c);
    ASSERT_OK(pail_vk_cmd_begin(dev, PAIL_VK_QUEUE_MAIN, "failing", &cmd, ERR));
    record(cmd, &c, ROWS, 300);
    real_submit = dev->vk.vkQueueSubmit;
    dev->vk.vkQueueSubmit = on_submit;
    submits = 0;
    failing = number;
    failure = result;
    const bool lost = result == VK_ERROR_DEVICE_LOST;
    ASSERT_STATUS(pail_vk_cmd_submit(cmd, &ticket, ERR),
                  lost ? PAIL_ERR_DEVICE_LOST : PAIL_ERR_HOST_MEMORY, "vkQueueSubmit");
    dev->vk.vkQueueSubmit = real_submit;
    assert_int_equal(ticket, 0);
    assert_int_equal(submits, number);
    assert_int_not_equal(pail_vk_cmd_submissions(cmd, &made, ERR), PAIL_OK);
    pail_vk_cmd_release(&cmd);
    if (!lost) {
        ASSERT_OK(
            pail_vk_wait(dev, pail_vk_last_ticket(dev, PAIL_VK_QUEUE_MAIN), PAIL_VK_FOREVER, ERR));
        const struct pail_vk_slice a = pail_vk_buffer_slice(&c.a, 0, 4 * (uint64_t)N);
        ASSERT_OK(pail_vk_upload(dev, &a, 0, c.words, 4 * (size_t)N, NULL, ERR));
        run(dev, &c, ROWS, 300);
    }
    copying_free(dev, &c);
    pail_vk_device_destroy(&dev);
}

PAIL_TEST_OF(fails, struct vk_fixture *f)
{
    for (uint32_t number = 1; number <= 4; number++)
        fails_at(f, number, VK_ERROR_OUT_OF_HOST_MEMORY);
    fails_at(f, 3, VK_ERROR_DEVICE_LOST);
}

PAIL_TEST_GROUP(vk_setup, vk_teardown)
