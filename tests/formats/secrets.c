/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of files leave none of the scalars that they have read in the memory of the process. */

#include "support/test.h"

#include <platform/memory.h>

#include "abi/scan.h"
#include <formats/pairs.h>

enum { N = 40, POINT_BYTES = 64, PAIR_BYTES = POINT_BYTES + SCAN_SECRET_BYTES };

/* Big-endian secret number 1 behind each point, whose little-endian form is number 0. */
static uint8_t *make_bytes(const struct scan *scan)
{
    uint8_t *bytes = calloc(N, PAIR_BYTES);
    assert_non_null(bytes);
    for (size_t i = 0; i < N; i++)
        scan_reveal(scan, 1, bytes + i * PAIR_BYTES + POINT_BYTES);
    return bytes;
}

static void make_secrets(struct scan *scan)
{
    uint8_t little[SCAN_SECRET_BYTES], big[SCAN_SECRET_BYTES];
    scan_begin(scan);
    (void)scan_make(scan);
    scan_reveal(scan, 0, little);
    for (size_t k = 0; k < SCAN_SECRET_BYTES; k++)
        big[k] = little[SCAN_SECRET_BYTES - 1 - k];
    pail_wipe(little, sizeof(little));
    (void)scan_add(scan, big);
    pail_wipe_stack();
}

/* The text in hexadecimal, which replaces the bytes. */
static uint8_t *as_text(uint8_t *bytes, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t *text = malloc(2 + 2 * n);
    assert_non_null(text);
    text[0] = '0';
    text[1] = 'x';
    for (size_t i = 0; i < n; i++) {
        text[2 + 2 * i] = (uint8_t)digits[bytes[i] >> 4];
        text[3 + 2 * i] = (uint8_t)digits[bytes[i] & 15];
    }
    pail_wipe(bytes, n);
    free(bytes);
    return text;
}

PAIL_TEST(pairs_are_wiped)
{
    struct scan scan;
    struct pail_point_codec codec;
    make_secrets(&scan);
    assert_true(pail_point_codec_init(&codec, PAIL_CURVE_BN254, PAIL_G1, PAIL_POINT_EIP196));
    for (int text = 0; text < 2; text++) {
        for (int bad = 0; bad < 2; bad++) {
            struct pail_pairs pairs;
            size_t size = (size_t)N * PAIR_BYTES;
            uint8_t *bytes = make_bytes(&scan);
            if (bad) /* a coordinate that is not below p, in the last point */
                memset(bytes + (N - 1) * PAIR_BYTES, 0xff, 32);
            if (text) {
                bytes = as_text(bytes, size);
                size = 2 + 2 * size;
            }
            const pail_status status =
                pail_pairs_parse(&pairs, "pairs", bytes, size, &codec, NULL, 0);
            assert_int_equal(status, bad ? PAIL_ERR_DATA : PAIL_OK);
            pail_wipe(bytes, size);
            free(bytes);
            if (!bad)
                assert_true(scan_count(&scan, NULL) >= N);
            pail_pairs_free(&pairs);
            assert_int_equal(scan_count(&scan, bad ? "a bad pair" : "pairs"), 0);
        }
    }
    scan_end(&scan);
}
