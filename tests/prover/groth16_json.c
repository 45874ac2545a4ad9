/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of JSON: each thing that can be wrong with a file, and the sentence for it. */

#include "groth16_files.h"
#include "support/test.h"

static char error[512];

/* The file's text with the first `from` replaced, as JSON. */
static json_t *edited(const json_t *root, const char *from, const char *to)
{
    char *const text = json_dumps(root, JSON_INDENT(1));
    assert_non_null(text);
    const char *const at = strstr(text, from);
    if (at == NULL)
        fail_msg("there is no %s", from);
    char *const changed = malloc(strlen(text) + strlen(to) + 1);
    assert_non_null(changed);
    const size_t before = (size_t)(at - text);
    memcpy(changed, text, before);
    strcpy(changed + before, to);
    strcat(changed, at + strlen(from));
    json_error_t reason;
    json_t *const made = json_loads(changed, JSON_DECODE_ANY, &reason);
    if (made == NULL)
        fail_msg("%s: %s", to, reason.text);
    free(changed);
    free(text);
    return made;
}

static void expect_sentence(pail_status status, const char *words)
{
    if (status != PAIL_ERR_DATA)
        fail_msg("status %d, not the sentence \"%s\"", (int)status, words);
    if (strstr(error, words) != error)
        fail_msg("\"%s\" does not begin with \"%s\"", error, words);
}

struct edit {
    const char *from, *to, *words;
};

PAIL_TEST(proofs)
{
    static const struct edit edits[] = {
        {"\"groth16\"", "\"plonk\"", "p.json: protocol is \"plonk\", but only \"groth16\" can be"},
        {"\"groth16\"", "\"fflonk\"", "p.json: protocol is \"fflonk\""},
        {"\"groth16\"", "16", "p.json: protocol is not a string"},
        {"\"protocol\"", "\"proto\"", "p.json: there is no \"protocol\""},
        {"\"bn128\"", "\"bls12381\"", "p.json: curve is \"bls12381\", but that of the key is "},
        {"\"bn128\"", "\"secp256k1\"", "p.json: curve is \"secp256k1\", which is neither "},
        {"\"pi_a\"", "\"pi_x\"", "p.json: there is no \"pi_a\""},
        {"\"pi_c\"", "\"pi_x\"", "p.json: there is no \"pi_c\""},
        {"\"pi_a\": [", "\"pi_a\": [\"1\",", "p.json: pi_a is not an array of 3"},
        {"\"pi_a\": [", "\"pi_a\": 7, \"x\": [", "p.json: pi_a is not an array of 3"},
        {"\"pi_a\": [\n  \"", "\"pi_a\": [\n  \"x", "p.json: pi_a[0] is \"x"},
        {"\"pi_a\": [\n  \"", "\"pi_a\": [\n  \"-", "p.json: pi_a[0] is \"-"},
        {"\"pi_a\": [\n  \"", "\"pi_a\": [\n  \"99999999",
         "p.json: pi_a[0] has more than 256 bits"},
        {"\"pi_a\": [", "\"pi_a\": [null, \"1\", \"1\"], \"x\": [",
         "p.json: pi_a[0] is not a string of decimal digits"},
        {"\"pi_a\": [", "\"pi_a\": [1.5, \"1\", \"1\"], \"x\": [",
         "p.json: pi_a[0] is not a string of decimal digits"},
        {"\"pi_a\": [", "\"pi_a\": [-1, \"1\", \"1\"], \"x\": [",
         "p.json: pi_a[0] is \"-1\", which is no decimal number"},
        {"\"pi_a\": [", "\"pi_a\": [\"1\", \"2\", \"2\"], \"x\": [",
         "p.json: pi_a[2] is neither 1 nor, after 0 and 1, 0"},
        {"\"pi_a\": [", "\"pi_a\": [\"1\", \"2\", \"0\"], \"x\": [", "p.json: pi_a[2] is neither "},
        {"\"pi_a\": [", "\"pi_a\": [\"0\", \"0\", \"1\"], \"x\": [",
         "p.json: pi_a is (0, 0), which is not on the curve"},
        {"\"pi_a\": [",
         "\"pi_a\": [\"1\", \"21888242871839275222246405745257275088696311157297823662689037894645"
         "226208583\", \"1\"], \"x\": [", /* p */
         "p.json: pi_a has a coordinate that is not below the modulus, of bn254"},
        {"\"pi_b\": [\n  [", "\"pi_b\": [\n  [\"5\",", "p.json: pi_b[0] is not an array of 2"},
        {"\"pi_b\": [\n  [\n   \"", "\"pi_b\": [\n  [\n   \"0x", "p.json: pi_b[0][0] is \"0x"},
        {"\"pi_b\": [", "\"pi_b\": [[\"1\",\"2\"],[\"3\",\"4\"],[\"1\",\"1\"]], \"x\": [",
         "p.json: pi_b[2] is neither 1 nor"},
    };
    struct groth16_files files = groth16_files_load("groth16/bn254_3");
    const pail_groth16_proof nothing = {0};
    pail_groth16_proof proof;
    for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
        json_t *const root = edited(files.proof, edits[i].from, edits[i].to);
        memset(&proof, 7, sizeof(proof));
        expect_sentence(
            pail_proof_of_json(&proof, PAIL_CURVE_BN254, root, "p.json", error, sizeof(error)),
            edits[i].words);
        assert_memory_equal(&proof, &nothing, sizeof(proof));
        json_decref(root);
    }
    json_t *const array = json_array();
    expect_sentence(
        pail_proof_of_json(&proof, PAIL_CURVE_BN254, array, "p.json", error, sizeof(error)),
        "p.json: is no object with \"protocol\"");
    json_decref(array);
    /* rapidsnark's has no curve: it is the key's. */
    assert_int_equal(json_object_del(files.proof, "curve"), 0);
    assert_int_equal(
        pail_proof_of_json(&proof, PAIL_CURVE_BN254, files.proof, "p.json", error, sizeof(error)),
        PAIL_OK);
    assert_memory_equal(&proof, &files.of_proof, sizeof(proof));
    groth16_files_free(&files);
}

PAIL_TEST(keys)
{
    static const struct edit edits[] = {
        {"\"groth16\"", "\"plonk\"", "v.json: protocol is \"plonk\""},
        {"\"curve\"", "\"kurve\"", "v.json: there is no \"curve\""},
        {"\"bls12381\"", "\"bls12377\"", "v.json: curve is \"bls12377\", which is neither "},
        {"\"vk_alpha_1\"", "\"x\"", "v.json: there is no \"vk_alpha_1\""},
        {"\"vk_delta_2\": [", "\"vk_delta_2\": [[],", "v.json: vk_delta_2 is not an array of 3"},
        {"\"nPublic\": 3", "\"nPublic\": 4", "v.json: nPublic is not 3, but IC has 4 points"},
        {"\"nPublic\": 3", "\"nPublic\": \"3\"", "v.json: nPublic is not 3"},
        {"\"IC\": [", "\"IC\": [], \"x\": [", "v.json: IC is not an array of one or more points"},
        {"\"IC\": [", "\"IC\": 1, \"x\": [", "v.json: IC is not an array of one or more points"},
        {"\"IC\": [", "\"IC\": [[\"1\", \"2\"],", "v.json: nPublic is not 4, but IC has 5 points"},
        {"\"IC\"", "\"ic\"", "v.json: there is no \"IC\""},
        {"\"IC\": [\n  [\n   \"", "\"IC\": [\n  [\n   \"q", "v.json: IC[0][0] is \"q"},
    };
    struct groth16_files files = groth16_files_load("groth16/bls12_381_3");
    struct pail_verifying_key key;
    for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
        json_t *const root = edited(files.vkey, edits[i].from, edits[i].to);
        memset(&key, 7, sizeof(key));
        expect_sentence(pail_verifying_key_of_json(&key, root, "v.json", error, sizeof(error)),
                        edits[i].words);
        assert_null(key.ic);
        json_decref(root);
    }
    assert_int_equal(json_object_del(files.vkey, "nPublic"), 0);
    assert_int_equal(pail_verifying_key_of_json(&key, files.vkey, "v.json", error, sizeof(error)),
                     PAIL_OK);
    assert_int_equal(key.key.n_public, 3);
    assert_memory_equal(key.ic, files.key.ic, 4 * 96);
    pail_verifying_key_free(&key);
    groth16_files_free(&files);
}

PAIL_TEST(publics)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"{}", "u.json: is no array of numbers"},
        {"\"1\"", "u.json: is no array of numbers"},
        {"[\"1\", \"\"]", "u.json: [1] is \"\", which is no decimal number"},
        {"[\"1\", \"2\", [\"3\"]]", "u.json: [2] is not a string of decimal digits"},
        {"[true]", "u.json: [0] is not a string of decimal digits"},
        {"[\"115792089237316195423570985008687907853269984665640564039457584007913129639936\"]",
         "u.json: [0] has more than 256 bits"},
    };
    uint8_t *bytes;
    uint64_t n;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        json_t *const root = json_loads(rows[i].text, JSON_DECODE_ANY, NULL);
        assert_non_null(root);
        bytes = (uint8_t *)error;
        expect_sentence(pail_publics_of_json(&bytes, &n, root, "u.json", error, sizeof(error)),
                        rows[i].words);
        assert_null(bytes);
        assert_int_equal(n, 0);
        json_decref(root);
    }
    json_t *const root = json_loads("[\"513\", 770]", 0, NULL);
    assert_int_equal(pail_publics_of_json(&bytes, &n, root, "u.json", error, sizeof(error)),
                     PAIL_OK);
    assert_int_equal(n, 2);
    const uint8_t want[64] = {1, 2, [32] = 2, [33] = 3};
    assert_memory_equal(bytes, want, sizeof(want));
    free(bytes);
    json_decref(root);
}
