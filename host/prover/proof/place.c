/* SPDX-License-Identifier: Apache-2.0 */
#include "place.h"

#include <string.h>

static const struct pail_rates rates_everywhere = {{[PAIL_WORK_TRANSFORM] = {.unit_ns = 8},
                                                    [PAIL_WORK_G1] = {.unit_ns = 4},
                                                    [PAIL_WORK_G2] = {.unit_ns = 12}}};
const struct pail_place_costs pail_place_costs_usual = {
    .rates = &pail_rates_usual, .least_points = 4096, .least_gain = 0.05};
const struct pail_place_costs pail_place_costs_everywhere = {
    .rates = &rates_everywhere, .least_points = 1, .least_gain = 0};

enum { HALVINGS = 48 };

/* One attempt: a number of devices, in this order, and of transforms away from the first. */
struct attempt {
    const struct pail_place_job *job;
    const struct pail_place_costs *costs;
    struct pail_rates rates; /* of the job's curve */
    const double *slowness;
    uint32_t order[PAIL_PLACE_DEVICES_MAX]; /* the fastest first: it joins the transforms */
    uint32_t n_used, n_moved;
};

double pail_place_multiply_ms(const struct pail_rates *rates, enum pail_zkey_msm msm, double finite,
                              double count)
{
    struct pail_rate rate =
        rates->of[pail_zkey_msm_group(msm) == PAIL_G2 ? PAIL_WORK_G2 : PAIL_WORK_G1];
    rate.unit_ns *= finite;
    return pail_rate_ms(rate, count);
}

static double piece_ms(const struct attempt *a, uint32_t device, enum pail_zkey_msm msm,
                       double count)
{
    return count > 0 ? a->slowness[device] *
                           pail_place_multiply_ms(&a->rates, msm, a->job->finite[msm], count)
                     : 0;
}

/* Points of `left` that the device completes within ms. */
static uint64_t points_in(const struct attempt *a, uint32_t device, enum pail_zkey_msm msm,
                          uint64_t left, double ms)
{
    if (piece_ms(a, device, msm, (double)left) <= ms)
        return left;
    const double one = piece_ms(a, device, msm, 2) - piece_ms(a, device, msm, 1);
    const double fixed = piece_ms(a, device, msm, 1) - one;
    if (ms <= fixed || one <= 0)
        return 0;
    const uint64_t count = (uint64_t)((ms - fixed) / one);
    if (count < a->costs->least_points)
        return 0;
    if (count >= left)
        return left;
    /* The rest must be worth a piece, too. */
    return left - count < a->costs->least_points ? left - a->costs->least_points : count;
}

static double transfer_ms(const struct attempt *a, uint64_t n)
{
    return pail_rate_ms(a->rates.of[PAIL_WORK_TRANSFER], (double)n);
}

/* Pours the rest of a section over the devices from the first on. False: it does not fit. */
static bool pour(struct pail_proof_placement *p, const struct attempt *a, enum pail_zkey_msm msm,
                 uint64_t at, double *room, uint32_t first)
{
    for (uint32_t i = first; i < a->n_used && at < a->job->n_points[msm]; i++) {
        const uint32_t d = a->order[i];
        const uint64_t count = points_in(a, d, msm, a->job->n_points[msm] - at, room[d]);
        if (count == 0)
            continue;
        p->pieces[msm][d] = (struct pail_place_piece){at, count};
        const double ms = piece_ms(a, d, msm, (double)count);
        room[d] -= ms;
        p->computing_ms[d] += ms;
        at += count;
    }
    return at == a->job->n_points[msm];
}

/* Pours H, whose scalars are there once the transforms are joined: as much as possible on the
 * joining device. */
static bool pour_h(struct pail_proof_placement *p, const struct attempt *a, double *room,
                   double ready, double limit)
{
    const uint32_t join = a->order[0];
    const uint64_t n = a->job->n_points[PAIL_ZKEY_H];
    const double there = limit - ready < room[join] ? limit - ready : room[join];
    uint64_t count = points_in(a, join, PAIL_ZKEY_H, n, there);
    if (count < n) /* the join reads for the others first */
        count = points_in(a, join, PAIL_ZKEY_H, n, there - transfer_ms(a, n - count));
    if (count > 0) {
        const double ms = piece_ms(a, join, PAIL_ZKEY_H, (double)count);
        p->pieces[PAIL_ZKEY_H][join].count = count;
        p->computing_ms[join] += ms;
        room[join] -= ms;
    }
    if (count == n)
        return true;
    room[join] -= transfer_ms(a, n - count);
    double rooms[PAIL_PLACE_DEVICES_MAX];
    for (uint32_t i = 1; i < a->n_used; i++) {
        const uint32_t d = a->order[i];
        const double late = limit - ready - 2 * transfer_ms(a, n - count);
        rooms[d] = late < room[d] ? late : room[d];
    }
    const bool fits = pour(p, a, PAIL_ZKEY_H, count, rooms, 1);
    for (uint32_t i = 1; i < a->n_used; i++) {
        const uint32_t d = a->order[i];
        const uint64_t moved = p->pieces[PAIL_ZKEY_H][d].count;
        room[d] -= piece_ms(a, d, PAIL_ZKEY_H, (double)moved) + transfer_ms(a, moved);
    }
    return fits;
}

/* Fills the placement. Returns whether all devices end within the limit. */
static bool fill(struct pail_proof_placement *p, const struct attempt *a, double limit)
{
    /* The largest first, so that the last cuts are the finest. */
    static const enum pail_zkey_msm order[] = {PAIL_ZKEY_B2, PAIL_ZKEY_A, PAIL_ZKEY_C,
                                               PAIL_ZKEY_B1};
    const uint64_t n = a->job->domain_size;
    const double transform_ms = pail_rate_ms(a->rates.of[PAIL_WORK_TRANSFORM], (double)n);
    const double start_ms = pail_rate_ms(a->rates.of[PAIL_WORK_START], 0);
    double room[PAIL_PLACE_DEVICES_MAX] = {0}, ready = 0;
    memset(p, 0, sizeof(*p));
    p->join = a->order[0];
    for (uint32_t i = 0; i < a->n_used; i++) {
        const uint32_t d = a->order[i];
        const bool moves = i > 0 && i <= a->n_moved;
        const uint32_t n_here = i == 0 ? PAIL_PLACE_TRANSFORMS - a->n_moved : moves ? 1 : 0;
        const double sent = a->slowness[d] * start_ms + transfer_ms(a, a->job->n_vars);
        const double computing = a->slowness[d] * transform_ms * n_here;
        const double transfers = transfer_ms(a, moves ? n : i == 0 ? a->n_moved * n : 0);
        const double done = sent + computing + (moves ? transfers : 0);
        p->computing_ms[d] = computing;
        ready = done > ready ? done : ready;
        room[d] = limit - sent - computing - transfers;
        if (room[d] < 0)
            return false;
    }
    ready += transfer_ms(a, a->n_moved * n);
    for (uint32_t t = 0; t < PAIL_PLACE_TRANSFORMS; t++)
        p->transforms[t] = a->order[t < a->n_moved ? t + 1 : 0];
    bool fits = pour_h(p, a, room, ready, limit);
    for (uint32_t i = 0; i < sizeof(order) / sizeof(order[0]) && fits; i++)
        fits = pour(p, a, order[i], 0, room, 0);
    return fits;
}

/* Finds the shortest time of the attempt. */
static void shorten(struct pail_proof_placement *p, const struct attempt *a)
{
    double low = 0, high = 1;
    while (!fill(p, a, high))
        high *= 2;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = (low + high) / 2;
        if (fill(p, a, middle))
            high = middle;
        else
            low = middle;
    }
    (void)fill(p, a, high);
    p->expected_ms = high;
}

static void note_used(struct pail_proof_placement *p)
{
    p->used[p->join] = true;
    for (uint32_t t = 0; t < PAIL_PLACE_TRANSFORMS; t++)
        p->used[p->transforms[t]] = true;
    for (uint32_t d = 0; d < PAIL_PLACE_DEVICES_MAX; d++) {
        for (uint32_t m = 0; m < PAIL_ZKEY_MSMS; m++)
            p->used[d] |= p->pieces[m][d].count != 0;
        p->n_used += p->used[d];
    }
}

void pail_place(struct pail_proof_placement *placement, const struct pail_place_job *job,
                const double *slowness, uint32_t n_devices, const struct pail_place_costs *costs)
{
    struct attempt attempt = {.job = job,
                              .costs = costs,
                              .rates = pail_rates_over(costs->rates, job->is_bls),
                              .slowness = slowness};
    uint32_t n = 0;
    for (uint32_t d = 0; d < n_devices; d++) {
        if (!(slowness[d] > 0))
            continue;
        uint32_t at = n++;
        for (; at > 0 && slowness[attempt.order[at - 1]] > slowness[d]; at--)
            attempt.order[at] = attempt.order[at - 1];
        attempt.order[at] = d;
    }
    attempt.n_used = 1;
    shorten(placement, &attempt);
    const double whole_ms = placement->expected_ms;
    for (attempt.n_used = 2; attempt.n_used <= n; attempt.n_used++) {
        const uint32_t most = attempt.n_used - 1 < 2 ? attempt.n_used - 1 : 2;
        for (attempt.n_moved = 0; attempt.n_moved <= most; attempt.n_moved++) {
            struct pail_proof_placement other;
            shorten(&other, &attempt);
            if (other.expected_ms < (1 - costs->least_gain) * placement->expected_ms)
                *placement = other;
        }
    }
    placement->whole_ms = whole_ms;
    note_used(placement);
}
