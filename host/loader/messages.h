/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences for the caller: on the heap, into a buffer, into the host's log. */
#ifndef PAIL_LOADER_MESSAGES_H
#define PAIL_LOADER_MESSAGES_H

#include <pail/backend.h>

#include <platform/text.h>

/* "folder/name" as it is, for free(); NULL when there is no memory. */
char *pail_join(const char *folder, const char *name);

/* A sentence for free(), with what it cites quoted (<platform/text.h>); NULL when there is no
 * memory. */
PAIL_LINE_PRINTF(1, 2) char *pail_format(const char *format, ...);

/* Fills a buffer as <pail/pail.h> describes for `error`; nothing happens when capacity is 0. */
PAIL_LINE_PRINTF(3, 4) void pail_say(char *text, size_t capacity, const char *format, ...);

/* Logs one line to the host, when it listens. */
PAIL_LINE_PRINTF(3, 4)
void pail_host_log(const pail_host *host, pail_log_level level, const char *format, ...);

#endif
