/* SPDX-License-Identifier: Apache-2.0 */
/* Data that the lanes of a proof give each other, through the host's memory. Secret: wiped by the
 * last reader, and at the end. */
#ifndef PAIL_PROOF_EXCHANGE_H
#define PAIL_PROOF_EXCHANGE_H

#include <pthread.h>

#include "graph.h"
#include <pail/status.h>

struct pail_exchange {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint8_t *items[PAIL_EXCHANGE_ITEMS];
    size_t bytes;                          /* of an item */
    uint32_t readers[PAIL_EXCHANGE_ITEMS]; /* readers of an item in each proof */
    uint32_t left[PAIL_EXCHANGE_ITEMS];    /* readers that have not read it yet */
    bool there[PAIL_EXCHANGE_ITEMS], dirty[PAIL_EXCHANGE_ITEMS], failed;
};

/* Items have domain_size elements. An item that none of n lanes takes is not given, and takes no
 * memory. On failure nothing is to be cleared. */
pail_status pail_exchange_init(struct pail_exchange *exchange, const struct pail_proof_lane *lanes,
                               uint32_t n, uint64_t domain_size);
/* Prepares for the next proof. */
void pail_exchange_begin(struct pail_exchange *exchange);
/* The memory of an item, to be written before it is told of. */
uint8_t *pail_exchange_write(struct pail_exchange *exchange, size_t item);
void pail_exchange_tell(struct pail_exchange *exchange, size_t item);
void pail_exchange_fail(struct pail_exchange *exchange);
/* Waits for an item. NULL: it will not come. */
const uint8_t *pail_exchange_wait(struct pail_exchange *exchange, size_t item);
/* Notes that a reader has done; the last one wipes the item. */
void pail_exchange_done(struct pail_exchange *exchange, size_t item);
/* Wipes the items of a proof that are left. */
void pail_exchange_end(struct pail_exchange *exchange);
void pail_exchange_clear(struct pail_exchange *exchange);

#endif /* PAIL_PROOF_EXCHANGE_H */
