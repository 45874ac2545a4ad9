/* SPDX-License-Identifier: Apache-2.0 */

#include "build.h"
#include "support/test.h"
#include <formats/wtns.h>

static void expect(struct pieces *pieces, const char *magic, pail_status wanted, const char *words)
{
    struct buffer file = write_container(pieces, magic, 2);
    struct pail_wtns witness;
    char error[512] = "";
    expect_read(pail_wtns_parse(&witness, "w.wtns", file.data, file.size, error, sizeof(error)),
                wanted, error, words, &witness, sizeof(witness));
    buffer_free(&file);
    pieces_free(pieces);
}

PAIL_TEST(reads_a_witness)
{
    struct pieces pieces = make_witness();
    struct buffer file = write_container(&pieces, "wtns", 2);
    struct pail_wtns witness;
    assert_int_equal(pail_wtns_parse(&witness, "w", file.data, file.size, NULL, 0), PAIL_OK);
    assert_int_equal(witness.count, KEY_VARS);
    assert_memory_equal(witness.values, pieces.piece[1].payload.data, KEY_VARS * 32);
    pail_wtns_close(&witness);
    buffer_free(&file);
    const struct piece first = pieces.piece[0];
    pieces.piece[0] = pieces.piece[1];
    pieces.piece[1] = first;
    expect(&pieces, "wtns", PAIL_OK, "");
}

PAIL_TEST(reads_no_values)
{
    struct pieces pieces = make_witness();
    pieces.piece[0].payload.data[36] = 0;
    pieces.piece[1].payload.size = 0;
    expect(&pieces, "wtns", PAIL_OK, "");
}

PAIL_TEST(refuses_every_prefix)
{
    struct pieces pieces = make_witness();
    struct buffer file = write_container(&pieces, "wtns", 2);
    for (size_t size = 0; size < file.size; size++) {
        uint8_t *const prefix = malloc(size + (size == 0));
        assert_non_null(prefix);
        memcpy(prefix, file.data, size);
        struct pail_wtns witness;
        assert_int_equal(pail_wtns_parse(&witness, "w", prefix, size, NULL, 0), PAIL_ERR_DATA);
        free(prefix);
    }
    buffer_free(&file);
    pieces_free(&pieces);
}

/* r - 1, r, r + 1 and the largest value, each in the last place. */
PAIL_TEST(refuses_values_from_the_order_on)
{
    static const struct {
        uint8_t lowest_byte;
        pail_status status;
        const char *words;
    } cases[] = {
        {0x00, PAIL_OK, ""},
        {0x01, PAIL_ERR_DATA, "value 4 at byte"},
        {0x02, PAIL_ERR_DATA, "f0000002, not below the group order"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pieces pieces = make_witness();
        uint8_t *const last = pieces.piece[1].payload.data + (size_t)(KEY_VARS - 1) * 32;
        memcpy(last, pieces.piece[0].payload.data + 4, 32);
        last[0] = cases[i].lowest_byte;
        expect(&pieces, "wtns", cases[i].status, cases[i].words);
    }
    struct pieces pieces = make_witness();
    memset(pieces.piece[1].payload.data + 32, 0xff, 32);
    expect(&pieces, "wtns", PAIL_ERR_DATA, "value 1 at byte 108 is 0xffffffff");
}

PAIL_TEST(refuses_bad_headers)
{
    static const struct {
        size_t offset;
        uint8_t value;
        const char *words;
    } cases[] = {
        {0, 48, "scalar field has a prime of 48 bytes"},
        {4, 3, "which is not BN254's"},
        {36, 4, "has 160 bytes, but 4 values take 128"},
        {39, 0xff, "has 160 bytes, but 4278190085 values take 136902082720"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pieces pieces = make_witness();
        pieces.piece[0].payload.data[cases[i].offset] = cases[i].value;
        expect(&pieces, "wtns", PAIL_ERR_DATA, cases[i].words);
    }
    struct pieces longer = make_witness();
    buffer_zeros(&longer.piece[0].payload, 4);
    expect(&longer, "wtns", PAIL_ERR_DATA, "section 1 (header) at byte 24 has 44 bytes, not 40");
    struct pieces twice = make_witness();
    buffer_append(&twice.piece[twice.count++].payload, twice.piece[1].payload.data,
                  twice.piece[1].payload.size);
    twice.piece[2].type = 2;
    expect(&twice, "wtns", PAIL_ERR_DATA, "has section 2 (values) twice");
    struct pieces foreign = make_witness();
    expect(&foreign, "zkey", PAIL_ERR_DATA,
           "this is a proving key; a witness (.wtns) belongs here");
}
