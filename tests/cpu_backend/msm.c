/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplications of the CPU backend in every group: against double-and-add, and at size against
 * the closed form. */
#include <pthread.h>

#include "support.h"
#include "support/test.h"
#include <cpu/adders.h>
#include <cpu/plan.h>

/* Sums of the first n terms, for the n that are asked for, by double and add. */
enum { LARGEST = 257, SHORT_LARGEST = 31 };
static const size_t sizes[] = {0, 1, 2, 3, SHORT_LARGEST, 100, 255, LARGEST};
enum { N_SIZES = sizeof sizes / sizeof sizes[0] };

/* Sanitizers look at code, and a tenth of the points is as much code. */
#ifdef PAIL_TEST_SANITIZED
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* Neither plans, threads nor handles depend on the way of adding, which PAIL_CPU chooses: the run
 * without it has them at size. */
static bool few(void)
{
    return SANITIZED || getenv("PAIL_CPU") != NULL;
}

/* BN254 G1, where all is tried; it stands for what does not depend on the group. */
static bool thorough(void)
{
    return test_ops()->curve == PAIL_CURVE_BN254 && test_ops()->group == PAIL_G1;
}

static size_t sizes_tried(void)
{
    return thorough() ? N_SIZES : 5; /* up to SHORT_LARGEST */
}

static void naive_sums(uint8_t want[N_SIZES][POINT_MAX], const uint8_t *points,
                       const uint8_t *scalars)
{
    const struct pail_curve_ops *ops = test_ops();
    pail_point sum = {{0}};
    size_t size = 0;
    for (size_t i = 0; size < sizes_tried(); i++) {
        if (i == sizes[size])
            test_encode(want[size++], &sum);
        if (size < sizes_tried()) {
            pail_affine base;
            pail_point term;
            pail_u256 k;
            assert_true(ops->decode(&base, points + test_point_bytes() * i, false));
            pail_u256_from_bytes(&k, scalars + 32 * i);
            ops->from_affine(&term, &base);
            ops->mul(&term, &term, &k);
            ops->add(&sum, &sum, &term);
        }
    }
}

PAIL_TEST(against_naive)
{
    struct test_cpu one, four;
    test_cpu_begin(&one, 1);
    test_cpu_begin(&four, 4);
    uint8_t points[POINT_MAX * LARGEST], montgomery[POINT_MAX * LARGEST], scalars[32 * LARGEST];
    uint8_t want[N_SIZES][POINT_MAX], got[POINT_MAX];
    for (int kind = 0; kind < PAIL_BASES_COUNT; kind++) {
        const enum pail_base_kind base_kind = (enum pail_base_kind)kind;
        pail_make_bases(test_ops(), points, false, 0, LARGEST, base_kind, 21);
        pail_make_bases(test_ops(), montgomery, true, 0, LARGEST, base_kind, 21);
        pail_bases *bases[2] = {test_bases(&one, points, LARGEST, false),
                                test_bases(&four, montgomery, LARGEST, true)};
        for (int dist = 0; dist < PAIL_SCALARS_COUNT; dist++) {
            if ((!thorough() || SANITIZED || getenv("PAIL_CPU") != NULL) && (kind + dist) % 2 == 1)
                continue;
            pail_make_scalars(test_ops(), scalars, LARGEST, (enum pail_scalar_dist)dist, 22);
            naive_sums(want, points, scalars);
            for (size_t i = 0; i < sizes_tried(); i++) {
                pail_msm_job job = SIZED(pail_msm_job, .scalars = scalars, .n = sizes[i]);
                job.bases = bases[0];
                test_msm(&one, got, &job, NULL, NULL);
                assert_memory_equal(got, want[i], sizeof got);
                job.bases = bases[1];
                test_msm(&four, got, &job, NULL, NULL);
                assert_memory_equal(got, want[i], sizeof got);
            }
        }
        one.backend->bases_destroy(one.context, &bases[0]);
        four.backend->bases_destroy(four.context, &bases[1]);
        assert_null(bases[0]);
    }
    test_cpu_end(&one);
    test_cpu_end(&four);
}

/* Every window width, with the scalars that carry out of a window that is too narrow. */
PAIL_TEST(every_window)
{
    enum { N = 300 };
    const enum pail_scalar_dist dists[] = {PAIL_SCALARS_EDGE, PAIL_SCALARS_BITS256,
                                           PAIL_SCALARS_HOT};
    struct test_cpu cpu;
    test_cpu_begin(&cpu, 2);
    uint8_t points[POINT_MAX * N], scalars[32 * N], got[POINT_MAX], want[POINT_MAX];
    pail_make_bases(test_ops(), points, false, 0, N, PAIL_BASES_MULTIPLES, 1);
    pail_bases *bases = test_bases(&cpu, points, N, false);
    for (size_t d = 0; d < sizeof dists / sizeof dists[0]; d++) {
        pail_make_scalars(test_ops(), scalars, N, dists[d], 6);
        pail_point sum;
        pail_expected_msm(test_ops(), &sum, scalars, 0, N, PAIL_BASES_MULTIPLES, 1);
        test_encode(want, &sum);
        for (uint32_t c = 1; c <= 16; c += thorough() ? 1 : 4) {
            const pail_msm_config config = SIZED(pail_msm_config, .window_bits = c);
            const pail_msm_job job =
                SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = N);
            pail_stats stats;
            test_msm(&cpu, got, &job, &config, &stats);
            assert_memory_equal(got, want, sizeof got);
            assert_int_equal(stats.window_bits, c);
        }
    }
    cpu.backend->bases_destroy(cpu.context, &bases);
    test_cpu_end(&cpu);
}

/* Scalars of which each bucket gets two: its sum is k (P + P), and all scalars 2. */
PAIL_TEST(equal_buckets)
{
    enum { N = 32 };
    struct test_cpu cpu;
    test_cpu_begin(&cpu, 1);
    uint8_t points[POINT_MAX * N], scalars[32 * N] = {0}, got[POINT_MAX], want[POINT_MAX];
    pail_make_bases(test_ops(), points, false, 0, N, PAIL_BASES_EQUAL, 1);
    pail_bases *bases = test_bases(&cpu, points, N, false);
    for (int all_two = 0; all_two < 2; all_two++) {
        for (size_t i = 0; i < N; i++)
            scalars[32 * i] = (uint8_t)(all_two ? 2 : 1 + i / 2);
        pail_point sum;
        pail_expected_msm(test_ops(), &sum, scalars, 0, N, PAIL_BASES_EQUAL, 1);
        test_encode(want, &sum);
        const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = N);
        test_msm(&cpu, got, &job, NULL, NULL);
        assert_memory_equal(got, want, sizeof got);
    }
    cpu.backend->bases_destroy(cpu.context, &bases);
    test_cpu_end(&cpu);
}

/* Buckets in one block of every length around what is sorted by counting (64), of odd and even ones
 * for some rounds, in two windows in opposite order and of opposite signs. */
PAIL_TEST(lengths_of_buckets)
{
    static const size_t lengths[] = {1,  64, 2,   63,  3,   65, 1,  0, 7,
                                     62, 64, 127, 128, 129, 2,  66, 31};
    enum { KINDS = sizeof lengths / sizeof lengths[0], MOST = 1024 };
    static uint8_t points[POINT_MAX * MOST], scalars[32 * MOST];
    struct test_cpu cpu;
    test_cpu_begin(&cpu, 1);
    size_t n = 0;
    for (size_t k = 0; k < KINDS; k++) {
        for (size_t i = 0; i < lengths[k]; i++, n++) {
            assert_true(n < MOST);
            scalars[32 * n] = (uint8_t)(k + 1);
            scalars[32 * n + 1] = (uint8_t)(256 - (KINDS - k));
        }
    }
    uint8_t got[POINT_MAX], want[POINT_MAX];
    pail_make_bases(test_ops(), points, false, 0, n, PAIL_BASES_DISTINCT, 1);
    pail_bases *bases = test_bases(&cpu, points, n, false);
    pail_point sum;
    pail_expected_msm(test_ops(), &sum, scalars, 0, n, PAIL_BASES_DISTINCT, 1);
    test_encode(want, &sum);
    for (uint32_t c = 6; c <= 8; c++) {
        const pail_msm_config config = SIZED(pail_msm_config, .window_bits = c);
        const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = n);
        test_msm(&cpu, got, &job, &config, NULL);
        assert_memory_equal(got, want, sizeof got);
    }
    cpu.backend->bases_destroy(cpu.context, &bases);
    test_cpu_end(&cpu);
}

/* Point i with the scalar k, or its opposite in the place of point `to`, with the same one. */
static void put(uint8_t *points, uint8_t *scalars, size_t i, size_t to, uint8_t k)
{
    const struct pail_curve_ops *const ops = test_ops();
    scalars[32 * to] = k;
    if (i == to)
        return;
    pail_affine affine;
    pail_point point;
    uint8_t bytes[POINT_MAX];
    assert_true(ops->decode(&affine, points + test_point_bytes() * i, false));
    ops->from_affine(&point, &affine);
    ops->neg(&point, &point);
    test_encode(bytes, &point);
    memcpy(points + test_point_bytes() * to, bytes, test_point_bytes());
}

/* Buckets of which a later block takes away what an earlier one has brought, by one point and by
 * two: one that gets another point after that, and one that does not. */
PAIL_TEST(emptied_buckets)
{
    enum { N = 4096, BITS = 8, BLOCK = N / 4, SECOND = BLOCK + 100, LAST = N - 10 };
    const struct pail_cpu_plan plan = pail_cpu_plan_make(N, 256, BITS, 1);
    assert_int_equal(plan.chunks, 1);
    assert_in_range(plan.block_points, 1, BLOCK);
    static uint8_t points[POINT_MAX * N], scalars[32 * N];
    uint8_t got[POINT_MAX], want[POINT_MAX];
    struct test_cpu cpu;
    test_cpu_begin(&cpu, 1);
    memset(scalars, 0, sizeof scalars);
    pail_make_bases(test_ops(), points, false, 0, N, PAIL_BASES_DISTINCT, 1);
    for (uint8_t k = 1; k <= 4; k++) {
        for (size_t i = 0; i < (k <= 2 ? 1u : 2u); i++) {
            put(points, scalars, 10u * k + i, 10u * k + i, k);
            put(points, scalars, 10u * k + i, SECOND + 10u * k + i, k);
        }
    }
    put(points, scalars, LAST, LAST, 1);
    put(points, scalars, LAST + 1, LAST + 1, 3);
    pail_point sum = {{0}};
    for (size_t i = 0; i < 2; i++) {
        pail_affine affine;
        pail_point term;
        const pail_u256 k = {{2 * i + 1}};
        assert_true(test_ops()->decode(&affine, points + test_point_bytes() * (LAST + i), false));
        test_ops()->from_affine(&term, &affine);
        test_ops()->mul(&term, &term, &k);
        test_ops()->add(&sum, &sum, &term);
    }
    test_encode(want, &sum);
    pail_bases *bases = test_bases(&cpu, points, N, false);
    const pail_msm_config config = {.struct_size = sizeof config, .window_bits = BITS};
    const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = N);
    test_msm(&cpu, got, &job, &config, NULL);
    assert_memory_equal(got, want, sizeof got);
    cpu.backend->bases_destroy(cpu.context, &bases);
    test_cpu_end(&cpu);
}

/* With 2^11 points a plan has several windows in a task, several tasks for four threads, and for
 * one thread two blocks, which it has not with 2^13. */
PAIL_TEST(at_size)
{
    enum { OFFSET = 1000 };
    const size_t largest = (size_t)1 << (few() ? 11 : thorough() ? 16 : 13);
    const size_t hot = few() ? 1025 : 4097, outside = few() ? 2000 : 8000;
    const struct {
        enum pail_scalar_dist dist;
        enum pail_base_kind kind;
        size_t offset, n;
    } cases[] = {
        {PAIL_SCALARS_UNIFORM, PAIL_BASES_DISTINCT, 0, largest},
        {PAIL_SCALARS_SHA, PAIL_BASES_INFINITY, OFFSET, largest - OFFSET},
        {PAIL_SCALARS_EQUAL, PAIL_BASES_PAIRS, 0, largest},
        {PAIL_SCALARS_EDGE, PAIL_BASES_MULTIPLES, 1, largest / 4},
        {PAIL_SCALARS_HOT, PAIL_BASES_DISTINCT, 7, hot},
        {PAIL_SCALARS_BITS256, PAIL_BASES_OUTSIDE, 3, outside},
        {PAIL_SCALARS_BITS256, PAIL_BASES_SMALL_ORDER, 0, outside},
    };
    uint8_t *points = malloc(test_point_bytes() * largest), *scalars = malloc(32 * largest);
    assert_non_null(points);
    assert_non_null(scalars);
    struct test_cpu one, four;
    test_cpu_begin(&one, 1);
    test_cpu_begin(&four, 4);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t got[POINT_MAX], want[POINT_MAX];
        pail_point sum;
        pail_make_bases(test_ops(), points, true, 0, largest, cases[i].kind, 31);
        pail_make_scalars(test_ops(), scalars, cases[i].n, cases[i].dist, 32);
        pail_expected_msm(test_ops(), &sum, scalars, cases[i].offset, cases[i].n, cases[i].kind,
                          31);
        test_encode(want, &sum);
        pail_msm_job job = SIZED(pail_msm_job, .base_offset = cases[i].offset, .scalars = scalars,
                                 .n = cases[i].n);
        struct test_cpu *cpus[2] = {&one, &four};
        for (size_t k = 0; k < 2; k++) {
            pail_bases *bases = test_bases(cpus[k], points, largest, true);
            pail_stats stats;
            job.bases = bases;
            test_msm(cpus[k], got, &job, NULL, &stats);
            assert_memory_equal(got, want, sizeof got);
            if (cases[i].dist == PAIL_SCALARS_UNIFORM) {
                /* Nearly every digit is an addition; at most one bucket fill each is not. The top
                 * window may have little but carries. */
                const uint64_t digits = (uint64_t)largest * stats.windows;
                const uint64_t buckets = (uint64_t)stats.chunks * stats.windows
                                         << (stats.window_bits - 1);
                assert_in_range(stats.adds, (digits - largest) * 99 / 100 - buckets, digits);
            }
            cpus[k]->backend->bases_destroy(cpus[k]->context, &bases);
        }
    }
    test_cpu_end(&one);
    test_cpu_end(&four);
    free(points);
    free(scalars);
}

/* Scalars in Montgomery form: s R mod r. Any 256 bits are legal and mean (bits / R) mod r. */
PAIL_TEST(montgomery_scalars)
{
    enum { N = 200 };
    struct test_cpu cpu;
    test_cpu_begin(&cpu, 3);
    uint8_t points[POINT_MAX * N], scalars[32 * N], plain[32 * N], got[POINT_MAX], want[POINT_MAX];
    pail_make_bases(test_ops(), points, false, 0, N, PAIL_BASES_DISTINCT, 1);
    pail_make_scalars(test_ops(), scalars, N, PAIL_SCALARS_BITS256, 6);
    for (size_t i = 0; i < N; i++) {
        pail_u256 k;
        pail_u256_from_bytes(&k, scalars + 32 * i);
        test_ops()->scalar_from_montgomery(&k, &k);
        pail_u256_to_bytes(plain + 32 * i, &k);
    }
    pail_bases *bases = test_bases(&cpu, points, N, false);
    pail_msm_job job = {.struct_size = sizeof job, .bases = bases, .scalars = plain, .n = N};
    test_msm(&cpu, want, &job, NULL, NULL);
    job.scalar_encoding = PAIL_ENCODING_MONTGOMERY;
    job.scalars = scalars;
    test_msm(&cpu, got, &job, NULL, NULL);
    assert_memory_equal(got, want, sizeof got);
    cpu.backend->bases_destroy(cpu.context, &bases);
    test_cpu_end(&cpu);
}

/* ---- Several at once ------------------------------------------------------------------------ */
enum { FLIGHT_THREADS = 4, FLIGHT_ROUNDS = 3, FLIGHT_JOBS = 3 };

struct flight {
    pthread_t thread;
    struct test_cpu *cpu;
    pail_bases *bases;
    uint64_t seed;
    size_t n, wrong;
};

/* Starts two handles of several jobs, spoils the scalars, gives one up and finishes the other. */
static void *fly(void *argument)
{
    struct flight *flight = argument;
    const pail_backend *backend = flight->cpu->backend;
    const size_t most = flight->n;
    uint8_t *scalars = malloc(32 * most);
    for (size_t round = 0; scalars && round < FLIGHT_ROUNDS; round++) {
        pail_make_scalars(test_ops(), scalars, most, PAIL_SCALARS_UNIFORM, flight->seed + round);
        pail_msm_job jobs[FLIGHT_JOBS];
        uint8_t want[FLIGHT_JOBS][POINT_MAX];
        for (size_t i = 0; i < FLIGHT_JOBS; i++) {
            const size_t n = most / (i + 1) - (i == 1 ? 500 : 10);
            pail_point sum;
            jobs[i] = (pail_msm_job){.struct_size = sizeof jobs[i],
                                     .bases = flight->bases,
                                     .base_offset = 3 * i,
                                     .scalars = scalars,
                                     .n = n};
            pail_expected_msm(test_ops(), &sum, scalars, jobs[i].base_offset, jobs[i].n,
                              PAIL_BASES_DISTINCT, 40);
            test_encode(want[i], &sum);
        }
        pail_pending *kept, *given_up;
        pail_msm_result results[FLIGHT_JOBS];
        memset(results, 0xaa, sizeof results);
        for (size_t i = 0; i < FLIGHT_JOBS; i++)
            results[i].struct_size = sizeof results[i];
        flight->wrong +=
            backend->msm_start(flight->cpu->context, &given_up, jobs, 2, NULL) != PAIL_OK;
        flight->wrong +=
            backend->msm_start(flight->cpu->context, &kept, jobs, FLIGHT_JOBS, NULL) != PAIL_OK;
        memset(scalars, 0xaa, 32 * most);
        backend->pending_abandon(&given_up);
        flight->wrong += given_up != NULL;
        while (backend->pending_wait(kept, 1000000) == PAIL_NOT_READY) {
        }
        flight->wrong += backend->msm_finish(&kept, results, FLIGHT_JOBS, NULL) != PAIL_OK;
        for (size_t i = 0; i < FLIGHT_JOBS; i++) {
            const size_t width = test_ops()->coordinate_bytes;
            flight->wrong += memcmp(results[i].x, want[i], width) != 0;
            flight->wrong += memcmp(results[i].y, want[i] + width, width) != 0;
        }
    }
    flight->wrong += scalars == NULL;
    free(scalars);
    return NULL;
}

PAIL_TEST(several_in_flight)
{
    struct test_cpu cpu;
    test_cpu_begin(&cpu, 3);
    const size_t n = few() ? 1100 : 3000;
    uint8_t *points = malloc(test_point_bytes() * n);
    assert_non_null(points);
    pail_make_bases(test_ops(), points, false, 0, n, PAIL_BASES_DISTINCT, 40);
    pail_bases *bases = test_bases(&cpu, points, n, false);
    free(points);
    struct flight flights[FLIGHT_THREADS];
    for (size_t i = 0; i < FLIGHT_THREADS; i++) {
        flights[i] = (struct flight){.cpu = &cpu, .bases = bases, .seed = 100 * i, .n = n};
        assert_int_equal(pthread_create(&flights[i].thread, NULL, fly, &flights[i]), 0);
    }
    for (size_t i = 0; i < FLIGHT_THREADS; i++) {
        assert_int_equal(pthread_join(flights[i].thread, NULL), 0);
        assert_int_equal(flights[i].wrong, 0);
    }
    cpu.backend->bases_destroy(cpu.context, &bases);
    test_cpu_end(&cpu);
}

/* The same bytes in twenty runs, on contexts of one, two, ... threads. */
PAIL_TEST(repeatable)
{
    enum { RUNS = 20 };
    const size_t n = few() ? 200 : 1000;
    uint8_t *points = malloc(test_point_bytes() * n), *scalars = malloc(32 * n),
            first[POINT_MAX] = {0};
    assert_non_null(points);
    assert_non_null(scalars);
    pail_make_bases(test_ops(), points, false, 0, n, PAIL_BASES_PAIRS, 1);
    pail_make_scalars(test_ops(), scalars, n, PAIL_SCALARS_HOT, 1);
    for (uint32_t run = 0; run < RUNS; run++) {
        struct test_cpu cpu;
        uint8_t got[POINT_MAX];
        test_cpu_begin(&cpu, 1 + run / 4);
        pail_bases *bases = test_bases(&cpu, points, n, false);
        const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = n);
        test_msm(&cpu, got, &job, NULL, NULL);
        if (run == 0)
            memcpy(first, got, sizeof first);
        assert_memory_equal(got, first, sizeof got);
        cpu.backend->bases_destroy(cpu.context, &bases);
        test_cpu_end(&cpu);
    }
    free(points);
    free(scalars);
}

PAIL_TEST_MAIN
{
    int failed = 0;
    const char *const word = getenv("PAIL_CPU");
    for (int i = 0; word && i < PAIL_CPU_ARITHMETIC_COUNT; i++) {
        const enum pail_cpu_arithmetic way = (enum pail_cpu_arithmetic)i;
        if (strcmp(word, pail_cpu_arithmetic_name(way)) == 0 && !pail_cpu_arithmetic_runs(way)) {
            printf("skipped: this processor has no arithmetic %s\n", word);
            return 77; /* skipped */
        }
    }
    for (uint32_t curve = PAIL_CURVE_BN254; curve <= PAIL_CURVE_BLS12_381; curve++) {
        for (uint32_t group = PAIL_G1; group <= PAIL_G2; group++) {
            char name[32];
            test_choose(pail_curve_ops(curve, group));
            snprintf(name, sizeof name, "%s %s", test_ops()->curve_name, test_ops()->group_name);
            failed += test_run(name, NULL, NULL);
        }
    }
    return failed;
}
