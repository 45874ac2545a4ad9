/* Pail: several devices behind one table. Part of libpail.
 *
 *     pail_devices *devices = NULL;
 *     const pail_devices_params params = {.struct_size = sizeof params, .devices = "0,1"};
 *     pail_devices_create(&devices, registry, &params, error, sizeof error);
 *     const pail_backend *backend = pail_devices_backend(devices);
 *     backend->context_create(pail_devices_host(devices), &context, &context_params);
 *
 * What the table of a backend promises holds for this one. A large multiplication is split over the
 * members, and the parts are added up; a small one goes whole to the member that is free first.
 * Vectors are on one member, the fastest that has them. Memory at device addresses, buckets, stacks
 * and pipelines are not there: their slots are NULL.
 */
#ifndef PAIL_DEVICES_H
#define PAIL_DEVICES_H

#include <pail/pail.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PAIL_DEVICES_MAX 64 /* members of a context */

typedef struct pail_devices pail_devices; /* a choice of devices. Immutable. Safe */

typedef enum pail_devices_flag {
    /* Keep no copies in host memory of the points of sets that are split, nor of the scalars of
     * work under way. A device that is lost takes the work on it along then: PAIL_ERR_DEVICE_LOST.
     */
    PAIL_DEVICES_NO_SPARE = 1 << 0,
    PAIL_DEVICES_FLAG_FORCE_32 = 0x7fffffff
} pail_devices_flag;

typedef struct pail_devices_params {
    uint32_t struct_size;
    uint32_t flags; /* pail_devices_flag, or-ed */
    /* Elements between commas: an index, of a device of the first usable backend that is not built
     * in (of the one the registry was made for, if it was made for one); NAME:INDEX, of the backend
     * NAME; "all": each usable device of that backend, software drivers only where nothing else is
     * there; "cpu": the CPU backend, which may be named more than once. */
    const char *devices;
    /* Points; 0: the default. Sets with at most so many are registered with every member; larger
     * ones are cut, a piece for each. */
    uint64_t replicate_up_to;
    /* Multiplications of fewer points stay whole. */
    uint64_t whole_below;
    /* Those of fewer points, and not whole, are split by windows, over sets that every member has:
     * each member gets some bits of all scalars. 0: none. */
    uint64_t windows_below;
} pail_devices_params;

/* A member of a context, and what it has done so far. */
typedef struct pail_devices_member {
    uint32_t struct_size;        /* in. Everything below: out */
    uint32_t device;             /* index with its backend */
    const pail_backend *backend; /* lives as long as the registry */
    char name[256];
    double rate;     /* points a second, in the group used last; relative where not measured; */
    uint32_t lost;   /* 1: the device is lost, and gets no more work */
    uint32_t timed;  /* 1: rate was measured */
    uint64_t parts;  /* of multiplications that it has finished */
    uint64_t points; /* of these parts */
    uint64_t redone; /* parts of other members, lost, that it did in their place */
    uint64_t moved;  /* points of cut sets that it was given when these were cut anew */
    /* Of the backend: the member's own, which lives as long as the one of all. Whoever wants its
     * devices one by one uses these, and has no work with the other meanwhile. */
    pail_context *context;
} pail_devices_member;

/* Chooses devices; makes no context.
 *
 * Out: *devices: to be given to pail_devices_destroy, before the registry is destroyed.
 * In:  registry; params.
 * Returns PAIL_OK, PAIL_ERR_ARGUMENT (the sentence names the element that is wrong),
 * PAIL_ERR_UNSUPPORTED (no such backend or device can be used here) or PAIL_ERR_HOST_MEMORY. */
PAIL_API pail_status pail_devices_create(pail_devices **devices, const pail_registry *registry,
                                         const pail_devices_params *params, char *error,
                                         size_t capacity);

/* Contexts made with it must be gone. devices, *devices: may be NULL. */
PAIL_API void pail_devices_destroy(pail_devices **devices);

/* The table; static storage. Its functions that take a host take the one below and no other. */
PAIL_API const pail_backend *pail_devices_backend(const pail_devices *devices);
PAIL_API const pail_host *pail_devices_host(const pail_devices *devices);

/* How many members there are: at least 1. */
PAIL_API size_t pail_devices_count(const pail_devices *devices);

/* Member i of a context that was made with such a host. Thread-safe.
 * Returns PAIL_OK or PAIL_ERR_ARGUMENT: no such member, or a context of another backend. */
PAIL_API pail_status pail_devices_get(const pail_devices *devices, pail_context *context,
                                      pail_devices_member *member, size_t i);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_DEVICES_H */
