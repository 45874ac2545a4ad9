#define _POSIX_C_SOURCE 200809L

#include "ledger.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

enum { HEAPS = PAIL_LEDGER_HEAPS_MAX };

struct pail_ledger {
    pthread_mutex_t mutex; /* guards everything below */
    pthread_cond_t changed;
    struct pail_ledger_params params;
    struct pail_ledger_heap heaps[HEAPS];
    struct pail_ledger_stats stats;
    uint64_t read_ns;
    struct pail_reservation *first; /* that waits, in the order of asking */
};

static uint64_t now_ns(const struct pail_ledger *ledger)
{
    return ledger->params.now != NULL ? ledger->params.now(ledger->params.user) : pail_clock_ns();
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* ---- Under the mutex ------------------------------------------------------------------------ */
static void read_heap(const struct pail_ledger_heap *heap, struct pail_heap_usage *usage)
{
    const uint64_t limit = heap->limit != 0 ? heap->limit : UINT64_MAX;
    struct pail_heap_reading reading = {0};
    if (heap->read != NULL)
        heap->read(heap->user, &reading);
    if (reading.size == 0) {
        usage->capacity = usage->hard = limit;
    } else if (reading.free_known) {
        usage->hard = least(limit, less(reading.size, heap->margin));
        /* What is allocated here is not free, but it is ours. */
        const uint64_t ours =
            reading.free > UINT64_MAX - usage->live ? UINT64_MAX : reading.free + usage->live;
        usage->capacity = least(usage->hard, less(ours, heap->margin));
    } else {
        usage->capacity = usage->hard = least(limit, reading.size / 5 * 4);
    }
}

static void read_all(struct pail_ledger *ledger, uint64_t now)
{
    for (size_t i = 0; i < ledger->params.n_heaps; i++)
        read_heap(&ledger->heaps[i], &ledger->stats.heaps[i]);
    ledger->read_ns = now;
}

static bool fits(const struct pail_ledger *ledger, const uint64_t *bytes)
{
    for (size_t i = 0; i < ledger->params.n_heaps; i++) {
        const struct pail_heap_usage *const usage = &ledger->stats.heaps[i];
        if (bytes[i] != 0 && bytes[i] > less(usage->capacity, usage->used))
            return false;
    }
    return true;
}

static bool ever_fits(const struct pail_ledger *ledger, const uint64_t *bytes)
{
    for (size_t i = 0; i < ledger->params.n_heaps; i++)
        if (bytes[i] > ledger->stats.heaps[i].hard)
            return false;
    return true;
}

/* Whether it would fit if nobody held anything: what would not even then must not hold up others
 * while somebody outside of this process has the memory. */
static bool fits_alone(const struct pail_ledger *ledger, const uint64_t *bytes)
{
    for (size_t i = 0; i < ledger->params.n_heaps; i++)
        if (bytes[i] > ledger->stats.heaps[i].capacity)
            return false;
    return true;
}

static bool share(const struct pail_ledger *ledger, const uint64_t *a, const uint64_t *b)
{
    for (size_t i = 0; i < ledger->params.n_heaps; i++)
        if (a[i] != 0 && b[i] != 0)
            return true;
    return false;
}

static void take(struct pail_ledger *ledger, struct pail_reservation *reservation, uint64_t now)
{
    for (size_t i = 0; i < ledger->params.n_heaps; i++) {
        struct pail_heap_usage *const usage = &ledger->stats.heaps[i];
        usage->used += reservation->bytes[i];
        if (usage->used > usage->peak_used)
            usage->peak_used = usage->used;
    }
    reservation->state = PAIL_ADMISSION_HELD;
    reservation->granted_ns = now;
    ledger->stats.granted++;
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

/* Nothing later gets any of what it asks for. */
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
        ledger->stats.overtakes++;
        if (w->overtaken > ledger->stats.longest_overtaken)
            ledger->stats.longest_overtaken = w->overtaken;
        close_heaps(ledger, closed, w);
    }
}

/* Grants what can be granted, in order, and gives up what is past its deadline. Whether anything
 * came of it. */
static bool pump(struct pail_ledger *ledger, uint64_t now)
{
    uint64_t closed[HEAPS] = {0}; /* 1: nothing later gets any of it */
    bool changed = false;
    for (struct pail_reservation *w = ledger->first, *next; w != NULL; w = next) {
        next = w->next;
        if (!share(ledger, closed, w->bytes) && fits(ledger, w->bytes)) {
            count_overtakes(ledger, closed, w);
            unlink_waiting(ledger, w);
            take(ledger, w, now);
            changed = true;
        } else if (now >= w->deadline_ns) {
            unlink_waiting(ledger, w);
            w->state = PAIL_ADMISSION_TIMED_OUT;
            ledger->stats.timed_out++;
            changed = true;
        } else {
            close_heaps(ledger, closed, w);
        }
    }
    if (changed)
        pthread_cond_broadcast(&ledger->changed);
    return changed;
}

static bool update(struct pail_ledger *ledger, bool read_again)
{
    const uint64_t now = now_ns(ledger);
    if (read_again || now - ledger->read_ns >= ledger->params.reread_ns)
        read_all(ledger, now);
    return pump(ledger, now);
}

/* Unlocks, and tells who asked to be told. */
static void leave(struct pail_ledger *ledger, bool changed)
{
    pthread_mutex_unlock(&ledger->mutex);
    if (changed && ledger->params.changed != NULL)
        ledger->params.changed(ledger->params.user);
}

static bool misused(struct pail_ledger *ledger)
{
    ledger->stats.refused++;
    pthread_mutex_unlock(&ledger->mutex);
    return false;
}

/* ---- Calls ---------------------------------------------------------------------------------- */
pail_status pail_ledger_create(struct pail_ledger **out, const struct pail_ledger_params *params)
{
    *out = NULL;
    if (params->n_heaps == 0 || params->n_heaps > HEAPS)
        return PAIL_ERR_ARGUMENT;
    struct pail_ledger *const ledger = calloc(1, sizeof(*ledger));
    if (ledger == NULL)
        return PAIL_ERR_HOST_MEMORY;
    ledger->params = *params;
    memcpy(ledger->heaps, params->heaps, params->n_heaps * sizeof(ledger->heaps[0]));
    if (pail_clock_cond_init(&ledger->changed) != 0) {
        free(ledger);
        return PAIL_ERR_HOST_MEMORY;
    }
    pthread_mutex_init(&ledger->mutex, NULL);
    read_all(ledger, now_ns(ledger));
    *out = ledger;
    return PAIL_OK;
}

void pail_ledger_destroy(struct pail_ledger **ledger)
{
    if (*ledger == NULL)
        return;
    pthread_cond_destroy(&(*ledger)->changed);
    pthread_mutex_destroy(&(*ledger)->mutex);
    free(*ledger);
    *ledger = NULL;
}

enum pail_admission pail_ledger_request(struct pail_ledger *ledger,
                                        struct pail_reservation *reservation, const uint64_t *bytes,
                                        uint64_t deadline_ns)
{
    pthread_mutex_lock(&ledger->mutex);
    const uint64_t now = now_ns(ledger);
    *reservation = (struct pail_reservation){.deadline_ns = deadline_ns, .asked_ns = now};
    memcpy(reservation->bytes, bytes, ledger->params.n_heaps * sizeof(*bytes));
    bool changed = false;
    if (ledger->params.unlimited) {
        take(ledger, reservation, now);
    } else if (!ever_fits(ledger, bytes)) {
        reservation->state = PAIL_ADMISSION_NEVER_FITS;
        ledger->stats.never_fitted++;
    } else {
        reservation->state = PAIL_ADMISSION_WAITING;
        struct pail_reservation **at = &ledger->first;
        while (*at != NULL)
            at = &(*at)->next;
        *at = reservation;
        ledger->stats.waiting++;
        changed = update(ledger, false);
    }
    const enum pail_admission state = reservation->state;
    leave(ledger, changed);
    return state;
}

enum pail_admission pail_ledger_wait(struct pail_ledger *ledger,
                                     struct pail_reservation *reservation)
{
    pthread_mutex_lock(&ledger->mutex);
    bool changed = false;
    while (reservation->state == PAIL_ADMISSION_WAITING) {
        /* No longer than a reading may be old: memory that others free says nothing. */
        const uint64_t now = now_ns(ledger);
        uint64_t sleep_ns = ledger->params.reread_ns;
        if (reservation->deadline_ns != UINT64_MAX)
            sleep_ns = least(sleep_ns, less(reservation->deadline_ns, now));
        if (pail_clock_cond_wait(&ledger->changed, &ledger->mutex, pail_clock_ns() + sleep_ns) ==
            ETIMEDOUT)
            changed |= update(ledger, false);
    }
    const enum pail_admission state = reservation->state;
    leave(ledger, changed);
    return state;
}

enum pail_admission pail_ledger_state(struct pail_ledger *ledger,
                                      const struct pail_reservation *reservation)
{
    pthread_mutex_lock(&ledger->mutex);
    const enum pail_admission state = reservation->state;
    pthread_mutex_unlock(&ledger->mutex);
    return state;
}

bool pail_ledger_shrink(struct pail_ledger *ledger, struct pail_reservation *reservation,
                        size_t heap, uint64_t bytes)
{
    pthread_mutex_lock(&ledger->mutex);
    if (heap >= ledger->params.n_heaps || reservation->state != PAIL_ADMISSION_HELD ||
        bytes > reservation->bytes[heap] || bytes < reservation->live[heap])
        return misused(ledger);
    ledger->stats.heaps[heap].used -= reservation->bytes[heap] - bytes;
    reservation->bytes[heap] = bytes;
    leave(ledger, update(ledger, false));
    return true;
}

bool pail_ledger_split(struct pail_ledger *ledger, struct pail_reservation *from,
                       struct pail_reservation *into, size_t heap, uint64_t bytes, uint64_t live)
{
    pthread_mutex_lock(&ledger->mutex);
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
    pthread_mutex_unlock(&ledger->mutex);
    return true;
}

bool pail_ledger_release(struct pail_ledger *ledger, struct pail_reservation *reservation)
{
    pthread_mutex_lock(&ledger->mutex);
    for (size_t i = 0; i < ledger->params.n_heaps; i++)
        if (reservation->state == PAIL_ADMISSION_HELD && reservation->live[i] != 0)
            return misused(ledger);
    if (reservation->state == PAIL_ADMISSION_WAITING) {
        unlink_waiting(ledger, reservation);
        pthread_cond_broadcast(&ledger->changed);
    } else if (reservation->state == PAIL_ADMISSION_HELD) {
        for (size_t i = 0; i < ledger->params.n_heaps; i++)
            ledger->stats.heaps[i].used -= reservation->bytes[i];
    }
    reservation->state = PAIL_ADMISSION_NONE;
    leave(ledger, update(ledger, false));
    return true;
}

bool pail_ledger_allocated(struct pail_ledger *ledger, struct pail_reservation *reservation,
                           size_t heap, uint64_t bytes)
{
    pthread_mutex_lock(&ledger->mutex);
    if (heap >= ledger->params.n_heaps || reservation->state != PAIL_ADMISSION_HELD ||
        bytes > reservation->bytes[heap] - reservation->live[heap])
        return misused(ledger);
    struct pail_heap_usage *const usage = &ledger->stats.heaps[heap];
    reservation->live[heap] += bytes;
    if (reservation->live[heap] > reservation->peak[heap])
        reservation->peak[heap] = reservation->live[heap];
    usage->live += bytes;
    if (usage->live > usage->peak_live)
        usage->peak_live = usage->live;
    pthread_mutex_unlock(&ledger->mutex);
    return true;
}

bool pail_ledger_freed(struct pail_ledger *ledger, struct pail_reservation *reservation,
                       size_t heap, uint64_t bytes)
{
    pthread_mutex_lock(&ledger->mutex);
    if (heap >= ledger->params.n_heaps || bytes > reservation->live[heap])
        return misused(ledger);
    reservation->live[heap] -= bytes;
    ledger->stats.heaps[heap].live -= bytes;
    pthread_mutex_unlock(&ledger->mutex);
    return true;
}

void pail_ledger_reread(struct pail_ledger *ledger)
{
    pthread_mutex_lock(&ledger->mutex);
    leave(ledger, update(ledger, true));
}

uint64_t pail_ledger_next_deadline(struct pail_ledger *ledger)
{
    uint64_t next = UINT64_MAX;
    pthread_mutex_lock(&ledger->mutex);
    for (const struct pail_reservation *w = ledger->first; w != NULL; w = w->next)
        next = least(next, w->deadline_ns);
    pthread_mutex_unlock(&ledger->mutex);
    return next;
}

uint64_t pail_ledger_missing(struct pail_ledger *ledger, const struct pail_reservation *reservation,
                             size_t heap)
{
    pthread_mutex_lock(&ledger->mutex);
    const struct pail_heap_usage *const usage = &ledger->stats.heaps[heap];
    const uint64_t missing =
        reservation->state == PAIL_ADMISSION_WAITING
            ? less(reservation->bytes[heap], less(usage->capacity, usage->used))
            : 0;
    pthread_mutex_unlock(&ledger->mutex);
    return missing;
}

void pail_ledger_get_stats(struct pail_ledger *ledger, struct pail_ledger_stats *stats)
{
    pthread_mutex_lock(&ledger->mutex);
    *stats = ledger->stats;
    pthread_mutex_unlock(&ledger->mutex);
}

/* ---- What fits ------------------------------------------------------------------------------ */
size_t pail_ledger_choose(struct pail_ledger *ledger, const uint64_t *plans, size_t n_plans)
{
    size_t i = 0;
    pthread_mutex_lock(&ledger->mutex);
    while (i < n_plans && !ever_fits(ledger, plans + i * ledger->params.n_heaps))
        i++;
    pthread_mutex_unlock(&ledger->mutex);
    return i;
}

uint64_t pail_ledger_largest(struct pail_ledger *ledger, uint64_t most,
                             void (*need)(void *user, uint64_t n, uint64_t *bytes), void *user)
{
    uint64_t low = 0, high = most; /* low fits, above high nothing is asked for */
    while (low < high) {
        const uint64_t middle = high - (high - low) / 2;
        uint64_t bytes[HEAPS] = {0};
        need(user, middle, bytes);
        pthread_mutex_lock(&ledger->mutex);
        const bool fit = ever_fits(ledger, bytes);
        pthread_mutex_unlock(&ledger->mutex);
        if (fit)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

pail_status pail_ledger_explain(struct pail_ledger *ledger,
                                const struct pail_reservation *reservation, char *text,
                                size_t capacity)
{
    if (capacity > 0)
        text[0] = '\0';
    pthread_mutex_lock(&ledger->mutex);
    const bool never = reservation->state == PAIL_ADMISSION_NEVER_FITS;
    pail_status status = never ? PAIL_ERR_HOST_MEMORY : PAIL_OK;
    if (never) /* a heap may have grown since */
        (void)snprintf(text, capacity, "more memory was asked for than there was");
    for (size_t i = 0; i < ledger->params.n_heaps && never; i++) {
        const struct pail_heap_usage *const usage = &ledger->stats.heaps[i];
        if (reservation->bytes[i] <= usage->hard)
            continue;
        status = strncmp(ledger->heaps[i].name, "device", 6) == 0 ? PAIL_ERR_DEVICE_MEMORY
                                                                  : PAIL_ERR_HOST_MEMORY;
        (void)snprintf(text, capacity,
                       "%" PRIu64 " bytes of %s memory never fit: there are %" PRIu64 " at most",
                       reservation->bytes[i], ledger->heaps[i].name, usage->hard);
        break;
    }
    if (reservation->state == PAIL_ADMISSION_TIMED_OUT) {
        status = PAIL_ERR_STOPPED;
        (void)snprintf(text, capacity,
                       "the deadline passed after %" PRIu64 " ms of waiting for memory",
                       less(reservation->deadline_ns, reservation->asked_ns) / 1000000);
    }
    pthread_mutex_unlock(&ledger->mutex);
    return status;
}
