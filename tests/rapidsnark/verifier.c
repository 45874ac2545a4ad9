/* SPDX-License-Identifier: Apache-2.0 */
/* groth16_verify as programs of rapidsnark call it. */

#include "support/test.h"
#include <formats/file.h>
#include <verifier.h>

static char error[256];

struct texts {
    char *vkey, *public, *proof;
};

static char *load(const char *name, const char *file)
{
    char path[4096];
    struct pail_bytes bytes;
    assert_true(snprintf(path, sizeof(path), PAIL_TEST_DATA "/groth16/%s/%s.json", name, file) <
                (int)sizeof(path));
    if (pail_file_load_whole(&bytes, path, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    char *const text = malloc(bytes.size + 1);
    assert_non_null(text);
    memcpy(text, bytes.data, bytes.size);
    text[bytes.size] = '\0';
    pail_bytes_free(&bytes, false);
    return text;
}

static struct texts load_all(const char *name)
{
    return (struct texts){load(name, "vkey"), load(name, "public"), load(name, "proof")};
}

static void free_all(struct texts *texts)
{
    free(texts->vkey);
    free(texts->public);
    free(texts->proof);
}

static int verify(const char *proof, const char *inputs, const char *key)
{
    memset(error, '#', sizeof(error));
    return groth16_verify(proof, inputs, key, error, sizeof(error));
}

static void expect_error(int code, const char *words)
{
    assert_int_equal(code, VERIFIER_ERROR);
    if (strncmp(error, words, strlen(words)) != 0)
        fail_msg("\"%s\" does not begin with \"%s\"", error, words);
}

PAIL_TEST(valid)
{
    static const char *const names[] = {"bn254_0", "bn254_3", "bn254_infinities", "bls12_381_3"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct texts texts = load_all(names[i]);
        assert_int_equal(verify(texts.proof, texts.public, texts.vkey), VERIFIER_VALID_PROOF);
        assert_string_equal(error, "");
        assert_int_equal(groth16_verify(texts.proof, texts.public, texts.vkey, NULL, 100),
                         VERIFIER_VALID_PROOF);
        free_all(&texts);
    }
}

PAIL_TEST(invalid)
{
    struct texts texts = load_all("bn254_3"), other = load_all("bn254_infinities");
    assert_int_equal(verify(other.proof, texts.public, texts.vkey), VERIFIER_INVALID_PROOF);
    assert_int_equal(verify(texts.proof, "[\"1\",\"2\",\"3\"]", texts.vkey),
                     VERIFIER_INVALID_PROOF);
    assert_string_equal(error, "");
    free_all(&texts);
    free_all(&other);
}

PAIL_TEST(errors)
{
    struct texts texts = load_all("bn254_3"), other = load_all("bls12_381_3");
    expect_error(verify("{", texts.public, texts.vkey), "invalid proof data: line 1");
    expect_error(verify("{}", texts.public, texts.vkey), "invalid proof data: there is no");
    expect_error(verify(NULL, texts.public, texts.vkey), "invalid proof data");
    expect_error(verify(other.proof, texts.public, texts.vkey), "invalid proof data: curve is");
    expect_error(verify(texts.proof, "7", texts.vkey), "invalid inputs data");
    expect_error(verify(texts.proof, NULL, texts.vkey), "invalid inputs data");
    expect_error(verify(texts.proof, "[\"1\",\"2\",\"x\"]", texts.vkey), "invalid inputs data");
    /* 0 and the order: rapidsnark takes the one for the other. */
    expect_error(
        verify(texts.proof,
               "[\"1\", \"21888242871839275222246405745257275088548364400416034343698204186"
               "575808495617\", \"2\"]",
               texts.vkey),
        "invalid inputs data: public value 1 is not below the order r");
    expect_error(verify(texts.proof, "[]", texts.vkey), "len(inputs)+1 != len(vk.IC)");
    expect_error(verify(texts.proof, texts.public, "[]"), "invalid verification key data");
    expect_error(verify(texts.proof, texts.public, NULL), "invalid verification key data");
    /* A sentence that does not fit is cut, and none is wanted. */
    char small[8] = "#######";
    assert_int_equal(groth16_verify("", texts.public, texts.vkey, small, 4), VERIFIER_ERROR);
    assert_true(strlen(small) < 4 && small[4] == '#');
    assert_int_equal(groth16_verify("", texts.public, texts.vkey, NULL, 0), VERIFIER_ERROR);
    assert_int_equal(groth16_verify("", texts.public, texts.vkey, small, 0), VERIFIER_ERROR);
    free_all(&texts);
    free_all(&other);
}
