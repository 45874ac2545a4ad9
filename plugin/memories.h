/* SPDX-License-Identifier: Apache-2.0 */
/* Memory at an address that the plugin gives to the host. */
#ifndef PAIL_PLUGIN_MEMORIES_H
#define PAIL_PLUGIN_MEMORIES_H

#include <pail/backend.h>

#include <stdatomic.h>

#include <core/alloc.h>
#include <core/log.h>
#include <core/ranges.h>

#include "vk/memory.h"

/* All of a context, by its addresses. */
struct pail_memories {
    struct pail_alloc alloc;
    struct pail_log log;
    struct pail_vk_device *dev; /* NULL: there is no table */
    struct pail_ranges ranges;  /* of pail_memory */
    atomic_uint destroyed;      /* allocations, so far */
    /* Wipes scratch that lies idle, when memory goes; NULL: there is none. */
    void (*wipe_idle)(void *user);
    void *user;
};

struct pail_memory {
    struct pail_memories *memories;
    struct pail_vk_buffer buffer;
    uint32_t kind; /* pail_memory_kind */
};

/* Errors: PAIL_ERR_INTERNAL */
pail_status pail_memories_init(struct pail_memories *memories, const struct pail_alloc *alloc,
                               const struct pail_log *log, struct pail_vk_device *dev,
                               struct pail_error *err);

/* All that was created has been destroyed. Does nothing where init has not been, over zeros. */
void pail_memories_fini(struct pail_memories *memories);

/* Errors: PAIL_ERR_ARGUMENT, PAIL_ERR_UNSUPPORTED without device addresses, and those of memory */
pail_status pail_memory_create(struct pail_memories *memories, struct pail_memory **out,
                               uint32_t kind, uint64_t bytes, struct pail_error *err);

/* Wipes it as well, for it is for scalars, and idle scratch; a failure of that is logged. Nothing
 * is running that uses it. */
void pail_memory_destroy(struct pail_memory *memory);

/* The bytes at an address of the device that are in one allocation; false: there is none. of_host:
 * only in the host's own memory: what the device would read over its bus can be copied instead.
 * Thread-safe; *out is valid as long as the memory. */
bool pail_memories_find(struct pail_memories *memories, uint64_t address, uint64_t bytes,
                        bool of_host, struct pail_vk_slice *out);

#endif /* PAIL_PLUGIN_MEMORIES_H */
