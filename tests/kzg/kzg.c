/* SPDX-License-Identifier: Apache-2.0 */
/* <pail/kzg.h> on the backend that PAIL_BACKEND names, against made.h: every output is compared
 * byte for byte, for setups of several sizes. */
#include "bench.h"
#include "support/await.h"
#include "support/long.h"

#include <pthread.h>
#include <unistd.h>

/* The byte from a scalar's end whose lowest bit, changed, leaves r - 1 below r. */
enum { CHANGED = 5, BN = PAIL_CURVE_BN254, BLS = PAIL_CURVE_BLS12_381, ROUNDS = 25 };

static bool verifies(struct bench *bench, const pail_kzg_request *request)
{
    pail_kzg_result result = SIZED(pail_kzg_result, .valid = 7);
    ASSERT_OK(bench, pail_kzg_run(bench->kzg, &result, request, bench->error, CHARS));
    assert_true(result.valid <= 1);
    assert_true(result.bad == UINT64_MAX);
    return result.valid == 1;
}

/* Sizes of setups that cases run with: blobs of one cell and of many, cells of one scalar. */
static const struct {
    size_t n, length;
    uint32_t curve;
} sizes[] = {{4, 4, BLS}, {64, 8, BLS}, {8, 4, BN},  {2, 1, BLS},
             {16, 1, BN}, {16, 1, BLS}, {64, 8, BN}, {256, 64, BLS}};

/* A device multiplies alike for every size: three of them are enough there, since drivers in
 * software take seconds for each. */
static size_t n_sizes(void)
{
    const char *const backend = getenv("PAIL_BACKEND");
    const bool on_device = !backend || strcmp(backend, PAIL_CPU_NAME) != 0;
    return on_device && !test_long() ? 3 : sizeof(sizes) / sizeof(sizes[0]);
}

PAIL_TEST(commitments)
{
    for (size_t s = 0; s < n_sizes(); s++) {
        struct bench *const bench = bench_shared_of(sizes[s].curve, sizes[s].n, sizes[s].length);
        uint8_t got[BLOBS * POINT];
        for (size_t n = 0; n <= BLOBS; n++) {
            const pail_kzg_request request = request_of(bench, PAIL_KZG_COMMIT, n);
            pail_kzg_result result = SIZED(pail_kzg_result, .commitments = got);
            memset(got, 0xee, sizeof(got));
            ASSERT_OK(bench, pail_kzg_run(bench->kzg, &result, &request, bench->error, CHARS));
            assert_memory_equal(got, bench->commitments, n * bench->made.point);
            for (size_t i = n * bench->made.point; i < sizeof(got); i++)
                assert_int_equal(got[i], 0xee);
        }
    }
}

PAIL_TEST(proofs_of_values)
{
    for (size_t s = 0; s < n_sizes(); s++) {
        struct bench *const bench = bench_shared_of(sizes[s].curve, sizes[s].n, sizes[s].length);
        uint8_t points[BLOBS * SCALAR], values[BLOBS * SCALAR], proofs[BLOBS * POINT];
        for (size_t round = 0; round < 2; round++) {
            /* Anywhere, and at roots, where the value is a scalar of the blob. */
            for (size_t b = 0; b < BLOBS; b++) {
                const pail_u256 z =
                    round == 0
                        ? made_random(&bench->made, &bench->rng)
                        : made_place(&bench->made, pail_rng_below(&bench->rng, bench->made.n));
                made_write(points + b * SCALAR, &z);
            }
            pail_kzg_request request = request_of(bench, PAIL_KZG_PROVE, BLOBS);
            pail_kzg_result result = SIZED(pail_kzg_result, .values = values, .proofs = proofs);
            request.points = points;
            ASSERT_OK(bench, pail_kzg_run(bench->kzg, &result, &request, bench->error, CHARS));
            for (size_t b = 0; b < BLOBS; b++) {
                const pail_u256 z = made_read(points + b * SCALAR);
                uint8_t value[SCALAR], proof[POINT];
                made_proof(&bench->made, value, proof, bench->coefficients[b], &z);
                assert_memory_equal(values + b * SCALAR, value, SCALAR);
                assert_memory_equal(proofs + b * bench->made.point, proof, bench->made.point);
            }
            request.operation = PAIL_KZG_VERIFY;
            request.values = values;
            request.proofs = proofs;
            assert_true(verifies(bench, &request));
            for (request.n = 1; request.n <= BLOBS; request.n++) {
                uint8_t *const last = values + request.n * SCALAR - CHANGED;
                *last ^= 1;
                assert_false(verifies(bench, &request));
                *last ^= 1;
            }
            request.n = 2; /* proofs of each other's */
            request.proofs = proofs + (BLOBS - 2) * bench->made.point;
            assert_false(verifies(bench, &request));
            request.n = 0;
            assert_true(verifies(bench, &request));
        }
    }
}

PAIL_TEST(proofs_of_blobs)
{
    for (size_t s = 0; s < n_sizes(); s++) {
        struct bench *const bench = bench_shared_of(sizes[s].curve, sizes[s].n, sizes[s].length);
        uint8_t proofs[BLOBS * POINT], kept[POINT];
        pail_kzg_request request = request_of(bench, PAIL_KZG_PROVE_BLOB, BLOBS);
        pail_kzg_result result = SIZED(pail_kzg_result, .proofs = proofs);
        ASSERT_OK(bench, pail_kzg_run(bench->kzg, &result, &request, bench->error, CHARS));
        request.operation = PAIL_KZG_VERIFY_BLOBS;
        request.proofs = proofs;
        for (request.n = 0; request.n <= BLOBS; request.n++)
            assert_true(verifies(bench, &request));
        request.n = BLOBS;
        memcpy(kept, proofs + 4 * bench->made.point, bench->made.point);
        memcpy(proofs + 4 * bench->made.point, proofs + 3 * bench->made.point, bench->made.point);
        assert_false(verifies(bench, &request));
        memcpy(proofs + 4 * bench->made.point, kept, bench->made.point);
        bench->blobs[2 * bench->made.n * SCALAR - CHANGED] ^= 1; /* blob 1 */
        assert_false(verifies(bench, &request));
    }
}

PAIL_TEST(cells_and_their_proofs)
{
    for (size_t s = 0; s < n_sizes(); s++) {
        struct bench *const bench = bench_shared_of(sizes[s].curve, sizes[s].n, sizes[s].length);
        const size_t cells = BLOBS * 2 * bench->made.n * SCALAR;
        const size_t proofs = BLOBS * bench->made.cells * bench->made.point;
        uint8_t *const got = malloc(cells + proofs);
        assert_non_null(got);
        for (uint32_t want = 0; want < 4; want++) {
            pail_kzg_request request = request_of(bench, PAIL_KZG_CELLS, BLOBS);
            pail_kzg_result result = SIZED(pail_kzg_result, .cells = NULL);
            request.want = want;
            if (want != PAIL_KZG_WANT_PROOFS)
                result.cells = got;
            if (want != PAIL_KZG_WANT_CELLS)
                result.proofs = got + cells;
            memset(got, 0xee, cells + proofs);
            ASSERT_OK(bench, pail_kzg_run(bench->kzg, &result, &request, bench->error, CHARS));
            if (result.cells)
                assert_memory_equal(got, bench->cells, cells);
            if (result.proofs)
                assert_memory_equal(got + cells, bench->proofs, proofs);
        }
        free(got);
    }
}

PAIL_TEST(verifies_cells)
{
    for (size_t s = 0; s < n_sizes(); s++) {
        struct bench *const bench = bench_shared_of(sizes[s].curve, sizes[s].n, sizes[s].length);
        uint64_t *const indices = calloc(BLOBS * bench->made.cells, sizeof(*indices));
        uint8_t *const commitments = calloc(BLOBS * bench->made.cells, bench->made.point);
        assert_true(indices && commitments);
        pail_kzg_request request = all_cells(bench, indices, commitments);
        assert_true(verifies(bench, &request));
        for (size_t round = 0; round < 8; round++) { /* one scalar of one cell is wrong */
            const size_t at = pail_rng_below(&bench->rng, request.n * bench->made.length);
            bench->cells[(at + 1) * SCALAR - CHANGED] ^= 1;
            assert_false(verifies(bench, &request));
            bench->cells[(at + 1) * SCALAR - CHANGED] ^= 1;
        }
        indices[request.n - 1] ^= 1; /* another place */
        assert_false(verifies(bench, &request));
        indices[request.n - 1] ^= 1;
        memcpy(commitments + (request.n - 1) * bench->made.point, commitments,
               bench->made.point); /* another blob */
        assert_false(verifies(bench, &request));
        request.n = 0;
        assert_true(verifies(bench, &request));
        free(indices);
        free(commitments);
    }
}

/* Draws `count` cells of a blob; returns how many bytes they are. */
static void draw(struct bench *bench, size_t count, uint64_t *indices)
{
    size_t drawn = 0;
    for (size_t c = 0; c < bench->made.cells; c++)
        if (pail_rng_below(&bench->rng, bench->made.cells - c) < count - drawn)
            indices[drawn++] = c;
    assert_int_equal(drawn, count);
}

PAIL_TEST(recovers_cells)
{
    for (size_t s = 0; s < n_sizes(); s++) {
        struct bench *const bench = bench_shared_of(sizes[s].curve, sizes[s].n, sizes[s].length);
        const size_t cells = bench->made.cells, cell = bench->made.length * SCALAR;
        uint64_t starts[BLOBS + 1], *const indices = calloc(BLOBS * cells, sizeof(*indices));
        uint8_t *const some = malloc(BLOBS * cells * cell), *const got =
                                                                malloc(BLOBS * cells *
                                                                       (cell + bench->made.point));
        assert_true(indices && some && got);
        for (size_t round = 0; round < 4; round++) {
            starts[0] = 0;
            for (size_t b = 0; b < BLOBS; b++) { /* from half of them to all */
                const size_t count = round == 0 ? cells / 2
                                     : round == 1
                                         ? cells
                                         : cells / 2 + pail_rng_below(&bench->rng, cells / 2 + 1);
                draw(bench, count, indices + starts[b]);
                starts[b + 1] = starts[b] + count;
                for (uint64_t i = starts[b]; i < starts[b + 1]; i++)
                    memcpy(some + i * cell, bench->cells + (b * cells + indices[i]) * cell, cell);
            }
            pail_kzg_request request =
                SIZED(pail_kzg_request, .operation = PAIL_KZG_RECOVER, .n = BLOBS, .starts = starts,
                      .indices = indices, .cells = some);
            pail_kzg_result result =
                SIZED(pail_kzg_result, .cells = got, .proofs = got + BLOBS * cells * cell);
            ASSERT_OK(bench, pail_kzg_run(bench->kzg, &result, &request, bench->error, CHARS));
            assert_memory_equal(got, bench->cells, BLOBS * cells * cell);
            assert_memory_equal(result.proofs, bench->proofs, BLOBS * cells * bench->made.point);
            if (round != 1)
                continue;
            some[2 * cells * cell + cell - 1] ^= 1; /* a cell of blob 2, which has all */
            assert_int_equal(pail_kzg_run(bench->kzg, &result, &request, bench->error, CHARS),
                             PAIL_ERR_DATA);
            assert_int_equal(result.bad, 2);
            for (size_t i = 0; i < BLOBS * cells * (cell + bench->made.point); i++)
                assert_int_equal(got[i], 0);
        }
        free(got);
        free(some);
        free(indices);
    }
}

/* The setups of the cases above, after all of their requests. */
PAIL_TEST(setups_are_closed)
{
    bench_close_shared();
}

/* Tables of every size give the same proofs. */
PAIL_TEST(budgets)
{
    struct bench *const bench = bench_open(16, 4);
    pail_kzg_params params = made_params(&bench->made);
    pail_kzg_info info = SIZED(pail_kzg_info, .n = 0);
    uint64_t bytes = UINT64_MAX;
    uint32_t changes = 0;
    assert_int_equal(pail_kzg_get_info(bench->kzg, &info), PAIL_OK);
    assert_int_equal(info.n, 16);
    assert_int_equal(info.n_cells, 8);
    assert_int_equal(info.point_bytes, POINT);
    assert_true(info.commit_bits > 0);
    if (info.table_bits == 0) { /* a device without memory at addresses */
        assert_true(info.device_bytes > 0);
        bench_close(bench);
        return;
    }
    const bool on_device = info.device_bytes > 0;
    params.memory_budget = 1000;
    expect_setup(bench, &params, on_device ? PAIL_ERR_DEVICE_MEMORY : PAIL_ERR_HOST_MEMORY,
                 "but points and tables take at least");
    const char *const least = strstr(bench->error, "at least ");
    assert_non_null(least);
    params.memory_budget = strtoull(least + strlen("at least "), NULL, 10);
    const uint64_t most = on_device ? 1000000 : 20000000; /* drivers of tests are slow */
    for (; params.memory_budget < most; params.memory_budget *= 2) {
        uint8_t proofs[BLOBS * 8 * POINT], commitments[BLOBS * POINT];
        pail_kzg *kzg;
        ASSERT_OK(bench, pail_kzg_open(&kzg, bench->backend, bench->context, &params, bench->error,
                                       CHARS));
        assert_int_equal(pail_kzg_get_info(kzg, &info), PAIL_OK);
        assert_true(info.host_bytes <= params.memory_budget);
        assert_true(info.device_bytes <= params.memory_budget);
        assert_true(bytes != UINT64_MAX || (info.commit_bits == 0) == on_device);
        changes += info.table_bytes != bytes;
        bytes = info.table_bytes;
        pail_kzg_request request = request_of(bench, PAIL_KZG_CELLS, BLOBS);
        pail_kzg_result result = SIZED(pail_kzg_result, .proofs = proofs);
        request.want = PAIL_KZG_WANT_PROOFS;
        ASSERT_OK(bench, pail_kzg_run(kzg, &result, &request, bench->error, CHARS));
        assert_memory_equal(proofs, bench->proofs, sizeof(proofs));
        request = request_of(bench, PAIL_KZG_COMMIT, BLOBS);
        pail_kzg_result committed = SIZED(pail_kzg_result, .commitments = commitments);
        ASSERT_OK(bench, pail_kzg_run(kzg, &committed, &request, bench->error, CHARS));
        assert_memory_equal(commitments, bench->commitments, sizeof(commitments));
        pail_kzg_close(&kzg);
    }
    assert_true(changes > 4 && info.commit_bits > 0);
    bench_close(bench);
}

/* ---- Files ----------------------------------------------------------------------------------- */
enum { FILE_BYTES = 16384 };

/* Adds n points to a file: in hexadecimal, one a line, or as they are. */
static void add_points(struct bench *bench, uint8_t *file, size_t *size, bool binary,
                       const uint8_t *points, size_t n, uint32_t group)
{
    const pail_point_format format = SIZED(pail_point_format, .curve = bench->made.g1->curve,
                                           .group = group, .form = bench->made.form);
    const size_t bytes = group * bench->made.point;
    uint8_t encoded[2 * POINT];
    for (size_t i = 0; i < n; i++) {
        ASSERT_OK(bench, pail_points_encode(encoded, NULL, &format, points + 2 * i * bytes, 1,
                                            bench->error, CHARS));
        assert_true(*size + 2 * bytes + 2 < FILE_BYTES);
        for (size_t k = 0; k < bytes && !binary; k++, *size += 2)
            (void)snprintf((char *)file + *size, 3, "%02x", encoded[k]);
        if (binary)
            memcpy(file + *size, encoded, bytes);
        else
            file[*size] = '\n';
        *size += binary ? bytes : 1;
    }
}

/* A setup as a file, of which the curve is not said, is that in memory. */
PAIL_TEST(setups_from_files)
{
    const uint32_t n = n_sizes() == 3 ? 1 : 4; /* files are read alike for every device */
    for (uint32_t i = 0; i < n; i++) {
        struct bench *const bench = bench_open_of(i < 2 ? BN : BLS, 16, 4);
        const struct made *const made = &bench->made;
        static uint8_t file[FILE_BYTES];
        uint8_t got[BLOBS * POINT];
        pail_kzg_info info = SIZED(pail_kzg_info, .n = 0);
        pail_kzg *kzg;
        size_t size;
        const bool binary = i % 2 == 1;
        if (binary) {
            const uint64_t counts[] = {made->n, made->n_g2};
            const uint32_t curve[] = {made->g1->curve, 0};
            memcpy(file, "PAILKZG1", 8);
            memcpy(file + 8, curve, 8);
            memcpy(file + 16, counts, 16);
            size = 32;
        } else {
            size = (size_t)snprintf((char *)file, sizeof(file), "%zu\n%zu\n", made->n, made->n_g2);
        }
        add_points(bench, file, &size, binary, made->lagrange, made->n, PAIL_G1);
        add_points(bench, file, &size, binary, made->g2_powers, made->n_g2, PAIL_G2);
        add_points(bench, file, &size, binary, made->powers, made->n, PAIL_G1);
        pail_kzg_params params =
            SIZED(pail_kzg_params, .bytes = file, .n_bytes = size, .cell_elements = 4);
        ASSERT_OK(bench, pail_kzg_open(&kzg, bench->backend, bench->context, &params, bench->error,
                                       CHARS));
        assert_int_equal(pail_kzg_get_info(kzg, &info), PAIL_OK);
        assert_int_equal(info.curve, made->g1->curve);
        assert_int_equal(info.point_bytes, made->point);
        const pail_kzg_request request = request_of(bench, PAIL_KZG_COMMIT, BLOBS);
        pail_kzg_result result = SIZED(pail_kzg_result, .commitments = got);
        ASSERT_OK(bench, pail_kzg_run(kzg, &result, &request, bench->error, CHARS));
        assert_memory_equal(got, bench->commitments, BLOBS * made->point);
        pail_kzg_close(&kzg);
        params.curve = i < 2 ? BLS : BN;
        expect_setup(bench, &params, PAIL_ERR_DATA, "but params->curve is");
        bench_close(bench);
    }
}

/* ---- Jobs ------------------------------------------------------------------------------------ */
PAIL_TEST(jobs_in_the_background)
{
    enum { JOBS = 6 };
    struct bench *const bench = bench_open(64, 8);
    pail_kzg_job *jobs[JOBS];
    uint8_t commitments[BLOBS * POINT];
    const size_t bytes = BLOBS * bench->made.n * SCALAR;
    uint8_t *const copy = malloc(bytes);
    assert_non_null(copy);
    pail_kzg_request request = request_of(bench, PAIL_KZG_COMMIT, BLOBS);
    request.blobs = copy;
    for (size_t i = 0; i < JOBS; i++) {
        memcpy(copy, bench->blobs, bytes);
        ASSERT_OK(bench, pail_kzg_start(bench->kzg, &jobs[i], &request, bench->error, CHARS));
        memset(copy, 0xff, bytes); /* the job has its own */
    }
    pail_kzg_abandon(&jobs[JOBS - 1]);
    assert_null(jobs[JOBS - 1]);
    pail_kzg_abandon(&jobs[JOBS - 1]);
    for (size_t i = 0; i + 1 < JOBS; i++) {
        pail_kzg_result result = SIZED(pail_kzg_result, .commitments = commitments);
        assert_int_equal(pail_kzg_wait(jobs[i], UINT64_MAX), PAIL_OK);
        assert_int_equal(pail_kzg_poll(jobs[i]), PAIL_OK);
        memset(commitments, 0, sizeof(commitments));
        ASSERT_OK(bench, pail_kzg_finish(&jobs[i], &result, bench->error, CHARS));
        assert_null(jobs[i]);
        assert_memory_equal(commitments, bench->commitments, sizeof(commitments));
    }
    memset(copy, 0xff, bytes); /* a failure comes at the end */
    ASSERT_OK(bench, pail_kzg_start(bench->kzg, &jobs[0], &request, bench->error, CHARS));
    pail_kzg_result result = SIZED(pail_kzg_result, .commitments = commitments);
    assert_int_equal(pail_kzg_finish(&jobs[0], &result, bench->error, CHARS), PAIL_ERR_DATA);
    assert_non_null(strstr(bench->error, "blob 0: scalar 0"));
    for (size_t i = 0; i < sizeof(commitments); i++)
        assert_int_equal(commitments[i], 0);
    free(copy);
    bench_close(bench);
}

/* Rounds of cells and proofs of `n` blobs, beside another thread's of others. */
struct calls {
    const struct bench *bench;
    size_t first, n, rounds, wrong; /* wrong: rounds that failed, or had other proofs or cells */
};

static void *make_cells(void *user)
{
    struct calls *const calls = user;
    const struct bench *const bench = calls->bench;
    pail_kzg_request request = request_of(bench, PAIL_KZG_CELLS, calls->n);
    const size_t proof_bytes = calls->n * bench->made.cells * bench->made.point,
                 cell_bytes = calls->n * 2 * bench->made.n * SCALAR;
    uint8_t *const proofs = malloc(proof_bytes), *const cells = malloc(cell_bytes);
    request.blobs = bench->blobs + calls->first * bench->made.n * SCALAR;
    for (size_t i = 0; i < calls->rounds; i++) {
        pail_kzg_result result = SIZED(pail_kzg_result, .cells = cells, .proofs = proofs);
        char error[CHARS];
        if (!proofs || !cells ||
            pail_kzg_run(bench->kzg, &result, &request, error, CHARS) != PAIL_OK ||
            memcmp(proofs, bench->proofs + calls->first * (proof_bytes / calls->n), proof_bytes) !=
                0 ||
            memcmp(cells, bench->cells + calls->first * (cell_bytes / calls->n), cell_bytes) != 0)
            calls->wrong++;
    }
    free(proofs);
    free(cells);
    return NULL;
}

PAIL_TEST(calls_at_once)
{
    struct bench *const bench = bench_open(16, 4);
    struct calls one = {.bench = bench, .first = BLOBS - 1, .n = 1, .rounds = 3 * ROUNDS},
                 all = {.bench = bench, .n = BLOBS, .rounds = ROUNDS};
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, make_cells, &one), 0);
    (void)make_cells(&all);
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_int_equal(one.wrong, 0);
    assert_int_equal(all.wrong, 0);
    bench_close(bench);
}

/* Jobs are abandoned at some moment of each stage; nothing is computed from what was left out,
 * which Valgrind and MemorySanitizer would tell. */
PAIL_TEST(abandons_what_runs)
{
    struct bench *const bench = bench_open(64, 8);
    uint64_t *const indices = calloc(BLOBS * bench->made.cells, sizeof(*indices));
    uint8_t *const commitments = calloc(BLOBS * bench->made.cells, POINT);
    assert_true(indices && commitments);
    pail_kzg_request request = all_cells(bench, indices, commitments);
    pail_kzg_job *job;
    unsigned running = 0;
    for (uint64_t i = 0; i < 40; i++) {
        ASSERT_OK(bench, pail_kzg_start(bench->kzg, &job, &request, bench->error, CHARS));
        running += pail_kzg_wait(job, i * 500000) == PAIL_NOT_READY;
        pail_kzg_abandon(&job);
        assert_null(job);
    }
    assert_true(running > 0);
    assert_true(verifies(bench, &request));
    request.operation = PAIL_KZG_CELLS;
    request.n = BLOBS;
    request.blobs = bench->blobs;
    for (uint64_t i = 0; i < 10; i++) {
        ASSERT_OK(bench, pail_kzg_start(bench->kzg, &job, &request, bench->error, CHARS));
        (void)pail_kzg_wait(job, i * 500000);
        pail_kzg_abandon(&job);
    }
    free(indices);
    free(commitments);
    bench_close(bench);
}

/* ---- A child of fork ------------------------------------------------------------------------- */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)fprintf(stderr, "kzg.c:%d: %s\n", __LINE__, #condition);                         \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

/* The thread that carries out jobs is not in the child: nothing waits for it. */
static void be_child(struct bench *bench, const pail_kzg_request *request, pail_kzg_job *jobs[2])
{
    uint8_t commitments[BLOBS * POINT];
    pail_kzg_job *another;
    pail_kzg_result result = SIZED(pail_kzg_result, .valid = 7, .commitments = commitments);
    CHECK(pail_kzg_poll(jobs[0]) == PAIL_ERR_ARGUMENT);
    CHECK(pail_kzg_wait(jobs[0], UINT64_MAX) == PAIL_ERR_ARGUMENT);
    memset(commitments, 0xee, sizeof(commitments));
    CHECK(pail_kzg_finish(&jobs[0], &result, bench->error, CHARS) == PAIL_ERR_ARGUMENT);
    CHECK(!jobs[0] && strstr(bench->error, "fork") && result.valid == 0);
    for (size_t i = 0; i < sizeof(commitments); i++)
        CHECK(commitments[i] == 0);
    pail_kzg_abandon(&jobs[1]);
    CHECK(!jobs[1]);
    memset(commitments, 0xee, sizeof(commitments));
    CHECK(pail_kzg_run(bench->kzg, &result, request, bench->error, CHARS) == PAIL_ERR_ARGUMENT);
    CHECK(strstr(bench->error, "fork") && commitments[0] == 0);
    CHECK(pail_kzg_start(bench->kzg, &another, request, bench->error, CHARS) == PAIL_ERR_ARGUMENT);
    CHECK(!another && strstr(bench->error, "fork"));
    pail_kzg_close(&bench->kzg);
    CHECK(!bench->kzg);
    _exit(0);
}

PAIL_TEST(child_of_fork)
{
    struct bench *const bench = bench_open(16, 4);
    const pail_kzg_request request = request_of(bench, PAIL_KZG_COMMIT, BLOBS);
    uint8_t commitments[BLOBS * POINT];
    pail_kzg_result result = SIZED(pail_kzg_result, .commitments = commitments);
    pail_kzg_job *jobs[2];
    for (size_t i = 0; i < 2; i++)
        ASSERT_OK(bench, pail_kzg_start(bench->kzg, &jobs[i], &request, bench->error, CHARS));
    (void)fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        be_child(bench, &request, jobs);
    assert_int_equal(await(child), 0);
    for (size_t i = 0; i < 2; i++) {
        ASSERT_OK(bench, pail_kzg_finish(&jobs[i], &result, bench->error, CHARS));
        assert_memory_equal(commitments, bench->commitments, sizeof(commitments));
    }
    bench_close(bench);
}
