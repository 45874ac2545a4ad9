/* SPDX-License-Identifier: Apache-2.0 */
/* Access control lists of macOS: who is named by a number of 16 bytes, which a service of the
 * system turns into a user's or a group's. */
#include "platform/trust.h"

#include <errno.h>
#include <membership.h>
#include <string.h>
#include <sys/acl.h>
#include <sys/stat.h>

/* Rights to change the contents, the name, or the rights themselves. */
static const acl_perm_t changes[] = {ACL_WRITE_DATA,   ACL_APPEND_DATA,    ACL_DELETE,
                                     ACL_DELETE_CHILD, ACL_WRITE_SECURITY, ACL_CHANGE_OWNER};

/* 1 if the entry gives the right in question, 0 if not, -1 if it is damaged. */
static int gives(acl_entry_t entry, bool read)
{
    acl_permset_t rights;
    acl_flagset_t flags;
    if (acl_get_permset(entry, &rights) != 0 || acl_get_flagset_np(entry, &flags) != 0)
        return -1;
    const int inherit_only = acl_get_flag_np(flags, ACL_ENTRY_ONLY_INHERIT);
    if (inherit_only != 0)
        return inherit_only < 0 ? -1 : 0;
    if (read)
        return acl_get_perm_np(rights, ACL_READ_DATA);
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        const int has = acl_get_perm_np(rights, changes[i]);
        if (has != 0)
            return has < 0 ? -1 : 1;
    }
    return 0;
}

/* Appends who an entry is about. */
static const char *add_who(struct pail_writers *writers, acl_entry_t entry)
{
    if (writers->n >= PAIL_WRITERS_MAX)
        return "it names more than 64 users and groups";
    unsigned char *const who = acl_get_qualifier(entry);
    if (!who)
        return "it has an entry for nobody";
    id_t id = 0;
    int kind = 0;
    const int error = mbr_uuid_to_id(who, &id, &kind);
    (void)acl_free(who);
    if (error != 0 || (kind != ID_TYPE_UID && kind != ID_TYPE_GID))
        return "it names somebody whom the system does not know";
    writers->list[writers->n++] = (struct pail_writer){
        .kind = kind == ID_TYPE_UID ? PAIL_WRITER_ACL_USER : PAIL_WRITER_ACL_GROUP, .id = id};
    return NULL;
}

/* Reads the allowing entries. Denying entries are not subtracted: entries work in their order, and
 * a user who is denied here may be in a group that is not. NULL, or what is wrong with the list. */
static const char *read_list(struct pail_writers *writers, acl_t list)
{
    acl_entry_t entry;
    const char *why = NULL;
    for (int which = ACL_FIRST_ENTRY; !why && acl_get_entry(list, which, &entry) == 0;
         which = ACL_NEXT_ENTRY) {
        acl_tag_t tag;
        const int may = gives(entry, writers->read);
        if (may < 0 || acl_get_tag_type(entry, &tag) != 0)
            return "it is damaged";
        if (tag != ACL_EXTENDED_ALLOW && tag != ACL_EXTENDED_DENY)
            return "it has an entry of an unknown kind";
        if (may && tag == ACL_EXTENDED_ALLOW)
            why = add_who(writers, entry);
    }
    return why;
}

bool pail_trusted_read_lists(struct pail_writers *writers, const char *path, int file, char *reason,
                             size_t capacity)
{
    if (writers->mode & (writers->read ? S_IROTH : S_IWOTH))
        writers->list[writers->n++].kind = PAIL_WRITER_EVERYBODY;
    if (writers->mode & (writers->read ? S_IRGRP : S_IWGRP))
        writers->list[writers->n++].kind = PAIL_WRITER_GROUP;
    acl_t list =
        path ? acl_get_file(path, ACL_TYPE_EXTENDED) : acl_get_fd_np(file, ACL_TYPE_EXTENDED);
    if (!list) /* ENOENT: the file is there, and has none */
        return errno == ENOENT || errno == ENOTSUP ||
               pail_trusted_refuse(reason, capacity,
                                   "has an access control list that cannot be read: %s",
                                   strerror(errno));
    const char *const why = read_list(writers, list);
    (void)acl_free(list);
    return !why || pail_trusted_refuse(reason, capacity,
                                       "has an access control list that cannot be judged: %s", why);
}
