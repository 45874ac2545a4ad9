#include "platform/large.h"

#include <stdlib.h>

/* The system has no word for it that every user may say. */
void *pail_alloc_large(size_t bytes)
{
    return malloc(bytes);
}
