/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_LIBGEN_H
#define STUB_LIBGEN_H
char *dirname(char *path);
#endif
