/* SPDX-License-Identifier: Apache-2.0 */
#include "bundle.h"

#include <string.h>

#include <shared/msm_layout.h>

#include "msm/plan/resolution.h"
#include "msm/service/service.h"
#include "vectors/vector.h"

/* Vectors that share dispatches: where there are more points than this, one vector keeps a device
 * busy, and a bundle would only take more memory. */
#define VECTORS_POINTS_MAX ((uint64_t)1 << 20)

static pail_status check_location(uint32_t location, const char *what, size_t i, uint64_t address,
                                  const struct pail_vk_caps *caps, struct pail_error *err)
{
    if (location != PAIL_LOCATION_HOST && location != PAIL_LOCATION_DEVICE_ADDRESS)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "jobs[%zu].%s_location is %u, which is none", i,
                         what, location);
    if (location == PAIL_LOCATION_HOST)
        return PAIL_OK;
    if (!caps->buffer_device_address)
        return pail_fail(
            err, PAIL_ERR_UNSUPPORTED,
            "jobs[%zu].%s_location is %u; it needs device addresses, which %s lacks or "
            "the host did not enable",
            i, what, location, caps->name);
    if (address == 0 || address % 4)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "jobs[%zu]: the address 0x%llx of the %s is not a multiple of 4 above 0",
                         i, (unsigned long long)address, what);
    return PAIL_OK;
}

/* Scalars that are elements of a vector. */
static pail_status check_elements(const struct pail_msm *msm, const pail_msm_job *job, size_t i,
                                  struct pail_error *err)
{
    const uint64_t most = pail_vk_device_caps(msm->dev)->max_storage_range / 32;
    if (pail_bases_mapped(job->bases) && job->n >= most)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "jobs[%zu].n is %zu; of a vector over bases with points at infinity the "
                         "device binds at most %llu",
                         i, job->n, (unsigned long long)most);
    return PAIL_OK;
}

static pail_status check_job(const struct pail_msm *msm, const pail_msm_job *job, size_t i,
                             struct pail_error *err)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(msm->dev);
    pail_status status = job->scalar_location == PAIL_LOCATION_VECTOR
                             ? check_elements(msm, job, i, err)
                             : check_location(job->scalar_location, "scalar", i,
                                              job->n ? (uintptr_t)job->scalars : 4, caps, err);
    if (status == PAIL_OK)
        status = check_location(job->result_location, "result", i, job->result_address, caps, err);
    if (status != PAIL_OK)
        return status;
    if (job->scalar_location == PAIL_LOCATION_DEVICE_ADDRESS &&
        job->scalar_encoding == PAIL_ENCODING_MONTGOMERY)
        return pail_fail(
            err, PAIL_ERR_UNSUPPORTED,
            "jobs[%zu].scalar_encoding is %u; scalars at a device address are canonical", i,
            job->scalar_encoding);
    return PAIL_OK;
}

static uint32_t promised_bits(const pail_msm_job *job)
{
    return job->scalar_bits ? job->scalar_bits : 256;
}

/* A job on its own, as a bundle of one. */
static pail_status bundle_begin(struct pail_msm *msm, struct pail_msm_bundle *b,
                                const pail_msm_job *job, size_t number, struct pail_error *err)
{
    struct pail_bases *bases = (struct pail_bases *)(uintptr_t)job->bases;
    const uint32_t bits = promised_bits(job), order_bits = bases->group.ops->order_bits;
    uint64_t first, kept;
    pail_bases_range(bases, job->base_offset, job->n, &first, &kept);
    *b = (struct pail_msm_bundle){
        .shape =
            {
                .n = kept,
                .vectors = 1,
                .sets = 1,
                .base_offset = first,
                .device_results = job->result_location == PAIL_LOCATION_DEVICE_ADDRESS,
            },
        .scalar_ops = bases->group.ops,
        .curve = bases->group.curve,
        .scalar_encoding = job->scalar_encoding,
        .promised_bits = bits,
        /* Below 2^order_bits a scalar may still be above the order; it needs no other digits. */
        .reduce = bases->order_known && bits > order_bits,
        .n_original = job->n,
        .n_vectors = 1,
        .n_sets = 1,
        .capacity = 1,
    };
    const struct pail_msm_keeping kept_so = pail_bases_keeping(bases);
    pail_msm_shape_over(&b->shape, &bases->group, &kept_so, bases->order_known, bits);
    b->vectors = pail_calloc(&msm->alloc, b->capacity, sizeof(*b->vectors));
    b->sets = pail_calloc(&msm->alloc, PAIL_MSM_SETS_MAX, sizeof(*b->sets));
    b->jobs = pail_calloc(&msm->alloc, b->capacity + PAIL_MSM_SETS_MAX, sizeof(*b->jobs));
    if (!b->vectors || !b->sets || !b->jobs)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for job %zu", number);
    pail_bases_retain(bases);
    const bool on_device = job->scalar_location == PAIL_LOCATION_DEVICE_ADDRESS;
    b->vectors[0] = (struct pail_msm_vector){
        .scalars = on_device ? NULL : job->scalars,
        .address = on_device ? (uintptr_t)job->scalars : 0,
        .offset = job->base_offset,
    };
    if (job->scalar_location == PAIL_LOCATION_VECTOR) {
        b->vectors[0].elements = (struct pail_vector *)(uintptr_t)job->scalar_vector;
        b->vectors[0].first = job->scalar_offset;
        pail_vector_retain(b->vectors[0].elements);
    }
    /* Scalars with left-out points, a promise or a semaphore need the fetching kernel. */
    if (on_device && job->n && bits == 256 && !pail_bases_mapped(bases) && !job->wait_semaphore)
        (void)pail_memories_find(msm->memories, b->vectors[0].address, 32 * (uint64_t)job->n, true,
                                 &b->vectors[0].pinned);
    b->sets[0] = (struct pail_msm_set){bases, first};
    b->jobs[0] = number;
    return PAIL_OK;
}

bool pail_msm_bundle_works(const struct pail_msm_bundle *bundle)
{
    return bundle->shape.n != 0 || bundle->shape.device_results;
}

bool pail_msm_bundle_copies_chunks(const struct pail_msm_bundle *bundle)
{
    return bundle->plan.places > 1 && bundle->n_vectors == 1 && bundle->vectors[0].pinned.buffer;
}

bool pail_msm_bundle_direct(const struct pail_msm_bundle *bundle)
{
    const struct pail_msm_vector *vector = &bundle->vectors[0];
    return bundle->n_vectors == 1 && vector->address && vector->address % 16 == 0 &&
           bundle->promised_bits == 256 && !pail_bases_mapped(bundle->sets[0].bases) &&
           !bundle->plan.overlaps && !pail_msm_bundle_copies_chunks(bundle) &&
           (bundle->plan.batches == 1 || !vector->pinned.buffer);
}

bool pail_msm_bundle_fetches(const struct pail_msm_bundle *bundle)
{
    if (bundle->shape.n == 0 || bundle->plan.overlaps || pail_msm_bundle_copies_chunks(bundle) ||
        pail_msm_bundle_direct(bundle))
        return false;
    for (uint32_t v = 0; v < bundle->n_vectors; v++)
        if (!bundle->vectors[v].scalars)
            return true;
    return false;
}

uint32_t pail_msm_vectors_most(uint64_t n)
{
    return n && n < VECTORS_POINTS_MAX ? (uint32_t)(VECTORS_POINTS_MAX / n) : 1;
}

/* True if both begin with the same way of reading scalars, over sets on the device. */
static bool alike(const struct pail_msm_bundle *b, const struct pail_msm_bundle *one)
{
    return b->form == one->form && b->curve == one->curve &&
           b->scalar_encoding == one->scalar_encoding && b->promised_bits == one->promised_bits &&
           b->reduce == one->reduce && b->shape.scalar_bits == one->shape.scalar_bits &&
           b->n_original == one->n_original && b->shape.n == one->shape.n && b->shape.n > 0 &&
           !pail_msm_shape_passes(&b->shape) && !pail_msm_shape_passes(&one->shape);
}

/* All bases that the vectors of a bundle go with, in one segment. */
static bool in_one_segment(const struct pail_msm_bundle *b, uint64_t first, uint64_t count)
{
    return first / b->sets[0].bases->segment == (first + count - 1) / b->sets[0].bases->segment;
}

/* Twice the room for vectors. */
static bool grow(struct pail_msm *msm, struct pail_msm_bundle *b)
{
    const uint32_t more = 2 * b->capacity;
    struct pail_msm_vector *vectors = pail_calloc(&msm->alloc, more, sizeof(*vectors));
    size_t *jobs = pail_calloc(&msm->alloc, more + PAIL_MSM_SETS_MAX, sizeof(*jobs));
    if (!vectors || !jobs) {
        pail_free(&msm->alloc, vectors);
        pail_free(&msm->alloc, jobs);
        return false;
    }
    memcpy(vectors, b->vectors, b->n_vectors * sizeof(*vectors));
    memcpy(jobs, b->jobs, b->n_vectors * sizeof(*jobs));
    pail_free(&msm->alloc, b->vectors);
    pail_free(&msm->alloc, b->jobs);
    b->vectors = vectors;
    b->jobs = jobs;
    b->capacity = more;
    return true;
}

/* Appends `one`, a bundle of one job, as one more vector. Without host memory for that it stays a
 * bundle of its own, which gives the same result. */
static bool join_vectors(struct pail_msm *msm, struct pail_msm_bundle *b,
                         const struct pail_msm_bundle *one)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(msm->dev);
    const uint64_t first = b->sets[0].first, next = one->sets[0].first, v = b->n_vectors;
    if (b->vectors[0].elements || one->vectors[0].elements)
        return false;
    if (!alike(b, one) || b->n_sets > 1 || b->sets[0].bases != one->sets[0].bases || next < first ||
        v >= pail_msm_vectors_most(b->shape.n) || v + 1 > caps->max_workgroup_count[2])
        return false;
    const uint64_t stride = v == 1 ? next - first : b->handle_stride;
    const uint64_t span = v * stride + b->shape.n;
    if (next != first + v * stride || span >= MSM_HANDLE_SIGN || !in_one_segment(b, first, span) ||
        32 * b->shape.n * (v + 1) > pail_msm_binding_limit(caps) ||
        span * b->shape.point_bytes > pail_msm_binding_limit(caps))
        return false;
    if (v == b->capacity && !grow(msm, b))
        return false;
    b->handle_stride = stride;
    b->vectors[v] = one->vectors[0];
    b->jobs[v] = one->jobs[0];
    b->n_vectors++;
    b->shape.vectors++;
    b->shape.segment = 0;
    b->shape.device_results |= one->shape.device_results;
    return true;
}

static bool same_pitch(const struct pail_msm_bundle *b, const struct pail_msm_bundle *one)
{
    const struct pail_msm_set *mine = &b->sets[0], *its = &one->sets[0];
    return pail_bases_pitch(mine->bases, mine->first) == pail_bases_pitch(its->bases, its->first);
}

/* True if an entry of one set is the entry of the other: copies at the same distances. Images need
 * not be used. */
static bool same_table(const struct pail_msm_bundle *b, const struct pail_msm_bundle *one)
{
    const struct pail_msm_table *a = &b->sets[0].bases->table, *z = &one->sets[0].bases->table;
    if (a->bits == 0 && z->bits == 0)
        return true;
    return a->factor == z->factor && a->bits == z->bits && same_pitch(b, one);
}

/* True if a chunk of one is a chunk of the other: both sets are in one segment, or their segments
 * begin and end at the same points. */
static bool same_segments(const struct pail_msm_bundle *b, const struct pail_msm_bundle *one)
{
    const struct pail_msm_set *mine = &b->sets[0], *its = &one->sets[0];
    const struct pail_bases *a = mine->bases, *z = its->bases;
    return (!pail_msm_shape_is_cut(&b->shape) && !pail_msm_shape_is_cut(&one->shape)) ||
           (a->segment == z->segment && a->kept == z->kept && mine->first == its->first);
}

/* Appends `one` as one more set under the same scalars. */
static bool join_sets(struct pail_msm_bundle *b, const struct pail_msm_bundle *one)
{
    const struct pail_msm_vector *mine = &b->vectors[0], *its = &one->vectors[0];
    const struct pail_bases *a = b->sets[0].bases, *z = one->sets[0].bases;
    const bool same_scalars = mine->scalars == its->scalars && mine->address == its->address &&
                              mine->elements == its->elements && mine->first == its->first;
    /* Left out points must be the same ones. */
    const bool same_map = !pail_bases_mapped(a) && !pail_bases_mapped(z);
    const bool same_kept = pail_bases_mapped(a) && pail_bases_mapped(z) &&
                           a->map_hash == z->map_hash && a->n == z->n &&
                           mine->offset == its->offset;
    /* A set of the other group would go through its steps behind the first; side by side with it
     * both take hardly longer than one, which pays for one more sort. */
    const bool apart = mine->elements && a->group.group != z->group.group &&
                       b->shape.n <= PAIL_MSM_CONCURRENT_POINTS / 8;
    if (!alike(b, one) || b->n_vectors > 1 || b->n_sets >= PAIL_MSM_SETS_MAX || !same_scalars ||
        apart || !(same_map || same_kept) || !same_table(b, one) || !same_segments(b, one))
        return false;
    if (one->shape.half_bits == 0 || (b->shape.half_bits && !same_pitch(b, one)))
        b->shape.half_bits = 0;
    pail_bases_retain(one->sets[0].bases);
    b->sets[b->n_sets] = one->sets[0];
    b->jobs[b->n_sets] = one->jobs[0];
    b->n_sets++;
    b->shape.sets++;
    if (!pail_msm_shape_is_cut(&b->shape))
        b->shape.segment = 0;
    if (b->shape.point_bytes < one->shape.point_bytes) {
        b->shape.point_bytes = one->shape.point_bytes;
        b->shape.xyzz_bytes = one->shape.xyzz_bytes;
    }
    b->shape.device_results |= one->shape.device_results;
    return true;
}

static void bundle_end(struct pail_msm *msm, struct pail_msm_bundle *b)
{
    for (uint32_t s = 0; b->sets && s < b->n_sets; s++)
        pail_bases_release(b->sets[s].bases);
    if (b->vectors)
        pail_vector_release(b->vectors[0].elements);
    pail_free(&msm->alloc, b->vectors);
    pail_free(&msm->alloc, b->sets);
    pail_free(&msm->alloc, b->jobs);
    memset(b, 0, sizeof(*b));
}

void pail_msm_bundles_free(struct pail_msm *msm, struct pail_msm_bundle *bundles, size_t n)
{
    for (size_t i = 0; i < n; i++)
        bundle_end(msm, &bundles[i]);
    pail_free(&msm->alloc, bundles);
}

/* Joins the newest bundle, of one job, to an earlier one where that is possible. */
static bool join(struct pail_msm *msm, struct pail_msm_bundle *bundles, size_t newest)
{
    const struct pail_msm_bundle *one = &bundles[newest];
    if (newest > 0 && join_vectors(msm, &bundles[newest - 1], one))
        return true;
    for (size_t i = newest; i-- > 0;)
        if (join_sets(&bundles[i], one))
            return true;
    return false;
}

static pail_status choose_form(struct pail_msm *msm, struct pail_msm_bundle *b,
                               const pail_msm_config *config, struct pail_error *err)
{
    struct pail_msm_question q = pail_msm_ask(msm, &b->sets[0].bases->group, config);
    struct pail_msm_resolution chosen;
    q.extent = PAIL_MSM_RESOLVE_FORM;
    const pail_status status = pail_msm_resolve(&chosen, &q, err);
    b->form = chosen.form;
    return status;
}

pail_status pail_msm_bundles_make(struct pail_msm *msm, struct pail_msm_bundle **bundles, size_t *n,
                                  const pail_msm_job jobs[], size_t n_jobs,
                                  const pail_msm_config *config, struct pail_error *err)
{
    *n = 0;
    *bundles = pail_calloc(&msm->alloc, n_jobs, sizeof(**bundles));
    if (!*bundles)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %zu jobs", n_jobs);
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < n_jobs && status == PAIL_OK; i++) {
        status = check_job(msm, &jobs[i], i, err);
        if (status == PAIL_OK)
            status = bundle_begin(msm, &(*bundles)[*n], &jobs[i], i, err);
        if (status == PAIL_OK)
            status = choose_form(msm, &(*bundles)[*n], config, err);
        if (status == PAIL_OK && join(msm, *bundles, *n))
            bundle_end(msm, &(*bundles)[*n]);
        else
            ++*n;
    }
    if (status != PAIL_OK) {
        pail_msm_bundles_free(msm, *bundles, *n);
        *bundles = NULL;
        *n = 0;
    }
    return status;
}

/* True if all scalars are in host memory, or can be copied from it. */
static bool sends(const struct pail_msm_bundle *bundle)
{
    for (uint32_t v = 0; v < bundle->n_vectors; v++) {
        const struct pail_msm_vector *vector = &bundle->vectors[v];
        if (vector->elements || (vector->address && !vector->pinned.buffer))
            return false;
    }
    return true;
}

/* Takes the accumulator of first uses in place of the usual one. A plan that cannot be had with a
 * candidate is none of the caller's concern. */
static void take_found(struct pail_msm *msm, struct pail_msm_bundle *bundle,
                       struct pail_msm_question *q, enum pail_plan_purpose purpose)
{
    struct pail_msm_resolution chosen;
    struct pail_error why = {0};
    const uint32_t usual = bundle->plan.accumulator.accumulator;
    q->found = pail_first_uses_take(msm, q, &bundle->plan, purpose, &bundle->use);
    if (q->found && pail_msm_resolve(&chosen, q, &why) == PAIL_OK) {
        bundle->plan = chosen.plan;
    } else if (q->found) {
        pail_first_uses_drop(msm, &q->group, q->found, why.text);
        bundle->use.accumulator = 0;
    }
    const bool open = purpose == PAIL_PLAN_ESTIMATE && !q->tuning.struct_size &&
                      pail_msm_config_is_open(q->config);
    const uint32_t candidates =
        open ? pail_first_uses_candidates(msm, &q->group, q->points, usual) : 0;
    for (q->found = 1; q->found <= PAIL_COMPARISON_CANDIDATES; q->found++)
        if (candidates & PAIL_COMPARISON_BIT(q->found) &&
            pail_msm_resolve(&chosen, q, &why) == PAIL_OK &&
            bundle->plan.scratch_bytes < chosen.plan.scratch_bytes)
            bundle->plan.scratch_bytes = chosen.plan.scratch_bytes;
}

static pail_status plan(struct pail_msm *msm, struct pail_msm_bundle *bundle,
                        const pail_msm_config *config, enum pail_plan_purpose purpose,
                        struct pail_error *err)
{
    const struct pail_bases *first = bundle->sets[0].bases;
    const struct pail_msm_group *widest = &first->group;
    uint32_t narrowest = first->group.group;
    for (uint32_t s = 1; s < bundle->n_sets; s++) {
        const struct pail_msm_group *group = &bundle->sets[s].bases->group;
        widest = group->group > widest->group ? group : widest;
        narrowest = group->group < narrowest ? group->group : narrowest;
    }
    struct pail_msm_question q = pail_msm_ask(msm, widest, config);
    if (narrowest != widest->group) /* measured choices are of one group */
        q.tuning = (pail_tuning){.struct_size = 0};
    q.extent = PAIL_MSM_RESOLVE_PLAN;
    q.narrowest = narrowest;
    q.form = bundle->form;
    q.order_known = first->order_known;
    q.kept = pail_bases_keeping(first);
    q.scratch = pail_msm_room(msm);
    q.shape = bundle->shape;
    q.points = bundle->shape.n * bundle->n_vectors;
    struct pail_msm_resolution chosen;
    const pail_status status = pail_msm_resolve(&chosen, &q, err);
    bundle->plan = chosen.plan;
    if (status == PAIL_OK && narrowest == widest->group && bundle->shape.n)
        take_found(msm, bundle, &q, purpose);
    if (status == PAIL_OK && pail_msm_bundle_direct(bundle))
        pail_msm_plan_leave_scalars(&bundle->plan);
    return status;
}

pail_status pail_msm_bundles_plan(struct pail_msm *msm, struct pail_msm_bundle *bundles, size_t n,
                                  const pail_msm_config *config, enum pail_plan_purpose purpose,
                                  struct pail_error *err)
{
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < n && status == PAIL_OK; i++) {
        bundles[i].shape.sent = n == 1 && sends(&bundles[i]);
        bundles[i].shape.pinned = bundles[i].vectors[0].pinned.buffer != NULL;
        status = plan(msm, &bundles[i], config, purpose, err);
        if (bundles[i].use.accumulator && bundles[i].use.accumulator != bundles[i].use.usual)
            purpose = PAIL_PLAN_KNOWN;
    }
    return status;
}
