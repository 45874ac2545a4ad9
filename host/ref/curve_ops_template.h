/* The table of curve_ops.h for one group, and the functions in it. Include it in one source file
 * with
 *
 *   EC, FE, FE_PARAMS  the group and the field of its coordinates, as in ec_template.h
 *   FR, FR_PARAMS      the scalar field
 *   EC_TABLE           the table's name
 *   EC_CURVE, EC_GROUP numbers at the boundary;  EC_CURVE_NAME, EC_GROUP_NAME
 *
 * Points are copied in and out of their opaque forms, so that no object is read as another type.
 */
#include <assert.h>
#include <string.h>

#include "curve_ops.h"
#include "paste.h"

#define EC_(name) PAIL_PASTE(EC, name)
#define FE_(name) PAIL_PASTE(FE, name)
#define FR_(name) PAIL_PASTE(FR, name)
#define AFFINE    EC_(affine)
#define XYZZ      EC_(xyzz)

static_assert(sizeof(AFFINE) <= sizeof(pail_affine), "PAIL_AFFINE_LIMBS_MAX is too small");
static_assert(sizeof(XYZZ) <= sizeof(pail_point), "PAIL_AFFINE_LIMBS_MAX is too small");
static_assert(sizeof(FR) == sizeof(pail_u256), "scalars are 256 bits");

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

static bool EC_(op_on_curve)(const void *affine)
{
    const AFFINE p = EC_(load_affine)(affine);
    return EC_(on_curve)(&p);
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
    AFFINE points[PAIL_BATCH_MAX];
    FE scratch[2 * PAIL_BATCH_MAX];
    const AFFINE one = EC_(load_affine)(addend);
    assert(n <= PAIL_BATCH_MAX);
    memcpy(points, sums, n * sizeof points[0]);
    EC_(batch_add)(points, &one, true, scratch, n);
    memcpy(sums, points, n * sizeof points[0]);
}

static void EC_(op_affine_neg)(void *r, const void *affine)
{
    AFFINE p = EC_(load_affine)(affine);
    EC_(affine_neg)(&p, &p);
    memcpy(r, &p, sizeof p);
}

/* ---- Words of device memory. */
static bool EC_(coordinates_from_words)(FE *coordinates, size_t n, const uint32_t *words,
                                        enum pail_radix radix)
{
    static const FE from_x29 = {PAIL_PASTE(FE_PARAMS, FROM_X29)};
    bool below_modulus = true;
    for (size_t c = 0; c < n; c++) {
        uint8_t bytes[sizeof(FE)];
        for (size_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = (uint8_t)(words[(c * sizeof bytes + i) / 4] >> (8 * (i % 4)));
        }
        below_modulus &= FE_(from_bytes)(&coordinates[c], bytes, true);
        if (radix == PAIL_RADIX_X29) {
            FE_(mul)(&coordinates[c], &coordinates[c], &from_x29);
        }
    }
    return below_modulus;
}

static void EC_(coordinates_to_words)(uint32_t *words, const FE *coordinates, size_t n,
                                      enum pail_radix radix)
{
    static const FE to_x29 = {PAIL_PASTE(FE_PARAMS, TO_X29)};
    for (size_t c = 0; c < n; c++) {
        FE x = coordinates[c];
        if (radix == PAIL_RADIX_X29) {
            FE_(mul)(&x, &x, &to_x29);
        }
        for (size_t i = 0; i < sizeof x / 4; i++) {
            words[c * sizeof x / 4 + i] = (uint32_t)(x.l[i / 2] >> (32 * (i % 2)));
        }
    }
}

static bool EC_(op_from_words)(pail_point *r, const uint32_t *words, enum pail_radix radix)
{
    FE c[4];
    const bool below_modulus = EC_(coordinates_from_words)(c, 4, words, radix);
    XYZZ point = {.x = c[0], .y = c[1], .zz = c[2], .zzz = c[3]};
    if (!below_modulus) {
        point = (XYZZ){0};
    }
    EC_(store)(r, &point);
    return below_modulus;
}

static void EC_(op_to_words)(uint32_t *words, const pail_point *p, enum pail_radix radix)
{
    const XYZZ point = EC_(load)(p);
    const FE c[4] = {point.x, point.y, point.zz, point.zzz};
    EC_(coordinates_to_words)(words, c, 4, radix);
}

static bool EC_(op_affine_from_words)(void *affine, const uint32_t *words, enum pail_radix radix)
{
    FE c[2];
    const bool below_modulus = EC_(coordinates_from_words)(c, 2, words, radix);
    AFFINE point = {.x = c[0], .y = c[1]};
    if (!below_modulus) {
        point = (AFFINE){0};
    }
    memcpy(affine, &point, sizeof point);
    return below_modulus;
}

static void EC_(op_affine_to_words)(uint32_t *words, const void *affine, enum pail_radix radix)
{
    const AFFINE point = EC_(load_affine)(affine);
    const FE c[2] = {point.x, point.y};
    EC_(coordinates_to_words)(words, c, 2, radix);
}

/* ---- Scalars: R^2 as first factor brings any integer into Montgomery form, 1 brings it back. */
static inline FR FR_(load)(const pail_u256 *a)
{
    FR r;
    FR_(from_integer)(&r, a->l);
    return r;
}

static void FR_(op_reduce)(pail_u256 *r, const pail_u256 *a)
{
    const FR x = FR_(load)(a);
    FR_(to_integer)(r->l, &x);
}

static void FR_(op_from_montgomery)(pail_u256 *r, const pail_u256 *a)
{
    FR x;
    memcpy(x.l, a->l, sizeof x.l);
    FR_(to_integer)(r->l, &x);
}

static void FR_(op_add)(pail_u256 *r, const pail_u256 *a, const pail_u256 *b)
{
    FR x = FR_(load)(a);
    const FR y = FR_(load)(b);
    FR_(add)(&x, &x, &y);
    FR_(to_integer)(r->l, &x);
}

static void FR_(op_neg)(pail_u256 *r, const pail_u256 *a)
{
    FR x = FR_(load)(a);
    FR_(neg)(&x, &x);
    FR_(to_integer)(r->l, &x);
}

static void FR_(op_mul)(pail_u256 *r, const pail_u256 *a, const pail_u256 *b)
{
    FR x = FR_(load)(a);
    const FR y = FR_(load)(b);
    FR_(mul)(&x, &x, &y);
    FR_(to_integer)(r->l, &x);
}

static const struct pail_curve_ops EC_TABLE = {
    .curve = EC_CURVE,
    .group = EC_GROUP,
    .curve_name = EC_CURVE_NAME,
    .group_name = EC_GROUP_NAME,
    .coordinate_bytes = sizeof(FE),
    .affine_bytes = sizeof(AFFINE),
    .order_bits = PAIL_PASTE(FR_PARAMS, BITS),
    .order = {PAIL_PASTE(FR_PARAMS, MODULUS)},
    .decode = EC_(op_decode),
    .encode = EC_(op_encode),
    .on_curve = EC_(op_on_curve),
    .affine_is_infinity = EC_(op_affine_is_infinity),
    .generator = EC_(op_generator),
    .from_affine = EC_(op_from_affine),
    .to_affine = EC_(op_to_affine),
    .neg = EC_(op_neg),
    .dbl = EC_(op_dbl),
    .add = EC_(op_add),
    .add_affine = EC_(op_add_affine),
    .mul = EC_(op_mul),
    .equal = EC_(op_equal),
    .is_infinity = EC_(op_is_infinity),
    .batch_add_one = EC_(op_batch_add_one),
    .affine_neg = EC_(op_affine_neg),
    .from_words = EC_(op_from_words),
    .to_words = EC_(op_to_words),
    .affine_from_words = EC_(op_affine_from_words),
    .affine_to_words = EC_(op_affine_to_words),
    .scalar_reduce = FR_(op_reduce),
    .scalar_from_montgomery = FR_(op_from_montgomery),
    .scalar_add = FR_(op_add),
    .scalar_neg = FR_(op_neg),
    .scalar_mul = FR_(op_mul),
};

#undef EC_
#undef FE_
#undef FR_
#undef AFFINE
#undef XYZZ
