/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers out of bytes of any alignment, little-endian where a name does not say otherwise, and out
 * of hexadecimal digits of either case. */
#ifndef PAIL_FORMATS_BYTES_H
#define PAIL_FORMATS_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <pail/backend.h>

#include <curves/little_endian.h>

/* Four limbs, the least significant first. */
static inline void pail_read_u256(uint64_t limbs[4], const uint8_t *bytes)
{
    for (size_t i = 0; i < 4; i++)
        limbs[i] = pail_read_u64(bytes + 8 * i);
}

static inline bool pail_u256_less(const uint64_t a[4], const uint64_t b[4])
{
    for (size_t i = 4; i-- > 0;)
        if (a[i] != b[i])
            return a[i] < b[i];
    return false;
}

/* Copies to or from big-endian: to[i] = from[size - 1 - i]. They may not overlap. */
static inline void pail_copy_reversed(uint8_t *to, const uint8_t *from, size_t size)
{
    size_t i = 0;
    for (uint64_t word; size - i >= sizeof(word); i += sizeof(word)) {
        memcpy(&word, from + size - sizeof(word) - i, sizeof(word));
        word = __builtin_bswap64(word);
        memcpy(to + i, &word, sizeof(word));
    }
    for (; i < size; i++)
        to[i] = from[size - 1 - i];
}

static inline bool pail_all_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* ---- Hexadecimal digits ---------------------------------------------------------------------- */

/* The value of a digit; 16 for any other character. */
static inline uint8_t pail_hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return (uint8_t)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (uint8_t)(c - 'a' + 10);
    if (c >= 'A' && c <= 'F')
        return (uint8_t)(c - 'A' + 10);
    return 16;
}

/* Reads n bytes out of 2 n digits. Returns how many were good: n, or the index of the first pair of
 * characters that are not both digits. */
static inline size_t pail_hex_read(uint8_t *bytes, const char *digits, size_t n)
{
    size_t i = 0;
    for (; i < n; i++) {
        const uint8_t high = pail_hex_digit(digits[2 * i]);
        const uint8_t low = pail_hex_digit(digits[2 * i + 1]);
        if (high > 15 || low > 15)
            break;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return i;
}

/* Checks for the "0x" at the beginning of a file. */
bool pail_hex_is_text(const uint8_t *data, size_t size);

/* Decodes such a text, after which there may be line ends.
 *
 * Out: *bytes: [*n_bytes], to be wiped, where they are secret, and freed, also on failure.
 * Returns PAIL_OK, PAIL_ERR_DATA or PAIL_ERR_HOST_MEMORY (and *bytes is NULL), with a sentence that
 * begins with `name`. error: optional; holds error_cap bytes. */
pail_status pail_hex_decode(uint8_t **bytes, size_t *n_bytes, const char *name, const uint8_t *data,
                            size_t size, char *error, size_t error_cap);

#endif /* PAIL_FORMATS_BYTES_H */
