/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs and public values as text: byte by byte what snarkjs writes, and what rapidsnark does. */

#include "groth16_files.h"
#include "support/test.h"
#include <formats/decimal.h>

enum { TEXT_MAX = 4096 };

static char error[512];

/* The text without its blanks and without the member `curve`, which rapidsnark leaves out. */
static void tighten(char *to, const char *from)
{
    size_t n = 0;
    for (; *from != '\0'; from++)
        if (*from != ' ' && *from != '\n')
            to[n++] = *from;
    to[n] = '\0';
    char *const curve = strstr(to, ",\"curve\"");
    if (curve != NULL)
        memmove(curve, "}", 2);
}

PAIL_TEST(as_others_write)
{
    for (size_t i = 0; groth16_cases[i] != NULL; i++) {
        struct groth16_files files = groth16_files_load(groth16_cases[i]);
        char text[TEXT_MAX], tight[TEXT_MAX];
        size_t n;
        assert_int_equal(pail_groth16_proof_text(text, sizeof(text), &n, &files.of_proof,
                                                 PAIL_GROTH16_SNARKJS, error, sizeof(error)),
                         PAIL_OK);
        assert_int_equal(n, files.n_proof_text);
        assert_string_equal(text, files.proof_text);
        assert_int_equal(pail_groth16_public_text(text, sizeof(text), &n, files.publics,
                                                  files.n_public, PAIL_GROTH16_SNARKJS, error,
                                                  sizeof(error)),
                         PAIL_OK);
        assert_int_equal(n, files.n_public_text);
        assert_string_equal(text, files.public_text);
        assert_int_equal(pail_groth16_proof_text(text, sizeof(text), &n, &files.of_proof,
                                                 PAIL_GROTH16_RAPIDSNARK, error, sizeof(error)),
                         PAIL_OK);
        tighten(tight, files.proof_text);
        assert_string_equal(text, tight);
        assert_int_equal(pail_groth16_public_text(text, sizeof(text), &n, files.publics,
                                                  files.n_public, PAIL_GROTH16_RAPIDSNARK, error,
                                                  sizeof(error)),
                         PAIL_OK);
        tighten(tight, files.public_text);
        assert_string_equal(text, tight);
        groth16_files_free(&files);
    }
}

/* The length is told before; one byte less is refused and nothing is written past the end. */
PAIL_TEST(lengths)
{
    struct groth16_files files = groth16_files_load("groth16/bn254_3");
    size_t n = 0, again = 0;
    assert_int_equal(pail_groth16_proof_text(NULL, 0, &n, &files.of_proof, PAIL_GROTH16_SNARKJS,
                                             error, sizeof(error)),
                     PAIL_OK);
    assert_int_equal(n, files.n_proof_text);
    char *const text = malloc(n + 2);
    assert_non_null(text);
    for (size_t capacity = 1; capacity <= n + 1; capacity += capacity < n ? 37 : 1) {
        memset(text, '#', n + 2);
        const pail_status status = pail_groth16_proof_text(
            text, capacity, &again, &files.of_proof, PAIL_GROTH16_SNARKJS, error, sizeof(error));
        assert_int_equal(status, capacity > n ? PAIL_OK : PAIL_ERR_ARGUMENT);
        assert_int_equal(again, n);
        assert_int_equal(strlen(text), capacity > n ? n : 0);
        assert_int_equal(text[capacity], '#');
    }
    free(text);
    groth16_files_free(&files);
}

PAIL_TEST(refusals)
{
    struct groth16_files files = groth16_files_load("groth16/bls12_381_0");
    char text[TEXT_MAX] = "#";
    size_t n = 7;
    pail_groth16_proof proof = files.of_proof;
    assert_int_equal(
        pail_groth16_proof_text(text, sizeof(text), NULL, &proof, 1, error, sizeof(error)),
        PAIL_ERR_ARGUMENT);
    assert_int_equal(
        pail_groth16_proof_text(text, sizeof(text), &n, &proof, 3, error, sizeof(error)),
        PAIL_ERR_ARGUMENT);
    assert_int_equal(n, 0);
    assert_int_equal(pail_groth16_proof_text(NULL, 1, &n, &proof, 1, error, sizeof(error)),
                     PAIL_ERR_ARGUMENT);
    assert_int_equal(pail_groth16_proof_text(text, sizeof(text), &n, NULL, 1, error, sizeof(error)),
                     PAIL_ERR_ARGUMENT);
    assert_int_equal(
        pail_groth16_public_text(text, sizeof(text), &n, NULL, 1, 1, error, sizeof(error)),
        PAIL_ERR_ARGUMENT);
    memset(proof.b, 0xff, sizeof(proof.b));
    text[0] = '#';
    assert_int_equal(
        pail_groth16_proof_text(text, sizeof(text), &n, &proof, 1, error, sizeof(error)),
        PAIL_ERR_DATA);
    assert_non_null(strstr(error, "pi_b of the proof has a coordinate that is not below"));
    assert_string_equal(text, "");
    assert_int_equal(n, 0);
    proof.curve = 9;
    assert_int_equal(
        pail_groth16_proof_text(text, sizeof(text), &n, &proof, 1, error, sizeof(error)),
        PAIL_ERR_ARGUMENT);
    groth16_files_free(&files);
}

PAIL_TEST(decimals)
{
    static const struct {
        uint8_t at, value; /* 2^(8 at) value */
        const char *digits;
    } rows[] = {
        {0, 0, "0"},
        {0, 1, "1"},
        {0, 99, "99"},
        {1, 1, "256"},
        {8, 1, "18446744073709551616"},
        {31, 0x80, "57896044618658097711785492504343953926634992332820282019728792003956564819968"},
        {47, 0x80,
         "19701003098197239606139520050071806902539869635232723333974146702122860885748605305707133"
         "127442457820403313995153408"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint8_t bytes[PAIL_DECIMAL_BYTES_MAX] = {0}, back[PAIL_DECIMAL_BYTES_MAX];
        char digits[PAIL_DECIMAL_DIGITS_MAX + 1] = "";
        bytes[rows[i].at] = rows[i].value;
        const size_t n = pail_decimal_write(digits, bytes, sizeof(bytes));
        assert_int_equal(n, strlen(digits));
        assert_string_equal(digits, rows[i].digits);
        assert_int_equal(pail_decimal_read(back, sizeof(back), digits, n), PAIL_DECIMAL_OK);
        assert_memory_equal(back, bytes, sizeof(back));
    }
    /* The largest there is, and one more. */
    uint8_t all[PAIL_DECIMAL_BYTES_MAX], back[PAIL_DECIMAL_BYTES_MAX];
    char digits[PAIL_DECIMAL_DIGITS_MAX];
    memset(all, 0xff, sizeof(all));
    size_t n = pail_decimal_write(digits, all, sizeof(all));
    assert_int_equal(n, PAIL_DECIMAL_DIGITS_MAX);
    assert_int_equal(pail_decimal_read(back, sizeof(back), digits, n), PAIL_DECIMAL_OK);
    assert_memory_equal(back, all, sizeof(back));
    digits[n - 1]++; /* 2^384 - 1 ends in 5 */
    assert_int_equal(pail_decimal_read(back, sizeof(back), digits, n), PAIL_DECIMAL_TOO_LARGE);
    n = pail_decimal_write(digits, all, 32);
    assert_int_equal(pail_decimal_read(back, 32, digits, n), PAIL_DECIMAL_OK);
    digits[n - 1]++;
    assert_int_equal(pail_decimal_read(back, 32, digits, n), PAIL_DECIMAL_TOO_LARGE);
    static const char *const bad[] = {"", "-1", "+1", " 1", "1 ", "0x1", "1e3", "1.0", "one"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(pail_decimal_read(back, 32, bad[i], strlen(bad[i])),
                         PAIL_DECIMAL_NO_NUMBER);
    assert_int_equal(pail_decimal_read(back, 32,
                                       "000000000000000000000000000000000000000000000000"
                                       "00000000000000000000000000000000000000000007",
                                       92),
                     PAIL_DECIMAL_OK);
    assert_int_equal(back[0], 7);
}
