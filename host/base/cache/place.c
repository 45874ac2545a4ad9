/* SPDX-License-Identifier: Apache-2.0 */
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <platform/file.h>
#include <platform/process.h>
#include <platform/trust.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *pail_cache_errno(int error)
{
    switch (error) {
    case ELOOP: /* also by O_NOFOLLOW */
        return "it is a symbolic link";
    case ENXIO: /* a socket, or a device that is not there */
        return "it is not a regular file";
    default:
        return strerror(error);
    }
}

/* Users trusted with a folder; with a file it is the same users and no group. */
static struct pail_trusted trusted_by(enum pail_cache_trust trust, bool with_groups)
{
    struct pail_trusted trusted = {.n_users = 0};
    pail_trusted_add_user(&trusted, geteuid());
    if (trust == PAIL_CACHE_READABLE)
        pail_trusted_add_user(&trusted, 0);
    if (with_groups) {
        pail_trusted_add_group(&trusted, getegid());
        pail_trusted_add_group(&trusted, 0);
    }
    return trusted;
}

/* Returns NULL, or a sentence that begins with `subject`. */
static const char *check(int fd, enum pail_cache_trust trust, bool with_groups, const char *subject)
{
    if (trust == PAIL_CACHE_NAMED)
        return NULL;
    static _Thread_local char said[256];
    struct pail_writers writers;
    const struct pail_trusted trusted = trusted_by(trust, with_groups);
    const size_t n = strlen(subject);
    memcpy(said, subject, n);
    if (pail_writers_of_file(&writers, fd, said + n, sizeof(said) - n) &&
        pail_writers_are_trusted(&writers, &trusted, false, said + n, sizeof(said) - n))
        return NULL;
    return said;
}

const char *pail_cache_check_file(int fd, enum pail_cache_trust trust)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return pail_cache_errno(errno);
    if (S_ISDIR(st.st_mode))
        return "it is a folder";
    if (S_ISFIFO(st.st_mode))
        return "it is a named pipe";
    if (!S_ISREG(st.st_mode))
        return "it is not a regular file";
    return check(fd, trust, false, "it ");
}

int pail_cache_open_folder(const char *path, enum pail_cache_trust trust, const char **why)
{
    /* A slash at the end would follow a symbolic link. */
    char trimmed[PATH_MAX];
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length >= sizeof(trimmed)) {
        *why = pail_cache_errno(ENAMETOOLONG);
        return -1;
    }
    memcpy(trimmed, path, length);
    trimmed[length] = '\0';

    const int link = trust == PAIL_CACHE_NAMED ? 0 : O_NOFOLLOW;
    const int fd = open(trimmed, O_RDONLY | O_DIRECTORY | O_CLOEXEC | link);
    if (fd < 0) {
        struct stat st;
        if (errno == ENOENT)
            *why = NULL;
        else if (errno == ENOTDIR && lstat(trimmed, &st) == 0 && S_ISLNK(st.st_mode))
            *why = "its folder is a symbolic link";
        else
            *why = errno == ENOTDIR ? "its folder is no folder" : pail_cache_errno(errno);
        return -1;
    }
    *why = check(fd, trust, true, "its folder ");
    if (*why) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

int pail_cache_open_file(int folder, const char *name, enum pail_cache_trust trust,
                         const char **why)
{
    /* O_NONBLOCK: opening a pipe that has no writer would wait for one. */
    const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        *why = errno == ENOENT ? NULL : pail_cache_errno(errno);
        return -1;
    }
    *why = pail_cache_check_file(fd, trust);
    if (*why) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

/* Checks the folder that path[0..length) would be made in. */
static const char *check_parent(const char *path, size_t length)
{
    char parent[PATH_MAX];
    while (length > 0 && path[length - 1] != '/')
        length--;
    if (length == 0)
        memcpy(parent, ".", 2);
    else
        memcpy(parent, path, length);
    if (length > 0)
        parent[length] = '\0';
    struct stat st;
    if (stat(parent, &st) != 0)
        return pail_cache_errno(errno);
    if (st.st_uid != geteuid() && st.st_uid != 0)
        return "a folder above it belongs to another user";
    return NULL;
}

const char *pail_cache_make_folder(const char *path)
{
    char part[PATH_MAX];
    const size_t length = strlen(path);
    if (length >= sizeof(part))
        return pail_cache_errno(ENAMETOOLONG);
    for (size_t end = 1; end <= length; end++) {
        if (end < length && path[end] != '/')
            continue;
        memcpy(part, path, end);
        part[end] = '\0';
        struct stat st;
        if (path[end - 1] == '/' || stat(part, &st) == 0)
            continue;
        const char *why = errno == ENOENT ? check_parent(part, end) : pail_cache_errno(errno);
        if (why)
            return why;
        /* Another process may be making it right now. */
        if (mkdir(part, 0700) != 0 && errno != EEXIST)
            return pail_cache_errno(errno);
    }
    return NULL;
}

void pail_cache_file_name(char name[PAIL_CACHE_FILE_NAME_MAX],
                          const struct pail_cache_device *device)
{
    const int n =
        snprintf(name, PAIL_CACHE_FILE_NAME_MAX, "%04" PRIx32 "-%04" PRIx32 "-%08" PRIx32 "-",
                 device->vendor, device->device, device->driver);
    size_t at = (size_t)n;
    for (size_t i = 0; i < sizeof(device->uuid); i++, at += 2)
        (void)snprintf(name + at, PAIL_CACHE_FILE_NAME_MAX - at, "%02x", device->uuid[i]);
    (void)snprintf(name + at, PAIL_CACHE_FILE_NAME_MAX - at, ".pailcache");
}

static const char *set_and_not_empty(const char *name)
{
    const char *value = pail_env(name);
    return value && value[0] ? value : NULL;
}

bool pail_cache_user_dir(char *path, size_t capacity, const char *dir)
{
    const char *below = "";
    if (!dir)
        dir = set_and_not_empty("PAIL_CACHE_DIR");
    if (!dir) {
        dir = set_and_not_empty("XDG_CACHE_HOME");
        /* The XDG specification has relative paths ignored. */
        if (dir && !pail_path_is_whole(dir))
            dir = NULL;
        below = "/pail";
    }
    if (!dir) {
        dir = set_and_not_empty(pail_path_home);
        below = pail_path_cache;
    }
    const int n = snprintf(path, capacity, "%s%s", dir ? dir : "", dir ? below : "");
    if (n > 0 && (size_t)n < capacity)
        return true;
    if (capacity > 0)
        path[0] = '\0';
    return false;
}

uint64_t pail_cache_max_bytes(uint64_t limit, const char **bad)
{
    *bad = NULL;
    if (limit > 0)
        return limit;
    uint64_t mib = PAIL_CACHE_MIB_DEFAULT;
    const char *text = set_and_not_empty("PAIL_CACHE_MAX_MIB");
    if (text) {
        const size_t digits = strspn(text, "0123456789");
        const uint64_t value = digits <= 9 ? strtoull(text, NULL, 10) : 0;
        if (text[digits] == '\0' && value > 0)
            mib = value;
        else
            *bad = text;
    }
    return mib << 20;
}

const char *pail_cache_layers(const char *layers)
{
    if (!layers)
        layers = pail_env("PAIL_CACHE_LAYERS");
    return layers ? layers : PAIL_CACHE_LAYERS_DEFAULT;
}
