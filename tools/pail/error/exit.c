#define _POSIX_C_SOURCE 200809L

#include "exit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum pail_exit pail_exit_of(const struct pail_error *error)
{
    if (error->differs)
        return PAIL_EXIT_CHECK;
    switch (PAIL_STATUS_KIND(error->status)) {
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

pail_status pail_exit_status(int exit)
{
    static const pail_status statuses[] = {PAIL_OK, PAIL_OK, PAIL_ERR_ARGUMENT, PAIL_ERR_DATA,
                                           PAIL_ERR_UNSUPPORTED};
    return exit >= PAIL_EXIT_OK && exit < PAIL_EXIT_WORLD ? statuses[exit] : PAIL_ERR_INTERNAL;
}

enum pail_exit pail_exit(struct pail_error *error)
{
    pail_error_say(error);
    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return pail_exit_of(error);
    (void)pail_fail(error, PAIL_ERR_IO, "standard output cannot be written: %s", strerror(errno));
    pail_error_say(error);
    error->differs = false;
    return pail_exit_of(error);
}
