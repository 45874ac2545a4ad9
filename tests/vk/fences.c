/* SPDX-License-Identifier: Apache-2.0 */
/* A device that was made without timelineSemaphore: the fences in the place of its timeline. Many
 * threads wait for one submission, none is kept from submitting, and a fence is used again only
 * when nobody waits for it. */
#include "support.h"
#include "support/test.h"

#include <pthread.h>

enum { THREADS = 6, FENCES = 256, PATIENCE_S = 10, WORD_BYTES = 64 };

static struct VolkDeviceTable real;

/* By fence: threads that wait for it. */
static struct {
    pthread_mutex_t lock;
    VkFence fences[FENCES];
    int waiters[FENCES];
    uint32_t n;
    bool reset_under_a_waiter;
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_long made, resets;
/* While it is closed nothing is signalled, for whoever asks. */
static atomic_bool closed;
static atomic_bool losing; /* and this wakes the sleepers */
static atomic_int asleep;

static uint32_t number_of(VkFence fence)
{
    uint32_t i = 0;
    while (i < seen.n && seen.fences[i] != fence)
        i++;
    assert_in_range(i, 0, FENCES - 1);
    if (i == seen.n)
        seen.fences[seen.n++] = fence;
    return i;
}

static VKAPI_ATTR VkResult VKAPI_CALL on_create(VkDevice device, const VkFenceCreateInfo *info,
                                                const VkAllocationCallbacks *callbacks,
                                                VkFence *out)
{
    atomic_fetch_add(&made, 1);
    return real.vkCreateFence(device, info, callbacks, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL on_reset(VkDevice device, uint32_t n, const VkFence *fences)
{
    atomic_fetch_add(&resets, 1);
    pthread_mutex_lock(&seen.lock);
    for (uint32_t i = 0; i < n; i++)
        seen.reset_under_a_waiter |= seen.waiters[number_of(fences[i])] > 0;
    pthread_mutex_unlock(&seen.lock);
    return real.vkResetFences(device, n, fences);
}

static VKAPI_ATTR VkResult VKAPI_CALL on_status(VkDevice device, VkFence fence)
{
    return atomic_load(&closed) ? VK_NOT_READY : real.vkGetFenceStatus(device, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL on_wait(VkDevice device, uint32_t n, const VkFence *fences,
                                              VkBool32 all, uint64_t timeout)
{
    assert_int_equal(n, 1);
    pthread_mutex_lock(&seen.lock);
    const uint32_t i = number_of(fences[0]);
    seen.waiters[i]++;
    pthread_mutex_unlock(&seen.lock);
    atomic_fetch_add(&asleep, 1);
    const struct timespec ms = {.tv_nsec = 1000000};
    uint64_t slept = 0;
    while (atomic_load(&closed) && !atomic_load(&losing) && slept < timeout &&
           slept < PATIENCE_S * UINT64_C(1000000000)) {
        nanosleep(&ms, NULL);
        slept += 1000000;
    }
    const VkResult result = atomic_load(&losing) ? VK_ERROR_DEVICE_LOST
                            : atomic_load(&closed)
                                ? VK_TIMEOUT
                                : real.vkWaitForFences(device, n, fences, all, timeout);
    atomic_fetch_sub(&asleep, 1);
    pthread_mutex_lock(&seen.lock);
    seen.waiters[i]--;
    pthread_mutex_unlock(&seen.lock);
    return result;
}

struct fenced {
    struct pail_vk_device *dev;
    struct pail_vk_buffer buffer;
    struct pail_vk_slice slice;
    VkPhysicalDeviceType type;
};

static void fenced_open(struct fenced *d, const struct vk_fixture *f)
{
    const struct pail_vk_limits_override limits = {.no_timeline = true};
    const struct pail_vk_device_params params = {.limits = &limits};
    ASSERT_OK(pail_vk_device_create(&d->dev, f->inst, 0, &params, ERR));
    ASSERT_OK(
        pail_vk_buffer_create(d->dev, &d->buffer, PAIL_VK_MEMORY_DEVICE, WORD_BYTES, "words", ERR));
    d->slice = pail_vk_buffer_slice(&d->buffer, 0, WORD_BYTES);
    d->type = d->dev->caps.type;
    d->dev->caps.type =
        VK_PHYSICAL_DEVICE_TYPE_CPU; /* a GPU is looked at before it is waited for */
    struct VolkDeviceTable *const vk = pail_vk_device_table(d->dev);
    real = *vk;
    vk->vkCreateFence = on_create;
    vk->vkResetFences = on_reset;
    vk->vkGetFenceStatus = on_status;
    vk->vkWaitForFences = on_wait;
    atomic_store(&made, 0);
    atomic_store(&resets, 0);
    memset(seen.waiters, 0, sizeof(seen.waiters));
    seen.n = 0;
    seen.reset_under_a_waiter = false;
}

static void fenced_close(struct fenced *d, const struct vk_fixture *f)
{
    d->dev->caps.type = d->type;
    ASSERT_OK(pail_vk_wait(d->dev, pail_vk_last_ticket(d->dev, PAIL_VK_QUEUE_MAIN), PAIL_VK_FOREVER,
                           ERR));
    assert_false(seen.reset_under_a_waiter);
    pail_vk_buffer_destroy(d->dev, &d->buffer);
    pail_vk_device_destroy(&d->dev);
    assert_int_equal(vk_complaints(f->inst, &f->host), 0);
}

static pail_status submit(const struct fenced *d, enum pail_vk_queue_kind kind,
                          pail_vk_ticket *ticket)
{
    struct pail_vk_cmd *cmd;
    pail_status status = pail_vk_cmd_begin(d->dev, kind, "fenced", &cmd, ERR);
    if (status != PAIL_OK)
        return status;
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_TRANSFER);
    pail_vk_cmd_fill(cmd, &d->slice, 0, WORD_BYTES, 7);
    status = pail_vk_cmd_submit(cmd, ticket, ERR);
    pail_vk_cmd_release(&cmd);
    return status;
}

/* One queue, no semaphore, and the work is waited for in either way. */
PAIL_TEST_OF(made_without, const struct vk_fixture *f)
{
    struct fenced d;
    pail_vk_ticket first, second;
    bool done = false;
    fenced_open(&d, f);
    assert_false(pail_vk_device_caps(d.dev)->timeline_semaphore);
    assert_false(pail_vk_device_caps(d.dev)->transfer_queue);
    assert_int_equal(d.dev->n_queues, 1);
    assert_ptr_equal(d.dev->queues[0].timeline, VK_NULL_HANDLE);
    ASSERT_OK(submit(&d, PAIL_VK_QUEUE_TRANSFER, &first));
    ASSERT_OK(submit(&d, PAIL_VK_QUEUE_MAIN, &second));
    assert_int_equal(second, first + 1);
    ASSERT_OK(pail_vk_wait(d.dev, second, PAIL_VK_FOREVER, ERR));
    ASSERT_OK(pail_vk_poll(d.dev, first, &done, ERR));
    assert_true(done);
    ASSERT_STATUS(pail_vk_wait(d.dev, second + 1, 0, ERR), PAIL_ERR_ARGUMENT, "was never given");

    struct pail_vk_cmd *cmd;
    pail_vk_ticket ticket;
    ASSERT_OK(pail_vk_cmd_begin(d.dev, PAIL_VK_QUEUE_MAIN, "behind", &cmd, ERR));
    pail_vk_cmd_wait_semaphore(cmd, 77, 1);
    ASSERT_STATUS(pail_vk_cmd_submit(cmd, &ticket, ERR), PAIL_ERR_UNSUPPORTED,
                  "\"behind\" was to wait for a semaphore, but the device was made without "
                  "timelineSemaphore");
    pail_vk_cmd_release(&cmd);
    fenced_close(&d, f);
}

/* As many fences as submissions at a time, however many there are one after another. */
PAIL_TEST_OF(fences_are_used_again, const struct vk_fixture *f)
{
    enum { AT_ONCE = 5, ROUNDS = 40 };
    struct fenced d;
    pail_vk_ticket ticket = 0;
    bool done;
    fenced_open(&d, f);
    for (int round = 0; round < ROUNDS; round++) {
        atomic_store(&closed, true);
        for (int i = 0; i < AT_ONCE; i++)
            ASSERT_OK(submit(&d, PAIL_VK_QUEUE_MAIN, &ticket));
        ASSERT_OK(pail_vk_poll(d.dev, ticket, &done, ERR));
        assert_false(done);
        assert_int_equal(pail_vk_wait(d.dev, ticket, 0, ERR), PAIL_NOT_READY);
        assert_int_equal(pail_vk_wait(d.dev, ticket, 2000000, ERR), PAIL_NOT_READY);
        atomic_store(&closed, false);
        if (round % 2)
            ASSERT_OK(pail_vk_wait(d.dev, ticket, PAIL_VK_FOREVER, ERR));
        for (done = false; !done;)
            ASSERT_OK(pail_vk_poll(d.dev, ticket, &done, ERR));
    }
    assert_int_equal(atomic_load(&made), AT_ONCE);
    assert_int_equal(atomic_load(&resets), AT_ONCE * (ROUNDS - 1));
    fenced_close(&d, f);
}

static atomic_bool refusing;

static VKAPI_ATTR VkResult VKAPI_CALL on_submit(VkQueue queue, uint32_t n,
                                                const VkSubmitInfo *infos, VkFence fence)
{
    return atomic_exchange(&refusing, false) ? VK_ERROR_OUT_OF_HOST_MEMORY
                                             : real.vkQueueSubmit(queue, n, infos, fence);
}

/* A refused submission has no number: the next one gets it, and the fence. */
PAIL_TEST_OF(a_refused_submission, const struct vk_fixture *f)
{
    struct fenced d;
    fenced_open(&d, f);
    pail_vk_device_table(d.dev)->vkQueueSubmit = on_submit;
    for (pail_vk_ticket last = 1; last < 4; last++) {
        pail_vk_ticket ticket;
        atomic_store(&refusing, true);
        ASSERT_STATUS(submit(&d, PAIL_VK_QUEUE_MAIN, &ticket), PAIL_ERR_HOST_MEMORY,
                      "vkQueueSubmit");
        assert_int_equal(ticket, 0);
        assert_int_equal(pail_vk_last_ticket(d.dev, PAIL_VK_QUEUE_MAIN), last - 1);
        ASSERT_OK(submit(&d, PAIL_VK_QUEUE_MAIN, &ticket));
        assert_int_equal(ticket, last);
        ASSERT_OK(pail_vk_wait(d.dev, ticket, PAIL_VK_FOREVER, ERR));
        assert_int_equal(atomic_load(&made), 1);
    }
    fenced_close(&d, f);
}

/* A queue that is lost may have the fence of its last submission: nobody is lent it again. */
PAIL_TEST_OF(a_fence_of_a_lost_queue, const struct vk_fixture *f)
{
    struct fenced d;
    struct pail_vk_fences fences;
    struct pail_vk_fence *fence, *next;
    fenced_open(&d, f);
    pail_vk_fences_init(&fences);
    ASSERT_OK(pail_vk_fences_take(d.dev, &fences, &fence, ERR));
    pail_vk_fences_give(&fences, fence, VK_ERROR_OUT_OF_HOST_MEMORY, 1);
    ASSERT_OK(pail_vk_fences_take(d.dev, &fences, &next, ERR));
    assert_ptr_equal(next, fence);
    pail_vk_fences_give(&fences, fence, VK_ERROR_DEVICE_LOST, 1);
    ASSERT_OK(pail_vk_fences_take(d.dev, &fences, &next, ERR));
    assert_ptr_not_equal(next, fence);
    pail_vk_fences_give(&fences, next, VK_ERROR_OUT_OF_HOST_MEMORY, 1);
    pail_vk_fences_fini(d.dev, &fences);
    fenced_close(&d, f);
}

struct waiter {
    const struct fenced *d;
    pail_vk_ticket ticket;
    uint32_t number, rounds;
    pail_status status;
};

static void *wait_one(void *user)
{
    struct waiter *const w = user;
    w->status = pail_vk_wait(w->d->dev, w->ticket, PAIL_VK_FOREVER, ERR);
    return NULL;
}

static void await_sleepers(void)
{
    const struct timespec ms = {.tv_nsec = 1000000};
    for (int i = 0; i < PATIENCE_S * 1000 && atomic_load(&asleep) < THREADS; i++)
        nanosleep(&ms, NULL);
    assert_int_equal(atomic_load(&asleep), THREADS);
}

/* All threads sleep on one fence. Others submit and wait meanwhile, and the fence is not reset
 * before the last one has woken up. */
PAIL_TEST_OF(many_wait_for_one, const struct vk_fixture *f)
{
    struct fenced d;
    pthread_t ids[THREADS];
    struct waiter waiters[THREADS];
    pail_vk_ticket ticket, beside;
    fenced_open(&d, f);
    atomic_store(&closed, true);
    ASSERT_OK(submit(&d, PAIL_VK_QUEUE_MAIN, &ticket));
    for (uint32_t i = 0; i < THREADS; i++) {
        waiters[i] = (struct waiter){.d = &d, .ticket = ticket};
        assert_int_equal(pthread_create(&ids[i], NULL, wait_one, &waiters[i]), 0);
    }
    await_sleepers();
    for (int i = 0; i < 3; i++)
        ASSERT_OK(submit(&d, PAIL_VK_QUEUE_MAIN, &beside));
    atomic_store(&closed, false);
    for (int i = 0; i < 20; i++) {
        ASSERT_OK(submit(&d, PAIL_VK_QUEUE_MAIN, &beside));
        ASSERT_OK(pail_vk_wait(d.dev, beside, PAIL_VK_FOREVER, ERR));
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(ids[i], NULL), 0);
        assert_int_equal(waiters[i].status, PAIL_OK);
    }
    fenced_close(&d, f);
}

/* All of them are told that the device is lost, and nothing is left to wait for. */
PAIL_TEST_OF(lost_under_waiters, const struct vk_fixture *f)
{
    struct fenced d;
    pthread_t ids[THREADS];
    struct waiter waiters[THREADS];
    pail_vk_ticket ticket;
    fenced_open(&d, f);
    atomic_store(&closed, true);
    ASSERT_OK(submit(&d, PAIL_VK_QUEUE_MAIN, &ticket));
    for (uint32_t i = 0; i < THREADS; i++) {
        waiters[i] = (struct waiter){.d = &d, .ticket = ticket};
        assert_int_equal(pthread_create(&ids[i], NULL, wait_one, &waiters[i]), 0);
    }
    await_sleepers();
    atomic_store(&losing, true);
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(ids[i], NULL), 0);
        assert_int_equal(waiters[i].status, PAIL_ERR_DEVICE_LOST);
    }
    atomic_store(&losing, false);
    atomic_store(&closed, false);
    ASSERT_STATUS(submit(&d, PAIL_VK_QUEUE_MAIN, &ticket), PAIL_ERR_DEVICE_LOST,
                  "was lost by an earlier call");
    d.dev->caps.type = d.type;
    pail_vk_buffer_destroy(d.dev, &d.buffer);
    pail_vk_device_destroy(&d.dev);
    assert_int_equal(vk_complaints(f->inst, &f->host), 0);
}

/* Submits, and waits for what any thread has submitted last, in every way. */
static void *crowd_one(void *user)
{
    struct waiter *const w = user;
    struct pail_vk_device *const dev = w->d->dev;
    static const uint64_t timeouts[] = {0, 1000, PAIL_VK_FOREVER};
    for (uint32_t round = 0; round < w->rounds && w->status == PAIL_OK; round++) {
        pail_vk_ticket ticket;
        bool done;
        w->status = submit(w->d, PAIL_VK_QUEUE_MAIN, &ticket);
        if ((round + w->number) % 2)
            ticket = pail_vk_last_ticket(dev, PAIL_VK_QUEUE_MAIN);
        if (w->status == PAIL_OK)
            w->status = pail_vk_poll(dev, ticket, &done, ERR);
        if (w->status == PAIL_OK)
            w->status = pail_vk_wait(dev, ticket, timeouts[(round + w->number) % 3], ERR);
        if (w->status == PAIL_NOT_READY)
            w->status = PAIL_OK;
    }
    return NULL;
}

PAIL_TEST_OF(a_crowd, const struct vk_fixture *f)
{
    struct fenced d;
    pthread_t ids[THREADS];
    struct waiter waiters[THREADS];
    fenced_open(&d, f);
    for (uint32_t i = 0; i < THREADS; i++) {
        waiters[i] = (struct waiter){.d = &d, .number = i, .rounds = 200};
        assert_int_equal(pthread_create(&ids[i], NULL, crowd_one, &waiters[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(ids[i], NULL), 0);
        assert_int_equal(waiters[i].status, PAIL_OK);
    }
    assert_true(atomic_load(&resets) > 0);
    fenced_close(&d, f);
}

PAIL_TEST_GROUP(vk_setup, vk_teardown)
