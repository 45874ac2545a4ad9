/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// The accumulator `coop`: batched affine additions, one inversion for each round of GROUP threads
// of a workgroup, a power of two. They multiply their products in a binary tree in workgroup
// memory, the group's first thread inverts the root, and the way back down turns each product into
// its inverse: 2 log2 GROUP barriers for each round.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"
#include "../points.glsl"

layout(local_size_x = MSM_ACCUMULATE_WORKGROUP, local_size_x_id = MSM_SPEC_WORKGROUP) in;
layout(constant_id = MSM_SPEC_GROUP) const uint GROUP = MSM_ACCUMULATE_WORKGROUP;

#include "share.glsl"

// A heap for each group: node 1 is the root, the children of i are 2 i and 2 i + 1, the leaves
// begin at GROUP.
const uint nodes = GROUP > 1 ? 2 * gl_WorkGroupSize.x : 1;
shared uvec4 tree[nodes * FE_VECTORS];
shared uint work_left[2];

FE load_node(uint node)
{
    uvec4 v[FE_VECTORS];
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        v[i] = tree[i * nodes + node];
    return unpack_coordinate(v);
}

void store_node(uint node, FE a)
{
    uvec4 v[FE_VECTORS];
    pack_coordinate(a, v);
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        tree[i * nodes + node] = v[i];
}

uint leaf()
{
    const uint lane = gl_LocalInvocationIndex;
    return lane / GROUP * 2 * GROUP + GROUP + lane % GROUP;
}

// True if any thread of the workgroup is busy; also puts the products in the tree. The same for the
// whole workgroup, so that all threads meet at all barriers; the word of the other parity is
// cleared for the next round while nobody looks.
bool any_busy(bool busy, uint round, FE product)
{
    if (GROUP == 1)
        return busy;
    store_node(leaf(), product);
    if (busy)
        work_left[round & 1] = 1;
    barrier();
    const bool any = work_left[round & 1] != 0;
    if (gl_LocalInvocationIndex == 0)
        work_left[~round & 1] = 0;
    return any;
}

FE inverse_of(FE product)
{
    if (GROUP == 1)
        return fe_inv(product);
    // Up, one level at a time: h is a level's first node and how many there are. Then the root,
    // which is the same thread's, then down.
    const uint lane = gl_LocalInvocationIndex, groups = gl_WorkGroupSize.x / GROUP;
    for (uint h = GROUP / 2; h > 0; h >>= 1) {
        if (lane < groups * h) {
            const uint base = lane / h * 2 * GROUP, node = h + lane % h;
            const FE both = fe_mul(load_node(base + 2 * node), load_node(base + 2 * node + 1));
            store_node(base + node, both);
        }
        if (h > 1)
            barrier();
    }
    if (lane < groups)
        store_node(lane * 2 * GROUP + 1, fe_inv(load_node(lane * 2 * GROUP + 1)));
    for (uint h = 1; h < GROUP; h <<= 1) {
        if (lane < groups * h) {
            const uint base = lane / h * 2 * GROUP, node = h + lane % h;
            const FE inverse = load_node(base + node);
            FE sibling = load_node(base + 2 * node + 1);
            for (uint side = 0; side < 2; side++) {
                const FE own = load_node(base + 2 * node + side);
                store_node(base + 2 * node + side, fe_mul(inverse, sibling));
                sibling = own;
            }
        }
        barrier();
    }
    return load_node(leaf());
}

#include "walk.glsl"

void main()
{
    if (GROUP > 1) {
        if (gl_LocalInvocationIndex == 0) {
            work_left[0] = 0;
            work_left[1] = 0;
        }
        barrier();
    }
    walk();
}
