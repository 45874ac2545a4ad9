/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/text.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SPEC_CHARS = 32, NUMBER_CHARS = 512, PRINT_CHARS = 8192 };

struct line {
    char *out;
    size_t capacity, used;
    size_t limit; /* limit of what one %s cites */
    bool cut;
};

/* One directive: %[flags][width][.precision][length]conversion */
struct directive {
    char flags[8];
    int width, precision; /* -1: none */
    char length[3];
    char conversion;
};

static void add(struct line *line, const char *text, size_t n)
{
    const size_t room = line->capacity - 1 - line->used;
    if (n > room) {
        line->cut = true;
        n = room;
        while (n > 0 && ((uint8_t)text[n] & 0xc0) == 0x80)
            n--;
    }
    memcpy(line->out + line->used, text, n);
    line->used += n;
}

static void add_text(struct line *line, const struct directive *directive, const char *text,
                     size_t n)
{
    char *const begin = line->out + line->used;
    size_t room = line->capacity - line->used;
    if (room > line->limit)
        room = line->limit;
    size_t length = pail_quote(begin, room, text, n);
    if (length >= room) {
        line->cut = true;
        length = strlen(begin);
    }
    line->used += length;
    size_t shown = 0;
    for (size_t i = 0; i < length; i++)
        shown += ((uint8_t)begin[i] & 0xc0) != 0x80;
    if (directive->width < 0 || (size_t)directive->width <= shown)
        return;
    const size_t blanks = (size_t)directive->width - shown, free = line->capacity - line->used;
    if (blanks >= free)
        return;
    const bool left = strchr(directive->flags, '-');
    if (!left)
        memmove(begin + blanks, begin, length);
    memset(left ? begin + length : begin, ' ', blanks);
    line->used += blanks;
}

/* Reads what follows a '%' and moves behind it. Widths that the arguments have are taken. */
static void read_directive(struct directive *directive, const char **at, va_list *arguments)
{
    *directive = (struct directive){.width = -1, .precision = -1};
    size_t n = 0;
    for (; **at != '\0' && strchr("-+ #0", **at); (*at)++)
        if (n + 1 < sizeof(directive->flags))
            directive->flags[n++] = **at;
    for (int *number = &directive->width;; number = &directive->precision) {
        if (**at == '*') {
            *number = va_arg(*arguments, int);
            (*at)++;
        }
        for (; **at >= '0' && **at <= '9'; (*at)++)
            *number = (*number > 0 ? *number : 0) * 10 + (**at - '0');
        if (number == &directive->precision || **at != '.')
            break;
        (*at)++;
        directive->precision = 0;
    }
    if (directive->width < -1 && n + 1 < sizeof(directive->flags)) {
        directive->flags[n] = '-';
        directive->width = -directive->width;
    }
    n = 0;
    for (; **at != '\0' && strchr("hljztL", **at); (*at)++)
        if (n + 1 < sizeof(directive->length))
            directive->length[n++] = **at;
    directive->conversion = **at;
    if (**at != '\0')
        (*at)++;
}

/* A number, by the C library. */
static void add_number(struct line *line, const struct directive *directive, va_list *arguments)
{
    char spec[SPEC_CHARS], text[NUMBER_CHARS];
    const char *const size = directive->length;
    const int width = directive->width < 0 ? 0 : directive->width;
    int n = 0;
    if (directive->precision >= 0)
        (void)snprintf(spec, sizeof(spec), "%%%s*.*%s%c", directive->flags, size,
                       directive->conversion);
    else
        (void)snprintf(spec, sizeof(spec), "%%%s*%s%c", directive->flags, size,
                       directive->conversion);
/* The format comes from one that the compiler has checked. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#define PUT(type)                                                                                  \
    (directive->precision >= 0                                                                     \
         ? snprintf(text, sizeof(text), spec, width, directive->precision,                         \
                    va_arg(*arguments, type))                                                      \
         : snprintf(text, sizeof(text), spec, width, va_arg(*arguments, type)))
    if (directive->conversion == 'p')
        n = PUT(void *);
    else if (strchr("aAeEfFgG", directive->conversion))
        n = size[0] == 'L' ? PUT(long double) : PUT(double);
    else if (strcmp(size, "ll") == 0)
        n = PUT(long long);
    else if (size[0] == 'l')
        n = PUT(long);
    else if (size[0] == 'j')
        n = PUT(intmax_t);
    else if (size[0] == 'z')
        n = PUT(size_t);
    else if (size[0] == 't')
        n = PUT(ptrdiff_t);
    else
        n = PUT(int);
#undef PUT
#pragma GCC diagnostic pop
    if (n > 0)
        add(line, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

static void add_directive(struct line *line, const char **at, va_list *arguments)
{
    struct directive directive;
    read_directive(&directive, at, arguments);
    if (directive.conversion == '%') {
        add(line, "%", 1);
    } else if (directive.conversion == 's') {
        const char *text = va_arg(*arguments, const char *);
        text = text ? text : "(null)";
        const size_t most = directive.precision >= 0 ? (size_t)directive.precision : SIZE_MAX;
        add_text(line, &directive, text, most == SIZE_MAX ? strlen(text) : strnlen(text, most));
    } else if (directive.conversion == 'c') {
        const char text = (char)va_arg(*arguments, int);
        add_text(line, &directive, &text, 1);
    } else if (directive.conversion != '\0' && strchr("diouxXpaAeEfFgG", directive.conversion)) {
        add_number(line, &directive, arguments);
    } else {
        /* The sizes of the arguments behind an unknown directive are not known. */
        line->cut = true;
        *at += strlen(*at);
    }
}

PAIL_LINE_PRINTF(2, 0)
static void compose(struct line *line, const char *format, va_list arguments)
{
    va_list rest;
    va_copy(rest, arguments);
    for (const char *at = format; *at != '\0';) {
        const size_t plain = strcspn(at, "%");
        add(line, at, plain);
        at += plain;
        if (*at == '\0')
            break;
        at++;
        add_directive(line, &at, &rest);
    }
    va_end(rest);
    line->out[line->used] = '\0';
}

/* A message that was cut ends in an ellipsis, between two characters. */
static void mark_end(struct line *line)
{
    if (line->used + 4 < line->capacity || line->capacity < 4)
        return;
    size_t end = line->capacity - 4;
    while (end > 0 && ((uint8_t)line->out[end] & 0xc0) == 0x80)
        end--;
    memcpy(line->out + end, "...", 4);
    line->used = end + 3;
}

size_t pail_line_list(char *out, size_t capacity, const char *format, va_list arguments)
{
    if (capacity == 0)
        return 0;
    struct line line = {.cut = true};
    for (size_t part = 1; part <= 4 && line.cut; part *= 2) {
        line = (struct line){.out = out, .capacity = capacity, .limit = capacity / part};
        compose(&line, format, arguments);
    }
    if (line.cut)
        mark_end(&line);
    return line.used;
}

size_t pail_line(char *out, size_t capacity, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const size_t n = pail_line_list(out, capacity, format, arguments);
    va_end(arguments);
    return n;
}

int pail_print_list(FILE *out, const char *format, va_list arguments)
{
    char text[PRINT_CHARS];
    (void)pail_line_list(text, sizeof(text), format, arguments);
    return fputs(text, out);
}

int pail_print(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int result = pail_print_list(out, format, arguments);
    va_end(arguments);
    return result;
}

static const char ellipsis[] = "...";

enum { PIECE_CHARS = 16, ELLIPSIS_CHARS = sizeof(ellipsis) - 1 };

/* Characters of Unicode that are valid and must not reach a terminal: they change the direction or
 * the line, or do not show. */
static const struct {
    uint32_t first, last;
} hidden[] = {
    {0x80, 0x9f},       /* C1 */
    {0xad, 0xad},       /* a hyphen that shows at the end of a line alone */
    {0x61c, 0x61c},     /* mark of direction */
    {0x115f, 0x1160},   /* fillers */
    {0x17b4, 0x17b5},   /* vowels that do not show */
    {0x180b, 0x180f},   /* selectors and separator */
    {0x200b, 0x200f},   /* no width; marks of direction */
    {0x2028, 0x202e},   /* separators of lines and paragraphs; overrides of direction */
    {0x2060, 0x206f},   /* no width; isolates of direction */
    {0x3164, 0x3164},   /* filler */
    {0xd800, 0xdfff},   /* surrogates, which UTF-8 does not have */
    {0xe000, 0xf8ff},   /* private: nobody knows what they show */
    {0xfdd0, 0xfdef},   /* no characters */
    {0xfe00, 0xfe0f},   /* selectors */
    {0xfeff, 0xfeff},   /* byte order mark */
    {0xffa0, 0xffa0},   /* filler */
    {0xfff0, 0xfffb},   /* annotations */
    {0xfffe, 0xffff},   /* no characters */
    {0x1d173, 0x1d17a}, /* beams and slurs */
    {0xe0000, 0xe0fff}, /* tags and selectors */
    {0xf0000, 0x10ffff},
};

static bool is_hidden(uint32_t code)
{
    for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
        if (code >= hidden[i].first && code <= hidden[i].last)
            return true;
    return (code & 0xfffe) == 0xfffe;
}

/* Bytes of the character that begins there, and which it is; 0 when it is no UTF-8. */
static size_t decode(uint32_t *code, const uint8_t *text, size_t n)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const uint8_t lead = text[0];
    const size_t bytes = lead < 0x80             ? 1
                         : (lead & 0xe0) == 0xc0 ? 2
                         : (lead & 0xf0) == 0xe0 ? 3
                         : (lead & 0xf8) == 0xf0 ? 4
                                                 : 0;
    if (bytes == 0 || bytes > n)
        return 0;
    uint32_t found = bytes == 1 ? lead : lead & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        found = found << 6 | (text[i] & 0x3f);
    }
    /* Longer than it need be, a surrogate, or beyond the last: decoders differ in what they do. */
    if (found < smallest[bytes] || (found >= 0xd800 && found <= 0xdfff) || found > 0x10ffff)
        return 0;
    *code = found;
    return bytes;
}

/* Writes the printable form of the character that begins at text; *bytes is its length in text. */
static size_t show(char piece[PIECE_CHARS], size_t *bytes, const char *text, size_t n)
{
    uint32_t code = 0;
    *bytes = decode(&code, (const uint8_t *)text, n);
    if (*bytes == 0 || code < 0x20 || code == 0x7f) {
        *bytes = 1;
        return (size_t)snprintf(piece, PIECE_CHARS, "\\x%02x", (unsigned)(uint8_t)*text);
    }
    if (is_hidden(code))
        return (size_t)snprintf(piece, PIECE_CHARS, "\\u{%x}", (unsigned)code);
    memcpy(piece, text, *bytes);
    return *bytes;
}

size_t pail_quote(char *out, size_t capacity, const char *text, size_t n)
{
    /* safe: the end of the last character behind which an ellipsis has room. */
    size_t whole = 0, used = 0, safe = 0, bytes;
    for (size_t at = 0; at < n; at += bytes) {
        char piece[PIECE_CHARS];
        const size_t length = show(piece, &bytes, text + at, n - at);
        if (used == whole && capacity > used && length < capacity - used) {
            memcpy(out + used, piece, length);
            used += length;
            if (capacity - used > ELLIPSIS_CHARS)
                safe = used;
        }
        whole += length;
    }
    if (used < whole && capacity > 0) {
        const size_t room = capacity - 1 - safe;
        const size_t dots = room < ELLIPSIS_CHARS ? room : ELLIPSIS_CHARS;
        memcpy(out + safe, ellipsis, dots);
        used = safe + dots;
    }
    if (capacity > 0)
        out[used] = '\0';
    return whole;
}

const char *pail_words_next(const char **list, size_t *length)
{
    const char *const word = *list;
    *length = 0;
    if (!word || *word == '\0')
        return NULL;
    *length = strcspn(word, ",");
    *list = word + *length + (word[*length] == ',');
    return word;
}

bool pail_words_equal(const char *bytes, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(bytes, word, length) == 0;
}

bool pail_words_have(const char *list, const char *word)
{
    size_t length;
    for (const char *at; (at = pail_words_next(&list, &length)) != NULL;)
        if (pail_words_equal(at, length, word))
            return true;
    return false;
}
