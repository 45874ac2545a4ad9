/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for work keeps nobody from submitting: a lock of a queue is held for the submission
 * alone. */
#include "support.h"
#include "support/test.h"

#include <pthread.h>
#include <time.h>

enum { BYTES = 4096, PATIENCE_S = 10 };

static struct VolkDeviceTable real;
static _Thread_local bool is_waiter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_bool waiting, submitted, kept_out;

/* Waits; true if it became true in time. */
static bool wait_for(atomic_bool *what)
{
    struct timespec end;
    (void)clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += PATIENCE_S;
    pthread_mutex_lock(&lock);
    while (!atomic_load(what) && pthread_cond_timedwait(&changed, &lock, &end) == 0)
        ;
    const bool is = atomic_load(what);
    pthread_mutex_unlock(&lock);
    return is;
}

static void set(atomic_bool *what)
{
    pthread_mutex_lock(&lock);
    atomic_store(what, true);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* For the waiter the work goes on until the other one has submitted and waited. */
static VKAPI_ATTR VkResult VKAPI_CALL hook_counter(VkDevice device, VkSemaphore semaphore,
                                                   uint64_t *value)
{
    const VkResult result = real.vkGetSemaphoreCounterValue(device, semaphore, value);
    if (is_waiter && !atomic_load(&submitted))
        *value = 0;
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL hook_wait(VkDevice device, const VkSemaphoreWaitInfo *info,
                                                uint64_t timeout)
{
    if (is_waiter && timeout != 0) {
        set(&waiting);
        if (!wait_for(&submitted))
            set(&kept_out);
    }
    return real.vkWaitSemaphores(device, info, timeout);
}

struct work {
    struct pail_vk_device *dev;
    struct pail_vk_slice slice;
};

static void *wait_long(void *argument)
{
    struct work *const work = argument;
    uint8_t *const bytes = vk_pattern_make(BYTES, 1);
    pail_vk_ticket ticket;
    is_waiter = true;
    pail_status status = pail_vk_upload(work->dev, &work->slice, 0, bytes, BYTES, &ticket, ERR);
    if (status == PAIL_OK)
        status = pail_vk_wait(work->dev, ticket, PAIL_VK_FOREVER, ERR);
    free(bytes);
    return status == PAIL_OK ? argument : NULL;
}

PAIL_TEST_OF(others_submit, struct vk_fixture *f)
{
    struct pail_vk_buffer buffer;
    ASSERT_OK(
        pail_vk_buffer_create(f->dev, &buffer, PAIL_VK_MEMORY_DEVICE, 2 * BYTES, "target", ERR));
    struct work work = {.dev = f->dev, .slice = pail_vk_buffer_slice(&buffer, 0, BYTES)};
    const struct pail_vk_slice other = pail_vk_buffer_slice(&buffer, BYTES, BYTES);
    uint8_t *const sent = vk_pattern_make(BYTES, 2), *const got = malloc(BYTES);
    struct VolkDeviceTable *const vk = pail_vk_device_table(f->dev);
    pthread_t waiter;
    void *good = NULL;
    assert_non_null(got);
    real = *vk;
    vk->vkGetSemaphoreCounterValue = hook_counter;
    vk->vkWaitSemaphores = hook_wait;
    assert_int_equal(pthread_create(&waiter, NULL, wait_long, &work), 0);
    const bool waits = wait_for(&waiting);
    ASSERT_OK(pail_vk_upload(f->dev, &other, 0, sent, BYTES, NULL, ERR));
    ASSERT_OK(pail_vk_download(f->dev, &other, 0, got, BYTES, PAIL_VK_FOREVER, ERR));
    set(&submitted);
    assert_int_equal(pthread_join(waiter, &good), 0);
    *vk = real;
    assert_true(waits); /* it was under way all the time */
    assert_false(atomic_load(&kept_out));
    assert_ptr_equal(good, &work);
    assert_memory_equal(got, sent, BYTES);
    free(sent);
    free(got);
    pail_vk_buffer_destroy(f->dev, &buffer);
}

PAIL_TEST_GROUP(vk_setup, vk_teardown)
