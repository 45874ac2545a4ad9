/* SPDX-License-Identifier: Apache-2.0 */
#include "msm.h"

#include <platform/clock.h>
#include <platform/memory.h>

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bases.h"
#include "buckets.h"
#include "context.h"
#include "memories.h"
#include "msm_arguments.h"
#include "msm_scalars.h"
#include "pending.h"
#include "plan.h"
#include "pool.h"
#include "result.h"
#include <curves/fold.h>

struct job {
    const pail_bases *bases;      /* a reference */
    size_t base_offset, n;        /* bases with a scalar each */
    size_t first_point, n_points; /* of the bases' kept points */
    struct pail_cpu_plan plan;
    uint32_t windows;
    size_t first_task;                    /* of its chunks * parts tasks */
    size_t parts;                         /* tasks for the windows of a chunk */
    struct pail_cpu_msm_scalars own;      /* empty where an earlier job has them */
    struct pail_cpu_msm_scalars *scalars; /* own, or those of the earlier job */
    size_t first_scalar;                  /* index in scalars->integers */
    pail_point *sums;                     /* [chunks][parts], of n_sums */
    size_t n_sums;
    pail_point result;
    pail_memory *result_memory; /* of a copy of the result; NULL: none */
    uint64_t result_offset;
};

/* Working memory of one running task: its first `used` bytes have been written. */
struct scratch {
    void *memory;
    size_t used;
};

struct msm {
    pail_pending base;         /* first */
    struct job *jobs;          /* [base.n_jobs] */
    struct pail_cpu_use *uses; /* [2 n_jobs], of scalars and of results */
    size_t most_tasks;         /* upper bound of the tasks */
    bool converting; /* scalars of vectors, which have to be there before windows are counted */
    struct scratch *scratch; /* [max_running] */
    size_t scratch_bytes;
    uint64_t bytes; /* requested for scalars, sums and scratch */
    bool secret;    /* copies of scalars and what is made of them are wiped before they are freed */
    atomic_uint_fast64_t adds;
    double started, accumulated, ended; /* seconds */
};

/* ---- Sizes: the one account that the estimate and the allocations share ---------------------- */
struct sizes {
    struct pail_cpu_plan plan;
    size_t scratch_bytes;   /* memory of one running task */
    size_t n_sums, n_tasks; /* upper bounds */
};

static uint32_t promised_bits(const pail_msm_job *job)
{
    const uint32_t bits = job->scalar_bits ? job->scalar_bits : 256;
    const uint32_t order_bits = job->bases->ops->order_bits;
    const bool reduced = job->scalar_vector || job->scalar_encoding == PAIL_ENCODING_MONTGOMERY;
    return reduced && bits > order_bits ? order_bits : bits;
}

static size_t running_tasks(const pail_context *context, const pail_msm_config *config)
{
    const size_t threads = pail_cpu_pool_threads(context->pool);
    return config->threads != 0 && config->threads < threads ? config->threads : threads;
}

/* Tasks that do the windows of a chunk. */
static size_t parts(uint32_t windows, const struct pail_cpu_plan *plan)
{
    return (windows + plan->task_windows - 1) / plan->task_windows;
}

static size_t kept_points(const pail_msm_job *job)
{
    return pail_cpu_bases_kept_before(job->bases, job->base_offset + job->n) -
           pail_cpu_bases_kept_before(job->bases, job->base_offset);
}

static struct sizes size_job(const pail_context *context, const pail_msm_job *job,
                             const pail_msm_config *config)
{
    const uint32_t bits = promised_bits(job);
    const size_t n_points = kept_points(job);
    struct sizes sizes = {
        .plan =
            pail_cpu_plan_make(n_points, bits, config->window_bits, running_tasks(context, config)),
    };
    if (n_points > 0) {
        const uint32_t windows = pail_cpu_windows(bits, sizes.plan.c);
        sizes.n_sums = sizes.n_tasks = sizes.plan.chunks * parts(windows, &sizes.plan);
        sizes.scratch_bytes = pail_cpu_buckets_bytes(job->bases->adder, sizes.plan.block_points,
                                                     sizes.plan.task_windows, sizes.plan.c);
    } else if (job->scalar_location != PAIL_LOCATION_HOST && job->n > 0) {
        sizes.n_tasks = 1; /* nothing to add, but scalars on the device are read all the same */
    } else if (job->result_location != PAIL_LOCATION_HOST) {
        sizes.n_tasks = 1; /* the result's memory is waited for */
    }
    return sizes;
}

static uint64_t total_bytes(size_t scalars, size_t sums, size_t slots, size_t scratch_bytes)
{
    return (uint64_t)scalars * sizeof(pail_u256) + (uint64_t)sums * sizeof(pail_point) +
           (uint64_t)slots * scratch_bytes;
}

pail_status pail_cpu_msm_estimate(pail_context *context, pail_stats *stats, const pail_msm_job *job,
                                  const pail_msm_config *config, struct pail_error *err)
{
    pail_status status = pail_cpu_config_check(config, err);
    if (status == PAIL_OK)
        status = pail_cpu_job_check(job, 0, err);
    if (status != PAIL_OK)
        return status;
    const struct sizes sizes = size_job(context, job, config);
    size_t slots = running_tasks(context, config);
    slots = slots < sizes.n_tasks ? slots : sizes.n_tasks;
    *stats = (pail_stats){
        .n_jobs = 1,
        .window_bits = sizes.plan.c,
        .windows = pail_cpu_windows(promised_bits(job), sizes.plan.c),
        .batches = 1,
        .chunks = (uint32_t)sizes.plan.chunks,
        .accumulator = PAIL_ACCUMULATOR_WALKER,
        .field = PAIL_FIELD_HOST,
        .threads = (uint32_t)slots,
        .bytes_estimate = total_bytes(job->n, sizes.n_sums, slots, sizes.scratch_bytes),
        .bytes_bases = pail_cpu_bases_bytes(job->bases),
    };
    return PAIL_OK;
}

/* ---- The work ------------------------------------------------------------------------------- */
static void convert_task(struct msm *msm, size_t task)
{
    struct job *job = msm->jobs;
    const struct job *const end = job + msm->base.n_jobs;
    for (; job < end && task >= pail_cpu_msm_scalars_tasks(&job->own); job++)
        task -= pail_cpu_msm_scalars_tasks(&job->own);
    if (job < end) /* else it is there to wait for a result's memory */
        pail_cpu_msm_scalars_convert(&job->own, task);
    if (msm->secret)
        pail_wipe_stack();
}

/* Counts windows and gives numbers to the tasks, once the scalars are there. Returns how many tasks
 * there are: none where a promise is broken. */
static size_t number_tasks(struct msm *msm)
{
    size_t n_tasks = 0;
    for (size_t i = 0; i < msm->base.n_jobs; i++) {
        struct job *job = &msm->jobs[i];
        if (atomic_load(&job->scalars->broken) != SIZE_MAX)
            return 0;
        const uint32_t bits = job->n_points > 0 ? atomic_load(&job->scalars->bits) : 0;
        job->windows = pail_cpu_windows(bits, job->plan.c);
        job->first_task = n_tasks;
        job->parts = parts(job->windows, &job->plan);
        n_tasks += job->parts * job->plan.chunks;
    }
    return n_tasks;
}

static size_t after_stage(struct pail_cpu_work *work)
{
    struct msm *msm = (struct msm *)work;
    if (!msm->converting)
        return 0;
    msm->converting = false;
    return number_tasks(msm);
}

static void run_task(struct pail_cpu_work *work, size_t task, size_t slot)
{
    struct msm *msm = (struct msm *)work;
    if (msm->converting) {
        convert_task(msm, task);
        return;
    }
    const struct job *job = &msm->jobs[0];
    while (task - job->first_task >= job->plan.chunks * job->parts)
        job++;
    const size_t index = task - job->first_task; /* of chunk-major [chunk][part] */
    const size_t chunk = index / job->parts, begin = chunk * job->plan.chunk_points;
    const size_t left = job->n_points - begin, point = job->first_point + begin;
    const uint32_t first = (uint32_t)(index % job->parts) * job->plan.task_windows;
    const uint32_t windows = job->windows - first;
    const pail_bases *bases = job->bases;
    const struct pail_cpu_task args = {
        .adder = bases->adder,
        .ops = bases->fold_ops,
        .bases = bases->points + point * bases->adder->point_bytes,
        .scalars = job->scalars->integers + job->first_scalar + (bases->kept ? 0 : begin),
        .kept = bases->kept ? bases->kept + point : NULL,
        .kept_from = job->base_offset,
        .n = left < job->plan.chunk_points ? left : job->plan.chunk_points,
        .block_points = job->plan.block_points,
        .first_window = first,
        .n_windows = windows < job->plan.task_windows ? windows : job->plan.task_windows,
        .c = job->plan.c,
        .infinities = bases->n_kept > bases->n - bases->n_infinities,
    };
    uint64_t adds = 0;
    struct scratch *scratch = &msm->scratch[slot];
    const size_t used = pail_cpu_buckets_run(&job->sums[index], &adds, &args, scratch->memory);
    scratch->used = used > scratch->used ? used : scratch->used;
    atomic_fetch_add(&msm->adds, adds);
    if (msm->secret)
        pail_wipe_stack();
}

/* Writes a result to where it is wanted in memory, x and y one after the other. */
static void deliver(const struct job *job)
{
    pail_msm_result result = {.struct_size = sizeof result};
    const size_t bytes = job->bases->ops->coordinate_bytes;
    unsigned char *const to = job->result_memory->at + job->result_offset;
    pail_cpu_result(&result, job->bases->ops, &job->result);
    memcpy(to, result.x, bytes);
    memcpy(to + bytes, result.y, bytes);
    pail_wipe(&result, sizeof result);
}

static void fold_all(struct pail_cpu_work *work)
{
    struct msm *msm = (struct msm *)work;
    msm->accumulated = pail_now_s();
    for (size_t i = 0; i < msm->base.n_jobs; i++) {
        struct job *job = &msm->jobs[i];
        if (atomic_load(&job->scalars->broken) != SIZE_MAX)
            break; /* and no result is delivered */
        pail_fold_points(job->bases->fold_ops, &job->result, job->sums, job->plan.chunks,
                         job->parts, job->plan.c * job->plan.task_windows);
        if (job->result_memory)
            deliver(job);
    }
    msm->ended = pail_now_s();
    if (msm->secret)
        pail_wipe_stack();
}

/* A block of what was made of scalars. */
static void free_secret(const struct msm *msm, void *block, size_t n, size_t size)
{
    const struct pail_alloc *memory = &msm->base.context->memory;
    if (msm->secret)
        pail_cpu_free_wiped(memory, block, n, size);
    else
        pail_cpu_free(memory, block);
}

static void destroy(pail_pending *pending)
{
    struct msm *const msm = (struct msm *)pending;
    const struct pail_alloc *memory = &msm->base.context->memory;
    for (size_t i = 0; msm->jobs && i < msm->base.n_jobs; i++) {
        struct job *job = &msm->jobs[i];
        if (job->bases)
            pail_cpu_bases_release(job->bases);
        if (job->own.vector)
            pail_cpu_vector_release(job->own.vector);
        free_secret(msm, job->own.integers, job->own.n, sizeof *job->own.integers);
        free_secret(msm, job->sums, job->n_sums, sizeof *job->sums);
    }
    for (size_t i = 0; msm->scratch && i < msm->base.work.max_running; i++) {
        /* Memory that was never touched would be had from the system in order to wipe it. */
        free_secret(msm, msm->scratch[i].memory, 1, msm->scratch[i].used);
    }
    pail_cpu_free(memory, msm->scratch);
    pail_cpu_free(memory, msm->base.work.slots);
    pail_cpu_free(memory, msm->uses);
    free_secret(msm, msm->jobs, msm->base.n_jobs, sizeof *msm->jobs); /* results are among them */
    pail_cpu_free(memory, msm);
}

static pail_status no_memory(const char *what, struct pail_error *err)
{
    return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for the %s of an MSM", what);
}

/* The integers of an earlier job among which are those of this one; NULL if there are none. The
 * jobs of a proof are over one witness. */
static struct pail_cpu_msm_scalars *find_shared(struct msm *msm, size_t i, const pail_msm_job *from)
{
    for (size_t k = 0; k < i; k++) {
        struct pail_cpu_msm_scalars *const s = &msm->jobs[k].own;
        if (from->n > 0 && s->bytes && s->bytes == (const uint8_t *)from->scalars &&
            from->scalar_location == PAIL_LOCATION_DEVICE_ADDRESS &&
            s->montgomery == (from->scalar_encoding == PAIL_ENCODING_MONTGOMERY) &&
            s->promised == promised_bits(from) && from->n <= s->n &&
            s->ops->curve == from->bases->ops->curve)
            return s;
        if (from->n > 0 && from->scalar_vector && s->vector == from->scalar_vector &&
            s->promised == promised_bits(from) && s->offset <= from->scalar_offset &&
            from->scalar_offset - s->offset <= s->n &&
            from->n <= s->n - (from->scalar_offset - s->offset))
            return s;
    }
    return NULL;
}

/* Scalars in memory at an address, which are read when their turn has come. */
static pail_status prepare_place(struct msm *msm, size_t i, const pail_msm_job *from,
                                 struct pail_error *err)
{
    struct pail_cpu_msm_scalars *const own = &msm->jobs[i].own;
    pail_memory *memory;
    unsigned char *at;
    char name[48];
    if (from->n == 0)
        return PAIL_OK;
    (void)snprintf(name, sizeof name, "jobs[%zu].scalars", i);
    const pail_status status =
        pail_cpu_memory_at(msm->base.context, &memory, &at, (uintptr_t)from->scalars,
                           from->n * PAIL_SCALAR_BYTES, sizeof(uint32_t), name, err);
    own->bytes = at;
    msm->uses[msm->base.work.n_uses] = (struct pail_cpu_use){memory, false};
    msm->base.work.n_uses += status == PAIL_OK;
    msm->converting |= status == PAIL_OK;
    return status;
}

/* A result that goes to memory as well. */
static pail_status prepare_result(struct msm *msm, size_t i, const pail_msm_job *from,
                                  struct pail_error *err)
{
    struct job *const job = &msm->jobs[i];
    unsigned char *at;
    char name[48];
    if (from->result_location != PAIL_LOCATION_DEVICE_ADDRESS)
        return PAIL_OK;
    (void)snprintf(name, sizeof name, "jobs[%zu].result_address", i);
    const pail_status status =
        pail_cpu_memory_at(msm->base.context, &job->result_memory, &at, from->result_address,
                           2 * job->bases->ops->coordinate_bytes, sizeof(uint32_t), name, err);
    if (status != PAIL_OK)
        return status;
    job->result_offset = (uint64_t)(at - job->result_memory->at);
    msm->uses[msm->base.work.n_uses++] = (struct pail_cpu_use){job->result_memory, true};
    msm->converting = true; /* the memory's turn is waited for, whatever the scalars are */
    return PAIL_OK;
}

static pail_status prepare_scalars(struct msm *msm, size_t i, const pail_msm_job *from,
                                   struct pail_error *err)
{
    pail_context *context = msm->base.context;
    struct job *job = &msm->jobs[i];
    struct pail_cpu_msm_scalars *const own = &job->own;
    atomic_init(&own->bits, 0);
    atomic_init(&own->broken, SIZE_MAX);
    job->scalars = find_shared(msm, i, from);
    if (job->scalars) {
        job->first_scalar = (size_t)(from->scalar_offset - job->scalars->offset);
        return PAIL_OK;
    }
    job->scalars = own;
    own->integers = pail_cpu_alloc(&context->memory, job->n, sizeof *own->integers);
    own->n = job->n;
    own->promised = promised_bits(from);
    if (!own->integers)
        return no_memory("scalars", err);
    msm->bytes += total_bytes(job->n, 0, 0, 0);
    own->ops = job->bases->ops;
    own->montgomery = from->scalar_encoding == PAIL_ENCODING_MONTGOMERY;
    if (from->scalar_location == PAIL_LOCATION_DEVICE_ADDRESS)
        return prepare_place(msm, i, from, err);
    if (!from->scalar_vector) {
        own->bytes = from->scalars;
        pail_cpu_msm_scalars_copy(own);
        own->bytes = NULL; /* they may change */
        pail_wipe_stack(); /* the stack of conversions; that of other scalars is wiped as quickly */
        return pail_cpu_msm_scalars_check(own, i, err);
    }
    pail_cpu_vector_retain(from->scalar_vector);
    own->vector = from->scalar_vector;
    own->offset = from->scalar_offset;
    msm->uses[msm->base.work.n_uses++] = (struct pail_cpu_use){from->scalar_vector, false};
    msm->converting |= job->n > 0;
    return PAIL_OK;
}

static pail_status prepare_job(struct msm *msm, size_t i, const pail_msm_job *from,
                               const pail_msm_config *config, struct pail_error *err)
{
    pail_context *context = msm->base.context;
    struct job *job = &msm->jobs[i];
    const struct sizes sizes = size_job(context, from, config);
    pail_cpu_bases_retain(from->bases);
    job->bases = from->bases;
    job->base_offset = from->base_offset;
    job->n = from->n;
    job->first_point = pail_cpu_bases_kept_before(job->bases, job->base_offset);
    job->n_points = kept_points(from);
    job->plan = sizes.plan;
    job->sums = pail_cpu_alloc(&context->memory, sizes.n_sums, sizeof *job->sums);
    job->n_sums = sizes.n_sums;
    if (!job->sums)
        return no_memory("sums", err);
    msm->most_tasks += sizes.n_tasks;
    msm->bytes += total_bytes(0, sizes.n_sums, 0, 0);
    if (sizes.scratch_bytes > msm->scratch_bytes)
        msm->scratch_bytes = sizes.scratch_bytes;
    const pail_status status = prepare_result(msm, i, from, err);
    return status == PAIL_OK ? prepare_scalars(msm, i, from, err) : status;
}

static pail_status prepare_scratch(struct msm *msm, const pail_msm_config *config,
                                   struct pail_error *err)
{
    pail_context *context = msm->base.context;
    const struct pail_alloc *memory = &context->memory;
    const size_t running = running_tasks(context, config), n_tasks = msm->most_tasks;
    const size_t slots = running < n_tasks ? running : n_tasks;
    uint64_t budget = config->memory_budget;
    if (budget == 0 || (context->memory_budget != 0 && context->memory_budget < budget))
        budget = context->memory_budget;
    msm->bytes += total_bytes(0, 0, slots, msm->scratch_bytes);
    if (budget != 0 && msm->bytes > budget) {
        const bool asked = budget == config->memory_budget;
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s is %llu; at least %llu bytes are needed",
                         asked ? "config->memory_budget" : "the context's memory_budget",
                         (unsigned long long)budget, (unsigned long long)msm->bytes);
    }
    msm->base.work.slots = pail_cpu_alloc(memory, slots, sizeof *msm->base.work.slots);
    msm->scratch = pail_cpu_alloc(memory, slots, sizeof *msm->scratch);
    if (!msm->base.work.slots || !msm->scratch)
        return no_memory("threads", err);
    for (; msm->base.work.max_running < slots; msm->base.work.max_running++) {
        void *scratch = pail_cpu_alloc(memory, 1, msm->scratch_bytes);
        if (!scratch)
            return no_memory("buckets", err);
        msm->scratch[msm->base.work.max_running] = (struct scratch){.memory = scratch};
    }
    return PAIL_OK;
}

static size_t first_tasks(struct msm *msm)
{
    size_t n = 0;
    for (size_t i = 0; i < msm->base.n_jobs; i++)
        n += pail_cpu_msm_scalars_tasks(&msm->jobs[i].own);
    if (!msm->converting)
        return number_tasks(msm);
    return n > 0 ? n : 1;
}

pail_status pail_cpu_msm_start(pail_context *context, pail_pending **out, const pail_msm_job *jobs,
                               size_t n_jobs, const pail_msm_config *config, struct pail_error *err)
{
    const double started = pail_now_s();
    pail_status status = pail_cpu_config_check(config, err);
    if (status != PAIL_OK)
        return status;
    struct msm *msm = pail_cpu_alloc(&context->memory, 1, sizeof *msm);
    if (!msm)
        return no_memory("handle", err);
    *msm = (struct msm){
        .base = {.work = {.run = run_task, .more = after_stage, .done = fold_all},
                 .context = context,
                 .destroy = destroy},
        .secret = (config->flags & PAIL_MSM_PUBLIC_SCALARS) == 0,
        .started = started,
        .jobs = pail_cpu_alloc(&context->memory, n_jobs, sizeof *msm->jobs),
        .uses = pail_cpu_alloc(&context->memory, n_jobs, 2 * sizeof *msm->uses),
    };
    atomic_init(&msm->adds, 0);
    if (!msm->jobs || !msm->uses) {
        status = no_memory("jobs", err);
        goto out;
    }
    msm->base.n_jobs = n_jobs;
    memset(msm->jobs, 0, n_jobs * sizeof *msm->jobs);
    for (size_t i = 0; i < n_jobs; i++) {
        status = pail_cpu_job_check(&jobs[i], i, err);
        if (status == PAIL_OK)
            status = prepare_job(msm, i, &jobs[i], config, err);
        if (status != PAIL_OK)
            goto out;
    }
    status = prepare_scratch(msm, config, err);
    if (status != PAIL_OK)
        goto out;
    msm->base.work.uses = msm->uses;
    msm->base.work.n_tasks = first_tasks(msm);
    if (msm->base.work.n_tasks > 0) {
        pail_cpu_pool_submit(context->pool, &msm->base.work);
    } else { /* no points, or zeros only */
        fold_all(&msm->base.work);
        msm->base.work.finished = true;
    }
    *out = &msm->base;
out:
    if (status != PAIL_OK)
        destroy(&msm->base);
    return status;
}

/* Bytes that are going to be wiped. */
static uint64_t wiped_bytes(const struct msm *msm)
{
    uint64_t bytes = msm->bytes;
    for (size_t i = 0; i < msm->base.work.max_running; i++)
        bytes -= msm->scratch_bytes - msm->scratch[i].used;
    return msm->secret ? bytes : 0;
}

static void deliver_stats(pail_stats *stats, const struct msm *msm)
{
    const struct job *largest = &msm->jobs[0];
    uint64_t bytes_bases = 0;
    for (size_t i = 0; i < msm->base.n_jobs; i++) {
        const struct job *job = &msm->jobs[i];
        largest = job->n > largest->n ? job : largest;
        bool counted = false;
        for (size_t k = 0; k < i; k++)
            counted |= msm->jobs[k].bases == job->bases;
        bytes_bases += counted ? 0 : pail_cpu_bases_bytes(job->bases);
    }
    const double accumulate_ms = 1e3 * (msm->accumulated - msm->started);
    const double fold_ms = 1e3 * (msm->ended - msm->accumulated);
    *stats = (pail_stats){
        .n_jobs = (uint32_t)msm->base.n_jobs,
        .wall_ms = accumulate_ms + fold_ms,
        .device_ms = accumulate_ms + fold_ms,
        .n_phases = 2,
        .phases = {{.name = "accumulate", .ms = accumulate_ms}, {.name = "fold", .ms = fold_ms}},
        .window_bits = largest->plan.c,
        .windows = largest->windows,
        .batches = 1,
        .chunks = (uint32_t)largest->plan.chunks,
        .accumulator = PAIL_ACCUMULATOR_WALKER,
        .field = PAIL_FIELD_HOST,
        .threads = (uint32_t)msm->base.work.max_running,
        .adds = atomic_load(&msm->adds),
        .bytes_estimate = msm->bytes,
        .bytes_requested = msm->bytes,
        .bytes_allocated = msm->bytes,
        .bytes_bases = bytes_bases,
        .bytes_wiped = wiped_bytes(msm),
    };
}

pail_status pail_cpu_msm_finish(pail_pending *pending, pail_msm_result *results, pail_stats *stats,
                                struct pail_error *err)
{
    struct msm *const msm = (struct msm *)pending;
    pail_status status = PAIL_OK;
    pail_cpu_pool_wait(pending->context->pool, &pending->work, UINT64_MAX);
    for (size_t i = 0; i < pending->n_jobs && status == PAIL_OK; i++)
        status = pail_cpu_msm_scalars_check(msm->jobs[i].scalars, i, err);
    for (size_t i = 0; i < pending->n_jobs && status == PAIL_OK; i++)
        pail_cpu_result(&results[i], msm->jobs[i].bases->ops, &msm->jobs[i].result);
    if (msm->secret)
        pail_wipe_stack(); /* of inversions */
    if (status == PAIL_OK)
        deliver_stats(stats, msm);
    destroy(pending);
    return status;
}
