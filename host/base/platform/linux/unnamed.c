#include "platform/unnamed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/self.h"

enum { SELF_CHARS = 64, BLOCK = 8192 };

/* The process's umask; -1 where it cannot be read. umask() itself would change it to read it. */
static int masked(void)
{
    FILE *status = fopen("/proc/self/status", "re");
    char line[128];
    unsigned mask;
    int found = -1;
    while (status && found < 0 && fgets(line, sizeof(line), status))
        if (sscanf(line, "Umask: %o", &mask) == 1)
            found = (int)(mask & 0777);
    if (status)
        (void)fclose(status);
    return found;
}

/* The mask is applied here because Linux before 6.0 leaves it out for such files on file systems
 * without access-control lists. */
int pail_unnamed_open(int folder, mode_t mode)
{
    char self[SELF_CHARS];
    const int mask = masked();
    if (mask < 0)
        return -1;
    const int fd =
        openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode & (mode_t) ~(unsigned)mask);
    if (fd < 0)
        return -1;
    pail_self_file(self, sizeof(self), fd);
    if (access(self, F_OK) == 0)
        return fd;
    (void)close(fd); /* without /proc it would never get a name */
    return -1;
}

int pail_unnamed_name(int fd, int folder, const char *name)
{
    char self[SELF_CHARS];
    pail_self_file(self, sizeof(self), fd);
    return linkat(AT_FDCWD, self, folder, name, AT_SYMLINK_FOLLOW);
}

static int put(int to, const char *bytes, size_t n, off_t at)
{
    while (n > 0) {
        const ssize_t done = pwrite(to, bytes, n, at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done == 0)
            errno = EIO;
        if (done <= 0)
            return -1;
        bytes += done;
        n -= (size_t)done;
        at += done;
    }
    return 0;
}

static int copy(int fd, int to)
{
    char block[BLOCK];
    for (off_t at = 0;;) {
        const ssize_t n = pread(fd, block, sizeof(block), at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return (int)n;
        if (put(to, block, (size_t)n, at) != 0)
            return -1;
        at += n;
    }
}

int pail_unnamed_move(int fd, int to)
{
    struct stat st;
    const off_t position = lseek(fd, 0, SEEK_CUR);
    int result = -1;
    if (position >= 0 && fstat(fd, &st) == 0 && fchmod(to, st.st_mode & 0777) == 0 &&
        copy(fd, to) == 0 && fsync(to) == 0 && lseek(to, position, SEEK_SET) == position)
        result = dup3(to, fd, O_CLOEXEC);
    const int error = errno;
    (void)close(to);
    errno = error;
    return result < 0 ? -1 : 0;
}
