/* The process's own files and program. */
#ifndef PAIL_PLATFORM_SELF_H
#define PAIL_PLATFORM_SELF_H

#include <stddef.h>

/* Writes a path under which this process may open again what it has open as `file`, whatever has
 * its name now, cut to `capacity`: 32 bytes are enough. */
void pail_self_file(char *path, size_t capacity, int file);

/* The path of the program that this process runs; valid for good. "": it cannot be told. */
const char *pail_self_program(void);

#endif /* PAIL_PLATFORM_SELF_H */
