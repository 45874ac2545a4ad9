/* A context: one device and what is shared by everything made on it. */
#ifndef PAIL_PLUGIN_CONTEXT_H
#define PAIL_PLUGIN_CONTEXT_H

#include <pthread.h>

#include "alloc.h"
#include "error.h"
#include "log.h"
#include "vk/device.h"
#include "vk/memory.h"

/* Numbers of curves and groups that have measured choices. */
#define PAIL_TUNED_CURVES 2u
#define PAIL_TUNED_GROUPS 2u

struct pail_context {
    struct pail_alloc alloc;
    struct pail_log log;
    struct pail_vk_instance *instance; /* NULL when the device is imported */
    struct pail_vk_device *dev;
    uint32_t device_index;
    uint64_t memory_budget;
    uint32_t threads;                /* of CPU work; at least 1 */
    struct pail_ad_choices *choices; /* NULL, as the next, where everything is sized on the host */
    struct pail_ad_gpu *adstack_gpu;
    struct pail_adstack *adstack;

    struct pail_field_state *field; /* field/field.h */

    struct pail_vk_buffer overflow; /* overflow.h; made under the lock, then as it is */

    pthread_mutex_t lock; /* guards what follows, and the lazily made copies of bases */
    /* [accumulator, form, placement]: a bit for each group; msm/selftest.c */
    uint8_t self_tested[96];
    struct pail_workspace *idle;
    struct pail_memory *memories; /* memory.h; those in the host's memory */
    pail_tuning tunings[PAIL_TUNED_CURVES][PAIL_TUNED_GROUPS]; /* struct_size 0: none */
};

/* Device memory that one started MSM works in; reused, so that steady state allocates nothing. */
struct pail_workspace {
    struct pail_workspace *next;
    struct pail_vk_arena device, readback;
};

/* Takes an idle workspace or makes one. Errors: PAIL_ERR_HOST_MEMORY. */
pail_status pail_workspace_take(struct pail_context *ctx, struct pail_workspace **out,
                                struct pail_error *err);

/* Gives it back; no submitted work may still use it. */
void pail_workspace_give(struct pail_context *ctx, struct pail_workspace *ws);

/* Frees it instead; no submitted work may still use it. ws may be NULL. */
void pail_workspace_drop(struct pail_context *ctx, struct pail_workspace *ws);

/* Device bytes that idle workspaces hold. */
uint64_t pail_workspace_idle_bytes(struct pail_context *ctx);

/* Frees the idle workspaces, and what vectors keep: their memory is wanted for something else. */
void pail_workspace_trim(struct pail_context *ctx);

pail_status pail_context_open(const struct pail_vk_env *env, struct pail_context **out,
                              const pail_context_params *params, struct pail_error *err);
void pail_context_close(struct pail_context *ctx);

/* Fills everything but struct_size and index from the caps. */
void pail_describe_device(pail_device_info *info, const struct pail_vk_caps *caps);

/* How well a device would serve; 0 when it cannot be used. */
uint32_t pail_device_score(const struct pail_vk_caps *caps);

/* The usable device with the highest score. Errors: PAIL_ERR_UNSUPPORTED, with the reasons. */
pail_status pail_best_device(const struct pail_vk_instance *instance, uint32_t *index,
                             struct pail_error *err);

#endif /* PAIL_PLUGIN_CONTEXT_H */
