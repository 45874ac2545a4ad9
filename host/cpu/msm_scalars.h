/* SPDX-License-Identifier: Apache-2.0 */
/* The scalars of a job as plain integers: copied from the host's memory when work is started, or
 * converted from a vector or from memory at an address when its turn has come. */
#ifndef PAIL_CPU_MSM_SCALARS_H
#define PAIL_CPU_MSM_SCALARS_H

#include <stdatomic.h>

#include "vector.h"

struct pail_cpu_msm_scalars {
    pail_u256 *integers; /* [n] */
    size_t n;
    const pail_vector *vector; /* a reference, where they come from one */
    uint64_t offset;
    const uint8_t *bytes; /* in memory at an address, where they come from there: of `ops` */
    const struct pail_curve_ops *ops;
    bool montgomery;
    uint32_t promised;    /* bits of each */
    atomic_uint bits;     /* length of the largest one so far */
    atomic_size_t broken; /* the first with more than promised; SIZE_MAX: none so far */
};

/* Copies all of `bytes`. */
void pail_cpu_msm_scalars_copy(struct pail_cpu_msm_scalars *s);

/* Tasks that convert those of a vector or of memory, and one of them. */
size_t pail_cpu_msm_scalars_tasks(const struct pail_cpu_msm_scalars *s);
void pail_cpu_msm_scalars_convert(struct pail_cpu_msm_scalars *s, size_t task);

/* PAIL_ERR_DATA, with a sentence, if the promise is broken. i: the job's number. */
pail_status pail_cpu_msm_scalars_check(const struct pail_cpu_msm_scalars *s, size_t i,
                                       struct pail_error *err);

#endif /* PAIL_CPU_MSM_SCALARS_H */
