/* SPDX-License-Identifier: Apache-2.0 */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

struct pail_message pail_message_begin(char *text, size_t cap)
{
    if (cap)
        text[0] = '\0';
    return (struct pail_message){.text = text, .cap = cap};
}

void pail_message_add(struct pail_message *message, const char *format, ...)
{
    if (message->length && message->length + 1 < message->cap) {
        message->text[message->length++] = '\n';
        message->text[message->length] = '\0';
    }
    if (message->length + 1 >= message->cap)
        return;
    const size_t room = message->cap - message->length;
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(message->text + message->length, room, format, args);
    va_end(args);
    if (n > 0)
        message->length += (size_t)n < room ? (size_t)n : room - 1;
}
