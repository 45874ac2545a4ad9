/* How many threads a multiplication on the host may take: more buckets than the caches hold make
 * each thread slower, and everybody else as well. */
#ifndef PAIL_JOBS_POOL_SIZE_H
#define PAIL_JOBS_POOL_SIZE_H

#include <stdint.h>

struct pail_caches {
    uint32_t processors; /* that this process may use */
    uint64_t l3_bytes;   /* of all third-level caches of those; 0: unknown */
};

/* root: of the files of processors; NULL: /sys/devices/system/cpu. */
void pail_read_caches(struct pail_caches *caches, const char *root);

/* min(processors, cap / bytes of a worker), at least 1. cap_bytes 0: half of the third-level
 * caches; where these are unknown as well, all processors. */
uint32_t pail_pool_threads(const struct pail_caches *caches, uint64_t cap_bytes,
                           uint64_t worker_bytes);

#endif /* PAIL_JOBS_POOL_SIZE_H */
