/* SPDX-License-Identifier: Apache-2.0 */
/* Users who may change a file or folder, and whether all of them are trusted: owner, mode and
 * access control lists in one judgement. The caller says which users are trusted. */
#ifndef PAIL_PLATFORM_TRUST_H
#define PAIL_PLATFORM_TRUST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "platform/text.h"

#define PAIL_TRUSTED_MAX     64
#define PAIL_WRITERS_MAX     64
#define PAIL_WRITER_NAME_MAX 64

/* A policy. Zeroed it trusts nobody. */
struct pail_trusted {
    uid_t users[PAIL_TRUSTED_MAX];
    gid_t groups[PAIL_TRUSTED_MAX];
    size_t n_users, n_groups;
};

/* A full list trusts fewer, never more. */
void pail_trusted_add_user(struct pail_trusted *trusted, uid_t user);
void pail_trusted_add_group(struct pail_trusted *trusted, gid_t group);

enum pail_writer_kind {
    PAIL_WRITER_GROUP,     /* the file's group */
    PAIL_WRITER_EVERYBODY, /* by the mode, or an entry for everybody */
    PAIL_WRITER_ACL_USER,  /* id: a user whom an access control list names */
    PAIL_WRITER_ACL_GROUP, /* id: a group likewise */
    PAIL_WRITER_ACL_NAME,  /* one whom a list names in words, which have no number here */
};

struct pail_writer {
    enum pail_writer_kind kind;
    uint32_t id;
};

/* All who may write besides the owner, or who may read; root may in any case. */
struct pail_writers {
    bool read; /* lists users who may read, not those who may write */
    uid_t owner;
    gid_t group;
    mode_t mode; /* without the kind of file */
    bool is_folder;
    struct pail_writer list[PAIL_WRITERS_MAX + 2]; /* 2: by the mode */
    size_t n;
    char name[PAIL_WRITER_NAME_MAX]; /* the first writer named in words; cut, and printable */
};

/* Reads who may write: POSIX lists and those of NFS version 4, as this machine's kernel gives them.
 * A folder's default list says nothing of the folder itself and is not read: what is made in it is
 * judged when it is used. path: followed if it is a link. False: it cannot be told, and `reason`
 * gets a predicate without its subject ("has an access control list that ..."), cut to `capacity`.
 */
bool pail_writers_of_path(struct pail_writers *writers, const char *path, char *reason,
                          size_t capacity);
bool pail_writers_of_file(struct pail_writers *writers, int file, char *reason, size_t capacity);

/* Reads who may read, of a file that has a secret. Not on Windows. */
bool pail_readers_of_file(struct pail_writers *readers, int file, char *reason, size_t capacity);

/* True if the owner and everybody else who may write is trusted; root's own right to write is not
 * held against a list. sticky_helps: the file in question is below this folder and belongs to
 * somebody trusted, and in a sticky folder only an owner can rename or remove it. False: `reason`
 * gets a predicate ("belongs to user 5, who is not trusted"). */
bool pail_writers_are_trusted(const struct pail_writers *writers,
                              const struct pail_trusted *trusted, bool sticky_helps, char *reason,
                              size_t capacity);

/* The bytes of a list as the kernel gives them, appended to `writers`. False: they are damaged, or
 * name more than there is room for, and *why is a clause ("its version is not 2"). */
bool pail_acl_read_posix(struct pail_writers *writers, const uint8_t *bytes, size_t n,
                         const char **why);
bool pail_acl_read_nfs4(struct pail_writers *writers, const uint8_t *bytes, size_t n,
                        const char **why);

/* ---- Parts that trust.c of every system has in common ---------------------------------------- */

bool pail_trusted_has_user(const struct pail_trusted *trusted, uid_t user);

/* Writes why a file is not trusted, cut to `capacity`, and returns false. */
PAIL_LINE_PRINTF(3, 4)
bool pail_trusted_refuse(char *reason, size_t capacity, const char *format, ...);

/* On systems with owners and modes: appends who may write by the mode and by access control lists.
 * path NULL: of `file`. False, with the reason: it cannot be
 * told. */
bool pail_trusted_read_lists(struct pail_writers *writers, const char *path, int file, char *reason,
                             size_t capacity);

/* Trust in a file, by the users who could have put it where it is. A plugin runs with all the
 * rights of the process, and tokens say who may use it, so only users who hold these rights anyway
 * are trusted. */

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

#endif /* PAIL_PLATFORM_TRUST_H */
