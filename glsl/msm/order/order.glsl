/* SPDX-License-Identifier: Apache-2.0 */
// Runs in order of their length, the longest first, so that neighbouring threads have runs of equal
// length and none of them waits for another: msm/order/count counts them, msm/order/scan finds
// where those of each length begin, and msm/order/place puts them there. A run is all of a bucket,
// or, where that is longer than a thread's share of all entries, one of its pieces, which are as
// equal as can be.
//
// Runs of one length are in any order. That of the pieces of a bucket, which are neighbours, is no
// other than that of their entries.
//
// Nearly all runs are of few lengths: counters that all processors add to would be the limit, so a
// workgroup counts those of many buckets first.
#ifndef MSM_ORDER_GLSL
#define MSM_ORDER_GLSL

layout(local_size_x = MSM_ORDER_WORKGROUP) in;

#include "../../lib/grid.glsl"
#include "length.glsl"

layout(push_constant) uniform Push { msm_order_push push; };
layout(binding = 0, std430) buffer Index { uint index[]; };

// Counters of the runs of the workgroup's buckets, by length.
shared uint bins[MSM_ORDER_BINS];

// A bucket cut into pieces, the first `rest` of which have one entry more; no pieces: it is empty,
// or there is none of this number.
struct cut_bucket {
    uint bucket, first, pieces; // first: among the entries of all windows
    uint each, rest;
};

// The i-th of the thread's buckets.
uint own_bucket(uint i)
{
    return (grid_index() / MSM_ORDER_WORKGROUP * MSM_ORDER_BUCKETS + i) * MSM_ORDER_WORKGROUP +
           gl_LocalInvocationIndex;
}

cut_bucket cut(uint bucket)
{
    cut_bucket b = cut_bucket(bucket, 0, 0, 0, 0);
    if (bucket >= push.windows * push.window_buckets)
        return b;
    const uint window = bucket / push.window_buckets;
    const uint start = push.starts + bucket + window; // each window has one more
    b.first = window * push.n + index[start];
    const uint count = index[start + 1] - index[start];
    const uint total = index[push.window_offsets + push.windows];
    const uint most = max((total + push.threads - 1) / push.threads, push.share);
    b.pieces = (count + most - 1) / most;
    if (b.pieces != 0) {
        b.each = count / b.pieces;
        b.rest = count % b.pieces;
    }
    return b;
}

// Ends with a barrier.
void count_runs()
{
    for (uint i = gl_LocalInvocationIndex; i < MSM_ORDER_BINS; i += MSM_ORDER_WORKGROUP)
        bins[i] = 0;
    barrier();
    for (uint i = 0; i < MSM_ORDER_BUCKETS; i++) {
        const cut_bucket b = cut(own_bucket(i));
        if (b.rest != 0)
            atomicAdd(bins[bin_of(b.each + 1)], b.rest);
        if (b.pieces != 0)
            atomicAdd(bins[bin_of(b.each)], b.pieces - b.rest);
    }
    barrier();
}

#endif
