/* SPDX-License-Identifier: Apache-2.0 */
/* Prepared launches: a kernel with its arrays, tasks and heaps, checked once and looked up once.
 * A launch that changes little compares what changed, and no more. */
#ifndef PAIL_ADSTACK_PREPARED_H
#define PAIL_ADSTACK_PREPARED_H

#include "service.h"

/* launch: at full size. Errors: PAIL_ERR_ARGUMENT as adstack_evaluate; PAIL_ERR_HOST_MEMORY */
pail_status pail_adstack_prepare(struct pail_adstack *service,
                                 struct pail_adstack_prepared **prepared, const pail_launch *launch,
                                 struct pail_error *err);

/* Before its service is destroyed. */
void pail_adstack_prepared_destroy(struct pail_adstack_prepared *prepared);

/* change: at full size; NULL: none. A launch that hits allocates nothing, asks the device for
 * nothing, and takes no lock but that of its kernel, unless it is told of writes or other arrays.
 * Errors: PAIL_ERR_ARGUMENT  the change breaks a rule, and nothing changes; the kernel is gone; an
 *                            array was forgotten; another call uses `prepared`
 *         otherwise as adstack_evaluate, and the change stays */
pail_status pail_adstack_evaluate_prepared(struct pail_adstack_prepared *prepared,
                                           struct pail_adstack_result **result,
                                           const pail_launch_change *change,
                                           struct pail_error *err);

const struct pail_log *pail_adstack_prepared_log(const struct pail_adstack_prepared *prepared);

/* Adds the counters of what is prepared to a service's; resets them. */
void pail_ad_prepared_stats(struct pail_adstack *service, pail_adstack_stats *stats);
void pail_ad_prepared_reset(struct pail_adstack *service);

#endif /* PAIL_ADSTACK_PREPARED_H */
