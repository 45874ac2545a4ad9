#define VOLK_IMPLEMENTATION
#include "vk/loader.h"

#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static VkResult opened = VK_ERROR_INITIALIZATION_FAILED;

static void open_once(void)
{
    opened = volkInitialize();
}

pail_status pail_vk_loader_open(struct pail_vk_loader *loader, struct pail_error *err)
{
    *loader = (struct pail_vk_loader){0};
    pthread_once(&once, open_once);
    if (opened != VK_SUCCESS || !vkGetInstanceProcAddr)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "no Vulkan driver: the Vulkan loader libvulkan.so.1 is not installed");
    if (!vkEnumerateInstanceVersion || !vkCreateInstance)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "no Vulkan driver: the Vulkan loader libvulkan.so.1 is older than 1.1");
    *loader = (struct pail_vk_loader){
        .vkGetInstanceProcAddr = vkGetInstanceProcAddr,
        .vkCreateInstance = vkCreateInstance,
        .vkEnumerateInstanceVersion = vkEnumerateInstanceVersion,
        .vkEnumerateInstanceExtensionProperties = vkEnumerateInstanceExtensionProperties,
        .vkEnumerateInstanceLayerProperties = vkEnumerateInstanceLayerProperties,
    };
    return PAIL_OK;
}

struct device_source {
    VkDevice device;
    PFN_vkGetDeviceProcAddr get;
};

static PFN_vkVoidFunction load_one(void *context, const char *name)
{
    const struct device_source *source = context;
    return source->get(source->device, name);
}

void pail_vk_loader_device(struct VolkDeviceTable *table, VkDevice device,
                           PFN_vkGetDeviceProcAddr get)
{
    /* volk's public volkLoadDeviceTable always asks the loader it opened itself. */
    struct device_source source = {.device = device, .get = get};
    volkGenLoadDeviceTable(table, &source, load_one);
}
