/* SPDX-License-Identifier: Apache-2.0 */
/* `pail msm`: one multiplication of points and scalars out of files. */
#include "msm.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <pail/backend.h>
#include <pail/encoding.h>

#include <curves/curve_ops.h>
#include <curves/inputs.h>
#include <formats/file.h>
#include <formats/pairs.h>
#include <formats/wtns.h>
#include <formats/zkey.h>
#include <platform/clock.h>
#include <points/source.h>

#include "commands.h"
#include "error/error.h"
#include "measure/runner.h"
#include "options/names.h"
#include "output/progress.h"
#include "process/process.h"
#include "process/session.h"

/* ---- Running --------------------------------------------------------------------------------- */

/* All of it, as rank 0 has it; the points are there for a check. */
static inline struct pail_msm_range whole_range(const struct pail_msm_input *input)
{
    return (struct pail_msm_range){.bases = input->bases,
                                   .bases_part = input->bases_part,
                                   .scalars = input->scalars,
                                   .n = input->n};
}

static const uint64_t poll_ns = 50 * UINT64_C(1000000);

enum { SUMS_BETWEEN_TICKS = 64 };

static pail_status multiply_once(pail_msm_result *result, pail_stats *stats,
                                 const struct pail_session *session, const pail_msm_job *job,
                                 const pail_msm_config *config, const char *label,
                                 struct pail_error *error)
{
    const pail_backend *const backend = session->backend;
    *result = (pail_msm_result){.struct_size = sizeof(*result)};
    *stats = (pail_stats){.struct_size = sizeof(*stats)};
    pail_pending *pending = NULL;
    struct pail_progress progress;
    pail_progress_begin(&progress, label);
    pail_msm_config stable = *config;
    stable.flags |= PAIL_MSM_STABLE_SCALARS;
    pail_status status = backend->msm_start(session->context, &pending, job, 1, &stable);
    if (status == PAIL_OK) {
        while (backend->pending_wait(pending, poll_ns) == PAIL_NOT_READY)
            pail_progress_tick(&progress, -1);
        status = backend->msm_finish(&pending, result, 1, stats);
    }
    (void)pail_progress_end(&progress);
    return pail_session_said(error, session, status);
}

static pail_msm_job msm_job_of(const struct pail_msm_range *range, const pail_bases *bases)
{
    return (pail_msm_job){
        .struct_size = sizeof(pail_msm_job),
        .scalar_encoding = PAIL_ENCODING_CANONICAL,
        .bases = bases,
        .scalars = range->scalars,
        .n = range->n,
    };
}

/* Notes repetition i. One that differs from the first is PAIL_ERR_INTERNAL. */
static pail_status msm_take(struct pail_msm_run *run, uint64_t i,
                            const struct pail_session *session, const pail_msm_result *result,
                            const pail_stats *stats, double wall_ms, struct pail_error *error)
{
    if (i > 0 && !pail_result_equal(result, &run->result))
        return pail_fail(error, PAIL_ERR_INTERNAL,
                         "%s: repetition %" PRIu64 " of the multiplication gave another "
                         "result than the first",
                         session->backend->name, i + 1);
    run->result = *result;
    run->mean_ms += wall_ms / (double)run->repeats;
    if (i == 0 || wall_ms > run->max_ms)
        run->max_ms = wall_ms;
    if (i == 0 || wall_ms < run->min_ms) {
        run->min_ms = wall_ms;
        run->stats = *stats;
        run->stats.wall_ms = wall_ms;
    }
    return PAIL_OK;
}

static pail_bases_desc describe(const struct pail_msm_input *input,
                                const struct pail_msm_range *range,
                                const struct pail_msm_options *options)
{
    return (pail_bases_desc){
        .struct_size = sizeof(pail_bases_desc),
        .curve = options->curve,
        .group = options->group,
        .encoding = input->encoding,
        .validation = input->validation,
        .points = range->bases,
        .n_points = range->n,
        .residency = options->knobs.residency,
        .table_factor = options->knobs.table_factor,
        .flags = pail_knobs_bases_flags(&options->knobs),
        .read_points = range->bases_part ? pail_file_part_read : NULL,
        .read_user = range->bases_part,
    };
}

/* Reports the failure of the bases: by the file's own sentence, where it could not be read. */
static pail_status bases_failed(pail_status status, const struct pail_session *session,
                                const struct pail_msm_input *input,
                                const struct pail_msm_range *range, struct pail_error *error)
{
    char from[64] = "", text[sizeof(error->sentence)];
    if (range->bases_part && range->bases_part->error[0] != '\0')
        return pail_fail(error, status, "%s", range->bases_part->error);
    if (range->first > 0)
        (void)snprintf(from, sizeof(from), " (of points from %zu on)", range->first);
    /* Bad bytes are the input's fault and not the backend's: name the input. */
    return pail_fail(
        error, status, "%s%s: %s",
        PAIL_STATUS_KIND(status) == PAIL_KIND_DATA ? input->bases_label : session->backend->name,
        from, pail_knobs_named(text, sizeof(text), session->backend->error(session->context)));
}

/* Registers the bases of a range, with the validation the input asks for, and begins the run. */
static pail_status msm_register(struct pail_msm_run *run, pail_bases **bases,
                                const struct pail_session *session,
                                const struct pail_msm_input *input,
                                const struct pail_msm_range *range,
                                const struct pail_msm_options *options, struct pail_error *error)
{
    *run = (struct pail_msm_run){.repeats = options->repeat};
    const pail_backend *const backend = session->backend;
    *bases = NULL;
    if (!PAIL_HAS(backend, bases_create) || !PAIL_HAS(backend, msm_start) ||
        !PAIL_HAS(backend, msm_finish) || !PAIL_HAS(backend, pending_wait))
        return pail_fail(error, PAIL_ERR_UNSUPPORTED,
                         "%s: the backend does not do multi-scalar multiplication", backend->name);
    const pail_bases_desc desc = describe(input, range, options);
    size_t bad_index = SIZE_MAX;
    const double begin_ms = pail_now_ms();
    const pail_status status = backend->bases_create(session->context, bases, &bad_index, &desc);
    run->bases_ms = pail_now_ms() - begin_ms;
    if (status != PAIL_OK)
        return bases_failed(status, session, input, range, error);
    run->infinities = SIZE_MAX;
    pail_bases_info info = {.struct_size = sizeof(info)};
    if (PAIL_HAS(backend, bases_info) && backend->bases_info(*bases, &info) == PAIL_OK)
        run->infinities = (size_t)info.n_infinities;
    return PAIL_OK;
}

pail_status pail_msm_run(struct pail_msm_run *run, const struct pail_session *session,
                         const struct pail_msm_input *input, const struct pail_msm_range *range,
                         const struct pail_msm_options *options, struct pail_error *error)
{
    pail_bases *bases;
    pail_status status = msm_register(run, &bases, session, input, range, options, error);
    if (status != PAIL_OK)
        return status;
    const pail_msm_job job = msm_job_of(range, bases);
    for (uint64_t i = 0; status == PAIL_OK && i < run->repeats; i++) {
        pail_msm_result result;
        pail_stats stats;
        status = multiply_once(&result, &stats, session, &job, &options->knobs.config,
                               "multiplying", error);
        if (status == PAIL_OK)
            status = msm_take(run, i, session, &result, &stats, stats.wall_ms, error);
    }
    session->backend->bases_destroy(session->context, &bases);
    return status;
}

/* Adds what goes with the points of a view. false: one of them is none any more. */
static bool add_view(pail_point *sum, const struct pail_curve_ops *ops,
                     const struct pail_msm_input *input, const struct pail_point_view *view,
                     size_t first, size_t n, struct pail_progress *progress)
{
    for (size_t i = 0; i < n; i++) {
        pail_affine affine;
        pail_point term;
        pail_u256 scalar;
        if (!ops->decode(&affine, pail_point_view_at(view, i),
                         input->encoding == PAIL_ENCODING_MONTGOMERY))
            return false;
        ops->from_affine(&term, &affine);
        pail_u256_from_bytes(&scalar, input->scalars + 32 * (first + i));
        ops->mul(&term, &term, &scalar);
        ops->add(sum, sum, &term);
        if (i % SUMS_BETWEEN_TICKS == 0)
            pail_progress_tick(progress, (double)(first + i) / (double)input->n);
    }
    return true;
}

static pail_status plain_sum(pail_msm_result *result, const struct pail_curve_ops *ops,
                             const struct pail_msm_input *input,
                             const struct pail_msm_options *options, struct pail_error *error)
{
    pail_point sum;
    pail_affine infinity = {{0}};
    ops->from_affine(&sum, &infinity);
    struct pail_point_source source;
    const struct pail_msm_range whole = whole_range(input);
    const pail_bases_desc desc = describe(input, &whole, options);
    pail_point_source_init(&source, &desc, ops->coordinate_bytes);
    void *const buffer = malloc(PAIL_POINTS_BUFFER);
    if (!buffer)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "--check: no memory for points");
    struct pail_progress progress;
    pail_progress_begin(&progress, "checking with the plain sum");
    pail_status status = PAIL_OK;
    const size_t at_once = pail_point_source_at_once(&source);
    for (size_t first = 0; first < input->n && status == PAIL_OK; first += at_once) {
        const size_t n = input->n - first < at_once ? input->n - first : at_once;
        struct pail_point_view view;
        if (pail_point_source_view(&source, &view, first, n, buffer) != PAIL_OK)
            status =
                pail_fail(error, pail_point_source_status(&source), "%s", input->bases_part->error);
        else if (!add_view(&sum, ops, input, &view, first, n, &progress))
            status = pail_fail(error, PAIL_ERR_DATA, "%s: points changed while they were read",
                               input->bases_label);
    }
    (void)pail_progress_end(&progress);
    free(buffer);
    if (status == PAIL_OK)
        pail_result_from(result, ops, &sum);
    return status;
}

static pail_status check_on_cpu(pail_msm_result *expected, const struct pail_session *session,
                                const struct pail_msm_input *input,
                                const struct pail_msm_options *options, struct pail_error *error)
{
    struct pail_session cpu;
    pail_status status =
        pail_session_open_cpu(&cpu, session->registry, options->session.threads, error);
    if (status != PAIL_OK)
        return status;
    struct pail_msm_options plain = *options;
    pail_knobs_init(&plain.knobs);
    plain.repeat = 1;
    struct pail_msm_run run;
    const struct pail_msm_range whole = whole_range(input);
    status = pail_msm_run(&run, &cpu, input, &whole, &plain, error);
    *expected = run.result;
    pail_session_close(&cpu);
    return status;
}

static void run_conclude(struct pail_msm_check *check, const struct pail_msm_run *run,
                         double begin_ms)
{
    check->equal = pail_result_equal(&check->expected, &run->result);
    check->ms = pail_now_ms() - begin_ms;
}

pail_status pail_msm_check(struct pail_msm_check checks[PAIL_MSM_CHECKS_MAX], size_t *n_checks,
                           const struct pail_msm_run *run, const struct pail_session *session,
                           const struct pail_msm_input *input,
                           const struct pail_msm_options *options, struct pail_error *error)
{
    *n_checks = 0;
    const struct pail_curve_ops *const ops = pail_curve_ops(options->curve, options->group);
    double begin_ms = pail_now_ms();
    struct pail_msm_check *check = &checks[0];
    if (session->built_in) {
        if (!ops)
            return pail_fail(error, PAIL_ERR_UNSUPPORTED,
                             "--check: there is no other way to multiply on %s %s",
                             pail_name_of(pail_curve_names, options->curve),
                             pail_name_of(pail_group_names, options->group));
        *check = (struct pail_msm_check){.against = "the plain sum"};
        const pail_status status = plain_sum(&check->expected, ops, input, options, error);
        if (status != PAIL_OK)
            return status;
    } else {
        *check = (struct pail_msm_check){.against = "the CPU backend"};
        if (check_on_cpu(&check->expected, session, input, options, error) != PAIL_OK)
            return error->status;
    }
    run_conclude(check, run, begin_ms);
    *n_checks = 1;
    if (options->source == PAIL_SOURCE_GENERATED) {
        begin_ms = pail_now_ms();
        check = &checks[1];
        *check = (struct pail_msm_check){.against = "the closed form"};
        pail_point point;
        pail_expected_msm(ops, &point, input->scalars, 0, input->n, options->base_kind,
                          options->seed);
        pail_result_from(&check->expected, ops, &point);
        run_conclude(check, run, begin_ms);
        *n_checks = 2;
    }
    return PAIL_OK;
}

/* ---- Several processes ----------------------------------------------------------------------- */

enum { SCALAR_BYTES = 32 };

/* Compares the ranks: all must be asked for the same, and see as many points. */
static pail_status compare(const struct pail_msm_input *input,
                           const struct pail_msm_options *options, struct pail_error *error)
{
    static const char *const names[] = {"the number of points",
                                        "--curve",
                                        "--group",
                                        "--repeat",
                                        "the encoding of points",
                                        "the source of points",
                                        "the section of the key",
                                        "the seed",
                                        "the kind of made-up points",
                                        "the distribution of scalars"};
    const uint64_t values[] = {
        input->n,        options->curve,   options->group, options->repeat,    input->encoding,
        options->source, options->section, options->seed,  options->base_kind, options->dist};
    return pail_told(error, pail_cluster_compare(options->ranks->cluster, error->status, names,
                                                 values, sizeof(values) / sizeof(values[0]),
                                                 PAIL_SENTENCE(error)));
}

static pail_status multiply(struct pail_msm_run *run, const struct pail_session *session,
                            const pail_msm_job *job, const struct pail_msm_options *options,
                            struct pail_error *error)
{
    const pail_cluster_sum how = {.struct_size = sizeof(how),
                                  .curve = options->curve,
                                  .group = options->group,
                                  .parts = run->parts};
    pail_status status = PAIL_OK;
    for (uint64_t i = 0; status == PAIL_OK && i < run->repeats; i++) {
        pail_msm_result result = {.struct_size = sizeof(result)};
        pail_stats stats = {.struct_size = sizeof(stats)};
        const double begin_ms = pail_now_ms();
        status = pail_told(error, pail_cluster_msm(options->ranks->cluster, session->backend,
                                                   session->context, &result, &stats, &how, job,
                                                   &options->knobs.config, PAIL_SENTENCE(error)));
        if (status == PAIL_OK && options->ranks->rank == 0)
            status = msm_take(run, i, session, &result, &stats, pail_now_ms() - begin_ms, error);
        if (i > 0 || run->repeats > 1) /* repetitions that differ end it everywhere */
            status = pail_ranks_agree(options->ranks, error);
    }
    return status;
}

/* The same on all ranks of options->ranks, each with its own range; to be called by all of them,
 * with what came before in *error. The run has the result on rank 0. */
static pail_status msm_run_ranks(struct pail_msm_run *run, const struct pail_session *session,
                                 struct pail_msm_input *input,
                                 const struct pail_msm_options *options, struct pail_error *error)
{
    const struct pail_ranks *const ranks = options->ranks;
    pail_bases *bases = NULL;
    pail_status status = compare(input, options, error);
    if (status == PAIL_OK && input->scatter)
        status = pail_told(error,
                           pail_cluster_scatter(ranks->cluster, input->own_scalars, input->scalars,
                                                input->n, SCALAR_BYTES, PAIL_SENTENCE(error)));
    if (status != PAIL_OK)
        return status;
    status = msm_register(run, &bases, session, input, &input->own, options, error);
    if (ranks->size > 1)
        run->infinities = SIZE_MAX; /* of this rank's part alone */
    if (status == PAIL_OK && ranks->rank == 0) {
        run->parts = calloc(ranks->size, sizeof(*run->parts));
        if (!run->parts)
            status = pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for the parts of %u ranks",
                               ranks->size);
    }
    status = pail_ranks_agree(ranks, error);
    if (status == PAIL_OK) {
        const pail_msm_job job = msm_job_of(&input->own, bases);
        status = multiply(run, session, &job, options, error);
    }
    if (bases)
        session->backend->bases_destroy(session->context, &bases);
    return status;
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool is_lead(const struct pail_msm_options *options)
{
    return !options->ranks || options->ranks->rank == 0;
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
    if (options->ranks)
        status = msm_run_ranks(&outcome->run, session, input, options, error);
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
    const pail_host host = pail_log_host();
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
