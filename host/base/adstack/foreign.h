/* SPDX-License-Identifier: Apache-2.0 */
/* Contents of arrays that are on devices of the host's, while an evaluation needs them: callbacks
 * of the host bring them here, or reduce them where they are (pail_context_params.fetch). */
#ifndef PAIL_ADSTACK_FOREIGN_H
#define PAIL_ADSTACK_FOREIGN_H

#include "solve.h"

struct pail_ad_foreign;

/* Brings what the needed slots of an evaluation read: starts all, and waits for all. Then the host
 * can read these arrays, as far as needed slots do, until they are let go; values of reductions
 * that the host's device made are known. whole: brings all elements, for a reader that does not
 * know which are needed. Out: foreign, NULL where there is nothing to let go, and on failure.
 * Errors: PAIL_ERR_HOST_MEMORY, PAIL_ERR_STOPPED, and what callbacks fail with (context.h) */
pail_status pail_ad_foreign_bring(struct pail_ad_foreign **foreign, struct pail_adstack *service,
                                  struct pail_ad_evaluation *e, const struct pail_ad_how *how,
                                  bool whole, struct pail_error *err);

void pail_ad_foreign_let_go(struct pail_ad_foreign *foreign); /* may be NULL */

#endif /* PAIL_ADSTACK_FOREIGN_H */
