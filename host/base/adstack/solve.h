/* SPDX-License-Identifier: Apache-2.0 */
/* Computes what an evaluation does not know yet: on the host what is cheap or was asked for there,
 * everything else in one submission to the device. */
#ifndef PAIL_ADSTACK_SOLVE_H
#define PAIL_ADSTACK_SOLVE_H

#include "cache.h"
#include "service.h"

struct pail_ad_how {
    uint32_t flags; /* pail_launch_flag: HOST, DEVICE, INTERPRET, SPECIALISE */
    uint64_t wait_semaphore, wait_value;
    uint64_t serial; /* of the launch; 0 for a diagnosis */
    bool fresh;      /* copies of foreign arrays that are kept do not count, and none is kept */
};

/* Computes the slots (what of them is needed in e->need), which are known afterwards.
 * Errors: PAIL_ERR_UNSUPPORTED  contents are where they cannot be read (the sentence has the
 * source) and what the device fails of; PAIL_ERR_STOPPED; errors of the computation are values */
pail_status pail_ad_solve(struct pail_adstack *service, struct pail_ad_evaluation *e,
                          const struct pail_ad_how *how, const uint32_t slots[], uint32_t n_slots,
                          struct pail_error *err);

#endif /* PAIL_ADSTACK_SOLVE_H */
