/* SPDX-License-Identifier: Apache-2.0 */
/* Pail: several devices as one backend. Part of libpail.
 *
 *     pail_devices *devices = NULL;
 *     const pail_devices_params params = {.struct_size = sizeof params, .devices = "0,1"};
 *     pail_devices_create(&devices, registry, &params, error, sizeof error);
 *     const pail_backend *backend = pail_devices_backend(devices);
 *     backend->context_create(pail_devices_host(devices), &context, &context_params);
 *
 * The table follows the rules of <pail/backend.h>. A large multiplication is split over the
 * devices, called members, and the partial sums are added; a small one runs on the member that is
 * free first. Vectors are on one member, the fastest that supports them; the others keep copies of
 * the parts that they multiply by more than once. There are no device addresses, buckets, history
 * stacks or pipelines: their slots are NULL. */
#ifndef PAIL_DEVICES_H
#define PAIL_DEVICES_H

#include <pail/pail.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PAIL_DEVICES_MAX 64 /* members of a context */

typedef struct pail_devices pail_devices; /* selected devices. Immutable. Thread-safety: safe */

typedef enum pail_devices_flag {
    /* Keep no copies in host memory of distributed points, nor of the scalars of running work. Work
     * then fails with PAIL_ERR_DEVICE_LOST when a device is lost, instead of being repeated. */
    PAIL_DEVICES_NO_SPARE = 1 << 0,
    PAIL_DEVICES_FLAG_FORCE_32 = 0x7fffffff
} pail_devices_flag;

typedef struct pail_devices_params {
    uint32_t struct_size;
    uint32_t flags; /* pail_devices_flag, or-ed */
    /* A list separated by commas: INDEX, a device of the first usable plugin, or of the backend
     * requested of the registry (pail_registry_wanted); NAME:INDEX, a device of backend NAME;
     * "all", every usable device of that backend, software drivers only if there is nothing else;
     * "cpu", the CPU backend, which may be listed more than once. */
    const char *devices;
    /* Sets of at most this many points are registered on every member; larger sets are distributed.
     * 0: the default, 2^20. */
    uint64_t replicate_up_to;
    /* Multiplications of fewer points are not split. 0: the default, 2^16. */
    uint64_t whole_below;
    /* Multiplications of at least whole_below and fewer points than this, over replicated sets, are
     * split by windows: each member gets some bits of all scalars. 0: none. */
    uint64_t windows_below;
} pail_devices_params;

/* A member of a context, and its statistics. */
typedef struct pail_devices_member {
    uint32_t struct_size;        /* in. Everything below: out */
    uint32_t device;             /* index in its backend */
    const pail_backend *backend; /* lives as long as the registry */
    char name[256];
    double rate;     /* points per second, in the group used last; relative if not measured */
    uint32_t lost;   /* 1: the device is lost and not used any more */
    uint32_t timed;  /* 1: rate was measured */
    uint64_t parts;  /* parts of multiplications that it has finished */
    uint64_t points; /* points of these parts */
    uint64_t redone; /* parts of lost members that it has repeated */
    uint64_t moved;  /* points moved to it when sets were redistributed */
    /* The context of the member's backend; lives as long as the common context. It may be used
     * directly while no work runs on the common context. */
    pail_context *context;
} pail_devices_member;

/* Selects devices; creates no context.
 *
 * Out: *devices: owned by the caller; freed by pail_devices_destroy, before the registry.
 * In:  registry; params.
 * Returns PAIL_OK, PAIL_ERR_ARGUMENT (the message names the wrong element), PAIL_ERR_UNSUPPORTED
 * (the backend or device is not usable) or PAIL_ERR_HOST_MEMORY. */
PAIL_API pail_status pail_devices_create(pail_devices **devices, const pail_registry *registry,
                                         const pail_devices_params *params, char *error,
                                         size_t capacity);

/* Contexts made with it must have been destroyed. devices, *devices: may be NULL. */
PAIL_API void pail_devices_destroy(pail_devices **devices);

/* The table, in static storage, and the host to pass to its functions; no other host is accepted.
 */
PAIL_API const pail_backend *pail_devices_backend(const pail_devices *devices);
PAIL_API const pail_host *pail_devices_host(const pail_devices *devices);

/* The number of members, at least 1. */
PAIL_API size_t pail_devices_count(const pail_devices *devices);

/* Gets member i of a context that was created with pail_devices_host. Thread-safety: safe. Returns
 * PAIL_OK, or PAIL_ERR_ARGUMENT if there is no such member, or the context is of another backend.
 */
PAIL_API pail_status pail_devices_get(const pail_devices *devices, pail_context *context,
                                      pail_devices_member *member, size_t i);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_DEVICES_H */
