/* Lists and ranges of numbers on the command line. */
#ifndef PAIL_TOOL_OPTIONS_LISTS_H
#define PAIL_TOOL_OPTIONS_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif /* PAIL_TOOL_OPTIONS_LISTS_H */
