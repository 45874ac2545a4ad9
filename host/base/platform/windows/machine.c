/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/machine.h"

#include <windows.h>

#include <io.h>
#include <stdio.h>
#include <string.h>

#include "platform/process.h"
#include "platform/thread.h"

unsigned pail_terminal_columns(int descriptor)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    return GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(descriptor), &info)
               ? (unsigned)(info.srWindow.Right - info.srWindow.Left + 1)
               : 0;
}

uint64_t pail_machine_memory(void)
{
    MEMORYSTATUSEX status = {.dwLength = sizeof(status)};
    return GlobalMemoryStatusEx(&status) ? status.ullTotalPhys : 0;
}

uint32_t pail_machine_processors(void)
{
    const DWORD processors = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return processors > 0 ? processors : 1;
}

const char *pail_machine_error(int error, char *words, size_t capacity)
{
    return strerror_s(words, capacity, error) == 0 ? words : "an unknown error";
}

/* A process runs in one group of at most 64 processors, unless it asks for more. */
uint32_t pail_team_processors(void)
{
    DWORD_PTR process = 0, system = 0;
    uint32_t processors = 0;
    if (GetProcessAffinityMask(GetCurrentProcess(), &process, &system))
        for (; process; process &= process - 1)
            processors++;
    return processors > 0 ? processors : 1;
}

/* Drivers are in the registry there. */
void pail_drivers_tell(void (*each)(void *user, const void *bytes, size_t size), void *user)
{
    static const char *const variables[] = {PAIL_DRIVERS_ENV};
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        char line[2048];
        const char *const value = pail_env(variables[i]);
        if (!value)
            continue;
        (void)snprintf(line, sizeof(line), "%s=%.1900s", variables[i], value);
        each(user, line, strlen(line));
    }
}
