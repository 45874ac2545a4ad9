#define _POSIX_C_SOURCE 200809L

#include "exit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <platform/line.h>

enum pail_exit pail_exit_of(pail_status status)
{
    switch (PAIL_STATUS_KIND(status)) {
    case PAIL_KIND_OK:
        return PAIL_EXIT_OK;
    case PAIL_KIND_CALLER:
        return PAIL_EXIT_USAGE;
    case PAIL_KIND_DATA:
        return PAIL_EXIT_DATA;
    case PAIL_KIND_UNSUPPORTED:
        return PAIL_EXIT_UNSUPPORTED;
    case PAIL_KIND_WORLD:
    case PAIL_KIND_FORCE_32:
        break;
    }
    return PAIL_EXIT_WORLD;
}

enum pail_exit pail_complain(pail_status status, const char *sentence)
{
    (void)pail_print(stderr, "pail: %s\n", sentence);
    return pail_exit_of(status);
}

enum pail_exit pail_finish_output(enum pail_exit so_far)
{
    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return so_far;
    (void)pail_print(stderr, "pail: standard output cannot be written: %s\n", strerror(errno));
    return PAIL_EXIT_WORLD;
}
