/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of addresses, each of an object, which is found by any address in its range. Thread-safe.
 */
#ifndef PAIL_CORE_RANGES_H
#define PAIL_CORE_RANGES_H

#include <pthread.h>
#include <stdbool.h>

#include "alloc.h"

struct pail_range {
    uint64_t begin, bytes;
    void *object;
};

struct pail_ranges {
    struct pail_alloc alloc;
    pthread_mutex_t lock;   /* guards what follows */
    struct pail_range *all; /* [n], rising, none of which overlap */
    uint32_t n, capacity;
};

/* Errors: PAIL_ERR_INTERNAL. */
pail_status pail_ranges_init(struct pail_ranges *ranges, const struct pail_alloc *alloc,
                             struct pail_error *err);
void pail_ranges_fini(struct pail_ranges *ranges);

/* range: of at least one byte. Errors: PAIL_ERR_HOST_MEMORY. */
pail_status pail_ranges_add(struct pail_ranges *ranges, const struct pail_range *range,
                            struct pail_error *err);

/* begin: of a range that is there. */
void pail_ranges_remove(struct pail_ranges *ranges, uint64_t begin);

/* The range that has the byte at an address; false: there is none. */
bool pail_ranges_find(struct pail_ranges *ranges, uint64_t address, struct pail_range *range);

#endif /* PAIL_CORE_RANGES_H */
