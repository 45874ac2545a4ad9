/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAIL_WINDOWS_STRING_H
#define PAIL_WINDOWS_STRING_H

#include <pail_posix_name.h>

#include_next <string.h>

char *strndup(const char *text, size_t n) PAIL_POSIX(strndup);

#endif
