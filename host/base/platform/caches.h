/* Number of threads that a multiplication on the host may take: more buckets than the caches hold
 * make each thread slower, and everybody else as well. */
#ifndef PAIL_PLATFORM_CACHES_H
#define PAIL_PLATFORM_CACHES_H

#include <stdint.h>

struct pail_caches {
    uint32_t processors; /* processors that this process may use at a time: by its affinity, and by
                          * the time that its control groups (version 2) give it */
    uint64_t l3_bytes;   /* size of the third-level caches of these processors; 0: unknown */
};

/* Files and folders in which the system describes processors. */
struct pail_processor_files {
    const char *cpus;   /* has cpu0/cache */
    const char *proc;   /* has thread-self/status and self/cgroup */
    const char *cgroup; /* mount point of the unified hierarchy */
};

/* files: NULL: the system's own. */
void pail_read_caches(struct pail_caches *caches, const struct pail_processor_files *files);

/* min(processors, cap / bytes of a worker), at least 1. cap_bytes 0: half of the third-level
 * caches; where these are unknown as well, all processors. */
uint32_t pail_pool_threads(const struct pail_caches *caches, uint64_t cap_bytes,
                           uint64_t worker_bytes);

#endif /* PAIL_PLATFORM_CACHES_H */
