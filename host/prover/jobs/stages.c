/* SPDX-License-Identifier: Apache-2.0 */
/* Stages of a job. Each runs in a thread of a crew and ends by telling the schedule. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "jobs.h"
#include <cpu/cpu.h>
#include <formats/file.h>
#include <formats/report.h>
#include <platform/clock.h>
#include <platform/memory.h>
#include <prover/b2/b2.h>
#include <prover/key/assignment.h>
#include <prover/open/open.h>
#include <prover/proof/memory.h>
#include <prover/proof/run.h>

/* ---- Producing ------------------------------------------------------------------------------ */
static void note_allocated(struct pail_prover_job *job)
{
    pthread_mutex_lock(&job->prover->mutex);
    pail_schedule_allocated(job->prover->schedule, &job->unit);
    pthread_mutex_unlock(&job->prover->mutex);
}

static void note_buffer(struct pail_prover_job *job)
{
    pthread_mutex_lock(&job->prover->mutex);
    pail_schedule_allocated(job->prover->schedule, &job->unit);
    pail_jobs_keep_promise(job->prover, job);
    pthread_mutex_unlock(&job->prover->mutex);
}

/* Takes a buffer that is reused. what: its contents, in a message. */
static pail_status take_buffer(struct pail_prover_job *job, uint64_t bytes, const char *what)
{
    const pail_status status =
        pail_buffers_take(job->prover->buffers, &job->buffer, &job->buffer_capacity, bytes);
    if (status != PAIL_OK)
        return pail_report(job->error, sizeof(job->error), PAIL_ERR_HOST_MEMORY,
                           "%s: no memory for %" PRIu64 " bytes", what, bytes);
    job->buffer_bytes = bytes;
    return PAIL_OK;
}

/* Reads a file into a buffer. */
static pail_status read_file(struct pail_prover_job *job)
{
    struct pail_file file;
    pail_status status = pail_file_open(&file, job->path, job->error, sizeof(job->error));
    if (status != PAIL_OK)
        return status;
    const uint64_t most = job->witness_bytes;
    if (file.size > most)
        status = pail_report(job->error, sizeof(job->error), PAIL_ERR_DATA,
                             "%s: has %zu bytes, but a witness of this key has %" PRIu64 " at most",
                             job->path, (size_t)file.size, most);
    if (status == PAIL_OK)
        status = take_buffer(job, file.size, job->path);
    if (status == PAIL_OK)
        status = pail_file_read(&file, job->buffer, file.size, 0, job->error, sizeof(job->error));
    pail_file_close(&file);
    if (job->buffer)
        note_buffer(job);
    job->witness.path = NULL;
    job->witness.wtns = job->buffer;
    job->witness.n_wtns = job->buffer_bytes;
    if (!job->witness.name)
        job->witness.name = job->path;
    return status;
}

/* Copies the arrays of the assignment, whose numbers were checked when the job was submitted. */
static pail_status copy_assignment(struct pail_prover_job *job)
{
    const pail_status status =
        take_buffer(job, job->witness_bytes, job->name ? job->name : "the assignment");
    if (status != PAIL_OK)
        return status;
    pail_assigned_copy(&job->assignment, job->buffer);
    note_buffer(job);
    return PAIL_OK;
}

static pail_status produce(struct pail_prover_job *job)
{
    pail_status status = PAIL_OK;
    if (job->path)
        status = read_file(job);
    else if (job->witness_bytes != 0)
        status = copy_assignment(job);
    if (status == PAIL_OK)
        status = pail_proving_create(
            &job->proving, &job->prover->keys[job->unit.key].facts,
            job->is_assigned ? &(struct pail_proof_source){.assignment = &job->assignment}
                             : &(struct pail_proof_source){.witness = &job->witness},
            &job->options, job->error, sizeof(job->error));
    return status;
}

/* ---- Keys ----------------------------------------------------------------------------------- */
static struct pail_key_plan taken_by(const pail_groth16_key *key)
{
    pail_groth16_key_info info;
    pail_b2_info(key, &info);
    return (struct pail_key_plan){
        .host_bytes = info.host_bytes,
        .device_bytes =
            info.device_bytes + (key->form == PAIL_KEY_ZKEY
                                     ? pail_key_matrices_bytes(key->info.n_coefficients,
                                                               UINT64_C(1) << key->domain.log2_n)
                                     : 0)};
}

/* The params as given, or with points in the host's memory: the second of two plans. */
static pail_groth16_key_params params_of(const struct pail_prover_key *key, uint32_t plan)
{
    pail_groth16_key_params params = key->params;
    if (plan == 0)
        return params;
    params.residency = PAIL_RESIDENCY_HOST;
    params.table_factor = 0; /* tables are on devices */
    return params;
}

/* Threads for multiplications with the key, where the context computes on the host. */
static uint32_t threads_of(const pail_prover *prover, const pail_groth16_key *key,
                           uint64_t *worker_bytes)
{
    *worker_bytes = 0;
    if (!pail_is_cpu(key->backend) || (prover->params.flags & PAIL_PROVER_ALL_THREADS) != 0 ||
        pail_proof_worker_bytes(key, worker_bytes) != PAIL_OK)
        return 0;
    return pail_pool_threads(&prover->caches, (uint64_t)prover->params.host_bucket_mb << 20,
                             *worker_bytes);
}

/* True if a device with this key never has memory for a proof, and has it if the points are in the
 * host's memory: then this plan is given up for that one. bytes: of a proof. */
static bool leaves_no_room(const struct pail_prover_job *job, const pail_groth16_key *open,
                           uint64_t bytes)
{
    pail_prover *const prover = job->prover;
    const uint64_t none[PAIL_LEDGER_HEAPS_MAX] = {0};
    uint64_t all[PAIL_LEDGER_HEAPS_MAX] = {0};
    if (job->unit.key_plan != 0 ||
        prover->keys[job->unit.key].params.residency != PAIL_RESIDENCY_AUTO ||
        pail_is_cpu(open->backend))
        return false;
    const struct pail_key_plan taken = taken_by(open);
    all[PAIL_HEAP_DEVICE + job->unit.device] = taken.device_bytes + bytes;
    pthread_mutex_lock(&prover->mutex);
    const bool fits = pail_ledger_ever_fits(prover->ledger, all, none);
    pthread_mutex_unlock(&prover->mutex);
    return !fits;
}

static pail_status load(struct pail_prover_job *job)
{
    pail_prover *const prover = job->prover;
    const uint32_t d = job->unit.device;
    struct pail_prover_key *const key = &prover->keys[job->unit.key];
    pail_groth16_key *open = NULL;
    uint64_t bytes = 0, largest = 0;
    const pail_groth16_key_params params = params_of(key, job->unit.key_plan);
    pail_status status =
        pail_key_open(&open, prover->devices[d].backend, prover->devices[d].context, &params,
                      job->error, sizeof(job->error));
    if (status != PAIL_OK)
        return status;
    /* A witness is checked with the facts of the key when it was added. */
    pthread_mutex_lock(&prover->mutex);
    const bool other =
        key->known &&
        (open->curve != key->facts.curve || open->n_vars != key->facts.n_vars ||
         open->n_public != key->facts.n_public || open->domain.log2_n != key->facts.domain.log2_n);
    pthread_mutex_unlock(&prover->mutex);
    if (other) {
        status = pail_report(job->error, sizeof(job->error), PAIL_ERR_DATA,
                             "%s: is another key than when it was added", open->name);
        pail_key_close(&open);
        return status;
    }
    pail_b2_bound(open, (prover->params.flags & PAIL_PROVER_ALL_THREADS) != 0
                            ? UINT64_MAX
                            : (uint64_t)prover->params.host_bucket_mb << 20);
    const uint64_t b2_bytes = pail_b2_work_bytes(open);
    uint64_t worker_bytes;
    const uint32_t threads = threads_of(prover, open, &worker_bytes);
    struct pail_proof_lane lane;
    pail_proof_lane_of(&lane, open, false, false);
    status = pail_proof_estimate(open, &lane, threads, &bytes, &largest);
    if (status != PAIL_OK) {
        (void)pail_report(job->error, sizeof(job->error), status, "%s",
                          prover->devices[d].backend->error(prover->devices[d].context));
        pail_key_close(&open);
        return status;
    }
    if (leaves_no_room(job, open, bytes)) { /* the schedule tries the next plan */
        status = pail_report(job->error, sizeof(job->error), PAIL_ERR_DEVICE_MEMORY,
                             "%s: its points leave no memory for a proof of %" PRIu64 " bytes",
                             open->name, bytes);
        const struct pail_key_plan refused = taken_by(open);
        pthread_mutex_lock(&prover->mutex);
        pail_schedule_refuse_plan(prover->schedule, &job->unit, &refused);
        pthread_mutex_unlock(&prover->mutex);
        pail_key_close(&open);
        return status;
    }
    pthread_mutex_lock(&prover->mutex);
    key->open[d] = open;
    key->threads[d] = threads;
    if (worker_bytes != 0) { /* true on a context with a pool on the host */
        prover->pool_threads = threads;
        prover->pool_worker_bytes = worker_bytes;
    }
    if (!key->known) {
        key->facts = *open;
        memset(key->facts.bases, 0, sizeof(key->facts.bases));
        memset(key->facts.matrices, 0, sizeof(key->facts.matrices));
        memset(&key->facts.verifying, 0, sizeof(key->facts.verifying));
        key->facts.b2 = NULL;
        key->known = true;
    }
    if (b2_bytes > key->b2_bytes)
        key->b2_bytes = b2_bytes;
    if (bytes > key->device_bytes) {
        key->device_bytes = bytes;
        key->largest_bytes = largest;
    }
    const struct pail_key_plan taken = taken_by(open);
    pail_schedule_key_bytes(prover->schedule, &job->unit, &taken);
    pthread_mutex_unlock(&prover->mutex);
    return PAIL_OK;
}

static void run_eviction(struct pail_task *task)
{
    struct pail_eviction *const eviction = (struct pail_eviction *)task;
    pail_prover *const prover = eviction->prover;
    pail_groth16_key **const place = &prover->keys[eviction->key].open[eviction->device];
    pail_groth16_key *key = *place;
    pail_key_close(&key);
    pthread_mutex_lock(&prover->mutex);
    *place = NULL; /* winding down closes the keys that are left */
    pail_schedule_evicted(prover->schedule, eviction->key, eviction->device);
    pthread_cond_broadcast(&prover->ended);
    pthread_mutex_unlock(&prover->mutex);
}

/* ---- On the device, and after --------------------------------------------------------------- */
/* Waits before the next step of a proof, while urgent work has its device. */
static void give_way(void *user)
{
    const struct pail_prover_job *const job = user;
    pail_prover *const prover = job->prover;
    pthread_mutex_lock(&prover->mutex);
    while (!job->unit.cancelled && pail_schedule_gives_way(prover->schedule, &job->unit))
        (void)pail_clock_cond_wait(&prover->ended, &prover->mutex, UINT64_MAX);
    pthread_mutex_unlock(&prover->mutex);
}

static void claim(void *user, bool claims)
{
    struct pail_prover_job *const job = user;
    pthread_mutex_lock(&job->prover->mutex);
    job->unit.claims_device = claims;
    if (!claims)
        pthread_cond_broadcast(&job->prover->ended);
    pthread_mutex_unlock(&job->prover->mutex);
}

/* Work that is no proof. Beside a proof that computes on the processors, that one's transforms
 * pause most of the time. */
static pail_status run_work(struct pail_prover_job *job)
{
    pail_prover *const prover = job->prover;
    const pail_prover_device device = prover->devices[job->unit.device];
    pthread_mutex_lock(&prover->mutex);
    const bool ahead = pail_schedule_is_ahead(prover->schedule, &job->unit);
    pail_schedule_allocated(prover->schedule, &job->unit);
    pthread_mutex_unlock(&prover->mutex);
    const bool throttles = ahead && PAIL_HAS(device.backend, throttle_begin) &&
                           device.backend->throttle_begin(device.context) == PAIL_OK;
    job->work->claim = claim;
    job->work->user = job;
    const pail_status status =
        job->work->run(job->work, &job->stop, job->error, sizeof(job->error));
    if (throttles)
        (void)device.backend->throttle_end(device.context);
    job->unit.device_ns = job->work->device_ns;
    return status;
}

static pail_status compute(struct pail_prover_job *job)
{
    const struct pail_prover_key *const key = &job->prover->keys[job->unit.key];
    pail_proving_use_key(job->proving, key->open[job->unit.device]);
    pthread_mutex_lock(&job->prover->mutex); /* another device may be loading the key */
    const uint64_t largest = key->largest_bytes;
    const bool shares = job->prover->shares[job->unit.device];
    pthread_mutex_unlock(&job->prover->mutex);
    if (shares)
        pail_proving_give_way(job->proving, give_way, job);
    const uint64_t budget = job->unit.reduced ? largest + largest / 4 : 0;
    pail_status status = pail_proving_start(job->proving, budget, key->threads[job->unit.device],
                                            job->error, sizeof(job->error));
    job->sent_ns = (uint64_t)(1e6 * pail_proving_sent_ms(job->proving));
    if (status != PAIL_OK)
        return status;
    note_allocated(job);
    status = pail_proving_wait(job->proving, UINT64_MAX);
    if (status != PAIL_OK) {
        const pail_prover_device *const device = &job->prover->devices[job->unit.device];
        (void)pail_report(job->error, sizeof(job->error), status, "%s: %s", device->backend->name,
                          device->backend->error(device->context));
        pail_proving_reset(job->proving);
    }
    return status;
}

/* Later proofs with the key take as much as this one, and no more is reserved for them. */
static void learn(struct pail_prover_job *job)
{
    struct pail_prover_key *const key = &job->prover->keys[job->unit.key];
    const uint64_t taken = pail_proving_taken_bytes(job->proving);
    pthread_mutex_lock(&job->prover->mutex);
    if (taken > key->taken_bytes)
        key->taken_bytes = taken;
    pthread_mutex_unlock(&job->prover->mutex);
}

static pail_status finish_proof(struct pail_prover_job *job)
{
    const pail_status status = pail_proving_finish(job->proving, &job->proof, job->publics,
                                                   &job->timings, job->error, sizeof(job->error));
    if (status == PAIL_OK && !job->unit.reduced)
        learn(job);
    double device_ms = 0;
    for (uint32_t i = 0; i < PAIL_GROTH16_STAGES_COUNT; i++)
        device_ms += job->timings.stage_device_ms[i];
    job->unit.device_ns = (uint64_t)(1e6 * device_ms);
    return status;
}

static void free_job_memory(void *user, void *memory, uint64_t bytes)
{
    struct pail_prover_job *const job = user;
    (void)memory;
    (void)bytes;
    pail_proving_destroy(&job->proving);
    if (job->buffer) {
        pail_buffers_give(job->prover->buffers, job->buffer, job->buffer_bytes);
        job->buffer = NULL;
    }
    pail_wipe(&job->options, sizeof(job->options));
}

static void memory_is_free(void *user)
{
    struct pail_prover_job *const job = user;
    pail_prover *const prover = job->prover;
    pthread_mutex_lock(&prover->mutex);
    /* Release first, so that a waiting job gets this buffer. */
    pail_schedule_done(prover->schedule, &job->unit, PAIL_STAGE_RELEASE, PAIL_OK, NULL);
    pail_jobs_note_idle(prover);
    pthread_mutex_unlock(&prover->mutex);
}

static void run_release(struct pail_prover_job *job)
{
    pail_reclaim(job->prover->reclaimer, &(struct pail_reclaim){.memory = job,
                                                                .bytes = job->unit.host_bytes,
                                                                .release = free_job_memory,
                                                                .released = memory_is_free,
                                                                .user = job});
}

/* Slows down phases of the prover that load the memory bus. */
static pail_status with_throttle(struct pail_prover_job *job,
                                 pail_status (*phase)(struct pail_prover_job *job))
{
    pail_prover *const prover = job->prover;
    if ((prover->params.flags & PAIL_PROVER_THROTTLE) == 0)
        return phase(job);
    bool begun[PAIL_SCHEDULE_DEVICES_MAX] = {false};
    pail_prover_device devices[PAIL_SCHEDULE_DEVICES_MAX];
    for (uint32_t d = 0; d < prover->params.n_devices; d++)
        begun[d] = pail_jobs_visit(prover, d, &devices[d]) &&
                   PAIL_HAS(devices[d].backend, throttle_begin) &&
                   devices[d].backend->throttle_begin(devices[d].context) == PAIL_OK;
    const pail_status status = phase(job);
    for (uint32_t d = 0; d < prover->params.n_devices; d++) {
        if (begun[d])
            (void)devices[d].backend->throttle_end(devices[d].context);
        pail_jobs_leave(prover, d);
    }
    return status;
}

/* ---- Tasks ---------------------------------------------------------------------------------- */
static void run_stage(struct pail_task *task)
{
    struct pail_prover_job *const job =
        (struct pail_prover_job *)((char *)task - offsetof(struct pail_prover_job, task));
    pail_prover *const prover = job->prover;
    const enum pail_unit_stage stage = job->stage;
    pail_status status = PAIL_OK;
    if (stage == PAIL_STAGE_RELEASE) {
        run_release(job);
        return;
    }
    job->error[0] = '\0';
    if (stage == PAIL_STAGE_LOAD)
        status = with_throttle(job, load);
    else if (job->loads_only)
        status = PAIL_OK;
    else if (stage == PAIL_STAGE_PRODUCE)
        status = with_throttle(job, produce);
    else if (stage == PAIL_STAGE_DEVICE)
        status = job->work ? run_work(job) : compute(job);
    else
        status = finish_proof(job);
    pthread_mutex_lock(&prover->mutex);
    if (stage == PAIL_STAGE_PRODUCE) /* whatever the outcome */
        pail_jobs_keep_promise(prover, job);
    if (stage == PAIL_STAGE_PRODUCE && status == PAIL_OK && job->copies) {
        job->copied = true;
        pthread_cond_broadcast(&prover->ended);
    }
    pail_schedule_done(prover->schedule, &job->unit, stage, status, job->error);
    pthread_mutex_unlock(&prover->mutex);
}

static void begin(void *user, struct pail_unit *unit, enum pail_unit_stage stage)
{
    pail_prover *const prover = user;
    struct pail_prover_job *const job = (struct pail_prover_job *)unit;
    job->stage = stage;
    job->task.run = run_stage;
    if (stage == PAIL_STAGE_PRODUCE)
        pail_jobs_promise(prover, job);
    pail_crew_add(stage == PAIL_STAGE_PRODUCE                              ? &prover->producers
                  : stage == PAIL_STAGE_LOAD || stage == PAIL_STAGE_DEVICE ? &prover->drivers
                                                                           : &prover->finishers,
                  &job->task);
}

static void evict(void *user, uint32_t key, uint32_t device)
{
    pail_prover *const prover = user;
    struct pail_eviction *const eviction = &prover->keys[key].evictions[device];
    *eviction = (struct pail_eviction){
        .task = {.run = run_eviction}, .prover = prover, .key = key, .device = device};
    pail_crew_add(&prover->drivers, &eviction->task);
}

static void ended(void *user, struct pail_unit *unit)
{
    pail_prover *const prover = user;
    struct pail_prover_job *const job = (struct pail_prover_job *)unit;
    if (job->work)
        job->work->end(job->work, unit->status);
    job->ended = true;
    if (prover->params.ended)
        prover->params.ended(prover->params.user, unit->sequence);
    pthread_cond_broadcast(&prover->ended);
}

static uint64_t now(void *user)
{
    (void)user;
    return pail_clock_ns();
}

struct pail_executor pail_prover_executor(pail_prover *prover)
{
    return (struct pail_executor){.user = prover,
                                  .now = now,
                                  .begin = begin,
                                  .evict = evict,
                                  .ended = ended,
                                  .moved = prover->params.span ? pail_prover_moved : NULL};
}
