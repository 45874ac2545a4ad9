/* A multiplication over ranks: each has a part of the points, which it reads by itself. */
#include <platform/clock.h>

#include "msm_run.h"

#include <stdlib.h>

#include "output/progress.h"

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
            status =
                pail_msm_take(run, i, session, &result, &stats, pail_now_ms() - begin_ms, error);
        if (i > 0 || run->repeats > 1) /* repetitions that differ end it everywhere */
            status = pail_ranks_agree(options->ranks, error);
    }
    return status;
}

pail_status pail_msm_run_ranks(struct pail_msm_run *run, const struct pail_session *session,
                               struct pail_msm_input *input, const struct pail_msm_options *options,
                               struct pail_error *error)
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
    status = pail_msm_register(run, &bases, session, input, &input->own, options, error);
    if (ranks->size > 1)
        run->infinities = SIZE_MAX; /* of this rank's part alone */
    if (status == PAIL_OK && ranks->rank == 0) {
        run->parts = calloc(ranks->size, sizeof(*run->parts));
        if (run->parts == NULL)
            status = pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for the parts of %u ranks",
                               ranks->size);
    }
    status = pail_ranks_agree(ranks, error);
    if (status == PAIL_OK) {
        const pail_msm_job job = pail_msm_job_of(&input->own, bases);
        status = multiply(run, session, &job, options, error);
    }
    if (bases != NULL)
        session->backend->bases_destroy(session->context, &bases);
    return status;
}
