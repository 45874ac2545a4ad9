/* SPDX-License-Identifier: Apache-2.0 */
// Reading slots and arrays. ad_operand(word), which says what an operand of a read is, is declared
// before.

ad_value ad_slot(uint number)
{
    const uint at = push.slots + AD_VALUE_WORDS * number;
    return ad_value(i64(arena[at], arena[at + 1]), arena[at + 2]);
}

// An element at any address. Only words that have a byte of it are read. Memory is allocated in
// multiples of 4 bytes at multiples of 4, so that such a word is there as a whole, even at the end
// of an array of odd size; and no 8-bit or 16-bit loads are needed, which many devices lack.
I64 ad_load(uvec2 address, uint dtype)
{
    const bool is_signed = dtype < AD_DTYPE_U8;
    const uint bits = 8u << (dtype - (is_signed ? AD_DTYPE_I8 : AD_DTYPE_U8));
    const uint shift = 8 * (address.x & 3u);
    Contents contents = Contents(uvec2(address.x & ~3u, address.y));
    uint low = contents.words[0] >> shift, high = 0;
    if (shift + bits > 32) {
        const uint word = contents.words[1];
        // A shift by 32 is undefined, hence the two.
        low |= word << 1 << (31 - shift);
        high = word >> shift;
        if (shift + bits > 64)
            high |= contents.words[2] << 1 << (31 - shift);
    }
    if (bits < 32)
        low = is_signed ? uint(bitfieldExtract(int(low), 0, int(bits)))
                        : bitfieldExtract(low, 0, int(bits));
    if (bits < 64)
        high = is_signed && int(low) < 0 ? 0xffffffffu : 0;
    return i64(low, high);
}

// The element of a source at `n` operands. The least error of an operand is its error; then an
// index outside of its axis, and nothing is read.
ad_value ad_read(uint source, uint operands, uint n, uint site)
{
    I64 address = i64(arena[source + AD_SOURCE_ADDRESS], arena[source + AD_SOURCE_ADDRESS + 1]);
    const uint dtype = arena[source + AD_SOURCE_DTYPE];
    uint error = dtype == 0 ? AD_GIVEN_BACK : 0;
    bool outside = false;
    for (uint k = 0; k < n; k++) {
        const ad_value index = ad_operand(arena[operands + k]);
        const uint axis = source + AD_SOURCE_AXES + AD_SOURCE_AXIS * k;
        const I64 shape = i64(arena[axis], arena[axis + 1]);
        const I64 stride = i64(arena[axis + 2], arena[axis + 3]);
        error = ad_least(error, index.error);
        // No shape is negative, so this is true for negative indices as well.
        outside = outside || !i64_less_unsigned(index.v, shape);
        address = i64_add(address, i64_mul(index.v, stride));
    }
    if (error == 0 && outside)
        error = site | AD_ERROR_RANGE;
    if (error != 0)
        return ad_error(error);
    return ad_value(ad_load(i64_words(address), dtype), 0);
}
