/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger under threads, with a lock around it as a prover has: the design that failed with two
 * locks, and wake-ups. Meant for ThreadSanitizer as well. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include <prover/ledger/ledger.h>

#include "support/test.h"

enum { WATCHDOG_S = 120 };

/* Guards the ledger of the test; told when anything may have been granted. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static bool reserve(struct pail_ledger *ledger, struct pail_reservation *reservation,
                    uint64_t bytes)
{
    pthread_mutex_lock(&lock);
    (void)pail_ledger_request(ledger, reservation, &bytes, NULL, UINT64_MAX);
    while (reservation->state == PAIL_ADMISSION_WAITING)
        pthread_cond_wait(&changed, &lock);
    const bool held = reservation->state == PAIL_ADMISSION_HELD;
    pthread_mutex_unlock(&lock);
    return held;
}

static bool note(bool (*what)(struct pail_ledger *, struct pail_reservation *, size_t, uint64_t),
                 struct pail_ledger *ledger, struct pail_reservation *reservation, uint64_t bytes)
{
    pthread_mutex_lock(&lock);
    const bool noted = what(ledger, reservation, 0, bytes);
    pthread_mutex_unlock(&lock);
    return noted;
}

static bool release(struct pail_ledger *ledger, struct pail_reservation *reservation)
{
    pthread_mutex_lock(&lock);
    const bool released = pail_ledger_release(ledger, reservation);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return released;
}

static struct pail_ledger *make(uint64_t limit)
{
    const struct pail_ledger_heap heap = {.name = "device 0", .limit = limit};
    struct pail_ledger *ledger = NULL;
    assert_int_equal(
        pail_ledger_create(&ledger, &(struct pail_ledger_params){.heaps = &heap,
                                                                 .n_heaps = 1,
                                                                 .max_overtakes = 4,
                                                                 .reread_ns = 100000000}),
        PAIL_OK);
    return ledger;
}

/* Three workers; each stages 8 units, waits for the lock of the device's work, and takes 4 more
 * under it. Reservations that live as long as locks let the second one in and starved the first. */
enum { WORKERS = 3, STAGED = 8, MORE = 4, CARD = 16, SEEDS = 1000, ROUNDS = 2 };
#ifdef PAIL_TEST_SANITIZED /* it looks at each access: fewer orders of them are as much code */
enum { WITH_LEDGER = SEEDS / 5 };
#else
enum { WITH_LEDGER = SEEDS };
#endif

struct card {
    struct pail_ledger *ledger;
    pthread_mutex_t compute;
    atomic_int allocated, over, served;
    bool with_ledger;
};

struct worker {
    struct card *card;
    unsigned seed;
};

static void dawdle(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    for (unsigned i = 0; i < (*seed >> 24) % 4; i++)
        sched_yield();
}

static void allocate(struct card *card, int units)
{
    if (atomic_fetch_add(&card->allocated, units) + units > CARD)
        atomic_fetch_add(&card->over, 1);
}

static void *work(void *argument)
{
    struct worker *const worker = argument;
    struct card *const card = worker->card;
    for (int round = 0; round < ROUNDS; round++) {
        struct pail_reservation reservation = {0};
        dawdle(&worker->seed);
        if (card->with_ledger && (!reserve(card->ledger, &reservation, STAGED + MORE) ||
                                  !note(pail_ledger_allocated, card->ledger, &reservation, STAGED)))
            return NULL;
        allocate(card, STAGED);
        dawdle(&worker->seed);
        pthread_mutex_lock(&card->compute);
        if (card->with_ledger && !note(pail_ledger_allocated, card->ledger, &reservation, MORE))
            atomic_fetch_add(&card->over, 1);
        allocate(card, MORE);
        dawdle(&worker->seed);
        pthread_mutex_unlock(&card->compute);
        atomic_fetch_sub(&card->allocated, STAGED + MORE);
        if (card->with_ledger &&
            (!note(pail_ledger_freed, card->ledger, &reservation, STAGED + MORE) ||
             !release(card->ledger, &reservation)))
            return NULL;
        atomic_fetch_add(&card->served, 1);
    }
    return NULL;
}

static int replay(unsigned seed, bool with_ledger)
{
    struct card card = {.ledger = make(CARD), .with_ledger = with_ledger};
    struct worker workers[WORKERS];
    pthread_t threads[WORKERS];
    pthread_mutex_init(&card.compute, NULL);
    for (unsigned i = 0; i < WORKERS; i++) {
        workers[i] = (struct worker){&card, seed * WORKERS + i};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&card.compute);
    assert_int_equal(card.served, WORKERS * ROUNDS);
    assert_int_equal(card.allocated, 0);
    pail_ledger_destroy(&card.ledger);
    return card.over;
}

PAIL_TEST(two_locks)
{
    alarm(WATCHDOG_S); /* a deadlock ends the program */
    for (unsigned seed = 0; seed < WITH_LEDGER; seed++)
        assert_int_equal(replay(seed, true), 0);
    /* Without the ledger the same workers take more than there is: the test can fail. */
    int over = 0;
    for (unsigned seed = 0; seed < SEEDS && over == 0; seed++)
        over += replay(seed, false);
    assert_true(over > 0);
    alarm(0);
}

/* No wake-up is lost: everybody gets a turn, with nobody to nudge them but each other. */
enum { CROWD = 64, TURNS = 200, PLACES = 7 };

struct crowd {
    struct pail_ledger *ledger;
    atomic_int inside, turns, wrong;
};

static void *take_turns(void *argument)
{
    struct crowd *const crowd = argument;
    for (uint64_t i = 0; i < TURNS; i++) {
        struct pail_reservation reservation = {0};
        const uint64_t bytes = 1 + i % PLACES;
        if (!reserve(crowd->ledger, &reservation, bytes))
            atomic_fetch_add(&crowd->wrong, 1);
        if (atomic_fetch_add(&crowd->inside, (int)bytes) + (int)bytes > PLACES)
            atomic_fetch_add(&crowd->wrong, 1);
        atomic_fetch_sub(&crowd->inside, (int)bytes);
        (void)release(crowd->ledger, &reservation);
        atomic_fetch_add(&crowd->turns, 1);
    }
    return NULL;
}

PAIL_TEST(a_crowd)
{
    struct crowd crowd = {.ledger = make(PLACES)};
    pthread_t threads[CROWD];
    alarm(WATCHDOG_S);
    for (int i = 0; i < CROWD; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_turns, &crowd), 0);
    for (int i = 0; i < CROWD; i++)
        pthread_join(threads[i], NULL);
    alarm(0);
    assert_int_equal(crowd.wrong, 0);
    assert_int_equal(crowd.turns, CROWD * TURNS);
    pail_ledger_destroy(&crowd.ledger);
}
