/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, lists and ranges as text, and back. */
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

/* ---- Lists and ranges ------------------------------------------------------------------------ */

enum { PAIL_LIST_MAX = 256 };

struct pail_list {
    uint64_t values[PAIL_LIST_MAX];
    size_t n;
};

/* The meaning of a range of plain numbers. */
enum pail_range { PAIL_RANGE_EACH /* 3..5: 3, 4, 5 */, PAIL_RANGE_LOG2 /* 3..5: 8, 16, 32 */ };

/* Parts separated by commas: a number; or a range a..b, up or down, with ..step or without: of
 * powers of two when written 2^3..2^5, or when plain and `range` says so. Numbers of a PAIL_RANGE_
 * LOG2 range are exponents, so at most 63. Returns false if it is something else, empty, or longer
 * than PAIL_LIST_MAX. */
bool pail_list_parse(struct pail_list *list, const char *text, enum pail_range range);

#endif /* PAIL_TOOL_OPTIONS_NUMBER_H */
