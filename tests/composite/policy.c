/* SPDX-License-Identifier: Apache-2.0 */
/* Placement of work, without any device. */
#include <cache/rates.h>
#include <composite/policy.h>

#include "support/test.h"

enum { N = 3 };

PAIL_TEST(shares_are_exact)
{
    const struct pail_policy_member members[N] = {
        {1.0, 0.0, true}, {3.0, 0.0, true}, {2.0, 0.0, true}};
    for (size_t n = 0; n <= 4097; n++) {
        size_t counts[N];
        assert_true(pail_policy_shares(counts, n, members, N));
        assert_int_equal(counts[0] + counts[1] + counts[2], n);
        assert_true(counts[0] <= n / 6 + 3 && counts[1] + 3 >= n / 2 && counts[2] + 3 >= n / 3);
    }
    size_t counts[N];
    assert_true(pail_policy_shares(counts, 600, members, N));
    assert_int_equal(counts[0], 100);
    assert_int_equal(counts[1], 300);
    for (double rate = 1e8; rate < 2e8; rate += 1234567.8) { /* of two equal members, a half each */
        const struct pail_policy_member equal[2] = {{rate, 0.0, true}, {rate, 0.0, true}};
        assert_true(pail_policy_shares(counts, 1 << 26, equal, 2));
        assert_int_equal(counts[0], 1 << 25);
    }
}

PAIL_TEST(busy_and_lost_members_get_less)
{
    struct pail_policy_member members[N] = {{1.0, 50.0, true}, {1.0, 0.0, true}, {1.0, 0.0, false}};
    size_t counts[N];
    assert_true(pail_policy_shares(counts, 150, members, N));
    assert_int_equal(counts[0], 50);
    assert_int_equal(counts[1], 100);
    assert_int_equal(counts[2], 0);
    members[0].load = 1000.0; /* beyond the end of the others: no part */
    assert_true(pail_policy_shares(counts, 150, members, N));
    assert_int_equal(counts[0], 0);
    assert_int_equal(counts[1], 150);
    assert_int_equal(pail_policy_first_free(members, N, 1), 1);
    members[0].live = members[1].live = false;
    assert_false(pail_policy_shares(counts, 150, members, N));
    assert_int_equal(counts[1], 0);
    assert_int_equal(pail_policy_first_free(members, N, 1), N);
}

static const struct pail_policy_piece everywhere[N] = {{0, 0, 1000}, {1, 0, 1000}, {2, 0, 1000}};

PAIL_TEST(small_work_stays_whole)
{
    const struct pail_policy_member members[N] = {
        {1.0, 5.0, true}, {1.0, 3.0, true}, {1.0, 4.0, true}};
    const struct pail_policy_limits limits = {100, 200, 256};
    struct pail_policy_part parts[2 * N];
    size_t n_parts;
    assert_true(pail_policy_cut(parts, &n_parts, members, N, everywhere, N, 10, 99, &limits));
    assert_int_equal(n_parts, 1);
    assert_int_equal(parts[0].piece, 1);
    assert_int_equal(parts[0].first, 10);
    assert_int_equal(parts[0].n, 99);
}

PAIL_TEST(middle_work_is_cut_by_windows)
{
    const struct pail_policy_member members[N] = {
        {1.0, 0.0, true}, {1.0, 0.0, true}, {2.0, 9.0, true}};
    const struct pail_policy_limits limits = {100, 200, 254};
    struct pail_policy_part parts[2 * N];
    size_t n_parts;
    uint32_t shift = 0;
    assert_true(pail_policy_cut(parts, &n_parts, members, N, everywhere, N, 0, 150, &limits));
    assert_int_equal(n_parts, N);
    for (size_t i = 0; i < n_parts; i++) {
        assert_int_equal(parts[i].n, 150);
        assert_int_equal(parts[i].shift, shift);
        shift += parts[i].bits;
    }
    assert_int_equal(shift, 254);
    assert_true(parts[2].bits > parts[0].bits);
}

/* Whatever is lost: the parts of any range are that range, once, or it is said that they cannot
 * be. */
PAIL_TEST(pieces_are_followed)
{
    struct pail_policy_member members[N] = {{1.0, 0.0, true}, {1.0, 0.0, true}, {1.0, 0.0, true}};
    const struct pail_policy_piece pieces[4] = {{0, 0, 10}, {1, 10, 7}, {2, 17, 13}, {0, 10, 5}};
    const struct pail_policy_limits limits = {4, 0, 256};
    struct pail_policy_part parts[N + 4];
    for (unsigned lost = 0; lost < 8; lost++) {
        for (size_t i = 0; i < N; i++)
            members[i].live = (lost >> i & 1) == 0;
        for (size_t first = 0; first < 30; first++) {
            for (size_t n = 1; first + n <= 30; n++) {
                size_t n_parts, at = first;
                const bool cut =
                    pail_policy_cut(parts, &n_parts, members, N, pieces, 4, first, n, &limits);
                bool there = true;
                for (size_t i = first; i < first + n; i++)
                    there &= (members[0].live && i < 15) ||
                             (members[1].live && i >= 10 && i < 17) || (members[2].live && i >= 17);
                assert_int_equal(cut, there);
                for (size_t k = 0; k < n_parts; k++) {
                    const struct pail_policy_piece *piece = &pieces[parts[k].piece];
                    assert_true(members[piece->member].live && parts[k].n > 0);
                    assert_int_equal(parts[k].first, at);
                    assert_true(at >= piece->first && at + parts[k].n <= piece->first + piece->n);
                    at += parts[k].n;
                }
                assert_int_equal(at, cut ? first + n : first);
            }
        }
    }
}

PAIL_TEST(rates_follow)
{
    struct pail_measured rate = {.value = 1.0};
    pail_measured_note_speed(&rate, 1000, 0.5);
    assert_true(rate.value == 2000.0 && rate.n == 1);
    pail_measured_note_speed(&rate, 0, 1.0);
    pail_measured_note_speed(&rate, 5, 0.0);
    assert_true(rate.value == 2000.0 && rate.n == 1);
    for (int i = 0; i < 10; i++)
        pail_measured_note_speed(&rate, 1000, 1.0);
    assert_true(rate.value > 1000.0 && rate.value < 1050.0);
}

/* Work that takes longer once changes nothing: neither the first work of all, nor the first of a
 * process that has a kept rate, nor any other. */
PAIL_TEST(one_disturbance_is_no_rate)
{
    struct pail_measured cold = {.value = 1.0}, kept = {.value = 1000, .n = 1, .last = 1000};
    pail_measured_note_speed(&cold, 1000, 3.0);
    for (int i = 0; i < 10; i++) {
        pail_measured_note_speed(&cold, 1000, i == 5 ? 8.0 : 1.0);
        pail_measured_note_speed(&kept, 1000, i % 4 == 0 ? 1.6 : 1.0);
        assert_true(cold.value > 999.9 && cold.value < 1000.1);
        assert_true(kept.value > 999.9 && kept.value < 1000.1);
    }
    for (int i = 0; i < 6; i++)
        pail_measured_note_speed(&kept, 1000, 2.0);
    assert_true(kept.value < 600.0);
}

PAIL_TEST(shares_stay_unless_it_pays)
{
    const double rates[3] = {1.0, 1.0, 7.0};
    const bool live[3] = {true, true, false};
    for (double other = 0.5; other < 2.0; other += 0.01) {
        /* Halves end with the slower one; the best end is that of both rates together. */
        const double measured[3] = {1e9, 1e9 * other, 1.0};
        const double slower = other < 1.0 ? other : 1.0;
        const double gain = (0.5 / slower) / (1.0 / (1.0 + other));
        if (gain > 1.03 || gain < 1.01)
            assert_int_equal(pail_policy_moves(rates, measured, live, 3, false), gain > 1.03);
        if (gain > 1.11 || gain < 1.09)
            assert_int_equal(pail_policy_moves(rates, measured, live, 3, true), gain > 1.11);
    }
    const double lost[3] = {1e9, 1.0, 1.0};
    const bool one[3] = {true, false, false};
    assert_false(pail_policy_moves(rates, lost, one, 3, false));
}

PAIL_TEST(one_model_is_level)
{
    const bool live[3] = {true, false, true};
    for (double other = 0.8; other < 1.25; other += 0.01) {
        /* Halves end with the slower one; the best end is that of both rates together. */
        const double measured[3] = {1e9, 1.0, 1e9 * other};
        const double slower = other < 1.0 ? other : 1.0;
        const double loss = (1.0 + other) / (2.0 * slower);
        if (loss > 1.051 || loss < 1.049)
            assert_int_equal(pail_policy_level(measured, live, 3), loss < 1.05);
    }
}

PAIL_TEST(excess_is_against_the_best_cut)
{
    struct pail_policy_member members[N] = {{1.0, 7.0, true}, {3.0, 0.0, true}, {5.0, 0.0, false}};
    const size_t level[N] = {25, 75, 0}, halves[N] = {50, 50, 0};
    double best;
    assert_true(pail_policy_excess(&best, level, members, N) == 0.0);
    assert_true(best == 25.0);
    assert_true(pail_policy_excess(&best, halves, members, N) == 25.0);
    assert_true(best == 25.0);
    members[0].live = members[1].live = false;
    assert_true(pail_policy_excess(&best, halves, members, N) == 0.0);
    assert_true(best == 0.0);
}

PAIL_TEST(sets_are_cut_anew_when_that_pays)
{
    struct pail_policy_lag lag = {0};
    for (int i = 0; i < 100; i++) /* nothing to gain */
        assert_false(pail_policy_recut(&lag, 1.0, 0.04, 1.0, 0.0));
    for (int i = 0; i < 100; i++) /* between the two: nothing is counted */
        assert_false(pail_policy_recut(&lag, 1.0, 0.07, 1.0, 0.0));
    assert_int_equal(lag.rounds, 0);
    assert_false(pail_policy_recut(&lag, 1.0, 0.5, 1.0, 0.0));
    assert_false(pail_policy_recut(&lag, 1.0, 0.5, 1.0, 0.0));
    assert_true(pail_policy_recut(&lag, 1.0, 0.5, 1.0, 0.0)); /* three in a row */
    assert_false(pail_policy_recut(&lag, 1.0, 0.01, 1.0, 0.0));
    assert_int_equal(lag.rounds, 0);
    int rounds = 1; /* cut anew when the loss is what it costs; half of the points lose half */
    while (!pail_policy_recut(&lag, 1.0, 0.5, 0.5, 5.0))
        rounds++;
    assert_int_equal(rounds, 20);
}
