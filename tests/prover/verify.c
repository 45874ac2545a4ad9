/* SPDX-License-Identifier: Apache-2.0 */
/* Verification: valid proofs of both curves, and everything that makes one invalid or bad data. */

#include "groth16_files.h"
#include "support/test.h"
#include <curves/curve_ops.h>
#include <curves/params_bls12_381.h>
#include <curves/params_bn254.h>

static char error[512];

static pail_status verify(uint32_t *valid, const struct groth16_files *files)
{
    *valid = 7;
    return pail_groth16_verify(valid, &files->key.key, &files->of_proof, files->publics,
                               files->n_public, error, sizeof(error));
}

static void expect(const struct groth16_files *files, uint32_t want)
{
    uint32_t valid;
    if (verify(&valid, files) != PAIL_OK)
        fail_msg("%s", error);
    assert_int_equal(valid, want);
    assert_string_equal(error, "");
}

static void refuse(const struct groth16_files *files, const char *words)
{
    uint32_t valid;
    assert_int_equal(verify(&valid, files), PAIL_ERR_DATA);
    assert_int_equal(valid, 0);
    if (strstr(error, words) == NULL)
        fail_msg("\"%s\" has no \"%s\"", error, words);
}

PAIL_TEST(valid_proofs)
{
    for (size_t i = 0; groth16_cases[i] != NULL; i++) {
        struct groth16_files files = groth16_files_load(groth16_cases[i]);
        expect(&files, 1);
        groth16_files_free(&files);
    }
}

/* Sections 2 and 3 of a proving key serve as well. */
PAIL_TEST(key_of_zkey)
{
    struct groth16_files files = groth16_files_load("ledger");
    struct pail_zkey proving;
    struct pail_verifying_key key;
    if (pail_zkey_open(&proving, PAIL_TEST_DATA "/ledger.zkey", error, sizeof(error)) != PAIL_OK ||
        pail_verifying_key_of_zkey(&key, &proving, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    const pail_groth16_verifying_key *const want = &files.key.key;
    assert_int_equal(key.key.n_public, want->n_public);
    assert_memory_equal(key.key.alpha1, want->alpha1, sizeof(want->alpha1));
    assert_memory_equal(key.key.beta2, want->beta2, sizeof(want->beta2));
    assert_memory_equal(key.key.gamma2, want->gamma2, sizeof(want->gamma2));
    assert_memory_equal(key.key.delta2, want->delta2, sizeof(want->delta2));
    assert_memory_equal(key.ic, want->ic, (size_t)(want->n_public + 1) * 64);
    pail_verifying_key_free(&files.key);
    files.key = key;
    expect(&files, 1);
    pail_zkey_close(&proving);
    groth16_files_free(&files);
}

static void negate(uint8_t *point, uint32_t curve, uint32_t group)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(curve, group);
    pail_affine affine;
    assert_true(ops->decode(&affine, point, false));
    ops->affine_neg(&affine, &affine);
    ops->encode(point, &affine, false);
}

/* Each part of key, proof and public values counts. */
PAIL_TEST(invalid_proofs)
{
    static const char *const names[] = {"groth16/bn254_3", "groth16/bls12_381_3"};
    for (size_t i = 0; i < 2; i++) {
        struct groth16_files files = groth16_files_load(names[i]);
        const uint32_t curve = files.key.key.curve;
        const size_t g1_bytes = 2 * pail_curve_ops(curve, PAIL_G1)->coordinate_bytes;
        const struct {
            uint8_t *point;
            uint32_t group;
        } points[] = {
            {files.of_proof.a, 1},     {files.of_proof.b, 2},    {files.of_proof.c, 1},
            {files.key.key.alpha1, 1}, {files.key.key.beta2, 2}, {files.key.key.gamma2, 2},
            {files.key.key.delta2, 2}, {files.key.ic, 1},        {files.key.ic + g1_bytes, 1}};
        for (size_t k = 0; k < sizeof(points) / sizeof(points[0]); k++) {
            negate(points[k].point, curve, points[k].group);
            expect(&files, 0);
            negate(points[k].point, curve, points[k].group);
        }
        for (size_t k = 0; k < files.n_public; k++) {
            files.publics[32 * k + 4] ^= 1;
            expect(&files, 0);
            files.publics[32 * k + 4] ^= 1;
        }
        /* The opposite of both points of a product is another proof of the same. */
        negate(files.of_proof.a, curve, PAIL_G1);
        negate(files.of_proof.b, curve, PAIL_G2);
        expect(&files, 1);
        memset(files.of_proof.a, 0, sizeof(files.of_proof.a));
        memset(files.of_proof.b, 0, sizeof(files.of_proof.b));
        memset(files.of_proof.c, 0, sizeof(files.of_proof.c));
        expect(&files, 0);
        groth16_files_free(&files);
    }
}

/* Adding the order makes another number of the same value: refused, or a proof would be good for
 * more than one statement. */
PAIL_TEST(publics_above_order)
{
    static const char *const names[] = {"groth16/bn254_3", "groth16/bls12_381_3"};
    static const pail_u256 orders[] = {{PAIL_BN254_FR_MODULUS}, {PAIL_BLS12_381_FR_MODULUS}};
    for (size_t i = 0; i < 2; i++) {
        struct groth16_files files = groth16_files_load(names[i]);
        pail_u256_to_bytes(files.publics + 32, &orders[i]); /* it was 0 */
        refuse(&files, "the public values: public value 1 is not below the order r");
        memset(files.publics + 32, 0, 32);
        expect(&files, 1);
        memset(files.publics, 0xff, 32);
        refuse(&files, "the public values: public value 0 is not below the order r");
        groth16_files_free(&files);
    }
}

PAIL_TEST(bad_points)
{
    static const char *const names[] = {"groth16/bn254_3", "groth16/bls12_381_3"};
    for (size_t i = 0; i < 2; i++) {
        struct groth16_files files = groth16_files_load(names[i]);
        const uint32_t curve = files.key.key.curve;
        const struct {
            uint8_t *point;
            uint32_t group;
            const char *name;
        } points[] = {{files.of_proof.a, 1, "the proof: pi_a"},
                      {files.of_proof.b, 2, "the proof: pi_b"},
                      {files.of_proof.c, 1, "the proof: pi_c"},
                      {files.key.key.alpha1, 1, "the verifying key: alpha1"},
                      {files.key.key.beta2, 2, "the verifying key: beta2"},
                      {files.key.key.gamma2, 2, "the verifying key: gamma2"},
                      {files.key.key.delta2, 2, "the verifying key: delta2"},
                      {files.key.ic, 1, "the verifying key: IC[0]"}};
        for (size_t k = 0; k < sizeof(points) / sizeof(points[0]); k++) {
            const struct pail_curve_ops *const ops = pail_curve_ops(curve, points[k].group);
            const size_t bytes = 2 * ops->coordinate_bytes;
            uint8_t kept[192];
            char words[128];
            memcpy(kept, points[k].point, bytes);
            points[k].point[0] ^= 1;
            (void)snprintf(words, sizeof(words), "%s is not on the curve", points[k].name);
            refuse(&files, words);
            memset(points[k].point, 0xff, bytes);
            (void)snprintf(words, sizeof(words), "%s has a coordinate that is not below",
                           points[k].name);
            refuse(&files, words);
            if (!ops->cofactor_one) {
                pail_affine small;
                ops->small_order_point(&small);
                ops->encode(points[k].point, &small, false);
                (void)snprintf(words, sizeof(words), "%s is not in the subgroup", points[k].name);
                refuse(&files, words);
            }
            memcpy(points[k].point, kept, bytes);
        }
        expect(&files, 1);
        groth16_files_free(&files);
    }
}

PAIL_TEST(disagreements)
{
    struct groth16_files files = groth16_files_load("groth16/bn254_3");
    files.n_public--;
    refuse(&files, "there are 2 public values, but the key, the verifying key, is for 3");
    files.n_public++;
    files.of_proof.curve = PAIL_CURVE_BLS12_381;
    refuse(&files, "the proof is of curve bls12381, but the key, the verifying key, of bn128");
    pail_groth16_names names = {.struct_size = sizeof(names), .key = "k.json", .proof = "p.json"};
    uint32_t valid = 7;
    assert_int_equal(pail_groth16_verify_named(&valid, &files.key.key, &files.of_proof,
                                               files.publics, files.n_public, &names, error,
                                               sizeof(error)),
                     PAIL_ERR_DATA);
    assert_int_equal(valid, 0);
    assert_string_equal(error,
                        "p.json: the proof is of curve bls12381, but the key, k.json, of bn128");
    names.struct_size = 0;
    assert_int_equal(pail_groth16_verify_named(&valid, &files.key.key, &files.of_proof,
                                               files.publics, files.n_public, &names, error,
                                               sizeof(error)),
                     PAIL_ERR_ARGUMENT);
    files.of_proof.curve = PAIL_CURVE_BN254;
    names = (pail_groth16_names){.struct_size = sizeof(names), .publics = "values.json"};
    files.n_public--;
    assert_int_equal(pail_groth16_verify_named(&valid, &files.key.key, &files.of_proof,
                                               files.publics, files.n_public, &names, error,
                                               sizeof(error)),
                     PAIL_ERR_DATA);
    assert_non_null(strstr(error, "values.json: there are 2 public values"));
    groth16_files_free(&files);
}

PAIL_TEST(arguments)
{
    struct groth16_files files = groth16_files_load("groth16/bn254_0");
    const pail_groth16_verifying_key *const key = &files.key.key;
    pail_groth16_verifying_key bad_key = *key;
    pail_groth16_proof bad_proof = files.of_proof;
    uint32_t valid = 7;
    const pail_status wanted = PAIL_ERR_ARGUMENT;
    assert_int_equal(pail_groth16_verify(NULL, key, &files.of_proof, NULL, 0, error, sizeof(error)),
                     wanted);
    assert_int_equal(
        pail_groth16_verify(&valid, NULL, &files.of_proof, NULL, 0, error, sizeof(error)), wanted);
    assert_int_equal(valid, 0);
    assert_int_equal(pail_groth16_verify(&valid, key, NULL, NULL, 0, error, sizeof(error)), wanted);
    assert_int_equal(
        pail_groth16_verify(&valid, key, &files.of_proof, NULL, 1, error, sizeof(error)), wanted);
    assert_int_equal(pail_groth16_verify(&valid, key, &files.of_proof, files.publics, UINT64_MAX,
                                         error, sizeof(error)),
                     wanted);
    bad_proof.struct_size--;
    assert_int_equal(pail_groth16_verify(&valid, key, &bad_proof, NULL, 0, error, sizeof(error)),
                     wanted);
    bad_proof = files.of_proof;
    bad_proof.curve = 3;
    assert_int_equal(pail_groth16_verify(&valid, key, &bad_proof, NULL, 0, error, sizeof(error)),
                     wanted);
    bad_key.ic = NULL;
    assert_int_equal(
        pail_groth16_verify(&valid, &bad_key, &files.of_proof, NULL, 0, error, sizeof(error)),
        wanted);
    bad_key = *key;
    bad_key.curve = 0;
    assert_int_equal(
        pail_groth16_verify(&valid, &bad_key, &files.of_proof, NULL, 0, error, sizeof(error)),
        wanted);
    assert_string_not_equal(error, "");
    /* No public values, no pointer; no room for a sentence. */
    assert_int_equal(pail_groth16_verify(&valid, key, &files.of_proof, NULL, 0, NULL, 0), PAIL_OK);
    assert_int_equal(valid, 1);
    groth16_files_free(&files);
}
