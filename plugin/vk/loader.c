/* SPDX-License-Identifier: Apache-2.0 */
/* The Vulkan loader of the system, opened once for the process, and an instance that keeps drivers
 * ready: the only global state of the plugin. */
#define VOLK_IMPLEMENTATION
#include "instance_priv.h"

#include <platform/file.h>
#include <platform/process.h>
#include <pthread.h>
#include <stdlib.h>

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
                         "no Vulkan driver: the Vulkan loader %s is not installed",
                         pail_path_vulkan);
    if (!vkEnumerateInstanceVersion || !vkCreateInstance)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "no Vulkan driver: the Vulkan loader %s is older than 1.1",
                         pail_path_vulkan);
    *loader = (struct pail_vk_loader){
        .vkGetInstanceProcAddr = vkGetInstanceProcAddr,
        .vkCreateInstance = vkCreateInstance,
        .vkEnumerateInstanceVersion = vkEnumerateInstanceVersion,
        .vkEnumerateInstanceExtensionProperties = vkEnumerateInstanceExtensionProperties,
        .vkEnumerateInstanceLayerProperties = vkEnumerateInstanceLayerProperties,
    };
    return PAIL_OK;
}

/* ---- The instance that is kept -------------------------------------------------------------- */
static struct {
    pthread_mutex_t lock;
    VkInstance handle;
    PFN_vkDestroyInstance destroy;
    bool exiting;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Runs at the end of the process, before any destructor; when the plugin is unloaded, after its
 * own. */
static void at_exit(void)
{
    kept.exiting = true;
}

/* Destroys the kept instance when the plugin is unloaded. At the end of the process it must stay:
 * the driver may have been taken down before us. */
__attribute__((destructor)) static void let_go(void)
{
    if (kept.handle && !kept.exiting)
        kept.destroy(kept.handle, NULL);
}

/* NULL where there is none to be had. */
static VkInstance make_bare(PFN_vkDestroyInstance *destroy)
{
    const VkApplicationInfo app = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pApplicationName = "pail",
        .pEngineName = "pail",
        .apiVersion = VK_API_VERSION_1_2,
    };
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &app,
    };
    VkInstance instance = NULL;
    if (vkCreateInstance(&info, NULL, &instance) != VK_SUCCESS)
        return NULL;
    *destroy = (PFN_vkDestroyInstance)vkGetInstanceProcAddr(instance, "vkDestroyInstance");
    return *destroy ? instance : NULL;
}

void pail_vk_loader_release(VkInstance instance, PFN_vkDestroyInstance destroy, bool bare)
{
    pail_keep_loaded("vk_icdGetInstanceProcAddr"); /* each driver has it, and no other library */
    pthread_mutex_lock(&kept.lock);
    /* Without the handler nobody could tell the end of the process: nothing is kept then. */
    if (!kept.handle && atexit(at_exit) == 0) {
        kept.destroy = destroy;
        kept.handle = bare ? instance : make_bare(&kept.destroy);
    }
    const bool taken = kept.handle == instance;
    pthread_mutex_unlock(&kept.lock);
    if (!taken)
        destroy(instance, NULL);
}

/* ---- Devices -------------------------------------------------------------------------------- */
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
