/* SPDX-License-Identifier: Apache-2.0 */
#include "tune.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PLACES = sizeof(((pail_tuning *)0)->window_bits), WINDOW_MAX = 31 };

uint32_t pail_tune_place(uint64_t n)
{
    uint32_t place = 0;
    while (n >>= 1)
        place++;
    return place;
}

static int compare_sizes(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

pail_status pail_tune_order_sizes(struct pail_list *sizes, struct pail_error *error)
{
    qsort(sizes->values, sizes->n, sizeof(sizes->values[0]), compare_sizes);
    for (size_t i = 0; i < sizes->n; i++) {
        const uint64_t n = sizes->values[i];
        if (n == 0 || n >= UINT64_C(1) << PLACES)
            return pail_fail(error, PAIL_ERR_ARGUMENT, "--sizes: %" PRIu64 " is not in 1..2^%d - 1",
                             n, PLACES);
        if (i > 0 && pail_tune_place(sizes->values[i - 1]) == pail_tune_place(n))
            return pail_fail(error, PAIL_ERR_ARGUMENT,
                             "--sizes: %" PRIu64 " and %" PRIu64
                             " share one window, that of sizes from 2^%" PRIu32 " on",
                             sizes->values[i - 1], n, pail_tune_place(n));
    }
    return PAIL_OK;
}

double pail_tune_share(double now_ms, double end_ms, size_t left)
{
    return end_ms > 0 ? now_ms + (end_ms - now_ms) / (double)left : 0;
}

size_t pail_tune_choose(const struct pail_tune_entry *entries, size_t n)
{
    size_t built_in = SIZE_MAX, best = SIZE_MAX;
    for (size_t i = 0; i < n; i++)
        if (entries[i].built_in && entries[i].n > 0)
            built_in = i;
    double least = 0;
    for (size_t i = 0; i < n; i++) {
        const struct pail_tune_entry *const entry = &entries[i];
        if (entry->n == 0 || i == built_in)
            continue;
        if (built_in != SIZE_MAX) {
            const struct pail_tune_entry *const first = &entries[built_in];
            const size_t pairs = entry->n < first->n ? entry->n : first->n;
            if (pail_compare(first->ms, entry->ms, pairs).verdict != PAIL_FASTER)
                continue;
        }
        const double median = pail_summarize(entry->ms, entry->n).median;
        if (best == SIZE_MAX || median < least) {
            best = i;
            least = median;
        }
    }
    return best != SIZE_MAX ? best : built_in;
}

/* The model's choice against its neighbours. *step: towards the better one, 0: neither is. */
static pail_status request_neighbours(struct pail_tune_window *window, int *step,
                                      pail_tune_measure *measure, void *user)
{
    const uint32_t around[PAIL_TUNE_WINDOWS] = {0, window->model + 1, window->model - 1};
    const size_t n = window->model > 1 ? 3 : 2;
    struct pail_tune_round round = {0};
    *step = 0;
    const pail_status status = measure(user, &round, around, n);
    if (status != PAIL_OK || !round.measured[0])
        return status;
    window->measured = true;
    window->model_ms = window->ms = round.median[0];
    for (size_t i = 1; i < n; i++) {
        if (!round.measured[i] || round.verdict[i] != PAIL_FASTER || round.median[i] >= window->ms)
            continue;
        *step = i == 1 ? 1 : -1;
        window->ms = round.median[i];
    }
    return PAIL_OK;
}

pail_status pail_tune_climb(struct pail_tune_window *window, uint32_t model,
                            pail_tune_measure *measure, void *user)
{
    *window = (struct pail_tune_window){.model = model};
    int step;
    pail_status status = request_neighbours(window, &step, measure, user);
    if (status != PAIL_OK || step == 0)
        return status;
    uint32_t at = (uint32_t)((int)model + step);
    for (;;) {
        const uint32_t next = (uint32_t)((int)at + step);
        if (next == 0 || next > WINDOW_MAX)
            break;
        struct pail_tune_round round = {0};
        status = measure(user, &round, (const uint32_t[]){at, next}, 2);
        if (status != PAIL_OK)
            return status;
        if (!round.measured[0] || !round.measured[1] || round.verdict[1] != PAIL_FASTER)
            break;
        at = next;
    }
    /* The best of several is in part the luckiest: it has to show again. */
    struct pail_tune_round round = {0};
    status = measure(user, &round, (const uint32_t[]){0, at}, 2);
    if (status != PAIL_OK)
        return status;
    const bool again = round.measured[0] && round.measured[1] && round.verdict[1] == PAIL_FASTER;
    window->bits = again ? at : 0;
    if (round.measured[0])
        window->model_ms = round.median[0];
    window->ms = again ? round.median[1] : window->model_ms;
    return PAIL_OK;
}
