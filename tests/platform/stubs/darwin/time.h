/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_TIME_H
#define STUB_TIME_H
#include <stddef.h>
#include <sys/types.h>
struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
    long tm_gmtoff;
    char *tm_zone;
};
typedef enum {
    CLOCK_REALTIME = 0,
    CLOCK_MONOTONIC = 6,
    CLOCK_PROCESS_CPUTIME_ID = 12,
    CLOCK_THREAD_CPUTIME_ID = 16
} clockid_t;
int clock_gettime(clockid_t clock, struct timespec *now);
int nanosleep(const struct timespec *span, struct timespec *left);
time_t time(time_t *now);
struct tm *gmtime_r(const time_t *time, struct tm *parts);
size_t strftime(char *text, size_t capacity, const char *format, const struct tm *parts);
#endif
