#include "platform/trust.h"
#include "platform/trusted.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

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
