/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/machine.h"

#include <string.h>
#include <unistd.h>

#include "platform/processors.h"
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
    struct pail_processors set;
    pail_processors_of_threads(&set);
    return set.count > 0 ? set.count : pail_machine_processors(); /* more than a set, perhaps */
}
