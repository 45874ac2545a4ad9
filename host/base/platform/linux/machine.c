#include "platform/machine.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "platform/thread.h"

uint64_t pail_machine_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

uint32_t pail_machine_processors(void)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 0 ? (uint32_t)processors : 1;
}

const char *pail_machine_error(int error, char *words, size_t capacity)
{
    return strerror_r(error, words, capacity);
}

uint32_t pail_team_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
        return (uint32_t)CPU_COUNT(&set);
    return pail_machine_processors(); /* more than cpu_set_t holds, perhaps */
}
