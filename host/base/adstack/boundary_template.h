/* SPDX-License-Identifier: Apache-2.0 */
/* The adstack's slots over a backend's contexts, as front/slots_template.h has those of all
 * backends. The file with the table includes this one, and defines before it
 * FRONT_ADSTACK(context): struct pail_adstack *, the service of a context that is not NULL. It gets
 * FRONT_ADSTACK_SLOTS. */
#include "boundary.h"

#define FRONT_SERVICE(context) ((context) ? FRONT_ADSTACK(context) : NULL)

static pail_status front_adstack_register(pail_context *context, pail_adstack_kernel *kernel,
                                          uint32_t *task_ids, const pail_kernel_desc *desc)
{
    return pail_front_adstack_register(FRONT_SERVICE(context), kernel, task_ids, desc);
}

static pail_status front_adstack_unregister(pail_context *context, pail_adstack_kernel kernel)
{
    return pail_front_adstack_unregister(FRONT_SERVICE(context), kernel);
}

static pail_status front_adstack_lookup(pail_context *context, char *name, size_t capacity,
                                        int32_t *task_index, uint32_t id)
{
    return pail_front_adstack_lookup(FRONT_SERVICE(context), name, capacity, task_index, id);
}

static pail_status front_adstack_export(pail_context *context, void *blob, size_t *size_bytes,
                                        pail_adstack_kernel kernel)
{
    return pail_front_adstack_export(FRONT_SERVICE(context), blob, size_bytes, kernel);
}

static pail_status front_adstack_import(pail_context *context, pail_adstack_kernel *kernel,
                                        uint32_t *task_ids, const void *blob, size_t size_bytes)
{
    return pail_front_adstack_import(FRONT_SERVICE(context), kernel, task_ids, blob, size_bytes);
}

static pail_status front_adstack_evaluate(pail_context *context, pail_adstack_result **result,
                                          const pail_launch *launch)
{
    return pail_front_adstack_evaluate(FRONT_SERVICE(context), result, launch);
}

static pail_status front_adstack_prepare(pail_context *context, pail_adstack_prepared **prepared,
                                         const pail_launch *launch)
{
    return pail_front_adstack_prepare(FRONT_SERVICE(context), prepared, launch);
}

static void front_adstack_bump(pail_context *context, uint64_t identity)
{
    pail_front_adstack_bump(FRONT_SERVICE(context), identity);
}

static void front_adstack_forget(pail_context *context, uint64_t identity)
{
    pail_front_adstack_forget(FRONT_SERVICE(context), identity);
}

static void front_adstack_invalidate(pail_context *context, pail_adstack_kernel kernel)
{
    pail_front_adstack_invalidate(FRONT_SERVICE(context), kernel);
}

static pail_status front_adstack_poll_overflow(pail_context *context, pail_overflow *records,
                                               size_t *n_records)
{
    return pail_front_adstack_poll_overflow(FRONT_SERVICE(context), records, n_records);
}

static pail_status front_adstack_diagnose(pail_context *context, pail_diagnosis *diagnosis,
                                          const pail_overflow *record)
{
    return pail_front_adstack_diagnose(FRONT_SERVICE(context), diagnosis, record);
}

static pail_status front_adstack_overflow_buffer(pail_context *context, uint64_t *vk_buffer,
                                                 uint64_t *address)
{
    return pail_front_adstack_overflow_buffer(FRONT_SERVICE(context), vk_buffer, address);
}

static void front_adstack_stats(pail_context *context, pail_adstack_stats *stats)
{
    pail_front_adstack_stats(FRONT_SERVICE(context), stats);
}

static void front_adstack_reset_stats(pail_context *context)
{
    pail_front_adstack_reset_stats(FRONT_SERVICE(context));
}

static pail_status front_adstack_record(pail_context *context, pail_adstack_result **result,
                                        const pail_launch *launch, void *command_buffer,
                                        uint64_t metadata_address)
{
    return pail_front_adstack_record(FRONT_SERVICE(context), result, launch, command_buffer,
                                     metadata_address);
}

static pail_status front_adstack_record_layout(pail_context *context, pail_record_task *tasks,
                                               size_t n_tasks, uint64_t *bytes,
                                               pail_adstack_kernel kernel)
{
    return pail_front_adstack_record_layout(FRONT_SERVICE(context), tasks, n_tasks, bytes, kernel);
}

#undef FRONT_SERVICE

#define FRONT_ADSTACK_SLOTS                                                                        \
    .adstack_id = pail_front_adstack_id, .adstack_validate = pail_front_adstack_validate,          \
    .adstack_register = front_adstack_register, .adstack_unregister = front_adstack_unregister,    \
    .adstack_lookup = front_adstack_lookup, .adstack_export = front_adstack_export,                \
    .adstack_import = front_adstack_import, .adstack_evaluate = front_adstack_evaluate,            \
    .adstack_retain = pail_front_adstack_retain, .adstack_release = pail_front_adstack_release,    \
    .adstack_task_size = pail_front_adstack_task_size,                                             \
    .adstack_stack_size = pail_front_adstack_stack_size,                                           \
    .adstack_metadata = pail_front_adstack_metadata,                                               \
    .adstack_explain = pail_front_adstack_explain, .adstack_bump = front_adstack_bump,             \
    .adstack_forget = front_adstack_forget, .adstack_invalidate = front_adstack_invalidate,        \
    .adstack_poll_overflow = front_adstack_poll_overflow,                                          \
    .adstack_diagnose = front_adstack_diagnose,                                                    \
    .adstack_overflow_buffer = front_adstack_overflow_buffer,                                      \
    .adstack_stats = front_adstack_stats, .adstack_reset_stats = front_adstack_reset_stats,        \
    .adstack_record = front_adstack_record, .adstack_record_layout = front_adstack_record_layout,  \
    .adstack_prepare = front_adstack_prepare,                                                      \
    .adstack_evaluate_prepared = pail_front_adstack_evaluate_prepared,                             \
    .adstack_prepared_destroy = pail_front_adstack_prepared_destroy
