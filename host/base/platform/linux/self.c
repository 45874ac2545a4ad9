#include "platform/self.h"

#include <stdio.h>

void pail_self_file(char *path, size_t capacity, int file)
{
    (void)snprintf(path, capacity, "/proc/self/fd/%d", file);
}

/* The path works also when the file has been replaced since. */
const char *pail_self_program(void)
{
    return "/proc/self/exe";
}
