/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/trust.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* Writers of a file, on systems with owners and modes. */

static bool has_group(const struct pail_trusted *trusted, gid_t group)
{
    for (size_t i = 0; i < trusted->n_groups; i++)
        if (trusted->groups[i] == group)
            return true;
    return false;
}

void pail_trusted_add_user(struct pail_trusted *trusted, uid_t user)
{
    if (trusted->n_users < PAIL_TRUSTED_MAX && !pail_trusted_has_user(trusted, user))
        trusted->users[trusted->n_users++] = user;
}

void pail_trusted_add_group(struct pail_trusted *trusted, gid_t group)
{
    if (trusted->n_groups < PAIL_TRUSTED_MAX && !has_group(trusted, group))
        trusted->groups[trusted->n_groups++] = group;
}

static void begin(struct pail_writers *writers, const struct stat *info, bool read)
{
    *writers = (struct pail_writers){
        .read = read,
        .owner = info->st_uid,
        .group = info->st_gid,
        .mode = info->st_mode & 07777u,
        .is_folder = S_ISDIR(info->st_mode),
    };
}

bool pail_writers_of_path(struct pail_writers *writers, const char *path, char *reason,
                          size_t capacity)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return pail_trusted_refuse(reason, capacity, "cannot be examined: %s", strerror(errno));
    begin(writers, &info, false);
    return pail_trusted_read_lists(writers, path, -1, reason, capacity);
}

static bool of_file(struct pail_writers *writers, int file, bool read, char *reason,
                    size_t capacity)
{
    struct stat info;
    if (fstat(file, &info) != 0)
        return pail_trusted_refuse(reason, capacity, "cannot be examined: %s", strerror(errno));
    begin(writers, &info, read);
    return pail_trusted_read_lists(writers, NULL, file, reason, capacity);
}

bool pail_writers_of_file(struct pail_writers *writers, int file, char *reason, size_t capacity)
{
    return of_file(writers, file, false, reason, capacity);
}

bool pail_readers_of_file(struct pail_writers *readers, int file, char *reason, size_t capacity)
{
    return of_file(readers, file, true, reason, capacity);
}

static bool is_trusted(const struct pail_writers *writers, const struct pail_writer *writer,
                       const struct pail_trusted *trusted, char *reason, size_t capacity)
{
    const unsigned mode = (unsigned)writers->mode;
    const char *const may = writers->read ? "readable" : "writable";
    switch (writer->kind) {
    case PAIL_WRITER_GROUP:
        return has_group(trusted, writers->group) ||
               pail_trusted_refuse(reason, capacity,
                                   "is %s by group %lu (mode %04o), which is not trusted", may,
                                   (unsigned long)writers->group, mode);
    case PAIL_WRITER_ACL_USER:
        return writer->id == 0 || pail_trusted_has_user(trusted, writer->id) ||
               pail_trusted_refuse(
                   reason, capacity,
                   "is %s by user %lu, who is not trusted, by its access control list", may,
                   (unsigned long)writer->id);
    case PAIL_WRITER_ACL_GROUP:
        return has_group(trusted, writer->id) ||
               pail_trusted_refuse(
                   reason, capacity,
                   "is %s by group %lu, which is not trusted, by its access control list", may,
                   (unsigned long)writer->id);
    case PAIL_WRITER_ACL_NAME:
        return pail_trusted_refuse(reason, capacity,
                                   "is %s by '%s', who is not trusted, by its access control list",
                                   may, writers->name);
    case PAIL_WRITER_EVERYBODY:
        break;
    }
    return pail_trusted_refuse(reason, capacity, "is %s by everybody (mode %04o)", may, mode);
}

bool pail_writers_are_trusted(const struct pail_writers *writers,
                              const struct pail_trusted *trusted, bool sticky_helps, char *reason,
                              size_t capacity)
{
    if (!pail_trusted_has_user(trusted, writers->owner))
        return pail_trusted_refuse(reason, capacity, "belongs to user %lu, who is not trusted",
                                   (unsigned long)writers->owner);
    if (sticky_helps && (writers->mode & S_ISVTX))
        return true;
    for (size_t i = 0; i < writers->n; i++)
        if (!is_trusted(writers, &writers->list[i], trusted, reason, capacity))
            return false;
    return true;
}
