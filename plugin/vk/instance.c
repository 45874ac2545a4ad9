/* SPDX-License-Identifier: Apache-2.0 */
#include "instance_priv.h"

#include <string.h>

static const struct {
    VkResult result;
    const char *name;
    pail_status status;
} results[] = {
#define RESULT(name, status)                                                                       \
    {                                                                                              \
        name, #name, status                                                                        \
    }
    RESULT(VK_SUCCESS, PAIL_OK),
    RESULT(VK_TIMEOUT, PAIL_NOT_READY),
    RESULT(VK_NOT_READY, PAIL_NOT_READY),
    RESULT(VK_ERROR_OUT_OF_HOST_MEMORY, PAIL_ERR_HOST_MEMORY),
    RESULT(VK_ERROR_OUT_OF_DEVICE_MEMORY, PAIL_ERR_DEVICE_MEMORY),
    RESULT(VK_ERROR_OUT_OF_POOL_MEMORY, PAIL_ERR_DEVICE_MEMORY),
    RESULT(VK_ERROR_FRAGMENTED_POOL, PAIL_ERR_DEVICE_MEMORY),
    RESULT(VK_ERROR_FRAGMENTATION, PAIL_ERR_DEVICE_MEMORY),
    RESULT(VK_ERROR_TOO_MANY_OBJECTS, PAIL_ERR_DEVICE_MEMORY),
    RESULT(VK_ERROR_MEMORY_MAP_FAILED, PAIL_ERR_DEVICE_MEMORY),
    RESULT(VK_ERROR_DEVICE_LOST, PAIL_ERR_DEVICE_LOST),
    RESULT(VK_ERROR_INITIALIZATION_FAILED, PAIL_ERR_UNSUPPORTED),
    RESULT(VK_ERROR_INCOMPATIBLE_DRIVER, PAIL_ERR_UNSUPPORTED),
    RESULT(VK_ERROR_LAYER_NOT_PRESENT, PAIL_ERR_UNSUPPORTED),
    RESULT(VK_ERROR_EXTENSION_NOT_PRESENT, PAIL_ERR_UNSUPPORTED),
    RESULT(VK_ERROR_FEATURE_NOT_PRESENT, PAIL_ERR_UNSUPPORTED),
    RESULT(VK_ERROR_INVALID_SHADER_NV, PAIL_ERR_INTERNAL),
    RESULT(VK_ERROR_UNKNOWN, PAIL_ERR_INTERNAL),
    RESULT(VK_INCOMPLETE, PAIL_ERR_INTERNAL),
    RESULT(VK_PIPELINE_COMPILE_REQUIRED, PAIL_ERR_INTERNAL),
    RESULT(VK_ERROR_FORMAT_NOT_SUPPORTED, PAIL_ERR_UNSUPPORTED),
    RESULT(VK_ERROR_INVALID_EXTERNAL_HANDLE, PAIL_ERR_INTERNAL),
    RESULT(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS, PAIL_ERR_INTERNAL),
#undef RESULT
};

const char *pail_vk_result_name(VkResult result)
{
    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
        if (results[i].result == result)
            return results[i].name;
    return "a VkResult that Pail does not know";
}

pail_status pail_vk_result_status(VkResult result)
{
    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
        if (results[i].result == result)
            return results[i].status;
    return PAIL_ERR_INTERNAL;
}

pail_status pail_vk_result(VkResult result, const char *what, struct pail_error *err)
{
    if (result == VK_SUCCESS)
        return PAIL_OK;
    return pail_fail(err, pail_vk_result_status(result), "%s: %s (%d)", what,
                     pail_vk_result_name(result), (int)result);
}

#define VALIDATION_LAYER "VK_LAYER_KHRONOS_validation"

/* Every pointer type of a function converts to any other and back (C11 6.3.2.3). */
#define LOAD(name) (fns->name = (PFN_##name)get(instance, #name))

pail_status pail_vk_instance_fns_load(struct pail_vk_instance_fns *fns, VkInstance instance,
                                      PFN_vkGetInstanceProcAddr get, struct pail_error *err)
{
    const bool complete = LOAD(vkDestroyInstance) && LOAD(vkEnumeratePhysicalDevices) &&
                          LOAD(vkGetPhysicalDeviceProperties2) &&
                          LOAD(vkGetPhysicalDeviceFeatures2) &&
                          LOAD(vkGetPhysicalDeviceMemoryProperties2) &&
                          LOAD(vkGetPhysicalDeviceQueueFamilyProperties) &&
                          LOAD(vkEnumerateDeviceExtensionProperties) && LOAD(vkCreateDevice) &&
                          LOAD(vkGetDeviceProcAddr);
    if (!complete) {
        *fns = (struct pail_vk_instance_fns){0};
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "the Vulkan instance lacks functions of Vulkan 1.1; it must be made for "
                         "Vulkan 1.2 or later");
    }
    const bool debug_utils = LOAD(vkCreateDebugUtilsMessengerEXT) &&
                             LOAD(vkDestroyDebugUtilsMessengerEXT) &&
                             LOAD(vkSetDebugUtilsObjectNameEXT) &&
                             LOAD(vkCmdBeginDebugUtilsLabelEXT) && LOAD(vkCmdEndDebugUtilsLabelEXT);
    if (!debug_utils) {
        fns->vkCreateDebugUtilsMessengerEXT = NULL;
        fns->vkDestroyDebugUtilsMessengerEXT = NULL;
        fns->vkSetDebugUtilsObjectNameEXT = NULL;
        fns->vkCmdBeginDebugUtilsLabelEXT = NULL;
        fns->vkCmdEndDebugUtilsLabelEXT = NULL;
    }
    return PAIL_OK;
}

#undef LOAD

/* Vulkan calls it from any thread that is inside a Vulkan function. */
/* True for a message about the validation layer itself ("This is most likely a validation bug"): it
 * misses that a host has signalled a timeline semaphore just when it begins to wait for that, 10 s
 * long. */
static bool of_the_layer(const VkDebugUtilsMessengerCallbackDataEXT *data)
{
    return data->pMessageIdName &&
           strcmp(data->pMessageIdName, "UNASSIGNED-VkSemaphore-state-timeout") == 0;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                 void *user)
{
    struct pail_vk_instance *inst = user;
    const bool error = severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    /* General messages are the loader's, about drivers it skips: logged, but no fault of Pail's. */
    if (!of_the_layer(data) &&
        (types & ~(VkDebugUtilsMessageTypeFlagsEXT)VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT))
        atomic_fetch_add(error ? &inst->errors : &inst->warnings, 1);
    pail_log(&inst->log, error ? PAIL_LOG_ERROR : PAIL_LOG_WARNING, "%s: %s",
             data->pMessageIdName ? data->pMessageIdName : "Vulkan", data->pMessage);
    return VK_FALSE;
}

static pail_status find_extension(const struct pail_vk_loader *loader,
                                  const struct pail_alloc *alloc, const char *layer,
                                  const char *name, bool *found, struct pail_error *err)
{
    *found = false;
    uint32_t n = 0;
    VkResult result = loader->vkEnumerateInstanceExtensionProperties(layer, &n, NULL);
    if (result != VK_SUCCESS)
        return pail_vk_result(result, "vkEnumerateInstanceExtensionProperties", err);
    VkExtensionProperties *list = pail_calloc(alloc, n ? n : 1, sizeof(*list));
    if (!list)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory to list extensions");
    result = loader->vkEnumerateInstanceExtensionProperties(layer, &n, list);
    for (uint32_t i = 0; result == VK_SUCCESS && i < n; i++)
        *found |= strcmp(list[i].extensionName, name) == 0;
    pail_free(alloc, list);
    return pail_vk_result(result, "vkEnumerateInstanceExtensionProperties", err);
}

static pail_status find_layer(const struct pail_vk_loader *loader, const struct pail_alloc *alloc,
                              const char *name, bool *found, struct pail_error *err)
{
    *found = false;
    uint32_t n = 0;
    VkResult result = loader->vkEnumerateInstanceLayerProperties(&n, NULL);
    if (result != VK_SUCCESS)
        return pail_vk_result(result, "vkEnumerateInstanceLayerProperties", err);
    VkLayerProperties *list = pail_calloc(alloc, n ? n : 1, sizeof(*list));
    if (!list)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory to list layers");
    result = loader->vkEnumerateInstanceLayerProperties(&n, list);
    for (uint32_t i = 0; result == VK_SUCCESS && i < n; i++)
        *found |= strcmp(list[i].layerName, name) == 0;
    pail_free(alloc, list);
    return pail_vk_result(result, "vkEnumerateInstanceLayerProperties", err);
}

static pail_status check_validation(const struct pail_vk_loader *loader,
                                    const struct pail_alloc *alloc, bool sync,
                                    struct pail_error *err)
{
    bool found;
    pail_status status = find_layer(loader, alloc, VALIDATION_LAYER, &found, err);
    if (status == PAIL_OK && !found)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "PAIL_DEBUG asks for validation, but the layer " VALIDATION_LAYER
                         " is not installed");
    if (status != PAIL_OK || !sync)
        return status;
    status = find_extension(loader, alloc, VALIDATION_LAYER,
                            VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME, &found, err);
    if (status == PAIL_OK && !found)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "PAIL_DEBUG asks for sync, but the layer " VALIDATION_LAYER
                         " is too old for " VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME);
    return status;
}

/* Extensions and layers to create the instance with. */
struct instance_options {
    bool validate, sync, portability;
    const char *extensions[3];
    uint32_t n_extensions;
};

static pail_status choose_options(struct instance_options *options,
                                  const struct pail_vk_instance *inst,
                                  const struct pail_vk_loader *loader, struct pail_error *err)
{
    const bool validate = inst->debug & PAIL_DEBUG_VALIDATE;
    const bool sync = inst->debug & PAIL_DEBUG_SYNC;
    *options = (struct instance_options){.validate = validate, .sync = sync};
    pail_status status = PAIL_OK;
    if (validate && (status = check_validation(loader, &inst->alloc, sync, err)) != PAIL_OK)
        return status;
    bool debug_utils;
    status = find_extension(loader, &inst->alloc, NULL, VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
                            &debug_utils, err);
    if (status != PAIL_OK)
        return status;
    if (validate && !debug_utils)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "PAIL_DEBUG asks for validation, but the Vulkan loader "
                         "lacks " VK_EXT_DEBUG_UTILS_EXTENSION_NAME);

    /* Without the extension a loader hides drivers that do not implement all of Vulkan, such as
     * MoltenVK. */
    status =
        find_extension(loader, &inst->alloc, NULL, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME,
                       &options->portability, err);
    if (status != PAIL_OK)
        return status;

    if (options->portability)
        options->extensions[options->n_extensions++] =
            VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME;
    if (debug_utils && (validate || !(inst->debug & PAIL_DEBUG_NOLABELS)))
        options->extensions[options->n_extensions++] = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    if (sync)
        options->extensions[options->n_extensions++] = VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME;
    return PAIL_OK;
}

static pail_status create_handle(struct pail_vk_instance *inst, const struct pail_vk_loader *loader,
                                 struct pail_error *err)
{
    uint32_t version = 0;
    VkResult result = loader->vkEnumerateInstanceVersion(&version);
    if (result != VK_SUCCESS)
        return pail_vk_result(result, "vkEnumerateInstanceVersion", err);
    if (version < VK_API_VERSION_1_2)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "the Vulkan loader offers Vulkan %u.%u and Pail needs 1.2",
                         VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version));
    struct instance_options options;
    pail_status status = choose_options(&options, inst, loader, err);
    if (status != PAIL_OK)
        return status;
    const bool validate = options.validate;
    const char *const layers[] = {VALIDATION_LAYER};

    /* A messenger in the chain also sees what happens while the instance is created and
     * destroyed. */
    VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
        .pfnUserCallback = on_message,
        .pUserData = inst,
    };
    const VkValidationFeatureEnableEXT enables[] = {
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
    const VkValidationFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
        .pNext = &messenger,
        .enabledValidationFeatureCount = 1,
        .pEnabledValidationFeatures = enables,
    };
    const VkApplicationInfo app = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pApplicationName = "pail",
        .pEngineName = "pail",
        .apiVersion = version < VK_API_VERSION_1_3 ? VK_API_VERSION_1_2 : VK_API_VERSION_1_3,
    };
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pNext = options.sync ? (const void *)&features
                 : validate   ? &messenger
                              : NULL,
        .flags = options.portability ? VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR : 0u,
        .pApplicationInfo = &app,
        .enabledLayerCount = validate ? 1 : 0,
        .ppEnabledLayerNames = layers,
        .enabledExtensionCount = options.n_extensions,
        .ppEnabledExtensionNames = options.extensions,
    };
    result = loader->vkCreateInstance(&info, NULL, &inst->handle);
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "no Vulkan driver: the loader found none (install one, or name its .json "
                         "file in VK_DRIVER_FILES)");
    if (result != VK_SUCCESS)
        return pail_vk_result(result, "vkCreateInstance", err);
    status =
        pail_vk_instance_fns_load(&inst->fns, inst->handle, loader->vkGetInstanceProcAddr, err);
    if (status != PAIL_OK || !validate)
        return status;
    return pail_vk_result(
        inst->fns.vkCreateDebugUtilsMessengerEXT(inst->handle, &messenger, NULL, &inst->messenger),
        "vkCreateDebugUtilsMessengerEXT", err);
}

static pail_status list_devices(struct pail_vk_instance *inst, struct pail_error *err)
{
    VkPhysicalDevice *handles = NULL;
    uint32_t n = 0;
    VkResult result;
    do { /* a device may appear between the two calls */
        pail_free(&inst->alloc, handles);
        handles = NULL;
        result = inst->fns.vkEnumeratePhysicalDevices(inst->handle, &n, NULL);
        if (result != VK_SUCCESS || n == 0)
            break;
        handles = pail_calloc(&inst->alloc, n, sizeof(*handles));
        if (!handles)
            return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory to list %u devices", n);
        result = inst->fns.vkEnumeratePhysicalDevices(inst->handle, &n, handles);
    } while (result == VK_INCOMPLETE);

    pail_status status =
        pail_vk_result(result, "no Vulkan driver: vkEnumeratePhysicalDevices", err);
    if (status != PAIL_OK)
        goto out;
    if (n == 0) {
        status = pail_fail(err, PAIL_ERR_UNSUPPORTED,
                           "no Vulkan driver: those installed offer no device");
        goto out;
    }
    inst->devices = pail_calloc(&inst->alloc, n, sizeof(*inst->devices));
    if (!inst->devices) {
        status = pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory to describe %u devices", n);
        goto out;
    }
    inst->n_devices = n;
    for (uint32_t i = 0; i < n && status == PAIL_OK; i++) {
        inst->devices[i].handle = handles[i];
        status =
            pail_vk_caps_read(&inst->devices[i].caps, &inst->fns, handles[i], &inst->alloc, err);
        pail_vk_caps_limit(&inst->devices[i].caps, &inst->limits);
    }
out:
    pail_free(&inst->alloc, handles);
    return status;
}

pail_status pail_vk_instance_create(struct pail_vk_instance **out, const struct pail_vk_env *env,
                                    struct pail_error *err)
{
    *out = NULL;
    uint32_t debug;
    struct pail_vk_limits_override limits;
    pail_status status = pail_debug_parse(&debug, env->debug, err);
    if (status == PAIL_OK)
        status = pail_vk_limits_parse(&limits, env->limits, err);
    if (status != PAIL_OK)
        return status;
    struct pail_vk_loader loader;
    status = pail_vk_loader_open(&loader, err);
    if (status != PAIL_OK)
        return status;
    struct pail_vk_instance *inst = pail_calloc(&env->alloc, 1, sizeof(*inst));
    if (!inst)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a Vulkan instance");
    inst->alloc = env->alloc;
    inst->log = env->log;
    inst->debug = debug;
    inst->limits = limits;
    atomic_init(&inst->errors, 0);
    atomic_init(&inst->warnings, 0);
    status = create_handle(inst, &loader, err);
    if (status == PAIL_OK)
        status = list_devices(inst, err);
    if (status != PAIL_OK)
        pail_vk_instance_destroy(&inst);
    *out = inst;
    return status;
}

void pail_vk_instance_destroy(struct pail_vk_instance **instance)
{
    struct pail_vk_instance *inst = *instance;
    *instance = NULL;
    if (!inst)
        return;
    if (inst->messenger)
        inst->fns.vkDestroyDebugUtilsMessengerEXT(inst->handle, inst->messenger, NULL);
    /* Validation calls back even while an instance is destroyed, so that one cannot be kept. */
    const bool bare = !(inst->debug & PAIL_DEBUG_VALIDATE) && inst->n_devices;
    if (inst->handle && inst->fns.vkDestroyInstance)
        pail_vk_loader_release(inst->handle, inst->fns.vkDestroyInstance, bare);
    pail_free(&inst->alloc, inst->devices);
    const struct pail_alloc alloc = inst->alloc;
    pail_free(&alloc, inst);
}

uint32_t pail_vk_instance_n_devices(const struct pail_vk_instance *instance)
{
    return instance->n_devices;
}

const struct pail_vk_caps *pail_vk_instance_caps(const struct pail_vk_instance *instance,
                                                 uint32_t index)
{
    return &instance->devices[index].caps;
}

struct pail_vk_messages pail_vk_instance_messages(const struct pail_vk_instance *instance)
{
    return (struct pail_vk_messages){
        .errors = atomic_load(&instance->errors),
        .warnings = atomic_load(&instance->warnings),
    };
}
