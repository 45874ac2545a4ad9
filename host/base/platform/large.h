/* Memory for blocks that are worth pages of their own size. */
#ifndef PAIL_PLATFORM_LARGE_H
#define PAIL_PLATFORM_LARGE_H

#include <stddef.h>

/* Blocks from here on are. */
#define PAIL_LARGE_BLOCK ((size_t)2 << 20)

/* A block of `bytes`, in large pages where the system has them; free() takes it. NULL: there is no
 * memory. No more of it becomes resident than what is touched and the rest of its large pages.
 * Freed memory may keep large pages. */
void *pail_alloc_large(size_t bytes);

#endif /* PAIL_PLATFORM_LARGE_H */
