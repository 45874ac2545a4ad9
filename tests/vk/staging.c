/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads and downloads: every size through any ring, from several threads. */
#include "support.h"
#include "support/test.h"

#include <vk/send.h>

#include <pthread.h>

static struct pail_vk_buffer device_buffer(struct pail_vk_device *dev, uint64_t bytes)
{
    struct pail_vk_buffer buffer;
    ASSERT_OK(pail_vk_buffer_create(dev, &buffer, PAIL_VK_MEMORY_DEVICE, bytes, "target", ERR));
    return buffer;
}

/* Sends a pattern to an odd place, reads it back, and looks that nothing around it changed. */
static void round_trip(struct pail_vk_device *dev, uint64_t bytes, uint32_t seed)
{
    const uint64_t before = 13, after = 7, all = before + bytes + after;
    struct pail_vk_buffer buffer = device_buffer(dev, all);
    const struct pail_vk_slice slice = pail_vk_buffer_slice(&buffer, 0, all);
    uint8_t *sent = vk_pattern_make(bytes, seed), *poison = malloc(all), *got = malloc(all);
    assert_true(poison && got);
    memset(poison, 0xaa, all);
    pail_vk_ticket first, ticket = 1;
    ASSERT_OK(pail_vk_upload(dev, &slice, 0, poison, all, &first, ERR));
    ASSERT_OK(pail_vk_upload(dev, &slice, before, sent, bytes, &ticket, ERR));
    assert_true(bytes ? ticket > first : ticket == 0);
    ASSERT_OK(pail_vk_wait(dev, ticket, PAIL_VK_FOREVER, ERR));
    memset(got, 0x55, all);
    ASSERT_OK(pail_vk_download(dev, &slice, 0, got, all, PAIL_VK_FOREVER, ERR));
    assert_memory_equal(got, poison, before);
    assert_int_equal(memcmp(got + before, sent, bytes), 0);
    assert_memory_equal(got + before + bytes, poison, after);
    if (bytes > 2) { /* a part of it */
        ASSERT_OK(pail_vk_download(dev, &slice, before + 1, got, bytes - 2, PAIL_VK_FOREVER, ERR));
        assert_int_equal(memcmp(got, sent + 1, bytes - 2), 0);
    }
    free(sent);
    free(poison);
    free(got);
    pail_vk_buffer_destroy(dev, &buffer);
}

PAIL_TEST_OF(sizes, struct vk_fixture *f)
{
    const uint64_t list[] = {0, 1, 3, 4, 5, 4095, 65537, (4 << 20) - 1, 4 << 20, (4 << 20) + 1};
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        round_trip(f->dev, list[i], (uint32_t)i);
    round_trip(f->dev, (UINT64_C(64) << 20) + 3, 99);
}

PAIL_TEST_OF(small_ring, struct vk_fixture *f)
{
    const struct pail_vk_device_params params = {.staging_bytes = 1};
    struct pail_vk_device *dev;
    ASSERT_OK(pail_vk_device_create(&dev, f->inst, 0, &params, ERR));
    round_trip(dev, 0, 1);
    round_trip(dev, 65536, 2);
    round_trip(dev, 3000001, 3);
    pail_vk_device_destroy(&dev);
}

/* From a buffer as it is, in parts, on either queue; what was not asked for is not copied. */
PAIL_TEST_OF(without_ring, struct vk_fixture *f)
{
    const uint64_t n = 70000, before = 12;
    for (uint32_t q = 0; q < PAIL_VK_QUEUE_KINDS; q++) {
        struct pail_vk_buffer from, to = device_buffer(f->dev, before + n);
        ASSERT_OK(
            pail_vk_buffer_create(f->dev, &from, PAIL_VK_MEMORY_PINNED, n + 8, "source", ERR));
        const struct pail_vk_slice src = pail_vk_buffer_slice(&from, 8, n);
        const struct pail_vk_slice dst = pail_vk_buffer_slice(&to, 0, before + n);
        uint8_t *sent = vk_pattern_make(n, 5), *got = malloc(before + n);
        assert_non_null(got);
        memset(got, 0xaa, before + n);
        ASSERT_OK(pail_vk_upload(f->dev, &dst, 0, got, before + n, NULL, ERR));
        ASSERT_OK(pail_vk_wait(f->dev, pail_vk_last_ticket(f->dev, PAIL_VK_QUEUE_MAIN),
                               PAIL_VK_FOREVER, ERR));
        memcpy(src.mapped, sent, n);
        struct pail_vk_parcel parcel = {.dst = &dst,
                                        .offset = before,
                                        .bytes = n - 1,
                                        .src = &src,
                                        .at_once = 4000,
                                        .queue = (enum pail_vk_queue_kind)q};
        struct pail_vk_sending *sending;
        ASSERT_STATUS(pail_vk_send_begin(f->dev, &sending, &parcel, ERR), PAIL_ERR_ARGUMENT,
                      "an upload: 69999 bytes from a slice of 70000");
        assert_null(sending);
        parcel.bytes = n;
        pail_vk_ticket first, second, last;
        ASSERT_OK(pail_vk_send_begin(f->dev, &sending, &parcel, ERR));
        ASSERT_OK(pail_vk_send_until(sending, 4000, &first, ERR));
        ASSERT_OK(pail_vk_send_until(sending, 50000, &second, ERR));
        ASSERT_OK(pail_vk_send_until(sending, 30000, &last, ERR));
        assert_true(first > 0 && second > first && last == second);
        pail_vk_send_end(&sending, 0);
        assert_null(sending);
        ASSERT_OK(pail_vk_wait(f->dev, last, PAIL_VK_FOREVER, ERR));
        ASSERT_OK(pail_vk_download(f->dev, &dst, 0, got, before + n, PAIL_VK_FOREVER, ERR));
        assert_memory_equal(got + before, sent, 50000);
        for (uint64_t i = 0; i < before + n; i += i + 1 == before ? 50001 : 1)
            assert_int_equal(got[i], 0xaa);
        free(sent);
        free(got);
        pail_vk_buffer_destroy(f->dev, &from);
        pail_vk_buffer_destroy(f->dev, &to);
    }
}

PAIL_TEST_OF(wrong_ranges, struct vk_fixture *f)
{
    struct pail_vk_buffer buffer = device_buffer(f->dev, 100);
    const struct pail_vk_slice slice = pail_vk_buffer_slice(&buffer, 10, 50);
    uint8_t bytes[64] = {0};
    pail_vk_ticket ticket = 5;
    ASSERT_STATUS(pail_vk_upload(f->dev, &slice, 40, bytes, 11, &ticket, ERR), PAIL_ERR_ARGUMENT,
                  "an upload of 11 bytes at 40 of a slice of 50");
    assert_int_equal(ticket, 0);
    ASSERT_STATUS(pail_vk_download(f->dev, &slice, 51, bytes, 0, 0, ERR), PAIL_ERR_ARGUMENT,
                  "a download of 0 bytes at 51 of a slice of 50");
    ASSERT_STATUS(pail_vk_upload(f->dev, &slice, UINT64_MAX, bytes, 2, &ticket, ERR),
                  PAIL_ERR_ARGUMENT, "of a slice of 50");
    pail_vk_buffer_destroy(f->dev, &buffer);
}

struct worker {
    struct pail_vk_device *dev;
    uint32_t seed;
    bool good;
};

static void *work(void *user)
{
    struct worker *w = user;
    const uint64_t bytes = 1500000 + w->seed * 1001;
    struct pail_vk_buffer buffer;
    uint8_t *got = malloc(bytes);
    w->good = got && pail_vk_buffer_create(w->dev, &buffer, PAIL_VK_MEMORY_DEVICE, bytes, "worker",
                                           ERR) == PAIL_OK;
    if (!w->good)
        return NULL;
    const struct pail_vk_slice slice = pail_vk_buffer_slice(&buffer, 0, bytes);
    for (uint32_t round = 0; w->good && round < 8; round++) {
        uint8_t *sent = vk_pattern_make(bytes, w->seed * 100 + round);
        w->good =
            pail_vk_upload(w->dev, &slice, 0, sent, bytes, NULL, ERR) == PAIL_OK &&
            pail_vk_download(w->dev, &slice, 0, got, bytes, PAIL_VK_FOREVER, ERR) == PAIL_OK &&
            memcmp(sent, got, bytes) == 0;
        free(sent);
    }
    free(got);
    pail_vk_buffer_destroy(w->dev, &buffer);
    return NULL;
}

/* More threads than the ring has chunks. */
PAIL_TEST_OF(threads, struct vk_fixture *f)
{
    const struct pail_vk_device_params params = {.staging_bytes = 512 << 10};
    struct pail_vk_device *dev;
    ASSERT_OK(pail_vk_device_create(&dev, f->inst, 0, &params, ERR));
    enum { N = 6 };
    pthread_t ids[N];
    struct worker workers[N];
    for (uint32_t i = 0; i < N; i++) {
        workers[i] = (struct worker){.dev = dev, .seed = i};
        assert_int_equal(pthread_create(&ids[i], NULL, work, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < N; i++)
        pthread_join(ids[i], NULL);
    for (uint32_t i = 0; i < N; i++)
        assert_true(workers[i].good);
    pail_vk_device_destroy(&dev);
}

struct failing {
    uint64_t at; /* the byte that cannot be written */
};

static pail_status fill_up_to(void *user, void *to, uint64_t offset, uint64_t bytes,
                              struct pail_error *err)
{
    const struct failing *const failing = user;
    if (failing->at >= offset && failing->at < offset + bytes)
        return pail_fail(err, PAIL_ERR_IO, "byte %llu is missing", (unsigned long long)failing->at);
    memset(to, 0x77, bytes);
    return PAIL_OK;
}

/* A callback that fills may fail, wherever: the sending has its status and sentence, and the ring
 * is as it was. */
PAIL_TEST_OF(failing_fill, struct vk_fixture *f)
{
    const struct pail_vk_device_params params = {.staging_bytes = 2 << 20};
    struct pail_vk_device *dev;
    ASSERT_OK(pail_vk_device_create(&dev, f->inst, 0, &params, ERR));
    const uint64_t n = (5 << 20) + 1;
    struct pail_vk_buffer buffer = device_buffer(dev, n);
    const struct pail_vk_slice slice = pail_vk_buffer_slice(&buffer, 0, n);
    const uint64_t places[] = {0, 1 << 18, (2 << 20) + 5, (4 << 20) - 1, n - 1};
    for (int round = 0; round < 4; round++)
        for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
            struct failing failing = {places[i]};
            const struct pail_vk_parcel parcel = {
                .dst = &slice, .bytes = n, .fill = fill_up_to, .user = &failing};
            struct pail_vk_sending *sending;
            pail_vk_ticket ticket = 1;
            char words[64];
            snprintf(words, sizeof(words), "byte %llu is missing", (unsigned long long)places[i]);
            ASSERT_OK(pail_vk_send_begin(dev, &sending, &parcel, ERR));
            ASSERT_STATUS(pail_vk_send_until(sending, n, &ticket, ERR), PAIL_ERR_IO, words);
            assert_int_equal(ticket, 0);
            pail_vk_send_end(&sending, 0);
            assert_null(sending);
        }
    ASSERT_OK(
        pail_vk_wait(dev, pail_vk_last_ticket(dev, PAIL_VK_QUEUE_MAIN), PAIL_VK_FOREVER, ERR));
    pail_vk_buffer_destroy(dev, &buffer);
    round_trip(dev, 3000001, 4);
    pail_vk_device_destroy(&dev);
}

/* The ticket of the first bytes does not wait for copies of later ones, however many were sent. */
PAIL_TEST_OF(own_tickets, struct vk_fixture *f)
{
    const struct pail_vk_device_params params = {.staging_bytes = 512 << 10};
    struct pail_vk_device *dev;
    ASSERT_OK(pail_vk_device_create(&dev, f->inst, 0, &params, ERR));
    const uint64_t load = 64 << 10, n = 5 * load + 1;
    struct pail_vk_buffer buffer = device_buffer(dev, n);
    const struct pail_vk_slice slice = pail_vk_buffer_slice(&buffer, 0, n);
    struct failing none = {UINT64_MAX};
    const struct pail_vk_parcel parcel = {
        .dst = &slice, .bytes = n, .fill = fill_up_to, .user = &none};
    struct pail_vk_sending *sending;
    pail_vk_ticket nothing = 7, all, third, first;
    ASSERT_OK(pail_vk_send_begin(dev, &sending, &parcel, ERR));
    ASSERT_OK(pail_vk_send_until(sending, 0, &nothing, ERR));
    ASSERT_OK(pail_vk_send_until(sending, n, &all, ERR));
    ASSERT_OK(pail_vk_send_until(sending, 3 * load, &third, ERR));
    ASSERT_OK(pail_vk_send_until(sending, 1, &first, ERR));
    assert_int_equal(nothing, 0);
    assert_true(0 < first && first < third && third < all);
    pail_vk_send_end(&sending, 0);
    ASSERT_OK(pail_vk_wait(dev, all, PAIL_VK_FOREVER, ERR));
    pail_vk_buffer_destroy(dev, &buffer);
    pail_vk_device_destroy(&dev);
}

/* Once warm, moving bytes allocates no device memory. */
PAIL_TEST_OF(steady, struct vk_fixture *f)
{
    struct pail_vk_buffer buffer = device_buffer(f->dev, 100000);
    const struct pail_vk_slice slice = pail_vk_buffer_slice(&buffer, 0, 100000);
    uint8_t *bytes = vk_pattern_make(100000, 5);
    uint64_t made = 0;
    for (int i = 0; i < 20; i++) {
        ASSERT_OK(pail_vk_upload(f->dev, &slice, 0, bytes, 100000, NULL, ERR));
        ASSERT_OK(pail_vk_download(f->dev, &slice, 0, bytes, 100000, PAIL_VK_FOREVER, ERR));
        if (i == 0)
            made = pail_vk_memory_stats(f->dev).allocations;
    }
    assert_int_equal(pail_vk_memory_stats(f->dev).allocations, made);
    free(bytes);
    pail_vk_buffer_destroy(f->dev, &buffer);
}

PAIL_TEST_GROUP(vk_setup, vk_teardown)
