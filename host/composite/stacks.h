/* SPDX-License-Identifier: Apache-2.0 */
/* The adstack's slots of the table. The member's own front checks arguments. */
#ifndef PAIL_COMPOSITE_STACKS_H
#define PAIL_COMPOSITE_STACKS_H

#include <stdbool.h>

#include <pail/backend.h>

/* True if a member with the table can have the stacks of a context: it has all slots that are
 * passed on. */
bool pail_composite_sizes_stacks(const pail_backend *backend);

/* Lets go of the results that a context knows, before its members are destroyed. */
void pail_composite_stacks_close(pail_context *context);

pail_status pail_composite_adstack_register(pail_context *context, pail_adstack_kernel *kernel,
                                            uint32_t *task_ids, const pail_kernel_desc *desc);
pail_status pail_composite_adstack_unregister(pail_context *context, pail_adstack_kernel kernel);
pail_status pail_composite_adstack_lookup(pail_context *context, char *name, size_t capacity,
                                          int32_t *task_index, uint32_t id);
pail_status pail_composite_adstack_export(pail_context *context, void *blob, size_t *size_bytes,
                                          pail_adstack_kernel kernel);
pail_status pail_composite_adstack_import(pail_context *context, pail_adstack_kernel *kernel,
                                          uint32_t *task_ids, const void *blob, size_t size_bytes);
pail_status pail_composite_adstack_evaluate(pail_context *context, pail_adstack_result **result,
                                            const pail_launch *launch);
pail_status pail_composite_adstack_record(pail_context *context, pail_adstack_result **result,
                                          const pail_launch *launch, void *command_buffer,
                                          uint64_t metadata_address);
pail_status pail_composite_adstack_record_layout(pail_context *context, pail_record_task *tasks,
                                                 size_t n_tasks, uint64_t *bytes,
                                                 pail_adstack_kernel kernel);
pail_status pail_composite_adstack_prepare(pail_context *context, pail_adstack_prepared **prepared,
                                           const pail_launch *launch);
pail_status pail_composite_adstack_evaluate_prepared(pail_adstack_prepared *prepared,
                                                     pail_adstack_result **result,
                                                     const pail_launch_change *change);
void pail_composite_adstack_prepared_destroy(pail_adstack_prepared **prepared);
void pail_composite_adstack_retain(pail_adstack_result *result);
void pail_composite_adstack_release(pail_adstack_result *result);
pail_status pail_composite_adstack_task_size(const pail_adstack_result *result,
                                             pail_task_size *size, size_t task);
pail_status pail_composite_adstack_stack_size(const pail_adstack_result *result,
                                              pail_stack_size *size, size_t task, size_t stack);
pail_status pail_composite_adstack_metadata(const pail_adstack_result *result, uint32_t *words,
                                            size_t *n_words, size_t task);
pail_status pail_composite_adstack_explain(const pail_adstack_result *result, char *text,
                                           size_t *size);
void pail_composite_adstack_bump(pail_context *context, uint64_t identity);
void pail_composite_adstack_forget(pail_context *context, uint64_t identity);
void pail_composite_adstack_invalidate(pail_context *context, pail_adstack_kernel kernel);
pail_status pail_composite_adstack_overflow_buffer(pail_context *context, uint64_t *vk_buffer,
                                                   uint64_t *address);
pail_status pail_composite_adstack_poll_overflow(pail_context *context, pail_overflow *records,
                                                 size_t *n_records);
pail_status pail_composite_adstack_diagnose(pail_context *context, pail_diagnosis *diagnosis,
                                            const pail_overflow *record);
void pail_composite_adstack_stats(pail_context *context, pail_adstack_stats *stats);
void pail_composite_adstack_reset_stats(pail_context *context);

/* Slots of the table; those without a context are the front's. */
#define PAIL_COMPOSITE_STACKS                                                                      \
    .adstack_id = pail_front_adstack_id, .adstack_validate = pail_front_adstack_validate,          \
    .adstack_register = pail_composite_adstack_register,                                           \
    .adstack_unregister = pail_composite_adstack_unregister,                                       \
    .adstack_lookup = pail_composite_adstack_lookup,                                               \
    .adstack_export = pail_composite_adstack_export,                                               \
    .adstack_import = pail_composite_adstack_import,                                               \
    .adstack_evaluate = pail_composite_adstack_evaluate,                                           \
    .adstack_record = pail_composite_adstack_record,                                               \
    .adstack_record_layout = pail_composite_adstack_record_layout,                                 \
    .adstack_retain = pail_composite_adstack_retain,                                               \
    .adstack_release = pail_composite_adstack_release,                                             \
    .adstack_task_size = pail_composite_adstack_task_size,                                         \
    .adstack_stack_size = pail_composite_adstack_stack_size,                                       \
    .adstack_metadata = pail_composite_adstack_metadata,                                           \
    .adstack_explain = pail_composite_adstack_explain,                                             \
    .adstack_bump = pail_composite_adstack_bump, .adstack_forget = pail_composite_adstack_forget,  \
    .adstack_invalidate = pail_composite_adstack_invalidate,                                       \
    .adstack_overflow_buffer = pail_composite_adstack_overflow_buffer,                             \
    .adstack_poll_overflow = pail_composite_adstack_poll_overflow,                                 \
    .adstack_diagnose = pail_composite_adstack_diagnose,                                           \
    .adstack_stats = pail_composite_adstack_stats,                                                 \
    .adstack_reset_stats = pail_composite_adstack_reset_stats,                                     \
    .adstack_prepare = pail_composite_adstack_prepare,                                             \
    .adstack_evaluate_prepared = pail_composite_adstack_evaluate_prepared,                         \
    .adstack_prepared_destroy = pail_composite_adstack_prepared_destroy

#endif /* PAIL_COMPOSITE_STACKS_H */
