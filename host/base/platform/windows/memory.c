#include "platform/memory.h"

#include <windows.h>

/* The heap of the system gives large blocks back by itself. */
void pail_return_blocks(size_t from_bytes)
{
    (void)from_bytes;
}

/* No report of a crash, which may have memory in it. Other processes of the user's may read this
 * one: the system has no word against that. */
void pail_keep_memory_private(void)
{
    (void)SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
}
