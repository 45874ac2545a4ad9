#include <string.h>

#include "vk/cmd_priv.h"

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

static void begin_span(struct pail_vk_cmd *cmd, const char *name, bool kernel, uint32_t stamp)
{
    struct pail_error error;
    if (stamp == NONE || !pail_vk_cmd_note(cmd,
                                           pail_grow(&cmd->dev->alloc, &cmd->spans, &cmd->cap_spans,
                                                     cmd->n_spans + 1, sizeof(*cmd->spans), &error),
                                           &error))
        return;
    cmd->spans[cmd->n_spans++] =
        (struct pail_vk_span){.name = name, .begin = stamp, .end = NONE, .kernel = kernel};
}

void pail_vk_stamps_begin(struct pail_vk_cmd *cmd)
{
    cmd->n_queries = 0;
    cmd->n_spans = 0;
    cmd->running = NONE;
    cmd->times_logged = false;
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
    const uint32_t stamp = write_timestamp(cmd); /* ends one phase and begins the next */
    if (cmd->running != NONE)
        cmd->spans[cmd->running].end = stamp;
    cmd->running = NONE;
    if (!name)
        return;
    begin_span(cmd, name, false, stamp);
    if (cmd->status == PAIL_OK)
        cmd->running = cmd->n_spans - 1;
}

void pail_vk_stamps_end(struct pail_vk_cmd *cmd)
{
    pail_vk_cmd_stamp(cmd, NULL);
}

void pail_vk_stamps_kernel_begin(struct pail_vk_cmd *cmd, const char *kernel)
{
    if (cmd->dev->debug & PAIL_DEBUG_TIME && has_timestamps(cmd))
        begin_span(cmd, kernel, true, write_timestamp(cmd));
}

void pail_vk_stamps_kernel_end(struct pail_vk_cmd *cmd)
{
    if (cmd->dev->debug & PAIL_DEBUG_TIME && has_timestamps(cmd) && cmd->status == PAIL_OK) {
        const uint32_t stamp = write_timestamp(cmd);
        cmd->spans[cmd->n_spans - 1].end = stamp;
    }
}

void pail_vk_stamps_fini(struct pail_vk_cmd *cmd)
{
    for (uint32_t i = 0; i < cmd->n_query_pools; i++)
        cmd->dev->vk.vkDestroyQueryPool(cmd->dev->handle, cmd->query_pools[i], NULL);
    pail_free(&cmd->dev->alloc, cmd->query_pools);
    pail_free(&cmd->dev->alloc, cmd->spans);
}

/* Reads all timestamps of a recording; the caller frees *ticks. */
static pail_status read_ticks(struct pail_vk_cmd *cmd, uint64_t **ticks, struct pail_error *err)
{
    struct pail_vk_device *dev = cmd->dev;
    *ticks = pail_calloc(&dev->alloc, cmd->n_queries, sizeof(**ticks));
    if (!*ticks)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %u timestamps",
                         cmd->n_queries);
    for (uint32_t first = 0; first < cmd->n_queries; first += PAIL_VK_QUERIES_PER_POOL) {
        const uint32_t left = cmd->n_queries - first;
        const uint32_t n = left < PAIL_VK_QUERIES_PER_POOL ? left : PAIL_VK_QUERIES_PER_POOL;
        const VkResult result = dev->vk.vkGetQueryPoolResults(
            dev->handle, cmd->query_pools[first / PAIL_VK_QUERIES_PER_POOL], 0, n,
            n * sizeof(**ticks), *ticks + first, sizeof(**ticks), VK_QUERY_RESULT_64_BIT);
        if (result != VK_SUCCESS) {
            pail_free(&dev->alloc, *ticks);
            *ticks = NULL;
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
static uint32_t sum_spans(const struct pail_vk_cmd *cmd, const uint64_t ticks[], bool kernels,
                          struct pail_vk_phase phases[], uint32_t capacity)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < cmd->n_spans; i++) {
        const struct pail_vk_span *span = &cmd->spans[i];
        if (span->kernel != kernels || span->end == NONE)
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

pail_status pail_vk_cmd_phases(struct pail_vk_cmd *cmd, struct pail_vk_phase phases[],
                               uint32_t capacity, uint32_t *n, struct pail_error *err)
{
    *n = 0;
    bool done = false;
    pail_status status = pail_vk_device_check(cmd->dev, err);
    if (status == PAIL_OK && cmd->state == PAIL_VK_CMD_SUBMITTED)
        status = pail_vk_poll(cmd->dev, cmd->ticket, &done, err);
    if (status != PAIL_OK)
        return status;
    if (!done)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "the phases of \"%s\" were asked for before its work was complete",
                         cmd->label);
    if (cmd->n_queries == 0)
        return PAIL_OK;
    uint64_t *ticks;
    status = read_ticks(cmd, &ticks, err);
    if (status != PAIL_OK)
        return status;
    *n = sum_spans(cmd, ticks, false, phases, capacity);
    pail_free(&cmd->dev->alloc, ticks);
    return PAIL_OK;
}

void pail_vk_stamps_log(struct pail_vk_cmd *cmd)
{
    struct pail_vk_phase kernels[32];
    uint64_t *ticks;
    if (!(cmd->dev->debug & PAIL_DEBUG_TIME) || cmd->times_logged || !cmd->n_queries ||
        atomic_load(&cmd->dev->lost) || read_ticks(cmd, &ticks, NULL) != PAIL_OK)
        return;
    cmd->times_logged = true;
    const uint32_t n = sum_spans(cmd, ticks, true, kernels, sizeof(kernels) / sizeof(kernels[0]));
    for (uint32_t i = 0; i < n; i++)
        pail_log(&cmd->dev->log, PAIL_LOG_INFO, "time: %s: %s: %.3f ms in %u", cmd->label,
                 kernels[i].name, kernels[i].ms, kernels[i].n_spans);
    pail_free(&cmd->dev->alloc, ticks);
}
