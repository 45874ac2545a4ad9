/* SPDX-License-Identifier: Apache-2.0 */
/* Places of the parts of a proof: everything somewhere, once, and all devices end together. */
#include <math.h>

#include "support/test.h"

#include <prover/proof/place.h>

static struct pail_place_job job_of(uint64_t n)
{
    struct pail_place_job job = {.n_vars = n, .domain_size = n};
    for (int m = 0; m < PAIL_ZKEY_MSMS; m++) {
        job.n_points[m] = n;
        job.finite[m] = m == PAIL_ZKEY_B1 || m == PAIL_ZKEY_B2 ? 0.4 : 1;
    }
    return job;
}

/* Each point once, in pieces that follow each other. */
static void expect_whole(const struct pail_proof_placement *p, const struct pail_place_job *job,
                         const double *slowness, uint32_t n)
{
    for (int m = 0; m < PAIL_ZKEY_MSMS; m++) {
        uint64_t at = 0;
        for (bool found = true; at < job->n_points[m] && found;) {
            found = false;
            for (uint32_t d = 0; d < n && !found; d++) {
                if (p->pieces[m][d].count == 0 || p->pieces[m][d].first != at)
                    continue;
                at += p->pieces[m][d].count;
                found = true;
            }
        }
        uint64_t sum = 0;
        for (uint32_t d = 0; d < PAIL_PLACE_DEVICES_MAX; d++) {
            sum += p->pieces[m][d].count;
            if (d >= n || !(slowness[d] > 0))
                assert_int_equal(p->pieces[m][d].count, 0);
        }
        assert_int_equal(at, job->n_points[m]);
        assert_int_equal(sum, job->n_points[m]);
    }
    assert_true(p->join < n && slowness[p->join] > 0);
    assert_int_equal(p->transforms[2], p->join); /* the product needs both matrices */
    for (int t = 0; t < PAIL_PLACE_TRANSFORMS; t++)
        assert_true(p->transforms[t] < n && slowness[p->transforms[t]] > 0);
    if (p->pieces[PAIL_ZKEY_H][p->join].count != 0)
        assert_int_equal(p->pieces[PAIL_ZKEY_H][p->join].first, 0);
}

PAIL_TEST(every_size_is_placed_whole)
{
    static const struct pail_place_costs *const costs[] = {&pail_place_costs_usual,
                                                           &pail_place_costs_everywhere};
    static const double rates[][PAIL_PLACE_DEVICES_MAX] = {
        {1},
        {1, 1},
        {1, 0, 1},
        {3, 1, 7},
        {300, 1, 1, 2},
        {1, 1, 1, 1, 1, 1, 1, 1},
        {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0.01}};
    for (int c = 0; c < 2; c++) {
        for (size_t r = 0; r < sizeof(rates) / sizeof(rates[0]); r++) {
            for (uint64_t n = 0; n < UINT64_C(1) << 27; n = n < 70 ? n + 1 : 3 * n) {
                struct pail_proof_placement p;
                struct pail_place_job job = job_of(n);
                job.n_points[PAIL_ZKEY_C] = n / 3;
                pail_place(&p, &job, rates[r], PAIL_PLACE_DEVICES_MAX, costs[c]);
                expect_whole(&p, &job, rates[r], PAIL_PLACE_DEVICES_MAX);
                assert_true(p.expected_ms <= p.whole_ms && p.n_used >= 1);
            }
        }
    }
}

PAIL_TEST(two_equal_devices_end_together)
{
    static const double rates[] = {1, 1};
    struct pail_proof_placement p;
    const struct pail_place_job job = job_of(1 << 20);
    pail_place(&p, &job, rates, 2, &pail_place_costs_usual);
    assert_int_equal(p.n_used, 2);
    assert_true(p.whole_ms / p.expected_ms > 1.6);
    assert_true(fabs(p.computing_ms[0] - p.computing_ms[1]) < 0.2 * p.expected_ms);
}

PAIL_TEST(small_sections_stay_whole)
{
    static const double rates[] = {1, 1};
    struct pail_proof_placement p;
    const struct pail_place_job job = job_of(64);
    pail_place(&p, &job, rates, 2, &pail_place_costs_usual);
    for (int m = 0; m < PAIL_ZKEY_MSMS; m++) /* sections, and not pieces of them */
        assert_true(p.pieces[m][0].count == 64 || p.pieces[m][1].count == 64);
    /* Never where it takes longer: a slow device gets nothing of a short proof. */
    static const double unlike[] = {1, 300};
    pail_place(&p, &job, unlike, 2, &pail_place_costs_usual);
    assert_int_equal(p.n_used, 1);
    assert_true(p.used[0] && !p.used[1]);
}

PAIL_TEST(rates_decide)
{
    static const double rates[] = {4, 1};
    struct pail_proof_placement p;
    const struct pail_place_job job = job_of(1 << 22);
    pail_place(&p, &job, rates, 2, &pail_place_costs_usual);
    assert_int_equal(p.join, 1);
    assert_int_equal(p.n_used, 2);
    assert_true(p.whole_ms / p.expected_ms > 1.15 && p.whole_ms / p.expected_ms < 1.25);
    /* More devices never take longer. */
    double last = p.whole_ms;
    for (uint32_t n = 1; n <= PAIL_PLACE_DEVICES_MAX; n *= 2) {
        double same[PAIL_PLACE_DEVICES_MAX];
        for (uint32_t d = 0; d < n; d++)
            same[d] = 1;
        pail_place(&p, &job, same, n, &pail_place_costs_usual);
        assert_true(p.expected_ms <= last);
        last = p.expected_ms;
    }
    assert_true(p.n_used > 2);
}

/* Transforms go to other devices, and H is cut, where nothing costs anything but computing. */
PAIL_TEST(transforms_move_where_moving_is_cheap)
{
    static const double rates[] = {1, 1, 1, 1};
    struct pail_proof_placement p;
    const struct pail_place_job job = job_of(1 << 16);
    pail_place(&p, &job, rates, 4, &pail_place_costs_everywhere);
    assert_int_equal(p.n_used, 4);
    assert_true(p.transforms[0] != p.join && p.transforms[1] != p.join);
    assert_true(p.transforms[0] != p.transforms[1]);
    assert_true(p.whole_ms / p.expected_ms > 3.5);
}

/* Placements to the point: nobody's rates, rounding or order of attempts changes them unseen. */
PAIL_TEST(places_to_the_point)
{
    static const double slowness[] = {3, 1, 7, 1};
    static const struct {
        const struct pail_place_costs *costs;
        bool is_bls;
        uint64_t n, counts[PAIL_ZKEY_MSMS][4];
        uint32_t join, transforms[PAIL_PLACE_TRANSFORMS];
        double expected_ms;
    } cases[] = {
        {&pail_place_costs_usual,
         false,
         1 << 20,
         {{0, 0, 0, 1048576},
          {1048576, 0, 0, 0},
          {0, 605272, 0, 443304},
          {223684, 0, 0, 824892},
          {0, 1048576, 0, 0}},
         1,
         {1, 1, 1},
         11.153833600},
        {&pail_place_costs_usual,
         true,
         1 << 20,
         {{0, 0, 0, 1048576},
          {1048576, 0, 0, 0},
          {0, 707559, 0, 341017},
          {261069, 0, 0, 787507},
          {0, 1048576, 0, 0}},
         1,
         {1, 1, 1},
         19.095899660},
        {&pail_place_costs_everywhere,
         false,
         1000,
         {{200, 0, 0, 800},
          {333, 0, 667, 0},
          {0, 0, 0, 1000},
          {1000, 0, 0, 0},
          {135, 405, 55, 405}},
         1,
         {3, 1, 1},
         0.017620000},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pail_proof_placement p;
        struct pail_place_job job = job_of(cases[i].n);
        job.is_bls = cases[i].is_bls;
        pail_place(&p, &job, slowness, 4, cases[i].costs);
        for (int m = 0; m < PAIL_ZKEY_MSMS; m++)
            for (int d = 0; d < 4; d++)
                assert_int_equal(p.pieces[m][d].count, cases[i].counts[m][d]);
        assert_int_equal(p.join, cases[i].join);
        assert_memory_equal(p.transforms, cases[i].transforms, sizeof(p.transforms));
        assert_true(fabs(p.expected_ms / cases[i].expected_ms - 1) < 1e-9);
    }
}
