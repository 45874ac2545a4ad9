/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// One pass of a number-theoretic transform: transforms of 2^log_k elements, one for each column.
//
// The index of n = n1 n2 elements is cut in two, j = j1 n2 + j2 and k = k1 + n1 k2:
//   X[k1 + n1 k2] = sum over j2 of root^(j2 k1) (root^n1)^(j2 k2) sum over j1 of (root^n2)^(j1 k1)
//   x[j1 n2 + j2],
// so that a pass has columns of n1 elements, the next one those of n2, and so on (Bailey, "FFTs in
// external or hierarchical memory", 1990). Factors between passes are two table entries; the last
// pass writes where results belong, so that nothing is reordered by itself.
//
// Within a column, in workgroup memory, Stockham's steps of radix 4: a thread takes elements t + r
// 2^log_k / 4 of its column, r < 4, and puts them to where the next step takes them from. After the
// last step it has results of the same numbers. Columns are side by side in the workgroup, so that
// neighbouring threads read and write neighbouring elements.
#include "../lib/prelude.glsl"
#include "../shared/vector_layout.h"
#include "../vector/element.glsl"
#include "butterfly.glsl"

layout(local_size_x = NTT_WORKGROUP, local_size_x_id = NTT_SPEC_WORKGROUP) in;
layout(constant_id = NTT_SPEC_LIMBS) const uint LIMBS = NTT_LIMBS;
layout(constant_id = NTT_SPEC_ITEMS) const uint ITEMS = NTT_ITEMS; // 2 or 4 elements of a thread
const uint LOG_ITEMS = ITEMS / 2;

#include "../lib/grid.glsl"

layout(push_constant) uniform Push { ntt_pass_push push; };
layout(binding = 0, std430) readonly buffer In { uvec4 source[]; };
#ifdef PAIL_FORM_D51
layout(binding = 1, std430) readonly buffer Table { dvec2 table[]; };
#else
layout(binding = 1, std430) readonly buffer Table { uvec4 table[]; };
#endif
#include "table.glsl"
layout(binding = 2, std430) writeonly buffer Out { uvec4 target[]; };

// Elements of a workgroup, limb by limb.
const uint elements = ITEMS * gl_WorkGroupSize.x;
shared FP_DIGIT box[LIMBS * elements];

// Place of an element among its limbs. Threads that are next to each other put theirs 4, 16 or 64
// apart, which would be the same bank. Bits of the numbers of rows of banks, of 16 doubles or 32
// words, are added to those within a row, so that all are different.
uint place_in_box(uint element)
{
#ifdef PAIL_FORM_D51
    const uint row = element >> 4 & 3;
    return element ^ row ^ row << 2;
#else
    const uint row = element >> 5 & 3;
    return element ^ row ^ row << 2 ^ (row >> 1) << 4;
#endif
}

// The column of this thread, and its share of it.
struct column {
    uint number, low, batch; // low: the low part of the number
    uint in_base, out_base;  // places in the transform
    uint lane, side, sides;  // threads of the column; columns of the workgroup
};

// Number of item r of a thread in its column; below 2^log_k except in columns of 2 elements, of
// which a thread of 4 has items 0 and 2 alone.
uint item(column c, uint r)
{
    return c.lane + (r << push.log_k >> LOG_ITEMS);
}

bool has_item(uint r)
{
    return r < ITEMS && (push.log_k >= LOG_ITEMS || (r & 1) == 0);
}

uint turned(uint i, uint flag)
{
    return (push.flags & flag) != 0 ? bitfieldReverse(i) >> (32 - push.log_k) : i;
}

uint in_place(column c, uint r)
{
    return c.in_base + (turned(item(c, r), NTT_IN_REVERSED) << push.in_element);
}

uint out_place(column c, uint r)
{
    return c.out_base + (turned(item(c, r), NTT_OUT_REVERSED) << push.out_element);
}

fp load(column c, uint r)
{
    const uint at = 2 * (push.first_in + (c.batch << push.log_n) + in_place(c, r));
    uvec4 low = source[at], high = source[at + 1];
    if ((push.flags & NTT_ANY) != 0)
        element_reduce(low, high);
    return element_of(low, high);
}

void store(column c, uint r, fp a)
{
    const uint at = 2 * (push.first_out + (c.batch << push.log_n) + out_place(c, r));
    uint words[FP_WORDS];
    settled_words(a, (push.flags & NTT_LOOSE) != 0, words);
    element_words(words, target[at], target[at + 1]);
}

// Set of the table entries that items are multiplied by, in bits: of the step, and the two parts of
// a power by the low and the high bits of its exponent.
#define FACTOR_STEP         1
#define FACTOR_TWIDDLE      2
#define FACTOR_TWIDDLE_HIGH 4
#define FACTOR_SCALE        8
#define FACTOR_SCALE_HIGH   16

uint factors_of(uint twiddle, uint scale)
{
    uint factors = 0;
    if ((push.flags & twiddle) != 0)
        factors |= FACTOR_TWIDDLE | (push.twiddle_high != 0 ? FACTOR_TWIDDLE_HIGH : 0);
    if ((push.flags & scale) != 0)
        factors |= FACTOR_SCALE | (push.scale_high != 0 ? FACTOR_SCALE_HIGH : 0);
    return factors;
}

// The entry of one factor of item r.
uint entry(column c, uint r, uint factor, uint done, bool last)
{
    if (factor == FACTOR_STEP) {
        const uint p = c.lane >> done, spread = push.inner_bits - push.log_k;
        return push.inner + (r * p << done << spread);
    }
    const bool twiddle = factor <= FACTOR_TWIDDLE_HIGH;
    uint exponent = c.low * item(c, r);
    if (!twiddle) {
        exponent = last ? out_place(c, r) : in_place(c, r);
        if ((push.flags & NTT_SCALE_ONE) != 0)
            exponent = 0;
    }
    const uint bits = twiddle ? push.twiddle_bits : push.scale_bits;
    if (factor == FACTOR_TWIDDLE || factor == FACTOR_SCALE)
        return (twiddle ? push.twiddle_low : push.scale_low) + (exponent & (1u << bits) - 1);
    return (twiddle ? push.twiddle_high : push.scale_high) + (exponent >> bits);
}

// True if limb `back` is taken from the box when limb `limb` is in it, the last of as many as there
// is room for.
bool taken(uint back, uint limb)
{
    const bool full = limb % LIMBS == LIMBS - 1 || limb == FP_DIGITS - 1;
    return full && back <= limb && back / LIMBS == limb / LIMBS;
}

// Item r goes to to[r] of the column, and becomes what another thread put to item(c, r). Loops
// have constant bounds: where they are not unrolled, items are in memory and not in registers.
void exchange(column c, inout fp items[NTT_ITEMS], uint done)
{
    const uint q = c.lane & (1u << done) - 1, p = c.lane >> done;
    uint to[NTT_ITEMS], from[NTT_ITEMS];
    [[unroll]] for (uint r = 0; r < NTT_ITEMS; r++) {
        to[r] = place_in_box((q + ((ITEMS * p + r) << done)) * c.sides + c.side);
        from[r] = place_in_box(item(c, r) * c.sides + c.side);
    }
    [[unroll]] for (uint limb = 0; limb < FP_DIGITS; limb++) {
        if (limb % LIMBS == 0)
            barrier();
        [[unroll]] for (uint r = 0; r < NTT_ITEMS; r++)
            if (r < ITEMS)
                box[limb % LIMBS * elements + to[r]] = items[r].v[limb];
        if (limb % LIMBS == LIMBS - 1 || limb == FP_DIGITS - 1)
            barrier();
        [[unroll]] for (uint k = 0; k < FP_DIGITS * NTT_ITEMS; k++)
            if (k % NTT_ITEMS < ITEMS && taken(k / NTT_ITEMS, limb))
                items[k % NTT_ITEMS].v[k / NTT_ITEMS] =
                    box[k / NTT_ITEMS % LIMBS * elements + from[k % NTT_ITEMS]];
    }
}

void butterfly2(inout fp a, inout fp b)
{
    const fp sum = lazy_add(a, b), difference = lazy_sub(a, b);
    a = settle(sum);
    b = settle(difference);
}

// The transform of 4 elements by the root `quarter` of order 4.
void butterfly4(inout fp items[NTT_ITEMS], fp quarter)
{
    const fp even = lazy_add(items[0], items[2]), even_less = lazy_sub(items[0], items[2]);
    const fp odd = lazy_add(items[1], items[3]);
    const fp odd_less = fe_mul(settle_tight(lazy_sub(items[1], items[3])), quarter);
    items[0] = settle(lazy_add(even, odd));
    items[1] = settle(lazy_add(even_less, odd_less));
    items[2] = settle(lazy_sub_sum(even, odd));
    items[3] = settle(lazy_sub(even_less, odd_less));
}

// All products are in one place, in a loop: a processor has not the room for many copies of them.
void transform(column c, inout fp items[NTT_ITEMS])
{
    uint factors = factors_of(NTT_TWIDDLE_IN, NTT_SCALE_IN);
    uint done = 0; // bits; steps before have taken columns of 2^log_k apart by 2^done
    bool first = true, last = false;
    while (true) {
        for (; factors != 0; factors &= factors - 1) {
            const uint factor = factors & -factors;
            [[unroll]] for (uint r = 0; r < NTT_ITEMS; r++)
                if (r < ITEMS && (r > 0 || factor != FACTOR_STEP))
                    items[r] = fe_mul(items[r], table_at(entry(c, r, factor, done, last)));
        }
        if (last)
            break;
        if (!first) {
            exchange(c, items, done);
            done += LOG_ITEMS;
        }
        first = false;
        if (ITEMS == 2) {
            butterfly2(items[0], items[1]);
        } else if (done + LOG_ITEMS <= push.log_k) {
            // Offset by 0, which a compiler does not know: so the entry is read each time, and in
            // no registers in between.
            const uint none = done >> 5;
            butterfly4(items, table_at(push.inner + (1u << push.inner_bits >> 2) + none));
        } else {
            butterfly2(items[0], items[2]);
            butterfly2(items[1], items[3]);
        }
        last = done + LOG_ITEMS >= push.log_k;
        factors = last ? factors_of(NTT_TWIDDLE_OUT, NTT_SCALE_OUT) : FACTOR_STEP;
        [[unroll]] for (uint r = 0; r < NTT_ITEMS; r++)
            if (r < ITEMS && (factors == 0 || r == 0 && factors == FACTOR_STEP))
                items[r] = settle_alone(items[r]);
    }
}

void main()
{
    const uint log_lanes = push.log_k > LOG_ITEMS ? push.log_k - LOG_ITEMS : 0;
    const uint group = grid_index() / gl_WorkGroupSize.x;
    column c;
    c.sides = gl_WorkGroupSize.x >> log_lanes;
    if (group * c.sides >= push.columns)
        return;
    c.side = gl_LocalInvocationIndex & c.sides - 1;
    c.lane = gl_LocalInvocationIndex / c.sides;
    c.number = group * c.sides + c.side;
    const bool there = c.number < push.columns;
    // Threads without a column take part in the barriers.
    const uint number = min(c.number, push.columns - 1);
    c.low = number & (1u << push.low_bits) - 1;
    const uint high = number >> push.low_bits & (1u << push.high_bits) - 1;
    c.batch = number >> push.low_bits + push.high_bits;
    c.in_base = (c.low << push.in_low) + (high << push.in_high);
    c.out_base = (c.low << push.out_low) + (high << push.out_high);
    fp items[NTT_ITEMS];
    [[unroll]] for (uint r = 0; r < NTT_ITEMS; r++) {
        items[r] = fp_zero();
        if (has_item(r))
            items[r] = load(c, r);
    }
    transform(c, items);
    [[unroll]] for (uint r = 0; r < NTT_ITEMS; r++)
        if (there && has_item(r))
            store(c, r, items[r]);
}
