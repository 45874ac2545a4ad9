/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of c-kzg by their names, against a setup whose secret is known: what a commitment
 * or a proof is a multiple of the generator by follows from scalars alone. */
#include <ckzg.h>
#include <pthread.h>
#include <unistd.h>

#include <curves/curve_ops.h>
#include <curves/scalar.h>
#include <pail/encoding.h>

#include "support/test.h"

enum {
    N = FIELD_ELEMENTS_PER_BLOB,
    WIDE = FIELD_ELEMENTS_PER_EXT_BLOB,
    LOG_WIDE = 13,
    CELL = FIELD_ELEMENTS_PER_CELL,
    CELLS = CELLS_PER_EXT_BLOB,
    N_G2 = CELL + 1,
    THREADS = 3,
};

static const struct pail_curve_ops *ops;
static pail_u256 tau, wide_roots[WIDE], lagrange_at_tau[N]; /* l_i(tau), natural order */
static uint8_t g1_monomial[N * 48], g1_lagrange[N * 48], g2_monomial[N_G2 * 96];
static KZGSettings settings;
static Blob blob;
static Cell cells[CELLS];
static KZGProof proofs[CELLS];
static KZGCommitment commitment;

/* ---- Scalars --------------------------------------------------------------------------------- */
static pail_u256 times(pail_u256 a, pail_u256 b)
{
    ops->scalar_mul(&a, &a, &b);
    return a;
}

static pail_u256 minus(pail_u256 a, pail_u256 b)
{
    ops->scalar_neg(&b, &b);
    ops->scalar_add(&a, &a, &b);
    return a;
}

static pail_u256 over(pail_u256 a, pail_u256 b)
{
    return times(a, pail_scalar_inverse(ops, &b));
}

static pail_u256 read_scalar(const uint8_t *bytes)
{
    uint8_t little[32];
    pail_u256 r;
    for (size_t i = 0; i < 32; i++)
        little[i] = bytes[31 - i];
    pail_u256_from_bytes(&r, little);
    return r;
}

static void write_scalar(uint8_t *bytes, pail_u256 a)
{
    uint8_t little[32];
    pail_u256_to_bytes(little, &a);
    for (size_t i = 0; i < 32; i++)
        bytes[i] = little[31 - i];
}

static size_t reversed(size_t i, unsigned bits)
{
    size_t r = 0;
    for (; bits > 0; bits--, i >>= 1)
        r = r << 1 | (i & 1);
    return r;
}

/* 7^((r - 1) / 2^LOG_WIDE) */
static pail_u256 wide_root(void)
{
    pail_u256 root = pail_scalar_of(1);
    for (unsigned bit = 255; bit-- > LOG_WIDE;) {
        root = times(root, root);
        if ((ops->order.l[bit / 64] >> (bit % 64) & 1) != 0)
            root = times(root, pail_scalar_of(7));
    }
    return root;
}

/* ---- The setup ------------------------------------------------------------------------------- */
/* k times the generator, compressed. */
static void multiple(uint8_t *encoded, uint32_t group, pail_u256 k)
{
    const struct pail_curve_ops *const of = pail_curve_ops(PAIL_CURVE_BLS12_381, group);
    const pail_point_format format = {.struct_size = sizeof(format),
                                      .curve = PAIL_CURVE_BLS12_381,
                                      .group = group,
                                      .form = PAIL_POINT_ZCASH};
    uint8_t canonical[4 * 48];
    pail_affine affine;
    pail_point point;
    of->generator(&affine);
    of->from_affine(&point, &affine);
    of->mul(&point, &point, &k);
    of->to_affine(&affine, &point);
    of->encode(canonical, &affine, false);
    assert_int_equal(pail_points_encode(encoded, NULL, &format, canonical, 1, NULL, 0), PAIL_OK);
}

static C_KZG_RET load(KZGSettings *s, uint64_t precompute)
{
    return load_trusted_setup(s, g1_monomial, sizeof(g1_monomial), g1_lagrange, sizeof(g1_lagrange),
                              g2_monomial, sizeof(g2_monomial), precompute);
}

static void assert_ok(C_KZG_RET ret)
{
    if (ret != C_KZG_OK)
        fail_msg("%d: %s", (int)ret, ckzg_error());
}

PAIL_FIXTURE(set_up)
{
    ops = pail_curve_ops(PAIL_CURVE_BLS12_381, PAIL_G1);
    tau = (pail_u256){{3, 5, 7, 11}};
    pail_u256 power = pail_scalar_of(1), vanishing = tau;
    wide_roots[0] = power;
    const pail_u256 root = wide_root();
    for (size_t i = 1; i < WIDE; i++)
        wide_roots[i] = times(wide_roots[i - 1], root);
    for (size_t n = N; n > 1; n /= 2)
        vanishing = times(vanishing, vanishing);
    vanishing = over(minus(vanishing, pail_scalar_of(1)), pail_scalar_of(N));
    for (size_t i = 0; i < N; i++, power = times(power, tau)) {
        const pail_u256 at = wide_roots[2 * i];
        lagrange_at_tau[i] = times(vanishing, over(at, minus(tau, at)));
        multiple(g1_monomial + i * 48, PAIL_G1, power);
        multiple(g1_lagrange + i * 48, PAIL_G1, lagrange_at_tau[i]);
        if (i < N_G2)
            multiple(g2_monomial + i * 96, PAIL_G2, power);
        write_scalar(&blob.bytes[i * 32], times(at, pail_scalar_of(i * i + 1)));
    }
    assert_ok(load(&settings, 0));
    assert_ok(blob_to_kzg_commitment(&commitment, &blob, &settings));
    assert_ok(compute_cells_and_kzg_proofs(cells, proofs, &blob, &settings));
    return 0;
}

PAIL_FIXTURE(tear_down)
{
    free_trusted_setup(&settings);
    return 0;
}

PAIL_TEST_GROUP(set_up, tear_down)

/* The polynomial of the blob at tau. */
static pail_u256 blob_at_tau(void)
{
    pail_u256 sum = pail_scalar_of(0);
    for (size_t i = 0; i < N; i++) {
        const pail_u256 term =
            times(read_scalar(&blob.bytes[i * 32]), lagrange_at_tau[reversed(i, LOG_WIDE - 1)]);
        ops->scalar_add(&sum, &sum, &term);
    }
    return sum;
}

static void assert_multiple(const Bytes48 *point, pail_u256 k)
{
    Bytes48 expected;
    multiple(expected.bytes, PAIL_G1, k);
    assert_memory_equal(point, &expected, sizeof(expected));
}

/* ---- EIP-4844 -------------------------------------------------------------------------------- */
PAIL_TEST(commitments_and_proofs_are_the_multiples_that_they_should_be)
{
    const pail_u256 at_tau = blob_at_tau();
    Bytes32 z, y;
    KZGProof proof;
    bool ok = false;
    assert_multiple(&commitment, at_tau);
    write_scalar(z.bytes, pail_scalar_of(12345));
    assert_ok(compute_kzg_proof(&proof, &y, &blob, &z, &settings));
    assert_multiple(&proof,
                    over(minus(at_tau, read_scalar(y.bytes)), minus(tau, pail_scalar_of(12345))));
    assert_ok(verify_kzg_proof(&ok, &commitment, &z, &y, &proof, &settings));
    assert_true(ok);
    y.bytes[31] ^= 1;
    assert_ok(verify_kzg_proof(&ok, &commitment, &z, &y, &proof, &settings));
    assert_false(ok);
    /* At a point of the domain the value is one of the blob's. */
    write_scalar(z.bytes, wide_roots[2 * reversed(77, LOG_WIDE - 1)]);
    assert_ok(compute_kzg_proof(&proof, &y, &blob, &z, &settings));
    assert_memory_equal(y.bytes, &blob.bytes[77 * 32], 32);
    assert_multiple(&proof,
                    over(minus(at_tau, read_scalar(y.bytes)), minus(tau, read_scalar(z.bytes))));
}

PAIL_TEST(a_blob_is_proven_at_its_challenge)
{
    fr_t challenge;
    g1_t point;
    Bytes32 z, y;
    KZGProof proof, at_challenge;
    bool ok = false;
    assert_ok(compute_blob_kzg_proof(&proof, &blob, &commitment, &settings));
    assert_ok(bytes_to_kzg_commitment(&point, &commitment));
    compute_challenge(&challenge, &blob, &point);
    bytes_from_bls_field(&z, &challenge);
    assert_ok(compute_kzg_proof(&at_challenge, &y, &blob, &z, &settings));
    assert_memory_equal(&proof, &at_challenge, sizeof(proof));
    assert_ok(verify_blob_kzg_proof(&ok, &blob, &commitment, &proof, &settings));
    assert_true(ok);

    Blob *const two = malloc(2 * sizeof(*two));
    assert_non_null(two);
    two[0] = two[1] = blob;
    const Bytes48 commitments[2] = {commitment, commitment};
    Bytes48 both[2] = {proof, proof};
    assert_ok(verify_blob_kzg_proof_batch(&ok, two, commitments, both, 2, &settings));
    assert_true(ok);
    both[1] = commitment;
    assert_ok(verify_blob_kzg_proof_batch(&ok, two, commitments, both, 2, &settings));
    assert_false(ok);
    free(two);
    assert_ok(verify_blob_kzg_proof_batch(&ok, NULL, NULL, NULL, 0, &settings));
    assert_true(ok);
}

/* ---- EIP-7594 -------------------------------------------------------------------------------- */
/* The polynomial of degree below CELL that has the cell's values, at tau; *vanishing: the one that
 * is 0 at its points. */
static pail_u256 cell_at_tau(size_t k, pail_u256 *vanishing)
{
    const pail_u256 *const shift = &wide_roots[reversed(k * CELL, LOG_WIDE)];
    const pail_u256 power = pail_scalar_square_times(ops, shift, 6);
    pail_u256 sum = pail_scalar_of(0);
    *vanishing = minus(pail_scalar_square_times(ops, &tau, 6), power);
    for (size_t j = 0; j < CELL; j++) {
        const pail_u256 at = wide_roots[reversed(k * CELL + j, LOG_WIDE)];
        const pail_u256 basis =
            over(times(at, *vanishing), times(times(pail_scalar_of(CELL), power), minus(tau, at)));
        const pail_u256 term = times(basis, read_scalar(&cells[k].bytes[j * 32]));
        ops->scalar_add(&sum, &sum, &term);
    }
    return sum;
}

PAIL_TEST(cells_and_proofs_belong_to_the_blob)
{
    const pail_u256 at_tau = blob_at_tau();
    assert_memory_equal(cells, &blob, sizeof(blob)); /* the first half */
    for (size_t k = 0; k < CELLS; k++) {
        pail_u256 vanishing;
        const pail_u256 at_cell = cell_at_tau(k, &vanishing);
        assert_multiple(&proofs[k], over(minus(at_tau, at_cell), vanishing));
    }
}

PAIL_TEST(either_output_may_be_null)
{
    static Cell only_cells[CELLS];
    KZGProof only_proofs[CELLS];
    uint64_t indices[CELLS / 2];
    assert_ok(compute_cells_and_kzg_proofs(only_cells, NULL, &blob, &settings));
    assert_memory_equal(only_cells, cells, sizeof(cells));
    assert_ok(compute_cells_and_kzg_proofs(NULL, only_proofs, &blob, &settings));
    assert_memory_equal(only_proofs, proofs, sizeof(proofs));
    assert_int_equal(compute_cells_and_kzg_proofs(NULL, NULL, &blob, &settings), C_KZG_BADARGS);
    assert_string_equal(ckzg_error(), "neither cells nor proofs are wanted: both are NULL");

    for (size_t i = 0; i < CELLS / 2; i++)
        indices[i] = i + CELLS / 2;
    memset(only_cells, 0, sizeof(only_cells));
    memset(only_proofs, 0, sizeof(only_proofs));
    assert_ok(recover_cells_and_kzg_proofs(only_cells, NULL, indices, cells + CELLS / 2, CELLS / 2,
                                           &settings));
    assert_memory_equal(only_cells, cells, sizeof(cells));
    assert_ok(recover_cells_and_kzg_proofs(NULL, only_proofs, indices, cells + CELLS / 2, CELLS / 2,
                                           &settings));
    assert_memory_equal(only_proofs, proofs, sizeof(proofs));
}

PAIL_TEST(a_wrong_cell_of_many_is_found)
{
    static Cell some[CELLS];
    Bytes48 commitments[CELLS];
    uint64_t indices[CELLS];
    bool ok = false;
    for (size_t i = 0; i < CELLS; i++) {
        commitments[i] = commitment;
        indices[i] = i;
        some[i] = cells[i];
    }
    assert_ok(
        verify_cell_kzg_proof_batch(&ok, commitments, indices, some, proofs, CELLS, &settings));
    assert_true(ok);
    some[99].bytes[31] ^= 1;
    assert_ok(
        verify_cell_kzg_proof_batch(&ok, commitments, indices, some, proofs, CELLS, &settings));
    assert_false(ok);
    assert_ok(verify_cell_kzg_proof_batch(&ok, NULL, NULL, NULL, NULL, 0, &settings));
    assert_true(ok);
    ok = true;
    indices[3] = CELLS;
    assert_int_equal(
        verify_cell_kzg_proof_batch(&ok, commitments, indices, some, proofs, CELLS, &settings),
        C_KZG_BADARGS);
    assert_false(ok);
}

/* ---- Failures -------------------------------------------------------------------------------- */
static void assert_zero(const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_int_equal(((const uint8_t *)bytes)[i], 0);
}

PAIL_TEST(what_is_refused_leaves_zeros)
{
    static Blob bad;
    static Cell out_cells[CELLS];
    KZGProof out_proofs[CELLS];
    uint64_t indices[CELLS];
    Bytes48 out;
    bad = blob;
    memset(&bad.bytes[4000 * 32], 0xff, 32);
    memset(&out, 1, sizeof(out));
    assert_int_equal(blob_to_kzg_commitment(&out, &bad, &settings), C_KZG_BADARGS);
    assert_zero(&out, sizeof(out));
    assert_non_null(strstr(ckzg_error(), "4000"));
    memset(out_cells, 1, sizeof(out_cells));
    memset(out_proofs, 1, sizeof(out_proofs));
    assert_int_equal(compute_cells_and_kzg_proofs(out_cells, out_proofs, &bad, &settings),
                     C_KZG_BADARGS);
    assert_zero(out_cells, sizeof(out_cells));
    assert_zero(out_proofs, sizeof(out_proofs));
    memset(&out, 1, sizeof(out));
    assert_int_equal(blob_to_kzg_commitment(&out, &blob, NULL), C_KZG_BADARGS);
    assert_zero(&out, sizeof(out));
    assert_string_equal(ckzg_error(), "s is NULL");
    assert_int_equal(blob_to_kzg_commitment(&out, &blob, &(KZGSettings){0}), C_KZG_BADARGS);
    memset(&out, 1, sizeof(out));
    assert_int_equal(blob_to_kzg_commitment(&out, NULL, &settings), C_KZG_BADARGS);
    assert_zero(&out, sizeof(out));
    memset(&out, 1, sizeof(out));
    assert_int_equal(compute_kzg_proof(&out, NULL, &blob, &(Bytes32){{0}}, &settings),
                     C_KZG_BADARGS);
    assert_zero(&out, sizeof(out));
    memset(&out, 1, sizeof(out));
    assert_int_equal(compute_blob_kzg_proof(&out, &blob, NULL, &settings), C_KZG_BADARGS);
    assert_zero(&out, sizeof(out));
    assert_int_equal(blob_to_kzg_commitment(NULL, &blob, &settings), C_KZG_BADARGS);
    assert_int_equal(verify_blob_kzg_proof(NULL, &blob, &commitment, proofs, &settings),
                     C_KZG_BADARGS);

    for (size_t i = 0; i < CELLS; i++)
        indices[i] = i;
    assert_int_equal(recover_cells_and_kzg_proofs(out_cells, out_proofs, indices, cells,
                                                  CELLS / 2 - 1, &settings),
                     C_KZG_BADARGS);
    memset(out_cells, 1, sizeof(out_cells));
    assert_int_equal(
        recover_cells_and_kzg_proofs(out_cells, out_proofs, indices, cells, UINT64_MAX, &settings),
        C_KZG_BADARGS);
    assert_zero(out_cells, sizeof(out_cells));
    indices[5] = 4;
    assert_int_equal(
        recover_cells_and_kzg_proofs(out_cells, out_proofs, indices, cells, CELLS, &settings),
        C_KZG_BADARGS);
    assert_ok(blob_to_kzg_commitment(&out, &blob, &settings));
    assert_string_equal(ckzg_error(), "");
}

/* ---- Setups ---------------------------------------------------------------------------------- */
PAIL_TEST(settings_may_be_copied_and_loaded_again)
{
    KZGSettings second, copy;
    KZGCommitment out;
    assert_ok(load(&second, 3));
    assert_int_equal(second.wbits, 3);
    copy = second;
    memset(&second, 0, sizeof(second));
    assert_ok(blob_to_kzg_commitment(&out, &blob, &copy));
    assert_memory_equal(&out, &commitment, sizeof(out));
    free_trusted_setup(&copy);
    assert_zero(&copy, sizeof(copy));
    free_trusted_setup(&copy);
    free_trusted_setup(NULL);
    assert_ok(blob_to_kzg_commitment(&out, &blob, &settings)); /* the first one is still there */
    assert_memory_equal(&out, &commitment, sizeof(out));
}

PAIL_TEST(a_setup_that_is_refused_may_be_freed)
{
    KZGSettings s;
    memset(&s, 0xee, sizeof(s)); /* as a caller's stack may have it */
    assert_int_equal(load(&s, 16), C_KZG_BADARGS);
    assert_string_equal(ckzg_error(), "precompute is 16, expected 0 to 15");
    assert_zero(&s, sizeof(s));
    free_trusted_setup(&s);
    assert_int_equal(load_trusted_setup(&s, g1_monomial, sizeof(g1_monomial) - 48, g1_lagrange,
                                        sizeof(g1_lagrange), g2_monomial, sizeof(g2_monomial), 0),
                     C_KZG_BADARGS);
    assert_string_equal(ckzg_error(), "g1_monomial_bytes has 196560 bytes, expected 196608");
    free_trusted_setup(&s);
    /* Powers in the place of Lagrange points. */
    assert_int_equal(load_trusted_setup(&s, g1_monomial, sizeof(g1_monomial), g1_monomial,
                                        sizeof(g1_monomial), g2_monomial, sizeof(g2_monomial), 0),
                     C_KZG_BADARGS);
    assert_zero(&s, sizeof(s));
    free_trusted_setup(&s);
    g2_monomial[64 * 96 + 5] ^= 1;
    assert_int_equal(load(&s, 0), C_KZG_BADARGS);
    g2_monomial[64 * 96 + 5] ^= 1;
    assert_non_null(strstr(ckzg_error(), "g2_monomial_bytes"));
    free_trusted_setup(&s);
}

static void put_hex(FILE *file, const uint8_t *bytes, size_t n, size_t line)
{
    for (size_t i = 0; i < n; i++)
        (void)fprintf(file, "%02x%s", bytes[i], (i + 1) % line == 0 ? "\n" : "");
}

PAIL_TEST(a_setup_is_read_from_a_file)
{
    KZGSettings s;
    KZGCommitment out;
    FILE *const file = tmpfile();
    assert_non_null(file);
    (void)fprintf(file, "4096\n65\n");
    put_hex(file, g1_lagrange, sizeof(g1_lagrange), 48);
    put_hex(file, g2_monomial, sizeof(g2_monomial), 96);
    const long without_powers = ftell(file);
    put_hex(file, g1_monomial, sizeof(g1_monomial), 48);
    rewind(file);
    assert_ok(load_trusted_setup_file(&s, file, 1));
    assert_ok(blob_to_kzg_commitment(&out, &blob, &s));
    assert_memory_equal(&out, &commitment, sizeof(out));
    assert_memory_equal(s.g1_values_lagrange_brp, settings.g1_values_lagrange_brp,
                        N * sizeof(g1_t));
    free_trusted_setup(&s);
    /* Files of the time before EIP-7594 end there. */
    assert_int_equal(ftruncate(fileno(file), without_powers), 0);
    rewind(file);
    assert_int_equal(load_trusted_setup_file(&s, file, 0), C_KZG_BADARGS);
    assert_string_equal(ckzg_error(), "the setup ends in byte 0 of the powers of G1");
    rewind(file);
    (void)fprintf(file, "4097");
    rewind(file);
    assert_int_equal(load_trusted_setup_file(&s, file, 0), C_KZG_BADARGS);
    assert_string_equal(ckzg_error(), "the setup has 4097 points of G1, expected 4096");
    free_trusted_setup(&s);
    (void)fclose(file);
}

static void *commit_in_a_thread(void *out)
{
    static const char none[] = "";
    return blob_to_kzg_commitment(out, &blob, &settings) == C_KZG_OK ? (void *)(uintptr_t)none
                                                                     : NULL;
}

PAIL_TEST(threads_share_settings)
{
    pthread_t threads[THREADS];
    KZGCommitment out[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, commit_in_a_thread, &out[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *done = NULL;
        assert_int_equal(pthread_join(threads[i], &done), 0);
        assert_non_null(done);
        assert_memory_equal(&out[i], &commitment, sizeof(commitment));
    }
}

/* ---- c-kzg's other functions ----------------------------------------------------------------- */
PAIL_TEST(polynomials_go_there_and_back)
{
    fr_t *a, *b, *c;
    assert_ok(new_fr_array(&a, N));
    assert_ok(new_fr_array(&b, WIDE));
    assert_ok(new_fr_array(&c, WIDE));
    assert_ok(blob_to_polynomial(a, &blob));
    assert_ok(poly_lagrange_to_monomial(b, a, N, &settings)); /* the upper half is 0 */
    assert_ok(fr_fft(c, b, WIDE, &settings));
    for (size_t i = 0; i < WIDE; i++) {
        Bytes32 value;
        bytes_from_bls_field(&value, &c[i]);
        const size_t at = reversed(i, LOG_WIDE);
        assert_memory_equal(&value, &cells[at / CELL].bytes[at % CELL * 32], 32);
    }
    assert_ok(fr_ifft(c, c, WIDE, &settings));
    assert_memory_equal(c, b, WIDE * sizeof(*c));
    assert_ok(coset_fft(c, b, WIDE, &settings));
    assert_ok(coset_ifft(c, c, WIDE, &settings));
    assert_memory_equal(c, b, WIDE * sizeof(*c));
    assert_int_equal(fr_fft(c, b, 12, &settings), C_KZG_BADARGS);
    assert_int_equal(fr_fft(c, b, 2 * WIDE, &settings), C_KZG_BADARGS);
    /* Refused transforms leave outputs as they were. */
    memset(c, 0xee, WIDE * sizeof(*c));
    assert_int_equal(coset_fft(c, b, 12, &settings), C_KZG_BADARGS);
    assert_int_equal(coset_fft(c, b, WIDE, NULL), C_KZG_BADARGS);
    assert_int_equal(poly_lagrange_to_monomial(c, b, WIDE, NULL), C_KZG_BADARGS);
    assert_int_equal(poly_lagrange_to_monomial(c, b, 0, &settings), C_KZG_BADARGS);
    for (size_t i = 0; i < WIDE * sizeof(*c); i++)
        assert_int_equal(((const uint8_t *)c)[i], 0xee);

    g1_t *const points = calloc(CELLS, sizeof(*points));
    assert_non_null(points);
    assert_ok(compute_fk20_cell_proofs(points, b, &settings));
    for (size_t i = 0; i < CELLS; i++) {
        Bytes48 point;
        bytes_from_g1(&point, &points[i]);
        assert_memory_equal(&point, &proofs[reversed(i, 7)], sizeof(point));
    }
    free(points);

    uint64_t indices[CELLS / 2];
    for (size_t i = 0; i < CELLS / 2; i++) {
        indices[i] = 2 * i;
        for (size_t k = 0; k < CELL; k++)
            assert_ok(bytes_to_bls_field(
                &b[2 * i * CELL + k], (const Bytes32 *)(const void *)&cells[2 * i].bytes[k * 32]));
    }
    assert_ok(recover_cells(b, indices, CELLS / 2, b, &settings));
    for (size_t i = 0; i < WIDE; i++) {
        Bytes32 value;
        bytes_from_bls_field(&value, &b[i]);
        assert_memory_equal(&value, &cells[i / CELL].bytes[i % CELL * 32], 32);
    }
    c_kzg_free(a);
    c_kzg_free(b);
    c_kzg_free(c);
    assert_null(a);
}

PAIL_TEST(points_are_those_of_blst)
{
    g1_t sum, naive, twice;
    fr_t factors[4];
    for (uint64_t i = 0; i < 4; i++)
        fr_from_uint64(&factors[i], i * i * i + 2);
    assert_ok(g1_lincomb_fast(&sum, settings.g1_values_monomial, factors, 4));
    g1_lincomb_naive(&naive, settings.g1_values_monomial, factors, 4);
    Bytes48 a, b;
    bytes_from_g1(&a, &sum);
    bytes_from_g1(&b, &naive);
    assert_memory_equal(&a, &b, sizeof(a));
    g1_add(&twice, &naive, &sum);
    fr_from_uint64(&factors[0], 2);
    g1_mul(&naive, &naive, &factors[0]);
    g1_sub(&naive, &naive, &twice);
    bytes_from_g1(&a, &naive);
    assert_int_equal(a.bytes[0], 0xc0); /* infinity */
    assert_zero(a.bytes + 1, sizeof(a) - 1);
    assert_int_equal(g1_lincomb_fast(&sum, NULL, NULL, 0), C_KZG_BADARGS);
    /* e(tau G1, G2) = e(G1, tau G2) */
    const g1_t *const g1 = settings.g1_values_monomial;
    const g2_t *const g2 = settings.g2_values_monomial;
    assert_true(pairings_verify(&g1[1], &g2[0], &g1[0], &g2[1]));
    assert_false(pairings_verify(&g1[1], &g2[1], &g1[0], &g2[1]));
}
