/* SPDX-License-Identifier: Apache-2.0 */
#include "record.h"

#include "arrays.h"
#include "desc.h"
#include "tasks.h"

#include <inttypes.h>
#include <string.h>

/* Puts a recording that is complete but for its order into the kernel's list, and takes it out. */
static void keep_recording(struct pail_ad_kernel *kernel, struct pail_ad_recording *recording)
{
    pthread_mutex_lock(&kernel->lock);
    recording->order = ++kernel->order;
    recording->next = kernel->recordings;
    recording->link = &kernel->recordings;
    if (recording->next)
        recording->next->link = &recording->next;
    kernel->recordings = recording;
    pthread_mutex_unlock(&kernel->lock);
}

static void end_recording(struct pail_ad_kernel *kernel, struct pail_ad_recording *recording)
{
    pthread_mutex_lock(&kernel->lock);
    *recording->link = recording->next;
    if (recording->next)
        recording->next->link = recording->link;
    kernel->released[kernel->n_released++ % PAIL_AD_RECENT] = recording->serial;
    if (kernel->n_released == 2 * PAIL_AD_RECENT) /* however long it goes on */
        kernel->n_released = PAIL_AD_RECENT;
    pthread_mutex_unlock(&kernel->lock);
}

/* Sums of claims, also of a run in rows. Out: claimed, whether the run was in claims. */
static bool lay_out_claims(struct pail_ad_laid *laid, const pail_task_desc *task,
                           const uint32_t words[], const uint64_t needed[2], bool *claimed)
{
    uint64_t total[2];
    uint32_t layout;
    *claimed = false;
    if (!pail_ad_has_claims(task))
        return true;
    const uint64_t base = pail_ad_metadata_words(task->flags, laid->n_placed);
    if (!pail_ad_claims_read(&layout, total, words + base, task->flags))
        return false;
    *claimed = layout == PAIL_LAYOUT_CLAIMED;
    for (int heap = 0; heap < 2; heap++) {
        const bool claims = laid->claims[heap] != PAIL_AD_NONE;
        if (claims ? *claimed && pail_ad_units(task->flags, needed[heap]) != total[heap]
                   : total[heap] != 0)
            return false;
        if (claims)
            laid->places[laid->claims[heap]] =
                (struct pail_ad_place){.capacity = total[heap], .raw = (int64_t)total[heap]};
    }
    return true;
}

/* Makes the layout that the metadata say. false: a run writes no such words. */
static bool lay_out(struct pail_ad_laid *laid, const pail_task_desc *task, int64_t raw[],
                    const uint32_t words[], const uint64_t needed[2])
{
    struct pail_error ignored;
    const uint32_t n = laid->n_placed;
    bool claimed;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t capacity = pail_ad_metadata_at(words, task->flags, n, 3 + 2 * (size_t)i);
        if (capacity == 0 || capacity > INT64_MAX)
            return false;
        raw[i] = (int64_t)capacity;
    }
    if (pail_ad_layout(laid->places, laid->stride, task, raw, "", &ignored) != PAIL_OK)
        return false;
    for (int heap = 0; heap < 2; heap++)
        if (pail_ad_units(task->flags, laid->stride[heap]) !=
            pail_ad_metadata_at(words, task->flags, n, (size_t)heap))
            return false;
    if (!lay_out_claims(laid, task, words, needed, &claimed))
        return false;
    if (!claimed && laid->counted != PAIL_AD_NONE && laid->stride[PAIL_HEAP_FLOAT] > 0) {
        struct pail_ad_place *const rows = &laid->places[laid->counted];
        rows->capacity = needed[PAIL_HEAP_FLOAT] / laid->stride[PAIL_HEAP_FLOAT];
        rows->raw = (int64_t)rows->capacity;
    }
    for (uint32_t i = 0; i < n; i++)
        if (pail_ad_units(task->flags, laid->places[i].offset) !=
                pail_ad_metadata_at(words, task->flags, n, 2 + 2 * (size_t)i) ||
            laid->places[i].capacity != (uint64_t)raw[i])
            return false;
    return task->flags & PAIL_TASK_WIDE_METADATA || words[2 + 2 * n] == 0;
}

/* words: metadata; from word `needed` on what belongs to adstack_record_layout's needed_offset. */
static pail_status decode(const struct pail_ad_kernel *kernel, uint32_t task,
                          const uint32_t words[], uint64_t needed, struct pail_ad_ran *ran,
                          struct pail_error *err)
{
    const pail_task_desc *desc = &kernel->desc->tasks[task];
    const uint32_t n_stacks = (uint32_t)desc->n_stacks;
    memcpy(ran->needed, words + needed, sizeof(ran->needed));
    ran->status = words[needed + 4];
    ran->place = words[needed + 5];
    ran->sensible = ran->status <= PAIL_RECORD_RANGE && ran->place <= n_stacks;
    if (!ran->sensible || ran->status == PAIL_RECORD_ERROR || ran->status == PAIL_RECORD_RANGE)
        return PAIL_OK;
    int64_t *raw = pail_calloc(&kernel->alloc, n_stacks + 1, sizeof(*raw));
    pail_status status = PAIL_ERR_HOST_MEMORY;
    if (raw)
        status =
            pail_ad_laid_make(&ran->laid, desc, kernel->tasks[task].n_leaves, &kernel->alloc, err);
    else
        (void)pail_fail(err, status, "no host memory for the layout of %u stacks", n_stacks);
    ran->sensible = status == PAIL_OK && lay_out(ran->laid, desc, raw, words, ran->needed);
    if (!ran->sensible) {
        pail_ad_laid_release(ran->laid, &kernel->alloc);
        ran->laid = NULL;
    }
    pail_free(&kernel->alloc, raw);
    return status;
}

#define PART_ALIGNMENT 256u /* the largest minStorageBufferOffsetAlignment that Vulkan allows */
#define NEEDED_BYTES   24u
#define DISPATCH_BYTES 12u
#define GOOD_FLAGS     (PAIL_LAUNCH_DEVICE | PAIL_LAUNCH_INTERPRET | PAIL_LAUNCH_SPECIALISE)

static uint64_t align(uint64_t bytes, uint64_t alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

/* Places of the parts of each task: metadata, the numbers of 64 bits, the arguments of the
 * dispatch. Returns the bytes of all tasks. tasks: optional. */
static uint64_t record_places(const pail_kernel_desc *desc, pail_record_task tasks[])
{
    uint64_t at = 0;
    for (size_t t = 0; t < desc->n_tasks; t++) {
        at = align(at, PART_ALIGNMENT);
        const pail_task_desc *task = &desc->tasks[t];
        const uint64_t n_words =
            pail_ad_words_in(task->flags, pail_ad_n_placed(task), pail_ad_has_claims(task));
        const uint64_t needed = align(at + 4 * n_words, 8);
        if (tasks)
            tasks[t] = (pail_record_task){.struct_size = sizeof(*tasks),
                                          .n_words = (uint32_t)n_words,
                                          .metadata_offset = at,
                                          .needed_offset = needed,
                                          .dispatch_offset = needed + NEEDED_BYTES};
        at = needed + NEEDED_BYTES + DISPATCH_BYTES;
    }
    return at;
}

pail_status pail_ad_recording_look(const struct pail_adstack *service,
                                   const struct pail_ad_kernel *kernel,
                                   const struct pail_ad_recording *recording, uint32_t task,
                                   struct pail_ad_ran *ran, struct pail_error *err)
{
    const struct pail_ad_device *device = service->env.device;
    const struct pail_alloc *alloc = &service->env.alloc;
    pail_record_task *places = pail_calloc(alloc, kernel->desc->n_tasks, sizeof(*places));
    *ran = (struct pail_ad_ran){.sensible = false};
    if (!places)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for places of %zu tasks",
                         kernel->desc->n_tasks);
    (void)record_places(kernel->desc, places);
    const uint64_t from = places[task].metadata_offset;
    const uint64_t needed = places[task].needed_offset - from, bytes = needed + 24;
    pail_free(alloc, places);
    uint32_t *words = pail_calloc(alloc, 1, bytes);
    if (!words)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for the metadata of task %u",
                         task);
    pail_status status = device->fetch(device->user, words, recording->metadata_address + from,
                                       bytes, 0, 0, NULL, err);
    if (status == PAIL_OK)
        status = decode(kernel, task, words, needed / 4, ran, err);
    pail_free(alloc, words);
    return status;
}

pail_status pail_adstack_record_layout(struct pail_adstack *service, pail_record_task tasks[],
                                       size_t n_tasks, uint64_t *bytes, uint64_t handle,
                                       struct pail_error *err)
{
    struct pail_ad_kernel *kernel;
    *bytes = 0;
    pail_status status = pail_ad_registry_find(&service->registry, &kernel, handle, err);
    if (status == PAIL_OK && tasks && n_tasks != kernel->desc->n_tasks)
        status = pail_fail(err, PAIL_ERR_ARGUMENT, "n_tasks: %zu, but the kernel has %zu", n_tasks,
                           kernel->desc->n_tasks);
    if (status == PAIL_OK)
        *bytes = record_places(kernel->desc, tasks);
    pail_ad_kernel_release(kernel);
    return status;
}

/* Objects that a result holds for its command buffer. */
struct held {
    const struct pail_ad_device *device;
    struct pail_ad_kernel *kernel;
    struct pail_ad_recorded *recorded;
    struct pail_ad_recording recording;
};

static void let_go(void *user)
{
    struct held *held = user;
    const struct pail_alloc alloc = held->kernel->alloc;
    if (held->recording.order)
        end_recording(held->kernel, &held->recording);
    held->device->unrecord(held->device->user, held->recorded);
    pail_ad_kernel_release(held->kernel);
    pail_free(&alloc, held);
}

static pail_status check(const struct pail_adstack *service, const struct pail_ad_kernel *kernel,
                         const pail_launch *launch, uint64_t metadata_address,
                         struct pail_error *err)
{
    if (!service->env.device || !service->env.device->record)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "this device cannot size stacks inside of a command buffer");
    const char *no_addresses =
        service->env.memories ? "the context has a device of its own: import the one of the address"
                              : service->env.no_addresses;
    if (no_addresses)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "metadata_address: 0x%" PRIx64 ", but %s",
                         metadata_address, no_addresses);
    if (metadata_address == 0 || metadata_address % 8)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "metadata_address: 0x%" PRIx64 " is no multiple of 8 above 0",
                         metadata_address);
    if (launch->flags & ~(uint32_t)GOOD_FLAGS)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "pail_launch: flags is 0x%x, of which a command buffer takes 0x%x",
                         launch->flags, GOOD_FLAGS);
    if (launch->wait_semaphore)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "pail_launch: wait_semaphore is not 0: whoever submits the command buffer "
                         "waits");
    return pail_ad_tasks_check(launch, kernel->desc->tasks, kernel->desc->n_tasks, err);
}

/* Takes the arrays. One at a device address is read there, even if it is in host memory too. Out:
 * frame->key as well, with which diagnosis finds the arrays again. */
static pail_status take_arrays(struct pail_adstack *service, struct pail_ad_frame *frame,
                               const struct pail_ad_kernel *kernel, const pail_launch *launch,
                               struct pail_error *err)
{
    pail_status status = pail_ad_arrays_take(frame, kernel, launch, &service->env, err);
    if (status == PAIL_OK)
        status = pail_ad_identities_see(&service->identities, frame->seen, kernel->n_seen,
                                        &service->env.alloc, err);
    for (size_t i = 0; i < kernel->desc->n_sources && status == PAIL_OK; i++) {
        struct pail_ad_array *array = &frame->arrays[i];
        if (!kernel->sources[i].contents)
            continue;
        if (array->foreign)
            status = pail_fail(err, PAIL_ERR_ARGUMENT,
                               "source %zu: flags has PAIL_BINDING_FOREIGN, and a command buffer "
                               "reads contents at a device address",
                               i);
        else if (array->address)
            array->host = NULL;
    }
    if (status == PAIL_OK)
        (void)pail_ad_arrays_key(frame, kernel, launch);
    return status;
}

static pail_status record(struct pail_adstack *service, struct held *held,
                          struct pail_ad_frame *frame, const pail_launch *launch,
                          void *command_buffer, uint64_t metadata_address, struct pail_error *err)
{
    const struct pail_ad_kernel *kernel = held->kernel;
    const struct pail_alloc *alloc = &service->env.alloc;
    const struct pail_ad_program *p = kernel->program;
    struct pail_ad_values values = {
        .value = pail_calloc(alloc, p->n_slots + 1, sizeof(*values.value)),
        .known = pail_calloc(alloc, p->n_slots + 1, 1),
    };
    pail_record_task *places = pail_calloc(alloc, p->n_tasks, sizeof(*places));
    pail_task_launch *launches = pail_calloc(alloc, p->n_tasks, sizeof(*launches));
    pail_status status = PAIL_OK;
    if (values.value && values.known && places && launches) {
        struct pail_ad_record r = {
            .program = p,
            .arrays = frame->arrays,
            .values = &values,
            .tasks = kernel->desc->tasks,
            .launches = launches,
            .places = places,
            .metadata_address = metadata_address,
            .heap = {launch->heap_float, launch->heap_int},
            .workgroup_threads = launch->workgroup_threads ? launch->workgroup_threads : 1,
            .flags = launch->flags,
            .serial = kernel->handle,
            .command_buffer = command_buffer,
        };
        (void)record_places(kernel->desc, places);
        for (uint32_t t = 0; t < p->n_tasks; t++)
            launches[t] = pail_ad_task_launch(launch, t);
        status = held->device->record(held->device->user, &held->recorded, &r, err);
    } else {
        status = pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %u values", p->n_slots);
    }
    pail_free(alloc, values.value);
    pail_free(alloc, values.known);
    pail_free(alloc, places);
    pail_free(alloc, launches);
    return status;
}

/* A result that holds what the command buffer needs; takes over `held` and what is in it. */
static pail_status make_result(struct pail_adstack_result **out, struct held *held,
                               const uint64_t key[], struct pail_error *err)
{
    const struct pail_ad_kernel *kernel = held->kernel;
    const pail_status status =
        pail_ad_result_make(out, 0, NULL, kernel->n_key, &kernel->alloc, err);
    if (status != PAIL_OK) {
        let_go(held);
        return status;
    }
    memcpy((*out)->key, key, kernel->n_key * sizeof(*key));
    (*out)->recorded = true;
    (*out)->drop = let_go;
    (*out)->user = held;
    held->recording.result = *out;
    keep_recording(held->kernel, &held->recording);
    return PAIL_OK;
}

pail_status pail_adstack_record(struct pail_adstack *service, struct pail_adstack_result **result,
                                const pail_launch *launch, void *command_buffer,
                                uint64_t metadata_address, struct pail_error *err)
{
    const struct pail_alloc *alloc = &service->env.alloc;
    struct pail_ad_kernel *kernel;
    struct pail_ad_frame *frame = NULL;
    struct held *held = NULL;
    *result = NULL;
    pail_ad_count(service, PAIL_AD_STAT_EVALUATIONS, 1);
    pail_status status = pail_ad_registry_find(&service->registry, &kernel, launch->kernel, err);
    if (status == PAIL_OK)
        status = check(service, kernel, launch, metadata_address, err);
    if (status == PAIL_OK)
        status = pail_ad_frame_take(&frame, kernel, err);
    if (status == PAIL_OK)
        status = take_arrays(service, frame, kernel, launch, err);
    if (status == PAIL_OK && !(held = pail_calloc(alloc, 1, sizeof(*held))))
        status = pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a recording");
    if (status == PAIL_OK) {
        *held = (struct held){.device = service->env.device,
                              .kernel = kernel,
                              .recording = {.serial = launch->serial,
                                            .metadata_address = metadata_address,
                                            .heap = {launch->heap_float, launch->heap_int}}};
        status = record(service, held, frame, launch, command_buffer, metadata_address, err);
    }
    if (status == PAIL_OK) {
        pail_ad_kernel_retain(kernel); /* reference of the result */
        status = make_result(result, held, frame->key, err);
    } else {
        pail_free(alloc, held);
    }
    if (frame)
        pail_ad_frame_give(kernel, frame);
    pail_ad_kernel_release(kernel);
    return status;
}
