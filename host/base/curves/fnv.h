/* SPDX-License-Identifier: Apache-2.0 */
/* FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv): the hash behind content-stable keys. */
#ifndef PAIL_CURVES_FNV_H
#define PAIL_CURVES_FNV_H

#include <stddef.h>
#include <stdint.h>

/* Continues a hash with more bytes. */
static inline uint64_t pail_fnv1a64_more(uint64_t state, const void *bytes, size_t n)
{
    const uint8_t *at = (const uint8_t *)bytes;
    for (size_t i = 0; i < n; i++)
        state = (state ^ at[i]) * UINT64_C(0x100000001b3);
    return state;
}

/* Hashes `n` bytes; of none it is the offset basis, from which pail_fnv1a64_more can start. */
static inline uint64_t pail_fnv1a64(const void *bytes, size_t n)
{
    return pail_fnv1a64_more(UINT64_C(0xcbf29ce484222325), bytes, n);
}

#endif /* PAIL_CURVES_FNV_H */
