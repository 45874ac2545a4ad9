/* SPDX-License-Identifier: Apache-2.0 */
#version 460
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"
#include "order.glsl"

// Number of pieces from which on all threads of a workgroup write those of a bucket.
#define MANY 8

// Next places for the runs of a bucket: those with one entry more, the others, and both as pieces.
struct places {
    uint longer, others, piece;
};

shared uint many_buckets[MSM_ORDER_WORKGROUP];
shared places many_places[MSM_ORDER_WORKGROUP];
shared uint n_many;

// Counters of the workgroup's runs become the places of the first ones among all.
void find_places()
{
    for (uint i = gl_LocalInvocationIndex; i < MSM_ORDER_BINS; i += MSM_ORDER_WORKGROUP)
        if (bins[i] != 0)
            bins[i] = atomicAdd(index[push.counts + i], bins[i]);
    if (gl_LocalInvocationIndex == 0)
        n_many = 0;
    barrier();
}

places take_places(cut_bucket b)
{
    places at = places(0, 0, 0);
    if (b.rest != 0)
        at.longer = atomicAdd(bins[bin_of(b.each + 1)], b.rest);
    at.others = atomicAdd(bins[bin_of(b.each)], b.pieces - b.rest);
    if (b.pieces != 1)
        at.piece = atomicAdd(index[push.counts + MSM_ORDER_PIECES], b.pieces);
    return at;
}

void write_piece(cut_bucket b, places at, uint i)
{
    const bool longer = i < b.rest, whole = b.pieces == 1;
    const uint number = longer ? at.longer + i : at.others + i - b.rest;
    const uint run = push.runs + MSM_RUN_WORDS * number;
    index[run + MSM_RUN_FIRST] = b.first + i * b.each + min(i, b.rest);
    index[run + MSM_RUN_COUNT] = b.each + (longer ? 1 : 0);
    index[run + MSM_RUN_BUCKET] = b.bucket;
    index[run + MSM_RUN_PIECE] = whole ? MSM_KEY_NONE : at.piece + i;
    const uint keys = push.keys + push.places_first + push.places * (at.piece + i);
    for (uint k = 0; k < push.places && !whole; k++)
        index[keys + k] = b.bucket;
}

void main()
{
    count_runs();
    find_places();
    for (uint i = 0; i < MSM_ORDER_BUCKETS; i++) {
        const cut_bucket b = cut(own_bucket(i));
        places at;
        if (b.pieces != 0)
            at = take_places(b);
        if (b.pieces < MANY) {
            for (uint k = 0; k < b.pieces; k++)
                write_piece(b, at, k);
        } else {
            const uint slot = atomicAdd(n_many, 1);
            many_buckets[slot] = b.bucket;
            many_places[slot] = at;
        }
        barrier();
        for (uint m = 0; m < n_many; m++) {
            const cut_bucket many = cut(many_buckets[m]);
            for (uint k = gl_LocalInvocationIndex; k < many.pieces; k += MSM_ORDER_WORKGROUP)
                write_piece(many, many_places[m], k);
        }
        barrier();
        if (gl_LocalInvocationIndex == 0)
            n_many = 0;
        barrier();
    }
}
