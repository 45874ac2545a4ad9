/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplications in parts: checked, cut, started with each member. */
#include <platform/clock.h>
#include <platform/memory.h>
#include <platform/thread.h>
#include <stdio.h>
#include <string.h>

#include "pending.h"

/* Checks what several devices have of what the front lets through. */
static pail_status check_job(const pail_msm_job *job, size_t i, struct pail_error *err)
{
    if (job->scalar_location != PAIL_LOCATION_HOST && job->scalar_location != PAIL_LOCATION_VECTOR)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "jobs[%zu].scalar_location is %u; several devices read host memory "
                         "and vectors",
                         i, job->scalar_location);
    if (job->result_location != PAIL_LOCATION_HOST)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "jobs[%zu].result_location is %u; several devices have no memory in "
                         "common",
                         i, job->result_location);
    if (job->wait_semaphore != 0)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "jobs[%zu].wait_semaphore is set; several devices share none", i);
    return PAIL_OK;
}

/* ---- Cutting --------------------------------------------------------------------------------- */
static pail_status make_room(pail_pending *p, size_t more, struct pail_error *err)
{
    const struct pail_alloc *const memory = &p->context->memory;
    if (p->n_parts + more <= p->room)
        return PAIL_OK;
    const size_t room = 2 * (p->n_parts + more);
    struct pail_composite_part *const parts = pail_cpu_alloc(memory, room, sizeof *parts);
    if (!parts)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for parts of an MSM");
    if (p->n_parts > 0)
        (void)memcpy(parts, p->parts, p->n_parts * sizeof *parts);
    if (p->parts) /* sums of parts that were done */
        pail_wipe(p->parts, p->n_parts * sizeof *p->parts);
    pail_cpu_free(memory, p->parts);
    p->parts = parts;
    p->room = room;
    return PAIL_OK;
}

static size_t assigned(const pail_pending *p, size_t member)
{
    size_t points = 0;
    for (size_t i = 0; i < p->n_parts; i++)
        points += p->parts[i].member == member && !p->parts[i].done ? p->parts[i].n : 0;
    return points;
}

pail_status pail_composite_cut(pail_pending *p, size_t job, size_t first, size_t n, bool whole,
                               struct pail_error *err)
{
    pail_context *const context = p->context;
    const struct pail_devices *const devices = context->devices;
    pail_bases *const bases = p->jobs[job].bases;
    const pail_msm_job *const from = &p->jobs[job].job;
    const uint32_t promised = from->scalar_bits ? from->scalar_bits : 256;
    const bool reduced = from->scalar_vector || from->scalar_encoding == PAIL_ENCODING_MONTGOMERY;
    const uint32_t order_bits = bases->ops->order_bits;
    const struct pail_policy_limits limits = {
        .whole_below = whole ? SIZE_MAX : devices->whole_below,
        .windows_below = whole ? 0 : devices->windows_below,
        .scalar_bits = reduced && order_bits < promised ? order_bits : promised,
    };
    for (;;) {
        struct pail_policy_member state[PAIL_DEVICES_MAX];
        if (!pail_composite_state(state, context, bases->ops))
            return pail_composite_none_left(context, err);
        for (size_t i = 0; i < context->n; i++)
            state[i].load += (double)assigned(p, i) / state[i].rate;
        pthread_mutex_lock(&bases->lock);
        const size_t n_pieces = bases->n_pieces;
        struct pail_policy_piece *const pieces =
            pail_cpu_alloc(&context->memory, n_pieces, sizeof *pieces);
        struct pail_policy_part *const parts =
            pail_cpu_alloc(&context->memory, n_pieces + context->n, sizeof *parts);
        pail_status status =
            pieces && parts ? make_room(p, n_pieces + context->n, err)
                            : pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for parts of an MSM");
        size_t n_parts = 0;
        bool cut = false;
        if (status == PAIL_OK) {
            for (size_t k = 0; k < n_pieces; k++)
                pieces[k] = bases->pieces[k].at;
            cut = pail_policy_cut(parts, &n_parts, state, context->n, pieces, n_pieces, first, n,
                                  &limits);
        }
        for (size_t k = 0; k < n_parts; k++) {
            const struct pail_policy_piece *const at = &pieces[parts[k].piece];
            p->parts[p->n_parts++] = (struct pail_composite_part){
                .job = job,
                .member = at->member,
                .inner = bases->pieces[parts[k].piece].inner,
                .base_offset = parts[k].first - at->first,
                .first = parts[k].first,
                .n = parts[k].n,
                .shift = parts[k].shift,
                .scalar_bits = parts[k].bits ? parts[k].bits : from->scalar_bits,
                .encoding = from->scalar_encoding,
            };
        }
        pthread_mutex_unlock(&bases->lock);
        pail_cpu_free(&context->memory, pieces);
        pail_cpu_free(&context->memory, parts);
        if (cut || status != PAIL_OK)
            return status;
        status = pail_composite_bases_heal(bases, err);
        if (status != PAIL_OK)
            return status;
    }
}

void pail_composite_part_job(pail_msm_job *job, const struct pail_composite_part *part)
{
    *job = (pail_msm_job){
        .struct_size = sizeof *job,
        .scalar_encoding = part->encoding,
        .scalar_location = part->vector ? PAIL_LOCATION_VECTOR : PAIL_LOCATION_HOST,
        .scalar_bits = part->scalar_bits,
        .bases = part->inner,
        .base_offset = part->base_offset,
        .scalars = part->scalars,
        .n = part->n,
        .scalar_vector = part->vector,
        .scalar_offset = part->vector_offset,
    };
}

/* ---- Estimates ------------------------------------------------------------------------------- */
/* is_largest: of the parts so far; what is no sum is that of the largest, as in the statistics. */
static void add_estimate(pail_stats *all, const pail_stats *one, bool is_largest)
{
    const uint64_t estimate = all->bytes_estimate + one->bytes_estimate;
    const uint64_t bases = all->bytes_bases + one->bytes_bases;
    if (is_largest)
        *all = *one;
    all->bytes_estimate = estimate;
    all->bytes_bases = bases;
}

pail_status pail_composite_msm_estimate(pail_context *context, pail_stats *all,
                                        const pail_msm_job *asked, const pail_msm_config *config,
                                        struct pail_error *err)
{
    struct pail_composite_job job = {.job = *asked};
    pail_status status = check_job(asked, 0, err);
    if (status != PAIL_OK)
        return status;
    job.bases = (pail_bases *)(uintptr_t)job.job.bases;
    pail_composite_bases_retain(job.bases); /* a start must not cut the set anew meanwhile */
    pail_pending pending = {.context = context, .n_jobs = 1, .jobs = &job};
    size_t largest = 0;
    status = pail_composite_cut(&pending, 0, job.job.base_offset, job.job.n, false, err);
    for (size_t i = 0; i < pending.n_parts && status == PAIL_OK; i++) {
        const struct pail_composite_member *const m = &context->members[pending.parts[i].member];
        pail_msm_job inner;
        pail_stats one = {.struct_size = sizeof one};
        pail_composite_part_job(&inner, &pending.parts[i]);
        status = m->backend->msm_estimate(m->context, &one, &inner, config);
        if (status != PAIL_OK)
            (void)pail_composite_said(err, m, status, m->backend->error(m->context));
        else
            add_estimate(all, &one, i == 0 || pending.parts[i].n > pending.parts[largest].n);
        if (pending.parts[i].n > pending.parts[largest].n)
            largest = i;
    }
    pail_cpu_free(&context->memory, pending.parts);
    pail_composite_bases_release(job.bases);
    return status;
}

/* ---- Scalars --------------------------------------------------------------------------------- */
static uint8_t *secret_block(pail_pending *p, size_t n, struct pail_error *err)
{
    uint8_t *const block = pail_cpu_alloc(&p->context->memory, n, PAIL_SCALAR_BYTES);
    if (!block)
        (void)pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for scalars of an MSM");
    return block;
}

/* Bits shift ... shift + bits - 1 of each scalar, as an integer. Of the top part nothing is cut
 * off: its member sees where a promise about bits is broken. */
static void take_bits(const struct pail_curve_ops *ops, struct pail_composite_part *part,
                      const uint8_t *scalars, bool top)
{
    const uint32_t bits = top ? 256 - part->shift : part->scalar_bits;
    for (size_t i = 0; i < part->n; i++) {
        pail_u256 k, r = {{0}};
        pail_u256_from_bytes(&k, scalars + i * PAIL_SCALAR_BYTES);
        if (part->encoding == PAIL_ENCODING_MONTGOMERY)
            ops->scalar_from_montgomery(&k, &k);
        for (uint32_t l = 0; l < 4; l++) {
            const uint32_t from = part->shift + 64 * l, limb = from / 64, low = from % 64;
            uint64_t word = limb < 4 ? k.l[limb] >> low : 0;
            if (low != 0 && limb + 1 < 4)
                word |= k.l[limb + 1] << (64 - low);
            const uint32_t left = bits > 64 * l ? bits - 64 * l : 0;
            r.l[l] = left >= 64 ? word : word & ((UINT64_C(1) << left) - 1);
        }
        pail_u256_to_bytes(part->own + i * PAIL_SCALAR_BYTES, &r);
    }
    pail_wipe_stack();
}

/* Elements first ... first + n - 1 of a job's vector in host memory; jobs over the same elements
 * share them. */
static pail_status read_vector(pail_pending *p, size_t i, uint64_t first, size_t n,
                               const uint8_t **scalars, struct pail_error *err)
{
    struct pail_composite_job *const job = &p->jobs[i];
    for (size_t k = 0; k < i; k++) {
        const struct pail_composite_job *const before = &p->jobs[k];
        if (before->read && before->job.scalar_vector == job->job.scalar_vector &&
            before->read_first <= first && first - before->read_first <= before->read_n &&
            n <= before->read_n - (first - before->read_first)) {
            job->version = before->version;
            *scalars = before->read + (first - before->read_first) * PAIL_SCALAR_BYTES;
            return PAIL_OK;
        }
    }
    job->read = secret_block(p, n, err);
    if (!job->read)
        return PAIL_ERR_HOST_MEMORY;
    job->read_first = first;
    job->read_n = n;
    *scalars = job->read;
    return pail_composite_vector_read(job->job.scalar_vector, job->read, first, n,
                                      PAIL_ENCODING_CANONICAL, err);
}

/* The part takes the elements from `first` on from the copy, which holds a reference. */
static void use_copy(struct pail_composite_part *part, struct pail_composite_copy *copy,
                     uint64_t first)
{
    part->copy = copy;
    if (copy) {
        part->vector = copy->inner;
        part->vector_offset = first - copy->first;
        part->scalars = NULL;
    }
}

/* Parts with the member that has the vector take their elements there, and others those of a copy;
 * only what is missing then is read. Bits are cut out of scalars by the host, which takes all of
 * them. */
static pail_status place_vector(pail_pending *p, size_t i, size_t first_part, bool by_windows,
                                struct pail_error *err)
{
    const pail_msm_job *const job = &p->jobs[i].job;
    pail_vector *const vector = p->jobs[i].vector;
    uint64_t begin = UINT64_MAX, end = 0; /* elements to read */
    bool again = false;                   /* jobs of a start share what was read */
    for (size_t k = 0; k < i; k++)
        again |= p->jobs[k].vector == vector && p->jobs[k].read;
    p->jobs[i].version = pail_composite_vector_version(vector);
    for (size_t k = first_part; k < p->n_parts; k++) {
        struct pail_composite_part *const part = &p->parts[k];
        const uint64_t at = job->scalar_offset + (part->first - job->base_offset);
        uint64_t first = at, n = part->n;
        bool wanted = false;
        if (part->member == p->context->vectors && !by_windows) {
            part->vector = vector->inner;
            part->vector_offset = at;
        } else if (!by_windows && n > 0) {
            use_copy(part, pail_composite_copy_find(vector, part->member, &first, &n, &wanted), at);
        }
        if (part->vector || n == 0)
            continue;
        if (again || !wanted) {
            first = at;
            n = part->n;
        }
        part->wanted_first = first;
        part->wanted_n = again || !wanted ? 0 : n;
        begin = first < begin ? first : begin;
        end = first + n > end ? first + n : end;
    }
    if (begin >= end)
        return PAIL_OK;
    const uint8_t *scalars = NULL;
    const pail_status status = read_vector(p, i, begin, (size_t)(end - begin), &scalars, err);
    for (size_t k = first_part; k < p->n_parts && status == PAIL_OK; k++) {
        struct pail_composite_part *const part = &p->parts[k];
        const uint64_t at = job->scalar_offset + (part->first - job->base_offset);
        if (part->vector || part->n == 0)
            continue;
        part->scalars = scalars + (at - begin) * PAIL_SCALAR_BYTES;
        if (part->wanted_n > 0)
            use_copy(part,
                     pail_composite_copy_make(vector, part->member, part->wanted_first,
                                              part->wanted_n, p->jobs[i].version,
                                              scalars +
                                                  (part->wanted_first - begin) * PAIL_SCALAR_BYTES),
                     at);
    }
    return status;
}

static pail_status prepare_job(pail_pending *p, size_t i, struct pail_error *err)
{
    struct pail_composite_job *const job = &p->jobs[i];
    const size_t first_part = p->n_parts;
    const double begin = pail_now_s();
    if (pail_composite_bases_follow(job->bases, job->job.n))
        p->move_ms = (p->move_ms < 0.0 ? 0.0 : p->move_ms) + 1e3 * (pail_now_s() - begin);
    pail_status status = pail_composite_cut(p, i, job->job.base_offset, job->job.n, false, err);
    if (status != PAIL_OK || p->n_parts == first_part)
        return status;
    const bool by_windows = p->n_parts - first_part > 1 && p->parts[first_part].n == job->job.n;
    if (job->job.scalar_vector)
        status = place_vector(p, i, first_part, by_windows, err);
    for (size_t k = first_part; k < p->n_parts && status == PAIL_OK && job->job.n > 0; k++) {
        struct pail_composite_part *const part = &p->parts[k];
        if (!job->job.scalar_vector)
            part->scalars = (const uint8_t *)job->job.scalars +
                            (part->first - job->job.base_offset) * PAIL_SCALAR_BYTES;
        if (by_windows) {
            part->own = secret_block(p, part->n, err);
            if (!part->own)
                return PAIL_ERR_HOST_MEMORY;
            bool top = true;
            for (size_t other = first_part; other < p->n_parts; other++)
                top &= p->parts[other].shift <= part->shift;
            take_bits(job->bases->ops, part, part->scalars, top);
            part->scalars = part->own;
            part->encoding = PAIL_ENCODING_CANONICAL;
        }
    }
    return status;
}

/* ---- Starting -------------------------------------------------------------------------------- */
/* Parts by their members, so that each has one lot of them. */
static pail_status make_lots(pail_pending *p, struct pail_error *err)
{
    pail_context *const context = p->context;
    struct pail_composite_part *const sorted =
        pail_cpu_alloc(&context->memory, p->n_parts, sizeof *sorted);
    p->lots = pail_cpu_alloc(&context->memory, context->n, sizeof *p->lots);
    if (!sorted || !p->lots) {
        pail_cpu_free(&context->memory, sorted);
        pail_cpu_free(&context->memory, p->lots);
        p->lots = NULL; /* nothing was started */
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for parts of an MSM");
    }
    (void)memset(p->lots, 0, context->n * sizeof *p->lots);
    size_t n = 0;
    for (size_t i = 0; i < context->n; i++) {
        p->lots[i].first = n;
        for (size_t k = 0; k < p->n_parts; k++)
            if (p->parts[k].member == i)
                sorted[n++] = p->parts[k];
        p->lots[i].n = n - p->lots[i].first;
    }
    pail_cpu_free(&context->memory, p->parts);
    p->parts = sorted;
    p->room = p->n_parts;
    return PAIL_OK;
}

/* Runs behind the start, while the member works: prepares the data with which its parts would be
 * done elsewhere. */
static void keep_scalars(pail_pending *p, struct pail_composite_lot *lot)
{
    for (size_t i = 0; i < lot->n; i++) {
        struct pail_composite_part *const part = &p->parts[lot->first + i];
        const struct pail_composite_job *const job = &p->jobs[part->job];
        if (part->own || part->vector || job->job.scalar_vector || part->n == 0 ||
            (p->spare && p->stable))
            continue;
        part->own =
            p->spare ? pail_cpu_alloc(&p->context->memory, part->n, PAIL_SCALAR_BYTES) : NULL;
        if (part->own)
            pail_team_copy(part->own, part->scalars, part->n * PAIL_SCALAR_BYTES,
                           p->context->threads);
        else if (p->spare)
            lot->status = PAIL_ERR_HOST_MEMORY;
        part->scalars = part->own;
    }
    if (lot->status == PAIL_ERR_HOST_MEMORY && lot->sentence[0] == '\0')
        (void)snprintf(lot->sentence, sizeof lot->sentence, "no memory for a copy of scalars");
}

static void start_lot(void *user, uint32_t i)
{
    pail_pending *const p = user;
    struct pail_composite_lot *const lot = &p->lots[i];
    const struct pail_composite_member *const m = &p->context->members[i];
    if (lot->n == 0)
        return;
    pail_msm_job *const jobs = pail_cpu_alloc(&p->context->memory, lot->n, sizeof *jobs);
    if (!jobs) {
        lot->status = PAIL_ERR_HOST_MEMORY;
        (void)snprintf(lot->sentence, sizeof lot->sentence, "no memory for %zu jobs", lot->n);
        return;
    }
    for (size_t k = 0; k < lot->n; k++)
        pail_composite_part_job(&jobs[k], &p->parts[lot->first + k]);
    lot->status = m->backend->msm_start(m->context, &lot->inner, jobs, lot->n, &p->config);
    if (lot->status != PAIL_OK)
        (void)snprintf(lot->sentence, sizeof lot->sentence, "%s", m->backend->error(m->context));
    pail_cpu_free(&p->context->memory, jobs);
    if (lot->status == PAIL_OK || lot->status == PAIL_ERR_DEVICE_LOST)
        keep_scalars(p, lot);
}

/* The first n parts: those that are started, and not those that are done again. */
static void account(pail_pending *p, size_t n, bool begins)
{
    pthread_mutex_lock(&p->context->lock);
    for (size_t i = 0; i < n; i++) {
        size_t *const points = &p->context->members[p->parts[i].member].points_under_way;
        *points = begins ? *points + p->parts[i].n : *points - p->parts[i].n;
    }
    pthread_mutex_unlock(&p->context->lock);
}

void pail_composite_pending_drop(pail_pending *p)
{
    pail_context *const context = p->context;
    const struct pail_alloc memory = context->memory;
    if (p->vectors) {
        const struct pail_composite_member *const m = &context->members[context->vectors];
        m->backend->pending_abandon(&p->inner);
        pail_cpu_free(&memory, p);
        return;
    }
    for (size_t i = 0; p->lots && i < context->n; i++)
        if (p->lots[i].inner)
            context->members[i].backend->pending_abandon(&p->lots[i].inner);
    account(p, p->n_started, false);
    const uint32_t threads = (uint32_t)context->n * context->threads;
    for (size_t i = 0; i < p->n_parts; i++) {
        if (p->secret && p->parts[i].own)
            pail_team_wipe(p->parts[i].own, p->parts[i].n * PAIL_SCALAR_BYTES, threads);
        pail_cpu_free(&memory, p->parts[i].own);
        pail_composite_copy_release(p->parts[i].copy);
    }
    for (size_t i = 0; p->jobs && i < p->n_jobs; i++) {
        if (p->secret && p->jobs[i].read)
            pail_team_wipe(p->jobs[i].read, p->jobs[i].read_n * PAIL_SCALAR_BYTES, threads);
        pail_cpu_free(&memory, p->jobs[i].read);
        if (p->jobs[i].vector)
            pail_composite_vector_release(p->jobs[i].vector);
        if (p->jobs[i].bases)
            pail_composite_bases_release(p->jobs[i].bases);
    }
    if (p->parts)
        pail_wipe(p->parts, p->n_parts * sizeof *p->parts);
    pail_cpu_free(&memory, p->parts);
    pail_cpu_free(&memory, p->lots);
    pail_cpu_free(&memory, p->jobs);
    pail_cpu_free(&memory, p);
}

static pail_status start_all(pail_pending *p, struct pail_error *err)
{
    pail_context *const context = p->context;
    pail_status status = make_lots(p, err);
    if (status != PAIL_OK)
        return status;
    p->n_started = p->n_parts;
    account(p, p->n_started, true);
    pail_helpers_run(&context->helpers, (uint32_t)context->n, start_lot, p);
    for (size_t i = 0; i < context->n; i++) {
        const struct pail_composite_lot *const lot = &p->lots[i];
        if (lot->status == PAIL_ERR_DEVICE_LOST)
            pail_composite_lose(context, i);
        if (lot->status != PAIL_OK && (lot->status != PAIL_ERR_DEVICE_LOST || !p->spare))
            status = pail_composite_said(err, &context->members[i], lot->status, lot->sentence);
    }
    return status;
}

pail_status pail_composite_msm_start(pail_context *context, pail_pending **out,
                                     const pail_msm_job *jobs, size_t n_jobs,
                                     const pail_msm_config *config, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    pail_pending *const p = pail_cpu_alloc(&context->memory, 1, sizeof *p);
    if (!p)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for the handle of an MSM");
    *p = (pail_pending){
        .context = context,
        .secret = (config->flags & PAIL_MSM_PUBLIC_SCALARS) == 0,
        .stable = (config->flags & PAIL_MSM_STABLE_SCALARS) != 0,
        .spare = (context->devices->flags & PAIL_DEVICES_NO_SPARE) == 0,
        .config = *config,
        .started = pail_now_s(),
        .move_ms = -1.0,
        .n_jobs = n_jobs,
        .jobs = pail_cpu_alloc(&context->memory, n_jobs, sizeof *p->jobs),
    };
    if (!p->jobs)
        status = pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for the jobs of an MSM");
    else
        (void)memset(p->jobs, 0, n_jobs * sizeof *p->jobs);
    for (size_t i = 0; i < n_jobs && status == PAIL_OK; i++) {
        status = check_job(&jobs[i], i, err);
        if (status == PAIL_OK) {
            p->jobs[i].job = jobs[i];
            p->jobs[i].bases = (pail_bases *)(uintptr_t)p->jobs[i].job.bases;
            pail_composite_bases_retain(p->jobs[i].bases);
            if (jobs[i].scalar_vector) {
                p->jobs[i].vector = (pail_vector *)(uintptr_t)jobs[i].scalar_vector;
                pail_composite_vector_retain(p->jobs[i].vector);
            }
            status = prepare_job(p, i, err);
        }
    }
    if (status == PAIL_OK)
        status = start_all(p, err);
    if (status == PAIL_OK)
        *out = p;
    else
        pail_composite_pending_drop(p);
    return status;
}
