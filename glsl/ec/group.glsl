// Picks the field that a group's coordinates live in. Everything that includes this is written over
// FE and the fe_ functions, and names neither a curve nor a limb count.
#ifndef EC_GROUP_GLSL
#define EC_GROUP_GLSL

#if PAIL_GROUP == 1
#include "../field/fp.glsl"
#define FE       fp
#define FE_WORDS FP_WORDS // packed words of a coordinate
#define FE_B     FE_G1_B
#else
#error "PAIL_GROUP names no group that this build has"
#endif

#define FE_VECTORS     (FE_WORDS / 4) // 16-byte vectors of a coordinate
#define AFFINE_VECTORS (2 * FE_VECTORS)
#define XYZZ_VECTORS   (4 * FE_VECTORS)

#endif
