#include "platform/unnamed.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "platform/self.h"

enum { SELF_CHARS = 64 };

/* What the process takes from new files' permissions; -1 where it is not told. umask() would have
 * to change it to tell it. */
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
