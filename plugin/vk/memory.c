/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include "device_priv.h"

/* Sizes of buffers that have several allocations are multiples of this: all known alignments of
 * sparse binding divide it. */
#define PIECES_ALIGN (UINT64_C(2) << 20)

/* Required properties of a memory type, and the preferences among types that have them. */
static const struct {
    VkMemoryPropertyFlags required, wanted, unwanted;
} kinds[PAIL_VK_MEMORY_KINDS] = {
    /* Mappable device memory is scarce on some cards; nothing here needs it mapped. */
    [PAIL_VK_MEMORY_DEVICE] = {.wanted = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                               .unwanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT},
    /* Uncached memory is write-combined: the host's writes do not pass through its caches. */
    [PAIL_VK_MEMORY_UPLOAD] = {.required = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                               .wanted = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                               .unwanted = VK_MEMORY_PROPERTY_HOST_CACHED_BIT |
                                           VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT},
    [PAIL_VK_MEMORY_READBACK] = {.required = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                                 .wanted = VK_MEMORY_PROPERTY_HOST_CACHED_BIT |
                                           VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                 .unwanted = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT},
    [PAIL_VK_MEMORY_PINNED] = {.required = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                           VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                               .wanted = VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                               .unwanted = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT},
};

/* Types with any other property (protected, lazily allocated, device-uncached) are for other uses.
 */
#define PLAIN_PROPERTIES                                                                           \
    (VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |                   \
     VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT)

static uint32_t count_bits(VkMemoryPropertyFlags flags)
{
    uint32_t n = 0;
    for (; flags; flags &= flags - 1)
        n++;
    return n;
}

/* The best type for a kind: all that is wanted counts more than anything unwanted. */
static uint32_t choose_type(const VkPhysicalDeviceMemoryProperties *types, uint32_t allowed,
                            enum pail_vk_memory kind)
{
    uint32_t best = UINT32_MAX, best_score = 0;
    for (uint32_t i = 0; i < types->memoryTypeCount; i++) {
        const VkMemoryPropertyFlags flags = types->memoryTypes[i].propertyFlags;
        if (!(allowed >> i & 1) || flags & ~(VkMemoryPropertyFlags)PLAIN_PROPERTIES ||
            kinds[kind].required & ~flags)
            continue;
        const uint32_t score = 1 + 8 * count_bits(flags & kinds[kind].wanted) + 4 -
                               count_bits(flags & kinds[kind].unwanted);
        if (score > best_score) {
            best = i;
            best_score = score;
        }
    }
    return best;
}

static bool is_coherent(const struct pail_vk_device *dev, uint32_t type)
{
    return dev->memory_types.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
}

/* Counts an allocation before it is made, so that the limit holds among threads. */
static bool count_in(struct pail_vk_device *dev)
{
    pthread_mutex_lock(&dev->stats_lock);
    const bool fits = dev->held < dev->caps.max_allocations;
    dev->held += fits;
    pthread_mutex_unlock(&dev->stats_lock);
    return fits;
}

static uint32_t allocations_of(const struct pail_vk_buffer *buffer)
{
    return buffer->pieces ? buffer->n_pieces : 1;
}

/* freed: NULL: an allocation that was not made. One that was, of a buffer that has not all of them
 * yet, is not among the stats. */
static void count_out(struct pail_vk_device *dev, const struct pail_vk_buffer *freed)
{
    pthread_mutex_lock(&dev->stats_lock);
    dev->held -= freed ? allocations_of(freed) : 1;
    if (freed && freed->allocated) {
        dev->stats.live -= allocations_of(freed);
        dev->stats.requested -= freed->size;
        dev->stats.allocated -= freed->allocated;
        if (freed->kind == PAIL_VK_MEMORY_DEVICE)
            dev->stats.device -= freed->allocated;
    }
    pthread_mutex_unlock(&dev->stats_lock);
}

static void count_done(struct pail_vk_device *dev, const struct pail_vk_buffer *made)
{
    pthread_mutex_lock(&dev->stats_lock);
    struct pail_vk_memory_stats *s = &dev->stats;
    s->live += allocations_of(made);
    s->allocations += allocations_of(made);
    s->requested += made->size;
    s->allocated += made->allocated;
    if (made->kind == PAIL_VK_MEMORY_DEVICE)
        s->device += made->allocated;
    if (s->allocated > s->peak_allocated)
        s->peak_allocated = s->allocated;
    pthread_mutex_unlock(&dev->stats_lock);
}

struct pail_vk_memory_stats pail_vk_memory_stats(struct pail_vk_device *dev)
{
    pthread_mutex_lock(&dev->stats_lock);
    const struct pail_vk_memory_stats stats = dev->stats;
    pthread_mutex_unlock(&dev->stats_lock);
    return stats;
}

static pail_status create_handle(struct pail_vk_device *dev, struct pail_vk_buffer *buffer,
                                 bool pieces, struct pail_error *err)
{
    const uint32_t families[] = {dev->queues[PAIL_VK_QUEUE_MAIN].family,
                                 dev->queues[PAIL_VK_QUEUE_TRANSFER].family};
    const bool shared = dev->queues[PAIL_VK_QUEUE_TRANSFER].open && families[1] != families[0];
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .flags = pieces ? VK_BUFFER_CREATE_SPARSE_BINDING_BIT : 0u,
        .size =
            pieces ? (buffer->size + PIECES_ALIGN - 1) / PIECES_ALIGN * PIECES_ALIGN : buffer->size,
        .usage = pail_vk_buffer_usage(&dev->caps),
        .sharingMode = shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = shared ? 2 : 0,
        .pQueueFamilyIndices = families,
    };
    const VkResult result = dev->vk.vkCreateBuffer(dev->handle, &info, NULL, &buffer->handle);
    return pail_vk_device_result(dev, result, "vkCreateBuffer", err);
}

/* The type of memory, of those in `allowed`, for so many bytes. */
static pail_status find_type(struct pail_vk_device *dev, uint32_t *type,
                             const struct pail_vk_buffer *buffer, uint32_t allowed, uint64_t bytes,
                             const char *name, struct pail_error *err)
{
    *type = choose_type(&dev->memory_types, allowed, buffer->kind);
    if (*type == UINT32_MAX)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "device \"%s\" has no memory type for the buffer \"%s\" of %llu bytes",
                         dev->caps.name, name, (unsigned long long)buffer->size);
    const uint32_t heap = dev->memory_types.memoryTypes[*type].heapIndex;
    const uint64_t heap_bytes = dev->memory_types.memoryHeaps[heap].size;
    if (bytes > heap_bytes)
        return pail_fail(err, PAIL_ERR_DEVICE_MEMORY,
                         "no device memory for \"%s\": %llu bytes asked, the heap has %llu", name,
                         (unsigned long long)buffer->size, (unsigned long long)heap_bytes);
    return PAIL_OK;
}

/* One allocation of a buffer. */
static pail_status allocate_memory(struct pail_vk_device *dev, VkDeviceMemory *memory,
                                   const struct pail_vk_buffer *buffer, uint64_t bytes,
                                   uint32_t type, const char *name, struct pail_error *err)
{
    const VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = dev->caps.buffer_device_address ? &flags : NULL,
        .allocationSize = bytes,
        .memoryTypeIndex = type,
    };
    if (!count_in(dev))
        return pail_fail(err, PAIL_ERR_DEVICE_MEMORY,
                         "no device memory for \"%s\": %llu bytes asked, and all %u allocations "
                         "that the device allows are in use",
                         name, (unsigned long long)buffer->size, dev->caps.max_allocations);
    const VkResult result = dev->vk.vkAllocateMemory(dev->handle, &info, NULL, memory);
    if (result == VK_SUCCESS)
        return PAIL_OK;
    count_out(dev, NULL);
    const struct pail_vk_memory_stats held = pail_vk_memory_stats(dev);
    const pail_status status = pail_vk_device_result(dev, result, "vkAllocateMemory", err);
    if (status != PAIL_ERR_DEVICE_MEMORY)
        return status;
    return pail_fail(err, status,
                     "no device memory for \"%s\": %llu bytes asked, %llu held already (%s)", name,
                     (unsigned long long)buffer->size, (unsigned long long)held.allocated,
                     pail_vk_result_name(result));
}

static pail_status allocate(struct pail_vk_device *dev, struct pail_vk_buffer *buffer,
                            const char *name, struct pail_error *err)
{
    VkMemoryRequirements needs;
    uint32_t type;
    dev->vk.vkGetBufferMemoryRequirements(dev->handle, buffer->handle, &needs);
    pail_status status = find_type(dev, &type, buffer, needs.memoryTypeBits, needs.size, name, err);
    if (status == PAIL_OK)
        status = allocate_memory(dev, &buffer->memory, buffer, needs.size, type, name, err);
    if (status != PAIL_OK)
        return status;
    buffer->allocated = needs.size;
    buffer->coherent = is_coherent(dev, type);
    count_done(dev, buffer);

    VkResult result = dev->vk.vkBindBufferMemory(dev->handle, buffer->handle, buffer->memory, 0);
    if (result != VK_SUCCESS)
        return pail_vk_device_result(dev, result, "vkBindBufferMemory", err);
    if (buffer->kind != PAIL_VK_MEMORY_DEVICE) {
        result =
            dev->vk.vkMapMemory(dev->handle, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->mapped);
        if (result != VK_SUCCESS)
            return pail_vk_device_result(dev, result, "vkMapMemory", err);
    }
    return PAIL_OK;
}

/* ---- Several allocations behind one address -------------------------------------------------- */
/* Waits until the device's tables have them. */
static pail_status bind_pieces(struct pail_vk_device *dev, const struct pail_vk_buffer *buffer,
                               const VkSparseMemoryBind binds[], struct pail_error *err)
{
    const VkSparseBufferMemoryBindInfo of_buffer = {
        .buffer = buffer->handle, .bindCount = buffer->n_pieces, .pBinds = binds};
    const VkBindSparseInfo info = {.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
                                   .bufferBindCount = 1,
                                   .pBufferBinds = &of_buffer};
    const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    struct pail_vk_queue *const queue = pail_vk_queue_get(dev, PAIL_VK_QUEUE_MAIN);
    VkFence fence;
    VkResult result = dev->vk.vkCreateFence(dev->handle, &fence_info, NULL, &fence);
    if (result != VK_SUCCESS)
        return pail_vk_device_result(dev, result, "vkCreateFence", err);
    pthread_mutex_lock(&queue->submit);
    pail_vk_queue_lock(dev);
    result = dev->vk.vkQueueBindSparse(queue->handle, 1, &info, fence);
    pail_vk_queue_unlock(dev);
    pthread_mutex_unlock(&queue->submit);
    pail_status status = pail_vk_device_result(dev, result, "vkQueueBindSparse", err);
    if (status == PAIL_OK) {
        result = dev->vk.vkWaitForFences(dev->handle, 1, &fence, VK_TRUE, UINT64_MAX);
        status = pail_vk_device_result(dev, result, "vkWaitForFences", err);
    }
    if (status != PAIL_OK)
        pail_vk_device_settle(dev);
    dev->vk.vkDestroyFence(dev->handle, fence, NULL);
    return status;
}

/* Allocates and binds the pieces, each as large as is allowed but the last. */
static pail_status fill_pieces(struct pail_vk_device *dev, struct pail_vk_buffer *buffer,
                               VkSparseMemoryBind binds[], uint64_t all, uint64_t most,
                               uint32_t type, const char *name, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    for (uint64_t at = 0; at < all && status == PAIL_OK; at += most) {
        const uint64_t bytes = all - at < most ? all - at : most;
        VkDeviceMemory *const memory = &buffer->pieces[buffer->n_pieces];
        status = allocate_memory(dev, memory, buffer, bytes, type, name, err);
        if (status == PAIL_OK)
            binds[buffer->n_pieces++] =
                (VkSparseMemoryBind){.resourceOffset = at, .size = bytes, .memory = *memory};
    }
    return status == PAIL_OK ? bind_pieces(dev, buffer, binds, err) : status;
}

static pail_status allocate_pieces(struct pail_vk_device *dev, struct pail_vk_buffer *buffer,
                                   const char *name, struct pail_error *err)
{
    VkMemoryRequirements needs;
    uint32_t type;
    dev->vk.vkGetBufferMemoryRequirements(dev->handle, buffer->handle, &needs);
    const uint64_t align = needs.alignment; /* a power of two */
    const uint64_t all = (needs.size + align - 1) / align * align;
    const uint64_t most = dev->caps.max_allocation_bytes / align * align;
    if (most == 0)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "pieces of \"%s\" would have %llu bytes; device \"%s\" allows %llu", name,
                         (unsigned long long)align, dev->caps.name,
                         (unsigned long long)dev->caps.max_allocation_bytes);
    pail_status status = find_type(dev, &type, buffer, needs.memoryTypeBits, all, name, err);
    if (status != PAIL_OK)
        return status;
    const uint64_t n = (all + most - 1) / most;
    VkSparseMemoryBind *const binds = pail_calloc(&dev->alloc, (size_t)n, sizeof(*binds));
    buffer->pieces = pail_calloc(&dev->alloc, (size_t)n, sizeof(*buffer->pieces));
    if (binds && buffer->pieces)
        status = fill_pieces(dev, buffer, binds, all, most, type, name, err);
    else
        status = pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %llu pieces of \"%s\"",
                           (unsigned long long)n, name);
    pail_free(&dev->alloc, binds);
    if (status != PAIL_OK)
        return status;
    buffer->allocated = all;
    buffer->coherent = is_coherent(dev, type);
    count_done(dev, buffer);
    return PAIL_OK;
}

/* ---- Buffers --------------------------------------------------------------------------------- */
static pail_status create(struct pail_vk_device *dev, struct pail_vk_buffer *buffer,
                          enum pail_vk_memory kind, uint64_t bytes, bool pieces, const char *name,
                          struct pail_error *err)
{
    buffer->kind = kind;
    buffer->size = bytes;
    pail_status status = create_handle(dev, buffer, pieces, err);
    if (status == PAIL_OK)
        status =
            pieces ? allocate_pieces(dev, buffer, name, err) : allocate(dev, buffer, name, err);
    if (status == PAIL_OK && dev->caps.buffer_device_address) {
        const VkBufferDeviceAddressInfo address = {
            .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
            .buffer = buffer->handle,
        };
        buffer->address = dev->vk.vkGetBufferDeviceAddress(dev->handle, &address);
    }
    if (status != PAIL_OK) {
        pail_vk_buffer_destroy(dev, buffer);
        return status;
    }
    pail_vk_device_name(dev, VK_OBJECT_TYPE_BUFFER, PAIL_VK_HANDLE(buffer->handle), name);
    if (dev->debug & PAIL_DEBUG_TRACE)
        pail_log(&dev->log, PAIL_LOG_DEBUG, "buffer \"%s\": %llu bytes, %llu allocated", name,
                 (unsigned long long)bytes, (unsigned long long)buffer->allocated);
    return PAIL_OK;
}

static pail_status refuse(const struct pail_vk_device *dev, uint64_t bytes, uint64_t most,
                          const char *name, struct pail_error *err)
{
    return pail_fail(err, PAIL_ERR_ARGUMENT,
                     "the buffer \"%s\" would have %llu bytes; device \"%s\" allows 1 to %llu",
                     name, (unsigned long long)bytes, dev->caps.name, (unsigned long long)most);
}

pail_status pail_vk_buffer_create(struct pail_vk_device *dev, struct pail_vk_buffer *buffer,
                                  enum pail_vk_memory kind, uint64_t bytes, const char *name,
                                  struct pail_error *err)
{
    const uint64_t most = dev->caps.max_buffer_bytes;
    *buffer = (struct pail_vk_buffer){0};
    if (!name)
        name = "buffer";
    const pail_status status = pail_vk_device_check(dev, err);
    if (status != PAIL_OK)
        return status;
    return bytes == 0 || bytes > most ? refuse(dev, bytes, most, name, err)
                                      : create(dev, buffer, kind, bytes, false, name, err);
}

pail_status pail_vk_buffer_create_large(struct pail_vk_device *dev, struct pail_vk_buffer *buffer,
                                        enum pail_vk_memory kind, uint64_t bytes, const char *name,
                                        struct pail_error *err)
{
    const struct pail_vk_caps *const caps = &dev->caps;
    const bool on_device = kind == PAIL_VK_MEMORY_DEVICE;
    const uint64_t sparse = on_device ? caps->max_sparse_bytes / PIECES_ALIGN * PIECES_ALIGN : 0;
    const uint64_t most = sparse > caps->max_buffer_bytes ? sparse : caps->max_buffer_bytes;
    if (bytes <= caps->max_buffer_bytes)
        return pail_vk_buffer_create(dev, buffer, kind, bytes, name, err);
    *buffer = (struct pail_vk_buffer){0};
    pail_status status = pail_vk_device_check(dev, err);
    if (status != PAIL_OK)
        return status;
    if (bytes <= sparse)
        return create(dev, buffer, kind, bytes, true, name, err);
    /* The limit of an allocation is what always works: a driver refuses more, or has it. */
    status = on_device || bytes > caps->max_tried_bytes
                 ? PAIL_ERR_DEVICE_MEMORY
                 : create(dev, buffer, kind, bytes, false, name, err);
    return status == PAIL_ERR_DEVICE_MEMORY ? refuse(dev, bytes, most, name, err) : status;
}

void pail_vk_buffer_destroy(struct pail_vk_device *dev, struct pail_vk_buffer *buffer)
{
    if (buffer->handle || buffer->memory)
        pail_vk_device_settle(dev);
    if (buffer->handle)
        dev->vk.vkDestroyBuffer(dev->handle, buffer->handle, NULL);
    if (buffer->memory) {
        dev->vk.vkFreeMemory(dev->handle, buffer->memory, NULL); /* unmaps it */
        count_out(dev, buffer);
    }
    for (uint32_t i = 0; i < buffer->n_pieces; i++)
        dev->vk.vkFreeMemory(dev->handle, buffer->pieces[i], NULL);
    if (buffer->pieces)
        count_out(dev, buffer);
    pail_free(&dev->alloc, buffer->pieces);
    *buffer = (struct pail_vk_buffer){0};
}

struct pail_vk_slice pail_vk_buffer_slice(const struct pail_vk_buffer *buffer, uint64_t offset,
                                          uint64_t size)
{
    return (struct pail_vk_slice){
        .buffer = buffer,
        .offset = offset,
        .size = size,
        .mapped = buffer->mapped ? (unsigned char *)buffer->mapped + offset : NULL,
    };
}

struct pail_vk_slice pail_vk_slice_part(const struct pail_vk_slice *slice, uint64_t offset,
                                        uint64_t size)
{
    return pail_vk_buffer_slice(slice->buffer, slice->offset + offset, size);
}

/* The range of a flush, in whole atoms and inside the memory. */
static VkMappedMemoryRange range_of(const struct pail_vk_device *dev,
                                    const struct pail_vk_slice *slice)
{
    const uint64_t atom = dev->caps.non_coherent_align;
    const uint64_t first = slice->offset / atom * atom;
    const uint64_t last = (slice->offset + slice->size + atom - 1) / atom * atom;
    return (VkMappedMemoryRange){
        .sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
        .memory = slice->buffer->memory,
        .offset = first,
        .size = last < slice->buffer->allocated ? last - first : VK_WHOLE_SIZE,
    };
}

pail_status pail_vk_flush(struct pail_vk_device *dev, const struct pail_vk_slice *slice,
                          struct pail_error *err)
{
    if (slice->buffer->coherent || slice->size == 0)
        return PAIL_OK;
    const VkMappedMemoryRange range = range_of(dev, slice);
    return pail_vk_device_result(dev, dev->vk.vkFlushMappedMemoryRanges(dev->handle, 1, &range),
                                 "vkFlushMappedMemoryRanges", err);
}

pail_status pail_vk_invalidate(struct pail_vk_device *dev, const struct pail_vk_slice *slice,
                               struct pail_error *err)
{
    if (slice->buffer->coherent || slice->size == 0)
        return PAIL_OK;
    const VkMappedMemoryRange range = range_of(dev, slice);
    return pail_vk_device_result(dev,
                                 dev->vk.vkInvalidateMappedMemoryRanges(dev->handle, 1, &range),
                                 "vkInvalidateMappedMemoryRanges", err);
}
