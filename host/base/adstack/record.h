/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings as diagnosis knows them: each lives as long as its result, however often it runs. The
 * sizes that a run gave its stacks are in the memory that the run wrote. */
#ifndef PAIL_ADSTACK_RECORD_H
#define PAIL_ADSTACK_RECORD_H

#include "service.h"

struct pail_ad_recording {
    /* Links of the kernel's list, the last recording first; guarded by its lock: neighbours write
     * them too. */
    struct pail_ad_recording *next, **link;
    struct pail_adstack_result *result; /* owns the recording; its key has the arrays */
    uint64_t serial;
    uint64_t order; /* from 1; 0: not in the list */
    uint64_t metadata_address;
    uint64_t heap[2]; /* bytes, by pail_heap, that it was recorded with */
};

/* The metadata of a run: `sensible` if a run can have written it, and then its contents. */
struct pail_ad_ran {
    bool sensible;
    uint32_t status, place; /* pail_record_status; 1 + number of a stack, or 0 */
    uint64_t needed[2];     /* bytes of heaps, by pail_heap */
    /* The sizes that the run gave, with a reference; without leaves. NULL where it could give
     * none. */
    struct pail_ad_laid *laid;
};

/* Fetches what the last run wrote of a task. Errors: memory and what the device fails of */
pail_status pail_ad_recording_look(const struct pail_adstack *service,
                                   const struct pail_ad_kernel *kernel,
                                   const struct pail_ad_recording *recording, uint32_t task,
                                   struct pail_ad_ran *ran, struct pail_error *err);

/* adstack_record: sizes from inside of a command buffer. */

/* The layout of the metadata that a recording writes. tasks: [n_tasks] at full size, optional;
 * n_tasks: as the kernel has. Each task's part can be bound on its own: it begins at a multiple of
 * 256, which no device asks more than. Errors: PAIL_ERR_ARGUMENT */
pail_status pail_adstack_record_layout(struct pail_adstack *service, pail_record_task tasks[],
                                       size_t n_tasks, uint64_t *bytes, uint64_t handle,
                                       struct pail_error *err);

/* launch: at full size. The result has no sizes; it must go before the service does. What
 * it is about can be diagnosed until then (record.c).
 * Errors: as adstack_record of backend.h */
pail_status pail_adstack_record(struct pail_adstack *service, struct pail_adstack_result **result,
                                const pail_launch *launch, void *command_buffer,
                                uint64_t metadata_address, struct pail_error *err);

#endif /* PAIL_ADSTACK_RECORD_H */
