/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that the files of this folder share: names as the system has them, and errors as C has
 * them. */
#ifndef PAIL_PLATFORM_WINDOWS_SYSTEM_H
#define PAIL_PLATFORM_WINDOWS_SYSTEM_H

#include <windows.h>

#include <stdbool.h>

enum { PAIL_WIDE_PATH = 4096 }; /* characters of the system's, with the end */

/* UTF-8 to the system's; slashes are left, which the system takes as well. False with errno. */
bool pail_wide(wchar_t wide[PAIL_WIDE_PATH], const char *text);
/* The system's to UTF-8, in memory for free(); NULL with errno. */
char *pail_narrow(const wchar_t *wide);

/* errno after a failure of the system; returns -1. */
int pail_system_failed(DWORD error);

/* The handle of a descriptor; INVALID_HANDLE_VALUE with errno. */
HANDLE pail_handle(int file);

/* `path` where `folder` is open (AT_FDCWD: the working directory). False with errno. */
bool pail_wide_at(wchar_t wide[PAIL_WIDE_PATH], int folder, const char *path);

/* The whole path of what is open, without \\?\; false with errno. */
bool pail_wide_of(wchar_t wide[PAIL_WIDE_PATH], HANDLE handle);

#endif /* PAIL_PLATFORM_WINDOWS_SYSTEM_H */
