/* SPDX-License-Identifier: Apache-2.0 */
#include "b2.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <cpu/cpu.h>
#include <formats/report.h>
#include <platform/machine.h>
#include <platform/thread.h>

/* ---- The pool: one context for all keys that want as many threads, so that several proofs share
 * its threads ------------------------------------------------------------------------------------
 */
const pail_host *pail_b2_host;

struct pool {
    const pail_backend *backend;
    pail_context *context;
    uint32_t threads, users;
    struct pool *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards the pools */
static struct pool *pools;

static pail_status make_pool(struct pool **out, uint32_t threads, char *error, size_t error_cap)
{
    static const pail_host usual = {
        .struct_size = sizeof(usual), .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR};
    const pail_host *const host = pail_b2_host ? pail_b2_host : &usual;
    const pail_context_params params = {.struct_size = sizeof(params), .threads = threads};
    struct pool *const pool = calloc(1, sizeof(*pool));
    if (!pool)
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY,
                           "no memory for the processors' part of proofs");
    pail_status status = pail_cpu_open(host, &pool->backend);
    if (status == PAIL_OK)
        status = pool->backend->context_create(host, &pool->context, &params);
    if (status != PAIL_OK) {
        (void)pail_report(error, error_cap, status, "%s: %s", PAIL_CPU_NAME,
                          pool->backend ? pool->backend->error(NULL) : "is not there");
        free(pool);
        return status;
    }
    pool->threads = threads;
    pool->next = pools;
    *out = pools = pool;
    return PAIL_OK;
}

/* threads: 0: as many as there are processors. Returns PAIL_OK, or PAIL_ERR_HOST_MEMORY with a
 * sentence and no context to give back. */
static pail_status get_pool(struct pail_b2 *b2, uint32_t threads, char *error, size_t error_cap)
{
    pail_status status = PAIL_OK;
    pthread_mutex_lock(&mutex);
    struct pool *pool = pools;
    while (pool && pool->threads != threads)
        pool = pool->next;
    if (!pool)
        status = make_pool(&pool, threads, error, error_cap);
    if (status == PAIL_OK) {
        pool->users++;
        b2->backend = pool->backend;
        b2->context = pool->context;
    }
    pthread_mutex_unlock(&mutex);
    return status;
}

/* Gives the context back; objects that were registered with it are gone. Legal where there is
 * none. */
static void put_pool(struct pail_b2 *b2)
{
    if (!b2->context)
        return;
    pthread_mutex_lock(&mutex);
    struct pool **at = &pools;
    while ((*at)->context != b2->context)
        at = &(*at)->next;
    struct pool *const pool = *at;
    if (--pool->users == 0) {
        *at = pool->next;
        pool->backend->context_destroy(&pool->context);
        free(pool);
    }
    pthread_mutex_unlock(&mutex);
}

/* ---- Opening --------------------------------------------------------------------------------- */
bool pail_b2_is_beside(const pail_backend *backend, pail_context *context,
                       const pail_groth16_key_params *params, const struct pail_key_part *part)
{
    pail_device_info device = {.struct_size = sizeof(device)};
    if (part || params->b2 == PAIL_GROTH16_B2_DEVICE ||
        (params->flags & PAIL_GROTH16_KEY_ONCE) != 0 || pail_is_cpu(backend))
        return false;
    return params->b2 == PAIL_GROTH16_B2_CPU ||
           (backend->context_device(context, &device) == PAIL_OK && device.type == PAIL_DEVICE_CPU);
}

static pail_msm_job job_of(const pail_groth16_key *key, const uint8_t *values)
{
    return (pail_msm_job){.struct_size = sizeof(pail_msm_job),
                          .scalar_location = PAIL_LOCATION_HOST,
                          .scalar_bits = key->g1->order_bits,
                          .bases = key->b2->bases,
                          .scalars = values,
                          .n = key->n_vars};
}

/* Bytes of scratch of a multiplication by so many threads. */
static uint64_t work_bytes(const pail_groth16_key *key, uint32_t *threads)
{
    const struct pail_b2 *const b2 = key->b2;
    const pail_msm_config config = {.struct_size = sizeof(config), .threads = *threads};
    const pail_msm_job job = job_of(key, NULL);
    pail_stats stats = {.struct_size = sizeof(stats)};
    if (b2->backend->msm_estimate(b2->context, &stats, &job, &config) != PAIL_OK)
        return 0;
    *threads = stats.threads;
    return stats.bytes_estimate;
}

void pail_b2_bound(const pail_groth16_key *key, uint64_t bytes)
{
    struct pail_b2 *const b2 = key->b2;
    struct pail_caches caches;
    uint32_t one = 1, two = 2;
    if (!b2)
        return;
    const uint64_t of_one = work_bytes(key, &one), of_two = work_bytes(key, &two);
    const uint64_t worker = two > one && of_two > of_one ? of_two - of_one : 0;
    pail_read_caches(&caches, NULL);
    b2->threads = bytes == UINT64_MAX ? 0 : pail_pool_threads(&caches, bytes, worker);
    if (b2->threads == 0 || b2->threads > b2->most_threads)
        b2->threads = b2->most_threads;
}

static pail_status make(pail_groth16_key *key, uint32_t threads, char *error, size_t error_cap)
{
    struct pail_b2 *const b2 = key->b2 = calloc(1, sizeof(*b2));
    if (!b2)
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for B2 of %s",
                           key->name);
    b2->most_threads = threads != 0 ? threads : pail_team_processors();
    pail_status status = get_pool(b2, threads, error, error_cap);
    if (status != PAIL_OK)
        return status;
    const struct pail_points_place to = {.backend = b2->backend, .context = b2->context};
    pail_bases_info info;
    status = pail_key_register_points(key, PAIL_ZKEY_B2, &to, &b2->bases, &info, error, error_cap);
    if (status != PAIL_OK)
        return status;
    b2->host_bytes = info.device_bytes + info.host_bytes; /* the CPU backend's device is the host */
    key->info.n_points += key->part.count[PAIL_ZKEY_B2];
    key->info.n_infinities += info.n_infinities;
    pail_b2_bound(key, 0);
    return PAIL_OK;
}

pail_status pail_b2_open(pail_groth16_key *key, const pail_groth16_key_params *params,
                         const struct pail_key_part *part, char *error, size_t error_cap)
{
    char untold[512];
    const bool asked = params->b2 == PAIL_GROTH16_B2_CPU;
    if (!pail_b2_is_beside(key->backend, key->context, params, part))
        return PAIL_OK;
    if (key->form == PAIL_KEY_PARAMS) /* scalars of B are gathered on the device */
        return !asked ? PAIL_OK
                      : pail_report(error, error_cap, PAIL_ERR_UNSUPPORTED,
                                    "%s: is a key of bellman, whose B2 is on its context alone",
                                    key->name);
    const pail_status status =
        make(key, params->b2_threads, asked ? error : untold, asked ? error_cap : sizeof(untold));
    if (status == PAIL_OK)
        return PAIL_OK;
    pail_b2_close(key);
    if (status == PAIL_ERR_HOST_MEMORY && !asked)
        return PAIL_OK;
    return asked ? status : pail_report(error, error_cap, status, "%s", untold);
}

void pail_b2_close(pail_groth16_key *key)
{
    struct pail_b2 *const b2 = key->b2;
    key->b2 = NULL;
    if (!b2)
        return;
    if (b2->bases)
        b2->backend->bases_destroy(b2->context, &b2->bases);
    put_pool(b2);
    free(b2);
}

uint64_t pail_b2_work_bytes(const pail_groth16_key *key)
{
    uint32_t threads = key->b2 ? key->b2->threads : 0;
    return key->b2 ? work_bytes(key, &threads) : 0;
}

void pail_b2_info(const pail_groth16_key *key, pail_groth16_key_info *info)
{
    *info = key->info;
    info->b2 = key->b2 ? PAIL_GROTH16_B2_CPU : PAIL_GROTH16_B2_DEVICE;
    if (!key->b2)
        return;
    info->host_bytes += key->b2->host_bytes;
    info->b2_threads = key->b2->threads;
}

/* ---- Multiplying ----------------------------------------------------------------------------- */
static pail_status failed(const pail_groth16_key *key, pail_status status, char *error,
                          size_t error_cap)
{
    const struct pail_b2 *const b2 = key->b2;
    return pail_report(error, error_cap, status, "%s: B2: %s", b2->backend->name,
                       b2->backend->error(b2->context));
}

pail_status pail_b2_start(const pail_groth16_key *key, pail_pending **pending,
                          const struct pail_witness *witness, char *error, size_t error_cap)
{
    const struct pail_b2 *const b2 = key->b2;
    const pail_msm_job job = job_of(key, witness->values);
    const pail_msm_config config = {.struct_size = sizeof(config), .threads = b2->threads};
    const pail_status status = b2->backend->msm_start(b2->context, pending, &job, 1, &config);
    return status == PAIL_OK ? PAIL_OK : failed(key, status, error, error_cap);
}

pail_status pail_b2_finish(const pail_groth16_key *key, pail_pending **pending,
                           pail_msm_result *result, double *ms, char *error, size_t error_cap)
{
    pail_stats stats = {.struct_size = sizeof(stats)};
    result->struct_size = sizeof(*result);
    const pail_status status = key->b2->backend->msm_finish(pending, result, 1, &stats);
    *ms = stats.wall_ms;
    return status == PAIL_OK ? PAIL_OK : failed(key, status, error, error_cap);
}
