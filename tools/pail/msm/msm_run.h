/* Multiplies on a session's backend, and checks the result. */
#ifndef PAIL_TOOL_MSM_MSM_RUN_H
#define PAIL_TOOL_MSM_MSM_RUN_H

#include <stdbool.h>

#include <pail/backend.h>

#include "error/error.h"
#include "msm_input.h"
#include "process/session.h"

struct pail_msm_run {
    pail_msm_result result; /* of all repetitions */
    pail_stats stats;       /* of the fastest one */
    double bases_ms;        /* registering the bases; reading them, where they are in a file */
    size_t infinities;      /* of them; SIZE_MAX: the backend does not say */
    uint64_t repeats;
    double min_ms, mean_ms, max_ms; /* wall time of the repetitions */
    pail_cluster_part *parts;       /* [ranks] of the last repetition; NULL: none */
};

/* The reference that a result was compared with. */
struct pail_msm_check {
    const char *against; /* for people; static storage */
    pail_msm_result expected;
    bool equal;
    double ms;
};

enum { PAIL_MSM_CHECKS_MAX = 2 };

/* Registers the bases of a slice, with the validation the input asks for, and begins the run. */
pail_status pail_msm_register(struct pail_msm_run *run, pail_bases **bases,
                              const struct pail_session *session,
                              const struct pail_msm_input *input,
                              const struct pail_msm_slice *slice,
                              const struct pail_msm_options *options, struct pail_error *error);

pail_msm_job pail_msm_job_of(const struct pail_msm_slice *slice, const pail_bases *bases);

/* Notes repetition i. One that differs from the first is PAIL_ERR_INTERNAL. */
pail_status pail_msm_take(struct pail_msm_run *run, uint64_t i, const struct pail_session *session,
                          const pail_msm_result *result, const pail_stats *stats, double wall_ms,
                          struct pail_error *error);

/* Registers and multiplies `repeat` >= 1 times. */
pail_status pail_msm_run(struct pail_msm_run *run, const struct pail_session *session,
                         const struct pail_msm_input *input, const struct pail_msm_slice *slice,
                         const struct pail_msm_options *options, struct pail_error *error);

/* The same on all ranks of options->ranks, each with its own slice; to be called by all of them,
 * with what came before in *error. The run has the result on rank 0. */
pail_status pail_msm_run_ranks(struct pail_msm_run *run, const struct pail_session *session,
                               struct pail_msm_input *input, const struct pail_msm_options *options,
                               struct pail_error *error);

/* Computes the result in other ways: on the CPU backend or, if the session is that, as the plain
 * sum, one point after the other; and for made-up points also by the closed form.
 *
 * Out: checks, *n_checks: what was compared. A difference is no error here. */
pail_status pail_msm_check(struct pail_msm_check checks[PAIL_MSM_CHECKS_MAX], size_t *n_checks,
                           const struct pail_msm_run *run, const struct pail_session *session,
                           const struct pail_msm_input *input,
                           const struct pail_msm_options *options, struct pail_error *error);

#endif /* PAIL_TOOL_MSM_MSM_RUN_H */
