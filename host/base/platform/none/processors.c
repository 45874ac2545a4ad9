/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/processors.h"

#include <errno.h>
#include <string.h>

void pail_processors_get(struct pail_processors *set)
{
    memset(set, 0, sizeof(*set));
}

int pail_processors_use(const struct pail_processors *set)
{
    (void)set;
    return ENOSYS;
}

/* Nothing reads them here. */
void pail_processors_forget_environment(void)
{
}
