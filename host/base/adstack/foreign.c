/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include <platform/clock.h>

#include "foreign_priv.h"
#include "watch.h"

/* ---- What is asked of the host --------------------------------------------------------------- */
/* Has bytes fetched together with those of an earlier source that has the same array. */
static void join(struct pail_ad_foreign *f, uint32_t source)
{
    const struct pail_ad_seen *seen = pail_ad_foreign_seen(f, source);
    for (uint32_t i = 0; i < source; i++) {
        const struct pail_ad_fetch *fetch = &f->fetches[i];
        if (!fetch->needed || fetch->same_as != i || f->reach[i].end == 0 ||
            pail_ad_foreign_seen(f, i)->identity != seen->identity ||
            pail_ad_foreign_seen(f, i)->generation != seen->generation ||
            f->e->frame->untracked[i] != f->e->frame->untracked[source])
            continue;
        pail_ad_reach_join(&f->reach[i], f->reach[source].first, f->reach[source].end);
        f->fetches[source].same_as = i;
        return;
    }
}

static bool is_kept(const struct pail_ad_foreign *f, uint32_t source)
{
    return !f->how->fresh && !f->e->frame->untracked[source];
}

static pail_fetch_range range_of(const struct pail_ad_foreign *f, uint32_t source,
                                 const struct pail_ad_reach *reach)
{
    const struct pail_ad_seen *seen = pail_ad_foreign_seen(f, source);
    const struct pail_ad_array *array = pail_ad_foreign_array(f, source);
    return (pail_fetch_range){
        .struct_size = sizeof(pail_fetch_range),
        .dtype = array->dtype,
        .identity = seen->identity,
        .generation = seen->generation,
        .address = array->foreign_address,
        .offset = reach->first,
        .bytes = reach->end - reach->first,
        .serial = f->how->serial,
    };
}

/* The failure of a callback that returned a status which it may not, or which is a failure. */
static pail_status fail(const struct pail_ad_foreign *f, const char *function, pail_status returned,
                        uint32_t source, const struct pail_ad_reach *reach, struct pail_error *err)
{
    const bool passed = returned == PAIL_ERR_UNSUPPORTED || returned == PAIL_ERR_HOST_MEMORY ||
                        returned == PAIL_ERR_DEVICE_MEMORY || returned == PAIL_ERR_INTERNAL;
    return pail_fail(err, passed ? returned : PAIL_ERR_IO,
                     "source %u: bytes %" PRIu64 " to %" PRIu64 " of array %" PRIu64
                     " are not here: %s of params->fetch returned %d%s",
                     source, reach->first, reach->end - 1,
                     pail_ad_foreign_seen(f, source)->identity, function, (int)returned,
                     returned == PAIL_NOT_READY ? ", and there is no wait to end that" : "");
}

static pail_status stop(const struct pail_ad_foreign *f, uint32_t slot, uint64_t cells,
                        struct pail_error *err)
{
    return pail_ad_watch_fail(f->e->values.watch, f->program, f->program->slots[slot].site, cells,
                              err);
}

/* Takes what a start returned. */
static pail_status take_start(const struct pail_ad_foreign *f, enum pail_ad_call *state,
                              pail_status returned)
{
    const bool under_way = returned == PAIL_NOT_READY && f->service->env.fetch.wait;
    if (returned == PAIL_OK || under_way)
        *state = under_way ? PAIL_AD_CALL_UNDER_WAY : PAIL_AD_CALL_ENDED;
    return under_way ? PAIL_OK : returned;
}

/* The end of a copy that this evaluation had to fetch. */
static void end_copy(struct pail_ad_foreign *f, struct pail_ad_fetch *fetch, bool here)
{
    pail_ad_copies_end(&f->service->copies, fetch->copy, here, pail_ad_foreign_alloc(f));
    fetch->mine = false;
    if (!here)
        return;
    pail_ad_count(f->service, PAIL_AD_STAT_FETCHES, 1);
    pail_ad_count(f->service, PAIL_AD_STAT_FETCHED_BYTES, fetch->copy->bytes);
}

static pail_status start_copy(struct pail_ad_foreign *f, uint32_t source, struct pail_error *err)
{
    const pail_fetch_callbacks *host = &f->service->env.fetch;
    struct pail_ad_fetch *fetch = &f->fetches[source];
    struct pail_ad_copy *copy = fetch->copy;
    const struct pail_ad_reach reach = {copy->offset, copy->offset + copy->bytes};
    const pail_fetch_range range = range_of(f, source, &reach);
    const pail_status status =
        take_start(f, &fetch->state, host->start(host->user, &fetch->ticket, copy->data, &range));
    if (fetch->state != PAIL_AD_CALL_UNDER_WAY)
        end_copy(f, fetch, status == PAIL_OK);
    return status == PAIL_OK ? PAIL_OK : fail(f, "start", status, source, &reach, err);
}

/* Finds a copy of the bytes that a source is read at, or starts one. */
static pail_status start_fetch(struct pail_ad_foreign *f, uint32_t source, struct pail_error *err)
{
    struct pail_ad_copies *copies = &f->service->copies;
    const struct pail_ad_reach *reach = &f->reach[source];
    const uint64_t bytes = reach->end - reach->first;
    struct pail_ad_fetch *fetch = &f->fetches[source];
    const bool kept = is_kept(f, source);
    if (kept)
        fetch->copy =
            pail_ad_copies_find(copies, pail_ad_foreign_seen(f, source), reach->first, bytes);
    if (fetch->copy)
        return PAIL_OK;
    if (!pail_ad_watch_look(f->e->values.watch))
        return stop(f, fetch->slot, 0, err);
    struct pail_ad_copy *mine = pail_ad_copy_make(pail_ad_foreign_seen(f, source), reach->first,
                                                  bytes, pail_ad_foreign_alloc(f));
    if (!mine)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY,
                         "no host memory for %" PRIu64 " bytes of source %u", bytes, source);
    fetch->copy = kept ? pail_ad_copies_offer(copies, mine) : mine;
    fetch->mine = fetch->copy == mine;
    if (fetch->mine)
        return start_copy(f, source, err);
    pail_free(pail_ad_foreign_alloc(f), mine);
    return PAIL_OK;
}

/* Has the host's device find a maximum, unless a copy is here or comes. */
static pail_status start_maximum(struct pail_ad_foreign *f, struct pail_ad_maximum *m,
                                 struct pail_error *err)
{
    const pail_fetch_callbacks *host = &f->service->env.fetch;
    struct pail_ad_watch *watch = f->e->values.watch;
    struct pail_ad_reach *reach = &f->reach[m->source];
    const bool comes = reach->first <= m->of.first && m->of.end <= reach->end;
    struct pail_ad_copy *copy = NULL;
    if (!comes && is_kept(f, m->source))
        copy = pail_ad_copies_find(&f->service->copies, pail_ad_foreign_seen(f, m->source),
                                   m->of.first, m->of.end - m->of.first);
    pail_status returned = PAIL_ERR_UNSUPPORTED;
    if (copy) {
        pail_ad_copies_release(&f->service->copies, copy, pail_ad_foreign_alloc(f));
    } else if (!comes) {
        f->cells += m->cells;
        if (!pail_ad_watch_allows(watch, f->cells) || !pail_ad_watch_look(watch))
            return stop(f, m->slot, f->cells, err);
        const pail_fetch_range range = range_of(f, m->source, &m->of);
        returned =
            take_start(f, &m->state, host->reduce(host->user, &m->ticket, &m->value, &range));
    }
    if (returned == PAIL_ERR_UNSUPPORTED && f->whole)
        pail_ad_reach_elements(reach, pail_ad_foreign_array(f, m->source), NULL, NULL);
    else if (returned == PAIL_ERR_UNSUPPORTED)
        pail_ad_reach_join(reach, m->of.first, m->of.end);
    else if (returned != PAIL_OK)
        return fail(f, "reduce", returned, m->source, &m->of, err);
    return PAIL_OK;
}

static pail_status start_all(struct pail_ad_foreign *f, struct pail_error *err)
{
    const uint32_t n_sources = f->program->n_sources;
    pail_status status = PAIL_OK;
    for (uint32_t i = 0; i < f->n_maxima && status == PAIL_OK; i++)
        status = start_maximum(f, &f->maxima[i], err);
    for (uint32_t i = 0; i < n_sources && status == PAIL_OK; i++)
        if (f->fetches[i].needed && f->reach[i].end > 0)
            join(f, i);
    for (uint32_t i = 0; i < n_sources && status == PAIL_OK; i++)
        if (f->fetches[i].needed && f->reach[i].end > 0 && f->fetches[i].same_as == i)
            status = start_fetch(f, i, err);
    return status;
}

/* ---- Waiting --------------------------------------------------------------------------------- */
/* Waits for the end of what is under way. Out: returned, what the host said then. */
static pail_status await(struct pail_ad_foreign *f, uint64_t ticket, enum pail_ad_call *state,
                         uint32_t slot, pail_status *returned, struct pail_error *err)
{
    const pail_fetch_callbacks *host = &f->service->env.fetch;
    struct pail_ad_watch *watch = f->e->values.watch;
    while ((*returned = host->wait(host->user, ticket, pail_ad_watch_patience(watch))) ==
           PAIL_NOT_READY)
        if (!pail_ad_watch_look(watch))
            return stop(f, slot, 0, err);
    *state = PAIL_AD_CALL_ENDED;
    return PAIL_OK;
}

static pail_status await_copy(struct pail_ad_foreign *f, uint32_t source, struct pail_error *err)
{
    struct pail_ad_fetch *fetch = &f->fetches[source];
    struct pail_ad_copy *copy = fetch->copy;
    const struct pail_ad_reach reach = {copy->offset, copy->offset + copy->bytes};
    pail_status returned;
    const pail_status status = await(f, fetch->ticket, &fetch->state, fetch->slot, &returned, err);
    if (status != PAIL_OK)
        return status;
    end_copy(f, fetch, returned == PAIL_OK);
    return returned == PAIL_OK ? PAIL_OK : fail(f, "wait", returned, source, &reach, err);
}

/* Waits for a copy that another evaluation fetches. If that fails, this one fetches by itself. */
static pail_status await_other(struct pail_ad_foreign *f, uint32_t source, struct pail_error *err)
{
    struct pail_ad_copies *copies = &f->service->copies;
    struct pail_ad_watch *watch = f->e->values.watch;
    struct pail_ad_fetch *fetch = &f->fetches[source];
    for (;;) {
        const uint64_t until = pail_clock_until(pail_ad_watch_patience(watch));
        const enum pail_ad_copy_state state = pail_ad_copies_wait(copies, fetch->copy, until);
        if (state == PAIL_AD_COPY_HERE)
            return PAIL_OK;
        if (state == PAIL_AD_COPY_ON_ITS_WAY && !pail_ad_watch_look(watch))
            return stop(f, fetch->slot, 0, err);
        if (state != PAIL_AD_COPY_FAILED)
            continue;
        pail_ad_copies_release(copies, fetch->copy, pail_ad_foreign_alloc(f));
        fetch->copy = NULL;
        pail_status status = start_fetch(f, source, err);
        if (status == PAIL_OK && fetch->mine)
            status = await_copy(f, source, err);
        if (status != PAIL_OK)
            return status;
    }
}

/* This evaluation's own first: others may wait for them, and while they do, this one must not wait
 * for theirs. */
static pail_status await_all(struct pail_ad_foreign *f, struct pail_error *err)
{
    const uint32_t n_sources = f->program->n_sources;
    pail_status status = PAIL_OK, returned = PAIL_OK;
    for (uint32_t i = 0; i < n_sources && status == PAIL_OK; i++)
        if (f->fetches[i].mine)
            status = await_copy(f, i, err);
    for (uint32_t i = 0; i < f->n_maxima && status == PAIL_OK; i++) {
        struct pail_ad_maximum *m = &f->maxima[i];
        if (m->state != PAIL_AD_CALL_UNDER_WAY)
            continue;
        status = await(f, m->ticket, &m->state, m->slot, &returned, err);
        if (status == PAIL_OK && returned != PAIL_OK)
            status = fail(f, "wait", returned, m->source, &m->of, err);
    }
    for (uint32_t i = 0; i < n_sources && status == PAIL_OK; i++)
        if (f->fetches[i].copy)
            status = await_other(f, i, err);
    return status;
}

/* ---- What has come --------------------------------------------------------------------------- */
static void deliver(struct pail_ad_foreign *f)
{
    static const uint8_t nothing; /* the address of an array of which nothing is read */
    struct pail_ad_evaluation *e = f->e;
    for (uint32_t i = 0; i < f->program->n_sources; i++) {
        if (!f->fetches[i].missing)
            continue;
        const struct pail_ad_copy *copy = f->fetches[f->fetches[i].same_as].copy;
        /* The array would begin there; only bytes of the copy are read. */
        pail_ad_foreign_array(f, i)->host =
            copy ? (const uint8_t *)((uintptr_t)copy->data - (uintptr_t)copy->offset) : &nothing;
    }
    for (uint32_t i = 0; i < f->n_maxima; i++) {
        const struct pail_ad_maximum *m = &f->maxima[i];
        if (m->state != PAIL_AD_CALL_ENDED)
            continue;
        if (e->values.watch)
            e->values.watch->cells += m->cells;
        e->values.value[m->slot] = (struct pail_ad_value){.v = m->value > 0 ? m->value : 0};
        e->values.known[m->slot] = 1;
        e->by[m->slot] = PAIL_SIZE_DEVICE;
        pail_ad_count(f->service, PAIL_AD_STAT_REDUCED, 1);
        pail_ad_explain(&e->explanation,
                        "source %u: the host has reduced %" PRIu64 " bytes from byte %" PRIu64
                        " on",
                        m->source, m->of.end - m->of.first, m->of.first);
    }
}

void pail_ad_foreign_let_go(struct pail_ad_foreign *f)
{
    if (!f)
        return;
    const pail_fetch_callbacks *host = &f->service->env.fetch;
    struct pail_ad_copies *copies = &f->service->copies;
    for (uint32_t i = 0; i < f->n_maxima; i++)
        if (f->maxima[i].state == PAIL_AD_CALL_UNDER_WAY)
            host->abandon(host->user, f->maxima[i].ticket);
    for (uint32_t i = 0; i < f->program->n_sources; i++) {
        struct pail_ad_fetch *fetch = &f->fetches[i];
        if (!fetch->missing)
            continue;
        pail_ad_foreign_array(f, i)->host = NULL;
        if (fetch->mine) {
            host->abandon(host->user, fetch->ticket);
            end_copy(f, fetch, false);
        }
        if (fetch->copy)
            pail_ad_copies_release(copies, fetch->copy, pail_ad_foreign_alloc(f));
    }
    pail_free(pail_ad_foreign_alloc(f), f);
}

static void tell(struct pail_ad_foreign *f)
{
    for (uint32_t i = 0; i < f->program->n_sources; i++)
        if (f->fetches[i].copy)
            pail_ad_explain(&f->e->explanation,
                            "source %u: %" PRIu64 " bytes from byte %" PRIu64 " on are a copy of "
                            "the host's",
                            i, f->fetches[i].copy->bytes, f->fetches[i].copy->offset);
}

#define ALIGN(bytes) (((bytes) + 15) & ~(size_t)15)

static struct pail_ad_foreign *make(const struct pail_alloc *alloc,
                                    const struct pail_ad_program *program)
{
    const size_t head = ALIGN(sizeof(struct pail_ad_foreign));
    const size_t reach = ALIGN(program->n_sources * sizeof(struct pail_ad_reach));
    const size_t fetches = ALIGN(program->n_sources * sizeof(struct pail_ad_fetch));
    const size_t maxima = ALIGN(program->n_specs * sizeof(struct pail_ad_maximum));
    unsigned char *memory =
        pail_calloc(alloc, 1, head + reach + fetches + maxima + program->n_slots);
    struct pail_ad_foreign *f = (struct pail_ad_foreign *)(void *)memory;
    if (!f)
        return NULL;
    f->reach = (struct pail_ad_reach *)(void *)(memory + head);
    f->fetches = (struct pail_ad_fetch *)(void *)(memory + head + reach);
    f->maxima = (struct pail_ad_maximum *)(void *)(memory + head + reach + fetches);
    f->dear = memory + head + reach + fetches + maxima;
    return f;
}

pail_status pail_ad_foreign_bring(struct pail_ad_foreign **foreign, struct pail_adstack *service,
                                  struct pail_ad_evaluation *e, const struct pail_ad_how *how,
                                  bool whole, struct pail_error *err)
{
    const struct pail_ad_program *p = e->kernel->program;
    struct pail_ad_foreign *f = NULL;
    *foreign = NULL;
    for (uint32_t i = 0; i < p->n_sources; i++) {
        const struct pail_ad_array *array = &e->frame->arrays[i];
        if (!e->kernel->sources[i].contents || !array->foreign || array->host)
            continue;
        if (!f && !(f = make(&service->env.alloc, p)))
            return pail_fail(err, PAIL_ERR_HOST_MEMORY,
                             "no host memory to fetch arrays of %u sources", p->n_sources);
        f->fetches[i] = (struct pail_ad_fetch){.missing = true, .same_as = i};
    }
    if (!f)
        return PAIL_OK;
    f->service = service;
    f->e = e;
    f->program = p;
    f->how = how;
    f->whole = whole;
    pail_status status = pail_ad_foreign_look(f, err);
    if (status == PAIL_OK)
        status = start_all(f, err);
    if (status == PAIL_OK)
        status = await_all(f, err);
    if (status != PAIL_OK) {
        pail_ad_foreign_let_go(f);
        return status;
    }
    deliver(f);
    tell(f);
    *foreign = f;
    return PAIL_OK;
}
