/* SPDX-License-Identifier: Apache-2.0 */
/* Signed digits: put together again they are the integer, for every window width. */
#include <cpu/digit.h>

#include "support/test.h"
#include <cpu/plan.h>
#include <curves/rng.h>

enum { LIMBS = 6 }; /* 384 bits, two's complement */

/* sum += digit 2^shift. */
static void add_shifted(uint64_t sum[LIMBS], int32_t digit, uint32_t shift)
{
    uint64_t wide[LIMBS + 1] = {0};
    const uint64_t sign = digit < 0 ? UINT64_MAX : 0, low = (uint64_t)(int64_t)digit;
    for (size_t i = 0; i < LIMBS; i++) {
        const uint64_t here = i < shift / 64 ? 0 : i == shift / 64 ? low : sign;
        const uint64_t below = i <= shift / 64 ? 0 : i == shift / 64 + 1 ? low : sign;
        wide[i] = here << shift % 64;
        wide[i] |= shift % 64 ? below >> (64 - shift % 64) : 0;
    }
    uint64_t carry = 0;
    for (size_t i = 0; i < LIMBS; i++) {
        const uint64_t part = sum[i] + wide[i], whole = part + carry;
        carry = (uint64_t)(part < sum[i]) | (uint64_t)(whole < part);
        sum[i] = whole;
    }
}

static void check(const pail_u256 *k, uint32_t bits)
{
    for (uint32_t c = 1; c <= 24; c++) {
        uint64_t sum[LIMBS] = {0};
        const uint32_t windows = pail_cpu_windows(bits, c);
        for (uint32_t w = 0; w < windows; w++) {
            const int32_t digit = pail_cpu_digit(k, w, c);
            assert_true(digit >= -(INT32_C(1) << (c - 1)) && digit <= INT32_C(1) << (c - 1));
            add_shifted(sum, digit, c * w);
        }
        assert_memory_equal(sum, k->l, sizeof k->l);
        assert_int_equal(sum[4] | sum[5], 0);
        /* Windows beyond have nothing. */
        assert_int_equal(pail_cpu_digit(k, windows + 1, c), 0);
    }
}

PAIL_TEST(edges)
{
    const pail_u256 zero = {{0}};
    check(&zero, 0);
    check(&zero, 256);
    for (uint32_t bit = 0; bit < 256; bit++) {
        pail_u256 one_bit = {{0}}, ones = {{0}};
        one_bit.l[bit / 64] = UINT64_C(1) << bit % 64;
        for (uint32_t i = 0; i <= bit; i++)
            ones.l[i / 64] |= UINT64_C(1) << i % 64;
        check(&one_bit, bit + 1);
        check(&ones, bit + 1);
    }
}

PAIL_TEST(random_numbers)
{
    struct pail_rng rng;
    pail_rng_init(&rng, 11);
    for (size_t i = 0; i < 500; i++) {
        const pail_u256 k = {
            {pail_rng_next(&rng), pail_rng_next(&rng), pail_rng_next(&rng), pail_rng_next(&rng)}};
        check(&k, 256);
    }
}

PAIL_TEST(plans)
{
    const size_t sizes[] = {0, 1, 2, 3, 100, 4095, 4096, 4097, 8191, 8192, 8193, 65537, 1 << 20};
    const size_t threads[] = {1, 2, 4, 64, 4096};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
            for (uint32_t bits = 1; bits <= 256; bits += 15) {
                for (uint32_t window = 0; window <= PAIL_CPU_WINDOW_MAX; window++) {
                    const struct pail_cpu_plan plan =
                        pail_cpu_plan_make(sizes[s], bits, window, threads[t]);
                    assert_true(plan.c >= 1 && plan.c <= PAIL_CPU_WINDOW_MAX);
                    assert_true(window == 0 || plan.c == window);
                    /* The chunks hold all points, and none is empty. */
                    assert_true(plan.chunks >= 1);
                    assert_true(plan.chunks * plan.chunk_points >= sizes[s]);
                    assert_true(sizes[s] == 0 || (plan.chunks - 1) * plan.chunk_points < sizes[s]);
                    assert_true(plan.block_points <= plan.chunk_points);
                    assert_true(sizes[s] == 0 || plan.block_points > 0);
                }
            }
        }
    }
}
