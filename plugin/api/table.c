/* SPDX-License-Identifier: Apache-2.0 */
/* The table: functions behind the front (host/base/front), and slots that no other backend has. */
#include <platform/process.h>

#include "api.h"
#include "msm/bases/bases.h"
#include "msm/run/multiplications.h"
#include "pending_kind.h"
#include "vectors/field.h"
#include "vectors/matrix.h"
#include "vectors/selftest.h"
#include "vectors/vector.h"
#include "vectors/work.h"
#include "vk/instance.h"

#ifndef PAIL_VERSION
#error "PAIL_VERSION is the version of the plugin, from CMakeLists.txt"
#endif

static struct pail_vk_env env_of(const pail_host *host)
{
    return (struct pail_vk_env){.alloc = {host->user, host->alloc, host->free},
                                .log = {host->user, host->log}};
}

static pail_status open_instance(const pail_host *host, struct pail_vk_instance **instance,
                                 struct pail_error *err)
{
    const struct pail_vk_env env = env_of(host);
    *instance = NULL;
    return pail_vk_instance_create(instance, &env, err);
}

static pail_status own_score(const pail_host *host, uint32_t *score, struct pail_error *err)
{
    struct pail_vk_instance *instance;
    uint32_t best = 0;
    pail_status status = open_instance(host, &instance, err);
    if (status == PAIL_OK)
        status = pail_best_device(instance, &best, err);
    if (status == PAIL_OK)
        *score = pail_device_score(pail_vk_instance_caps(instance, best));
    pail_vk_instance_destroy(&instance);
    return status;
}

static pail_status own_device_count(const pail_host *host, uint32_t *count, struct pail_error *err)
{
    struct pail_vk_instance *instance;
    const pail_status status = open_instance(host, &instance, err);
    if (status == PAIL_OK)
        *count = pail_vk_instance_n_devices(instance);
    pail_vk_instance_destroy(&instance);
    return status;
}

static pail_status own_device_info(const pail_host *host, uint32_t index, pail_device_info *info,
                                   struct pail_error *err)
{
    struct pail_vk_instance *instance;
    pail_status status = open_instance(host, &instance, err);
    if (status == PAIL_OK && index >= pail_vk_instance_n_devices(instance))
        status = pail_fail(err, PAIL_ERR_ARGUMENT, "index: there is no device %u among %u", index,
                           pail_vk_instance_n_devices(instance));
    if (status == PAIL_OK) {
        info->index = index;
        pail_describe_device(info, pail_vk_instance_caps(instance, index));
    }
    pail_vk_instance_destroy(&instance);
    return status;
}

/* Threads of the context run code of this object: it stays as long as there is one. */
static pail_status own_context_create(const pail_host *host, pail_context **context,
                                      const pail_context_params *params, struct pail_error *err)
{
    const struct pail_vk_env env = env_of(host);
    pail_pin();
    const pail_status status = pail_context_open(&env, context, params, err);
    if (status != PAIL_OK)
        pail_unpin();
    return status;
}

static void own_context_destroy(pail_context *context)
{
    pail_context_close(context);
    pail_unpin();
}

static pail_status own_context_device(pail_context *context, pail_device_info *info,
                                      struct pail_error *err)
{
    (void)err;
    info->index = context->device_index;
    struct pail_vk_caps caps;
    pail_vk_device_caps_now(context->dev, &caps);
    pail_describe_device(info, &caps);
    return PAIL_OK;
}

static pail_status own_bases_create(pail_context *context, pail_bases **bases, size_t *bad_index,
                                    const pail_bases_desc *desc, struct pail_error *err)
{
    return pail_bases_register(context->msm, bases, bad_index, desc, err);
}

static pail_status own_bases_info(const pail_bases *bases, pail_bases_info *info,
                                  struct pail_error *err)
{
    (void)err;
    pail_bases_describe((struct pail_bases *)(uintptr_t)bases, info);
    return PAIL_OK;
}

static pail_status own_msm_estimate(pail_context *context, pail_stats *stats,
                                    const pail_msm_job *job, const pail_msm_config *config,
                                    struct pail_error *err)
{
    return pail_msm_estimate_job(context->msm, stats, job, config, err);
}

static pail_status own_msm_start(pail_context *context, pail_pending **pending,
                                 const pail_msm_job *jobs, size_t n_jobs,
                                 const pail_msm_config *config, struct pail_error *err)
{
    return pail_msm_start_jobs(context->msm, pending, jobs, n_jobs, config, err);
}

static pail_status own_pending_wait(pail_pending *pending, uint64_t timeout_ns,
                                    struct pail_error *err)
{
    return pail_pending_kind_of(pending)->wait(pending, timeout_ns, err);
}

static size_t own_pending_jobs(const pail_pending *pending)
{
    return pail_pending_kind_of(pending) == &pail_msm_pending ? pail_msm_n_jobs(pending) : 0;
}

static void own_pending_drop(pail_pending *pending)
{
    pail_pending_kind_of(pending)->drop(pending);
}

static pail_status own_vector_create(pail_context *context, pail_vector **vector, uint32_t curve,
                                     uint64_t n, struct pail_error *err)
{
    return pail_vector_make(context->field, vector, curve, n, err);
}

/* Tests the kernels that bring elements from one encoding into the other. */
static pail_status test_encodings(const pail_vector *vector, uint32_t encoding, uint64_t n,
                                  struct pail_error *err)
{
    if (encoding != PAIL_ENCODING_CANONICAL || n == 0)
        return PAIL_OK;
    return pail_field_self_test(vector->field, vector->curve, PAIL_FIELD_ENCODINGS, NULL, err);
}

static pail_status own_vector_write(pail_vector *vector, uint64_t offset, const void *elements,
                                    uint64_t n, uint32_t encoding, struct pail_error *err)
{
    const pail_status status = test_encodings(vector, encoding, n, err);
    return status == PAIL_OK ? pail_vector_put(vector, offset, elements, n, encoding, err) : status;
}

static pail_status own_vector_fill(pail_vector *vector, uint64_t offset, pail_read_elements read,
                                   void *user, uint64_t n, uint32_t encoding,
                                   struct pail_error *err)
{
    const pail_status status = test_encodings(vector, encoding, n, err);
    return status == PAIL_OK ? pail_vector_fill(vector, offset, read, user, n, encoding, err)
                             : status;
}

static pail_status own_vector_read(const pail_vector *vector, void *elements, uint64_t offset,
                                   uint64_t n, uint32_t encoding, struct pail_error *err)
{
    const pail_status status = test_encodings(vector, encoding, n, err);
    return status == PAIL_OK ? pail_vector_get(vector, elements, offset, n, encoding, err) : status;
}

static pail_status own_matrix_create(pail_context *context, pail_matrix **matrix,
                                     uint64_t *bad_index, const pail_matrix_desc *desc,
                                     struct pail_error *err)
{
    pail_status status = pail_matrix_register(context->field, matrix, bad_index, desc, err);
    if (status == PAIL_OK && desc->encoding == PAIL_ENCODING_CANONICAL &&
        desc->row_starts[desc->n_rows])
        status = pail_field_self_test(context->field, desc->curve, PAIL_FIELD_ENCODINGS, NULL, err);
    if (status != PAIL_OK) {
        pail_matrix_release(*matrix);
        *matrix = NULL;
    }
    return status;
}

static void own_matrix_destroy(pail_context *context, pail_matrix *matrix)
{
    (void)context;
    pail_matrix_release(matrix);
}

static pail_status own_vector_start(pail_context *context, pail_pending **pending,
                                    const pail_vector_op *ops, size_t n_ops, struct pail_error *err)
{
    return pail_field_start(context->field, pending, ops, n_ops, err);
}

/* ---- Facts of objects ------------------------------------------------------------------------ */
static struct pail_front_bases bases_facts(const pail_bases *bases)
{
    return (struct pail_front_bases){bases->msm->field, bases->group.curve, bases->n};
}

static struct pail_front_vector vector_facts(const pail_vector *vector)
{
    return (struct pail_front_vector){vector->field, vector->curve, vector->n};
}

static struct pail_front_matrix matrix_facts(const pail_matrix *matrix)
{
    return (struct pail_front_matrix){matrix->field, matrix->curve, matrix->n_rows,
                                      matrix->n_columns};
}

static struct pail_front_memory memory_facts(const pail_memory *memory)
{
    return (struct pail_front_memory){memory->memories, memory->buffer.size};
}

static struct pail_ranges *memories_of(const void *owner)
{
    return &((const struct pail_vectors *)owner)->memories->ranges;
}

const struct pail_front_facts pail_api_facts = {bases_facts, vector_facts, matrix_facts,
                                                memory_facts, memories_of};

static const struct pail_log *pending_log(const pail_pending *pending)
{
    return own_pending_jobs(pending) ? &pail_msm_of(pending)->log : &pail_field_of(pending)->log;
}

/* Functions that serve as they are. */
#define own_bases_destroy  pail_bases_release
#define own_msm_finish     pail_msm_deliver
#define own_vector_destroy pail_vector_release
#define own_vector_finish  pail_field_finish
#define own_vector_refuse  pail_field_refuse
#define own_memory_create  pail_api_memory_create
#define own_memory_destroy pail_memory_destroy
#define own_memory_write   pail_api_memory_write
#define own_memory_read    pail_api_memory_read
#define own_memory_copy    pail_api_memory_copy
#define own_memory_fill    pail_api_memory_fill

#define FRONT(name)                  own_##name
#define FRONT_FACTS                  pail_api_facts
#define FRONT_OWNER(context)         ((context)->field)
#define FRONT_ALLOC(context)         (&(context)->alloc)
#define FRONT_PENDING_ALLOC(pending) (&pail_msm_of(pending)->alloc)
#define FRONT_HOST_LOG(host)         (&(const struct pail_log){(host)->user, (host)->log})
#define FRONT_CONTEXT_LOG(context)   (&(context)->log)
#define FRONT_BASES_LOG(bases)       (&(bases)->msm->log)
#define FRONT_VECTOR_LOG(vector)     (&(vector)->field->log)
#define FRONT_PENDING_LOG(pending)   pending_log(pending)
#define FRONT_MEMORY_LOG(memory)     (&(memory)->memories->log)
#include <front/slots_template.h>

#define FRONT_ADSTACK(context) ((context)->adstack)
#include <adstack/boundary_template.h>

const pail_backend pail_api_table = {
    FRONT_SLOTS,
    .name = "vulkan",
    .msm_memory = pail_api_msm_memory,
    .msm_buckets = pail_api_msm_buckets,
    FRONT_MEMORY_SLOTS,
    FRONT_ADSTACK_SLOTS,
    .warm = pail_api_warm,
    .tuning_get = pail_api_tuning_get,
    .tuning_set = pail_api_tuning_set,
};
