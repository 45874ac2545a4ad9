/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "runner.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pail/backend.h>

#include <curves/curve_ops.h>
#include <curves/inputs.h>
#include <platform/clock.h>
#include <platform/thread.h>

#include "error/error.h"
#include "options/names.h"
#include "output/progress.h"

/* ---- Results --------------------------------------------------------------------------------- */

bool pail_result_equal(const pail_msm_result *a, const pail_msm_result *b)
{
    return a->infinity == b->infinity && a->coordinate_bytes == b->coordinate_bytes &&
           memcmp(a->x, b->x, sizeof(a->x)) == 0 && memcmp(a->y, b->y, sizeof(a->y)) == 0;
}

void pail_result_from(pail_msm_result *result, const struct pail_curve_ops *ops,
                      const pail_point *point)
{
    *result = (pail_msm_result){.struct_size = sizeof(*result),
                                .infinity = ops->is_infinity(point),
                                .coordinate_bytes = (uint32_t)ops->coordinate_bytes};
    pail_affine affine;
    uint8_t bytes[2 * PAIL_COORDINATE_MAX];
    ops->to_affine(&affine, point);
    ops->encode(bytes, &affine, false);
    memcpy(result->x, bytes, ops->coordinate_bytes);
    memcpy(result->y, bytes + ops->coordinate_bytes, ops->coordinate_bytes);
}

/* ---- Work of the host in pieces -------------------------------------------------------------- */

enum { THREADS_MAX = 64 };

struct work {
    size_t n;
    void (*piece)(void *user, size_t i);
    void *user;
    atomic_size_t next;
};

static void *help(void *argument)
{
    struct work *const work = argument;
    for (size_t i; (i = atomic_fetch_add(&work->next, 1)) < work->n;)
        work->piece(work->user, i);
    return NULL;
}

void pail_parallel(size_t n, void (*piece)(void *user, size_t i), void *user, uint32_t threads,
                   const char *label)
{
    struct work work = {.n = n, .piece = piece, .user = user};
    atomic_init(&work.next, 0);
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = threads != 0 ? threads : processors > 0 ? (size_t)processors : 1;
    wanted = wanted < n ? wanted : n;
    wanted = wanted < THREADS_MAX ? wanted : THREADS_MAX;
    pthread_t helpers[THREADS_MAX];
    size_t n_helpers = 0;
    /* A thread that cannot be had is not missed: the others do its work. */
    while (n_helpers + 1 < wanted &&
           pail_thread_start(&helpers[n_helpers], "pail-input", PAIL_STACK_OWN, help, &work) == 0)
        n_helpers++;
    struct pail_progress progress;
    pail_progress_begin(&progress, label);
    for (size_t i; (i = atomic_fetch_add(&work.next, 1)) < n;) {
        piece(user, i);
        pail_progress_tick(&progress, (double)i / (double)n);
    }
    (void)pail_progress_end(&progress);
    while (n_helpers > 0)
        (void)pthread_join(helpers[--n_helpers], NULL);
}

/* ---- Made-up points and scalars -------------------------------------------------------------- */

enum { SCALAR_BYTES = 32, PIECE = 1 << 14 };

static size_t pieces_of(size_t n)
{
    return n / PIECE + (n % PIECE != 0);
}

static size_t piece_size(size_t n, size_t i)
{
    const size_t left = n - i * PIECE;
    return left < PIECE ? left : PIECE;
}

static pail_status no_memory(size_t count, const char *what, struct pail_error *error)
{
    return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu %s", count, what);
}

/* ---- Points --------------------------------------------------------------------------------- */
struct points_work {
    const struct pail_supply *supply;
    size_t first, n;
};

static void make_piece(void *user, size_t i)
{
    const struct points_work *const work = user;
    const struct pail_supply *const supply = work->supply;
    const size_t first = work->first + i * PIECE;
    pail_make_bases(supply->ops, supply->points + first * 2 * supply->ops->coordinate_bytes, true,
                    first, piece_size(work->n, i), supply->kind, supply->seed);
}

pail_status pail_supply_points(struct pail_supply *supply, const uint8_t **points,
                               const struct pail_curve_ops *ops, enum pail_base_kind kind,
                               uint64_t seed, size_t n, struct pail_error *error)
{
    if (supply->ops != ops || supply->kind != kind || supply->seed != seed) {
        free(supply->points);
        supply->points = NULL;
        supply->n = 0;
        supply->ops = ops;
        supply->kind = kind;
        supply->seed = seed;
    }
    if (!supply->points || supply->n < n) {
        const size_t point_bytes = 2 * ops->coordinate_bytes;
        uint8_t *const grown =
            n < SIZE_MAX / point_bytes ? realloc(supply->points, n * point_bytes + 1) : NULL;
        if (!grown)
            return no_memory(n, "points", error);
        supply->points = grown;
        struct points_work work = {.supply = supply, .first = supply->n, .n = n - supply->n};
        pail_parallel(pieces_of(work.n), make_piece, &work, supply->threads, "making up points");
        supply->n = n;
    }
    *points = supply->points;
    return PAIL_OK;
}

/* ---- Scalars -------------------------------------------------------------------------------- */
static size_t blocks_of(size_t n)
{
    return n / PAIL_SCALARS_BLOCK + (n % PAIL_SCALARS_BLOCK != 0);
}

/* Blocks of all jobs are numbered through. */
static void make_block(void *user, size_t i)
{
    const struct pail_scalars *const scalars = user;
    const size_t blocks = blocks_of(scalars->n), job = i / blocks, block = i % blocks;
    const size_t first = block * PAIL_SCALARS_BLOCK, left = scalars->n - first;
    pail_make_scalar_block(scalars->ops, scalars->bytes + (job * scalars->n + first) * SCALAR_BYTES,
                           block, left < PAIL_SCALARS_BLOCK ? left : PAIL_SCALARS_BLOCK,
                           scalars->dist, scalars->seed + job);
}

/* Sets the reference to NULL. Legal on NULL. */
static void scalars_release(struct pail_scalars **scalars)
{
    if (*scalars && --(*scalars)->references == 0) {
        free((*scalars)->bytes);
        free(*scalars);
    }
    *scalars = NULL;
}

/* Out: *scalars: of at least n for each of exactly `jobs` jobs; to be released. */
static pail_status supply_scalars(struct pail_supply *supply, struct pail_scalars **scalars,
                                  const struct pail_curve_ops *ops, enum pail_scalar_dist dist,
                                  uint64_t seed, size_t jobs, size_t n, struct pail_error *error)
{
    struct pail_scalars *last = supply->scalars;
    if (!last || last->ops != ops || last->dist != dist || last->seed != seed ||
        last->jobs != jobs || last->n < n) {
        scalars_release(&supply->scalars);
        last = malloc(sizeof(*last));
        uint8_t *const bytes =
            n < SIZE_MAX / SCALAR_BYTES / jobs ? malloc(n * jobs * SCALAR_BYTES + 1) : NULL;
        if (!last || !bytes) {
            free(last);
            free(bytes);
            *scalars = NULL;
            return no_memory(n, "scalars", error);
        }
        *last = (struct pail_scalars){.references = 1,
                                      .ops = ops,
                                      .dist = dist,
                                      .seed = seed,
                                      .jobs = jobs,
                                      .n = n,
                                      .bytes = bytes};
        pail_parallel(jobs * blocks_of(n), make_block, last, supply->threads, "making up scalars");
        supply->scalars = last;
    }
    last->references++;
    *scalars = last;
    return PAIL_OK;
}

/* ---- The answer ----------------------------------------------------------------------------- */
struct expected_work {
    const struct pail_scalars *scalars;
    const uint8_t *bytes;
    uint64_t first; /* base */
    size_t n;
    enum pail_base_kind kind;
    uint64_t seed;
    pail_point *sums; /* of each piece */
};

static void sum_piece(void *user, size_t i)
{
    const struct expected_work *const work = user;
    const size_t first = i * PIECE;
    pail_expected_msm(work->scalars->ops, &work->sums[i], work->bytes + first * SCALAR_BYTES,
                      work->first + first, piece_size(work->n, i), work->kind, work->seed);
}

/* result = the sum of the job's first n scalars times bases first, first + 1, ..., by the closed
 * form. */
static void supply_expected(const struct pail_supply *supply, pail_point *result,
                            const struct pail_scalars *scalars, size_t job, uint64_t first,
                            size_t n, enum pail_base_kind kind, uint64_t base_seed)
{
    const struct pail_curve_ops *const ops = scalars->ops;
    const uint8_t *const bytes = scalars->bytes + job * scalars->n * SCALAR_BYTES;
    const size_t n_pieces = pieces_of(n);
    pail_point *const sums = malloc(n_pieces * sizeof(*sums) + 1);
    if (!sums) { /* then all at once, which needs none */
        pail_expected_msm(ops, result, bytes, first, n, kind, base_seed);
        return;
    }
    struct expected_work work = {.scalars = scalars,
                                 .bytes = bytes,
                                 .first = first,
                                 .n = n,
                                 .kind = kind,
                                 .seed = base_seed,
                                 .sums = sums};
    pail_parallel(n_pieces, sum_piece, &work, supply->threads, "computing the closed form");
    const pail_affine infinity = {{0}};
    ops->from_affine(result, &infinity);
    for (size_t i = 0; i < n_pieces; i++)
        ops->add(result, result, &sums[i]);
    free(sums);
}

void pail_supply_free(struct pail_supply *supply)
{
    free(supply->points);
    scalars_release(&supply->scalars);
    *supply = (struct pail_supply){0};
}

/* ---- One configuration ----------------------------------------------------------------------- */

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
        .flags = pail_knobs_bases_flags(&setup->knobs),
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

static const uint8_t *scalars_of(const struct pail_subject *subject, uint64_t job)
{
    return subject->scalars->bytes + job * subject->scalars->n * SCALAR_BYTES;
}

/* Copies the scalars of all jobs to a vector, whose elements are below the order. */
static pail_status place_in_vector(struct pail_subject *subject, struct pail_error *error)
{
    const struct pail_setup *const setup = &subject->setup;
    const struct pail_session *const session = subject->session;
    const pail_backend *const backend = session->backend;
    if (!PAIL_HAS(backend, vector_create) || !PAIL_HAS(backend, vector_write))
        return pail_fail(error, PAIL_ERR_UNSUPPORTED,
                         "%s: the backend has no vectors to put scalars into", backend->name);
    const uint32_t encoding =
        setup->montgomery ? PAIL_ENCODING_MONTGOMERY : PAIL_ENCODING_CANONICAL;
    pail_status status = backend->vector_create(session->context, &subject->vector, setup->curve,
                                                setup->jobs * setup->n);
    for (uint64_t job = 0; job < setup->jobs && status == PAIL_OK; job++)
        status = backend->vector_write(subject->vector, job * setup->n, scalars_of(subject, job),
                                       setup->n, encoding);
    return pail_session_said(error, session, status);
}

/* Copies the scalars of all jobs to memory of the backend. Out: where those of the first are. */
static pail_status place_scalars(struct pail_subject *subject, uint64_t *address,
                                 struct pail_error *error)
{
    const struct pail_setup *const setup = &subject->setup;
    const struct pail_session *const session = subject->session;
    const pail_backend *const backend = session->backend;
    const uint64_t bytes = SCALAR_BYTES * setup->n;
    const bool has_memory = PAIL_HAS(backend, memory_create) && PAIL_HAS(backend, memory_write);
    if (setup->scalar_memory == PAIL_MEMORY_VECTOR ||
        (setup->scalar_memory == PAIL_MEMORY_DEVICE && session->devices))
        return place_in_vector(subject, error);
    if (!has_memory)
        return pail_fail(error, PAIL_ERR_UNSUPPORTED,
                         "%s: the backend has no memory to put scalars into", backend->name);
    pail_memory_info info = {.struct_size = sizeof(info)};
    pail_status status =
        backend->memory_create(session->context, &subject->memory, &info, setup->scalar_memory,
                               setup->jobs * bytes > 0 ? setup->jobs * bytes : 1);
    for (uint64_t job = 0; job < setup->jobs && status == PAIL_OK; job++)
        status =
            backend->memory_write(subject->memory, job * bytes, scalars_of(subject, job), bytes);
    *address = info.address;
    return pail_session_said(error, session, status);
}

static pail_msm_job make_job(const struct pail_subject *subject, uint64_t address, uint64_t job)
{
    const struct pail_setup *const setup = &subject->setup;
    pail_msm_job made = {
        .struct_size = sizeof(made),
        .scalar_encoding = setup->montgomery ? PAIL_ENCODING_MONTGOMERY : PAIL_ENCODING_CANONICAL,
        .scalar_location = PAIL_LOCATION_HOST,
        .bases = subject->bases,
        .base_offset = (size_t)setup->offset,
        .scalars = scalars_of(subject, job),
        .n = (size_t)setup->n,
    };
    if (subject->vector) {
        made.scalar_encoding = 0;
        made.scalar_location = PAIL_LOCATION_VECTOR;
        made.scalars = NULL;
        made.scalar_vector = subject->vector;
        made.scalar_offset = job * setup->n;
    } else if (subject->memory) {
        made.scalar_location = PAIL_LOCATION_DEVICE_ADDRESS;
        made.scalars = (const void *)(uintptr_t)(address + SCALAR_BYTES * job * setup->n);
    }
    return made;
}

static pail_status prepare_jobs(struct pail_subject *subject, struct pail_supply *supply,
                                const struct pail_curve_ops *ops, struct pail_error *error)
{
    const struct pail_setup *const setup = &subject->setup;
    const size_t n = (size_t)setup->n, jobs = (size_t)setup->jobs;
    uint64_t address = 0;
    pail_status status =
        supply_scalars(supply, &subject->scalars, ops, setup->dist, setup->seed, jobs, n, error);
    if (status == PAIL_OK && setup->scalar_memory != 0)
        status = place_scalars(subject, &address, error);
    if (status != PAIL_OK)
        return status;
    subject->job_list = calloc(jobs, sizeof(*subject->job_list));
    subject->expected = calloc(jobs, sizeof(*subject->expected));
    subject->results = calloc(jobs, sizeof(*subject->results));
    if (!subject->job_list || !subject->expected || !subject->results)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu jobs", jobs);
    for (size_t i = 0; i < jobs; i++) {
        const size_t job = setup->same_scalars ? 0 : i;
        subject->job_list[i] = make_job(subject, address, job);
        pail_point point;
        supply_expected(supply, &point, subject->scalars, job, setup->offset, n, setup->base_kind,
                        setup->seed);
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
    else if (!ops)
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
            if (tick)
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
    if (subject->bases)
        subject->session->backend->bases_destroy(subject->session->context, &subject->bases);
    if (subject->memory)
        subject->session->backend->memory_destroy(subject->session->context, &subject->memory);
    if (subject->vector)
        subject->session->backend->vector_destroy(subject->session->context, &subject->vector);
    scalars_release(&subject->scalars);
    free(subject->job_list);
    free(subject->expected);
    free(subject->results);
    *subject = (struct pail_subject){0};
}
