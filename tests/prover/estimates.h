/* SPDX-License-Identifier: Apache-2.0 */
/* Memory where the context of support.h computes, as its backend allocates it. */
#ifndef PAIL_TESTS_PROVER_ESTIMATES_H
#define PAIL_TESTS_PROVER_ESTIMATES_H

#include "support.h"

/* Bytes that are allocated now; memory_most counts from here on. */
uint64_t memory_begin(void);
uint64_t memory_most(void);

bool estimates_are_slow(void);

#endif /* PAIL_TESTS_PROVER_ESTIMATES_H */
