/* SPDX-License-Identifier: Apache-2.0 */
#include "registry.h"

#include <stdlib.h>
#include <string.h>

#include <curves/registry_id.h>

/* The task's part of the hash: its 32 bits as they are. */
static uint64_t task_bits(int32_t task_index)
{
    return (uint32_t)task_index;
}

/* The key of a name and a task among the owners, which are compared in full. */
static uint64_t owner_key(const char *name, size_t name_bytes, int32_t task_index)
{
    return (uint64_t)pail_registry_id(name, name_bytes, task_bits(task_index));
}

static bool is_owner(const struct pail_ad_owner *owner, const pail_kernel_desc *desc,
                     int32_t task_index)
{
    return owner->task_index == task_index && owner->name_bytes == desc->name_bytes &&
           memcmp(owner->name, desc->name, desc->name_bytes) == 0;
}

static struct pail_ad_owner *find_owner(const struct pail_ad_registry *registry,
                                        const pail_kernel_desc *desc, int32_t task_index)
{
    const struct pail_ad_map_slot *slot =
        pail_ad_map_find(&registry->owners, owner_key(desc->name, desc->name_bytes, task_index));
    struct pail_ad_owner *owner = slot ? (struct pail_ad_owner *)(uintptr_t)slot->value[0] : NULL;
    while (owner && !is_owner(owner, desc, task_index))
        owner = owner->next;
    return owner;
}

/* ---- Adding ---------------------------------------------------------------------------------- */
struct numbered {
    uint32_t value, task;
};

static int by_value(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->task < y->task ? -1 : x->task > y->task;
}

/* Finds two tasks with the same number in a sorted list; 0 does not count as a wanted id. */
static pail_status check_distinct(struct numbered list[], uint32_t n, bool wanted,
                                  struct pail_error *err)
{
    qsort(list, n, sizeof(*list), by_value);
    for (uint32_t i = 1; i < n; i++)
        if (list[i].value == list[i - 1].value && !wanted)
            return pail_fail(err, PAIL_ERR_ARGUMENT, "tasks %u and %u both have task_index %d",
                             list[i - 1].task, list[i].task, (int32_t)list[i].value);
        else if (list[i].value == list[i - 1].value && list[i].value)
            return pail_fail(err, PAIL_ERR_ARGUMENT, "tasks %u and %u both want the id 0x%08x",
                             list[i - 1].task, list[i].task, list[i].value);
    return PAIL_OK;
}

static pail_status check_tasks(const pail_kernel_desc *desc, const struct pail_alloc *alloc,
                               struct pail_error *err)
{
    const uint32_t n = (uint32_t)desc->n_tasks;
    struct numbered *list = pail_calloc(alloc, n, sizeof(*list));
    if (!list)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %u tasks", n);
    for (uint32_t i = 0; i < n; i++)
        list[i] = (struct numbered){(uint32_t)desc->tasks[i].task_index, i};
    pail_status status = check_distinct(list, n, false, err);
    for (uint32_t i = 0; i < n; i++)
        list[i] = (struct numbered){desc->tasks[i].wanted_id, i};
    if (status == PAIL_OK)
        status = check_distinct(list, n, true, err);
    pail_free(alloc, list);
    return status;
}

/* Owners that may be needed, one for each task. */
static pail_status make_owners(struct pail_ad_owner *owners[], const pail_kernel_desc *desc,
                               const struct pail_alloc *alloc, struct pail_error *err)
{
    for (size_t i = 0; i < desc->n_tasks; i++) {
        owners[i] = pail_calloc(alloc, 1, sizeof(*owners[i]) + desc->name_bytes + 1);
        if (!owners[i])
            return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for the name of a task");
        owners[i]->task_index = desc->tasks[i].task_index;
        owners[i]->name_bytes = (uint32_t)desc->name_bytes;
        memcpy(owners[i]->name, desc->name, desc->name_bytes);
    }
    return PAIL_OK;
}

/* Checks that ids that generated code has baked in are free or its own. Called with the lock
 * held. */
static pail_status check_wanted(const struct pail_ad_registry *registry,
                                const pail_kernel_desc *desc, struct pail_error *err)
{
    for (size_t i = 0; i < desc->n_tasks; i++) {
        const pail_task_desc *task = &desc->tasks[i];
        const struct pail_ad_owner *owner =
            (const struct pail_ad_owner *)pail_ids_find(&registry->ids, task->wanted_id);
        char mine[96], other[96];
        if (owner && !is_owner(owner, desc, task->task_index))
            return pail_fail(
                err, PAIL_ERR_ARGUMENT,
                "task %zu: the id 0x%08x that task %d of \"%s\" wants belongs to task %d of \"%s\"",
                i, task->wanted_id, task->task_index,
                pail_ad_printable(mine, sizeof(mine), desc->name, desc->name_bytes),
                owner->task_index,
                pail_ad_printable(other, sizeof(other), owner->name, owner->name_bytes));
    }
    return PAIL_OK;
}

/* Gives a task its owner, `spare` if it is new. Called with the lock held and room for
 * everything. */
static void give_id(struct pail_ad_registry *registry, struct pail_ad_kernel *kernel, uint32_t t,
                    struct pail_ad_owner **spare)
{
    const pail_kernel_desc *desc = kernel->desc;
    const pail_task_desc *task = &desc->tasks[t];
    struct pail_ad_owner *owner = find_owner(registry, desc, task->task_index);
    if (!owner) {
        owner = *spare;
        *spare = NULL;
        struct pail_ad_map_slot *slot = pail_ad_map_put(
            &registry->owners, owner_key(desc->name, desc->name_bytes, task->task_index));
        owner->next = (struct pail_ad_owner *)(uintptr_t)slot->value[0];
        slot->value[0] = (uint64_t)(uintptr_t)owner;
    }
    if (task->wanted_id && !pail_ids_find(&registry->ids, task->wanted_id))
        (void)pail_ids_put(&registry->ids, task->wanted_id, owner);
    if (task->wanted_id)
        owner->id = task->wanted_id;
    else if (!owner->id)
        owner->id = pail_ids_put(
            &registry->ids,
            pail_registry_id(desc->name, desc->name_bytes, task_bits(task->task_index)), owner);
    kernel->tasks[t].id = owner->id;
}

/* Takes the lock with room for n tasks. */
static pail_status lock_with_room(struct pail_ad_registry *r, uint32_t n,
                                  const struct pail_alloc *alloc, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    while (status == PAIL_OK) {
        pthread_mutex_lock(&r->lock);
        const bool kernels = pail_ad_map_has_room(&r->kernels, 1);
        const bool owners = pail_ad_map_has_room(&r->owners, n);
        const bool ids = pail_ids_has_room(&r->ids, n);
        const uint32_t capacity = pail_ids_capacity(&r->ids, n);
        if (kernels && owners && ids)
            return PAIL_OK;
        pthread_mutex_unlock(&r->lock);
        if (!kernels)
            status = pail_ad_map_make_room(&r->kernels, &r->lock, 1, alloc, err);
        if (!owners && status == PAIL_OK)
            status = pail_ad_map_make_room(&r->owners, &r->lock, n, alloc, err);
        if (ids || status != PAIL_OK)
            continue;
        struct pail_ids_slot *slots =
            capacity ? pail_calloc(alloc, capacity, sizeof(*slots)) : NULL;
        if (!slots)
            return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %u more ids", n);
        pthread_mutex_lock(&r->lock);
        if (r->ids.capacity < capacity)
            slots = pail_ids_move(&r->ids, slots, capacity);
        pthread_mutex_unlock(&r->lock);
        pail_free(alloc, slots);
    }
    return status;
}

pail_status pail_ad_registry_add(struct pail_ad_registry *registry, struct pail_ad_kernel *kernel,
                                 struct pail_error *err)
{
    const struct pail_alloc *alloc = &kernel->alloc;
    const pail_kernel_desc *desc = kernel->desc;
    const uint32_t n = (uint32_t)desc->n_tasks;
    pail_status status = check_tasks(desc, alloc, err);
    if (status != PAIL_OK)
        return status;
    struct pail_ad_owner **spare = pail_calloc(alloc, n, sizeof(*spare));
    if (!spare)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %u tasks", n);
    status = make_owners(spare, desc, alloc, err);
    if (status == PAIL_OK)
        status = lock_with_room(registry, n, alloc, err);
    if (status == PAIL_OK) {
        status = check_wanted(registry, desc, err);
        if (status == PAIL_OK) {
            kernel->handle = ++registry->last_handle;
            pail_ad_map_put(&registry->kernels, kernel->handle)->value[0] =
                (uint64_t)(uintptr_t)kernel;
            /* Wanted ids first: no hash may take one of them. */
            for (int wanted = 1; wanted >= 0; wanted--)
                for (uint32_t t = 0; t < n; t++)
                    if ((desc->tasks[t].wanted_id != 0) == wanted)
                        give_id(registry, kernel, t, &spare[t]);
        }
        pthread_mutex_unlock(&registry->lock);
    }
    for (uint32_t t = 0; t < n; t++)
        pail_free(alloc, spare[t]);
    pail_free(alloc, spare);
    return status;
}

/* ---- Finding --------------------------------------------------------------------------------- */
static struct pail_ad_kernel *kernel_of(const struct pail_ad_registry *registry, uint64_t handle)
{
    const struct pail_ad_map_slot *slot = pail_ad_map_find(&registry->kernels, handle);
    return slot ? (struct pail_ad_kernel *)(uintptr_t)slot->value[0] : NULL;
}

pail_status pail_ad_registry_unknown(uint64_t handle, struct pail_error *err)
{
    return pail_fail(err, PAIL_ERR_ARGUMENT, "kernel: there is none of handle %llu",
                     (unsigned long long)handle);
}

pail_status pail_ad_registry_remove(struct pail_ad_registry *registry,
                                    struct pail_ad_kernel **kernel, uint64_t handle,
                                    struct pail_error *err)
{
    pthread_mutex_lock(&registry->lock);
    *kernel = kernel_of(registry, handle);
    if (*kernel)
        atomic_store_explicit(&(*kernel)->gone, true, memory_order_release);
    pail_ad_map_remove(&registry->kernels, handle);
    pthread_mutex_unlock(&registry->lock);
    return *kernel ? PAIL_OK : pail_ad_registry_unknown(handle, err);
}

pail_status pail_ad_registry_find(struct pail_ad_registry *registry, struct pail_ad_kernel **kernel,
                                  uint64_t handle, struct pail_error *err)
{
    pthread_mutex_lock(&registry->lock);
    *kernel = kernel_of(registry, handle);
    if (*kernel)
        pail_ad_kernel_retain(*kernel);
    pthread_mutex_unlock(&registry->lock);
    return *kernel ? PAIL_OK : pail_ad_registry_unknown(handle, err);
}

const struct pail_ad_owner *pail_ad_registry_owner(struct pail_ad_registry *registry, uint32_t id)
{
    pthread_mutex_lock(&registry->lock);
    const struct pail_ad_owner *owner =
        (const struct pail_ad_owner *)pail_ids_find(&registry->ids, id);
    pthread_mutex_unlock(&registry->lock);
    return owner;
}

/* The number of a kernel's task with this id; n_tasks: it has none. */
static uint32_t task_with(const struct pail_ad_kernel *kernel, uint32_t id)
{
    uint32_t t = 0;
    while (t < kernel->desc->n_tasks && kernel->tasks[t].id != id)
        t++;
    return t;
}

struct pail_ad_kernel *pail_ad_registry_holder(struct pail_ad_registry *registry, uint32_t *task,
                                               uint32_t id, uint64_t before)
{
    struct pail_ad_kernel *newest = NULL;
    pthread_mutex_lock(&registry->lock);
    for (uint32_t i = 0; i < registry->kernels.capacity; i++) {
        const struct pail_ad_map_slot *slot = &registry->kernels.slots[i];
        if (!slot->key || slot->key >= before || (newest && slot->key < newest->handle))
            continue;
        struct pail_ad_kernel *kernel = (struct pail_ad_kernel *)(uintptr_t)slot->value[0];
        const uint32_t t = task_with(kernel, id);
        if (t == kernel->desc->n_tasks)
            continue;
        newest = kernel;
        *task = t;
    }
    if (newest)
        pail_ad_kernel_retain(newest);
    pthread_mutex_unlock(&registry->lock);
    return newest;
}

struct pail_ad_kernel *pail_ad_registry_next(struct pail_ad_registry *registry, uint64_t handle)
{
    uint64_t next = 0;
    pthread_mutex_lock(&registry->lock);
    for (uint32_t i = 0; i < registry->kernels.capacity; i++) {
        const uint64_t key = registry->kernels.slots[i].key;
        if (key > handle && (next == 0 || key < next))
            next = key;
    }
    struct pail_ad_kernel *kernel = kernel_of(registry, next);
    if (kernel)
        pail_ad_kernel_retain(kernel);
    pthread_mutex_unlock(&registry->lock);
    return kernel;
}

void pail_ad_registry_close(struct pail_ad_registry *registry, const struct pail_alloc *alloc)
{
    for (uint32_t i = 0; i < registry->kernels.capacity; i++)
        if (registry->kernels.slots[i].key)
            pail_ad_kernel_release(
                (struct pail_ad_kernel *)(uintptr_t)registry->kernels.slots[i].value[0]);
    for (uint32_t i = 0; i < registry->owners.capacity; i++)
        for (struct pail_ad_owner *owner =
                 (struct pail_ad_owner *)(uintptr_t)registry->owners.slots[i].value[0];
             owner;) {
            struct pail_ad_owner *next = owner->next;
            pail_free(alloc, owner);
            owner = next;
        }
    pail_ad_map_free(&registry->kernels, alloc);
    pail_ad_map_free(&registry->owners, alloc);
    pail_ids_free(&registry->ids, alloc);
}
