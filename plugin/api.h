/* The entries of the vtable. Each checks what the boundary promises and calls what does the work.
 */
#ifndef PAIL_PLUGIN_API_H
#define PAIL_PLUGIN_API_H

#include "context.h"

/* The calling thread's last failure. */
const char *pail_api_error(const pail_context *context);

/* Keeps the sentence for pail_api_error, logs it, and returns its status. */
pail_status pail_api_failed(const struct pail_log *log, const struct pail_error *err);

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
pail_status pail_api_msm_memory(pail_memory_row *rows, size_t *n_rows, pail_stats *stats,
                                const pail_memory_query *query);

pail_status pail_api_warm(pail_context *context, const pail_warm_item *items, size_t n_items,
                          void (*done)(void *user, const pail_pipeline_info *info), void *user);
pail_status pail_api_tuning_get(pail_context *context, pail_tuning *tuning);
pail_status pail_api_tuning_set(pail_context *context, const pail_tuning *tuning);

#endif /* PAIL_PLUGIN_API_H */
