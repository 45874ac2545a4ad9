/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of up to 384 bits as decimal digits, as JSON files of provers have them. */
#ifndef PAIL_FORMATS_DECIMAL_H
#define PAIL_FORMATS_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

#define PAIL_DECIMAL_BYTES_MAX  48
#define PAIL_DECIMAL_DIGITS_MAX 116 /* 2^384 has so many */

enum pail_decimal {
    PAIL_DECIMAL_OK,
    PAIL_DECIMAL_NO_NUMBER, /* empty, or something that is no digit */
    PAIL_DECIMAL_TOO_LARGE  /* for the bytes */
};

/* Writes a little-endian integer, without leading zeros; no zero byte follows.
 *
 * Out: digits: room for PAIL_DECIMAL_DIGITS_MAX.
 * In:  bytes: [n], n <= PAIL_DECIMAL_BYTES_MAX and a multiple of 8.
 * Returns the number of digits. */
size_t pail_decimal_write(char *digits, const uint8_t *bytes, size_t n);

/* Reads digits; leading zeros are allowed.
 *
 * Out: bytes: [n], little-endian, n as above; zeroed on failure. */
enum pail_decimal pail_decimal_read(uint8_t *bytes, size_t n, const char *digits, size_t length);

#endif /* PAIL_FORMATS_DECIMAL_H */
