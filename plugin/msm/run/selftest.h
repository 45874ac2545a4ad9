/* Self-test: a device must compute what the CPU does. Drivers have miscompiled shifts, lost writes
 * and contracted arithmetic, on some devices only; a wrong point is worse than none. */
#ifndef PAIL_MSM_SELFTEST_H
#define PAIL_MSM_SELFTEST_H

#include "multiplications.h"
#include "vk/pipeline.h"

#define PAIL_MSM_SELF_TEST_GROUPS 8u

/* 0 for a group whose kernels are not tested: those of the test curves. */
static inline uint32_t pail_msm_group_bit(uint32_t curve, uint32_t group)
{
    const uint32_t number = 2 * (curve - 1) + group - 1;
    return number < PAIL_MSM_SELF_TEST_GROUPS ? 1u << number : 0;
}

/* Multiplies a few points whose sum is known, with the kernels that `stats` says have run, unless
 * this context has done so before. The first result of these kernels waits for it.
 * In:  groups  pail_msm_group_bit of each, or-ed
 * Out: *pipelines  those of the test are added
 * Errors: PAIL_ERR_UNSUPPORTED  the device gives another sum
 *         PAIL_ERR_HOST_MEMORY, PAIL_ERR_DEVICE_MEMORY, PAIL_ERR_DEVICE_LOST, PAIL_ERR_INTERNAL */
pail_status pail_msm_self_test(struct pail_msm *msm, uint32_t groups, const pail_stats *stats,
                               struct pail_vk_pipeline_stats *pipelines, struct pail_error *err);

#endif /* PAIL_MSM_SELFTEST_H */
