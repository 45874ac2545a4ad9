/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAIL_WINDOWS_LIMITS_H
#define PAIL_WINDOWS_LIMITS_H

#include_next <limits.h>

/* Limits in UTF-8: a character of a name, which is two bytes for the system, has up to three. */
#undef PATH_MAX
#undef NAME_MAX
#define PATH_MAX 780
#define NAME_MAX 765

#endif
