/* A recorder, as cmd.c (pool, recording, submission) and stamps.c (timestamps) know it. */
#ifndef PAIL_VK_CMD_PRIV_H
#define PAIL_VK_CMD_PRIV_H

#include "vk/cmd.h"
#include "vk/device_priv.h"

/* Timestamps and descriptor sets come in pools of this many; a recorder adds pools as needed. */
#define PAIL_VK_QUERIES_PER_POOL 64u
#define PAIL_VK_SETS_PER_POOL    64u

/* One stretch of device time, between two timestamps. */
struct pail_vk_span {
    const char *name;
    uint32_t begin, end; /* numbers of timestamps; end is UINT32_MAX while it runs */
    bool kernel;         /* one dispatch, for PAIL_DEBUG=time; otherwise a phase */
};

enum pail_vk_cmd_state {
    PAIL_VK_CMD_IDLE,      /* in the pool; its ticket may still be running */
    PAIL_VK_CMD_RECORDING, /* begun */
    PAIL_VK_CMD_SUBMITTED,
    PAIL_VK_CMD_FAILED, /* was not submitted */
};

struct pail_vk_cmd {
    struct pail_vk_device *dev;
    struct pail_vk_queue *queue;
    struct pail_vk_cmd *next; /* of the pool's list */
    const char *label;
    enum pail_vk_cmd_state state;
    bool foreign; /* the command buffer is the host's */
    pail_vk_ticket ticket;
    struct pail_vk_waits waits;
    uint32_t n_open_labels;

    pail_status status; /* of the recording so far */
    struct pail_error error;

    VkCommandPool pool;
    VkCommandBuffer buffer;

    VkDescriptorPool *set_pools;
    uint32_t n_set_pools, cap_set_pools;
    uint32_t n_sets; /* taken */
    uint32_t n_dispatches;

    VkQueryPool *query_pools;
    uint32_t n_query_pools, cap_query_pools;
    uint32_t n_queries; /* written */
    struct pail_vk_span *spans;
    uint32_t n_spans, cap_spans;
    uint32_t running; /* the phase that runs; UINT32_MAX: none */
    bool times_logged;
};

/* Notes a failed step; the first one is kept. Returns status == PAIL_OK. */
bool pail_vk_cmd_note(struct pail_vk_cmd *cmd, pail_status status, const struct pail_error *error);

/* Forgets all timestamps and, while recording, resets the pools for new ones. */
void pail_vk_stamps_begin(struct pail_vk_cmd *cmd);
void pail_vk_stamps_end(struct pail_vk_cmd *cmd);
void pail_vk_stamps_fini(struct pail_vk_cmd *cmd);

/* Around one dispatch: its own span, with PAIL_DEBUG=time. */
void pail_vk_stamps_kernel_begin(struct pail_vk_cmd *cmd, const char *kernel);
void pail_vk_stamps_kernel_end(struct pail_vk_cmd *cmd);

/* Logs the time of each kernel once, with PAIL_DEBUG=time. The work must be complete. */
void pail_vk_stamps_log(struct pail_vk_cmd *cmd);

#endif /* PAIL_VK_CMD_PRIV_H */
