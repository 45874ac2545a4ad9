/* SPDX-License-Identifier: Apache-2.0 */
#include "solve.h"

#include <inttypes.h>
#include <string.h>

#include "arrays.h"
#include "foreign.h"
#include "watch.h"

#define UNKNOWN_TURNS 16u /* assumed turns of a loop whose bounds are not known beforehand */

/* While one is worked out. */
struct solving {
    struct pail_adstack *service;
    struct pail_ad_evaluation *e;
    const struct pail_ad_program *program;
    const struct pail_ad_how *how;
    uint8_t *later;   /* [n_slots] 1: waits for the device */
    uint32_t *wanted; /* [n_slots] for the device */
    uint32_t n_wanted;
    void **fetched;                  /* [n_sources] contents that were copied from the device */
    uint8_t *lent;                   /* [n_sources] 1: contents are read at their device address */
    bool met;                        /* the device has done what was asked of it before */
    struct pail_ad_foreign *foreign; /* contents that the host has brought; NULL: none */
    struct pail_ad_scratch scratch;
};

static uint64_t multiply(uint64_t a, uint64_t b)
{
    return a && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* A source that a slot reads and whose contents are not in host memory; PAIL_AD_NONE: there is
 * none. */
static uint32_t not_on_host(const struct solving *s, uint32_t slot)
{
    const struct pail_ad_slot *sl = &s->program->slots[slot];
    for (uint32_t i = 0; i < sl->n_deps; i++) {
        const struct pail_ad_dep *dep =
            &s->program->deps[s->program->dep_lists[sl->deps_first + i]];
        if (dep->kind == PAIL_AD_DEP_CONTENTS && !s->e->frame->arrays[dep->source].host)
            return dep->source;
    }
    return PAIL_AD_NONE;
}

static bool reads_contents(const struct solving *s, uint32_t slot)
{
    const struct pail_ad_slot *sl = &s->program->slots[slot];
    for (uint32_t i = 0; i < sl->n_deps; i++)
        if (s->program->deps[s->program->dep_lists[sl->deps_first + i]].kind ==
            PAIL_AD_DEP_CONTENTS)
            return true;
    return false;
}

/* ---- On the host ----------------------------------------------------------------------------- */
static pail_status evaluate(struct solving *s, const uint32_t slots[], uint32_t n,
                            struct pail_error *err)
{
    const uint64_t before = s->e->values.cells;
    s->e->values.scratch = &s->scratch; /* the host's alone: a device is given the values too */
    const pail_status status = pail_ad_eval(s->program, s->e->frame->arrays, &s->e->values, slots,
                                            n, &s->service->env.alloc, err);
    s->e->values.scratch = NULL;
    pail_ad_count(s->service, PAIL_AD_STAT_HOST_CELLS, s->e->values.cells - before);
    return status;
}

/* True if the host can read an array that the device has. */
static bool can_lend(const struct solving *s, uint32_t source)
{
    const struct pail_ad_device *device = s->service->env.device;
    const struct pail_ad_array *array = &s->e->frame->arrays[source];
    return device && device->meet && !array->host && array->address;
}

/* Has the host read an array where the device has it. */
static pail_status lend(struct solving *s, uint32_t source, struct pail_error *err)
{
    const struct pail_ad_device *device = s->service->env.device;
    struct pail_ad_array *array = &s->e->frame->arrays[source];
    if (!s->met) {
        const pail_status status =
            device->meet(device->user, s->how->wait_semaphore, s->how->wait_value, err);
        pail_ad_count(s->service, PAIL_AD_STAT_SUBMISSIONS, 1);
        pail_ad_count(s->service, PAIL_AD_STAT_WAITS, 1);
        if (status != PAIL_OK)
            return status;
        s->met = true;
    }
    array->host = (const uint8_t *)(uintptr_t)array->address;
    s->lent[source] = 1;
    pail_ad_explain(&s->e->explanation, "source %u: the host can read it at its device address",
                    source);
    return PAIL_OK;
}

/* Same, for all arrays that are needed and are on the device alone. Out: lent, whether there was
 * one. */
static pail_status lend_needed(struct solving *s, bool *lent, struct pail_error *err)
{
    const struct pail_ad_program *p = s->program;
    pail_status status = PAIL_OK;
    *lent = false;
    for (uint32_t i = 0; i < p->n_slots; i++) {
        const struct pail_ad_slot *sl = &p->slots[i];
        if (!s->e->need[i] || s->e->values.known[i] ||
            (sl->op != PAIL_AD_SPEC && sl->op != PAIL_AD_READ))
            continue;
        for (uint32_t d = 0; d < sl->n_deps && status == PAIL_OK; d++) {
            const struct pail_ad_dep *dep = &p->deps[p->dep_lists[sl->deps_first + d]];
            if (dep->kind != PAIL_AD_DEP_CONTENTS || !can_lend(s, dep->source))
                continue;
            status = lend(s, dep->source, err);
            *lent = true;
        }
    }
    return status;
}

/* Copies contents that a slot reads to the host, or has them read where they are. */
static pail_status fetch_for(struct solving *s, uint32_t slot, struct pail_error *err)
{
    const struct pail_ad_device *device = s->service->env.device;
    for (uint32_t source; (source = not_on_host(s, slot)) != PAIL_AD_NONE;) {
        struct pail_ad_array *array = &s->e->frame->arrays[source];
        if (!device)
            return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                             "source %u: its contents are on the device alone, and there is no "
                             "device here that can read them",
                             source);
        if (can_lend(s, source)) {
            const pail_status status = lend(s, source, err);
            if (status != PAIL_OK)
                return status;
            continue;
        }
        if (array->size_bytes > SIZE_MAX)
            return pail_fail(err, PAIL_ERR_HOST_MEMORY,
                             "source %u: %" PRIu64 " bytes are beyond the host's memory", source,
                             array->size_bytes);
        s->fetched[source] = pail_calloc(&s->service->env.alloc, 1, (size_t)array->size_bytes);
        if (!s->fetched[source])
            return pail_fail(err, PAIL_ERR_HOST_MEMORY,
                             "no host memory for %" PRIu64 " bytes of source %u", array->size_bytes,
                             source);
        struct pail_ad_watch *watch = s->e->values.watch;
        const pail_status status =
            device->fetch(device->user, s->fetched[source], array->address, array->size_bytes,
                          s->how->wait_semaphore, s->how->wait_value, watch, err);
        pail_ad_count(s->service, PAIL_AD_STAT_SUBMISSIONS, 1);
        pail_ad_count(s->service, PAIL_AD_STAT_WAITS, 1);
        if (status == PAIL_ERR_STOPPED)
            return pail_ad_watch_fail(watch, s->program, s->program->slots[slot].site, 0, err);
        if (status != PAIL_OK)
            return status;
        array->host = s->fetched[source];
        pail_ad_explain(&s->e->explanation, "source %u: %" PRIu64 " bytes are copied to the host",
                        source, array->size_bytes);
    }
    return PAIL_OK;
}

/* ---- What it would cost on the host ---------------------------------------------------------- */
struct search {
    const uint8_t *later;
    bool found;
};

static void note_later_operand(void *user, uint32_t operand)
{
    struct search *search = user;
    search->found = search->found || search->later[operand];
}

static uint64_t length_of(int64_t begin, int64_t end)
{
    return begin < end ? (uint64_t)end - (uint64_t)begin : 0;
}

/* Turns of a loop. Its bounds are there or quickly computed: reductions among what they depend on
 * were looked at before. */
static pail_status turns_of(struct solving *s, const struct pail_ad_instr *loop, uint64_t *turns,
                            struct pail_error *err)
{
    const uint32_t bounds[2] = {loop->a & ~PAIL_AD_SLOT, loop->b & ~PAIL_AD_SLOT};
    *turns = UNKNOWN_TURNS;
    if (!(loop->a & loop->b & PAIL_AD_SLOT) || s->later[bounds[0]] || s->later[bounds[1]])
        return PAIL_OK;
    const pail_status status = evaluate(s, bounds, 2, err);
    if (status == PAIL_OK)
        *turns = length_of(s->e->values.value[bounds[0]].v, s->e->values.value[bounds[1]].v);
    return status;
}

/* Instructions of a cell; those of loops as often as they turn, as far as that is known. */
static pail_status instructions(struct solving *s, const struct pail_ad_spec *spec, uint64_t *total,
                                struct pail_error *err)
{
    struct {
        uint32_t end;
        uint64_t outer;
    } loops[PAIL_AD_MAX_DEPTH];
    uint64_t each = 1, turns;
    uint32_t depth = 0;
    pail_status status = PAIL_OK;
    *total = 1;
    for (uint32_t i = 0; i < spec->n_code && status == PAIL_OK; i++) {
        const struct pail_ad_instr *instr = &s->program->code[spec->code_first + i];
        while (depth > 0 && loops[depth - 1].end <= i)
            each = loops[--depth].outer;
        *total = add(*total, each);
        if (instr->op != PAIL_AD_LOOP || depth == PAIL_AD_MAX_DEPTH)
            continue;
        status = turns_of(s, instr, &turns, err);
        loops[depth].end = instr->end;
        loops[depth++].outer = each;
        each = multiply(each, turns);
    }
    return status;
}

/* Evaluates the bounds of a reduction; cells times instructions. */
static pail_status cost_of(struct solving *s, uint32_t slot, uint64_t *cost, uint64_t *cells,
                           struct pail_error *err)
{
    const struct pail_ad_spec *spec = &s->program->specs[s->program->slots[slot].spec];
    *cells = 1;
    for (uint32_t i = 0; i<spec->n_axes && * cells> 0; i++) {
        const struct pail_ad_axis *axis = &s->program->axes[spec->axes_first + i];
        const uint32_t bounds[2] = {axis->begin, axis->end};
        const pail_status status = evaluate(s, bounds, 2, err);
        if (status != PAIL_OK)
            return status;
        const struct pail_ad_value begin = s->e->values.value[axis->begin];
        const struct pail_ad_value end = s->e->values.value[axis->end];
        *cells = begin.error || end.error ? 0 : multiply(*cells, length_of(begin.v, end.v));
    }
    const pail_status status = *cells ? instructions(s, spec, cost, err) : PAIL_OK;
    *cost = *cells ? multiply(*cells, *cost) : 0;
    return status;
}

/* ---- Arms that are not taken ----------------------------------------------------------------- */
enum { NEEDED = 1, CANDIDATE = 2 };

static void need_candidate(void *user, uint32_t operand)
{
    uint8_t *need = user;
    need[operand] |= need[operand] & CANDIDATE ? NEEDED : 0;
}

/* Marks what a slot needs; of a SELECT whose condition is known at once, only the arm that is
 * taken. */
static pail_status need_operands(struct solving *s, uint32_t slot, const uint8_t dear[],
                                 struct pail_error *err)
{
    const struct pail_ad_slot *sl = &s->program->slots[slot];
    uint8_t *need = s->e->need;
    if (sl->op != PAIL_AD_SELECT || dear[sl->a]) {
        pail_ad_each_operand(s->program, slot, need_candidate, need);
        return PAIL_OK;
    }
    const pail_status status = evaluate(s, &sl->a, 1, err);
    const struct pail_ad_value a = s->e->values.value[sl->a];
    need_candidate(need, sl->a);
    if (status == PAIL_OK && !a.error)
        need_candidate(need, a.v > 0 ? sl->b : sl->c);
    return status;
}

/* Takes out of e->need what only arms depend on that are not taken, where conditions tell that
 * without a reduction and without the device: a guard may stand in front of what is dear. */
static pail_status narrow(struct solving *s, const uint32_t slots[], uint32_t n_slots,
                          struct pail_error *err)
{
    const struct pail_ad_program *p = s->program;
    uint8_t *need = s->e->need, *dear = s->later;
    bool selects = false;
    pail_status status = PAIL_OK;
    for (uint32_t i = 0; i < p->n_slots; i++)
        selects = selects || (need[i] && p->slots[i].op == PAIL_AD_SELECT);
    if (!selects)
        return PAIL_OK;
    for (uint32_t i = 0; i < p->n_slots; i++) {
        const struct pail_ad_slot *sl = &p->slots[i];
        struct search search = {dear, false};
        if (!need[i] || s->e->values.known[i])
            continue;
        pail_ad_each_operand(p, i, note_later_operand, &search);
        dear[i] = search.found || sl->op == PAIL_AD_SPEC ||
                  (sl->op == PAIL_AD_READ &&
                   ((s->how->flags & PAIL_LAUNCH_DEVICE) || !s->e->frame->arrays[sl->source].host));
        need[i] = CANDIDATE;
    }
    for (uint32_t i = 0; i < n_slots; i++)
        need_candidate(need, slots[i]);
    for (uint32_t i = p->n_slots; i-- > 0 && status == PAIL_OK;)
        if (need[i] & NEEDED)
            status = need_operands(s, i, dear, err);
    for (uint32_t i = 0; i < p->n_slots; i++)
        need[i] &= NEEDED;
    memset(dear, 0, p->n_slots);
    return status;
}

/* ---- Deciding -------------------------------------------------------------------------------- */
static void tell_where(struct solving *s, uint32_t slot, const char *where)
{
    const struct pail_ad_slot *sl = &s->program->slots[slot];
    const struct pail_ad_site *site = &s->program->sites[sl->site];
    pail_ad_explain(&s->e->explanation, "task %u, stack %u, node %u: %s on the %s", site->task,
                    site->stack, site->node, sl->op == PAIL_AD_SPEC ? "reduced" : "read", where);
}

/* Goes through what is needed from below, computes what is worth it, and lists what is left for the
 * device. */
static pail_status divide(struct solving *s, struct pail_error *err)
{
    const struct pail_ad_device *device = s->service->env.device;
    const bool prefer_device = (s->how->flags & PAIL_LAUNCH_DEVICE) != 0;
    uint64_t budget = !device ? UINT64_MAX : device->worth(device->user);
    pail_status status = PAIL_OK;
    for (uint32_t i = 0; i < s->program->n_slots && status == PAIL_OK; i++) {
        const uint16_t op = s->program->slots[i].op;
        if (!s->e->need[i] || s->e->values.known[i])
            continue;
        struct search search = {s->later, false};
        pail_ad_each_operand(s->program, i, note_later_operand, &search);
        s->later[i] = search.found;
        if (op != PAIL_AD_SPEC && op != PAIL_AD_READ)
            continue;
        const uint32_t source = not_on_host(s, i);
        uint64_t cost = 0, cells = 0, more = 0; /* more: while arrays would be copied */
        if (source != PAIL_AD_NONE && !device)
            return fetch_for(s, i, err); /* it says what is missing */
        const bool prefer = prefer_device && reads_contents(s, i);
        if (prefer && !device)
            return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                             "flags: 0x%x asks for a device, and there is none here that can read "
                             "arrays",
                             s->how->flags);
        bool here = source == PAIL_AD_NONE && !s->later[i] && !prefer;
        if (here && op == PAIL_AD_SPEC)
            status = cost_of(s, i, &cost, &cells, err);
        if (status != PAIL_OK)
            break;
        if (here && cost > budget)
            more = multiply(device->worth_of_byte,
                            pail_ad_arrays_bytes(s->e->frame, s->program, i,
                                                 s->lent + s->program->n_sources + 1));
        here = here && cost <= add(budget, more);
        if (!here) {
            s->later[i] = 1;
            s->wanted[s->n_wanted++] = i;
            continue;
        }
        budget = budget == UINT64_MAX ? budget : add(budget, more) - cost;
        if (op == PAIL_AD_SPEC) {
            tell_where(s, i, "host");
            status = evaluate(s, &i, 1, err);
            s->e->by[i] = PAIL_SIZE_HOST;
        }
    }
    return status;
}

static pail_status run(struct solving *s, const uint32_t slots[], uint32_t n,
                       struct pail_error *err)
{
    const struct pail_ad_device *device = s->service->env.device;
    struct pail_ad_explanation *explanation = &s->e->explanation;
    if (!pail_ad_watch_look(s->e->values.watch))
        return pail_ad_watch_fail(s->e->values.watch, s->program, s->program->slots[slots[0]].site,
                                  0, err);
    for (uint32_t i = 0; i < n; i++)
        tell_where(s, slots[i], "device");
    struct pail_ad_work work = {
        .program = s->program,
        .arrays = s->e->frame->arrays,
        .values = &s->e->values,
        .slots = slots,
        .n_slots = n,
        .flags = s->how->flags,
        .wait_semaphore = s->how->wait_semaphore,
        .wait_value = s->how->wait_value,
        .serial = s->e->kernel->handle,
        .plan = explanation->text ? explanation->text + explanation->used : NULL,
        .plan_capacity = explanation->text ? explanation->capacity - explanation->used : 0,
    };
    pail_status status = device->run(device->user, &work, err);
    if (explanation->text)
        explanation->used += strlen(explanation->text + explanation->used);
    pail_ad_count(s->service, PAIL_AD_STAT_DISPATCHES, work.dispatches);
    pail_ad_count(s->service, PAIL_AD_STAT_CELLS, work.cells);
    pail_ad_count(s->service, PAIL_AD_STAT_SPECIALISED, work.specialised);
    pail_ad_count(s->service, PAIL_AD_STAT_SUBMISSIONS, work.submissions);
    pail_ad_count(s->service, PAIL_AD_STAT_WAITS, work.waits);
    pail_ad_count(s->service, PAIL_AD_STAT_DEVICE_NS, work.device_ns);
    pail_ad_count_most(s->service, PAIL_AD_STAT_LONGEST_SUBMISSION_NS, work.longest_submission_ns);
    pail_ad_count(s->service, PAIL_AD_STAT_FALLBACKS, work.n_given_back);
    for (uint32_t i = 0; i < n && status == PAIL_OK; i++) {
        const uint32_t slot = slots[i];
        s->e->by[slot] = s->e->values.known[slot] ? PAIL_SIZE_DEVICE : PAIL_SIZE_HOST;
        if (s->e->values.known[slot])
            continue;
        tell_where(s, slot, "host, for the device has given it back");
        status = fetch_for(s, slot, err);
        if (status == PAIL_OK)
            status = evaluate(s, &slot, 1, err);
    }
    return status;
}

/* ---- Within a limit of cells ----------------------------------------------------------------- */
/* Lists those of the wanted that need nothing that is wanted, too, and still unknown. later:
 * becomes 1 for whatever depends on something unknown. */
static uint32_t find_ready(struct solving *s, uint32_t ready[])
{
    uint32_t n = 0, at = 0;
    for (uint32_t i = 0; i < s->program->n_slots; i++) {
        struct search search = {s->later, false};
        const bool wanted = at < s->n_wanted && s->wanted[at] == i;
        at += wanted;
        s->later[i] = 0;
        if (s->e->values.known[i])
            continue;
        pail_ad_each_operand(s->program, i, note_later_operand, &search);
        s->later[i] = wanted || search.found;
        if (wanted && !search.found)
            ready[n++] = i;
    }
    return n;
}

/* Checks that the cells of these are within the limit; their bounds can be computed here. */
static pail_status check_cells(struct solving *s, const uint32_t slots[], uint32_t n,
                               uint64_t *cells, struct pail_error *err)
{
    const struct pail_ad_watch *watch = s->e->values.watch;
    pail_status status = PAIL_OK;
    *cells = 0;
    for (uint32_t i = 0; i < n && status == PAIL_OK; i++) {
        uint64_t cost, of_it;
        if (s->program->slots[slots[i]].op != PAIL_AD_SPEC)
            continue;
        status = cost_of(s, slots[i], &cost, &of_it, err);
        *cells = add(*cells, of_it);
        if (status == PAIL_OK && of_it <= PAIL_AD_MAX_CELLS && !pail_ad_watch_allows(watch, *cells))
            status =
                pail_ad_watch_fail(watch, s->program, s->program->slots[slots[i]].site, of_it, err);
    }
    return status;
}

/* Runs in as many submissions as ranges are in bounds of one another, so that the number of cells
 * is known before each. */
static pail_status run_within(struct solving *s, struct pail_error *err)
{
    struct pail_ad_watch *watch = s->e->values.watch;
    if (!watch || !watch->max_cells)
        return run(s, s->wanted, s->n_wanted, err);
    uint32_t *ready = pail_calloc(&s->service->env.alloc, s->n_wanted, sizeof(*ready)), n;
    pail_status status = ready ? PAIL_OK
                               : pail_fail(err, PAIL_ERR_HOST_MEMORY,
                                           "no host memory for %u reductions", s->n_wanted);
    while (status == PAIL_OK && (n = find_ready(s, ready)) > 0) {
        uint64_t cells;
        const uint64_t before = watch->cells;
        status = check_cells(s, ready, n, &cells, err);
        if (status == PAIL_OK)
            status = run(s, ready, n, err);
        /* Specs that the device gave back were counted by the host. */
        if (watch->cells - before < cells)
            watch->cells = add(before, cells);
    }
    pail_free(&s->service->env.alloc, ready);
    return status;
}

/* ---- Where roots come from ------------------------------------------------------------------- */
struct origin {
    const struct pail_ad_evaluation *e;
    uint8_t by;
};

static void take_origin(void *user, uint32_t operand)
{
    struct origin *origin = user;
    if (origin->e->by[operand] == PAIL_SIZE_DEVICE)
        origin->by = PAIL_SIZE_DEVICE;
}

static void set_origins(struct solving *s)
{
    struct pail_ad_evaluation *e = s->e;
    const bool device = memchr(e->by, PAIL_SIZE_DEVICE, s->program->n_slots);
    for (uint32_t i = 0; i < s->program->n_slots; i++) {
        struct origin origin = {e, PAIL_SIZE_HOST};
        if (!e->need[i] || e->by[i] != PAIL_SIZE_STATIC)
            continue;
        if (device)
            pail_ad_each_operand(s->program, i, take_origin, &origin);
        e->by[i] = s->program->slots[i].n_deps ? origin.by : PAIL_SIZE_CONSTANT;
    }
}

/* Counts values that nobody knew before. A tree that is a reduction is both. */
static void count(struct solving *s, const uint32_t slots[], uint32_t n_slots)
{
    struct pail_ad_evaluation *e = s->e;
    uint64_t trees = 0, all = 0, host = 0;
    for (uint32_t i = 0; i < s->program->n_slots; i++) {
        if (!e->need[i] || !e->values.known[i] || s->program->slots[i].op != PAIL_AD_SPEC)
            continue;
        all++;
        host += e->by[i] != PAIL_SIZE_DEVICE;
    }
    memset(s->later, 0, s->program->n_slots);
    for (uint32_t i = 0; i < n_slots; i++) { /* several stacks may have one tree */
        trees += !s->later[slots[i]] && s->program->slots[slots[i]].n_deps > 0;
        s->later[slots[i]] = 1;
    }
    pail_ad_count(s->service, PAIL_AD_STAT_TREES, trees);
    pail_ad_count(s->service, PAIL_AD_STAT_REDUCTIONS, all);
    pail_ad_count(s->service, PAIL_AD_STAT_HOST_REDUCTIONS, host);
}

static pail_status solve(struct solving *s, const uint32_t slots[], uint32_t n_slots,
                         struct pail_error *err)
{
    /* A device may read any element of an array that it is given. */
    const bool whole = s->service->env.device && !(s->how->flags & PAIL_LAUNCH_HOST);
    bool lent = false;
    pail_status status = narrow(s, slots, n_slots, err);
    if (status == PAIL_OK && !(s->how->flags & PAIL_LAUNCH_DEVICE))
        status = lend_needed(s, &lent, err);
    if (status == PAIL_OK && lent) /* more conditions can be read now */
        status = narrow(s, slots, n_slots, err);
    if (status == PAIL_OK)
        status = pail_ad_foreign_bring(&s->foreign, s->service, s->e, s->how, whole, err);
    if (status == PAIL_OK && s->foreign)
        status = narrow(s, slots, n_slots, err);
    if (status != PAIL_OK)
        return status;
    if (s->how->flags & PAIL_LAUNCH_HOST) {
        for (uint32_t i = 0; i < s->program->n_slots && status == PAIL_OK; i++)
            if (s->e->need[i] && !s->e->values.known[i])
                status = fetch_for(s, i, err);
    } else {
        status = divide(s, err);
        if (status == PAIL_OK && s->n_wanted > 0)
            status = run_within(s, err);
    }
    if (status == PAIL_OK)
        status = evaluate(s, slots, n_slots, err);
    if (status == PAIL_OK) {
        set_origins(s);
        count(s, slots, n_slots);
    }
    return status;
}

pail_status pail_ad_solve(struct pail_adstack *service, struct pail_ad_evaluation *e,
                          const struct pail_ad_how *how, const uint32_t slots[], uint32_t n_slots,
                          struct pail_error *err)
{
    const struct pail_alloc *alloc = &service->env.alloc;
    const struct pail_ad_program *p = e->kernel->program;
    if (n_slots == 0)
        return PAIL_OK;
    struct solving s = {service, e, p, how, .n_wanted = 0};
    s.later = pail_calloc(alloc, p->n_slots + 1, 1);
    s.wanted = pail_calloc(alloc, p->n_slots + 1, sizeof(*s.wanted));
    s.fetched = pail_calloc(alloc, p->n_sources + 1, sizeof(*s.fetched));
    s.lent = pail_calloc(alloc, p->n_sources + 1, 2); /* and what is counted */
    pail_status status =
        s.later && s.wanted && s.fetched && s.lent
            ? solve(&s, slots, n_slots, err)
            : pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory to compute %u values", n_slots);
    pail_ad_foreign_let_go(s.foreign);
    for (uint32_t i = 0; s.fetched && s.lent && i < p->n_sources; i++)
        if (s.fetched[i] || s.lent[i]) {
            if (s.lent[i] || e->frame->arrays[i].host == s.fetched[i])
                e->frame->arrays[i].host = NULL;
            pail_free(alloc, s.fetched[i]);
        }
    pail_free(alloc, s.later);
    pail_free(alloc, s.wanted);
    pail_free(alloc, s.fetched);
    pail_free(alloc, s.lent);
    pail_ad_scratch_free(&s.scratch, alloc);
    return status;
}
