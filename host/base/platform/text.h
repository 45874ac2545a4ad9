/* SPDX-License-Identifier: Apache-2.0 */
/* Text for one line of a terminal or a log: formats, quotes, and lists of words. */
#ifndef PAIL_PLATFORM_TEXT_H
#define PAIL_PLATFORM_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- Messages, which are one line whatever they cite ----------------------------------------- */

#if defined(__GNUC__)
/* Formats are those of C. Where the system's own are others, the build names which. */
#ifndef PAIL_PRINTF_KIND
#define PAIL_PRINTF_KIND printf
#endif
#define PAIL_LINE_PRINTF(text, first) __attribute__((format(PAIL_PRINTF_KIND, text, first)))
#else
#define PAIL_LINE_PRINTF(text, first)
#endif

/* As vsnprintf, but what %s and %c cite is quoted (pail_quote), and a message that does not
 * fit is not merely cut: first each %s gets half of the capacity, then a quarter, so that a name of
 * any length leaves room for what is said of it. What is cut ends in "...". The format is the
 * program's own and is not quoted. %n, %ls, %lc and positions (%1$s) are not known.
 *
 * Returns the number of characters written, the zero byte not included. */
PAIL_LINE_PRINTF(3, 0)
size_t pail_line_list(char *out, size_t capacity, const char *format, va_list arguments);
PAIL_LINE_PRINTF(3, 4)
size_t pail_line(char *out, size_t capacity, const char *format, ...);

/* The same to a stream, for messages and tables of at most 8 KiB. Returns a negative number when it
 * cannot be written. */
PAIL_LINE_PRINTF(2, 3) int pail_print(FILE *out, const char *format, ...);
PAIL_LINE_PRINTF(2, 0) int pail_print_list(FILE *out, const char *format, va_list arguments);

/* ---- Text that came from elsewhere, fit for one line of a terminal or a log ------------------ */

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

/* ---- Words of a list that has commas between them, as PAIL_DEBUG is one ---------------------- */

/* Takes the first word off a list: NULL at its end, otherwise the word, with its length, which may
 * be 0. *list: NULL is an empty list. */
const char *pail_words_next(const char **list, size_t *length);

/* True if these `length` bytes are that word. */
bool pail_words_equal(const char *bytes, size_t length, const char *word);

/* True if a list has that word. */
bool pail_words_have(const char *list, const char *word);

#endif /* PAIL_PLATFORM_TEXT_H */
