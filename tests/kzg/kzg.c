/* <pail/kzg.h> on the backend that PAIL_BACKEND names, against made.h: every output is compared
 * byte for byte, for setups of several sizes. */
#include "made.h"
#include "support/long.h"

enum {
    BLOBS = 5,
    CHARS = 512,
    CHANGED = 5, /* the byte from a scalar's end whose lowest bit, changed, leaves r - 1 below r */
};

/* A backend, a made setup, opened, and polynomials. */
struct bench {
    pail_registry *registry;
    const pail_backend *backend;
    pail_context *context;
    struct made made;
    pail_kzg *kzg;
    struct pail_rng rng;
    pail_u256 coefficients[BLOBS][N_MOST];
    uint8_t blobs[BLOBS * N_MOST * SCALAR], commitments[BLOBS * POINT];
    uint8_t cells[BLOBS * CELLS_MOST * SCALAR], proofs[BLOBS * CELLS_MOST * POINT];
    char error[CHARS];
};

static void open_backend(struct bench *bench)
{
    const pail_context_params params = SIZED(pail_context_params, .threads = 2);
    ASSERT_OK(bench, pail_registry_create(&bench->registry, NULL, bench->error, CHARS));
    ASSERT_OK(bench,
              pail_registry_find(bench->registry, &bench->backend, NULL, bench->error, CHARS));
    assert_int_equal(bench->backend->context_create(pail_registry_host(bench->registry),
                                                    &bench->context, &params),
                     PAIL_OK);
}

/* Polynomials: 0, a constant, x^(n - 1), and random ones; their blobs and commitments. */
static struct bench *bench_open(size_t n, size_t length)
{
    struct bench *const bench = calloc(1, sizeof(*bench));
    assert_non_null(bench);
    open_backend(bench);
    made_create(&bench->made, n, length, length + 1);
    pail_rng_init(&bench->rng, n);
    const pail_kzg_params params = made_params(&bench->made);
    ASSERT_OK(bench, pail_kzg_open(&bench->kzg, bench->backend, bench->context, &params,
                                   bench->error, CHARS));
    for (size_t b = 0; b < BLOBS; b++) {
        for (size_t i = 0; i < n; i++)
            if (b > 2 || (b == 1 && i == 0))
                bench->coefficients[b][i] = made_random(&bench->made, &bench->rng);
        if (b == 2)
            bench->coefficients[b][n - 1] = made_number(1);
        made_blob(&bench->made, bench->blobs + b * n * SCALAR, bench->coefficients[b]);
        const pail_u256 value = made_value(&bench->made, bench->coefficients[b], &bench->made.tau);
        made_point(&bench->made, bench->commitments + b * POINT, &value);
        made_cells(&bench->made, bench->cells + b * 2 * n * SCALAR,
                   bench->proofs + b * bench->made.cells * POINT, bench->coefficients[b]);
    }
    return bench;
}

static void bench_close(struct bench *bench)
{
    pail_kzg_close(&bench->kzg);
    assert_null(bench->kzg);
    bench->backend->context_destroy(&bench->context);
    pail_registry_destroy(&bench->registry);
    made_destroy(&bench->made);
    free(bench);
}

static pail_kzg_request request_of(const struct bench *bench, uint32_t operation, uint64_t n)
{
    return (pail_kzg_request)SIZED(pail_kzg_request, .operation = operation, .n = n,
                                   .blobs = bench->blobs, .commitments = bench->commitments);
}

static bool verifies(struct bench *bench, const pail_kzg_request *request)
{
    pail_kzg_result result = SIZED(pail_kzg_result, .valid = 7);
    ASSERT_OK(bench, pail_kzg_run(bench->kzg, &result, request, bench->error, CHARS));
    assert_true(result.valid <= 1);
    assert_true(result.bad == UINT64_MAX);
    return result.valid == 1;
}

/* Sizes of setups that cases run with: blobs of one cell and of many, cells of one scalar. */
static const size_t sizes[][2] = {{4, 4}, {64, 8}, {2, 1}, {16, 1}, {256, 64}};

/* A device multiplies alike for every size: two of them are enough there, since drivers in software
 * take seconds for each. */
static size_t n_sizes(void)
{
    const char *const backend = getenv("PAIL_BACKEND");
    const bool on_device = !backend || strcmp(backend, PAIL_CPU_NAME) != 0;
    return on_device && !test_long() ? 2 : sizeof(sizes) / sizeof(sizes[0]);
}

PAIL_TEST(commitments)
{
    for (size_t s = 0; s < n_sizes(); s++) {
        struct bench *const bench = bench_open(sizes[s][0], sizes[s][1]);
        uint8_t got[BLOBS * POINT];
        for (size_t n = 0; n <= BLOBS; n++) {
            const pail_kzg_request request = request_of(bench, PAIL_KZG_COMMIT, n);
            pail_kzg_result result = SIZED(pail_kzg_result, .commitments = got);
            memset(got, 0xee, sizeof(got));
            ASSERT_OK(bench, pail_kzg_run(bench->kzg, &result, &request, bench->error, CHARS));
            assert_memory_equal(got, bench->commitments, n * POINT);
            for (size_t i = n * POINT; i < sizeof(got); i++)
                assert_int_equal(got[i], 0xee);
        }
        bench_close(bench);
    }
}

PAIL_TEST(proofs_of_values)
{
    for (size_t s = 0; s < n_sizes(); s++) {
        struct bench *const bench = bench_open(sizes[s][0], sizes[s][1]);
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
                assert_memory_equal(proofs + b * POINT, proof, POINT);
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
            request.proofs = proofs + (BLOBS - 2) * POINT;
            assert_false(verifies(bench, &request));
            request.n = 0;
            assert_true(verifies(bench, &request));
        }
        bench_close(bench);
    }
}

PAIL_TEST(proofs_of_blobs)
{
    for (size_t s = 0; s < n_sizes(); s++) {
        struct bench *const bench = bench_open(sizes[s][0], sizes[s][1]);
        uint8_t proofs[BLOBS * POINT], kept[POINT];
        pail_kzg_request request = request_of(bench, PAIL_KZG_PROVE_BLOB, BLOBS);
        pail_kzg_result result = SIZED(pail_kzg_result, .proofs = proofs);
        ASSERT_OK(bench, pail_kzg_run(bench->kzg, &result, &request, bench->error, CHARS));
        request.operation = PAIL_KZG_VERIFY_BLOBS;
        request.proofs = proofs;
        for (request.n = 0; request.n <= BLOBS; request.n++)
            assert_true(verifies(bench, &request));
        request.n = BLOBS;
        memcpy(kept, proofs + 4 * POINT, POINT);
        memcpy(proofs + 4 * POINT, proofs + 3 * POINT, POINT);
        assert_false(verifies(bench, &request));
        memcpy(proofs + 4 * POINT, kept, POINT);
        bench->blobs[2 * bench->made.n * SCALAR - CHANGED] ^= 1; /* blob 1 */
        assert_false(verifies(bench, &request));
        bench_close(bench);
    }
}

PAIL_TEST(cells_and_their_proofs)
{
    for (size_t s = 0; s < n_sizes(); s++) {
        struct bench *const bench = bench_open(sizes[s][0], sizes[s][1]);
        const size_t cells = BLOBS * 2 * bench->made.n * SCALAR;
        const size_t proofs = BLOBS * bench->made.cells * POINT;
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
        bench_close(bench);
    }
}

/* A request for all cells of all blobs. */
static pail_kzg_request all_cells(const struct bench *bench, uint64_t *indices,
                                  uint8_t *commitments)
{
    const size_t cells = bench->made.cells;
    for (size_t i = 0; i < BLOBS * cells; i++) {
        indices[i] = i % cells;
        memcpy(commitments + i * POINT, bench->commitments + i / cells * POINT, POINT);
    }
    return (pail_kzg_request)SIZED(pail_kzg_request, .operation = PAIL_KZG_VERIFY_CELLS,
                                   .n = BLOBS * cells, .commitments = commitments,
                                   .indices = indices, .cells = bench->cells,
                                   .proofs = bench->proofs);
}

PAIL_TEST(verifies_cells)
{
    for (size_t s = 0; s < n_sizes(); s++) {
        struct bench *const bench = bench_open(sizes[s][0], sizes[s][1]);
        uint64_t *const indices = calloc(BLOBS * bench->made.cells, sizeof(*indices));
        uint8_t *const commitments = calloc(BLOBS * bench->made.cells, POINT);
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
        memcpy(commitments + (request.n - 1) * POINT, commitments, POINT); /* another blob */
        assert_false(verifies(bench, &request));
        request.n = 0;
        assert_true(verifies(bench, &request));
        free(indices);
        free(commitments);
        bench_close(bench);
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
        struct bench *const bench = bench_open(sizes[s][0], sizes[s][1]);
        const size_t cells = bench->made.cells, cell = bench->made.length * SCALAR;
        uint64_t starts[BLOBS + 1], *const indices = calloc(BLOBS * cells, sizeof(*indices));
        uint8_t *const some = malloc(BLOBS * cells * cell), *const got = malloc(BLOBS * cells *
                                                                                (cell + POINT));
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
            assert_memory_equal(result.proofs, bench->proofs, BLOBS * cells * POINT);
            if (round != 1)
                continue;
            some[2 * cells * cell + cell - 1] ^= 1; /* a cell of blob 2, which has all */
            assert_int_equal(pail_kzg_run(bench->kzg, &result, &request, bench->error, CHARS),
                             PAIL_ERR_DATA);
            assert_int_equal(result.bad, 2);
            for (size_t i = 0; i < BLOBS * cells * (cell + POINT); i++)
                assert_int_equal(got[i], 0);
        }
        free(got);
        free(some);
        free(indices);
        bench_close(bench);
    }
}

/* The job fails with a sentence that has the words, and names element `bad`. */
static void expect_fault(struct bench *bench, const pail_kzg_request *request, pail_status status,
                         uint64_t bad, const char *words)
{
    uint8_t commitments[BLOBS * POINT], values[BLOBS * SCALAR];
    uint8_t *const large = malloc(BLOBS * CELLS_MOST * (SCALAR + POINT));
    assert_non_null(large);
    memset(commitments, 0xee, sizeof(commitments));
    pail_kzg_result result = SIZED(pail_kzg_result, .commitments = commitments, .values = values,
                                   .proofs = large, .cells = large + BLOBS * CELLS_MOST * POINT);
    const pail_status got = pail_kzg_run(bench->kzg, &result, request, bench->error, CHARS);
    if (got != status || strstr(bench->error, words) == NULL)
        fail_msg("%s: \"%s\" lacks \"%s\"", pail_status_name(got), bench->error, words);
    if (status == PAIL_ERR_DATA) {
        assert_true(result.bad == bad);
        assert_int_equal(result.valid, 0);
    }
    if (request->operation == PAIL_KZG_COMMIT && status == PAIL_ERR_DATA)
        for (size_t i = 0; i < request->n * POINT; i++)
            assert_int_equal(commitments[i], 0);
    free(large);
}

PAIL_TEST(refuses_bad_values)
{
    struct bench *const bench = bench_open(16, 4);
    const struct made *const made = &bench->made;
    const size_t blob = made->n * SCALAR;
    pail_u256 order = made->g1->order;
    uint8_t kept[SCALAR], points[BLOBS * SCALAR] = {0}, values[BLOBS * SCALAR] = {0};
    uint8_t proofs[BLOBS * POINT];
    memcpy(proofs, bench->commitments, sizeof(proofs));

    /* A blob's scalar that is r: in all operations that read blobs. */
    memcpy(kept, bench->blobs + 3 * blob + 5 * SCALAR, SCALAR);
    made_write(bench->blobs + 3 * blob + 5 * SCALAR, &order);
    for (uint32_t operation = PAIL_KZG_COMMIT; operation <= PAIL_KZG_CELLS; operation++) {
        if (operation == PAIL_KZG_VERIFY)
            continue;
        pail_kzg_request request = request_of(bench, operation, BLOBS);
        request.points = points;
        request.proofs = proofs;
        expect_fault(bench, &request, PAIL_ERR_DATA, 3, "blob 3: scalar 5 is not below the order");
    }
    memcpy(bench->blobs + 3 * blob + 5 * SCALAR, kept, SCALAR);

    pail_kzg_request request = request_of(bench, PAIL_KZG_PROVE, BLOBS);
    request.points = points;
    made_write(points + 4 * SCALAR, &order);
    expect_fault(bench, &request, PAIL_ERR_DATA, 4, "point 4 is not below the order");
    request.operation = PAIL_KZG_VERIFY;
    request.values = values;
    request.proofs = proofs;
    expect_fault(bench, &request, PAIL_ERR_DATA, 4, "point 4 is not below the order");
    memset(points, 0, sizeof(points));
    made_write(values + 1 * SCALAR, &order);
    expect_fault(bench, &request, PAIL_ERR_DATA, 1, "value 1 is not below the order");
    memset(values, 0, sizeof(values));

    /* Points: flags, not on the curve, and not of order r. */
    proofs[2 * POINT] &= 0x7f;
    expect_fault(bench, &request, PAIL_ERR_DATA, 2, "proof 2: the compression flag is not set");
    pail_affine small;
    uint8_t canonical[2 * PAIL_COORDINATE_MAX];
    const pail_point_format format = SIZED(pail_point_format, .curve = PAIL_CURVE_BLS12_381,
                                           .group = PAIL_G1, .form = PAIL_POINT_ZCASH);
    made->g1->small_order_point(&small);
    made->g1->encode(canonical, &small, false);
    ASSERT_OK(bench, pail_points_encode(proofs + 2 * POINT, NULL, &format, canonical, 1,
                                        bench->error, CHARS));
    expect_fault(bench, &request, PAIL_ERR_DATA, 2,
                 "proof 2: it is not in the subgroup of order r");
    request.operation = PAIL_KZG_VERIFY_BLOBS;
    expect_fault(bench, &request, PAIL_ERR_DATA, 2, "proof 2: it is not in the subgroup");
    request.operation = PAIL_KZG_PROVE_BLOB;
    request.commitments = proofs;
    expect_fault(bench, &request, PAIL_ERR_DATA, 2, "commitment 2: it is not in the subgroup");
    bench_close(bench);
}

PAIL_TEST(refuses_bad_cells)
{
    struct bench *const bench = bench_open(16, 4);
    const size_t cells = bench->made.cells, cell = bench->made.length * SCALAR;
    uint64_t starts[] = {0, cells, 2 * cells}, indices[2 * CELLS_MOST];
    for (size_t i = 0; i < 2 * cells; i++)
        indices[i] = i % cells;
    pail_kzg_request request = SIZED(pail_kzg_request, .operation = PAIL_KZG_RECOVER, .n = 2,
                                     .starts = starts, .indices = indices, .cells = bench->cells);
    indices[cells + 2] = cells;
    expect_fault(bench, &request, PAIL_ERR_DATA, 1, "blob 1: index 2 is 8: there are 8 cells");
    indices[cells + 2] = 1;
    expect_fault(bench, &request, PAIL_ERR_DATA, 1, "blob 1: index 2 is 1, not above");
    indices[cells + 2] = 2;
    starts[1] = cells / 2 - 1;
    starts[2] = cells;
    expect_fault(bench, &request, PAIL_ERR_DATA, 0, "blob 0 has 3 cells; 4 to 8 are needed");
    starts[1] = cells;
    starts[2] = cells - 1;
    expect_fault(bench, &request, PAIL_ERR_ARGUMENT, 0, "request->starts[2] is 7");
    starts[2] = 2 * cells;
    pail_u256 order = bench->made.g1->order;
    made_write(bench->cells + 3 * cell + SCALAR, &order);
    expect_fault(bench, &request, PAIL_ERR_DATA, 0, "blob 0, cell 3: scalar 1 is not below");

    uint64_t *const all = calloc(BLOBS * cells, sizeof(*all));
    uint8_t *const commitments = calloc(BLOBS * cells, POINT);
    assert_true(all && commitments);
    request = all_cells(bench, all, commitments);
    expect_fault(bench, &request, PAIL_ERR_DATA, 3, "cell 3: scalar 1 is not below");
    all[5] = cells;
    expect_fault(bench, &request, PAIL_ERR_DATA, 5, "index 5 is 8: there are 8 cells");
    all[5] = 5;
    bench->proofs[7 * POINT] = 0;
    expect_fault(bench, &request, PAIL_ERR_DATA, 7, "proof 7: ");
    free(all);
    free(commitments);
    bench_close(bench);
}

PAIL_TEST(refuses_bad_arguments)
{
    struct bench *const bench = bench_open(4, 4);
    pail_kzg_request request = request_of(bench, 9, 1);
    expect_fault(bench, &request, PAIL_ERR_ARGUMENT, 0, "request->operation is 9");
    request = request_of(bench, PAIL_KZG_COMMIT, 1);
    request.want = PAIL_KZG_WANT_CELLS;
    expect_fault(bench, &request, PAIL_ERR_ARGUMENT, 0, "request->want is 0x1");
    request = request_of(bench, PAIL_KZG_COMMIT, (1 << 20) + 1);
    expect_fault(bench, &request, PAIL_ERR_ARGUMENT, 0, "request->n is 1048577");
    request = request_of(bench, PAIL_KZG_PROVE, 1);
    expect_fault(bench, &request, PAIL_ERR_ARGUMENT, 0, "request->points is NULL");
    request = request_of(bench, PAIL_KZG_COMMIT, 1);
    pail_kzg_result result = SIZED(pail_kzg_result, .commitments = NULL);
    assert_int_equal(pail_kzg_run(bench->kzg, &result, &request, bench->error, CHARS),
                     PAIL_ERR_ARGUMENT);
    assert_string_equal(bench->error, "result->commitments is NULL");
    assert_int_equal(pail_kzg_run(NULL, &result, &request, bench->error, CHARS), PAIL_ERR_ARGUMENT);
    assert_int_equal(pail_kzg_run(bench->kzg, NULL, &request, bench->error, CHARS),
                     PAIL_ERR_ARGUMENT);
    bench_close(bench);
}

/* ---- Setups ---------------------------------------------------------------------------------- */
static void expect_setup(struct bench *bench, const pail_kzg_params *params, pail_status status,
                         const char *words)
{
    pail_kzg *kzg = (pail_kzg *)bench;
    const pail_status got =
        pail_kzg_open(&kzg, bench->backend, bench->context, params, bench->error, CHARS);
    if (got != status || strstr(bench->error, words) == NULL)
        fail_msg("%s: \"%s\" lacks \"%s\"", pail_status_name(got), bench->error, words);
    if (status != PAIL_OK)
        assert_null(kzg);
    pail_kzg_close(&kzg);
}

PAIL_TEST(checks_setups)
{
    struct bench *const bench = bench_open(16, 4);
    struct made *const made = &bench->made;
    pail_kzg_params params = made_params(made);
    uint8_t kept[192];
    const struct {
        uint8_t *points;
        size_t bytes, wrong, by; /* point `wrong` becomes point `by` */
        const char *words;
    } rows[] = {
        {made->powers, 96, 7, 6, "points of G1 are not the powers of the secret of G2"},
        {made->powers, 96, 0, 1, "power 0 of G1 is not the generator"},
        {made->lagrange, 96, 3, 5, "Lagrange points do not belong to the powers of G1"},
        {made->g2_powers, 192, 3, 2, "points of G2 are not the powers of the secret of G1"},
        {made->g2_powers, 192, 0, 1, "power 0 of G2 is not the generator"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint8_t *const wrong = rows[i].points + rows[i].wrong * rows[i].bytes;
        memcpy(kept, wrong, rows[i].bytes);
        memcpy(wrong, rows[i].points + rows[i].by * rows[i].bytes, rows[i].bytes);
        params.flags = 0;
        expect_setup(bench, &params, PAIL_ERR_DATA, rows[i].words);
        params.flags = PAIL_KZG_TRUSTED;
        expect_setup(bench, &params, PAIL_OK, "");
        memcpy(wrong, kept, rows[i].bytes);
    }
    params.flags = 0;
    made->lagrange[5 * 96] ^= 1;
    expect_setup(bench, &params, PAIL_ERR_DATA, "the setup: Lagrange point 5: it is not on the");
    made->lagrange[5 * 96] ^= 1;
    pail_affine small;
    memcpy(kept, made->powers + 9 * 96, 96);
    made->g1->small_order_point(&small);
    made->g1->encode(made->powers + 9 * 96, &small, false);
    expect_setup(bench, &params, PAIL_ERR_DATA, "power 9 of G1 is not in the subgroup of order r");
    memcpy(made->powers + 9 * 96, kept, 96);
    params.n_g1 = 12;
    expect_setup(bench, &params, PAIL_ERR_DATA, "12 points of G1 are not a power of two");
    params.n_g1 = 16;
    params.cell_elements = 3;
    expect_setup(bench, &params, PAIL_ERR_ARGUMENT, "params->cell_elements is 3");
    params.cell_elements = 4;
    params.curve = PAIL_CURVE_BN254;
    expect_setup(bench, &params, PAIL_ERR_UNSUPPORTED, "params->curve is BN254");
    params.curve = 0;
    params.path = "x";
    expect_setup(bench, &params, PAIL_ERR_ARGUMENT, "the setup is given in 2 ways");
    bench_close(bench);
}

/* Tables of every size give the same proofs. */
PAIL_TEST(budgets)
{
    struct bench *const bench = bench_open(16, 4);
    pail_kzg_params params = made_params(&bench->made);
    pail_kzg_info info = SIZED(pail_kzg_info, .n = 0);
    uint32_t bits = UINT32_MAX, changes = 0;
    assert_int_equal(pail_kzg_get_info(bench->kzg, &info), PAIL_OK);
    assert_int_equal(info.n, 16);
    assert_int_equal(info.n_cells, 8);
    assert_int_equal(info.point_bytes, POINT);
    if (info.table_bits == 0) { /* no tables on the host */
        assert_true(info.device_bytes > 0);
        bench_close(bench);
        return;
    }
    params.memory_budget = 1000;
    expect_setup(bench, &params, PAIL_ERR_HOST_MEMORY, "but points and tables take at least");
    for (params.memory_budget = 65536; params.memory_budget < 20000000; params.memory_budget *= 2) {
        uint8_t proofs[BLOBS * 8 * POINT];
        pail_kzg *kzg;
        ASSERT_OK(bench, pail_kzg_open(&kzg, bench->backend, bench->context, &params, bench->error,
                                       CHARS));
        assert_int_equal(pail_kzg_get_info(kzg, &info), PAIL_OK);
        assert_true(info.host_bytes <= params.memory_budget);
        changes += info.table_bits != bits;
        bits = info.table_bits;
        pail_kzg_request request = request_of(bench, PAIL_KZG_CELLS, BLOBS);
        pail_kzg_result result = SIZED(pail_kzg_result, .proofs = proofs);
        request.want = PAIL_KZG_WANT_PROOFS;
        ASSERT_OK(bench, pail_kzg_run(kzg, &result, &request, bench->error, CHARS));
        assert_memory_equal(proofs, bench->proofs, sizeof(proofs));
        pail_kzg_close(&kzg);
    }
    assert_true(changes > 4);
    bench_close(bench);
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
