/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// A pass of the sort that is not the last one: see scatter.glsl.
#define SORT_PLACES
#include "scatter.glsl"
