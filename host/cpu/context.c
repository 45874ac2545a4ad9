/* SPDX-License-Identifier: Apache-2.0 */
#include "context.h"

#include <platform/process.h>

#include <errno.h>
#include <platform/machine.h>
#include <platform/text.h>
#include <platform/thread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <adstack/service.h>
#include <core/debug.h>

#include "cpu.h"

/* The processor's name as Linux gives it; "CPU" where it gives none. */
static void processor_name(char *name, size_t capacity)
{
    snprintf(name, capacity, "CPU");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file)
        return;
    char line[512];
    while (fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (colon && strncmp(line, "model name", 10) == 0) {
            colon += 1 + strspn(colon + 1, " \t");
            snprintf(name, capacity, "%.*s", (int)strcspn(colon, "\n"), colon);
            break;
        }
    }
    fclose(file);
}

static void describe(pail_device_info *info, uint32_t threads)
{
    *info = (pail_device_info){
        .driver = "Pail CPU backend",
        .type = PAIL_DEVICE_CPU,
        .features = PAIL_FEATURE_INT64 | PAIL_FEATURE_FLOAT64 | PAIL_FEATURE_DEVICE_ADDRESS |
                    PAIL_FEATURE_TIMESTAMPS | PAIL_FEATURE_UNIFIED_MEMORY,
        .usable = 1,
        .score = PAIL_CPU_SCORE,
        .compute_units = threads,
    };
    processor_name(info->name, sizeof info->name);
    info->heap_bytes = pail_machine_memory();
    info->max_binding_bytes = info->max_allocation_bytes = info->heap_bytes;
}

pail_status pail_cpu_score(const pail_host *host, uint32_t *score, struct pail_error *err)
{
    (void)host;
    (void)err;
    *score = PAIL_CPU_SCORE;
    return PAIL_OK;
}

pail_status pail_cpu_device_count(const pail_host *host, uint32_t *count, struct pail_error *err)
{
    (void)host;
    (void)err;
    *count = 1;
    return PAIL_OK;
}

pail_status pail_cpu_device_info(const pail_host *host, uint32_t index, pail_device_info *info,
                                 struct pail_error *err)
{
    (void)host;
    if (index != 0)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "device %u: the CPU backend has device 0 only",
                         index);
    describe(info, pail_team_processors());
    return PAIL_OK;
}

pail_status pail_cpu_context_device(pail_context *context, pail_device_info *info,
                                    struct pail_error *err)
{
    (void)err;
    describe(info, (uint32_t)pail_cpu_pool_threads(context->pool));
    snprintf(info->driver, sizeof info->driver, "Pail CPU backend, %s arithmetic",
             pail_cpu_arithmetic_name(context->choice.arithmetic));
    return PAIL_OK;
}

/* EAGAIN is what threads fail with for want of anything: memory, or a limit on their number. */
static pail_status no_threads(uint32_t threads, int error, struct pail_error *err)
{
    char words[128];
    const char *why = pail_machine_error(error, words, sizeof words);
    if (error == ENOMEM)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for %u threads", threads);
    if (error == EAGAIN) {
        return pail_fail(err, PAIL_ERR_HOST_MEMORY,
                         "%u threads could not be started: %s: there is no memory for their "
                         "stacks, or the process may have no more threads",
                         threads, why);
    }
    return pail_fail(err, PAIL_ERR_INTERNAL, "%u threads could not be started: %s", threads, why);
}

/* Sizing of stacks. Arrays are host memory, and so is what kernels report overflows to. */
static pail_status open_adstack(pail_context *context, const pail_host *host,
                                const pail_context_params *params, struct pail_error *err)
{
    const struct pail_ad_env env = {
        .alloc = context->memory,
        .log = {host->user, host->log},
        .debug = pail_words_have(pail_env("PAIL_DEBUG"), "trace") ? (uint32_t)PAIL_DEBUG_TRACE : 0,
        .cache_bytes = params->adstack_cache_bytes,
        .memories = &context->memories,
        .pointers = true,
        .no_semaphores = "the CPU backend knows no device that signals it: wait before the call",
        .semaphores = PAIL_ERR_UNSUPPORTED, /* as of jobs */
        .fetch = params->fetch ? *params->fetch : (pail_fetch_callbacks){0},
    };
    return pail_adstack_create(&context->adstack, &env, err);
}

pail_status pail_cpu_context_create(const pail_host *host, pail_context **out,
                                    const pail_context_params *params, struct pail_error *err)
{
    if (params->import) {
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "params->import: the CPU backend cannot use a Vulkan device");
    }
    if (params->device != 0 && params->device != PAIL_DEVICE_BEST) {
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "params->device is %u: the CPU backend has device 0 only", params->device);
    }
    if (params->threads > PAIL_CPU_THREADS_MAX) {
        return pail_fail(err, PAIL_ERR_ARGUMENT, "params->threads is %u: at most %u",
                         params->threads, PAIL_CPU_THREADS_MAX);
    }
    const char *const word = pail_env("PAIL_CPU");
    struct pail_cpu_choice choice;
    const pail_status status = pail_cpu_arithmetic_choose(&choice, word ? word : "", err);
    if (status != PAIL_OK)
        return status;
    choice.log = (struct pail_log){host->user, host->log};
    const struct pail_alloc memory = {host->user, host->alloc, host->free};
    pail_context *context = pail_cpu_alloc(&memory, 1, sizeof *context);
    if (!context)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for a context");
    *context =
        (pail_context){.memory = memory, .memory_budget = params->memory_budget, .choice = choice};
    pail_cpu_throttle_init(&context->throttle);
    const uint32_t threads = params->threads ? params->threads : pail_team_processors();
    const pail_status table = pail_ranges_init(&context->memories, &memory, err);
    if (table != PAIL_OK) {
        pail_cpu_free(&memory, context);
        return table;
    }
    const pail_status sizing = open_adstack(context, host, params, err);
    if (sizing != PAIL_OK) {
        pail_ranges_fini(&context->memories);
        pail_cpu_free(&memory, context);
        return sizing;
    }
    pail_pin(); /* the threads run code of this object */
    const int error = pail_cpu_pool_create(&context->pool, &memory, threads);
    if (error != 0) {
        pail_unpin();
        pail_adstack_destroy(&context->adstack);
        pail_ranges_fini(&context->memories);
        pail_cpu_free(&memory, context);
        return no_threads(threads, error, err);
    }
    *out = context;
    return PAIL_OK;
}

void pail_cpu_context_destroy(pail_context *context)
{
    const struct pail_alloc memory = context->memory;
    pail_cpu_pool_destroy(context->pool, &memory);
    pail_adstack_destroy(&context->adstack);
    pail_ranges_fini(&context->memories);
    pail_cpu_free(&memory, context);
    pail_unpin();
}
