/* The entries of the vtable. Each checks what the boundary promises and calls what does the work.
 */
#ifndef PAIL_PLUGIN_API_H
#define PAIL_PLUGIN_API_H

#include <stdbool.h>

#include "context.h"
#include <platform/process.h>

/* The calling thread's last failure. */
const char *pail_api_error(const pail_context *context);

/* Keeps the sentence for pail_api_error, logs it, and returns its status. */
pail_status pail_api_failed(const struct pail_log *log, const struct pail_error *err);

/* Errors: PAIL_ERR_ARGUMENT, for NULL; for a process that may not use anything; for either. */
pail_status pail_api_need(const void *argument, const char *name, struct pail_error *err);
pail_status pail_api_need_process(struct pail_error *err);
pail_status pail_api_need_object(const void *object, const char *name, struct pail_error *err);

/* An array of structs that the caller gives: the argument's name, what its elements are, their
 * type, our size of it and the least one. */
struct pail_api_array {
    const char *name, *what, *type;
    size_t size, least;
};

/* Copies it: *out is [n] of our size, to be freed to the context. Its first element gives the
 * stride. Errors: PAIL_ERR_ARGUMENT for none, too many, NULL and what pail_structs_in refuses;
 * PAIL_ERR_HOST_MEMORY. *out is written on success alone. */
pail_status pail_api_take_array(pail_context *context, void **out,
                                const struct pail_api_array *kind, const void *array, size_t n,
                                struct pail_error *err);

uint32_t pail_api_score(const pail_host *host);
pail_status pail_api_device_count(const pail_host *host, uint32_t *count);
pail_status pail_api_device_info(const pail_host *host, uint32_t index, pail_device_info *info);
pail_status pail_api_context_create(const pail_host *host, pail_context **context,
                                    const pail_context_params *params);
void pail_api_context_destroy(pail_context **context);
pail_status pail_api_context_device(pail_context *context, pail_device_info *info);

pail_status pail_api_bases_create(pail_context *context, pail_bases **bases, size_t *bad_index,
                                  const pail_bases_desc *desc);
void pail_api_bases_destroy(pail_context *context, pail_bases **bases);
pail_status pail_api_bases_info(const pail_bases *bases, pail_bases_info *info);
pail_status pail_api_msm_estimate(pail_context *context, pail_stats *stats, const pail_msm_job *job,
                                  const pail_msm_config *config);
pail_status pail_api_msm_start(pail_context *context, pail_pending **pending,
                               const pail_msm_job *jobs, size_t n_jobs,
                               const pail_msm_config *config);
pail_status pail_api_pending_poll(pail_pending *pending);
pail_status pail_api_pending_wait(pail_pending *pending, uint64_t timeout_ns);
pail_status pail_api_msm_finish(pail_pending **pending, pail_msm_result *results, size_t n_results,
                                pail_stats *stats);
void pail_api_pending_abandon(pail_pending **pending);
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

pail_status pail_api_vector_create(pail_context *context, pail_vector **vector, uint32_t curve,
                                   uint64_t n);
void pail_api_vector_destroy(pail_context *context, pail_vector **vector);
pail_status pail_api_vector_write(pail_vector *vector, uint64_t offset, const void *elements,
                                  uint64_t n, uint32_t encoding);
pail_status pail_api_vector_fill(pail_vector *vector, uint64_t offset, pail_read_elements read,
                                 void *user, uint64_t n, uint32_t encoding);
pail_status pail_api_vector_read(const pail_vector *vector, void *elements, uint64_t offset,
                                 uint64_t n, uint32_t encoding);
pail_status pail_api_matrix_create(pail_context *context, pail_matrix **matrix, uint64_t *bad_index,
                                   const pail_matrix_desc *desc);
void pail_api_matrix_destroy(pail_context *context, pail_matrix **matrix);
pail_status pail_api_vector_start(pail_context *context, pail_pending **pending,
                                  const pail_vector_op *ops, size_t n_ops);
pail_status pail_api_vector_finish(pail_pending **pending, pail_stats *stats);

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
