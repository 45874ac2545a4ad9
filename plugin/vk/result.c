#include "instance_priv.h"

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
