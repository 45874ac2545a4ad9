/* SPDX-License-Identifier: Apache-2.0 */
#include "overflow.h"

#include <stdbool.h>

enum { LARGEST, FIRST, LOST, N_RECORDS, RECORDS };
enum { STACK, COUNT, SERIAL, ID, RECORD_WORDS };

#define DIVERGED UINT32_MAX

void pail_ad_overflow_lend(struct pail_ad_overflows *overflows, volatile uint32_t *words,
                           uint32_t records)
{
    pthread_mutex_lock(&overflows->lock);
    overflows->words = words;
    overflows->records = records;
    for (uint32_t i = 0; words && i < PAIL_AD_OVERFLOW_WORDS(records); i++)
        words[i] = i == N_RECORDS ? records : 0;
    pthread_mutex_unlock(&overflows->lock);
}

/* Kernels may be at work on the words, with atomics as well: nothing that they report between a
 * look and clearing is lost. */
static uint32_t look(volatile uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static uint32_t take(volatile uint32_t *word)
{
    return __atomic_exchange_n(word, 0, __ATOMIC_ACQ_REL);
}

/* Clears what was seen of a word; what came meanwhile stays for the next call. */
static void clear(volatile uint32_t *word, uint32_t seen)
{
    (void)__atomic_compare_exchange_n(word, &seen, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* A record of the words for a stack, which are 0 where nothing is known. */
static pail_overflow decode(uint32_t stack, uint32_t count, uint64_t serial, uint32_t id)
{
    return (pail_overflow){
        .struct_size = sizeof(pail_overflow),
        .id = id,
        .stack = stack == 0 || stack == DIVERGED ? UINT32_MAX : stack - 1,
        .kind = stack == DIVERGED ? PAIL_OVERFLOW_GATE : PAIL_OVERFLOW_STACK,
        .count = count,
        .serial = serial,
    };
}

/* True if one of the records is about the same overflow, whose count then grows. */
static bool merge(pail_overflow out[], size_t n, const pail_overflow *record)
{
    for (size_t i = 0; i < n; i++)
        if (out[i].id == record->id && out[i].stack == record->stack &&
            out[i].kind == record->kind && out[i].serial == record->serial) {
            out[i].count = out[i].count > record->count ? out[i].count : record->count;
            return true;
        }
    return false;
}

static size_t take_records(volatile uint32_t *words, uint32_t records, pail_overflow out[],
                           size_t room)
{
    size_t n = 0;
    for (uint32_t i = 0; i < records; i++) {
        volatile uint32_t *at = words + RECORDS + (size_t)i * RECORD_WORDS;
        /* Taking the id takes the record: nobody adds to it or takes its place any more. */
        const uint32_t id = look(&at[ID]) ? take(&at[ID]) : 0;
        if (id == 0)
            continue; /* free, or not complete yet */
        const pail_overflow record =
            decode(look(&at[STACK]), look(&at[COUNT]), look(&at[SERIAL]), id);
        if (!merge(out, n, &record)) {
            if (n == room) {
                __atomic_store_n(&at[ID], id, __ATOMIC_RELEASE);
                continue;
            }
            out[n++] = record;
        }
        /* The stack goes last: from then on the record is another's. */
        for (uint32_t k = ID; k-- > 0;)
            (void)take(&at[k]);
    }
    return n;
}

size_t pail_ad_overflow_poll(struct pail_ad_overflows *overflows, pail_overflow out[], size_t room,
                             uint64_t *lost)
{
    size_t n = 0;
    *lost = 0;
    pthread_mutex_lock(&overflows->lock);
    volatile uint32_t *words = overflows->words;
    if (words && room > 0) {
        n = take_records(words, overflows->records, out, room);
        const uint32_t largest = look(&words[LARGEST]), first = look(&words[FIRST]);
        bool covered = largest == 0 && first == 0;
        /* A gate that diverged is more than an overflow of the same task. */
        for (size_t i = 0; i < n && !covered; i++)
            covered = (first == 0 || out[i].id == first) &&
                      (largest != DIVERGED || out[i].kind == PAIL_OVERFLOW_GATE);
        if (!covered && n < room) {
            out[n++] = decode(largest, 0, UINT64_MAX, first);
            covered = true;
        }
        if (covered) {
            clear(&words[LARGEST], largest);
            clear(&words[FIRST], first);
        }
        *lost = take(&words[LOST]);
    }
    pthread_mutex_unlock(&overflows->lock);
    return n;
}
