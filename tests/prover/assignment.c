/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs from assignments, with keys of bellman, are those from witnesses with keys of snarkjs over
 * the same polynomials; files and assignments that do not fit are refused. */
#include <unistd.h>

#include <curves/curve_ops.h>
#include <prover/key/domain.h>

#include "assigned.h"
#include "support/test.h"

#ifdef PAIL_TEST_SANITIZED /* the same code */
enum { LARGE = 200, BLOCKS = 4300 };
#else
enum { LARGE = 1500, BLOCKS = 9000 };
#endif

static pail_groth16_options fixed(uint32_t flags)
{
    return (pail_groth16_options){.struct_size = sizeof(pail_groth16_options),
                                  .flags = PAIL_GROTH16_FIXED_BLINDING | flags,
                                  .r = {3, [20] = 3},
                                  .s = {9, [21] = 9}};
}

static pail_groth16_key_params params_of(const struct support_bytes *file)
{
    pail_groth16_key_params params = support_params(file);
    params.name = "k.params";
    return params;
}

static pail_groth16_key *open_with(const pail_groth16_key_params *params)
{
    char error[512] = "";
    pail_groth16_key *key = NULL;
    if (pail_groth16_key_open(&key, backend, context, params, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    return key;
}

/* The same bytes by every way. */
static void expect_same(uint32_t n_constraints, uint32_t n_public, uint32_t encoding)
{
    static const struct {
        uint32_t flags, residency, options;
    } ways[] = {{0, PAIL_RESIDENCY_AUTO, 0},
                {0, PAIL_RESIDENCY_HOST, 0},
                {0, PAIL_RESIDENCY_AUTO, PAIL_GROTH16_STAGES},
                {PAIL_GROTH16_KEY_ONCE, PAIL_RESIDENCY_AUTO, 0},
                {PAIL_GROTH16_KEY_ONCE, PAIL_RESIDENCY_AUTO, PAIL_GROTH16_STAGES}};
    struct assigned made;
    struct support_proof expected, proof;
    assigned_make(&made, n_constraints, n_public, encoding);
    pail_groth16_options options = fixed(0);
    pail_groth16_key *key = support_open(&made.files.zkey);
    support_prove(&expected, key, &made.files.wtns, &options);
    assert_true(expected.valid);
    pail_groth16_key_close(&key);
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        pail_groth16_key_params params = params_of(&made.params);
        params.flags = ways[i].flags;
        params.residency = ways[i].residency;
        key = open_with(&params);
        options = fixed(ways[i].options);
        assigned_prove(&proof, key, &made, &options);
        if (!proof.valid || memcmp(&proof.proof, &expected.proof, sizeof(proof.proof)) != 0)
            fail_msg("%u constraints, %u public, way %zu: %s", n_constraints, n_public, i,
                     proof.valid ? "other bytes" : "not valid");
        assert_memory_equal(proof.publics, expected.publics, 32 * (size_t)n_public);
        support_proof_free(&proof);
        pail_groth16_key_close(&key);
    }
    support_proof_free(&expected);
    assigned_free(&made);
}

PAIL_TEST(same_proofs)
{
    static const uint32_t sizes[] = {1, 2, 3, 6, 7, 60, 64, 70};
    if (strcmp(backend->name, "cpu") != 0) { /* a driver takes longer for each */
        expect_same(1, 0, PAIL_ENCODING_MONTGOMERY);
        expect_same(70, 2, PAIL_ENCODING_MONTGOMERY);
        return;
    }
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        expect_same(sizes[i], 0, PAIL_ENCODING_CANONICAL);
        expect_same(sizes[i], sizes[i] / 2 + 1, PAIL_ENCODING_MONTGOMERY);
    }
    expect_same(LARGE, 5, PAIL_ENCODING_MONTGOMERY);
}

/* Reads the last elements first, in pieces of all sizes. */
static pail_status fill_backwards(pail_vector *vector, uint64_t offset, pail_read_elements read,
                                  void *user, uint64_t n, uint32_t encoding)
{
    uint8_t *const all = malloc(32 * (size_t)n + 1);
    pail_status status = PAIL_OK;
    assert_non_null(all);
    for (uint64_t end = n, size; end != 0 && status == PAIL_OK; end -= size) {
        size = end % 131 + 1 < end ? end % 131 + 1 : end;
        status = read(user, all + 32 * (end - size), 32 * (end - size), 32 * (size_t)size);
    }
    if (status == PAIL_OK)
        status = backend->vector_write(vector, offset, all, n, encoding);
    free(all);
    return status;
}

/* Backends read scalars in pieces, in any order: those of a density begin anywhere in it. */
PAIL_TEST(pieces)
{
    static pail_backend backwards;
    struct assigned made;
    struct support_proof expected, proof;
    pail_groth16_key *key = NULL;
    const pail_groth16_options options = fixed(0);
    assigned_make(&made, strcmp(backend->name, "cpu") == 0 ? BLOCKS : 70, 2,
                  PAIL_ENCODING_MONTGOMERY);
    const pail_groth16_key_params params = params_of(&made.params);
    backwards = *backend;
    backwards.vector_fill = fill_backwards;
    key = support_open(&made.files.zkey);
    support_prove(&expected, key, &made.files.wtns, &options);
    pail_groth16_key_close(&key);
    assert_int_equal(pail_groth16_key_open(&key, &backwards, context, &params, NULL, 0), PAIL_OK);
    assigned_prove(&proof, key, &made, &options);
    assert_memory_equal(&proof.proof, &expected.proof, sizeof(proof.proof));
    support_proof_free(&proof);
    support_proof_free(&expected);
    pail_groth16_key_close(&key);
    assigned_free(&made);
}

/* The setup has the same domain, so that only this tells it from another one: the root of order
 * 2^32 that zkcrypto/bls12_381 has (src/scalar.rs, ROOT_OF_UNITY), from which bellman squares its
 * own. */
PAIL_TEST(roots)
{
    static const uint8_t root[32] = {0x2b, 0x0d, 0x9f, 0x43, 0x1f, 0x97, 0x29, 0x38,
                                     0xb9, 0x80, 0x22, 0x8c, 0x50, 0x83, 0x36, 0xb6,
                                     0xb4, 0x13, 0xc8, 0x22, 0x19, 0x68, 0x9b, 0xd0,
                                     0x20, 0x1f, 0xe8, 0xdf, 0x9e, 0xa1, 0xa2, 0x16};
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BLS12_381, PAIL_G1);
    struct pail_domain largest, domain;
    pail_u256 x;
    uint8_t bytes[32];
    assert_true(pail_domain_init_by(&largest, ops, 32, PAIL_DOMAIN_BELLMAN));
    assert_memory_equal(largest.root, root, sizeof(root));
    assert_true(pail_domain_init_by(&domain, ops, 27, PAIL_DOMAIN_BELLMAN));
    pail_u256_from_bytes(&x, root);
    for (int i = 0; i < 5; i++) {
        pail_u256_to_bytes(bytes, &x);
        ops->scalar_mul(&x, &x, &x);
    }
    assert_memory_equal(domain.shift, bytes, sizeof(bytes));
    pail_u256_to_bytes(bytes, &x);
    assert_memory_equal(domain.root, bytes, sizeof(bytes));
}

/* A key in a file, with bytes behind it as files of ceremonies have. */
PAIL_TEST(of_a_file)
{
    struct assigned made;
    struct support_proof expected, proof;
    static const uint8_t more[70];
    char path[] = "/tmp/pail-prover-XXXXXX";
    assigned_make(&made, 40, 2, PAIL_ENCODING_CANONICAL);
    const pail_groth16_key_params in_memory = params_of(&made.params);
    pail_groth16_key *key = open_with(&in_memory);
    const pail_groth16_options options = fixed(0);
    assigned_prove(&expected, key, &made, &options);
    pail_groth16_key_close(&key);
    FILE *const file = fdopen(mkstemp(path), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(made.params.data, 1, made.params.size, file), made.params.size);
    assert_int_equal(fwrite(more, 1, sizeof(more), file), sizeof(more));
    assert_int_equal(fclose(file), 0);
    const pail_groth16_key_params params = {.struct_size = sizeof(params),
                                            .flags = PAIL_GROTH16_KEY_HASH,
                                            .validation = PAIL_VALIDATE_SUBGROUP,
                                            .path = path};
    key = open_with(&params);
    assert_int_equal(remove(path), 0);
    pail_groth16_key_info info = {.struct_size = sizeof(info)};
    assert_int_equal(pail_groth16_key_get_info(key, &info), PAIL_OK);
    assert_int_equal(info.curve, PAIL_CURVE_BLS12_381);
    assert_int_equal(info.n_vars, 42);
    assert_int_equal(info.n_public, 2);
    assert_int_equal(info.domain_size, 64);
    assert_int_equal(info.n_coefficients, 0);
    assert_int_equal(info.n_infinities, 0);
    assert_true(info.n_points < 4 * 42 + 63 && info.n_points > 39 + 63); /* some are left out */
    assert_true(info.hash != 0);
    assigned_prove(&proof, key, &made, &options);
    assert_memory_equal(&proof.proof, &expected.proof, sizeof(proof.proof));
    /* Drawn r and s. */
    support_proof_free(&proof);
    assigned_prove(&proof, key, &made, NULL);
    assert_true(proof.valid);
    assert_memory_not_equal(proof.proof.a, expected.proof.a, sizeof(proof.proof.a));
    support_proof_free(&proof);
    support_proof_free(&expected);
    pail_groth16_key_close(&key);
    assigned_free(&made);
}

/* ---- Files that are refused -------------------------------------------------------------------*/
static void expect_refused(const pail_groth16_key_params *params, pail_status status,
                           const char *words)
{
    char error[512] = "";
    pail_groth16_key *key = NULL;
    memset(&key, 0xa5, sizeof(key));
    const pail_status got =
        pail_groth16_key_open(&key, backend, context, params, error, sizeof(error));
    if (got != status)
        fail_msg("%s: status %d, \"%s\"", words, (int)got, error);
    assert_null(key);
    support_expect_words(error, words);
}

static void expect_no_key(const struct support_bytes *file, pail_status status, const char *words)
{
    const pail_groth16_key_params params = params_of(file);
    expect_refused(&params, status, words);
}

enum { HEADER = 3 * 96 + 3 * 192, G1 = 96, G2 = 192 };

/* Place of the count of a list of a circuit with 6 constraints and 1 public value. */
enum { IC = HEADER, H = IC + 4 + 2 * G1, L = H + 4 + 7 * G1, A = L + 4 + 6 * G1 };

static uint32_t count_at(const struct support_bytes *file, size_t at)
{
    const uint8_t *const c = file->data + at;
    return (uint32_t)c[0] << 24 | (uint32_t)c[1] << 16 | (uint32_t)c[2] << 8 | c[3];
}

PAIL_TEST(bad_files)
{
    struct assigned made;
    assigned_make(&made, 6, 1, PAIL_ENCODING_CANONICAL);
    struct support_bytes *const file = &made.params;
    const size_t b1 = A + 4 + G1 * (size_t)count_at(file, A),
                 b2 = b1 + 4 + G1 * (size_t)count_at(file, b1);
    assert_int_equal(b2 + 4 + G2 * (size_t)count_at(file, b2), file->size);
    const struct {
        size_t at;
        uint8_t value;
        const char *words;
    } changes[] = {
        {0, 'z', "k.params: |zkey"}, /* no point, so it is taken for a .zkey */
        {0, 0x1f, "k.params: |zkey"},
        {95, 0x77, "k.params: |zkey"},
        {96, 0x80, "k.params: beta1, at byte 96, has the flag of compressed points"},
        {192, 0x40, "k.params: beta2, at byte 192, is infinity"},
        {384, 0x20, "k.params: gamma2, at byte 384, has the sign flag"},
        {384 + 48, 0x1f, "k.params: gamma2, at byte 384, has a coordinate that is not below"},
        {576 + 95, 0x77, "k.params: delta1, at byte 576, is not on the curve"},
        {IC, 0xff, "k.params: the list ic, at byte 864, counts 4278190082 points of 96"},
        {IC + 4, 0x80, "k.params: IC[0], at byte 868, has the flag"},
        {IC + 4 + G1 + 95, 0x77, "k.params: IC[1], at byte 964, is not on the curve"},
        {H + 3, 6, "k.params: the list"},
        {H + 4 + G1, 0x40, "k.params: point 1 in the list h, at byte 1160, is infinity"},
        {H + 4 + 6 * G1 + 95, 0x77, "k.params: point 6 in the list h, at byte 1640|is not on"},
        {L + 4 + 5 * G1 + 48, 0x1f, "k.params: point 5 in the list l, at byte|below"},
        {A + 4, 0x20, "k.params: point 0 in the list a, at byte|has the sign flag"},
        {b1 + 4 + 95, 0x77, "k.params: point 0 in the list b_g1, at byte|is not on"},
        {b2 + 4 + G2 + 191, 0x77, "k.params: point 1 in the list b_g2, at byte|is not on"},
    };
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        uint8_t *const byte = file->data + changes[i].at, before = *byte;
        *byte = changes[i].value;
        expect_no_key(file, PAIL_ERR_DATA, changes[i].words);
        *byte = before;
    }
    /* Points all zero: the end of a file that was made in its full size and then written. */
    const struct {
        size_t at, bytes;
        const char *words;
    } zeroed[] = {
        {0, G1, "k.params: |zkey"},
        {192, G2, "k.params: beta2, at byte 192, is (0, 0), which is no point"},
        {IC + 4, G1, "k.params: IC[0], at byte 868, is (0, 0), which is no point"},
        {H + 4 + 6 * G1, G1, "k.params: point 6 in the list h, at byte 1640, is (0, 0)"},
        {b2 + 4, G2, "k.params: point 0 in the list b_g2, at byte|is (0, 0), which is no point"},
    };
    for (size_t i = 0; i < sizeof(zeroed) / sizeof(zeroed[0]); i++) {
        uint8_t before[G2], *const point = file->data + zeroed[i].at;
        memcpy(before, point, zeroed[i].bytes);
        memset(point, 0, zeroed[i].bytes);
        expect_no_key(file, PAIL_ERR_DATA, zeroed[i].words);
        memcpy(point, before, zeroed[i].bytes);
    }
    for (size_t size = 1; size < file->size; size++) {
        struct support_bytes prefix = {malloc(size), size};
        assert_non_null(prefix.data);
        memcpy(prefix.data, file->data, size);
        expect_no_key(&prefix, PAIL_ERR_DATA, "k.params: ");
        free(prefix.data);
    }
    assigned_free(&made);
}

/* Counts that fit the file, but not each other. The file has no points, but holes in their places.
 */
PAIL_TEST(bad_counts)
{
    static const struct {
        uint64_t ic, h, l, a, b1, b2;
        const char *words;
    } rows[] = {
        {0, 7, 8, 8, 3, 3, "k.params: the list ic has no point for the constant 1"},
        {2, 6, 6, 8, 3, 3, "k.params: the list h has 6 points, which is not one less than a power"},
        {2, (1 << 29) - 1, 6, 8, 3, 3, "k.params: the list h has 536870911 points|up to 2^28"},
        {2, 7, 6, 1, 3, 3, "k.params: the lists ic, l and a have 2, 6 and 1 points, but a has"},
        {2, 7, 6, 9, 3, 3, "k.params: the lists ic, l and a have 2, 6 and 9 points, but a has"},
        {1, 7, UINT32_MAX, 8, 3, 3, "k.params: the lists ic, l and a have 1, 4294967295 and 8"},
        {2, 7, 6, 8, 3, 2, "k.params: the lists b_g1 and b_g2 have 3 and 2 points, not the same"},
        {2, 7, 6, 8, 2, 3, "k.params: the lists b_g1 and b_g2 have 2 and 3 points, not the same"},
        {2, 7, 6, 8, 9, 9, "k.params: the lists b_g1 and b_g2 have 9 and 9|number of at most 8"},
    };
    struct assigned made;
    char path[] = "/tmp/pail-prover-XXXXXX";
    assigned_make(&made, 6, 1, PAIL_ENCODING_CANONICAL);
    FILE *const file = fdopen(mkstemp(path), "wb");
    assert_non_null(file);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const uint64_t counts[] = {rows[i].ic, rows[i].h,  rows[i].l,
                                   rows[i].a,  rows[i].b1, rows[i].b2};
        rewind(file);
        assert_int_equal(ftruncate(fileno(file), 0), 0);
        assert_int_equal(fwrite(made.params.data, 1, HEADER, file), HEADER);
        for (size_t list = 0; list < 6; list++) {
            const uint64_t n = counts[list];
            const uint8_t count[4] = {(uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8),
                                      (uint8_t)n};
            assert_int_equal(fwrite(count, 1, sizeof(count), file), sizeof(count));
            assert_int_equal(fseeko(file, (off_t)(n * (list == 5 ? G2 : G1)), SEEK_CUR), 0);
        }
        assert_int_equal(fflush(file), 0);
        assert_int_equal(ftruncate(fileno(file), ftello(file)), 0);
        const pail_groth16_key_params params = {
            .struct_size = sizeof(params), .path = path, .name = "k.params"};
        expect_refused(&params, PAIL_ERR_DATA, rows[i].words);
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(remove(path), 0);
    assigned_free(&made);
}

/* ---- Assignments that are refused -------------------------------------------------------------*/
static void expect_no_proof(const pail_groth16_key *key, const pail_groth16_assignment *assignment,
                            pail_status status, const char *words)
{
    static const uint8_t zeros[PAIL_GROTH16_G2_BYTES];
    char error[512] = "";
    pail_groth16_proof proof = {.struct_size = sizeof(proof)};
    uint8_t publics[32];
    memset(proof.a, 1, sizeof(proof.a));
    memset(publics, 1, sizeof(publics));
    const pail_status got = pail_groth16_prove_assignment(key, &proof, publics, NULL, assignment,
                                                          NULL, error, sizeof(error));
    if (got != status)
        fail_msg("%s: status %d, \"%s\"", words, (int)got, error);
    support_expect_words(error, words);
    assert_memory_equal(proof.a, zeros, sizeof(proof.a));
    assert_memory_equal(proof.b, zeros, sizeof(proof.b));
    assert_memory_equal(publics, zeros, sizeof(publics));
}

PAIL_TEST(bad_assignments)
{
    struct assigned made;
    struct support_proof proof;
    assigned_make(&made, 100, 1, PAIL_ENCODING_CANONICAL);
    const pail_groth16_key_params params = params_of(&made.params);
    pail_groth16_key *key = open_with(&params);
    pail_groth16_assignment *const given = &made.assignment, good = *given;
    given->n_inputs = 1;
    expect_no_proof(key, given, PAIL_ERR_DATA, "the assignment: has 1 inputs, but k.params has 2");
    *given = good;
    given->name = "p.asg";
    given->n_aux--;
    expect_no_proof(key, given, PAIL_ERR_DATA, "p.asg: has 99 other values, but k.params has 100");
    *given = good;
    given->n_constraints = 64;
    expect_no_proof(key, given, PAIL_ERR_DATA, "has 64 constraints|is for 65 to 128");
    given->n_constraints = 129;
    expect_no_proof(key, given, PAIL_ERR_DATA, "has 129 constraints|is for 65 to 128");
    *given = good;
    given->encoding = 2;
    expect_no_proof(key, given, PAIL_ERR_ARGUMENT, "encoding is 2");
    *given = good;
    given->b_aux_density = NULL;
    expect_no_proof(key, given, PAIL_ERR_ARGUMENT, "assignment: b_aux_density is NULL");
    *given = good;
    given->c = NULL;
    expect_no_proof(key, given, PAIL_ERR_ARGUMENT, "assignment: c is NULL");
    *given = good;
    made.a_aux[0] ^= 1;
    expect_no_proof(key, given, PAIL_ERR_DATA,
                    "densities count|points in the list a, but k.params");
    made.a_aux[0] ^= 1;
    made.b_inputs[0] ^= 2;
    expect_no_proof(key, given, PAIL_ERR_DATA, "densities count|points in the list b_g1, but");
    made.b_inputs[0] ^= 2;
    made.inputs[0] = 2;
    expect_no_proof(key, given, PAIL_ERR_DATA, "inputs[0] is not the constant 1");
    made.inputs[0] = 1;
    const struct {
        uint8_t *values;
        size_t index;
        const char *words;
    } rows[] = {{made.inputs, 1, "the assignment: inputs[1] is not below the group order"},
                {made.rows[0], 17, "the assignment: a[17] is not below the group order"},
                {made.rows[1], 101, "the assignment: b[101] is not below the group order"},
                {made.rows[2], 0, "the assignment: c[0] is not below the group order"},
                {made.aux, 99, "the assignment: aux[99] is not below the group order"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint8_t before[32], *const value = rows[i].values + 32 * rows[i].index;
        memcpy(before, value, sizeof(before));
        memset(value, 0xff, sizeof(before));
        expect_no_proof(key, given, PAIL_ERR_DATA, rows[i].words);
        memcpy(value, before, sizeof(before));
    }
    /* One that does not satisfy the circuit makes a proof that is not valid; the same key goes on.
     */
    made.aux[0] ^= 1;
    assigned_prove(&proof, key, &made, NULL);
    assert_false(proof.valid);
    support_proof_free(&proof);
    made.aux[0] ^= 1;
    assigned_prove(&proof, key, &made, NULL);
    assert_true(proof.valid);
    support_proof_free(&proof);
    pail_groth16_key_close(&key);
    assigned_free(&made);
}

/* Keys of either kind prove from their own kind of source, and say so. */
PAIL_TEST(other_kinds)
{
    struct assigned made;
    char error[512] = "";
    assigned_make(&made, 6, 1, PAIL_ENCODING_CANONICAL);
    const pail_groth16_key_params params = params_of(&made.params);
    pail_groth16_key *of_params = open_with(&params), *of_zkey = support_open(&made.files.zkey);
    expect_no_proof(of_zkey, &made.assignment, PAIL_ERR_ARGUMENT,
                    "k.zkey: is a key of snarkjs: prove from a witness");
    const pail_groth16_witness witness = {.struct_size = sizeof(witness),
                                          .wtns = made.files.wtns.data,
                                          .n_wtns = made.files.wtns.size};
    pail_groth16_proof proof = {.struct_size = sizeof(proof)};
    uint8_t publics[32], scalars[8 * 32];
    assert_int_equal(
        pail_groth16_prove(of_params, &proof, publics, NULL, &witness, NULL, error, sizeof(error)),
        PAIL_ERR_ARGUMENT);
    support_expect_words(error, "k.params: is a key of bellman|prove from an assignment");
    assert_int_equal(
        pail_groth16_h_scalars(scalars, 8, &params, &witness, NULL, NULL, error, sizeof(error)),
        PAIL_ERR_UNSUPPORTED);
    support_expect_words(error, "k.params: is a key of bellman");
    pail_groth16_key_close(&of_params);
    pail_groth16_key_close(&of_zkey);
    assigned_free(&made);
}

PAIL_TEST_GROUP(support_setup, support_teardown)
