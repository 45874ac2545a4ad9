/* Where the ledger's heaps learn what there is: functions for struct pail_ledger_heap. */
#ifndef PAIL_LEDGER_HEAPS_H
#define PAIL_LEDGER_HEAPS_H

#include <pail/backend.h>

#include "ledger.h"

/* The files of the host's memory; NULL: /proc and /sys/fs/cgroup. */
struct pail_host_files {
    const char *proc;   /* has meminfo and self/cgroup */
    const char *cgroup; /* where the unified hierarchy (version 2) is mounted */
};

/* The memory of the host: what the machine has and what each group that the process is in allows,
 * the least of them. A group's page cache that can be dropped counts as free. user: optional:
 * struct pail_host_files. */
void pail_read_host_memory(void *user, struct pail_heap_reading *reading);

struct pail_device_heap {
    const pail_backend *backend;
    pail_context *context;
};

/* The heap of a device, as it is read: a part of the host's (index host) where the context has no
 * memory of its own. Out: heap, but for limit and margin. heap->user is the device, which lives as
 * long as the ledger. */
void pail_describe_device_heap(struct pail_ledger_heap *heap, struct pail_device_heap *device,
                               uint32_t host);

#endif /* PAIL_LEDGER_HEAPS_H */
