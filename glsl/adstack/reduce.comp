/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// A batch of specs, all their cells: one partial result for each workgroup.
#define PAIL_ADDRESSES
#include "../lib/prelude.glsl"
#include "../shared/adstack_layout.h"

layout(local_size_x = AD_WORKGROUP) in;

layout(push_constant) uniform Push { ad_reduce_push push; };

#include "reduce.glsl"
