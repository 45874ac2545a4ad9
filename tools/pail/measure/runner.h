/* SPDX-License-Identifier: Apache-2.0 */
/* One configuration on inputs whose answer is known: made-up inputs, the run, and the comparison.
 * There is no time without a check. */
#ifndef PAIL_TOOL_MEASURE_RUNNER_H
#define PAIL_TOOL_MEASURE_RUNNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pail/backend.h>

#include <curves/curve_ops.h>
#include <curves/inputs.h>

#include "error/error.h"
#include "options/knobs.h"
#include "process/session.h"

bool pail_result_equal(const pail_msm_result *a, const pail_msm_result *b);

/* The result that a backend would deliver for the point. */
void pail_result_from(pail_msm_result *result, const struct pail_curve_ops *ops,
                      const pail_point *point);

/* Calls piece(user, i) once for each i < n, in any order and from several threads; returns when all
 * have. threads: 0: as many as there are processors. label: for the line on a terminal. */
void pail_parallel(size_t n, void (*piece)(void *user, size_t i), void *user, uint32_t threads,
                   const char *label);

/* ---- Made-up points and scalars: what the case before had is not made again ------------------ */

/* The scalars of some jobs over the same bases. Referenced: see pail_scalars_release. */
struct pail_scalars {
    size_t references;
    const struct pail_curve_ops *ops;
    enum pail_scalar_dist dist;
    uint64_t seed; /* of the first job; each other's is greater by 1 than the one's before it */
    size_t jobs, n;
    uint8_t *bytes; /* [jobs][n][32] */
};

struct pail_supply {
    uint32_t threads; /* of the CPU; 0: as many as there are processors */
    /* The points that were made last. */
    const struct pail_curve_ops *ops;
    enum pail_base_kind kind;
    uint64_t seed;
    size_t n;
    uint8_t *points;
    struct pail_scalars *scalars; /* that were made last */
};

/* Out: *points: base 0 and the n - 1 after it, in Montgomery form; valid until the next call. */
pail_status pail_supply_points(struct pail_supply *supply, const uint8_t **points,
                               const struct pail_curve_ops *ops, enum pail_base_kind kind,
                               uint64_t seed, size_t n, struct pail_error *error);

/* Legal on a supply that is zeroed. */
void pail_supply_free(struct pail_supply *supply);

/* ---- One configuration ----------------------------------------------------------------------- */

/* One multiplication: the input, and the way it is done. */
struct pail_setup {
    uint32_t curve, group;
    uint64_t n, jobs; /* points; multiplications over the same points at a time, at least 1 */
    enum pail_scalar_dist dist;
    enum pail_base_kind base_kind;
    uint64_t seed;
    uint32_t validation; /* pail_validation, of the bases */
    struct pail_knobs knobs;
    /* Of the scalars: pail_memory_kind, or PAIL_MEMORY_VECTOR, which over several devices also
     * takes the place of device memory; 0: that of malloc. */
    uint32_t scalar_memory;
    /* Members that only random checks set. */
    uint64_t offset;   /* base that goes with the first scalar */
    bool montgomery;   /* scalars stand for themselves divided by 2^256, modulo the order */
    bool same_scalars; /* all jobs have those of the first, at one address */
};

/* A setup with its bases registered and its answer computed. */
struct pail_subject {
    struct pail_setup setup;
    const struct pail_session *session; /* must outlive the subject */
    pail_bases *bases;
    double bases_ms;      /* registering them */
    pail_bases_info info; /* n_points is 0 where the backend does not tell */
    struct pail_scalars *scalars;
    pail_memory *memory;       /* copies of them, unless they are read where they are */
    pail_vector *vector;       /* or these: [jobs][n] */
    pail_msm_job *job_list;    /* [jobs] */
    pail_msm_result *expected; /* [jobs] by the closed form */
    pail_msm_result *results;  /* [jobs] of the run before */
};

/* Measurements of one run. */
struct pail_sample {
    double wall_ms; /* from before msm_start to after msm_finish, by our clock */
    pail_stats stats;
    bool equal;       /* every result is what the closed form gives */
    size_t wrong_job; /* the first that is not */
};

/* Returns PAIL_OK, or a status with a sentence; PAIL_ERR_UNSUPPORTED is the backend's word that it
 * cannot do this. The subject is zeroed then. */
pail_status pail_subject_create(struct pail_subject *subject, const struct pail_session *session,
                                struct pail_supply *supply, const struct pail_setup *setup,
                                struct pail_error *error);

/* Multiplies once. falsify: damage a result before it is compared, to see that the comparison
 * notices. tick: optional; called every now and then while the backend works. A difference is no
 * error here. */
pail_status pail_subject_run(struct pail_sample *sample, struct pail_subject *subject, bool falsify,
                             void (*tick)(void *user), void *user, struct pail_error *error);

/* The plan and the memory, without running. */
pail_status pail_subject_estimate(pail_stats *stats, const struct pail_subject *subject,
                                  struct pail_error *error);

/* Legal on a subject that is zeroed. */
void pail_subject_destroy(struct pail_subject *subject);

#endif /* PAIL_TOOL_MEASURE_RUNNER_H */
