/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of a key, a witness or an argument: a status and a sentence with the place. */
#include <unistd.h>

#include "support.h"
#include "support/test.h"

static struct support_case bn, bls;

static int setup(void **state)
{
    if (support_setup(state) != 0)
        return -1;
    support_make_case(&bn, &(struct circuit_params){PAIL_CURVE_BN254, 6, 1, 1});
    support_make_case(&bls, &(struct circuit_params){PAIL_CURVE_BLS12_381, 6, 1, 1});
    return 0;
}

static int teardown(void **state)
{
    support_case_free(&bn);
    support_case_free(&bls);
    return support_teardown(state);
}

/* Each prefix is a copy of its own, so that the address sanitizer sees a read past its end. Of
 * points every byte is as good as another. */
PAIL_TEST(every_prefix)
{
    for (size_t size = 1; size < bn.zkey.size; size++) {
        struct support_bytes prefix = {malloc(size), size};
        assert_non_null(prefix.data);
        memcpy(prefix.data, bn.zkey.data, size);
        support_expect_refused(&prefix, PAIL_ERR_DATA, "k.zkey: ");
        free(prefix.data);
    }
}

/* A byte of a section is another one. */
static const struct {
    uint32_t section;
    size_t offset;
    uint8_t value;
    pail_status status;
    const char *words;
} changes[] = {
    {1, 0, 2, PAIL_ERR_UNSUPPORTED, "k.zkey|PLONK|protocol 2"},
    {1, 0, 10, PAIL_ERR_UNSUPPORTED, "k.zkey|FFLONK|protocol 10"},
    {2, 80, 7, PAIL_ERR_DATA, "section 2 names a domain of 7, which is no power of two"},
    {2, 76, 9, PAIL_ERR_DATA, "section 2 names 8 variables, too few for 9 public"},
    {2, 84 + 31, 0xff, PAIL_ERR_DATA, "k.zkey: alpha1 in section 2, at byte 124, has a coordinate"},
    {2, 84, 0xff, PAIL_ERR_DATA, "k.zkey: alpha1 in section 2, at byte 124, is not on the curve"},
    {2, 468, 0xff, PAIL_ERR_DATA, "k.zkey: delta1 in section 2, at byte 508, is not on the curve"},
    {4, 0, 1, PAIL_ERR_DATA, "section 4 (coefficients)|has|but 1 coefficients take 48"},
    {4, 4, 2, PAIL_ERR_DATA, "coefficient 0 in section 4|names matrix 2, but there are 2"},
    {4, 4 + 44 + 4, 8, PAIL_ERR_DATA, "coefficient 1 in section 4|names constraint 8, but there"},
    {4, 4 + 44 + 8, 8, PAIL_ERR_DATA, "coefficient 1 in section 4|names signal 8, but there are 8"},
    {4, 4 + 44 + 43, 0xff, PAIL_ERR_DATA, "coefficient 1 in section 4|has the value 0xff|order"},
    {5, 64 + 31, 0xff, PAIL_ERR_DATA, "k.zkey: point 1 in section 5 (A), at byte|below"},
    {6, 2 * 64, 0x77, PAIL_ERR_DATA, "k.zkey: point 2 in section 6 (B1), at byte"},
    {7, 128, 0x77, PAIL_ERR_DATA, "k.zkey: point 1 in section 7 (B2), at byte"},
    {8, 64, 0x77, PAIL_ERR_DATA, "k.zkey: point 1 in section 8 (C), at byte|is not on bn254 g1"},
    {9, 5 * 64, 0x77, PAIL_ERR_DATA,
     "k.zkey: point 5 in section 9 (H), at byte|is not on bn254 g1"},
};

PAIL_TEST(changed_keys)
{
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        uint64_t size;
        uint8_t *const at =
            support_section(&bn.zkey, changes[i].section, &size) + changes[i].offset;
        const uint8_t before = *at;
        assert_int_not_equal(before, changes[i].value);
        *at = changes[i].value;
        support_expect_refused(&bn.zkey, changes[i].status, changes[i].words);
        *at = before;
    }
    pail_groth16_key *key = support_open(&bn.zkey); /* it is as it was */
    pail_groth16_key_close(&key);
}

/* The type of a section is another's: it is there twice, or not at all. */
PAIL_TEST(sections)
{
    for (uint32_t type = 1; type <= 9; type++) {
        uint64_t size;
        uint8_t *const at = support_section(&bn.zkey, type, &size) - 12;
        *at = type == 9 ? 8 : 9;
        char words[64];
        (void)snprintf(words, sizeof(words), "k.zkey: has|section");
        support_expect_refused(&bn.zkey, PAIL_ERR_DATA, words);
        *at = 99;
        (void)snprintf(words, sizeof(words), "k.zkey: has no section %u", type);
        support_expect_refused(&bn.zkey, PAIL_ERR_DATA, words);
        *at = (uint8_t)type;
        for (size_t i = 0; i < 8; i++) {
            at[4 + i] ^= 0x80; /* past the end, or elsewhere */
            support_expect_refused(&bn.zkey, PAIL_ERR_DATA, "k.zkey: ");
            at[4 + i] ^= 0x80;
        }
    }
}

static void refuse_witness(const pail_groth16_key *key, const pail_groth16_witness *witness,
                           pail_status status, const char *words)
{
    static const pail_groth16_proof zero;
    char error[512] = "";
    pail_groth16_proof proof;
    pail_groth16_timings timings = {.struct_size = sizeof(timings), .wall_ms = 1};
    uint8_t publics[32];
    memset(&proof, 0xa5, sizeof(proof));
    memset(publics, 0xa5, sizeof(publics));
    proof.struct_size = sizeof(proof);
    assert_int_equal(
        pail_groth16_prove(key, &proof, publics, &timings, witness, NULL, error, sizeof(error)),
        status);
    support_expect_words(error, words);
    assert_memory_equal(proof.a, zero.a, sizeof(zero.a));
    assert_memory_equal(proof.b, zero.b, sizeof(zero.b));
    assert_memory_equal(proof.c, zero.c, sizeof(zero.c));
    assert_memory_equal(publics, zero.b, sizeof(publics));
    assert_true(timings.wall_ms == 0);
}

PAIL_TEST(witnesses)
{
    pail_groth16_key *key = support_open(&bn.zkey);
    pail_groth16_witness witness = {.struct_size = sizeof(witness), .name = "w"};
    refuse_witness(key, &witness, PAIL_ERR_ARGUMENT, "exactly one of values, wtns and path");
    witness.wtns = bls.wtns.data;
    witness.n_wtns = bls.wtns.size;
    refuse_witness(key, &witness, PAIL_ERR_DATA,
                   "w: is a witness over BLS12-381, but k.zkey is a key over BN254");
    for (size_t size = 1; size < bn.wtns.size; size++) {
        uint8_t *const prefix = malloc(size);
        assert_non_null(prefix);
        memcpy(prefix, bn.wtns.data, size);
        witness.wtns = prefix;
        witness.n_wtns = size;
        refuse_witness(key, &witness, PAIL_ERR_DATA, "w: ");
        free(prefix);
    }
    uint64_t size;
    uint8_t *const values = support_section(&bn.wtns, 2, &size);
    witness.wtns = bn.wtns.data;
    witness.n_wtns = bn.wtns.size;
    values[2 * 32 + 31] ^= 0x80;
    refuse_witness(key, &witness, PAIL_ERR_DATA, "w: value 2 at byte|not below the group order");
    values[2 * 32 + 31] ^= 0x80;
    values[0] = 2;
    refuse_witness(key, &witness, PAIL_ERR_DATA, "w: value 0 is not the constant 1");
    values[0] = 1;
    witness.wtns = NULL;
    witness.values = values;
    witness.n_values = 7;
    refuse_witness(key, &witness, PAIL_ERR_DATA, "w: has 7 values, but k.zkey has 8 variables");
    witness.n_values = UINT64_MAX;
    refuse_witness(key, &witness, PAIL_ERR_ARGUMENT, "does not fit");
    witness.n_values = 8;
    values[7 * 32 + 31] ^= 0x80;
    refuse_witness(key, &witness, PAIL_ERR_DATA, "w: value 7 at byte 224|not below");
    values[7 * 32 + 31] ^= 0x80;
    witness.values = NULL;
    witness.path = "/nowhere/w.wtns";
    refuse_witness(key, &witness, PAIL_ERR_IO, "/nowhere/w.wtns");
    pail_groth16_key_close(&key);
}

PAIL_TEST(arguments)
{
    char error[512];
    pail_groth16_key *key = NULL;
    pail_groth16_key_params params = {.struct_size = sizeof(params)};
    assert_int_equal(pail_groth16_key_open(NULL, backend, context, &params, error, 512),
                     PAIL_ERR_ARGUMENT);
    assert_int_equal(pail_groth16_key_open(&key, backend, context, &params, error, 512),
                     PAIL_ERR_ARGUMENT);
    support_expect_words(error, "exactly one of path and bytes");
    params.path = "/nowhere/k.zkey";
    params.flags = 0x80;
    assert_int_equal(pail_groth16_key_open(&key, backend, context, &params, error, 512),
                     PAIL_ERR_ARGUMENT);
    support_expect_words(error, "no flags 0x80");
    params.flags = 0;
    assert_int_equal(pail_groth16_key_open(&key, backend, context, &params, error, 512),
                     PAIL_ERR_IO);
    support_expect_words(error, "/nowhere/k.zkey");

    /* A backend that ends before its vectors. */
    pail_backend without = *backend;
    without.vector_start = NULL;
    params.path = NULL;
    params.bytes = bn.zkey.data;
    params.n_bytes = bn.zkey.size;
    assert_int_equal(pail_groth16_key_open(&key, &without, context, &params, error, 512),
                     PAIL_ERR_UNSUPPORTED);
    support_expect_words(error, "cpu: the backend has no vectors over the scalar field");
    assert_null(key);
    pail_groth16_key_close(&key);

    key = support_open(&bn.zkey);
    const pail_groth16_witness witness = {
        .struct_size = sizeof(witness), .wtns = bn.wtns.data, .n_wtns = bn.wtns.size};
    pail_groth16_options options = {.struct_size = sizeof(options), .flags = 0x40};
    pail_groth16_proof proof = {.struct_size = sizeof(proof)};
    uint8_t publics[32];
    assert_int_equal(pail_groth16_prove(key, &proof, publics, NULL, &witness, &options, error, 512),
                     PAIL_ERR_ARGUMENT);
    support_expect_words(error, "no flags 0x40");
    options.flags = PAIL_GROTH16_FIXED_BLINDING;
    memset(options.s, 0xff, sizeof(options.s));
    assert_int_equal(pail_groth16_prove(key, &proof, publics, NULL, &witness, &options, error, 512),
                     PAIL_ERR_ARGUMENT);
    support_expect_words(error, "s of the options is not below the group order");
    assert_int_equal(pail_groth16_prove(key, &proof, NULL, NULL, &witness, NULL, error, 512),
                     PAIL_ERR_ARGUMENT);
    support_expect_words(error, "publics is NULL");
    proof.struct_size = 8;
    assert_int_equal(pail_groth16_prove(key, &proof, publics, NULL, &witness, NULL, error, 512),
                     PAIL_ERR_ARGUMENT);
    support_expect_words(error, "proof: struct_size is");
    pail_groth16_key_close(&key);
}

/* A file that has a name of its own is called that, and not by its path. */
PAIL_TEST(files_have_names)
{
    char path[] = "/tmp/pail-named-XXXXXX", error[512] = "";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    pail_groth16_key *key = NULL;
    pail_groth16_key_params params = {
        .struct_size = sizeof(params), .path = path, .name = "theirs.zkey"};
    for (int there = 1; there >= 0; there--) { /* an empty file, and none */
        const pail_status status = there != 0 ? PAIL_ERR_DATA : PAIL_ERR_IO;
        assert_int_equal(
            pail_groth16_key_open(&key, backend, context, &params, error, sizeof(error)), status);
        support_expect_words(error, "theirs.zkey: ");
        assert_null(strstr(error, path));
        if (there != 0)
            assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(close(file), 0);
}

PAIL_TEST_GROUP(setup, teardown)
