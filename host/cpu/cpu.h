/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU backend: the table of a plugin, without a plugin. It serves where there is no GPU, and it
 * is the reference that results of other backends are compared with. */
#ifndef PAIL_CPU_H
#define PAIL_CPU_H

#include <stdbool.h>
#include <string.h>

#include <pail/pail.h>

/* Below every GPU, and above the 1 of a software Vulkan driver, which takes longer. */
#define PAIL_CPU_SCORE 10u

/* True for a table of this backend, and not for one of devices, of which it may be one. */
static inline bool pail_is_cpu(const pail_backend *any)
{
    return strcmp(any->name, PAIL_CPU_NAME) == 0;
}

/* The table that pail_cpu_open gives, for slots that need no host. */
extern const pail_backend pail_cpu_table;

/* Same as pail_backend_open of a plugin (pail_backend_open_fn). */
pail_status pail_cpu_open(const pail_host *host, const pail_backend **backend);

#endif /* PAIL_CPU_H */
