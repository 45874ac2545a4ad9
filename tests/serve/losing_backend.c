/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU backend as a device that can be slow and that can be lost, for tests of the service.
 *
 * Environment:
 *   LOSING_FILE     the device is lost while a file of that name exists, and a context that it was
 *                   lost under stays so; none can be made then
 *   LOSING_SLOW_MS  that each start of multiplications takes longer */
#define _POSIX_C_SOURCE 200809L

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <pail/backend.h>

#include <cpu/cpu.h>

static const pail_backend *cpu;
static pail_backend table;

static uint32_t high_score(const pail_host *host)
{
    (void)host;
    return 1000000000;
}

enum { CONTEXTS_MAX = 64 };
static pail_context *lost[CONTEXTS_MAX]; /* stay where they are: who is lost is not found again */
static atomic_int n_lost;

static bool is_lost(const pail_context *context)
{
    const char *const file = getenv("LOSING_FILE");
    if (file != NULL && access(file, F_OK) == 0)
        return true;
    for (int i = 0; i < atomic_load(&n_lost) && i < CONTEXTS_MAX; i++)
        if (lost[i] == context)
            return true;
    return false;
}

static pail_status create(const pail_host *host, pail_context **context,
                          const pail_context_params *params)
{
    *context = NULL;
    (void)fprintf(stderr, "losing: %u side queues are wanted\n", params->side_queues);
    return is_lost(NULL) ? PAIL_ERR_DEVICE_LOST : cpu->context_create(host, context, params);
}

static void destroy(pail_context **context)
{
    for (int i = 0; i < CONTEXTS_MAX; i++)
        if (lost[i] == *context)
            lost[i] = NULL;
    cpu->context_destroy(context);
}

static pail_status start(pail_context *context, pail_pending **pending, const pail_msm_job *jobs,
                         size_t n, const pail_msm_config *config)
{
    const char *const slow = getenv("LOSING_SLOW_MS");
    if (slow != NULL) {
        const long ms = strtol(slow, NULL, 10);
        (void)nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = (ms % 1000) * 1000000},
                        NULL);
    }
    if (is_lost(context)) {
        lost[atomic_fetch_add(&n_lost, 1) % CONTEXTS_MAX] = context;
        *pending = NULL;
        return PAIL_ERR_DEVICE_LOST;
    }
    return cpu->msm_start(context, pending, jobs, n, config);
}

__attribute__((visibility("default"))) pail_status pail_backend_open(const pail_host *host,
                                                                     const pail_backend **backend);

pail_status pail_backend_open(const pail_host *host, const pail_backend **backend)
{
    const pail_status status = pail_cpu_open(host, &cpu);
    *backend = NULL;
    if (status != PAIL_OK)
        return status;
    table = *cpu;
    table.name = "losing";
    table.score = high_score;
    table.msm_start = start;
    table.context_create = create;
    table.context_destroy = destroy;
    *backend = &table;
    return PAIL_OK;
}
