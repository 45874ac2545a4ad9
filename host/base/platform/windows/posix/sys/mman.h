/* SPDX-License-Identifier: Apache-2.0 */
/* Whole pages from the system. */
#ifndef PAIL_WINDOWS_SYS_MMAN_H
#define PAIL_WINDOWS_SYS_MMAN_H

#include <pail_posix_name.h>

#include <stddef.h>
#include <sys/types.h>

#define PROT_READ     1
#define PROT_WRITE    2
#define MAP_PRIVATE   2
#define MAP_ANONYMOUS 0x20
#define MAP_FAILED    ((void *)-1)
#define MADV_DONTNEED 4
#define MADV_HUGEPAGE 14

/* Memory alone, no files. Huge pages want a right that few have: none are asked for. */
void *mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset)
    PAIL_POSIX(mmap);
/* Pages at the ends of a mapping are given back, and their addresses with the rest of it. */
int munmap(void *address, size_t bytes) PAIL_POSIX(munmap);
int madvise(void *address, size_t bytes, int advice) PAIL_POSIX(madvise);

#endif
