/* SPDX-License-Identifier: Apache-2.0 */
#include "source_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Room for n more bytes and the zero. */
static bool reserve(struct pail_ad_text *text, size_t n)
{
    if (text->length + n < text->capacity)
        return true;
    const size_t capacity = 2 * (text->length + n) + 1024;
    char *at = pail_calloc(text->alloc, 1, capacity);
    if (!at)
        return false;
    if (text->length)
        memcpy(at, text->at, text->length);
    pail_free(text->alloc, text->at);
    text->at = at;
    text->capacity = capacity;
    return true;
}

void pail_ad_text_add(struct pail_ad_text *text, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (text->failed || n < 0 || !reserve(text, (size_t)n)) {
        text->failed = true;
        return;
    }
    va_start(args, fmt);
    (void)vsnprintf(text->at + text->length, (size_t)n + 1, fmt, args);
    va_end(args);
    text->length += (size_t)n;
}

void pail_ad_text_free(struct pail_ad_text *text)
{
    pail_free(text->alloc, text->at);
    *text = (struct pail_ad_text){.alloc = text->alloc};
}
