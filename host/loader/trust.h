/* Who could have put a file where it is? A plugin runs with all the rights of the process, so only
 * those may have who hold these rights anyway. */
#ifndef PAIL_LOADER_TRUST_H
#define PAIL_LOADER_TRUST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PAIL_TRUST_MAX 64

struct pail_trust {
    uid_t users[PAIL_TRUST_MAX];
    gid_t groups[PAIL_TRUST_MAX];
    size_t n_users, n_groups;
};

/* Root, the effective user and group, and whoever owns `library` or a folder above it: they could
 * as well replace the library itself. library: a resolved path, or NULL. */
void pail_trust_init(struct pail_trust *trust, const char *library);

/* Whether nobody else could have changed the file or folder, or put another one in its place.
 * path: resolved (no links, no dots). When it is not so, `reason` gets the sentence. */
bool pail_trust_check(const struct pail_trust *trust, const char *path, char *reason,
                      size_t capacity);

#endif
