#include "cache.h"

#include <string.h>

#include "device_priv.h"

struct pail_cache_device pail_vk_cache_device(const struct pail_vk_caps *caps)
{
    struct pail_cache_device device = {
        .vendor = caps->vendor_id,
        .device = caps->device_id,
        .driver = caps->driver_version,
    };
    memcpy(device.uuid, caps->pipeline_cache_uuid, sizeof(device.uuid));
    return device;
}

static void say(void *user, bool trouble, const char *line)
{
    const struct pail_vk_device *dev = user;
    if (trouble || dev->debug & PAIL_DEBUG_TRACE)
        pail_log(&dev->log, trouble ? PAIL_LOG_WARNING : PAIL_LOG_DEBUG, "%s", line);
}

pail_status pail_vk_cache_open(struct pail_vk_device *dev,
                               const struct pail_vk_cache_params *params, struct pail_error *err)
{
    if (dev->debug & PAIL_DEBUG_NOCACHE)
        return PAIL_OK;
    struct pail_cache_params p = {
        .device = pail_vk_cache_device(&dev->caps),
        .alloc = {dev->alloc.user, dev->alloc.alloc, dev->alloc.free},
        .log = say,
        .log_user = dev,
    };
    if (params) {
        p.dir = params->dir;
        p.get = params->get;
        p.put = params->put;
        p.store_user = params->user;
    }
    dev->cache = pail_cache_open(&p);
    if (!dev->cache)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a cache of pipelines");
    return PAIL_OK;
}

void pail_vk_cache_close(struct pail_vk_device *dev)
{
    pail_cache_close(dev->cache);
    dev->cache = NULL;
}

struct pail_cache *pail_vk_device_cache(struct pail_vk_device *dev)
{
    return dev->cache;
}
