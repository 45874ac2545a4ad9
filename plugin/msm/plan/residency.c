/* SPDX-License-Identifier: Apache-2.0 */
#include "residency.h"

#define SCALAR_BYTES  32u
#define SCRATCH_BYTES ((uint64_t)64 << 20)

uint64_t pail_device_room_left(const struct pail_device_room *room)
{
    return room->limit > room->held ? room->limit - room->held : 0;
}

uint32_t pail_residency_auto(const struct pail_device_room *room, uint64_t bytes, uint64_t n)
{
    const uint64_t left = pail_device_room_left(room);
    uint64_t reserve = room->limit / 4 < SCRATCH_BYTES ? room->limit / 4 : SCRATCH_BYTES;
    reserve += SCALAR_BYTES * n;
    return left >= reserve && left - reserve >= bytes ? PAIL_RESIDENCY_DEVICE : PAIL_RESIDENCY_HOST;
}
