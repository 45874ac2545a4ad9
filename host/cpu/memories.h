/* SPDX-License-Identifier: Apache-2.0 */
/* Memory at addresses: the host's own, which the context knows by them. */
#ifndef PAIL_CPU_MEMORIES_H
#define PAIL_CPU_MEMORIES_H

#include <core/error.h>
#include <pail/backend.h>

struct pail_memory {
    pail_context *context;
    unsigned char *at; /* [bytes], aligned, in the block */
    uint64_t bytes;
    void *block;
};

/* Finds bytes as pail_front_place does, and gives their place. */
pail_status pail_cpu_memory_at(pail_context *context, pail_memory **memory, unsigned char **at,
                               uint64_t address, uint64_t bytes, uint32_t align, const char *name,
                               struct pail_error *err);

/* Behind the front. Those that read or write are work of the pool that uses the memory, which keeps
 * everything in order. */
pail_status pail_cpu_memory_create(pail_context *context, pail_memory **memory,
                                   pail_memory_info *info, uint32_t kind, uint64_t bytes,
                                   struct pail_error *err);
void pail_cpu_memory_destroy(pail_memory *memory);
pail_status pail_cpu_memory_write(pail_memory *memory, uint64_t offset, const void *bytes,
                                  uint64_t n_bytes, struct pail_error *err);
pail_status pail_cpu_memory_read(const pail_memory *memory, void *bytes, uint64_t offset,
                                 uint64_t n_bytes, struct pail_error *err);
pail_status pail_cpu_memory_copy(pail_memory *to, uint64_t to_offset, const pail_memory *from,
                                 uint64_t from_offset, uint64_t n_bytes, struct pail_error *err);
pail_status pail_cpu_memory_fill(pail_memory *memory, uint64_t offset, uint64_t n_bytes,
                                 uint8_t value, struct pail_error *err);

#endif /* PAIL_CPU_MEMORIES_H */
