#version 460
// Joins the pieces of buckets that were cut.
#include "../../lib/prelude.glsl"
#include "combine.glsl"
