#version 460
// A pass of the bucket reduction with one addition for each invocation.
#include "../../lib/prelude.glsl"
#include "wide.glsl"
