/* As Apple documents it (manual pages of macOS), as far as Pail asks: for the compiler alone. */
#ifndef STUB_MATH_H
#define STUB_MATH_H
#define HUGE_VAL    __builtin_huge_val()
#define INFINITY    __builtin_inff()
#define NAN         __builtin_nanf("")
#define M_PI        3.14159265358979323846
#define isfinite(x) __builtin_isfinite(x)
#define isinf(x)    __builtin_isinf(x)
#define isnan(x)    __builtin_isnan(x)
#define signbit(x)  __builtin_signbit(x)
double ceil(double x);
double cos(double x);
double exp(double x);
double exp2(double x);
double fabs(double x);
double floor(double x);
double log(double x);
double log10(double x);
double log2(double x);
double round(double x);
double rint(double x);
double sin(double x);
double sqrt(double x);
double tan(double x);
double trunc(double x);
double lgamma(double x);
double expm1(double x);
double log1p(double x);
double cbrt(double x);
double nearbyint(double x);
double fmax(double x, double y);
double fmin(double x, double y);
double fmod(double x, double y);
double pow(double x, double y);
double hypot(double x, double y);
double nextafter(double x, double y);
double atan2(double x, double y);
double ldexp(double x, int n);
double frexp(double x, int *n);
double fma(double x, double y, double z);
float fabsf(float x);
float sqrtf(float x);
long lround(double x);
long long llround(double x);
#endif
