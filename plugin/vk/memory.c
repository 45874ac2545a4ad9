#include "memory.h"

#include "device_priv.h"

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

/* Counts an allocation before it is made, so that the limit holds among threads. */
static bool count_in(struct pail_vk_device *dev)
{
    pthread_mutex_lock(&dev->stats_lock);
    const bool fits = dev->held < dev->caps.max_allocations;
    dev->held += fits;
    pthread_mutex_unlock(&dev->stats_lock);
    return fits;
}

static void count_out(struct pail_vk_device *dev, const struct pail_vk_buffer *freed)
{
    pthread_mutex_lock(&dev->stats_lock);
    dev->held--;
    if (freed) {
        dev->stats.live--;
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
    s->live++;
    s->allocations++;
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
                                 struct pail_error *err)
{
    const uint32_t families[PAIL_VK_QUEUE_KINDS] = {dev->queues[0].family, dev->queues[1].family};
    const bool shared = dev->n_queues > 1;
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = buffer->size,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                 (dev->caps.buffer_device_address ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0u),
        .sharingMode = shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = shared ? dev->n_queues : 0,
        .pQueueFamilyIndices = families,
    };
    const VkResult result = dev->vk.vkCreateBuffer(dev->handle, &info, NULL, &buffer->handle);
    return pail_vk_device_result(dev, result, "vkCreateBuffer", err);
}

static pail_status allocate(struct pail_vk_device *dev, struct pail_vk_buffer *buffer,
                            const char *name, struct pail_error *err)
{
    VkMemoryRequirements needs;
    dev->vk.vkGetBufferMemoryRequirements(dev->handle, buffer->handle, &needs);
    const uint32_t type = choose_type(&dev->memory_types, needs.memoryTypeBits, buffer->kind);
    if (type == UINT32_MAX)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "device \"%s\" has no memory type for the buffer \"%s\"", dev->caps.name,
                         name);
    const VkMemoryType *properties = &dev->memory_types.memoryTypes[type];
    const uint64_t heap_bytes = dev->memory_types.memoryHeaps[properties->heapIndex].size;
    const VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = dev->caps.buffer_device_address ? &flags : NULL,
        .allocationSize = needs.size,
        .memoryTypeIndex = type,
    };
    if (needs.size > heap_bytes)
        return pail_fail(err, PAIL_ERR_DEVICE_MEMORY,
                         "no device memory for \"%s\": %llu bytes asked, the heap has %llu", name,
                         (unsigned long long)buffer->size, (unsigned long long)heap_bytes);
    if (!count_in(dev))
        return pail_fail(err, PAIL_ERR_DEVICE_MEMORY,
                         "no device memory for \"%s\": %llu bytes asked, and all %u allocations "
                         "that the device allows are in use",
                         name, (unsigned long long)buffer->size, dev->caps.max_allocations);
    VkResult result = dev->vk.vkAllocateMemory(dev->handle, &info, NULL, &buffer->memory);
    if (result != VK_SUCCESS) {
        count_out(dev, NULL);
        const struct pail_vk_memory_stats held = pail_vk_memory_stats(dev);
        const pail_status status = pail_vk_device_result(dev, result, "vkAllocateMemory", err);
        if (status != PAIL_ERR_DEVICE_MEMORY)
            return status;
        return pail_fail(err, status,
                         "no device memory for \"%s\": %llu bytes asked, %llu held already (%s)",
                         name, (unsigned long long)buffer->size, (unsigned long long)held.allocated,
                         pail_vk_result_name(result));
    }
    buffer->allocated = needs.size;
    buffer->coherent = properties->propertyFlags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    count_done(dev, buffer);

    result = dev->vk.vkBindBufferMemory(dev->handle, buffer->handle, buffer->memory, 0);
    if (result != VK_SUCCESS)
        return pail_vk_device_result(dev, result, "vkBindBufferMemory", err);
    if (buffer->kind != PAIL_VK_MEMORY_DEVICE) {
        result =
            dev->vk.vkMapMemory(dev->handle, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->mapped);
        if (result != VK_SUCCESS)
            return pail_vk_device_result(dev, result, "vkMapMemory", err);
    }
    if (dev->caps.buffer_device_address) {
        const VkBufferDeviceAddressInfo address = {
            .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
            .buffer = buffer->handle,
        };
        buffer->address = dev->vk.vkGetBufferDeviceAddress(dev->handle, &address);
    }
    return PAIL_OK;
}

pail_status pail_vk_buffer_create(struct pail_vk_device *dev, struct pail_vk_buffer *buffer,
                                  enum pail_vk_memory kind, uint64_t bytes, const char *name,
                                  struct pail_error *err)
{
    *buffer = (struct pail_vk_buffer){0};
    if (!name)
        name = "buffer";
    pail_status status = pail_vk_device_check(dev, err);
    if (status != PAIL_OK)
        return status;
    if (bytes == 0 || bytes > dev->caps.max_buffer_bytes)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "the buffer \"%s\" would have %llu bytes; device \"%s\" allows 1 to %llu",
                         name, (unsigned long long)bytes, dev->caps.name,
                         (unsigned long long)dev->caps.max_buffer_bytes);
    buffer->kind = kind;
    buffer->size = bytes;
    status = create_handle(dev, buffer, err);
    if (status == PAIL_OK)
        status = allocate(dev, buffer, name, err);
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
