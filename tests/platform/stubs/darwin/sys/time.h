/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_SYS_TIME_H
#define STUB_SYS_TIME_H
#include <sys/types.h>
#endif
