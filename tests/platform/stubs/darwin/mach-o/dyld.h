/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_MACH_O_DYLD_H
#define STUB_MACH_O_DYLD_H
#include <stdint.h>
int _NSGetExecutablePath(char *path, uint32_t *capacity);
#endif
