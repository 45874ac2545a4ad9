#include "error.h"

#include <stdarg.h>

#include <platform/text.h>

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
