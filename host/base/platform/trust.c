/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/trust.h"

#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/file.h"

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

bool pail_trust_go_up(char *path)
{
    if (pail_path_is_root(path))
        return false;
    char *slash = strrchr(path, '/');
    slash[1] = '\0';
    if (!pail_path_is_root(path))
        *slash = '\0';
    return true;
}

static bool has_group_writer(const struct pail_writers *writers)
{
    for (size_t i = 0; i < writers->n; ++i)
        if (writers->list[i].kind == PAIL_WRITER_GROUP)
            return true;
    return false;
}

void pail_trust_init(struct pail_trusted *trusted, const char *library)
{
    *trusted = (struct pail_trusted){.n_users = 0};
    pail_trusted_add_user(trusted, 0);
    pail_trusted_add_user(trusted, geteuid());
    pail_trusted_add_group(trusted, 0);
    pail_trusted_add_group(trusted, getegid());

    char path[PATH_MAX];
    if (!library || strlen(library) >= sizeof path)
        return;
    memcpy(path, library, strlen(library) + 1);
    do {
        struct pail_writers writers;
        if (!pail_writers_of_path(&writers, path, NULL, 0))
            return;
        pail_trusted_add_user(trusted, writers.owner);
        /* In a sticky folder a group cannot replace what others own. */
        if (has_group_writer(&writers) && !(writers.mode & S_ISVTX))
            pail_trusted_add_group(trusted, writers.group);
    } while (pail_trust_go_up(path));
}

bool pail_trust_check(const struct pail_trusted *trusted, const char *path, char *reason,
                      size_t capacity)
{
    char walk[PATH_MAX];
    if (strlen(path) >= sizeof walk)
        return pail_trusted_refuse(reason, capacity, "the path is longer than %d bytes", PATH_MAX);
    memcpy(walk, path, strlen(path) + 1);

    bool in_holder = false; /* at or above the folder that holds the plugin */
    do {
        struct pail_writers writers;
        char what[256];
        if (!pail_writers_of_path(&writers, walk, what, sizeof what) ||
            !pail_writers_are_trusted(&writers, trusted, in_holder, what, sizeof what))
            return pail_trusted_refuse(reason, capacity, "%s %s", walk, what);
        in_holder = in_holder || writers.is_folder;
    } while (pail_trust_go_up(walk));
    return true;
}
