/* SPDX-License-Identifier: Apache-2.0 */
/* Coefficients of a key by rows: as a plain stable sort has them, whoever does it, and the first
 * one that is wrong is named. */

#include "support/test.h"
#include <curves/curve_ops.h>
#include <prover/key/matrices.h>

enum { ENTRY = 44, ROWS = 2048, SIGNALS = 5000, FEW = 3000, MANY = 200000 };

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static void put(uint8_t *to, uint64_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

/* Rows in no order, some of them with very many entries. */
static uint8_t *make_entries(size_t n)
{
    uint8_t *const entries = calloc(n, ENTRY);
    uint64_t state = 7;
    assert_non_null(entries);
    for (size_t i = 0; i < n; i++) {
        uint8_t *const entry = entries + ENTRY * i;
        put(entry, next(&state) % 2);
        put(entry + 4, next(&state) % (next(&state) % 4 == 0 ? 3 : ROWS));
        put(entry + 8, next(&state) % SIGNALS);
        if (i % 3 == 0 && i > 100) /* the value of one before it */
            memcpy(entry + 12, entries + ENTRY * (i / 2 % 50) + 12, 32);
        else
            for (int k = 0; k < 31; k++)
                entry[12 + k] = (uint8_t)next(&state);
    }
    return entries;
}

static struct pail_zkey key_of(const uint8_t *entries, size_t n)
{
    return (struct pail_zkey){.container = {.name = "k"},
                              .curve = PAIL_CURVE_BN254,
                              .n_vars = SIGNALS,
                              .domain_size = ROWS,
                              .coefficients = entries,
                              .coefficients_offset = 1000,
                              .n_coefficients = n};
}

static void expect_rows(const struct pail_rows rows[PAIL_MATRICES], const uint8_t *entries,
                        size_t n)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    for (uint32_t m = 0; m < PAIL_MATRICES; m++) {
        uint64_t *const at = calloc(ROWS + 1, sizeof(*at));
        assert_non_null(at);
        for (size_t i = 0; i < n; i++) {
            struct pail_zkey_coefficient entry;
            const struct pail_zkey key = key_of(entries, n);
            assert_int_equal(pail_zkey_coefficient(&entry, &key, i, NULL, 0), PAIL_OK);
            if (entry.matrix == m)
                at[entry.constraint + 1]++;
        }
        for (size_t row = 0; row < ROWS; row++)
            at[row + 1] += at[row];
        assert_memory_equal(rows[m].row_starts, at, (ROWS + 1) * sizeof(*at));
        for (size_t i = 0; i < n; i++) {
            struct pail_zkey_coefficient entry;
            const struct pail_zkey key = key_of(entries, n);
            assert_int_equal(pail_zkey_coefficient(&entry, &key, i, NULL, 0), PAIL_OK);
            if (entry.matrix != m)
                continue;
            const uint64_t to = at[entry.constraint]++;
            pail_u256 value;
            uint8_t bytes[32];
            pail_u256_from_bytes(&value, entry.value);
            ops->scalar_from_montgomery(&value, &value);
            pail_u256_to_bytes(bytes, &value);
            assert_int_equal(rows[m].columns[to], entry.signal);
            assert_memory_equal(rows[m].values + 32 * to, bytes, 32);
        }
        free(at);
    }
}

PAIL_TEST(sorted)
{
    const size_t sizes[] = {0, 1, FEW, MANY};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint8_t *const entries = make_entries(sizes[i] + 1);
        const struct pail_zkey key = key_of(entries, sizes[i]);
        struct pail_coefficients *coefficients;
        struct pail_rows rows[PAIL_MATRICES];
        assert_int_equal(pail_coefficients_read(&coefficients, &key, NULL, 0), PAIL_OK);
        for (uint32_t m = 0; m < PAIL_MATRICES; m++)
            assert_int_equal(pail_coefficients_rows(&rows[m], coefficients, m, NULL, 0), PAIL_OK);
        pail_coefficients_free(&coefficients);
        expect_rows(rows, entries, sizes[i]);
        for (uint32_t m = 0; m < PAIL_MATRICES; m++)
            pail_rows_free(&rows[m]);
        free(entries);
    }
}

PAIL_TEST(the_first_bad_one)
{
    const size_t sizes[] = {FEW, MANY};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint8_t *const entries = make_entries(sizes[i]);
        const struct pail_zkey key = key_of(entries, sizes[i]);
        struct pail_coefficients *coefficients;
        char error[512], words[64];
        put(entries + ENTRY * (sizes[i] - 1), 2);                /* no such matrix, */
        put(entries + ENTRY * (sizes[i] / 2 + 3) + 4, ROWS);     /* no such row, */
        memset(entries + ENTRY * (sizes[i] / 2) + 12, 0xff, 32); /* and a value not below r */
        assert_int_equal(pail_coefficients_read(&coefficients, &key, error, sizeof(error)),
                         PAIL_ERR_DATA);
        (void)snprintf(words, sizeof(words), "k: coefficient %zu in section 4, at byte %zu, has",
                       sizes[i] / 2, 1000 + ENTRY * (sizes[i] / 2));
        assert_non_null(strstr(error, words));
        assert_null(coefficients);
        free(entries);
    }
}
