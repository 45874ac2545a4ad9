/* SPDX-License-Identifier: Apache-2.0 */
#include "pending.h"

#include <string.h>

#include "vk/cmd.h"
#include "vk/send.h"

void pail_msm_add_phases(struct pail_pending *p, const struct pail_vk_phase phases[], uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = 0;
        while (at < p->n_phases && strcmp(p->phases[at].name, phases[i].name) != 0)
            at++;
        if (at == PAIL_PHASES_MAX)
            continue;
        if (at == p->n_phases)
            p->phases[p->n_phases++] = (struct pail_vk_phase){.name = phases[i].name};
        p->phases[at].ms += phases[i].ms;
        p->phases[at].n_spans += phases[i].n_spans;
    }
}

/* Lanes go side by side: the one that took longest stands for all of them. */
static void take_phases(struct pail_pending *p, double ms, const struct pail_vk_phase phases[],
                        uint32_t n)
{
    if (p->lanes && ms < p->lane_ms)
        return;
    if (p->lanes)
        p->n_phases = 0;
    p->lane_ms = ms;
    pail_msm_add_phases(p, phases, n);
}

/* Reads and releases the oldest submission. */
static pail_status retire(struct pail_pending *p, struct pail_error *err)
{
    struct pail_msm_submission *oldest = p->oldest;
    struct pail_vk_phase phases[PAIL_PHASES_MAX];
    uint32_t n = 0;
    struct pail_vk_submissions made = {.n = 0};
    pail_status status = pail_vk_cmd_phases(oldest->cmd, phases, PAIL_PHASES_MAX, &n, err);
    for (uint32_t i = 0; i < n; i++)
        p->parts[oldest->bundle].ms += phases[i].ms;
    take_phases(p, p->parts[oldest->bundle].ms, phases, n);
    if (status == PAIL_OK)
        status = pail_vk_cmd_submissions(oldest->cmd, &made, err);
    p->submissions += made.n;
    if (p->longest_submission_ms < made.longest_ms)
        p->longest_submission_ms = made.longest_ms;
    if (p->parts[oldest->bundle].counted)
        pail_vk_cmd_done(oldest->cmd, p->parts[oldest->bundle].done);
    pail_vk_cmd_release(&oldest->cmd);
    p->oldest = oldest->next;
    if (!p->oldest)
        p->newest = NULL;
    pail_free(&p->msm->alloc, oldest);
    return status;
}

pail_status pail_msm_retire_complete(struct pail_pending *p, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    while (p->oldest && status == PAIL_OK) {
        bool done;
        status = pail_vk_poll(p->msm->dev, pail_vk_cmd_ticket(p->oldest->cmd), &done, err);
        if (status != PAIL_OK || !done)
            break;
        status = retire(p, err);
    }
    return status;
}

pail_status pail_msm_collect(struct pail_pending *p, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    while (p->oldest) {
        const pail_status one = retire(p, status == PAIL_OK ? err : NULL);
        if (status == PAIL_OK)
            status = one;
    }
    return status;
}

pail_status pail_msm_submission_begin(struct pail_pending *p, struct pail_vk_cmd **cmd,
                                      struct pail_error *err)
{
    struct pail_msm_submission *one = pail_calloc(&p->msm->alloc, 1, sizeof(*one));
    if (!one)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a submission");
    const pail_status status = pail_vk_cmd_begin(
        p->msm->dev, p->queue, p->is_self_test ? "self-test" : "msm", &one->cmd, err);
    if (status != PAIL_OK) {
        pail_free(&p->msm->alloc, one);
        return status;
    }
    if (p->is_self_test)
        pail_vk_cmd_unlearned(one->cmd);
    one->bundle = p->bundle;
    if (p->newest)
        p->newest->next = one;
    else
        p->oldest = one;
    p->newest = one;
    *cmd = one->cmd;
    for (size_t i = 0; i < p->n_waits; i++)
        pail_vk_cmd_wait_semaphore(*cmd, p->wait_semaphores[i], p->wait_values[i]);
    p->n_waits = 0; /* later work on the queue waits with it */
    return PAIL_OK;
}

pail_status pail_msm_submission_end(struct pail_pending *p, struct pail_vk_cmd **cmd,
                                    struct pail_error *err)
{
    if (!*cmd)
        return PAIL_OK;
    /* Copies that have gone on by themselves since the recording began must be complete. */
    pail_status status = PAIL_OK;
    pail_vk_ticket sent = 0, ticket = 0;
    if (p->sending)
        status = pail_vk_send_until(p->sending, p->sending_needed, &sent, err);
    pail_vk_cmd_wait(*cmd, sent);
    if (status == PAIL_OK)
        status = pail_vk_cmd_submit(*cmd, &ticket, err);
    if (status == PAIL_OK)
        p->ticket = ticket;
    if (p->sending && p->sending_needed >= p->sending_bytes)
        p->sent = sent ? sent : ticket;
    if (p->sending_needed >= p->sending_bytes)
        pail_vk_send_end(&p->sending, ticket);
    *cmd = NULL;
    return status;
}
