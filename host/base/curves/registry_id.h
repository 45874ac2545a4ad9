/* SPDX-License-Identifier: Apache-2.0 */
/* Registry ids: content-stable 32-bit names for a kernel and a task of it, the same in every
 * process and on every machine. Pipelines and adstack kernels have them. */
#ifndef PAIL_CURVES_REGISTRY_ID_H
#define PAIL_CURVES_REGISTRY_ID_H

#include "fnv.h"
#include "little_endian.h"

/* FNV-1a-64 over the name, ':' and the task as 8 little-endian bytes, folded to 32 bits (upper xor
 * lower half). 0 means "not registered", so a hash of 0 becomes 1. */
static inline uint32_t pail_registry_id(const char *name, size_t n, uint64_t task)
{
    uint8_t tail[9] = {':'};
    pail_store_u64(tail + 1, task);
    const uint64_t hash = pail_fnv1a64_more(pail_fnv1a64(name, n), tail, sizeof(tail));
    const uint32_t id = (uint32_t)(hash ^ hash >> 32);
    return id ? id : 1;
}

/* The next id that linear probing tries when an id belongs to something else: the following one,
 * with 1 after the last. */
static inline uint32_t pail_registry_next(uint32_t id)
{
    return id == UINT32_MAX ? 1 : id + 1;
}

#endif /* PAIL_CURVES_REGISTRY_ID_H */
