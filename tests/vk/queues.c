/* SPDX-License-Identifier: Apache-2.0 */
/* Two queues of a device. A queue waits once for what it has waited for: what is submitted to it
 * afterwards comes behind that anyway, and a wait that is over takes a device time. Where a device
 * has one queue, a second timeline on it is the other: what is waited for is the same. */
#include "support.h"
#include "support/test.h"

#include <vectors/field.h>
#include <vectors/vector.h>

#include <pthread.h>
#include <string.h>

enum { BYTES = 256, WAITS = 8 };

static struct VolkDeviceTable real;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;

/* Waits of the last submission, and the result of the next one. */
static struct {
    VkSemaphore semaphores[WAITS];
    uint64_t values[WAITS];
    uint32_t n;
    VkResult result;
} seen;

static VKAPI_ATTR VkResult VKAPI_CALL hook_submit(VkQueue queue, uint32_t n,
                                                  const VkSubmitInfo *infos, VkFence fence)
{
    const VkTimelineSemaphoreSubmitInfo *const timeline = infos[0].pNext;
    assert_int_equal(n, 1);
    assert_int_equal(timeline->sType, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    assert_int_equal(timeline->waitSemaphoreValueCount, infos[0].waitSemaphoreCount);
    assert_in_range(infos[0].waitSemaphoreCount, 0, WAITS);
    seen.n = infos[0].waitSemaphoreCount;
    for (uint32_t i = 0; i < seen.n; i++) {
        seen.semaphores[i] = infos[0].pWaitSemaphores[i];
        seen.values[i] = timeline->pWaitSemaphoreValues[i];
    }
    return seen.result == VK_SUCCESS ? real.vkQueueSubmit(queue, n, infos, fence) : seen.result;
}

/* Both timelines may be on one queue, of which one thread at a time may make use. */
static void lock_queue(void *user, uint32_t family, uint32_t index)
{
    (void)user, (void)family, (void)index;
    pthread_mutex_lock(&queue_lock);
}

static void unlock_queue(void *user, uint32_t family, uint32_t index)
{
    (void)user, (void)family, (void)index;
    pthread_mutex_unlock(&queue_lock);
}

struct queues {
    struct pail_vk_device *dev;
    struct pail_vk_buffer buffer, back;
    struct pail_vk_slice slice, result;
};

static void open_queues(struct queues *q, const struct vk_fixture *f)
{
    ASSERT_OK(pail_vk_device_create(&q->dev, f->inst, 0, NULL, ERR));
    ASSERT_OK(pail_vk_buffer_create(q->dev, &q->buffer, PAIL_VK_MEMORY_DEVICE, BYTES, "from", ERR));
    ASSERT_OK(pail_vk_buffer_create(q->dev, &q->back, PAIL_VK_MEMORY_READBACK, BYTES, "to", ERR));
    if (q->dev->n_queues == 1) {
        const struct pail_vk_queue *const one = &q->dev->queues[PAIL_VK_QUEUE_MAIN];
        q->dev->import.lock_queue = lock_queue;
        q->dev->import.unlock_queue = unlock_queue;
        ASSERT_OK(pail_vk_queue_init(q->dev, &q->dev->queues[PAIL_VK_QUEUE_TRANSFER], one->family,
                                     one->index, one->timestamp_bits, ERR));
        q->dev->n_queues = 2;
    }
    q->slice = pail_vk_buffer_slice(&q->buffer, 0, BYTES);
    q->result = pail_vk_buffer_slice(&q->back, 0, BYTES);
    real = *pail_vk_device_table(q->dev);
    seen.result = VK_SUCCESS;
    pail_vk_device_table(q->dev)->vkQueueSubmit = hook_submit;
}

static void close_queues(struct queues *q, const struct vk_fixture *f)
{
    for (uint32_t kind = 0; kind < PAIL_VK_QUEUE_KINDS; kind++)
        ASSERT_OK(pail_vk_wait(q->dev, pail_vk_last_ticket(q->dev, (enum pail_vk_queue_kind)kind),
                               PAIL_VK_FOREVER, ERR));
    pail_vk_buffer_destroy(q->dev, &q->buffer);
    pail_vk_buffer_destroy(q->dev, &q->back);
    pail_vk_device_destroy(&q->dev);
    assert_int_equal(vk_complaints(f->inst, &f->host), 0);
}

/* Work on a queue behind tickets of any: the main one reads what the other one has written. */
static pail_status submit(struct queues *q, enum pail_vk_queue_kind kind,
                          const pail_vk_ticket behind[], uint32_t n, uint32_t word,
                          pail_vk_ticket *ticket)
{
    struct pail_vk_cmd *cmd;
    ASSERT_OK(pail_vk_cmd_begin(q->dev, kind, "test", &cmd, ERR));
    for (uint32_t i = 0; i < n; i++)
        pail_vk_cmd_wait(cmd, behind[i]);
    if (kind == PAIL_VK_QUEUE_TRANSFER) {
        pail_vk_cmd_fill(cmd, &q->slice, 0, BYTES, word);
    } else {
        pail_vk_cmd_copy(cmd, &q->slice, 0, &q->result, 0, BYTES);
        pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_HOST | PAIL_VK_TRANSFER);
    }
    seen.n = WAITS;
    const pail_status status = pail_vk_cmd_submit(cmd, ticket, ERR);
    pail_vk_cmd_release(&cmd);
    return status;
}

static pail_vk_ticket transfer(struct queues *q, pail_vk_ticket behind, uint32_t word)
{
    pail_vk_ticket ticket;
    ASSERT_OK(submit(q, PAIL_VK_QUEUE_TRANSFER, &behind, 1, word, &ticket));
    return ticket;
}

static pail_vk_ticket compute(struct queues *q, pail_vk_ticket behind)
{
    pail_vk_ticket ticket;
    ASSERT_OK(submit(q, PAIL_VK_QUEUE_MAIN, &behind, 1, 0, &ticket));
    return ticket;
}

static void expect_wait(const struct queues *q, enum pail_vk_queue_kind kind, pail_vk_ticket ticket)
{
    assert_int_equal(seen.n, 1);
    assert_ptr_equal(seen.semaphores[0], q->dev->queues[kind].timeline);
    assert_int_equal(seen.values[0], ticket & UINT64_C(0xffffffffffffff));
}

static void expect_word(struct queues *q, pail_vk_ticket ticket, uint32_t word)
{
    ASSERT_OK(pail_vk_wait(q->dev, ticket, PAIL_VK_FOREVER, ERR));
    ASSERT_OK(pail_vk_invalidate(q->dev, &q->result, ERR));
    for (uint32_t i = 0; i < BYTES / 4; i++)
        assert_int_equal(((const uint32_t *)q->result.mapped)[i], word);
}

PAIL_TEST_OF(one_wait_for_a_ticket, const struct vk_fixture *f)
{
    struct queues q = {.dev = NULL};
    open_queues(&q, f);
    const pail_vk_ticket first = transfer(&q, 0, 1);
    assert_int_equal(seen.n, 0);
    pail_vk_ticket done = compute(&q, first);
    expect_wait(&q, PAIL_VK_QUEUE_TRANSFER, first);
    expect_word(&q, done, 1);
    for (int again = 0; again < 3; again++) {
        done = compute(&q, first);
        assert_int_equal(seen.n, 0);
    }
    expect_word(&q, done, 1);

    /* By the other queue nothing was waited for yet; and then once, too. */
    const pail_vk_ticket second = transfer(&q, done, 2);
    expect_wait(&q, PAIL_VK_QUEUE_MAIN, done);
    const pail_vk_ticket third = transfer(&q, done, 3);
    assert_int_equal(seen.n, 0);

    /* The last of several is waited for, and none before it afterwards. */
    pail_vk_ticket ticket;
    ASSERT_OK(
        submit(&q, PAIL_VK_QUEUE_MAIN, (pail_vk_ticket[]){third, first, second}, 3, 0, &ticket));
    expect_wait(&q, PAIL_VK_QUEUE_TRANSFER, third);
    expect_word(&q, ticket, 3);
    (void)compute(&q, second);
    assert_int_equal(seen.n, 0);
    (void)compute(&q, third);
    assert_int_equal(seen.n, 0);

    /* For what is new it waits again; for its own never. */
    const pail_vk_ticket fourth = transfer(&q, compute(&q, done), 4);
    assert_int_equal(seen.n, 1);
    done = compute(&q, fourth);
    expect_wait(&q, PAIL_VK_QUEUE_TRANSFER, fourth);
    expect_word(&q, done, 4);
    (void)compute(&q, done);
    assert_int_equal(seen.n, 0);
    close_queues(&q, f);
}

/* A submission that failed has waited for nothing. */
PAIL_TEST_OF(a_failed_one_has_not_waited, const struct vk_fixture *f)
{
    struct queues q = {.dev = NULL};
    open_queues(&q, f);
    const pail_vk_ticket first = transfer(&q, 0, 5);
    pail_vk_ticket ticket;
    seen.result = VK_ERROR_OUT_OF_HOST_MEMORY;
    assert_int_equal(submit(&q, PAIL_VK_QUEUE_MAIN, &first, 1, 0, &ticket), PAIL_ERR_HOST_MEMORY);
    expect_wait(&q, PAIL_VK_QUEUE_TRANSFER, first);
    seen.result = VK_SUCCESS;
    ticket = compute(&q, first);
    expect_wait(&q, PAIL_VK_QUEUE_TRANSFER, first);
    expect_word(&q, ticket, 5);
    close_queues(&q, f);
}

/* A semaphore of the host is waited for each time: Pail does not know what it stands for. */
PAIL_TEST_OF(a_semaphore_of_the_host, const struct vk_fixture *f)
{
    struct queues q = {.dev = NULL};
    open_queues(&q, f);
    const pail_vk_ticket first = transfer(&q, 0, 6);
    ASSERT_OK(pail_vk_wait(q.dev, first, PAIL_VK_FOREVER, ERR));
    for (int again = 0; again < 2; again++) {
        struct pail_vk_cmd *cmd;
        pail_vk_ticket ticket;
        ASSERT_OK(pail_vk_cmd_begin(q.dev, PAIL_VK_QUEUE_MAIN, "test", &cmd, ERR));
        pail_vk_cmd_wait(cmd, first);
        pail_vk_cmd_wait_semaphore(
            cmd, PAIL_VK_HANDLE(q.dev->queues[PAIL_VK_QUEUE_TRANSFER].timeline), 1);
        ASSERT_OK(pail_vk_cmd_submit(cmd, &ticket, ERR));
        pail_vk_cmd_release(&cmd);
        assert_int_equal(seen.n, again ? 1 : 2);
    }
    close_queues(&q, f);
}

static void make_room(void *user)
{
    (void)user;
}

static pail_status give_ones(void *user, void *to, uint64_t offset, size_t bytes)
{
    (void)user, (void)offset;
    memset(to, 1, bytes);
    return PAIL_OK;
}

/* Fills a vector, and says if the copies were beside the main queue, which waits for them then. */
static bool fills_beside(struct queues *q, struct pail_vector *vector)
{
    const enum pail_vk_queue_kind kind = PAIL_VK_QUEUE_TRANSFER;
    uint8_t back[BYTES], ones[BYTES];
    const pail_vk_ticket before = pail_vk_last_ticket(q->dev, kind);
    ASSERT_OK(
        pail_vector_fill(vector, 0, give_ones, NULL, vector->n, PAIL_ENCODING_MONTGOMERY, ERR));
    const pail_vk_ticket copied = pail_vk_last_ticket(q->dev, kind);
    if (q->dev->n_queues == 2 && copied != before)
        expect_wait(q, kind, copied);
    ASSERT_OK(pail_vector_get(vector, back, 0, vector->n, PAIL_ENCODING_MONTGOMERY, ERR));
    memset(ones, 1, sizeof(ones));
    assert_memory_equal(back, ones, sizeof(ones));
    return copied != before;
}

/* Elements do not come behind others' work, unless work is under way that uses the vector. */
PAIL_TEST_OF(vectors_are_filled_beside_others, const struct vk_fixture *f)
{
    struct queues q = {.dev = NULL};
    struct pail_vectors *field = NULL;
    struct pail_vector *vector = NULL;
    open_queues(&q, f);
    const struct pail_field_env env = {
        .dev = q.dev, .threads = 1, .make_room = make_room, .alloc = q.dev->alloc};
    ASSERT_OK(pail_field_create(&field, &env, ERR));
    /* Buffers are made for one queue where both timelines are on it. */
    q.dev->n_queues = q.dev->caps.transfer_queue ? 2 : 1;
    ASSERT_OK(pail_vector_make(field, &vector, PAIL_CURVE_BN254, BYTES / 32, ERR));
    (void)fills_beside(&q, vector);
    q.dev->n_queues = 2;
    q.dev->caps.transfer_queue = true;
    assert_true(fills_beside(&q, vector));
    pail_vector_retain(vector); /* as work does */
    assert_false(fills_beside(&q, vector));
    pail_vector_release(vector);
    assert_true(fills_beside(&q, vector));
    pail_vector_release(vector);
    pail_field_destroy(&field);
    close_queues(&q, f);
}

PAIL_TEST_GROUP(vk_setup, vk_teardown)
