/* SPDX-License-Identifier: Apache-2.0 */
// A run: the points of one bucket that one thread adds up. Its sum is the bucket, or, where the
// bucket goes on in the share of a neighbour, a piece of it. Every bucket has exactly one writer:
// the thread that holds all of it, at this level or at a later one.
//
// A thread leaves two pieces, the first and the last run of its share; (MSM_KEY_NONE, -) where
// there is none. A share that lies inside one bucket leaves its sum as the first piece and
// infinity, under the same bucket, as the last, so that the pieces of a bucket are always
// neighbours.
#ifndef MSM_RUN_GLSL
#define MSM_RUN_GLSL

// The point that the sum of a run goes to. open_left: the bucket began before this thread's share;
// open_right: it goes on after.
uint end_run(uint keys, uint pieces, uint thread, uint buckets, uint bucket, bool open_left,
             bool open_right)
{
    uint at = buckets + bucket;
    if (open_left || open_right) {
        const uint slot = 2 * thread + (open_left ? 0 : 1);
        index[keys + slot] = bucket;
        at = pieces + slot;
    }
    if (open_left && open_right) {
        index[keys + 2 * thread + 1] = bucket;
        store_infinity(pieces + 2 * thread + 1);
    }
    return at;
}

// Threads end their runs one by one, and the others of a subgroup wait, so what this takes counts
// 32 fold. In a loop, which a compiler cannot unroll, packing is there once: straight it is a fifth
// of a kernel's code, and saves what a loop spends on choosing coordinates. By measurement the
// latter weighs more where elements are small.
void store_sum_of_run(uint at, xyzz sum)
{
#if EC_SMALL
    store_point(at, sum);
#else
    FE coordinate = sum.x;
    for (uint i = 0; i < 4 + (gl_NumWorkGroups.z >> 24); i++) {
        store_coordinate(at * XYZZ_VECTORS + FE_PLACE(i), coordinate);
        coordinate = fe_select(i == 0, fe_select(i == 1, sum.zzz, sum.zz), sum.y);
    }
#endif
}

void close_run(uint keys, uint pieces, uint thread, uint buckets, uint bucket, xyzz sum,
               bool open_left, bool open_right)
{
    store_sum_of_run(end_run(keys, pieces, thread, buckets, bucket, open_left, open_right), sum);
}

#endif
