/* SPDX-License-Identifier: Apache-2.0 */
/* Residency of a set of bases: on the device, or in host memory and sent for each multiplication.
 * docs/decisions/0009-residency.md has the reasons for the rule. */
#ifndef PAIL_MSM_RESIDENCY_H
#define PAIL_MSM_RESIDENCY_H

#include <stdbool.h>
#include <stdint.h>

#include <pail/backend.h>

/* Device memory, in bytes. */
struct pail_device_room {
    uint64_t limit; /* bytes the context may hold: its budget, or what the driver grants if less */
    uint64_t held;  /* part of it that is taken already */
};

uint64_t pail_device_room_left(const struct pail_device_room *room);

/* Resolves PAIL_RESIDENCY_AUTO for a set of n points that would take `bytes` on the device:
 * PAIL_RESIDENCY_DEVICE if that leaves the scalars of a multiplication by all of it and a reserve
 * for its scratch, a quarter of the limit or 64 MiB. Pure. */
uint32_t pail_residency_auto(const struct pail_device_room *room, uint64_t bytes, uint64_t n);

#endif /* PAIL_MSM_RESIDENCY_H */
