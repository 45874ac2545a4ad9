#include "system.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

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
