/* SPDX-License-Identifier: Apache-2.0 */
/* The adstack's slots of a backend's table: their arguments are checked here, structs of other
 * versions read and written, outputs zeroed and sentences kept, before the service is called.
 * boundary_template.h makes slots of them. <pail/backend.h> has what they do; `service` is that of
 * the context, NULL without a context. */
#ifndef PAIL_ADSTACK_BOUNDARY_H
#define PAIL_ADSTACK_BOUNDARY_H

#include "service.h"

uint32_t pail_front_adstack_id(const char *name, size_t name_bytes, int32_t task_index);
pail_status pail_front_adstack_validate(const pail_tree *tree, const uint8_t *source_rank,
                                        size_t n_sources);
pail_status pail_front_adstack_register(struct pail_adstack *service, pail_adstack_kernel *kernel,
                                        uint32_t *task_ids, const pail_kernel_desc *desc);
pail_status pail_front_adstack_unregister(struct pail_adstack *service, pail_adstack_kernel kernel);
pail_status pail_front_adstack_lookup(struct pail_adstack *service, char *name, size_t capacity,
                                      int32_t *task_index, uint32_t id);
pail_status pail_front_adstack_export(struct pail_adstack *service, void *blob, size_t *size_bytes,
                                      pail_adstack_kernel kernel);
pail_status pail_front_adstack_import(struct pail_adstack *service, pail_adstack_kernel *kernel,
                                      uint32_t *task_ids, const void *blob, size_t size_bytes);
pail_status pail_front_adstack_evaluate(struct pail_adstack *service, pail_adstack_result **result,
                                        const pail_launch *launch);
pail_status pail_front_adstack_prepare(struct pail_adstack *service,
                                       pail_adstack_prepared **prepared, const pail_launch *launch);
pail_status pail_front_adstack_evaluate_prepared(pail_adstack_prepared *prepared,
                                                 pail_adstack_result **result,
                                                 const pail_launch_change *change);
void pail_front_adstack_prepared_destroy(pail_adstack_prepared **prepared);
void pail_front_adstack_retain(pail_adstack_result *result);
void pail_front_adstack_release(pail_adstack_result *result);
pail_status pail_front_adstack_task_size(const pail_adstack_result *result, pail_task_size *size,
                                         size_t task);
pail_status pail_front_adstack_stack_size(const pail_adstack_result *result, pail_stack_size *size,
                                          size_t task, size_t stack);
pail_status pail_front_adstack_metadata(const pail_adstack_result *result, uint32_t *words,
                                        size_t *n_words, size_t task);
pail_status pail_front_adstack_explain(const pail_adstack_result *result, char *text, size_t *size);
void pail_front_adstack_bump(struct pail_adstack *service, uint64_t identity);
void pail_front_adstack_forget(struct pail_adstack *service, uint64_t identity);
void pail_front_adstack_invalidate(struct pail_adstack *service, pail_adstack_kernel kernel);
pail_status pail_front_adstack_poll_overflow(struct pail_adstack *service, pail_overflow *records,
                                             size_t *n_records);
pail_status pail_front_adstack_diagnose(struct pail_adstack *service, pail_diagnosis *diagnosis,
                                        const pail_overflow *record);
pail_status pail_front_adstack_overflow_buffer(struct pail_adstack *service, uint64_t *vk_buffer,
                                               uint64_t *address);
void pail_front_adstack_stats(struct pail_adstack *service, pail_adstack_stats *stats);
void pail_front_adstack_reset_stats(struct pail_adstack *service);
pail_status pail_front_adstack_record(struct pail_adstack *service, pail_adstack_result **result,
                                      const pail_launch *launch, void *command_buffer,
                                      uint64_t metadata_address);
pail_status pail_front_adstack_record_layout(struct pail_adstack *service, pail_record_task *tasks,
                                             size_t n_tasks, uint64_t *bytes,
                                             pail_adstack_kernel kernel);

#endif /* PAIL_ADSTACK_BOUNDARY_H */
