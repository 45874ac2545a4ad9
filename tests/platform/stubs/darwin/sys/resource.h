/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_SYS_RESOURCE_H
#define STUB_SYS_RESOURCE_H
#include <sys/types.h>
typedef uint64_t rlim_t;
struct rlimit {
    rlim_t rlim_cur, rlim_max;
};
struct rusage {
    struct timeval ru_utime, ru_stime;
    long ru_maxrss;
};
#define RLIM_INFINITY ((rlim_t)INT64_MAX)
enum { RLIMIT_FSIZE = 1, RLIMIT_STACK = 3, RLIMIT_CORE = 4, RLIMIT_NOFILE = 8, RUSAGE_SELF = 0 };
int getrlimit(int what, struct rlimit *limit);
int setrlimit(int what, const struct rlimit *limit);
int getrusage(int whose, struct rusage *usage);
#endif
