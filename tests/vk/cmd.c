/* SPDX-License-Identifier: Apache-2.0 */
/* Recording, tickets, timestamps, pipelines, and several threads on one queue. */
#include "support.h"
#include "support/test.h"

#include <pthread.h>
#include <time.h>

#include <shared/msm_layout.h>
#include <vk/device_priv.h>

#define WORDS 4096u

/* Two device buffers and a readback buffer of WORDS words each. */
struct bench {
    struct pail_vk_buffer a, b, back;
    struct pail_vk_slice sa, sb, sback;
};

static void bench_open(struct bench *t, struct pail_vk_device *dev)
{
    const uint64_t bytes = WORDS * 4;
    ASSERT_OK(pail_vk_buffer_create(dev, &t->a, PAIL_VK_MEMORY_DEVICE, bytes, "a", ERR));
    ASSERT_OK(pail_vk_buffer_create(dev, &t->b, PAIL_VK_MEMORY_DEVICE, bytes, "b", ERR));
    ASSERT_OK(pail_vk_buffer_create(dev, &t->back, PAIL_VK_MEMORY_READBACK, bytes, "back", ERR));
    t->sa = pail_vk_buffer_slice(&t->a, 0, bytes);
    t->sb = pail_vk_buffer_slice(&t->b, 0, bytes);
    t->sback = pail_vk_buffer_slice(&t->back, 0, bytes);
}

static void bench_close(struct bench *t, struct pail_vk_device *dev)
{
    pail_vk_buffer_destroy(dev, &t->a);
    pail_vk_buffer_destroy(dev, &t->b);
    pail_vk_buffer_destroy(dev, &t->back);
}

static struct pail_vk_cmd *begin(struct pail_vk_device *dev, const char *label)
{
    struct pail_vk_cmd *cmd;
    ASSERT_OK(pail_vk_cmd_begin(dev, PAIL_VK_QUEUE_MAIN, label, &cmd, ERR));
    return cmd;
}

PAIL_TEST_OF(fill_copy_and_phases, struct vk_fixture *f)
{
    const bool timed = pail_vk_device_caps(f->dev)->timestamp_bits > 0;
    struct bench t;
    bench_open(&t, f->dev);
    for (uint32_t round = 0; round < 5; round++) {
        struct pail_vk_cmd *cmd = begin(f->dev, "fill and copy");
        pail_vk_cmd_stamp(cmd, "fill");
        pail_vk_cmd_fill(cmd, &t.sa, 0, WORDS * 4, 0x01020304u + round);
        pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_TRANSFER);
        pail_vk_cmd_fill(cmd, &t.sa, 16, 8, 7);
        pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_TRANSFER);
        pail_vk_cmd_label_begin(cmd, "copies");
        for (uint32_t i = 0; i < 100; i++) { /* more timestamps than one pool holds */
            pail_vk_cmd_stamp(cmd, i % 2 ? "there" : "back");
            pail_vk_cmd_copy(cmd, i % 2 ? &t.sb : &t.sa, 0, i % 2 ? &t.sa : &t.sb, 0, WORDS * 4);
            pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_TRANSFER);
        }
        pail_vk_cmd_stamp(cmd, NULL);
        pail_vk_cmd_label_end(cmd);
        pail_vk_cmd_stamp(cmd, "read");
        pail_vk_cmd_copy(cmd, &t.sb, 0, &t.sback, 0, WORDS * 4);
        pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_HOST);
        pail_vk_ticket ticket;
        ASSERT_OK(pail_vk_cmd_submit(cmd, &ticket, ERR));
        assert_int_equal(pail_vk_cmd_ticket(cmd), ticket);
        ASSERT_OK(pail_vk_wait(f->dev, ticket, PAIL_VK_FOREVER, ERR));
        bool done = false;
        ASSERT_OK(pail_vk_poll(f->dev, ticket, &done, ERR));
        assert_true(done);
        ASSERT_OK(pail_vk_invalidate(f->dev, &t.sback, ERR));
        const uint32_t *words = t.sback.mapped;
        for (uint32_t i = 0; i < WORDS; i++)
            assert_int_equal(words[i], i == 4 || i == 5 ? 7 : 0x01020304u + round);

        struct pail_vk_phase phases[8];
        uint32_t n;
        ASSERT_OK(pail_vk_cmd_phases(cmd, phases, 8, &n, ERR));
        assert_int_equal(n, timed ? 4 : 0);
        const char *const names[] = {"fill", "back", "there", "read"};
        const uint32_t spans[] = {1, 50, 50, 1};
        for (uint32_t i = 0; i < n; i++) {
            assert_string_equal(phases[i].name, names[i]);
            assert_int_equal(phases[i].n_spans, spans[i]);
            assert_true(phases[i].ms >= 0 && phases[i].ms < 60000);
        }
        ASSERT_OK(pail_vk_cmd_phases(cmd, phases, 1, &n, ERR));
        assert_int_equal(n, timed ? 1 : 0);
        pail_vk_cmd_release(&cmd);
        assert_null(cmd);
        pail_vk_cmd_release(&cmd);
    }
    bench_close(&t, f->dev);
}

PAIL_TEST_OF(no_timestamps, struct vk_fixture *f)
{
    const struct pail_vk_limits_override limits = {.no_timestamps = true};
    struct pail_vk_device *dev;
    ASSERT_OK(pail_vk_device_create(&dev, f->inst, 0,
                                    &(struct pail_vk_device_params){.limits = &limits}, ERR));
    struct bench t;
    bench_open(&t, dev);
    struct pail_vk_cmd *cmd = begin(dev, "untimed");
    pail_vk_cmd_stamp(cmd, "fill");
    pail_vk_cmd_fill(cmd, &t.sa, 0, 64, 1);
    struct pail_vk_phase phase;
    uint32_t n = 9;
    ASSERT_STATUS(pail_vk_cmd_phases(cmd, &phase, 1, &n, ERR), PAIL_ERR_ARGUMENT,
                  "\"untimed\" were asked for before its work was complete");
    pail_vk_ticket ticket;
    ASSERT_OK(pail_vk_cmd_submit(cmd, &ticket, ERR));
    ASSERT_OK(pail_vk_wait(dev, ticket, PAIL_VK_FOREVER, ERR));
    ASSERT_OK(pail_vk_cmd_phases(cmd, &phase, 1, &n, ERR));
    assert_int_equal(n, 0);
    pail_vk_cmd_release(&cmd);
    bench_close(&t, dev);
    pail_vk_device_destroy(&dev);
}

/* Histograms of the low bits of random keys, against the same on the CPU. */
PAIL_TEST_OF(dispatch, struct vk_fixture *f)
{
    enum { N = 10000, BITS = 6, BINS = 1 << BITS, WINDOWS = 3, TILE = 4096 };
    const uint32_t tiles = (N + TILE - 1) / TILE;
    const uint64_t in_bytes = (uint64_t)WINDOWS * N * 4,
                   out_bytes = (uint64_t)WINDOWS * BINS * tiles * 4;
    const struct pail_vk_pipeline *pipeline;
    ASSERT_OK(pail_vk_pipeline_get(f->dev, PAIL_KERNEL_MSM_SORT_COUNT, (struct pail_variant){0},
                                   NULL, 0, &pipeline, ERR));
    assert_string_equal(pail_vk_pipeline_name(pipeline), "msm/sort/count");

    struct pail_vk_arena arena;
    struct pail_vk_slice digits, counts;
    pail_vk_arena_init(&arena, f->dev, PAIL_VK_MEMORY_DEVICE, "dispatch");
    ASSERT_OK(pail_vk_arena_take(&arena, in_bytes, &digits, ERR));
    ASSERT_OK(pail_vk_arena_take(&arena, out_bytes, &counts, ERR));
    uint32_t *host = malloc(in_bytes), *wanted = calloc(1, out_bytes), *got = malloc(out_bytes);
    assert_true(host && wanted && got);
    uint32_t seed = 7;
    for (uint32_t i = 0; i < WINDOWS * N; i++) {
        seed = seed * 1664525u + 1013904223u;
        host[i] = seed >> 5;
        const uint32_t window = i / N, tile = i % N / TILE;
        wanted[(window * tiles + tile) * BINS + (host[i] >> 3) % BINS]++;
    }
    ASSERT_OK(pail_vk_upload(f->dev, &digits, 0, host, in_bytes, NULL, ERR));
    const struct msm_sort_push push = {
        .n = N,
        .tile = TILE,
        .tiles = tiles,
        .first_pass = 1,
        .bits = BITS,
        .mask = (BINS - 1) << 3,
        .down = 3,
        .epochs = 1,
        .epoch_tiles = tiles,
        .groups = 1,
    };
    const struct pail_vk_slice bindings[] = {digits, counts};
    for (int round = 0; round < 2; round++) {
        struct pail_vk_cmd *cmd = begin(f->dev, "histogram");
        pail_vk_cmd_fill(cmd, &counts, 0, out_bytes, 0xaaaaaaaau);
        pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_COMPUTE);
        for (int i = 0; i < 130; i++) { /* more sets than one pool holds */
            pail_vk_cmd_dispatch(cmd, pipeline, bindings, 2, &push, sizeof(push), tiles, WINDOWS,
                                 1);
            pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_COMPUTE);
        }
        pail_vk_cmd_dispatch(cmd, pipeline, bindings, 2, &push, sizeof(push), 0, 1, 1);
        pail_vk_ticket ticket;
        ASSERT_OK(pail_vk_cmd_submit(cmd, &ticket, ERR));
        pail_vk_cmd_release(&cmd);
        memset(got, 0, out_bytes);
        ASSERT_OK(pail_vk_download(f->dev, &counts, 0, got, out_bytes, PAIL_VK_FOREVER, ERR));
        assert_memory_equal(got, wanted, out_bytes);
    }
    free(host);
    free(wanted);
    free(got);
    pail_vk_arena_fini(&arena);
}

/* Records one wrong step, then a right one, and expects the sentence when it is submitted. */
PAIL_TEST_OF(wrong_recordings, struct vk_fixture *f)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(f->dev);
    struct bench t;
    bench_open(&t, f->dev);
    const struct pail_vk_pipeline *p;
    ASSERT_OK(pail_vk_pipeline_get(f->dev, PAIL_KERNEL_MSM_SORT_COUNT, (struct pail_variant){0},
                                   NULL, 0, &p, ERR));
    const struct msm_sort_push push = {0};
    const struct pail_vk_slice empty = {0}, off = pail_vk_buffer_slice(&t.a, 4, 64),
                               beyond = pail_vk_buffer_slice(&t.a, 0, WORDS * 4 + 4);
    struct pail_vk_slice bindings[2] = {t.sa, t.sb};
    char push_bytes[64];
    snprintf(push_bytes, sizeof(push_bytes),
             "msm/sort/count: 3 push bytes given, the kernel has %zu", sizeof(push));
    const char *const words[] = {
        "msm/sort/count: 1 buffers bound, the kernel has 2",
        push_bytes,
        "workgroups along y",
        "binding 1 (counts) is empty",
        "binding 0 (words) is at 4",
        "binding 1 (counts) is empty or outside its buffer: 16388 bytes at 0 of 16384",
        "a barrier from 0x1 to 0x0",
        "a fill of 6 bytes at 0",
        "a fill of 16384 bytes at 4 of a slice of 16384",
        "a copy of 16384 bytes from 0 of a slice of 16384 to 1 of 16384",
    };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        struct pail_vk_cmd *cmd = begin(f->dev, "wrong");
        bindings[0] = i == 4 ? off : t.sa;
        bindings[1] = i == 3 ? empty : i == 5 ? beyond : t.sb;
        if (i <= 5)
            pail_vk_cmd_dispatch(cmd, p, bindings, i == 0 ? 1 : 2, &push, i == 1 ? 3 : sizeof(push),
                                 1, i == 2 ? caps->max_workgroup_count[1] + 1 : 1, 1);
        if (i == 6)
            pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, 0);
        if (i == 7)
            pail_vk_cmd_fill(cmd, &t.sa, 0, 6, 0);
        if (i == 8)
            pail_vk_cmd_fill(cmd, &t.sa, 4, WORDS * 4, 0);
        if (i == 9)
            pail_vk_cmd_copy(cmd, &t.sa, 0, &t.sb, 1, WORDS * 4);
        pail_vk_cmd_fill(cmd, &t.sa, 2, 4, 0); /* wrong as well: the first one counts */
        pail_vk_ticket ticket = 1;
        ASSERT_STATUS(pail_vk_cmd_submit(cmd, &ticket, ERR), PAIL_ERR_INTERNAL, words[i]);
        assert_int_equal(ticket, 0);
        pail_vk_cmd_release(&cmd);
    }
    struct pail_vk_cmd *cmd = begin(f->dev, "twice");
    pail_vk_ticket ticket;
    ASSERT_OK(pail_vk_cmd_submit(cmd, &ticket, ERR));
    ASSERT_STATUS(pail_vk_cmd_submit(cmd, &ticket, ERR), PAIL_ERR_INTERNAL,
                  "\"twice\" was recorded into after it was submitted");
    pail_vk_cmd_release(&cmd);
    cmd = begin(f->dev, "never submitted");
    pail_vk_cmd_release(&cmd);
    bool done;
    ASSERT_STATUS(pail_vk_poll(f->dev, UINT64_C(1) << 40, &done, ERR), PAIL_ERR_ARGUMENT,
                  "ticket 0x10000000000 was never given out");
    ASSERT_STATUS(pail_vk_wait(f->dev, UINT64_MAX, 0, ERR), PAIL_ERR_ARGUMENT, "never given out");
    bench_close(&t, f->dev);
}

static uint64_t slept_ns;

static VKAPI_ATTR VkResult VKAPI_CALL no_progress(VkDevice device, VkSemaphore semaphore,
                                                  uint64_t *value)
{
    (void)device;
    (void)semaphore;
    *value = 0;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL sleep_in_vain(VkDevice device,
                                                    const VkSemaphoreWaitInfo *info,
                                                    uint64_t timeout_ns)
{
    (void)device;
    (void)info;
    slept_ns = timeout_ns;
    return VK_TIMEOUT;
}

/* Looking before sleeping leaves less time to sleep, and takes no longer than the caller may wait.
 * */
PAIL_TEST_OF(looking_is_waiting, struct vk_fixture *f)
{
    const uint64_t ms = 1000000;
    struct pail_vk_device *dev;
    ASSERT_OK(pail_vk_device_create(&dev, f->inst, 0, NULL, ERR));
    struct bench t;
    bench_open(&t, dev);
    struct pail_vk_cmd *cmd = begin(dev, "awaited");
    pail_vk_cmd_fill(cmd, &t.sa, 0, 64, 1);
    pail_vk_ticket ticket;
    ASSERT_OK(pail_vk_cmd_submit(cmd, &ticket, ERR));
    struct VolkDeviceTable *table = pail_vk_device_table(dev);
    const struct VolkDeviceTable real = *table;
    const VkPhysicalDeviceType type = dev->caps.type;
    table->vkGetSemaphoreCounterValue = no_progress;
    table->vkWaitSemaphores = sleep_in_vain;
    dev->caps.type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    slept_ns = 1;
    assert_int_equal(pail_vk_wait(dev, ticket, 3 * ms, ERR), PAIL_NOT_READY);
    assert_int_equal(slept_ns, 0);
    assert_int_equal(pail_vk_wait(dev, ticket, 60000 * ms, ERR), PAIL_NOT_READY);
    assert_in_range(slept_ns, 1, 60000 * ms - 1);
    assert_int_equal(pail_vk_wait(dev, ticket, PAIL_VK_FOREVER, ERR), PAIL_NOT_READY);
    assert_true(slept_ns == PAIL_VK_FOREVER);
    dev->caps.type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    assert_int_equal(pail_vk_wait(dev, ticket, 60 * ms, ERR), PAIL_NOT_READY);
    assert_int_equal(slept_ns, 60 * ms);
    *table = real;
    dev->caps.type = type;
    ASSERT_OK(pail_vk_wait(dev, ticket, PAIL_VK_FOREVER, ERR));
    pail_vk_cmd_release(&cmd);
    bench_close(&t, dev);
    pail_vk_device_destroy(&dev);
}

PAIL_TEST_OF(pipeline_requests, struct vk_fixture *f)
{
    const struct pail_vk_pipeline *a, *b;
    const struct pail_vk_pipeline_stats before = pail_vk_pipeline_stats(f->dev);
    const struct pail_variant v = {PAIL_KC_BN254, PAIL_KG_G1, PAIL_FORM_X32, 0};
    ASSERT_OK(pail_vk_pipeline_get(f->dev, PAIL_KERNEL_MSM_ORDER_WINDOWS, v, NULL, 0, &a, ERR));
    ASSERT_OK(pail_vk_pipeline_get(f->dev, PAIL_KERNEL_MSM_ORDER_WINDOWS, (struct pail_variant){0},
                                   NULL, 0, &b, ERR));
    assert_ptr_equal(a, b); /* it has no axes */
    const struct pail_vk_pipeline_stats after = pail_vk_pipeline_stats(f->dev);
    assert_int_equal(after.disk + after.compiled - before.disk - before.compiled, 1);
    assert_int_equal(after.memory - before.memory, 1);
    assert_true(after.ms > before.ms);
    ASSERT_STATUS(pail_vk_pipeline_get(f->dev, PAIL_KERNEL_COUNT, v, NULL, 0, &a, ERR),
                  PAIL_ERR_ARGUMENT, "no kernel number");
    ASSERT_STATUS(pail_vk_pipeline_get(f->dev, PAIL_KERNEL_MSM_DECOMPOSE,
                                       (struct pail_variant){.curve = 77, .group = 1}, NULL, 0, &a,
                                       ERR),
                  PAIL_ERR_ARGUMENT, "there is no kernel msm/digits/decompose.?");
    ASSERT_STATUS(pail_vk_pipeline_get(f->dev, PAIL_KERNEL_MSM_ORDER_WINDOWS, v,
                                       (uint32_t[]){1, 2, 3}, 3, &a, ERR),
                  PAIL_ERR_ARGUMENT, "msm/order/windows has 0 specialisation constants, 3 given");
    assert_null(a);
}

struct worker {
    struct pail_vk_device *dev;
    uint32_t number;
    const struct pail_vk_pipeline *pipelines[3];
    pail_status status;
    uint32_t wrong;
    struct pail_error error;
};

static pail_status worker_round(struct worker *w, const struct bench *t, uint32_t word)
{
    struct pail_vk_cmd *cmd;
    pail_vk_ticket ticket;
    pail_status status = pail_vk_cmd_begin(w->dev, PAIL_VK_QUEUE_MAIN, "worker", &cmd, &w->error);
    if (status != PAIL_OK)
        return status;
    pail_vk_cmd_stamp(cmd, "fill");
    pail_vk_cmd_fill(cmd, &t->sa, 0, WORDS * 4, word);
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_TRANSFER);
    pail_vk_cmd_copy(cmd, &t->sa, 0, &t->sback, 0, WORDS * 4);
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_HOST);
    status = pail_vk_cmd_submit(cmd, &ticket, &w->error);
    if (status == PAIL_OK)
        status = pail_vk_wait(w->dev, ticket, PAIL_VK_FOREVER, &w->error);
    if (status == PAIL_OK)
        status = pail_vk_invalidate(w->dev, &t->sback, &w->error);
    for (uint32_t i = 0; status == PAIL_OK && i < WORDS; i++)
        w->wrong += ((const uint32_t *)t->sback.mapped)[i] != word;
    pail_vk_cmd_release(&cmd);
    return status;
}

static void *worker_run(void *user)
{
    struct worker *w = user;
    const enum pail_kernel_id ids[] = {PAIL_KERNEL_MSM_SORT_SCAN, PAIL_KERNEL_MSM_CUTS,
                                       PAIL_KERNEL_MSM_DECOMPOSE};
    const struct pail_variant variant = {.curve = PAIL_KC_BN254, .group = PAIL_KG_G1};
    struct bench t;
    bench_open(&t, w->dev);
    for (uint32_t i = 0; i < 3 && w->status == PAIL_OK; i++)
        w->status =
            pail_vk_pipeline_get(w->dev, ids[i], variant, NULL, 0, &w->pipelines[i], &w->error);
    for (uint32_t i = 0; i < 25 && w->status == PAIL_OK; i++)
        w->status = worker_round(w, &t, w->number << 16 | i);
    bench_close(&t, w->dev);
    return NULL;
}

PAIL_TEST_OF(threads, struct vk_fixture *f)
{
    enum { N = 6 };
    pthread_t ids[N];
    struct worker workers[N] = {0};
    const struct pail_vk_pipeline_stats before = pail_vk_pipeline_stats(f->dev);
    for (uint32_t i = 0; i < N; i++) {
        workers[i].dev = f->dev;
        workers[i].number = i + 1;
        assert_int_equal(pthread_create(&ids[i], NULL, worker_run, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < N; i++)
        pthread_join(ids[i], NULL);
    for (uint32_t i = 0; i < N; i++) {
        if (workers[i].status != PAIL_OK)
            fail_msg("worker %u: %s", i, workers[i].error.text);
        assert_int_equal(workers[i].wrong, 0);
        for (int p = 0; p < 3; p++)
            assert_ptr_equal(workers[i].pipelines[p], workers[0].pipelines[p]);
    }
    const struct pail_vk_pipeline_stats after = pail_vk_pipeline_stats(f->dev);
    /* each once, whoever came first */
    assert_int_equal(after.disk + after.compiled - before.disk - before.compiled, 3);
    assert_int_equal(after.memory - before.memory, 3 * (N - 1));
}

/* A wait of one thread, made long by hand, that others submit beside: it ends when they have. */
enum { WAITS_MS = 60000 }; /* at most, where they cannot */
static atomic_int waiting;
static PFN_vkWaitSemaphores real_wait;

static VKAPI_ATTR VkResult VKAPI_CALL slow_wait(VkDevice device, const VkSemaphoreWaitInfo *info,
                                                uint64_t timeout)
{
    atomic_store(&waiting, 1);
    for (int ms = 0; ms < WAITS_MS && atomic_load(&waiting) == 1; ms++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    atomic_fetch_add(&waiting, 2);
    return real_wait(device, info, timeout);
}

static void *wait_run(void *user)
{
    struct worker *w = user;
    struct pail_vk_cmd *cmd = begin(w->dev, "waited for");
    pail_vk_ticket ticket;
    ASSERT_OK(pail_vk_cmd_submit(cmd, &ticket, ERR));
    w->status = pail_vk_wait(w->dev, ticket, PAIL_VK_FOREVER, ERR);
    pail_vk_cmd_release(&cmd); /* looks for completion: done first, nothing would be left to wait */
    return NULL;
}

PAIL_TEST_OF(wait_holds_no_lock, struct vk_fixture *f)
{
    struct VolkDeviceTable *vk = pail_vk_device_table(f->dev);
    real_wait = vk->vkWaitSemaphores;
    vk->vkWaitSemaphores = slow_wait;
    const VkPhysicalDeviceType type = f->dev->caps.type;
    f->dev->caps.type =
        VK_PHYSICAL_DEVICE_TYPE_CPU; /* a GPU is looked at before it is waited for */
    pthread_t id;
    struct worker w = {.dev = f->dev};
    assert_int_equal(pthread_create(&id, NULL, wait_run, &w), 0);
    while (atomic_load(&waiting) == 0)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    for (int i = 0; i < 5; i++) {
        struct pail_vk_cmd *cmd = begin(f->dev, "beside");
        pail_vk_ticket ticket;
        ASSERT_OK(pail_vk_cmd_submit(cmd, &ticket, ERR));
        pail_vk_cmd_release(&cmd);
    }
    assert_int_equal(atomic_exchange(&waiting, 2), 1); /* all five went in meanwhile */
    pthread_join(id, NULL);
    assert_int_equal(w.status, PAIL_OK);
    vk->vkWaitSemaphores = real_wait;
    f->dev->caps.type = type;
}

/* Copies on the transfer queue, then computes with what it wrote on the main queue. */
PAIL_TEST_OF(transfer_queue, struct vk_fixture *f)
{
    struct bench t;
    bench_open(&t, f->dev);
    struct pail_vk_cmd *copy, *read;
    pail_vk_ticket copied, done;
    ASSERT_OK(pail_vk_cmd_begin(f->dev, PAIL_VK_QUEUE_TRANSFER, "beside", &copy, ERR));
    pail_vk_cmd_stamp(copy, "untimed");
    pail_vk_cmd_fill(copy, &t.sa, 0, WORDS * 4, 0x1234u);
    pail_vk_cmd_barrier(copy, PAIL_VK_TRANSFER, PAIL_VK_TRANSFER);
    pail_vk_cmd_copy(copy, &t.sa, 0, &t.sb, 0, WORDS * 4);
    pail_vk_cmd_barrier(copy, PAIL_VK_TRANSFER, PAIL_VK_TRANSFER);
    ASSERT_OK(pail_vk_cmd_submit(copy, &copied, ERR));
    read = begin(f->dev, "after");
    pail_vk_cmd_wait(read, copied);
    pail_vk_cmd_wait(read, 0);
    pail_vk_cmd_copy(read, &t.sb, 0, &t.sback, 0, WORDS * 4);
    pail_vk_cmd_barrier(read, PAIL_VK_TRANSFER, PAIL_VK_HOST);
    ASSERT_OK(pail_vk_cmd_submit(read, &done, ERR));
    ASSERT_OK(pail_vk_wait(f->dev, done, PAIL_VK_FOREVER, ERR));
    ASSERT_OK(pail_vk_wait(f->dev, copied, 0, ERR));
    ASSERT_OK(pail_vk_invalidate(f->dev, &t.sback, ERR));
    for (uint32_t i = 0; i < WORDS; i++)
        assert_int_equal(((const uint32_t *)t.sback.mapped)[i], 0x1234u);
    pail_vk_cmd_release(&copy);
    pail_vk_cmd_release(&read);
    bench_close(&t, f->dev);
    if (!pail_vk_device_caps(f->dev)->transfer_queue)
        print_message("the transfer queue is the main queue on this device\n");
}

/* PAIL_DEBUG=time,trace: what a person reads. */
PAIL_TEST(logged)
{
    struct vk_fixture f = {0};
    const struct pail_vk_env env = vk_env(&f.host, "time,trace");
    ASSERT_OK(pail_vk_instance_create(&f.inst, &env, ERR));
    ASSERT_OK(pail_vk_device_create(&f.dev, f.inst, 0, NULL, ERR));
    struct bench t;
    bench_open(&t, f.dev);
    assert_non_null(strstr(f.host.last_line, "buffer \"back\": 16384 bytes, "));
    const struct pail_vk_pipeline *p;
    ASSERT_OK(pail_vk_pipeline_get(f.dev, PAIL_KERNEL_MSM_SORT_COUNT, (struct pail_variant){0},
                                   NULL, 0, &p, ERR));
    assert_non_null(strstr(f.host.last_line, "pipeline msm/sort/count: "));
    const struct msm_sort_push push = {
        .tiles = 1, .first_pass = 1, .bits = 1, .epochs = 1, .epoch_tiles = 1, .groups = 1};
    struct pail_vk_cmd *cmd = begin(f.dev, "timed");
    for (int i = 0; i < 3; i++) {
        pail_vk_cmd_dispatch(cmd, p, (struct pail_vk_slice[]){t.sa, t.sb}, 2, &push, sizeof(push),
                             1, 1, 1);
        pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_COMPUTE);
    }
    pail_vk_ticket ticket;
    ASSERT_OK(pail_vk_cmd_submit(cmd, &ticket, ERR));
    assert_non_null(strstr(f.host.last_line, "submit \"timed\": ticket 0x1, 3 dispatches"));
    ASSERT_OK(pail_vk_wait(f.dev, ticket, PAIL_VK_FOREVER, ERR));
    pail_vk_cmd_release(&cmd);
    if (pail_vk_device_caps(f.dev)->timestamp_bits) {
        assert_non_null(strstr(f.host.last_line, "time: timed: msm/sort/count: "));
        assert_non_null(strstr(f.host.last_line, " ms in 3"));
    }
    bench_close(&t, f.dev);
    vk_fixture_close(&f);
}

/* The silence of the validation layer means something: a hazard and a misuse are both heard. */
PAIL_TEST(validation_listens)
{
    if (!*vk_debug_words())
        SKIP_BECAUSE("PAIL_TEST_DEBUG asks for no validation layer");
    struct vk_fixture f = {0};
    const struct pail_vk_env env = vk_env(&f.host, "sync");
    ASSERT_OK(pail_vk_instance_create(&f.inst, &env, ERR));
    ASSERT_OK(pail_vk_device_create(&f.dev, f.inst, 0, NULL, ERR));
    struct bench t;
    bench_open(&t, f.dev);
    struct pail_vk_cmd *cmd = begin(f.dev, "hazard");
    print_message("two messages of the validation layer follow on purpose\n");
    pail_vk_cmd_fill(cmd, &t.sa, 0, 64, 1);
    pail_vk_cmd_fill(cmd, &t.sa, 32, 64, 2); /* no barrier between */
    assert_int_equal(pail_vk_instance_messages(f.inst).errors, 1);
    pail_vk_cmd_release(&cmd);
    const VkBufferCreateInfo nothing = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                        .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkBuffer buffer = VK_NULL_HANDLE;
    struct VolkDeviceTable *vk = pail_vk_device_table(f.dev);
    if (vk->vkCreateBuffer(pail_vk_device_handle(f.dev), &nothing, NULL, &buffer) == VK_SUCCESS)
        vk->vkDestroyBuffer(pail_vk_device_handle(f.dev), buffer, NULL);
    assert_true(pail_vk_instance_messages(f.inst).errors >= 2);
    bench_close(&t, f.dev);
    pail_vk_device_destroy(&f.dev);
    pail_vk_instance_destroy(&f.inst);
    assert_int_equal(atomic_load(&f.host.live), 0);
}

PAIL_TEST_GROUP(vk_setup, vk_teardown)
