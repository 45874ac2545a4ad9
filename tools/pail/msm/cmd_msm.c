#include <stdio.h>

#include <platform/line.h>

#include "commands.h"
#include "msm_input.h"
#include "msm_options.h"
#include "msm_output.h"
#include "msm_run.h"
#include "process/log.h"
#include "process/session.h"
#include <formats/report.h>

/* Everything between the command line and the output. */
static pail_status compute(struct pail_msm_outcome *outcome, struct pail_session *session,
                           const pail_registry *registry, struct pail_msm_input *input,
                           const struct pail_msm_options *options, char *error, size_t error_cap)
{
    pail_status status = pail_msm_input_load(input, options, error, error_cap);
    if (status != PAIL_OK)
        return status;
    struct pail_session_params params = options->session;
    if (pail_knobs_of_kernels(&options->knobs))
        params.prefers = PAIL_ABILITY_PIPELINES;
    status = pail_session_open(session, registry, &params, error, error_cap);
    if (status != PAIL_OK)
        return status;
    if (session->fallback[0] != '\0')
        (void)pail_print(stderr, "pail: the CPU backend is used: %s\n", session->fallback);
    status = pail_msm_run(&outcome->run, session, input, options, error, error_cap);
    if (status == PAIL_OK && options->check)
        status = pail_msm_check(outcome->checks, &outcome->n_checks, &outcome->run, session, input,
                                options, error, error_cap);
    return status;
}

static enum pail_exit conclude(const struct pail_msm_outcome *outcome)
{
    enum pail_exit result = PAIL_EXIT_OK;
    for (size_t i = 0; i < outcome->n_checks; i++) {
        if (outcome->checks[i].equal)
            continue;
        (void)pail_print(stderr, "pail: check failed: the result of %s differs from %s\n",
                         outcome->session->backend->name, outcome->checks[i].against);
        result = PAIL_EXIT_CHECK;
    }
    return pail_finish_output(result);
}

enum pail_exit pail_cmd_msm(int argc, char **argv)
{
    char error[2048] = "";
    struct pail_msm_options options;
    struct pail_msm_input input = {0};
    struct pail_session session = {0};
    pail_registry *registry = NULL;
    enum pail_exit result;

    pail_status status = pail_msm_options_read(&options, argc, argv, error, sizeof(error));
    if (status != PAIL_OK) {
        result = pail_complain(status, error);
        goto out;
    }
    if (options.help) {
        (void)fputs(pail_msm_help, stdout);
        result = pail_finish_output(PAIL_EXIT_OK);
        goto out;
    }
    const pail_host host = pail_log_host(options.verbose);
    const pail_registry_params params = {
        .struct_size = sizeof(params), .host = &host, .backend = options.session.backend};
    struct pail_msm_outcome outcome = {.options = &options, .input = &input, .session = &session};
    status = pail_registry_create(&registry, &params, error, sizeof(error));
    if (status == PAIL_OK)
        status = compute(&outcome, &session, registry, &input, &options, error, sizeof(error));
    if (status == PAIL_OK && options.json)
        status = pail_msm_print_json(stdout, &outcome, error, sizeof(error));
    else if (status == PAIL_OK)
        pail_msm_print(stdout, &outcome);
    result = status == PAIL_OK ? conclude(&outcome) : pail_complain(status, error);
out:
    pail_session_close(&session);
    pail_registry_destroy(&registry);
    pail_msm_input_free(&input);
    return result;
}
