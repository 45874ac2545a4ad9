/* SPDX-License-Identifier: Apache-2.0 */
/* A context: one device and what is shared by everything made on it. */
#ifndef PAIL_PLUGIN_CONTEXT_H
#define PAIL_PLUGIN_CONTEXT_H

#include <core/alloc.h>
#include <core/error.h>
#include <core/log.h>

#include "memories.h"
#include "overflow.h"
#include "vk/device.h"

struct pail_context {
    struct pail_alloc alloc;
    struct pail_log log;
    struct pail_vk_instance *instance; /* NULL when the device is imported */
    struct pail_vk_device *dev;
    uint32_t device_index;
    uint32_t threads;                /* threads for CPU work; at least 1 */
    struct pail_ad_choices *choices; /* NULL, as the next, where everything is sized on the host */
    struct pail_ad_gpu *adstack_gpu;
    struct pail_adstack *adstack;

    struct pail_memories memories; /* memory at addresses that the host was given */
    struct pail_vectors *field;    /* vectors */
    struct pail_msm *msm;          /* multiplications */
    struct pail_overflows overflows;
};

pail_status pail_context_open(const struct pail_vk_env *env, struct pail_context **out,
                              const pail_context_params *params, struct pail_error *err);
void pail_context_close(struct pail_context *ctx);

/* Fills everything but struct_size and index from the caps. */
void pail_describe_device(pail_device_info *info, const struct pail_vk_caps *caps);

/* Score of a device; 0 when it cannot be used. */
uint32_t pail_device_score(const struct pail_vk_caps *caps);

/* The usable device with the highest score. Errors: PAIL_ERR_UNSUPPORTED, with the reasons. */
pail_status pail_best_device(const struct pail_vk_instance *instance, uint32_t *index,
                             struct pail_error *err);

#endif /* PAIL_PLUGIN_CONTEXT_H */
