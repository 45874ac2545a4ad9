#ifndef PAIL_DARWIN_FCNTL_H
#define PAIL_DARWIN_FCNTL_H

#include_next <fcntl.h>

#include <sys/types.h>

/* As of POSIX, which the system has other words for. */
#define POSIX_FADV_SEQUENTIAL 2
#define POSIX_FADV_WILLNEED   3
int posix_fadvise(int file, off_t offset, off_t bytes, int advice);

#endif
