/* SPDX-License-Identifier: Apache-2.0 */
/* Values of 32-bit words in records and reports: 64-bit integers are two words, the low one first,
 * and floats are their bits. */
#ifndef PAIL_ADSTACK_GPU_RECORD_WORDS_H
#define PAIL_ADSTACK_GPU_RECORD_WORDS_H

#include <stdint.h>
#include <string.h>

static inline void pail_ad_put64(uint32_t *words, uint64_t v)
{
    words[0] = (uint32_t)(v & UINT32_MAX);
    words[1] = (uint32_t)(v >> 32);
}

static inline uint32_t pail_ad_bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static inline float pail_ad_float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

#endif /* PAIL_ADSTACK_GPU_RECORD_WORDS_H */
