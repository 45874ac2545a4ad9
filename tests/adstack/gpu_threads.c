/* SPDX-License-Identifier: Apache-2.0 */
/* Several threads compute on one device at a time, and a launch waits for a semaphore of the host.
 */
#include "gpu_support.h"
#include "support/test.h"

#include <pthread.h>
#include <time.h>

#include <trees.h>

static const struct pail_alloc alloc;

enum { THREADS = 4, KERNELS = 12 };

struct worker {
    struct ad_fixture *f;
    uint64_t first_seed;
    uint32_t n_values, n_wrong;
    pail_status status;
    struct pail_error error;
};

/* Cmocka's checks belong to the main thread: what is wrong is counted. */
static void run_kernel(struct worker *w, uint64_t seed)
{
    struct trees_kernel *kernel = trees_make(seed, NULL);
    struct pail_ad_program *program = NULL;
    struct pail_ad_array arrays[8];
    pail_status status = pail_ad_program_build(&program, &kernel->desc, &alloc, &w->error);
    if (status != PAIL_OK) {
        w->status = status;
        return;
    }
    for (size_t i = 0; i < kernel->desc.n_sources; i++)
        arrays[i] = array_of(&kernel->bindings[i]);
    struct pail_ad_values values[2];
    for (uint32_t i = 0; i < 2; i++)
        values[i] =
            (struct pail_ad_values){.value = calloc(program->n_slots + 1, sizeof(*values[i].value)),
                                    .known = calloc(program->n_slots + 1, 1)};
    const uint32_t n = program->task_first[program->n_tasks];
    for (uint32_t i = 0; i < n && status == PAIL_OK; i++) {
        const uint32_t slot = program->roots[i].slot;
        struct pail_ad_work work = {.program = program,
                                    .arrays = arrays,
                                    .values = &values[0],
                                    .slots = &slot,
                                    .n_slots = 1,
                                    .serial = ad_serial(),
                                    .flags = PAIL_LAUNCH_INTERPRET};
        if (slot == PAIL_AD_NONE)
            continue;
        status = w->f->device->run(w->f->device->user, &work, &w->error);
        if (status == PAIL_OK)
            status = pail_ad_eval(program, arrays, &values[1], &slot, 1, &alloc, &w->error);
        w->n_values++;
        w->n_wrong += !values[0].known[slot] ||
                      values[0].value[slot].v != values[1].value[slot].v ||
                      values[0].value[slot].error != values[1].value[slot].error;
    }
    if (status != PAIL_OK)
        w->status = status;
    for (uint32_t i = 0; i < 2; i++) {
        free(values[i].value);
        free(values[i].known);
    }
    pail_ad_program_free(program, &alloc);
    trees_free(kernel);
}

static void *work(void *user)
{
    struct worker *w = user;
    for (uint64_t i = 0; i < KERNELS && w->status == PAIL_OK; i++)
        run_kernel(w, w->first_seed + i);
    return NULL;
}

PAIL_TEST(test_threads)
{
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.f = *state, .first_seed = 1 + 1000 * i};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        if (workers[i].status != PAIL_OK)
            fail_msg("thread %u: %s", i, workers[i].error.text);
        assert_int_equal(workers[i].n_wrong, 0);
        assert_in_range(workers[i].n_values, KERNELS, 100 * KERNELS);
    }
}

struct signaller {
    struct ad_fixture *f;
    VkSemaphore timeline;
    int32_t *contents;
};

/* Writes what is to be read, and says so. */
static void *signal_later(void *user)
{
    const struct signaller *s = user;
    const struct timespec while_it_waits = {.tv_nsec = 50000000};
    nanosleep(&while_it_waits, NULL);
    s->contents[0] = 77;
    const VkSemaphoreSignalInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = s->timeline, .value = 5};
    (void)s->f->dev->vk.vkSignalSemaphore(s->f->dev->handle, &info);
    return NULL;
}

PAIL_TEST_OF(test_semaphore, struct ad_fixture *f)
{
    const int64_t shape = 3, index = VARIABLE_INDEX(0);
    int32_t a[3] = {1, 2, 3};
    const pail_binding b = ad_binding(0, PAIL_DTYPE_I32, 1, &shape, a, sizeof(a));
    const VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                        .pNext = &type};
    struct signaller s = {.f = f};
    struct nodes t = {0};
    struct ad_launch l;
    struct ad_memory memory;
    pthread_t thread;
    assert_int_equal(f->dev->vk.vkCreateSemaphore(f->dev->handle, &info, NULL, &s.timeline),
                     VK_SUCCESS);
    NODES(&t, "(max_over i 0 (shape 0 0) (read 0 %))", index);
    ad_launch_make(&l, &t, 1, &b, 1);
    ad_memory_make(f, &memory, 64);
    s.contents = (int32_t *)(void *)ad_memory_move(&memory, &l.arrays[0], 0);
    assert_int_equal(pthread_create(&thread, NULL, signal_later, &s), 0);
    memcpy(&l.work.wait_semaphore, &s.timeline, sizeof(l.work.wait_semaphore));
    l.work.wait_value = 5;
    ad_run(f, &l.work);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(ad_value(&l, 0), 77);
    f->dev->vk.vkDestroySemaphore(f->dev->handle, s.timeline, NULL);
    ad_memory_free(f, &memory);
    ad_launch_free(&l);
}

PAIL_TEST_GROUP(ad_setup, ad_teardown)
