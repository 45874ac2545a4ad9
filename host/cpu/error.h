/* The sentence for the last failure in a thread. */
#ifndef PAIL_CPU_ERROR_H
#define PAIL_CPU_ERROR_H

#include <pail/backend.h>
#include <platform/text.h>

#define PAIL_CPU_PRINTF(text, first) PAIL_LINE_PRINTF(text, first)

/* Keeps the sentence for pail_cpu_error(context) in this thread and returns status, so that a
 * failing function can return it. A sentence longer than 511 bytes is cut. context: optional. */
pail_status pail_cpu_fail(const pail_context *context, pail_status status, const char *format, ...)
    PAIL_CPU_PRINTF(3, 4);

/* PAIL_ERR_ARGUMENT in a child of fork of a process that used the library: objects of the parent
 * are there, but not the threads behind them. context: optional. */
pail_status pail_cpu_check_process(const pail_context *context);

/* Never NULL; empty if this thread's last failure was not with the context. */
const char *pail_cpu_error(const pail_context *context);

#endif /* PAIL_CPU_ERROR_H */
