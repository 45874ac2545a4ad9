/* Settings of the process's memory. */
#ifndef PAIL_PLATFORM_MEMORY_H
#define PAIL_PLATFORM_MEMORY_H

#include <stddef.h>

/* Returns blocks of at least so many bytes to the system as soon as they are freed, where the
 * allocator can be told. To be called once, by a program for itself. */
void pail_return_blocks(size_t from_bytes);

/* The memory of the process is not dumped when it crashes, and no other process of its user reads
 * it, where the system can be told. */
void pail_keep_memory_private(void);

#endif /* PAIL_PLATFORM_MEMORY_H */
