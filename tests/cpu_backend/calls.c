/* SPDX-License-Identifier: Apache-2.0 */
/* Points of the CPU backend that are wrong, strides, estimates, and memory that runs out;
 * abi/conformance_sentences.c has what is refused. */

#include "support.h"
#include "support/test.h"
#include <cpu/adders.h>

enum { N = 20 };

struct fixture {
    struct test_cpu cpu;
    uint8_t points[64 * N], scalars[32 * N];
    pail_bases_desc desc;
};

static void begin(struct fixture *f)
{
    test_cpu_begin(&f->cpu, 2);
    pail_make_bases(test_ops(), f->points, false, 0, N, PAIL_BASES_DISTINCT, 1);
    pail_make_scalars(test_ops(), f->scalars, N, PAIL_SCALARS_UNIFORM, 1);
    f->desc = (pail_bases_desc){
        .struct_size = sizeof f->desc,
        .curve = PAIL_CURVE_BN254,
        .group = PAIL_G1,
        .validation = PAIL_VALIDATE_CURVE,
        .points = f->points,
        .n_points = N,
    };
}

/* The same, with a set of the bases and what their product with the scalars should be. */
static pail_msm_job begin_job(struct fixture *f, pail_bases **bases, uint8_t want[POINT_MAX])
{
    begin(f);
    *bases = test_bases(&f->cpu, f->points, N, false);
    const pail_msm_job job = SIZED(pail_msm_job, .bases = *bases, .scalars = f->scalars, .n = N);
    test_msm(&f->cpu, want, &job, NULL, NULL);
    return job;
}

static void expect_bases(struct fixture *f, pail_status status, size_t bad_index,
                         const char *sentence)
{
    pail_bases *bases = (pail_bases *)f;
    size_t bad = 0;
    assert_int_equal(f->cpu.backend->bases_create(f->cpu.context, &bases, &bad, &f->desc), status);
    assert_int_equal(bad, bad_index);
    if (status == PAIL_OK) {
        assert_non_null(bases);
        f->cpu.backend->bases_destroy(f->cpu.context, &bases);
    } else {
        char said[512];
        (void)snprintf(said, sizeof said, "%s", f->cpu.backend->error(f->cpu.context));
        char *const x = strstr(said, " (x = 0x"), *const end = x ? strchr(x, ')') : NULL;
        if (end)
            memmove(x, end + 1, strlen(end));
        assert_string_equal(said, sentence);
    }
    assert_null(bases);
}

/* The lowest index, also when several threads find one. */
PAIL_TEST(first_bad_point)
{
    enum { MANY = 50000 };
    static uint8_t points[64 * MANY]; /* infinity throughout */
    struct fixture f;
    begin(&f);
    f.desc.points = points;
    f.desc.n_points = MANY;
    expect_bases(&f, PAIL_OK, SIZE_MAX, NULL);
    points[64 * 49999] = 1;
    expect_bases(&f, PAIL_ERR_DATA, 49999, "point 49999 is not on bn254 g1");
    points[64 * 20001] = 1;
    points[64 * 20000] = 1;
    expect_bases(&f, PAIL_ERR_DATA, 20000, "point 20000 is not on bn254 g1");
    points[64 * 3] = 1;
    expect_bases(&f, PAIL_ERR_DATA, 3, "point 3 is not on bn254 g1");
    points[64 * 3] = 0;
    points[64 * 16383] = points[64 * 16384] = 1; /* last of a task and first of the next */
    expect_bases(&f, PAIL_ERR_DATA, 16383, "point 16383 is not on bn254 g1");
    points[64 * 16383] = points[64 * 16384] = 0;
    points[64 * 49999] = points[64 * 20001] = points[64 * 20000] = points[64 * 3] = 0;
    test_cpu_end(&f.cpu);
}

/* Points on the curve but outside the group pass as points on the curve and fail as members, and
 * the index is that of the first. */
PAIL_TEST(subgroups)
{
    enum { COUNT = 300, BAD = 131 }; /* in the second task */
    static uint8_t points[POINT_MAX * COUNT], outside[POINT_MAX];
    static const uint32_t groups[][2] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}};
    struct fixture f;
    begin(&f);
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        const struct pail_curve_ops *ops = pail_curve_ops(groups[i][0], groups[i][1]);
        const size_t size = 2 * ops->coordinate_bytes;
        char sentence[128];
        pail_make_bases(ops, points, false, 0, COUNT, PAIL_BASES_INFINITY, 1);
        f.desc.curve = ops->curve;
        f.desc.group = ops->group;
        f.desc.points = points;
        f.desc.n_points = COUNT;
        for (uint32_t validation = 0; validation <= PAIL_VALIDATE_SUBGROUP; validation++) {
            pail_bases *bases;
            pail_bases_info info = {.struct_size = sizeof info};
            f.desc.validation = validation;
            assert_int_equal(f.cpu.backend->bases_create(f.cpu.context, &bases, NULL, &f.desc),
                             PAIL_OK);
            assert_int_equal(f.cpu.backend->bases_info(bases, &info), PAIL_OK);
            assert_int_equal(info.curve, ops->curve);
            assert_int_equal(info.group, ops->group);
            assert_int_equal(info.residency, PAIL_RESIDENCY_DEVICE);
            assert_int_equal(info.n_points, COUNT);
            assert_int_equal(info.n_infinities, COUNT / 3);
            /* Points at infinity are left out; the others need their numbers then. */
            const size_t kept = COUNT - COUNT / 3;
            assert_int_equal(info.n_kept, kept);
            /* 52-bit limbs take more room than 64-bit ones. */
            assert_int_equal(info.device_bytes % kept, 0);
            assert_in_range(info.device_bytes, kept * (size + 4), kept * (size * 4 / 3 + 4));
            assert_int_equal(info.host_bytes, 0);
            assert_int_equal(info.order_known,
                             ops->cofactor_one || validation == PAIL_VALIDATE_SUBGROUP);
            f.cpu.backend->bases_destroy(f.cpu.context, &bases);
        }
        for (int small_order = 0; small_order < 2 && !ops->cofactor_one; small_order++) {
            pail_make_bases(ops, outside, false, 0, 1,
                            small_order ? PAIL_BASES_SMALL_ORDER : PAIL_BASES_OUTSIDE, 1);
            memcpy(points + (COUNT - 1) * size, outside, size);
            memcpy(points + BAD * size, outside, size);
            snprintf(sentence, sizeof sentence,
                     "point %d is on the curve, but not in the subgroup of order r, of %s %s", BAD,
                     ops->curve_name, ops->group_name);
            expect_bases(&f, PAIL_ERR_DATA, BAD, sentence);
            f.desc.validation = PAIL_VALIDATE_CURVE;
            expect_bases(&f, PAIL_OK, SIZE_MAX, NULL);
            f.desc.validation = PAIL_VALIDATE_SUBGROUP;
        }
    }
    test_cpu_end(&f.cpu);
}

/* Points 72 bytes apart with an infinity byte: the same answer as packed ones with zeros. */
PAIL_TEST(strided)
{
    enum { STRIDE = 72, FLAG = 70 };
    struct fixture f;
    begin(&f);
    uint8_t apart[STRIDE * N], want[POINT_MAX], got[POINT_MAX];
    memset(apart, 0x55, sizeof apart);
    for (size_t i = 0; i < N; i++) {
        memcpy(apart + STRIDE * i, f.points + 64 * i, 64);
        apart[STRIDE * i + FLAG] = 0;
        if (i % 4 == 2) {
            apart[STRIDE * i + FLAG] = 1;
            memset(apart + STRIDE * i, 0xff, 64); /* not even read */
            memset(f.points + 64 * i, 0, 64);
        }
    }
    pail_bases *bases = test_bases(&f.cpu, f.points, N, false);
    pail_msm_job job = {.struct_size = sizeof job, .bases = bases, .scalars = f.scalars, .n = N};
    test_msm(&f.cpu, want, &job, NULL, NULL);
    f.cpu.backend->bases_destroy(f.cpu.context, &bases);
    f.desc.points = apart;
    f.desc.stride = STRIDE;
    f.desc.infinity_byte = FLAG + 1;
    assert_int_equal(f.cpu.backend->bases_create(f.cpu.context, &bases, NULL, &f.desc), PAIL_OK);
    job.bases = bases;
    test_msm(&f.cpu, got, &job, NULL, NULL);
    assert_memory_equal(got, want, sizeof got);
    f.cpu.backend->bases_destroy(f.cpu.context, &bases);
    test_cpu_end(&f.cpu);
}

/* Scalars that need all windows take the bytes the estimate names. */
PAIL_TEST(estimate_is_what_is_taken)
{
    struct fixture f;
    begin(&f);
    memset(f.scalars, 0xff, sizeof f.scalars);
    pail_bases *bases = test_bases(&f.cpu, f.points, N, false);
    for (size_t n = 0; n <= N; n += 4) {
        for (uint32_t c = 0; c <= 16; c += 4) {
            const pail_msm_config config =
                SIZED(pail_msm_config, .window_bits = c, .threads = 1 + c % 3);
            const pail_msm_job job =
                SIZED(pail_msm_job, .bases = bases, .scalars = f.scalars, .n = n);
            pail_stats estimate = {.struct_size = sizeof estimate}, stats;
            uint8_t point[POINT_MAX];
            assert_int_equal(f.cpu.backend->msm_estimate(f.cpu.context, &estimate, &job, &config),
                             PAIL_OK);
            test_msm(&f.cpu, point, &job, &config, &stats);
            assert_int_equal(stats.bytes_requested, estimate.bytes_estimate);
            assert_int_equal(stats.window_bits, estimate.window_bits);
            assert_int_equal(stats.threads, estimate.threads);
            assert_int_equal(stats.bytes_bases, 64 * N);
            assert_true(stats.wall_ms >= 0 && stats.n_phases == 2);
        }
    }
    f.cpu.backend->bases_destroy(f.cpu.context, &bases);
    test_cpu_end(&f.cpu);
}

/* Makes allocation 1, 2, ... fail until a whole run needs fewer: each failure is a status, and what
 * was made before it comes back. */
PAIL_TEST(memory_runs_out)
{
    struct fixture f;
    uint8_t want[POINT_MAX];
    pail_bases *bases;
    const pail_msm_job job = begin_job(&f, &bases, want);
    f.cpu.backend->bases_destroy(f.cpu.context, &bases);
    test_cpu_end(&f.cpu);

    for (long fail_at = 1;; fail_at++) {
        struct test_cpu *cpu = &f.cpu;
        pail_pending *pending = NULL;
        pail_msm_result result = {.struct_size = sizeof result};
        test_cpu_host(cpu);
        atomic_store(&cpu->memory.fail_at, fail_at);
        const pail_context_params params = {.struct_size = sizeof params, .threads = 2};
        pail_status status = cpu->backend->context_create(&cpu->host, &cpu->context, &params);
        if (status == PAIL_OK)
            status = cpu->backend->bases_create(cpu->context, &bases, NULL, &f.desc);
        if (status == PAIL_OK) {
            const pail_msm_job jobs[2] = {
                {.struct_size = sizeof job, .bases = bases, .scalars = f.scalars, .n = N},
                {.struct_size = sizeof job, .bases = bases, .scalars = f.scalars, .n = 1},
            };
            status = cpu->backend->msm_start(cpu->context, &pending, jobs, 2, NULL);
            if (status == PAIL_OK) {
                pail_msm_result results[2] = {result, result};
                status = cpu->backend->msm_finish(&pending, results, 2, NULL);
                assert_int_equal(status, PAIL_OK);
                assert_memory_equal(results[0].x, want, 32);
            }
            assert_null(pending);
            cpu->backend->bases_destroy(cpu->context, &bases);
        }
        if (status != PAIL_OK) {
            assert_int_equal(status, PAIL_ERR_HOST_MEMORY);
            assert_true(strlen(cpu->backend->error(cpu->context)) > 10);
        }
        const bool reached = atomic_load(&cpu->memory.made) >= fail_at;
        assert_int_equal(status == PAIL_OK, !reached);
        test_cpu_end(cpu);
        if (!reached) {
            assert_true(fail_at > 10);
            break;
        }
    }
}

/* PAIL_CPU chooses what a context computes with; bases of one serve another. */
PAIL_TEST(arithmetic)
{
    const char *const before = getenv("PAIL_CPU");
    char kept[32];
    snprintf(kept, sizeof kept, "%s", before ? before : "");
    struct fixture f;
    begin(&f);
    pail_bases *bases;
    assert_int_equal(f.cpu.backend->bases_create(f.cpu.context, &bases, NULL, &f.desc), PAIL_OK);
    const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = f.scalars, .n = N);
    uint8_t want[POINT_MAX], got[POINT_MAX];
    test_msm(&f.cpu, want, &job, NULL, NULL);

    struct test_cpu other;
    pail_device_info info = {.struct_size = sizeof info};
    for (int i = 0; i < PAIL_CPU_ARITHMETIC_COUNT; i++) {
        if (!pail_cpu_arithmetic_runs((enum pail_cpu_arithmetic)i))
            continue;
        const char *const name = pail_cpu_arithmetic_name((enum pail_cpu_arithmetic)i);
        char driver[64];
        snprintf(driver, sizeof driver, "Pail CPU backend, %s arithmetic", name);
        assert_int_equal(setenv("PAIL_CPU", name, 1), 0);
        test_cpu_begin(&other, 2);
        assert_int_equal(other.backend->context_device(other.context, &info), PAIL_OK);
        assert_string_equal(info.driver, driver);
        test_msm(&other, got, &job, NULL, NULL);
        assert_memory_equal(got, want, sizeof got);
        test_cpu_end(&other);
    }

    assert_int_equal(setenv("PAIL_CPU", "abacus", 1), 0);
    const pail_context_params params = {.struct_size = sizeof params};
    test_cpu_host(&other);
    assert_int_equal(other.backend->context_create(&other.host, &other.context, &params),
                     PAIL_ERR_ARGUMENT);
    assert_null(other.context);
    assert_string_equal(other.backend->error(NULL),
                        "PAIL_CPU is \"abacus\"; it may be portable, adx, avx2 or ifma");
    test_cpu_end(&other);

    assert_int_equal(setenv("PAIL_CPU", kept, 1), 0); /* empty: as if it were not there */
    test_cpu_begin(&other, 1);
    test_cpu_end(&other);
    f.cpu.backend->bases_destroy(f.cpu.context, &bases);
    test_cpu_end(&f.cpu);
}
