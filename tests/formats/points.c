/* SPDX-License-Identifier: Apache-2.0 */
/* The forms of points: the oracle's table of good and bad ones, and what the array functions add.
 */

#include "support/test.h"

#include <jansson.h>

#include <curves/curve_ops.h>
#include <pail/encoding.h>

#include <curves/inputs.h>
#include <formats/bytes.h>

enum { POINT_BYTES_MAX = 192, ENCODED_BYTES_MAX = 256 };

static const struct name {
    const char *name;
    uint32_t value;
} names[] = {
    {"bn254", PAIL_CURVE_BN254},
    {"bls12-381", PAIL_CURVE_BLS12_381},
    {"g1", PAIL_G1},
    {"g2", PAIL_G2},
    {"eip196", PAIL_POINT_EIP196},
    {"eip2537", PAIL_POINT_EIP2537},
    {"zcash", PAIL_POINT_ZCASH},
    {"gnark", PAIL_POINT_GNARK},
    {"arkworks", PAIL_POINT_ARKWORKS},
    {"none", PAIL_VALIDATE_NONE},
    {"curve", PAIL_VALIDATE_CURVE},
    {"subgroup", PAIL_VALIDATE_SUBGROUP},
};

static const char *text(const json_t *object, const char *key)
{
    const char *const value = json_string_value(json_object_get(object, key));
    assert_non_null(value);
    return value;
}

static uint32_t number(const json_t *object, const char *key)
{
    const char *const name = text(object, key);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i].name, name) == 0)
            return names[i].value;
    fail_msg("\"%s\" is unknown", name);
    return 0;
}

static size_t from_hex(uint8_t *bytes, size_t cap, const char *hex)
{
    const size_t n = strlen(hex) / 2;
    assert_true(n <= cap && strlen(hex) % 2 == 0);
    assert_int_equal(pail_hex_read(bytes, hex, n), n);
    return n;
}

static bool all_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

static size_t canonical_bytes(const pail_point_format *format)
{
    return 2 * pail_curve_ops(format->curve, format->group)->coordinate_bytes;
}

static void check_good(const pail_point_format *format, const json_t *one, const uint8_t *encoded,
                       size_t size)
{
    uint8_t wanted[POINT_BYTES_MAX], point[POINT_BYTES_MAX], back[ENCODED_BYTES_MAX];
    char error[512] = "?";
    const size_t point_bytes = from_hex(wanted, sizeof(wanted), text(one, "point"));
    assert_int_equal(point_bytes, canonical_bytes(format));
    if (pail_points_decode(point, NULL, format, encoded, size, 1, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s: %s", text(one, "name"), error);
    assert_string_equal(error, "");
    assert_memory_equal(point, wanted, point_bytes);
    if (pail_points_encode(back, NULL, format, point, 1, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s: %s", text(one, "name"), error);
    assert_memory_equal(back, encoded, size);
}

static void check_bad(const pail_point_format *format, const json_t *one, const uint8_t *encoded,
                      size_t size)
{
    uint8_t point[POINT_BYTES_MAX];
    char error[512] = "";
    size_t bad_index = 7;
    memset(point, 0xaa, sizeof(point));
    assert_int_equal(
        pail_points_decode(point, &bad_index, format, encoded, size, 1, error, sizeof(error)),
        PAIL_ERR_DATA);
    if (strstr(error, text(one, "error")) == NULL || strncmp(error, "point 0: ", 9) != 0)
        fail_msg("%s: \"%s\" lacks \"%s\"", text(one, "name"), error, text(one, "error"));
    assert_int_equal(bad_index, 0);
    assert_true(all_zero(point, canonical_bytes(format)));
    if (format->validation == PAIL_VALIDATE_NONE)
        return;
    /* It is the validation that refuses it, and an uncompressed point needs none. */
    pail_point_format lax = *format;
    lax.validation =
        format->validation == PAIL_VALIDATE_CURVE ? PAIL_VALIDATE_NONE : PAIL_VALIDATE_CURVE;
    assert_int_equal(pail_points_decode(point, NULL, &lax, encoded, size, 1, NULL, 0), PAIL_OK);
}

PAIL_TEST(agrees_with_the_oracle)
{
    json_error_t problem;
    json_t *const file = json_load_file(PAIL_TEST_ENCODINGS, 0, &problem);
    if (file == NULL)
        fail_msg("%s: %s", PAIL_TEST_ENCODINGS, problem.text);
    const json_t *const tables = json_object_get(file, "tables");
    assert_int_equal(json_array_size(tables), 10);
    size_t good = 0, bad = 0;
    for (size_t i = 0; i < json_array_size(tables); i++) {
        const json_t *const table = json_array_get(tables, i);
        const json_t *const cases = json_object_get(table, "cases");
        pail_point_format format =
            SIZED(pail_point_format, .curve = number(table, "curve"),
                  .group = number(table, "group"), .form = number(table, "form"));
        for (size_t k = 0; k < json_array_size(cases); k++) {
            const json_t *const one = json_array_get(cases, k);
            uint8_t encoded[ENCODED_BYTES_MAX];
            const size_t size = from_hex(encoded, sizeof(encoded), text(one, "encoded"));
            assert_int_equal(size, pail_point_bytes(&format));
            format.validation = number(one, "validation");
            if (json_object_get(one, "point") != NULL) {
                check_good(&format, one, encoded, size);
                good++;
            } else {
                check_bad(&format, one, encoded, size);
                bad++;
            }
        }
    }
    json_decref(file);
    assert_true(good > 100 && bad > 100);
}

/* The generators as the world writes them. ZCash: draft-irtf-cfrg-pairing-friendly-curves, C.3 (and
 * every Ethereum client). gnark and arkworks: found as the gamma or delta of a Groth16 key that was
 * never contributed to. */
PAIL_TEST(writes_the_known_generators)
{
    static const struct {
        uint32_t curve, group, form;
        const char *hex;
    } known[] = {
        {PAIL_CURVE_BLS12_381, PAIL_G1, PAIL_POINT_ZCASH,
         "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00ad"
         "b"
         "22c6bb"},
        {PAIL_CURVE_BLS12_381, PAIL_G2, PAIL_POINT_ZCASH,
         "93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055"
         "d"
         "042b7e024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48"
         "0"
         "56c8c121bdb8"},
        {PAIL_CURVE_BN254, PAIL_G2, PAIL_POINT_GNARK,
         "998e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c21800deef121f1e76426a00665"
         "e"
         "5c4479674322d4f75edadd46debd5cd992f6ed"},
        {PAIL_CURVE_BN254, PAIL_G2, PAIL_POINT_ARKWORKS,
         "edf692d95cbdde46ddda5ef7d422436779445c5e66006a42761e1f12efde0018c212f3aeb785e49712e7a9353"
         "3"
         "49aaf1255dfb31b7bf60723a480d9293938e19"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const pail_point_format format = SIZED(pail_point_format, .curve = known[i].curve,
                                               .group = known[i].group, .form = known[i].form);
        const struct pail_curve_ops *const ops = pail_curve_ops(format.curve, format.group);
        pail_affine generator;
        uint8_t point[POINT_BYTES_MAX], encoded[ENCODED_BYTES_MAX], wanted[ENCODED_BYTES_MAX];
        const size_t size = from_hex(wanted, sizeof(wanted), known[i].hex);
        ops->generator(&generator);
        ops->encode(point, &generator, false);
        assert_int_equal(pail_points_encode(encoded, NULL, &format, point, 1, NULL, 0), PAIL_OK);
        assert_memory_equal(encoded, wanted, size);
    }
}

static const pail_point_format all_formats[] = {
    {sizeof(pail_point_format), PAIL_CURVE_BN254, PAIL_G1, PAIL_POINT_EIP196, 2, 0},
    {sizeof(pail_point_format), PAIL_CURVE_BN254, PAIL_G2, PAIL_POINT_EIP196, 2, 0},
    {sizeof(pail_point_format), PAIL_CURVE_BLS12_381, PAIL_G1, PAIL_POINT_EIP2537, 2, 0},
    {sizeof(pail_point_format), PAIL_CURVE_BLS12_381, PAIL_G2, PAIL_POINT_EIP2537, 2, 0},
    {sizeof(pail_point_format), PAIL_CURVE_BLS12_381, PAIL_G1, PAIL_POINT_ZCASH, 2, 0},
    {sizeof(pail_point_format), PAIL_CURVE_BLS12_381, PAIL_G2, PAIL_POINT_ZCASH, 2, 0},
    {sizeof(pail_point_format), PAIL_CURVE_BN254, PAIL_G1, PAIL_POINT_GNARK, 2, 0},
    {sizeof(pail_point_format), PAIL_CURVE_BN254, PAIL_G2, PAIL_POINT_GNARK, 2, 0},
    {sizeof(pail_point_format), PAIL_CURVE_BN254, PAIL_G1, PAIL_POINT_ARKWORKS, 2, 0},
    {sizeof(pail_point_format), PAIL_CURVE_BN254, PAIL_G2, PAIL_POINT_ARKWORKS, 2, 0},
};

enum { N_FORMATS = sizeof(all_formats) / sizeof(all_formats[0]), N_POINTS = 61 };

/* Opposite points and infinities among them, at odd addresses. */
PAIL_TEST(returns_what_it_took)
{
    static uint8_t points[1 + N_POINTS * POINT_BYTES_MAX], back[1 + N_POINTS * POINT_BYTES_MAX];
    static uint8_t encoded[1 + N_POINTS * ENCODED_BYTES_MAX];
    for (size_t i = 0; i < N_FORMATS; i++) {
        const pail_point_format *const format = &all_formats[i];
        const struct pail_curve_ops *const ops = pail_curve_ops(format->curve, format->group);
        for (int kind = PAIL_BASES_PAIRS; kind <= PAIL_BASES_INFINITY; kind++) {
            size_t bad_index = 0;
            pail_make_bases(ops, points + 1, false, 0, N_POINTS, (enum pail_base_kind)kind, i);
            assert_int_equal(
                pail_points_encode(encoded + 1, &bad_index, format, points + 1, N_POINTS, NULL, 0),
                PAIL_OK);
            assert_int_equal(bad_index, SIZE_MAX);
            assert_int_equal(pail_points_decode(back + 1, &bad_index, format, encoded + 1,
                                                N_POINTS * pail_point_bytes(format), N_POINTS, NULL,
                                                0),
                             PAIL_OK);
            assert_int_equal(bad_index, SIZE_MAX);
            assert_memory_equal(back + 1, points + 1, N_POINTS * canonical_bytes(format));
        }
    }
}

PAIL_TEST(names_the_first_bad_point)
{
    for (size_t i = 0; i < N_FORMATS; i++) {
        const pail_point_format *const format = &all_formats[i];
        const struct pail_curve_ops *const ops = pail_curve_ops(format->curve, format->group);
        const size_t point_bytes = canonical_bytes(format), size = pail_point_bytes(format);
        uint8_t points[5 * POINT_BYTES_MAX], encoded[5 * ENCODED_BYTES_MAX];
        char error[512] = "";
        size_t bad_index = 0;
        pail_make_bases(ops, points, false, 0, 5, PAIL_BASES_DISTINCT, 1);
        assert_int_equal(pail_points_encode(encoded, NULL, format, points, 5, NULL, 0), PAIL_OK);

        /* Every byte 0xff is no point of any form, and no canonical point. */
        memset(encoded + 3 * size, 0xff, 2 * size);
        assert_int_equal(pail_points_decode(points, &bad_index, format, encoded, 5 * size, 5, error,
                                            sizeof(error)),
                         PAIL_ERR_DATA);
        assert_int_equal(bad_index, 3);
        assert_memory_equal(error, "point 3: ", 9);
        assert_true(all_zero(points, 5 * point_bytes));

        pail_make_bases(ops, points, false, 0, 5, PAIL_BASES_DISTINCT, 1);
        memset(points + 2 * point_bytes, 0xff, 2 * point_bytes);
        assert_int_equal(
            pail_points_encode(encoded, &bad_index, format, points, 5, error, sizeof(error)),
            PAIL_ERR_DATA);
        assert_int_equal(bad_index, 2);
        assert_memory_equal(error, "point 2: x", 10);
        assert_true(all_zero(encoded, 5 * size));
    }
}

/* A y that belongs to no point cannot be left out. */
PAIL_TEST(compresses_points_of_the_curve_only)
{
    for (size_t i = 0; i < N_FORMATS; i++) {
        const pail_point_format *const format = &all_formats[i];
        const bool compressed =
            format->form != PAIL_POINT_EIP196 && format->form != PAIL_POINT_EIP2537;
        uint8_t point[POINT_BYTES_MAX] = {3}, encoded[ENCODED_BYTES_MAX];
        char error[512] = "";
        assert_int_equal(pail_points_encode(encoded, NULL, format, point, 1, error, sizeof(error)),
                         compressed ? PAIL_ERR_DATA : PAIL_OK);
        assert_string_equal(error, compressed ? "point 0: it is not on the curve" : "");
    }
}

PAIL_TEST(asks_for_the_right_length)
{
    for (size_t i = 0; i < N_FORMATS; i++) {
        const pail_point_format *const format = &all_formats[i];
        const size_t size = pail_point_bytes(format);
        uint8_t points[2 * POINT_BYTES_MAX], encoded[3 * ENCODED_BYTES_MAX] = {0};
        if (format->form == PAIL_POINT_EIP196)
            continue;
        const size_t wrong[] = {0, size, 2 * size - 1, 2 * size + 1, 3 * size};
        for (size_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
            char error[512] = "", wanted[64];
            memset(points, 0xaa, sizeof(points));
            assert_int_equal(pail_points_decode(points, NULL, format, encoded, wrong[k], 2, error,
                                                sizeof(error)),
                             PAIL_ERR_DATA);
            (void)snprintf(wanted, sizeof(wanted), "take %zu bytes, not %zu", 2 * size, wrong[k]);
            assert_non_null(strstr(error, wanted));
            /* Points of which both lengths speak are zeroed, others may not be there. */
            const size_t point_bytes = canonical_bytes(format);
            const size_t zeroed = wrong[k] / size < 2 ? wrong[k] / size : 2;
            assert_true(all_zero(points, zeroed * point_bytes));
            for (size_t at = zeroed * point_bytes; at < sizeof(points); at++)
                assert_int_equal(points[at], 0xaa);
        }
    }
}

/* EIP-196: missing bytes are zeros, surplus bytes do not count. */
PAIL_TEST(completes_short_input_with_zeros)
{
    const pail_point_format format =
        SIZED(pail_point_format, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
              .form = PAIL_POINT_EIP196, .validation = PAIL_VALIDATE_CURVE);
    uint8_t encoded[160] = {[31] = 1, [63] = 2, [64 + 31] = 1, [64 + 63] = 2}, points[3 * 64];
    char error[512] = "";
    const uint8_t generator[64] = {1, [32] = 2};

    assert_int_equal(pail_points_decode(points, NULL, &format, NULL, 0, 3, NULL, 0), PAIL_OK);
    assert_true(all_zero(points, sizeof(points)));
    assert_int_equal(pail_points_decode(points, NULL, &format, encoded, 64, 3, NULL, 0), PAIL_OK);
    assert_memory_equal(points, generator, 64);
    assert_true(all_zero(points + 64, 128));
    /* One byte less and y is 0. */
    assert_int_equal(
        pail_points_decode(points, NULL, &format, encoded, 127, 3, error, sizeof(error)),
        PAIL_ERR_DATA);
    assert_string_equal(error, "point 1: it is not on the curve");
    memset(encoded + 128, 0xff, 32);
    assert_int_equal(pail_points_decode(points, NULL, &format, encoded, 160, 2, NULL, 0), PAIL_OK);
    assert_memory_equal(points + 64, generator, 64);
}

PAIL_TEST(refuses_arguments)
{
    uint8_t points[POINT_BYTES_MAX], encoded[ENCODED_BYTES_MAX] = {0};
    char error[512] = "";
    const pail_point_format good = all_formats[0];
    pail_point_format bad[] = {good, good, good, good};
    bad[0].struct_size = 4;
    bad[1].curve = PAIL_CURVE_BLS12_381;
    bad[2].group = 3;
    bad[3].form = 0;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        error[0] = '\0';
        assert_int_equal(
            pail_points_decode(points, NULL, &bad[i], encoded, 64, 1, error, sizeof(error)),
            PAIL_ERR_ARGUMENT);
        assert_string_not_equal(error, "");
        assert_int_equal(
            pail_points_encode(encoded, NULL, &bad[i], points, 1, error, sizeof(error)),
            PAIL_ERR_ARGUMENT);
        assert_int_equal(pail_point_bytes(&bad[i]), 0);
    }
    assert_int_equal(pail_point_bytes(NULL), 0);
    assert_int_equal(pail_points_decode(NULL, NULL, &good, encoded, 64, 1, NULL, 0),
                     PAIL_ERR_ARGUMENT);
    assert_int_equal(pail_points_decode(points, NULL, &good, NULL, 64, 1, NULL, 0),
                     PAIL_ERR_ARGUMENT);
    assert_int_equal(pail_points_decode(points, NULL, NULL, encoded, 64, 1, NULL, 0),
                     PAIL_ERR_ARGUMENT);
    assert_int_equal(pail_points_decode(points, NULL, &good, encoded, 64, SIZE_MAX / 64 + 1, error,
                                        sizeof(error)),
                     PAIL_ERR_ARGUMENT);
    assert_int_equal(pail_points_encode(NULL, NULL, &good, points, 1, NULL, 0), PAIL_ERR_ARGUMENT);
    assert_int_equal(pail_points_encode(encoded, NULL, &good, NULL, 1, NULL, 0), PAIL_ERR_ARGUMENT);
    assert_int_equal(pail_points_decode(NULL, NULL, &good, NULL, 0, 0, NULL, 0), PAIL_OK);
    assert_int_equal(pail_points_encode(NULL, NULL, &good, NULL, 0, NULL, 0), PAIL_OK);
}

/* Only decoding reads the validation, and it zeroes what it was to write, as after any failure. */
PAIL_TEST(refuses_an_unknown_validation)
{
    static const uint8_t zeros[POINT_BYTES_MAX];
    for (size_t i = 0; i < sizeof(all_formats) / sizeof(all_formats[0]); i++) {
        uint8_t points[2 * POINT_BYTES_MAX], encoded[ENCODED_BYTES_MAX];
        char error[512] = "";
        size_t bad_index = 7;
        pail_point_format format = all_formats[i];
        const size_t size = pail_point_bytes(&format);
        memset(points, 0, sizeof(points));
        assert_int_equal(pail_points_encode(encoded, NULL, &format, points, 1, error, 512),
                         PAIL_OK);
        format.validation = PAIL_VALIDATE_SUBGROUP + 1;
        assert_int_equal(pail_point_bytes(&format), size);
        memset(points, 0xa5, sizeof(points));
        assert_int_equal(
            pail_points_decode(points, &bad_index, &format, encoded, size, 1, error, sizeof(error)),
            PAIL_ERR_ARGUMENT);
        assert_string_equal(error, "there is no validation 3");
        assert_int_equal(bad_index, SIZE_MAX);
        const struct pail_curve_ops *const ops = pail_curve_ops(format.curve, format.group);
        const size_t bytes = 2 * (size_t)ops->coordinate_bytes;
        assert_memory_equal(points, zeros, bytes);
        assert_int_equal(points[bytes], 0xa5);
        memset(points, 0, sizeof(points));
        assert_int_equal(pail_points_encode(encoded, NULL, &format, points, 1, error, 512),
                         PAIL_OK);
    }
}
