#include <stdio.h>
#include <string.h>

#include <shared/adstack_layout.h>

#include "gpu_priv.h"

static pail_status submit(struct pail_ad_gpu *gpu, struct pail_ad_space *s,
                          struct pail_ad_work *work, const struct pail_vk_slice *back,
                          struct pail_vk_cmd *cmd, struct pail_error *err)
{
    const struct pail_ad_encoded *e = &s->encoded;
    struct pail_ad_pipelines pipelines;
    pail_vk_ticket ticket;
    pail_status status = pail_ad_pipelines_find(gpu, &pipelines, false, err);
    if (status != PAIL_OK)
        return status;
    if (work->wait_semaphore)
        pail_vk_cmd_wait_semaphore(cmd, work->wait_semaphore, work->wait_value);
    /* What others have written to the arrays by work on this queue. */
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE | PAIL_VK_TRANSFER,
                        PAIL_VK_COMPUTE | PAIL_VK_TRANSFER);
    pail_ad_record_stages(cmd, gpu, s, &pipelines, true);
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_TRANSFER);
    pail_vk_cmd_copy(cmd, &s->on_device[0], 4 * (uint64_t)e->report, back, 0, back->size);
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_HOST);
    status = pail_vk_cmd_submit(cmd, &ticket, err);
    if (status != PAIL_OK)
        return status;
    work->submissions++;
    status = pail_vk_wait(gpu->dev, ticket, PAIL_VK_FOREVER, err);
    work->waits++;
    if (status == PAIL_OK)
        status = pail_vk_invalidate(gpu->dev, back, err);
    return status;
}

/* Adds a line to the plan, as much as there is room for. */
static void tell(struct pail_ad_work *work, const struct pail_ad_encoded_spec *spec,
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
             spec->kernel ? "specialised" : "interpreter", report[2], report[3], spec->stage,
             given_back ? ", given back" : "");
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
        tell(work, &e->specs[i], report, given_back);
    }
}

static double phase_ms(const struct pail_vk_phase phases[], uint32_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(phases[i].name, name) == 0)
            return phases[i].ms;
    return 0;
}

static void measure_batches(const struct pail_ad_gpu *gpu, const struct pail_ad_encoded *e,
                            const struct pail_ad_work *work, const uint32_t *reports,
                            const struct pail_vk_phase phases[], uint32_t n)
{
    for (uint32_t b = 0; b < e->n_batches && b < PAIL_AD_PHASES - 1; b++) {
        const struct pail_ad_batch *batch = &e->batches[b];
        const struct pail_ad_measure m = {
            .work = work,
            .specialised = batch->kernel,
            .n = batch->n,
            .specs = &e->specs[batch->first_spec],
            .reports = &reports[AD_REPORT_WORDS * batch->first_spec],
            .ms = phase_ms(phases, n, pail_ad_batch_phase(b)),
        };
        gpu->bodies.measured(gpu->bodies.user, &m);
    }
}

static pail_status measure(const struct pail_ad_gpu *gpu, const struct pail_ad_encoded *e,
                           struct pail_ad_work *work, const uint32_t *reports,
                           struct pail_vk_cmd *cmd, struct pail_error *err)
{
    struct pail_vk_phase phases[PAIL_AD_PHASES + 1];
    uint32_t n;
    double ms = 0;
    const pail_status status = pail_vk_cmd_phases(cmd, phases, PAIL_AD_PHASES + 1, &n, err);
    if (status != PAIL_OK)
        return status;
    for (uint32_t i = 0; i < n; i++)
        ms += phases[i].ms;
    work->device_ns = (uint64_t)(1e6 * ms);
    if (gpu->bodies.measured)
        measure_batches(gpu, e, work, reports, phases, n);
    return PAIL_OK;
}

static pail_status run_encoded(struct pail_ad_gpu *gpu, struct pail_ad_space *s,
                               struct pail_ad_work *work, struct pail_error *err)
{
    const struct pail_ad_encoded *e = &s->encoded;
    const uint64_t reports = (uint64_t)AD_REPORT_WORDS * e->n_specs;
    const uint64_t bytes = 4 * (reports + (uint64_t)AD_VALUE_WORDS * e->n_back);
    struct pail_vk_slice back;
    struct pail_vk_cmd *cmd = NULL;
    pail_status status = pail_ad_space_fill(gpu, s, err);
    if (status == PAIL_OK)
        status = pail_vk_arena_take(&s->readback, bytes, &back, err);
    if (status == PAIL_OK)
        status = pail_vk_cmd_begin(gpu->dev, PAIL_VK_QUEUE_MAIN, "adstack", &cmd, err);
    if (status != PAIL_OK)
        return status;
    status = submit(gpu, s, work, &back, cmd, err);
    if (status == PAIL_OK) {
        const uint32_t *words = back.mapped;
        status = measure(gpu, e, work, words, cmd, err); /* what may fail comes first */
        if (status == PAIL_OK) {
            take_values(e, work, words + reports);
            take_reports(e, work, words);
        }
    } else {
        /* It may run all the same, in memory that is used again. */
        (void)pail_vk_wait(gpu->dev, pail_vk_last_ticket(gpu->dev, PAIL_VK_QUEUE_MAIN),
                           PAIL_VK_FOREVER, NULL);
    }
    pail_vk_cmd_release(&cmd);
    return status;
}

pail_status pail_ad_gpu_run(void *user, struct pail_ad_work *work, struct pail_error *err)
{
    struct pail_ad_gpu *gpu = user;
    struct pail_ad_space *space;
    work->dispatches = work->cells = work->specialised = work->submissions = work->waits = 0;
    work->n_given_back = 0;
    work->device_ns = 0;
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
