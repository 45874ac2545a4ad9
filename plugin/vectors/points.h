/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on points as steps: transforms of points of G1 (glsl/points, curves/twiddles.h), and
 * points between encodings. */
#ifndef PAIL_FIELD_POINTS_H
#define PAIL_FIELD_POINTS_H

#include "steps.h"
#include "warm_list.h"

/* Bytes of all points of an operation in an encoding. */
uint64_t pail_points_bytes(const pail_vector_op *op, uint32_t encoding);

/* The form of a device's kernels, their pipelines, and what they know an encoding by. */
enum pail_field_form pail_points_form(const struct pail_vk_caps *caps);
struct pail_vk_pipeline_request pail_points_request(enum pail_kernel_id kernel, uint32_t curve,
                                                    enum pail_field_form form);
uint32_t pail_points_flags(uint32_t encoding);

/* Bytes in memory at an address, from an aligned place on; *first is the 16-byte vector there with
 * which they begin. */
struct pail_vk_range pail_points_memory(struct pail_field_steps *s,
                                        const struct pail_vk_slice *place, uint64_t offset,
                                        uint64_t bytes, uint32_t *first);

/* As many bytes or more, a multiple of align. */
uint64_t pail_points_round_up(uint64_t bytes, uint64_t align);

/* Work of so many additions of points, with coordinates of so many bytes. */
struct pail_vk_work pail_points_additions(uint64_t width, double n);

/* Additions that points/load or points/store takes as long as, for n points. */
double pail_points_ends(bool loads, uint32_t encoding, double n);

/* Points at the beginning of scratch that an operation computes at a time. */
struct pail_points_at {
    struct pail_field_steps *s;
    const struct pail_field_op *op;
    enum pail_field_form form;
    uint64_t xyzz;    /* bytes of a point there */
    uint32_t scratch; /* its region */
    uint64_t n;
};

struct pail_vk_range pail_points_range(const struct pail_points_at *at);

/* Adds the step that brings these points from the operation's memory, or back to it, from its
 * number `first` on. reversed: by the bits of their numbers. */
void pail_points_add_ends(const struct pail_points_at *at, bool loads, uint64_t first,
                          bool reversed);

/* Errors: PAIL_ERR_UNSUPPORTED  a transform of more points than the device binds; the sentence has
 *         the operation's number */
pail_status pail_points_check(struct pail_vectors *field, const pail_vector_op *op, size_t number,
                              struct pail_error *err);

/* Bytes of scratch of an operation; a multiple of 32. */
uint64_t pail_points_scratch(const struct pail_vectors *field, const pail_vector_op *op);

/* Add the steps of one operation on some points. */
void pail_points_add_transform(struct pail_field_steps *s, const struct pail_field_op *op,
                               const struct pail_vk_slice *scratch);
void pail_points_add_conversion(struct pail_field_steps *s, const struct pail_field_op *op);

/* Adds the pipelines of operations on points of a curve. Errors: PAIL_ERR_HOST_MEMORY. */
pail_status pail_points_warm_add(struct pail_vectors *field, struct pail_warm_list *list,
                                 uint32_t curve, struct pail_error *err);

/* Transforms, conversions and sums of a few points against the CPU's: for the self-test. *wrong:
 * the device computes something else, which `what` names. Errors: memory, and those of the work. */
pail_status pail_points_test_transforms(struct pail_vectors *field, uint32_t curve,
                                        struct pail_vk_pipeline_stats *pipelines, bool *wrong,
                                        struct pail_error *err);
pail_status pail_points_test_conversions(struct pail_vectors *field, uint32_t curve,
                                         struct pail_vk_pipeline_stats *pipelines, bool *wrong,
                                         struct pail_error *err);

pail_status pail_points_test_sums(struct pail_vectors *field, uint32_t curve,
                                  struct pail_vk_pipeline_stats *pipelines, bool *wrong,
                                  struct pail_error *err);

#endif /* PAIL_FIELD_POINTS_H */
