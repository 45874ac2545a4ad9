/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Joins the pieces of buckets that were cut. A workgroup takes a tile of them and adds up the runs
// of equal buckets, each as a tree in place: in step s the pieces whose rank in their run is a
// multiple of 2^(s+1) take the one 2^s further on. Buckets that a tile does not hold all of go on
// as at most two pieces of the next level, the last of which has one tile. Where nothing was cut a
// workgroup ends at once; a bucket in k pieces costs a chain of about log k additions.
//
// Only pieces that count have a rank: of two in a row that a share inside one bucket leaves, the
// second is infinity. With them a step more, of twice as many additions, would come first.
//
// The order in which quads take the additions of a step is anyone's; the additions are the same.
//
// In pairs a lane of a quad is two neighbouring invocations, one for each coefficient of its
// coordinate (field/fp2_pair.glsl).
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"
#include "../points.glsl"

// Threads for as many quads as the mail of quads leaves room for in the 16 KiB that every device
// has: with exact cuts half of a tile's pieces are joined in the first step.
#if FE_WORDS <= 8
#define WORKGROUP 128
#elif FE_WORDS <= 16
#define WORKGROUP 64
#else
#define WORKGROUP 32
#endif

layout(local_size_x = WORKGROUP) in;

#include "../../ec/quad.glsl"
#include "../../lib/grid.glsl"

layout(push_constant) uniform Push { msm_combine_push push; };
layout(binding = 0, std430) buffer Index { uint index[]; };
// Quads read what others of their workgroup have written.
layout(binding = 1, std430) coherent buffer Points { uvec4 points[]; };

#include "../points_rw.glsl"

shared uint counting[MSM_COMBINE_TILE / 32]; // bits of the tile's pieces that count
shared uint places[MSM_COMBINE_TILE];        // pieces that count, in their order
shared uint buckets[MSM_COMBINE_TILE];       // their buckets
shared uint work[MSM_COMBINE_TILE];          // ranks among them, with work left
shared uint n_work;

uint bucket_of(uint piece)
{
    return piece < push.n ? index[push.keys_in + piece] : MSM_KEY_NONE;
}

// True if a piece of the tile is infinity as it is stored.
bool is_empty(uint piece)
{
    const uint zz = (push.pieces_in + piece) * XYZZ_VECTORS + QUAD_ZZ * (XYZZ_VECTORS / 4);
    uvec4 bits = uvec4(0);
    for (uint i = 0; i < XYZZ_VECTORS / 4; i++)
        bits |= points[zz + i];
    return bits == uvec4(0);
}

// Any but a bucket's first piece may be left out.
bool counts(uint piece, bool leads)
{
    const uint bucket = bucket_of(piece);
    return bucket != MSM_KEY_NONE && (leads || bucket_of(piece - 1) != bucket || !is_empty(piece));
}

// Pieces that count before piece `at` of the tile.
uint rank_of(uint at)
{
    uint rank = bitCount(counting[at / 32] & (1u << at % 32) - 1);
    for (uint i = 0; i < at / 32; i++)
        rank += bitCount(counting[i]);
    return rank;
}

// Finds the pieces that count; returns their number.
uint find_pieces(uint first)
{
    const uint local = local_number();
    if (local < MSM_COMBINE_TILE / 32)
        counting[local] = 0;
    barrier();
    for (uint i = local; i < MSM_COMBINE_TILE; i += WORKGROUP)
        if (counts(first + i, i == 0))
            atomicOr(counting[i / 32], 1u << i % 32);
    barrier();
    for (uint i = local; i < MSM_COMBINE_TILE; i += WORKGROUP) {
        if ((counting[i / 32] >> i % 32 & 1) != 0) {
            const uint rank = rank_of(i);
            places[rank] = i;
            buckets[rank] = bucket_of(first + i);
        }
    }
    const uint last = MSM_COMBINE_TILE - 1;
    return rank_of(last) + (counting[last / 32] >> last % 32);
}

// First of the run that a piece is in, by their ranks. No bucket has two runs.
uint run_of(uint rank)
{
    uint start = rank;
    for (uint step = MSM_COMBINE_TILE / 2; step != 0; step /= 2)
        if (start >= step && buckets[start - step] == buckets[rank])
            start -= step;
    return start;
}

bool joins(uint rank, uint step, uint n)
{
    return rank + step < n && buckets[rank + step] == buckets[rank] &&
           ((rank - run_of(rank)) & (2 * step - 1)) == 0;
}

void clear_work()
{
    if (local_number() == 0)
        n_work = 0;
    barrier();
}

void main()
{
    const uint local = local_number();
    const uint tile = grid_index() / WORKGROUP;
    if (tile >= push.tiles)
        return;
    const uint first = tile * MSM_COMBINE_TILE;
    const uint n = find_pieces(first);

    uint adds = 0;
    uint todo;
    for (uint step = 1;; step *= 2) {
        clear_work();
        for (uint i = local; i < n; i += WORKGROUP)
            if (joins(i, step, n))
                work[atomicAdd(n_work, 1)] = i;
        barrier();
        todo = n_work;
        if (todo == 0)
            break;
        for (uint done = 0; done < todo; done += WORKGROUP / QUAD_INVOCATIONS) {
            const uint at = done + local / QUAD_INVOCATIONS;
            const bool busy = at < todo;
            const uint pieces = push.pieces_in + first;
            const uint left = pieces + (busy ? places[work[at]] : 0);
            FE a = fe_zero(), b = fe_zero();
            if (busy) {
                a = load_lane(left, quad_lane());
                b = load_lane(pieces + places[work[at] + step], quad_lane());
            }
            bool both;
            const FE sum = quad_add(a, b, both);
            if (busy)
                store_lane(left, quad_lane(), sum);
            if (both && local % QUAD_INVOCATIONS == 0)
                adds++;
        }
        memoryBarrierBuffer();
        barrier();
    }
    if (adds != 0)
        atomicAdd(index[push.adds], adds);

    // Runs that go on to the left or to the right of the tile.
    const uint last = min(push.n - first, MSM_COMBINE_TILE) - 1;
    uint open_left = first == 0 ? MSM_KEY_NONE : bucket_of(first - 1);
    if (open_left != bucket_of(first))
        open_left = MSM_KEY_NONE;
    uint open_right = bucket_of(first + last + 1);
    if (open_right != bucket_of(first + last))
        open_right = MSM_KEY_NONE;
    if (local == 0) {
        index[push.keys_out + 2 * tile] = open_left;
        index[push.keys_out + 2 * tile + 1] = open_right;
    }
    barrier(); // n_work has been read
    clear_work();
    for (uint i = local; i < n; i += WORKGROUP)
        if (i == 0 || buckets[i - 1] != buckets[i])
            work[atomicAdd(n_work, 1)] = i;
    barrier();
    for (uint i = local; i < n_work * XYZZ_VECTORS; i += WORKGROUP) {
        const uint start = work[i / XYZZ_VECTORS], part = i % XYZZ_VECTORS;
        const uint bucket = buckets[start];
        uint target = push.buckets + bucket;
        if (bucket == open_left)
            target = push.pieces_out + 2 * tile;
        else if (bucket == open_right)
            target = push.pieces_out + 2 * tile + 1;
        points[target * XYZZ_VECTORS + part] =
            points[(push.pieces_in + first + places[start]) * XYZZ_VECTORS + part];
        if (bucket == open_left && bucket == open_right)
            points[(push.pieces_out + 2 * tile + 1) * XYZZ_VECTORS + part] = uvec4(0);
    }
}
