/* SPDX-License-Identifier: Apache-2.0 */
/* Little-endian numbers in bytes of any alignment, whatever the machine. */
#ifndef PAIL_CURVES_LITTLE_ENDIAN_H
#define PAIL_CURVES_LITTLE_ENDIAN_H

#include <stdint.h>

static inline uint32_t pail_read_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static inline uint64_t pail_read_u64(const uint8_t *bytes)
{
    return (uint64_t)pail_read_u32(bytes) | (uint64_t)pail_read_u32(bytes + 4) << 32;
}

/* Written out, for compilers that make one store of it. */
static inline void pail_store_u32(uint8_t *bytes, uint32_t value)
{
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
    bytes[2] = (uint8_t)(value >> 16);
    bytes[3] = (uint8_t)(value >> 24);
}

static inline void pail_store_u64(uint8_t *bytes, uint64_t value)
{
    pail_store_u32(bytes, (uint32_t)value);
    pail_store_u32(bytes + 4, (uint32_t)(value >> 32));
}

#endif /* PAIL_CURVES_LITTLE_ENDIAN_H */
