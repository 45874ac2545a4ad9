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
#elif PAIL_GROUP == 2
#include "../field/fp2.glsl"
#define FE        fp2
#define FE_WORDS  FP2_WORDS
#define FE_B      FP_G2_B
#define FE_DEGREE 2

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
#define FE_VECTORS     (FE_WORDS / 4) // 16-byte vectors of a coordinate
#define AFFINE_VECTORS (2 * FE_VECTORS)
#define XYZZ_VECTORS   (4 * FE_VECTORS)

#endif
