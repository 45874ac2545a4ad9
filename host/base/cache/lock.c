/* SPDX-License-Identifier: Apache-2.0 */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <platform/clock.h>

#include "place.h"

static const uint64_t step_ns = 5000000;

/* Time, not sleeps counted: a sleep takes longer than it was asked to, and twice as long on a
 * machine that is busy. */
uint64_t pail_cache_lock_until(uint32_t wait_ms)
{
    return pail_clock_ns() + (uint64_t)(wait_ms ? wait_ms : PAIL_CACHE_LOCK_WAIT_MS) * 1000000u;
}

/* False when the time is over. */
static bool wait_a_step(uint64_t until)
{
    const uint64_t now = pail_clock_ns();
    if (now >= until)
        return false;
    const uint64_t left = until - now;
    const struct timespec step = {.tv_nsec = (long)(left < step_ns ? left : step_ns)};
    (void)nanosleep(&step, NULL);
    return true;
}

/* True if the open lock is still the file of that name. Somebody may have removed it, or the
 * folder, since it was opened: the next process would make another one and not see us. */
static bool is_current(int folder, const char *name, int lock)
{
    struct stat ours, current;
    return fstat(lock, &ours) == 0 && fstatat(folder, name, &current, AT_SYMLINK_NOFOLLOW) == 0 &&
           ours.st_dev == current.st_dev && ours.st_ino == current.st_ino;
}

/* A descriptor that has the lock; -1: the time is over; -2: it cannot be had, *why says it. */
static int try_lock(int folder, const char *path, uint64_t until, const char **why)
{
    const int lock =
        openat(folder, path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (lock < 0) {
        *why = errno == ELOOP ? "the file of its lock is a symbolic link" : pail_cache_errno(errno);
        return -2;
    }
    if (pail_cache_check_file(lock, PAIL_CACHE_OURS)) {
        *why = "the file of its lock is not a file of ours alone";
        (void)close(lock);
        return -2;
    }
    /* flock, for it belongs to the descriptor: the locks of fcntl do not keep threads of one
     * process apart, and end when any of its descriptors of the file is closed. */
    while (flock(lock, LOCK_EX | LOCK_NB) != 0) {
        const int error = errno;
        if (error == EWOULDBLOCK || error == EINTR) {
            if (wait_a_step(until))
                continue;
            (void)close(lock);
            return -1;
        }
        *why = pail_cache_errno(error);
        (void)close(lock);
        return -2;
    }
    return lock;
}

int pail_cache_lock(int folder, const char *name, uint64_t until, const char **why)
{
    char path[NAME_MAX + 8];
    const int length = snprintf(path, sizeof(path), "%s.lock", name);
    if (length < 0 || (size_t)length >= sizeof(path)) {
        *why = pail_cache_errno(ENAMETOOLONG);
        return -1;
    }
    do {
        const int lock = try_lock(folder, path, until, why);
        if (lock == -2)
            return -1;
        if (lock >= 0 && is_current(folder, path, lock))
            return lock;
        if (lock >= 0)
            (void)close(lock);
    } while (wait_a_step(until));
    *why = "others have kept it locked until the time to wait for it was over";
    return -1;
}

void pail_cache_unlock(int lock)
{
    /* Explicitly: a child that was forked meanwhile has a copy of the descriptor. */
    (void)flock(lock, LOCK_UN);
    (void)close(lock);
}
