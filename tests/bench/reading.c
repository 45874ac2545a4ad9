/* SPDX-License-Identifier: Apache-2.0 */
#include "reading.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

_Noreturn void reading_fail(const char *what)
{
    perror(what);
    exit(1);
}

/* Throws the file out of the page cache. */
static void forget(const char *path)
{
    const int fd = open(path, O_RDONLY);
    if (fd < 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0 || close(fd) != 0)
        reading_fail(path);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void reading_compare(const char *title, const struct reading_ways *ways, const char *path,
                     size_t repetitions, bool cold)
{
    double *const times = calloc(ways->n * repetitions, sizeof(*times));
    uint64_t *const sums = calloc(ways->n, sizeof(*sums));
    if (times == NULL || sums == NULL)
        reading_fail("memory");
    for (size_t rep = 0; rep < repetitions; rep++) {
        for (size_t turn = 0; turn < ways->n; turn++) {
            const size_t way = (turn + rep) % ways->n;
            if (cold)
                forget(path);
            times[way * repetitions + rep] = ways->ways[way](&sums[way], path, ways->users[way]);
        }
    }
    for (size_t way = 0; way < ways->n; way++) {
        double *const of = times + way * repetitions;
        if (sums[way] != sums[0]) {
            (void)fprintf(stderr, "bench_read_file: %s: what was read differs\n", title);
            exit(1);
        }
        qsort(of, repetitions, sizeof(*of), compare);
        (void)printf("%-8s %-5s %-22s %8.1f %8.1f ms   ratio %6.3f %6.3f\n", title,
                     cold ? "cold" : "warm", ways->names[way], of[0], of[repetitions / 2],
                     of[0] / times[0], of[repetitions / 2] / times[repetitions / 2]);
        (void)fflush(stdout);
    }
    free(times);
    free(sums);
}
