#include "msm.h"

#include <platform/wipe.h>

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "bases.h"
#include "buckets.h"
#include "context.h"
#include "error.h"
#include "msm_arguments.h"
#include "plan.h"
#include "pool.h"
#include "sized.h"
#include <curves/fold.h>

struct job {
    const pail_bases *bases; /* a reference */
    size_t base_offset, n;
    struct pail_cpu_plan plan;
    uint32_t windows;
    size_t first_task;  /* of chunks * parts */
    size_t parts;       /* tasks for the windows of a chunk */
    pail_u256 *scalars; /* [n], plain integers */
    pail_point *sums;   /* [chunks][windows], of n_sums */
    size_t n_sums;
    pail_point result;
};

/* What one running task works in: the memory's first `used` bytes have been written. */
struct scratch {
    void *memory;
    size_t used;
};

struct pail_pending {
    struct pail_cpu_work work; /* first, so that tasks find the rest */
    pail_context *context;
    size_t n_jobs;
    struct job *jobs;
    struct scratch *scratch; /* [work.max_running] */
    size_t scratch_bytes;
    uint64_t bytes; /* requested for scalars, sums and scratch */
    bool secret;    /* what is made of the scalars is wiped before it is freed */
    atomic_uint_fast64_t adds;
    double started, accumulated, ended; /* seconds */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- Sizes: the one account that the estimate and the allocations share ---------------------- */
struct sizes {
    struct pail_cpu_plan plan;
    size_t scratch_bytes;   /* of one running task */
    size_t n_sums, n_tasks; /* at most */
};

static uint32_t promised_bits(const pail_msm_job *job)
{
    const uint32_t bits = job->scalar_bits ? job->scalar_bits : 256;
    const uint32_t order_bits = job->bases->ops->order_bits;
    return job->scalar_encoding == PAIL_ENCODING_MONTGOMERY && bits > order_bits ? order_bits
                                                                                 : bits;
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

static struct sizes size_job(const pail_context *context, const pail_msm_job *job,
                             const pail_msm_config *config)
{
    const uint32_t bits = promised_bits(job);
    struct sizes sizes = {
        .plan =
            pail_cpu_plan_make(job->n, bits, config->window_bits, running_tasks(context, config)),
    };
    if (job->n > 0) {
        const uint32_t windows = pail_cpu_windows(bits, sizes.plan.c);
        sizes.n_sums = sizes.plan.chunks * windows;
        sizes.n_tasks = sizes.plan.chunks * parts(windows, &sizes.plan);
        sizes.scratch_bytes = pail_cpu_buckets_bytes(job->bases->adder, sizes.plan.block_points,
                                                     sizes.plan.task_windows, sizes.plan.c);
    }
    return sizes;
}

static uint64_t total_bytes(size_t scalars, size_t sums, size_t slots, size_t scratch_bytes)
{
    return (uint64_t)scalars * sizeof(pail_u256) + (uint64_t)sums * sizeof(pail_point) +
           (uint64_t)slots * scratch_bytes;
}

pail_status pail_cpu_msm_estimate(pail_context *context, pail_stats *stats,
                                  const pail_msm_job *their_job,
                                  const pail_msm_config *their_config)
{
    pail_status status = pail_cpu_check_out(context, stats, PAIL_STATS_SIZE_1_0, "stats");
    if (status != PAIL_OK)
        return status;
    if (!context)
        return pail_cpu_fail(NULL, PAIL_ERR_ARGUMENT, "context is NULL");
    pail_msm_config config;
    pail_msm_job job;
    status = pail_cpu_check_process(context);
    if (status == PAIL_OK)
        status = pail_cpu_config_read(context, &config, their_config);
    if (status == PAIL_OK)
        status = pail_cpu_job_read(context, &job, their_job, 0);
    if (status != PAIL_OK)
        return status;
    const struct sizes sizes = size_job(context, &job, &config);
    size_t slots = running_tasks(context, &config);
    slots = slots < sizes.n_tasks ? slots : sizes.n_tasks;
    const pail_stats ours = {
        .n_jobs = 1,
        .window_bits = sizes.plan.c,
        .windows = pail_cpu_windows(promised_bits(&job), sizes.plan.c),
        .batches = 1,
        .chunks = (uint32_t)sizes.plan.chunks,
        .accumulator = PAIL_ACCUMULATOR_WALKER,
        .field = PAIL_FIELD_HOST,
        .threads = (uint32_t)slots,
        .bytes_estimate = total_bytes(job.n, sizes.n_sums, slots, sizes.scratch_bytes),
        .bytes_bases = pail_cpu_bases_bytes(job.bases),
    };
    pail_cpu_write(stats, &ours, sizeof ours);
    return PAIL_OK;
}

/* ---- The work ------------------------------------------------------------------------------- */
static void run_task(struct pail_cpu_work *work, size_t task, size_t slot)
{
    pail_pending *pending = (pail_pending *)work;
    const struct job *job = &pending->jobs[0];
    while (task - job->first_task >= job->plan.chunks * job->parts)
        job++;
    const size_t index = task - job->first_task; /* of chunk-major [chunk][part] */
    const size_t chunk = index / job->parts, begin = chunk * job->plan.chunk_points;
    const size_t left = job->n - begin;
    const uint32_t first = (uint32_t)(index % job->parts) * job->plan.task_windows;
    const uint32_t windows = job->windows - first;
    const pail_bases *bases = job->bases;
    const struct pail_cpu_task args = {
        .adder = bases->adder,
        .ops = bases->ops,
        .bases = bases->points + (job->base_offset + begin) * bases->adder->point_bytes,
        .scalars = job->scalars + begin,
        .n = left < job->plan.chunk_points ? left : job->plan.chunk_points,
        .block_points = job->plan.block_points,
        .first_window = first,
        .n_windows = windows < job->plan.task_windows ? windows : job->plan.task_windows,
        .c = job->plan.c,
        .infinities = bases->n_infinities > 0,
    };
    uint64_t adds = 0;
    struct scratch *scratch = &pending->scratch[slot];
    const size_t used = pail_cpu_buckets_run(&job->sums[chunk * job->windows + first], &adds, &args,
                                             scratch->memory);
    scratch->used = used > scratch->used ? used : scratch->used;
    atomic_fetch_add(&pending->adds, adds);
    if (pending->secret)
        pail_wipe_stack();
}

static void fold_all(struct pail_cpu_work *work)
{
    pail_pending *pending = (pail_pending *)work;
    pending->accumulated = now();
    for (size_t i = 0; i < pending->n_jobs; i++) {
        struct job *job = &pending->jobs[i];
        pail_fold_points(job->bases->fold_ops, &job->result, job->sums, job->plan.chunks,
                         job->windows, job->plan.c);
    }
    pending->ended = now();
    if (pending->secret)
        pail_wipe_stack();
}

static uint32_t bit_length(const pail_u256 *k)
{
    for (uint32_t i = 4; i-- > 0;)
        if (k->l[i] != 0)
            return 64 * i + 64 - (uint32_t)__builtin_clzll(k->l[i]);
    return 0;
}

/* Copies the scalars as plain integers and finds how many windows they need. */
static pail_status copy_scalars(pail_context *context, struct job *job, const pail_msm_job *from,
                                size_t index)
{
    const bool montgomery = from->scalar_encoding == PAIL_ENCODING_MONTGOMERY;
    const uint32_t promised = promised_bits(from);
    uint32_t bits = 0;
    for (size_t i = 0; i < job->n; i++) {
        pail_u256 *k = &job->scalars[i];
        pail_u256_from_bytes(k, (const uint8_t *)from->scalars + 32 * i);
        if (montgomery)
            job->bases->ops->scalar_from_montgomery(k, k);
        const uint32_t needed = bit_length(k);
        if (needed > promised) {
            pail_wipe_stack();
            return pail_cpu_fail(
                context, PAIL_ERR_DATA,
                "jobs[%zu].scalars[%zu] has %u bits; scalar_bits promised at most %u", index, i,
                needed, promised);
        }
        bits = needed > bits ? needed : bits;
    }
    job->windows = pail_cpu_windows(bits, job->plan.c);
    pail_wipe_stack(); /* of conversions; the scalars of others are gone as quickly */
    return PAIL_OK;
}

/* A block of what was made of scalars. */
static void free_secret(const pail_pending *pending, void *block, size_t n, size_t size)
{
    const struct pail_cpu_memory *memory = &pending->context->memory;
    if (pending->secret)
        pail_cpu_free_wiped(memory, block, n, size);
    else
        pail_cpu_free(memory, block);
}

static void destroy(pail_pending *pending)
{
    const struct pail_cpu_memory *memory = &pending->context->memory;
    for (size_t i = 0; pending->jobs && i < pending->n_jobs; i++) {
        struct job *job = &pending->jobs[i];
        if (job->bases)
            pail_cpu_bases_release(job->bases);
        free_secret(pending, job->scalars, job->n, sizeof *job->scalars);
        free_secret(pending, job->sums, job->n_sums, sizeof *job->sums);
    }
    for (size_t i = 0; pending->scratch && i < pending->work.max_running; i++) {
        /* Memory that was never touched would be had from the system in order to wipe it. */
        free_secret(pending, pending->scratch[i].memory, 1, pending->scratch[i].used);
    }
    pail_cpu_free(memory, pending->scratch);
    pail_cpu_free(memory, pending->work.slots);
    pail_cpu_free(memory, pending->jobs);
    pail_cpu_free(memory, pending);
}

static pail_status no_memory(pail_context *context, const char *what)
{
    return pail_cpu_fail(context, PAIL_ERR_HOST_MEMORY, "no memory for the %s of an MSM", what);
}

static pail_status prepare_job(pail_pending *pending, size_t i, const pail_msm_job *from,
                               const pail_msm_config *config)
{
    pail_context *context = pending->context;
    struct job *job = &pending->jobs[i];
    const struct sizes sizes = size_job(context, from, config);
    pail_cpu_bases_retain(from->bases);
    job->bases = from->bases;
    job->base_offset = from->base_offset;
    job->n = from->n;
    job->plan = sizes.plan;
    job->scalars = pail_cpu_alloc(&context->memory, job->n, sizeof *job->scalars);
    job->sums = pail_cpu_alloc(&context->memory, sizes.n_sums, sizeof *job->sums);
    job->n_sums = sizes.n_sums;
    if (!job->scalars || !job->sums)
        return no_memory(context, "scalars");
    const pail_status status = copy_scalars(context, job, from, i);
    job->first_task = pending->work.n_tasks;
    job->parts = parts(job->windows, &job->plan);
    pending->work.n_tasks += job->parts * job->plan.chunks;
    pending->bytes += total_bytes(job->n, sizes.n_sums, 0, 0);
    if (sizes.scratch_bytes > pending->scratch_bytes)
        pending->scratch_bytes = sizes.scratch_bytes;
    return status;
}

static pail_status prepare_scratch(pail_pending *pending, const pail_msm_config *config)
{
    pail_context *context = pending->context;
    const struct pail_cpu_memory *memory = &context->memory;
    const size_t running = running_tasks(context, config), n_tasks = pending->work.n_tasks;
    const size_t slots = running < n_tasks ? running : n_tasks;
    uint64_t budget = config->memory_budget;
    if (budget == 0 || (context->memory_budget != 0 && context->memory_budget < budget))
        budget = context->memory_budget;
    pending->bytes += total_bytes(0, 0, slots, pending->scratch_bytes);
    if (budget != 0 && pending->bytes > budget) {
        return pail_cpu_fail(context, PAIL_ERR_DEVICE_MEMORY,
                             "the memory budget is %llu bytes; this MSM needs %llu",
                             (unsigned long long)budget, (unsigned long long)pending->bytes);
    }
    pending->work.slots = pail_cpu_alloc(memory, slots, sizeof *pending->work.slots);
    pending->scratch = pail_cpu_alloc(memory, slots, sizeof *pending->scratch);
    if (!pending->work.slots || !pending->scratch)
        return no_memory(context, "threads");
    for (; pending->work.max_running < slots; pending->work.max_running++) {
        void *scratch = pail_cpu_alloc(memory, 1, pending->scratch_bytes);
        if (!scratch)
            return no_memory(context, "buckets");
        pending->scratch[pending->work.max_running] = (struct scratch){.memory = scratch};
    }
    return PAIL_OK;
}

pail_status pail_cpu_msm_start(pail_context *context, pail_pending **out,
                               const pail_msm_job *their_jobs, size_t n_jobs,
                               const pail_msm_config *their_config)
{
    if (out)
        *out = NULL;
    if (!context || !out || !their_jobs) {
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT, "%s is NULL",
                             !context ? "context"
                             : !out   ? "pending"
                                      : "jobs");
    }
    const double started = now();
    pail_msm_config config;
    pail_status status = pail_cpu_check_process(context);
    if (status == PAIL_OK)
        status = pail_cpu_config_read(context, &config, their_config);
    if (status != PAIL_OK)
        return status;
    if (n_jobs == 0)
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT, "n_jobs is 0; at least 1 is needed");
    pail_pending *pending = pail_cpu_alloc(&context->memory, 1, sizeof *pending);
    if (!pending)
        return no_memory(context, "handle");
    *pending = (pail_pending){
        .work = {.run = run_task, .done = fold_all},
        .context = context,
        .secret = (config.flags & PAIL_MSM_PUBLIC_SCALARS) == 0,
        .started = started,
        .jobs = pail_cpu_alloc(&context->memory, n_jobs, sizeof *pending->jobs),
    };
    atomic_init(&pending->adds, 0);
    if (!pending->jobs) {
        status = no_memory(context, "jobs");
        goto out;
    }
    pending->n_jobs = n_jobs;
    memset(pending->jobs, 0, n_jobs * sizeof *pending->jobs);
    const size_t stride = pail_cpu_struct_size(their_jobs);
    for (size_t i = 0; i < n_jobs; i++) {
        pail_msm_job job;
        status =
            pail_cpu_job_read(context, &job, (const unsigned char *)their_jobs + i * stride, i);
        if (status == PAIL_OK && !job.scalars && job.n > 0) {
            status = pail_cpu_fail(context, PAIL_ERR_ARGUMENT,
                                   "jobs[%zu].scalars is NULL, but n is %zu", i, job.n);
        }
        if (status == PAIL_OK)
            status = prepare_job(pending, i, &job, &config);
        if (status != PAIL_OK)
            goto out;
    }
    status = prepare_scratch(pending, &config);
    if (status != PAIL_OK)
        goto out;
    if (pending->work.n_tasks > 0) {
        pail_cpu_pool_submit(context->pool, &pending->work);
    } else { /* no points, or zeros only */
        fold_all(&pending->work);
        pending->work.finished = true;
    }
    *out = pending;
out:
    if (status != PAIL_OK)
        destroy(pending);
    return status;
}

pail_status pail_cpu_pending_wait(pail_pending *pending, uint64_t timeout_ns)
{
    if (!pending)
        return pail_cpu_fail(NULL, PAIL_ERR_ARGUMENT, "pending is NULL");
    if (pail_cpu_check_process(NULL) != PAIL_OK)
        return PAIL_ERR_ARGUMENT;
    return pail_cpu_pool_wait(pending->context->pool, &pending->work, timeout_ns) ? PAIL_OK
                                                                                  : PAIL_NOT_READY;
}

pail_status pail_cpu_pending_poll(pail_pending *pending)
{
    return pail_cpu_pending_wait(pending, 0);
}

static void deliver(pail_msm_result *result, const struct job *job)
{
    const struct pail_curve_ops *ops = job->bases->ops;
    uint8_t bytes[sizeof(pail_affine)];
    pail_affine affine;
    ops->to_affine(&affine, &job->result);
    ops->encode(bytes, &affine, false);
    *result = (pail_msm_result){
        .infinity = ops->is_infinity(&job->result),
        .coordinate_bytes = (uint32_t)ops->coordinate_bytes,
    };
    static_assert(sizeof affine <= 2 * PAIL_COORDINATE_MAX, "coordinates do not fit the result");
    memcpy(result->x, bytes, ops->coordinate_bytes);
    memcpy(result->y, bytes + ops->coordinate_bytes, ops->coordinate_bytes);
}

/* That are going to be wiped. */
static uint64_t wiped_bytes(const pail_pending *pending)
{
    uint64_t bytes = pending->bytes;
    for (size_t i = 0; i < pending->work.max_running; i++)
        bytes -= pending->scratch_bytes - pending->scratch[i].used;
    return pending->secret ? bytes : 0;
}

static void deliver_stats(pail_stats *stats, const pail_pending *pending)
{
    const struct job *largest = &pending->jobs[0];
    uint64_t bytes_bases = 0;
    for (size_t i = 0; i < pending->n_jobs; i++) {
        const struct job *job = &pending->jobs[i];
        largest = job->n > largest->n ? job : largest;
        bool counted = false;
        for (size_t k = 0; k < i; k++)
            counted |= pending->jobs[k].bases == job->bases;
        bytes_bases += counted ? 0 : pail_cpu_bases_bytes(job->bases);
    }
    const double accumulate_ms = 1e3 * (pending->accumulated - pending->started);
    const double fold_ms = 1e3 * (pending->ended - pending->accumulated);
    pail_stats ours = {
        .n_jobs = (uint32_t)pending->n_jobs,
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
        .threads = (uint32_t)pending->work.max_running,
        .adds = atomic_load(&pending->adds),
        .bytes_estimate = pending->bytes,
        .bytes_requested = pending->bytes,
        .bytes_allocated = pending->bytes,
        .bytes_bases = bytes_bases,
        .bytes_wiped = wiped_bytes(pending),
    };
    pail_cpu_write(stats, &ours, sizeof ours);
}

/* Zeroes every output that can be zeroed, whatever else is wrong: of results as many as there are
 * jobs, however many the caller speaks of. */
static pail_status check_outputs(const pail_context *context, pail_msm_result *results,
                                 size_t n_results, size_t n_jobs, pail_stats *stats)
{
    pail_status status = PAIL_OK;
    const size_t least = PAIL_MSM_RESULT_SIZE_1_0, n = n_results < n_jobs ? n_results : n_jobs;
    if (!results || n_results == 0)
        status = pail_cpu_check(context, results, least, "results");
    const size_t stride = results && n ? pail_cpu_struct_size(results) : 0;
    for (size_t i = 0; results && i < n && status == PAIL_OK; i++) {
        unsigned char *one = (unsigned char *)results + i * stride;
        status = pail_cpu_check(context, one, least, "results");
        if (status == PAIL_OK && pail_cpu_struct_size(one) != stride) {
            status = pail_cpu_fail(context, PAIL_ERR_ARGUMENT,
                                   "results[%zu].struct_size is %u; that of results[0] is %zu", i,
                                   pail_cpu_struct_size(one), stride);
        }
        if (status == PAIL_OK)
            status = pail_cpu_check_out(context, one, least, "results");
    }
    if (stats) {
        const pail_status also = pail_cpu_check_out(context, stats, PAIL_STATS_SIZE_1_0, "stats");
        status = status == PAIL_OK ? also : status;
    }
    return status;
}

pail_status pail_cpu_msm_finish(pail_pending **pending_at, pail_msm_result *results,
                                size_t n_results, pail_stats *stats)
{
    pail_pending *pending = pending_at ? *pending_at : NULL;
    pail_context *context = pending ? pending->context : NULL;
    const size_t n_jobs = pending ? pending->n_jobs : 1;
    pail_status status = check_outputs(context, results, n_results, n_jobs, stats);
    if (!pending)
        return pail_cpu_fail(NULL, PAIL_ERR_ARGUMENT, "pending is NULL");
    *pending_at = NULL;
    if (pail_cpu_check_process(context) != PAIL_OK)
        return PAIL_ERR_ARGUMENT;
    pail_cpu_pool_wait(context->pool, &pending->work, UINT64_MAX);
    if (status == PAIL_OK && n_results != pending->n_jobs) {
        status = pail_cpu_fail(context, PAIL_ERR_ARGUMENT,
                               "n_results is %zu; %zu multiplications were started", n_results,
                               pending->n_jobs);
    }
    const size_t stride = status == PAIL_OK ? pail_cpu_struct_size(results) : 0;
    for (size_t i = 0; i < n_results && status == PAIL_OK; i++) {
        pail_msm_result ours;
        deliver(&ours, &pending->jobs[i]);
        pail_cpu_write((unsigned char *)results + i * stride, &ours, sizeof ours);
    }
    if (stats && status == PAIL_OK)
        deliver_stats(stats, pending);
    destroy(pending);
    return status;
}

void pail_cpu_pending_abandon(pail_pending **pending)
{
    if (pending && *pending) {
        pail_pending *const p = *pending;
        *pending = NULL;
        if (pail_cpu_check_process(NULL) != PAIL_OK)
            return;
        pail_cpu_pool_cancel(p->context->pool, &p->work);
        destroy(p);
    }
}
