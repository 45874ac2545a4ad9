#version 460
// msm/combine/combine with two neighbouring invocations for each lane of a quad, one for each
// coefficient of its coordinate (field/fp2_pair.glsl).
#define PAIL_SUBGROUP
#define PAIL_PAIRS
#include "../../lib/prelude.glsl"
#include "combine.glsl"
