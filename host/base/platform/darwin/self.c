#include "platform/self.h"

#include <limits.h>
#include <mach-o/dyld.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char program[PATH_MAX];

static void look(void)
{
    uint32_t capacity = sizeof(program);
    if (_NSGetExecutablePath(program, &capacity) != 0)
        program[0] = '\0';
}

/* A descriptor opened by this path shares its position with the file: readers here give the
 * position with each read. */
void pail_self_file(char *path, size_t capacity, int file)
{
    (void)snprintf(path, capacity, "/dev/fd/%d", file);
}

const char *pail_self_program(void)
{
    (void)pthread_once(&once, look);
    return program;
}
