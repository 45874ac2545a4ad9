/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplications of nothing, for tests of what is around them. */
#ifndef PAIL_TESTS_CLUSTER_NOTHING_H
#define PAIL_TESTS_CLUSTER_NOTHING_H

#include <pail/backend.h>
#include <stdbool.h>

static pail_status nothing_start(pail_context *context, pail_pending **pending,
                                 const pail_msm_job *jobs, size_t n, const pail_msm_config *config)
{
    (void)context;
    (void)jobs;
    (void)n;
    (void)config;
    *pending = NULL;
    return PAIL_OK;
}

static pail_status nothing_finish(pail_pending **pending, pail_msm_result *results, size_t n,
                                  pail_stats *stats)
{
    (void)pending;
    (void)n;
    (void)stats;
    results->infinity = true;
    results->coordinate_bytes = 32;
    return PAIL_OK;
}

#endif /* PAIL_TESTS_CLUSTER_NOTHING_H */
