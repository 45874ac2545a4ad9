#include "pool.h"

#include <pthread.h>
#include <stdlib.h>

#include <cpu/cpu.h>
#include <formats/report.h>

const pail_host *pail_b2_pool_host;

struct pool {
    const pail_backend *backend;
    pail_context *context;
    uint32_t threads, users;
    struct pool *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards the variables below */
static struct pool *pools;

static pail_status make(struct pool **out, uint32_t threads, char *error, size_t error_cap)
{
    static const pail_host usual = {
        .struct_size = sizeof(usual), .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR};
    const pail_host *const host = pail_b2_pool_host != NULL ? pail_b2_pool_host : &usual;
    const pail_context_params params = {.struct_size = sizeof(params), .threads = threads};
    struct pool *const pool = calloc(1, sizeof(*pool));
    if (pool == NULL)
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY,
                           "no memory for the processors' part of proofs");
    pail_status status = pail_cpu_open(host, &pool->backend);
    if (status == PAIL_OK)
        status = pool->backend->context_create(host, &pool->context, &params);
    if (status != PAIL_OK) {
        (void)pail_report(error, error_cap, status, "%s: %s", PAIL_CPU_NAME,
                          pool->backend != NULL ? pool->backend->error(NULL) : "is not there");
        free(pool);
        return status;
    }
    pool->threads = threads;
    pool->next = pools;
    *out = pools = pool;
    return PAIL_OK;
}

pail_status pail_b2_pool_get(const pail_backend **backend, pail_context **context, uint32_t threads,
                             char *error, size_t error_cap)
{
    pail_status status = PAIL_OK;
    *context = NULL;
    pthread_mutex_lock(&mutex);
    struct pool *pool = pools;
    while (pool != NULL && pool->threads != threads)
        pool = pool->next;
    if (pool == NULL)
        status = make(&pool, threads, error, error_cap);
    if (status == PAIL_OK) {
        pool->users++;
        *backend = pool->backend;
        *context = pool->context;
    }
    pthread_mutex_unlock(&mutex);
    return status;
}

void pail_b2_pool_put(pail_context **context)
{
    if (*context == NULL)
        return;
    pthread_mutex_lock(&mutex);
    struct pool **at = &pools;
    while ((*at)->context != *context)
        at = &(*at)->next;
    struct pool *const pool = *at;
    if (--pool->users == 0) {
        *at = pool->next;
        pool->backend->context_destroy(&pool->context);
        free(pool);
    }
    pthread_mutex_unlock(&mutex);
    *context = NULL;
}
