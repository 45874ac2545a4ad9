/* SPDX-License-Identifier: Apache-2.0 */
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(local_size_x = 64) in;

layout(push_constant) uniform push_block
{
    uvec2 overflow;
}
push;

#define PAIL_OVERFLOW_ADDRESS push.overflow
#include "pail/overflow.glsl"
#include "storm.glsl"
