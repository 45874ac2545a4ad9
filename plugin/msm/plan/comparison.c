/* SPDX-License-Identifier: Apache-2.0 */
#include "comparison.h"

#include <math.h>
#include <string.h>

/* Uses of each, in turns; the least time counts, since whatever else a device does adds to one. */
#define USES     5u
#define USES_MIN 2u /* a candidate that was lucky once has not won */
/* One that takes so many times the usual time is not tried again. */
#define FAR 1.25
/* One that gains less has not won: repeated measurements differ by as much. */
#define GAIN 0.99
/* Additions may differ by so much from those that times are scaled to. */
#define ADDS_RATIO 1.25
/* So many uses in a row of other shapes take the place of the shape. */
#define STRANGERS 8u

static struct pail_candidate *candidate_of(struct pail_comparison *c, uint32_t accumulator)
{
    return &c->candidates[accumulator - 1];
}

static bool competes(const struct pail_comparison_terms *t, uint32_t accumulator)
{
    return accumulator != t->usual && t->candidates & PAIL_COMPARISON_BIT(accumulator);
}

static bool is_open(struct pail_comparison *c, const struct pail_comparison_terms *t,
                    uint32_t accumulator)
{
    const struct pail_candidate *one = candidate_of(c, accumulator);
    return competes(t, accumulator) && !one->out && !one->closed && one->uses < USES;
}

/* Closes candidates whose next use would take more time than is left, and chooses where none is
 * open any more. */
static void settle(struct pail_comparison *c, const struct pail_comparison_terms *t)
{
    const struct pail_candidate *usual = candidate_of(c, t->usual);
    uint32_t best = t->usual;
    bool open = false;
    if (usual->uses == 0 || !t->ready)
        return;
    for (uint32_t a = 1; a <= PAIL_COMPARISON_CANDIDATES; a++) {
        struct pail_candidate *one = candidate_of(c, a);
        const double next = one->uses ? one->ms : t->most[a - 1] * usual->ms;
        if (is_open(c, t, a) && next > t->left_ms)
            one->closed = true;
        open |= is_open(c, t, a);
        if (competes(t, a) && !one->out && one->uses >= USES_MIN && one->ms < GAIN * usual->ms &&
            (best == t->usual || one->ms < candidate_of(c, best)->ms))
            best = a;
    }
    if (!open)
        c->chosen = best;
}

uint32_t pail_comparison_next(struct pail_comparison *c, const struct pail_comparison_terms *terms,
                              uint32_t shape, bool *measured)
{
    *measured = false;
    if (c->chosen)
        return c->chosen;
    if (c->shape != shape) {
        if (c->shape && ++c->strangers < STRANGERS)
            return terms->usual;
        memset(c, 0, sizeof(*c));
        c->shape = shape;
    }
    c->strangers = 0;
    settle(c, terms);
    if (c->chosen)
        return c->chosen;
    *measured = true;
    const uint32_t usual_uses = candidate_of(c, terms->usual)->uses;
    if (usual_uses == 0 || !terms->ready)
        return terms->usual;
    uint32_t next = terms->usual, least = usual_uses < USES ? usual_uses : UINT32_MAX;
    for (uint32_t a = 1; a <= PAIL_COMPARISON_CANDIDATES; a++)
        if (is_open(c, terms, a) && candidate_of(c, a)->uses < least) {
            next = a;
            least = candidate_of(c, a)->uses;
        }
    return next;
}

void pail_comparison_note(struct pail_comparison *c, const struct pail_comparison_terms *terms,
                          uint32_t accumulator, double ms, double adds)
{
    struct pail_candidate *one = candidate_of(c, accumulator);
    const struct pail_candidate *usual = candidate_of(c, terms->usual);
    if (c->chosen || !(ms > 0 && ms < INFINITY) || !(adds > 0))
        return;
    if (accumulator == terms->usual && c->adds == 0)
        c->adds = adds;
    if (adds <= ADDS_RATIO * c->adds && c->adds <= ADDS_RATIO * adds) {
        const double scaled = ms * c->adds / adds;
        one->ms = one->uses ? fmin(one->ms, scaled) : scaled;
        one->uses += one->uses < USES;
        if (accumulator != terms->usual && usual->uses && one->ms > FAR * usual->ms)
            one->out = true;
    }
    settle(c, terms);
}
