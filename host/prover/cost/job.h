/* Facts of a key from its header and a sample of its points. */
#ifndef PAIL_COST_JOB_H
#define PAIL_COST_JOB_H

#include <formats/zkey.h>

#include "cost.h"

/* Out: key: work is in additions of BN254's first group, about 2^3 for each constraint. */
void pail_cost_key_of(struct pail_cost_key *key, const struct pail_zkey *zkey);

#endif /* PAIL_COST_JOB_H */
