/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_MATH_H
#define STUB_MATH_H
#define INFINITY    __builtin_inff()
#define NAN         __builtin_nanf("")
#define isfinite(x) __builtin_isfinite(x)
#define isnan(x)    __builtin_isnan(x)
double ceil(double x);
double exp2(double x);
double fabs(double x);
double floor(double x);
double log(double x);
double log10(double x);
double log2(double x);
double round(double x);
double sqrt(double x);
double fmax(double x, double y);
double fmin(double x, double y);
double pow(double x, double y);
#endif
