/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAIL_DARWIN_SIGNAL_H
#define PAIL_DARWIN_SIGNAL_H

#include_next <signal.h>

struct timespec;

/* Same as in POSIX, for blocked signals; polls several times a second. info: NULL. */
int sigtimedwait(const sigset_t *signals, siginfo_t *info, const struct timespec *span);

#endif
