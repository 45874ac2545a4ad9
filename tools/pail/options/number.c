/* SPDX-License-Identifier: Apache-2.0 */
#include "number.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Numbers --------------------------------------------------------------------------------- */

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

/* ---- Lists and ranges ------------------------------------------------------------------------ */

static bool append(struct pail_list *list, uint64_t value)
{
    if (list->n == PAIL_LIST_MAX)
        return false;
    list->values[list->n++] = value;
    return true;
}

/* The number between two places, and whether it is written as a power of two; then *value is the
 * exponent. */
static bool parse_end(uint64_t *value, bool *power, const char *begin, size_t length)
{
    char text[32];
    if (length == 0 || length >= sizeof(text))
        return false;
    memcpy(text, begin, length);
    text[length] = '\0';
    uint64_t whole;
    *power = strncmp(text, "2^", 2) == 0;
    if (!pail_number_parse(&whole, text)) /* also says whether the exponent is in range */
        return false;
    return pail_number_parse(value, *power ? text + 2 : text);
}

static bool parse_range(struct pail_list *list, const char *text, const char *dots, size_t length,
                        enum pail_range range)
{
    const char *const second = dots + 2;
    const size_t left = length - (size_t)(second - text);
    const char *step_text = NULL;
    for (size_t i = 0; i + 1 < left && !step_text; i++)
        if (second[i] == '.' && second[i + 1] == '.')
            step_text = second + i;
    const size_t second_length = step_text ? (size_t)(step_text - second) : left;
    uint64_t first, last, step = 1;
    bool first_power, last_power, step_power = false;
    if (!parse_end(&first, &first_power, text, (size_t)(dots - text)) ||
        !parse_end(&last, &last_power, second, second_length) || first_power != last_power)
        return false;
    if (step_text && (!parse_end(&step, &step_power, step_text + 2, left - second_length - 2) ||
                      step == 0 || step_power))
        return false;
    const bool powers = first_power || range == PAIL_RANGE_LOG2;
    if (powers && (first > 63 || last > 63))
        return false;
    for (uint64_t at = first;;) {
        if (!append(list, powers ? UINT64_C(1) << at : at))
            return false;
        const uint64_t distance = at < last ? last - at : at - last;
        if (distance < step)
            return true;
        at = first < last ? at + step : at - step;
    }
}

bool pail_list_parse(struct pail_list *list, const char *text, enum pail_range range)
{
    list->n = 0;
    for (const char *part = text;;) {
        const size_t length = strcspn(part, ",");
        const char *dots = strstr(part, "..");
        if (dots && dots >= part + length)
            dots = NULL;
        uint64_t value;
        char number[32];
        if (dots) {
            if (!parse_range(list, part, dots, length, range))
                return false;
        } else {
            if (length >= sizeof(number))
                return false;
            memcpy(number, part, length);
            number[length] = '\0';
            if (!pail_number_parse(&value, number) || !append(list, value))
                return false;
        }
        if (part[length] == '\0')
            return true;
        part += length + 1;
    }
}
