/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs for given r and s, byte for byte, against tests/oracle/zkey.mjs, which shares no code. */

#include <jansson.h>

#include "groth16_json.h"
#include "support.h"
#include "support/moved.h"
#include "support/test.h"

static void read_scalar(uint8_t bytes[32], const json_t *text)
{
    uint8_t *number = NULL;
    uint64_t n = 0;
    json_t *const array = json_array();
    assert_int_equal(json_array_append(array, (json_t *)(uintptr_t)text), 0);
    assert_int_equal(pail_publics_of_json(&number, &n, array, "scalar", NULL, 0), PAIL_OK);
    memcpy(bytes, number, 32);
    free(number);
    json_decref(array);
}

static void expect_proof(const pail_groth16_key *key, const struct support_bytes *wtns,
                         const json_t *expected, uint32_t flags)
{
    pail_groth16_options options = {.struct_size = sizeof(options),
                                    .flags = PAIL_GROTH16_FIXED_BLINDING | flags};
    pail_groth16_proof proof;
    uint8_t *publics = NULL;
    uint64_t n_public = 0;
    struct support_proof made;
    read_scalar(options.r, json_object_get(expected, "r"));
    read_scalar(options.s, json_object_get(expected, "s"));
    assert_int_equal(pail_proof_of_json(&proof, PAIL_CURVE_BN254,
                                        json_object_get(expected, "proof"), "expected", NULL, 0),
                     PAIL_OK);
    assert_int_equal(pail_publics_of_json(&publics, &n_public, json_object_get(expected, "publics"),
                                          "publics", NULL, 0),
                     PAIL_OK);
    support_prove(&made, key, wtns, &options);
    assert_true(made.valid);
    assert_memory_equal(&made.proof, &proof, sizeof(proof));
    assert_int_equal(made.n_public, n_public);
    assert_memory_equal(made.publics, publics, (size_t)n_public * 32);
    support_proof_free(&made);
    free(publics);
}

static void expect_file(const char *zkey_path, const char *wtns_path, const char *expected_path)
{
    struct support_bytes zkey, wtns;
    json_t *const expected = json_load_file(expected_path, 0, NULL);
    if (expected == NULL)
        fail_msg("%s cannot be read", expected_path);
    support_read_file(&zkey, zkey_path);
    support_read_file(&wtns, wtns_path);
    pail_groth16_key *key = support_open(&zkey);
    const json_t *const proofs = json_object_get(expected, "proofs");
    assert_true(json_array_size(proofs) >= 3);
    for (size_t i = 0; i < json_array_size(proofs); i++)
        expect_proof(key, &wtns, json_array_get(proofs, i),
                     i % 2 == 0 ? 0 : (uint32_t)PAIL_GROTH16_STAGES);
    pail_groth16_key_close(&key);
    /* Points that stay in host memory are sent during each proof, as those of a key that is larger
     * than the device's memory. */
    const pail_groth16_key_params streamed = {.struct_size = sizeof(streamed),
                                              .residency = PAIL_RESIDENCY_HOST,
                                              .bytes = zkey.data,
                                              .n_bytes = zkey.size};
    pail_groth16_key_info info = {.struct_size = sizeof(info)};
    assert_int_equal(pail_groth16_key_open(&key, backend, context, &streamed, NULL, 0), PAIL_OK);
    assert_int_equal(pail_groth16_key_get_info(key, &info), PAIL_OK);
    assert_true(info.host_bytes > 0);
    expect_proof(key, &wtns, json_array_get(proofs, 0), 0);
    expect_proof(key, &wtns, json_array_get(proofs, 1), PAIL_GROTH16_STAGES);
    pail_groth16_key_close(&key);
    free(zkey.data);
    free(wtns.data);
    json_decref(expected);
}

PAIL_TEST(our_own_key)
{
    expect_file(test_path(PAIL_TEST_DATA "/ledger.zkey").text,
                test_path(PAIL_TEST_DATA "/ledger.wtns").text,
                test_path(PAIL_TEST_DATA "/ledger.expected.json").text);
}

/* The test data of rapidsnark, which are not ours to ship. */
PAIL_TEST(circuit_1003)
{
    const char *const folder = getenv("PAIL_TEST_GROTH16");
    if (folder == NULL)
        SKIP_BECAUSE("PAIL_TEST_GROTH16 names no folder with rapidsnark's testdata");
    char zkey[1024], wtns[1024];
    (void)snprintf(zkey, sizeof(zkey), "%s/circuit_final.zkey", folder);
    (void)snprintf(wtns, sizeof(wtns), "%s/witness.wtns", folder);
    expect_file(zkey, wtns, test_path(PAIL_TEST_VECTORS "/groth16_1003.json").text);
}

PAIL_TEST_GROUP(support_setup, support_teardown)
