/* SPDX-License-Identifier: Apache-2.0 */
/* Work that was started: multiplications in parts, or operations on vectors of one member. */
#ifndef PAIL_COMPOSITE_PENDING_H
#define PAIL_COMPOSITE_PENDING_H

#include "composite.h"

struct pail_composite_part {
    size_t job, member;
    const pail_bases *inner; /* the member's */
    size_t base_offset;      /* index in inner */
    size_t first, n;         /* points of the set */
    uint32_t shift;          /* the result counts 2^shift times */
    uint32_t scalar_bits, encoding;
    const uint8_t *scalars;    /* the caller's; once start has returned and it is not stable, a copy
                                * or NULL */
    uint8_t *own;              /* the copy, where this part owns it */
    const pail_vector *vector; /* the member's own: scalars are there, and nowhere else */
    uint64_t vector_offset;
    struct pail_composite_copy *copy; /* a reference, where the vector is one */
    uint64_t wanted_first, wanted_n;  /* elements that the member is to have a copy of; n 0: none */
    bool done;
    pail_msm_result result;
};

struct pail_composite_job {
    pail_bases *bases; /* a reference */
    pail_msm_job job;
    pail_vector *vector; /* a reference to that of the job, if it has one */
    uint64_t version;    /* of its elements that are used */
    uint8_t *read;       /* [read_n] scalars of a vector; where this job owns them */
    uint64_t read_first; /* element of the vector */
    size_t read_n;
};

/* The parts of a member. */
struct pail_composite_lot {
    size_t first, n;
    pail_pending *inner;
    pail_status status; /* status of starting or finishing */
    pail_stats stats;
    char sentence[512];
};

struct pail_pending {
    pail_context *context;
    bool vectors;
    pail_pending *inner; /* operations on vectors */
    bool secret, spare;
    bool stable; /* scalars stay where they are until the end */
    pail_msm_config config;
    double started;
    size_t n_jobs, n_parts, room;
    size_t n_started; /* parts that are in the account of points under way; 0: none yet */
    struct pail_composite_job *jobs;
    struct pail_composite_part *parts;
    struct pail_composite_lot *lots; /* [context->n] */
    size_t n_redone;
    double redo_ms;
    double move_ms; /* time in which sets were cut anew; below 0: none was */
};

/* ---- msm.c */
pail_status pail_composite_msm_estimate(pail_context *, pail_stats *, const pail_msm_job *,
                                        const pail_msm_config *, struct pail_error *);
pail_status pail_composite_msm_start(pail_context *, pail_pending **, const pail_msm_job *, size_t,
                                     const pail_msm_config *, struct pail_error *);
void pail_composite_pending_drop(pail_pending *);

/* The parts of points first ... first + n - 1 of bases, appended with members, places in their
 * sets, and job; what is missing is registered anew. whole: only points are cut, and only where
 * that cannot be helped. */
pail_status pail_composite_cut(pail_pending *pending, size_t job, size_t first, size_t n,
                               bool whole, struct pail_error *err);
void pail_composite_part_job(pail_msm_job *job, const struct pail_composite_part *part);

/* ---- finish.c */
pail_status pail_composite_pending_wait(pail_pending *, uint64_t, struct pail_error *);
size_t pail_composite_pending_jobs(const pail_pending *);
pail_status pail_composite_msm_finish(pail_pending *, pail_msm_result *, pail_stats *,
                                      struct pail_error *);

#endif /* PAIL_COMPOSITE_PENDING_H */
