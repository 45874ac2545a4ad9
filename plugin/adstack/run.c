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
    double batch_ms[PAIL_AD_PHASES];
};

static void record(struct running *r, struct pail_vk_cmd *cmd)
{
    struct pail_ad_space *s = r->space;
    if (r->stage == 0) {
        if (r->work->wait_semaphore)
            pail_vk_cmd_wait_semaphore(cmd, r->work->wait_semaphore, r->work->wait_value);
        /* Waits for writes of others to the arrays by work on this queue. */
        pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE | PAIL_VK_TRANSFER,
                            PAIL_VK_COMPUTE | PAIL_VK_TRANSFER);
        pail_ad_record_copies(cmd, r->gpu, s, false);
    } else {
        pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE | PAIL_VK_TRANSFER,
                            PAIL_VK_COMPUTE | PAIL_VK_TRANSFER);
        pail_ad_pace_update(cmd, r->gpu, s, &r->pipelines, r->stage);
        pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_COMPUTE | PAIL_VK_INDIRECT);
    }
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
    record(r, cmd);
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

/* Notes the expected time of the submission. */
static void note_expected(struct running *r, const uint32_t *reports)
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
}

/* Has the pace learn from each batch. wall_ms: of the submission, for where there are no timestamps
 * and one batch had all of it. */
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
    note_expected(r, reports);
    for (uint32_t b = e->stages[r->stage].batch_first; b < e->n_batches && b < PAIL_AD_PHASES - 1;
         b++) {
        double ms = phase_ms(phases, n, pail_ad_batch_phase(b));
        r->batch_ms[b] += ms;
        if (n == 0 && e->n_batches == 1)
            ms = wall_ms;
        pail_ad_pace_learn(r->gpu, r->work, e, &r->pipelines, b, reports, ms);
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

/* Runs one submission. Out: r->stage, where the next one goes on; AD_NONE: all is done. */
static pail_status run_portion(struct running *r, struct pail_error *err)
{
    struct pail_vk_cmd *cmd;
    double ms;
    pail_status status = pail_vk_cmd_begin(r->gpu->dev, PAIL_VK_QUEUE_MAIN, "adstack", &cmd, err);
    if (status != PAIL_OK)
        return status;
    status = submit(r, cmd, &ms, err);
    if (status == PAIL_OK)
        status = measure(r, cmd, ms, err);
    if (status != PAIL_OK)
        /* The work may run all the same, in memory that is used again. */
        (void)pail_vk_wait(r->gpu->dev, pail_vk_last_ticket(r->gpu->dev, PAIL_VK_QUEUE_MAIN),
                           PAIL_VK_FOREVER, NULL);
    pail_vk_cmd_release(&cmd);
    if (status != PAIL_OK)
        return status;
    const uint32_t pending = ((const uint32_t *)r->back.mapped)[AD_STATE_PENDING];
    if (pending != AD_NONE && (pending < r->stage || pending >= r->space->encoded.n_stages))
        return pail_fail(err, PAIL_ERR_INTERNAL, "level %u of %u is said not to be complete",
                         pending, r->space->encoded.n_stages);
    r->stage = pending;
    return PAIL_OK;
}

/* Asks between two submissions if the caller still wants the result. */
static pail_status look(const struct pail_ad_work *work, struct pail_error *err)
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
    const uint64_t bytes = 4 * (AD_STATE_WORDS + reports + (uint64_t)AD_VALUE_WORDS * e->n_back);
    struct running r = {.gpu = gpu, .space = s, .work = work};
    pail_status status = pail_ad_pipelines_find(gpu, &r.pipelines, false, err);
    if (status != PAIL_OK)
        return status;
    pail_ad_pace_put(gpu, s, &r.pipelines, work);
    status = pail_ad_space_fill(gpu, s, err);
    if (status == PAIL_OK)
        status = pail_vk_arena_take(&s->readback, bytes, &r.back, err);
    if (status == PAIL_OK)
        status = run_portion(&r, err);
    while (status == PAIL_OK && r.stage != AD_NONE) {
        status = look(work, err);
        if (status == PAIL_OK)
            status = run_portion(&r, err);
    }
    if (status != PAIL_OK)
        return status;
    const uint32_t *words = (const uint32_t *)r.back.mapped + AD_STATE_WORDS;
    tell_bodies(&r, words);
    take_values(e, work, words + reports);
    take_reports(e, work, words);
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
