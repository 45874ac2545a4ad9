/* SPDX-License-Identifier: Apache-2.0 */
#include "decimal.h"

#include <stdbool.h>
#include <string.h>

#include <curves/little_endian.h>
#include <curves/words.h>

enum { LIMBS_MAX = PAIL_DECIMAL_BYTES_MAX / 8, GROUP_DIGITS = 18 };

static const uint64_t group_size = UINT64_C(1000000000000000000); /* 10^GROUP_DIGITS */

/* Divides by 10^18 and returns the remainder. */
static uint64_t divide(uint64_t *limbs, size_t n)
{
    pail_uint128 rest = 0;
    for (size_t i = n; i-- > 0;) {
        rest = rest << 64 | limbs[i];
        limbs[i] = (uint64_t)(rest / group_size);
        rest %= group_size;
    }
    return (uint64_t)rest;
}

size_t pail_decimal_write(char *digits, const uint8_t *bytes, size_t n)
{
    uint64_t limbs[LIMBS_MAX];
    char reversed[PAIL_DECIMAL_DIGITS_MAX + GROUP_DIGITS];
    size_t count = 0, length = 1; /* length: digits up to the first that is not 0, or one 0 */
    const size_t n_limbs = n / 8;
    for (size_t i = 0; i < n_limbs; i++)
        limbs[i] = pail_read_u64(bytes + 8 * i);
    while (count < PAIL_DECIMAL_DIGITS_MAX) {
        uint64_t group = divide(limbs, n_limbs);
        for (size_t k = 0; k < GROUP_DIGITS; k++, group /= 10) {
            reversed[count++] = (char)('0' + group % 10);
            if (reversed[count - 1] != '0')
                length = count;
        }
    }
    for (size_t i = 0; i < length; i++)
        digits[i] = reversed[length - 1 - i];
    return length;
}

/* limbs = limbs * factor + addend; false: more than n limbs. */
static bool multiply(uint64_t *limbs, size_t n, uint64_t factor, uint64_t addend)
{
    pail_uint128 carry = addend;
    for (size_t i = 0; i < n; i++) {
        carry += (pail_uint128)limbs[i] * factor;
        limbs[i] = (uint64_t)carry;
        carry >>= 64;
    }
    return carry == 0;
}

enum pail_decimal pail_decimal_read(uint8_t *bytes, size_t n, const char *digits, size_t length)
{
    uint64_t limbs[LIMBS_MAX] = {0};
    bool fits = true;
    memset(bytes, 0, n);
    if (length == 0)
        return PAIL_DECIMAL_NO_NUMBER;
    for (size_t i = 0; i < length; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return PAIL_DECIMAL_NO_NUMBER;
        fits = fits && multiply(limbs, n / 8, 10, (uint64_t)(digits[i] - '0'));
    }
    if (!fits)
        return PAIL_DECIMAL_TOO_LARGE;
    for (size_t i = 0; i < n / 8; i++)
        pail_store_u64(bytes + 8 * i, limbs[i]);
    return PAIL_DECIMAL_OK;
}
