/* SPDX-License-Identifier: Apache-2.0 */
/* Words to the service manager: the protocol of sd_notify(3), a datagram to $NOTIFY_SOCKET. */
#ifndef PAIL_TOOL_SERVE_NOTIFY_H
#define PAIL_TOOL_SERVE_NOTIFY_H

#include <stdint.h>

/* Sends the text, lines of NAME=VALUE; does nothing where nobody wants it. */
void pail_notify(const char *text);

/* The time between two WATCHDOG=1, at most: half of $WATCHDOG_USEC; 0: the manager wants none. */
uint64_t pail_notify_watchdog_ns(void);

#endif /* PAIL_TOOL_SERVE_NOTIFY_H */
