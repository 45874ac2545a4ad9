#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "msm.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <fold.h>
#include <shared/msm_layout.h>

#include "../vk/staging.h"
#include "record.h"

struct job {
    struct pail_bases *bases; /* retained */
    struct pail_msm_shape shape;
    struct pail_msm_plan plan;
    struct pail_msm_buffers buffers;
};

struct pail_pending {
    struct pail_context *ctx;
    struct pail_workspace *ws;
    struct pail_vk_cmd *cmd;
    pail_vk_ticket ticket;
    enum pail_field_form form;
    struct pail_vk_pipeline_stats pipelines_before, pipelines_after;
    uint64_t kernel_hash;
    double start_ms;
    size_t n_jobs;
    struct job *jobs;
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Threads that fill a device. Vulkan does not say how many processors it has, so this is the most
 * that pays on the largest of each type; a smaller one just runs them in more waves. */
static uint32_t threads_of(const struct pail_vk_caps *caps)
{
    if (caps->type == VK_PHYSICAL_DEVICE_TYPE_CPU)
        return 4096;
    return caps->type == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU ? 65536 : 32768;
}

/* A software driver runs a workgroup as threads of one processor that switch at each barrier, so
 * the smallest workgroup is the fastest there. */
static uint32_t sort_workgroup_of(const struct pail_vk_caps *caps)
{
    return caps->type == VK_PHYSICAL_DEVICE_TYPE_CPU ? 16 : MSM_SORT_WORKGROUP;
}

static pail_status choose_form(enum pail_field_form *form, const struct pail_vk_caps *caps,
                               uint32_t wanted, struct pail_error *err)
{
    *form = pail_default_form(caps);
    if (wanted == PAIL_FIELD_AUTO)
        return PAIL_OK;
    if (wanted == PAIL_FIELD_U64X9 && !caps->int64)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "field: PAIL_FIELD_U64X9 needs 64-bit integers, which %s lacks",
                         caps->name);
    if (wanted != PAIL_FIELD_U32X8 && wanted != PAIL_FIELD_U64X9)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED, "field: %u is not a form of this backend",
                         wanted);
    *form = wanted == PAIL_FIELD_U32X8 ? PAIL_FORM_X32 : PAIL_FORM_X29;
    return PAIL_OK;
}

static pail_status check_config(const pail_msm_config *config, const struct pail_vk_caps *caps,
                                struct pail_error *err)
{
    if (config->accumulator != PAIL_ACCUMULATOR_AUTO &&
        config->accumulator != PAIL_ACCUMULATOR_XYZZ)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "accumulator: %u, but this backend has PAIL_ACCUMULATOR_XYZZ only",
                         config->accumulator);
    if (config->prefix_placement || config->slots || config->inversion_group)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "prefix_placement, slots, inversion_group: %u, %u, %u, but the "
                         "accumulator shares no inversions",
                         config->prefix_placement, config->slots, config->inversion_group);
    if (config->workgroup > caps->max_workgroup_invocations)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "workgroup: %u threads are more than the %u of %s", config->workgroup,
                         caps->max_workgroup_invocations, caps->name);
    if (config->flags)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "flags: 0x%x must be 0", config->flags);
    return PAIL_OK;
}

static pail_status check_job(const struct pail_context *ctx, const pail_msm_job *job,
                             struct pail_error *err)
{
    if (!job->bases)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "bases: NULL");
    if (job->bases->ctx != ctx)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "bases: registered with another context");
    if (job->base_offset > job->bases->n || job->n > job->bases->n - job->base_offset)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "n: %zu scalars from base %zu on, but there are %llu bases", job->n,
                         job->base_offset, (unsigned long long)job->bases->n);
    if (job->scalar_encoding != PAIL_ENCODING_CANONICAL &&
        job->scalar_encoding != PAIL_ENCODING_MONTGOMERY)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "scalar_encoding: %u is not a pail_encoding",
                         job->scalar_encoding);
    if (job->scalar_bits > 256)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "scalar_bits: %u is more than 256",
                         job->scalar_bits);
    if (job->scalar_location != PAIL_LOCATION_HOST)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "scalar_location: %u, but this backend takes scalars from the host only",
                         job->scalar_location);
    return PAIL_OK;
}

static pail_status plan_job(struct pail_context *ctx, struct pail_msm_plan *plan,
                            struct pail_msm_shape *shape, const pail_msm_job *job,
                            const pail_msm_config *config, struct pail_error *err)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(ctx->dev);
    const struct pail_msm_group *group = &job->bases->group;
    uint32_t bits = group->scalar_bits;
    if (job->scalar_bits && job->scalar_bits < bits)
        bits = job->scalar_bits;
    *shape = (struct pail_msm_shape){
        .n = job->n,
        .scalar_bits = bits,
        .point_bytes = group->point_bytes,
        .xyzz_bytes = group->xyzz_bytes,
        .segment = job->bases->segment,
        .base_offset = job->base_offset,
    };
    uint64_t binding = caps->max_storage_range;
    if (caps->max_buffer_bytes < binding)
        binding = caps->max_buffer_bytes;
    const uint64_t least = 1; /* a slice of one byte takes one alignment */
    const struct pail_msm_limits limits = {
        .max_binding_bytes = binding,
        .align = pail_vk_arena_bytes(caps, &least, 1),
        .memory_budget = ctx->memory_budget,
        .max_workgroups = caps->max_workgroup_count[0],
        .max_threads = threads_of(caps),
        .sort_workgroup = sort_workgroup_of(caps),
        .workgroup = config->workgroup ? config->workgroup : MSM_ACCUMULATE_WORKGROUP,
    };
    const struct pail_msm_knobs knobs = {
        .window_bits = config->window_bits,
        .batches = config->force_batches,
        .threads = config->threads,
        .memory_budget = config->memory_budget,
    };
    return pail_msm_plan(plan, shape, &limits, &knobs, err);
}

pail_status pail_msm_estimate_job(struct pail_context *ctx, pail_stats *stats,
                                  const pail_msm_job *job, const pail_msm_config *config,
                                  struct pail_error *err)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(ctx->dev);
    struct pail_msm_shape shape;
    struct pail_msm_plan plan;
    enum pail_field_form form;
    pail_status status = check_config(config, caps, err);
    if (status == PAIL_OK)
        status = choose_form(&form, caps, config->field, err);
    if (status == PAIL_OK)
        status = check_job(ctx, job, err);
    if (status == PAIL_OK)
        status = plan_job(ctx, &plan, &shape, job, config, err);
    if (status != PAIL_OK)
        return status;
    stats->n_jobs = 1;
    stats->window_bits = plan.window_bits;
    stats->windows = plan.windows;
    stats->batches = plan.batches;
    stats->chunks = plan.chunks;
    stats->accumulator = PAIL_ACCUMULATOR_XYZZ;
    stats->field = form;
    stats->workgroup = plan.workgroup;
    stats->threads = plan.threads;
    stats->bytes_estimate = plan.scratch_bytes;
    stats->bytes_bases = job->bases->n * job->bases->group.point_bytes;
    return PAIL_OK;
}

static void scalar_of(pail_u256 *s, const struct pail_curve_ops *ops, const pail_msm_job *job,
                      size_t i)
{
    pail_u256_from_bytes(s, (const uint8_t *)job->scalars + 32 * i);
    if (job->scalar_encoding == PAIL_ENCODING_MONTGOMERY)
        ops->scalar_from_montgomery(s, s);
}

/* A promise of short scalars leaves out windows, so it is checked. */
static pail_status check_promise(const pail_msm_job *job, struct pail_error *err)
{
    if (job->scalar_bits == 0 || job->scalar_bits >= 256)
        return PAIL_OK;
    const uint32_t limb = job->scalar_bits / 64, shift = job->scalar_bits % 64;
    for (size_t i = 0; i < job->n; i++) {
        pail_u256 s;
        scalar_of(&s, job->bases->group.ops, job, i);
        uint64_t above = s.l[limb] >> shift;
        for (uint32_t l = limb + 1; l < 4; l++)
            above |= s.l[l];
        if (above)
            return pail_fail(err, PAIL_ERR_DATA,
                             "scalars: scalar %zu is not below 2^%u, as scalar_bits says", i,
                             job->scalar_bits);
    }
    return PAIL_OK;
}

/* Uploads scalars, decoding them from Montgomery form on the way if they are. */
static pail_status upload_scalars(struct pail_context *ctx, struct job *j, const pail_msm_job *job,
                                  struct pail_error *err)
{
    if (job->scalar_encoding == PAIL_ENCODING_CANONICAL)
        return pail_vk_upload(ctx->dev, &j->buffers.scalars, 0, job->scalars, 32 * job->n, NULL,
                              err);
    enum { PIECE = 256 };
    uint8_t piece[PIECE][32];
    for (size_t first = 0; first < job->n; first += PIECE) {
        const size_t n = job->n - first < PIECE ? job->n - first : PIECE;
        for (size_t i = 0; i < n; i++) {
            pail_u256 s;
            scalar_of(&s, j->bases->group.ops, job, first + i);
            pail_u256_to_bytes(piece[i], &s);
        }
        const pail_status status =
            pail_vk_upload(ctx->dev, &j->buffers.scalars, 32 * first, piece, 32 * n, NULL, err);
        if (status != PAIL_OK)
            return status;
    }
    return PAIL_OK;
}

/* Takes all buffers: the regions are as large as the largest job needs and shared by all, scalars
 * and results are each job's own, so that no upload waits for an earlier job. */
static pail_status take_buffers(struct pail_pending *p, struct pail_error *err)
{
    const size_t n_sizes = PAIL_MSM_REGIONS + 2 * p->n_jobs;
    uint64_t *sizes = pail_calloc(&p->ctx->alloc, 2 * n_sizes, sizeof(*sizes));
    if (!sizes)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %zu jobs", p->n_jobs);
    uint64_t *readback = sizes + n_sizes;
    for (size_t i = 0; i < p->n_jobs; i++) {
        const struct pail_msm_plan *plan = &p->jobs[i].plan;
        for (uint32_t r = 0; r < PAIL_MSM_REGIONS; r++)
            if (sizes[r] < plan->region_bytes[r])
                sizes[r] = plan->region_bytes[r];
        sizes[PAIL_MSM_REGIONS + 2 * i] = plan->scalar_bytes;
        sizes[PAIL_MSM_REGIONS + 2 * i + 1] = plan->windows_bytes;
        readback[2 * i] = plan->windows_bytes;
        readback[2 * i + 1] = 4 * (uint64_t)pail_msm_runs(plan);
    }
    struct pail_vk_slice region[PAIL_MSM_REGIONS];
    pail_status status = pail_vk_arena_reserve(&p->ws->device, sizes, (uint32_t)n_sizes, err);
    if (status == PAIL_OK)
        status = pail_vk_arena_reserve(&p->ws->readback, readback, (uint32_t)(2 * p->n_jobs), err);
    for (uint32_t r = 0; r < PAIL_MSM_REGIONS && status == PAIL_OK; r++)
        status = pail_vk_arena_take(&p->ws->device, sizes[r], &region[r], err);
    for (size_t i = 0; i < p->n_jobs && status == PAIL_OK; i++) {
        struct pail_msm_buffers *b = &p->jobs[i].buffers;
        memcpy(b->region, region, sizeof(region));
        status =
            pail_vk_arena_take(&p->ws->device, sizes[PAIL_MSM_REGIONS + 2 * i], &b->scalars, err);
        if (status == PAIL_OK)
            status = pail_vk_arena_take(&p->ws->device, sizes[PAIL_MSM_REGIONS + 2 * i + 1],
                                        &b->windows, err);
        if (status == PAIL_OK)
            status = pail_vk_arena_take(&p->ws->readback, readback[2 * i], &b->windows_out, err);
        if (status == PAIL_OK)
            status = pail_vk_arena_take(&p->ws->readback, readback[2 * i + 1], &b->adds_out, err);
    }
    pail_free(&p->ctx->alloc, sizes);
    return status;
}

static void destroy(struct pail_pending *p)
{
    const struct pail_alloc alloc = p->ctx->alloc;
    pail_vk_cmd_release(&p->cmd);
    pail_workspace_give(p->ctx, p->ws);
    for (size_t i = 0; i < p->n_jobs; i++)
        pail_bases_release(p->jobs[i].bases);
    pail_free(&alloc, p->jobs);
    pail_free(&alloc, p);
}

static pail_status prepare(struct pail_pending *p, const pail_msm_job jobs[],
                           const pail_msm_config *config, struct pail_error *err)
{
    struct pail_context *ctx = p->ctx;
    const struct pail_vk_caps *caps = pail_vk_device_caps(ctx->dev);
    pail_status status = check_config(config, caps, err);
    if (status == PAIL_OK)
        status = choose_form(&p->form, caps, config->field, err);
    for (size_t i = 0; i < p->n_jobs && status == PAIL_OK; i++) {
        struct job *j = &p->jobs[i];
        status = check_job(ctx, &jobs[i], err);
        if (status == PAIL_OK && !jobs[i].scalars && jobs[i].n)
            status = pail_fail(err, PAIL_ERR_ARGUMENT, "scalars: NULL with n = %zu", jobs[i].n);
        if (status == PAIL_OK)
            status = check_promise(&jobs[i], err);
        if (status != PAIL_OK)
            break;
        j->bases = (struct pail_bases *)(uintptr_t)jobs[i].bases;
        pail_bases_retain(j->bases);
        status = plan_job(ctx, &j->plan, &j->shape, &jobs[i], config, err);
        if (status == PAIL_OK)
            status = pail_bases_in_form(j->bases, p->form, err);
    }
    return status;
}

static pail_status submit(struct pail_pending *p, const pail_msm_job jobs[], struct pail_error *err)
{
    struct pail_vk_device *dev = p->ctx->dev;
    pail_status status = pail_workspace_take(p->ctx, &p->ws, err);
    if (status == PAIL_OK)
        status = take_buffers(p, err);
    if (status == PAIL_OK)
        status = pail_vk_cmd_begin(dev, PAIL_VK_QUEUE_MAIN, "msm", &p->cmd, err);
    for (size_t i = 0; i < p->n_jobs && status == PAIL_OK; i++) {
        struct job *j = &p->jobs[i];
        struct pail_msm_pipelines pipelines;
        if (j->shape.n == 0)
            continue;
        status = pail_msm_pipelines_get(dev, &pipelines, &j->bases->group, p->form, &j->plan, err);
        if (status == PAIL_OK)
            status = upload_scalars(p->ctx, j, &jobs[i], err);
        if (status == PAIL_OK)
            p->kernel_hash = pail_msm_pipelines_hash(&pipelines);
        if (status == PAIL_OK)
            pail_msm_record(p->cmd, &j->plan, &j->shape, j->bases, p->form, &pipelines,
                            &j->buffers);
    }
    p->pipelines_after = pail_vk_pipeline_stats(dev);
    if (status == PAIL_OK)
        status = pail_vk_cmd_submit(p->cmd, &p->ticket, err);
    return status;
}

pail_status pail_msm_start_jobs(struct pail_context *ctx, struct pail_pending **out,
                                const pail_msm_job jobs[], size_t n_jobs,
                                const pail_msm_config *config, struct pail_error *err)
{
    *out = NULL;
    const double start = now_ms();
    struct pail_pending *p = pail_calloc(&ctx->alloc, 1, sizeof(*p));
    struct job *list = pail_calloc(&ctx->alloc, n_jobs, sizeof(*list));
    if (!p || !list) {
        pail_free(&ctx->alloc, p);
        pail_free(&ctx->alloc, list);
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %zu jobs", n_jobs);
    }
    p->ctx = ctx;
    p->jobs = list;
    p->n_jobs = n_jobs;
    p->start_ms = start;
    p->pipelines_before = pail_vk_pipeline_stats(ctx->dev);
    pail_status status = prepare(p, jobs, config, err);
    if (status == PAIL_OK)
        status = submit(p, jobs, err);
    if (status != PAIL_OK) {
        /* Uploads may be under way for a start that failed; the workspace must outlive them. */
        (void)pail_vk_wait(ctx->dev, pail_vk_last_ticket(ctx->dev, PAIL_VK_QUEUE_MAIN),
                           PAIL_VK_FOREVER, NULL);
        destroy(p);
        return status;
    }
    *out = p;
    return PAIL_OK;
}

pail_status pail_msm_wait(struct pail_pending *pending, uint64_t timeout_ns, struct pail_error *err)
{
    return pail_vk_wait(pending->ctx->dev, pending->ticket, timeout_ns, err);
}

struct pail_context *pail_msm_context(const struct pail_pending *pending)
{
    return pending->ctx;
}

size_t pail_msm_n_jobs(const struct pail_pending *pending)
{
    return pending->n_jobs;
}

static pail_status fold(struct pail_pending *p, struct job *j, pail_msm_result *result,
                        struct pail_error *err)
{
    const struct pail_curve_ops *ops = j->bases->group.ops;
    pail_point sum;
    size_t bad;
    if (j->shape.n) {
        const pail_status status = pail_vk_invalidate(p->ctx->dev, &j->buffers.windows_out, err);
        if (status != PAIL_OK)
            return status;
    }
    /* Form numbers and radix numbers are the same list. */
    const enum pail_radix radix = p->form == PAIL_FORM_X29 ? PAIL_RADIX_X29 : PAIL_RADIX_X32;
    if (!pail_fold(ops, &sum, &bad, j->buffers.windows_out.mapped, j->plan.chunks, j->plan.windows,
                   j->plan.window_bits, radix))
        return pail_fail(err, PAIL_ERR_INTERNAL,
                         "window sum %zu has a coordinate that is not below the field modulus",
                         bad);
    pail_affine point;
    uint8_t bytes[2 * PAIL_COORDINATE_MAX];
    ops->to_affine(&point, &sum);
    ops->encode(bytes, &point, false);
    result->infinity = ops->affine_is_infinity(&point);
    result->coordinate_bytes = (uint32_t)ops->coordinate_bytes;
    memcpy(result->x, bytes, ops->coordinate_bytes);
    memcpy(result->y, bytes + ops->coordinate_bytes, ops->coordinate_bytes);
    return PAIL_OK;
}

static pail_status count_adds(struct pail_pending *p, struct job *j, pail_stats *stats,
                              struct pail_error *err)
{
    if (j->shape.n == 0)
        return PAIL_OK;
    const pail_status status = pail_vk_invalidate(p->ctx->dev, &j->buffers.adds_out, err);
    const uint32_t *adds = j->buffers.adds_out.mapped;
    for (uint32_t i = 0; i < pail_msm_runs(&j->plan) && status == PAIL_OK; i++)
        stats->adds += adds[i];
    return status;
}

static pail_status fill_stats(struct pail_pending *p, pail_stats *stats, struct pail_error *err)
{
    struct pail_vk_phase phases[PAIL_PHASES_MAX];
    uint32_t n = 0;
    pail_status status = pail_vk_cmd_phases(p->cmd, phases, PAIL_PHASES_MAX, &n, err);
    if (status != PAIL_OK)
        return status;
    stats->n_jobs = (uint32_t)p->n_jobs;
    stats->n_phases = n;
    for (uint32_t i = 0; i < n; i++) {
        snprintf(stats->phases[i].name, sizeof(stats->phases[i].name), "%s", phases[i].name);
        stats->phases[i].ms = phases[i].ms;
        stats->device_ms += phases[i].ms;
    }
    const struct job *largest = &p->jobs[0];
    for (size_t i = 0; i < p->n_jobs && status == PAIL_OK; i++) {
        struct job *j = &p->jobs[i];
        if (j->shape.n > largest->shape.n)
            largest = j;
        status = count_adds(p, j, stats, err);
        stats->bytes_bases += j->bases->n * j->bases->group.point_bytes;
    }
    const struct pail_msm_plan *plan = &largest->plan;
    stats->window_bits = plan->window_bits;
    stats->windows = plan->windows;
    stats->batches = plan->batches;
    stats->chunks = plan->chunks;
    stats->accumulator = PAIL_ACCUMULATOR_XYZZ;
    stats->field = p->form;
    stats->workgroup = plan->workgroup;
    stats->threads = plan->threads;
    stats->bytes_estimate = plan->scratch_bytes;
    stats->kernel_hash = p->kernel_hash;
    stats->bytes_requested = p->ws->device.used;
    stats->bytes_allocated = pail_vk_arena_capacity(&p->ws->device);
    const struct pail_vk_pipeline_stats *before = &p->pipelines_before,
                                        *after = &p->pipelines_after;
    stats->pipelines_memory = (uint32_t)(after->hits - before->hits);
    stats->pipelines_compiled = (uint32_t)(after->compiled - before->compiled);
    stats->pipelines_ms = after->compile_ms - before->compile_ms;
    return status;
}

pail_status pail_msm_deliver(struct pail_pending *pending, pail_msm_result results[],
                             pail_stats *stats, struct pail_error *err)
{
    pail_status status = pail_msm_wait(pending, PAIL_VK_FOREVER, err);
    for (size_t i = 0; i < pending->n_jobs && status == PAIL_OK; i++)
        status = fold(pending, &pending->jobs[i], &results[i], err);
    if (status == PAIL_OK)
        status = fill_stats(pending, stats, err);
    stats->wall_ms = now_ms() - pending->start_ms;
    destroy(pending);
    return status;
}

void pail_msm_drop(struct pail_pending *pending)
{
    (void)pail_msm_wait(pending, PAIL_VK_FOREVER, NULL);
    destroy(pending);
}
