/* SPDX-License-Identifier: Apache-2.0 */
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
pail_status pail_api_warm(pail_context *context, const pail_warm_item *items, size_t n_items,
                          void (*done)(void *user, const pail_pipeline_info *info), void *user);
pail_status pail_api_tuning_get(pail_context *context, pail_tuning *tuning);
pail_status pail_api_tuning_set(pail_context *context, const pail_tuning *tuning);

/* Memory, behind the front. */
pail_status pail_api_memory_create(pail_context *context, pail_memory **memory,
                                   pail_memory_info *info, uint32_t kind, uint64_t bytes,
                                   struct pail_error *err);
pail_status pail_api_memory_write(pail_memory *memory, uint64_t offset, const void *bytes,
                                  uint64_t n_bytes, struct pail_error *err);
pail_status pail_api_memory_read(const pail_memory *memory, void *bytes, uint64_t offset,
                                 uint64_t n_bytes, struct pail_error *err);
pail_status pail_api_memory_copy(pail_memory *to, uint64_t to_offset, const pail_memory *from,
                                 uint64_t from_offset, uint64_t n_bytes, struct pail_error *err);
pail_status pail_api_memory_fill(pail_memory *memory, uint64_t offset, uint64_t n_bytes,
                                 uint8_t value, struct pail_error *err);

#endif /* PAIL_PLUGIN_API_H */
