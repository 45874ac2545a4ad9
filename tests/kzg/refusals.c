/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of requests and of setups: sentences, and results on failure. */
#include "bench.h"

/* Room for all outputs. */
struct room {
    uint8_t commitments[BLOBS * POINT], values[BLOBS * SCALAR];
    uint8_t proofs[BLOBS * CELLS_MOST * POINT], cells[BLOBS * CELLS_MOST * SCALAR];
};

/* A result with bytes of other calls in it. */
static pail_kzg_result result_in(struct room *room)
{
    memset(room, 0xee, sizeof(*room));
    return (pail_kzg_result)SIZED(pail_kzg_result, .valid = 7, .bad = 7,
                                  .commitments = room->commitments, .values = room->values,
                                  .proofs = room->proofs, .cells = room->cells);
}

static void expect_bytes(const uint8_t *bytes, size_t zeros, size_t size)
{
    for (size_t i = 0; i < size; i++)
        assert_int_equal(bytes[i], i < zeros ? 0 : 0xee);
}

/* Outputs that the operation has are zeros, others are as they were. A request whose operation,
 * outputs or number are wrong has none. */
static void expect_zeros(const struct made *made, const pail_kzg_request *request,
                         const struct room *room)
{
    const bool sized = request->operation >= PAIL_KZG_COMMIT &&
                       request->operation <= PAIL_KZG_VERIFY_CELLS && request->want == 0 &&
                       request->n <= BLOBS;
    const size_t n = sized ? request->n : 0;
    const bool all = request->operation == PAIL_KZG_CELLS || request->operation == PAIL_KZG_RECOVER;
    const bool one =
        request->operation == PAIL_KZG_PROVE || request->operation == PAIL_KZG_PROVE_BLOB;
    expect_bytes(room->commitments, request->operation == PAIL_KZG_COMMIT ? n * POINT : 0,
                 sizeof(room->commitments));
    expect_bytes(room->values, request->operation == PAIL_KZG_PROVE ? n * SCALAR : 0,
                 sizeof(room->values));
    expect_bytes(room->proofs,
                 all   ? n * made->cells * POINT
                 : one ? n * POINT
                       : 0,
                 sizeof(room->proofs));
    expect_bytes(room->cells, all ? n * 2 * made->n * SCALAR : 0, sizeof(room->cells));
}

/* The job fails with a sentence that has the words, and names element `bad`. */
static void expect_fault(struct bench *bench, const pail_kzg_request *request, pail_status status,
                         uint64_t bad, const char *words)
{
    struct room *const room = malloc(sizeof(*room));
    assert_non_null(room);
    pail_kzg_result result = result_in(room);
    const pail_status got = pail_kzg_run(bench->kzg, &result, request, bench->error, CHARS);
    if (got != status || strstr(bench->error, words) == NULL)
        fail_msg("%s: \"%s\" lacks \"%s\"", pail_status_name(got), bench->error, words);
    assert_true(result.bad == (status == PAIL_ERR_DATA ? bad : UINT64_MAX));
    assert_int_equal(result.valid, 0);
    expect_zeros(&bench->made, request, room);
    free(room);
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
    starts[2] = 2 * cells + 1;
    expect_fault(bench, &request, PAIL_ERR_ARGUMENT, 0,
                 "request->starts ends at 17 cells: 2 blobs have at most 16");
    starts[2] = 2 * cells;
    request.cells = NULL;
    expect_fault(bench, &request, PAIL_ERR_ARGUMENT, 0, "request->cells is NULL");
    request.cells = bench->cells;
    pail_u256 order = bench->made.g1->order;
    made_write(bench->cells + 3 * cell + SCALAR, &order);
    expect_fault(bench, &request, PAIL_ERR_DATA, 0, "blob 0, cell 3: scalar 1 is not below");

    uint64_t *const all = calloc(BLOBS * cells, sizeof(*all));
    uint8_t *const commitments = calloc(BLOBS * cells, POINT);
    assert_true(all && commitments);
    request = all_cells(bench, all, commitments);
    expect_fault(bench, &request, PAIL_ERR_DATA, 3, "cell 3: scalar 1 is not below");
    bench->proofs[7 * POINT] = 0; /* of several bad cells the first, whatever is wrong with it */
    expect_fault(bench, &request, PAIL_ERR_DATA, 3, "cell 3: scalar 1 is not below");
    memset(bench->cells + 3 * cell + SCALAR, 0, SCALAR);
    all[5] = cells;
    expect_fault(bench, &request, PAIL_ERR_DATA, 5, "index 5 is 8: there are 8 cells");
    all[5] = 5;
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
    /* An output that is missing: the other one is zeroed. */
    struct room *const room = malloc(sizeof(*room));
    uint8_t points[SCALAR] = {0};
    pail_kzg_job *job;
    assert_non_null(room);
    request.points = points;
    pail_kzg_result result = result_in(room);
    result.values = NULL;
    assert_int_equal(pail_kzg_run(bench->kzg, &result, &request, bench->error, CHARS),
                     PAIL_ERR_ARGUMENT);
    assert_string_equal(bench->error, "result->values is NULL");
    assert_int_equal(result.valid, 0);
    expect_bytes(room->proofs, POINT, sizeof(room->proofs));
    result = result_in(room);
    result.values = NULL;
    ASSERT_OK(bench, pail_kzg_start(bench->kzg, &job, &request, bench->error, CHARS));
    assert_int_equal(pail_kzg_finish(&job, &result, bench->error, CHARS), PAIL_ERR_ARGUMENT);
    assert_null(job);
    assert_string_equal(bench->error, "result->values is NULL");
    assert_int_equal(result.valid, 0);
    assert_true(result.bad == UINT64_MAX);
    expect_bytes(room->proofs, POINT, sizeof(room->proofs));
    result.valid = 7;
    assert_int_equal(pail_kzg_finish(&job, &result, bench->error, CHARS), PAIL_ERR_ARGUMENT);
    assert_int_equal(result.valid, 0);
    free(room);
    assert_int_equal(pail_kzg_run(NULL, &result, &request, bench->error, CHARS), PAIL_ERR_ARGUMENT);
    assert_int_equal(pail_kzg_run(bench->kzg, NULL, &request, bench->error, CHARS),
                     PAIL_ERR_ARGUMENT);
    bench_close(bench);
}

/* ---- Setups ---------------------------------------------------------------------------------- */
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
    params.curve = PAIL_CURVE_BN254; /* the points are of another */
    expect_setup(bench, &params, PAIL_ERR_DATA, "the setup: power of G1 0: ");
    params.curve = 3;
    expect_setup(bench, &params, PAIL_ERR_ARGUMENT, "params->curve is 3: there is no such curve");
    params.curve = 0;
    params.path = "x";
    expect_setup(bench, &params, PAIL_ERR_ARGUMENT, "the setup is given in 2 ways");
    bench_close(bench);
}
