/* SPDX-License-Identifier: Apache-2.0 */
/* Readings of the ledger's heaps: functions for struct pail_ledger_heap. */
#ifndef PAIL_LEDGER_HEAPS_H
#define PAIL_LEDGER_HEAPS_H

#include <pail/backend.h>

#include "ledger.h"

/* The files of the host's memory; NULL: /proc and /sys/fs/cgroup. */
struct pail_host_files {
    const char *proc;   /* has meminfo and self/cgroup */
    const char *cgroup; /* mount of the unified hierarchy (version 2) */
};

/* Reads the memory of the host: that of the machine, and the limit of each group of the process,
 * the least of them. A group's page cache that can be dropped counts as free. user: optional:
 * struct pail_host_files. */
void pail_read_host_memory(void *user, struct pail_heap_reading *reading);

struct pail_device_heap {
    const pail_backend *backend;
    pail_context *context;
};

/* Describes the heap of a device: a part of the host's (index host) where the context has no memory
 * of its own. Out: heap, but for limit and margin. heap->user is the device, which lives as long as
 * the ledger. */
void pail_describe_device_heap(struct pail_ledger_heap *heap, struct pail_device_heap *device,
                               uint32_t host);

#endif /* PAIL_LEDGER_HEAPS_H */
