#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "msm_input.h"
#include "msm_options.h"
#include "msm_output.h"
#include "msm_run.h"
#include "process/log.h"
#include "process/session.h"

static bool is_lead(const struct pail_msm_options *options)
{
    return options->ranks == NULL || options->ranks->rank == 0;
}

/* The work of a rank before it meets the others. */
static pail_status prepare(struct pail_session *session, const pail_host *host,
                           struct pail_msm_input *input, const struct pail_msm_options *options,
                           struct pail_error *error)
{
    pail_status status = pail_msm_input_load(input, options, error);
    if (status != PAIL_OK)
        return status;
    struct pail_session_params params = options->session;
    if (pail_knobs_of_kernels(&options->knobs))
        params.prefers = PAIL_ABILITY_PIPELINES;
    return pail_session_begin(session, host, &params, error);
}

/* Everything between the command line and the output. */
static pail_status compute(struct pail_msm_outcome *outcome, const pail_host *host,
                           const struct pail_call *call, struct pail_error *error)
{
    struct pail_msm_options *const options = outcome->options;
    struct pail_msm_input *const input = outcome->input;
    struct pail_session *const session = outcome->session;
    pail_status status = pail_msm_options_settle(options, call, error);
    if (status == PAIL_OK)
        status = prepare(session, host, input, options, error);
    if (options->ranks != NULL)
        status = pail_msm_run_ranks(&outcome->run, session, input, options, error);
    else if (status == PAIL_OK)
        status = pail_msm_run(&outcome->run, session, input, &input->own, options, error);
    if (status == PAIL_OK && options->check && is_lead(options))
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
    struct pail_ranks ranks = {0};
    pail_status status = PAIL_OK;
    if (options->cluster != 0) {
        status =
            pail_ranks_begin(&ranks, pail_name_of(pail_cluster_names, options->cluster), error);
        options->ranks = &ranks;
    }
    if (status == PAIL_OK)
        status = compute(&outcome, &host, call, error);
    if (status == PAIL_OK && !is_lead(options))
        ; /* rank 0 prints */
    else if (status == PAIL_OK && options->json)
        status = pail_msm_print_json(stdout, &outcome, error);
    else if (status == PAIL_OK)
        pail_msm_print(stdout, &outcome);
    if (status == PAIL_OK)
        conclude(&outcome, error);
    pail_session_close(&session);
    pail_msm_input_free(&input);
    free(outcome.run.parts);
    pail_ranks_end(&ranks, error);
}
