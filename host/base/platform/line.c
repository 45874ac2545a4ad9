#include "line.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "quote.h"

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
    const bool left = strchr(directive->flags, '-') != NULL;
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
    for (; **at != '\0' && strchr("-+ #0", **at) != NULL; (*at)++)
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
    for (; **at != '\0' && strchr("hljztL", **at) != NULL; (*at)++)
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
    else if (strchr("aAeEfFgG", directive->conversion) != NULL)
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
    } else if (directive.conversion != '\0' &&
               strchr("diouxXpaAeEfFgG", directive.conversion) != NULL) {
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
