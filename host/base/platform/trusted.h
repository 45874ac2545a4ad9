/* Parts that trust.c of every system has in common. */
#ifndef PAIL_PLATFORM_TRUSTED_H
#define PAIL_PLATFORM_TRUSTED_H

#include "platform/line.h"
#include "platform/trust.h"

bool pail_trusted_has_user(const struct pail_trusted *trusted, uid_t user);

/* Writes why a file is not trusted, cut to `capacity`, and returns false. */
PAIL_LINE_PRINTF(3, 4)
bool pail_trusted_refuse(char *reason, size_t capacity, const char *format, ...);

/* On systems with owners and modes: appends who may write by the mode and by access control lists.
 * path NULL: of `file`. False, with the reason: it cannot be
 * told. */
bool pail_trusted_read_lists(struct pail_writers *writers, const char *path, int file, char *reason,
                             size_t capacity);

#endif /* PAIL_PLATFORM_TRUSTED_H */
