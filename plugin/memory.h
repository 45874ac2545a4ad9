/* Memory at an address that the plugin gave to the host. */
#ifndef PAIL_PLUGIN_MEMORY_H
#define PAIL_PLUGIN_MEMORY_H

#include "context.h"

/* The part of the context's memory in the host's own (PAIL_MEMORY_HOST) that an address of the
 * device names, where all of its bytes are in one allocation: what the device would read over its
 * bus can be copied instead. Thread-safe; *out is valid as long as the memory. */
bool pail_memory_find(struct pail_context *ctx, uint64_t address, uint64_t bytes,
                      struct pail_vk_slice *out);

#endif /* PAIL_PLUGIN_MEMORY_H */
