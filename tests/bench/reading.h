/* SPDX-License-Identifier: Apache-2.0 */
/* Times and the file, for both parts of bench_read_file. */
#ifndef PAIL_BENCH_READING_H
#define PAIL_BENCH_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Says what went wrong, with errno, and ends. */
_Noreturn void reading_fail(const char *what);

/* One way, once: milliseconds of it, and something that depends on all that was read. */
typedef double (*reading_way)(uint64_t *sum, const char *path, const void *user);

struct reading_ways {
    const char *const *names;
    reading_way *ways;
    const void *const *users; /* [n] */
    size_t n;                 /* the first one is what others are compared with */
};

/* Runs all ways in turns, and prints the least and the median of each, and their ratios. */
void reading_compare(const char *title, const struct reading_ways *ways, const char *path,
                     size_t repetitions, bool cold);

/* Registering the points of a file, on one backend. path: made anew. plugin: NULL: the CPU backend.
 */
void reading_bases(const char *path, size_t mib, size_t repetitions, const char *plugin);

#endif /* PAIL_BENCH_READING_H */
