/* SPDX-License-Identifier: Apache-2.0 */
/* Points by their x: square roots and the test of the subgroup, which a compressed point takes.
 * vector_template.h includes it for first groups, eight points at a time, and chains_template.h one
 * point at a time, with the names of the group and
 *
 *   EC_B       b of y^2 = x^3 + b
 *   EC_SEED    of BLS12-381: the size x of the family's parameter; without it every point of the
 *              curve has order r
 *   VF, VF_WORDS, VF_MASK, CONSTANTS  lanes of elements, words of one, a set of lanes, and what the
 *              products take
 *   EC_(lift_constant)(r, value)  the same value in all lanes
 *
 * The root is a^((p + 1) / 4), p being 3 mod 4. A point P has order r if phi(P) = (x^2 - 1) P
 * (curves/subgroup_template.h), which is x (x P) - P in Jacobian coordinates with doublings and few
 * additions. An addition of equal or opposite points, which formulas for others get wrong, has H =
 * 0 and so Z = 0, and Z stays 0 from there on: such a point is refused at the end, and it has not
 * order r, since multiples of a point of order r do not meet here.
 *
 * Sizes. Products of factors of up to 10 p and 11 p are below 1.1 p, R being more than 2000 p; that
 * of the root, where R is 80 p, are as in vector_template.h. */

/* r = a^((p + 1) / 4), by four bits at a time; a: tidy, below 3 p. */
static __attribute__((noinline)) void EC_(lift_root)(VF *r, const VF *a, const CONSTANTS *c)
{
    enum { WINDOW = 4, POWERS = 1 << WINDOW };
    static const uint64_t modulus[VF_WORDS] = PAIL_PASTE(BASE_PARAMS, MODULUS);
    VF powers[POWERS];
    uint64_t exponent[VF_WORDS], carry = 1; /* p / 4, rounded down, plus 1 */
    for (size_t i = 0; i < VF_WORDS; i++) {
        const uint64_t above = i + 1 < VF_WORDS ? modulus[i + 1] << 62 : 0;
        exponent[i] = pail_add_carry(modulus[i] >> 2 | above, 0, &carry);
    }
    powers[0] = c->one;
    for (size_t i = 1; i < POWERS; i++)
        VF_(mul)(&powers[i], &powers[i - 1], a, c);
    *r = c->one;
    for (size_t bit = 64 * VF_WORDS; bit > 0;) {
        bit -= WINDOW;
        for (size_t i = 0; i < WINDOW; i++)
            VF_(sqr)(r, r, c);
        const size_t digit = exponent[bit / 64] >> bit % 64 & (POWERS - 1);
        if (digit != 0)
            VF_(mul)(r, r, &powers[digit], c);
    }
}

#ifdef EC_SEED
#define JACOBIAN EC_(lift_point)

/* Eight points: (x / z^2, y / z^3). Coordinates are tidy and at most 5.1 p. */
typedef struct JACOBIAN {
    VF x, y, z;
} JACOBIAN;

static inline void EC_(lift_sub)(VF *r, const VF *a, const VF *b, const VF *offset,
                                 const CONSTANTS *c)
{
    VF_(sub)(r, a, b, offset);
    VF_(tidy)(r, c);
}

static inline void EC_(lift_twice)(VF *r, const VF *a, const CONSTANTS *c)
{
    VF_(add)(r, a, a);
    VF_(tidy)(r, c);
}

/* E = 3 X^2, S = 4 X Y^2, X3 = E^2 - 2 S, Y3 = E (S - X3) - 8 Y^4, Z3 = 2 Y Z. */
static __attribute__((noinline)) void EC_(lift_double)(JACOBIAN *p, const CONSTANTS *c)
{
    VF square, e, b, s, t;
    VF_(sqr)(&square, &p->x, c);
    VF_(add)(&e, &square, &square);
    VF_(add)(&e, &e, &square);
    VF_(tidy)(&e, c);
    VF_(sqr)(&b, &p->y, c);
    EC_(lift_twice)(&b, &b, c); /* 2 Y^2 */
    EC_(lift_twice)(&t, &p->x, c);
    VF_(mul)(&s, &b, &t, c);
    EC_(lift_twice)(&t, &p->y, c);
    VF_(mul)(&p->z, &t, &p->z, c);
    VF_(sqr)(&p->x, &e, c);
    EC_(lift_twice)(&t, &s, c);
    EC_(lift_sub)(&p->x, &p->x, &t, &c->four, c);
    EC_(lift_sub)(&t, &s, &p->x, &c->eight, c);
    VF_(mul)(&p->y, &e, &t, c);
    VF_(sqr)(&t, &b, c);
    EC_(lift_twice)(&t, &t, c);
    EC_(lift_sub)(&p->y, &p->y, &t, &c->four, c);
}

/* p += q: U = X Z'^2, S = Y Z'^3 of both, H = U2 - U1, R = S2 - S1, V = U1 H^2,
 * X3 = R^2 - H^3 - 2 V, Y3 = R (V - X3) - S1 H^3, Z3 = Z1 Z2 H. */
static __attribute__((noinline)) void EC_(lift_add)(JACOBIAN *p, const JACOBIAN *q,
                                                    const CONSTANTS *c)
{
    VF zz1, zz2, u1, h, s1, r, hh, v, t;
    VF_(sqr)(&zz1, &p->z, c);
    VF_(sqr)(&zz2, &q->z, c);
    VF_(mul)(&u1, &p->x, &zz2, c);
    VF_(mul)(&h, &q->x, &zz1, c);
    EC_(lift_sub)(&h, &h, &u1, &c->four, c);
    VF_(mul)(&zz2, &zz2, &q->z, c);
    VF_(mul)(&s1, &p->y, &zz2, c);
    VF_(mul)(&zz1, &zz1, &p->z, c);
    VF_(mul)(&r, &q->y, &zz1, c);
    EC_(lift_sub)(&r, &r, &s1, &c->four, c);
    VF_(mul)(&p->z, &p->z, &q->z, c);
    VF_(mul)(&p->z, &p->z, &h, c);
    VF_(sqr)(&hh, &h, c);
    VF_(mul)(&v, &u1, &hh, c);
    VF_(mul)(&hh, &hh, &h, c); /* H^3 */
    VF_(sqr)(&p->x, &r, c);
    VF_(add)(&t, &v, &v);
    VF_(add)(&t, &t, &hh);
    VF_(tidy)(&t, c);
    EC_(lift_sub)(&p->x, &p->x, &t, &c->four, c);
    EC_(lift_sub)(&t, &v, &p->x, &c->eight, c);
    VF_(mul)(&p->y, &r, &t, c);
    VF_(mul)(&t, &s1, &hh, c);
    EC_(lift_sub)(&p->y, &p->y, &t, &c->four, c);
}

static void EC_(lift_times_seed)(JACOBIAN *p, const CONSTANTS *c)
{
    const uint64_t seed = EC_SEED;
    const JACOBIAN base = *p;
    for (int bit = 62 - __builtin_clzll(seed); bit >= 0; bit--) {
        EC_(lift_double)(p, c);
        if (seed >> bit & 1)
            EC_(lift_add)(p, &base, c);
    }
}

/* Lanes whose points, on the curve and below 1.3 p, have order r. */
static __attribute__((noinline)) VF_MASK EC_(lift_in_subgroup)(const VF *x, const VF *y,
                                                               const CONSTANTS *c)
{
    static const BASE beta = {EC_BETA};
    const VF zero = {0};
    JACOBIAN p = {*x, *y, c->one}, minus = p;
    VF factor, zz, left, right;
    EC_(lift_times_seed)(&p, c);
    EC_(lift_times_seed)(&p, c);
    EC_(lift_sub)(&minus.y, &zero, y, &c->four, c);
    EC_(lift_add)(&p, &minus, c);
    EC_(lift_constant)(&factor, &beta);
    VF_(sqr)(&zz, &p.z, c);
    VF_(mul)(&left, x, &factor, c);
    VF_(mul)(&left, &left, &zz, c);
    VF_(mul)(&right, &c->one, &p.x, c);
    EC_(lift_sub)(&left, &left, &right, &c->four, c);
    VF_MASK good = VF_(is_zero)(&left, c);
    VF_(mul)(&zz, &zz, &p.z, c);
    VF_(mul)(&left, y, &zz, c);
    VF_(mul)(&right, &c->one, &p.y, c);
    EC_(lift_sub)(&left, &left, &right, &c->four, c);
    good &= VF_(is_zero)(&left, c);
    return good & (VF_MASK)~VF_(is_zero)(&p.z, c);
}
#undef JACOBIAN
#endif

/* y of points with these x, and the lanes that have one. *good: those of order r, if order asks. */
static inline VF_MASK EC_(lift_y)(VF *y, const VF *x, bool order, VF_MASK *good, const CONSTANTS *c)
{
    static const BASE b = {EC_B};
    VF right, check;
    EC_(lift_constant)(&check, &b);
    VF_(sqr)(&right, x, c);
    VF_(mul)(&right, &right, x, c);
    VF_(add)(&right, &right, &check);
    VF_(tidy)(&right, c); /* below 2.3 p */
    EC_(lift_root)(y, &right, c);
    VF_(sqr)(&check, y, c);
    VF_(sub)(&check, &check, &right, &c->four); /* 1.7 to 5.3 p */
    const VF_MASK roots = VF_(is_zero)(&check, c);
    *good = roots;
#ifdef EC_SEED
    *good = order ? roots & EC_(lift_in_subgroup)(x, y, c) : 0;
#else
    (void)order;
#endif
    return roots;
}

#ifdef VF_STORED /* vectors */
static void EC_(adder_lift)(void *affine, uint8_t *found, size_t n, bool order)
{
    unsigned char *const at = affine;
    uint64_t stored[8 * POINT_WORDS];
    CONSTANTS c;
    VF x, y;
    VF_(prepare)(&c);
    for (size_t i = 0; i < n; i += 8) {
        const size_t count = n - i < 8 ? n - i : 8;
        const uint64_t *rows[8];
        uint64_t *to[8];
        EC_(adder_import)(stored, at + i * sizeof(AFFINE), count);
        for (size_t k = 0; k < 8; k++)
            rows[k] = to[k] = stored + (k < count ? k : 0) * POINT_WORDS;
        VF_(load)(&x, rows, 0, &c);
        VF_MASK good;
        const unsigned roots = EC_(lift_y)(&y, &x, order, &good, &c);
        VF_(store)(to, VF_STORED, &y);
        for (size_t k = 0; k < count; k++) {
            pail_affine point;
            EC_(adder_export)(&point, stored + k * POINT_WORDS);
            memcpy(at + (i + k) * sizeof(AFFINE), point.limbs, sizeof(AFFINE));
            found[i + k] = (uint8_t)((roots >> k & 1) + ((unsigned)good >> k & 1));
        }
    }
}
#endif
