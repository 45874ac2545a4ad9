/* SPDX-License-Identifier: Apache-2.0 */
/* Points of a file as bases, three ways. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <curves/inputs.h>
#include <formats/file.h>
#include <platform/clock.h>

#include "backends.h"
#include "reading.h"

enum { POINT_BYTES = 64, AT_ONCE = 1024 };

struct subject {
    const pail_backend *backend;
    pail_context *context;
};

static void make_points(const char *path, size_t n)
{
    static uint8_t points[AT_ONCE * POINT_BYTES];
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        reading_fail(path);
    for (size_t first = 0; first < n; first += AT_ONCE) {
        pail_make_bases(pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1), points, true, first, AT_ONCE,
                        PAIL_BASES_DISTINCT, 1);
        if (write(fd, points, sizeof(points)) != (ssize_t)sizeof(points))
            reading_fail(path);
    }
    if (fsync(fd) != 0 || close(fd) != 0)
        reading_fail(path);
}

/* Registers the points, and says when that has ended; what is given up again is not in the time. */
static double enroll(uint64_t *sum, const struct subject *subject, const void *points,
                     struct pail_file_part *part, size_t bytes)
{
    const pail_bases_desc desc = {
        .struct_size = sizeof(desc),
        .curve = PAIL_CURVE_BN254,
        .group = PAIL_G1,
        .encoding = PAIL_ENCODING_MONTGOMERY,
        .validation = PAIL_VALIDATE_CURVE,
        .points = points,
        .n_points = bytes / POINT_BYTES,
        .read_points = part ? pail_file_part_read : NULL,
        .read_user = part,
    };
    pail_bases *bases;
    if (subject->backend->bases_create(subject->context, &bases, NULL, &desc) != PAIL_OK) {
        (void)fprintf(stderr, "%s\n", subject->backend->error(subject->context));
        exit(1);
    }
    const double end = pail_now_ms();
    pail_bases_info info = {.struct_size = sizeof(info)};
    (void)subject->backend->bases_info(bases, &info);
    *sum = info.n_kept;
    subject->backend->bases_destroy(subject->context, &bases);
    return end;
}

static double mapped(uint64_t *sum, const char *path, const void *user)
{
    const double begin = pail_now_ms();
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const off_t size = lseek(fd, 0, SEEK_END);
    void *const data = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd < 0 || data == MAP_FAILED)
        reading_fail(path);
    const double end = enroll(sum, user, data, NULL, (size_t)size);
    (void)munmap(data, (size_t)size);
    (void)close(fd);
    return end - begin;
}

static double in_pieces(uint64_t *sum, const char *path, const void *user)
{
    struct pail_file file;
    struct pail_file_part part;
    const double begin = pail_now_ms();
    if (pail_file_open(&file, path, NULL, 0) != PAIL_OK)
        reading_fail(path);
    pail_file_part_init(&part, &file, 0, file.size);
    const double end = enroll(sum, user, NULL, &part, file.size);
    pail_file_close(&file);
    return end - begin;
}

static double whole(uint64_t *sum, const char *path, const void *user)
{
    struct pail_bytes bytes;
    const double begin = pail_now_ms();
    if (pail_file_load_whole(&bytes, path, NULL, 0) != PAIL_OK)
        reading_fail(path);
    const double end = enroll(sum, user, bytes.data, NULL, bytes.size);
    pail_bytes_free(&bytes, false);
    return end - begin;
}

void reading_bases(const char *path, size_t mib, size_t repetitions, const char *plugin)
{
    static const char *const names[] = {"mapped", "in pieces", "whole"};
    static reading_way functions[] = {mapped, in_pieces, whole};
    struct opened opened = backends_open(plugin);
    struct counting_host host;
    struct subject subject;
    backends_host_init(&host);
    const pail_context_params params = {.struct_size = sizeof(params)};
    if (opened.open(&host.host, &subject.backend) != PAIL_OK ||
        subject.backend->context_create(&host.host, &subject.context, &params) != PAIL_OK) {
        (void)fprintf(stderr, "%s\n", subject.backend ? subject.backend->error(NULL) : plugin);
        exit(1);
    }
    const void *const users[] = {&subject, &subject, &subject};
    const struct reading_ways ways = {names, functions, users, 3};
    make_points(path, (mib << 20) / POINT_BYTES);
    uint64_t ignored; /* pipelines, and threads, are made once */
    (void)mapped(&ignored, path, &subject);
    reading_compare(subject.backend->name, &ways, path, repetitions, false);
    reading_compare(subject.backend->name, &ways, path, repetitions, true);
    (void)unlink(path);
    subject.backend->context_destroy(&subject.context);
    backends_close(&opened);
}
