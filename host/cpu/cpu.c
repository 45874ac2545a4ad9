#include "cpu.h"

#include "bases.h"
#include "context.h"
#include "error.h"
#include "matrix.h"
#include "msm.h"
#include "pending.h"
#include "sized.h"
#include "vector.h"
#include "vector_work.h"

static uint32_t score(const pail_host *host)
{
    if (pail_cpu_check_host(host) != PAIL_OK)
        return 0;
    return PAIL_CPU_SCORE;
}

static const pail_backend table = {
    .struct_size = sizeof table,
    .abi_major = PAIL_ABI_MAJOR,
    .abi_minor = PAIL_ABI_MINOR,
    .name = PAIL_CPU_NAME,
    .version = PAIL_VERSION,
    .error = pail_cpu_error,
    .score = score,
    .device_count = pail_cpu_device_count,
    .device_info = pail_cpu_device_info,
    .context_create = pail_cpu_context_create,
    .context_destroy = pail_cpu_context_destroy,
    .context_device = pail_cpu_context_device,
    .throttle = pail_cpu_throttle,
    .bases_create = pail_cpu_bases_create,
    .bases_destroy = pail_cpu_bases_destroy,
    .bases_info = pail_cpu_bases_info,
    .msm_estimate = pail_cpu_msm_estimate,
    .msm_start = pail_cpu_msm_start,
    .pending_poll = pail_cpu_pending_poll,
    .pending_wait = pail_cpu_pending_wait,
    .msm_finish = pail_cpu_msm_finish,
    .pending_abandon = pail_cpu_pending_abandon,
    .vector_create = pail_cpu_vector_create,
    .vector_destroy = pail_cpu_vector_destroy,
    .vector_write = pail_cpu_vector_write,
    .vector_read = pail_cpu_vector_read,
    .vector_fill = pail_cpu_vector_fill,
    .matrix_create = pail_cpu_matrix_create,
    .matrix_destroy = pail_cpu_matrix_destroy,
    .vector_start = pail_cpu_vector_start,
    .vector_finish = pail_cpu_vector_finish,
    .throttle_begin = pail_cpu_throttle_begin,
    .throttle_end = pail_cpu_throttle_end,
};

pail_status pail_cpu_open(const pail_host *host, const pail_backend **backend)
{
    if (!backend)
        return pail_cpu_fail(NULL, PAIL_ERR_ARGUMENT, "backend is NULL");
    const pail_status status = pail_cpu_check_host(host);
    *backend = status == PAIL_OK ? &table : NULL;
    return status;
}
