/* SPDX-License-Identifier: Apache-2.0 */
#include "bases.h"

#include <string.h>

#include <curves/fast.h>
#include <curves/fnv.h>
#include <front/front.h>
#include <platform/machine.h>
#include <shared/msm_layout.h>

#include "msm/plan/integers.h"
#include "msm/plan/resolution.h"
#include "msm/service/service.h"
#include "points.h"
#include "table.h"
#include "vk/cmd.h"
#include "vk/staging.h"

/* ---- Copies --------------------------------------------------------------------------------- */

static uint64_t points_of_segment(const struct pail_bases *bases, uint32_t i)
{
    return min_u64(bases->segment, bases->kept - i * bases->segment);
}

uint32_t pail_bases_stored_bytes(const struct pail_bases *bases)
{
    const struct pail_msm_keeping kept = pail_bases_keeping(bases);
    return pail_msm_kept_bytes(&bases->group, &kept);
}

uint64_t pail_bases_points_bytes(const struct pail_bases *bases)
{
    return bases->kept * pail_bases_stored_bytes(bases);
}

uint64_t pail_bases_pitch(const struct pail_bases *bases, uint64_t first)
{
    return points_of_segment(bases, (uint32_t)(first / bases->segment));
}

static void free_copy(struct pail_bases *bases, struct pail_bases_copy *copy)
{
    for (uint32_t i = 0; i < copy->n_segments; i++)
        pail_vk_buffer_destroy(bases->msm->dev, &copy->segments[i]);
    pail_free(&bases->msm->alloc, copy->segments);
    pail_free(&bases->msm->alloc, copy->host);
    memset(copy, 0, sizeof(*copy));
}

static bool is_made(const struct pail_bases_copy *copy)
{
    return copy->segments || copy->host;
}

static pail_status make_segments(struct pail_bases *bases, struct pail_bases_copy *copy,
                                 enum pail_vk_memory kind, uint32_t bytes, const char *name,
                                 struct pail_error *err)
{
    const uint32_t n = (uint32_t)((bases->kept + bases->segment - 1) / bases->segment);
    copy->segments = pail_calloc(&bases->msm->alloc, n, sizeof(*copy->segments));
    if (!copy->segments)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %u base segments", n);
    for (; copy->n_segments < n; copy->n_segments++) {
        const pail_status status =
            pail_vk_buffer_create(bases->msm->dev, &copy->segments[copy->n_segments], kind,
                                  points_of_segment(bases, copy->n_segments) * bytes, name, err);
        if (status != PAIL_OK) {
            free_copy(bases, copy);
            return status;
        }
    }
    return PAIL_OK;
}

/* Pinned memory is lost to all other processes, whatever they need: at most half of the
 * machine's. */
static bool may_pin(uint64_t bytes)
{
    return bytes <= pail_machine_memory() / 2;
}

static pail_status make_host_copy(struct pail_bases *bases, struct pail_bases_copy *copy,
                                  uint32_t bytes, struct pail_error *err)
{
    if (bases->pinned && may_pin(bases->kept * bytes)) {
        struct pail_error why = {0};
        const pail_status status =
            make_segments(bases, copy, PAIL_VK_MEMORY_PINNED, bytes, "pinned bases", &why);
        if (status == PAIL_OK)
            return PAIL_OK;
        if (status == PAIL_ERR_DEVICE_LOST)
            return pail_fail(err, status, "%s", why.text);
        pail_log(&bases->msm->log, PAIL_LOG_WARNING,
                 "%llu points are in memory that is not pinned, and sent more slowly: %s",
                 (unsigned long long)bases->kept, why.text);
    }
    copy->host = pail_calloc(&bases->msm->alloc, (size_t)bases->kept, bytes);
    return copy->host
               ? PAIL_OK
               : pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %llu points of %u bytes",
                           (unsigned long long)bases->kept, bytes);
}

/* Allocates a copy with elements of `bytes`, a multiple of 4. */
static pail_status make_copy(struct pail_bases *bases, struct pail_bases_copy *copy, uint32_t bytes,
                             const char *name, struct pail_error *err)
{
    if (bases->kept == 0)
        return PAIL_OK;
    if (bases->residency == PAIL_RESIDENCY_HOST)
        return make_host_copy(bases, copy, bytes, err);
    return make_segments(bases, copy, PAIL_VK_MEMORY_DEVICE, bytes, name, err);
}

/* ---- Infinities ----------------------------------------------------------------------------- */

/* Leaving points out costs a word for each one that stays, and a lookup for each scalar. */
static bool worth_leaving_out(uint64_t infinities, uint64_t n)
{
    return infinities > n / 64;
}

/* Makes the map of all points but those of `infinities`. */
static pail_status make_map(struct pail_bases *bases, const uint64_t *infinities,
                            struct pail_error *err)
{
    bases->kept = bases->n - bases->n_infinities;
    /* One word more than needed, so that a set of nothing but infinities has a map too. */
    bases->map = pail_calloc(&bases->msm->alloc, (size_t)bases->kept + 1, sizeof(*bases->map));
    if (!bases->map)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for the numbers of %llu points",
                         (unsigned long long)bases->kept);
    size_t at = 0;
    for (uint64_t i = 0; i < bases->n; i++)
        if (!(infinities[i / 64] >> i % 64 & 1))
            bases->map[at++] = (uint32_t)i;
    bases->map_hash = pail_fnv1a64(bases->map, at * sizeof(*bases->map));
    if (bases->map_hash == 0) /* 0 means a set without a map */
        bases->map_hash = 1;
    return PAIL_OK;
}

/* Counts infinities, and leaves them out where that pays. */
static pail_status choose_kept(struct pail_bases *bases, struct pail_intake *intake, uint32_t flags,
                               struct pail_error *err)
{
    uint64_t *infinities;
    pail_status status = pail_intake_infinities(intake, &infinities, &bases->n_infinities, err);
    bases->kept = bases->n;
    if (status == PAIL_OK && !(flags & PAIL_BASES_KEEP_INFINITIES) &&
        worth_leaving_out(bases->n_infinities, bases->n))
        status = make_map(bases, infinities, err);
    pail_free(&bases->msm->alloc, infinities);
    return status;
}

static pail_status upload_map(struct pail_bases *bases, struct pail_error *err)
{
    if (!bases->map || bases->residency == PAIL_RESIDENCY_HOST)
        return PAIL_OK;
    pail_status status = make_copy(bases, &bases->map_copy, 4, "base map", err);
    for (uint32_t i = 0; i < bases->map_copy.n_segments && status == PAIL_OK; i++) {
        const uint64_t bytes = 4 * points_of_segment(bases, i);
        const struct pail_vk_slice slice =
            pail_vk_buffer_slice(&bases->map_copy.segments[i], 0, bytes);
        status = pail_vk_upload(bases->msm->dev, &slice, 0, bases->map + i * bases->segment, bytes,
                                NULL, err);
    }
    /* A failure, here or later, must find nothing running. */
    const pail_status ended =
        pail_vk_wait(bases->msm->dev, pail_vk_last_ticket(bases->msm->dev, PAIL_VK_QUEUE_MAIN),
                     PAIL_VK_FOREVER, status == PAIL_OK ? err : NULL);
    return status == PAIL_OK ? ended : status;
}

/* ---- Residency ------------------------------------------------------------------------------ */
static uint64_t element_bytes(const struct pail_bases *bases)
{
    return pail_bases_stored_bytes(bases) + (bases->map ? sizeof(*bases->map) : 0);
}

static pail_status no_room(const struct pail_device_room *room, uint64_t bytes, uint64_t points,
                           struct pail_error *err)
{
    return pail_fail(err, PAIL_ERR_DEVICE_MEMORY,
                     "points: registering %llu points takes %llu bytes of device memory, but %llu "
                     "of the %llu that this context may hold are free",
                     (unsigned long long)points, (unsigned long long)bytes,
                     (unsigned long long)pail_device_room_left(room),
                     (unsigned long long)room->limit);
}

/* Makes sure that `bytes` of device memory and the smallest pieces fit, giving up idle scratch for
 * it. In: raw_bytes: of a point that comes in. Out: *pieces: bytes that pieces may take. */
static pail_status find_room(struct pail_bases *bases, uint64_t bytes, uint64_t raw_bytes,
                             uint64_t *pieces, struct pail_error *err)
{
    const uint64_t need = bytes + pail_points_least_bytes(bases, raw_bytes);
    struct pail_device_room room = pail_device_room(bases->msm);
    if (pail_device_room_left(&room) < need) {
        pail_workspace_trim(bases->msm);
        room = pail_device_room(bases->msm);
    }
    const uint64_t left = pail_device_room_left(&room);
    if (left < need)
        return no_room(&room, need, bases->kept, err);
    *pieces = left - bytes;
    return PAIL_OK;
}

struct pail_msm_keeping pail_bases_keeping(const struct pail_bases *bases)
{
    return (struct pail_msm_keeping){.table = bases->table,
                                     .residency = bases->residency,
                                     .compact = bases->compact,
                                     .segment = bases->segment,
                                     .pinned = bases->pinned};
}

/* Chooses how the set is kept. Registration decides if it has GLV images; a caller's wish for
 * copies of points stands. */
static pail_status choose_keeping(struct pail_bases *bases, const struct pail_msm_set_wish *set,
                                  struct pail_error *err)
{
    const pail_msm_config open = {.struct_size = sizeof(open)};
    struct pail_msm_question q = pail_msm_ask(bases->msm, &bases->group, &open);
    q.extent = PAIL_MSM_RESOLVE_BASES;
    q.order_known = bases->order_known;
    q.set = set;
    q.room = pail_device_room(bases->msm);
    struct pail_msm_resolution chosen;
    const pail_status status = pail_msm_resolve(&chosen, &q, err);
    if (status != PAIL_OK)
        return status;
    bases->table = chosen.kept.table;
    bases->residency = chosen.kept.residency;
    bases->compact = chosen.kept.compact;
    bases->segment = chosen.kept.segment;
    bases->pinned = chosen.kept.pinned;
    return PAIL_OK;
}

/* The form that multiplications will ask for, unless their configuration says otherwise. */
static pail_status choose_form(struct pail_bases *bases, struct pail_error *err)
{
    const pail_msm_config open = {.struct_size = sizeof(open)};
    struct pail_msm_question q = pail_msm_ask(bases->msm, &bases->group, &open);
    q.extent = PAIL_MSM_RESOLVE_FORM;
    struct pail_msm_resolution chosen;
    const pail_status status = pail_msm_resolve(&chosen, &q, err);
    bases->form = chosen.form;
    return status;
}

/* ---- Registration --------------------------------------------------------------------------- */
static pail_status check(const pail_bases_desc *desc, const struct pail_msm_group *group,
                         struct pail_error *err)
{
    const pail_status status = pail_front_bases_desc(desc, group->ops, err);
    if (status != PAIL_OK)
        return status;
    if (desc->n_points > MSM_HANDLE_SIGN - 1)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED, "desc->n_points is %zu; at most 2^31 - 1",
                         desc->n_points);
    if (desc->table_factor > 1 && desc->residency == PAIL_RESIDENCY_HOST)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED, PAIL_MSM_NO_TABLE, "desc", desc->table_factor);
    return PAIL_OK;
}

/* Puts the points of the set, whose map is made, where they are to be kept. */
static pail_status place(struct pail_bases *bases, struct pail_intake *intake,
                         const pail_bases_desc *desc, const struct pail_msm_set_wish *set,
                         size_t *bad_index, struct pail_error *err)
{
    uint64_t pieces = 0;
    pail_status status = choose_keeping(bases, set, err);
    const bool on_device = bases->residency == PAIL_RESIDENCY_DEVICE;
    if (status == PAIL_OK && bases->kept)
        status = find_room(bases, on_device ? bases->kept * element_bytes(bases) : 0,
                           intake->source.point_bytes, &pieces, err);
    if (status == PAIL_OK)
        status = make_copy(bases, &bases->copies[bases->form], pail_bases_stored_bytes(bases),
                           "bases", err);
    if (status == PAIL_OK)
        status = upload_map(bases, err);
    if (status == PAIL_OK)
        status = pail_points_take(bases, intake, desc, pieces, bad_index, err);
    if (status == PAIL_OK && bases->table.glv)
        return pail_glv_fill(bases, &bases->copies[bases->form], bases->form, err);
    if (status == PAIL_OK)
        status = pail_table_fill(bases, &bases->copies[bases->form], bases->form, pieces,
                                 &bases->table_ms, err);
    return status;
}

static pail_status fill(struct pail_bases *bases, struct pail_intake *intake,
                        const pail_bases_desc *desc, size_t *bad_index, struct pail_error *err)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(bases->msm->dev);
    if (pail_msm_segment(caps, bases->group.xyzz_bytes) == 0)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "%s binds %llu bytes at a time, too few for %u points of %u", caps->name,
                         (unsigned long long)caps->max_storage_range, PAIL_PIECE_POINTS,
                         bases->group.xyzz_bytes);
    pail_status status = choose_kept(bases, intake, desc->flags, err);
    if (status != PAIL_OK)
        return status;
    struct pail_msm_set_wish set = {
        .n = bases->kept,
        .n_registered = bases->n,
        .map_bytes = bases->map ? sizeof(*bases->map) : 0,
        .residency = desc->residency,
        .table_factor = desc->table_factor,
        .compact = (desc->flags & PAIL_BASES_COMPACT) != 0,
    };
    status = place(bases, intake, desc, &set, bad_index, err);
    /* The driver may have less than it granted, for others take of it. Nothing of the set is in use
     * after a failure. */
    if (status == PAIL_ERR_DEVICE_MEMORY && bases->table.glv && !pail_intake_failed(intake)) {
        free_copy(bases, &bases->copies[bases->form]);
        free_copy(bases, &bases->map_copy);
        set.no_glv = true;
        status = place(bases, intake, desc, &set, bad_index, err);
    }
    if (status == PAIL_ERR_DEVICE_MEMORY && desc->residency == PAIL_RESIDENCY_AUTO &&
        bases->residency == PAIL_RESIDENCY_DEVICE && bases->table.factor == 1 && !bases->compact &&
        !pail_intake_failed(intake)) {
        pail_log(&bases->msm->log, PAIL_LOG_WARNING,
                 "%llu points stay in host memory, for the device has no room: %s",
                 (unsigned long long)bases->kept, err ? err->text : "");
        free_copy(bases, &bases->copies[bases->form]);
        free_copy(bases, &bases->map_copy);
        set.residency = PAIL_RESIDENCY_HOST;
        status = place(bases, intake, desc, &set, bad_index, err);
    }
    return status;
}

/* Asked for here, so that its test is not a part of the first multiplication. */
static const struct pail_curve_ops *fold_ops(const struct pail_msm *msm,
                                             const struct pail_curve_ops *ops)
{
    bool failed;
    const struct pail_curve_ops *const fast = pail_fast_ops(ops, &failed);
    if (failed)
        pail_log(&msm->log, PAIL_LOG_WARNING,
                 "the self-test of the processor's arithmetic for %s %s failed; sums of windows "
                 "are added without it",
                 ops->curve_name, ops->group_name);
    return fast;
}

/* All that was submitted may have made them. */
static void note_made(struct pail_bases *bases)
{
    atomic_store(&bases->made, pail_vk_last_ticket(bases->msm->dev, PAIL_VK_QUEUE_MAIN));
}

pail_status pail_bases_register(struct pail_msm *msm, struct pail_bases **out, size_t *bad_index,
                                const pail_bases_desc *desc, struct pail_error *err)
{
    *out = NULL;
    *bad_index = SIZE_MAX;
    struct pail_msm_group group;
    pail_status status = pail_msm_group(&group, desc->curve, desc->group, err);
    if (status == PAIL_OK)
        status = check(desc, &group, err);
    if (status != PAIL_OK)
        return status;
    struct pail_bases *bases = pail_calloc(&msm->alloc, 1, sizeof(*bases));
    if (!bases)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a set of bases");
    bases->msm = msm;
    bases->group = group;
    bases->fold_ops = fold_ops(msm, group.ops);
    bases->n = desc->n_points;
    bases->table.factor = 1;
    bases->order_known = group.ops->cofactor_one || desc->validation == PAIL_VALIDATE_SUBGROUP;
    atomic_init(&bases->references, 1);
    atomic_init(&bases->made, 0);
    struct pail_intake intake;
    status = pail_intake_begin(&intake, bases, desc, err);
    if (status == PAIL_OK)
        status = choose_form(bases, err);
    if (status == PAIL_OK)
        status = fill(bases, &intake, desc, bad_index, err);
    if (status != PAIL_OK && pail_intake_failed(&intake))
        status = pail_intake_explain(&intake, err);
    pail_intake_end(&intake);
    if (status != PAIL_OK) {
        pail_bases_release(bases);
        return status;
    }
    note_made(bases);
    *out = bases;
    return PAIL_OK;
}

void pail_bases_retain(struct pail_bases *bases)
{
    atomic_fetch_add_explicit(&bases->references, 1, memory_order_relaxed);
}

void pail_bases_release(struct pail_bases *bases)
{
    if (!bases || atomic_fetch_sub_explicit(&bases->references, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t f = 0; f < PAIL_FORM_COUNT; f++)
        free_copy(bases, &bases->copies[f]);
    free_copy(bases, &bases->map_copy);
    pail_free(&bases->msm->alloc, bases->map);
    pail_free(&bases->msm->alloc, bases);
}

pail_status pail_bases_in_form(struct pail_bases *bases, enum pail_field_form form,
                               struct pail_error *err)
{
    struct pail_bases_copy *copy = &bases->copies[form];
    const uint32_t bytes = pail_bases_stored_bytes(bases);
    const bool on_device = bases->residency == PAIL_RESIDENCY_DEVICE;
    struct pail_bases_copy made = {0};
    uint64_t pieces;
    pthread_mutex_lock(&bases->msm->lock);
    const bool needed = bases->kept && !bases->compact && !is_made(copy);
    pthread_mutex_unlock(&bases->msm->lock);
    if (!needed)
        return PAIL_OK;
    /* Made without the lock, which nobody should wait for that long; of two threads that make the
     * same copy, the second throws its own away. */
    pail_status status = find_room(bases, on_device ? bases->kept * bytes : 0,
                                   bases->group.point_bytes, &pieces, err);
    if (status == PAIL_OK)
        status = make_copy(bases, &made, bytes, "bases", err);
    if (status == PAIL_OK)
        status = pail_points_reform(bases, &made, form, pieces, err);
    pthread_mutex_lock(&bases->msm->lock);
    if (status == PAIL_OK && !is_made(copy)) {
        *copy = made;
        note_made(bases);
        memset(&made, 0, sizeof(made));
    }
    pthread_mutex_unlock(&bases->msm->lock);
    free_copy(bases, &made);
    return status;
}

/* ---- Questions ------------------------------------------------------------------------------ */
void pail_bases_describe(struct pail_bases *bases, pail_bases_info *info)
{
    uint32_t forms = 0;
    pthread_mutex_lock(&bases->msm->lock);
    for (uint32_t f = 0; f < PAIL_FORM_COUNT; f++)
        forms += is_made(&bases->copies[f]);
    pthread_mutex_unlock(&bases->msm->lock);
    const uint64_t points = forms * pail_bases_points_bytes(bases);
    const uint64_t map = bases->map ? bases->kept * sizeof(*bases->map) : 0;
    const bool on_device = bases->residency == PAIL_RESIDENCY_DEVICE;
    info->curve = bases->group.curve;
    info->group = bases->group.group;
    info->residency = bases->residency;
    info->n_points = bases->n;
    info->n_infinities = bases->n_infinities;
    info->n_kept = bases->kept;
    info->device_bytes = on_device ? points + map : 0;
    info->host_bytes = on_device ? map : points + map;
    info->order_known = bases->order_known;
    info->table_factor = bases->table.glv ? 1 : bases->table.factor;
    info->table_bits = bases->table.bits;
    info->table_bytes = points / bases->table.factor * (info->table_factor - 1);
    info->table_ms = bases->table_ms;
}

void pail_bases_take_pipelines(struct pail_bases *bases, struct pail_vk_pipeline_stats *stats)
{
    pthread_mutex_lock(&bases->msm->lock);
    pail_vk_pipeline_stats_add(stats, &bases->pipelines);
    bases->pipelines = (struct pail_vk_pipeline_stats){0};
    pthread_mutex_unlock(&bases->msm->lock);
}

bool pail_bases_mapped(const struct pail_bases *bases)
{
    return bases->map != NULL;
}

/* Number of kept points whose original number is below `number`. */
static uint64_t kept_below(const struct pail_bases *bases, uint64_t number)
{
    uint64_t low = 0, high = bases->kept;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (bases->map[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void pail_bases_range(const struct pail_bases *bases, uint64_t offset, uint64_t n, uint64_t *first,
                      uint64_t *count)
{
    *first = bases->map ? kept_below(bases, offset) : offset;
    *count = bases->map ? kept_below(bases, offset + n) - *first : n;
}

static struct pail_vk_slice segment_of(const struct pail_bases *bases,
                                       const struct pail_bases_copy *copy, uint64_t first)
{
    const struct pail_vk_buffer *buffer = &copy->segments[first / bases->segment];
    return pail_vk_buffer_slice(buffer, 0, buffer->size);
}

struct pail_vk_slice pail_bases_slice(const struct pail_bases *bases, enum pail_field_form form,
                                      uint64_t first)
{
    return segment_of(bases, &bases->copies[bases->compact ? bases->form : form], first);
}

struct pail_vk_slice pail_bases_map_slice(const struct pail_bases *bases, uint64_t first)
{
    return segment_of(bases, &bases->map_copy, first);
}

void *pail_bases_host_at(const struct pail_bases *bases, const struct pail_bases_copy *copy,
                         uint64_t first)
{
    const uint64_t bytes = bases->group.point_bytes;
    if (!copy->segments)
        return (uint8_t *)copy->host + first * bytes;
    return (uint8_t *)copy->segments[first / bases->segment].mapped +
           first % bases->segment * bytes;
}

const void *pail_bases_host_points(const struct pail_bases *bases, enum pail_field_form form,
                                   uint64_t first, uint64_t count, uint64_t *n,
                                   struct pail_vk_slice *pinned)
{
    const struct pail_bases_copy *copy = &bases->copies[form];
    const uint64_t bytes = bases->group.point_bytes, at = first % bases->segment;
    *n = count;
    *pinned = (struct pail_vk_slice){0};
    if (!is_made(copy))
        return NULL;
    if (copy->segments) {
        *n = min_u64(count, bases->segment - at);
        *pinned =
            pail_vk_buffer_slice(&copy->segments[first / bases->segment], at * bytes, *n * bytes);
    }
    return pail_bases_host_at(bases, copy, first);
}
