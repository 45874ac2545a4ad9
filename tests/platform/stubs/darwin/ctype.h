/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_CTYPE_H
#define STUB_CTYPE_H
int isalpha(int c);
int isdigit(int c);
int isxdigit(int c);
int toupper(int c);
#endif
