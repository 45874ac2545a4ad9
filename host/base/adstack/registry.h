/* SPDX-License-Identifier: Apache-2.0 */
/* Registered kernels, and the ids of their tasks. Ids follow from names (<curves/registry_id.h>),
 * belong to a name and a task for as long as the context lives, and are the same in every process
 * where kernels are registered in the same order, or with the ids that they had. Thread-safe; what
 * can be allocated beforehand is, so that no callback of the host runs under the lock. */
#ifndef PAIL_ADSTACK_REGISTRY_H
#define PAIL_ADSTACK_REGISTRY_H

#include "kernel.h"

#include <core/ids.h>

/* Whom ids belong to: a task of a name. Made once, never changed but for the numbers. */
struct pail_ad_owner {
    struct pail_ad_owner *next; /* another one of the same hash */
    uint32_t id;                /* the id that was given last */
    int32_t task_index;
    uint32_t name_bytes;
    char name[];
};

struct pail_ad_registry {
    pthread_mutex_t lock;       /* guards all below */
    struct pail_ad_map kernels; /* handle: struct pail_ad_kernel, with a reference */
    struct pail_ad_map owners;  /* hash of name and task: the first struct pail_ad_owner */
    struct pail_ids ids;        /* id: struct pail_ad_owner */
    uint64_t last_handle;
};

/* Gives the kernel a handle and its tasks ids, and takes over the reference.
 * Errors: PAIL_ERR_ARGUMENT     a wanted id belongs to something else, or two tasks are the same
 *         PAIL_ERR_HOST_MEMORY; nothing changes then, and the reference stays with the caller */
pail_status pail_ad_registry_add(struct pail_ad_registry *registry, struct pail_ad_kernel *kernel,
                                 struct pail_error *err);

/* The kernel, with the registry's reference. Errors: PAIL_ERR_ARGUMENT */
pail_status pail_ad_registry_remove(struct pail_ad_registry *registry,
                                    struct pail_ad_kernel **kernel, uint64_t handle,
                                    struct pail_error *err);

/* Finds a kernel, with a reference for the caller. Errors: PAIL_ERR_ARGUMENT */
pail_status pail_ad_registry_find(struct pail_ad_registry *registry, struct pail_ad_kernel **kernel,
                                  uint64_t handle, struct pail_error *err);

/* PAIL_ERR_ARGUMENT for a kernel that is not registered. */
pail_status pail_ad_registry_unknown(uint64_t handle, struct pail_error *err);

/* The owner of an id, which stays where it is; NULL: none. */
const struct pail_ad_owner *pail_ad_registry_owner(struct pail_ad_registry *registry, uint32_t id);

/* Kernels of one name share the ids of their tasks. The newest one that was registered before the
 * handle `before` (UINT64_MAX: of all) and has a task of this id, with a reference, and the task in
 * it; NULL: there is none. */
struct pail_ad_kernel *pail_ad_registry_holder(struct pail_ad_registry *registry, uint32_t *task,
                                               uint32_t id, uint64_t before);

/* The kernel with the next handle after this one, with a reference; NULL: there is none. */
struct pail_ad_kernel *pail_ad_registry_next(struct pail_ad_registry *registry, uint64_t handle);

/* Releases everything. */
void pail_ad_registry_close(struct pail_ad_registry *registry, const struct pail_alloc *alloc);

#endif /* PAIL_ADSTACK_REGISTRY_H */
