/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include <core/debug.h>
#include <curves/fnv.h>
#include <platform/clock.h>
#include <platform/thread.h>

#include "pending.h"
#include "vectors/vector.h"
#include "vk/send.h"
#include "vk/staging.h"

/* Number from which on entries are submitted before the work on their sums is recorded: recording
 * takes no longer than a large device sorts them for (docs/performance.md). */
#define ENTRIES_AHEAD ((uint64_t)1 << 18)

/* ---- The work of one bundle ------------------------------------------------------------------ */
/* Puts one section into the recorder; where sections are kept, the next one, which is this. */
static void record(struct pail_vk_cmd *cmd, struct pail_msm_part *part,
                   const struct pail_msm_recording *r, enum pail_msm_section section,
                   const struct pail_msm_chunk *chunk, uint32_t first_window)
{
    const bool kept = part->n_sections != 0;
    uint32_t first = 0, end;
    if (kept) {
        first = part->section ? part->sections[part->section - 1] : 0;
        end = part->sections[part->section++];
    } else {
        pail_msm_steps_section(&part->steps, r, section, chunk, first_window);
        end = part->steps.n;
    }
    pail_vk_cmd_steps(cmd, &part->steps, first, end - first, part->pipelines, part->n_pipelines,
                      part->slices, PAIL_MSM_SLICES, &part->hazards);
    if (!kept)
        pail_vk_steps_clear(&part->steps);
}

/* Finds the slices of a chunk's bases. */
static void find_bases(struct pail_msm_part *part, const struct pail_msm_bundle *b,
                       const struct pail_msm_chunk *chunk)
{
    if (b->shape.streamed || b->shape.n == 0)
        return;
    for (uint32_t s = 0; s < b->n_sets; s++)
        part->slices[PAIL_MSM_BASES + s] =
            pail_bases_slice(b->sets[s].bases, b->form, b->sets[s].first + chunk->first);
    if (pail_bases_mapped(b->sets[0].bases))
        part->slices[PAIL_MSM_MAP] =
            pail_bases_map_slice(b->sets[0].bases, b->sets[0].first + chunk->first);
}

static pail_status drive_chunk(struct pail_pending *p, const struct pail_msm_recording *r,
                               struct pail_msm_part *part, const struct pail_msm_chunk *chunk,
                               struct pail_vk_cmd **cmd, struct pail_error *err)
{
    const struct pail_msm_plan *plan = &r->bundle->plan;
    const bool overlap = (pail_vk_device_debug(p->msm->dev) & PAIL_DEBUG_OVERLAP) != 0;
    pail_status status = PAIL_OK;
    for (uint32_t window = 0; window < plan->total_windows && status == PAIL_OK;
         window += pail_msm_batch_at(plan, window)) {
        const uint32_t windows = pail_msm_batch_at(plan, window);
        const uint64_t more = pail_msm_window_entries(plan, chunk->n) * windows;
        if (!*cmd)
            status = pail_msm_submission_begin(p, cmd, err);
        if (status != PAIL_OK)
            break;
        const bool ahead = p->oldest == p->newest && (overlap || more >= ENTRIES_AHEAD);
        record(*cmd, part, r, PAIL_MSM_ENTRIES, chunk, window);
        if (ahead)
            status = pail_msm_submission_end(p, cmd, err);
        if (ahead && status == PAIL_OK)
            status = pail_msm_submission_begin(p, cmd, err);
        if (status != PAIL_OK)
            break;
        record(*cmd, part, r, PAIL_MSM_SUMS, chunk, window);
        p->blocks += r->bundle->n_sets;
        p->sorts++;
    }
    return status;
}

/* Places for the chunks of stepped work, used in turns. */
struct places {
    struct pail_vk_slice stream, scalars; /* all of them */
    pail_vk_ticket used[2];               /* tickets to complete before a chunk goes there */
};

static struct places places_of(const struct pail_pending *p, const struct pail_msm_part *part)
{
    return (struct places){
        .stream = part->slices[PAIL_MSM_STREAM],
        .scalars = part->slices[PAIL_MSM_SCALARS],
        .used = {p->ticket, p->ticket}, /* an earlier bundle, in the same memory */
    };
}

static void find_place(const struct places *places, struct pail_msm_part *part,
                       const struct pail_msm_bundle *b, uint32_t number)
{
    const struct pail_msm_plan *plan = &b->plan;
    const uint64_t stream = plan->region_bytes[PAIL_MSM_STREAM];
    const uint64_t scalars = plan->region_bytes[PAIL_MSM_SCALARS];
    const uint64_t others = plan->places - 1, at = number % plan->places;
    if (others == 0)
        return;
    if (b->shape.streamed)
        part->slices[PAIL_MSM_STREAM] = pail_vk_slice_part(&places->stream, at * plan->stream_pitch,
                                                           stream - others * plan->stream_pitch);
    part->slices[PAIL_MSM_SCALARS] = pail_vk_slice_part(&places->scalars, at * plan->scalars_pitch,
                                                        scalars - others * plan->scalars_pitch);
}

/* Ends the work on the chunk before, sends this one, to another place if there is one, while the
 * device is at that, and begins a recorder for what is to be done with it. */
static pail_status bring_chunk(struct pail_pending *p, const struct pail_msm_bundle *b,
                               struct pail_msm_part *part, struct places *places,
                               const struct pail_msm_chunk *chunk, struct pail_vk_cmd **cmd,
                               struct pail_error *err)
{
    const uint32_t n = b->plan.places;
    const bool sends = b->shape.streamed || !b->vectors[0].elements;
    pail_vk_ticket sent = 0;
    if (atomic_load(&p->cancel))
        return pail_fail(err, PAIL_ERR_INTERNAL, "abandoned");
    pail_status status = pail_msm_submission_end(p, cmd, err);
    if (chunk->number)
        places->used[(chunk->number - 1) % n] = p->ticket;
    find_place(places, part, b, chunk->number);
    if (status == PAIL_OK && n > 1 && sends)
        status = pail_vk_wait(p->msm->dev, places->used[chunk->number % n], PAIL_VK_FOREVER, err);
    if (status == PAIL_OK)
        status = pail_msm_send_chunk(p, b, part, chunk, &sent, err);
    if (status == PAIL_OK)
        status = pail_msm_retire_complete(p, err);
    if (status == PAIL_OK)
        status = pail_msm_submission_begin(p, cmd, err);
    if (status == PAIL_OK)
        pail_vk_cmd_wait(*cmd, sent);
    return status;
}

static struct pail_msm_recording recording_of(const struct pail_pending *p,
                                              const struct pail_msm_bundle *bundle,
                                              const struct pail_msm_part *part)
{
    return (struct pail_msm_recording){
        .bundle = bundle,
        .addresses = part->addresses,
        .poison = (pail_vk_device_debug(p->msm->dev) & PAIL_DEBUG_POISON) != 0,
        .keeps_buckets = p->keeps_buckets,
    };
}

static pail_status record_bundle(struct pail_pending *p, struct pail_msm_scalars *scalars,
                                 struct pail_msm_part *part, struct pail_error *err)
{
    const struct pail_msm_bundle *b = scalars->bundle;
    const struct pail_msm_recording r = recording_of(p, b, part);
    struct pail_vk_cmd *cmd = NULL;
    struct pail_msm_chunk chunk = *scalars->chunk;
    struct places places = places_of(p, part);
    pail_status status = pail_msm_submission_begin(p, &cmd, err);
    if (status == PAIL_OK && !b->plan.stepped)
        status = pail_msm_scalars_begin(p, scalars, part, cmd, err);
    if (status != PAIL_OK)
        return status;
    /* An earlier bundle may have used the memory, and scalars may have been sent to it. */
    part->hazards = (struct pail_vk_hazards){.unknown = true};
    record(cmd, part, &r, PAIL_MSM_BEGIN, NULL, 0);
    if (b->vectors[0].elements && b->shape.n)
        part->slices[PAIL_MSM_ELEMENTS] = pail_vector_all(b->vectors[0].elements);
    for (chunk.number = 0; chunk.first < b->shape.n && status == PAIL_OK; chunk.number++) {
        chunk.n = (uint32_t)pail_msm_chunk_at(&b->plan, &b->shape, chunk.first);
        find_bases(part, b, &chunk);
        if (b->plan.stepped || chunk.number)
            part->hazards.unknown = true; /* sent data comes from elsewhere */
        if (b->plan.stepped) {
            status = bring_chunk(p, b, part, &places, &chunk, &cmd, err);
            if (status != PAIL_OK)
                return status;
        }
        record(cmd, part, &r, PAIL_MSM_FETCH, &chunk, 0);
        if (status == PAIL_OK && b->plan.overlaps && chunk.number)
            status = pail_msm_submission_end(p, &cmd, err);
        p->sending_needed = 32 * (chunk.first + chunk.n);
        if (!b->plan.overlaps)
            p->sending_needed = p->sending_bytes;
        if (status == PAIL_OK)
            status = drive_chunk(p, &r, part, &chunk, &cmd, err);
        chunk.first += chunk.n;
    }
    if (status != PAIL_OK)
        return status;
    part->slices[PAIL_MSM_STREAM] = places.stream;
    part->slices[PAIL_MSM_SCALARS] = places.scalars;
    record(cmd, part, &r, PAIL_MSM_END, NULL, 0);
    /* The host reads; a bundle that follows overwrites. */
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE | PAIL_VK_TRANSFER,
                        PAIL_VK_HOST | PAIL_VK_COMPUTE | PAIL_VK_TRANSFER);
    return pail_msm_submission_end(p, &cmd, err);
}

static pail_status drive_bundle(struct pail_pending *p, const struct pail_msm_bundle *b,
                                struct pail_msm_part *part, struct pail_error *err)
{
    const struct pail_msm_chunk all = {.n = (uint32_t)b->shape.n};
    struct pail_msm_scalars scalars = {.bundle = b, .chunk = &all};
    const pail_status status = record_bundle(p, &scalars, part, err);
    pail_vk_send_end(&p->sending, 0); /* after a failure */
    return status;
}

static pail_status drive_concurrent(struct pail_pending *p, struct pail_error *err)
{
    struct pail_vk_cmd *cmd = NULL;
    const pail_status status = pail_msm_submission_begin(p, &cmd, err);
    if (status != PAIL_OK)
        return status;
    for (size_t i = 0; i < p->n_bundles; i++) {
        const struct pail_msm_bundle *b = &p->bundles[i];
        const struct pail_msm_chunk all = {.n = (uint32_t)b->shape.n};
        p->parts[i].slices[PAIL_MSM_ELEMENTS] = pail_vector_all(b->vectors[0].elements);
        find_bases(&p->parts[i], b, &all);
        p->blocks += b->n_sets;
        p->sorts++;
    }
    pail_msm_record_concurrent(p, cmd);
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE | PAIL_VK_TRANSFER,
                        PAIL_VK_HOST | PAIL_VK_COMPUTE | PAIL_VK_TRANSFER);
    return pail_msm_submission_end(p, &cmd, err);
}

/* A bundle on a side queue. It begins when its scalars are there, whatever else is under way. */
static pail_status drive_lane(struct pail_pending *p, size_t i, struct pail_error *err)
{
    const struct pail_msm_bundle *b = &p->bundles[i];
    struct pail_vector *elements = b->vectors[0].elements;
    struct pail_msm_part *part = &p->parts[i];
    const struct pail_msm_recording r = recording_of(p, b, part);
    const struct pail_msm_chunk all = {.n = (uint32_t)b->shape.n};
    struct pail_vk_cmd *cmd = NULL;
    p->bundle = i;
    p->queue = pail_msm_lane_queue(p, i);
    pail_status status = pail_msm_submission_begin(p, &cmd, err);
    if (status != PAIL_OK)
        return status;
    pail_vk_cmd_share(cmd, (uint32_t)p->n_bundles);
    pail_vk_cmd_wait(cmd, atomic_load(&elements->written));
    for (uint32_t s = 0; s < b->n_sets; s++)
        pail_vk_cmd_wait(cmd, atomic_load(&b->sets[s].bases->made));
    part->slices[PAIL_MSM_ELEMENTS] = pail_vector_all(elements);
    find_bases(part, b, &all);
    part->hazards = (struct pail_vk_hazards){.unknown = true};
    record(cmd, part, &r, PAIL_MSM_BEGIN, NULL, 0);
    record(cmd, part, &r, PAIL_MSM_FETCH, &all, 0);
    record(cmd, part, &r, PAIL_MSM_ENTRIES, &all, 0);
    record(cmd, part, &r, PAIL_MSM_SUMS, &all, 0);
    record(cmd, part, &r, PAIL_MSM_END, NULL, 0);
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE | PAIL_VK_TRANSFER,
                        PAIL_VK_HOST | PAIL_VK_COMPUTE | PAIL_VK_TRANSFER);
    status = pail_msm_submission_end(p, &cmd, err);
    part->ticket = status == PAIL_OK ? p->ticket : 0;
    pail_vector_note_read(elements, (uint32_t)(p->queue - PAIL_VK_QUEUE_SIDE), part->ticket);
    p->blocks += b->n_sets;
    p->sorts++;
    return status;
}

/* Lanes over Fp2 take longest, so they begin first. */
static pail_status drive_lanes(struct pail_pending *p, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    for (uint32_t group = PAIL_G2 + 1; group-- > PAIL_G1;)
        for (size_t i = 0; i < p->n_bundles && status == PAIL_OK; i++)
            if (p->bundles[i].sets[p->bundles[i].n_sets - 1].bases->group.group == group)
                status = drive_lane(p, i, err);
    return status;
}

static pail_status drive_all(struct pail_pending *p, struct pail_error *err)
{
    pail_status status = p->lanes        ? drive_lanes(p, err)
                         : p->concurrent ? drive_concurrent(p, err)
                                         : PAIL_OK;
    for (size_t i = 0; !p->concurrent && i < p->n_bundles && status == PAIL_OK; i++) {
        p->bundle = i;
        if (pail_msm_bundle_works(&p->bundles[i]))
            status = drive_bundle(p, &p->bundles[i], &p->parts[i], err);
    }
    return status == PAIL_OK ? pail_msm_wipe_begin(p, err) : status;
}

/* ---- Buffers --------------------------------------------------------------------------------- */
/* Blocks for one bundle after the other, each as large as the one it replaces, may be more than the
 * caller allows. One for the largest bundle is enough for all. most: its bytes. */
static pail_status keep_budget(struct pail_pending *p, uint64_t most, struct pail_error *err)
{
    struct pail_vk_arena *arena = &p->ws->device;
    pail_status status = PAIL_OK;
    if (!p->memory_budget || pail_vk_arena_allocated(arena) <= p->memory_budget)
        return PAIL_OK;
    if (most <= pail_vk_device_caps(p->msm->dev)->max_buffer_bytes) {
        pail_vk_arena_clear(arena);
        status = pail_vk_arena_reserve(arena, &most, 1, err);
    }
    const uint64_t allocated = pail_vk_arena_allocated(arena);
    if (status == PAIL_OK && allocated > p->memory_budget)
        status = pail_fail(err, PAIL_ERR_ARGUMENT,
                           "config->memory_budget is %llu; the driver allocates %llu for the %llu "
                           "that this MSM needs",
                           (unsigned long long)p->memory_budget, (unsigned long long)allocated,
                           (unsigned long long)most);
    return status;
}

/* Memory for all bundles, side by side. */
static pail_status reserve_concurrent(struct pail_pending *p, struct pail_error *err)
{
    uint64_t *sizes = pail_calloc(&p->msm->alloc, PAIL_MSM_REGIONS * p->n_bundles, sizeof(*sizes));
    if (!sizes)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %zu bundles", p->n_bundles);
    for (size_t i = 0; i < p->n_bundles; i++)
        memcpy(sizes + PAIL_MSM_REGIONS * i, p->bundles[i].plan.region_bytes,
               sizeof(p->bundles[i].plan.region_bytes));
    const pail_status status = pail_vk_arena_reserve(
        &p->ws->device, sizes, (uint32_t)(PAIL_MSM_REGIONS * p->n_bundles), err);
    pail_free(&p->msm->alloc, sizes);
    return status;
}

/* Memory for all bundles side by side, or for one after the other. */
static pail_status reserve_regions(struct pail_pending *p, struct pail_error *err)
{
    struct pail_vk_arena *arena = &p->ws->device;
    uint64_t most = 0, all = 0;
    for (size_t i = 0; i < p->n_bundles; i++) {
        all += p->bundles[i].plan.scratch_bytes;
        if (most < p->bundles[i].plan.scratch_bytes)
            most = p->bundles[i].plan.scratch_bytes;
    }
    if (p->concurrent)
        most = all;
    /* An earlier multiplication's memory may be more than this one's caller allows. */
    if (p->memory_budget && pail_vk_arena_allocated(arena) > p->memory_budget)
        pail_vk_arena_clear(arena);
    /* The plan counts on the memory of workspaces that nobody uses. */
    if (most > pail_vk_arena_capacity(arena))
        pail_workspace_trim(p->msm);
    pail_status status = p->concurrent ? reserve_concurrent(p, err) : PAIL_OK;
    for (size_t i = 0; !p->concurrent && i < p->n_bundles && status == PAIL_OK; i++)
        status =
            pail_vk_arena_reserve(arena, p->bundles[i].plan.region_bytes, PAIL_MSM_REGIONS, err);
    return status == PAIL_OK ? keep_budget(p, most, err) : status;
}

/* All bundles use the same memory one after the other, where the queue keeps them apart, or each
 * its own. */
static pail_status take_regions(struct pail_pending *p, struct pail_error *err)
{
    struct pail_vk_arena *arena = &p->ws->device;
    p->concurrent = pail_msm_is_concurrent(p);
    p->lanes = p->concurrent && pail_msm_has_lanes(p);
    pail_status status = reserve_regions(p, err);
    if (status != PAIL_OK && p->concurrent) { /* there was less room than there seemed */
        p->concurrent = p->lanes = false;
        pail_vk_arena_clear(arena);
        *err = (struct pail_error){0};
        status = reserve_regions(p, err);
    }
    for (size_t i = 0; i < p->n_bundles && status == PAIL_OK; i++) {
        if (!p->concurrent || i == 0)
            pail_vk_arena_reset(arena);
        for (uint32_t r = 0; r < PAIL_MSM_REGIONS && status == PAIL_OK; r++)
            status = pail_vk_arena_take(arena, p->bundles[i].plan.region_bytes[r],
                                        &p->parts[i].slices[r], err);
        if (p->secret && pail_msm_bundle_works(&p->bundles[i]))
            pail_vk_arena_soil(arena);
        if (p->bytes_requested < arena->used)
            p->bytes_requested = arena->used;
    }
    return status;
}

static pail_status take_readback(struct pail_pending *p, struct pail_error *err)
{
    struct pail_vk_arena *arena = &p->ws->readback;
    uint64_t *sizes = pail_calloc(&p->msm->alloc, 3 * p->n_bundles, sizeof(*sizes));
    if (!sizes)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %zu bundles", p->n_bundles);
    for (size_t i = 0; i < p->n_bundles; i++) {
        sizes[3 * i] = pail_msm_results_bytes(&p->bundles[i]);
        sizes[3 * i + 1] =
            4 * ((uint64_t)PAIL_MSM_REPORT_WORDS + pail_msm_blocks(&p->bundles[i].plan));
        sizes[3 * i + 2] = p->keeps_buckets ? pail_msm_buckets_bytes(&p->bundles[i]) : 0;
    }
    pail_status status = pail_vk_arena_reserve(arena, sizes, (uint32_t)(3 * p->n_bundles), err);
    for (size_t i = 0; i < p->n_bundles && status == PAIL_OK; i++) {
        struct pail_vk_slice *slices = p->parts[i].slices;
        status = pail_vk_arena_take(arena, sizes[3 * i], &slices[PAIL_MSM_RESULTS_OUT], err);
        if (status == PAIL_OK)
            status = pail_vk_arena_take(arena, sizes[3 * i + 1], &slices[PAIL_MSM_REPORT_OUT], err);
        if (status == PAIL_OK && sizes[3 * i + 2])
            status =
                pail_vk_arena_take(arena, sizes[3 * i + 2], &slices[PAIL_MSM_BUCKETS_OUT], err);
    }
    if (p->secret)
        pail_vk_arena_soil(arena);
    pail_free(&p->msm->alloc, sizes);
    return status;
}

/* The hash of all its kernels, in the order of their first step. */
static uint64_t hash_of(const struct pail_msm_part *part)
{
    uint64_t hash = pail_fnv1a64(NULL, 0);
    for (uint32_t i = 0; i < part->n_pipelines; i++) {
        const uint64_t one = pail_vk_pipeline_hash(part->pipelines[i]);
        hash = pail_fnv1a64_more(hash, &one, sizeof(one));
    }
    return hash;
}

static bool keep_section(void *user, struct pail_vk_steps *list, const struct pail_msm_chunk *chunk)
{
    struct pail_msm_part *part = user;
    (void)chunk;
    part->sections[part->n_sections++] = list->n;
    return true;
}

static pail_status take_part_pipelines(struct pail_pending *p, size_t i, struct pail_error *err)
{
    struct pail_msm_part *part = &p->parts[i];
    const struct pail_msm_recording r = recording_of(p, &p->bundles[i], part);
    pail_vk_steps_init(&part->steps, &p->msm->alloc);
    const bool keeps = pail_msm_blocks(&p->bundles[i].plan) <= PAIL_MSM_KEPT_BLOCKS;
    pail_msm_steps_all(&part->steps, &r, keeps ? keep_section : NULL, part);
    if (part->steps.failed != PAIL_OK)
        return pail_fail(err, part->steps.failed, "%s", part->steps.error.text);
    part->n_pipelines = part->steps.n_requests;
    part->pipelines = pail_calloc(&p->msm->alloc, part->n_pipelines, sizeof(*part->pipelines));
    if (!part->pipelines)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %u pipelines",
                         part->n_pipelines);
    const pail_status status =
        pail_vk_pipelines_find(p->msm->dev, part->steps.requests, part->n_pipelines,
                               p->msm->threads, part->pipelines, &p->pipelines, err);
    if (status == PAIL_OK)
        p->kernel_hash = hash_of(part);
    return status;
}

static pail_status take_pipelines(struct pail_pending *p, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < p->n_bundles && status == PAIL_OK; i++)
        if (pail_msm_bundle_works(&p->bundles[i]))
            status = take_part_pipelines(p, i, err);
    return status;
}

/* ---- The driver thread ----------------------------------------------------------------------- */
static void *driver_main(void *argument)
{
    struct pail_pending *p = argument;
    struct pail_error err = {0};
    const pail_status status = drive_all(p, &err);
    pthread_mutex_lock(&p->lock);
    p->submitted = true;
    p->status = status;
    p->err = err;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    pail_msm_wipe_copy(p); /* while the device works on */
    return NULL;
}

static pail_status driver_begin(struct pail_pending *p, struct pail_error *err)
{
    pail_status status = pail_msm_scalars_copy(p, err);
    if (status != PAIL_OK)
        return status;
    if (pthread_mutex_init(&p->lock, NULL) != 0)
        return pail_fail(err, PAIL_ERR_INTERNAL, "a mutex cannot be made");
    bool made = pail_clock_cond_init(&p->changed) == 0;
    int error = ENOMEM;
    if (made && (error = pail_thread_start(&p->driver, "pail-send", PAIL_STACK_FOREIGN, driver_main,
                                           p)) != 0) {
        pthread_cond_destroy(&p->changed);
        made = false;
    }
    if (!made) {
        pthread_mutex_destroy(&p->lock);
        return pail_fail(err, PAIL_ERR_INTERNAL,
                         "a thread that sends the points cannot be made: %s", strerror(error));
    }
    p->has_driver = true;
    return PAIL_OK;
}

pail_status pail_msm_drive(struct pail_pending *p, struct pail_error *err)
{
    bool stepped = false;
    for (size_t i = 0; i < p->n_bundles; i++)
        stepped |= p->bundles[i].plan.stepped && p->bundles[i].shape.n;
    pail_status status = pail_workspace_take(p->msm, &p->ws, err);
    if (status == PAIL_OK)
        p->ws_bytes = pail_vk_arena_allocated(&p->ws->device);
    if (status == PAIL_OK)
        status = take_regions(p, err);
    if (status == PAIL_OK)
        status = take_readback(p, err);
    if (status == PAIL_OK)
        status = take_pipelines(p, err);
    if (status == PAIL_OK && stepped && !p->borrows)
        return driver_begin(p, err);
    if (status == PAIL_OK)
        status = drive_all(p, err);
    p->submitted = true;
    return status;
}

pail_status pail_msm_drive_wait(struct pail_pending *p, uint64_t *timeout_ns,
                                struct pail_error *err)
{
    if (!p->has_driver)
        return PAIL_OK;
    const uint64_t start_ns = pail_clock_ns(), until_ns = pail_clock_until(*timeout_ns);
    pthread_mutex_lock(&p->lock);
    int result = 0;
    while (!p->submitted && result != ETIMEDOUT)
        result = pail_clock_cond_wait(&p->changed, &p->lock, until_ns);
    const pail_status status = p->submitted ? p->status : PAIL_NOT_READY;
    if (status != PAIL_OK && status != PAIL_NOT_READY && err)
        *err = p->err;
    pthread_mutex_unlock(&p->lock);
    const uint64_t spent = pail_clock_ns() - start_ns;
    if (*timeout_ns != PAIL_VK_FOREVER)
        *timeout_ns = *timeout_ns > spent ? *timeout_ns - spent : 0;
    return status;
}

void pail_msm_drive_join(struct pail_pending *p)
{
    if (!p->has_driver)
        return;
    atomic_store(&p->cancel, true);
    pthread_join(p->driver, NULL);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    p->has_driver = false;
}

void pail_msm_drive_stop(struct pail_pending *p)
{
    pail_msm_drive_join(p);
    /* Uploads may be under way for work that was never submitted; the workspace outlives them. */
    for (uint32_t kind = 0; kind < PAIL_VK_QUEUE_KINDS; kind++)
        (void)pail_vk_wait(p->msm->dev,
                           pail_vk_last_ticket(p->msm->dev, (enum pail_vk_queue_kind)kind),
                           PAIL_VK_FOREVER, NULL);
}
