/* SPDX-License-Identifier: Apache-2.0 */
/* Pipelines and measured choices at the boundary. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

#include <core/structs.h>
#include <platform/clock.h>
#include <platform/thread.h>

#include "adstack/gpu.h"
#include "api.h"
#include "msm/run/warm.h"
#include "msm/service/tuning.h"
#include "vectors/work.h"
#include "vk/cmd.h"
#include "vk/pipeline.h"

#define PRIME_BYTES 256u

/* State that the threads of one call share. */
struct work {
    struct pail_context *ctx;
    const struct pail_warm_list *list;
    struct pail_vk_buffer buffer; /* bound where pipelines are primed; nothing reads or writes it */

    pthread_mutex_t lock; /* guards what follows, and calls of `done` one at a time */
    uint32_t n_done, n_compiled;
    struct pail_error first; /* failure */
    void (*done)(void *user, const pail_pipeline_info *info);
    void *user;
};

static void describe(pail_pipeline_info *info, const struct pail_vk_pipeline *pipeline,
                     const struct pail_vk_pipeline_stats *stats)
{
    const struct pail_vk_pipeline_facts facts = pail_vk_pipeline_facts(pipeline);
    info->id = facts.id;
    memcpy(info->name, facts.name, strlen(facts.name));
    info->origin = stats->memory ? PAIL_PIPELINE_MEMORY : facts.origin;
    info->flags = facts.no_code ? PAIL_PIPELINE_NO_CODE : 0;
    info->bytes = facts.bytes;
    info->task = facts.task;
    info->code_hash = facts.hash;
    info->n_specs = facts.n_specs;
    memcpy(info->specs, facts.specs, facts.n_specs * sizeof(info->specs[0]));
}

/* Uses it once, for drivers that compile only then. */
static pail_status prime(struct work *work, const struct pail_vk_pipeline *pipeline,
                         struct pail_error *err)
{
    struct pail_vk_device *dev = work->ctx->dev;
    const struct pail_vk_slice slice = pail_vk_buffer_slice(&work->buffer, 0, work->buffer.size);
    struct pail_vk_cmd *cmd;
    pail_vk_ticket ticket;
    pail_status status = pail_vk_cmd_begin(dev, PAIL_VK_QUEUE_MAIN, "warm", &cmd, err);
    if (status != PAIL_OK)
        return status;
    pail_vk_cmd_prime(cmd, pipeline, &slice);
    status = pail_vk_cmd_submit(cmd, &ticket, err);
    if (status == PAIL_OK)
        status = pail_vk_wait(dev, ticket, PAIL_VK_FOREVER, err);
    pail_vk_cmd_release(&cmd);
    return status;
}

static void make_one(void *user, uint32_t i)
{
    struct work *work = user;
    const struct pail_vk_pipeline_request *request = &work->list->requests[i];
    static_assert(PAIL_NAME_MAX == sizeof(((pail_pipeline_info *)0)->name), "names fit");
    const struct pail_vk_pipeline *pipeline;
    struct pail_vk_pipeline_stats stats = {0};
    struct pail_error err = {0};
    pail_pipeline_info info = {.struct_size = sizeof(info)};
    const double start = pail_now_ms();
    pail_status status = pail_vk_pipeline_find(work->ctx->dev, request, &pipeline, &stats, &err);
    if (status == PAIL_OK)
        status = prime(work, pipeline, &err);
    if (status == PAIL_OK)
        describe(&info, pipeline, &stats);
    else
        pail_variant_name(&pail_kernels[request->kernel], request->variant, info.name);
    info.ms = pail_now_ms() - start;
    info.status = (uint32_t)status;
    info.total = work->list->n;
    pthread_mutex_lock(&work->lock);
    info.done = ++work->n_done;
    work->n_compiled += (uint32_t)stats.compiled;
    if (status != PAIL_OK && work->first.status == PAIL_OK)
        work->first = err;
    if (work->done)
        work->done(work->user, &info);
    pthread_mutex_unlock(&work->lock);
}

static pail_status run(struct work *work, struct pail_error *err)
{
    struct pail_context *ctx = work->ctx;
    if (pthread_mutex_init(&work->lock, NULL) != 0)
        return pail_fail(err, PAIL_ERR_INTERNAL, "a mutex cannot be made");
    pail_status status = pail_vk_buffer_create(ctx->dev, &work->buffer, PAIL_VK_MEMORY_DEVICE,
                                               PRIME_BYTES, "warm", err);
    if (status == PAIL_OK) {
        const double start = pail_now_ms();
        pail_team_run(work->list->n, ctx->threads, make_one, work);
        if (work->n_compiled)
            pail_log(&ctx->log, PAIL_LOG_INFO,
                     "%u of %u pipelines were compiled by %u threads in %.2f s; they are kept for "
                     "later processes where there is a cache",
                     work->n_compiled, work->list->n, ctx->threads, (pail_now_ms() - start) / 1e3);
        *err = work->first;
        status = work->first.status;
    }
    pail_vk_buffer_destroy(ctx->dev, &work->buffer);
    pthread_mutex_destroy(&work->lock);
    return status;
}

/* Adds the pipelines for sizing stacks. */
static pail_status add_adstack(pail_context *context, struct pail_warm_list *list,
                               struct pail_error *err)
{
    if (context->adstack_gpu)
        return pail_ad_gpu_warm(context->adstack_gpu, list, err);
    return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                     "device \"%s\" has no device addresses, so that stacks are sized on the host "
                     "and there is nothing to build for that",
                     pail_vk_device_caps(context->dev)->name);
}

static pail_status list_all(pail_context *context, struct pail_warm_list *list,
                            struct pail_error *err)
{
    pail_status status = pail_msm_warm_add_all(context->msm, list, err);
    if (status == PAIL_OK)
        status = pail_field_warm_add(context->field, list, 0, err);
    return status == PAIL_OK && context->adstack_gpu ? add_adstack(context, list, err) : status;
}

static pail_status list_of(pail_context *context, struct pail_warm_list *list,
                           const pail_warm_item *items, size_t n_items, struct pail_error *err)
{
    if (!items)
        return n_items == 0
                   ? list_all(context, list, err)
                   : pail_fail(err, PAIL_ERR_ARGUMENT, "items: NULL with n_items = %zu", n_items);
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < n_items && status == PAIL_OK; i++) {
        pail_warm_item item;
        status = pail_struct_in(&item, sizeof(item), (const char *)items + i * items[0].struct_size,
                                PAIL_WARM_ITEM_SIZE_1_0, "pail_warm_item", err);
        if (status == PAIL_OK && item.struct_size != items[0].struct_size)
            status = pail_fail(err, PAIL_ERR_ARGUMENT,
                               "items: item %zu has struct_size %u, the first one %u", i,
                               item.struct_size, items[0].struct_size);
        pail_msm_config config;
        if (status == PAIL_OK && item.config) {
            status = pail_struct_in(&config, sizeof(config), item.config, PAIL_MSM_CONFIG_SIZE_1_0,
                                    "pail_msm_config", err);
            item.config = &config;
        }
        if (status == PAIL_OK && item.curve)
            status = pail_msm_warm_add(context->msm, list, &item, err);
        if (status == PAIL_OK && item.curve && !item.config)
            status = pail_field_warm_add(context->field, list, item.curve, err);
        if (status == PAIL_OK && item.curve && item.config && item.quotient)
            status = pail_field_warm_add_quotient(context->field, list, item.curve, item.n, err);
        if (status == PAIL_OK && item.adstack)
            status = add_adstack(context, list, err);
    }
    return status;
}

pail_status pail_api_warm(pail_context *context, const pail_warm_item *items, size_t n_items,
                          void (*done)(void *user, const pail_pipeline_info *info), void *user)
{
    struct pail_error err = {0};
    struct pail_warm_list list = {0};
    pail_status status = pail_front_object(context, "context", &err);
    if (status == PAIL_OK)
        status = list_of(context, &list, items, n_items, &err);
    if (status == PAIL_OK) {
        struct work work = {.ctx = context, .list = &list, .done = done, .user = user};
        status = run(&work, &err);
    }
    if (context)
        pail_free(&context->alloc, list.requests);
    return pail_api_end(context, status, &err);
}

pail_status pail_api_tuning_get(pail_context *context, pail_tuning *tuning)
{
    struct pail_error err = {0};
    pail_tuning t = {0};
    pail_status status = pail_front_object(context, "context", &err);
    if (status == PAIL_OK)
        status = pail_struct_in(&t, sizeof(t), tuning, PAIL_TUNING_SIZE_1_0, "tuning", &err);
    const pail_tuning asked = {.struct_size = sizeof(asked), .curve = t.curve, .group = t.group};
    t = asked;
    if (status == PAIL_OK)
        status =
            pail_tuning_read(context->msm, &t, tuning->struct_size >= PAIL_TUNING_SIZE_1_1, &err);
    if (tuning && tuning->struct_size >= PAIL_TUNING_SIZE_1_0)
        pail_struct_deliver(tuning, status == PAIL_OK ? &t : &asked, sizeof(t));
    return pail_api_end(context, status, &err);
}

pail_status pail_api_tuning_set(pail_context *context, const pail_tuning *tuning)
{
    struct pail_error err = {0};
    pail_tuning t;
    pail_status status = pail_front_object(context, "context", &err);
    if (status == PAIL_OK)
        status = pail_struct_in(&t, sizeof(t), tuning, PAIL_TUNING_SIZE_1_0, "tuning", &err);
    if (status == PAIL_OK)
        status = pail_tuning_write(context->msm, &t, &err);
    return pail_api_end(context, status, &err);
}
