/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/processors.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* The kernel's masks are arrays of long, the lowest processor in the lowest bit: as here, on
 * machines whose lowest byte comes first. */
void pail_processors_get(struct pail_processors *set)
{
    memset(set, 0, sizeof(*set));
    if (sched_getaffinity(0, sizeof(set->bits), (cpu_set_t *)(void *)set->bits) != 0) {
        memset(set, 0, sizeof(*set));
        return;
    }
    for (uint32_t i = 0; i < PAIL_PROCESSORS_MAX; i++)
        set->count += pail_processors_has(set, i);
}

int pail_processors_use(const struct pail_processors *set)
{
    struct pail_processors copy = *set;
    return sched_setaffinity(0, sizeof(copy.bits), (cpu_set_t *)(void *)copy.bits) == 0 ? 0 : errno;
}

void pail_processors_forget_environment(void)
{
    static const char *const names[] = {"PAIL_CPUS", "PAIL_NUMA"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        (void)unsetenv(names[i]);
}
