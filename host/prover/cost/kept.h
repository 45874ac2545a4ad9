/* Costs outlive a process: an entry of the cache, in a file of its own, for no driver is known when
 * it is read. */
#ifndef PAIL_COST_KEPT_H
#define PAIL_COST_KEPT_H

#include <stddef.h>

#include "machine.h"

enum { PAIL_COST_RECORD_BYTES = 24 + 24 + PAIL_COST_CIRCUITS * (24 + 6 * 12) };

/* Encodes the record as bytes, and decodes it: false, and zeros, for one that makes no sense. */
void pail_cost_encode(uint8_t bytes[PAIL_COST_RECORD_BYTES], const struct pail_cost_record *record);
bool pail_cost_decode(struct pail_cost_record *record, const uint8_t *bytes, size_t n);

/* Loads the record. *record: zeroed where there is none. dir: as in pail_cache_params.
 * PAIL_DEBUG=nocache: nothing is read, nothing kept. Returns whether there is a folder to keep it
 * in. */
bool pail_cost_load(struct pail_cost_record *record, const struct pail_cost_machine *machine,
                    const char *dir);
void pail_cost_store(const struct pail_cost_record *record, const struct pail_cost_machine *machine,
                     const char *dir);

#endif /* PAIL_COST_KEPT_H */
