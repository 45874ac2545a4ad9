#include "platform/trusted.h"

#include <stdarg.h>

bool pail_trusted_has_user(const struct pail_trusted *trusted, uid_t user)
{
    for (size_t i = 0; i < trusted->n_users; i++)
        if (trusted->users[i] == user)
            return true;
    return false;
}

bool pail_trusted_refuse(char *reason, size_t capacity, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)pail_line_list(reason, capacity, format, arguments);
    va_end(arguments);
    return false;
}
