/* Numbers as text, and back. */
#ifndef PAIL_TOOL_OPTIONS_NUMBER_H
#define PAIL_TOOL_OPTIONS_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PAIL_NUMBER_BYTES = 48, /* of the widest field element: BLS12-381's base field */
    PAIL_HEX_CHARS = 2 + 2 * PAIL_NUMBER_BYTES + 1,
    PAIL_DECIMAL_CHARS = 9 * 13 + 1, /* 2^384 has 116 digits */
};

/* "0x" and two digits for each of the little-endian bytes, zeros in front included. size <=
 * PAIL_NUMBER_BYTES. */
void pail_number_hex(char text[PAIL_HEX_CHARS], const uint8_t *bytes, size_t size);

/* Without zeros in front. size <= PAIL_NUMBER_BYTES, a multiple of 4. */
void pail_number_decimal(char text[PAIL_DECIMAL_CHARS], const uint8_t *bytes, size_t size);

/* Reads 123, 0x7b or 2^20; false for anything else and for what 64 bits cannot hold. */
bool pail_number_parse(uint64_t *value, const char *text);

#endif /* PAIL_TOOL_OPTIONS_NUMBER_H */
