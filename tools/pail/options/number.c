#include "number.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pail_number_hex(char text[PAIL_HEX_CHARS], const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    char *out = text;
    *out++ = '0';
    *out++ = 'x';
    for (size_t i = size; i-- > 0;) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    *out = '\0';
}

void pail_number_decimal(char text[PAIL_DECIMAL_CHARS], const uint8_t *bytes, size_t size)
{
    const uint32_t base = 1000000000; /* nine digits of output for each division */
    uint32_t words[PAIL_NUMBER_BYTES / 4] = {0};
    size_t n_words = size / 4;
    for (size_t i = 0; i < 4 * n_words; i++)
        words[i / 4] |= (uint32_t)bytes[i] << (8 * (i % 4));

    uint32_t groups[PAIL_DECIMAL_CHARS / 9];
    size_t n_groups = 0;
    do {
        uint64_t rest = 0;
        for (size_t i = n_words; i-- > 0;) {
            rest = rest << 32 | words[i];
            words[i] = (uint32_t)(rest / base);
            rest %= base;
        }
        groups[n_groups++] = (uint32_t)rest;
        while (n_words > 0 && words[n_words - 1] == 0)
            n_words--;
    } while (n_words > 0);

    int length = snprintf(text, PAIL_DECIMAL_CHARS, "%" PRIu32, groups[--n_groups]);
    while (n_groups > 0)
        length += snprintf(text + length, PAIL_DECIMAL_CHARS - (size_t)length, "%09" PRIu32,
                           groups[--n_groups]);
}

/* The digits from `text` on up to *end, which is where they stop. */
static bool parse_digits(uint64_t *value, const char *text, int base, char **end)
{
    const bool digit =
        base == 16 ? isxdigit((unsigned char)*text) != 0 : isdigit((unsigned char)*text) != 0;
    if (!digit) /* strtoull would take spaces and signs */
        return false;
    errno = 0;
    const unsigned long long parsed = strtoull(text, end, base);
    *value = parsed;
    return errno == 0 && parsed <= UINT64_MAX;
}

bool pail_number_parse(uint64_t *value, const char *text)
{
    char *end = NULL;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        return parse_digits(value, text + 2, 16, &end) && *end == '\0';
    if (!parse_digits(value, text, 10, &end))
        return false;
    if (*end == '\0')
        return true;
    uint64_t exponent;
    if (*value != 2 || *end != '^' || !parse_digits(&exponent, end + 1, 10, &end) || *end != '\0' ||
        exponent > 63)
        return false;
    *value = UINT64_C(1) << exponent;
    return true;
}
