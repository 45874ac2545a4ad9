/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_STRINGS_H
#define STUB_STRINGS_H
#include <stddef.h>
int strcasecmp(const char *a, const char *b);
int strncasecmp(const char *a, const char *b, size_t n);
#endif
