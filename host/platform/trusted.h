/* What trust.c of every system has in common. */
#ifndef PAIL_PLATFORM_TRUSTED_H
#define PAIL_PLATFORM_TRUSTED_H

#include "platform/line.h"
#include "platform/trust.h"

bool pail_trusted_has_user(const struct pail_trusted *trusted, uid_t user);

/* Writes why a file is not trusted, cut to `capacity`, and returns false. */
PAIL_LINE_PRINTF(3, 4)
bool pail_trusted_refuse(char *reason, size_t capacity, const char *format, ...);

#endif /* PAIL_PLATFORM_TRUSTED_H */
