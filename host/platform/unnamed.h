/* Files that have no name yet: nothing of one is left when the process ends before it gets one,
 * however it ends. */
#ifndef PAIL_PLATFORM_UNNAMED_H
#define PAIL_PLATFORM_UNNAMED_H

#include <sys/types.h>

/* A descriptor to write to, of a file in an open folder; -1 where the system or the file system has
 * no such files. */
int pail_unnamed_open(int folder, mode_t mode);

/* Gives the file a name of the folder, which nobody may have. Returns 0, or -1 with errno. */
int pail_unnamed_name(int fd, int folder, const char *name);

#endif /* PAIL_PLATFORM_UNNAMED_H */
