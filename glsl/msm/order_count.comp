#version 460
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"
#include "order.glsl"

void main()
{
    const cut_bucket b = cut_own_bucket();
    if (b.pieces != 0)
        atomicAdd(index[b.counter], b.pieces);
}
