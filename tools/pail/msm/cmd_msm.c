#include <stdio.h>

#include "commands.h"
#include "msm_input.h"
#include "msm_options.h"
#include "msm_output.h"
#include "msm_run.h"
#include "process/log.h"
#include "process/session.h"

/* Everything between the command line and the output. */
static pail_status compute(struct pail_msm_outcome *outcome, struct pail_session *session,
                           const pail_host *host, struct pail_msm_input *input,
                           const struct pail_msm_options *options, struct pail_error *error)
{
    pail_status status = pail_msm_input_load(input, options, error);
    if (status != PAIL_OK)
        return status;
    struct pail_session_params params = options->session;
    if (pail_knobs_of_kernels(&options->knobs))
        params.prefers = PAIL_ABILITY_PIPELINES;
    status = pail_session_begin(session, host, &params, error);
    if (status != PAIL_OK)
        return status;
    status = pail_msm_run(&outcome->run, session, input, options, error);
    if (status == PAIL_OK && options->check)
        status = pail_msm_check(outcome->checks, &outcome->n_checks, &outcome->run, session, input,
                                options, error);
    return status;
}

static void conclude(const struct pail_msm_outcome *outcome, struct pail_error *error)
{
    for (size_t i = 0; i < outcome->n_checks; i++) {
        if (outcome->checks[i].equal)
            continue;
        pail_error_say(error); /* of the check before */
        pail_differs(error, "check failed: the result of %s differs from %s",
                     outcome->session->backend->name, outcome->checks[i].against);
    }
}

void pail_msm_run_command(struct pail_error *error, void *given, const struct pail_call *call)
{
    struct pail_msm_options *const options = given;
    struct pail_msm_input input = {0};
    struct pail_session session = {0};
    const pail_host host = pail_log_host(options->verbose);
    struct pail_msm_outcome outcome = {.options = options, .input = &input, .session = &session};
    pail_status status = pail_msm_options_settle(options, call, error);
    if (status == PAIL_OK)
        status = compute(&outcome, &session, &host, &input, options, error);
    if (status == PAIL_OK && options->json)
        status = pail_msm_print_json(stdout, &outcome, error);
    else if (status == PAIL_OK)
        pail_msm_print(stdout, &outcome);
    if (status == PAIL_OK)
        conclude(&outcome, error);
    pail_session_close(&session);
    pail_msm_input_free(&input);
}
