/* Numbers out of bytes of any alignment; little-endian where a name does not say otherwise. */
#ifndef PAIL_FORMATS_BYTES_H
#define PAIL_FORMATS_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <curves/little_endian.h>

/* Four limbs, the least significant first. */
static inline void pail_read_u256(uint64_t limbs[4], const uint8_t *bytes)
{
    for (size_t i = 0; i < 4; i++)
        limbs[i] = pail_read_u64(bytes + 8 * i);
}

static inline bool pail_u256_less(const uint64_t a[4], const uint64_t b[4])
{
    for (size_t i = 4; i-- > 0;)
        if (a[i] != b[i])
            return a[i] < b[i];
    return false;
}

/* Copies to or from big-endian: to[i] = from[size - 1 - i]. They may not overlap. */
static inline void pail_copy_reversed(uint8_t *to, const uint8_t *from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = from[size - 1 - i];
}

#endif /* PAIL_FORMATS_BYTES_H */
