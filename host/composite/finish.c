/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a multiplication in parts: members are waited for, what a lost one had is done by the
 * others, and the parts are added up. */
#include <platform/clock.h>
#include <platform/memory.h>
#include <stdio.h>
#include <string.h>

#include "pending.h"
#include <cpu/result.h>

/* Takes what a member has done. A failed part is told by msm_finish, which does it anew where a
 * device is lost. */
static void finish_lot(void *user, uint32_t i)
{
    pail_pending *const p = user;
    struct pail_composite_lot *const lot = &p->lots[i];
    const struct pail_composite_member *const m = &p->context->members[i];
    if (!lot->inner)
        return;
    pail_msm_result *const results = pail_cpu_alloc(&p->context->memory, lot->n, sizeof *results);
    if (!results) {
        m->backend->pending_abandon(&lot->inner);
        lot->status = PAIL_ERR_HOST_MEMORY;
        (void)snprintf(lot->sentence, sizeof lot->sentence, "no memory for results");
        return;
    }
    (void)memset(results, 0, lot->n * sizeof *results);
    for (size_t k = 0; k < lot->n; k++)
        results[k].struct_size = sizeof results[k];
    lot->stats = (pail_stats){.struct_size = sizeof lot->stats};
    lot->status = m->backend->msm_finish(&lot->inner, results, lot->n, &lot->stats);
    if (lot->status != PAIL_OK)
        (void)snprintf(lot->sentence, sizeof lot->sentence, "%s", m->backend->error(m->context));
    for (size_t k = 0; k < lot->n && lot->status == PAIL_OK; k++) {
        p->parts[lot->first + k].result = results[k];
        p->parts[lot->first + k].done = true;
    }
    pail_cpu_free_wiped(&p->context->memory, results, lot->n, sizeof *results);
}

/* Waking threads takes longer than what is left where the caller has waited. */
static void finish_lots(pail_pending *p)
{
    bool left = false;
    for (size_t i = 0; i < p->context->n; i++)
        left |= p->lots[i].inner != NULL;
    if (left)
        pail_helpers_run(&p->context->helpers, (uint32_t)p->context->n, finish_lot, p);
}

struct waiting {
    pail_pending *p;
    uint64_t timeout_ns;
    double begin;
    atomic_bool not_ready;
};

/* Waits for a member and, where that may take time, takes what it has done: the last one to end is
 * not held up by the others. */
static void end_lot(void *user, uint32_t i)
{
    struct waiting *const w = user;
    struct pail_composite_lot *const lot = &w->p->lots[i];
    if (!lot->inner)
        return;
    const double left = (double)w->timeout_ns - 1e9 * (pail_now_s() - w->begin);
    const uint64_t ns = w->timeout_ns == UINT64_MAX || left >= 0x1p64 ? UINT64_MAX
                        : left > 0                                    ? (uint64_t)left
                                                                      : 0;
    if (w->p->context->members[i].backend->pending_wait(lot->inner, ns) == PAIL_NOT_READY)
        atomic_store(&w->not_ready, true);
    else if (w->timeout_ns > 0)
        finish_lot(w->p, i);
}

pail_status pail_composite_pending_wait(pail_pending *p, uint64_t timeout_ns,
                                        struct pail_error *err)
{
    pail_context *const context = p->context;
    if (p->vectors)
        return pail_composite_vectors_said(
            context, context->members[context->vectors].backend->pending_wait(p->inner, timeout_ns),
            err);
    struct waiting waiting = {.p = p, .timeout_ns = timeout_ns, .begin = pail_now_s()};
    atomic_init(&waiting.not_ready, false);
    if (timeout_ns == 0 ||
        !pail_helpers_try(&context->helpers, (uint32_t)context->n, end_lot, &waiting))
        for (uint32_t i = 0; i < context->n && !atomic_load(&waiting.not_ready); i++)
            end_lot(&waiting, i);
    return atomic_load(&waiting.not_ready) ? PAIL_NOT_READY : PAIL_OK;
}

size_t pail_composite_pending_jobs(const pail_pending *p)
{
    return p->vectors ? 0 : p->n_jobs;
}

/* Seconds of a member's device. Where points come over the bus, or there are no timestamps, the
 * time from start to end, less that for pipelines, which the next multiplication does not need. */
static double seconds_of(const pail_stats *stats)
{
    const bool of_device = stats->device_ms > 0.0 && stats->bytes_streamed == 0;
    return 1e-3 * (of_device ? stats->device_ms : stats->wall_ms - stats->pipelines_ms);
}

/* Rates count beside one another: until those of all live members are known none is. Those of one
 * model are equal unless they are far apart: a share that is larger by noise can take another plan.
 * Called with the lock held. */
static void take_rates(pail_context *context, unsigned group, const struct pail_measured *noted)
{
    double rates[PAIL_DEVICES_MAX], measured[PAIL_DEVICES_MAX], all_rates = 0.0, all_measured = 0.0;
    bool live[PAIL_DEVICES_MAX];
    for (size_t i = 0; i < context->n; i++) {
        measured[i] = noted[i].value;
        rates[i] = context->members[i].rates[group];
        live[i] = !context->members[i].lost;
        all_rates += live[i] ? rates[i] : 0.0;
        all_measured += live[i] ? measured[i] : 0.0;
    }
    const bool alike = pail_composite_alike(context);
    const bool level = alike && pail_policy_level(measured, live, context->n);
    const bool moves = pail_policy_moves(rates, measured, live, context->n, alike);
    double n_live = 0.0;
    for (size_t i = 0; i < context->n; i++)
        n_live += live[i];
    for (size_t i = 0; i < context->n; i++) {
        struct pail_composite_member *const m = &context->members[i];
        m->measured[group] = noted[i];
        m->measured[group].n += noted[i].n == 0; /* beside those of the others */
        m->rates[group] = live[i] && level    ? all_measured / n_live
                          : moves || !live[i] ? measured[i]
                                              : rates[i] / all_rates * all_measured;
    }
}

/* Times of a start tell rates of members. */
static void learn(pail_pending *p)
{
    pail_context *const context = p->context;
    const unsigned group = pail_composite_group(p->jobs[0].bases->ops);
    bool same = true;
    for (size_t i = 1; i < p->n_jobs; i++)
        same &= pail_composite_group(p->jobs[i].bases->ops) == group;
    pthread_mutex_lock(&context->lock);
    size_t at_work = 0;
    for (size_t i = 0; i < context->n; i++)
        at_work += p->lots[i].n > 0;
    bool all_timed = same && (at_work > 1 || context->n == 1);
    struct pail_measured noted[PAIL_DEVICES_MAX];
    for (size_t i = 0; i < context->n; i++) {
        struct pail_composite_member *const m = &context->members[i];
        const struct pail_composite_lot *const lot = &p->lots[i];
        size_t points = 0;
        for (size_t k = 0; k < lot->n && lot->status == PAIL_OK; k++)
            points += p->parts[lot->first + k].n;
        m->parts += lot->status == PAIL_OK ? lot->n : 0;
        m->points += points;
        noted[i] = m->measured[group];
        pail_measured_note_speed(&noted[i], (double)points, seconds_of(&lot->stats));
        all_timed &= m->lost || m->measured[group].n != 0 ||
                     points >= context->devices->whole_below / 64 + 1;
    }
    if (all_timed)
        take_rates(context, group, noted);
    pthread_mutex_unlock(&context->lock);
}

/* The scalars of a part that were in a copy: the vector has them still, unless other work has
 * changed it. */
static pail_status read_again(pail_pending *p, struct pail_composite_part *part,
                              struct pail_error *err)
{
    const struct pail_composite_job *const job = &p->jobs[part->job];
    part->own = pail_cpu_alloc(&p->context->memory, part->n, PAIL_SCALAR_BYTES);
    if (!part->own)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for scalars of a vector");
    const pail_status status = pail_composite_vector_read_again(
        job->vector, part->own, job->job.scalar_offset + (part->first - job->job.base_offset),
        part->n, job->version, err);
    part->scalars = status == PAIL_OK ? part->own : NULL;
    return status == PAIL_NOT_READY ? PAIL_OK : status;
}

static pail_status redo_part(pail_pending *p, size_t i, struct pail_error *err)
{
    pail_context *const context = p->context;
    if (p->parts[i].copy && p->spare) {
        const pail_status status = read_again(p, &p->parts[i], err);
        if (status != PAIL_OK)
            return status;
    }
    const struct pail_composite_part lost = p->parts[i];
    if (lost.n > 0 && !lost.scalars)
        return pail_composite_said(err, &context->members[lost.member], PAIL_ERR_DEVICE_LOST,
                                   lost.vector != NULL
                                       ? "the device is lost, and its vectors with it"
                                       : "the device is lost, and no copy of the scalars was kept");
    const size_t first_new = p->n_parts;
    pail_status status = pail_composite_cut(p, lost.job, lost.first, lost.n, true, err);
    for (size_t k = first_new; k < p->n_parts && status == PAIL_OK; k++) {
        struct pail_composite_part *const part = &p->parts[k];
        struct pail_composite_member *const m = &context->members[part->member];
        part->shift = lost.shift;
        part->scalar_bits = lost.scalar_bits;
        part->encoding = lost.encoding;
        part->scalars =
            lost.scalars ? lost.scalars + (part->first - lost.first) * PAIL_SCALAR_BYTES : NULL;
        if (part->n == 0)
            part->scalars = NULL;
        pail_msm_job job;
        pail_pending *inner = NULL;
        pail_composite_part_job(&job, part);
        part->result = (pail_msm_result){.struct_size = sizeof part->result};
        status = m->backend->msm_start(m->context, &inner, &job, 1, &p->config);
        if (status == PAIL_OK)
            status = m->backend->msm_finish(&inner, &part->result, 1, NULL);
        if (status == PAIL_OK) {
            part->done = true;
            pthread_mutex_lock(&context->lock);
            m->redone++;
            m->points += part->n;
            pthread_mutex_unlock(&context->lock);
        } else if (status == PAIL_ERR_DEVICE_LOST) {
            pail_composite_lose(context, part->member);
            status = PAIL_OK; /* this part, too, is done again */
        } else {
            (void)pail_composite_said(err, m, status, m->backend->error(m->context));
        }
    }
    p->n_redone++;
    return status;
}

static pail_status redo(pail_pending *p, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    const double begin = pail_now_s();
    for (size_t i = 0; i < p->n_parts && status == PAIL_OK; i++) {
        if (p->parts[i].done)
            continue;
        status = redo_part(p, i, err);
    }
    if (p->n_redone > 0)
        p->redo_ms = 1e3 * (pail_now_s() - begin);
    return status;
}

/* A part that was done again has no result of its own. */
static void add_up(const pail_pending *p, size_t job, pail_msm_result *result)
{
    const struct pail_curve_ops *const ops = p->jobs[job].bases->ops;
    uint8_t bytes[sizeof(pail_affine)] = {0};
    pail_affine affine = {{0}};
    pail_point sum, point;
    (void)ops->decode(&affine, bytes, false);
    ops->from_affine(&sum, &affine);
    for (size_t i = 0; i < p->n_parts; i++) {
        const struct pail_composite_part *const part = &p->parts[i];
        if (part->job != job || !part->done)
            continue;
        (void)memcpy(bytes, part->result.x, ops->coordinate_bytes);
        (void)memcpy(bytes + ops->coordinate_bytes, part->result.y, ops->coordinate_bytes);
        (void)ops->decode(&affine, bytes, false);
        ops->from_affine(&point, &affine);
        ops->dbl_times(&point, &point, part->shift);
        ops->add(&sum, &sum, &point);
    }
    pail_cpu_result(result, ops, &sum);
    pail_wipe(&sum, sizeof sum);
    pail_wipe(&point, sizeof point);
    pail_wipe(&affine, sizeof affine);
    pail_wipe(bytes, sizeof bytes);
    if (p->secret)
        pail_wipe_stack();
}

static void put_phase(pail_stats *all, const char *name, double ms)
{
    if (all->n_phases < PAIL_PHASES_MAX) {
        pail_phase *const phase = &all->phases[all->n_phases++];
        (void)snprintf(phase->name, sizeof phase->name, "%s", name);
        phase->ms = ms;
    }
}

static void deliver_stats(const pail_pending *p, pail_stats *stats)
{
    pail_stats all = {0};
    const struct pail_composite_lot *largest = NULL;
    size_t most = 0;
    for (size_t i = 0; i < p->context->n; i++) {
        const struct pail_composite_lot *const lot = &p->lots[i];
        for (size_t k = 0; k < lot->n && lot->status == PAIL_OK; k++) {
            if (!largest || p->parts[lot->first + k].n > most) {
                largest = lot;
                most = p->parts[lot->first + k].n;
            }
        }
    }
    if (largest)
        all = largest->stats;
    const pail_stats none = {0};
    const uint32_t chunks = all.chunks;
    all.n_phases = 0;
    (void)memset(all.phases, 0, sizeof all.phases);
    all.device_ms = all.longest_submission_ms = all.pipelines_ms = 0.0;
    all.submissions = all.blocks = all.sorts = 0;
    all.pipelines_memory = all.pipelines_disk = all.pipelines_compiled = 0;
    all.adds = all.bytes_estimate = all.bytes_requested = all.bytes_allocated = 0;
    all.bytes_bases = all.bytes_streamed = all.bytes_wiped = 0;
    for (size_t i = 0; i < p->context->n; i++) {
        const struct pail_composite_lot *const lot = &p->lots[i];
        const pail_stats *const one = lot->n > 0 && lot->status == PAIL_OK ? &lot->stats : &none;
        if (one == &none)
            continue;
        const struct pail_composite_choice *const c = p->context->members[i].choice;
        char name[sizeof all.phases[0].name];
        (void)snprintf(name, sizeof name, "%.16s:%u", c->backend->name, c->device);
        put_phase(&all, name, one->device_ms);
        all.device_ms += one->device_ms;
        if (one->longest_submission_ms > all.longest_submission_ms)
            all.longest_submission_ms = one->longest_submission_ms;
        all.pipelines_ms += one->pipelines_ms;
        all.submissions += one->submissions;
        all.blocks += one->blocks;
        all.sorts += one->sorts;
        all.pipelines_memory += one->pipelines_memory;
        all.pipelines_disk += one->pipelines_disk;
        all.pipelines_compiled += one->pipelines_compiled;
        all.adds += one->adds;
        all.bytes_estimate += one->bytes_estimate;
        all.bytes_requested += one->bytes_requested;
        all.bytes_allocated += one->bytes_allocated;
        all.bytes_bases += one->bytes_bases;
        all.bytes_streamed += one->bytes_streamed;
        all.bytes_wiped += one->bytes_wiped;
    }
    if (p->n_redone > 0)
        put_phase(&all, "redone elsewhere", p->redo_ms);
    if (p->move_ms >= 0.0)
        put_phase(&all, "points moved", p->move_ms);
    all.chunks = chunks;
    all.n_jobs = (uint32_t)p->n_jobs;
    all.wall_ms = 1e3 * (pail_now_s() - p->started);
    for (size_t i = 0; i < p->n_parts && p->secret; i++)
        all.bytes_wiped += p->parts[i].own ? p->parts[i].n * PAIL_SCALAR_BYTES : 0;
    for (size_t i = 0; i < p->n_jobs && p->secret; i++)
        all.bytes_wiped += p->jobs[i].read ? p->jobs[i].read_n * PAIL_SCALAR_BYTES : 0;
    *stats = all;
}

pail_status pail_composite_msm_finish(pail_pending *p, pail_msm_result *results, pail_stats *stats,
                                      struct pail_error *err)
{
    pail_context *const context = p->context;
    pail_status status = PAIL_OK;
    finish_lots(p);
    for (size_t i = 0; i < context->n; i++) {
        if (p->lots[i].status == PAIL_ERR_DEVICE_LOST)
            pail_composite_lose(context, i);
        else if (p->lots[i].status != PAIL_OK)
            status = pail_composite_said(err, &context->members[i], p->lots[i].status,
                                         p->lots[i].sentence);
    }
    if (status == PAIL_OK)
        learn(p);
    if (status == PAIL_OK)
        status = redo(p, err);
    for (size_t i = 0; i < p->n_jobs && status == PAIL_OK; i++)
        add_up(p, i, &results[i]);
    if (status == PAIL_OK)
        deliver_stats(p, stats);
    pail_composite_pending_drop(p);
    return status;
}
