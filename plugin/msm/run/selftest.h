/* Self-test: a device must compute what the CPU does. Drivers have miscompiled shifts, lost writes
 * and contracted arithmetic, on some devices only; a wrong point is worse than none. */
#ifndef PAIL_MSM_SELFTEST_H
#define PAIL_MSM_SELFTEST_H

#include "pending.h"

/* Multiplies a few points whose sum is known, with the kernels that the plans of `p` choose, unless
 * this context has done so before. Their first multiplication waits for it, before it takes
 * anything of the device. Pipelines of the test count as those of `p`.
 * Errors: PAIL_ERR_UNSUPPORTED  the device gives another sum
 *         PAIL_ERR_HOST_MEMORY, PAIL_ERR_DEVICE_MEMORY, PAIL_ERR_DEVICE_LOST, PAIL_ERR_INTERNAL */
pail_status pail_msm_self_test(struct pail_pending *p, struct pail_error *err);

#endif /* PAIL_MSM_SELFTEST_H */
