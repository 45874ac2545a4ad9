#include "pace_record.h"

#include <curves/little_endian.h>

int pail_pace_record_count(const uint8_t *bytes, size_t n)
{
    if (n < PAIL_PACE_RECORD_HEAD || pail_read_u32(bytes) != PAIL_PACE_RECORD_MAGIC)
        return -1;
    const uint32_t count = pail_read_u32(bytes + 4);
    if (count > PAIL_PACE_RECORD_MOST ||
        n != PAIL_PACE_RECORD_HEAD + PAIL_PACE_RECORD_RATE * (size_t)count)
        return -1;
    return (int)count;
}

struct pail_pace_rate pail_pace_record_rate(const uint8_t *bytes, uint32_t i)
{
    const uint8_t *at = bytes + PAIL_PACE_RECORD_HEAD + PAIL_PACE_RECORD_RATE * (size_t)i;
    return (struct pail_pace_rate){.hash = pail_read_u64(at),
                                   .ns = (double)pail_read_u64(at + 8) / PAIL_PACE_KEPT_PER_NS,
                                   .largest = (double)pail_read_u64(at + 16)};
}
