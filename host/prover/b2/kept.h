/* Measured choices of B2 outlive a key: an entry of the cache that has the device's tunings. */
#ifndef PAIL_B2_KEPT_H
#define PAIL_B2_KEPT_H

#include <pail/backend.h>

#include "choice.h"

/* Proofs that are alike. */
struct pail_b2_class {
    pail_device_info device; /* the other device */
    uint32_t curve, log2_domain;
    uint32_t finite;  /* eighths of B2's points that are not at infinity, by a sample */
    uint32_t threads; /* threads of the processors' part */
    char processor[256];
    uint64_t arithmetic; /* requested arithmetic (PAIL_CPU), hashed; 0: the best */
};

/* *record: zeroed where there is none. dir: as of pail_cache_params. PAIL_DEBUG=nocache: nothing is
 * read, nothing kept. */
void pail_b2_kept_load(struct pail_b2_record *record, const struct pail_b2_class *of,
                       const char *dir);
void pail_b2_kept_store(const struct pail_b2_record *record, const struct pail_b2_class *of,
                        const char *dir);

#endif /* PAIL_B2_KEPT_H */
