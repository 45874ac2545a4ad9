/* SPDX-License-Identifier: Apache-2.0 */
/* A device for `pail prove` that needs no driver: the CPU backend under another name, as a GPU that
 * is started slowly.
 *
 * Environment:
 *   SLOW_START_MS  how long making a context takes
 *   SLOW_BEST      it computes as well as the processor can, whatever PAIL_CPU says
 *   SLOW_DRIVER    (a number) version of the driver
 *   SLOW_BROKEN    no context can be made
 *   SLOW_NOISE     it says something on standard error, as drivers do
 *   SLOW_NAME      the name of the device
 *   SLOW_MSM_MS    how long starting a multiplication takes
 *   SLOW_MSMS      so many multiplications are started, and those behind them never
 *   SLOW_FAIL      (a number) the status that starting a multiplication returns
 *   SLOW_WRONG     results of multiplications are wrong
 *   SLOW_CRASH     a multiplication ends the process
 *   SLOW_BYE       destroying a context says something without an end of line, and ends it */
#define _GNU_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cpu/cpu.h>

static pail_backend table;
static const pail_backend *cpu;
static long started; /* multiplications, by one thread */

static uint32_t slow_score(const pail_host *host)
{
    (void)host;
    return 1000;
}

static void disguise(pail_device_info *info)
{
    const char *const driver = getenv("SLOW_DRIVER"), *const name = getenv("SLOW_NAME");
    (void)snprintf(info->name, sizeof(info->name), "%s", name != NULL ? name : "slow device");
    info->type = PAIL_DEVICE_DISCRETE;
    info->score = 1000;
    info->vendor_id = 0x510e;
    info->driver_version = driver != NULL ? (uint32_t)strtoul(driver, NULL, 10) : 1;
}

static pail_status slow_device_info(const pail_host *host, uint32_t index, pail_device_info *info)
{
    const pail_status status = cpu->device_info(host, index, info);
    if (status == PAIL_OK)
        disguise(info);
    return status;
}

static pail_status slow_context_device(pail_context *context, pail_device_info *info)
{
    const pail_status status = cpu->context_device(context, info);
    if (status == PAIL_OK)
        disguise(info);
    return status;
}

static void wait_for(const char *name)
{
    const char *const wait = getenv(name);
    const long ms = wait != NULL ? strtol(wait, NULL, 10) : 0;
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    (void)nanosleep(&time, NULL);
}

static pail_status slow_context_create(const pail_host *host, pail_context **context,
                                       const pail_context_params *params)
{
    wait_for("SLOW_START_MS");
    if (getenv("SLOW_NOISE") != NULL)
        (void)fputs("driver: warning: words of a driver\n", stderr);
    if (getenv("SLOW_TELLS") != NULL)
        (void)fprintf(stderr, "driver: %u side queues are wanted\n", params->side_queues);
    if (getenv("SLOW_BROKEN") != NULL)
        return cpu->context_create(NULL, context, params);
    char *const asked = getenv("PAIL_CPU") != NULL ? strdup(getenv("PAIL_CPU")) : NULL;
    if (getenv("SLOW_BEST") != NULL)
        (void)unsetenv("PAIL_CPU");
    const pail_status status = cpu->context_create(host, context, params);
    if (asked != NULL)
        (void)setenv("PAIL_CPU", asked, 1);
    free(asked);
    return status;
}

static void slow_context_destroy(pail_context **context)
{
    if (getenv("SLOW_BYE") != NULL) {
        (void)fputs("driver: no end of line", stderr);
        abort();
    }
    cpu->context_destroy(context);
}

static pail_status slow_msm_start(pail_context *context, pail_pending **pending,
                                  const pail_msm_job *jobs, size_t n_jobs,
                                  const pail_msm_config *config)
{
    if (getenv("SLOW_CRASH") != NULL)
        abort();
    if (getenv("SLOW_FAIL") != NULL)
        return (pail_status)strtol(getenv("SLOW_FAIL"), NULL, 10);
    if (getenv("SLOW_MSMS") != NULL && started++ >= strtol(getenv("SLOW_MSMS"), NULL, 10))
        for (;;)
            (void)pause();
    wait_for("SLOW_MSM_MS");
    return cpu->msm_start(context, pending, jobs, n_jobs, config);
}

static pail_status slow_msm_finish(pail_pending **pending, pail_msm_result *results,
                                   size_t n_results, pail_stats *stats)
{
    const pail_status status = cpu->msm_finish(pending, results, n_results, stats);
    for (size_t i = 0; status == PAIL_OK && getenv("SLOW_WRONG") != NULL && i < n_results; i++)
        results[i].x[0] ^= 1;
    return status;
}

__attribute__((visibility("default"))) pail_status pail_backend_open(const pail_host *host,
                                                                     const pail_backend **backend);

pail_status pail_backend_open(const pail_host *host, const pail_backend **backend)
{
    const pail_status status = pail_cpu_open(host, &cpu);
    if (status != PAIL_OK)
        return status;
    table = *cpu;
    table.name = "slow";
    table.score = slow_score;
    table.device_info = slow_device_info;
    table.context_create = slow_context_create;
    table.context_destroy = slow_context_destroy;
    table.context_device = slow_context_device;
    table.msm_start = slow_msm_start;
    table.msm_finish = slow_msm_finish;
    *backend = &table;
    return PAIL_OK;
}
