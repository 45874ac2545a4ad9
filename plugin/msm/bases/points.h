/* SPDX-License-Identifier: Apache-2.0 */
/* Points of a caller on their way to the device: read, checked, converted. */
#ifndef PAIL_MSM_POINTS_H
#define PAIL_MSM_POINTS_H

#include "bases.h"

#include <points/source.h>

/* ---- Intake ----------------------------------------------------------------------------------
 * Through a caller's reader or a copy, by several threads, into memory that the device copies from.
 * Only bases.c and points.c call these. */

struct pail_intake_buffer;

struct pail_intake {
    struct pail_bases *bases;
    struct pail_point_source source;
    struct pail_vk_slice memory; /* of the points, if they are there: no buffer otherwise */
    pthread_mutex_t lock;
    struct pail_intake_buffer *idle; /* buffers that no thread uses; guarded by the lock */
};

/* Begins the intake. In: desc: checked; used until pail_intake_end, which is called in any case.
 * Errors: PAIL_ERR_ARGUMENT: the address is not one of so many points. */
pail_status pail_intake_begin(struct pail_intake *intake, struct pail_bases *bases,
                              const pail_bases_desc *desc, struct pail_error *err);
void pail_intake_end(struct pail_intake *intake);

/* True if the reader has failed: a failure of the calls below may have its status. The second
 * function gives that status, with the sentence; once nobody reads any more. */
bool pail_intake_failed(struct pail_intake *intake);
pail_status pail_intake_explain(struct pail_intake *intake, struct pail_error *err);

/* Goes through all points and finds infinities; of those in memory at an address none are looked
 * at, and none are found. Out: bit i % 64 of bits[i / 64], to be freed with
 * pail_free; NULL where there are no points; *n: how many.
 * Errors: PAIL_ERR_HOST_MEMORY, and what the reader fails with. */
pail_status pail_intake_infinities(struct pail_intake *intake, uint64_t **bits, uint64_t *n,
                                   struct pail_error *err);

/* Kept points, packed, an infinity byte turned into coordinates that are 0. */
struct pail_intake_piece {
    struct pail_intake *intake;
    uint64_t first; /* first point of the piece */
};

/* A pail_vk_fill for a piece. Errors: as above; PAIL_ERR_DATA where a point that was infinity is
 * not any more. */
pail_status pail_intake_fill(void *piece, void *to, uint64_t offset, uint64_t bytes,
                             struct pail_error *err);

/* Reads one point, by its original number, packed. */
pail_status pail_intake_point(struct pail_intake *intake, uint8_t *out, size_t i,
                              struct pail_error *err);

/* Filling a set of bases: the caller's points, or those of a copy in another form, converted on the
 * device piece by piece. Only bases.c calls these. */

/* Device bytes that the smallest pieces take, beside the copy. raw_bytes: of a point that comes in.
 */
uint64_t pail_points_least_bytes(const struct pail_bases *bases, uint64_t raw_bytes);

/* Checks and converts the caller's points to bases->copies[bases->form], whose memory is there.
 * In:  intake  of the points
 *      room    device bytes that the pieces may take
 * Out: *bad_index, untouched unless a point is refused.
 * Errors: PAIL_ERR_DATA, memory, PAIL_ERR_DEVICE_LOST, and what the reader fails with. Nothing is
 * running afterwards. */
pail_status pail_points_take(struct pail_bases *bases, struct pail_intake *intake,
                             const pail_bases_desc *desc, uint64_t room, size_t *bad_index,
                             struct pail_error *err);

/* Converts bases->copies[bases->form] to `copy`, whose memory is there. */
pail_status pail_points_reform(struct pail_bases *bases, struct pail_bases_copy *copy,
                               enum pail_field_form form, uint64_t room, struct pail_error *err);

/* The pipeline of a kernel for the group and a form; what it took counts with the set's. */
pail_status pail_points_pipeline(struct pail_bases *bases, enum pail_kernel_id kernel,
                                 enum pail_field_form form,
                                 const struct pail_vk_pipeline **pipeline, struct pail_error *err);

#endif /* PAIL_MSM_POINTS_H */
