/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/trust.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

/* Access control lists as the kernel hands them out, reduced to who may write, or read. */

static uint32_t little(const uint8_t *bytes, unsigned n)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < n; i++)
        value |= (uint32_t)bytes[i] << 8 * i;
    return value;
}

static uint32_t big32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static bool add(struct pail_writers *writers, enum pail_writer_kind kind, uint32_t id,
                const char **why)
{
    if (writers->n == PAIL_WRITERS_MAX) {
        *why = writers->read ? "it lets more than 64 users and groups read"
                             : "it lets more than 64 users and groups write";
        return false;
    }
    writers->list[writers->n++] = (struct pail_writer){.kind = kind, .id = id};
    return true;
}

/* ---- POSIX: linux/posix_acl_xattr.h ---- */

enum {
    POSIX_VERSION = 2,
    POSIX_HEADER = 4,
    POSIX_ENTRY = 8,
    POSIX_WRITE = 2,
    POSIX_READ = 4,
    POSIX_USER_OWNER = 0x01,
    POSIX_USER = 0x02,
    POSIX_GROUP_OWNER = 0x04,
    POSIX_GROUP = 0x08,
    POSIX_MASK = 0x10,
    POSIX_OTHER = 0x20,
};

bool pail_acl_read_posix(struct pail_writers *writers, const uint8_t *bytes, size_t n,
                         const char **why)
{
    if (n < POSIX_HEADER || (n - POSIX_HEADER) % POSIX_ENTRY != 0) {
        *why = "it is not a whole number of entries";
        return false;
    }
    if (little(bytes, 4) != POSIX_VERSION) {
        *why = "its version is not 2";
        return false;
    }
    /* The mask bounds all entries but the owner's and the others', also those before it. */
    const uint32_t right = writers->read ? POSIX_READ : POSIX_WRITE;
    uint32_t seen = 0, mask = right;
    for (size_t at = POSIX_HEADER; at < n; at += POSIX_ENTRY) {
        const uint32_t tag = little(bytes + at, 2);
        const bool once = tag != POSIX_USER && tag != POSIX_GROUP;
        if ((once && (seen & tag)) || tag == 0 || tag > POSIX_OTHER || (tag & (tag - 1))) {
            *why = "it has an entry of an unknown kind, or two of a kind that comes once";
            return false;
        }
        seen |= tag;
        if (tag == POSIX_MASK)
            mask = little(bytes + at + 2, 2);
    }
    const uint32_t always = POSIX_USER_OWNER | POSIX_GROUP_OWNER | POSIX_OTHER;
    if ((seen & always) != always ||
        ((seen & (POSIX_USER | POSIX_GROUP)) && !(seen & POSIX_MASK))) {
        *why = "it lacks an entry that every list has";
        return false;
    }
    for (size_t at = POSIX_HEADER; at < n; at += POSIX_ENTRY) {
        const uint32_t tag = little(bytes + at, 2), rights = little(bytes + at + 2, 2);
        const uint32_t id = little(bytes + at + 4, 4);
        if (!(rights & right) || (tag != POSIX_OTHER && !(mask & right)))
            continue;
        bool room = true;
        if (tag == POSIX_USER)
            room = add(writers, PAIL_WRITER_ACL_USER, id, why);
        else if (tag == POSIX_GROUP)
            room = add(writers, PAIL_WRITER_ACL_GROUP, id, why);
        else if (tag == POSIX_GROUP_OWNER)
            room = add(writers, PAIL_WRITER_GROUP, 0, why);
        else if (tag == POSIX_OTHER)
            room = add(writers, PAIL_WRITER_EVERYBODY, 0, why);
        if (!room)
            return false;
    }
    return true;
}

/* ---- NFS version 4: RFC 7530, section 6.2.1, in XDR ---- */

enum {
    NFS4_FIXED = 16, /* type, flags, rights, length of the name */
    NFS4_ALLOW = 0,
    NFS4_ALARM = 3,
    NFS4_INHERIT_ONLY = 0x8,
    NFS4_READ = 0x1,
    /* Rights to change the contents, the name, or the rights themselves. */
    NFS4_WRITE = 0x2,
    NFS4_APPEND = 0x4,
    NFS4_DELETE_CHILD = 0x40,
    NFS4_DELETE = 0x10000,
    NFS4_WRITE_ACL = 0x40000,
    NFS4_WRITE_OWNER = 0x80000,
    NFS4_CHANGES = NFS4_WRITE | NFS4_APPEND | NFS4_DELETE_CHILD | NFS4_DELETE | NFS4_WRITE_ACL |
                   NFS4_WRITE_OWNER,
};

static bool is(const uint8_t *who, size_t n, const char *name)
{
    return n == strlen(name) && memcmp(who, name, n) == 0;
}

static bool add_name(struct pail_writers *writers, const uint8_t *who, size_t n, const char **why)
{
    for (size_t i = 0; i < n && i + 1 < sizeof(writers->name) && !writers->name[i]; i++)
        writers->name[i] = who[i] > ' ' && who[i] < 0x7f ? (char)who[i] : '?';
    return add(writers, PAIL_WRITER_ACL_NAME, 0, why);
}

/* Denying entries are not subtracted: entries work in their order, and a user who is denied here
 * may be in a group that is not. */
bool pail_acl_read_nfs4(struct pail_writers *writers, const uint8_t *bytes, size_t n,
                        const char **why)
{
    static const char *const cut = "it ends within an entry";
    if (n < 4) {
        *why = cut;
        return false;
    }
    const uint32_t entries = big32(bytes), right = writers->read ? NFS4_READ : NFS4_CHANGES;
    size_t at = 4;
    for (uint32_t i = 0; i < entries; i++) {
        if (n - at < NFS4_FIXED) {
            *why = cut;
            return false;
        }
        const uint32_t type = big32(bytes + at), flags = big32(bytes + at + 4);
        const uint32_t rights = big32(bytes + at + 8), length = big32(bytes + at + 12);
        at += NFS4_FIXED;
        const size_t padded = ((size_t)length + 3) & ~(size_t)3;
        if (padded > n - at) {
            *why = cut;
            return false;
        }
        const uint8_t *who = bytes + at;
        at += padded;
        if (type > NFS4_ALARM) {
            *why = "it has an entry of an unknown kind";
            return false;
        }
        if (type != NFS4_ALLOW || (flags & NFS4_INHERIT_ONLY) || !(rights & right))
            continue;
        bool room = true;
        if (is(who, length, "GROUP@"))
            room = add(writers, PAIL_WRITER_GROUP, 0, why);
        else if (is(who, length, "EVERYONE@"))
            room = add(writers, PAIL_WRITER_EVERYBODY, 0, why);
        else if (!is(who, length, "OWNER@"))
            room = add_name(writers, who, length, why);
        if (!room)
            return false;
    }
    if (at != n) {
        *why = "it goes on after its last entry";
        return false;
    }
    return true;
}

/* Attributes with access control lists, and their readers; NULL: none here. A list that only a
 * server obeys, as that of CIFS, is not among them: this machine's kernel ignores it. */
static const struct {
    const char *attribute;
    bool (*read)(struct pail_writers *writers, const uint8_t *bytes, size_t n, const char **why);
} lists[] = {
    {"system.posix_acl_access", pail_acl_read_posix},
    {"system.nfs4_acl", pail_acl_read_nfs4},
    {"system.richacl", NULL},
};

bool pail_trusted_read_lists(struct pail_writers *writers, const char *path, int file, char *reason,
                             size_t capacity)
{
    if (writers->mode & (writers->read ? S_IROTH : S_IWOTH))
        writers->list[writers->n++].kind = PAIL_WRITER_EVERYBODY;
    bool by_posix = false;
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        uint8_t bytes[4096];
        const char *const attribute = lists[i].attribute;
        const ssize_t n = path ? getxattr(path, attribute, bytes, sizeof(bytes))
                               : fgetxattr(file, attribute, bytes, sizeof(bytes));
        if (n < 0 && (errno == ENODATA || errno == ENOTSUP))
            continue;
        if (n < 0)
            return pail_trusted_refuse(
                reason, capacity, "has an access control list (%s) that cannot be read: %s",
                attribute, errno == ERANGE ? "it is longer than 4096 bytes" : strerror(errno));
        const char *why = "lists of its kind are not known here";
        if (!lists[i].read || !lists[i].read(writers, bytes, (size_t)n, &why))
            return pail_trusted_refuse(reason, capacity,
                                       "has an access control list (%s) that cannot be judged: %s",
                                       attribute, why);
        by_posix = by_posix || lists[i].read == pail_acl_read_posix;
    }
    /* Beside a POSIX list the group's bits are its mask, and say nothing of the group. */
    if ((writers->mode & (writers->read ? S_IRGRP : S_IWGRP)) && !by_posix)
        writers->list[writers->n++].kind = PAIL_WRITER_GROUP;
    return true;
}
