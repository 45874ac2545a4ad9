/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of points and scalars as precompiled contracts take them. */

#include "support/test.h"

#include <curves/inputs.h>
#include <formats/pairs.h>

enum { N = 3, PAIR_BYTES_MAX = 288, POINT_BYTES_MAX = 192 };

static const struct {
    uint32_t curve, group, form;
    size_t pair_bytes;
} kinds[] = {
    {PAIL_CURVE_BN254, PAIL_G1, PAIL_POINT_EIP196, 96},
    {PAIL_CURVE_BN254, PAIL_G2, PAIL_POINT_EIP196, 160},
    {PAIL_CURVE_BLS12_381, PAIL_G1, PAIL_POINT_EIP2537, 160},
    {PAIL_CURVE_BLS12_381, PAIL_G2, PAIL_POINT_EIP2537, 288},
};

enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

struct sample {
    struct pail_point_codec codec;
    size_t pair_bytes;
    uint8_t points[N * POINT_BYTES_MAX], scalars[N * 32]; /* expected values */
    uint8_t bytes[N * PAIR_BYTES_MAX];
};

/* Scalars of any 256 bits, and the second point at infinity. */
static struct sample make_sample(size_t kind)
{
    struct sample sample = {.pair_bytes = kinds[kind].pair_bytes};
    assert_true(pail_point_codec_init(&sample.codec, kinds[kind].curve, kinds[kind].group,
                                      kinds[kind].form));
    pail_make_bases(sample.codec.ops, sample.points, false, 0, N, PAIL_BASES_INFINITY, 1);
    pail_make_scalars(sample.codec.ops, sample.scalars, N, PAIL_SCALARS_BITS256, 2);
    for (size_t i = 0; i < N; i++) {
        uint8_t *const pair = sample.bytes + i * sample.pair_bytes;
        assert_int_equal(pail_point_encode(&sample.codec, pair,
                                           sample.points + i * sample.codec.point_bytes, NULL, 0),
                         PAIL_OK);
        for (size_t k = 0; k < 32; k++)
            pair[sample.codec.encoded_bytes + k] = sample.scalars[32 * i + 31 - k];
    }
    return sample;
}

static void expect_sample(const struct sample *sample, const uint8_t *data, size_t size)
{
    struct pail_pairs pairs;
    char error[512] = "";
    if (pail_pairs_parse(&pairs, "p", data, size, &sample->codec, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    assert_int_equal(pairs.count, N);
    assert_memory_equal(pairs.points, sample->points, N * sample->codec.point_bytes);
    assert_memory_equal(pairs.scalars, sample->scalars, N * 32);
    pail_pairs_free(&pairs);
}

static void expect_fault(const struct sample *sample, const void *data, size_t size,
                         const char *words)
{
    struct pail_pairs pairs;
    char error[512] = "";
    memset(&pairs, 0xaa, sizeof(pairs));
    assert_int_equal(
        pail_pairs_parse(&pairs, "p.bin", data, size, &sample->codec, error, sizeof(error)),
        PAIL_ERR_DATA);
    if (strstr(error, words) == NULL || strncmp(error, "p.bin: ", 7) != 0)
        fail_msg("\"%s\" lacks \"%s\"", error, words);
    assert_null(pairs.points);
    assert_null(pairs.scalars);
    assert_int_equal(pairs.count, 0);
}

PAIL_TEST(reads_bytes_and_digits)
{
    for (size_t kind = 0; kind < N_KINDS; kind++) {
        const struct sample sample = make_sample(kind);
        const size_t size = N * sample.pair_bytes;
        char digits[2 + 2 * N * PAIR_BYTES_MAX + 3] = "0x";
        expect_sample(&sample, sample.bytes, size);
        for (size_t i = 0; i < size; i++)
            (void)snprintf(digits + 2 + 2 * i, 3, i % 2 == 0 ? "%02x" : "%02X", sample.bytes[i]);
        expect_sample(&sample, (const uint8_t *)digits, 2 + 2 * size);
        digits[2 + 2 * size] = '\r';
        digits[2 + 2 * size + 1] = '\n';
        expect_sample(&sample, (const uint8_t *)digits, 2 + 2 * size + 2);
        expect_fault(&sample, digits, 1 + 2 * size, "odd number");
        digits[2 + 2 * 9 + 1] = 'g';
        expect_fault(&sample, digits, 2 + 2 * size, "characters 20 and 21");
    }
}

PAIL_TEST(asks_eip2537_for_whole_pairs)
{
    for (size_t kind = 2; kind < N_KINDS; kind++) {
        const struct sample sample = make_sample(kind);
        char words[64];
        (void)snprintf(words, sizeof(words), "at least one pair of %zu bytes", sample.pair_bytes);
        expect_fault(&sample, NULL, 0, words);
        expect_fault(&sample, "0x", 2, words);
        const size_t wrong[] = {1, sample.pair_bytes - 1, sample.pair_bytes + 1,
                                2 * sample.pair_bytes - 1};
        for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
            (void)snprintf(words, sizeof(words), "has %zu bytes, which is no multiple of the %zu",
                           wrong[i], sample.pair_bytes);
            expect_fault(&sample, sample.bytes, wrong[i], words);
        }
    }
}

PAIL_TEST(completes_eip196_with_zeros)
{
    for (size_t kind = 0; kind < 2; kind++) {
        struct sample sample = make_sample(kind);
        struct pail_pairs pairs;
        assert_int_equal(pail_pairs_parse(&pairs, "p", NULL, 0, &sample.codec, NULL, 0), PAIL_OK);
        assert_int_equal(pairs.count, 0);
        /* All but the lowest byte of the last scalar. */
        sample.scalars[32 * (N - 1)] = 0;
        expect_sample(&sample, sample.bytes, N * sample.pair_bytes - 1);
        /* One byte of a pair is a pair. */
        assert_int_equal(pail_pairs_parse(&pairs, "p", sample.bytes, 2 * sample.pair_bytes + 1,
                                          &sample.codec, NULL, 0),
                         PAIL_OK);
        assert_int_equal(pairs.count, 3);
        pail_pairs_free(&pairs);
    }
}

PAIL_TEST(names_the_bad_point)
{
    for (size_t kind = 0; kind < N_KINDS; kind++) {
        struct sample sample = make_sample(kind);
        char words[64];
        memset(sample.bytes + 2 * sample.pair_bytes, 0xff, 128);
        (void)snprintf(words, sizeof(words), "point 2 at byte %zu: ", 2 * sample.pair_bytes);
        expect_fault(&sample, sample.bytes, N * sample.pair_bytes, words);
    }
}
