/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_LIMITS_H
#define STUB_LIMITS_H
#include_next <limits.h>
#define PATH_MAX 1024
#define NAME_MAX 255
#endif
