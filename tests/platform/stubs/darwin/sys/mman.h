/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_SYS_MMAN_H
#define STUB_SYS_MMAN_H
#include <sys/types.h>
#define PROT_NONE   0
#define PROT_READ   1
#define PROT_WRITE  2
#define MAP_PRIVATE 2
#ifdef _DARWIN_C_SOURCE
#define MAP_ANON      0x1000
#define MAP_ANONYMOUS MAP_ANON
#define MADV_NORMAL   0
#define MADV_DONTNEED 4
int madvise(void *memory, size_t bytes, int advice);
#endif
#define MAP_FAILED ((void *)-1)
void *mmap(void *at, size_t bytes, int rights, int flags, int file, off_t offset);
int munmap(void *memory, size_t bytes);
int mprotect(void *memory, size_t bytes, int rights);
#endif
