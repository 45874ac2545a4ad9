/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAIL_WINDOWS_SIGNAL_H
#define PAIL_WINDOWS_SIGNAL_H

#include_next <signal.h>

typedef int sigset_t; /* there are none to hold back */

#endif
