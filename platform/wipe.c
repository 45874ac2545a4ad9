#include <platform/wipe.h>

#include <string.h>

void pail_wipe(void *memory, size_t bytes)
{
    if (bytes)
        explicit_bzero(memory, bytes);
}
