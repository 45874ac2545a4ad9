/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cmd_priv.h"
#include "pipeline_priv.h"

#define NONE UINT32_MAX

static bool has_timestamps(const struct pail_vk_cmd *cmd)
{
    return !cmd->foreign && cmd->queue->timestamp_bits > 0;
}

/* Writes a timestamp when all work before it is done; returns its number, or NONE after a failure.
 */
static uint32_t write_timestamp(struct pail_vk_cmd *cmd)
{
    struct pail_vk_device *dev = cmd->dev;
    struct pail_error error;
    const uint32_t pool = cmd->n_queries / PAIL_VK_QUERIES_PER_POOL;
    if (pool == cmd->n_query_pools) {
        if (!pail_vk_cmd_note(cmd,
                              pail_grow(&dev->alloc, &cmd->query_pools, &cmd->cap_query_pools,
                                        pool + 1, sizeof(VkQueryPool), &error),
                              &error))
            return NONE;
        const VkQueryPoolCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
            .queryType = VK_QUERY_TYPE_TIMESTAMP,
            .queryCount = PAIL_VK_QUERIES_PER_POOL,
        };
        const VkResult result =
            dev->vk.vkCreateQueryPool(dev->handle, &info, NULL, &cmd->query_pools[pool]);
        if (!pail_vk_cmd_note(cmd, pail_vk_device_result(dev, result, "vkCreateQueryPool", &error),
                              &error))
            return NONE;
        cmd->n_query_pools++;
        dev->vk.vkCmdResetQueryPool(cmd->buffer, cmd->query_pools[pool], 0,
                                    PAIL_VK_QUERIES_PER_POOL);
    }
    dev->vk.vkCmdWriteTimestamp(cmd->buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                cmd->query_pools[pool], cmd->n_queries % PAIL_VK_QUERIES_PER_POOL);
    return cmd->n_queries++;
}

/* Begins a span; returns its number, or NONE after a failure. */
static uint32_t begin_span(struct pail_vk_cmd *cmd, const char *name, enum pail_vk_span_kind kind,
                           uint32_t stamp)
{
    struct pail_error error;
    if (cmd->status != PAIL_OK ||
        !pail_vk_cmd_note(cmd,
                          pail_grow(&cmd->dev->alloc, &cmd->spans, &cmd->cap_spans,
                                    cmd->n_spans + 1, sizeof(*cmd->spans), &error),
                          &error))
        return NONE;
    cmd->spans[cmd->n_spans] =
        (struct pail_vk_span){.name = name, .begin = stamp, .end = NONE, .kind = kind};
    return cmd->n_spans++;
}

/* A timestamp; the first one of a command buffer begins the submission's span. */
static uint32_t stamp_now(struct pail_vk_cmd *cmd)
{
    const uint32_t stamp = write_timestamp(cmd);
    if (cmd->submission == NONE && stamp != NONE)
        cmd->submission = begin_span(cmd, cmd->label, PAIL_VK_SPAN_SUBMISSION, stamp);
    return stamp;
}

/* The last timestamp of a command buffer ends it. */
static void end_submission(struct pail_vk_cmd *cmd)
{
    if (cmd->submission != NONE)
        cmd->spans[cmd->submission].end = cmd->n_queries - 1;
    cmd->submission = NONE;
}

void pail_vk_stamps_cut(struct pail_vk_cmd *cmd)
{
    if (cmd->submission != NONE)
        (void)write_timestamp(cmd);
    end_submission(cmd);
}

void pail_vk_stamps_resume(struct pail_vk_cmd *cmd)
{
    if (cmd->status == PAIL_OK && has_timestamps(cmd))
        (void)stamp_now(cmd);
}

void pail_vk_stamps_begin(struct pail_vk_cmd *cmd)
{
    cmd->n_queries = 0;
    cmd->n_spans = 0;
    cmd->running = cmd->submission = NONE;
    cmd->times_logged = cmd->ticks_read = false;
    if (!has_timestamps(cmd))
        return;
    for (uint32_t i = 0; i < cmd->n_query_pools; i++)
        cmd->dev->vk.vkCmdResetQueryPool(cmd->buffer, cmd->query_pools[i], 0,
                                         PAIL_VK_QUERIES_PER_POOL);
}

void pail_vk_cmd_stamp(struct pail_vk_cmd *cmd, const char *name)
{
    if (cmd->status != PAIL_OK || !has_timestamps(cmd) || (!name && cmd->running == NONE))
        return;
    const uint32_t stamp = stamp_now(cmd); /* ends one phase and begins the next */
    if (cmd->running != NONE)
        cmd->spans[cmd->running].end = stamp;
    cmd->running = NONE;
    if (name && stamp != NONE)
        cmd->running = begin_span(cmd, name, PAIL_VK_SPAN_PHASE, stamp);
}

void pail_vk_stamps_end(struct pail_vk_cmd *cmd)
{
    pail_vk_cmd_stamp(cmd, NULL);
    end_submission(cmd);
}

/* True if the time of a portion is worth two timestamps, or a note where there are none. */
static bool teaches(const struct pail_vk_cmd *cmd, const struct pail_vk_work *work, double ms)
{
    return cmd->dev->pace.learns && !cmd->foreign && work->units > 0 && ms >= PAIL_VK_TIMED_MS;
}

void pail_vk_stamps_kernel_begin(struct pail_vk_cmd *cmd, const struct pail_vk_pipeline *pipeline,
                                 const struct pail_vk_work *work, double ms)
{
    const bool stamps = has_timestamps(cmd), taught = teaches(cmd, work, ms);
    cmd->kernel = NONE;
    if (!taught && !(stamps && cmd->dev->debug & PAIL_DEBUG_TIME))
        return;
    const uint32_t stamp = stamps ? stamp_now(cmd) : NONE;
    cmd->kernel = begin_span(cmd, pipeline->name, PAIL_VK_SPAN_KERNEL, stamp);
    if (cmd->kernel == NONE || !taught)
        return;
    struct pail_vk_span *span = &cmd->spans[cmd->kernel];
    span->work = *work;
    span->hash = pipeline->hash;
    span->ms = ms;
}

void pail_vk_stamps_kernel_end(struct pail_vk_cmd *cmd)
{
    if (cmd->kernel != NONE && has_timestamps(cmd) && cmd->status == PAIL_OK) {
        const uint32_t stamp = write_timestamp(cmd);
        cmd->spans[cmd->kernel].end = stamp;
    }
}

void pail_vk_stamps_fini(struct pail_vk_cmd *cmd)
{
    for (uint32_t i = 0; i < cmd->n_query_pools; i++)
        cmd->dev->vk.vkDestroyQueryPool(cmd->dev->handle, cmd->query_pools[i], NULL);
    pail_free(&cmd->dev->alloc, cmd->query_pools);
    pail_free(&cmd->dev->alloc, cmd->ticks);
    pail_free(&cmd->dev->alloc, cmd->spans);
}

/* Timestamps of one query pool after another. */
static pail_status fetch_ticks(struct pail_vk_cmd *cmd, struct pail_error *err)
{
    struct pail_vk_device *dev = cmd->dev;
    const size_t size = sizeof(*cmd->ticks);
    for (uint32_t first = 0; first < cmd->n_queries; first += PAIL_VK_QUERIES_PER_POOL) {
        const uint32_t left = cmd->n_queries - first;
        const uint32_t n = left < PAIL_VK_QUERIES_PER_POOL ? left : PAIL_VK_QUERIES_PER_POOL;
        const VkResult result = dev->vk.vkGetQueryPoolResults(
            dev->handle, cmd->query_pools[first / PAIL_VK_QUERIES_PER_POOL], 0, n, n * size,
            cmd->ticks + first, size, VK_QUERY_RESULT_64_BIT);
        if (result != VK_SUCCESS) {
            const pail_status status =
                pail_vk_device_result(dev, result, "vkGetQueryPoolResults", err);
            return status == PAIL_NOT_READY
                       ? pail_fail(err, PAIL_ERR_INTERNAL,
                                   "a timestamp of \"%s\" is missing though its work is complete",
                                   cmd->label)
                       : status;
        }
    }
    return PAIL_OK;
}

/* All timestamps of a recording whose work is complete. They are asked for once, for a question
 * takes a driver some microseconds; the recording keeps them until it begins anew. */
static pail_status read_ticks(struct pail_vk_cmd *cmd, const uint64_t **ticks,
                              struct pail_error *err)
{
    *ticks = NULL;
    if (!cmd->ticks_read) {
        pail_status status = pail_grow(&cmd->dev->alloc, &cmd->ticks, &cmd->cap_ticks,
                                       cmd->n_queries, sizeof(*cmd->ticks), err);
        if (status == PAIL_OK)
            status = fetch_ticks(cmd, err);
        if (status != PAIL_OK)
            return status;
        cmd->ticks_read = true;
    }
    *ticks = cmd->ticks;
    return PAIL_OK;
}

static double span_ms(const struct pail_vk_cmd *cmd, const struct pail_vk_span *span,
                      const uint64_t ticks[])
{
    const uint32_t bits = cmd->queue->timestamp_bits;
    const uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    /* The counter may wrap around between the two. */
    const uint64_t elapsed = (ticks[span->end] - ticks[span->begin]) & mask;
    return (double)elapsed * cmd->dev->caps.timestamp_ns * 1e-6;
}

/* Sums the spans of phases or of kernels by name, in the order of first appearance. */
static uint32_t sum_spans(const struct pail_vk_cmd *cmd, const uint64_t ticks[],
                          enum pail_vk_span_kind kind, struct pail_vk_phase phases[],
                          uint32_t capacity)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < cmd->n_spans; i++) {
        const struct pail_vk_span *span = &cmd->spans[i];
        if (span->kind != kind || span->end == NONE)
            continue;
        uint32_t p = 0;
        while (p < n && strcmp(phases[p].name, span->name) != 0)
            p++;
        if (p == capacity)
            continue;
        if (p == n)
            phases[n++] = (struct pail_vk_phase){.name = span->name};
        phases[p].ms += span_ms(cmd, span, ticks);
        phases[p].n_spans++;
    }
    return n;
}

/* PAIL_OK when the work is complete; *ticks is NULL where there are no timestamps. what: is asked
 * for, in the plural. */
static pail_status complete_ticks(struct pail_vk_cmd *cmd, const char *what, const uint64_t **ticks,
                                  struct pail_error *err)
{
    bool done = false;
    *ticks = NULL;
    pail_status status = pail_vk_device_check(cmd->dev, err);
    if (status == PAIL_OK && cmd->state == PAIL_VK_CMD_SUBMITTED)
        status = pail_vk_poll(cmd->dev, cmd->ticket, &done, err);
    if (status != PAIL_OK)
        return status;
    if (!done)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "the %s of \"%s\" were asked for before its work was complete", what,
                         cmd->label);
    return cmd->n_queries ? read_ticks(cmd, ticks, err) : PAIL_OK;
}

pail_status pail_vk_cmd_phases(struct pail_vk_cmd *cmd, struct pail_vk_phase phases[],
                               uint32_t capacity, uint32_t *n, struct pail_error *err)
{
    const uint64_t *ticks;
    *n = 0;
    const pail_status status = complete_ticks(cmd, "phases", &ticks, err);
    if (ticks)
        *n = sum_spans(cmd, ticks, PAIL_VK_SPAN_PHASE, phases, capacity);
    return status;
}

pail_status pail_vk_cmd_submissions(struct pail_vk_cmd *cmd, struct pail_vk_submissions *out,
                                    struct pail_error *err)
{
    const uint64_t *ticks;
    *out = (struct pail_vk_submissions){.n = 0};
    const pail_status status = complete_ticks(cmd, "submissions", &ticks, err);
    if (status == PAIL_OK)
        *out = (struct pail_vk_submissions){.n = cmd->n_buffers,
                                            .expected_ms = cmd->longest_submission_ms,
                                            .expected_dispatch_ms = cmd->longest_dispatch_ms};
    for (uint32_t i = 0; ticks && i < cmd->n_spans; i++) {
        const struct pail_vk_span *span = &cmd->spans[i];
        if (span->kind != PAIL_VK_SPAN_SUBMISSION || span->end == NONE)
            continue;
        const double ms = span_ms(cmd, span, ticks);
        out->longest_ms = ms > out->longest_ms ? ms : out->longest_ms;
    }
    return status;
}

void pail_vk_stamps_log(struct pail_vk_cmd *cmd)
{
    struct pail_vk_phase kernels[32];
    const uint64_t *ticks;
    if (!(cmd->dev->debug & PAIL_DEBUG_TIME) || cmd->times_logged || !cmd->n_queries ||
        atomic_load(&cmd->dev->lost) || read_ticks(cmd, &ticks, NULL) != PAIL_OK)
        return;
    cmd->times_logged = true;
    const uint32_t n =
        sum_spans(cmd, ticks, PAIL_VK_SPAN_KERNEL, kernels, sizeof(kernels) / sizeof(kernels[0]));
    for (uint32_t i = 0; i < n; i++)
        pail_log(&cmd->dev->log, PAIL_LOG_INFO, "time: %s: %s: %.3f ms in %u", cmd->label,
                 kernels[i].name, kernels[i].ms, kernels[i].n_spans);
}

/* Adds a portion to the run of its kernel. part: of the work said as "at most". */
static void add_portion(struct pail_vk_timed runs[], uint32_t *n, const struct pail_vk_span *span,
                        double ms, double submission_ms, double part)
{
    uint32_t i = 0;
    while (i < *n && runs[i].hash != span->hash)
        i++;
    if (i == PAIL_VK_RATES_MAX)
        return;
    if (i == *n)
        runs[(*n)++] = (struct pail_vk_timed){.hash = span->hash, .kind = span->work.kind};
    const double units = span->work.units * (span->work.at_most ? part : 1);
    runs[i].units += units;
    runs[i].ms += ms;
    if (pail_vk_pace_is_late(ms, submission_ms) && runs[i].late_ns < ms * 1e6 / units)
        runs[i].late_ns = ms * 1e6 / units;
    if (runs[i].largest < units)
        runs[i].largest = units;
}

void pail_vk_stamps_learn(struct pail_vk_cmd *cmd)
{
    struct pail_vk_pace *pace = &cmd->dev->pace;
    struct pail_vk_timed runs[PAIL_VK_RATES_MAX];
    const uint64_t *ticks = NULL;
    uint32_t n = 0, n_taught = 0;
    for (uint32_t i = 0; i < cmd->n_spans; i++)
        n_taught += cmd->spans[i].work.units > 0;
    if (!n_taught || cmd->learned || cmd->state == PAIL_VK_CMD_FAILED ||
        atomic_load(&cmd->dev->lost))
        return;
    cmd->learned = true;
    /* Without timestamps the time of all work is shared out as it was expected. */
    const double stretch = pail_vk_busy_stretch(&cmd->queue->busy, cmd->first_ticket, cmd->ticket);
    if (has_timestamps(cmd) ? read_ticks(cmd, &ticks, NULL) != PAIL_OK : !(stretch > 0))
        return;
    double submission_ms = cmd->longest_submission_ms * stretch;
    for (uint32_t i = 0; i < cmd->n_spans; i++) {
        const struct pail_vk_span *span = &cmd->spans[i];
        if (ticks && span->end == NONE)
            continue;
        const double ms = ticks ? span_ms(cmd, span, ticks) : span->ms * stretch;
        if (span->kind == PAIL_VK_SPAN_SUBMISSION) /* in front of what is in it */
            submission_ms = ms;
        if (span->work.units > 0 && !(span->work.at_most && cmd->done < 0))
            add_portion(runs, &n, span, ms, submission_ms, cmd->done);
    }
    for (uint32_t i = 0; i < n; i++)
        pail_vk_pace_learn(pace, &runs[i]);
}
