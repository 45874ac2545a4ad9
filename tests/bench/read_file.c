/* A large file as `pail msm` takes it: mapped, as it once was, and read into memory, in turns.
 *
 *   bench_read_file FILE [MIB [REPETITIONS]]
 *
 * FILE is made with MIB (default 1024) of what cannot be compressed, and removed at the end; put it
 * on the disk that is meant. Milliseconds, least and median of all repetitions, until every byte
 * has been looked at once: "warm" with the file in the page cache, "cold" after it was thrown out
 * of it. "all" is with the memory given back. */
#define _GNU_SOURCE

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <curves/rng.h>
#include <formats/file.h>

enum { MAPPED, READ, WAYS };

static _Noreturn void fail(const char *what)
{
    perror(what);
    exit(1);
}

static double now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void make(const char *path, size_t bytes)
{
    static uint64_t block[1 << 17];
    struct pail_rng rng;
    pail_rng_init(&rng, 1);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        fail(path);
    for (size_t at = 0; at < bytes; at += sizeof(block)) {
        for (size_t i = 0; i < sizeof(block) / sizeof(block[0]); i++)
            block[i] = pail_rng_next(&rng);
        if (write(fd, block, sizeof(block)) != (ssize_t)sizeof(block))
            fail(path);
    }
    if (fsync(fd) != 0 || close(fd) != 0)
        fail(path);
}

static void forget(const char *path)
{
    const int fd = open(path, O_RDONLY);
    if (fd < 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0 || close(fd) != 0)
        fail(path);
}

static uint64_t look(const uint8_t *data, size_t size)
{
    uint64_t sum = 0, word;
    for (size_t i = 0; i + sizeof(word) <= size; i += sizeof(word)) {
        memcpy(&word, data + i, sizeof(word));
        sum += word;
    }
    return sum;
}

static double mapped(uint64_t *sum, double *all, const char *path)
{
    const double begin = now_ms();
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const off_t size = lseek(fd, 0, SEEK_END);
    void *const data = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd < 0 || data == MAP_FAILED)
        fail(path);
    *sum = look(data, (size_t)size);
    const double ms = now_ms() - begin;
    (void)munmap(data, (size_t)size);
    (void)close(fd);
    *all = now_ms() - begin;
    return ms;
}

static double whole(uint64_t *sum, double *all, const char *path)
{
    char error[512];
    struct pail_bytes bytes;
    const double begin = now_ms();
    if (pail_file_load_whole(&bytes, path, error, sizeof(error)) != PAIL_OK) {
        (void)fprintf(stderr, "%s\n", error);
        exit(1);
    }
    *sum = look(bytes.data, bytes.size);
    const double ms = now_ms() - begin;
    pail_bytes_free(&bytes, false);
    *all = now_ms() - begin;
    return ms;
}

int main(int argc, char **argv)
{
    static const char *const names[WAYS] = {"mapped", "read"};
    const size_t mib = argc > 2 ? strtoul(argv[2], NULL, 10) : 1024;
    const size_t reps = argc > 3 ? strtoul(argv[3], NULL, 10) : 7;
    double *times[WAYS], *totals[WAYS];
    if (argc < 2 || mib == 0 || reps == 0) {
        (void)fprintf(stderr, "usage: bench_read_file FILE [MIB [REPETITIONS]]\n");
        return 2;
    }
    for (int way = 0; way < WAYS; way++) {
        times[way] = calloc(reps, sizeof(double));
        totals[way] = calloc(reps, sizeof(double));
        if (times[way] == NULL || totals[way] == NULL)
            fail("memory");
    }
    make(argv[1], mib << 20);
    for (int cold = 0; cold < 2; cold++) {
        uint64_t sums[WAYS];
        for (size_t rep = 0; rep < reps; rep++) {
            for (int turn = 0; turn < WAYS; turn++) {
                const int way = (turn + (int)rep) % WAYS;
                if (cold)
                    forget(argv[1]);
                times[way][rep] =
                    (way == MAPPED ? mapped : whole)(&sums[way], &totals[way][rep], argv[1]);
            }
        }
        if (sums[MAPPED] != sums[READ]) {
            (void)fprintf(stderr, "bench_read_file: the bytes differ\n");
            return 1;
        }
        for (int way = 0; way < WAYS; way++) {
            qsort(times[way], reps, sizeof(double), compare);
            qsort(totals[way], reps, sizeof(double), compare);
            (void)printf("%-5s %-7s %8.1f %8.1f   all %8.1f %8.1f ms\n", cold ? "cold" : "warm",
                         names[way], times[way][0], times[way][reps / 2], totals[way][0],
                         totals[way][reps / 2]);
        }
        (void)printf(
            "%-5s ratio   %8.3f %8.3f   all %8.3f %8.3f\n", cold ? "cold" : "warm",
            times[READ][0] / times[MAPPED][0], times[READ][reps / 2] / times[MAPPED][reps / 2],
            totals[READ][0] / totals[MAPPED][0], totals[READ][reps / 2] / totals[MAPPED][reps / 2]);
    }
    (void)unlink(argv[1]);
    return 0;
}
