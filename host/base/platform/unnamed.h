/* Files that have no name yet: nothing of one is left when the process ends before it gets one,
 * however it ends. */
#ifndef PAIL_PLATFORM_UNNAMED_H
#define PAIL_PLATFORM_UNNAMED_H

#include <sys/types.h>

/* A descriptor to write to, of a file in an open folder; -1 where the system or the file system has
 * no such files. */
int pail_unnamed_open(int folder, mode_t mode);

/* Gives the file a name of the folder, which nobody may have. Returns 0, or -1 with errno: a
 * security policy may forbid what the file system can do. */
int pail_unnamed_name(int fd, int folder, const char *name);

/* Brings all of it into a new and empty file that has a name, and makes `fd` that file's: with the
 * same position, and with the permissions that it had. Copies of `fd` stay with the file before.
 * Closes `to`. Returns 0, or -1 with errno; `fd` is as it was then. */
int pail_unnamed_move(int fd, int to);

#endif /* PAIL_PLATFORM_UNNAMED_H */
