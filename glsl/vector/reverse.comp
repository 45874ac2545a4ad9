/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Elements in bit-reversed order, in each block of 2^log_n. An invocation moves both elements of a
// pair, and reads them before it writes. In place they are read from the buffer that is written: a
// compiler may take two buffers for different memory, and write the first before it reads the
// second, as NVIDIA's does.
#include "../lib/prelude.glsl"
#include "../shared/vector_layout.h"

layout(local_size_x = VECTOR_WORKGROUP) in;

#include "../lib/grid.glsl"

layout(push_constant) uniform Push { vector_reverse_push push; };
layout(binding = 0, std430) readonly buffer A { uvec4 a[]; };
layout(binding = 1, std430) buffer R { uvec4 r[]; };

void main()
{
    const uint i = grid_index();
    if (i >= push.n)
        return;
    const uint block = i >> push.log_n << push.log_n, x = i - block;
    const uint y = push.log_n == 0 ? 0 : bitfieldReverse(x) >> (32 - push.log_n);
    if (y < x)
        return; // the pair is the other one's
    const uint from_x = 2 * (push.first_a + i), from_y = 2 * (push.first_a + block + y);
    const uint to_x = 2 * (push.first_r + i), to_y = 2 * (push.first_r + block + y);
    uvec4 x_low, x_high, y_low, y_high;
    if (push.in_place != 0) {
        x_low = r[to_x];
        x_high = r[to_x + 1];
        y_low = r[to_y];
        y_high = r[to_y + 1];
    } else {
        x_low = a[from_x];
        x_high = a[from_x + 1];
        y_low = a[from_y];
        y_high = a[from_y + 1];
    }
    r[to_x] = y_low;
    r[to_x + 1] = y_high;
    r[to_y] = x_low;
    r[to_y + 1] = x_high;
}
