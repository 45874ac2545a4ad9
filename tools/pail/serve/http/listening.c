/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* SOCK_CLOEXEC, flock */

#include "listening.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <platform/file.h>

#include "request.h"

enum { BACKLOG = 128 };

/* ---- In the file system -----------------------------------------------------------------------
 */
/* A lock on the folder, so that of two that begin at a time one finds the other. -1: none. */
static int lock_folder(const char *path)
{
    char *const copy = strdup(path);
    const int fd = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    free(copy);
    if (fd >= 0)
        for (int i = 0; i < 100 && flock(fd, LOCK_EX | LOCK_NB) != 0; i++)
            (void)nanosleep(&(struct timespec){.tv_nsec = 20000000},
                            NULL); /* anybody may hold it */
    return fd;
}

/* True if a process listens there. */
static bool answers(const struct sockaddr_un *address)
{
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool refused = fd >= 0 &&
                         connect(fd, (const struct sockaddr *)address, sizeof(*address)) != 0 &&
                         errno == ECONNREFUSED;
    if (fd >= 0)
        (void)close(fd);
    return !refused;
}

static pail_status make_room(const struct sockaddr_un *address, struct pail_error *error)
{
    const char *const path = address->sun_path;
    struct stat found;
    if (lstat(path, &found) != 0)
        return PAIL_OK;
    if (!S_ISSOCK(found.st_mode))
        return pail_fail(error, PAIL_ERR_IO, "--socket %s: is %s, not a socket", path,
                         pail_file_type(found.st_mode));
    if (answers(address))
        return pail_fail(error, PAIL_ERR_IO, "--socket %s: another process listens on it", path);
    if (unlink(path) != 0)
        return pail_fail(error, PAIL_ERR_IO,
                         "--socket %s: was left behind and cannot be removed: %s", path,
                         strerror(errno));
    return PAIL_OK;
}

static pail_status make_at_path(struct pail_listening *listening, const struct sockaddr_un *address,
                                mode_t mode, struct pail_error *error)
{
    const char *const path = address->sun_path;
    struct stat made;
    if (make_room(address, error) != PAIL_OK)
        return error->status;
    const mode_t before = umask(0777); /* nobody connects before the mode is right */
    const bool bound = bind(listening->fd, (const struct sockaddr *)address, sizeof(*address)) == 0;
    const int reason = errno;
    (void)umask(before);
    if (!bound)
        return pail_fail(error, PAIL_ERR_IO, "--socket %s: cannot be made: %s", path,
                         strerror(reason));
    if (lstat(path, &made) == 0) {
        listening->path = address->sun_path; /* to be removed from here on */
        listening->device = made.st_dev;
        listening->inode = made.st_ino;
    }
    if (listen(listening->fd, BACKLOG) != 0 ||
        fchmodat(AT_FDCWD, path, mode, AT_SYMLINK_NOFOLLOW) != 0)
        return pail_fail(error, PAIL_ERR_IO, "--socket %s: cannot be listened on: %s", path,
                         strerror(errno));
    return PAIL_OK;
}

pail_status pail_listen_at_path(struct pail_listening *listening, const char *path, mode_t mode,
                                struct pail_error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    *listening = PAIL_LISTENING_NONE;
    if (strlen(path) >= sizeof(address.sun_path))
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "--socket %s: has %zu characters, and a socket's path %zu at most", path,
                         strlen(path), sizeof(address.sun_path) - 1);
    memcpy(address.sun_path, path, strlen(path) + 1);
    listening->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listening->fd < 0)
        return pail_fail(error, PAIL_ERR_IO, "--socket %s: no socket: %s", path, strerror(errno));
    const int folder = lock_folder(path);
    const pail_status status = make_at_path(listening, &address, mode, error);
    if (folder >= 0)
        (void)close(folder);
    if (listening->path)
        listening->path = path; /* and not the copy */
    if (status != PAIL_OK)
        pail_listening_end(listening);
    return status;
}

/* ---- Over TCP -------------------------------------------------------------------------------- */
union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

/* "ADDRESS:PORT", an address of version 6 in brackets; no names. False: it is none. */
static bool read_address(union address *address, socklen_t *bytes, const char *text)
{
    const char *const colon = strrchr(text, ':');
    const bool is_v6 = text[0] == '[';
    char host[INET6_ADDRSTRLEN];
    uint64_t port;
    memset(address, 0, sizeof(*address));
    if (!colon || !pail_request_number(&port, colon + 1, strlen(colon + 1), UINT16_MAX))
        return false;
    const size_t length = (size_t)(colon - text);
    if (length >= sizeof(host) || (is_v6 && (length < 2 || colon[-1] != ']')))
        return false;
    (void)snprintf(host, sizeof(host), "%.*s", (int)(is_v6 ? length - 2 : length), text + is_v6);
    *bytes = is_v6 ? sizeof(address->v6) : sizeof(address->v4);
    if (is_v6) {
        address->v6.sin6_family = AF_INET6;
        address->v6.sin6_port = htons((uint16_t)port);
        return inet_pton(AF_INET6, host, &address->v6.sin6_addr) == 1;
    }
    address->v4.sin_family = AF_INET;
    address->v4.sin_port = htons((uint16_t)port);
    return inet_pton(AF_INET, host, &address->v4.sin_addr) == 1;
}

static bool is_loopback(const union address *address)
{
    static const struct in6_addr loopback = IN6ADDR_LOOPBACK_INIT;
    return address->any.sa_family == AF_INET6
               ? memcmp(&address->v6.sin6_addr, &loopback, sizeof(loopback)) == 0
               : address->v4.sin_addr.s_addr == htonl(INADDR_LOOPBACK);
}

pail_status pail_listen_at_address(struct pail_listening *listening, const char *text,
                                   bool anywhere, struct pail_error *error)
{
    union address address;
    socklen_t bytes;
    const int yes = 1;
    *listening = PAIL_LISTENING_NONE;
    const bool read = read_address(&address, &bytes, text);
    if (!read && anywhere)
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "--listen %s: is neither ADDRESS:PORT nor [ADDRESS]:PORT, with the "
                         "address in numbers",
                         text);
    if (!read || (!anywhere && !is_loopback(&address)))
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "--listen %s: is neither 127.0.0.1:PORT nor [::1]:PORT; others reach the "
                         "service through a proxy that encrypts, or in a network of your own with "
                         "--beyond-loopback",
                         text);
    listening->anywhere = anywhere && !is_loopback(&address);
    listening->fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listening->fd < 0 ||
        setsockopt(listening->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
        bind(listening->fd, &address.any, bytes) != 0 || listen(listening->fd, BACKLOG) != 0 ||
        getsockname(listening->fd, &address.any, &bytes) != 0) {
        (void)pail_fail(error, PAIL_ERR_IO, "--listen %s: cannot be listened on: %s", text,
                        strerror(errno));
        pail_listening_end(listening);
        return error->status;
    }
    char host[INET6_ADDRSTRLEN] = "?";
    if (address.any.sa_family == AF_INET6) {
        (void)inet_ntop(AF_INET6, &address.v6.sin6_addr, host, sizeof(host));
        (void)snprintf(listening->address, sizeof(listening->address), "http://[%s]:%u", host,
                       (unsigned)ntohs(address.v6.sin6_port));
    } else {
        (void)inet_ntop(AF_INET, &address.v4.sin_addr, host, sizeof(host));
        (void)snprintf(listening->address, sizeof(listening->address), "http://%s:%u", host,
                       (unsigned)ntohs(address.v4.sin_port));
    }
    return PAIL_OK;
}

void pail_listening_end(struct pail_listening *listening)
{
    struct stat there;
    if (listening->path && lstat(listening->path, &there) == 0 &&
        there.st_dev == listening->device && there.st_ino == listening->inode)
        (void)unlink(listening->path);
    if (listening->fd >= 0)
        (void)close(listening->fd);
    *listening = PAIL_LISTENING_NONE;
}
