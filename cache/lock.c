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

#include "trust.h"

enum { WAIT_MS = 10000, STEP_MS = 5 };

/* Somebody may have removed the lock's file, or the folder, since it was opened: whoever comes next
 * would make another one and not see us. */
static bool is_current(int folder, const char *name, int lock)
{
    struct stat ours, current;
    return fstat(lock, &ours) == 0 && fstatat(folder, name, &current, AT_SYMLINK_NOFOLLOW) == 0 &&
           ours.st_dev == current.st_dev && ours.st_ino == current.st_ino;
}

int pail_cache_lock(int folder, const char *name, const char **why)
{
    char path[NAME_MAX + 8];
    const int length = snprintf(path, sizeof(path), "%s.lock", name);
    if (length < 0 || (size_t)length >= sizeof(path)) {
        *why = pail_cache_errno(ENAMETOOLONG);
        return -1;
    }
    const struct timespec step = {.tv_nsec = STEP_MS * 1000000L};
    for (int waited = 0; waited < WAIT_MS;) {
        const int lock =
            openat(folder, path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
        if (lock < 0) {
            *why = errno == ELOOP ? "the file of its lock is a symbolic link"
                                  : pail_cache_errno(errno);
            return -1;
        }
        if (pail_cache_check_file(lock, PAIL_CACHE_OURS)) {
            *why = "the file of its lock is not a file of ours alone";
            (void)close(lock);
            return -1;
        }
        /* flock, for it belongs to the descriptor: the locks of fcntl do not keep threads of one
         * process apart, and end when any of its descriptors of the file is closed. */
        for (; waited < WAIT_MS; waited += STEP_MS) {
            if (flock(lock, LOCK_EX | LOCK_NB) == 0)
                break;
            if (errno != EWOULDBLOCK && errno != EINTR) {
                *why = pail_cache_errno(errno);
                (void)close(lock);
                return -1;
            }
            (void)nanosleep(&step, NULL);
        }
        if (waited < WAIT_MS && is_current(folder, path, lock))
            return lock;
        waited += STEP_MS;
        (void)close(lock);
    }
    *why = "others have kept it locked for ten seconds";
    return -1;
}

void pail_cache_unlock(int lock)
{
    /* Explicitly: a child that was forked meanwhile has a copy of the descriptor. */
    (void)flock(lock, LOCK_UN);
    (void)close(lock);
}
