/* Numbers that nobody can guess. */
#ifndef PAIL_PLATFORM_RANDOM_H
#define PAIL_PLATFORM_RANDOM_H

#include <stdbool.h>
#include <stddef.h>

/* Fills memory from the operating system's generator; waits until that is seeded. On failure, which
 * errno explains, the memory is zeroed. */
bool pail_random(void *memory, size_t bytes);

#endif /* PAIL_PLATFORM_RANDOM_H */
