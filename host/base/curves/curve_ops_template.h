/* SPDX-License-Identifier: Apache-2.0 */
/* The table of curve_ops.h for one group, and the functions in it. Include it in one source file
 * with
 *
 *   CURVE, CURVE_PARAMS  as in curve_template.h
 *   CURVE_NUMBER         at the boundary
 *   CURVE_NAME           for people
 *   EC_GROUP             1 or 2, also its number at the boundary
 *   EC_SMALL_ORDER       the least prime that divides the cofactor, or 1
 *   EC_COFACTOR_ONE, EC_EIGENVALUE, EC_EIGENVALUE_NEGATIVE, EC_SEED_SUM
 *                   as in subgroup_template.h
 *
 * It makes the table CURVE_g1_ops or CURVE_g2_ops, and takes the definitions that begin with EC
 * back.
 *
 * Points are copied in and out of their opaque forms, so that no object is read as another type.
 */
#include <assert.h>
#include <string.h>

#include "curve_ops.h"
#include "paste.h"
#include "words.h"

#define SCALAR        PAIL_PASTE(CURVE, fr)
#define SCALAR_PARAMS PAIL_PASTE(CURVE_PARAMS, FR)
#define BASE          PAIL_PASTE(CURVE, fp)
#define BASE_PARAMS   PAIL_PASTE(CURVE_PARAMS, FP)
#if EC_GROUP == 1
#define EC        PAIL_PASTE(CURVE, g1)
#define EC_PARAMS PAIL_PASTE(CURVE_PARAMS, G1)
#define FE        BASE
#define EC_DEGREE 1
#else
#define EC        PAIL_PASTE(CURVE, g2)
#define EC_PARAMS PAIL_PASTE(CURVE_PARAMS, G2)
#define FE        PAIL_PASTE(CURVE, fp2)
#define EC_DEGREE 2
#endif
#include "subgroup_template.h"

#define EC_(name)     PAIL_PASTE(EC, name)
#define BASE_(name)   PAIL_PASTE(BASE, name)
#define FE_(name)     PAIL_PASTE(FE, name)
#define SCALAR_(name) PAIL_PASTE(SCALAR, name)
#define AFFINE        EC_(affine)
#define XYZZ          EC_(xyzz)

static_assert(sizeof(AFFINE) <= sizeof(pail_affine), "PAIL_AFFINE_LIMBS_MAX is too small");
static_assert(sizeof(XYZZ) <= sizeof(pail_point), "PAIL_AFFINE_LIMBS_MAX is too small");
static_assert(sizeof(SCALAR) == sizeof(pail_u256), "scalars are 256 bits");
static_assert(sizeof(FE) == EC_DEGREE * sizeof(BASE), "coordinates are elements of the base field");

static inline AFFINE EC_(load_affine)(const void *opaque)
{
    AFFINE p;
    memcpy(&p, opaque, sizeof p);
    return p;
}

static inline XYZZ EC_(load)(const pail_point *opaque)
{
    XYZZ p;
    memcpy(&p, opaque->limbs, sizeof p);
    return p;
}

static inline void EC_(store)(pail_point *opaque, const XYZZ *p)
{
    memcpy(opaque->limbs, p, sizeof *p);
}

static bool EC_(op_decode)(void *affine, const uint8_t *bytes, bool montgomery)
{
    AFFINE p;
    const bool below_modulus = EC_(from_bytes)(&p, bytes, montgomery);
    memcpy(affine, &p, sizeof p);
    return below_modulus;
}

static void EC_(op_encode)(uint8_t *bytes, const void *affine, bool montgomery)
{
    const AFFINE p = EC_(load_affine)(affine);
    EC_(to_bytes)(bytes, &p, montgomery);
}

/* Decodes a Jacobian point. Out: *z: 0 at infinity. false: a coordinate is not below p. */
static bool EC_(load_jacobian)(AFFINE *p, FE *z, const uint8_t *bytes)
{
    *p = (AFFINE){0};
    *z = (FE){0};
    if (!bytes)
        return true;
    if (!FE_(from_bytes)(z, bytes + 2 * sizeof(FE), true))
        return false;
    return FE_(is_zero)(z) || EC_(from_bytes)(p, bytes, true);
}

static size_t EC_(op_decode_jacobian)(void *affine, const uint8_t *const points[], size_t n)
{
    FE z[PAIL_JACOBIAN_BATCH], scratch[PAIL_JACOBIAN_BATCH];
    AFFINE p;
    size_t good = 0;
    for (; good < n && EC_(load_jacobian)(&p, &z[good], points[good]); good++)
        memcpy((unsigned char *)affine + good * sizeof p, &p, sizeof p);
    FE_(batch_inv)(z, scratch, good);
    for (size_t i = 0; i < good; i++) {
        unsigned char *const place = (unsigned char *)affine + i * sizeof p;
        FE power;
        p = EC_(load_affine)(place);
        FE_(sqr)(&power, &z[i]);
        FE_(mul)(&p.x, &p.x, &power);
        FE_(mul)(&power, &power, &z[i]);
        FE_(mul)(&p.y, &p.y, &power);
        memcpy(place, &p, sizeof p);
    }
    return good;
}

#include "points_template.h"

static bool EC_(op_on_curve)(const void *affine)
{
    const AFFINE p = EC_(load_affine)(affine);
    return EC_(on_curve)(&p);
}

static bool EC_(op_in_subgroup)(const void *affine)
{
    const AFFINE p = EC_(load_affine)(affine);
    return EC_(in_subgroup)(&p);
}

/* Quotient and remainder by EC_SMALL_ORDER; true if it divides. */
static bool EC_(divide_by_small_order)(uint64_t *quotient, const uint64_t *k, size_t n)
{
    uint64_t remainder = 0;
    for (size_t i = n; i-- > 0;) {
        const pail_uint128 part = (pail_uint128)remainder << 64 | k[i];
        quotient[i] = (uint64_t)(part / EC_SMALL_ORDER);
        remainder = (uint64_t)(part % EC_SMALL_ORDER);
    }
    return remainder == 0;
}

/* With h the cofactor and m what is left of it without its factors q: r m P has a power of q for
 * order, and so multiplied by q often enough the order q; unless it is infinity, then another P
 * serves. (r h / q P will not do: where all points of order q are on the curve, q^2 divides h, and
 * it is infinity for every P.) */
static void EC_(op_small_order_point)(void *affine)
{
    enum { LIMBS = PAIL_PASTE(EC_PARAMS, COFACTOR_LIMBS) };
    static const uint64_t cofactor[LIMBS] = PAIL_PASTE(EC_PARAMS, COFACTOR);
    static const uint64_t order[4] = PAIL_PASTE(SCALAR_PARAMS, MODULUS), q[1] = {EC_SMALL_ORDER};
    uint64_t rest[LIMBS], quotient[LIMBS];
    memcpy(rest, cofactor, sizeof rest);
    while (!EC_COFACTOR_ONE && EC_(divide_by_small_order)(quotient, rest, LIMBS))
        memcpy(rest, quotient, sizeof rest);
    XYZZ point = {0}, multiple = {0};
    FE x = {0};
    AFFINE p = {0};
    while (!EC_COFACTOR_ONE && EC_(is_infinity)(&point)) {
        FE_(add)(&x, &x, &FE_(one));
        if (EC_(lift_x)(&p, &x, false)) {
            EC_(from_affine)(&multiple, &p);
            EC_(mul)(&multiple, &multiple, order);
            EC_(mul_wide)(&multiple, &multiple, rest, LIMBS);
        }
        while (!EC_(is_infinity)(&multiple)) {
            point = multiple;
            EC_(mul_wide)(&multiple, &multiple, q, 1);
        }
    }
    EC_(to_affine)(&p, &point);
    memcpy(affine, &p, sizeof p);
}

static bool EC_(op_y_is_largest)(const void *affine)
{
    const AFFINE p = EC_(load_affine)(affine);
    return FE_(is_largest)(&p.y);
}

static bool EC_(op_lift_x)(void *affine, const uint8_t *x_bytes, bool largest)
{
    AFFINE p = {0};
    FE x;
    const bool found = FE_(from_bytes)(&x, x_bytes, false) && EC_(lift_x)(&p, &x, largest);
    memcpy(affine, &p, sizeof p);
    return found;
}

static bool EC_(op_affine_is_infinity)(const void *affine)
{
    const AFFINE p = EC_(load_affine)(affine);
    return EC_(affine_is_infinity)(&p);
}

static void EC_(op_generator)(void *affine)
{
    memcpy(affine, &EC_(generator), sizeof(AFFINE));
}

static void EC_(op_from_affine)(pail_point *r, const void *affine)
{
    const AFFINE p = EC_(load_affine)(affine);
    XYZZ sum;
    EC_(from_affine)(&sum, &p);
    EC_(store)(r, &sum);
}

static void EC_(op_to_affine)(void *affine, const pail_point *p)
{
    const XYZZ point = EC_(load)(p);
    AFFINE r;
    EC_(to_affine)(&r, &point);
    memcpy(affine, &r, sizeof r);
}

static void EC_(op_neg)(pail_point *r, const pail_point *p)
{
    XYZZ point = EC_(load)(p);
    EC_(neg)(&point, &point);
    EC_(store)(r, &point);
}

static void EC_(op_dbl)(pail_point *r, const pail_point *p)
{
    XYZZ point = EC_(load)(p);
    EC_(dbl)(&point, &point);
    EC_(store)(r, &point);
}

static void EC_(op_dbl_times)(pail_point *r, const pail_point *p, uint32_t n)
{
    XYZZ point = EC_(load)(p);
    for (uint32_t i = 0; i < n; i++)
        EC_(dbl)(&point, &point);
    EC_(store)(r, &point);
}

static void EC_(op_add)(pail_point *r, const pail_point *p, const pail_point *q)
{
    XYZZ left = EC_(load)(p);
    const XYZZ right = EC_(load)(q);
    EC_(add)(&left, &left, &right);
    EC_(store)(r, &left);
}

static void EC_(op_add_affine)(pail_point *r, const pail_point *p, const void *affine)
{
    XYZZ left = EC_(load)(p);
    const AFFINE right = EC_(load_affine)(affine);
    EC_(add_affine)(&left, &left, &right);
    EC_(store)(r, &left);
}

static void EC_(op_mul)(pail_point *r, const pail_point *p, const pail_u256 *k)
{
    XYZZ point = EC_(load)(p);
    EC_(mul)(&point, &point, k->l);
    EC_(store)(r, &point);
}

static bool EC_(op_equal)(const pail_point *p, const pail_point *q)
{
    const XYZZ left = EC_(load)(p), right = EC_(load)(q);
    return EC_(equal)(&left, &right);
}

static bool EC_(op_is_infinity)(const pail_point *p)
{
    const XYZZ point = EC_(load)(p);
    return EC_(is_infinity)(&point);
}

static void EC_(op_batch_add_one)(void *sums, const void *addend, size_t n)
{
    /* Points with an inversion each: a caller's stack may be small. */
    enum { PART = 12288 / (sizeof(AFFINE) + 2 * sizeof(FE)) };
    AFFINE points[PART];
    FE scratch[2 * PART];
    const AFFINE one = EC_(load_affine)(addend);
    uint8_t *at = sums;
    for (size_t i = 0; i < n; i += PART) {
        const size_t m = n - i < PART ? n - i : PART;
        memcpy(points, at + i * sizeof points[0], m * sizeof points[0]);
        EC_(batch_add)(points, &one, true, scratch, m);
        memcpy(at + i * sizeof points[0], points, m * sizeof points[0]);
    }
}

static void EC_(op_affine_neg)(void *r, const void *affine)
{
    AFFINE p = EC_(load_affine)(affine);
    EC_(affine_neg)(&p, &p);
    memcpy(r, &p, sizeof p);
}

/* ---- Words of device memory: n elements of the base field, those of a coordinate in order. */
static bool EC_(from_words)(BASE *elements, size_t n, const uint32_t *words,
                            enum pail_field_form form)
{
    static const BASE from[PAIL_FORM_COUNT] = {
        [PAIL_FORM_X29] = {PAIL_PASTE(BASE_PARAMS, FROM_X29)},
        [PAIL_FORM_D51] = {PAIL_PASTE(BASE_PARAMS, FROM_D51)},
    };
    bool below_modulus = true;
    for (size_t c = 0; c < n; c++) {
        uint8_t bytes[sizeof(BASE)];
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)(words[(c * sizeof bytes + i) / 4] >> (8 * (i % 4)));
        below_modulus &= BASE_(from_bytes)(&elements[c], bytes, true);
        if (form != PAIL_FORM_X32)
            BASE_(mul)(&elements[c], &elements[c], &from[form]);
    }
    return below_modulus;
}

static void EC_(to_words)(uint32_t *words, const BASE *elements, size_t n,
                          enum pail_field_form form)
{
    static const BASE to[PAIL_FORM_COUNT] = {
        [PAIL_FORM_X29] = {PAIL_PASTE(BASE_PARAMS, TO_X29)},
        [PAIL_FORM_D51] = {PAIL_PASTE(BASE_PARAMS, TO_D51)},
    };
    for (size_t c = 0; c < n; c++) {
        BASE x = elements[c];
        if (form != PAIL_FORM_X32)
            BASE_(mul)(&x, &x, &to[form]);
        for (size_t i = 0; i < sizeof x / 4; i++)
            words[c * sizeof x / 4 + i] = (uint32_t)(x.l[i / 2] >> (32 * (i % 2)));
    }
}

static bool EC_(op_from_words)(pail_point *r, const uint32_t *words, enum pail_field_form form)
{
    BASE elements[4 * EC_DEGREE];
    const bool below_modulus = EC_(from_words)(elements, 4 * EC_DEGREE, words, form);
    XYZZ point = {0};
    if (below_modulus)
        memcpy(&point, elements, sizeof point);
    EC_(store)(r, &point);
    return below_modulus;
}

static void EC_(op_to_words)(uint32_t *words, const pail_point *p, enum pail_field_form form)
{
    BASE elements[4 * EC_DEGREE];
    memcpy(elements, p->limbs, sizeof elements);
    EC_(to_words)(words, elements, 4 * EC_DEGREE, form);
}

static void EC_(op_settle_words)(uint32_t *words)
{
    const size_t n = sizeof(BASE) / 4;
    for (size_t c = 0; c < 4 * EC_DEGREE; c++, words += n) {
        BASE x = {{0}};
        for (size_t i = 0; i < n; i++)
            x.l[i / 2] |= (uint64_t)words[i] << (32 * (i % 2));
        for (uint32_t k = 0; k < 64 && x.l[n / 2 - 1] >> 63; k++) {
            uint64_t carry = 0;
            for (size_t i = 0; i < n / 2; i++) {
                const uint64_t sum = x.l[i] + BASE_(modulus).l[i];
                const uint64_t more = sum + carry;
                carry = (sum < x.l[i]) | (more < sum);
                x.l[i] = more;
            }
        }
        for (uint32_t k = 0; k < 64; k++) {
            const BASE before = x;
            BASE_(reduce_once)(&x, &before);
        }
        for (size_t i = 0; i < n; i++)
            words[i] = (uint32_t)(x.l[i / 2] >> (32 * (i % 2)));
    }
}

static bool EC_(op_affine_from_words)(void *affine, const uint32_t *words,
                                      enum pail_field_form form)
{
    BASE elements[2 * EC_DEGREE] = {0};
    const bool below_modulus = EC_(from_words)(elements, 2 * EC_DEGREE, words, form);
    if (!below_modulus)
        memset(elements, 0, sizeof elements);
    memcpy(affine, elements, sizeof elements);
    return below_modulus;
}

static void EC_(op_affine_to_words)(uint32_t *words, const void *affine, enum pail_field_form form)
{
    BASE elements[2 * EC_DEGREE];
    memcpy(elements, affine, sizeof elements);
    EC_(to_words)(words, elements, 2 * EC_DEGREE, form);
}

/* ---- Scalars: R^2 as first factor brings any integer into Montgomery form, 1 brings it back. */
static inline SCALAR EC_(load_scalar)(const pail_u256 *a)
{
    SCALAR r;
    SCALAR_(from_integer)(&r, a->l);
    return r;
}

static void EC_(op_scalar_reduce)(pail_u256 *r, const pail_u256 *a)
{
    const SCALAR x = EC_(load_scalar)(a);
    SCALAR_(to_integer)(r->l, &x);
}

static void EC_(op_scalar_from_montgomery)(pail_u256 *r, const pail_u256 *a)
{
    SCALAR x;
    memcpy(x.l, a->l, sizeof x.l);
    SCALAR_(to_integer)(r->l, &x);
}

static void EC_(op_scalar_add)(pail_u256 *r, const pail_u256 *a, const pail_u256 *b)
{
    SCALAR x = EC_(load_scalar)(a);
    const SCALAR y = EC_(load_scalar)(b);
    SCALAR_(add)(&x, &x, &y);
    SCALAR_(to_integer)(r->l, &x);
}

static void EC_(op_scalar_neg)(pail_u256 *r, const pail_u256 *a)
{
    SCALAR x = EC_(load_scalar)(a);
    SCALAR_(neg)(&x, &x);
    SCALAR_(to_integer)(r->l, &x);
}

static void EC_(op_scalar_mul)(pail_u256 *r, const pail_u256 *a, const pail_u256 *b)
{
    SCALAR x = EC_(load_scalar)(a);
    const SCALAR y = EC_(load_scalar)(b);
    SCALAR_(mul)(&x, &x, &y);
    SCALAR_(to_integer)(r->l, &x);
}

/* Same as tools/scalar_split.py, to the last bit what devices do. */
static void EC_(op_scalar_split)(pail_u256 halves[2], const pail_u256 *k)
{
    enum {
        WORDS = PAIL_PASTE(SCALAR_PARAMS, SPLIT_WORDS),
        SCALAR_WORDS = 8,
        SHIFT = 9,
        COLUMN = 7
    };
    static const uint32_t factors[2][WORDS] = {PAIL_PASTE(SCALAR_PARAMS, SPLIT_C1),
                                               PAIL_PASTE(SCALAR_PARAMS, SPLIT_C2)};
    static const uint32_t of[2][2][4] = {
        {PAIL_PASTE(SCALAR_PARAMS, SPLIT_K1_OF_C1), PAIL_PASTE(SCALAR_PARAMS, SPLIT_K1_OF_C2)},
        {PAIL_PASTE(SCALAR_PARAMS, SPLIT_K2_OF_C1), PAIL_PASTE(SCALAR_PARAMS, SPLIT_K2_OF_C2)}};
    pail_uint128 half[2] = {k->l[0] | (pail_uint128)k->l[1] << 64, 0};
    for (size_t i = 0; i < 2; i++) {
        uint32_t t[SCALAR_WORDS + WORDS] = {0};
        for (size_t a = 0; a < SCALAR_WORDS; a++) {
            const uint32_t word = (uint32_t)(k->l[a / 2] >> (32 * (a % 2)));
            uint64_t carry = 0;
            for (size_t b = a < COLUMN ? COLUMN - a : 0; b < WORDS; b++) {
                carry += (uint64_t)word * factors[i][b] + t[a + b];
                t[a + b] = (uint32_t)carry;
                carry >>= 32;
            }
            t[a + WORDS] = (uint32_t)carry;
        }
        pail_uint128 c = t[SHIFT - 1] >> 31; /* rounds to the nearest */
        for (size_t w = 0; w < 4; w++)
            c += (pail_uint128)t[SHIFT + w] << (32 * w);
        for (size_t h = 0; h < 2; h++) {
            pail_uint128 m = 0;
            for (size_t w = 0; w < 4; w++)
                m |= (pail_uint128)of[h][i][w] << (32 * w);
            half[h] += c * m;
        }
    }
    for (size_t h = 0; h < 2; h++) {
        const uint64_t low = (uint64_t)half[h], high = (uint64_t)(half[h] >> 64);
        const uint64_t sign = high >> 63 ? UINT64_MAX : 0;
        halves[h] = (pail_u256){{low, high, sign, sign}};
    }
}

static const struct pail_curve_ops EC_(ops) = {
    .curve = CURVE_NUMBER,
    .group = EC_GROUP,
    .curve_name = CURVE_NAME,
    .group_name = EC_GROUP == 1 ? "g1" : "g2",
    .cofactor_one = EC_COFACTOR_ONE,
    .coordinate_bytes = sizeof(FE),
    .affine_bytes = sizeof(AFFINE),
    .order_bits = PAIL_PASTE(SCALAR_PARAMS, BITS),
    .order = {PAIL_PASTE(SCALAR_PARAMS, MODULUS)},
    .lambda = {PAIL_PASTE(CURVE_PARAMS, G1_LAMBDA)},
    .half_bits = PAIL_PASTE(SCALAR_PARAMS, HALF_BITS),
    .decode = EC_(op_decode),
    .encode = EC_(op_encode),
    .decode_jacobian = EC_(op_decode_jacobian),
    .load_points = EC_(op_load_points),
    .store_point = EC_(op_store_point),
    .convert = EC_(op_convert),
    .on_curve = EC_(op_on_curve),
    .in_subgroup = EC_(op_in_subgroup),
    .small_order = EC_SMALL_ORDER,
    .small_order_point = EC_(op_small_order_point),
    .y_is_largest = EC_(op_y_is_largest),
    .lift_x = EC_(op_lift_x),
    .affine_is_infinity = EC_(op_affine_is_infinity),
    .generator = EC_(op_generator),
    .from_affine = EC_(op_from_affine),
    .to_affine = EC_(op_to_affine),
    .neg = EC_(op_neg),
    .dbl = EC_(op_dbl),
    .dbl_times = EC_(op_dbl_times),
    .add = EC_(op_add),
    .add_affine = EC_(op_add_affine),
    .mul = EC_(op_mul),
    .equal = EC_(op_equal),
    .is_infinity = EC_(op_is_infinity),
    .batch_add_one = EC_(op_batch_add_one),
    .affine_neg = EC_(op_affine_neg),
    .from_words = EC_(op_from_words),
    .to_words = EC_(op_to_words),
    .settle_words = EC_(op_settle_words),
    .affine_from_words = EC_(op_affine_from_words),
    .affine_to_words = EC_(op_affine_to_words),
    .scalar_reduce = EC_(op_scalar_reduce),
    .scalar_from_montgomery = EC_(op_scalar_from_montgomery),
    .scalar_add = EC_(op_scalar_add),
    .scalar_neg = EC_(op_scalar_neg),
    .scalar_mul = EC_(op_scalar_mul),
    .scalar_split = EC_(op_scalar_split),
};

#undef EC_
#undef FE_
#undef SCALAR_
#undef AFFINE
#undef XYZZ
#undef BASE_
#undef SCALAR
#undef SCALAR_PARAMS
#undef BASE
#undef BASE_PARAMS
#undef FE
#undef EC
#undef EC_GROUP
#undef EC_SMALL_ORDER
#undef EC_COFACTOR_ONE
#undef EC_EIGENVALUE
#undef EC_SEED_SUM
#undef EC_EIGENVALUE_NEGATIVE
#undef EC_PARAMS
#undef EC_DEGREE
