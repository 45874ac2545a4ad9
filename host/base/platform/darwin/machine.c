/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/machine.h"

#include <string.h>
#include <sys/sysctl.h>
#include <unistd.h>

#include "platform/thread.h"

uint64_t pail_machine_memory(void)
{
    uint64_t bytes = 0;
    size_t size = sizeof(bytes);
    return sysctlbyname("hw.memsize", &bytes, &size, NULL, 0) == 0 ? bytes : 0;
}

uint32_t pail_machine_processors(void)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 0 ? (uint32_t)processors : 1;
}

/* A thread cannot be kept to some of them. */
uint32_t pail_team_processors(void)
{
    return pail_machine_processors();
}

const char *pail_machine_error(int error, char *words, size_t capacity)
{
    return strerror_r(error, words, capacity) == 0 ? words : "an unknown error";
}
