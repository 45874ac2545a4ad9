/* Jobs whose work on the device is started together. */
#include "jobs.h"
#include <formats/report.h>

_Static_assert((int)PAIL_SHARE_MAX == (int)PAIL_SCHEDULE_SHARE_MAX,
               "as many as the schedule takes");

struct together {
    struct pail_prover_job *jobs[PAIL_SHARE_MAX];
    struct pail_sharer sharers[PAIL_SHARE_MAX]; /* jobs that are not cancelled */
    pail_status status[PAIL_SHARE_MAX];
    uint32_t n;
};

/* Collects the first job and its mates, which are linked until they are done. */
static void collect(struct together *all, struct pail_prover_job *first)
{
    all->n = 0;
    all->jobs[all->n++] = first;
    for (struct pail_unit *mate = first->unit.mates; mate != NULL; mate = mate->next)
        all->jobs[all->n++] = (struct pail_prover_job *)mate;
}

static void start(struct together *all, pail_prover *prover)
{
    const struct pail_prover_key *const key = &prover->keys[all->jobs[0]->unit.key];
    const uint32_t device = all->jobs[0]->unit.device;
    uint32_t places[PAIL_SHARE_MAX], n = 0;
    pthread_mutex_lock(&prover->mutex);
    for (uint32_t i = 0; i < all->n; i++) {
        struct pail_prover_job *const job = all->jobs[i];
        job->error[0] = '\0';
        all->status[i] = job->unit.cancelled ? PAIL_ERR_STOPPED : PAIL_OK;
        if (job->unit.cancelled)
            continue;
        places[n] = i;
        all->sharers[n++] = (struct pail_sharer){
            .proving = job->proving, .error = job->error, .error_cap = sizeof(job->error)};
    }
    pthread_mutex_unlock(&prover->mutex);
    for (uint32_t i = 0; i < n; i++)
        pail_proving_use_key(all->sharers[i].proving, key->open[device]);
    if (n != 0)
        pail_shared_start(all->sharers, n, 0, key->threads[device]);
    for (uint32_t i = 0; i < n; i++) {
        struct pail_prover_job *const job = all->jobs[places[i]];
        all->status[places[i]] = all->sharers[i].status;
        job->sent_ns = (uint64_t)(1e6 * pail_proving_sent_ms(job->proving));
    }
}

static void wait_for(struct together *all, pail_prover *prover)
{
    const pail_prover_device *const device = &prover->devices[all->jobs[0]->unit.device];
    pail_status status = PAIL_NOT_READY; /* not asked yet: all share one answer */
    const char *sentence = "";
    for (uint32_t i = 0; i < all->n; i++) {
        struct pail_prover_job *const job = all->jobs[i];
        if (all->status[i] != PAIL_OK)
            continue;
        pail_job_note_allocated(job);
        if (status == PAIL_NOT_READY) {
            status = pail_proving_wait(job->proving, UINT64_MAX);
            sentence = device->backend->error(device->context);
        }
        all->status[i] = status;
        if (status != PAIL_OK) {
            (void)pail_report(job->error, sizeof(job->error), status, "%s: %s",
                              device->backend->name, sentence);
            pail_proving_reset(job->proving);
        }
    }
}

void pail_jobs_compute_together(struct pail_prover_job *first)
{
    pail_prover *const prover = first->prover;
    struct together all;
    collect(&all, first);
    start(&all, prover);
    wait_for(&all, prover);
    /* Jobs end in order: the first that is done goes on first. */
    pthread_mutex_lock(&prover->mutex);
    for (uint32_t i = 0; i < all.n; i++)
        pail_schedule_done(prover->schedule, &all.jobs[i]->unit, PAIL_STAGE_DEVICE, all.status[i],
                           all.jobs[i]->error);
    pthread_mutex_unlock(&prover->mutex);
}
