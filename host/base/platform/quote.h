/* Text that came from elsewhere, fit for one line of a terminal or a log. */
#ifndef PAIL_PLATFORM_QUOTE_H
#define PAIL_PLATFORM_QUOTE_H

#include <stddef.h>

/* Writes text[0..n) so that it can neither end a line nor command a terminal. Printable UTF-8 stays
 * as it is. Bytes that are none, control characters and DEL become \xNN; what is valid and does not
 * show (C1, marks and overrides of direction, separators of lines, characters of no width) becomes
 * \u{...}. Quoting twice is quoting once.
 *
 * Out: out: [capacity], ends in a zero byte when capacity is not 0. Text that does not fit is cut
 * between characters and ends in "...".
 * Returns, as snprintf does, how many characters the whole takes: capacity or more when it was cut.
 */
size_t pail_quote(char *out, size_t capacity, const char *text, size_t n);

#endif /* PAIL_PLATFORM_QUOTE_H */
