/* SPDX-License-Identifier: Apache-2.0 */
#include "policy.h"

/* Gains that are worth a new cut, as parts of the time of a multiplication. Plans for 2^19 BN254
 * points and a few more take 0.13 more of an H200's time, which is not the device's doing. */
#define WORTH_MOVING       0.02
#define WORTH_MOVING_ALIKE 0.1
#define LEVEL_ALIKE        0.05 /* equal shares of one model cost less than this */

/* Thresholds as parts of the time that the best cut takes: LAGS_BEYOND is out of proportion,
 * LEVEL_BELOW in proportion again, and LAGS_ROUNDS multiplications have to be out. Between the two
 * nothing is counted, so that a rate that swings about one of them changes nothing. */
#define LAGS_BEYOND 0.10
#define LEVEL_BELOW 0.05
enum { LAGS_ROUNDS = 3 };

/* Seconds until all live members have ended that take part when n points are shared out. A member
 * that is busy for longer takes no part; leaving one out makes the end later for the others, so
 * that the loop ends when nobody else has to go. */
static double common_end(const struct pail_policy_member *members, size_t n_members, size_t n)
{
    double end = -1.0;
    for (size_t round = 0; round <= n_members; round++) {
        double points = (double)n, rates = 0.0;
        for (size_t i = 0; i < n_members; i++) {
            if (members[i].live && (end < 0.0 || members[i].load < end)) {
                points += members[i].load * members[i].rate;
                rates += members[i].rate;
            }
        }
        const double next = rates > 0.0 ? points / rates : end;
        if (next == end)
            break;
        end = next;
    }
    return end;
}

bool pail_policy_shares(size_t *counts, size_t n, const struct pail_policy_member *members,
                        size_t n_members)
{
    const double end = common_end(members, n_members, n);
    const size_t best = pail_policy_first_free(members, n_members, n);
    size_t given = 0;
    for (size_t i = 0; i < n_members; i++) {
        counts[i] = 0;
        if (best == n_members || !members[i].live || members[i].load >= end)
            continue;
        /* To the nearest: equal rates give equal shares, and one more point can change a plan. */
        const double share = (end - members[i].load) * members[i].rate + 0.5;
        counts[i] = share >= (double)(n - given) ? n - given : (size_t)share;
        given += counts[i];
    }
    if (best == n_members)
        return false;
    counts[best] += n - given;
    return true;
}

size_t pail_policy_first_free(const struct pail_policy_member *members, size_t n_members, size_t n)
{
    size_t best = n_members;
    double end = 0.0;
    for (size_t i = 0; i < n_members; i++) {
        const double mine = members[i].load + (double)n / members[i].rate;
        if (members[i].live && (best == n_members || mine < end)) {
            best = i;
            end = mine;
        }
    }
    return best;
}

bool pail_policy_is_in(const struct pail_policy_piece *piece, size_t first, size_t n)
{
    return first >= piece->first && first - piece->first <= piece->n &&
           n <= piece->n - (first - piece->first);
}

/* The first live piece of a member that has all the points; n_pieces: none. */
static size_t whole_piece(const struct pail_policy_member *members, size_t member,
                          const struct pail_policy_piece *pieces, size_t n_pieces, size_t first,
                          size_t n)
{
    for (size_t k = 0; k < n_pieces; k++)
        if (pieces[k].member == member && members[member].live &&
            pail_policy_is_in(&pieces[k], first, n))
            return k;
    return n_pieces;
}

/* Bits of the scalars are shared out in place of points: each member does windows of all points. */
static void cut_windows(struct pail_policy_part *parts, size_t *n_parts, const size_t *counts,
                        size_t n_members, const size_t *whole, size_t first, size_t n)
{
    uint32_t shift = 0;
    for (size_t i = 0; i < n_members; i++) {
        if (counts[i] == 0)
            continue;
        const uint32_t bits = (uint32_t)counts[i];
        parts[(*n_parts)++] = (struct pail_policy_part){whole[i], first, n, shift, bits};
        shift += bits;
    }
}

static void cut_points(struct pail_policy_part *parts, size_t *n_parts, const size_t *counts,
                       size_t n_members, const size_t *whole, size_t first)
{
    for (size_t i = 0; i < n_members; i++) {
        if (counts[i] != 0)
            parts[(*n_parts)++] = (struct pail_policy_part){whole[i], first, counts[i], 0, 0};
        first += counts[i];
    }
}

/* Shares out by the existing pieces: takes the one that reaches furthest, as long as points are
 * left. */
static bool follow_pieces(struct pail_policy_part *parts, size_t *n_parts,
                          const struct pail_policy_member *members,
                          const struct pail_policy_piece *pieces, size_t n_pieces, size_t first,
                          size_t n)
{
    while (n > 0) {
        size_t best = n_pieces, reach = 0;
        for (size_t k = 0; k < n_pieces; k++) {
            const size_t end = pieces[k].first + pieces[k].n;
            if (members[pieces[k].member].live && pail_policy_is_in(&pieces[k], first, 1) &&
                end > reach) {
                best = k;
                reach = end;
            }
        }
        if (best == n_pieces) {
            *n_parts = 0;
            return false;
        }
        const size_t here = reach - first < n ? reach - first : n;
        parts[(*n_parts)++] = (struct pail_policy_part){best, first, here, 0, 0};
        first += here;
        n -= here;
    }
    return true;
}

enum { MEMBERS_MAX = 64 }; /* PAIL_DEVICES_MAX */

bool pail_policy_cut(struct pail_policy_part *parts, size_t *n_parts,
                     const struct pail_policy_member *members, size_t n_members,
                     const struct pail_policy_piece *pieces, size_t n_pieces, size_t first,
                     size_t n, const struct pail_policy_limits *limits)
{
    struct pail_policy_member have[MEMBERS_MAX];
    size_t whole[MEMBERS_MAX], counts[MEMBERS_MAX], n_have = 0;
    *n_parts = 0;
    for (size_t i = 0; i < n_members; i++) {
        have[i] = members[i];
        whole[i] = whole_piece(members, i, pieces, n_pieces, first, n);
        have[i].live = whole[i] != n_pieces;
        n_have += have[i].live;
    }
    if (n == 0 && n_have == 0) { /* nothing to add up, on any member */
        for (size_t k = 0; k < n_pieces && *n_parts == 0; k++)
            if (members[pieces[k].member].live)
                parts[(*n_parts)++] = (struct pail_policy_part){k, pieces[k].first, 0, 0, 0};
        return *n_parts == 1;
    }
    if (n_have == 0)
        return follow_pieces(parts, n_parts, members, pieces, n_pieces, first, n);
    if (n == 0 || n_have == 1 || n < limits->whole_below) {
        const size_t best = pail_policy_first_free(have, n_members, n);
        parts[(*n_parts)++] = (struct pail_policy_part){whole[best], first, n, 0, 0};
        return true;
    }
    if (n < limits->windows_below) {
        for (size_t i = 0; i < n_members; i++)
            have[i].load = 0.0; /* a load counts points, not bits */
        if (!pail_policy_shares(counts, limits->scalar_bits, have, n_members))
            return false;
        cut_windows(parts, n_parts, counts, n_members, whole, first, n);
        return true;
    }
    if (!pail_policy_shares(counts, n, have, n_members))
        return false;
    cut_points(parts, n_parts, counts, n_members, whole, first);
    return true;
}

bool pail_policy_moves(const double *rates, const double *measured, const bool *live,
                       size_t n_members, bool alike)
{
    double all_rates = 0.0, all_measured = 0.0, end = 0.0;
    for (size_t i = 0; i < n_members; i++) {
        if (live[i]) {
            all_rates += rates[i];
            all_measured += measured[i];
            end = rates[i] / measured[i] > end ? rates[i] / measured[i] : end;
        }
    }
    return end * all_measured > all_rates * (1.0 + (alike ? WORTH_MOVING_ALIKE : WORTH_MOVING));
}

bool pail_policy_level(const double *measured, const bool *live, size_t n_members)
{
    double all = 0.0, least = 0.0, n = 0.0;
    for (size_t i = 0; i < n_members; i++) {
        if (live[i]) {
            least = n == 0.0 || measured[i] < least ? measured[i] : least;
            all += measured[i];
            n += 1.0;
        }
    }
    return all <= n * least * (1.0 + LEVEL_ALIKE);
}

double pail_policy_excess(double *best, const size_t *points,
                          const struct pail_policy_member *members, size_t n_members)
{
    double rates = 0.0, all = 0.0, end = 0.0;
    *best = 0.0;
    for (size_t i = 0; i < n_members; i++) {
        if (!members[i].live)
            continue;
        const double mine = (double)points[i] / members[i].rate;
        rates += members[i].rate;
        all += (double)points[i];
        end = mine > end ? mine : end;
    }
    if (rates <= 0.0)
        return 0.0;
    *best = all / rates;
    return end > *best ? end - *best : 0.0;
}

bool pail_policy_recut(struct pail_policy_lag *lag, double best, double excess, double part,
                       double cost)
{
    if (excess <= LEVEL_BELOW * best) {
        *lag = (struct pail_policy_lag){0};
        return false;
    }
    if (excess <= LAGS_BEYOND * best)
        return false;
    lag->rounds++;
    lag->seconds += excess * part;
    return lag->rounds >= LAGS_ROUNDS && lag->seconds >= cost;
}
