/* Kinds of files, in words for messages. */
#ifndef PAIL_PLATFORM_FILE_TYPE_H
#define PAIL_PLATFORM_FILE_TYPE_H

#include <sys/stat.h>

/* "a directory", "a named pipe", "a device", "a symbolic link", "a socket", "a regular file" */
static inline const char *pail_file_type(mode_t mode)
{
    if (S_ISREG(mode))
        return "a regular file";
    if (S_ISDIR(mode))
        return "a directory";
    if (S_ISFIFO(mode))
        return "a named pipe";
    if (S_ISCHR(mode) || S_ISBLK(mode))
        return "a device";
    if (S_ISLNK(mode))
        return "a symbolic link";
    return "a socket";
}

#endif /* PAIL_PLATFORM_FILE_TYPE_H */
