/* SPDX-License-Identifier: Apache-2.0 */
// Lengths of runs as an order, the longest first: below 2^EXACT each length is a bin for itself,
// above it a bin has those with the same leading bits.
#ifndef MSM_ORDER_LENGTH_GLSL
#define MSM_ORDER_LENGTH_GLSL

uint bin_of(uint count)
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

// The longest run that a bin may hold.
uint longest_of(uint bin)
{
    const uint place = MSM_ORDER_BINS - 1 - bin;
    if (place < 1u << MSM_ORDER_EXACT)
        return place;
    const uint above = (place >> MSM_ORDER_TOP) - (1u << (MSM_ORDER_EXACT - MSM_ORDER_TOP));
    const uint leading = (1u << MSM_ORDER_TOP) + (place & ((1u << MSM_ORDER_TOP) - 1));
    return ((leading + 1) << (above + MSM_ORDER_EXACT - MSM_ORDER_TOP)) - 1;
}

#endif
