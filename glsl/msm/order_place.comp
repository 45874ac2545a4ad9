#version 460
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"
#include "order.glsl"

void main()
{
    const cut_bucket b = cut_own_bucket();
    if (b.pieces == 0)
        return;
    const bool whole = b.pieces == 1;
    uint run = push.runs + MSM_RUN_WORDS * atomicAdd(index[b.counter], b.pieces);
    uint piece = whole ? 0 : atomicAdd(index[push.counts + MSM_ORDER_PIECES], b.pieces);
    // The first `rest` pieces have one entry more.
    const uint each = b.count / b.pieces, rest = b.count % b.pieces;
    uint first = b.first;
    for (uint i = 0; i < b.pieces; i++) {
        const uint count = each + (i < rest ? 1 : 0);
        index[run + MSM_RUN_FIRST] = first;
        index[run + MSM_RUN_COUNT] = count;
        index[run + MSM_RUN_BUCKET] = b.bucket;
        index[run + MSM_RUN_PIECE] = whole ? MSM_KEY_NONE : piece;
        if (!whole)
            index[push.keys + piece] = b.bucket;
        first += count;
        run += MSM_RUN_WORDS;
        piece++;
    }
}
