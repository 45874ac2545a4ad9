/* SPDX-License-Identifier: Apache-2.0 */
#include "multiplications.h"

#include <inttypes.h>
#include <string.h>

#include <platform/clock.h>
#include <platform/memory.h>

#include "pending.h"

/* A promise of short scalars leaves out windows, so it is checked. */
static pail_status check_promise(const pail_msm_job *job, size_t number, struct pail_error *err)
{
    if (job->scalar_bits == 0 || job->scalar_bits >= 256 ||
        job->scalar_location != PAIL_LOCATION_HOST)
        return PAIL_OK;
    const struct pail_curve_ops *ops = job->bases->group.ops;
    const uint32_t limb = job->scalar_bits / 64, shift = job->scalar_bits % 64;
    pail_u256 s;
    for (size_t i = 0; i < job->n; i++) {
        pail_u256_from_bytes(&s, (const uint8_t *)job->scalars + 32 * i);
        if (job->scalar_encoding == PAIL_ENCODING_MONTGOMERY)
            ops->scalar_from_montgomery(&s, &s);
        uint64_t above = s.l[limb] >> shift;
        for (uint32_t l = limb + 1; l < 4; l++)
            above |= s.l[l];
        if (above) {
            pail_wipe(&s, sizeof(s));
            pail_wipe_stack();
            return pail_fail(err, PAIL_ERR_DATA,
                             "jobs[%zu].scalars[%zu] is not below 2^%u, as scalar_bits says",
                             number, i, job->scalar_bits);
        }
    }
    pail_wipe(&s, sizeof(s));
    pail_wipe_stack(); /* the stack of conversions */
    return PAIL_OK;
}

/* Takes the jobs' device addresses of results, and the semaphores to wait for. */
static pail_status take_extras(struct pail_pending *p, const pail_msm_job jobs[],
                               struct pail_error *err)
{
    const struct pail_alloc *alloc = &p->msm->alloc;
    p->wait_semaphores = pail_calloc(alloc, p->n_jobs, sizeof(*p->wait_semaphores));
    p->wait_values = pail_calloc(alloc, p->n_jobs, sizeof(*p->wait_values));
    if (!p->wait_semaphores || !p->wait_values)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %zu jobs", p->n_jobs);
    for (size_t i = 0; i < p->n_jobs; i++) {
        if (!jobs[i].wait_semaphore)
            continue;
        if (!pail_vk_device_caps(p->msm->dev)->timeline_semaphore)
            return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                             "jobs[%zu].wait_semaphore is 0x%" PRIx64 ", but " PAIL_VK_NO_TIMELINE,
                             i, jobs[i].wait_semaphore);
        p->wait_semaphores[p->n_waits] = jobs[i].wait_semaphore;
        p->wait_values[p->n_waits++] = jobs[i].wait_value;
    }
    for (size_t i = 0; i < p->n_bundles; i++) {
        const struct pail_msm_bundle *b = &p->bundles[i];
        const size_t n = (size_t)b->n_sets * b->n_vectors;
        if (!b->shape.device_results)
            continue;
        uint64_t *addresses = pail_calloc(alloc, n, sizeof(*addresses));
        if (!addresses)
            return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %zu results", n);
        for (size_t k = 0; k < n; k++)
            if (jobs[b->jobs[k]].result_location == PAIL_LOCATION_DEVICE_ADDRESS)
                addresses[k] = jobs[b->jobs[k]].result_address;
        p->parts[i].addresses = addresses;
    }
    return PAIL_OK;
}

static pail_status prepare(struct pail_pending *p, const pail_msm_job jobs[],
                           const pail_msm_config *config, enum pail_plan_purpose purpose,
                           struct pail_error *err)
{
    struct pail_msm *msm = p->msm;
    pail_status status =
        pail_msm_bundles_make(msm, &p->bundles, &p->n_bundles, jobs, p->n_jobs, config, err);
    for (size_t i = 0; i < p->n_jobs && status == PAIL_OK; i++)
        status = check_promise(&jobs[i], i, err);
    if (status == PAIL_OK &&
        !(p->parts = pail_calloc(&msm->alloc, p->n_bundles, sizeof(*p->parts))))
        status = pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %zu jobs", p->n_jobs);
    if (status == PAIL_OK)
        status = pail_msm_elements_copy(p, err);
    if (status == PAIL_OK)
        status = pail_msm_bundles_plan(msm, p->bundles, p->n_bundles, config, purpose, err);
    for (size_t i = 0; i < p->n_bundles && status == PAIL_OK; i++) {
        struct pail_msm_bundle *b = &p->bundles[i];
        for (uint32_t s = 0; s < b->n_sets && status == PAIL_OK; s++)
            status = pail_bases_in_form(b->sets[s].bases, b->form, err);
        for (uint32_t s = 0; s < b->n_sets && status == PAIL_OK; s++)
            pail_bases_take_pipelines(b->sets[s].bases, &p->pipelines);
    }
    return status == PAIL_OK ? take_extras(p, jobs, err) : status;
}

/* No work of it may run any more. */
static void destroy(struct pail_pending *p)
{
    const struct pail_alloc alloc = p->msm->alloc;
    struct pail_error ignored;
    if (p->counted)
        pail_first_uses_leave(p->msm, &p->number);
    (void)pail_msm_collect(p, &ignored);
    pail_msm_wipe_end(p);
    if (p->ws) /* the results are in mapped memory: this cannot fail but for a flush */
        (void)pail_vk_arena_wipe(&p->ws->readback, &ignored);
    /* A self-test's plan knows no caller's budget, and nothing else needs as much as it has grown
     * to; nor does anything read back as much as all buckets. */
    if (p->ws && (p->keeps_buckets ||
                  (p->is_self_test && pail_vk_arena_allocated(&p->ws->device) > p->ws_bytes)))
        pail_workspace_drop(p->msm, p->ws);
    else
        pail_workspace_give(p->msm, p->ws);
    for (size_t i = 0; p->parts && i < p->n_bundles; i++) {
        pail_free(&alloc, p->parts[i].addresses);
        pail_free(&alloc, p->parts[i].pipelines);
        pail_vk_steps_fini(&p->parts[i].steps);
    }
    pail_msm_bundles_free(p->msm, p->bundles, p->n_bundles);
    pail_free(&alloc, p->parts);
    pail_free(&alloc, p->wait_semaphores);
    pail_free(&alloc, p->wait_values);
    pail_free(&alloc, p);
}

pail_status pail_msm_prepare_jobs(struct pail_msm *msm, struct pail_pending **out,
                                  const pail_msm_job jobs[], size_t n_jobs,
                                  const pail_msm_config *config, enum pail_plan_purpose purpose,
                                  struct pail_error *err)
{
    *out = NULL;
    const double start = pail_now_ms();
    struct pail_pending *p = pail_calloc(&msm->alloc, 1, sizeof(*p));
    if (!p)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %zu jobs", n_jobs);
    p->kind = &pail_msm_pending;
    p->msm = msm;
    p->n_jobs = n_jobs;
    p->start_ms = start;
    p->memory_budget = config->memory_budget;
    p->secret = (config->flags & PAIL_MSM_PUBLIC_SCALARS) == 0;
    p->stable = (config->flags & PAIL_MSM_STABLE_SCALARS) != 0;
    atomic_init(&p->cancel, false);
    if (purpose == PAIL_PLAN_USE && msm->first.on) {
        p->number = pail_first_uses_begin(msm);
        p->counted = true;
        if (!p->number)
            purpose = PAIL_PLAN_KNOWN;
    }
    const pail_status status = prepare(p, jobs, config, purpose, err);
    if (status != PAIL_OK) {
        pail_msm_drop(p);
        return status;
    }
    *out = p;
    return PAIL_OK;
}

/* *again: it failed with a candidate, which is left out now. */
static pail_status start(struct pail_msm *msm, struct pail_pending **out, const pail_msm_job jobs[],
                         size_t n_jobs, const pail_msm_config *config, bool *again,
                         struct pail_error *err)
{
    struct pail_pending *p;
    *again = false;
    pail_status status = pail_msm_prepare_jobs(msm, &p, jobs, n_jobs, config, PAIL_PLAN_USE, err);
    if (status != PAIL_OK)
        return status;
    status = pail_msm_self_test(p, err);
    if (status == PAIL_OK)
        status = pail_msm_drive(p, err);
    if (status == PAIL_OK) {
        *out = p;
    } else {
        *again = pail_msm_drop_candidates(p, err);
        pail_msm_drop(p);
    }
    return status;
}

pail_status pail_msm_start_jobs(struct pail_msm *msm, struct pail_pending **out,
                                const pail_msm_job jobs[], size_t n_jobs,
                                const pail_msm_config *config, struct pail_error *err)
{
    bool again = true;
    pail_status status = PAIL_OK;
    *out = NULL;
    for (uint32_t i = 0; again && i <= PAIL_COMPARISON_CANDIDATES; i++) {
        *err = (struct pail_error){0};
        status = start(msm, out, jobs, n_jobs, config, &again, err);
    }
    return status;
}

static pail_status wait_for_all(const struct pail_pending *p, uint64_t timeout_ns,
                                struct pail_error *err)
{
    const uint64_t until_ns = pail_clock_until(timeout_ns);
    pail_status status = PAIL_OK;
    if (!p->lanes)
        return pail_vk_wait(p->msm->dev, p->ticket, timeout_ns, err);
    for (size_t i = 0; i < p->n_bundles && status == PAIL_OK; i++) {
        const uint64_t now_ns = pail_clock_ns();
        if (timeout_ns != PAIL_VK_FOREVER)
            timeout_ns = now_ns < until_ns ? until_ns - now_ns : 0;
        status = pail_vk_wait(p->msm->dev, p->parts[i].ticket, timeout_ns, err);
    }
    return status;
}

pail_status pail_msm_wait(struct pail_pending *p, uint64_t timeout_ns, struct pail_error *err)
{
    const pail_status status = pail_msm_drive_wait(p, &timeout_ns, err);
    if (status != PAIL_OK)
        return status;
    if (timeout_ns > 0) { /* poll never blocks */
        const double since = pail_now_ms();
        pail_msm_wipe_sent(p, timeout_ns);
        const uint64_t spent = (uint64_t)((pail_now_ms() - since) * 1e6);
        if (timeout_ns != PAIL_VK_FOREVER)
            timeout_ns = timeout_ns > spent ? timeout_ns - spent : 0;
    }
    return wait_for_all(p, timeout_ns, err);
}

struct pail_msm *pail_msm_of(const struct pail_pending *pending)
{
    return pending->msm;
}

size_t pail_msm_n_jobs(const struct pail_pending *pending)
{
    return pending->n_jobs;
}

pail_status pail_msm_deliver(struct pail_pending *p, pail_msm_result results[], pail_stats *stats,
                             struct pail_error *err)
{
    pail_status status = pail_msm_wait(p, PAIL_VK_FOREVER, err);
    if (status == PAIL_OK)
        status = pail_msm_count_sums(p, err);
    if (status == PAIL_OK)
        status = pail_msm_collect(p, err);
    if (status == PAIL_OK)
        status = pail_msm_read_results(p, results, err);
    if (status == PAIL_OK)
        pail_msm_drive_join(p);
    else
        pail_msm_drive_stop(p);
    if (status == PAIL_OK && p->counted)
        pail_msm_note_use(p);
    else if (status != PAIL_OK)
        (void)pail_msm_drop_candidates(p, err);
    pail_msm_wipe_end(p);
    if (status == PAIL_OK)
        status = pail_msm_read_stats(p, stats, err);
    stats->wall_ms = pail_now_ms() - p->start_ms;
    destroy(p);
    return status;
}

void pail_msm_drop(struct pail_pending *p)
{
    pail_msm_drive_stop(p);
    destroy(p);
}

const struct pail_pending_kind pail_msm_pending = {
    .what = "multiplications",
    .finish = "msm_finish",
    .wait = pail_msm_wait,
    .drop = pail_msm_drop,
};
