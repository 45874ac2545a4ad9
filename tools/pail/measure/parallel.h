/* Work of the host in pieces, on as many threads as there are processors. */
#ifndef PAIL_TOOL_MEASURE_PARALLEL_H
#define PAIL_TOOL_MEASURE_PARALLEL_H

#include <stddef.h>
#include <stdint.h>

/* Calls piece(user, i) once for each i < n, in any order and from several threads; returns when all
 * have. threads: 0: as many as there are processors. label: for the line on a terminal. */
void pail_parallel(size_t n, void (*piece)(void *user, size_t i), void *user, uint32_t threads,
                   const char *label);

#endif /* PAIL_TOOL_MEASURE_PARALLEL_H */
