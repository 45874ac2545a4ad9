/* SPDX-License-Identifier: Apache-2.0 */
/* Device addresses that are pointers: they are found, and nothing else is taken for them. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "support.h"

#include <sys/mman.h>

#include <vk/pointers.h>

#include "support/test.h"

/* ---- A driver that does not do as it should ---------------------------------------------------
 */
static struct {
    struct VolkDeviceTable real;
    uint32_t allocations, fail_at; /* fail_at: number of the allocation that fails; 0: none */
    uint32_t creations, create_fails_at;
    uint32_t fills, drop_at;     /* drop_at: number of the fill that is left out; 0: none */
    uint32_t addresses, move_at; /* move_at: number of the address that is another; 0: none */
    bool map_fails;
    uint8_t *nowhere; /* address that everything is said to have; NULL: its own */
    struct {
        VkBuffer buffer;
        uint64_t offset;
    } bound[64];
    uint32_t n_bound;
} fake;

static VKAPI_ATTR VkResult VKAPI_CALL fake_allocate(VkDevice device,
                                                    const VkMemoryAllocateInfo *info,
                                                    const VkAllocationCallbacks *callbacks,
                                                    VkDeviceMemory *memory)
{
    if (++fake.allocations == fake.fail_at)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    return fake.real.vkAllocateMemory(device, info, callbacks, memory);
}

static VKAPI_ATTR VkResult VKAPI_CALL fake_create(VkDevice device, const VkBufferCreateInfo *info,
                                                  const VkAllocationCallbacks *callbacks,
                                                  VkBuffer *buffer)
{
    if (++fake.creations == fake.create_fails_at)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    return fake.real.vkCreateBuffer(device, info, callbacks, buffer);
}

static VKAPI_ATTR void VKAPI_CALL fake_fill(VkCommandBuffer commands, VkBuffer buffer,
                                            VkDeviceSize offset, VkDeviceSize size, uint32_t word)
{
    if (++fake.fills != fake.drop_at)
        fake.real.vkCmdFillBuffer(commands, buffer, offset, size, word);
}

static VKAPI_ATTR VkResult VKAPI_CALL fake_bind(VkDevice device, VkBuffer buffer,
                                                VkDeviceMemory memory, VkDeviceSize offset)
{
    assert_in_range(fake.n_bound, 0, 63);
    fake.bound[fake.n_bound].buffer = buffer;
    fake.bound[fake.n_bound++].offset = offset;
    return fake.real.vkBindBufferMemory(device, buffer, memory, offset);
}

static VKAPI_ATTR VkDeviceAddress VKAPI_CALL fake_address(VkDevice device,
                                                          const VkBufferDeviceAddressInfo *info)
{
    const uint64_t moved = ++fake.addresses == fake.move_at ? 64 : 0;
    if (!fake.nowhere)
        return fake.real.vkGetBufferDeviceAddress(device, info) + moved;
    uint32_t i = fake.n_bound;
    while (fake.bound[--i].buffer != info->buffer)
        assert_true(i > 0);
    return (uint64_t)(uintptr_t)fake.nowhere + fake.bound[i].offset;
}

static VKAPI_ATTR VkResult VKAPI_CALL fake_map(VkDevice device, VkDeviceMemory memory,
                                               VkDeviceSize offset, VkDeviceSize size,
                                               VkMemoryMapFlags flags, void **mapped)
{
    if (fake.map_fails)
        return VK_ERROR_MEMORY_MAP_FAILED;
    const VkResult result = fake.real.vkMapMemory(device, memory, offset, size, flags, mapped);
    if (fake.nowhere)
        *mapped = fake.nowhere;
    return result;
}

static struct pail_vk_device *device_of(void **state)
{
    struct vk_fixture *f = *state;
    struct VolkDeviceTable *table = pail_vk_device_table(f->dev);
    memset(&fake, 0, sizeof(fake));
    fake.real = *table;
    table->vkAllocateMemory = fake_allocate;
    table->vkCreateBuffer = fake_create;
    table->vkCmdFillBuffer = fake_fill;
    table->vkBindBufferMemory = fake_bind;
    table->vkGetBufferDeviceAddress = fake_address;
    table->vkMapMemory = fake_map;
    return f->dev;
}

static void give_back(struct pail_vk_device *dev)
{
    *pail_vk_device_table(dev) = fake.real;
}

/* True if the device can have them: a CPU, whose buffers are mapped at their address. */
static bool should_have(struct pail_vk_device *dev)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(dev);
    struct pail_vk_buffer buffer;
    ASSERT_OK(pail_vk_buffer_create(dev, &buffer, PAIL_VK_MEMORY_READBACK, 4096, "test", ERR));
    const bool same = buffer.address == (uint64_t)(uintptr_t)buffer.mapped;
    pail_vk_buffer_destroy(dev, &buffer);
    return caps->buffer_device_address && caps->type == VK_PHYSICAL_DEVICE_TYPE_CPU && same;
}

static struct pail_vk_device *able(void **state)
{
    struct pail_vk_device *dev = device_of(state);
    if (!should_have(dev)) {
        give_back(dev);
        SKIP_BECAUSE("the device is no CPU with addresses that are pointers");
    }
    return dev;
}

static bool found(struct pail_vk_device *dev)
{
    ASSERT_OK(pail_vk_find_pointers(dev, ERR));
    return pail_vk_device_caps(dev)->pointers;
}

/* ---- Tests ----------------------------------------------------------------------------------- */
PAIL_TEST(test_found)
{
    struct pail_vk_device *dev = device_of(state);
    const bool should = should_have(dev);
    const uint64_t live = pail_vk_memory_stats(dev).live;
    assert_false(pail_vk_device_caps(dev)->pointers);
    fake.allocations = 0;
    assert_int_equal(found(dev), should);
    if (should) {
        assert_true(fake.allocations >= 2);
        assert_true(fake.fills >= 8);
        assert_true(found(dev)); /* again */
    } else {
        assert_int_equal(fake.allocations, 0);
    }
    assert_int_equal(pail_vk_memory_stats(dev).live, live);
    give_back(dev);
}

/* A device that is no CPU is not tried, nor one that may not have addresses or pointers. */
PAIL_TEST(test_not_tried)
{
    struct pail_vk_device *dev = able(state);
    const struct pail_vk_caps caps = dev->caps;
    fake.allocations = 0;
    dev->caps.type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
    assert_false(found(dev));
    dev->caps = caps;
    dev->caps.buffer_device_address = false;
    assert_false(found(dev));
    dev->caps = caps;
    const struct pail_vk_limits_override limits = {.no_pointers = true};
    pail_vk_caps_limit(&dev->caps, &limits);
    assert_false(found(dev));
    assert_int_equal(fake.allocations, 0);
    dev->caps = caps;
    assert_true(found(dev));
    give_back(dev);
}

/* Any of the addresses of what is mapped may be the one that is not where it is mapped; and where
 * what was never mapped is not at its address, what the device wrote is not either. */
PAIL_TEST(test_other_addresses)
{
    struct pail_vk_device *dev = able(state);
    for (uint32_t i = 1; i <= 4; i++) {
        fake.addresses = 0;
        fake.move_at = i;
        assert_false(found(dev));
    }
    fake.move_at = 0;
    assert_true(found(dev));
    give_back(dev);
}

/* Memory does not have the contents that the device wrote. */
PAIL_TEST(test_other_contents)
{
    struct pail_vk_device *dev = able(state);
    for (uint32_t i = 1; i <= 8; i++) {
        fake.fills = 0;
        fake.drop_at = i;
        assert_false(found(dev));
    }
    fake.drop_at = 0;
    assert_true(found(dev));
    give_back(dev);
}

/* Addresses of memory that cannot be read are no reason to die. */
PAIL_TEST(test_unreadable)
{
    struct pail_vk_device *dev = able(state);
    const size_t bytes = (size_t)1 << 22;
    void *nowhere = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(nowhere != MAP_FAILED);
    fake.nowhere = nowhere;
    assert_false(found(dev));
    fake.nowhere = NULL;
    assert_true(found(dev));
    assert_int_equal(munmap(nowhere, bytes), 0);
    give_back(dev);
}

/* Memory that the host would have to ask for, or cannot have. */
PAIL_TEST(test_memory_types)
{
    struct pail_vk_device *dev = able(state);
    const VkPhysicalDeviceMemoryProperties types = dev->memory_types;
    static const VkMemoryPropertyFlags flags[] = {VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                                  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT};
    for (uint32_t k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < types.memoryTypeCount; i++)
            dev->memory_types.memoryTypes[i].propertyFlags &= ~flags[k];
        fake.allocations = 0;
        assert_false(found(dev));
        assert_int_equal(fake.allocations, 0);
        dev->memory_types = types;
    }
    assert_true(found(dev));
    give_back(dev);
}

PAIL_TEST(test_failures)
{
    struct pail_vk_device *dev = able(state);
    for (uint32_t i = 1; i <= 2; i++) {
        fake.allocations = 0;
        fake.fail_at = i;
        ASSERT_STATUS(pail_vk_find_pointers(dev, ERR), PAIL_ERR_DEVICE_MEMORY, "vkAllocateMemory");
        assert_false(pail_vk_device_caps(dev)->pointers);
    }
    fake.fail_at = 0;
    for (uint32_t i = 1; i <= 4; i++) {
        fake.creations = 0;
        fake.create_fails_at = i;
        ASSERT_STATUS(pail_vk_find_pointers(dev, ERR), PAIL_ERR_DEVICE_MEMORY, "vkCreateBuffer");
        assert_false(pail_vk_device_caps(dev)->pointers);
    }
    fake.create_fails_at = 0;
    fake.map_fails = true;
    assert_int_not_equal(pail_vk_find_pointers(dev, ERR), PAIL_OK);
    assert_false(pail_vk_device_caps(dev)->pointers);
    fake.map_fails = false;
    assert_true(found(dev));
    give_back(dev);
}

PAIL_TEST_GROUP(vk_setup, vk_teardown)
