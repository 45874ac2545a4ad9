/* SPDX-License-Identifier: Apache-2.0 */
/* Setups of KZG commitments: tests/data/eip-4844/trusted_setup.txt, and what is wrong with others.
 */

#include "support/test.h"

#include <formats/bytes.h>
#include <formats/file.h>
#include <formats/kzg_setup.h>
#include <formats/points.h>

enum { N_G1 = 8, N_G2 = 3, LINES = 2 + N_G1 + N_G2 + N_G1, CHARS_MAX = 4096 };

/* The lines of the committed setup, which can be changed before they are put together again. */
struct text {
    char line[LINES + 1][256];
    size_t count;
};

static struct text load(void)
{
    struct text text = {.count = 0};
    struct pail_bytes file;
    assert_int_equal(
        pail_file_load_whole(&file, PAIL_TEST_DATA "/eip-4844/trusted_setup.txt", NULL, 0),
        PAIL_OK);
    const char *at = (const char *)file.data;
    const char *const end = at + file.size;
    while (at < end) {
        const char *const newline = memchr(at, '\n', (size_t)(end - at));
        assert_non_null(newline);
        assert_true(text.count < LINES && newline - at < 256);
        memcpy(text.line[text.count++], at, (size_t)(newline - at));
        at = newline + 1;
    }
    assert_int_equal(text.count, LINES);
    pail_bytes_free(&file, false);
    return text;
}

static pail_status parse(struct pail_kzg_setup *setup, const struct text *text,
                         const char *line_end, char *error, size_t error_cap)
{
    char bytes[CHARS_MAX] = "";
    size_t size = 0;
    for (size_t i = 0; i < text->count; i++)
        size +=
            (size_t)snprintf(bytes + size, sizeof(bytes) - size, "%s%s", text->line[i], line_end);
    assert_true(size < sizeof(bytes));
    return pail_kzg_setup_parse(setup, "s.txt", (const uint8_t *)bytes, size,
                                PAIL_VALIDATE_SUBGROUP, error, error_cap);
}

static void expect_fault(const struct text *text, const char *words)
{
    struct pail_kzg_setup setup;
    static const struct pail_kzg_setup zero;
    char error[512] = "";
    memset(&setup, 0xaa, sizeof(setup));
    assert_int_equal(parse(&setup, text, "\n", error, sizeof(error)), PAIL_ERR_DATA);
    if (strstr(error, words) == NULL || strncmp(error, "s.txt: ", 7) != 0)
        fail_msg("\"%s\" lacks \"%s\"", error, words);
    assert_memory_equal(&setup, &zero, sizeof(setup));
}

static void expect_line(const uint8_t *point, const struct text *text, size_t line, uint32_t group)
{
    struct pail_point_codec codec;
    uint8_t encoded[96], wanted[192];
    assert_true(pail_point_codec_init(&codec, PAIL_CURVE_BLS12_381, group, PAIL_POINT_ZCASH));
    assert_int_equal(pail_hex_read(encoded, text->line[line], codec.encoded_bytes),
                     codec.encoded_bytes);
    assert_int_equal(pail_point_decode(&codec, wanted, encoded, PAIL_VALIDATE_NONE, NULL, 0),
                     PAIL_OK);
    assert_memory_equal(point, wanted, codec.point_bytes);
}

PAIL_TEST(reads_the_points_in_their_order)
{
    static const size_t reversed[N_G1] = {0, 4, 2, 6, 1, 5, 3, 7};
    const struct text text = load();
    for (int variant = 0; variant < 2; variant++) {
        struct pail_kzg_setup setup;
        char error[512] = "";
        if (parse(&setup, &text, variant == 0 ? "\n" : " \r\n", error, sizeof(error)) != PAIL_OK)
            fail_msg("%s", error);
        assert_int_equal(setup.n_g1, N_G1);
        assert_int_equal(setup.n_g2, N_G2);
        for (size_t i = 0; i < N_G1; i++) {
            expect_line(setup.g1_lagrange + 96 * i, &text, 2 + reversed[i], PAIL_G1);
            expect_line(setup.g1_monomial + 96 * i, &text, 2 + N_G1 + N_G2 + i, PAIL_G1);
        }
        for (size_t i = 0; i < N_G2; i++)
            expect_line(setup.g2_monomial + 192 * i, &text, 2 + N_G1 + i, PAIL_G2);
        pail_kzg_setup_free(&setup);
    }
}

PAIL_TEST(takes_digits_after_0x)
{
    struct text text = load();
    struct pail_kzg_setup setup;
    memmove(text.line[5] + 2, text.line[5], 97);
    memcpy(text.line[5], "0x", 2);
    assert_int_equal(parse(&setup, &text, "\n", NULL, 0), PAIL_OK);
    pail_kzg_setup_free(&setup);
}

PAIL_TEST(names_the_bad_line)
{
    const struct text good = load();
    static const struct {
        size_t line;
        const char *text, *words;
    } replaced[] = {
        {0, "", "line 1 is not the number of G1 points"},
        {0, "eight", "line 1 is not the number of G1 points"},
        {0, "-8", "line 1 is not the number of G1 points"},
        {0, "8 8", "line 1 is not the number of G1 points"},
        {0, "0", "line 1: 0 points of G1 are no power of two"},
        {0, "12", "line 1: 12 points of G1 are no power of two"},
        {0, "536870912", "cannot hold 536870912 points of G1"},
        {0, "1000000000", "line 1 is not the number of G1 points"},
        {0, "4", "line 7 has 96 characters, but a point of G2 has 192 digits"},
        {1, "", "line 2 is not the number of G2 points"},
        {1, "999999999", "and 999999999 of G2"},
        {1, "4", "line 14 has 96 characters, but a point of G2 has 192 digits"},
        {1, "2", "line 13 has 192 characters, but a monomial point of G1 has 96 digits"},
        {2, "", "line 3 has 0 characters, but a Lagrange point of G1 has 96 digits"},
        {9, "zz", "line 10 has 2 characters"},
    };
    for (size_t i = 0; i < sizeof(replaced) / sizeof(replaced[0]); i++) {
        struct text text = good;
        (void)snprintf(text.line[replaced[i].line], sizeof(text.line[0]), "%s", replaced[i].text);
        expect_fault(&text, replaced[i].words);
    }
    struct text text = good;
    text.line[3][95] = 'x';
    expect_fault(&text, "line 4: digits 94 and 95 are not both hexadecimal");
    text = good;
    text.line[12][0] = '1'; /* the compression flag goes */
    expect_fault(&text, "line 13, a point of G2: the compression flag is not set");
    text = good;
    text.count--;
    expect_fault(&text, "ends before line 21, which should be a monomial point of G1");
    text.count = 0;
    expect_fault(&text, "ends before line 1, which should be the number of G1 points");
    text = good;
    (void)snprintf(text.line[text.count++], sizeof(text.line[0]), "more");
    expect_fault(&text, "line 22 comes after the last point");
}

PAIL_TEST(checks_the_subgroup_when_asked)
{
    struct text text = load();
    /* x = 4 has a point that is not in the subgroup. */
    (void)snprintf(text.line[4], sizeof(text.line[0]), "8%095d", 4);
    expect_fault(&text, "line 5, a Lagrange point of G1: it is not in the subgroup");
}

/* The binary form of a text; returns its bytes. */
static size_t to_binary(uint8_t *bytes, const struct text *text)
{
    const uint8_t header[32] = {'P', 'A', 'I', 'L', 'K', 'Z', 'G', '1',  PAIL_CURVE_BLS12_381,
                                0,   0,   0,   0,   0,   0,   0,   N_G1, 0,
                                0,   0,   0,   0,   0,   0,   N_G2};
    size_t size = sizeof(header);
    memcpy(bytes, header, size);
    for (size_t i = 2; i < text->count; i++) {
        const size_t n = strlen(text->line[i]) / 2;
        assert_int_equal(pail_hex_read(bytes + size, text->line[i], n), n);
        size += n;
    }
    return size;
}

PAIL_TEST(reads_the_binary_form)
{
    const struct text text = load();
    struct pail_kzg_setup wanted, setup;
    uint8_t bytes[CHARS_MAX];
    char error[512] = "";
    const size_t size = to_binary(bytes, &text);
    assert_int_equal(parse(&wanted, &text, "\n", NULL, 0), PAIL_OK);
    assert_int_equal(wanted.curve, PAIL_CURVE_BLS12_381);
    assert_int_equal(pail_kzg_setup_parse(&setup, "s.bin", bytes, size, PAIL_VALIDATE_SUBGROUP,
                                          error, sizeof(error)),
                     PAIL_OK);
    assert_int_equal(setup.curve, wanted.curve);
    assert_int_equal(setup.n_g1, N_G1);
    assert_int_equal(setup.n_g2, N_G2);
    assert_memory_equal(setup.g1_lagrange, wanted.g1_lagrange, 96 * N_G1);
    assert_memory_equal(setup.g1_monomial, wanted.g1_monomial, 96 * N_G1);
    assert_memory_equal(setup.g2_monomial, wanted.g2_monomial, 192 * N_G2);
    pail_kzg_setup_free(&setup);
    pail_kzg_setup_free(&wanted);
    static const struct {
        size_t at, cut;
        uint8_t value;
        const char *words;
    } rows[] = {
        {8, 0, 3, "the header has curve 3"},
        {13, 0, 1, "and flags 0x100"},
        {16, 0, 6, "the header: 6 points of G1 are no power of two"},
        {24, 0, N_G2 + 1, "cannot hold 8 points of G1 and 4 of G2, and nothing else"},
        {23, 0, 0xff, "cannot hold 18374686479671623688 points of G1 and 3 of G2"},
        {31, 0, 0xff, "cannot hold 8 points of G1 and 18374686479671623683 of G2"},
        {8, 1, PAIL_CURVE_BLS12_381, "cannot hold 8 points of G1 and 3 of G2, and nothing else"},
        {8, 1000000, PAIL_CURVE_BLS12_381, "fewer than the header"},
        {32 + 48, 0, 0x17, "point 2, a Lagrange point of G1: the compression flag is not set"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const uint8_t kept = bytes[rows[i].at];
        const size_t left = rows[i].cut > size ? 31 : size - rows[i].cut;
        bytes[rows[i].at] = rows[i].value;
        assert_int_equal(pail_kzg_setup_parse(&setup, "s.bin", bytes, left, PAIL_VALIDATE_CURVE,
                                              error, sizeof(error)),
                         PAIL_ERR_DATA);
        if (strstr(error, rows[i].words) == NULL || strncmp(error, "s.bin: ", 7) != 0)
            fail_msg("\"%s\" lacks \"%s\"", error, rows[i].words);
        assert_null(setup.g1_lagrange);
        bytes[rows[i].at] = kept;
    }
}

/* Points of BN254 are told by their digits. */
PAIL_TEST(reads_bn254)
{
    struct text text = {.count = 0};
    struct pail_kzg_setup setup;
    char error[512] = "";
    (void)snprintf(text.line[text.count++], sizeof(text.line[0]), "2");
    (void)snprintf(text.line[text.count++], sizeof(text.line[0]), "2");
    uint8_t points[6][128];
    for (size_t i = 0; i < 6; i++) { /* two of G1, two of G2, two of G1 */
        struct pail_point_codec codec;
        const uint32_t group = i / 2 == 1 ? PAIL_G2 : PAIL_G1;
        uint8_t encoded[64];
        pail_affine generator;
        assert_true(pail_point_codec_init(&codec, PAIL_CURVE_BN254, group, PAIL_POINT_GNARK));
        codec.ops->generator(&generator);
        if (i % 2 == 1)
            codec.ops->affine_neg(&generator, &generator);
        codec.ops->encode(points[i], &generator, false);
        assert_int_equal(pail_point_encode(&codec, encoded, points[i], NULL, 0), PAIL_OK);
        for (size_t k = 0; k < codec.encoded_bytes; k++)
            (void)snprintf(text.line[text.count] + 2 * k, 3, "%02x", encoded[k]);
        text.count++;
    }
    if (parse(&setup, &text, "\n", error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    assert_int_equal(setup.curve, PAIL_CURVE_BN254);
    for (size_t i = 0; i < 2; i++) {
        assert_memory_equal(setup.g1_lagrange + 64 * i, points[i], 64);
        assert_memory_equal(setup.g2_monomial + 128 * i, points[2 + i], 128);
        assert_memory_equal(setup.g1_monomial + 64 * i, points[4 + i], 64);
    }
    pail_kzg_setup_free(&setup);
}

PAIL_TEST(reads_the_elements_of_a_blob)
{
    static const char order[] = /* r of BLS12-381 */
        "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";
    uint8_t blob[64] = {0}, scalars[64];
    char error[512] = "";
    assert_int_equal(pail_hex_read(blob + 32, order, 32), 32);
    blob[0] = 0x12;
    blob[63]--;
    assert_int_equal(pail_kzg_blob_scalars(scalars, 2, PAIL_CURVE_BLS12_381, blob, 64, NULL, 0),
                     PAIL_OK);
    assert_int_equal(scalars[31], 0x12);
    assert_int_equal(scalars[32 + 31], 0x73);
    assert_int_equal(scalars[32], 0);
    blob[63]++;
    assert_int_equal(
        pail_kzg_blob_scalars(scalars, 2, PAIL_CURVE_BLS12_381, blob, 64, error, sizeof(error)),
        PAIL_ERR_DATA);
    assert_string_equal(error, "element 1 of the blob is not below the group order");
    assert_int_equal(scalars[31], 0);
    assert_int_equal(
        pail_kzg_blob_scalars(scalars, 2, PAIL_CURVE_BLS12_381, blob, 63, error, sizeof(error)),
        PAIL_ERR_DATA);
    assert_string_equal(error, "the blob has 63 bytes, but 2 field elements take 64");
}
