/* Trust in a file, by the users who could have put it where it is. A plugin runs with all the
 * rights of the process, and tokens say who may use it, so only users who hold these rights anyway
 * are trusted. */
#ifndef PAIL_PLATFORM_TRUSTED_PLACE_H
#define PAIL_PLATFORM_TRUSTED_PLACE_H

#include "platform/trust.h"

/* Root, the effective user and group, and whoever owns `library` or a folder above it: they could
 * as well replace the library itself. An access control list makes nobody trusted.
 * library: a resolved path, or NULL. */
void pail_trust_init(struct pail_trusted *trusted, const char *library);

/* Cuts the last component off a resolved path; false at the root. */
bool pail_trust_go_up(char *path);

/* True if nobody else could have changed the file or folder, or put another one in its place.
 * path: resolved (no links, no dots). When it is not so, `reason` gets the sentence. */
bool pail_trust_check(const struct pail_trusted *trusted, const char *path, char *reason,
                      size_t capacity);

#endif
