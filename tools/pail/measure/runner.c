#include "runner.h"

#include <inttypes.h>
#include <stdlib.h>

#include "options/names.h"
#include "output/progress.h"
#include "output/result.h"
#include <curves/curve_ops.h>
#include <platform/clock.h>

static const uint64_t poll_ns = 50 * UINT64_C(1000000);

static pail_status register_bases(struct pail_subject *subject, struct pail_supply *supply,
                                  const struct pail_curve_ops *ops, struct pail_error *error)
{
    const struct pail_setup *const setup = &subject->setup;
    const struct pail_session *const session = subject->session;
    const uint8_t *points;
    pail_status status = pail_supply_points(supply, &points, ops, setup->base_kind, setup->seed,
                                            (size_t)(setup->offset + setup->n), error);
    if (status != PAIL_OK)
        return status;
    const pail_bases_desc desc = {
        .struct_size = sizeof(desc),
        .curve = setup->curve,
        .group = setup->group,
        .encoding = PAIL_ENCODING_MONTGOMERY,
        .validation = setup->validation,
        .points = points,
        .n_points = (size_t)(setup->offset + setup->n),
        .residency = setup->knobs.residency,
        .table_factor = setup->knobs.table_factor,
    };
    const double begin_ms = pail_now_ms();
    status = session->backend->bases_create(session->context, &subject->bases, NULL, &desc);
    subject->bases_ms = pail_now_ms() - begin_ms;
    if (status == PAIL_OK && PAIL_HAS(session->backend, bases_info)) {
        subject->info.struct_size = sizeof(subject->info);
        status = session->backend->bases_info(subject->bases, &subject->info);
    }
    return pail_session_said(error, session, status);
}

/* Copies the scalars of all jobs to memory of the backend. Out: where those of the first are. */
static pail_status place_scalars(struct pail_subject *subject, uint64_t *address,
                                 struct pail_error *error)
{
    const struct pail_setup *const setup = &subject->setup;
    const struct pail_session *const session = subject->session;
    const pail_backend *const backend = session->backend;
    const uint64_t bytes = 32 * setup->n;
    if (!PAIL_HAS(backend, memory_create) || !PAIL_HAS(backend, memory_write))
        return pail_fail(error, PAIL_ERR_UNSUPPORTED,
                         "%s: the backend has no memory to put scalars into", backend->name);
    pail_memory_info info = {.struct_size = sizeof(info)};
    pail_status status =
        backend->memory_create(session->context, &subject->memory, &info, setup->scalar_memory,
                               setup->jobs * bytes > 0 ? setup->jobs * bytes : 1);
    for (uint64_t job = 0; job < setup->jobs && status == PAIL_OK; job++)
        status =
            backend->memory_write(subject->memory, job * bytes,
                                  subject->scalars->bytes + job * subject->scalars->n * 32, bytes);
    *address = info.address;
    return pail_session_said(error, session, status);
}

static pail_status prepare_jobs(struct pail_subject *subject, struct pail_supply *supply,
                                const struct pail_curve_ops *ops, struct pail_error *error)
{
    const struct pail_setup *const setup = &subject->setup;
    const size_t n = (size_t)setup->n, jobs = (size_t)setup->jobs;
    const bool placed = setup->scalar_memory != 0;
    uint64_t address = 0;
    pail_status status = pail_supply_scalars(supply, &subject->scalars, ops, setup->dist,
                                             setup->seed, jobs, n, error);
    if (status == PAIL_OK && placed)
        status = place_scalars(subject, &address, error);
    if (status != PAIL_OK)
        return status;
    subject->job_list = calloc(jobs, sizeof(*subject->job_list));
    subject->expected = calloc(jobs, sizeof(*subject->expected));
    subject->results = calloc(jobs, sizeof(*subject->results));
    if (subject->job_list == NULL || subject->expected == NULL || subject->results == NULL)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu jobs", jobs);
    for (size_t i = 0; i < jobs; i++) {
        const size_t job = setup->same_scalars ? 0 : i;
        subject->job_list[i] = (pail_msm_job){
            .struct_size = sizeof(subject->job_list[i]),
            .scalar_encoding =
                setup->montgomery ? PAIL_ENCODING_MONTGOMERY : PAIL_ENCODING_CANONICAL,
            .scalar_location = placed ? PAIL_LOCATION_DEVICE_ADDRESS : PAIL_LOCATION_HOST,
            .bases = subject->bases,
            .base_offset = (size_t)setup->offset,
            .scalars = placed ? (const void *)(uintptr_t)(address + 32 * job * n)
                              : subject->scalars->bytes + job * subject->scalars->n * 32,
            .n = n,
        };
        pail_point point;
        pail_supply_expected(supply, &point, subject->scalars, job, setup->offset, n,
                             setup->base_kind, setup->seed);
        if (setup->montgomery) { /* the sum of k / 2^256 times P is that of k times P, so divided */
            pail_u256 factor = {{1}};
            ops->scalar_from_montgomery(&factor, &factor);
            ops->mul(&point, &point, &factor);
        }
        pail_result_from(&subject->expected[i], ops, &point);
    }
    return PAIL_OK;
}

pail_status pail_subject_create(struct pail_subject *subject, const struct pail_session *session,
                                struct pail_supply *supply, const struct pail_setup *setup,
                                struct pail_error *error)
{
    *subject = (struct pail_subject){.setup = *setup, .session = session};
    const pail_backend *const backend = session->backend;
    const struct pail_curve_ops *const ops = pail_curve_ops(setup->curve, setup->group);
    pail_status status = PAIL_OK;
    if (!PAIL_HAS(backend, bases_create) || !PAIL_HAS(backend, msm_start) ||
        !PAIL_HAS(backend, msm_finish) || !PAIL_HAS(backend, pending_wait))
        status =
            pail_fail(error, PAIL_ERR_UNSUPPORTED,
                      "%s: the backend does not do multi-scalar multiplication", backend->name);
    else if (ops == NULL)
        status = pail_fail(error, PAIL_ERR_UNSUPPORTED, "points of %s %s cannot be made up",
                           pail_name_of(pail_curve_names, setup->curve),
                           pail_name_of(pail_group_names, setup->group));
    else if (setup->n > SIZE_MAX - setup->offset || setup->jobs > SIZE_MAX)
        status = pail_fail(error, PAIL_ERR_HOST_MEMORY,
                           "%" PRIu64 " points do not fit the address space", setup->n);
    if (status == PAIL_OK)
        status = register_bases(subject, supply, ops, error);
    if (status == PAIL_OK)
        status = prepare_jobs(subject, supply, ops, error);
    if (status != PAIL_OK)
        pail_subject_destroy(subject);
    return status;
}

pail_status pail_subject_run(struct pail_sample *sample, struct pail_subject *subject, bool falsify,
                             void (*tick)(void *user), void *user, struct pail_error *error)
{
    const struct pail_session *const session = subject->session;
    const pail_backend *const backend = session->backend;
    const size_t jobs = (size_t)subject->setup.jobs;
    *sample = (struct pail_sample){.stats = {.struct_size = sizeof(sample->stats)}};
    for (size_t i = 0; i < jobs; i++)
        subject->results[i] = (pail_msm_result){.struct_size = sizeof(subject->results[i])};
    pail_pending *pending = NULL;
    pail_msm_config config = subject->setup.knobs.config;
    config.flags |= PAIL_MSM_STABLE_SCALARS;
    const double begin_ms = pail_now_ms();
    pail_status status =
        backend->msm_start(session->context, &pending, subject->job_list, jobs, &config);
    if (status == PAIL_OK) {
        while (backend->pending_wait(pending, poll_ns) == PAIL_NOT_READY)
            if (tick != NULL)
                tick(user);
        status = backend->msm_finish(&pending, subject->results, jobs, &sample->stats);
    }
    sample->wall_ms = pail_now_ms() - begin_ms;
    if (pail_session_said(error, session, status) != PAIL_OK)
        return status;
    if (falsify)
        subject->results[jobs - 1].x[0] ^= 1;
    while (sample->wrong_job < jobs && pail_result_equal(&subject->results[sample->wrong_job],
                                                         &subject->expected[sample->wrong_job]))
        sample->wrong_job++;
    sample->equal = sample->wrong_job == jobs;
    return PAIL_OK;
}

pail_status pail_subject_estimate(pail_stats *stats, const struct pail_subject *subject,
                                  struct pail_error *error)
{
    const pail_backend *const backend = subject->session->backend;
    *stats = (pail_stats){.struct_size = sizeof(*stats)};
    if (!PAIL_HAS(backend, msm_estimate))
        return pail_fail(error, PAIL_ERR_UNSUPPORTED, "%s: there is no msm_estimate",
                         backend->name);
    const pail_status status = backend->msm_estimate(
        subject->session->context, stats, subject->job_list, &subject->setup.knobs.config);
    return pail_session_said(error, subject->session, status);
}

void pail_subject_destroy(struct pail_subject *subject)
{
    if (subject->bases != NULL)
        subject->session->backend->bases_destroy(subject->session->context, &subject->bases);
    if (subject->memory != NULL)
        subject->session->backend->memory_destroy(subject->session->context, &subject->memory);
    pail_scalars_release(&subject->scalars);
    free(subject->job_list);
    free(subject->expected);
    free(subject->results);
    *subject = (struct pail_subject){0};
}
