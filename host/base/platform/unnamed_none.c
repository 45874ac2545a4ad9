#include "platform/unnamed.h"

#include <errno.h>
#include <unistd.h>

int pail_unnamed_open(int folder, mode_t mode)
{
    (void)folder, (void)mode;
    errno = ENOTSUP;
    return -1;
}

int pail_unnamed_name(int fd, int folder, const char *name)
{
    (void)fd, (void)folder, (void)name;
    errno = ENOTSUP;
    return -1;
}

int pail_unnamed_move(int fd, int to)
{
    (void)fd;
    (void)close(to);
    errno = ENOTSUP;
    return -1;
}
