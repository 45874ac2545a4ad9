/* Hexadecimal digits, of either case. */
#ifndef PAIL_FORMATS_HEX_H
#define PAIL_FORMATS_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pail/backend.h>

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

#endif /* PAIL_FORMATS_HEX_H */
