#include "error.h"

#include <platform/process.h>
#include <stdarg.h>
#include <string.h>

#include <platform/text.h>

static _Thread_local struct {
    const pail_context *context;
    char sentence[512];
} last;

PAIL_CPU_PRINTF(3, 4)
pail_status pail_cpu_fail(const pail_context *context, pail_status status, const char *format, ...)
{
    va_list args;
    char sentence[sizeof last.sentence]; /* an argument may be the last sentence itself */
    va_start(args, format);
    (void)pail_line_list(sentence, sizeof sentence, format, args);
    va_end(args);
    /* No more of the stack than was written. */
    (void)memcpy(last.sentence, sentence, strlen(sentence) + 1);
    last.context = context;
    return status;
}

pail_status pail_cpu_check_process(const pail_context *context)
{
    return pail_process_is_first() ? PAIL_OK
                                   : pail_cpu_fail(context, PAIL_ERR_ARGUMENT, PAIL_PROCESS_FORKED);
}

const char *pail_cpu_error(const pail_context *context)
{
    return last.context == context ? last.sentence : "";
}
