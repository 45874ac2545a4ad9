/* SPDX-License-Identifier: Apache-2.0 */
/* Recording and submitting work.
 *
 * A recorder comes from a pool of the device, is used by one thread, and goes back to the pool,
 * which hands it out again once its work is complete. The recording functions return nothing: the
 * first thing that goes wrong is kept in the recorder and comes out of pail_vk_cmd_submit, so that
 * recording code reads as a list of steps.
 *
 *     struct pail_vk_cmd *cmd;
 *     TRY(pail_vk_cmd_begin(dev, PAIL_VK_QUEUE_MAIN, "msm", &cmd, err));
 *     pail_vk_cmd_stamp(cmd, "sort");
 *     pail_vk_cmd_dispatch(cmd, count, (struct pail_vk_slice[]){entries, counts}, 2, &push,
 *                          sizeof(push), groups, 1, 1);
 *     pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_TRANSFER);
 *     pail_vk_cmd_copy(cmd, &result, 0, &readback, 0, bytes);
 *     pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_HOST);
 *     pail_vk_cmd_stamp(cmd, NULL);
 *     status = pail_vk_cmd_submit(cmd, &ticket, err);
 *     ... pail_vk_wait, pail_vk_invalidate, pail_vk_cmd_phases ...
 *     pail_vk_cmd_release(&cmd);
 */
#ifndef PAIL_VK_CMD_H
#define PAIL_VK_CMD_H

#include "memory.h"
#include "pipeline.h"
#include "queue.h"
#include "steps.h"

struct pail_vk_cmd;

/* Kinds of memory accesses; or-ed. */
enum pail_vk_stage {
    PAIL_VK_COMPUTE = 1 << 0,
    PAIL_VK_TRANSFER = 1 << 1,
    PAIL_VK_HOST = 1 << 2,
    PAIL_VK_INDIRECT = 1 << 3, /* arguments of pail_vk_cmd_dispatch_indirect; only read */
    PAIL_VK_ANYTHING = 1 << 4, /* all that commands of any kind do; for what is not ours */
};

struct pail_vk_phase {
    const char *name; /* as given to pail_vk_cmd_stamp */
    double ms;        /* device time, summed over the phase's spans */
    uint32_t n_spans;
};

/* A recording as it was submitted. */
struct pail_vk_submissions {
    uint32_t n;
    double longest_ms; /* device time; 0 where there are no timestamps */
    double expected_ms,
        expected_dispatch_ms; /* the longest, by the pace; 0 where it has no limits */
};

/* label: static storage; names the recording for debuggers, captures and the log.
 * Out: cmd, NULL on failure. Errors: memory, PAIL_ERR_DEVICE_LOST. */
pail_status pail_vk_cmd_begin(struct pail_vk_device *dev, enum pail_vk_queue_kind queue,
                              const char *label, struct pail_vk_cmd **cmd, struct pail_error *err);

/* Same, over a command buffer of the host (VkCommandBuffer) in the recording state: everything but
 * timestamps, waits and kernels with bindings can be recorded. It ends with pail_vk_cmd_leave,
 * which is called in any case. */
pail_status pail_vk_cmd_enter(struct pail_vk_device *dev, void *command_buffer, const char *label,
                              struct pail_vk_cmd **cmd, struct pail_error *err);

/* Frees the recorder and leaves NULL behind; the command buffer is still in the recording state.
 * Returns the first thing that went wrong. Accepts a pointer to NULL. */
pail_status pail_vk_cmd_leave(struct pail_vk_cmd **cmd, struct pail_error *err);

/* A dispatch of no workgroups, for drivers that compile when a pipeline is first used and not when
 * it is made. slice: any; nothing reads or writes it. */
void pail_vk_cmd_prime(struct pail_vk_cmd *cmd, const struct pail_vk_pipeline *pipeline,
                       const struct pail_vk_slice *slice);

/* Tells the work of the next dispatch. A dispatch that takes longer than a watchdog may allow
 * (pace.h) is recorded in portions, and the recording becomes several submissions: they are made
 * together, by pail_vk_cmd_submit, and have one ticket. Without an estimate a dispatch counts as no
 * work. */
void pail_vk_cmd_expect(struct pail_vk_cmd *cmd, const struct pail_vk_work *work);

/* Says that so many recordings, this one among them, are to share the device: each dispatch is
 * expected to take as many times as long. */
void pail_vk_cmd_share(struct pail_vk_cmd *cmd, uint32_t recordings);

/* Begins a submission of its own, of all that is recorded from here on; false, when something has
 * failed. Not in a command buffer of the host. */
bool pail_vk_cmd_cut(struct pail_vk_cmd *cmd);

/* Binds bindings[i] to binding i and runs gx * gy * gz workgroups. n and push_bytes must be those
 * of the kernel's row. A dispatch of no workgroups is legal and records nothing. Wrong: a group
 * count above caps.max_workgroup_count, a misaligned offset, a binding that is larger than
 * caps.max_storage_range, empty or outside its buffer: PAIL_ERR_INTERNAL, by name and value. */
void pail_vk_cmd_dispatch(struct pail_vk_cmd *cmd, const struct pail_vk_pipeline *pipeline,
                          const struct pail_vk_slice bindings[], uint32_t n, const void *push,
                          uint32_t push_bytes, uint32_t gx, uint32_t gy, uint32_t gz);

/* Same, but never in portions, with as many workgroups as the three words at `offset` of
 * `arguments` say when the dispatch is reached: a multiple of 4. The writer of the words keeps to
 * caps.max_workgroup_count. */
void pail_vk_cmd_dispatch_indirect(struct pail_vk_cmd *cmd, const struct pail_vk_pipeline *pipeline,
                                   const struct pail_vk_slice bindings[], uint32_t n,
                                   const void *push, uint32_t push_bytes,
                                   const struct pail_vk_slice *arguments, uint64_t offset);

/* Makes earlier writes of `from` visible to `to`, and later writes wait for earlier reads: for all
 * buffers. enum pail_vk_stage, or-ed. */
void pail_vk_cmd_barrier(struct pail_vk_cmd *cmd, uint32_t from, uint32_t to);

/* Fills offset...offset + bytes with a word. Both are multiples of 4. */
void pail_vk_cmd_fill(struct pail_vk_cmd *cmd, const struct pail_vk_slice *dst, uint64_t offset,
                      uint64_t bytes, uint32_t word);

/* The two ranges must not overlap. */
void pail_vk_cmd_copy(struct pail_vk_cmd *cmd, const struct pail_vk_slice *src, uint64_t src_offset,
                      const struct pail_vk_slice *dst, uint64_t dst_offset, uint64_t bytes);

/* Starts a region named for debuggers (RenderDoc, Nsight); regions nest. */
void pail_vk_cmd_label_begin(struct pail_vk_cmd *cmd, const char *name);
void pail_vk_cmd_label_end(struct pail_vk_cmd *cmd);

/* Ends the phase that is running, if any, and starts the phase `name` (static storage); NULL only
 * ends. A phase may have several spans. Nothing is recorded on a queue without timestamps. */
void pail_vk_cmd_stamp(struct pail_vk_cmd *cmd, const char *name);

/* The work starts only when `ticket`, of any queue, is complete. On one queue this is so anyway. */
void pail_vk_cmd_wait(struct pail_vk_cmd *cmd, pail_vk_ticket ticket);

/* Same, for a timeline VkSemaphore of the host, as it holds the handle: until it reaches `value`.
 * At most PAIL_VK_WAITS_MAX different ones; none where caps.timeline_semaphore is false. */
void pail_vk_cmd_wait_semaphore(struct pail_vk_cmd *cmd, uint64_t semaphore, uint64_t value);

/* Submits the recording, once: all of its submissions, in their order.
 * Out: ticket, 0 on failure. Errors: the first one of the recording; memory; PAIL_ERR_DEVICE_LOST.
 */
pail_status pail_vk_cmd_submit(struct pail_vk_cmd *cmd, pail_vk_ticket *ticket,
                               struct pail_error *err);

/* The recorder's ticket; 0 before it is submitted. */
pail_vk_ticket pail_vk_cmd_ticket(const struct pail_vk_cmd *cmd);

/* Device time of each phase, in the order the phases first began. The work must be complete.
 * Out: phases[capacity], *n  how many there are, at most capacity; 0 where there are no timestamps.
 * Errors: PAIL_ERR_ARGUMENT when the work is not complete, PAIL_ERR_DEVICE_LOST. */
pail_status pail_vk_cmd_phases(struct pail_vk_cmd *cmd, struct pail_vk_phase phases[],
                               uint32_t capacity, uint32_t *n, struct pail_error *err);

/* Gives the numbers of the submissions. The work must be complete. Errors: as
 * pail_vk_cmd_phases. */
pail_status pail_vk_cmd_submissions(struct pail_vk_cmd *cmd, struct pail_vk_submissions *out,
                                    struct pail_error *err);

/* Has the pace learn nothing from the recording: its times are latencies, those of a kernel's first
 * use among them. */
void pail_vk_cmd_unlearned(struct pail_vk_cmd *cmd);

/* Notes for pail_vk_cmd_release the part of its "at most" that was done, where that is known. */
void pail_vk_cmd_done(struct pail_vk_cmd *cmd, double part);

/* Gives the recorder back, submitted or not, complete or not. The pace learns from work that is
 * complete. Accepts a pointer to NULL, and leaves NULL behind. */
void pail_vk_cmd_release(struct pail_vk_cmd **cmd);

#endif /* PAIL_VK_CMD_H */
