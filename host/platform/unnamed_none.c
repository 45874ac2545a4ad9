#include "platform/unnamed.h"

#include <errno.h>

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
