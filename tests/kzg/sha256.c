/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 of messages around the ends of blocks, by each implementation. */
#include "support/test.h"

#include <kzg/sha256.h>

enum { MOST = 1000, BLOCK = 64 };

/* Byte i of a message is 7 i + 1 modulo 256; that of three bytes is "abc", as in FIPS 180-4. The
 * digests are those of Python's hashlib. */
static const struct {
    size_t n;
    const char *digest;
} rows[] = {
    {0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {55, "16fa57a0a3423a715d594516339f36189d6b5f93754a9714fef202616a9fabfe"},
    {56, "c37b44e5f1b18554b36966f4f8e08bfbf3164c4b6c10374d12d89850892073c5"},
    {63, "bbba992d2c85af960fb2987a1fd05e0aa82a3db3c740dd8982a9e273b75e36a3"},
    {64, "66bd4633ed6f71c4ecfa4763bf7ba1c8ec7612de9aa6c0578a7b675207c71e0b"},
    {65, "9f7dc47107b750a1f3d35db5d9547f24ef40da5b731b9540d4f43710a154f6c9"},
    {119, "a3ed307b730fa77c07531300c6e4a282330011d4d4caf6bb7b63ae05950f4b66"},
    {120, "8e3b15d9fea7472655aa069620b7f8c2e55ee1499f763200a7515fe826e99d20"},
    {1000, "095ecb62e30793ab4b954cd6a0586d0cc91f7ea5b1332694d8da780e98676d78"},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static const uint8_t *message_of(size_t n)
{
    static uint8_t message[MOST];
    for (size_t i = 0; i < n; i++)
        message[i] = (uint8_t)(7 * i + 1);
    if (n == 3)
        memcpy(message, "abc", 3);
    return message;
}

static void expect_digest(const uint8_t digest[32], const char *expected)
{
    char text[65];
    for (size_t i = 0; i < 32; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(text, expected);
}

PAIL_TEST(digests_of_messages_in_two_parts)
{
    for (size_t r = 0; r < ROWS; r++) {
        const uint8_t *const message = message_of(rows[r].n);
        for (size_t first = 0; first <= rows[r].n; first++) {
            struct pail_sha256 sha;
            uint8_t digest[32];
            pail_sha256_begin(&sha);
            pail_sha256_add(&sha, message, first);
            pail_sha256_add(&sha, message + first, rows[r].n - first);
            pail_sha256_end(&sha, digest);
            expect_digest(digest, rows[r].digest);
        }
    }
}

typedef void blocks_fn(uint32_t state[8], const uint8_t *bytes, size_t n_blocks);

static void expect_digests(blocks_fn *blocks)
{
    for (size_t r = 0; r < ROWS; r++) {
        const size_t n = rows[r].n, n_blocks = (n + 9 + BLOCK - 1) / BLOCK;
        uint8_t padded[MOST + 2 * BLOCK] = {0}, digest[32];
        struct pail_sha256 sha;
        memcpy(padded, message_of(n), n);
        padded[n] = 0x80;
        for (size_t i = 0; i < 8; i++)
            padded[n_blocks * BLOCK - 1 - i] = (uint8_t)((uint64_t)8 * n >> 8 * i);
        pail_sha256_begin(&sha); /* for the state that all begin with */
        blocks(sha.state, padded, n_blocks);
        for (size_t i = 0; i < 32; i++)
            digest[i] = (uint8_t)(sha.state[i / 4] >> (24 - 8 * (i % 4)));
        expect_digest(digest, rows[r].digest);
    }
}

PAIL_TEST(digests_of_the_portable_implementation)
{
    expect_digests(pail_sha256_blocks_portable);
}

#if PAIL_KZG_HAS_SHA_NI
PAIL_TEST(digests_of_the_instructions)
{
    if (!pail_sha256_has_ni())
        SKIP_BECAUSE("the processor has no instructions for SHA-256");
    expect_digests(pail_sha256_blocks_ni);
}
#endif
