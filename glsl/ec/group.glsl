/* SPDX-License-Identifier: Apache-2.0 */
// Picks the field that a group's coordinates live in. Everything that includes this is written over
// FE and the fe_ functions, and names neither a curve nor a limb count.
#ifndef EC_GROUP_GLSL
#define EC_GROUP_GLSL

#if PAIL_GROUP == 1
#include "../field/fp.glsl"
#define FE        fp
#define FE_WORDS  FP_WORDS // packed words of a coordinate
#define FE_B      FP_G1_B
#define FE_DEGREE 1 // base-field elements of a coordinate
#define FE_LANES  1 // invocations that have one of them each, or one that has all

fp fe_zero()
{
    return fp_zero();
}

fp fe_one()
{
    return fp_one();
}

fp fe_raw_one()
{
    return fp_raw_one();
}
#elif PAIL_GROUP == 2 && defined(PAIL_PAIRS)
#include "../field/fp2_pair.glsl"
#define FE        fp
#define FE_WORDS  FP_WORDS // words of the own coefficient
#define FE_DEGREE 2
#define FE_LANES  2

fp fe_zero()
{
    return fp_zero();
}

fp fe_one()
{
    return fe_select(fe_is_odd(), fp_one(), fp_zero());
}
#elif PAIL_GROUP == 2
#include "../field/fp2.glsl"
#define FE        fp2
#define FE_WORDS  FP2_WORDS
#define FE_B      FP_G2_B
#define FE_DEGREE 2
#define FE_LANES  1

fp2 fe_zero()
{
    return fp2(fp_zero(), fp_zero());
}

fp2 fe_one()
{
    return fp2(fp_one(), fp_zero());
}

fp2 fe_raw_one()
{
    return fp2(fp_raw_one(), fp_zero());
}
#else
#error "PAIL_GROUP names no group that this build has"
#endif

#define FP_VECTORS     (FP_WORDS / 4)
#define FE_VECTORS     (FE_WORDS / 4) // 16-byte vectors of a coordinate, as far as it is the own
#define AFFINE_VECTORS (2 * FE_DEGREE * FP_VECTORS)
#define XYZZ_VECTORS   (4 * FE_DEGREE * FP_VECTORS)
#define XYZZ_OWN       (4 * FE_VECTORS) // own vectors of a point

// Places in a point: of a coordinate, and of own vector i.
#if FE_LANES == 2
#define FE_PLACE(coordinate) ((2 * (coordinate) + uint(fe_is_odd())) * FE_VECTORS)
#define XYZZ_PLACE(i)        (FE_PLACE((i) / FE_VECTORS) + (i) % FE_VECTORS)
#else
#define FE_PLACE(coordinate) ((coordinate)*FE_VECTORS)
#define XYZZ_PLACE(i)        (i)

// True if `own` is so for all invocations that have a part.
bool fe_both(bool own)
{
    return own;
}
#endif

// An element in workgroup memory: of an odd number of digits, so that invocations next to each
// other meet in no bank.
struct fe_waiting {
    FE value;
#if FP_DIGITS * FE_DEGREE / FE_LANES % 2 == 0
    FP_DIGIT apart;
#endif
};

#endif
