/* SPDX-License-Identifier: Apache-2.0 */
/* Setups out of powers of tau: files of snarkjs's form, made of a known secret, and points in
 * memory without their Lagrange points. */
#include "bench.h"

#include <curves/params_bls12_381.h>

enum { POWER_MOST = 4, FILE_MOST = 1 << 16 };

struct file {
    uint8_t bytes[FILE_MOST];
    size_t size;
    size_t at[6]; /* offsets of the payloads of sections 1 to 5 */
};

static void put_u32(struct file *file, uint32_t value)
{
    for (size_t i = 0; i < 4; i++)
        file->bytes[file->size++] = (uint8_t)(value >> 8 * i);
}

static void put_section(struct file *file, uint32_t type, size_t size)
{
    put_u32(file, type);
    put_u32(file, (uint32_t)size);
    put_u32(file, 0);
    file->at[type] = file->size;
}

/* Points in Montgomery form, as the file has them. */
static void put_points(struct file *file, uint32_t type, const struct pail_curve_ops *ops,
                       const uint8_t *points, size_t n)
{
    const size_t size = 2 * ops->coordinate_bytes;
    put_section(file, type, n * size);
    for (size_t i = 0; i < n; i++) {
        pail_affine affine;
        assert_true(ops->decode(&affine, points + i * size, false));
        ops->encode(file->bytes + file->size, &affine, true);
        file->size += size;
    }
}

/* 2^power powers of the secret of `made`, which has twice as many, and as many of G2. */
static void write_file(struct file *file, const struct made *made, uint32_t power)
{
    static const uint64_t p[6] = PAIL_BLS12_381_FP_MODULUS;
    const size_t n = (size_t)1 << power;
    *file = (struct file){.bytes = "ptau", .size = 4};
    put_u32(file, 1);
    put_u32(file, 5);
    put_section(file, 1, 4 + 48 + 8);
    put_u32(file, 48);
    for (size_t i = 0; i < 48; i++)
        file->bytes[file->size++] = (uint8_t)(p[i / 8] >> 8 * (i % 8));
    put_u32(file, power);
    put_u32(file, power);
    put_points(file, 2, made->g1, made->powers, 2 * n - 1);
    put_points(file, 3, made->g2, made->g2_powers, n);
    put_points(file, 4, made->g1, made->powers, n);
    put_points(file, 5, made->g1, made->powers, n);
}

/* The first n powers of another one, which stays the owner. */
static struct made part_of(const struct made *made, size_t n, size_t length)
{
    struct made part = *made;
    for (; part.n > n; part.n /= 2)
        part.root = made_mul(made, &part.root, &part.root);
    part.length = length;
    part.cells = 2 * n / length;
    return part;
}

/* Commits to a polynomial, makes its cells, and verifies them, where there are enough powers. */
static void expect_results(struct bench *bench, pail_kzg *kzg, const struct made *made)
{
    pail_u256 coefficients[N_MOST];
    uint8_t blob[N_MOST * SCALAR], wanted[POINT], got[POINT];
    uint8_t cells[2 * N_MOST * SCALAR], proofs[CELLS_MOST * POINT];
    uint8_t got_cells[2 * N_MOST * SCALAR], got_proofs[CELLS_MOST * POINT];
    uint8_t commitments[CELLS_MOST * POINT];
    uint64_t indices[CELLS_MOST];
    pail_kzg_info info = SIZED(pail_kzg_info, .n = 0);
    for (size_t i = 0; i < made->n; i++)
        coefficients[i] = made_random(made, &bench->rng);
    made_blob(made, blob, coefficients);
    const pail_u256 value = made_value(made, coefficients, &made->tau);
    made_point(made, wanted, &value);
    made_cells(made, cells, proofs, coefficients);
    pail_kzg_request request =
        SIZED(pail_kzg_request, .operation = PAIL_KZG_COMMIT, .n = 1, .blobs = blob);
    pail_kzg_result result = SIZED(pail_kzg_result, .commitments = got);
    ASSERT_OK(bench, pail_kzg_run(kzg, &result, &request, bench->error, CHARS));
    assert_memory_equal(got, wanted, POINT);
    request.operation = PAIL_KZG_CELLS;
    result = (pail_kzg_result)SIZED(pail_kzg_result, .cells = got_cells, .proofs = got_proofs);
    ASSERT_OK(bench, pail_kzg_run(kzg, &result, &request, bench->error, CHARS));
    assert_memory_equal(got_cells, cells, 2 * made->n * SCALAR);
    assert_memory_equal(got_proofs, proofs, made->cells * POINT);
    assert_int_equal(pail_kzg_get_info(kzg, &info), PAIL_OK);
    assert_int_equal(info.n, made->n);
    if (info.n_g2 <= made->length)
        return;
    for (size_t i = 0; i < made->cells; i++) {
        indices[i] = i;
        memcpy(commitments + i * POINT, wanted, POINT);
    }
    request = (pail_kzg_request)SIZED(pail_kzg_request, .operation = PAIL_KZG_VERIFY_CELLS,
                                      .n = made->cells, .commitments = commitments,
                                      .indices = indices, .cells = cells, .proofs = proofs);
    result = (pail_kzg_result)SIZED(pail_kzg_result, .valid = 7);
    ASSERT_OK(bench, pail_kzg_run(kzg, &result, &request, bench->error, CHARS));
    assert_int_equal(result.valid, 1);
}

/* A bench whose made setup has enough powers for files of POWER_MOST. */
static struct bench *ptau_bench(void)
{
    struct bench *const bench = calloc(1, sizeof(*bench));
    assert_non_null(bench);
    const pail_context_params params = SIZED(pail_context_params, .threads = 2);
    ASSERT_OK(bench, pail_registry_create(&bench->registry, NULL, bench->error, CHARS));
    ASSERT_OK(bench,
              pail_registry_find(bench->registry, &bench->backend, NULL, bench->error, CHARS));
    assert_int_equal(bench->backend->context_create(pail_registry_host(bench->registry),
                                                    &bench->context, &params),
                     PAIL_OK);
    static struct made made; /* the same for every case */
    if (!made.g1)
        made_create(&made, PAIL_CURVE_BLS12_381, 2 << POWER_MOST, 1, 1 << POWER_MOST);
    bench->made = made;
    pail_rng_init(&bench->rng, 196);
    return bench;
}

static struct file *new_file(const struct bench *bench, uint32_t power)
{
    struct file *const file = malloc(sizeof(*file));
    assert_non_null(file);
    write_file(file, &bench->made, power);
    return file;
}

static pail_kzg_params params_of(const struct file *file, size_t n, size_t length)
{
    return (pail_kzg_params){.struct_size = sizeof(pail_kzg_params),
                             .bytes = file->bytes,
                             .n_bytes = file->size,
                             .cell_elements = (uint32_t)length,
                             .n_g1 = n,
                             .name = "t.ptau"};
}

/* power, powers that are used (0: all), scalars of a cell, powers of G2 that are read. */
static const size_t rows[][4] = {
    {1, 0, 1, 2}, {4, 0, 4, 5}, {4, 8, 2, 3}, {4, 16, 16, 16}, {3, 2, 2, 3}};

PAIL_TEST(setups_of_files)
{
    struct bench *const bench = ptau_bench();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const size_t all = (size_t)1 << rows[i][0], n = rows[i][1] ? rows[i][1] : all;
        struct file *const file = new_file(bench, (uint32_t)rows[i][0]);
        /* Points behind those that are used are not looked at. */
        memset(file->bytes + file->at[2] + n * 96, 0xff, (2 * all - 1 - n) * 96);
        memset(file->bytes + file->at[4], 0xff, all * 96);
        const pail_kzg_params params = params_of(file, rows[i][1], rows[i][2]);
        const struct made part = part_of(&bench->made, n, rows[i][2]);
        pail_kzg_info info = SIZED(pail_kzg_info, .n = 0);
        pail_kzg *kzg = NULL;
        ASSERT_OK(bench, pail_kzg_open(&kzg, bench->backend, bench->context, &params, bench->error,
                                       CHARS));
        assert_int_equal(pail_kzg_get_info(kzg, &info), PAIL_OK);
        assert_int_equal(info.n_g2, rows[i][3]);
        expect_results(bench, kzg, &part);
        pail_kzg_close(&kzg);
        free(file);
    }
    bench_close(bench);
}

PAIL_TEST(lagrange_points_of_powers_in_memory)
{
    struct bench *const bench = ptau_bench();
    pail_kzg_params params = made_params(&bench->made);
    params.g1_lagrange = NULL;
    params.n_g1 = 16;
    const struct made part = part_of(&bench->made, 16, 1);
    pail_kzg *kzg = NULL;
    ASSERT_OK(bench,
              pail_kzg_open(&kzg, bench->backend, bench->context, &params, bench->error, CHARS));
    expect_results(bench, kzg, &part);
    pail_kzg_close(&kzg);
    bench_close(bench);
}

PAIL_TEST(refuses_files)
{
    struct bench *const bench = ptau_bench();
    struct file *const file = new_file(bench, 3);
    pail_kzg_params params = params_of(file, 16, 1);
    expect_setup(bench, &params, PAIL_ERR_DATA, "has 8 powers of tau in both groups, but 16 of G1");
    params.n_g1 = 3;
    expect_setup(bench, &params, PAIL_ERR_DATA, "3 points of G1 are not a power of two");
    params.n_g1 = 8;
    params.n_g2 = 9;
    expect_setup(bench, &params, PAIL_ERR_DATA, "but 9 of G2");
    params.n_g2 = 0;
    params.n_bytes -= 1;
    expect_setup(bench, &params, PAIL_ERR_DATA, "t.ptau: section 5");
    params.n_bytes += 1;

    /* Points 2 and 3 change places: all are good, but no powers. */
    uint8_t kept[96];
    uint8_t *const point = file->bytes + file->at[2] + 2 * sizeof(kept);
    memcpy(kept, point, sizeof(kept));
    memcpy(point, point + sizeof(kept), sizeof(kept));
    memcpy(point + sizeof(kept), kept, sizeof(kept));
    expect_setup(bench, &params, PAIL_ERR_DATA, "t.ptau");
    point[0] ^= 1;
    expect_setup(bench, &params, PAIL_ERR_DATA, "point 2 of section 2 (tauG1), at byte");
    memset(point, 0xff, sizeof(kept));
    expect_setup(bench, &params, PAIL_ERR_DATA, "a coordinate is not below the modulus");
    free(file);
    bench_close(bench);
}
