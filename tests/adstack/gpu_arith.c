/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on the device, on numbers from all corners of 64 bits, against 128-bit integers of the
 * compiler. */
#include "gpu_support.h"
#include "support/test.h"

__extension__ typedef __int128 wide;

enum { EDGES = 27, RANDOM = 1500, OPS = PAIL_AD_SELECT - PAIL_AD_ADD + 1 + 3 };
enum { PAIRS = EDGES * EDGES + RANDOM };

static int64_t edge(uint32_t i)
{
    static const int64_t some[] = {0,
                                   1,
                                   2,
                                   3,
                                   7,
                                   0x7fffffff,
                                   0x80000000,
                                   0xffffffff,
                                   0x100000000,
                                   INT64_C(0x100000001),
                                   INT64_C(3037000499),
                                   INT64_C(3037000500),
                                   INT64_MAX,
                                   INT64_MAX - 1};
    if (i < 14)
        return some[i];
    return i == 26 ? INT64_MIN : -some[i - 13];
}

/* A number of any length, so that short ones are as likely as long ones. */
static int64_t random_number(uint64_t *seed)
{
    const uint64_t bits = ad_random(seed), size = ad_random(seed) % 64;
    const int64_t v = (int64_t)(bits >> 1) >> size;
    return bits & 1 ? -v : v;
}

static struct pail_ad_value value_of(wide v, uint32_t site)
{
    if (v < INT64_MIN || v > INT64_MAX)
        return (struct pail_ad_value){.error = PAIL_AD_ERROR(site, PAIL_AD_OVERFLOW)};
    return (struct pail_ad_value){.v = (int64_t)v};
}

static wide floor_divide(wide a, wide b)
{
    const wide q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

static struct pail_ad_value expected(uint16_t op, int64_t x, int64_t y, uint32_t site)
{
    const wide a = x, b = y;
    const bool divides = op == PAIL_AD_FLOOR_DIV || op == PAIL_AD_MOD;
    if (divides && b == 0)
        return (struct pail_ad_value){.error = PAIL_AD_ERROR(site, PAIL_AD_DIVISION)};
    switch (op) {
    case PAIL_AD_ADD:
        return value_of(a + b, site);
    case PAIL_AD_SUB:
        return value_of(a > b ? a - b : 0, site);
    case PAIL_AD_MUL:
        return value_of(a * b, site);
    case PAIL_AD_MAX:
        return value_of(a > b ? a : b, site);
    case PAIL_AD_MIN:
        return value_of(a < b ? a : b, site);
    case PAIL_AD_FLOOR_DIV:
        return value_of(floor_divide(a, b), site);
    case PAIL_AD_MOD:
        return value_of(a - floor_divide(a, b) * b, site);
    case PAIL_AD_WRAP_ADD:
        return value_of((int64_t)(uint64_t)(a + b), site);
    case PAIL_AD_WRAP_SUB: {
        const int64_t difference = (int64_t)(uint64_t)(a - b);
        return value_of(difference > 0 ? difference : 0, site);
    }
    case PAIL_AD_WRAP_MUL:
        return value_of((int64_t)(uint64_t)(a * b), site);
    default: /* SELECT a > 0 ? b : a */
        return value_of(a > 0 ? b : a, site);
    }
}

PAIL_TEST_OF(test_operations, struct ad_fixture *f)
{
    enum { SLOTS = PAIRS * (2 + OPS) };
    struct pail_ad_slot *slots = calloc(SLOTS, sizeof(*slots));
    struct pail_ad_value *value = calloc(SLOTS, sizeof(*value));
    uint8_t *known = calloc(SLOTS, 1);
    uint32_t *wanted = calloc(SLOTS, sizeof(*wanted));
    uint64_t seed = 5;
    uint32_t n = 0, n_wanted = 0;
    assert_true(slots && value && known && wanted);
    for (uint32_t i = 0; i < PAIRS; i++) {
        const bool edges = i < EDGES * EDGES;
        const uint32_t a = n++, b = n++;
        value[a].v = edges ? edge(i / EDGES) : random_number(&seed);
        value[b].v = edges ? edge(i % EDGES) : random_number(&seed);
        known[a] = known[b] = 1;
        for (uint16_t op = PAIL_AD_ADD; op <= PAIL_AD_WRAP_MUL; op++) {
            if (op == PAIL_AD_READ || op == PAIL_AD_LOOP)
                continue;
            slots[n] = (struct pail_ad_slot){.op = op, .a = a, .b = b, .c = a, .site = n};
            wanted[n_wanted++] = n++;
        }
    }
    const struct pail_ad_program program = {.slots = slots, .n_slots = n};
    struct pail_ad_values values = {.value = value, .known = known};
    struct pail_ad_work work = {.program = &program,
                                .values = &values,
                                .serial = ad_serial(),
                                .slots = wanted,
                                .n_slots = n_wanted};
    ad_run(f, &work);
    for (uint32_t i = 0; i < n_wanted; i++) {
        const struct pail_ad_slot *slot = &slots[wanted[i]];
        const int64_t a = value[slot->a].v, b = value[slot->b].v;
        const struct pail_ad_value want = expected(slot->op, a, b, slot->site);
        const struct pail_ad_value got = value[wanted[i]];
        if (!known[wanted[i]] || got.v != want.v || got.error != want.error)
            fail_msg("operation %u of %lld and %lld: %lld, error %u, wanted %lld, %u", slot->op,
                     (long long)a, (long long)b, (long long)got.v, got.error, (long long)want.v,
                     want.error);
    }
    free(slots);
    free(value);
    free(known);
    free(wanted);
}

PAIL_TEST_MAIN
{
    return ad_run_groups();
}
