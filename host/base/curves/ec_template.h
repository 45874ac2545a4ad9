/* SPDX-License-Identifier: Apache-2.0 */
/* A group of points on y^2 = x^3 + b, written once for all of them. Include it with
 *
 *   EC  prefix of the types and functions, for example pail_bn254_g1
 *   FE  the field of the coordinates, whose header is already included
 *
 * and ec_template_impl.h in one source file with the same two. No include guard.
 *
 * A point is affine, with (0, 0) for infinity (not a point, since b is not 0), or XYZZ: x = X / ZZ,
 * y = Y / ZZZ, ZZ^3 = ZZZ^2, with ZZ = 0 for infinity. Every function takes every point: equal,
 * opposite, infinite. Outputs may be the same object as inputs. Formulas: Explicit-Formulas
 * Database, "XYZZ coordinates for short Weierstrass curves", by the names given there.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "paste.h"

#define EC_(name) PAIL_PASTE(EC, name)
#define AFFINE    EC_(affine)
#define XYZZ      EC_(xyzz)

typedef struct AFFINE {
    FE x, y;
} AFFINE;

typedef struct XYZZ {
    FE x, y, zz, zzz;
} XYZZ;

extern const AFFINE EC_(generator);

bool EC_(affine_is_infinity)(const AFFINE *p);
bool EC_(is_infinity)(const XYZZ *p);
bool EC_(on_curve)(const AFFINE *p); /* infinity is */

/* The point of the curve with this x whose y is the largest of the two, or is not; false, with
 * infinity stored, if there is none. */
bool EC_(lift_x)(AFFINE *r, const FE *x, bool largest);

/* x then y, sizeof(FE) bytes each, as FE's from_bytes. Does not ask whether the point is on the
 * curve. Returns false, and stores infinity, if a coordinate is not below the modulus. */
bool EC_(from_bytes)(AFFINE *r, const uint8_t *bytes, bool montgomery);
void EC_(to_bytes)(uint8_t *bytes, const AFFINE *p, bool montgomery);

void EC_(from_affine)(XYZZ *r, const AFFINE *p);
void EC_(to_affine)(AFFINE *r, const XYZZ *p);

void EC_(affine_neg)(AFFINE *r, const AFFINE *p);
void EC_(neg)(XYZZ *r, const XYZZ *p);
bool EC_(equal)(const XYZZ *p, const XYZZ *q);

void EC_(dbl)(XYZZ *r, const XYZZ *p);
void EC_(dbl_affine)(XYZZ *r, const AFFINE *p);
void EC_(add)(XYZZ *r, const XYZZ *p, const XYZZ *q);
void EC_(add_affine)(XYZZ *r, const XYZZ *p, const AFFINE *q);

/* r = k p for an integer k of n limbs, least significant first, by double and add; mul: of four. */
void EC_(mul_wide)(XYZZ *r, const XYZZ *p, const uint64_t *k, size_t n);
void EC_(mul)(XYZZ *r, const XYZZ *p, const uint64_t k[4]);

/* sums[i] += addends[i], or += addends[0] if `same`, in affine coordinates with one inversion for
 * all n. scratch: [2 n]. */
void EC_(batch_add)(AFFINE *sums, const AFFINE *addends, bool same, FE *scratch, size_t n);

#undef EC_
#undef AFFINE
#undef XYZZ
