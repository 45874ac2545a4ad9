/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers and arenas. */
#include "support.h"
#include "support/test.h"

PAIL_TEST_OF(buffer_kinds, struct vk_fixture *f)
{
    const struct pail_vk_memory_stats before = pail_vk_memory_stats(f->dev);
    const uint64_t sizes[] = {1, 4, 255, 4097, 1 << 20};
    for (int kind = 0; kind < PAIL_VK_MEMORY_KINDS; kind++) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            struct pail_vk_buffer b;
            ASSERT_OK(
                pail_vk_buffer_create(f->dev, &b, (enum pail_vk_memory)kind, sizes[i], "b", ERR));
            assert_true(b.handle && b.memory && b.size == sizes[i] && b.allocated >= sizes[i]);
            assert_true((b.mapped != NULL) == (kind != PAIL_VK_MEMORY_DEVICE));
            assert_true((b.address != 0) == pail_vk_device_caps(f->dev)->buffer_device_address);
            if (b.mapped) {
                memset(b.mapped, 0xaa, sizes[i]);
                const struct pail_vk_slice all = pail_vk_buffer_slice(&b, 0, sizes[i]);
                ASSERT_OK(pail_vk_flush(f->dev, &all, ERR));
                ASSERT_OK(pail_vk_invalidate(f->dev, &all, ERR));
            }
            const struct pail_vk_memory_stats now = pail_vk_memory_stats(f->dev);
            assert_int_equal(now.requested - before.requested, sizes[i]);
            assert_int_equal(now.allocated - before.allocated, b.allocated);
            assert_int_equal(now.live - before.live, 1);
            pail_vk_buffer_destroy(f->dev, &b);
            assert_true(!b.handle && !b.memory && !b.mapped);
            pail_vk_buffer_destroy(f->dev, &b);
        }
    }
    const struct pail_vk_memory_stats after = pail_vk_memory_stats(f->dev);
    assert_int_equal(after.allocated, before.allocated);
    assert_int_equal(after.live, before.live);
    assert_true(after.peak_allocated >= UINT64_C(1) << 20);
}

PAIL_TEST_OF(buffer_of_wrong_size, struct vk_fixture *f)
{
    struct pail_vk_buffer b;
    ASSERT_STATUS(pail_vk_buffer_create(f->dev, &b, PAIL_VK_MEMORY_DEVICE, 0, "none", ERR),
                  PAIL_ERR_ARGUMENT, "\"none\" would have 0 bytes");
    ASSERT_STATUS(pail_vk_buffer_create(f->dev, &b, PAIL_VK_MEMORY_DEVICE, UINT64_MAX, "all", ERR),
                  PAIL_ERR_ARGUMENT, "\"all\" would have 18446744073709551615 bytes");
    assert_true(!b.handle && !b.memory && b.size == 0);
}

/* ---- Several allocations behind one address -------------------------------------------------- */
/* A stand-in for sparse binding, which no software driver has: the handle is that of an ordinary
 * buffer, with memory of its own, and what is allocated, bound and freed is looked at. */
static struct {
    struct VolkDeviceTable real;
    uint64_t bound, align;
    uint32_t allocations, binds;
    uint32_t fail_allocation, fail_bind; /* number; 0: none */
} sham;

static VKAPI_ATTR VkResult VKAPI_CALL sham_buffer(VkDevice device, const VkBufferCreateInfo *info,
                                                  const VkAllocationCallbacks *a, VkBuffer *out)
{
    VkBufferCreateInfo plain = *info;
    assert_int_equal(info->flags, VK_BUFFER_CREATE_SPARSE_BINDING_BIT);
    plain.flags = 0;
    plain.pNext = NULL;
    return sham.real.vkCreateBuffer(device, &plain, a, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL sham_allocate(VkDevice device,
                                                    const VkMemoryAllocateInfo *info,
                                                    const VkAllocationCallbacks *a,
                                                    VkDeviceMemory *out)
{
    if (++sham.allocations == sham.fail_allocation)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    return sham.real.vkAllocateMemory(device, info, a, out);
}

/* Together they are the whole buffer, in its order. */
static VKAPI_ATTR VkResult VKAPI_CALL sham_bind(VkQueue queue, uint32_t n,
                                                const VkBindSparseInfo *info, VkFence fence)
{
    const VkSparseBufferMemoryBindInfo *const of = info->pBufferBinds;
    assert_true(n == 1 && info->bufferBindCount == 1);
    if (++sham.binds == sham.fail_bind)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    sham.bound = 0;
    for (uint32_t i = 0; i < of->bindCount; i++) {
        assert_true(of->pBinds[i].resourceOffset == sham.bound && of->pBinds[i].memoryOffset == 0);
        assert_true(of->pBinds[i].size % sham.align == 0 && of->pBinds[i].memory);
        sham.bound += of->pBinds[i].size;
    }
    return sham.real.vkQueueSubmit(queue, 0, NULL, fence);
}

PAIL_TEST_OF(large_buffers, struct vk_fixture *f)
{
    enum { PIECE = 3 << 20, BYTES = (10 << 20) + 5, PIECES = 4 };
    const struct pail_vk_limits_override limits = {.max_allocation_bytes = PIECE,
                                                   .no_buffer_device_address = true};
    struct pail_vk_device *dev;
    struct pail_vk_buffer b;
    ASSERT_OK(pail_vk_device_create(&dev, f->inst, 0,
                                    &(struct pail_vk_device_params){.limits = &limits}, ERR));
    dev->caps.max_sparse_bytes = 0;
    ASSERT_STATUS(pail_vk_buffer_create_large(dev, &b, PAIL_VK_MEMORY_DEVICE, BYTES, "b", ERR),
                  PAIL_ERR_ARGUMENT, "allows 1 to 3145728");
    ASSERT_OK(pail_vk_buffer_create_large(dev, &b, PAIL_VK_MEMORY_PINNED, PIECE, "b", ERR));
    assert_true(b.memory && !b.pieces && b.mapped);
    pail_vk_buffer_destroy(dev, &b);

    dev->caps.max_sparse_bytes = 64 << 20;
    ASSERT_STATUS(
        pail_vk_buffer_create_large(dev, &b, PAIL_VK_MEMORY_DEVICE, (64 << 20) + 1, "b", ERR),
        PAIL_ERR_ARGUMENT, "allows 1 to 67108864");
    /* A buffer that is bound as a whole has the limit of an allocation. */
    ASSERT_STATUS(pail_vk_buffer_create(dev, &b, PAIL_VK_MEMORY_DEVICE, BYTES, "b", ERR),
                  PAIL_ERR_ARGUMENT, "allows 1 to 3145728");
    sham.align = 4096;
    sham.real = dev->vk;
    dev->vk.vkAllocateMemory = sham_allocate;
    const struct pail_vk_memory_stats before = pail_vk_memory_stats(dev);
    /* Pinned memory: nothing is tried, the driver refuses, the driver grants. */
    for (int i = 0; i < 3; i++) {
        sham.allocations = 0;
        sham.fail_allocation = i == 1;
        dev->caps.max_tried_bytes = i == 0 ? 0 : BYTES;
        if (i < 2)
            ASSERT_STATUS(
                pail_vk_buffer_create_large(dev, &b, PAIL_VK_MEMORY_PINNED, BYTES, "b", ERR),
                PAIL_ERR_ARGUMENT, "allows 1 to 3145728");
        else
            ASSERT_OK(pail_vk_buffer_create_large(dev, &b, PAIL_VK_MEMORY_PINNED, BYTES, "b", ERR));
        assert_true((b.memory && !b.pieces && b.mapped) == (i == 2));
        assert_int_equal(sham.allocations, i != 0);
        pail_vk_buffer_destroy(dev, &b);
        assert_true(pail_vk_memory_stats(dev).live == before.live && dev->held == before.live);
    }
    dev->vk.vkCreateBuffer = sham_buffer;
    dev->vk.vkQueueBindSparse = sham_bind;
    for (uint32_t failing = 0; failing <= PIECES + 1; failing++) {
        sham.allocations = sham.binds = 0;
        sham.fail_allocation = failing <= PIECES ? failing : 0;
        sham.fail_bind = failing > PIECES;
        const pail_status status =
            pail_vk_buffer_create_large(dev, &b, PAIL_VK_MEMORY_DEVICE, BYTES, "large", ERR);
        assert_int_equal(status, failing == 0        ? PAIL_OK
                                 : failing <= PIECES ? PAIL_ERR_DEVICE_MEMORY
                                                     : PAIL_ERR_HOST_MEMORY);
        if (failing == 0) {
            const struct pail_vk_memory_stats now = pail_vk_memory_stats(dev);
            assert_true(sham.bound >= BYTES && b.allocated == sham.bound && !b.mapped);
            assert_true(now.live - before.live == PIECES && b.size == BYTES);
            assert_int_equal(now.allocated - before.allocated, b.allocated);
        } else {
            assert_true(!b.handle && !b.pieces);
        }
        pail_vk_buffer_destroy(dev, &b);
        const struct pail_vk_memory_stats after = pail_vk_memory_stats(dev);
        assert_true(after.live == before.live && after.allocated == before.allocated &&
                    after.requested == before.requested && dev->held == before.live);
    }
    dev->vk = sham.real;
    pail_vk_device_destroy(&dev);
}

/* Allocations beyond the number allowed: an error, and the device goes on. */
PAIL_TEST_OF(too_many_allocations, struct vk_fixture *f)
{
    const struct pail_vk_limits_override limits = {.max_allocations = 3};
    const struct pail_vk_device_params params = {.limits = &limits};
    struct pail_vk_device *dev;
    ASSERT_OK(pail_vk_device_create(&dev, f->inst, 0, &params, ERR));
    struct pail_vk_buffer b[4];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++)
            ASSERT_OK(pail_vk_buffer_create(dev, &b[i], PAIL_VK_MEMORY_DEVICE, 4096, "few", ERR));
        ASSERT_STATUS(pail_vk_buffer_create(dev, &b[3], PAIL_VK_MEMORY_DEVICE, 70, "many", ERR),
                      PAIL_ERR_DEVICE_MEMORY, "\"many\": 70 bytes asked, and all 3 allocations");
        assert_true(!b[3].handle && !b[3].memory);
        for (int i = 0; i < 3; i++)
            pail_vk_buffer_destroy(dev, &b[i]);
    }
    assert_int_equal(pail_vk_memory_stats(dev).allocations, 6);
    assert_int_equal(pail_vk_memory_stats(dev).allocated, 0);
    pail_vk_device_destroy(&dev);
}

PAIL_TEST_OF(arena_slices, struct vk_fixture *f)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(f->dev);
    struct pail_vk_arena arena;
    pail_vk_arena_init(&arena, f->dev, PAIL_VK_MEMORY_UPLOAD, "slices");
    const uint64_t sizes[] = {1, 0, 4096, 17, 100000, 3, 256};
    enum { N = sizeof(sizes) / sizeof(sizes[0]) };
    ASSERT_OK(pail_vk_arena_reserve(&arena, sizes, N, ERR));
    assert_int_equal(arena.n_blocks, 1);
    assert_int_equal(pail_vk_arena_capacity(&arena),
                     pail_vk_arena_bytes(caps, PAIL_VK_MEMORY_UPLOAD, sizes, N));
    const uint64_t made = pail_vk_memory_stats(f->dev).allocations;
    for (int round = 0; round < 3; round++) {
        struct pail_vk_slice slices[N];
        for (uint32_t i = 0; i < N; i++) {
            ASSERT_OK(pail_vk_arena_take(&arena, sizes[i], &slices[i], ERR));
            assert_int_equal(slices[i].size, sizes[i] ? sizes[i] : 4);
            assert_int_equal(slices[i].offset % caps->storage_align, 0);
            assert_int_equal(slices[i].offset % caps->non_coherent_align, 0);
            memset(slices[i].mapped, (int)i + 1, slices[i].size);
        }
        for (uint32_t i = 0; i < N; i++) /* none overwrote another */
            for (uint64_t b = 0; b < slices[i].size; b++)
                assert_int_equal(((uint8_t *)slices[i].mapped)[b], i + 1);
        const struct pail_vk_slice part = pail_vk_slice_part(&slices[4], 100, 50);
        assert_ptr_equal(part.mapped, (uint8_t *)slices[4].mapped + 100);
        assert_int_equal(part.offset, slices[4].offset + 100);
        assert_int_equal(part.size, 50);
        pail_vk_arena_reset(&arena);
    }
    assert_int_equal(pail_vk_memory_stats(f->dev).allocations, made);
    pail_vk_arena_fini(&arena);
    pail_vk_arena_fini(&arena);
}

/* Taking without reserving works too, a block at a time. */
PAIL_TEST_OF(arena_unreserved, struct vk_fixture *f)
{
    struct pail_vk_arena arena;
    struct pail_vk_slice a, b, c;
    pail_vk_arena_init(&arena, f->dev, PAIL_VK_MEMORY_DEVICE, "unreserved");
    ASSERT_OK(pail_vk_arena_take(&arena, 1000, &a, ERR));
    ASSERT_OK(pail_vk_arena_take(&arena, 5000, &b, ERR));
    assert_ptr_not_equal(a.buffer, b.buffer);
    assert_int_equal(arena.n_blocks, 2);
    pail_vk_arena_reset(&arena);
    ASSERT_OK(pail_vk_arena_take(&arena, 1000, &a, ERR));
    ASSERT_OK(pail_vk_arena_take(&arena, 5000, &b, ERR));
    assert_int_equal(arena.n_blocks, 2);
    ASSERT_STATUS(pail_vk_arena_take(&arena, UINT64_C(1) << 50, &c, ERR), PAIL_ERR_ARGUMENT,
                  "a slice of \"unreserved\" would have 1125899906842624 bytes");
    assert_null(c.buffer);
    pail_vk_arena_fini(&arena);
}

/* Many sizes in blocks of at most 1 MiB: reserving makes all blocks, and taking finds its places.
 */
PAIL_TEST_OF(arena_many_blocks, struct vk_fixture *f)
{
    const struct pail_vk_limits_override limits = {.max_allocation_bytes = 1 << 20};
    const struct pail_vk_device_params params = {.limits = &limits};
    struct pail_vk_device *dev;
    ASSERT_OK(pail_vk_device_create(&dev, f->inst, 0, &params, ERR));
    struct pail_vk_arena arena;
    pail_vk_arena_init(&arena, dev, PAIL_VK_MEMORY_DEVICE, "blocks");
    uint32_t seed = 1;
    for (int round = 0; round < 40; round++) {
        enum { MOST = 40 };
        uint64_t sizes[MOST];
        const uint32_t n = 1 + (seed >> 8) % MOST;
        for (uint32_t i = 0; i < n; i++) {
            seed = seed * 1664525u + 1013904223u;
            sizes[i] = i % 5 == 4 ? 1 << 20 : (seed >> 7) % 700000;
        }
        ASSERT_OK(pail_vk_arena_reserve(&arena, sizes, n, ERR));
        const uint64_t made = pail_vk_memory_stats(dev).allocations;
        for (uint32_t i = 0; i < n; i++) {
            struct pail_vk_slice slice;
            ASSERT_OK(pail_vk_arena_take(&arena, sizes[i], &slice, ERR));
            assert_true(slice.offset + slice.size <= slice.buffer->size);
            assert_true(slice.buffer->size <= 1 << 20);
        }
        assert_int_equal(pail_vk_memory_stats(dev).allocations, made);
        if (round % 3 == 0) { /* more on top of what is taken */
            ASSERT_OK(pail_vk_arena_reserve(&arena, (uint64_t[]){300000, 900000}, 2, ERR));
            const uint64_t more = pail_vk_memory_stats(dev).allocations;
            struct pail_vk_slice slice;
            ASSERT_OK(pail_vk_arena_take(&arena, 300000, &slice, ERR));
            ASSERT_OK(pail_vk_arena_take(&arena, 900000, &slice, ERR));
            assert_int_equal(pail_vk_memory_stats(dev).allocations, more);
        }
        pail_vk_arena_reset(&arena);
    }
    ASSERT_STATUS(pail_vk_arena_reserve(&arena, (uint64_t[]){5, (1 << 20) + 1}, 2, ERR),
                  PAIL_ERR_ARGUMENT, "1048577 bytes");
    pail_vk_arena_fini(&arena);
    assert_int_equal(pail_vk_memory_stats(dev).live, 0);
    pail_vk_device_destroy(&dev);
}

PAIL_TEST_GROUP(vk_setup, vk_teardown)
