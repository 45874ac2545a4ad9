/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_SYS_SYSCTL_H
#define STUB_SYS_SYSCTL_H
#include <stddef.h>
int sysctlbyname(const char *name, void *old, size_t *old_bytes, void *new_value, size_t new_bytes);
#endif
