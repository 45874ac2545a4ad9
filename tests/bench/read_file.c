/* SPDX-License-Identifier: Apache-2.0 */
/* Costs of reading beside mapping, which Pail does not do: a file may shrink meanwhile.
 *
 *   bench_read_file FILE [MIB [REPETITIONS [POINTS_MIB]]]
 *
 * FILE is made with MIB (default 1024) of what cannot be compressed, and removed at the end; put it
 * on the disk that is meant. Milliseconds, least and median of all repetitions, and their ratios to
 * the first line's, "warm" with the file in the page cache, "cold" after it was thrown out of it:
 *
 *   bytes     until each byte has been looked at: mapped; read piece by piece into a buffer that is
 *             used again, as bases_create has it done; loaded as a whole. By one thread, and by two
 *   sent      the same twice, as the Vulkan plugin goes through points: once to see which are zero,
 *             once to copy them into a ring of 32 MiB. What the device does is not in it
 *   cpu, vulkan
 *             from opening a file of POINTS_MIB (default 64; 0: none) of points of BN254 G1 to the
 *             end of bases_create: points at a mapping, with a reader, loaded as a whole. The
 *             plugin is that of PAIL_TEST_PLUGIN, or of this build; "none" there leaves it out */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include <curves/rng.h>
#include <formats/file.h>
#include <platform/clock.h>
#include <points/source.h>

#include "backends.h"
#include "reading.h"
#include "support/test.h"

enum { THREADS_MAX = 2, RING_PIECES = 128, POINT_BYTES = 64 };

static uint8_t *ring; /* [RING_PIECES][PAIL_POINTS_BUFFER] */

static void make(const char *path, size_t bytes)
{
    static uint64_t block[1 << 17];
    struct pail_rng rng;
    pail_rng_init(&rng, 1);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        reading_fail(path);
    for (size_t at = 0; at < bytes; at += sizeof(block)) {
        for (size_t i = 0; i < sizeof(block) / sizeof(block[0]); i++)
            block[i] = pail_rng_next(&rng);
        if (write(fd, block, sizeof(block)) != (ssize_t)sizeof(block))
            reading_fail(path);
    }
    if (fsync(fd) != 0 || close(fd) != 0)
        reading_fail(path);
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

/* How many points are not zero. */
static uint64_t count(const uint8_t *data, size_t size)
{
    uint64_t n = 0;
    for (size_t at = 0; at < size; at += POINT_BYTES) {
        size_t i = 0;
        while (i < POINT_BYTES && data[at + i] == 0)
            i++;
        n += i < POINT_BYTES;
    }
    return n;
}

/* Pieces that threads take one after the other. */
struct work {
    enum { LOOK, COUNT, SEND } what;
    const uint8_t *data;         /* NULL: read */
    struct pail_file_part *part; /* NULL: there */
    size_t size;
    atomic_size_t next;
    atomic_uint_fast64_t sum;
};

static void *look_at_pieces(void *argument)
{
    struct work *const work = argument;
    uint8_t *const buffer = work->part ? malloc(PAIL_POINTS_BUFFER) : NULL;
    uint64_t sum = 0;
    if (work->part && buffer == NULL)
        reading_fail("memory");
    for (;;) {
        const size_t at = atomic_fetch_add(&work->next, 1) * PAIL_POINTS_BUFFER;
        if (at >= work->size)
            break;
        const size_t left = work->size - at;
        const size_t size = left < PAIL_POINTS_BUFFER ? left : PAIL_POINTS_BUFFER;
        uint8_t *const place = ring + at / PAIL_POINTS_BUFFER % RING_PIECES * PAIL_POINTS_BUFFER;
        uint8_t *const to = work->what == SEND ? place : buffer;
        if (work->part && pail_file_part_read(work->part, to, at, size) != PAIL_OK) {
            (void)fprintf(stderr, "%s\n", work->part->error);
            exit(1);
        }
        const uint8_t *const from = work->part ? to : work->data + at;
        if (work->what == LOOK)
            sum += look(from, size);
        else if (work->what == COUNT)
            sum += count(from, size);
        else if (!work->part)
            memcpy(to, from, size);
    }
    free(buffer);
    atomic_fetch_add(&work->sum, sum);
    return NULL;
}

static uint64_t go_through(struct work *work, size_t threads)
{
    pthread_t others[THREADS_MAX];
    atomic_init(&work->next, 0);
    atomic_init(&work->sum, 0);
    for (size_t i = 1; i < threads; i++)
        if (pthread_create(&others[i], NULL, look_at_pieces, work) != 0)
            reading_fail("thread");
    (void)look_at_pieces(work);
    for (size_t i = 1; i < threads; i++)
        (void)pthread_join(others[i], NULL);
    return atomic_load(&work->sum);
}

/* The `user` of a way. */
struct how {
    size_t threads;
    bool sent;
};

static uint64_t all_of(struct work *work, const struct how *how)
{
    if (!how->sent)
        return go_through(work, how->threads);
    work->what = COUNT;
    const uint64_t n = go_through(work, how->threads);
    work->what = SEND;
    (void)go_through(work, how->threads);
    return n;
}

static double mapped(uint64_t *sum, const char *path, const void *user)
{
    const double begin = pail_now_ms();
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const off_t size = lseek(fd, 0, SEEK_END);
    void *const data = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd < 0 || data == MAP_FAILED)
        reading_fail(path);
    struct work work = {.data = data, .size = (size_t)size};
    *sum = all_of(&work, user);
    (void)munmap(data, (size_t)size);
    (void)close(fd);
    return pail_now_ms() - begin;
}

static void check(pail_status status, const char *error)
{
    if (status == PAIL_OK)
        return;
    (void)fprintf(stderr, "%s\n", error);
    exit(1);
}

static double in_pieces(uint64_t *sum, const char *path, const void *user)
{
    char error[512];
    struct pail_file file;
    struct pail_file_part part;
    const double begin = pail_now_ms();
    check(pail_file_open(&file, path, error, sizeof(error)), error);
    pail_file_part_init(&part, &file, 0, file.size);
    struct work work = {.part = &part, .size = file.size};
    *sum = all_of(&work, user);
    pail_file_close(&file);
    return pail_now_ms() - begin;
}

static double whole(uint64_t *sum, const char *path, const void *user)
{
    char error[512];
    struct pail_bytes bytes;
    const double begin = pail_now_ms();
    check(pail_file_load_whole(&bytes, path, error, sizeof(error)), error);
    struct work work = {.data = bytes.data, .size = bytes.size};
    *sum = all_of(&work, user);
    pail_bytes_free(&bytes, false);
    return pail_now_ms() - begin;
}

static void compare_bytes(const char *path, size_t repetitions, bool sent)
{
    static const char *const names[] = {
        "mapped",          "in pieces", "whole", "mapped, 2 threads", "in pieces, 2 threads",
        "whole, 2 threads"};
    static reading_way functions[] = {mapped, in_pieces, whole, mapped, in_pieces, whole};
    const struct how one = {1, sent}, two = {2, sent};
    const void *const users[] = {&one, &one, &one, &two, &two, &two};
    const struct reading_ways ways = {names, functions, users, 6};
    for (int cold = 0; cold < 2; cold++)
        reading_compare(sent ? "sent" : "bytes", &ways, path, repetitions, cold);
}

int main(int argc, char **argv)
{
    const size_t mib = argc > 2 ? strtoul(argv[2], NULL, 10) : 1024;
    const size_t reps = argc > 3 ? strtoul(argv[3], NULL, 10) : 7;
    const size_t points_mib = argc > 4 ? strtoul(argv[4], NULL, 10) : 64;
    if (argc < 2 || mib == 0 || reps == 0) {
        (void)fprintf(stderr, "usage: bench_read_file FILE [MIB [REPETITIONS [POINTS_MIB]]]\n");
        return 2;
    }
    make(argv[1], mib << 20);
    ring = calloc(RING_PIECES, PAIL_POINTS_BUFFER);
    if (ring == NULL)
        reading_fail("memory");
    memset(ring, 1, RING_PIECES * PAIL_POINTS_BUFFER);
    compare_bytes(argv[1], reps, false);
    compare_bytes(argv[1], reps, true);
    free(ring);
    (void)unlink(argv[1]);
    if (points_mib == 0)
        return 0;
    reading_bases(argv[1], points_mib, reps, NULL);
    if (strcmp(backends_plugin_path(), "none") != 0)
        reading_bases(argv[1], points_mib, reps, backends_plugin_path());
    return 0;
}
