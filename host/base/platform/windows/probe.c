#include "platform/probe.h"

#include <windows.h>

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
