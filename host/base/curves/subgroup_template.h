/* SPDX-License-Identifier: Apache-2.0 */
/* Subgroup test for a point on the curve, by an endomorphism that acts on the subgroup of order r
 * as multiplication by a small number k. Include it in one source file with EC, FE, EC_PARAMS and
 * EC_DEGREE as in ec_template_impl.h, and with
 *
 *   EC_COFACTOR_ONE  1 if the subgroup is the whole curve; the rest is for 0
 *   EC_EIGENVALUE    initialiser of the limbs of |k|
 *   EC_EIGENVALUE_NEGATIVE  1 if k is negative
 *
 * or, in place of both, EC_SEED_SUM, initialiser of the limbs of a number x with
 * x + 1 + x k + x k^2 = 2 x k^3 modulo r.
 *
 * That the image of P is k P proves that P has order r (or 1), in each of these cases:
 *
 *   degree 1   phi(x, y) = (beta x, y) with beta^3 = 1, so phi^2 + phi + 1 = 0. phi(P) = k P gives
 *              (k^2 + k + 1) P = 0. BLS12-381 has k = x^2 - 1 (x being the curve's parameter), and
 *              k^2 + k + 1 = x^4 - x^2 + 1 = r.
 *   degree 2   psi, the Frobenius map seen from the twist: (cx conj(x), cy conj(y)). It satisfies
 *              psi^2 - t psi + p = 0 with t the trace of the curve over the base field. psi(P) = k
 * P gives (k^2 - t k + p) P = 0; both curves have k = t - 1, so this is (p + 1 - t) P = 0. For
 * BN254 p + 1 - t is r. For BLS12-381 it is r times the cofactor of the first group, which has no
 * factor in common with that of the second.
 *   seed sum   BN254 has a shorter way, x being the curve's parameter with half the bits of k:
 *              f(psi) P = 0 for f(X) = x + 1 + x X + x X^2 - 2 x X^3. The resultant of f and of
 *              X^2 - t X + p takes P to 0 as well, and has but r in common with the number of
 *              points.
 *
 * On the subgroup itself k is the eigenvalue, so no point of it fails. tools/gen_curves.py asserts
 * the numbers. Michael Scott, "A note on group membership tests for G1, G2 and GT on BLS
 * pairing-friendly curves", ePrint 2021/1130; Yu Dai, Kaizhan Lin, Chang-An Zhao, Zijian Zhou,
 * "Fast subgroup membership testings for G1, G2 and GT on pairing-friendly curves", ePrint
 * 2022/348.
 */
#include "element.h"
#include "paste.h"

#define EC_(name) PAIL_PASTE(EC, name)
#define FE_(name) PAIL_PASTE(FE, name)
#define AFFINE    EC_(affine)
#define XYZZ      EC_(xyzz)

#ifdef EC_SEED_SUM
static void EC_(psi)(XYZZ *r, const XYZZ *p)
{
    static const FE cx = PAIL_ELEMENT(EC_DEGREE, EC_PARAMS, PSI_X);
    static const FE cy = PAIL_ELEMENT(EC_DEGREE, EC_PARAMS, PSI_Y);
    FE_(conjugate)(&r->x, &p->x);
    FE_(conjugate)(&r->y, &p->y);
    FE_(conjugate)(&r->zz, &p->zz);
    FE_(conjugate)(&r->zzz, &p->zzz);
    FE_(mul)(&r->x, &r->x, &cx);
    FE_(mul)(&r->y, &r->y, &cy);
}
#endif

static bool EC_(in_subgroup)(const AFFINE *p)
{
#if EC_COFACTOR_ONE
    (void)p;
    return true;
#else
    XYZZ left, right;
#ifdef EC_SEED_SUM
    static const uint64_t x[4] = EC_SEED_SUM;
    XYZZ image;
    EC_(from_affine)(&image, p);
    EC_(mul)(&image, &image, x);
    EC_(add_affine)(&left, &image, p);
    for (size_t i = 0; i < 2; i++) {
        EC_(psi)(&image, &image);
        EC_(add)(&left, &left, &image);
    }
    EC_(psi)(&image, &image);
    EC_(dbl)(&right, &image);
#else
    static const uint64_t k[4] = EC_EIGENVALUE;
    AFFINE image;
#if EC_DEGREE == 1
    static const FE beta = PAIL_ELEMENT(EC_DEGREE, EC_PARAMS, BETA);
    FE_(mul)(&image.x, &p->x, &beta);
    image.y = p->y;
#else
    static const FE cx = PAIL_ELEMENT(EC_DEGREE, EC_PARAMS, PSI_X);
    static const FE cy = PAIL_ELEMENT(EC_DEGREE, EC_PARAMS, PSI_Y);
    FE_(conjugate)(&image.x, &p->x);
    FE_(conjugate)(&image.y, &p->y);
    FE_(mul)(&image.x, &image.x, &cx);
    FE_(mul)(&image.y, &image.y, &cy);
#endif
    EC_(from_affine)(&left, &image);
    EC_(from_affine)(&right, p);
    EC_(mul)(&right, &right, k);
    if (EC_EIGENVALUE_NEGATIVE)
        EC_(neg)(&right, &right);
#endif
    return EC_(equal)(&left, &right);
#endif
}

#undef EC_
#undef FE_
#undef AFFINE
#undef XYZZ
