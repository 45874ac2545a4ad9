/* SPDX-License-Identifier: Apache-2.0 */
/* The chooser of first uses, by made-up times: who wins, what is not tried, and what it may cost.
 */

#include "support/test.h"

#include <msm/plan/comparison.h>
#include <pail/backend.h>

enum {
    XYZZ = PAIL_ACCUMULATOR_XYZZ,
    WALKER = PAIL_ACCUMULATOR_WALKER,
    COOP = PAIL_ACCUMULATOR_COOP,
    ALL = 7,
    SHAPE = 9,
    BEFORE = 3 /* uses before the pipelines of candidates are there */
};

struct row {
    const char *name;
    uint32_t usual, candidates;
    double ms[3];                 /* [accumulator - 1] */
    double budget_ms, budget_max; /* the most that may be spent */
    uint32_t winner, tried;       /* tried: set of candidates that had a use */
};

static const struct row rows[] = {
    {"the default wins", XYZZ, ALL, {10, 20, 50}, 300, 70, XYZZ, 6},
    {"walker wins", XYZZ, ALL, {10, 8, 50}, 300, 90, WALKER, 6},
    {"coop wins", XYZZ, ALL, {10, 20, 4}, 300, 40, COOP, 6},
    {"xyzz wins where coop is the default", COOP, ALL, {7, 20, 10}, 300, 55, XYZZ, 3},
    {"both are ahead, walker more", XYZZ, ALL, {10, 5, 6}, 300, 55, WALKER, 6},
    {"both are ahead, coop more", XYZZ, ALL, {10, 6, 5}, 300, 55, COOP, 6},
    {"half a percent is no gain", XYZZ, ALL, {10, 9.95, 50}, 300, 100, XYZZ, 6},
    {"what may take too long is not tried", XYZZ, ALL, {40, 10, 10}, 300, 50, WALKER, 2},
    {"nothing may be tried", XYZZ, ALL, {61, 1, 1}, 300, 0, XYZZ, 0},
    {"one that took all the time leaves none", XYZZ, ALL, {10, 400, 5}, 300, 400, XYZZ, 2},
    {"without candidates", XYZZ, 0, {10, 1, 1}, 300, 0, XYZZ, 0},
    {"walker does not fit the device", XYZZ, 4, {10, 1, 9}, 300, 45, COOP, 4},
};

static struct pail_comparison_terms terms_of(const struct row *row)
{
    return (struct pail_comparison_terms){.usual = row->usual,
                                          .candidates = row->candidates,
                                          .ready = true,
                                          .left_ms = row->budget_ms,
                                          .most = {5, 5, 10}};
}

PAIL_TEST(test_rows)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *row = &rows[i];
        struct pail_comparison c = {0};
        struct pail_comparison_terms terms = terms_of(row);
        uint32_t uses = 0, tried = 0;
        double spent = 0;
        for (; !c.chosen && uses < 100; uses++) {
            bool measured;
            terms.ready = uses >= BEFORE;
            const uint32_t taken = pail_comparison_next(&c, &terms, SHAPE, &measured);
            if (uses <= BEFORE && uses > 0 && !terms.ready)
                assert_int_equal(taken, row->usual);
            if (uses == 0 && taken != row->usual)
                fail_msg("%s: the first use is of %u", row->name, taken);
            if (taken != row->usual && !c.chosen) {
                spent += row->ms[taken - 1];
                tried |= PAIL_COMPARISON_BIT(taken);
            }
            terms.left_ms = row->budget_ms - spent;
            /* Later uses are slower, as where other work goes on: the least time counts. */
            if (measured)
                pail_comparison_note(&c, &terms, taken, row->ms[taken - 1] * (uses > 8 ? 1.1 : 1),
                                     1e6);
        }
        if (c.chosen != row->winner || tried != row->tried || spent > row->budget_max)
            fail_msg("%s: %u after %u uses, tried %u, spent %.1f ms", row->name, c.chosen, uses,
                     tried, spent);
        bool measured;
        assert_int_equal(pail_comparison_next(&c, &terms, SHAPE + 1, &measured), row->winner);
        assert_false(measured);
    }
}

/* A candidate that fails is no longer among the terms: the others are compared without it, and a
 * choice does not wait for it. */
PAIL_TEST(test_failing_candidate)
{
    struct pail_comparison c = {0};
    struct pail_comparison_terms terms = terms_of(&rows[0]);
    bool measured;
    assert_int_equal(pail_comparison_next(&c, &terms, SHAPE, &measured), XYZZ);
    pail_comparison_note(&c, &terms, XYZZ, 10, 1e6);
    assert_int_equal(pail_comparison_next(&c, &terms, SHAPE, &measured), WALKER);
    terms.candidates &= ~PAIL_COMPARISON_BIT(WALKER);
    for (uint32_t i = 0; !c.chosen && i < 100; i++) {
        const uint32_t taken = pail_comparison_next(&c, &terms, SHAPE, &measured);
        assert_int_not_equal(taken, WALKER);
        if (measured)
            pail_comparison_note(&c, &terms, taken, taken == COOP ? 5 : 10, 1e6);
    }
    assert_int_equal(c.chosen, COOP);
}

/* Uses that are not alike are not compared: another shape takes over only when the first one does
 * not come back, and times are scaled to the additions that were done. */
PAIL_TEST(test_other_shapes)
{
    struct pail_comparison c = {0};
    const struct pail_comparison_terms terms = terms_of(&rows[0]);
    bool measured;
    (void)pail_comparison_next(&c, &terms, SHAPE, &measured);
    pail_comparison_note(&c, &terms, XYZZ, 10, 1e6);
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(pail_comparison_next(&c, &terms, SHAPE + 1, &measured), XYZZ);
        assert_false(measured);
    }
    assert_int_equal(pail_comparison_next(&c, &terms, SHAPE, &measured), WALKER);
    pail_comparison_note(&c, &terms, WALKER, 4.5, 0.9e6); /* 5 ms of as much work */
    assert_true(c.candidates[WALKER - 1].ms > 4.99 && c.candidates[WALKER - 1].ms < 5.01);
    pail_comparison_note(&c, &terms, WALKER, 0.1, 1e4); /* almost nothing to do */
    pail_comparison_note(&c, &terms, WALKER, 0, 1e6);   /* no time */
    assert_int_equal(c.candidates[WALKER - 1].uses, 1);
    for (uint32_t i = 0; i < 8; i++)
        (void)pail_comparison_next(&c, &terms, SHAPE + 1, &measured);
    assert_true(measured);
    assert_int_equal(c.shape, SHAPE + 1);
    assert_int_equal(c.candidates[WALKER - 1].uses, 0);
}
