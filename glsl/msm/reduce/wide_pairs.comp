#version 460
// msm/reduce/wide with two neighbouring invocations for each addition, one for each coefficient of
// the coordinates (field/fp2_pair.glsl): what an addition goes on with then has room in workgroup
// memory.
#define PAIL_SUBGROUP
#define PAIL_PAIRS
#include "../../lib/prelude.glsl"
#include "wide.glsl"
