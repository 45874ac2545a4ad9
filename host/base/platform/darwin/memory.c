#include "platform/memory.h"

#include <sys/resource.h>

/* The allocator gives large blocks back by itself. */
void pail_return_blocks(size_t from_bytes)
{
    (void)from_bytes;
}

/* Other processes of the user need a right of the system's to read this one. PT_DENY_ATTACH would
 * end a process that is being debugged. */
void pail_keep_memory_private(void)
{
    const struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
}
