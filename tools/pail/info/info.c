#include "info.h"

const char *pail_info_devices(const pail_registry *registry, const pail_backend *backend,
                              void (*visit)(void *user, const pail_device_info *info), void *user)
{
    const pail_host *const host = pail_registry_host(registry);
    uint32_t count = 0;
    if (backend->device_count(host, &count) != PAIL_OK)
        return backend->error(NULL);
    for (uint32_t i = 0; i < count; i++) {
        pail_device_info info = {.struct_size = sizeof(info)};
        if (backend->device_info(host, i, &info) != PAIL_OK)
            return backend->error(NULL);
        visit(user, &info);
    }
    return NULL;
}

void pail_info_vulkan_version(char *text, size_t cap, uint32_t version)
{
    /* 7 bits of major, 10 of minor, 12 of patch: VK_MAKE_API_VERSION of the Vulkan headers. */
    (void)snprintf(text, cap, "%u.%u.%u", version >> 22 & 0x7f, version >> 12 & 0x3ff,
                   version & 0xfff);
}
