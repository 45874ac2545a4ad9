/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <platform/text.h>

/* ---- Sentences ------------------------------------------------------------------------------- */

pail_status pail_fail(struct pail_error *error, pail_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)pail_line_list(error->sentence, sizeof(error->sentence), format, arguments);
    va_end(arguments);
    return pail_told(error, status);
}

void pail_differs(struct pail_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)pail_line_list(error->sentence, sizeof(error->sentence), format, arguments);
    va_end(arguments);
    error->differs = true;
}

pail_status pail_told(struct pail_error *error, pail_status status)
{
    error->status = status;
    return status;
}

void pail_error_say(struct pail_error *error)
{
    if (error->sentence[0] != '\0' && (error->differs || error->status != PAIL_OK))
        (void)pail_print(stderr, "pail: %s\n", error->sentence);
    error->sentence[0] = '\0';
}

void pail_error_add(struct pail_error *all, struct pail_error *one)
{
    pail_error_say(one);
    if (all->status == PAIL_OK)
        all->status = one->status;
    all->differs |= one->differs;
}

/* ---- Exit statuses --------------------------------------------------------------------------- */

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
