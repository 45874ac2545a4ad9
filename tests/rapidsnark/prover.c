/* SPDX-License-Identifier: Apache-2.0 */
/* The prover's functions as programs of rapidsnark call them. */

#include "support/test.h"
#include <formats/file.h>
#include <prover.h>
#include <verifier.h>

static struct pail_bytes zkey, wtns, vkey;
static char error[256], proof[1024], publics[1024];

static const struct {
    const char *name;
    struct pail_bytes *bytes;
} files[] = {{"ledger.zkey", &zkey}, {"ledger.wtns", &wtns}, {"ledger.vkey.json", &vkey}};
enum { FILES = sizeof(files) / sizeof(files[0]) };

PAIL_FIXTURE(setup)
{
    for (size_t i = 0; i < FILES; i++) {
        char path[4096];
        (void)snprintf(path, sizeof(path), PAIL_TEST_DATA "/%s", files[i].name);
        if (pail_file_load_whole(files[i].bytes, path, error, sizeof(error)) != PAIL_OK)
            return -1;
    }
    return 0;
}

PAIL_FIXTURE(teardown)
{
    for (size_t i = 0; i < FILES; i++)
        pail_bytes_free(files[i].bytes, false);
    return 0;
}

static void expect_valid(void)
{
    char *const key = calloc(1, vkey.size + 1);
    assert_non_null(key);
    memcpy(key, vkey.data, vkey.size);
    assert_int_equal(groth16_verify(proof, publics, key, error, sizeof(error)),
                     VERIFIER_VALID_PROOF);
    free(key);
}

PAIL_TEST(sizes)
{
    unsigned long long of_buffer = 0, of_file = 0, of_proof = 0;
    groth16_proof_size(NULL);
    groth16_proof_size(&of_proof);
    assert_int_equal(of_proof, 810);
    assert_int_equal(
        groth16_public_size_for_zkey_buf(zkey.data, zkey.size, &of_buffer, error, sizeof(error)),
        PROVER_OK);
    assert_int_equal(groth16_public_size_for_zkey_file(PAIL_TEST_DATA "/ledger.zkey", &of_file,
                                                       error, sizeof(error)),
                     PROVER_OK);
    assert_int_equal(of_buffer, 3 * 82 + 4);
    assert_int_equal(of_file, of_buffer);
}

/* Buffers that are too short by one, and that are just long enough. */
PAIL_TEST(proves)
{
    void *prover = NULL;
    unsigned long long proof_size = 1, public_size = 1;
    assert_int_equal(groth16_prover_create(&prover, zkey.data, zkey.size, error, sizeof(error)),
                     PROVER_OK);
    assert_int_equal(groth16_prover_prove(prover, wtns.data, wtns.size, proof, &proof_size, publics,
                                          &public_size, error, sizeof(error)),
                     PROVER_ERROR_SHORT_BUFFER);
    assert_non_null(strstr(error, "Buffer insufficient for generated proof. Required - proof: "));
    assert_non_null(strstr(error, "(provided: 1), public: 118 (provided: 1)"));
    assert_int_equal(public_size, 118);
    assert_in_range(proof_size, 600, 810);
    proof_size = sizeof(proof);
    public_size = 117;
    assert_int_equal(groth16_prover_prove(prover, wtns.data, wtns.size, proof, &proof_size, publics,
                                          &public_size, error, sizeof(error)),
                     PROVER_ERROR_SHORT_BUFFER);
    assert_int_equal(public_size, 118);
    proof_size = 810;
    assert_int_equal(groth16_prover_prove(prover, wtns.data, wtns.size, proof, &proof_size, publics,
                                          &public_size, error, sizeof(error)),
                     PROVER_OK);
    assert_int_equal(proof_size, strlen(proof));
    assert_int_equal(public_size, 117);
    assert_int_equal(public_size, strlen(publics));
    expect_valid();
    groth16_prover_destroy(prover);
    groth16_prover_destroy(NULL);
}

PAIL_TEST(proves_at_once)
{
    unsigned long long proof_size = sizeof(proof), public_size = sizeof(publics);
    assert_int_equal(groth16_prover(zkey.data, zkey.size, wtns.data, wtns.size, proof, &proof_size,
                                    publics, &public_size, error, sizeof(error)),
                     PROVER_OK);
    expect_valid();
    proof_size = sizeof(proof);
    public_size = sizeof(publics);
    assert_int_equal(groth16_prover_zkey_file(PAIL_TEST_DATA "/ledger.zkey", wtns.data, wtns.size,
                                              proof, &proof_size, publics, &public_size, NULL, 0),
                     PROVER_OK);
    expect_valid();
}

/* The witness with a byte changed. */
static void expect_refused(void *prover, size_t at, uint8_t change, int code, const char *words)
{
    unsigned long long proof_size = sizeof(proof), public_size = sizeof(publics);
    uint8_t *const copy = malloc(wtns.size);
    assert_non_null(copy);
    memcpy(copy, wtns.data, wtns.size);
    copy[at] ^= change;
    assert_int_equal(groth16_prover_prove(prover, copy, wtns.size, proof, &proof_size, publics,
                                          &public_size, error, sizeof(error)),
                     code);
    if (strstr(error, words) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", error, words);
    free(copy);
}

PAIL_TEST(errors)
{
    void *prover = NULL;
    unsigned long long proof_size = sizeof(proof), public_size = sizeof(publics);
    assert_int_equal(groth16_prover_create(&prover, wtns.data, wtns.size, error, sizeof(error)),
                     PROVER_ERROR);
    assert_string_equal(error, "Invalid file type. It should be zkey and it is wtns");
    assert_int_equal(groth16_prover_create(&prover, zkey.data, 7, error, sizeof(error)),
                     PROVER_ERROR);
    assert_string_equal(error, "File is too short.");
    assert_int_equal(groth16_prover_create(&prover, NULL, 7, error, sizeof(error)), PROVER_ERROR);
    assert_string_equal(error, "Null zkey buffer");
    assert_int_equal(
        groth16_prover_create_zkey_file(&prover, "/nothing/here", error, sizeof(error)),
        PROVER_ERROR);
    assert_non_null(strstr(error, "/nothing/here"));
    assert_null(prover);
    assert_int_equal(groth16_prover_create(&prover, zkey.data, zkey.size, NULL, 0), PROVER_OK);
    assert_int_equal(groth16_prover_prove(prover, NULL, 1, proof, &proof_size, publics,
                                          &public_size, error, sizeof(error)),
                     PROVER_ERROR);
    assert_string_equal(error, "Null witness buffer");
    expect_refused(prover, 0, 1, PROVER_ERROR, "Invalid file type. It should be wtns and it is");
    expect_refused(prover, wtns.size - 32 * 3000, 1, PROVER_ERROR,
                   "the witness does not satisfy the circuit");
    expect_refused(prover, wtns.size - 1, 0xff, PROVER_ERROR, "not below the group order");
    groth16_prover_destroy(prover);
}

/* Two values: 1 and 5, of 6714. */
PAIL_TEST(another_length)
{
    enum { VALUES = 2, SIZE = 12 + 12 + 40 + 12 + 32 * VALUES };
    unsigned long long proof_size = sizeof(proof), public_size = sizeof(publics);
    uint8_t small[SIZE] = {0};
    memcpy(small, wtns.data, 76); /* up to the header of section 2 */
    small[12 + 12 + 36] = VALUES;
    memset(small + 12 + 12 + 37, 0, 3);
    memset(small + 68, 0, 8);
    small[68] = 32 * VALUES;
    small[76] = 1;
    small[76 + 32] = 5;
    assert_int_equal(groth16_prover(zkey.data, zkey.size, small, SIZE, proof, &proof_size, publics,
                                    &public_size, error, sizeof(error)),
                     PROVER_INVALID_WITNESS_LENGTH);
    assert_string_equal(error, "Invalid witness length. Circuit: 6714, witness: 2");
}

PAIL_TEST_GROUP(setup, teardown)
