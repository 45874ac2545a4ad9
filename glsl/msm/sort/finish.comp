/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// The last pass of the sort: see scatter.glsl.
#define SORT_LAST
#include "scatter.glsl"
