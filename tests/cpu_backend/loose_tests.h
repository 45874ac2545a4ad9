/* SPDX-License-Identifier: Apache-2.0 */
/* adx_field.h or plain_field.h against host/base/curves and schoolbook products, for one field.
 * Include it with AF, AF_WORDS, BASE and BASE_PARAMS as there; TEST_FIELD is the name of the cmocka
 * test, which it undefines, and TEST_HEADER the one of the two. */
#include TEST_HEADER

#define AF_(name)   PAIL_PASTE(AF, name)
#define BASE_(name) PAIL_PASTE(BASE, name)

/* Reduced numbers come first, then those below 2 p, then others. */
enum { AF_(REDUCED) = 40, AF_(LOOSE) = 70, AF_(ALL) = 90 };

static void AF_(twice)(BASE *r, const BASE *a)
{
    for (size_t i = AF_WORDS; i-- > 0;)
        r->l[i] = a->l[i] << 1 | (i > 0 ? a->l[i - 1] >> 63 : 0);
}

/* Changes the lowest word, which must not carry. */
static BASE AF_(nudged)(BASE a, uint64_t by)
{
    a.l[0] += by;
    return a;
}

static bool AF_(below)(const BASE *a, const BASE *bound)
{
    for (size_t i = AF_WORDS; i-- > 0;)
        if (a->l[i] != bound->l[i])
            return a->l[i] < bound->l[i];
    return false;
}

/* Words of ones, zeros and anything, below the bound if there is one. */
static BASE AF_(draw)(struct pail_rng *rng, const BASE *bound)
{
    BASE a;
    const uint64_t pattern = pail_rng_next(rng);
    do {
        for (size_t i = 0; i < AF_WORDS; i++) {
            const uint64_t kind = pattern >> (2 * i) & 3, any = pail_rng_next(rng);
            a.l[i] = kind == 0 ? UINT64_MAX : kind == 1 ? any >> 63 : any;
        }
        if (bound) {
            uint64_t *top = &a.l[AF_WORDS - 1];
            *top = *top == UINT64_MAX ? bound->l[AF_WORDS - 1] - 1
                                      : *top % (bound->l[AF_WORDS - 1] + 1);
        }
    } while (bound && !AF_(below)(&a, bound));
    return a;
}

static void AF_(make_numbers)(BASE numbers[AF_(ALL)])
{
    const BASE p = BASE_(modulus);
    BASE twice, ones;
    struct pail_rng rng;
    pail_rng_init(&rng, 23);
    AF_(twice)(&twice, &p);
    memset(&ones, 0xff, sizeof ones);
    size_t n = 0;
    for (; n < AF_(REDUCED); n++)
        numbers[n] = AF_(draw)(&rng, &p);
    for (; n < AF_(LOOSE); n++)
        numbers[n] = AF_(draw)(&rng, &twice);
    for (; n < AF_(ALL); n++)
        numbers[n] = AF_(draw)(&rng, NULL);
    numbers[0] = (BASE){{0}};
    numbers[1] = (BASE){{1}};
    numbers[2] = AF_(nudged)(p, (uint64_t)-1);
    numbers[3] = ones;
    numbers[3].l[AF_WORDS - 1] = p.l[AF_WORDS - 1] - 1;
    numbers[4] = BASE_(one);
    numbers[AF_(REDUCED)] = p;
    numbers[AF_(REDUCED) + 1] = AF_(nudged)(p, 1);
    numbers[AF_(REDUCED) + 2] = AF_(nudged)(twice, (uint64_t)-1);
    numbers[AF_(REDUCED) + 3] = ones;
    numbers[AF_(REDUCED) + 3].l[AF_WORDS - 1] = twice.l[AF_WORDS - 1] - 1;
    numbers[AF_(LOOSE)] = ones;
    numbers[AF_(LOOSE) + 1] = (BASE){{0}};
    numbers[AF_(LOOSE) + 1].l[AF_WORDS - 1] = UINT64_MAX;
    for (size_t i = 0; i < AF_(LOOSE); i++)
        assert_true(AF_(below)(&numbers[i], i < AF_(REDUCED) ? &p : &twice));
}

/* a / R by host/base/curves: the low half by its product with 1, and the high half, below p, as it
 * is.
 */
static void AF_(quotient)(BASE *r, const AF_(wide) * a)
{
    const BASE one = {{1}};
    BASE low, high;
    memcpy(&low, a->l, sizeof low);
    memcpy(&high, a->l + AF_WORDS, sizeof high);
    assert_true(AF_(below)(&high, &BASE_(modulus)));
    BASE_(mul)(&low, &one, &low);
    BASE_(add)(r, &high, &low);
}

static void AF_(assert_product)(const BASE *a, const BASE *b)
{
    AF_(wide) want = {{0}}, got;
    for (size_t i = 0; i < AF_WORDS; i++) {
        uint64_t carry = 0;
        for (size_t j = 0; j < AF_WORDS; j++) {
            const pail_uint128 sum = (pail_uint128)a->l[j] * b->l[i] + want.l[i + j] + carry;
            want.l[i + j] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
        want.l[i + AF_WORDS] = carry;
    }
    memset(&got, 0xaa, sizeof got);
    AF_(mul_wide)(&got, a, b);
    assert_memory_equal(&got, &want, sizeof got);
}

static void AF_(assert_loose)(const BASE *a, const BASE *want)
{
    BASE twice, reduced;
    AF_(twice)(&twice, &BASE_(modulus));
    assert_true(AF_(below)(a, &twice));
    BASE_(reduce_once)(&reduced, a);
    assert_memory_equal(&reduced, want, sizeof reduced);
}

/* Checks the product of the numbers i and j. */
static void AF_(assert_reduced_product)(const BASE *numbers, size_t i, size_t j)
{
    const BASE *a = &numbers[i], *b = &numbers[j];
    BASE reduced, want, got;
    BASE_(reduce_once)(&reduced, i < j ? a : b); /* host/base/curves wants one of them reduced */
    BASE_(mul)(&want, &reduced, i < j ? b : a);
    AF_(mul)(&got, a, b);
    assert_memory_equal(&got, &want, sizeof got);
    got = *a;
    AF_(mul)(&got, &got, b); /* in place */
    assert_memory_equal(&got, &want, sizeof got);
    got = *b;
    AF_(mul)(&got, a, &got);
    assert_memory_equal(&got, &want, sizeof got);

    AF_(mul_loose)(&got, a, b);
    AF_(assert_loose)(&got, &want);
    got = *b;
    AF_(mul_loose)(&got, a, &got);
    AF_(assert_loose)(&got, &want);

    AF_(wide) wide;
    AF_(mul_wide)(&wide, a, b);
    AF_(divide)(&got, &wide);
    assert_memory_equal(&got, &want, sizeof got);
}

static void AF_(assert_sums)(const BASE *a, const BASE *b)
{
    BASE want, got;
    BASE_(add)(&want, a, b);
    AF_(add_loose)(&got, a, b);
    BASE_(reduce_once)(&got, &got);
    assert_memory_equal(&got, &want, sizeof got);
    AF_(add)(&got, a, b);
    assert_memory_equal(&got, &want, sizeof got);
    AF_(add)(&got, &got, &BASE_(modulus));
    assert_memory_equal(&got, &want, sizeof got);
    BASE_(sub)(&want, a, b);
    AF_(sub)(&got, a, b);
    assert_memory_equal(&got, &want, sizeof got);
    AF_(sub)(&got, a, &BASE_(modulus));
    assert_memory_equal(&got, a, sizeof got);
    AF_(sub_loose)(&got, a, b);
    BASE_(reduce_once)(&got, &got);
    assert_memory_equal(&got, &want, sizeof got);
    AF_(negate_if)(&got, a, 0);
    assert_memory_equal(&got, a, sizeof got);
    BASE_(neg)(&want, a);
    AF_(negate_if)(&got, a, UINT64_MAX);
    BASE_(reduce_once)(&got, &got);
    assert_memory_equal(&got, &want, sizeof got);
}

/* Checks differences of numbers below 2 p, or of one and 2 p. */
static void AF_(assert_settled)(const BASE *a, const BASE *b)
{
    BASE reduced_a, reduced_b, want, got, twice;
    BASE_(reduce_once)(&reduced_a, a);
    BASE_(reduce_once)(&reduced_b, b);
    BASE_(sub)(&want, &reduced_a, &reduced_b);
    AF_(sub_settled)(&got, a, b);
    assert_memory_equal(&got, &want, sizeof got);
    got = *b;
    AF_(sub_settled)(&got, a, &got); /* in place */
    assert_memory_equal(&got, &want, sizeof got);
    AF_(twice)(&twice, &BASE_(modulus));
    AF_(sub_settled)(&got, a, &twice);
    assert_memory_equal(&got, &reduced_a, sizeof got);
}

/* Words of which the high half is a reduced number and the low half anything. */
static void AF_(assert_wide)(const BASE *low, const BASE *high, const BASE *other)
{
    AF_(wide) a, b;
    BASE want_a, want_b, got;
    memcpy(a.l, low, sizeof *low);
    memcpy(a.l + AF_WORDS, high, sizeof *high);
    memcpy(b.l, high, sizeof *high);
    memcpy(b.l + AF_WORDS, other, sizeof *other);
    AF_(quotient)(&want_a, &a);
    AF_(divide)(&got, &a);
    assert_memory_equal(&got, &want_a, sizeof got);
    AF_(quotient)(&want_b, &b);
    AF_(sub_wide)(&a, &a, &b);
    AF_(quotient)(&got, &a);
    BASE_(sub)(&want_a, &want_a, &want_b);
    assert_memory_equal(&got, &want_a, sizeof got);
}

static void TEST_FIELD(void **state)
{
    (void)state;
    static BASE numbers[AF_(ALL)];
    AF_(make_numbers)(numbers);
    for (size_t i = 0; i < AF_(ALL); i++) {
        for (size_t j = 0; j < AF_(ALL); j++) {
            AF_(assert_product)(&numbers[i], &numbers[j]);
            if (i < AF_(REDUCED) || (i < AF_(LOOSE) && j < AF_(LOOSE)))
                AF_(assert_reduced_product)(numbers, i, j);
            if (i < AF_(LOOSE) && j < AF_(LOOSE))
                AF_(assert_settled)(&numbers[i], &numbers[j]);
            if (i < AF_(REDUCED) && j < AF_(REDUCED))
                AF_(assert_sums)(&numbers[i], &numbers[j]);
            if (i < AF_(REDUCED))
                AF_(assert_wide)(&numbers[j], &numbers[i], &numbers[(i + j) % AF_(REDUCED)]);
        }
    }
}

#undef AF_
#undef BASE_
#undef AF
#undef AF_WORDS
#undef BASE
#undef BASE_PARAMS
#undef TEST_FIELD
