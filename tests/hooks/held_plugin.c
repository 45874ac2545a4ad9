/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin whose vectors are filled behind a gate, which a test opens and shuts. Everything is done
 * by the CPU backend, or by the plugin that PAIL_TEST_HELD names. */
#include "held_plugin.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include <cpu/cpu.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED pail_status pail_backend_open(const pail_host *host, const pail_backend **backend);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_shut;
static int waiting;

EXPORTED void held_shut(bool shut)
{
    pthread_mutex_lock(&mutex);
    is_shut = shut;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

EXPORTED void held_wait(int n)
{
    pthread_mutex_lock(&mutex);
    while (waiting < n)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
}

static const pail_backend *behind;

static pail_status fill(pail_vector *vector, uint64_t offset, pail_read_elements read, void *user,
                        uint64_t n, uint32_t encoding)
{
    pthread_mutex_lock(&mutex);
    waiting++;
    pthread_cond_broadcast(&changed);
    while (is_shut)
        pthread_cond_wait(&changed, &mutex);
    waiting--;
    pthread_mutex_unlock(&mutex);
    return behind->vector_fill(vector, offset, read, user, n, encoding);
}

pail_status pail_backend_open(const pail_host *host, const pail_backend **backend)
{
    static pail_backend table;
    pail_backend_open_fn open = pail_cpu_open;
    const char *const path = getenv("PAIL_TEST_HELD");
    *backend = NULL;
    if (path) {
        void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        *(void **)(void *)&open = library ? dlsym(library, "pail_backend_open") : NULL;
        if (!open)
            return PAIL_ERR_INTERNAL;
    }
    const pail_status status = open(host, &behind);
    if (status != PAIL_OK)
        return status;
    table = *behind;
    table.name = "held";
    table.vector_fill = fill;
    *backend = &table;
    return PAIL_OK;
}
