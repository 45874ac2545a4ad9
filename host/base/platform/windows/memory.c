/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/memory.h"

#include "system.h"

#include <bcrypt.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void pail_wipe(void *memory, size_t bytes)
{
    if (bytes)
        (void)SecureZeroMemory(memory, bytes);
}

void pail_wipe_and_free(void *memory)
{
    if (memory)
        pail_wipe(memory, _msize(memory));
    free(memory);
}

/* A frame of its own in every case: inlined, it would lie beside what is to be wiped. */
__attribute__((noinline)) void pail_wipe_stack(void)
{
    unsigned char frame[8192];
    (void)SecureZeroMemory(frame, sizeof(frame));
}

enum { PORTION = 1 << 20 }; /* the system takes 32 bits of a length */

bool pail_random(void *memory, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        const ULONG n = bytes - done < PORTION ? (ULONG)(bytes - done) : PORTION;
        if (BCryptGenRandom(NULL, (PUCHAR)memory + done, n, BCRYPT_USE_SYSTEM_PREFERRED_RNG) != 0) {
            pail_wipe(memory, bytes);
            return false;
        }
        done += n;
    }
    return true;
}

/* The system has no word for it that every user may say. */
void *pail_alloc_huge_pages(size_t bytes)
{
    return malloc(bytes);
}

/* The heap of the system gives large blocks back by itself. */
void pail_return_blocks(size_t from_bytes)
{
    (void)from_bytes;
}

/* No report of a crash, which may have memory in it. Other processes of the user's may read this
 * one: the system has no word against that. */
void pail_keep_memory_private(void)
{
    (void)SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
}

bool pail_probe_open(struct pail_probe *probe)
{
    *probe = (struct pail_probe){{-1, -1}};
    return true;
}

void pail_probe_close(struct pail_probe *probe)
{
    (void)probe;
}

bool pail_probe_holds(const struct pail_probe *probe, uint64_t address, uint32_t word)
{
    uint32_t got = 0;
    SIZE_T n = 0;
    (void)probe;
    return ReadProcessMemory(GetCurrentProcess(), (const void *)(uintptr_t)address, &got,
                             sizeof(got), &n) &&
           n == sizeof(got) && got == word;
}

void *mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset)
{
    (void)address, (void)protection, (void)flags, (void)file, (void)offset;
    void *const memory = VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    if (memory)
        return memory;
    errno = ENOMEM;
    return MAP_FAILED;
}

/* Addresses go back with the last page of a mapping: the system takes them as a whole. */
int munmap(void *address, size_t bytes)
{
    MEMORY_BASIC_INFORMATION info;
    if (VirtualQuery(address, &info, sizeof(info)) == 0 ||
        !VirtualFree(address, bytes, MEM_DECOMMIT))
        return pail_system_failed(GetLastError());
    void *const base = info.AllocationBase;
    for (char *at = base; VirtualQuery(at, &info, sizeof(info)) != 0 && info.AllocationBase == base;
         at += info.RegionSize)
        if (info.State == MEM_COMMIT)
            return 0;
    return VirtualFree(base, 0, MEM_RELEASE) ? 0 : pail_system_failed(GetLastError());
}

int madvise(void *address, size_t bytes, int advice)
{
    if (advice != MADV_DONTNEED)
        return 0;
    return VirtualAlloc(address, bytes, MEM_RESET, PAGE_READWRITE)
               ? 0
               : pail_system_failed(GetLastError());
}

long sysconf(int name)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return name == _SC_PAGESIZE ? (long)info.dwPageSize
                                : (long)GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
}
