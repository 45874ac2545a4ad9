#include "quote.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

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
