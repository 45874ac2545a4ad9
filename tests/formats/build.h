/* SPDX-License-Identifier: Apache-2.0 */
/* Small .zkey and .wtns files in memory, with any one thing wrong. */
#ifndef PAIL_TESTS_FORMATS_BUILD_H
#define PAIL_TESTS_FORMATS_BUILD_H

#include <stddef.h>
#include <stdint.h>

#include <pail/backend.h>

struct buffer {
    uint8_t *data;
    size_t size, capacity;
};

void buffer_append(struct buffer *buffer, const void *bytes, size_t size);
void buffer_u32(struct buffer *buffer, uint32_t value);
void buffer_u64(struct buffer *buffer, uint64_t value);
void buffer_zeros(struct buffer *buffer, size_t size);
void buffer_free(struct buffer *buffer);

/* A section of a container to be; payload is owned. */
struct piece {
    uint32_t type;
    struct buffer payload;
    /* 0: the payload's size; otherwise what the section header claims. */
    uint64_t claimed_size;
};

/* Sections in file order: swap or change them before writing. */
struct pieces {
    struct piece piece[12];
    size_t count;
};

/* Index of the first section of a type, which must be there. */
size_t pieces_find(const struct pieces *pieces, uint32_t type);
void pieces_free(struct pieces *pieces);

/* A Groth16 key over BN254: 5 variables, 1 public, domain 8, 3 coefficients; points count bytes. */
enum { KEY_VARS = 5, KEY_PUBLIC = 1, KEY_DOMAIN = 8, KEY_COEFFICIENTS = 3 };
struct pieces make_key(void);

/* A witness of KEY_VARS values 1, 2, 3, ... */
struct pieces make_witness(void);

struct buffer write_container(const struct pieces *pieces, const char magic[4], uint32_t version);

/* A reader did as it should with a file: its status, a sentence that has all of `words`, separated
 * by '|', in their order, and zeros where it failed. parsed: what it filled, `bytes` long. */
void expect_read(pail_status status, pail_status wanted, const char *error, const char *words,
                 const void *parsed, size_t bytes);

/* The files that make_key and make_witness are the pieces of, to be freed. */
struct buffer key_bytes(void);
struct buffer witness_bytes(void);

#endif /* PAIL_TESTS_FORMATS_BUILD_H */
