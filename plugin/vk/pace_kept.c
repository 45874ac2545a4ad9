/* SPDX-License-Identifier: Apache-2.0 */
#include "pace_kept.h"

#include <modules.h>

#include "device_cache.h"
#include "device_priv.h"

/* Rates are of modules, so the entry is of none. */
static struct pail_cache_key key_of(const struct pail_vk_device *dev)
{
    return (struct pail_cache_key){.kind = PAIL_CACHE_TUNING,
                                   .name = PAIL_PACE_RECORD_NAME,
                                   .device = pail_vk_cache_device(&dev->caps)};
}

void pail_vk_pace_load(struct pail_vk_device *dev)
{
    if (!dev->pace.learns || dev->pace.forced || !dev->cache)
        return;
    const struct pail_cache_key key = key_of(dev);
    size_t bytes = 0;
    uint8_t *record = pail_cache_get(dev->cache, &key, &bytes);
    if (record && !pail_vk_pace_decode(&dev->pace, record, bytes))
        pail_log(&dev->log, PAIL_LOG_WARNING,
                 "pipeline cache: the pace of this device makes no sense; it is measured anew");
    if (record)
        pail_cache_release(dev->cache, record);
}

void pail_vk_pace_store(struct pail_vk_device *dev)
{
    if (!dev->cache || !pail_vk_pace_changed(&dev->pace))
        return;
    const struct pail_cache_key key = key_of(dev);
    uint8_t record[PAIL_VK_PACE_BYTES_MAX];
    pail_cache_put(dev->cache, &key, record, pail_vk_pace_encode(&dev->pace, record));
}

double pail_vk_pace_units(struct pail_vk_device *dev, enum pail_kernel_id kernel,
                          struct pail_variant variant, enum pail_vk_work_kind kind)
{
    const uint32_t i =
        pail_variant_index(kernel, pail_kernel_narrow(&pail_kernels[kernel], variant));
    const uint64_t hash = i < pail_n_modules ? pail_modules[i].hash : 0;
    const double ns = pail_vk_pace_ns(&dev->pace, hash, kind);
    return ns > 0 ? PAIL_VK_DISPATCH_AIM_MS * 1e6 / ns : 0;
}

double pail_vk_pace_of(struct pail_vk_device *dev, const struct pail_vk_pipeline *pipeline,
                       enum pail_vk_work_kind kind)
{
    return pail_vk_pace_ns(&dev->pace, pail_vk_pipeline_hash(pipeline), kind);
}

void pail_vk_pace_saw(struct pail_vk_device *dev, const struct pail_vk_pipeline *pipeline,
                      enum pail_vk_work_kind kind, double units, double ms)
{
    const struct pail_vk_timed timed = {.hash = pail_vk_pipeline_hash(pipeline),
                                        .kind = kind,
                                        .units = units,
                                        .largest = units,
                                        .ms = ms,
                                        .late_ns =
                                            pail_vk_pace_is_late(ms, 0) ? ms * 1e6 / units : 0};
    pail_vk_pace_learn(&dev->pace, &timed);
}

uint32_t pail_vk_pace_fill(const struct pail_vk_device *dev)
{
    return (uint32_t)dev->pace.least_groups;
}

bool pail_vk_pace_limits(const struct pail_vk_device *dev)
{
    return dev->pace.limits;
}
