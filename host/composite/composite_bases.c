/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of points over several devices: small ones with every member, large ones in pieces. */
#include <platform/clock.h>
#include <platform/text.h>
#include <platform/thread.h>
#include <points/source.h>
#include <stdio.h>
#include <string.h>

#include "pending.h"

static atomic_size_t *references(const pail_bases *bases)
{
    return (atomic_size_t *)(uintptr_t)&bases->references;
}

void pail_composite_bases_retain(const pail_bases *bases)
{
    atomic_fetch_add_explicit(references(bases), 1, memory_order_relaxed);
}

static void destroy(pail_bases *bases)
{
    pail_context *const context = bases->context;
    for (size_t k = 0; k < bases->n_pieces; k++) {
        const struct pail_composite_member *const m = &context->members[bases->pieces[k].at.member];
        m->backend->bases_destroy(m->context, &bases->pieces[k].inner);
    }
    pail_cpu_free(&context->memory, bases->pieces);
    pail_cpu_free(&context->memory, bases->spare);
    pthread_mutex_destroy(&bases->lock);
    pail_cpu_free(&context->memory, bases);
}

void pail_composite_bases_release(const pail_bases *bases)
{
    if (atomic_fetch_sub_explicit(references(bases), 1, memory_order_acq_rel) == 1)
        destroy((pail_bases *)(uintptr_t)bases);
}

/* Bytes of a point as it was handed over, and in the copy. */
static size_t point_bytes(const pail_bases *bases)
{
    return pail_point_source_bytes(bases->desc.encoding, bases->ops->coordinate_bytes);
}

_Static_assert(PAIL_DEVICES_MAX <= 64, "policy.c has room for 64 members");

/* ---- Registering ----------------------------------------------------------------------------- */
struct shifted {
    pail_read_points read;
    void *user;
    uint64_t offset;
    atomic_int *failed; /* the first failure, of all members: then no other read begins */
};

static pail_status read_shifted(void *user, void *to, uint64_t offset, size_t bytes)
{
    const struct shifted *const s = user;
    pail_status status = (pail_status)atomic_load(s->failed);
    if (status != PAIL_OK)
        return status;
    status = s->read(s->user, to, s->offset + offset, bytes);
    if (status != PAIL_OK)
        atomic_store(s->failed, (int)status);
    return status;
}

struct registering {
    pail_context *context;
    const pail_bases_desc *desc; /* all points */
    size_t stride;
    atomic_int failed; /* the status that a reader returned */
    struct one {
        struct pail_composite_piece piece;
        size_t bad_index;
        pail_status status;
        char sentence[512];
    } each[PAIL_DEVICES_MAX];
    size_t n;
    double seconds; /* duration of the registration */
};

static void register_one(void *user, uint32_t i)
{
    struct registering *const r = user;
    struct one *const one = &r->each[i];
    const struct pail_composite_member *const m = &r->context->members[one->piece.at.member];
    pail_bases_desc desc = *r->desc;
    const uint64_t offset = (uint64_t)one->piece.at.first * r->stride;
    struct shifted shifted = {desc.read_points, desc.read_user, offset, &r->failed};
    desc.n_points = one->piece.at.n;
    if (desc.read_points) {
        desc.read_points = read_shifted;
        desc.read_user = &shifted;
    } else if (desc.points) {
        desc.points = (const uint8_t *)desc.points + offset;
    }
    one->bad_index = SIZE_MAX;
    one->status = m->backend->bases_create(m->context, &one->piece.inner, &one->bad_index, &desc);
    if (one->status != PAIL_OK)
        (void)snprintf(one->sentence, sizeof one->sentence, "%s", m->backend->error(m->context));
}

static void undo(struct registering *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct pail_composite_member *const m =
            &r->context->members[r->each[i].piece.at.member];
        if (r->each[i].piece.inner)
            m->backend->bases_destroy(m->context, &r->each[i].piece.inner);
    }
}

/* All pieces at once. A bad point is told by its index in the whole set, the least where several
 * pieces have one; what a lost member was to have stays away. */
static pail_status register_all(struct registering *r, size_t *bad_index, struct pail_error *err)
{
    const double begin = pail_now_s();
    pail_team_run((uint32_t)r->n, (uint32_t)r->n, register_one, r);
    r->seconds = pail_now_s() - begin;
    const struct one *worst = NULL;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < r->n; i++) {
        struct one *const one = &r->each[i];
        if (one->status == PAIL_ERR_DEVICE_LOST)
            pail_composite_lose(r->context, one->piece.at.member);
        if (one->bad_index != SIZE_MAX)
            one->bad_index += one->piece.at.first;
        if (one->status != PAIL_OK && (!worst || one->bad_index < least)) {
            worst = one;
            least = one->bad_index;
        }
    }
    if (!worst)
        return PAIL_OK;
    undo(r);
    if (bad_index)
        *bad_index = least;
    const struct pail_composite_member *const m = &r->context->members[worst->piece.at.member];
    if (least != SIZE_MAX && worst->piece.at.first != 0)
        return pail_fail(
            err, worst->status, "point %zu, by device %u of %s, which counts from point %zu on: %s",
            least, m->choice->device, m->backend->name, worst->piece.at.first, worst->sentence);
    return pail_composite_said(err, m, worst->status, worst->sentence);
}

static pail_status keep(pail_bases *bases, const struct registering *r, struct pail_error *err)
{
    pail_context *const context = bases->context;
    if (bases->n_pieces + r->n > bases->room) {
        const size_t room = bases->n_pieces + r->n;
        struct pail_composite_piece *const more =
            pail_cpu_alloc(&context->memory, room, sizeof *more);
        if (!more)
            return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for pieces of bases");
        if (bases->n_pieces > 0)
            (void)memcpy(more, bases->pieces, bases->n_pieces * sizeof *more);
        pail_cpu_free(&context->memory, bases->pieces);
        bases->pieces = more;
        bases->room = room;
    }
    for (size_t i = 0; i < r->n; i++)
        bases->pieces[bases->n_pieces++] = r->each[i].piece;
    return PAIL_OK;
}

/* Points first ... first + n - 1 shared out among the live members. */
static bool share_out(struct registering *r, const struct pail_policy_member *state, size_t first,
                      size_t n)
{
    size_t counts[PAIL_DEVICES_MAX];
    if (!pail_policy_shares(counts, n, state, r->context->n))
        return false;
    r->n = 0;
    for (size_t i = 0; i < r->context->n; i++) {
        if (counts[i] > 0)
            r->each[r->n++].piece.at = (struct pail_policy_piece){i, first, counts[i]};
        first += counts[i];
    }
    return true;
}

pail_status pail_composite_bases_heal(pail_bases *bases, struct pail_error *err)
{
    pail_context *const context = bases->context;
    struct pail_policy_member state[PAIL_DEVICES_MAX];
    struct registering *const r = pail_cpu_alloc(&context->memory, 1, sizeof *r);
    if (!r)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory to register points anew");
    pail_bases_desc desc = bases->desc;
    desc.points = bases->spare;
    pail_status status = PAIL_OK;
    pthread_mutex_lock(&bases->lock);
    for (size_t k = 0; k < bases->n_pieces && status == PAIL_OK; k++) {
        struct pail_policy_piece *const lost = &bases->pieces[k].at;
        if (!pail_composite_state(state, context, bases->ops)) {
            status = pail_composite_none_left(context, err);
            break;
        }
        if (state[lost->member].live || lost->n == 0)
            continue;
        if (!bases->spare) {
            bool elsewhere = false;
            for (size_t i = 0; i < bases->n_pieces; i++)
                elsewhere |= state[bases->pieces[i].at.member].live &&
                             pail_policy_is_in(&bases->pieces[i].at, lost->first, lost->n);
            if (elsewhere)
                continue;
            status = pail_composite_said(err, &context->members[lost->member], PAIL_ERR_DEVICE_LOST,
                                         "the device is lost, and no copy of its points was kept");
            break;
        }
        for (size_t i = 0; i < context->n; i++)
            state[i].load = 0.0;
        (void)memset(r, 0, sizeof *r);
        r->context = context;
        r->desc = &desc;
        r->stride = point_bytes(bases);
        (void)share_out(r, state, lost->first, lost->n);
        status = register_all(r, NULL, err);
        if (status == PAIL_OK) {
            status = keep(bases, r, err);
            if (status != PAIL_OK)
                undo(r);
            else
                bases->pieces[k].at.n = 0; /* the others have it now */
        } else if (status == PAIL_ERR_DEVICE_LOST) {
            status = PAIL_OK;
            k--; /* again, without that one */
        }
    }
    pthread_mutex_unlock(&bases->lock);
    pail_cpu_free(&context->memory, r);
    return status;
}

/* ---- Following the rates --------------------------------------------------------------------- */
static bool is_away(const pail_bases *bases, const struct pail_composite_piece *piece)
{
    const struct pail_composite_member *const m = &bases->context->members[piece->at.member];
    pail_bases_info info = {.struct_size = sizeof info};
    return m->backend->bases_info(piece->inner, &info) != PAIL_OK ||
           info.residency == PAIL_RESIDENCY_HOST;
}

/* True if a device has its new piece in the host's memory, but had the one before in its own. */
static bool is_pushed_out(const pail_bases *bases, const struct registering *r)
{
    bool pushed = false;
    for (size_t i = 0; i < r->n; i++) {
        const struct pail_composite_piece *const piece = &r->each[i].piece;
        bool had = false;
        for (size_t k = 0; k < bases->n_pieces; k++)
            had |= bases->pieces[k].at.member == piece->at.member && bases->pieces[k].at.n > 0 &&
                   !is_away(bases, &bases->pieces[k]);
        pushed |= had && is_away(bases, piece);
    }
    return pushed;
}

/* Puts the new pieces in the place of all others, which nothing uses. */
static pail_status replace(pail_bases *bases, const struct registering *r, struct pail_error *err)
{
    pail_context *const context = bases->context;
    const size_t n_old = bases->n_pieces;
    const pail_status status = keep(bases, r, err);
    if (status != PAIL_OK)
        return status;
    for (size_t k = 0; k < n_old; k++) {
        const struct pail_composite_member *const m = &context->members[bases->pieces[k].at.member];
        m->backend->bases_destroy(m->context, &bases->pieces[k].inner);
    }
    (void)memmove(bases->pieces, bases->pieces + n_old, r->n * sizeof *bases->pieces);
    bases->n_pieces = r->n;
    pthread_mutex_lock(&context->lock);
    for (size_t i = 0; i < r->n; i++)
        context->members[r->each[i].piece.at.member].moved += r->each[i].piece.at.n;
    pthread_mutex_unlock(&context->lock);
    return PAIL_OK;
}

static bool recut(pail_bases *bases, struct pail_policy_member *state)
{
    pail_context *const context = bases->context;
    struct registering *const r = pail_cpu_alloc(&context->memory, 1, sizeof *r);
    if (!r)
        return false;
    pail_bases_desc desc = bases->desc;
    desc.points = bases->spare;
    (void)memset(r, 0, sizeof *r);
    atomic_init(&r->failed, PAIL_OK);
    r->context = context;
    r->desc = &desc;
    r->stride = point_bytes(bases);
    for (size_t i = 0; i < context->n; i++)
        state[i].load = 0.0;
    (void)share_out(r, state, 0, bases->n);
    struct pail_error err = {0};
    pail_status status = register_all(r, NULL, &err);
    const char *why = err.text;
    if (status == PAIL_OK && is_pushed_out(bases, r)) {
        undo(r);
        status = PAIL_ERR_DEVICE_MEMORY;
        why = "a device has no room for both cuts at once";
    } else if (status == PAIL_OK) {
        status = replace(bases, r, &err);
        if (status != PAIL_OK) {
            undo(r);
            why = "no memory for pieces";
        }
    }
    if (status == PAIL_OK)
        bases->register_s = r->seconds;
    bases->lag = (struct pail_policy_lag){0};
    bases->stays = status != PAIL_OK && status != PAIL_ERR_DEVICE_LOST;
    const pail_host *const host = context->devices->base;
    if (bases->stays && host->log) {
        char line[640];
        (void)pail_line(line, sizeof line, "a set of %zu points stays cut as it is: %s", bases->n,
                        why);
        host->log(host->user, PAIL_LOG_WARNING, line);
    }
    pail_cpu_free(&context->memory, r);
    return status == PAIL_OK;
}

bool pail_composite_bases_follow(pail_bases *bases, size_t n)
{
    pail_context *const context = bases->context;
    struct pail_policy_member state[PAIL_DEVICES_MAX];
    size_t points[PAIL_DEVICES_MAX] = {0}, live = 0;
    if (!bases->spare || n == 0 || !pail_composite_measured(context, bases->ops) ||
        !pail_composite_state(state, context, bases->ops))
        return false;
    bool done = false;
    pthread_mutex_lock(&bases->lock);
    for (size_t k = 0; k < bases->n_pieces; k++) {
        const struct pail_policy_piece *const at = &bases->pieces[k].at;
        points[at->member] += at->n;
        live += state[at->member].live ? at->n : 0;
    }
    double best;
    const double excess = pail_policy_excess(&best, points, state, context->n);
    /* Points that only a lost member has are registered anew by the cut. Exactly two references,
     * the caller's and that of the job that is about to be cut, mean that no other work uses
     * pieces. */
    if (live == bases->n && !bases->stays &&
        pail_policy_recut(&bases->lag, best, excess, (double)n / (double)bases->n,
                          bases->register_s) &&
        atomic_load_explicit(&bases->references, memory_order_acquire) == 2)
        done = recut(bases, state);
    pthread_mutex_unlock(&bases->lock);
    return done;
}

/* ---- The copy -------------------------------------------------------------------------------- */
/* Packs all points into memory of ours. */
static pail_status copy_points(pail_bases *bases, const pail_bases_desc *desc,
                               struct pail_error *err)
{
    pail_context *const context = bases->context;
    const size_t bytes = point_bytes(bases);
    uint8_t *const buffer = pail_cpu_alloc(&context->memory, 1, PAIL_POINTS_BUFFER);
    bases->spare = pail_cpu_alloc(&context->memory, bases->n, bytes);
    pail_status status = PAIL_OK;
    if (!buffer || !bases->spare)
        status = pail_fail(err, PAIL_ERR_HOST_MEMORY,
                           "no memory for a copy of %zu points, from which those of a device "
                           "that is lost are restored",
                           bases->n);
    struct pail_point_source source;
    pail_point_source_init(&source, desc, bases->ops->coordinate_bytes);
    const size_t at_once = pail_point_source_at_once(&source);
    for (size_t first = 0; first < bases->n && status == PAIL_OK; first += at_once) {
        const size_t left = bases->n - first, n = left < at_once ? left : at_once;
        struct pail_point_view view;
        status = pail_point_source_view(&source, &view, first, n, buffer);
        if (status != PAIL_OK)
            (void)pail_fail(err, status, "desc->read_points failed with %d for bytes %llu to %llu",
                            (int)status, (unsigned long long)source.failed_offset,
                            (unsigned long long)source.failed_offset + source.failed_bytes);
        for (size_t i = 0; i < n && status == PAIL_OK; i++) {
            uint8_t *const to = bases->spare + (first + i) * bytes;
            if (pail_point_view_marked(&view, i))
                (void)memset(to, 0, bytes);
            else
                (void)memcpy(to, pail_point_view_at(&view, i), bytes);
        }
    }
    pail_cpu_free(&context->memory, buffer);
    return status;
}

static pail_status ask(pail_context *context, const pail_bases_desc *desc, size_t *bad_index,
                       struct pail_error *err)
{
    const struct pail_composite_member *const m = &context->members[0];
    pail_bases *inner = NULL;
    const pail_status status = m->backend->bases_create(m->context, &inner, bad_index, desc);
    if (status != PAIL_OK)
        return pail_composite_said(err, m, status, m->backend->error(m->context));
    m->backend->bases_destroy(m->context, &inner);
    return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                     "desc->curve %u, desc->group %u: several devices have no such group",
                     desc->curve, desc->group);
}

static pail_status fill(pail_bases *bases, const pail_bases_desc *theirs, size_t *bad_index,
                        struct pail_error *err)
{
    pail_context *const context = bases->context;
    const struct pail_devices *const devices = context->devices;
    struct pail_policy_member state[PAIL_DEVICES_MAX];
    pail_bases_desc desc = *theirs;
    if (!pail_composite_state(state, context, bases->ops))
        return pail_composite_none_left(context, err);
    const bool split = bases->n > devices->replicate_up_to && context->n > 1;
    if (split && (devices->flags & PAIL_DEVICES_NO_SPARE) == 0) {
        const pail_status status = copy_points(bases, theirs, err);
        if (status != PAIL_OK)
            return status;
        desc.points = bases->spare;
        desc.read_points = NULL;
        desc.read_user = NULL;
        desc.stride = 0;
        desc.infinity_byte = 0;
    }
    struct registering *const r = pail_cpu_alloc(&context->memory, 1, sizeof *r);
    if (!r)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory to register points");
    pail_status status;
    do { /* again without a member that is lost */
        if (!pail_composite_state(state, context, bases->ops)) {
            status = pail_composite_none_left(context, err);
            break;
        }
        (void)memset(r, 0, sizeof *r);
        atomic_init(&r->failed, PAIL_OK);
        r->context = context;
        r->desc = &desc;
        r->stride = desc.stride ? desc.stride : point_bytes(bases);
        if (split) {
            for (size_t i = 0; i < context->n; i++)
                state[i].load = 0.0; /* a set outlives what runs now */
            (void)share_out(r, state, 0, bases->n);
        } else {
            for (size_t i = 0; i < context->n; i++)
                if (state[i].live)
                    r->each[r->n++].piece.at = (struct pail_policy_piece){i, 0, bases->n};
        }
        status = register_all(r, bad_index, err);
    } while (status == PAIL_ERR_DEVICE_LOST && atomic_load(&r->failed) == PAIL_OK);
    if (status == PAIL_OK) {
        status = keep(bases, r, err);
        if (status != PAIL_OK)
            undo(r);
    }
    bases->register_s = r->seconds;
    pail_cpu_free(&context->memory, r);
    bases->desc = desc;
    bases->desc.points = NULL;
    bases->desc.read_points = NULL;
    return status;
}

pail_status pail_composite_bases_create(pail_context *context, pail_bases **out, size_t *bad_index,
                                        const pail_bases_desc *desc, struct pail_error *err)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(desc->curve, desc->group);
    if (!ops)
        return ask(context, desc, bad_index, err);
    const pail_status checked = pail_front_bases_desc(desc, ops, err);
    if (checked != PAIL_OK)
        return checked;
    if (desc->address)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "desc->address is set, but a context of several devices has no memory at "
                         "addresses: make one of a single device");
    pail_bases *const bases = pail_cpu_alloc(&context->memory, 1, sizeof *bases);
    if (!bases)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for bases");
    *bases = (pail_bases){
        .context = context, .ops = ops, .n = desc->n_points, .desc.encoding = desc->encoding};
    atomic_init(&bases->references, 1);
    (void)pthread_mutex_init(&bases->lock, NULL);
    const pail_status status = fill(bases, desc, bad_index, err);
    if (status == PAIL_OK)
        *out = bases;
    else
        destroy(bases);
    return status;
}

pail_status pail_composite_bases_info(const pail_bases *bases, pail_bases_info *all,
                                      struct pail_error *err)
{
    pail_status status = PAIL_OK;
    pail_bases *const b = (pail_bases *)(uintptr_t)bases;
    *all = (pail_bases_info){
        .curve = b->ops->curve, .group = b->ops->group, .n_points = b->n, .order_known = 1};
    bool is_first = true;
    pthread_mutex_lock(&b->lock);
    for (size_t k = 0; k < b->n_pieces && status == PAIL_OK; k++) {
        const struct pail_composite_piece *const piece = &b->pieces[k];
        const struct pail_composite_member *const m = &b->context->members[piece->at.member];
        if (piece->at.n == 0 && b->n > 0)
            continue; /* a piece of a lost member: others have its points now */
        pail_bases_info one = {.struct_size = sizeof one};
        status = m->backend->bases_info(piece->inner, &one);
        if (status != PAIL_OK) {
            (void)pail_composite_said(err, m, status, m->backend->error(m->context));
            break;
        }
        if (is_first || piece->at.n < b->n) { /* not another copy of the same points */
            all->n_infinities += one.n_infinities;
            all->n_kept += one.n_kept;
        }
        if (is_first) {
            is_first = false;
            all->residency = one.residency;
            all->table_factor = one.table_factor;
            all->table_bits = one.table_bits;
        }
        all->order_known &= one.order_known;
        all->device_bytes += one.device_bytes;
        all->host_bytes += one.host_bytes;
        all->table_bytes += one.table_bytes;
        all->table_ms = one.table_ms > all->table_ms ? one.table_ms : all->table_ms;
    }
    pthread_mutex_unlock(&b->lock);
    if (status != PAIL_OK)
        return status;
    all->host_bytes += b->spare ? (uint64_t)b->n * point_bytes(b) : 0;
    return PAIL_OK;
}
