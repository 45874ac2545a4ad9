/* Filling a set of bases: the caller's points, or those of a copy in another form, converted on the
 * device piece by piece. Only bases.c calls these. */
#ifndef PAIL_MSM_POINTS_H
#define PAIL_MSM_POINTS_H

#include "bases.h"
#include "intake.h"

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
