/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAIL_WINDOWS_MATH_H
#define PAIL_WINDOWS_MATH_H

#include_next <math.h>

/* The system's own converts to float first, for the compiler to warn of. */
#undef isfinite
#define isfinite(x) __builtin_isfinite(x)

#endif
