/* SPDX-License-Identifier: Apache-2.0 */
/* A layer between the loader and a driver. It makes of a driver whose pipeline caches carry no code
 * (both software drivers) one whose caches do, as those of GPUs do, and writes down what a driver
 * would have had to compile:
 *
 *  - vkGetPipelineCacheData returns the header that the specification asks for, and a token for
 *    each pipeline that was made with the cache or was in its initial data. A token is a hash of
 * the module and of the specialisation constants: all that a compiled pipeline is made of.
 *  - A pipeline whose token is in the cache it is made with is a hit: its creation feedback says
 * so, and it is made where compiling is forbidden. Any other is a miss, and is not.
 *  - Initial data with another header are ignored, as drivers do after an update.
 *
 * $PAIL_LAYER_LOG names a file that gets one line for each creation: "hit", "miss", "refused"
 * (compiling was forbidden) or "failed", and the token. Lines of several processes do not mix.
 * $PAIL_LAYER_UUID, a number, changes the pipelineCacheUUID: a driver of another version. With
 * $PAIL_LAYER_FORGETS no initial data are of any use, though their header is right.
 *
 * $PAIL_LAYER_MEMORY is for memory.c. This part is the layer's chain; the others are what it does.
 */
#include <stdlib.h>
#include <string.h>

#include <vulkan/vk_layer.h>

#include "layer.h"

struct instance {
    struct layer_node node;
    VkInstance handle;
    PFN_vkGetInstanceProcAddr get;
    PFN_vkDestroyInstance destroy;
    PFN_vkGetPhysicalDeviceProperties properties;
    PFN_vkGetPhysicalDeviceProperties2 properties2;
};

static struct layer_list instances = LAYER_LIST, devices = LAYER_LIST;

uint64_t layer_hash(uint64_t hash, const void *bytes, size_t n)
{
    const uint8_t *const at = bytes;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* The loader keeps its table of functions in the first word behind each handle; the handles of one
 * instance, or of one device, have the same. */
static uint64_t key_of(const void *handle)
{
    const void *key;
    memcpy(&key, handle, sizeof(key));
    return LAYER_KEY(key);
}

static struct instance *find_instance(const void *handle)
{
    return layer_list_find(&instances, key_of(handle));
}

struct layer_device *layer_find_device(const void *handle)
{
    return layer_list_find(&devices, key_of(handle));
}

/* ---- Physical devices ------------------------------------------------------------------------*/
static void change_uuid(VkPhysicalDeviceProperties *properties)
{
    const char *const text = getenv("PAIL_LAYER_UUID");
    const uint32_t number = text != NULL ? (uint32_t)strtoul(text, NULL, 10) : 0;
    memcpy(properties->pipelineCacheUUID, "pail caches", 12);
    memcpy(properties->pipelineCacheUUID + 12, &number, sizeof(number));
}

static VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice physical,
                                                 VkPhysicalDeviceProperties *properties)
{
    find_instance(physical)->properties(physical, properties);
    change_uuid(properties);
}

static VKAPI_ATTR void VKAPI_CALL get_properties2(VkPhysicalDevice physical,
                                                  VkPhysicalDeviceProperties2 *properties)
{
    find_instance(physical)->properties2(physical, properties);
    change_uuid(&properties->properties);
}

/* ---- Devices ---------------------------------------------------------------------------------*/
/* The link of the chain that is meant for this layer, which has to step over it. */
static VkLayerDeviceCreateInfo *device_link(const VkDeviceCreateInfo *info)
{
    const VkBaseInStructure *at = info->pNext;
    while (at != NULL && (at->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO ||
                          ((const VkLayerDeviceCreateInfo *)at)->function != VK_LAYER_LINK_INFO))
        at = at->pNext;
    return (VkLayerDeviceCreateInfo *)(uintptr_t)at;
}

#define LOAD(member, name) (device->member = (PFN_##name)device->get(*out, #name))

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
                                                    const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator,
                                                    VkDevice *out)
{
    struct instance *const instance = find_instance(physical);
    VkLayerDeviceCreateInfo *const link = device_link(info);
    if (link == NULL)
        return VK_ERROR_INITIALIZATION_FAILED;
    const PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    const PFN_vkGetDeviceProcAddr get_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const PFN_vkCreateDevice create = (PFN_vkCreateDevice)get(instance->handle, "vkCreateDevice");
    struct layer_device *const device = calloc(1, sizeof(*device));
    if (device == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    const VkResult result = create(physical, info, allocator, out);
    if (result != VK_SUCCESS) {
        free(device);
        return result;
    }
    device->get = get_device;
    LOAD(destroy, vkDestroyDevice);
    LOAD(create_module, vkCreateShaderModule);
    LOAD(destroy_module, vkDestroyShaderModule);
    LOAD(create_cache, vkCreatePipelineCache);
    LOAD(destroy_cache, vkDestroyPipelineCache);
    LOAD(create_pipelines, vkCreateComputePipelines);
    LOAD(allocate, vkAllocateMemory);
    LOAD(release, vkFreeMemory);
    LOAD(device_idle, vkDeviceWaitIdle);
    LOAD(queue_idle, vkQueueWaitIdle);
    VkPhysicalDeviceProperties properties;
    get_properties(physical, &properties);
    device->vendor = properties.vendorID;
    device->device = properties.deviceID;
    memcpy(device->uuid, properties.pipelineCacheUUID, sizeof(device->uuid));
    layer_list_add(&devices, &device->node, key_of(*out));
    return VK_SUCCESS;
}

#undef LOAD

static VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice handle,
                                                 const VkAllocationCallbacks *allocator)
{
    if (handle == VK_NULL_HANDLE)
        return;
    struct layer_device *const device = layer_list_take(&devices, key_of(handle));
    device->destroy(handle, allocator);
    free(device);
}

static PFN_vkVoidFunction function_of(const char *name)
{
    const PFN_vkVoidFunction pipeline = layer_pipeline_function(name);
    return pipeline != NULL ? pipeline : layer_memory_function(name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_function(VkDevice handle,
                                                                    const char *name)
{
    if (strcmp(name, "vkGetDeviceProcAddr") == 0)
        return (PFN_vkVoidFunction)get_device_function;
    if (strcmp(name, "vkDestroyDevice") == 0)
        return (PFN_vkVoidFunction)destroy_device;
    const PFN_vkVoidFunction mine = function_of(name);
    return mine != NULL ? mine : layer_find_device(handle)->get(handle, name);
}

/* ---- Instances -------------------------------------------------------------------------------*/
static VkLayerInstanceCreateInfo *instance_link(const VkInstanceCreateInfo *info)
{
    const VkBaseInStructure *at = info->pNext;
    while (at != NULL && (at->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO ||
                          ((const VkLayerInstanceCreateInfo *)at)->function != VK_LAYER_LINK_INFO))
        at = at->pNext;
    return (VkLayerInstanceCreateInfo *)(uintptr_t)at;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkInstance *out)
{
    VkLayerInstanceCreateInfo *const link = instance_link(info);
    if (link == NULL)
        return VK_ERROR_INITIALIZATION_FAILED;
    const PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
    struct instance *const instance = calloc(1, sizeof(*instance));
    if (instance == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    const VkResult result = create(info, allocator, out);
    if (result != VK_SUCCESS) {
        free(instance);
        return result;
    }
    instance->handle = *out;
    instance->get = get;
    instance->destroy = (PFN_vkDestroyInstance)get(*out, "vkDestroyInstance");
    instance->properties =
        (PFN_vkGetPhysicalDeviceProperties)get(*out, "vkGetPhysicalDeviceProperties");
    instance->properties2 =
        (PFN_vkGetPhysicalDeviceProperties2)get(*out, "vkGetPhysicalDeviceProperties2");
    layer_list_add(&instances, &instance->node, key_of(*out));
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_instance(VkInstance handle,
                                                   const VkAllocationCallbacks *allocator)
{
    if (handle == VK_NULL_HANDLE)
        return;
    struct instance *const instance = layer_list_take(&instances, key_of(handle));
    instance->destroy(handle, allocator);
    free(instance);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_function(VkInstance handle,
                                                                      const char *name)
{
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } mine[] = {
        {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)get_instance_function},
        {"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
        {"vkDestroyInstance", (PFN_vkVoidFunction)destroy_instance},
        {"vkGetPhysicalDeviceProperties", (PFN_vkVoidFunction)get_properties},
        {"vkGetPhysicalDeviceProperties2", (PFN_vkVoidFunction)get_properties2},
        {"vkGetPhysicalDeviceProperties2KHR", (PFN_vkVoidFunction)get_properties2},
        {"vkCreateDevice", (PFN_vkVoidFunction)create_device},
        {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)get_device_function},
        {"vkDestroyDevice", (PFN_vkVoidFunction)destroy_device},
    };
    for (size_t i = 0; i < sizeof(mine) / sizeof(mine[0]); i++)
        if (strcmp(name, mine[i].name) == 0)
            return mine[i].function;
    const PFN_vkVoidFunction of_device = function_of(name);
    if (of_device != NULL || handle == VK_NULL_HANDLE)
        return of_device;
    return find_instance(handle)->get(handle, name);
}

VK_LAYER_EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *offer)
{
    if (offer->loaderLayerInterfaceVersion < CURRENT_LOADER_LAYER_INTERFACE_VERSION)
        return VK_ERROR_INITIALIZATION_FAILED;
    offer->loaderLayerInterfaceVersion = CURRENT_LOADER_LAYER_INTERFACE_VERSION;
    offer->pfnGetInstanceProcAddr = get_instance_function;
    offer->pfnGetDeviceProcAddr = get_device_function;
    offer->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
