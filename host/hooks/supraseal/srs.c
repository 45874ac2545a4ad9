/* SPDX-License-Identifier: Apache-2.0 */
#include "srs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cpu/cpu.h>
#include <pail/devices.h>
#include <platform/process.h>

#ifndef PAIL_SUPRASEAL_QUEUE /* tests have a shorter one */
#define PAIL_SUPRASEAL_QUEUE 4096
#endif

enum {
    SENTENCE_BYTES = 512,
    QUEUE_DEPTH = PAIL_SUPRASEAL_QUEUE, /* circuits of all calls */
    DEVICES_MAX = 16,                   /* of a prover */
    LIST_BYTES = 2048,
    /* Proofs on a device at a time, and threads that copy, check and finish: a device is busiest
     * with these (docs/scheduling.md). Memory admits fewer. */
    INFLIGHT = 4,
    THREADS = 4
};

/* A key with its references. The cache has one of its own. */
struct counted {
    struct srs srs; /* first, so that the handle finds the rest */
    atomic_uint references;
    char *path;
    struct counted *next; /* in the cache; guarded by the lock */
    bool cached;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static struct counted *cache;
static struct world {
    pail_registry *registry;
    pail_devices *devices;
    pail_context *context; /* of all of them */
    pail_prover *prover;
    uint32_t keys; /* the last one that is unloaded closes the rest */
} world;

RustError supraseal_error(pail_status status, const char *sentence)
{
    RustError error = {.code = (int)status};
    if (status != PAIL_OK)
        error.message = strdup(sentence[0] != '\0' ? sentence : "failed without a reason");
    return error;
}

void supraseal_pause(void)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* ---- The prover ------------------------------------------------------------------------------ */
static void close_world(void)
{
    pail_prover_destroy(&world.prover);
    if (world.context)
        pail_devices_backend(world.devices)->context_destroy(&world.context);
    pail_devices_destroy(&world.devices);
    pail_registry_destroy(&world.registry);
    world = (struct world){0};
}

/* Lists the devices of the backend that have the name of the best one: a slower one would hold up
 * the proofs of a call. */
static pail_status list_best(char list[LIST_BYTES], const pail_backend *backend, char *sentence)
{
    const pail_host *const host = pail_registry_host(world.registry);
    pail_device_info best = {.struct_size = sizeof(best)}, info = best;
    uint32_t count = 0;
    size_t used = 0, n = 0;
    if (pail_is_cpu(backend)) {
        (void)snprintf(list, LIST_BYTES, "cpu");
        return PAIL_OK;
    }
    const pail_status status = backend->device_count(host, &count);
    for (uint32_t i = 0; i < count; i++)
        if (backend->device_info(host, i, &info) == PAIL_OK && info.usable != 0 &&
            (best.usable == 0 || info.score > best.score))
            best = info;
    for (uint32_t i = 0; i < count && n < DEVICES_MAX && used < LIST_BYTES; i++)
        if (backend->device_info(host, i, &info) == PAIL_OK && info.usable != 0 &&
            strcmp(info.name, best.name) == 0)
            used += (size_t)snprintf(list + used, LIST_BYTES - used, "%s%s:%u", n++ != 0 ? "," : "",
                                     backend->name, i);
    if (n == 0 || used >= LIST_BYTES) {
        (void)snprintf(sentence, SENTENCE_BYTES, "%s: %s", backend->name,
                       status != PAIL_OK ? backend->error(NULL) : "has no device that can be used");
        return status != PAIL_OK ? status : PAIL_ERR_UNSUPPORTED;
    }
    return PAIL_OK;
}

static pail_status list_devices(char list[LIST_BYTES], char *sentence)
{
    const char *const wanted = pail_env("PAIL_SUPRASEAL_DEVICES");
    const pail_backend *backend;
    if (wanted && wanted[0] != '\0') {
        if ((size_t)snprintf(list, LIST_BYTES, "%s", wanted) < LIST_BYTES)
            return PAIL_OK;
        (void)snprintf(sentence, SENTENCE_BYTES, "PAIL_SUPRASEAL_DEVICES has %zu characters",
                       strlen(wanted));
        return PAIL_ERR_ARGUMENT;
    }
    const pail_status status = pail_registry_find_for(
        world.registry, &backend, NULL, PAIL_ABILITY_VECTORS, sentence, SENTENCE_BYTES);
    return status == PAIL_OK ? list_best(list, backend, sentence) : status;
}

static pail_status open_devices(char *sentence)
{
    const pail_context_params params = {.struct_size = sizeof(params), .device = PAIL_DEVICE_BEST};
    char list[LIST_BYTES];
    const pail_devices_params which = {.struct_size = sizeof(which), .devices = list};
    pail_status status = list_devices(list, sentence);
    if (status == PAIL_OK)
        status =
            pail_devices_create(&world.devices, world.registry, &which, sentence, SENTENCE_BYTES);
    if (status != PAIL_OK)
        return status;
    const pail_backend *const backend = pail_devices_backend(world.devices);
    status = backend->context_create(pail_devices_host(world.devices), &world.context, &params);
    if (status != PAIL_OK)
        (void)snprintf(sentence, SENTENCE_BYTES, "%s", backend->error(NULL));
    return status;
}

static pail_status make_prover(char *sentence)
{
    pail_prover_device devices[DEVICES_MAX];
    const size_t n = pail_devices_count(world.devices);
    const pail_prover_params params = {.struct_size = sizeof(params),
                                       .flags = PAIL_PROVER_KEYS_EVERYWHERE,
                                       .devices = devices,
                                       .n_devices = (uint32_t)n,
                                       .inflight = INFLIGHT,
                                       .producers = THREADS,
                                       .host_threads = THREADS,
                                       .queue_depth = QUEUE_DEPTH};
    if (n > DEVICES_MAX) {
        (void)snprintf(sentence, SENTENCE_BYTES,
                       "PAIL_SUPRASEAL_DEVICES: %zu devices are named, and proofs take %d", n,
                       DEVICES_MAX);
        return PAIL_ERR_UNSUPPORTED;
    }
    for (size_t i = 0; i < n; i++) {
        pail_devices_member member = {.struct_size = sizeof(member)};
        const pail_status status = pail_devices_get(world.devices, world.context, &member, i);
        if (status != PAIL_OK) {
            (void)snprintf(sentence, SENTENCE_BYTES,
                           "device %zu of %zu cannot be used: pail_devices_get returned %d", i, n,
                           (int)status);
            return status;
        }
        devices[i] = (pail_prover_device){.struct_size = sizeof(devices[i]),
                                          .backend = member.backend,
                                          .context = member.context};
    }
    return pail_prover_create(&world.prover, &params, sentence, SENTENCE_BYTES);
}

static pail_status open_world(char *sentence)
{
    if (world.prover)
        return PAIL_OK;
    pail_status status = pail_registry_create(&world.registry, NULL, sentence, SENTENCE_BYTES);
    if (status == PAIL_OK)
        status = open_devices(sentence);
    if (status == PAIL_OK)
        status = make_prover(sentence);
    if (status != PAIL_OK)
        close_world();
    return status;
}

/* ---- Keys ------------------------------------------------------------------------------------ */
/* Unloads a key without references. Under the lock. */
static void unload(struct counted *counted)
{
    char sentence[SENTENCE_BYTES];
    /* Its proofs have ended, for each call has a reference. */
    (void)pail_prover_remove_key(world.prover, counted->srs.key, sentence, sizeof(sentence));
    free(counted->path);
    free(counted);
    if (--world.keys == 0)
        close_world();
}

/* Under the lock. */
static void give_back(struct counted *counted)
{
    if (atomic_fetch_sub(&counted->references, 1) == 1)
        unload(counted);
}

static struct counted *find(const char *path)
{
    struct counted *at = cache;
    while (at && strcmp(at->path, path) != 0)
        at = at->next;
    return at;
}

/* Loads a key. Under the lock. */
static pail_status load(struct counted **out, const char *path, char *sentence)
{
    const pail_groth16_key_params params = {.struct_size = sizeof(params), .path = path};
    struct counted *const counted = calloc(1, sizeof(*counted));
    pail_status status = PAIL_ERR_HOST_MEMORY;
    (void)snprintf(sentence, SENTENCE_BYTES, "no memory for a key");
    if (counted && (counted->path = strdup(path)) != NULL)
        status = open_world(sentence);
    if (status == PAIL_OK) {
        while ((status = pail_prover_add_key(world.prover, &counted->srs.key, &params, sentence,
                                             SENTENCE_BYTES)) == PAIL_NOT_READY)
            supraseal_pause(); /* circuits that fill the queue need no lock to end */
        if (status != PAIL_OK && world.keys == 0)
            close_world();
    }
    if (status != PAIL_OK) {
        if (counted)
            free(counted->path);
        free(counted);
        return status;
    }
    counted->srs.prover = world.prover;
    atomic_init(&counted->references, 1);
    world.keys++;
    *out = counted;
    return PAIL_OK;
}

RustError create_SRS(SRS *ret, const char *path, bool cached)
{
    char sentence[SENTENCE_BYTES] = "";
    if (!ret || !path)
        return supraseal_error(PAIL_ERR_ARGUMENT, !ret ? "ret is NULL" : "path is NULL");
    ret->ptr = NULL;
    (void)pthread_mutex_lock(&lock);
    struct counted *counted = cached ? find(path) : NULL;
    pail_status status = PAIL_OK;
    if (counted)
        (void)atomic_fetch_add(&counted->references, 1);
    else
        status = load(&counted, path, sentence);
    if (status == PAIL_OK && cached && !counted->cached) {
        (void)atomic_fetch_add(&counted->references, 1);
        counted->cached = true;
        counted->next = cache;
        cache = counted;
    }
    if (status == PAIL_OK)
        ret->ptr = counted;
    (void)pthread_mutex_unlock(&lock);
    return supraseal_error(status, sentence);
}

SRS clone_SRS(const SRS *srs)
{
    struct counted *const counted = srs->ptr;
    if (counted)
        (void)atomic_fetch_add(&counted->references, 1);
    return *srs;
}

void evict_SRS(const SRS *srs)
{
    struct counted *const counted = srs->ptr;
    if (!counted)
        return;
    (void)pthread_mutex_lock(&lock);
    if (counted->cached) {
        struct counted **at = &cache;
        while (*at != counted)
            at = &(*at)->next;
        *at = counted->next;
        counted->cached = false;
        give_back(counted);
    }
    (void)pthread_mutex_unlock(&lock);
}

/* Gives a reference back that is not the last. Needs no lock, which a key that is loading holds. */
static bool give_another_back(struct counted *counted)
{
    unsigned n = atomic_load(&counted->references);
    while (n > 1)
        if (atomic_compare_exchange_weak(&counted->references, &n, n - 1))
            return true;
    return false;
}

void drop_SRS(const SRS *srs)
{
    struct counted *const counted = srs->ptr;
    if (!counted || give_another_back(counted))
        return;
    (void)pthread_mutex_lock(&lock);
    give_back(counted);
    (void)pthread_mutex_unlock(&lock);
}
