/* SPDX-License-Identifier: Apache-2.0 */
/* Points from a reader, on each backend: the same sums as from memory, whatever their layout and
 * their number; readers that fail at each piece; a file that shrinks while it is read.
 *
 *   abi_readers [cpu] */
#include "backends.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "support/test.h"

#include <curves/inputs.h>
#include <formats/file.h>

enum { SUM_OF = 96, POINT_MAX = 2 * PAIL_COORDINATE_MAX };

struct subject {
    struct counting_host counting;
    struct opened opened;
    const pail_backend *backend;
    pail_context *context;
};

/* ---- Points ---------------------------------------------------------------------------------- */

struct layout {
    size_t stride;          /* beyond the point's own bytes */
    uint32_t infinity_byte; /* 1 + its offset behind the point's own bytes; 0: none */
};

struct set {
    const struct pail_curve_ops *ops;
    size_t n, stride, bytes;
    uint8_t *points; /* [bytes]: to the last one that means something */
    pail_bases_desc desc;
};

/* Every `leave`th point is infinity, if it is not 0. */
static struct set make_set(uint32_t curve, uint32_t group, size_t n, struct layout layout,
                           size_t leave)
{
    struct set s = {.ops = pail_curve_ops(curve, group), .n = n};
    const size_t own = 2 * s.ops->coordinate_bytes;
    s.stride = own + layout.stride;
    s.bytes = n ? (n - 1) * s.stride + own + layout.infinity_byte : 0;
    s.points = malloc(s.bytes + (n == 0));
    uint8_t *const packed = malloc(own * n + 1);
    assert_true(s.points && packed);
    pail_make_bases(s.ops, packed, true, 0, n, PAIL_BASES_DISTINCT, 3);
    memset(s.points, 0x5a, s.bytes);
    for (size_t i = 0; i < n; i++) {
        uint8_t *const point = s.points + i * s.stride;
        const bool infinite = leave && i % leave == leave - 1;
        memcpy(point, packed + i * own, own);
        if (infinite)
            memset(point, layout.infinity_byte ? 0xff : 0, own);
        if (layout.infinity_byte)
            point[own + layout.infinity_byte - 1] = infinite;
    }
    free(packed);
    s.desc = (pail_bases_desc){
        .struct_size = sizeof s.desc,
        .curve = curve,
        .group = group,
        .encoding = PAIL_ENCODING_MONTGOMERY,
        .validation = PAIL_VALIDATE_CURVE,
        .infinity_byte = layout.infinity_byte ? (uint32_t)own + layout.infinity_byte : 0,
        .stride = layout.stride ? s.stride : 0,
        .points = s.points,
        .n_points = n,
    };
    return s;
}

struct reader {
    const uint8_t *points;
    size_t bytes;
    size_t point; /* bytes of a point, if there is nothing between them; otherwise 1 */
    atomic_ulong calls;
    atomic_ulong elsewhere; /* calls in other threads than the test's */
    pthread_t own;
    unsigned long fail_at; /* counted from 1; 0: none */
    pail_status status;
    int deep; /* bytes of stack that it uses */
};

static void use_stack(size_t bytes)
{
    enum { STEP = 16384 };
    volatile unsigned char used[STEP];
    for (size_t i = 0; i < STEP; i += 512)
        used[i] = (unsigned char)bytes;
    if (bytes > STEP && used[512] == (unsigned char)bytes)
        use_stack(bytes - STEP);
}

static pail_status give(void *user, void *to, uint64_t offset, size_t bytes)
{
    struct reader *const r = user;
    const unsigned long call = atomic_fetch_add(&r->calls, 1) + 1;
    if (bytes == 0 || offset > r->bytes || bytes > r->bytes - offset || offset % r->point != 0 ||
        bytes % r->point != 0)
        abort(); /* in a thread that is not the test's */
    if (!pthread_equal(pthread_self(), r->own)) {
        sigset_t blocked;
        atomic_fetch_add(&r->elsewhere, 1);
        if (pthread_sigmask(SIG_BLOCK, NULL, &blocked) != 0 || !sigismember(&blocked, SIGALRM))
            abort();
    }
    if (r->deep)
        use_stack((size_t)r->deep);
    if (call == r->fail_at)
        return r->status;
    memcpy(to, r->points + offset, bytes);
    return PAIL_OK;
}

static pail_bases_desc behind(const struct set *s, struct reader *r)
{
    pail_bases_desc desc = s->desc;
    *r = (struct reader){.points = s->points,
                         .bytes = s->bytes,
                         .point = s->stride == 2 * s->ops->coordinate_bytes ? s->stride : 1,
                         .own = pthread_self()};
    desc.points = NULL;
    desc.read_points = give;
    desc.read_user = r;
    return desc;
}

/* ---- Equal to those from memory -------------------------------------------------------------- */

static pail_bases *enroll(const struct subject *subject, const pail_bases_desc *desc)
{
    pail_bases *bases = NULL;
    size_t bad = 0;
    if (subject->backend->bases_create(subject->context, &bases, &bad, desc) != PAIL_OK)
        fail_msg("%s", subject->backend->error(subject->context));
    assert_true(bad == SIZE_MAX);
    return bases;
}

static void sum_at(const struct subject *subject, pail_msm_result *result, const pail_bases *bases,
                   size_t offset, size_t n)
{
    uint8_t scalars[32 * SUM_OF];
    pail_pending *pending = NULL;
    memset(scalars, 0, sizeof scalars);
    for (size_t i = 0; i < n; i++)
        scalars[32 * i] = (uint8_t)(1 + i);
    const pail_msm_job job =
        SIZED(pail_msm_job, .bases = bases, .base_offset = offset, .scalars = scalars, .n = n);
    *result = (pail_msm_result){.struct_size = sizeof *result};
    pail_status status = subject->backend->msm_start(subject->context, &pending, &job, 1, NULL);
    if (status == PAIL_OK)
        status = subject->backend->msm_finish(&pending, result, 1, NULL);
    if (status != PAIL_OK)
        fail_msg("%s", subject->backend->error(subject->context));
}

/* Sums of points here and there: at both ends, and where pieces meet. */
static void expect_equal(const struct subject *subject, const pail_bases *a, const pail_bases *b,
                         size_t n)
{
    static const size_t places[] = {0, 4096, 16384, 65536};
    for (size_t i = 0; i <= sizeof(places) / sizeof(places[0]); i++) {
        const bool end = i == sizeof(places) / sizeof(places[0]);
        const size_t middle = end ? n : places[i];
        const size_t first = middle < SUM_OF / 2 ? 0 : middle - SUM_OF / 2;
        if (middle > n || first >= n || (end && n <= SUM_OF)) /* the first one has them all */
            continue;
        const size_t count = n - first < SUM_OF ? n - first : SUM_OF;
        pail_msm_result of_a, of_b;
        sum_at(subject, &of_a, a, first, count);
        sum_at(subject, &of_b, b, first, count);
        assert_memory_equal(&of_a, &of_b, sizeof of_a);
    }
}

static void check_set(const struct subject *subject, const struct set *s, uint32_t residency)
{
    struct reader r;
    pail_bases_desc plain = s->desc, read = behind(s, &r);
    plain.residency = read.residency = residency;
    pail_bases *a = enroll(subject, &plain), *b = enroll(subject, &read);
    const unsigned long calls = r.calls;
    assert_true((calls > 0) == (s->n > 0));
    pail_bases_info info_a = {.struct_size = sizeof info_a}, info_b = info_a;
    assert_int_equal(subject->backend->bases_info(a, &info_a), PAIL_OK);
    assert_int_equal(subject->backend->bases_info(b, &info_b), PAIL_OK);
    assert_memory_equal(&info_a, &info_b, offsetof(pail_bases_info, table_ms));
    expect_equal(subject, a, b, s->n);
    assert_int_equal(r.calls, calls); /* nothing is asked for later */
    subject->backend->bases_destroy(subject->context, &a);
    subject->backend->bases_destroy(subject->context, &b);
}

static const struct layout layouts[] = {
    {0, 0}, {8, 0}, {9, 5}, {8192, 0}, {8192, 8000}, /* 4096 is where points are read alone */
};

PAIL_TEST_OF(same_sums, const struct subject *subject)
{
    if (!subject->context)
        SKIP_BECAUSE("the backend has no device here");
    static const size_t sizes[] = {0, 1, 2, 65, 300};
    for (uint32_t curve = PAIL_CURVE_BN254; curve <= PAIL_CURVE_BLS12_381; curve++)
        for (uint32_t group = PAIL_G1; group <= PAIL_G2; group++)
            for (size_t l = 0; l < sizeof(layouts) / sizeof(layouts[0]); l++)
                for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
                    if (l > 0 && sizes[i] != 1 && sizes[i] != 300)
                        continue;
                    struct set s = make_set(curve, group, sizes[i], layouts[l], i & 1 ? 0 : 3);
                    check_set(subject, &s, i & 1 ? PAIL_RESIDENCY_HOST : PAIL_RESIDENCY_DEVICE);
                    free(s.points);
                }
}

/* Around the pieces: of a buffer (4096 points of 64 bytes), a task (16384), what is counted at a
 * time (65536), and points of 96 bytes, which pieces cut through. One infinity in 100 is kept. */
PAIL_TEST_OF(same_sums_of_many, const struct subject *subject)
{
    if (!subject->context)
        SKIP_BECAUSE("the backend has no device here");
    static const size_t sizes[] = {4095, 4096, 4097, 16384, 16385, 70001};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct set s = make_set(PAIL_CURVE_BN254, PAIL_G1, sizes[i], layouts[i == 5 ? 2 : 0],
                                i == 5  ? 100
                                : i & 1 ? 0
                                        : 7);
        check_set(subject, &s, PAIL_RESIDENCY_DEVICE);
        free(s.points);
    }
    for (size_t leave = 0; leave < 4; leave += 3) {
        struct set s = make_set(PAIL_CURVE_BLS12_381, PAIL_G1, 9001, layouts[0], leave);
        check_set(subject, &s, leave ? PAIL_RESIDENCY_HOST : PAIL_RESIDENCY_DEVICE);
        free(s.points);
    }
}

/* ---- Readers that fail ----------------------------------------------------------------------- */

PAIL_TEST_OF(failing, struct subject *subject)
{
    if (!subject->context)
        SKIP_BECAUSE("the backend has no device here");
    for (size_t l = 0; l < 3; l += 2) {
        struct set s = make_set(PAIL_CURVE_BN254, PAIL_G1, 40000, layouts[l], 5);
        struct reader r;
        pail_bases_desc desc = behind(&s, &r);
        r.deep = 1 << 20;
        pail_bases *bases = enroll(subject, &desc);
        subject->backend->bases_destroy(subject->context, &bases);
        const unsigned long calls = r.calls;
        print_message("%s: %lu calls, %lu of them in other threads\n", subject->backend->name,
                      calls, (unsigned long)r.elsewhere);
        assert_in_range(calls, 10, 200);
        const long before = subject->counting.blocks;
        for (unsigned long at = 1; at <= calls; at++) {
            char bytes[64];
            size_t bad = 0;
            desc = behind(&s, &r);
            r.fail_at = at;
            r.status = at % 3 ? PAIL_ERR_IO : PAIL_ERR_DEVICE_LOST;
            bases = (pail_bases *)(uintptr_t)1;
            assert_int_equal(subject->backend->bases_create(subject->context, &bases, &bad, &desc),
                             r.status);
            assert_null(bases);
            assert_true(bad == SIZE_MAX);
            (void)snprintf(bytes, sizeof bytes, "read_points: status %d for bytes ", (int)r.status);
            assert_non_null(strstr(subject->backend->error(subject->context), bytes));
        }
        /* A context has blocks of its own that come and go: recorders, and pipelines on their way
         * to a cold cache. A block lost with each failure would be as many as there were; what is
         * not given back when the context goes is found at the end. */
        assert_true(subject->counting.blocks - before < (long)calls);
        check_set(subject, &s, PAIL_RESIDENCY_DEVICE); /* and nothing else was lost */
        free(s.points);
    }
}

PAIL_TEST_OF(arguments, const struct subject *subject)
{
    if (!subject->context)
        SKIP_BECAUSE("the backend has no device here");
    struct set s = make_set(PAIL_CURVE_BN254, PAIL_G1, 3, layouts[0], 0);
    struct reader r;
    const pail_bases_desc good = behind(&s, &r);
    pail_bases *bases = NULL;
    pail_bases_desc desc = good;
    desc.points = s.points;
    assert_int_equal(subject->backend->bases_create(subject->context, &bases, NULL, &desc),
                     PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(subject->backend->error(subject->context), "read_points"));
    desc = good;
    desc.stride = SIZE_MAX / 2;
    assert_int_equal(subject->backend->bases_create(subject->context, &bases, NULL, &desc),
                     PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(subject->backend->error(subject->context), "address space"));
    /* Neither has points, and what belongs to the reader alone is not taken for one. */
    desc = good;
    desc.read_points = NULL;
    assert_int_equal(subject->backend->bases_create(subject->context, &bases, NULL, &desc),
                     PAIL_ERR_ARGUMENT);
    assert_null(bases);
    assert_int_equal(r.calls, 0);
    free(s.points);
}

/* ---- A file ---------------------------------------------------------------------------------- */

struct shrinking {
    struct pail_file_part part;
    atomic_ulong calls;
    unsigned long shrink_at;
    const char *path;
    off_t left;
};

static pail_status give_shrinking(void *user, void *to, uint64_t offset, size_t bytes)
{
    struct shrinking *const s = user;
    if (atomic_fetch_add(&s->calls, 1) + 1 == s->shrink_at && truncate(s->path, s->left) != 0)
        abort();
    return pail_file_part_read(&s->part, to, offset, bytes);
}

PAIL_TEST_OF(shrinking_file, const struct subject *subject)
{
    if (!subject->context)
        SKIP_BECAUSE("the backend has no device here");
    enum { BEFORE = 77 }; /* bytes in front of the points */
    char path[] = "/tmp/pail-readers-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    struct set s = make_set(PAIL_CURVE_BN254, PAIL_G1, 20000, layouts[0], 0);
    for (unsigned long at = 0; at < 4; at++) {
        struct pail_file file;
        struct shrinking how = {.shrink_at = at, .path = path};
        how.left = BEFORE + 1; /* whatever is read next is not there */
        assert_int_equal(pwrite(fd, s.points, s.bytes, BEFORE), (ssize_t)s.bytes);
        assert_int_equal(pail_file_open(&file, path, NULL, 0), PAIL_OK);
        pail_file_part_init(&how.part, &file, BEFORE, s.bytes);
        pail_bases_desc desc = s.desc;
        desc.points = NULL;
        desc.read_points = give_shrinking;
        desc.read_user = &how;
        pail_bases *bases = NULL;
        if (at == 0) {
            pail_bases *plain = enroll(subject, &s.desc);
            bases = enroll(subject, &desc);
            expect_equal(subject, plain, bases, s.n);
            subject->backend->bases_destroy(subject->context, &plain);
            subject->backend->bases_destroy(subject->context, &bases);
            assert_string_equal(how.part.error, "");
        } else {
            assert_int_equal(subject->backend->bases_create(subject->context, &bases, NULL, &desc),
                             PAIL_ERR_IO);
            assert_null(bases);
            if (!strstr(how.part.error, ": ends at byte ") ||
                !strstr(how.part.error, " or before, but had ") || !strstr(how.part.error, path))
                fail_msg("%s", how.part.error);
            assert_non_null(strstr(subject->backend->error(subject->context), "status 403"));
        }
        pail_file_close(&file);
    }
    (void)close(fd);
    assert_int_equal(unlink(path), 0);
    free(s.points);
}

/* ---- Backends -------------------------------------------------------------------------------- */

static int open_subject(void **state)
{
    struct subject *const subject = calloc(1, sizeof *subject);
    assert_non_null(subject);
    backends_host_init(&subject->counting);
    subject->opened = backends_open(*state);
    assert_int_equal(subject->opened.open(&subject->counting.host, &subject->backend), PAIL_OK);
    *state = subject;
    const pail_context_params params =
        SIZED(pail_context_params, .device = PAIL_DEVICE_BEST, .threads = 3);
    const pail_status status =
        subject->backend->context_create(&subject->counting.host, &subject->context, &params);
    if (status != PAIL_OK)
        print_message("no context: %s\n", subject->backend->error(NULL));
    return status == PAIL_OK || status == PAIL_ERR_UNSUPPORTED ? 0 : -1; /* skipped without one */
}

static int close_subject(void **state)
{
    struct subject *const subject = *state;
    subject->backend->context_destroy(&subject->context);
    const long blocks = subject->counting.blocks, complaints = subject->counting.complaints;
    if (blocks != 0)
        print_error("%ld blocks of memory are left behind\n", blocks);
    else
        backends_close(&subject->opened);
    free(subject);
    return blocks == 0 && complaints == 0 ? 0 : -1;
}

static const char *path_of_backend; /* NULL: the CPU backend */

static int open_group(void **state)
{
    *state = (void *)(uintptr_t)path_of_backend;
    return open_subject(state);
}

PAIL_TEST_MAIN
{
    const bool cpu_only = argc > 1 && strcmp(argv[1], "cpu") == 0;
    path_of_backend = cpu_only ? NULL : backends_plugin_path();
    return test_run(cpu_only ? "readers, cpu" : "readers, plugin", open_group, close_subject);
}
