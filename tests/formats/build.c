/* SPDX-License-Identifier: Apache-2.0 */
#include "build.h"
#include "support/test.h"

/* Primes as bytes of their own, so that the readers are not compared with their own table. */
static const uint8_t base_prime[32] = {
    0x47, 0xfd, 0x7c, 0xd8, 0x16, 0x8c, 0x20, 0x3c, 0x8d, 0xca, 0x71, 0x68, 0x91, 0x6a, 0x81, 0x97,
    0x5d, 0x58, 0x81, 0x81, 0xb6, 0x45, 0x50, 0xb8, 0x29, 0xa0, 0x31, 0xe1, 0x72, 0x4e, 0x64, 0x30};
static const uint8_t scalar_prime[32] = {
    0x01, 0x00, 0x00, 0xf0, 0x93, 0xf5, 0xe1, 0x43, 0x91, 0x70, 0xb9, 0x79, 0x48, 0xe8, 0x33, 0x28,
    0x5d, 0x58, 0x81, 0x81, 0xb6, 0x45, 0x50, 0xb8, 0x29, 0xa0, 0x31, 0xe1, 0x72, 0x4e, 0x64, 0x30};

void buffer_append(struct buffer *buffer, const void *bytes, size_t size)
{
    if (buffer->size + size > buffer->capacity) {
        buffer->capacity = 2 * (buffer->size + size);
        buffer->data = realloc(buffer->data, buffer->capacity);
        assert_non_null(buffer->data);
    }
    if (size != 0)
        memcpy(buffer->data + buffer->size, bytes, size);
    buffer->size += size;
}

void buffer_u32(struct buffer *buffer, uint32_t value)
{
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                              (uint8_t)(value >> 24)};
    buffer_append(buffer, bytes, sizeof(bytes));
}

void buffer_u64(struct buffer *buffer, uint64_t value)
{
    buffer_u32(buffer, (uint32_t)value);
    buffer_u32(buffer, (uint32_t)(value >> 32));
}

void buffer_zeros(struct buffer *buffer, size_t size)
{
    for (size_t i = 0; i < size; i++)
        buffer_append(buffer, "", 1);
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct buffer){0};
}

size_t pieces_find(const struct pieces *pieces, uint32_t type)
{
    for (size_t i = 0; i < pieces->count; i++)
        if (pieces->piece[i].type == type)
            return i;
    fail_msg("no section %u", type);
    return 0;
}

void pieces_free(struct pieces *pieces)
{
    for (size_t i = 0; i < pieces->count; i++)
        buffer_free(&pieces->piece[i].payload);
    pieces->count = 0;
}

static struct buffer *add_piece(struct pieces *pieces, uint32_t type)
{
    struct piece *const piece = &pieces->piece[pieces->count++];
    *piece = (struct piece){.type = type};
    return &piece->payload;
}

static void add_points(struct pieces *pieces, uint32_t type, size_t count, size_t point_bytes)
{
    struct buffer *const payload = add_piece(pieces, type);
    for (size_t i = 0; i < count * point_bytes; i++)
        buffer_append(payload, &(uint8_t){(uint8_t)(i + type)}, 1);
}

static void add_prime(struct buffer *payload, const uint8_t prime[32])
{
    buffer_u32(payload, 32);
    buffer_append(payload, prime, 32);
}

struct pieces make_key(void)
{
    struct pieces pieces = {0};
    buffer_u32(add_piece(&pieces, 1), 1);
    struct buffer *const header = add_piece(&pieces, 2);
    add_prime(header, base_prime);
    add_prime(header, scalar_prime);
    buffer_u32(header, KEY_VARS);
    buffer_u32(header, KEY_PUBLIC);
    buffer_u32(header, KEY_DOMAIN);
    buffer_zeros(header, 3 * 64 + 3 * 128);
    struct buffer *const coefficients = add_piece(&pieces, 4);
    buffer_u32(coefficients, KEY_COEFFICIENTS);
    for (uint32_t i = 0; i < KEY_COEFFICIENTS; i++) {
        buffer_u32(coefficients, i % 2); /* matrix */
        buffer_u32(coefficients, i + 5); /* constraint */
        buffer_u32(coefficients, i + 2); /* signal */
        buffer_u64(coefficients, i + 1); /* value */
        buffer_zeros(coefficients, 24);
    }
    add_points(&pieces, 5, KEY_VARS, 64);
    add_points(&pieces, 6, KEY_VARS, 64);
    add_points(&pieces, 7, KEY_VARS, 128);
    add_points(&pieces, 8, KEY_VARS - KEY_PUBLIC - 1, 64);
    add_points(&pieces, 9, KEY_DOMAIN, 64);
    return pieces;
}

struct pieces make_witness(void)
{
    struct pieces pieces = {0};
    struct buffer *const header = add_piece(&pieces, 1);
    add_prime(header, scalar_prime);
    buffer_u32(header, KEY_VARS);
    struct buffer *const values = add_piece(&pieces, 2);
    for (uint32_t i = 0; i < KEY_VARS; i++) {
        buffer_u64(values, i + 1);
        buffer_zeros(values, 24);
    }
    return pieces;
}

struct buffer write_container(const struct pieces *pieces, const char magic[4], uint32_t version)
{
    struct buffer file = {0};
    buffer_append(&file, magic, 4);
    buffer_u32(&file, version);
    buffer_u32(&file, (uint32_t)pieces->count);
    for (size_t i = 0; i < pieces->count; i++) {
        const struct piece *const piece = &pieces->piece[i];
        buffer_u32(&file, piece->type);
        buffer_u64(&file, piece->claimed_size != 0 ? piece->claimed_size : piece->payload.size);
        buffer_append(&file, piece->payload.data, piece->payload.size);
    }
    return file;
}

struct buffer key_bytes(void)
{
    struct pieces pieces = make_key();
    const struct buffer bytes = write_container(&pieces, "zkey", 1);
    pieces_free(&pieces);
    return bytes;
}

struct buffer witness_bytes(void)
{
    struct pieces pieces = make_witness();
    const struct buffer bytes = write_container(&pieces, "wtns", 2);
    pieces_free(&pieces);
    return bytes;
}

void expect_read(pail_status status, pail_status wanted, const char *error, const char *words,
                 const void *parsed, size_t bytes)
{
    assert_int_equal(status, wanted);
    char list[256];
    (void)strncpy(list, words, sizeof(list) - 1);
    list[sizeof(list) - 1] = '\0';
    const char *from = error;
    for (char *word = strtok(list, "|"); word != NULL; word = strtok(NULL, "|")) {
        from = strstr(from, word);
        if (from == NULL)
            fail_msg("\"%s\" lacks \"%s\"", error, word);
    }
    for (size_t i = 0; wanted != PAIL_OK && i < bytes; i++)
        assert_int_equal(((const uint8_t *)parsed)[i], 0);
}
