/* Memory, processors and names of the machine. */
#ifndef PAIL_PLATFORM_MACHINE_H
#define PAIL_PLATFORM_MACHINE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of memory, whoever has them; 0: it cannot be told. */
uint64_t pail_machine_memory(void);

/* Processors that are switched on; at least 1. pail_team_processors: those that this thread may
 * run on. */
uint32_t pail_machine_processors(void);

/* The C library's text for an error number; in words [capacity], or constant. */
const char *pail_machine_error(int error, char *words, size_t capacity);

#endif /* PAIL_PLATFORM_MACHINE_H */
