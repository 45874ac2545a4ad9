/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of this folder that know Vulkan. */
#ifndef PAIL_ADSTACK_GPU_PRIV_H
#define PAIL_ADSTACK_GPU_PRIV_H

#include <pthread.h>

#include "encode.h"
#include "gpu.h"
#include "vk/cmd.h"

struct pail_ad_pipelines {
    const struct pail_vk_pipeline *slots, *prepare, *reduce, *collect;
    const struct pail_vk_pipeline *layout; /* writes the metadata of a record */
};

/* Memory of one evaluation; reused, so that a steady state allocates nothing. */
struct pail_ad_space {
    struct pail_ad_space *next;
    struct pail_ad_encoded encoded;
    struct pail_vk_arena device, upload, readback;
    uint64_t *sizes;
    uint32_t cap_sizes;
    struct pail_vk_slice *on_device, *mapped; /* [1 + n_copied]: the words, then sources */
    uint32_t cap_on_device, cap_mapped;
};

struct pail_ad_gpu {
    struct pail_ad_device device;
    struct pail_vk_device *dev;
    struct pail_ad_bodies bodies;
    struct pail_ad_shape shape;
    uint32_t integers;
    pthread_mutex_t lock; /* guards idle */
    struct pail_ad_space *idle;
};

pail_status pail_ad_space_take(struct pail_ad_gpu *gpu, struct pail_ad_space **out,
                               struct pail_error *err);
/* No submitted work may still use it. */
void pail_ad_space_give(struct pail_ad_gpu *gpu, struct pail_ad_space *space);
void pail_ad_space_free(struct pail_ad_gpu *gpu, struct pail_ad_space *space);

/* Takes memory for what is encoded and writes it where it is copied from, addresses of copied
 * sources put in. Fails where the caller's limits say so meanwhile. */
pail_status pail_ad_space_fill(struct pail_ad_gpu *gpu, struct pail_ad_space *space,
                               const struct pail_ad_work *work, struct pail_error *err);

/* Asks if the caller still wants the result; if not, fails with PAIL_ERR_STOPPED. */
pail_status pail_ad_look(const struct pail_ad_work *work, struct pail_error *err);

/* Encodes with the gpu's shape and kernels. */
pail_status pail_ad_space_encode(struct pail_ad_gpu *gpu, struct pail_ad_space *space,
                                 const struct pail_ad_work *work,
                                 const struct pail_ad_record *record, struct pail_error *err);

/* layout: whether that one is needed too. */
pail_status pail_ad_pipelines_find(const struct pail_ad_gpu *gpu, struct pail_ad_pipelines *p,
                                   bool layout, struct pail_error *err);

/* The way from mapped words to values: first copies, then all stages, or those from `first` on.
 * Work before and after them must be ordered by barriers of the caller: PAIL_VK_TRANSFER reads and
 * writes first, the values are written by PAIL_VK_COMPUTE.
 *
 * recorded: it is a command buffer of the caller, and all of a stage is done before the next one.
 * Otherwise one portion of each reduction is, and stages behind one that is not complete do
 * nothing; there is a phase for each batch, pail_ad_batch_phase(number). */
void pail_ad_record_copies(struct pail_vk_cmd *cmd, const struct pail_ad_gpu *gpu,
                           const struct pail_ad_space *space, bool recorded);
/* The same in parts, which have the words and bytes of sources, counted through, from...to. */
void pail_ad_record_words(struct pail_vk_cmd *cmd, const struct pail_ad_gpu *gpu,
                          const struct pail_ad_space *space);
void pail_ad_record_sources(struct pail_vk_cmd *cmd, const struct pail_ad_space *space,
                            uint64_t from, uint64_t to);
void pail_ad_record_stages(struct pail_vk_cmd *cmd, const struct pail_ad_gpu *gpu,
                           const struct pail_ad_space *space, const struct pail_ad_pipelines *p,
                           uint32_t first, bool recorded);

/* Phases: of batches, those beyond as one; and everything else between two copies. */
#define PAIL_AD_PHASES     16u
#define PAIL_AD_PHASE_REST "adstack"
const char *pail_ad_batch_phase(uint32_t batch);

/* Pace of one evaluation. A device that nothing watches over has it, too, where a caller may want
 * an end: it has limits, or an error may decide and which one is not known yet. */
struct pail_ad_pace {
    bool unwatched;                 /* nothing limits the device's work */
    bool limited;                   /* the caller has a limit of time, or may cancel */
    double aim_ns;                  /* of the next submission */
    double seen_ns[PAIL_AD_PHASES]; /* unwatched: of a unit of each batch, as its last portion took;
                                     * 0: it had none */
};

void pail_ad_pace_begin(struct pail_ad_pace *pace, const struct pail_ad_gpu *gpu,
                        const struct pail_ad_work *work);

/* Sets the aim of the next submission, by the time that the caller has left. first: nothing was
 * seen yet. */
void pail_ad_pace_aim(struct pail_ad_pace *pace, const struct pail_ad_work *work, bool first);

/* Writes what the pace says of each batch and of a submission into the words that are to be copied,
 * and makes levels ready. */
void pail_ad_pace_put(struct pail_ad_gpu *gpu, struct pail_ad_space *space,
                      const struct pail_ad_pipelines *p, const struct pail_ad_work *work,
                      const struct pail_ad_pace *pace);

/* Workgroups that fill the device. */
uint32_t pail_ad_fill(const struct pail_ad_gpu *gpu);

/* Prepares the first levels in the place of adstack/prepare, as many as certainly are one portion
 * together and no longer than `most` nanoseconds: encoded.n_ready. Returns their nanoseconds by the
 * pace. */
double pail_ad_make_ready(const struct pail_ad_gpu *gpu, struct pail_ad_space *space,
                          const struct pail_ad_work *work, double most);

/* True if a body has loops: their work is a guess, or an upper bound. */
bool pail_ad_has_loops(const struct pail_ad_program *program, const struct pail_ad_spec *spec);

/* Same, for the work from stage `first` on, in a command buffer. */
void pail_ad_pace_update(struct pail_vk_cmd *cmd, struct pail_ad_gpu *gpu,
                         struct pail_ad_space *space, const struct pail_ad_pipelines *p,
                         uint32_t first, const struct pail_ad_pace *pace);

/* Nanoseconds that a batch was expected to take in a submission. reports: of all specs, as it left
 * them. */
double pail_ad_pace_expected(const struct pail_ad_encoded *e, uint32_t batch,
                             const uint32_t *reports);

/* Takes the time of a batch's portion for its next ones, on a device that nothing watches over. */
void pail_ad_pace_see(struct pail_ad_pace *pace, const struct pail_ad_encoded *e, uint32_t batch,
                      const uint32_t *reports, double ms);

/* Has the pace learn from a batch. reports: as above. */
void pail_ad_pace_learn(const struct pail_ad_gpu *gpu, const struct pail_ad_work *work,
                        const struct pail_ad_encoded *e, const struct pail_ad_pipelines *p,
                        uint32_t batch, const uint32_t *reports, double ms);

/* Portions of a recorded stage: as many as its reductions may need, 1 to 32. */
uint32_t pail_ad_pace_portions(const struct pail_ad_space *space,
                               const struct pail_ad_record *record, uint32_t stage);

/* Finds the least errors of specs whose inputs are known, and writes them into the words. */
pail_status pail_ad_certain_put(const struct pail_ad_gpu *gpu, struct pail_ad_encoded *e,
                                const struct pail_ad_work *work, struct pail_error *err);

/* Same, of the specs of the level that is not complete. words: the values that came back. */
pail_status pail_ad_certain_look(const struct pail_ad_gpu *gpu, struct pail_ad_encoded *e,
                                 const struct pail_ad_work *work, uint32_t stage,
                                 const uint32_t *words, struct pail_error *err);

/* Records the writes of those that the device has not got. */
void pail_ad_certain_update(struct pail_vk_cmd *cmd, struct pail_ad_space *space);

/* Records the steps after the stages of a record: metadata, and the tasks' statuses. */
void pail_ad_record_tasks(struct pail_vk_cmd *cmd, const struct pail_ad_gpu *gpu,
                          const struct pail_ad_space *space, const struct pail_ad_pipelines *p);

pail_status pail_ad_gpu_record(void *user, struct pail_ad_recorded **recorded,
                               struct pail_ad_record *record, struct pail_error *err);
void pail_ad_gpu_unrecord(void *user, struct pail_ad_recorded *recorded);
pail_status pail_ad_gpu_run(void *user, struct pail_ad_work *work, struct pail_error *err);
pail_status pail_ad_gpu_fetch(void *user, void *to, uint64_t address, uint64_t bytes,
                              uint64_t wait_semaphore, uint64_t wait_value,
                              struct pail_ad_watch *watch, struct pail_error *err);
pail_status pail_ad_gpu_meet(void *user, uint64_t wait_semaphore, uint64_t wait_value,
                             struct pail_error *err);

#endif /* PAIL_ADSTACK_GPU_PRIV_H */
