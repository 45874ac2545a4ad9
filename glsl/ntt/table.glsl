/* SPDX-License-Identifier: Apache-2.0 */
// Entries of a table of powers, which `table` is: the block of a buffer, declared before.
#ifndef NTT_TABLE_GLSL
#define NTT_TABLE_GLSL

// Tables have digits and limbs: taking words apart is half as much work as a product of form d51,
// and a tenth of one of form x29.
fp table_at(uint i)
{
#if defined(PAIL_FORM_D51)
    const dvec2 low = table[3 * i], middle = table[3 * i + 1], high = table[3 * i + 2];
    return fp(double[](low.x, low.y, middle.x, middle.y, high.x));
#elif defined(PAIL_FORM_X29)
    const uvec4 low = table[3 * i], middle = table[3 * i + 1];
    return fp(uint[](low.x, low.y, low.z, low.w, middle.x, middle.y, middle.z, middle.w,
                     table[3 * i + 2].x));
#else
    return element_of(table[2 * i], table[2 * i + 1]);
#endif
}

#endif
