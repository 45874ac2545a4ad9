/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of vector work on their way through the device. */
#ifndef PAIL_FIELD_RUN_H
#define PAIL_FIELD_RUN_H

#include <pail/backend.h>

#include <core/error.h>

#include "vk/execute.h"
#include "vk/memory.h"

struct pail_vectors;

/* Regions of one list: operands of at most so many different buffers. The work holds references to
 * whatever owns them. */
struct pail_field_steps {
    struct pail_vectors *field;
    struct pail_vk_steps list;
    struct pail_vk_slice *regions; /* [n_regions] */
    uint32_t n_regions, regions_capacity;
    bool stores;                              /* into memory that the host may see */
    pail_vk_ticket behind[PAIL_VK_SIDES_MAX]; /* of side queues: begins once they are complete */
};

void pail_field_steps_init(struct pail_field_steps *s, struct pail_vectors *field);
void pail_field_steps_fini(struct pail_field_steps *s);

/* The number of a slice's region; each buffer has one, of which the slice is all that is used. A
 * failure is kept in the list. */
uint32_t pail_field_region(struct pail_field_steps *s, const struct pail_vk_slice *slice);

/* Elements of a region, for a kernel: the binding begins at an alignment, and *first is the number
 * of the first of them there. */
struct pail_vk_range pail_field_elements(const struct pail_field_steps *s, uint32_t region,
                                         uint64_t offset, uint64_t n, uint32_t *first);

/* Elements that a binding holds, wherever they begin. */
uint64_t pail_field_binding_most(const struct pail_vectors *field);

/* Outcome of a list. All zero: nothing was submitted. */
struct pail_field_run {
    const struct pail_vk_pipeline **pipelines;
    struct pail_vk_cmd *cmd;
    pail_vk_ticket ticket;
    struct pail_vk_pipeline_stats stats;
    uint64_t kernel_hash;
};

/* Finds the pipelines, records and submits, after everything that was submitted before. Call
 * pail_field_run_fini in any case. Errors: those of the list, of pipelines and of submitting. */
pail_status pail_field_run_begin(struct pail_field_run *run, const struct pail_field_steps *s,
                                 struct pail_error *err);

/* Complete or not: what the list is of stays until then. */
void pail_field_run_fini(struct pail_field_run *run, const struct pail_field_steps *s);

/* All of it, and waits. */
pail_status pail_field_run(const struct pail_field_steps *s, struct pail_error *err);

#endif /* PAIL_FIELD_RUN_H */
