/* Messages, which are one line whatever they cite. */
#ifndef PAIL_PLATFORM_LINE_H
#define PAIL_PLATFORM_LINE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#if defined(__GNUC__)
/* Formats are those of C. Where the system's own are others, the build names which. */
#ifndef PAIL_PRINTF_KIND
#define PAIL_PRINTF_KIND printf
#endif
#define PAIL_LINE_PRINTF(text, first) __attribute__((format(PAIL_PRINTF_KIND, text, first)))
#else
#define PAIL_LINE_PRINTF(text, first)
#endif

/* As vsnprintf, but what %s and %c cite is quoted (<platform/quote.h>), and a message that does not
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

#endif /* PAIL_PLATFORM_LINE_H */
