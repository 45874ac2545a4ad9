/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include <platform/clock.h>
#include <shared/adstack_layout.h>

#include <adstack/watch.h>
#include <core/debug.h>

#include "gpu_priv.h"
#include "vk/pace.h"

/* State of one evaluation, in one or more submissions. */
struct running {
    struct pail_ad_gpu *gpu;
    struct pail_ad_space *space;
    struct pail_ad_work *work;
    struct pail_ad_pipelines pipelines;
    struct pail_vk_slice back; /* state, reports, values */
    uint32_t stage;            /* the stage at which it goes on */
    uint64_t copied;           /* bytes of sources that earlier submissions have copied */
    uint64_t cells;            /* that the watch had counted before */
    bool begun;                /* there was a submission */
    struct pail_ad_pace pace;
    double batch_ms[PAIL_AD_PHASES];
};

/* Waits for writes of others to the arrays, and for the submission before. */
static void record_begin(struct running *r, struct pail_vk_cmd *cmd)
{
    if (!r->begun && r->work->wait_semaphore)
        pail_vk_cmd_wait_semaphore(cmd, r->work->wait_semaphore, r->work->wait_value);
    r->begun = true;
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE | PAIL_VK_TRANSFER,
                        PAIL_VK_COMPUTE | PAIL_VK_TRANSFER);
}

static void record_portion(struct running *r, struct pail_vk_cmd *cmd)
{
    struct pail_ad_space *s = r->space;
    record_begin(r, cmd);
    if (r->stage != 0) {
        pail_ad_pace_update(cmd, r->gpu, s, &r->pipelines, r->stage, &r->pace);
        pail_ad_certain_update(cmd, s);
    } else if (r->copied) {
        pail_ad_record_words(cmd, r->gpu, s);
        pail_ad_record_sources(cmd, s, r->copied, UINT64_MAX);
    } else {
        pail_ad_record_copies(cmd, r->gpu, s, false);
    }
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_COMPUTE | PAIL_VK_INDIRECT);
    pail_ad_record_stages(cmd, r->gpu, s, &r->pipelines, r->stage, false);
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_TRANSFER);
    pail_vk_cmd_copy(cmd, &s->on_device[0], 4 * (uint64_t)s->encoded.state, &r->back, 0,
                     r->back.size);
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_HOST);
}

/* Out: ms, from the submission to the end of the wait. */
static pail_status submit(struct running *r, struct pail_vk_cmd *cmd, double *ms,
                          struct pail_error *err)
{
    struct pail_vk_device *dev = r->gpu->dev;
    struct pail_vk_submissions submissions;
    pail_vk_ticket ticket;
    const double start = pail_now_ms();
    pail_status status = pail_vk_cmd_submit(cmd, &ticket, err);
    if (status != PAIL_OK)
        return status;
    r->work->submissions++;
    status = pail_vk_wait(dev, ticket, PAIL_VK_FOREVER, err);
    r->work->waits++;
    *ms = pail_now_ms() - start;
    if (status == PAIL_OK)
        status = pail_vk_invalidate(dev, &r->back, err);
    if (status == PAIL_OK)
        status = pail_vk_cmd_submissions(cmd, &submissions, err);
    if (status != PAIL_OK)
        return status;
    r->work->submissions += submissions.n - 1; /* submissions of large copies */
    const uint64_t ns = (uint64_t)(1e6 * submissions.longest_ms);
    if (r->work->longest_submission_ns < ns)
        r->work->longest_submission_ns = ns;
    return PAIL_OK;
}

/* Adds a line to the plan, as much as there is room for. */
static void tell_device(struct pail_ad_work *work, const struct pail_ad_encoded_spec *spec,
                        const uint32_t report[AD_REPORT_WORDS], bool given_back)
{
    const struct pail_ad_program *program = work->program;
    const struct pail_ad_site *site = &program->sites[program->specs[spec->spec].site];
    if (!work->plan)
        return;
    const size_t at = strlen(work->plan);
    snprintf(work->plan + at, at < work->plan_capacity ? work->plan_capacity - at : 0,
             "spec %u (task %u, stack %u): %llu cells, %s, %u workgroups, %u lanes to a cell, "
             "level %u%s\n",
             spec->spec, site->task, site->stack,
             (unsigned long long)(pail_ad_report_cells(report)),
             spec->kernel ? "specialised" : "interpreter", report[AD_REPORT_GROUPS],
             report[AD_REPORT_LANES], spec->stage, given_back ? ", given back" : "");
}

static void take_values(const struct pail_ad_encoded *e, struct pail_ad_work *work,
                        const uint32_t *words)
{
    for (uint32_t i = 0; i < e->n_back; i++) {
        struct pail_ad_value value;
        if (!pail_ad_value_from(&value, words + AD_VALUE_WORDS * i))
            continue;
        work->values->value[e->back[i]] = value;
        work->values->known[e->back[i]] = 1;
    }
}

static void take_reports(const struct pail_ad_encoded *e, struct pail_ad_work *work,
                         const uint32_t *words)
{
    for (uint32_t i = 0; i < e->n_specs; i++) {
        const uint32_t *report = words + AD_REPORT_WORDS * i;
        const struct pail_ad_spec *spec = &work->program->specs[e->specs[i].spec];
        const bool given_back = !work->values->known[spec->slot];
        work->n_given_back += given_back;
        work->dispatches += !given_back;
        work->specialised += !given_back && e->specs[i].kernel;
        work->cells += given_back ? 0 : pail_ad_report_cells(report);
        tell_device(work, &e->specs[i], report, given_back);
    }
}

static double phase_ms(const struct pail_vk_phase phases[], uint32_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(phases[i].name, name) == 0)
            return phases[i].ms;
    return 0;
}

/* Notes the expected time of the submission, which is returned in nanoseconds. */
static double note_expected(struct running *r, const uint32_t *reports)
{
    const struct pail_ad_encoded *e = &r->space->encoded;
    double all = 0, most = 0;
    for (uint32_t b = e->stages[r->stage].batch_first; b < e->n_batches; b++) {
        const double ns = pail_ad_pace_expected(e, b, reports);
        all += ns;
        most = ns > most ? ns : most;
    }
    if (r->work->expected_ns < (uint64_t)all)
        r->work->expected_ns = (uint64_t)all;
    if (r->work->expected_dispatch_ns < (uint64_t)most)
        r->work->expected_dispatch_ns = (uint64_t)most;
    if (all > 0 && pail_vk_device_debug(r->gpu->dev) & PAIL_DEBUG_TRACE)
        pail_log(pail_vk_device_log(r->gpu->dev), PAIL_LOG_DEBUG,
                 "adstack: a submission of %.1f ms by the device's pace, the longest dispatch of "
                 "%.1f ms",
                 all * 1e-6, most * 1e-6);
    return all;
}

/* Nanoseconds that all batches of the last phase are expected to take, which have one time. */
static double others_expected(const struct running *r, const uint32_t *reports)
{
    const struct pail_ad_encoded *e = &r->space->encoded;
    const uint32_t first = e->stages[r->stage].batch_first, last = PAIL_AD_PHASES - 1;
    double all = 0;
    for (uint32_t b = first > last ? first : last; b < e->n_batches; b++)
        all += pail_ad_pace_expected(e, b, reports);
    return all;
}

/* Has the pace learn from each batch. wall_ms: of the submission, for where there are no
 * timestamps: then a batch had all of it, or its share by what was expected. */
static pail_status measure(struct running *r, struct pail_vk_cmd *cmd, double wall_ms,
                           struct pail_error *err)
{
    const struct pail_ad_encoded *e = &r->space->encoded;
    const uint32_t *reports = (const uint32_t *)r->back.mapped + AD_STATE_WORDS;
    struct pail_vk_phase phases[PAIL_AD_PHASES + 1];
    uint32_t n;
    double all = 0;
    const pail_status status = pail_vk_cmd_phases(cmd, phases, PAIL_AD_PHASES + 1, &n, err);
    if (status != PAIL_OK)
        return status;
    for (uint32_t i = 0; i < n; i++)
        all += phases[i].ms;
    r->work->device_ns += (uint64_t)(1e6 * all);
    const double expected_ns = note_expected(r, reports), others_ns = others_expected(r, reports);
    for (uint32_t b = e->stages[r->stage].batch_first; b < e->n_batches; b++) {
        double ms = phase_ms(phases, n, pail_ad_batch_phase(b));
        if (b < PAIL_AD_PHASES - 1) {
            r->batch_ms[b] += ms;
            if (n == 0 && e->n_batches == 1)
                ms = wall_ms;
            pail_ad_pace_learn(r->gpu, r->work, e, &r->pipelines, b, reports, ms);
        } else if (others_ns > 0) {
            ms *= pail_ad_pace_expected(e, b, reports) / others_ns;
        }
        if (n == 0 && expected_ns > 0)
            ms = wall_ms * pail_ad_pace_expected(e, b, reports) / expected_ns;
        pail_ad_pace_see(&r->pace, e, b, reports, ms);
    }
    return PAIL_OK;
}

static void tell_bodies(const struct running *r, const uint32_t *reports)
{
    const struct pail_ad_bodies *bodies = &r->gpu->bodies;
    const struct pail_ad_encoded *e = &r->space->encoded;
    for (uint32_t b = 0; bodies->measured && b < e->n_batches && b < PAIL_AD_PHASES - 1; b++) {
        const struct pail_ad_batch *batch = &e->batches[b];
        const struct pail_ad_measure m = {
            .work = r->work,
            .specialised = batch->kernel,
            .n = batch->n,
            .specs = &e->specs[batch->first_spec],
            .reports = &reports[AD_REPORT_WORDS * batch->first_spec],
            .ms = r->batch_ms[b],
        };
        bodies->measured(bodies->user, &m);
    }
}

/* Releases a command buffer after its submission, or what has failed of it. */
static void release(struct running *r, struct pail_vk_cmd **cmd, pail_status status)
{
    if (status != PAIL_OK)
        /* The work may run all the same, in memory that is used again. */
        (void)pail_vk_wait(r->gpu->dev, pail_vk_last_ticket(r->gpu->dev, PAIL_VK_QUEUE_MAIN),
                           PAIL_VK_FOREVER, NULL);
    pail_vk_cmd_release(cmd);
}

/* Cells that the reports tell of, of those specs that are not given back. A portion's are counted
 * as a whole, at its end. */
static uint64_t count_cells(const struct pail_ad_encoded *e, const struct pail_ad_work *work,
                            const uint32_t *reports, bool done)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < e->n_specs; i++) {
        const uint32_t *report = &reports[AD_REPORT_WORDS * i];
        const uint64_t cells = pail_ad_report_cells(report);
        const uint64_t rounds = report[AD_REPORT_LEFT] | (uint64_t)report[AD_REPORT_LEFT + 1] << 32;
        const double left = (double)rounds * AD_WORKGROUP * report[AD_REPORT_GROUPS] *
                            e->specs[i].together / report[AD_REPORT_LANES];
        const bool given_back =
            done && !work->values->known[work->program->specs[e->specs[i].spec].slot];
        if (cells && !given_back && left < (double)cells)
            all += cells - (uint64_t)left;
    }
    return all;
}

/* Runs one submission. Out: r->stage, where the next one goes on; AD_NONE: all is done. */
static pail_status run_portion(struct running *r, struct pail_error *err)
{
    struct pail_ad_watch *watch = r->work->values->watch;
    struct pail_ad_encoded *e = &r->space->encoded;
    const uint32_t *words = r->back.mapped, *reports = words + AD_STATE_WORDS;
    struct pail_vk_cmd *cmd;
    double ms;
    pail_status status = pail_vk_cmd_begin(r->gpu->dev, PAIL_VK_QUEUE_MAIN, "adstack", &cmd, err);
    if (status != PAIL_OK)
        return status;
    record_portion(r, cmd);
    status = submit(r, cmd, &ms, err);
    if (status == PAIL_OK)
        status = measure(r, cmd, ms, err);
    release(r, &cmd, status);
    if (status != PAIL_OK)
        return status;
    const uint32_t pending = words[AD_STATE_PENDING];
    if (pending != AD_NONE && (pending < r->stage || pending >= e->n_stages))
        return pail_fail(err, PAIL_ERR_INTERNAL, "level %u of %u is said not to be complete",
                         pending, e->n_stages);
    r->stage = pending;
    if (watch)
        watch->cells = r->cells + count_cells(e, r->work, reports, false);
    return pending == AD_NONE ? PAIL_OK
                              : pail_ad_certain_look(r->gpu, e, r->work, pending,
                                                     reports + AD_REPORT_WORDS * e->n_specs, err);
}

/* Bytes of a submission that copies for a caller who may want an end: some milliseconds. */
#define COPIED_AT_A_TIME (UINT64_C(32) << 20)

/* Copies all but the last sources' bytes in submissions of their own. */
static pail_status run_copies(struct running *r, struct pail_error *err)
{
    const struct pail_ad_encoded *e = &r->space->encoded;
    uint64_t all = 0;
    pail_status status = PAIL_OK;
    for (uint32_t i = 0; i < e->n_copied; i++)
        all += e->copied[i].bytes;
    while (status == PAIL_OK && r->pace.limited && all - r->copied > COPIED_AT_A_TIME) {
        struct pail_vk_cmd *cmd;
        double ms;
        status = pail_vk_cmd_begin(r->gpu->dev, PAIL_VK_QUEUE_MAIN, "adstack", &cmd, err);
        if (status != PAIL_OK)
            return status;
        record_begin(r, cmd);
        pail_ad_record_sources(cmd, r->space, r->copied, r->copied + COPIED_AT_A_TIME);
        status = submit(r, cmd, &ms, err);
        release(r, &cmd, status);
        r->copied += COPIED_AT_A_TIME;
        if (status == PAIL_OK)
            status = pail_ad_look(r->work, err);
    }
    return status;
}

pail_status pail_ad_look(const struct pail_ad_work *work, struct pail_error *err)
{
    struct pail_ad_watch *watch = work->values->watch;
    const struct pail_ad_program *program = work->program;
    if (pail_ad_watch_look(watch))
        return PAIL_OK;
    return pail_ad_watch_fail(watch, program, program->slots[work->slots[0]].site, 0, err);
}

static pail_status run_encoded(struct pail_ad_gpu *gpu, struct pail_ad_space *s,
                               struct pail_ad_work *work, struct pail_error *err)
{
    const struct pail_ad_encoded *e = &s->encoded;
    const uint64_t reports = (uint64_t)AD_REPORT_WORDS * e->n_specs;
    const uint64_t values = (uint64_t)AD_VALUE_WORDS * (e->n_back + e->n_seen);
    const uint64_t bytes = 4 * (AD_STATE_WORDS + reports + values);
    struct pail_ad_watch *watch = work->values->watch;
    struct running r = {.gpu = gpu, .space = s, .work = work, .cells = watch ? watch->cells : 0};
    pail_status status = pail_ad_pipelines_find(gpu, &r.pipelines, false, err);
    if (status == PAIL_OK)
        status = pail_ad_certain_put(gpu, &s->encoded, work, err);
    if (status != PAIL_OK)
        return status;
    pail_ad_pace_begin(&r.pace, gpu, work);
    pail_ad_pace_aim(&r.pace, work, true);
    pail_ad_pace_put(gpu, s, &r.pipelines, work, &r.pace);
    status = pail_ad_space_fill(gpu, s, work, err);
    if (status == PAIL_OK)
        status = pail_vk_arena_take(&s->readback, bytes, &r.back, err);
    if (status == PAIL_OK)
        status = run_copies(&r, err);
    if (status == PAIL_OK)
        status = run_portion(&r, err);
    while (status == PAIL_OK && r.stage != AD_NONE) {
        status = pail_ad_look(work, err);
        pail_ad_pace_aim(&r.pace, work, false);
        if (status == PAIL_OK)
            status = run_portion(&r, err);
    }
    if (status != PAIL_OK)
        return status;
    const uint32_t *words = (const uint32_t *)r.back.mapped + AD_STATE_WORDS;
    tell_bodies(&r, words);
    take_values(e, work, words + reports);
    take_reports(e, work, words);
    if (watch)
        watch->cells = r.cells + count_cells(e, work, words, true);
    return PAIL_OK;
}

pail_status pail_ad_gpu_run(void *user, struct pail_ad_work *work, struct pail_error *err)
{
    struct pail_ad_gpu *gpu = user;
    struct pail_ad_space *space;
    work->dispatches = work->cells = work->specialised = work->submissions = work->waits = 0;
    work->n_given_back = 0;
    work->device_ns = work->longest_submission_ns = 0;
    work->expected_ns = work->expected_dispatch_ns = 0;
    pail_status status = pail_ad_space_take(gpu, &space, err);
    if (status != PAIL_OK)
        return status;
    status = pail_ad_space_encode(gpu, space, work, NULL, err);
    work->n_given_back = space->encoded.n_given_back;
    if (status == PAIL_OK && space->encoded.n_back)
        status = run_encoded(gpu, space, work, err);
    pail_ad_space_give(gpu, space);
    return status;
}
