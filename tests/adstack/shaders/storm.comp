/* SPDX-License-Identifier: Apache-2.0 */
#version 460
layout(local_size_x = 64) in;

#define PAIL_OVERFLOW_BINDING 0
#include "pail/overflow.glsl"
#include "storm.glsl"
