// Runs in order of their length, the longest first, so that neighbouring threads have runs of equal
// length and none of them waits for another: msm/order_count counts them, msm/order_scan finds
// where those of each length begin, and msm/order_place puts them there. A run is all of a bucket,
// or, where that is longer than a thread's share of all entries, one of equal pieces of it.
//
// Runs of one length are in any order. That of the pieces of a bucket, which are neighbours, is no
// other than that of their entries.
#ifndef MSM_ORDER_GLSL
#define MSM_ORDER_GLSL

layout(local_size_x = MSM_ORDER_WORKGROUP) in;

#include "../lib/grid.glsl"

layout(push_constant) uniform Push { msm_order_push push; };
layout(binding = 0, std430) buffer Index { uint index[]; };

// A bucket cut into pieces; no pieces: it is empty, or there is none of this number.
struct cut_bucket {
    uint bucket, first, count, pieces; // first: among the entries of all rows
    uint counter;                      // in `index`, of runs as long as its first piece
};

// Where in the order runs of this length are: below 2^EXACT each length for itself, above it with
// those that have the same leading bits.
uint order_of(uint count)
{
    uint place = count;
    if (count >= 1u << MSM_ORDER_EXACT) {
        const uint above = uint(findMSB(count)) - MSM_ORDER_EXACT;
        const uint leading = count >> (above + MSM_ORDER_EXACT - MSM_ORDER_TOP);
        place = (1u << MSM_ORDER_EXACT) + (above << MSM_ORDER_TOP) +
                (leading & ((1u << MSM_ORDER_TOP) - 1));
    }
    return MSM_ORDER_BINS - 1 - place;
}

cut_bucket cut_own_bucket()
{
    cut_bucket b = cut_bucket(grid_index(), 0, 0, 0, 0);
    if (b.bucket >= push.rows * push.stride)
        return b;
    const uint row = b.bucket / push.stride;
    const uint start = push.starts + b.bucket + row; // each row has one more
    b.first = row * push.n + index[start];
    b.count = index[start + 1] - index[start];
    const uint total = index[push.row_first + push.rows];
    const uint most = max((total + push.threads - 1) / push.threads, push.share);
    b.pieces = (b.count + most - 1) / most;
    if (b.pieces != 0)
        b.counter = push.counts + order_of((b.count + b.pieces - 1) / b.pieces);
    return b;
}

#endif
