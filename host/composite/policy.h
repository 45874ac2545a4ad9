/* SPDX-License-Identifier: Apache-2.0 */
/* Choice of members for multiplications, and of the cuts: pure functions of the members' state. */
#ifndef PAIL_COMPOSITE_POLICY_H
#define PAIL_COMPOSITE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pail_policy_member {
    double rate; /* points a second, above 0 */
    double load; /* seconds of work that it has been given and has not finished */
    bool live;
};

/* Points first ... first + n - 1 of a set, registered with a member. */
struct pail_policy_piece {
    size_t member;
    size_t first, n;
};

/* True if the piece has points first ... first + n - 1. */
bool pail_policy_is_in(const struct pail_policy_piece *piece, size_t first, size_t n);

struct pail_policy_part {
    size_t piece;
    size_t first, n;      /* points of the set */
    uint32_t shift, bits; /* bits of the scalars from `shift` on; bits 0: all of them */
};

struct pail_policy_limits {
    size_t whole_below, windows_below; /* same as in pail_devices_params */
    uint32_t scalar_bits;              /* most bits of a scalar */
};

/* Cuts n so that all live members end at the same time, as nearly as whole points allow and loads
 * let them: counts[i] of n_members >= 1, whose sum is n. False, and zeros: none is live. */
bool pail_policy_shares(size_t *counts, size_t n, const struct pail_policy_member *members,
                        size_t n_members);

/* The member that would end work of n points first; n_members: none is live. */
size_t pail_policy_first_free(const struct pail_policy_member *members, size_t n_members, size_t n);

/* Parts that make up a multiplication by points first ... first + n - 1.
 *
 * Out: parts: [n_members + n_pieces], of which *n_parts are used; no part is empty, but the one of
 *      an empty multiplication.
 * Returns false where a point is with no live member: *n_parts is 0 then. */
bool pail_policy_cut(struct pail_policy_part *parts, size_t *n_parts,
                     const struct pail_policy_member *members, size_t n_members,
                     const struct pail_policy_piece *pieces, size_t n_pieces, size_t first,
                     size_t n, const struct pail_policy_limits *limits);

/* Seconds by which a multiplication by all points of a cut set ends later than one that is cut in
 * proportion to the rates. Loads are left out: a set outlives what runs now.
 *
 * In:  points: [n_members] of the set, that a member has; 0 where it is not live.
 * Out: *best: seconds that the other cut would take. Both 0: there is nothing to compare. */
double pail_policy_excess(double *best, const size_t *points,
                          const struct pail_policy_member *members, size_t n_members);

/* Time that a set has been out of proportion: all zero at first, and after it was cut anew. */
struct pail_policy_lag {
    unsigned rounds; /* multiplications */
    double seconds;  /* sum of their excess times */
};

/* Decides if a set is cut anew before its next multiplication: after several multiplications that
 * are each well out of proportion, and once these have lost as much time as registering takes. So
 * at most twice the time is lost that the better of both would have lost.
 *
 * In: best, excess: of pail_policy_excess. part: of the set's points, that the multiplication has,
 *     0 to 1. cost: seconds that registering took last. */
bool pail_policy_recut(struct pail_policy_lag *lag, double best, double excess, double part,
                       double cost);

/* True if points that are shared out by measured rates end so much sooner than by `rates` that it
 * is worth the new buffers and pipelines of other sizes. Rates of [n_members]; those of members
 * that are not live are ignored. alike: all live members are the same device: then a difference
 * that is small is one between two plans for nearly the same number of points. */
bool pail_policy_moves(const double *rates, const double *measured, const bool *live,
                       size_t n_members, bool alike);

/* True if members of one model are as fast as one another, as nearly as measuring tells: equal
 * shares end at most 5 % later than shares in proportion. */
bool pail_policy_level(const double *measured, const bool *live, size_t n_members);

#endif /* PAIL_COMPOSITE_POLICY_H */
