/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_MALLOC_MALLOC_H
#define STUB_MALLOC_MALLOC_H
#include <stddef.h>
size_t malloc_size(const void *memory);
#endif
