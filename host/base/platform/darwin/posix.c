/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "platform/clock.h"

/* Functions on files that darwin/posix declares. */

#undef fsync

/* Reading ahead is asked for in ranges; of a whole file it is a switch. */
int posix_fadvise(int file, off_t offset, off_t bytes, int advice)
{
    if (advice == POSIX_FADV_SEQUENTIAL)
        return fcntl(file, F_RDAHEAD, 1) < 0 ? errno : 0;
    if (advice != POSIX_FADV_WILLNEED)
        return EINVAL;
    const struct radvisory range = {.ra_offset = offset,
                                    .ra_count = bytes < INT_MAX ? (int)bytes : INT_MAX};
    return fcntl(file, F_RDADVISE, &range) < 0 ? errno : 0;
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    if (flags != RENAME_NOREPLACE) {
        errno = EINVAL;
        return -1;
    }
    const int result = renameatx_np(from_folder, from, to_folder, to, RENAME_EXCL);
    if (result != 0 && errno == ENOTSUP)
        errno = EINVAL;
    return result;
}

/* File systems of others, as those of a server, have no such word. */
int pail_fsync(int file)
{
    return fcntl(file, F_FULLFSYNC) == 0 ? 0 : fsync(file);
}

enum { LOOK_EVERY_NS = 20000000, NS_PER_S = 1000000000, SIGNALS = 32 };

static bool is_there(const sigset_t *signals)
{
    sigset_t pending;
    if (sigpending(&pending) != 0)
        return false;
    for (int i = 1; i < SIGNALS; i++)
        if (sigismember(signals, i) == 1 && sigismember(&pending, i) == 1)
            return true;
    return false;
}

/* sigwait takes what is pending at once; where another thread was faster it waits for the next. */
int sigtimedwait(const sigset_t *signals, siginfo_t *info, const struct timespec *span)
{
    (void)info;
    const uint64_t until =
        pail_clock_until((uint64_t)span->tv_sec * NS_PER_S + (uint64_t)span->tv_nsec);
    while (!is_there(signals)) {
        const uint64_t now = pail_clock_ns();
        if (now >= until) {
            errno = EAGAIN;
            return -1;
        }
        const uint64_t left = until - now;
        const struct timespec pause = {.tv_nsec =
                                           left < LOOK_EVERY_NS ? (long)left : LOOK_EVERY_NS};
        (void)nanosleep(&pause, NULL);
    }
    int number;
    const int error = sigwait(signals, &number);
    if (error == 0)
        return number;
    errno = error;
    return -1;
}

#undef socket

int pail_socket(int family, int kind, int protocol)
{
    static const int on = 1;
    const int made = socket(family, kind & ~(SOCK_CLOEXEC | SOCK_NONBLOCK), protocol);
    if (made < 0)
        return made;
    if ((kind & SOCK_CLOEXEC && fcntl(made, F_SETFD, FD_CLOEXEC) != 0) ||
        (kind & SOCK_NONBLOCK && fcntl(made, F_SETFL, O_NONBLOCK) != 0) ||
        setsockopt(made, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof(on)) != 0) {
        (void)close(made);
        return -1;
    }
    return made;
}
