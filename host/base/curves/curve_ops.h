/* SPDX-License-Identifier: Apache-2.0 */
/* Curves chosen at run time: one table of functions for each (curve, group).
 *
 * Here a point is opaque: pail_point holds any group's XYZZ point, and affine points are bytes of
 * which ops->affine_bytes make one (in arrays, aligned for uint64_t). Both are in the CPU's own
 * form.
 */
#ifndef PAIL_CURVES_CURVE_OPS_H
#define PAIL_CURVES_CURVE_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shared/field_form.h>

/* Limbs of the widest group's affine point: BLS12-381 G2, two coordinates of two times six. */
#define PAIL_AFFINE_LIMBS_MAX 24

/* Points that are made affine together: the inversion is little of their work then, and all of it
 * fits a frame. */
#define PAIL_JACOBIAN_BATCH 32

typedef struct pail_point {
    uint64_t limbs[2 * PAIL_AFFINE_LIMBS_MAX];
} pail_point;

typedef struct pail_affine {
    uint64_t limbs[PAIL_AFFINE_LIMBS_MAX];
} pail_affine;

/* A 256-bit integer, least significant limb first. */
typedef struct pail_u256 {
    uint64_t l[4];
} pail_u256;

/* How encoded points are: 2 coordinates, affine, or 3: Jacobian, for (x / z^2, y / z^3), or
 * projective, for (x / z, y / z). */
struct pail_point_encoding {
    uint32_t coordinates;
    bool jacobian, montgomery;
};

struct pail_curve_ops {
    uint32_t curve, group; /* numbers of the plugin boundary */
    const char *curve_name, *group_name;
    size_t coordinate_bytes; /* bytes of an encoded coordinate; in G2 of c0 and c1 together */
    size_t affine_bytes;     /* bytes of a point in the CPU's own form */
    uint32_t order_bits;
    pail_u256 order;   /* r */
    bool cofactor_one; /* every point on the curve has order r (or is infinity) */
    /* (x, y) -> (beta x, y) multiplies points of order r by lambda, lambda^2 + lambda + 1 = 0 mod r
     * (Gallant, Lambert, Vanstone, CRYPTO 2001). */
    pail_u256 lambda;
    uint32_t half_bits; /* scalar_split's halves are below 2^half_bits, of either sign */

    /* Encoded points: x then y, little-endian, canonical or times 2^(8 width of the base field)
     * (montgomery); all zero is infinity. decode returns false, and stores infinity, if a
     * coordinate is not below p; it does not ask whether the point is on the curve. */
    bool (*decode)(void *affine, const uint8_t *bytes, bool montgomery);
    void (*encode)(uint8_t *bytes, const void *affine, bool montgomery);
    /* The same of n <= PAIL_JACOBIAN_BATCH encoded Jacobian points x, y, z, Montgomery, with one
     * inversion: affine: packed. z = 0 is infinity, whatever x and y are; so is NULL. Returns the
     * number of the first point that has a coordinate not below p, where it stops; n: none. */
    size_t (*decode_jacobian)(void *affine, const uint8_t *const points[], size_t n);
    /* n <= PAIL_JACOBIAN_BATCH packed points in any encoding, with one inversion. Coordinates mean
     * what they are modulo p, whatever they are. store_point writes the point with z = 1, or
     * infinity with y = 1 (projective) or all 0. */
    void (*load_points)(void *affine, const uint8_t *bytes, size_t n, struct pail_point_encoding e);
    void (*store_point)(uint8_t *bytes, const void *affine, struct pail_point_encoding e);
    /* n packed coordinates to Montgomery form or back, modulo p. to may be from. */
    void (*convert)(uint8_t *to, const uint8_t *from, size_t n, bool to_montgomery);
    bool (*on_curve)(const void *affine);    /* infinity is */
    bool (*in_subgroup)(const void *affine); /* order r; of a point on the curve; infinity too */
    bool (*affine_is_infinity)(const void *affine);

    /* A point on the curve of order small_order, which is the least prime that divides the
     * cofactor; where the cofactor is 1, small_order is 1 and the point infinity. */
    uint32_t small_order;
    void (*small_order_point)(void *affine);

    /* Compressed points. y is the largest if it is above -y, as integers; in G2 c1 decides, or c0
     * if c1 is 0. lift_x gives the point of that kind from an encoded, canonical x; it returns
     * false, and stores infinity, if x is not below p or the curve has no such point. It does not
     * ask whether the point is in the subgroup. */
    bool (*y_is_largest)(const void *affine);
    bool (*lift_x)(void *affine, const uint8_t *x, bool largest);

    void (*generator)(void *affine);

    /* Every function takes every point. Outputs may be inputs. */
    void (*from_affine)(pail_point *r, const void *affine);
    void (*to_affine)(void *affine, const pail_point *p);
    void (*neg)(pail_point *r, const pail_point *p);
    void (*dbl)(pail_point *r, const pail_point *p);
    void (*dbl_times)(pail_point *r, const pail_point *p, uint32_t n); /* 2^n p */
    void (*add)(pail_point *r, const pail_point *p, const pail_point *q);
    void (*add_affine)(pail_point *r, const pail_point *p, const void *affine);
    void (*mul)(pail_point *r, const pail_point *p, const pail_u256 *k);
    bool (*equal)(const pail_point *p, const pail_point *q);
    bool (*is_infinity)(const pail_point *p);

    /* sums[i] += *addend in affine coordinates, with few inversions. */
    void (*batch_add_one)(void *sums, const void *addend, size_t n);
    void (*affine_neg)(void *r, const void *affine);

    /* X, Y, ZZ, ZZZ as 32-bit words, least significant first, Montgomery with the given radix; ZZ =
     * 0 is infinity. Returns false, and stores infinity, if a coordinate is not below p. */
    bool (*from_words)(pail_point *r, const uint32_t *words, enum pail_field_form form);
    void (*to_words)(uint32_t *words, const pail_point *p, enum pail_field_form form);

    /* Brings coordinates of such words below p that a kernel has left as it had them, in two's
     * complement (fe_pack_loose of glsl/field/fp_d51.glsl): at most 64 p away. */
    void (*settle_words)(uint32_t *words);

    /* The same for affine points: x, y, both 0 for infinity. */
    bool (*affine_from_words)(void *affine, const uint32_t *words, enum pail_field_form form);
    void (*affine_to_words)(uint32_t *words, const void *affine, enum pail_field_form form);

    /* Scalars modulo r; operands are any 256-bit integers, results are below r. */
    void (*scalar_reduce)(pail_u256 *r, const pail_u256 *a);
    void (*scalar_from_montgomery)(pail_u256 *r, const pail_u256 *a); /* a / 2^256 */
    void (*scalar_add)(pail_u256 *r, const pail_u256 *a, const pail_u256 *b);
    void (*scalar_neg)(pail_u256 *r, const pail_u256 *a);
    void (*scalar_mul)(pail_u256 *r, const pail_u256 *a, const pail_u256 *b);

    /* k = halves[0] + halves[1] lambda mod r, both in two's complement. */
    void (*scalar_split)(pail_u256 halves[2], const pail_u256 *k);
};

/* The table of a group by its numbers at the boundary (curve 1: BN254; group 1: G1); NULL if there
 * is none. */
const struct pail_curve_ops *pail_curve_ops(uint32_t curve, uint32_t group);

/* An encoding of points by its number there, which is one. */
struct pail_point_encoding pail_point_encoding_of(uint32_t encoding);

/* Little-endian bytes of a 256-bit integer. */
void pail_u256_from_bytes(pail_u256 *r, const uint8_t bytes[32]);
void pail_u256_to_bytes(uint8_t bytes[32], const pail_u256 *a);

#endif /* PAIL_CURVES_CURVE_OPS_H */
