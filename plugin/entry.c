/* The one exported symbol: negotiates, then hands out a static table. */
#include <assert.h>
#include <stddef.h>

#include "api/api.h"

#if defined(__ELF__) /* elsewhere it is the linker that is told what to export */
#define PAIL_EXPORT __attribute__((visibility("default")))
#else
#define PAIL_EXPORT
#endif

#ifndef PAIL_VERSION
#error "PAIL_VERSION is the version of the plugin, from CMakeLists.txt"
#endif

static_assert(PAIL_ABI_MINOR > 0 || sizeof(pail_backend) == PAIL_BACKEND_SIZE_1_0,
              "a table that has grown is that of a later MINOR");

static const pail_backend table = {
    .struct_size = sizeof(pail_backend),
    .abi_major = PAIL_ABI_MAJOR,
    .abi_minor = PAIL_ABI_MINOR,
    .name = "vulkan",
    .version = PAIL_VERSION,
    .error = pail_api_error,
    .score = pail_api_score,
    .device_count = pail_api_device_count,
    .device_info = pail_api_device_info,
    .context_create = pail_api_context_create,
    .context_destroy = pail_api_context_destroy,
    .context_device = pail_api_context_device,
    .memory_create = pail_api_memory_create,
    .memory_destroy = pail_api_memory_destroy,
    .memory_write = pail_api_memory_write,
    .memory_read = pail_api_memory_read,
    .bases_create = pail_api_bases_create,
    .bases_destroy = pail_api_bases_destroy,
    .bases_info = pail_api_bases_info,
    .msm_memory = pail_api_msm_memory,
    .msm_estimate = pail_api_msm_estimate,
    .msm_start = pail_api_msm_start,
    .pending_poll = pail_api_pending_poll,
    .pending_wait = pail_api_pending_wait,
    .msm_finish = pail_api_msm_finish,
    .pending_abandon = pail_api_pending_abandon,
    .msm_buckets = pail_api_msm_buckets,
    .vector_create = pail_api_vector_create,
    .vector_destroy = pail_api_vector_destroy,
    .vector_write = pail_api_vector_write,
    .vector_read = pail_api_vector_read,
    .matrix_create = pail_api_matrix_create,
    .matrix_destroy = pail_api_matrix_destroy,
    .vector_start = pail_api_vector_start,
    .vector_finish = pail_api_vector_finish,
    .adstack_validate = pail_api_adstack_validate,
    .adstack_id = pail_api_adstack_id,
    .adstack_register = pail_api_adstack_register,
    .adstack_unregister = pail_api_adstack_unregister,
    .adstack_lookup = pail_api_adstack_lookup,
    .adstack_export = pail_api_adstack_export,
    .adstack_import = pail_api_adstack_import,
    .adstack_evaluate = pail_api_adstack_evaluate,
    .adstack_record = pail_api_adstack_record,
    .adstack_record_layout = pail_api_adstack_record_layout,
    .adstack_retain = pail_api_adstack_retain,
    .adstack_release = pail_api_adstack_release,
    .adstack_task_size = pail_api_adstack_task_size,
    .adstack_stack_size = pail_api_adstack_stack_size,
    .adstack_metadata = pail_api_adstack_metadata,
    .adstack_explain = pail_api_adstack_explain,
    .adstack_bump = pail_api_adstack_bump,
    .adstack_forget = pail_api_adstack_forget,
    .adstack_invalidate = pail_api_adstack_invalidate,
    .adstack_overflow_buffer = pail_api_adstack_overflow_buffer,
    .adstack_poll_overflow = pail_api_adstack_poll_overflow,
    .adstack_diagnose = pail_api_adstack_diagnose,
    .adstack_stats = pail_api_adstack_stats,
    .adstack_reset_stats = pail_api_adstack_reset_stats,
    .warm = pail_api_warm,
    .tuning_get = pail_api_tuning_get,
    .tuning_set = pail_api_tuning_set,
    .vector_fill = pail_api_vector_fill,
};

PAIL_EXPORT pail_status pail_backend_open(const pail_host *host, const pail_backend **backend);

pail_status pail_backend_open(const pail_host *host, const pail_backend **backend)
{
    if (!backend)
        return PAIL_ERR_ARGUMENT;
    *backend = NULL;
    if (!host || host->struct_size < PAIL_HOST_SIZE_1_0)
        return PAIL_ERR_ARGUMENT;
    if (host->abi_major != PAIL_ABI_MAJOR)
        return PAIL_ERR_ABI;
    *backend = &table;
    return PAIL_OK;
}
