/* SPDX-License-Identifier: Apache-2.0 */
/* Slots that every backend has, before functions of its own: FRONT(bases_create) and so on, with
 * structs of our size, outputs that are there and zeroed, objects that are not NULL, in a process
 * that may use them. On failure they put a sentence into *err; what they wrote is zeroed here.
 *
 * The file with a backend's table includes this one, and defines before it:
 *   FRONT(name)                 the backend's function
 *   FRONT_FACTS                 its struct pail_front_facts
 *   FRONT_OWNER(context)        const void *: the owner of the context's objects
 *   FRONT_ALLOC(context), FRONT_PENDING_ALLOC(pending)    const struct pail_alloc *
 * and, where failures are logged, FRONT_HOST_LOG(host), FRONT_CONTEXT_LOG(context),
 * FRONT_BASES_LOG(bases), FRONT_VECTOR_LOG(vector), FRONT_PENDING_LOG(pending), of objects that are
 * not NULL: const struct pail_log *. FRONT_THROTTLE: it has phases that load the host's memory bus.
 * FRONT_MEMORY_LOG(memory), or NULL: it has memory at addresses.
 *
 * It gets FRONT_SLOTS, FRONT_THROTTLE_SLOTS and FRONT_MEMORY_SLOTS, slots of its table. */
#include <string.h>

#include <platform/memory.h>
#include <platform/process.h>

#include "front.h"

#ifndef FRONT_CONTEXT_LOG
#define FRONT_HOST_LOG(host)       NULL
#define FRONT_CONTEXT_LOG(context) NULL
#define FRONT_BASES_LOG(bases)     NULL
#define FRONT_VECTOR_LOG(vector)   NULL
#define FRONT_PENDING_LOG(pending) NULL
#endif

/* The next step of a slot, unless one before it has failed. */
#define THEN(call)                                                                                 \
    do {                                                                                           \
        if (status == PAIL_OK)                                                                     \
            status = (call);                                                                       \
    } while (0)

/* ---- Devices and contexts -------------------------------------------------------------------- */
static uint32_t front_score(const pail_host *host)
{
    struct pail_error err = {0};
    uint32_t score = 0;
    pail_status status = pail_front_host(host, &err);
    THEN(FRONT(score)(host, &score, &err));
    (void)pail_front_end(NULL, status, &err);
    return status == PAIL_OK ? score : 0;
}

static pail_status front_device_count(const pail_host *host, uint32_t *count)
{
    struct pail_error err = {0};
    pail_status status = pail_front_need(count, "count", &err);
    if (count)
        *count = 0;
    THEN(pail_front_host(host, &err));
    const struct pail_log *const log = status == PAIL_OK ? FRONT_HOST_LOG(host) : NULL;
    THEN(FRONT(device_count)(host, count, &err));
    return pail_front_end(log, status, &err);
}

static pail_status front_device_info(const pail_host *host, uint32_t index, pail_device_info *info)
{
    struct pail_error err = {0};
    pail_device_info ours = {.struct_size = sizeof(ours)};
    pail_status status = pail_struct_out(info, PAIL_DEVICE_INFO_SIZE_1_0, "info", &err);
    THEN(pail_front_host(host, &err));
    const struct pail_log *const log = status == PAIL_OK ? FRONT_HOST_LOG(host) : NULL;
    THEN(FRONT(device_info)(host, index, &ours, &err));
    if (status == PAIL_OK)
        pail_struct_deliver(info, &ours, sizeof(ours));
    return pail_front_end(log, status, &err);
}

static pail_status front_context_create(const pail_host *host, pail_context **context,
                                        const pail_context_params *params)
{
    struct pail_error err = {0};
    pail_context_params ours;
    pail_vulkan_import import;
    pail_cache_callbacks cache;
    pail_fetch_callbacks fetch;
    pail_status status = pail_front_need(context, "context", &err);
    if (context)
        *context = NULL;
    THEN(pail_front_host(host, &err));
    const struct pail_log *const log = status == PAIL_OK ? FRONT_HOST_LOG(host) : NULL;
    THEN(pail_front_params(&ours, &import, &cache, &fetch, params, &err));
    THEN(FRONT(context_create)(host, context, &ours, &err));
    return pail_front_end(log, status, &err);
}

static void front_context_destroy(pail_context **context)
{
    pail_context *const c = context ? *context : NULL;
    if (!c)
        return;
    *context = NULL;
    if (pail_process_is_first())
        FRONT(context_destroy)(c);
}

static pail_status front_context_device(pail_context *context, pail_device_info *info)
{
    struct pail_error err = {0};
    pail_device_info ours = {.struct_size = sizeof(ours)};
    pail_status status = pail_struct_out(info, PAIL_DEVICE_INFO_SIZE_1_0, "info", &err);
    THEN(pail_front_object(context, "context", &err));
    THEN(FRONT(context_device)(context, &ours, &err));
    if (status == PAIL_OK)
        pail_struct_deliver(info, &ours, sizeof(ours));
    return pail_front_end(context ? FRONT_CONTEXT_LOG(context) : NULL, status, &err);
}

/* ---- Bases ----------------------------------------------------------------------------------- */
static pail_status front_bases_create(pail_context *context, pail_bases **bases, size_t *bad_index,
                                      const pail_bases_desc *desc)
{
    struct pail_error err = {0};
    pail_bases_desc ours;
    size_t bad = SIZE_MAX;
    pail_status status = pail_front_object(context, "context", &err);
    if (bases)
        *bases = NULL;
    THEN(pail_front_need(bases, "bases", &err));
    THEN(pail_struct_in(&ours, sizeof(ours), desc, PAIL_BASES_DESC_SIZE_1_0, "desc", &err));
    ours.struct_size = sizeof(ours);
    THEN(FRONT(bases_create)(context, bases, &bad, &ours, &err));
    if (bad_index)
        *bad_index = bad;
    return pail_front_end(context ? FRONT_CONTEXT_LOG(context) : NULL, status, &err);
}

/* Objects know their context. */
static void front_bases_destroy(pail_context *context, pail_bases **bases)
{
    pail_bases *const b = bases ? *bases : NULL;
    (void)context;
    if (!b)
        return;
    *bases = NULL;
    if (pail_process_is_first())
        FRONT(bases_destroy)(b);
}

static pail_status front_bases_info(const pail_bases *bases, pail_bases_info *info)
{
    struct pail_error err = {0};
    pail_bases_info ours = {.struct_size = sizeof(ours)};
    pail_status status = pail_struct_out(info, PAIL_BASES_INFO_SIZE_1_0, "info", &err);
    THEN(pail_front_object(bases, "bases", &err));
    THEN(FRONT(bases_info)(bases, &ours, &err));
    if (status == PAIL_OK)
        pail_struct_deliver(info, &ours, sizeof(ours));
    return pail_front_end(bases ? FRONT_BASES_LOG(bases) : NULL, status, &err);
}

/* ---- Multiplications ------------------------------------------------------------------------- */
static pail_status front_msm_estimate(pail_context *context, pail_stats *stats,
                                      const pail_msm_job *job, const pail_msm_config *config)
{
    struct pail_error err = {0};
    pail_msm_job ours;
    pail_msm_config our_config;
    pail_stats filled = {.struct_size = sizeof(filled)};
    pail_status status = pail_struct_out(stats, PAIL_STATS_SIZE_1_0, "stats", &err);
    THEN(pail_front_object(context, "context", &err));
    THEN(pail_struct_in(&ours, sizeof(ours), job, PAIL_MSM_JOB_SIZE_1_0, "job", &err));
    THEN(pail_front_config(&our_config, config, &err));
    THEN(pail_front_check_jobs(&FRONT_FACTS, FRONT_OWNER(context), &ours, 1, false, &err));
    ours.struct_size = sizeof(ours);
    THEN(FRONT(msm_estimate)(context, &filled, &ours, &our_config, &err));
    if (status == PAIL_OK)
        pail_struct_deliver(stats, &filled, sizeof(filled));
    return pail_front_end(context ? FRONT_CONTEXT_LOG(context) : NULL, status, &err);
}

static pail_status front_msm_start(pail_context *context, pail_pending **pending,
                                   const pail_msm_job *jobs, size_t n_jobs,
                                   const pail_msm_config *config)
{
    struct pail_error err = {0};
    pail_msm_config our_config;
    const void *list = NULL;
    void *copy = NULL;
    pail_status status = pail_front_object(context, "context", &err);
    if (pending)
        *pending = NULL;
    THEN(pail_front_need(pending, "pending", &err));
    THEN(pail_front_config(&our_config, config, &err));
    THEN(pail_structs_in(&list, &copy, FRONT_ALLOC(context), &pail_front_jobs, jobs, n_jobs, &err));
    THEN(pail_front_check_jobs(&FRONT_FACTS, FRONT_OWNER(context), list, n_jobs, true, &err));
    THEN(FRONT(msm_start)(context, pending, list, n_jobs, &our_config, &err));
    if (copy)
        pail_free(FRONT_ALLOC(context), copy);
    return pail_front_end(context ? FRONT_CONTEXT_LOG(context) : NULL, status, &err);
}

static pail_status front_pending_wait(pail_pending *pending, uint64_t timeout_ns)
{
    struct pail_error err = {0};
    pail_status status = pail_front_object(pending, "pending", &err);
    THEN(FRONT(pending_wait)(pending, timeout_ns, &err));
    return pail_front_end(NULL, status, &err);
}

static pail_status front_pending_poll(pail_pending *pending)
{
    return front_pending_wait(pending, 0);
}

static void front_pending_abandon(pail_pending **pending)
{
    pail_pending *const p = pending ? *pending : NULL;
    if (!p)
        return;
    *pending = NULL;
    if (pail_process_is_first())
        FRONT(pending_drop)(p);
}

/* Takes the handle from the caller; *pending is NULL, and whatever was started is gone, if it was
 * started by the other of the two slots. */
static pail_status front_take(pail_pending **pending, pail_pending **handle, bool is_msm,
                              struct pail_error *err)
{
    pail_pending *const p = handle ? *handle : NULL;
    pail_status status = pail_front_need(p, "pending", err);
    *pending = NULL;
    if (p)
        *handle = NULL;
    THEN(pail_front_process(err));
    if (status != PAIL_OK)
        return status;
    if ((FRONT(pending_jobs)(p) > 0) == is_msm) {
        *pending = p;
        return PAIL_OK;
    }
    FRONT(pending_drop)(p);
    return pail_fail(err, PAIL_ERR_ARGUMENT,
                     "pending is what %s started; what %s started is needed",
                     is_msm ? "vector_start" : "msm_start", is_msm ? "msm_start" : "vector_start");
}

static pail_status front_msm_finish(pail_pending **handle, pail_msm_result *results,
                                    size_t n_results, pail_stats *stats)
{
    struct pail_error err = {0}, ignored;
    pail_pending *p = handle ? *handle : NULL;
    const bool right = p && pail_process_is_first() && FRONT(pending_jobs)(p) > 0;
    const size_t n_jobs = right ? FRONT(pending_jobs)(p) : 1;
    pail_status status = pail_front_outputs(results, n_results, n_jobs, stats, &err);
    const pail_status taken = front_take(&p, handle, true, &err);
    if (taken != PAIL_OK)
        return pail_front_end(NULL, taken, &err);
    const struct pail_log *const log = FRONT_PENDING_LOG(p);
    const struct pail_alloc alloc = *FRONT_PENDING_ALLOC(p);
    if (status == PAIL_OK && n_results != n_jobs)
        status = pail_fail(&err, PAIL_ERR_ARGUMENT,
                           "n_results is %zu; %zu multiplications were started", n_results, n_jobs);
    pail_stats filled = {.struct_size = sizeof(filled)};
    const size_t stride = status == PAIL_OK ? results->struct_size : 0;
    pail_msm_result *const list =
        stride == sizeof(*list) ? results : pail_calloc(&alloc, n_jobs, sizeof(*list));
    if (status == PAIL_OK && !list)
        status = pail_fail(&err, PAIL_ERR_HOST_MEMORY, "no host memory for %zu results", n_results);
    if (status == PAIL_OK)
        status = FRONT(msm_finish)(p, list, &filled, &err);
    else
        FRONT(pending_drop)(p);
    for (size_t i = 0; i < n_jobs && stride && list != results && status == PAIL_OK; i++)
        pail_struct_deliver((char *)results + i * stride, &list[i], sizeof(list[i]));
    if (status == PAIL_OK && stats)
        pail_struct_deliver(stats, &filled, sizeof(filled));
    if (status != PAIL_OK && stride)
        (void)pail_front_outputs(results, n_results, n_jobs, stats, &ignored);
    if (list && list != results) { /* a sum over secret scalars tests a guess of them */
        pail_wipe(list, n_jobs * sizeof(*list));
        pail_free(&alloc, list);
    }
    return pail_front_end(log, status, &err);
}

/* ---- Vectors --------------------------------------------------------------------------------- */
static pail_status front_vector_create(pail_context *context, pail_vector **vector, uint32_t curve,
                                       uint64_t n)
{
    struct pail_error err = {0};
    pail_status status = pail_front_object(context, "context", &err);
    if (vector)
        *vector = NULL;
    THEN(pail_front_need(vector, "vector", &err));
    THEN(FRONT(vector_create)(context, vector, curve, n, &err));
    return pail_front_end(context ? FRONT_CONTEXT_LOG(context) : NULL, status, &err);
}

static void front_vector_destroy(pail_context *context, pail_vector **vector)
{
    pail_vector *const v = vector ? *vector : NULL;
    (void)context;
    if (!v)
        return;
    *vector = NULL;
    if (pail_process_is_first())
        FRONT(vector_destroy)(v);
}

/* Checks of the three that follow. */
static pail_status front_copy(const pail_vector *vector, uint64_t offset, bool given,
                              const char *name, uint64_t n, uint32_t encoding,
                              struct pail_error *err)
{
    pail_status status = pail_front_object(vector, "vector", err);
    if (status == PAIL_OK) {
        const struct pail_front_vector facts = FRONT_FACTS.vector(vector);
        status = pail_front_copy(&facts, offset, given, name, n, encoding, err);
    }
    return status;
}

static pail_status front_vector_write(pail_vector *vector, uint64_t offset, const void *elements,
                                      uint64_t n, uint32_t encoding)
{
    struct pail_error err = {0};
    pail_status status = front_copy(vector, offset, elements, "elements", n, encoding, &err);
    THEN(FRONT(vector_write)(vector, offset, elements, n, encoding, &err));
    return pail_front_end(vector ? FRONT_VECTOR_LOG(vector) : NULL, status, &err);
}

static pail_status front_vector_fill(pail_vector *vector, uint64_t offset, pail_read_elements read,
                                     void *user, uint64_t n, uint32_t encoding)
{
    struct pail_error err = {0};
    pail_status status = front_copy(vector, offset, read, "read", n, encoding, &err);
    THEN(FRONT(vector_fill)(vector, offset, read, user, n, encoding, &err));
    return pail_front_end(vector ? FRONT_VECTOR_LOG(vector) : NULL, status, &err);
}

static pail_status front_vector_read(const pail_vector *vector, void *elements, uint64_t offset,
                                     uint64_t n, uint32_t encoding)
{
    struct pail_error err = {0}, ignored;
    pail_status status = front_copy(vector, offset, elements, "elements", n, encoding, &err);
    THEN(FRONT(vector_read)(vector, elements, offset, n, encoding, &err));
    if (status == PAIL_OK || !vector || !elements)
        return pail_front_end(NULL, status, &err);
    /* A wrong range may come with too little room. */
    const struct pail_front_vector facts = FRONT_FACTS.vector(vector);
    if (pail_front_range(&facts, offset, n, "vector", &ignored) == PAIL_OK)
        memset(elements, 0, PAIL_SCALAR_BYTES * (size_t)n);
    return pail_front_end(FRONT_VECTOR_LOG(vector), status, &err);
}

static pail_status front_matrix_create(pail_context *context, pail_matrix **matrix,
                                       uint64_t *bad_index, const pail_matrix_desc *desc)
{
    struct pail_error err = {0};
    pail_matrix_desc ours;
    uint64_t ignored;
    uint64_t *const bad = bad_index ? bad_index : &ignored;
    *bad = UINT64_MAX;
    if (matrix)
        *matrix = NULL;
    pail_status status = pail_front_object(context, "context", &err);
    THEN(pail_front_need(matrix, "matrix", &err));
    THEN(pail_struct_in(&ours, sizeof(ours), desc, PAIL_MATRIX_DESC_SIZE_1_0, "desc", &err));
    ours.struct_size = sizeof(ours);
    THEN(FRONT(matrix_create)(context, matrix, bad, &ours, &err));
    return pail_front_end(context ? FRONT_CONTEXT_LOG(context) : NULL, status, &err);
}

static void front_matrix_destroy(pail_context *context, pail_matrix **matrix)
{
    pail_matrix *const m = matrix ? *matrix : NULL;
    if (!m)
        return;
    *matrix = NULL;
    if (pail_process_is_first())
        FRONT(matrix_destroy)(context, m);
}

static pail_status front_vector_start(pail_context *context, pail_pending **pending,
                                      const pail_vector_op *ops, size_t n_ops)
{
    struct pail_error err = {0};
    const void *list = NULL;
    void *copy = NULL;
    pail_status status = pail_front_object(context, "context", &err);
    if (pending)
        *pending = NULL;
    THEN(pail_front_need(pending, "pending", &err));
    THEN(pail_structs_in(&list, &copy, FRONT_ALLOC(context), &pail_front_ops, ops, n_ops, &err));
    if (FRONT_FACTS.matrix)
        THEN(pail_front_check_ops(&FRONT_FACTS, FRONT_OWNER(context), list, n_ops, &err));
    THEN(FRONT(vector_start)(context, pending, list, n_ops, &err));
    if (copy)
        pail_free(FRONT_ALLOC(context), copy);
    return pail_front_end(context ? FRONT_CONTEXT_LOG(context) : NULL, status, &err);
}

static pail_status front_vector_finish(pail_pending **handle, pail_stats *stats)
{
    struct pail_error err = {0};
    pail_stats filled = {.struct_size = sizeof(filled)};
    pail_pending *p;
    pail_status status =
        stats ? pail_struct_out(stats, PAIL_STATS_SIZE_1_0, "stats", &err) : PAIL_OK;
    const pail_status taken = front_take(&p, handle, false, &err);
    if (taken != PAIL_OK)
        return pail_front_end(NULL, taken, &err);
    const struct pail_log *const log = FRONT_PENDING_LOG(p);
    if (status == PAIL_OK)
        status = FRONT(vector_finish)(p, &filled, &err);
    else
        FRONT(vector_refuse)(p);
    if (status == PAIL_OK && stats)
        pail_struct_deliver(stats, &filled, sizeof(filled));
    return pail_front_end(log, status, &err);
}

/* ---- Phases of the host: where the backend has them -------------------------------------------
 */
#ifdef FRONT_THROTTLE
static const volatile int32_t *front_throttle(pail_context *context)
{
    return context ? FRONT(throttle)(context) : NULL;
}

static pail_status front_throttle_begin(pail_context *context)
{
    struct pail_error err = {0};
    pail_status status = pail_front_object(context, "context", &err);
    THEN(FRONT(throttle_begin)(context, &err));
    return pail_front_end(NULL, status, &err);
}

static pail_status front_throttle_end(pail_context *context)
{
    struct pail_error err = {0};
    pail_status status = pail_front_object(context, "context", &err);
    THEN(FRONT(throttle_end)(context, &err));
    return pail_front_end(NULL, status, &err);
}

#define FRONT_THROTTLE_SLOTS                                                                       \
    .throttle = front_throttle, .throttle_begin = front_throttle_begin,                            \
    .throttle_end = front_throttle_end
#endif

#ifdef FRONT_MEMORY_LOG
#include "memory_template.h"
#endif

#undef THEN

#define FRONT_SLOTS                                                                                \
    .struct_size = sizeof(pail_backend), .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR, \
    .version = PAIL_VERSION, .error = pail_front_error, .score = front_score,                      \
    .device_count = front_device_count, .device_info = front_device_info,                          \
    .context_create = front_context_create, .context_destroy = front_context_destroy,              \
    .context_device = front_context_device, .bases_create = front_bases_create,                    \
    .bases_destroy = front_bases_destroy, .bases_info = front_bases_info,                          \
    .msm_estimate = front_msm_estimate, .msm_start = front_msm_start,                              \
    .pending_poll = front_pending_poll, .pending_wait = front_pending_wait,                        \
    .msm_finish = front_msm_finish, .pending_abandon = front_pending_abandon,                      \
    .vector_create = front_vector_create, .vector_destroy = front_vector_destroy,                  \
    .vector_write = front_vector_write, .vector_read = front_vector_read,                          \
    .vector_fill = front_vector_fill, .matrix_create = front_matrix_create,                        \
    .matrix_destroy = front_matrix_destroy, .vector_start = front_vector_start,                    \
    .vector_finish = front_vector_finish
