#version 460
// A pass of the bucket reduction by quads of four invocations.
#include "../../lib/prelude.glsl"
#include "reduce.glsl"
