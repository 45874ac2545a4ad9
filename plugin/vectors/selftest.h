/* SPDX-License-Identifier: Apache-2.0 */
/* Self-test: a device must compute vectors as the CPU does; see msm/run/selftest.h for what goes
 * wrong. */
#ifndef PAIL_FIELD_SELFTEST_H
#define PAIL_FIELD_SELFTEST_H

#include <pail/backend.h>

#include <core/error.h>

#include "vk/caps.h"
#include "vk/pipeline.h"

struct pail_vectors;

/* Parts that are tested one by one, because hosts use the one and not the other; or-ed. */
enum pail_field_part {
    PAIL_FIELD_ENCODINGS = 1 << 0,
    PAIL_FIELD_ARITHMETIC = 1 << 1,
    PAIL_FIELD_POWERS = 1 << 2,
    PAIL_FIELD_PRODUCTS = 1 << 3, /* sparse ones */
    PAIL_FIELD_REVERSALS = 1 << 4,
    PAIL_FIELD_POINTS = 1 << 5,      /* transforms of them */
    PAIL_FIELD_CONVERSIONS = 1 << 6, /* of points between encodings */
    PAIL_FIELD_TRANSFORMS = 1 << 7,  /* the first of as many as there are shapes */
    PAIL_FIELD_SUMS = 1 << 12,       /* of points by tables, and truncations */
};

/* Transforms that are tested, each a part of its own: together they take every pipeline that
 * passes of others have. The fewest elements come first. */
#define PAIL_FIELD_SHAPES 5u

struct pail_field_shape {
    uint32_t log_n, log_all; /* log2 of the elements of one, and of all in the batch */
};

extern const struct pail_field_shape pail_field_shapes[PAIL_FIELD_SHAPES];

/* The parts that transforms of 2^log_n elements need, n in all: those with their pipelines, of
 * which no more elements are taken than n where that can be. most: elements that a binding has. */
uint32_t pail_field_transform_parts(const struct pail_vk_caps *caps, uint64_t most, uint32_t log_n,
                                    uint64_t n);

/* The parts that operations need, of one curve. */
uint32_t pail_field_parts_of(const struct pail_vectors *field, const pail_vector_op ops[],
                             size_t n_ops, uint32_t curve);

/* Computes a few elements that are known, for each part that this context has not tested over this
 * curve's scalars. Waits. A part whose test failed is tested again the next time.
 * In:  parts  enum pail_field_part, or-ed; curve: any, those without vectors have nothing to test
 * Out: pipelines  optional; those of the tests are added
 * Errors: PAIL_ERR_UNSUPPORTED  the device computes something else
 *         PAIL_ERR_HOST_MEMORY, PAIL_ERR_DEVICE_MEMORY, PAIL_ERR_DEVICE_LOST, PAIL_ERR_INTERNAL */
pail_status pail_field_self_test(struct pail_vectors *field, uint32_t curve, uint32_t parts,
                                 struct pail_vk_pipeline_stats *pipelines, struct pail_error *err);

#endif /* PAIL_FIELD_SELFTEST_H */
