/* SPDX-License-Identifier: Apache-2.0 */
/* adstack_poll_overflow and adstack_diagnose: why a stack was too small. */
#ifndef PAIL_ADSTACK_DIAGNOSE_H
#define PAIL_ADSTACK_DIAGNOSE_H

#include "service.h"

/* records: [room] at full size. Returns how many there are. */
size_t pail_adstack_poll_overflow(struct pail_adstack *service, pail_overflow records[],
                                  size_t room);

/* Structs at full size. A reason that cannot be found is a cause of its own, PAIL_CAUSE_UNKNOWN,
 * and no failure. Errors: memory and what the device fails of. */
pail_status pail_adstack_diagnose(struct pail_adstack *service, pail_diagnosis *diagnosis,
                                  const pail_overflow *record, struct pail_error *err);

#endif /* PAIL_ADSTACK_DIAGNOSE_H */
