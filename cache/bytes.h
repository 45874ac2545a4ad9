/* Little-endian numbers in bytes of any alignment. */
#ifndef PAIL_CACHE_BYTES_H
#define PAIL_CACHE_BYTES_H

#include <stdint.h>

static inline uint32_t pail_cache_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static inline uint64_t pail_cache_u64(const uint8_t *bytes)
{
    return (uint64_t)pail_cache_u32(bytes) | (uint64_t)pail_cache_u32(bytes + 4) << 32;
}

static inline void pail_cache_store_u32(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

static inline void pail_cache_store_u64(uint8_t *bytes, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

#endif /* PAIL_CACHE_BYTES_H */
