/* SPDX-License-Identifier: Apache-2.0 */
#include "fp64.h"

#include <math.h>

#include <curves/fnv.h>
#include <curves/little_endian.h>
#include <modules.h>
#include <shared/msm_layout.h>

#include <core/log.h>

#include "vk/cmd.h"
#include "vk/device_cache.h"
#include "vk/staging.h"

/* Enough threads for the largest card, and enough rounds for timestamps to tell. */
#define GROUPS 1024u
#define ROUNDS 128u
/* Steps of a BN254 product: 162 in form x29 (docs/performance.md), two rows of 25 in form d51,
 * whose other work counts as a fifth more. The larger curve has the same ratio. */
#define STEPS_X29 162.0
#define STEPS_D51 60.0

/* Runs of each form, at most. Four processes that begin at once on an H200 disturb some of them. */
#define TURNS 8u
/* Factor by which a kept verdict must be wrong to be changed. */
#define CONTRARY     1.1
#define RECORD_BYTES 4u

#define RESULT_BYTES (4u * GROUPS * PROBE_WORKGROUP)
#define RESULTS_READ 1024u

struct run {
    struct pail_vk_device *dev;
    struct pail_vk_buffer results;
};

/* Device time of one dispatch, in ms. */
static pail_status time_form(const struct run *run, enum pail_field_form form, double *ms,
                             struct pail_error *err)
{
    const struct pail_variant variant = {.field = form};
    const struct probe_rate_push push = {.rounds = ROUNDS};
    const struct pail_vk_slice results = pail_vk_buffer_slice(&run->results, 0, RESULT_BYTES);
    const struct pail_vk_pipeline *pipeline;
    struct pail_vk_cmd *cmd = NULL;
    struct pail_vk_phase phase;
    uint32_t n = 0;
    pail_vk_ticket ticket;
    pail_status status =
        pail_vk_pipeline_get(run->dev, PAIL_KERNEL_PROBE_RATE, variant, NULL, 0, &pipeline, err);
    if (status == PAIL_OK)
        status = pail_vk_cmd_begin(run->dev, PAIL_VK_QUEUE_MAIN, "rate", &cmd, err);
    if (status != PAIL_OK)
        return status;
    /* The first run brings the code to the device. */
    for (uint32_t i = 0; i < 2; i++) {
        pail_vk_cmd_stamp(cmd, i ? "rate" : NULL);
        pail_vk_cmd_dispatch(cmd, pipeline, &results, 1, &push, sizeof(push), GROUPS, 1, 1);
        pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_COMPUTE | PAIL_VK_TRANSFER);
    }
    pail_vk_cmd_stamp(cmd, NULL);
    status = pail_vk_cmd_submit(cmd, &ticket, err);
    if (status == PAIL_OK)
        status = pail_vk_wait(run->dev, ticket, PAIL_VK_FOREVER, err);
    if (status == PAIL_OK)
        status = pail_vk_cmd_phases(cmd, &phase, 1, &n, err);
    *ms = status == PAIL_OK && n ? phase.ms : 0;
    pail_vk_cmd_release(&cmd);
    return status;
}

static pail_status all_exact(const struct run *run, bool *exact, struct pail_error *err)
{
    uint32_t words[RESULTS_READ];
    const struct pail_vk_slice results = pail_vk_buffer_slice(&run->results, 0, RESULT_BYTES);
    const pail_status status =
        pail_vk_download(run->dev, &results, 0, words, sizeof(words), PAIL_VK_FOREVER, err);
    *exact = status == PAIL_OK;
    for (uint32_t i = 0; i < RESULTS_READ && *exact; i++)
        *exact = words[i] & 1;
    return status;
}

enum pail_msm_doubles pail_msm_judge_doubles(double x29_ms, double d51_ms,
                                             enum pail_msm_doubles kept)
{
    if (!(x29_ms > 0 && x29_ms < INFINITY) || !(d51_ms > 0 && d51_ms < INFINITY))
        return PAIL_MSM_DOUBLES_SLOW;
    const double gain = STEPS_X29 * x29_ms / (STEPS_D51 * d51_ms);
    const double least = kept == PAIL_MSM_DOUBLES_UNKNOWN ? 1
                         : kept == PAIL_MSM_DOUBLES_FAST  ? 1 / CONTRARY
                                                          : CONTRARY;
    return gain > least ? PAIL_MSM_DOUBLES_FAST : PAIL_MSM_DOUBLES_SLOW;
}

/* ---- The verdict in the device's cache ------------------------------------------------------- */
static struct pail_cache_key key_of(struct pail_vk_device *dev)
{
    struct pail_cache_key key = {.kind = PAIL_CACHE_TUNING,
                                 .name = "tuning/doubles",
                                 .code_hash = pail_fnv1a64(NULL, 0),
                                 .device = pail_vk_cache_device(pail_vk_device_caps(dev))};
    const enum pail_field_form forms[] = {PAIL_FORM_X29, PAIL_FORM_D51};
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        const struct pail_variant variant = {.field = forms[i]};
        const uint64_t hash =
            pail_modules[pail_variant_index(PAIL_KERNEL_PROBE_RATE, variant)].hash;
        key.code_hash = pail_fnv1a64_more(key.code_hash, &hash, sizeof(hash));
    }
    return key;
}

static enum pail_msm_doubles kept_verdict(struct pail_vk_device *dev)
{
    struct pail_cache *cache = pail_vk_device_cache(dev);
    if (!cache)
        return PAIL_MSM_DOUBLES_UNKNOWN;
    const struct pail_cache_key key = key_of(dev);
    size_t bytes = 0;
    uint8_t *record = pail_cache_get(cache, &key, &bytes);
    const uint32_t word = record && bytes == RECORD_BYTES ? pail_read_u32(record) : 0;
    pail_cache_release(cache, record);
    return word == PAIL_MSM_DOUBLES_SLOW || word == PAIL_MSM_DOUBLES_FAST
               ? (enum pail_msm_doubles)word
               : PAIL_MSM_DOUBLES_UNKNOWN;
}

static void keep_verdict(struct pail_vk_device *dev, enum pail_msm_doubles verdict)
{
    struct pail_cache *cache = pail_vk_device_cache(dev);
    if (!cache)
        return;
    const struct pail_cache_key key = key_of(dev);
    uint8_t record[RECORD_BYTES];
    pail_store_u32(record, verdict);
    pail_cache_put(cache, &key, record, sizeof(record));
}

/* ---- Measuring ------------------------------------------------------------------------------- */
/* Both forms in turns, the least time of each: what else the device does can only add to one. A
 * verdict that is kept is left alone as soon as the times allow it. */
static pail_status measure(struct run *run, struct pail_error *err)
{
    double x29 = INFINITY, d51 = INFINITY;
    bool exact = false;
    const enum pail_msm_doubles kept = kept_verdict(run->dev);
    enum pail_msm_doubles verdict = PAIL_MSM_DOUBLES_UNKNOWN;
    pail_status status = PAIL_OK;
    uint32_t turns = 0;
    while (status == PAIL_OK && turns < TURNS && (turns == 0 || verdict != kept)) {
        double x29_ms, d51_ms;
        status = time_form(run, PAIL_FORM_X29, &x29_ms, err);
        if (status == PAIL_OK)
            status = time_form(run, PAIL_FORM_D51, &d51_ms, err);
        if (status != PAIL_OK)
            return status;
        x29 = x29_ms > 0 ? fmin(x29, x29_ms) : x29;
        d51 = d51_ms > 0 ? fmin(d51, d51_ms) : d51;
        verdict = pail_msm_judge_doubles(x29, d51, kept);
        turns++;
    }
    status = all_exact(run, &exact, err);
    if (status != PAIL_OK)
        return status;
    const bool fast = exact && verdict == PAIL_MSM_DOUBLES_FAST;
    pail_log(pail_vk_device_log(run->dev), PAIL_LOG_INFO,
             "doubles: %s; %u steps of %u threads in %.3f ms, of 64-bit integers in %.3f ms, the "
             "least of %u; form d51 is %s%s",
             exact ? "multiply-adds are fused" : "multiply-adds are not fused",
             ROUNDS * PROBE_RATE_STEPS, GROUPS * PROBE_WORKGROUP, d51, x29, turns,
             fast ? "taken" : "not taken", verdict == kept ? ", as before" : "");
    if (exact && verdict != kept)
        keep_verdict(run->dev, verdict);
    pail_vk_device_found_doubles(run->dev, exact, fast);
    return PAIL_OK;
}

pail_status pail_msm_measure_doubles(struct pail_vk_device *dev, struct pail_error *err)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(dev);
    if (!caps->float64 || !caps->int64 || caps->timestamp_bits == 0 ||
        caps->type == VK_PHYSICAL_DEVICE_TYPE_CPU || caps->max_storage_range < RESULT_BYTES ||
        caps->max_buffer_bytes < RESULT_BYTES || caps->max_workgroup_count[0] < GROUPS ||
        caps->max_workgroup_invocations < PROBE_WORKGROUP)
        return PAIL_OK;
    /* The measurement must run the fused code. */
    pail_vk_device_found_doubles(dev, true, false);
    struct run run = {.dev = dev};
    pail_status status =
        pail_vk_buffer_create(dev, &run.results, PAIL_VK_MEMORY_DEVICE, RESULT_BYTES, "rate", err);
    if (status == PAIL_OK)
        status = measure(&run, err);
    if (status != PAIL_OK)
        pail_vk_device_found_doubles(dev, false, false);
    /* After a failure too: what was submitted still writes there. */
    (void)pail_vk_wait(dev, pail_vk_last_ticket(dev, PAIL_VK_QUEUE_MAIN), PAIL_VK_FOREVER, NULL);
    pail_vk_buffer_destroy(dev, &run.results);
    return status;
}
