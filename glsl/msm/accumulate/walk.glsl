/* SPDX-License-Identifier: Apache-2.0 */
// Batched affine additions with Montgomery's trick: a thread walks SLOTS shares at a time. A round
// has three passes over the slots; one without an addition to do adds no factor.
//   forward   multiplies the denominators, slot by slot, and keeps the product before each
//   invert    inverts the product once, by whatever `inverse_of` the kernel has
//   backward  takes the inverse of each denominator out of it, and adds with that
//
// The kernel defines `inverse_of`, and `any_busy`, which says whether another round is needed by
// anyone who shares the inversion.
//
// Thread t has the shares t, t + threads, t + 2 threads, ...: with few entries, which go to the
// lowest shares, all threads still have work. Slots are looped over with their state in arrays: a
// compiler keeps these out of registers, interleaved by thread, which is where they belong.
#ifndef MSM_WALK_GLSL
#define MSM_WALK_GLSL

layout(constant_id = MSM_SPEC_SLOTS) const uint SLOTS = MSM_WALK_SLOTS;
layout(constant_id = MSM_SPEC_PLACEMENT) const uint PLACEMENT = MSM_PLACEMENT_PRIVATE;

const uint private_slots = PLACEMENT == MSM_PLACEMENT_PRIVATE ? SLOTS : 1;
const uint shared_slots = PLACEMENT == MSM_PLACEMENT_WORKGROUP ? SLOTS * gl_WorkGroupSize.x : 1;

FE private_prefix[private_slots];
shared uvec4 shared_prefix[shared_slots * FE_VECTORS];

// Place of vector i of a slot's prefix product, in workgroup memory or in `points`: neighbouring
// threads side by side.
uint prefix_at(uint slot, uint i)
{
    if (PLACEMENT == MSM_PLACEMENT_WORKGROUP)
        return (slot * FE_VECTORS + i) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    return push.scratch * XYZZ_VECTORS + (slot * FE_VECTORS + i) * push.threads +
           gl_GlobalInvocationID.x;
}

void store_prefix(uint slot, FE product)
{
    if (PLACEMENT == MSM_PLACEMENT_PRIVATE) {
        private_prefix[slot] = product;
        return;
    }
    uvec4 v[FE_VECTORS];
    pack_coordinate(product, v);
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        if (PLACEMENT == MSM_PLACEMENT_WORKGROUP)
            shared_prefix[prefix_at(slot, i)] = v[i];
        else
            points[prefix_at(slot, i)] = v[i];
}

FE load_prefix(uint slot)
{
    if (PLACEMENT == MSM_PLACEMENT_PRIVATE)
        return private_prefix[slot];
    uvec4 v[FE_VECTORS];
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        if (PLACEMENT == MSM_PLACEMENT_WORKGROUP)
            v[i] = shared_prefix[prefix_at(slot, i)];
        else
            v[i] = points[prefix_at(slot, i)];
    return unpack_coordinate(v);
}

// The state of a slot. `next` is the handle of the point to add in this round, or MSM_KEY_NONE;
// `bucket` the one whose run is in hand, or MSM_KEY_NONE; sums are reduced and packed.
place slot_at[SLOTS];
uint slot_next[SLOTS];
uint slot_bucket[SLOTS];
uvec4 slot_sum[SLOTS * AFFINE_VECTORS];
uint slots_open_left; // bit s: the run in hand of slot s began before its share

FE load_sum_coordinate(uint slot, uint coordinate)
{
    uvec4 v[FE_VECTORS];
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        v[i] = slot_sum[slot * AFFINE_VECTORS + coordinate * FE_VECTORS + i];
    return unpack_coordinate(v);
}

affine load_sum(uint slot)
{
    return affine(load_sum_coordinate(slot, 0), load_sum_coordinate(slot, 1));
}

void store_sum(uint slot, affine a)
{
    uvec4 x[FE_VECTORS], y[FE_VECTORS];
    pack_coordinate(a.x, x);
    pack_coordinate(a.y, y);
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++) {
        slot_sum[slot * AFFINE_VECTORS + i] = x[i];
        slot_sum[slot * AFFINE_VECTORS + FE_VECTORS + i] = y[i];
    }
}

uint share_of(uint slot)
{
    return slot * push.threads + gl_GlobalInvocationID.x;
}

void begin_slot(uint slot)
{
    const uint share = share_of(slot);
    slot_at[slot] = cut_at(share);
    slot_bucket[slot] = MSM_KEY_NONE;
    index[push.keys + 2 * share] = MSM_KEY_NONE;
    index[push.keys + 2 * share + 1] = MSM_KEY_NONE;
}

// Writes the run in hand. Only the last run of a share can go on after it, the one whose end is
// the share's.
void close_slot(uint slot, bool last)
{
    const uint share = share_of(slot), bucket = slot_bucket[slot];
    const uint window = bucket / push.window_buckets, key = bucket % push.window_buckets;
    const place end = cut_at(share + 1);
    const bool open_left = (slots_open_left >> slot & 1) != 0;
    const bool open_right =
        last && window == end.window && start_of(window, key + 1) > end.position;
    const affine sum = load_sum(slot);
    const FE scale = fe_select(ec_is_infinity(sum), fe_one(), fe_zero());
    close_run(push.keys, push.pieces, share, push.buckets, bucket, xyzz(sum.x, sum.y, scale, scale),
              open_left, open_right);
}

// Brings a slot to its next addition: ends the run in hand where the next entry is of another
// bucket, and begins the next one. Returns whether the slot still has anything to do; a run of a
// single entry takes a round without an addition.
bool advance_slot(uint slot)
{
    slot_next[slot] = MSM_KEY_NONE;
    place at = slot_at[slot];
    if (at.window == MSM_KEY_NONE) // ended in an earlier round
        return false;
    const place end = cut_at(share_of(slot) + 1);
    for (uint entry_of_round = 0; entry_of_round < 2; entry_of_round++) {
        const bool more = settle(at, end);
        const uvec2 entry = more ? entries[at.window * push.n + at.position] : uvec2(0);
        const uint bucket = more ? at.window * push.window_buckets + entry.x : MSM_KEY_NONE;
        if (bucket == slot_bucket[slot] && more) {
            slot_next[slot] = entry.y;
            at.position++;
            break;
        }
        if (entry_of_round != 0) // the run has one entry; the next round closes it
            break;
        if (slot_bucket[slot] != MSM_KEY_NONE)
            close_slot(slot, !more);
        if (!more) {
            slot_at[slot].window = MSM_KEY_NONE;
            return false;
        }
        // Only the first run of a share can have begun before it.
        const uint left = start_of(at.window, entry.x) < at.position ? 1 : 0;
        slots_open_left = slots_open_left & ~(1u << slot) | left << slot;
        slot_bucket[slot] = bucket;
        store_sum(slot, load_base(entry.y));
        at.position++;
    }
    slot_at[slot] = at;
    return true;
}

// The denominator of a slot's addition. Finite points with different x need no y, and are nearly
// all there are.
FE factor_of(uint slot)
{
    const FE x = load_sum_coordinate(slot, 0);
    const FE next_x = load_base_coordinate(slot_next[slot], 0);
    const FE d = fe_sub(next_x, x);
    if (!fe_is_zero(d) && !fe_is_zero(x) && !fe_is_zero(next_x))
        return d;
    uint which;
    return ec_denominator(load_sum(slot), load_base(slot_next[slot]), which);
}

void walk()
{
    const bool has_work = gl_GlobalInvocationID.x < push.threads;
    for (uint slot = 0; slot < SLOTS; slot++) {
        slot_at[slot].window = MSM_KEY_NONE;
        if (has_work)
            begin_slot(slot);
    }
    slots_open_left = 0;
    uint adds = 0;
    for (uint round = 0;; round++) {
        // Forward: the product of the denominators of this round's additions.
        bool busy = false;
        FE product = fe_one();
        for (uint slot = 0; slot < SLOTS; slot++) {
            if (advance_slot(slot))
                busy = true;
            if (slot_next[slot] == MSM_KEY_NONE)
                continue;
            const FE d = factor_of(slot);
            if (slot == 0) {
                product = d;
            } else {
                store_prefix(slot, product);
                product = fe_mul(product, d);
            }
            adds++;
        }
        if (!any_busy(busy, round, product))
            break;
        // Invert: one inversion for all slots.
        FE inverse = inverse_of(product);
        // Backward: `inverse` is that of the denominators up to this slot.
        for (uint slot = SLOTS; slot-- > 0;) {
            if (slot_next[slot] == MSM_KEY_NONE)
                continue;
            uint which;
            const affine sum = load_sum(slot), next = load_base(slot_next[slot]);
            const FE d = ec_denominator(sum, next, which);
            // The inverse of d, and that of all before it; one copy of the product for both.
            FE own = inverse;
            if (slot != 0) {
                FE factor = load_prefix(slot);
                for (uint k = 0; k < 2; k++) {
                    const FE both = fe_mul(inverse, factor);
                    factor = d;
                    own = fe_select(k == 0, own, both);
                    inverse = fe_select(k == 0, both, inverse);
                }
            }
            store_sum(slot, ec_add_with_inverse(sum, next, own, which));
        }
    }
    if (adds != 0)
        atomicAdd(index[push.adds], adds);
}

#endif
