/* Output of `pail msm`. */
#ifndef PAIL_TOOL_MSM_MSM_OUTPUT_H
#define PAIL_TOOL_MSM_MSM_OUTPUT_H

#include <stdio.h>

#include "error/error.h"
#include "msm_input.h"
#include "msm_run.h"
#include "process/session.h"

struct pail_msm_outcome {
    struct pail_msm_options *options;
    struct pail_msm_input *input;
    struct pail_session *session;
    struct pail_msm_run run;
    struct pail_msm_check checks[PAIL_MSM_CHECKS_MAX];
    size_t n_checks;
};

/* Prints for people. */
void pail_msm_print(FILE *out, const struct pail_msm_outcome *outcome);

/* Prints one JSON object and a newline. Returns PAIL_OK, or PAIL_ERR_HOST_MEMORY with a sentence;
 * failures of `out` are the stream's to keep. */
pail_status pail_msm_print_json(FILE *out, const struct pail_msm_outcome *outcome,
                                struct pail_error *error);

#endif /* PAIL_TOOL_MSM_MSM_OUTPUT_H */
