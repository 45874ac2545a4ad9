/* The table of this backend, and the slots that no other has, which check their arguments
 * themselves. */
#ifndef PAIL_PLUGIN_API_H
#define PAIL_PLUGIN_API_H

#include "context.h"
#include <front/front.h>
#include <platform/process.h>

/* The end of an entry with a context, which may be NULL. */
static inline pail_status pail_api_end(const pail_context *context, pail_status status,
                                       const struct pail_error *err)
{
    return pail_front_end(context ? &context->log : NULL, status, err);
}

/* The table: slots of the front, and the entries below. */
extern const pail_backend pail_api_table;

extern const struct pail_front_facts pail_api_facts;

pail_status pail_api_msm_buckets(pail_context *context, void *points, size_t *n_bytes,
                                 pail_bucket_info *info, pail_stats *stats, const pail_msm_job *job,
                                 const pail_msm_config *config);
pail_status pail_api_msm_memory(pail_memory_row *rows, size_t *n_rows, pail_stats *stats,
                                const pail_memory_query *query);
pail_status pail_api_memory_create(pail_context *context, pail_memory **memory,
                                   pail_memory_info *info, uint32_t kind, uint64_t bytes);
void pail_api_memory_destroy(pail_context *context, pail_memory **memory);
pail_status pail_api_memory_write(pail_memory *memory, uint64_t offset, const void *bytes,
                                  uint64_t n_bytes);
pail_status pail_api_memory_read(const pail_memory *memory, void *bytes, uint64_t offset,
                                 uint64_t n_bytes);
pail_status pail_api_warm(pail_context *context, const pail_warm_item *items, size_t n_items,
                          void (*done)(void *user, const pail_pipeline_info *info), void *user);
pail_status pail_api_tuning_get(pail_context *context, pail_tuning *tuning);
pail_status pail_api_tuning_set(pail_context *context, const pail_tuning *tuning);
pail_status pail_api_adstack_register(pail_context *context, pail_adstack_kernel *kernel,
                                      uint32_t *task_ids, const pail_kernel_desc *desc);
pail_status pail_api_adstack_unregister(pail_context *context, pail_adstack_kernel kernel);
uint32_t pail_api_adstack_id(const char *name, size_t name_bytes, int32_t task_index);
pail_status pail_api_adstack_lookup(pail_context *context, char *name, size_t capacity,
                                    int32_t *task_index, uint32_t id);
pail_status pail_api_adstack_validate(const pail_tree *tree, const uint8_t *source_rank,
                                      size_t n_sources);
pail_status pail_api_adstack_export(pail_context *context, void *blob, size_t *size_bytes,
                                    pail_adstack_kernel kernel);
pail_status pail_api_adstack_import(pail_context *context, pail_adstack_kernel *kernel,
                                    uint32_t *task_ids, const void *blob, size_t size_bytes);
pail_status pail_api_adstack_evaluate(pail_context *context, pail_adstack_result **result,
                                      const pail_launch *launch);
pail_status pail_api_adstack_record(pail_context *context, pail_adstack_result **result,
                                    const pail_launch *launch, void *command_buffer,
                                    uint64_t metadata_address);
pail_status pail_api_adstack_record_layout(pail_context *context, pail_record_task *tasks,
                                           size_t n_tasks, uint64_t *bytes,
                                           pail_adstack_kernel kernel);
pail_status pail_api_adstack_prepare(pail_context *context, pail_adstack_prepared **prepared,
                                     const pail_launch *launch);
pail_status pail_api_adstack_evaluate_prepared(pail_adstack_prepared *prepared,
                                               pail_adstack_result **result,
                                               const pail_launch_change *change);
void pail_api_adstack_prepared_destroy(pail_adstack_prepared **prepared);
void pail_api_adstack_retain(pail_adstack_result *result);
void pail_api_adstack_release(pail_adstack_result *result);
pail_status pail_api_adstack_task_size(const pail_adstack_result *result, pail_task_size *size,
                                       size_t task);
pail_status pail_api_adstack_stack_size(const pail_adstack_result *result, pail_stack_size *size,
                                        size_t task, size_t stack);
pail_status pail_api_adstack_metadata(const pail_adstack_result *result, uint32_t *words,
                                      size_t *n_words, size_t task);
pail_status pail_api_adstack_explain(const pail_adstack_result *result, char *text, size_t *size);
void pail_api_adstack_bump(pail_context *context, uint64_t identity);
void pail_api_adstack_forget(pail_context *context, uint64_t identity);
void pail_api_adstack_invalidate(pail_context *context, pail_adstack_kernel kernel);
pail_status pail_api_adstack_overflow_buffer(pail_context *context, uint64_t *vk_buffer,
                                             uint64_t *address);
pail_status pail_api_adstack_poll_overflow(pail_context *context, pail_overflow *records,
                                           size_t *n_records);
pail_status pail_api_adstack_diagnose(pail_context *context, pail_diagnosis *diagnosis,
                                      const pail_overflow *record);
void pail_api_adstack_stats(pail_context *context, pail_adstack_stats *stats);
void pail_api_adstack_reset_stats(pail_context *context);

#endif /* PAIL_PLUGIN_API_H */
