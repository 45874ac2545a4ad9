/* SPDX-License-Identifier: Apache-2.0 */
/* A recorder, as cmd.c (pool, recording, submission), dispatch.c (kernels, in portions) and
 * stamps.c (timestamps) know it. */
#ifndef PAIL_VK_CMD_PRIV_H
#define PAIL_VK_CMD_PRIV_H

#include "cmd.h"
#include "device_priv.h"

/* Timestamps and descriptor sets come in pools of this many; a recorder adds pools as needed. */
#define PAIL_VK_QUERIES_PER_POOL 64u
#define PAIL_VK_SETS_PER_POOL    64u

/* Regions for debuggers that may be open where one submission ends and the next begins. */
#define PAIL_VK_LABELS_MAX 8u

enum pail_vk_span_kind {
    PAIL_VK_SPAN_PHASE,
    PAIL_VK_SPAN_KERNEL,     /* one portion of a dispatch */
    PAIL_VK_SPAN_SUBMISSION, /* from its first timestamp to its last */
};

/* One stretch of device time, between two timestamps. */
struct pail_vk_span {
    const char *name;
    uint32_t begin, end; /* numbers of timestamps; end is UINT32_MAX while it runs, and both are
                            where the queue has none */
    enum pail_vk_span_kind kind;
    /* Work of a kernel whose time teaches the pace; otherwise units is 0. */
    struct pail_vk_work work;
    uint64_t hash;
    double ms; /* expected time */
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
    struct pail_vk_cmd *next; /* next in the pool's list */
    const char *label;
    enum pail_vk_cmd_state state;
    bool foreign;                        /* the command buffer is the host's */
    pail_vk_ticket ticket, first_ticket; /* tickets of its last submission, and of its first */
    struct pail_vk_waits waits;
    uint32_t n_open_labels; /* labels beyond the room of `labels` have no name here */
    const char *labels[PAIL_VK_LABELS_MAX];

    pail_status status; /* status of the recording so far */
    struct pail_error error;

    VkCommandPool pool;
    VkCommandBuffer buffer;   /* the one that is recorded into */
    VkCommandBuffer *buffers; /* one for each submission; NULL where it is the host's */
    uint32_t n_buffers, have_buffers, cap_buffers; /* buffers of this recording; made; room */

    struct pail_vk_work work; /* work of the next dispatch; units 0: not said */
    uint32_t sharing;         /* recordings that share the device with this one, and itself */
    double expected_ms;       /* expected time of the work in `buffer` */
    double all_ms, longest_submission_ms, longest_dispatch_ms; /* expected */
    double done;  /* the part of work said as "at most" that there was; below 0: unknown */
    bool learned; /* the pace has learned from it, or is not to */

    VkDescriptorPool *set_pools;
    uint32_t n_set_pools, cap_set_pools;
    uint32_t n_sets; /* taken */
    uint32_t n_dispatches;

    VkQueryPool *query_pools;
    uint32_t n_query_pools, cap_query_pools;
    uint32_t n_queries; /* written */
    uint64_t *ticks;    /* [n_queries], once they are read */
    uint32_t cap_ticks;
    bool ticks_read;
    struct pail_vk_span *spans;
    uint32_t n_spans, cap_spans;
    uint32_t running;    /* the phase that runs; UINT32_MAX: none */
    uint32_t submission; /* span of the submission; UINT32_MAX: not begun */
    uint32_t kernel;     /* the span of the portion that is recorded; UINT32_MAX: none */
    bool times_logged;
};

/* Notes a failed step; the first one is kept. Returns status == PAIL_OK. */
bool pail_vk_cmd_note(struct pail_vk_cmd *cmd, pail_status status, const struct pail_error *err);

/* True if a step may be recorded; after the first failure none is. */
bool pail_vk_cmd_recording(struct pail_vk_cmd *cmd);

static inline bool pail_vk_slice_has(const struct pail_vk_slice *slice, uint64_t offset,
                                     uint64_t bytes)
{
    return offset <= slice->size && bytes <= slice->size - offset;
}

/* Forgets all timestamps and, while recording, resets the pools for new ones. */
void pail_vk_stamps_begin(struct pail_vk_cmd *cmd);
void pail_vk_stamps_end(struct pail_vk_cmd *cmd);
void pail_vk_stamps_fini(struct pail_vk_cmd *cmd);

/* Around one portion of a dispatch: its own span, with PAIL_DEBUG=time and where the pace learns of
 * it. ms: as it is expected to take. */
void pail_vk_stamps_kernel_begin(struct pail_vk_cmd *cmd, const struct pail_vk_pipeline *pipeline,
                                 const struct pail_vk_work *work, double ms);
void pail_vk_stamps_kernel_end(struct pail_vk_cmd *cmd);

/* Ends the span of a submission at the end of its command buffer, and begins one in the next. */
void pail_vk_stamps_cut(struct pail_vk_cmd *cmd);
void pail_vk_stamps_resume(struct pail_vk_cmd *cmd);

/* Has the pace learn from the recording, once. The work must be complete. */
void pail_vk_stamps_learn(struct pail_vk_cmd *cmd);

/* Logs the time of each kernel once, with PAIL_DEBUG=time. The work must be complete. */
void pail_vk_stamps_log(struct pail_vk_cmd *cmd);

#endif /* PAIL_VK_CMD_PRIV_H */
