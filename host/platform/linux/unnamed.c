#include "platform/unnamed.h"

#include <fcntl.h>
#include <unistd.h>

#include "platform/self.h"

enum { SELF_CHARS = 64 };

int pail_unnamed_open(int folder, mode_t mode)
{
    char self[SELF_CHARS];
    const int fd = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
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
