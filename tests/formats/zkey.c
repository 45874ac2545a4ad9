/* SPDX-License-Identifier: Apache-2.0 */

#include "build.h"
#include "support/test.h"
#include <formats/zkey.h>

/* Reads the key that the sections make and frees it all. */
static void expect(struct pieces *pieces, const char *magic, uint32_t version, pail_status wanted,
                   const char *words)
{
    struct buffer file = write_container(pieces, magic, version);
    struct pail_zkey key;
    char error[512] = "";
    expect_read(pail_zkey_parse(&key, "k.zkey", file.data, file.size, error, sizeof(error)), wanted,
                error, words, &key, sizeof(key));
    buffer_free(&file);
    pieces_free(pieces);
}

PAIL_TEST(reads_a_key)
{
    struct pieces pieces = make_key();
    struct buffer file = write_container(&pieces, "zkey", 1);
    struct pail_zkey key;
    assert_int_equal(pail_zkey_parse(&key, "k.zkey", file.data, file.size, NULL, 0), PAIL_OK);
    assert_int_equal(key.n_vars, KEY_VARS);
    assert_int_equal(key.n_public, KEY_PUBLIC);
    assert_int_equal(key.domain_size, KEY_DOMAIN);
    assert_int_equal(key.n_coefficients, KEY_COEFFICIENTS);
    static const size_t count[PAIL_ZKEY_MSMS] = {5, 5, 5, 3, 8};
    static const size_t first[PAIL_ZKEY_MSMS] = {0, 0, 0, 2, SIZE_MAX};
    for (uint32_t msm = PAIL_ZKEY_A; msm < PAIL_ZKEY_MSMS; msm++) {
        const struct pail_zkey_points *const points = &key.points[msm];
        assert_int_equal(points->count, count[msm]);
        assert_int_equal(points->first_witness, first[msm]);
        assert_int_equal(points->point_bytes, msm == PAIL_ZKEY_B2 ? 128 : 64);
        const struct buffer *const payload = &pieces.piece[pieces_find(&pieces, msm + 5)].payload;
        assert_memory_equal(points->data, payload->data, payload->size);
    }
    struct pail_zkey_coefficient coefficient;
    assert_int_equal(pail_zkey_coefficient(&coefficient, &key, 2, NULL, 0), PAIL_OK);
    assert_int_equal(coefficient.matrix, 0);
    assert_int_equal(coefficient.constraint, 7);
    assert_int_equal(coefficient.signal, 4);
    assert_int_equal(coefficient.value[0], 3);
    pail_zkey_close(&key);
    buffer_free(&file);
    pieces_free(&pieces);
}

PAIL_TEST(reads_sections_in_any_order)
{
    for (size_t shift = 0; shift < 8; shift++) {
        const struct pieces pieces = make_key();
        struct pieces turned = {.count = pieces.count};
        for (size_t i = 0; i < pieces.count; i++)
            turned.piece[i] = pieces.piece[(5 * i + shift) % pieces.count];
        expect(&turned, "zkey", 1, PAIL_OK, "");
    }
}

PAIL_TEST(ignores_unknown_sections)
{
    struct pieces pieces = make_key();
    for (uint32_t i = 0; i < 2; i++) {
        pieces.piece[pieces.count] = (struct piece){.type = 77};
        buffer_zeros(&pieces.piece[pieces.count++].payload, 3);
    }
    expect(&pieces, "zkey", 1, PAIL_OK, "");
}

/* Each prefix is a copy of its own, so that the address sanitizer sees a read past its end. */
PAIL_TEST(refuses_every_prefix)
{
    struct pieces pieces = make_key();
    struct buffer file = write_container(&pieces, "zkey", 1);
    for (size_t size = 0; size < file.size; size++) {
        uint8_t *const prefix = malloc(size + (size == 0));
        assert_non_null(prefix);
        memcpy(prefix, file.data, size);
        struct pail_zkey key;
        char error[512] = "";
        assert_int_equal(pail_zkey_parse(&key, "k.zkey", prefix, size, error, sizeof(error)),
                         PAIL_ERR_DATA);
        assert_non_null(strstr(error, "k.zkey: "));
        free(prefix);
    }
    buffer_free(&file);
    pieces_free(&pieces);
}

PAIL_TEST(refuses_sizes_past_the_end)
{
    static const uint64_t sizes[] = {UINT64_C(100000), UINT64_C(1) << 32, UINT64_MAX,
                                     UINT64_MAX - 11, UINT64_MAX - 700};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (size_t at = 0; at < 8; at++) {
            struct pieces pieces = make_key();
            pieces.piece[at].claimed_size = sizes[i];
            expect(&pieces, "zkey", 1, PAIL_ERR_DATA, "section|claims|bytes, but the file has");
        }
    }
}

PAIL_TEST(refuses_duplicate_sections)
{
    static const uint32_t used[] = {1, 2, 4, 5, 6, 7, 8, 9};
    for (size_t i = 0; i < sizeof(used) / sizeof(used[0]); i++) {
        struct pieces pieces = make_key();
        const struct buffer *const first = &pieces.piece[pieces_find(&pieces, used[i])].payload;
        struct piece *const second = &pieces.piece[pieces.count++];
        *second = (struct piece){.type = used[i]};
        buffer_append(&second->payload, first->data, first->size);
        expect(&pieces, "zkey", 1, PAIL_ERR_DATA, "has section|twice, at bytes");
    }
}

PAIL_TEST(refuses_missing_sections)
{
    static const uint32_t used[] = {1, 2, 4, 5, 6, 7, 8, 9};
    for (size_t i = 0; i < sizeof(used) / sizeof(used[0]); i++) {
        struct pieces pieces = make_key();
        pieces.piece[pieces_find(&pieces, used[i])].type = 99;
        expect(&pieces, "zkey", 1, PAIL_ERR_DATA, "has no section");
    }
}

PAIL_TEST(refuses_other_protocols)
{
    static const struct {
        uint32_t protocol;
        pail_status status;
        const char *words;
    } cases[] = {
        {2, PAIL_ERR_UNSUPPORTED, "PLONK|protocol 2"},
        {10, PAIL_ERR_UNSUPPORTED, "FFLONK|protocol 10"},
        {0, PAIL_ERR_DATA, "names protocol 0"},
        {7, PAIL_ERR_DATA, "names protocol 7"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pieces pieces = make_key();
        pieces.piece[0].payload.size = 0;
        buffer_u32(&pieces.piece[0].payload, cases[i].protocol);
        expect(&pieces, "zkey", 1, cases[i].status, cases[i].words);
    }
}

/* Changes one byte of the header (section 2). */
static struct pieces with_header_byte(size_t offset, uint8_t value)
{
    struct pieces pieces = make_key();
    pieces.piece[pieces_find(&pieces, 2)].payload.data[offset] = value;
    return pieces;
}

PAIL_TEST(refuses_bad_headers)
{
    static const struct {
        size_t offset;
        uint8_t value;
        const char *words;
    } cases[] = {
        {0, 33, "base field has a prime of 33 bytes, but BN254's has 32 and BLS12-381's has 48"},
        {0, 48, "prime of the base field is 0x|, which is not BN254's and not BLS12-381's"},
        {3, 0x80, "base field has a prime of 2147483680 bytes"},
        {4, 0x46,
         "base field is 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd46"},
        {36, 31, "scalar field has a prime of 31 bytes, but BN254's has 32"},
        {71, 0x31, "scalar field is 0x31644e72"},
        {72, 1, "names 1 variables, too few for 1 public"},
        {79, 1, "too few for 16777217 public"},
        {80, 7, "domain of 7"},
        {80, 0, "domain of 0"},
        {83, 0x20, "domain of 536870920"},
        {72, 6, "section 5 (A)|has 320 bytes, but 6 points take 384"},
        {75, 0xff, "section 5 (A)|has 320 bytes, but 4278190085 points take 273804165440"},
        {76, 2, "section 8 (C)|has 192 bytes, but 2 points take 128"},
        {80, 16, "section 9 (H)|has 512 bytes, but 16 points take 1024"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pieces pieces = with_header_byte(cases[i].offset, cases[i].value);
        expect(&pieces, "zkey", 1, PAIL_ERR_DATA, cases[i].words);
    }
}

PAIL_TEST(refuses_wrong_section_sizes)
{
    for (size_t i = 0; i < 8; i++) {
        struct pieces longer = make_key();
        buffer_zeros(&longer.piece[i].payload, 1);
        expect(&longer, "zkey", 1, PAIL_ERR_DATA, "k.zkey: section|at byte|has|bytes");
        struct pieces shorter = make_key();
        shorter.piece[i].payload.size--;
        expect(&shorter, "zkey", 1, PAIL_ERR_DATA, "k.zkey: section|at byte|has|bytes");
    }
    struct pieces empty = make_key();
    empty.piece[pieces_find(&empty, 4)].payload.size = 0;
    expect(&empty, "zkey", 1, PAIL_ERR_DATA, "section 4|has 0 bytes, too few");
}

PAIL_TEST(refuses_wrong_coefficient_counts)
{
    static const uint8_t counts[] = {0, 2, 4, 255};
    for (size_t i = 0; i < sizeof(counts); i++) {
        struct pieces pieces = make_key();
        pieces.piece[pieces_find(&pieces, 4)].payload.data[0] = counts[i];
        expect(&pieces, "zkey", 1, PAIL_ERR_DATA, "section 4 (coefficients)|has 136 bytes, but");
    }
    struct pieces most = make_key();
    memset(most.piece[pieces_find(&most, 4)].payload.data, 0xff, 4);
    expect(&most, "zkey", 1, PAIL_ERR_DATA, "4294967295 coefficients take 188978560984");
}

PAIL_TEST(refuses_coefficients_out_of_range)
{
    static const struct {
        size_t offset; /* in the second entry */
        uint8_t value;
        const char *words;
    } cases[] = {
        {0, 2, "coefficient 1 in section 4|names matrix 2, but there are 2"},
        {4, 8, "coefficient 1 in section 4|names constraint 8, but there are 8"},
        {7, 1, "names constraint 16777222"},
        {8, 5, "coefficient 1 in section 4|names signal 5, but there are 5"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pieces pieces = make_key();
        pieces.piece[pieces_find(&pieces, 4)].payload.data[4 + 44 + cases[i].offset] =
            cases[i].value;
        struct buffer file = write_container(&pieces, "zkey", 1);
        struct pail_zkey key;
        assert_int_equal(pail_zkey_parse(&key, "k", file.data, file.size, NULL, 0), PAIL_OK);
        struct pail_zkey_coefficient coefficient;
        char error[512] = "";
        assert_int_equal(pail_zkey_coefficient(&coefficient, &key, 0, NULL, 0), PAIL_OK);
        assert_int_equal(pail_zkey_coefficient(&coefficient, &key, 1, error, sizeof(error)),
                         PAIL_ERR_DATA);
        char list[128];
        (void)strcpy(list, cases[i].words);
        for (char *word = strtok(list, "|"); word != NULL; word = strtok(NULL, "|"))
            assert_non_null(strstr(error, word));
        buffer_free(&file);
        pieces_free(&pieces);
    }
}

PAIL_TEST(refuses_foreign_containers)
{
    struct pieces pieces = make_key();
    expect(&pieces, "wtns", 1, PAIL_ERR_DATA,
           "this is a witness; a proving key (.zkey) belongs here");
    pieces = make_key();
    expect(&pieces, "zip!", 1, PAIL_ERR_DATA,
           "is not a proving key (.zkey): it starts with the bytes 7a 69 70 21, not with \"zkey\"");
    pieces = make_key();
    expect(&pieces, "zkey", 0, PAIL_ERR_DATA, "version 0");
    pieces = make_key();
    expect(&pieces, "zkey", 3, PAIL_ERR_DATA, "version 3");
    pieces = make_key();
    expect(&pieces, "zkey", 2, PAIL_OK, "");
}

/* A count of sections far past the file must end at the file. */
PAIL_TEST(refuses_too_many_sections)
{
    struct pieces pieces = make_key();
    struct buffer file = write_container(&pieces, "zkey", 1);
    memset(file.data + 8, 0xff, 4);
    struct pail_zkey key;
    char error[512] = "";
    assert_int_equal(pail_zkey_parse(&key, "k.zkey", file.data, file.size, error, sizeof(error)),
                     PAIL_ERR_DATA);
    assert_non_null(strstr(error, "inside the header of section number 9 of 4294967295"));
    buffer_free(&file);
    pieces_free(&pieces);
}
