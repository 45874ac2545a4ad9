/* SPDX-License-Identifier: Apache-2.0 */
#include "build.h"
#include "support/test.h"
#include <formats/bytes.h>
#include <formats/ptau.h>

#define DATA PAIL_TEST_DATA "/ptau/"

enum { POWER = 3, HEADER_POWER = 4 + 32 }; /* of BN254's file; place in section 1 */

static const uint32_t names[PAIL_PTAU_SECTIONS] = {2, 3, 4, 5};

/* A file of BN254's powers as pieces: the primes and points of snarkjs's. */
static struct pieces make_powers(void)
{
    struct pail_bytes bytes;
    struct pieces pieces = {0};
    assert_int_equal(pail_file_load_whole(&bytes, DATA "bn254-3.ptau", NULL, 0), PAIL_OK);
    size_t at = 12;
    for (uint32_t n = pail_read_u32(bytes.data + 8); n-- > 0;) {
        struct piece *const piece = &pieces.piece[pieces.count++];
        const size_t size = (size_t)pail_read_u64(bytes.data + at + 4);
        *piece = (struct piece){.type = pail_read_u32(bytes.data + at)};
        buffer_append(&piece->payload, bytes.data + at + 12, size);
        at += 12 + size;
    }
    assert_int_equal(at, bytes.size);
    pail_bytes_free(&bytes, false);
    return pieces;
}

static pail_status open_bytes(struct pail_ptau *ptau, const struct buffer *file, char *error,
                              size_t error_cap)
{
    const struct pail_binfile_bytes bytes = {file->data, file->size};
    return pail_ptau_open(ptau, "t.ptau", &bytes, error, error_cap);
}

static void expect(struct pieces *pieces, const char *magic, uint32_t version, pail_status wanted,
                   const char *words)
{
    struct buffer file = write_container(pieces, magic, version);
    struct pail_ptau ptau;
    char error[512] = "";
    expect_read(open_bytes(&ptau, &file, error, sizeof(error)), wanted, error, words, &ptau,
                sizeof(ptau));
    buffer_free(&file);
    pieces_free(pieces);
}

PAIL_TEST(reads_files_of_snarkjs)
{
    static const struct {
        const char *path;
        uint32_t curve;
        size_t coordinate;
    } files[] = {{DATA "bn254-3.ptau", PAIL_CURVE_BN254, 32},
                 {DATA "bls12-381-3.ptau", PAIL_CURVE_BLS12_381, 48}};
    for (size_t f = 0; f < sizeof(files) / sizeof(files[0]); f++) {
        struct pail_ptau ptau;
        char error[512] = "";
        assert_true(pail_ptau_is_file(files[f].path));
        if (pail_ptau_open(&ptau, files[f].path, NULL, error, sizeof(error)) != PAIL_OK)
            fail_msg("%s", error);
        assert_int_equal(ptau.curve, files[f].curve);
        assert_int_equal(ptau.power, POWER);
        for (enum pail_ptau_section i = 0; i < PAIL_PTAU_SECTIONS; i++) {
            const bool g2 = pail_ptau_section_group(i) == PAIL_G2;
            const struct pail_ptau_points *const points = &ptau.points[i];
            assert_int_equal(pail_ptau_section_number(i), names[i]);
            assert_int_equal(points->count, i == PAIL_PTAU_TAU_G1 ? 15 : 8);
            assert_int_equal(points->point_bytes, (g2 ? 4 : 2) * files[f].coordinate);
            /* The last point that is asked for, by both ways. */
            const size_t n = points->count - 1, size = points->point_bytes;
            const uint8_t *data;
            struct pail_bytes bytes;
            struct pail_file_part part;
            uint8_t point[192];
            assert_int_equal(pail_ptau_load(&data, &bytes, &ptau, i, n, NULL, 0), PAIL_OK);
            pail_ptau_points_part(&part, &ptau, i, n);
            assert_int_equal(pail_file_part_read(&part, point, (n - 1) * size, size), PAIL_OK);
            assert_memory_equal(point, data + (n - 1) * size, size);
            assert_int_equal(pail_file_part_read(&part, point, n * size, size), PAIL_ERR_ARGUMENT);
            pail_bytes_free(&bytes, false);
        }
        pail_ptau_close(&ptau);
    }
    assert_false(pail_ptau_is_file(PAIL_TEST_DATA "/ledger.wtns"));
    assert_false(pail_ptau_is_file(DATA "none.ptau"));
}

PAIL_TEST(refuses_every_prefix)
{
    struct pieces pieces = make_powers();
    struct buffer file = write_container(&pieces, "ptau", 1);
    for (size_t size = 0; size < file.size; size++) {
        uint8_t *const prefix = malloc(size + (size == 0));
        assert_non_null(prefix);
        memcpy(prefix, file.data, size);
        struct pail_ptau ptau;
        const struct buffer cut = {.data = prefix, .size = size};
        assert_int_equal(open_bytes(&ptau, &cut, NULL, 0), PAIL_ERR_DATA);
        free(prefix);
    }
    buffer_free(&file);
    pieces_free(&pieces);
}

PAIL_TEST(refuses_what_does_not_fit)
{
    struct pieces pieces = make_powers();
    expect(&pieces, "ptau", 2, PAIL_ERR_DATA, "t.ptau: has version 2");
    pieces = make_powers();
    expect(&pieces, "zkey", 1, PAIL_ERR_DATA, "this is a proving key|a file of powers of tau");
    pieces = make_powers();
    pieces.piece[0].payload.data[HEADER_POWER] = 4;
    expect(&pieces, "ptau", 1, PAIL_ERR_DATA, "section 2 (tauG1)|31 points take 1984");
    pieces = make_powers();
    pieces.piece[0].payload.data[HEADER_POWER] = 29;
    expect(&pieces, "ptau", 1, PAIL_ERR_DATA, "names a power of 29, more than 28");
    pieces = make_powers();
    pieces.piece[0].payload.data[HEADER_POWER + 3] = 0xff;
    expect(&pieces, "ptau", 1, PAIL_ERR_DATA, "names a power of 4278190083");
    pieces = make_powers();
    buffer_zeros(&pieces.piece[0].payload, 1);
    expect(&pieces, "ptau", 1, PAIL_ERR_DATA, "section 1 (header)|has 45 bytes, not 44");
    pieces = make_powers();
    pieces.piece[0].payload.data[4] ^= 1;
    expect(&pieces, "ptau", 1, PAIL_ERR_DATA, "t.ptau|prime");
    for (uint32_t i = 0; i < PAIL_PTAU_SECTIONS; i++) {
        pieces = make_powers();
        pieces.piece[pieces_find(&pieces, names[i])].type = 77;
        expect(&pieces, "ptau", 1, PAIL_ERR_DATA, pail_ptau_section_name(i));
        pieces = make_powers();
        buffer_zeros(&pieces.piece[pieces_find(&pieces, names[i])].payload, 1);
        expect(&pieces, "ptau", 1, PAIL_ERR_DATA, pail_ptau_section_name(i));
    }
}
