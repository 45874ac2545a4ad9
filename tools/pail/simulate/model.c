/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { UNITS_MAX = 100000, OVERTAKES = 8 };
static const double NS = 1e9, GIB = 1073741824.0, TINY = 1e-9;

/* Kinds of work that take time. */
enum kind { WITNESS, SPARSE, PREPARE, DEVICE_WORK, G2, ASSEMBLE, RELEASE, STAGING, AT_ONCE, KINDS };

/* Nodes of a lane that run together: one of the host, work of the device that needs nothing of it,
 * or both. */
struct step {
    enum kind kind;
    double s, device_s; /* until both end; of the device */
};

/* A part of a proof, and its present work. */
struct part {
    struct pail_unit unit; /* first: the schedule has its address */
    enum pail_unit_stage stage;
    enum kind kind;
    double left; /* seconds of work */
    size_t at;   /* steps of the stage that have begun */
    double produce_begin, slot_begin;
    bool staged, fails, on_host; /* on_host: its memory of the host is taken */
    struct part *next;           /* in the queue of a card, or of the reclaimer */
};

struct card {
    bool locked;
    double held_gib;
    struct part *queue; /* parts that wait for the lock, in order */
};

struct simulation {
    const struct pail_scenario *scenario;
    struct pail_scenario_graph graph;
    struct step steps[PAIL_STAGES][PAIL_LANE_NODES_MAX];
    size_t n_steps[PAIL_STAGES];
    const struct pail_load *load;
    struct pail_simulated *out;
    struct pail_schedule *schedule;
    struct pail_ledger *ledger;
    struct part *parts; /* [n_units] */
    uint32_t *left;     /* [count] parts that are not finished */
    uint32_t n_units, next_proof, active_proofs, key;
    struct part **working; /* [n_units] parts with work, in the order in which it began */
    size_t n_working;
    struct part *releases; /* parts that wait for the one reclaimer, in order */
    size_t releasing;
    struct card cards[PAIL_SCHEDULE_DEVICES_MAX];
    double now_s, device_s, producing_s, host_gib, in_slot_s;
    uint32_t produced, had_slots;
    uint64_t random;
};

static uint64_t to_ns(double s)
{
    return 1 + (uint64_t)(s * NS);
}

static uint64_t now_ns(void *user)
{
    return to_ns(((struct simulation *)user)->now_s);
}

/* Draws a number from -1 to 1. */
static double draw(struct simulation *s)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return (double)(s->random >> 11) / 4503599627370496.0 - 1;
}

static void add(struct simulation *s, struct part *part, enum kind kind, double seconds)
{
    part->kind = kind;
    part->left = seconds;
    s->working[s->n_working++] = part;
}

static void append(struct part **queue, struct part *part)
{
    part->next = NULL;
    while (*queue)
        queue = &(*queue)->next;
    *queue = part;
}

/* ---- The graph, as steps --------------------------------------------------------------------- */
static enum kind kind_of(const struct pail_proof_node *node)
{
    static const enum kind kinds[] = {
        [PAIL_PROOF_WITNESS] = WITNESS,       [PAIL_PROOF_LOAD] = PREPARE,
        [PAIL_PROOF_TRANSFORM] = DEVICE_WORK, [PAIL_PROOF_GIVE] = PREPARE,
        [PAIL_PROOF_TAKE] = PREPARE,          [PAIL_PROOF_KEEP] = DEVICE_WORK,
        [PAIL_PROOF_MULTIPLY] = DEVICE_WORK,  [PAIL_PROOF_ASSEMBLE] = ASSEMBLE};
    if (node->on_pool)
        return node->kind == PAIL_PROOF_MULTIPLY ? G2 : SPARSE;
    return kinds[node->kind];
}

/* A node of the host begins a step. One of the device joins the last one, unless that is waited for
 * or its node of the host writes what this one reads. */
static void plan_steps(struct simulation *s, enum pail_unit_stage stage)
{
    const struct pail_scenario_graph *const graph = &s->graph;
    const struct pail_proof_lane *const lane = &graph->lanes[stage];
    uint32_t written = 0;
    bool waits = true;
    for (uint32_t i = 0; i < lane->n; i++) {
        const struct pail_proof_node *const node = &lane->nodes[i];
        const enum kind kind = kind_of(node);
        const double seconds = pail_proof_node_ms(lane, node, graph->finite, &graph->rates) / 1000;
        if (kind != DEVICE_WORK || waits || (written & node->reads) != 0) {
            s->steps[stage][s->n_steps[stage]++] = (struct step){.kind = kind};
            written = kind != DEVICE_WORK ? node->writes : 0;
        }
        struct step *const step = &s->steps[stage][s->n_steps[stage] - 1];
        if (kind == DEVICE_WORK)
            step->device_s += seconds;
        step->s = fmax(step->s, kind == DEVICE_WORK ? step->device_s : seconds);
        waits = node->alone;
    }
    if (stage == PAIL_STAGE_DEVICE && graph->together_s > 0) {
        s->n_steps[stage] = 1;
        s->steps[stage][0] = (struct step){DEVICE_WORK, graph->together_s, graph->together_s};
    }
}

/* Begins the next step of the part in its stage. False: there is none. */
static bool step_on(struct simulation *s, struct part *part)
{
    if (part->at == s->n_steps[part->stage])
        return false;
    const struct step *const step = &s->steps[part->stage][part->at++];
    const double more = step->kind == WITNESS ? s->scenario->spread * draw(s) : 0;
    add(s, part, step->kind, step->s * (1 + more));
    return true;
}

/* ---- Memory of cards, as it is and not as it is reserved ------------------------------------ */
static bool take(struct simulation *s, struct card *card, double gib)
{
    card->held_gib += gib;
    if (card->held_gib > s->out->peak_card_gib)
        s->out->peak_card_gib = card->held_gib;
    return card->held_gib <= s->scenario->card_gib + TINY;
}

/* ---- Stages --------------------------------------------------------------------------------- */
static struct card *card_of(struct simulation *s, const struct part *part)
{
    return &s->cards[part->unit.device];
}

static void work_on_device(struct simulation *s, struct part *part)
{
    struct card *const card = card_of(s, part);
    const uint64_t missing = s->graph.device_bytes - (part->staged ? s->graph.staged_bytes : 0);
    card->locked = true;
    part->fails = !take(s, card, (double)missing / GIB);
    s->out->out_of_memory += part->fails;
    if (part->fails || !step_on(s, part))
        add(s, part, AT_ONCE, 0);
}

static void ask_for_lock(struct simulation *s, struct part *part)
{
    struct card *const card = card_of(s, part);
    if (card->locked)
        append(&card->queue, part);
    else
        work_on_device(s, part);
}

static void come_to_device(struct simulation *s, struct part *part)
{
    struct card *const card = card_of(s, part);
    const double staged_gib = (double)s->graph.staged_bytes / GIB;
    part->staged =
        s->scenario->stage_first != 0 && card->held_gib + staged_gib <= s->scenario->card_gib;
    if (part->staged) {
        (void)take(s, card, staged_gib);
        add(s, part, STAGING, s->scenario->staging);
    } else {
        ask_for_lock(s, part);
    }
}

static void leave_device(struct simulation *s, const struct part *part)
{
    struct card *const card = card_of(s, part);
    struct part *const next = card->queue;
    card->held_gib -= (double)s->graph.device_bytes / GIB;
    card->locked = false;
    if (!next)
        return;
    card->queue = next->next;
    work_on_device(s, next);
}

static void release_next(struct simulation *s)
{
    for (struct part *part;
         (part = s->releases) && (s->scenario->reclaimers == 0 || s->releasing == 0);
         s->releasing++) {
        s->releases = part->next;
        add(s, part, RELEASE, s->scenario->release);
    }
}

/* A part that finds too little takes nothing and fails. The peak is what was wanted. */
static void take_on_host(struct simulation *s, struct part *part)
{
    const double gib = (double)s->graph.host_bytes / GIB;
    s->out->peak_host_gib = fmax(s->out->peak_host_gib, s->host_gib + gib);
    part->on_host = s->host_gib + gib <= s->scenario->host_gib + TINY;
    part->fails = !part->on_host;
    s->out->out_of_memory += part->fails;
    if (part->on_host)
        s->host_gib += gib;
}

static void begin(void *user, struct pail_unit *unit, enum pail_unit_stage stage)
{
    struct simulation *const s = user;
    struct part *const part = (struct part *)unit;
    part->stage = stage;
    part->at = 0;
    if (stage == PAIL_STAGE_PRODUCE) {
        part->produce_begin = s->now_s;
        take_on_host(s, part);
    }
    if (stage == PAIL_STAGE_DEVICE) {
        come_to_device(s, part);
    } else if (stage == PAIL_STAGE_RELEASE && part->on_host) {
        append(&s->releases, part);
        release_next(s);
    } else if (part->fails || !step_on(s, part)) {
        add(s, part, AT_ONCE, 0);
    }
}

/* Keys take nothing here and stay. */
static void evict(void *user, uint32_t key, uint32_t device)
{
    (void)user;
    (void)key;
    (void)device;
}

static void ended(void *user, struct pail_unit *unit)
{
    (void)user;
    (void)unit;
}

/* A proof is done when its last part is, and before memory is free. */
static void moved(void *user, const struct pail_unit *unit, enum pail_unit_state from)
{
    struct simulation *const s = user;
    struct part *const part = (struct part *)(uintptr_t)unit;
    const enum pail_unit_state last =
        s->scenario->hold_slot != 0 ? PAIL_UNIT_FINISHING : PAIL_UNIT_ON_DEVICE;
    if (unit->state == PAIL_UNIT_PLACED)
        part->slot_begin = s->now_s;
    if (from == last) {
        s->in_slot_s += s->now_s - part->slot_begin;
        s->had_slots++;
    }
    if (unit->state != PAIL_UNIT_RELEASING)
        return;
    s->out->failed += unit->status != PAIL_OK;
    if (--s->left[unit->sequence] == 0) {
        s->active_proofs--;
        s->out->wall_s = s->now_s;
    }
}

/* ---- Contention ----------------------------------------------------------------------------- */
struct rates {
    double of[KINDS];
};

static struct rates rates_now(const struct simulation *s)
{
    const struct pail_scenario *const c = s->scenario;
    double n[KINDS] = {0};
    for (size_t i = 0; i < s->n_working; i++)
        n[s->working[i]->kind]++;
    const double producing = n[WITNESS] + n[SPARSE], g2 = n[G2] * c->g2_threads / c->threads;
    const double stall = 1 + c->stall_per_release * n[RELEASE];
    const double by_g2 = 1 + c->producer_per_g2 * g2,
                 by_producers = c->slot_per_producer * producing;
    const double crowd =
        c->producers > 1 && c->sparse > 0 && n[SPARSE] > 1
            ? (n[SPARSE] - 1) / (c->producers - 1) * (c->sparse_crowded / c->sparse - 1)
            : 0;
    /* A yield in 64 pieces of work. */
    const double yields = c->throttle != 0 && g2 > 0 ? 65.0 / 64 : 1;
    return (struct rates){{[WITNESS] = 1 / (by_g2 * stall),
                           [SPARSE] = 1 / ((by_g2 + crowd) * stall * yields),
                           [PREPARE] = 1 / ((by_g2 + by_producers) * stall),
                           [DEVICE_WORK] = 1 / (1 + by_producers),
                           [G2] = 1 / ((1 + by_producers) * stall),
                           [ASSEMBLE] = 1 / stall,
                           [RELEASE] = 1,
                           [STAGING] = 1,
                           [AT_ONCE] = 1}};
}

/* ---- Time ----------------------------------------------------------------------------------- */
static void submit(struct simulation *s)
{
    const uint32_t parts = (uint32_t)s->scenario->parts;
    while (s->next_proof < s->load->count && s->active_proofs < s->load->jobs) {
        const uint32_t proof = s->next_proof++;
        s->active_proofs++;
        s->left[proof] = parts;
        for (uint32_t i = 0; i < parts; i++) {
            struct pail_unit *const unit = &s->parts[proof * parts + i].unit;
            *unit = (struct pail_unit){.index = i,
                                       .sequence = proof,
                                       .key = s->key,
                                       .host_bytes = s->graph.host_bytes,
                                       .device_bytes = s->graph.device_bytes};
            (void)pail_schedule_claim(s->schedule);
            pail_schedule_submit(s->schedule, unit);
        }
    }
}

static void end_work(struct simulation *s, struct part *part)
{
    pail_status status = PAIL_OK;
    if (part->kind == STAGING) {
        ask_for_lock(s, part);
        return;
    }
    if (part->stage == PAIL_STAGE_DEVICE && part->kind != DEVICE_WORK && part->kind != AT_ONCE)
        s->device_s += s->steps[part->stage][part->at - 1].device_s; /* beside it */
    if (!part->fails && step_on(s, part))
        return;
    if (part->stage == PAIL_STAGE_PRODUCE && !part->fails) {
        s->producing_s += s->now_s - part->produce_begin;
        s->produced++;
    }
    if (part->fails)
        status = part->stage == PAIL_STAGE_DEVICE ? PAIL_ERR_DEVICE_MEMORY : PAIL_ERR_HOST_MEMORY;
    part->fails = false;
    if (part->stage == PAIL_STAGE_DEVICE)
        leave_device(s, part);
    if (part->stage == PAIL_STAGE_RELEASE && part->on_host) {
        s->releasing--;
        s->host_gib -= (double)s->graph.host_bytes / GIB;
        release_next(s);
    }
    pail_schedule_done(s->schedule, &part->unit, part->stage, status, "out of memory");
}

static void advance(struct simulation *s)
{
    const struct rates rates = rates_now(s);
    double dt = INFINITY, on_devices = 0;
    for (size_t i = 0; i < s->n_working; i++) {
        const struct part *const part = s->working[i];
        dt = fmin(dt, fmax(0, part->left) / rates.of[part->kind]);
        on_devices += part->kind == DEVICE_WORK;
    }
    s->now_s += dt;
    s->device_s += on_devices * dt;
    for (size_t i = 0; i < s->n_working; i++)
        s->working[i]->left -= dt * rates.of[s->working[i]->kind];
    /* Work ends one at a time: the end of one may begin others. */
    for (size_t i = 0; i < s->n_working;) {
        struct part *const part = s->working[i];
        if (part->left > TINY) {
            i++;
            continue;
        }
        memmove(&s->working[i], &s->working[i + 1], (--s->n_working - i) * sizeof(s->working[0]));
        end_work(s, part);
    }
}

static void account(struct simulation *s)
{
    struct pail_schedule_stats stats;
    struct pail_simulated *const out = s->out;
    double slots = 0, busy = 0;
    pail_schedule_get_stats(s->schedule, &stats);
    for (uint32_t d = 0; d < s->graph.cards; d++) {
        const struct pail_device_usage *const usage = &stats.devices[d];
        slots += (double)usage->slot_ns / NS;
        busy += (double)usage->busy_ns / NS;
        for (int i = 0; i < PAIL_IDLE_CAUSES; i++)
            out->idle_gaps += (double)usage->gaps[i];
        out->longest_gap_s = fmax(out->longest_gap_s, (double)usage->longest_gap_ns / NS);
    }
    const double wall = out->wall_s;
    out->s_per_proof = wall / s->load->count;
    out->slot_s = slots / s->load->count;
    out->busy_percent = 100 * busy / (wall * s->graph.cards);
    out->device_percent = 100 * s->device_s / (wall * s->graph.cards);
    out->producing_s = s->produced != 0 ? s->producing_s / s->produced : 0;
    out->in_slots = slots / wall;
    /* Slots in use by the units' own times (Little's law); in_slots is an integral over time. */
    if (s->had_slots != 0)
        out->by_little = s->had_slots / wall * (s->in_slot_s / s->had_slots);
}

static pail_status make(struct simulation *s)
{
    const struct pail_scenario *const c = s->scenario;
    const size_t n = s->n_units;
    const uint32_t cards = s->graph.cards;
    struct pail_ledger_heap heaps[PAIL_LEDGER_HEAPS_MAX] = {
        {.name = "host", .limit = (uint64_t)(c->host_gib * GIB)}};
    s->parts = calloc(n, sizeof(s->parts[0]));
    s->left = calloc(s->load->count, sizeof(s->left[0]));
    s->working = calloc(n, sizeof(s->working[0]));
    for (uint32_t d = 0; d < cards; d++)
        heaps[PAIL_HEAP_DEVICE + d] =
            (struct pail_ledger_heap){.name = "device", .limit = (uint64_t)(c->card_gib * GIB)};
    if (!s->parts || !s->left || !s->working)
        return PAIL_ERR_HOST_MEMORY;
    const struct pail_ledger_params ledger = {.heaps = heaps,
                                              .n_heaps = PAIL_HEAP_DEVICE + cards,
                                              .max_overtakes = OVERTAKES,
                                              .reread_ns = UINT64_MAX,
                                              .unlimited = c->ledger == 0,
                                              .now = now_ns,
                                              .user = s};
    pail_status status = pail_ledger_create(&s->ledger, &ledger);
    const struct pail_schedule_params params = {
        .executor = {.user = s,
                     .now = now_ns,
                     .begin = begin,
                     .evict = evict,
                     .ended = ended,
                     .moved = moved},
        .ledger = s->ledger,
        .n_devices = cards,
        .inflight = s->load->inflight != 0 ? s->load->inflight : (uint32_t)c->inflight,
        .producers = (uint32_t)c->producers,
        .finishers = (uint32_t)c->finishers,
        .queue_depth = s->n_units,
        .slot_until_finished = c->hold_slot != 0,
        .any_order = c->any_order != 0};
    if (status == PAIL_OK)
        status = pail_schedule_create(&s->schedule, &params);
    const struct pail_key_plan none = {0};
    return status == PAIL_OK ? pail_schedule_key(s->schedule, &s->key, &none, 1) : status;
}

static void unmake(struct simulation *s)
{
    if (s->schedule)
        pail_schedule_destroy(&s->schedule);
    pail_ledger_destroy(&s->ledger);
    free(s->working);
    free(s->left);
    free(s->parts);
}

pail_status pail_simulate(struct pail_simulated *simulated, const struct pail_scenario *scenario,
                          const struct pail_load *load, struct pail_error *error)
{
    *simulated = (struct pail_simulated){0};
    if (scenario->cards > PAIL_SCHEDULE_DEVICES_MAX)
        return pail_fail(error, PAIL_ERR_ARGUMENT, "%g cards are more than %d", scenario->cards,
                         PAIL_SCHEDULE_DEVICES_MAX);
    if (scenario->parts * load->count > UNITS_MAX)
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "%" PRIu32 " proofs of %g parts are more than %d parts", load->count,
                         scenario->parts, UNITS_MAX);
    struct simulation s = {.scenario = scenario,
                           .load = load,
                           .out = simulated,
                           .n_units = (uint32_t)scenario->parts * load->count,
                           .random = load->seed * 0x9e3779b97f4a7c15u};
    pail_scenario_graph(&s.graph, scenario);
    for (int stage = 0; stage < PAIL_STAGES; stage++)
        plan_steps(&s, (enum pail_unit_stage)stage);
    pail_status status = make(&s);
    if (status == PAIL_OK) {
        for (submit(&s); s.n_working != 0; submit(&s))
            advance(&s);
        account(&s);
        if (pail_schedule_active(s.schedule) != 0)
            status = pail_fail(error, PAIL_ERR_INTERNAL, "the simulation stands still at %.1f s",
                               s.now_s);
    } else {
        (void)pail_fail(error, status, "no memory for a simulation");
    }
    unmake(&s);
    return status;
}
