#include "model.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <prover/schedule/schedule.h>

enum { UNITS_MAX = 100000, OVERTAKES = 8 };
static const double NS = 1e9, GIB = 1073741824.0, TINY = 1e-9;

/* Kinds of work that take time. */
enum kind { WITNESS, SPARSE, PREPARE, DEVICE_WORK, G2, RELEASE, STAGING, AT_ONCE, KINDS };

struct process {
    enum kind kind;
    double left; /* seconds of work */
    uint32_t unit;
    enum pail_unit_stage stage;
};

struct card {
    bool locked;
    double held_gib;
    uint32_t *queue; /* units that wait for the lock, in order; [n_units] */
    size_t n_queue;
};

struct simulation {
    const struct pail_scenario *scenario;
    const struct pail_load *load;
    struct pail_simulated *out;
    struct pail_schedule *schedule;
    struct pail_ledger *ledger;
    struct pail_unit *units; /* [n_units] */
    double *produce_begin;   /* [n_units] */
    bool *staged, *fails;    /* [n_units] */
    uint32_t *left;          /* [count] parts that are not finished */
    uint32_t n_units, next_proof, active_proofs, key;
    struct process *processes; /* [n_units + 1] */
    size_t n_processes;
    uint32_t *releases; /* units that wait for the one reclaimer */
    size_t n_releases, releasing;
    struct card cards[PAIL_SCHEDULE_DEVICES_MAX];
    double *slot_begin; /* [n_units] */
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

static void add(struct simulation *s, enum kind kind, double seconds, uint32_t unit,
                enum pail_unit_stage stage)
{
    s->processes[s->n_processes++] = (struct process){kind, seconds, unit, stage};
}

static uint32_t unit_number(const struct simulation *s, const struct pail_unit *unit)
{
    return (uint32_t)(unit - s->units);
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
static void work_on_device(struct simulation *s, uint32_t unit)
{
    const struct pail_scenario *const c = s->scenario;
    struct card *const card = &s->cards[s->units[unit].device];
    card->locked = true;
    const double missing = c->working_gib + (s->staged[unit] ? 0 : c->staged_gib);
    s->fails[unit] = !take(s, card, missing);
    if (s->fails[unit]) {
        s->out->out_of_memory++;
        add(s, AT_ONCE, 0, unit, PAIL_STAGE_DEVICE);
    } else if (c->prepare_in_slot != 0) {
        add(s, PREPARE, fmax(c->prepare, c->transforms), unit, PAIL_STAGE_DEVICE);
    } else {
        add(s, DEVICE_WORK, c->transforms + c->multiply, unit, PAIL_STAGE_DEVICE);
    }
}

static void ask_for_lock(struct simulation *s, uint32_t unit)
{
    struct card *const card = &s->cards[s->units[unit].device];
    if (card->locked)
        card->queue[card->n_queue++] = unit;
    else
        work_on_device(s, unit);
}

static void come_to_device(struct simulation *s, uint32_t unit)
{
    struct card *const card = &s->cards[s->units[unit].device];
    s->staged[unit] = s->scenario->stage_first != 0 &&
                      card->held_gib + s->scenario->staged_gib <= s->scenario->card_gib;
    if (s->staged[unit]) {
        (void)take(s, card, s->scenario->staged_gib);
        add(s, STAGING, s->scenario->staging, unit, PAIL_STAGE_DEVICE);
    } else {
        ask_for_lock(s, unit);
    }
}

static void leave_device(struct simulation *s, uint32_t unit)
{
    struct card *const card = &s->cards[s->units[unit].device];
    card->held_gib -= s->scenario->staged_gib + s->scenario->working_gib;
    card->locked = false;
    if (card->n_queue == 0)
        return;
    const uint32_t next = card->queue[0];
    memmove(card->queue, card->queue + 1, --card->n_queue * sizeof(card->queue[0]));
    work_on_device(s, next);
}

static void release_next(struct simulation *s)
{
    while (s->n_releases != 0 && (s->scenario->reclaimers == 0 || s->releasing == 0)) {
        const uint32_t unit = s->releases[0];
        memmove(s->releases, s->releases + 1, --s->n_releases * sizeof(s->releases[0]));
        s->releasing++;
        add(s, RELEASE, s->scenario->release, unit, PAIL_STAGE_RELEASE);
    }
}

static void begin(void *user, struct pail_unit *unit, enum pail_unit_stage stage)
{
    struct simulation *const s = user;
    const uint32_t number = unit_number(s, unit);
    switch (stage) {
    case PAIL_STAGE_PRODUCE:
        s->produce_begin[number] = s->now_s;
        s->host_gib += s->scenario->host_unit_gib;
        s->out->peak_host_gib = fmax(s->out->peak_host_gib, s->host_gib);
        add(s, WITNESS, s->scenario->witness * (1 + s->scenario->spread * draw(s)), number, stage);
        break;
    case PAIL_STAGE_DEVICE:
        come_to_device(s, number);
        break;
    case PAIL_STAGE_FINISH:
        add(s, G2, s->scenario->g2, number, stage);
        break;
    case PAIL_STAGE_RELEASE:
        s->releases[s->n_releases++] = number;
        release_next(s);
        break;
    case PAIL_STAGE_LOAD:
    case PAIL_STAGES:
        add(s, AT_ONCE, 0, number, stage);
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
    const uint32_t number = unit_number(s, unit);
    const enum pail_unit_state last =
        s->scenario->hold_slot != 0 ? PAIL_UNIT_FINISHING : PAIL_UNIT_ON_DEVICE;
    if (unit->state == PAIL_UNIT_PLACED)
        s->slot_begin[number] = s->now_s;
    if (from == last) {
        s->in_slot_s += s->now_s - s->slot_begin[number];
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
    for (size_t i = 0; i < s->n_processes; i++)
        n[s->processes[i].kind]++;
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
            struct pail_unit *const unit = &s->units[proof * parts + i];
            *unit = (struct pail_unit){
                .index = i,
                .sequence = proof,
                .key = s->key,
                .host_bytes = (uint64_t)(s->scenario->host_unit_gib * GIB),
                .device_bytes =
                    (uint64_t)((s->scenario->staged_gib + s->scenario->working_gib) * GIB)};
            (void)pail_schedule_claim(s->schedule);
            pail_schedule_submit(s->schedule, unit);
        }
    }
}

static void end_process(struct simulation *s, const struct process *p)
{
    const struct pail_scenario *const c = s->scenario;
    struct pail_unit *const unit = &s->units[p->unit];
    pail_status status = PAIL_OK;
    if (p->kind == WITNESS) {
        add(s, SPARSE, c->sparse, p->unit, p->stage);
        return;
    }
    if (p->kind == SPARSE && c->prepare_in_slot == 0) {
        add(s, PREPARE, c->prepare, p->unit, p->stage);
        return;
    }
    if (p->kind == STAGING) {
        ask_for_lock(s, p->unit);
        return;
    }
    if (p->kind == PREPARE && p->stage == PAIL_STAGE_DEVICE) {
        s->device_s += c->transforms; /* beside it */
        add(s, DEVICE_WORK, c->multiply, p->unit, p->stage);
        return;
    }
    if (p->stage == PAIL_STAGE_PRODUCE) {
        s->producing_s += s->now_s - s->produce_begin[p->unit];
        s->produced++;
    }
    if (p->stage == PAIL_STAGE_DEVICE) {
        status = s->fails[p->unit] ? PAIL_ERR_DEVICE_MEMORY : PAIL_OK;
        leave_device(s, p->unit);
    }
    if (p->stage == PAIL_STAGE_RELEASE) {
        s->releasing--;
        s->host_gib -= c->host_unit_gib;
        release_next(s);
    }
    pail_schedule_done(s->schedule, unit, p->stage, status, "out of memory");
}

static void advance(struct simulation *s)
{
    const struct rates rates = rates_now(s);
    double dt = INFINITY, working = 0;
    for (size_t i = 0; i < s->n_processes; i++) {
        const struct process *const p = &s->processes[i];
        dt = fmin(dt, fmax(0, p->left) / rates.of[p->kind]);
        working += p->kind == DEVICE_WORK;
    }
    s->now_s += dt;
    s->device_s += working * dt;
    for (size_t i = 0; i < s->n_processes; i++)
        s->processes[i].left -= dt * rates.of[s->processes[i].kind];
    /* Processes end one at a time: the end of one may begin others. */
    for (size_t i = 0; i < s->n_processes;) {
        if (s->processes[i].left > TINY) {
            i++;
            continue;
        }
        const struct process done = s->processes[i];
        memmove(&s->processes[i], &s->processes[i + 1],
                (--s->n_processes - i) * sizeof(s->processes[0]));
        end_process(s, &done);
    }
}

static void account(struct simulation *s)
{
    struct pail_schedule_stats stats;
    struct pail_simulated *const out = s->out;
    double slots = 0, busy = 0;
    pail_schedule_get_stats(s->schedule, &stats);
    for (uint32_t d = 0; d < (uint32_t)s->scenario->cards; d++) {
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
    out->busy_percent = 100 * busy / (wall * s->scenario->cards);
    out->device_percent = 100 * s->device_s / (wall * s->scenario->cards);
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
    const uint32_t cards = (uint32_t)c->cards;
    struct pail_ledger_heap heaps[PAIL_LEDGER_HEAPS_MAX] = {
        {.name = "host", .limit = (uint64_t)(c->host_gib * GIB)}};
    s->units = calloc(n, sizeof(s->units[0]));
    s->produce_begin = calloc(n, sizeof(s->produce_begin[0]));
    s->slot_begin = calloc(n, sizeof(s->slot_begin[0]));
    s->staged = calloc(n, sizeof(s->staged[0]));
    s->fails = calloc(n, sizeof(s->fails[0]));
    s->left = calloc(s->load->count, sizeof(s->left[0]));
    s->processes = calloc(n + 1, sizeof(s->processes[0]));
    s->releases = calloc(n, sizeof(s->releases[0]));
    bool made = s->units && s->slot_begin && s->produce_begin && s->staged && s->fails && s->left &&
                s->processes && s->releases;
    for (uint32_t d = 0; d < cards; d++) {
        heaps[PAIL_HEAP_DEVICE + d] =
            (struct pail_ledger_heap){.name = "device", .limit = (uint64_t)(c->card_gib * GIB)};
        s->cards[d].queue = calloc(n, sizeof(uint32_t));
        made = made && s->cards[d].queue;
    }
    if (!made)
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
    for (int d = 0; d < PAIL_SCHEDULE_DEVICES_MAX; d++)
        free(s->cards[d].queue);
    free(s->releases);
    free(s->processes);
    free(s->left);
    free(s->fails);
    free(s->staged);
    free(s->slot_begin);
    free(s->produce_begin);
    free(s->units);
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
    pail_status status = make(&s);
    if (status == PAIL_OK) {
        for (submit(&s); s.n_processes != 0; submit(&s))
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
