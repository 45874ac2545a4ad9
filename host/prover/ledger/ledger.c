/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "ledger.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <platform/clock.h>

enum { HEAPS = PAIL_LEDGER_HEAPS_MAX };

struct pail_ledger {
    struct pail_ledger_params params;
    struct pail_ledger_heap heaps[HEAPS];
    struct pail_ledger_stats stats;
    uint64_t read_ns;
    struct pail_reservation *first; /* first of the waiting, in the order of requests */
};

static uint64_t now_ns(const struct pail_ledger *ledger)
{
    return ledger->params.now ? ledger->params.now(ledger->params.user) : pail_clock_ns();
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* ---- Heaps and their parts ------------------------------------------------------------------ */
/* Bytes that a heap must give, its parts included. bytes: [n_heaps]. */
static uint64_t need(const struct pail_ledger *ledger, const uint64_t *bytes, size_t heap)
{
    uint64_t sum = bytes[heap];
    for (size_t i = 0; i < ledger->params.n_heaps; i++)
        if (ledger->heaps[i].within == heap + 1)
            sum += bytes[i] < UINT64_MAX - sum ? bytes[i] : UINT64_MAX - sum;
    return sum;
}

/* Lists the heap and, where it is a part, the other. Returns the count. */
static size_t whose(const struct pail_ledger *ledger, size_t heap, size_t heaps[2])
{
    heaps[0] = heap;
    heaps[1] = ledger->heaps[heap].within - 1; /* not used unless it is a part */
    return ledger->heaps[heap].within != 0 ? 2 : 1;
}

static void take_of(struct pail_ledger *ledger, size_t heap, uint64_t bytes)
{
    size_t heaps[2];
    for (size_t n = whose(ledger, heap, heaps); n-- > 0;) {
        struct pail_heap_usage *const usage = &ledger->stats.heaps[heaps[n]];
        usage->used += bytes;
        if (usage->used > usage->peak_used)
            usage->peak_used = usage->used;
    }
    struct pail_heap_usage *const usage = &ledger->stats.heaps[heap];
    usage->own += bytes;
    if (usage->own > usage->peak_own)
        usage->peak_own = usage->own;
}

static void give_to(struct pail_ledger *ledger, size_t heap, uint64_t bytes)
{
    size_t heaps[2];
    for (size_t n = whose(ledger, heap, heaps); n-- > 0;)
        ledger->stats.heaps[heaps[n]].used -= bytes;
    ledger->stats.heaps[heap].own -= bytes;
}

static void note_live(struct pail_ledger *ledger, struct pail_reservation *reservation, size_t heap,
                      uint64_t live)
{
    size_t heaps[2];
    for (size_t n = whose(ledger, heap, heaps); n-- > 0;)
        ledger->stats.heaps[heaps[n]].live += live - reservation->live[heap];
    reservation->live[heap] = live;
    if (live > reservation->peak[heap])
        reservation->peak[heap] = live;
}

/* ---- What there is -------------------------------------------------------------------------- */
static void read_heap(const struct pail_ledger_heap *heap, struct pail_heap_usage *usage)
{
    const uint64_t limit = heap->limit != 0 ? heap->limit : UINT64_MAX;
    struct pail_heap_reading reading = {0};
    if (heap->read)
        heap->read(heap->user, &reading);
    if (reading.size == 0) {
        usage->capacity = usage->hard = limit;
    } else if (reading.free_known) {
        usage->hard = least(limit, less(reading.size, heap->margin));
        /* Memory that is allocated here is not free, but it is ours. */
        const uint64_t ours =
            reading.free > UINT64_MAX - usage->live ? UINT64_MAX : reading.free + usage->live;
        usage->capacity = least(usage->hard, less(ours, heap->margin));
    } else {
        usage->capacity = usage->hard = least(limit, reading.size / 5 * 4);
    }
}

static void read_all(struct pail_ledger *ledger, uint64_t now)
{
    struct pail_heap_usage *const usage = ledger->stats.heaps;
    for (size_t i = 0; i < ledger->params.n_heaps; i++)
        read_heap(&ledger->heaps[i], &usage[i]);
    for (size_t i = 0; i < ledger->params.n_heaps; i++) {
        if (ledger->heaps[i].within == 0)
            continue;
        const struct pail_heap_usage *const whole = &usage[ledger->heaps[i].within - 1];
        usage[i].capacity = least(usage[i].capacity, whole->capacity);
        usage[i].hard = least(usage[i].hard, whole->hard);
    }
    ledger->read_ns = now;
}

static bool fits(const struct pail_ledger *ledger, const uint64_t *bytes)
{
    for (size_t i = 0; i < ledger->params.n_heaps; i++) {
        const struct pail_heap_usage *const usage = &ledger->stats.heaps[i];
        const uint64_t n = need(ledger, bytes, i);
        if (n != 0 && n > less(usage->capacity, usage->used))
            return false;
    }
    return true;
}

bool pail_ledger_ever_fits(const struct pail_ledger *ledger, const uint64_t *bytes,
                           const uint64_t *beside)
{
    for (size_t i = 0; i < ledger->params.n_heaps; i++) {
        const uint64_t held = beside ? need(ledger, beside, i) : 0;
        const uint64_t n = need(ledger, bytes, i);
        if (n != 0 && n > less(ledger->stats.heaps[i].hard, held))
            return ledger->params.unlimited;
    }
    return true;
}

/* True if it would fit with nothing held: a request that would not even then must not hold up
 * others while another process has the memory. */
static bool fits_alone(const struct pail_ledger *ledger, const uint64_t *bytes)
{
    for (size_t i = 0; i < ledger->params.n_heaps; i++)
        if (need(ledger, bytes, i) > ledger->stats.heaps[i].capacity)
            return false;
    return true;
}

static bool share(const struct pail_ledger *ledger, const uint64_t *a, const uint64_t *b)
{
    for (size_t i = 0; i < ledger->params.n_heaps; i++)
        if (need(ledger, a, i) != 0 && need(ledger, b, i) != 0)
            return true;
    return false;
}

/* ---- Who gets what -------------------------------------------------------------------------- */
static void take(struct pail_ledger *ledger, struct pail_reservation *reservation, uint64_t now)
{
    for (size_t i = 0; i < ledger->params.n_heaps; i++)
        take_of(ledger, i, reservation->bytes[i]);
    reservation->state = PAIL_ADMISSION_HELD;
    reservation->granted_ns = now;
}

static void unlink_waiting(struct pail_ledger *ledger, struct pail_reservation *reservation)
{
    struct pail_reservation **at = &ledger->first;
    while (*at != reservation)
        at = &(*at)->next;
    *at = reservation->next;
    reservation->next = NULL;
    ledger->stats.waiting--;
}

/* Closes heaps of a request: no later one gets memory of them. */
static void close_heaps(const struct pail_ledger *ledger, uint64_t *closed,
                        const struct pail_reservation *waiting)
{
    if (waiting->overtaken < ledger->params.max_overtakes || !fits_alone(ledger, waiting->bytes))
        return;
    for (size_t i = 0; i < ledger->params.n_heaps; i++)
        closed[i] |= waiting->bytes[i] != 0;
}

static void count_overtakes(struct pail_ledger *ledger, uint64_t *closed,
                            const struct pail_reservation *granted)
{
    for (struct pail_reservation *w = ledger->first; w != granted; w = w->next) {
        if (!share(ledger, w->bytes, granted->bytes) || !fits_alone(ledger, w->bytes))
            continue;
        w->overtaken++;
        if (w->overtaken > ledger->stats.longest_overtaken)
            ledger->stats.longest_overtaken = w->overtaken;
        close_heaps(ledger, closed, w);
    }
}

/* Grants requests in order, and gives up those past their deadline. */
static void pump(struct pail_ledger *ledger, uint64_t now)
{
    uint64_t closed[HEAPS] = {0}; /* 1: no later request gets any of it */
    for (struct pail_reservation *w = ledger->first, *next; w != NULL; w = next) {
        next = w->next;
        if (!share(ledger, closed, w->bytes) && fits(ledger, w->bytes)) {
            count_overtakes(ledger, closed, w);
            unlink_waiting(ledger, w);
            take(ledger, w, now);
        } else if (now >= w->deadline_ns) {
            unlink_waiting(ledger, w);
            w->state = PAIL_ADMISSION_TIMED_OUT;
            ledger->stats.timed_out++;
        } else {
            close_heaps(ledger, closed, w);
        }
    }
}

static void update(struct pail_ledger *ledger, bool read_again)
{
    const uint64_t now = now_ns(ledger);
    if (read_again || now - ledger->read_ns >= ledger->params.reread_ns)
        read_all(ledger, now);
    pump(ledger, now);
}

static bool misused(struct pail_ledger *ledger)
{
    ledger->stats.refused++;
    return false;
}

/* ---- Calls ---------------------------------------------------------------------------------- */
pail_status pail_ledger_create(struct pail_ledger **out, const struct pail_ledger_params *params)
{
    *out = NULL;
    if (params->n_heaps == 0 || params->n_heaps > HEAPS)
        return PAIL_ERR_ARGUMENT;
    struct pail_ledger *const ledger = calloc(1, sizeof(*ledger));
    if (!ledger)
        return PAIL_ERR_HOST_MEMORY;
    ledger->params = *params;
    memcpy(ledger->heaps, params->heaps, params->n_heaps * sizeof(ledger->heaps[0]));
    read_all(ledger, now_ns(ledger));
    *out = ledger;
    return PAIL_OK;
}

void pail_ledger_destroy(struct pail_ledger **ledger)
{
    free(*ledger);
    *ledger = NULL;
}

enum pail_admission pail_ledger_request(struct pail_ledger *ledger,
                                        struct pail_reservation *reservation, const uint64_t *bytes,
                                        const uint64_t *beside, uint64_t deadline_ns)
{
    const uint64_t now = now_ns(ledger);
    *reservation = (struct pail_reservation){.deadline_ns = deadline_ns, .asked_ns = now};
    memcpy(reservation->bytes, bytes, ledger->params.n_heaps * sizeof(*bytes));
    if (beside)
        memcpy(reservation->beside, beside, ledger->params.n_heaps * sizeof(*bytes));
    if (ledger->params.unlimited) {
        take(ledger, reservation, now);
    } else if (!pail_ledger_ever_fits(ledger, bytes, beside)) {
        reservation->state = PAIL_ADMISSION_NEVER_FITS;
        ledger->stats.never_fitted++;
    } else {
        reservation->state = PAIL_ADMISSION_WAITING;
        struct pail_reservation **at = &ledger->first;
        while (*at)
            at = &(*at)->next;
        *at = reservation;
        ledger->stats.waiting++;
        update(ledger, false);
    }
    return reservation->state;
}

bool pail_ledger_shrink(struct pail_ledger *ledger, struct pail_reservation *reservation,
                        size_t heap, uint64_t bytes)
{
    if (heap >= ledger->params.n_heaps || reservation->state != PAIL_ADMISSION_HELD ||
        bytes > reservation->bytes[heap] || bytes < reservation->live[heap])
        return misused(ledger);
    give_to(ledger, heap, reservation->bytes[heap] - bytes);
    reservation->bytes[heap] = bytes;
    update(ledger, false);
    return true;
}

bool pail_ledger_correct(struct pail_ledger *ledger, struct pail_reservation *reservation,
                         size_t heap, uint64_t bytes)
{
    if (heap >= ledger->params.n_heaps || reservation->state != PAIL_ADMISSION_HELD)
        return misused(ledger);
    give_to(ledger, heap, reservation->bytes[heap]);
    take_of(ledger, heap, bytes);
    reservation->bytes[heap] = bytes;
    note_live(ledger, reservation, heap, bytes);
    update(ledger, false);
    return true;
}

bool pail_ledger_split(struct pail_ledger *ledger, struct pail_reservation *from,
                       struct pail_reservation *into, size_t heap, uint64_t bytes, uint64_t live)
{
    if (heap >= ledger->params.n_heaps || from->state != PAIL_ADMISSION_HELD ||
        into->state == PAIL_ADMISSION_WAITING || live > bytes || live > from->live[heap] ||
        bytes > from->bytes[heap] || from->bytes[heap] - bytes < from->live[heap] - live)
        return misused(ledger);
    if (into->state != PAIL_ADMISSION_HELD)
        *into = (struct pail_reservation){.asked_ns = from->asked_ns,
                                          .granted_ns = from->granted_ns,
                                          .deadline_ns = UINT64_MAX,
                                          .state = PAIL_ADMISSION_HELD};
    from->bytes[heap] -= bytes;
    from->live[heap] -= live;
    into->bytes[heap] += bytes;
    into->live[heap] += live;
    if (into->live[heap] > into->peak[heap])
        into->peak[heap] = into->live[heap];
    return true;
}

bool pail_ledger_release(struct pail_ledger *ledger, struct pail_reservation *reservation)
{
    const bool held = reservation->state == PAIL_ADMISSION_HELD;
    for (size_t i = 0; i < ledger->params.n_heaps; i++)
        if (held && reservation->live[i] != 0)
            return misused(ledger);
    if (reservation->state == PAIL_ADMISSION_WAITING)
        unlink_waiting(ledger, reservation);
    for (size_t i = 0; i < ledger->params.n_heaps && held; i++)
        give_to(ledger, i, reservation->bytes[i]);
    reservation->state = PAIL_ADMISSION_NONE;
    update(ledger, false);
    return true;
}

bool pail_ledger_allocated(struct pail_ledger *ledger, struct pail_reservation *reservation,
                           size_t heap, uint64_t bytes)
{
    if (heap >= ledger->params.n_heaps || reservation->state != PAIL_ADMISSION_HELD ||
        bytes > reservation->bytes[heap] - reservation->live[heap])
        return misused(ledger);
    note_live(ledger, reservation, heap, reservation->live[heap] + bytes);
    return true;
}

bool pail_ledger_freed(struct pail_ledger *ledger, struct pail_reservation *reservation,
                       size_t heap, uint64_t bytes)
{
    if (heap >= ledger->params.n_heaps || bytes > reservation->live[heap])
        return misused(ledger);
    note_live(ledger, reservation, heap, reservation->live[heap] - bytes);
    return true;
}

void pail_ledger_reread(struct pail_ledger *ledger)
{
    update(ledger, true);
}

uint64_t pail_ledger_next_deadline(const struct pail_ledger *ledger)
{
    uint64_t next = UINT64_MAX;
    for (const struct pail_reservation *w = ledger->first; w != NULL; w = w->next)
        next = least(next, w->deadline_ns);
    return next;
}

uint64_t pail_ledger_named(const struct pail_ledger *ledger,
                           const struct pail_reservation *reservation, size_t heap)
{
    return need(ledger, reservation->bytes, heap);
}

uint64_t pail_ledger_missing(const struct pail_ledger *ledger,
                             const struct pail_reservation *reservation, size_t heap)
{
    const struct pail_heap_usage *const usage = &ledger->stats.heaps[heap];
    return reservation->state == PAIL_ADMISSION_WAITING
               ? less(need(ledger, reservation->bytes, heap), less(usage->capacity, usage->used))
               : 0;
}

uint64_t pail_ledger_capacity(const struct pail_ledger *ledger, size_t heap)
{
    return ledger->params.unlimited ? UINT64_MAX : ledger->stats.heaps[heap].capacity;
}

void pail_ledger_get_stats(const struct pail_ledger *ledger, struct pail_ledger_stats *stats)
{
    *stats = ledger->stats;
}

pail_status pail_ledger_explain(const struct pail_ledger *ledger,
                                const struct pail_reservation *reservation, char *text,
                                size_t capacity)
{
    if (capacity > 0)
        text[0] = '\0';
    const bool never = reservation->state == PAIL_ADMISSION_NEVER_FITS;
    pail_status status = never ? PAIL_ERR_HOST_MEMORY : PAIL_OK;
    if (never) /* a heap may have grown meanwhile */
        (void)snprintf(text, capacity, "more memory was asked for than there was");
    for (size_t i = ledger->params.n_heaps; i-- > 0 && never;) { /* a part before the whole */
        const struct pail_heap_usage *const usage = &ledger->stats.heaps[i];
        const uint64_t n = need(ledger, reservation->bytes, i);
        const uint64_t beside = need(ledger, reservation->beside, i);
        char held[64] = "";
        if (n == 0 || n <= less(usage->hard, beside))
            continue;
        if (beside != 0)
            (void)snprintf(held, sizeof(held), " beside the %" PRIu64 " of the same job", beside);
        status = strncmp(ledger->heaps[i].name, "device", 6) == 0 ? PAIL_ERR_DEVICE_MEMORY
                                                                  : PAIL_ERR_HOST_MEMORY;
        (void)snprintf(text, capacity,
                       "%" PRIu64 " bytes of %s memory never fit%s: there are %" PRIu64 " at most",
                       n, ledger->heaps[i].name, held, usage->hard);
        break;
    }
    if (reservation->state == PAIL_ADMISSION_TIMED_OUT) {
        status = PAIL_ERR_STOPPED;
        (void)snprintf(text, capacity,
                       "the deadline passed after %" PRIu64 " ms of waiting for memory",
                       less(reservation->deadline_ns, reservation->asked_ns) / 1000000);
    }
    return status;
}
