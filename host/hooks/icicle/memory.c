/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of devices behind plain pointers: an address that a host may add to, found in a sorted
 * list of what was allocated. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <platform/memory.h>

#include "state.h"

/* The C library maps blocks of this size on their own, and their pages leave with them. */
#define UNMAPPED_BYTES (UINT64_C(64) << 20)

struct icicle_memory {
    uintptr_t address;
    uint64_t bytes;
    struct icicle_device *device;
    pail_memory *memory; /* NULL: `address` is one of the host */
    atomic_uint_fast64_t generation;
    atomic_bool
        written; /* by a call; else pages may not exist yet, and a host wrote what is there */
    uint32_t references; /* guarded by the lock; the list has one */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct icicle_memory **list; /* sorted by address */
static size_t n_listed, capacity;
static atomic_uint_fast64_t last_generation;

/* ---- The list. The lock is held. ------------------------------------------------------------- */

/* The number of the first memory that begins above the address. */
static size_t above(uintptr_t address)
{
    size_t low = 0, high = n_listed;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list[middle]->address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct icicle_memory *find(uintptr_t address)
{
    const size_t place = above(address);
    struct icicle_memory *const memory = place ? list[place - 1] : NULL;
    return memory && address - memory->address < memory->bytes ? memory : NULL;
}

static bool insert(struct icicle_memory *memory)
{
    if (n_listed == capacity) {
        const size_t more = capacity ? 2 * capacity : 64;
        struct icicle_memory **const grown = realloc(list, more * sizeof(*list));
        if (!grown)
            return false;
        list = grown;
        capacity = more;
    }
    const size_t place = above(memory->address);
    memmove(list + place + 1, list + place, (n_listed - place) * sizeof(*list));
    list[place] = memory;
    n_listed++;
    return true;
}

static void take_out(const struct icicle_memory *memory)
{
    const size_t place = above(memory->address) - 1;
    memmove(list + place, list + place + 1, (n_listed - place - 1) * sizeof(*list));
    n_listed--;
}

/* ---- One memory ------------------------------------------------------------------------------ */

static void give_back(struct icicle_memory *memory)
{
    struct icicle_device *const device = memory->device;
    icicle_bases_forget(memory);
    if (memory->memory)
        device->backend->memory_destroy(device->context, &memory->memory);
    else if (memory->written || memory->bytes < UNMAPPED_BYTES)
        pail_wipe_and_free((void *)memory->address);
    else
        free((void *)memory->address);
    free(memory);
}

static void unreference(struct icicle_memory *memory)
{
    (void)pthread_mutex_lock(&lock);
    const bool last = --memory->references == 0;
    (void)pthread_mutex_unlock(&lock);
    if (last)
        give_back(memory);
}

static pail_status get_memory(struct icicle_memory *memory, size_t bytes)
{
    struct icicle_device *const device = memory->device;
    if (device->host_memory) {
        /* Aligned as device memory is, and whole lines. */
        void *const block =
            bytes <= SIZE_MAX / 2 ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL;
        memory->address = (uintptr_t)block;
        return block ? PAIL_OK : PAIL_ERR_HOST_MEMORY;
    }
    pail_memory_info info = {.struct_size = sizeof(info)};
    const pail_status status = device->backend->memory_create(device->context, &memory->memory,
                                                              &info, PAIL_MEMORY_DEVICE, bytes);
    memory->address = (uintptr_t)info.address;
    return status;
}

int pail_icicle_malloc(void **pointer, size_t bytes)
{
    struct icicle_device *device = NULL;
    if (!pointer)
        return icicle_fail(ICICLE_INVALID_POINTER, "malloc: the pointer to set is NULL");
    *pointer = NULL;
    const int status = icicle_device_active(&device);
    if (status != ICICLE_SUCCESS)
        return status;
    struct icicle_memory *memory = calloc(1, sizeof(*memory));
    if (!memory)
        return icicle_fail(ICICLE_ALLOCATION_FAILED, "malloc: out of host memory");
    /* Memory of no bytes has an address of its own, too. */
    *memory = (struct icicle_memory){
        .device = device, .bytes = bytes ? bytes : ICICLE_ELEMENT, .references = 1};
    memory->generation = atomic_fetch_add(&last_generation, 1) + 1;
    pail_status made;
    do
        made = get_memory(memory, memory->bytes);
    while (icicle_bases_retry(device, made));
    if (made != PAIL_OK) {
        free(memory);
        if (device->host_memory)
            return icicle_fail(ICICLE_ALLOCATION_FAILED,
                               "malloc: out of host memory: %llu bytes for the device %s %d",
                               (unsigned long long)bytes, device->type, device->id);
        (void)icicle_device_fail(device, made, "malloc");
        return ICICLE_ALLOCATION_FAILED;
    }
    (void)pthread_mutex_lock(&lock);
    const bool listed = insert(memory);
    (void)pthread_mutex_unlock(&lock);
    if (!listed) {
        give_back(memory);
        return icicle_fail(ICICLE_ALLOCATION_FAILED, "malloc: out of host memory");
    }
    *pointer = (void *)memory->address;
    return ICICLE_SUCCESS;
}

static int end_of_free(void *args)
{
    (void)args;
    return ICICLE_SUCCESS;
}

static void drop_memory(void *args)
{
    unreference(*(struct icicle_memory **)args);
}

int pail_icicle_free(void *pointer, void *stream)
{
    (void)pthread_mutex_lock(&lock);
    struct icicle_memory *const memory = find((uintptr_t)pointer);
    const bool begins = memory && memory->address == (uintptr_t)pointer;
    if (begins)
        take_out(memory);
    (void)pthread_mutex_unlock(&lock);
    if (!memory)
        return icicle_fail(ICICLE_INVALID_DEVICE, "free: %p is no memory of a device", pointer);
    if (!begins)
        return icicle_fail(ICICLE_INVALID_POINTER,
                           "free: %p is not the beginning of memory of a device", pointer);
    /* Work that was started keeps it. */
    if (!stream) {
        unreference(memory);
        return ICICLE_SUCCESS;
    }
    return icicle_stream_run(memory->device, stream, true, end_of_free, drop_memory,
                             &(struct icicle_memory *){memory}, sizeof(memory));
}

int pail_icicle_is_host(const void *pointer)
{
    (void)pthread_mutex_lock(&lock);
    const bool known = find((uintptr_t)pointer) != NULL;
    (void)pthread_mutex_unlock(&lock);
    return known ? ICICLE_INVALID_POINTER : ICICLE_SUCCESS;
}

int pail_icicle_is_active_device(const void *pointer)
{
    struct icicle_device *device = NULL;
    const int status = icicle_device_active(&device);
    if (status != ICICLE_SUCCESS)
        return status;
    (void)pthread_mutex_lock(&lock);
    const struct icicle_memory *const memory = find((uintptr_t)pointer);
    const bool on_it = memory && memory->device == device;
    (void)pthread_mutex_unlock(&lock);
    return on_it ? ICICLE_SUCCESS : ICICLE_INVALID_POINTER;
}

void icicle_memory_clear(void)
{
    while (n_listed) {
        struct icicle_memory *const memory = list[n_listed - 1];
        take_out(memory);
        unreference(memory);
    }
    free(list);
    list = NULL;
    capacity = 0;
}

/* ---- Operands -------------------------------------------------------------------------------- */

int icicle_operand_take(struct icicle_operand *operand, const char *what, const void *pointer,
                        uint64_t bytes, bool on_device, const struct icicle_device *device)
{
    const uintptr_t address = (uintptr_t)pointer;
    *operand = (struct icicle_operand){.bytes = bytes};
    if (!pointer && bytes)
        return icicle_fail(ICICLE_INVALID_POINTER, "%s: NULL", what);
    (void)pthread_mutex_lock(&lock);
    struct icicle_memory *const memory = find(address);
    const bool mine = memory && memory->device == device;
    /* Memory of the host is readable, whoever allocated it. */
    const bool in_host = !memory || !memory->memory;
    const uint64_t rest = memory ? memory->bytes - (address - memory->address) : UINT64_MAX;
    const bool usable = (on_device ? mine : in_host) && bytes <= rest;
    if (usable && memory) {
        memory->references++;
        operand->memory = memory;
        operand->offset = address - memory->address;
    }
    (void)pthread_mutex_unlock(&lock);
    if (usable || bytes == 0) {
        if (in_host)
            operand->host = (uint8_t *)address;
        return ICICLE_SUCCESS;
    }
    if (on_device && !memory)
        return icicle_fail(ICICLE_INVALID_POINTER, "%s: %p is no memory of the device", what,
                           pointer);
    if (on_device && !mine)
        return icicle_fail(ICICLE_INVALID_POINTER, "%s: %p is memory of another device", what,
                           pointer);
    if (!on_device && !in_host)
        return icicle_fail(ICICLE_INVALID_POINTER, "%s: %p is memory of a device, not of the host",
                           what, pointer);
    return icicle_fail(ICICLE_INVALID_POINTER,
                       "%s: %llu bytes do not fit the %llu from %p to the end of its memory", what,
                       (unsigned long long)bytes, (unsigned long long)rest, pointer);
}

void icicle_operand_drop(struct icicle_operand *operand)
{
    if (operand->memory)
        unreference(operand->memory);
    *operand = (struct icicle_operand){0};
}

static uintptr_t begin_of(const struct icicle_operand *operand)
{
    return operand->memory ? operand->memory->address + (uintptr_t)operand->offset
                           : (uintptr_t)operand->host;
}

bool icicle_operands_overlap(const struct icicle_operand *a, const struct icicle_operand *b,
                             bool same)
{
    const uintptr_t x = begin_of(a), y = begin_of(b);
    if (!a->host != !b->host || a->bytes == 0 || b->bytes == 0)
        return false;
    if (x == y && a->bytes == b->bytes)
        return same;
    return x < y ? y - x < a->bytes : x - y < b->bytes;
}

int icicle_operand_read(const struct icicle_operand *operand, const uint8_t **bytes, uint8_t **copy)
{
    *bytes = operand->host;
    *copy = NULL;
    if (operand->host || operand->bytes == 0)
        return ICICLE_SUCCESS;
    *copy = malloc(operand->bytes);
    *bytes = *copy;
    if (!*copy)
        return icicle_fail(ICICLE_OUT_OF_MEMORY, "out of host memory: %llu bytes",
                           (unsigned long long)operand->bytes);
    const struct icicle_device *const device = operand->memory->device;
    const pail_status status = device->backend->memory_read(operand->memory->memory, *copy,
                                                            operand->offset, operand->bytes);
    if (status == PAIL_OK)
        return ICICLE_SUCCESS;
    icicle_operand_unread(*copy);
    *copy = NULL;
    (void)icicle_device_fail(device, status, "copy from the device");
    return ICICLE_COPY_FAILED;
}

void icicle_operand_unread(uint8_t *copy)
{
    pail_wipe_and_free(copy);
}

int icicle_operand_write(const struct icicle_operand *operand, uint64_t offset, const void *bytes,
                         uint64_t n_bytes)
{
    if (n_bytes == 0)
        return ICICLE_SUCCESS;
    icicle_operand_changes(operand);
    if (operand->host) {
        memmove(operand->host + offset, bytes, n_bytes);
    } else {
        const struct icicle_device *const device = operand->memory->device;
        const pail_status status = device->backend->memory_write(
            operand->memory->memory, operand->offset + offset, bytes, n_bytes);
        if (status != PAIL_OK) {
            (void)icicle_device_fail(device, status, "copy to the device");
            return ICICLE_COPY_FAILED;
        }
    }
    icicle_operand_changes(operand);
    return ICICLE_SUCCESS;
}

void icicle_operand_changes(const struct icicle_operand *operand)
{
    if (!operand->memory)
        return;
    atomic_store(&operand->memory->generation, atomic_fetch_add(&last_generation, 1) + 1);
    atomic_store(&operand->memory->written, true);
}

int icicle_operand_end(const struct icicle_operand *operand, int status)
{
    if (status != ICICLE_SUCCESS && operand->host)
        memset(operand->host, 0, operand->bytes);
    return status;
}

uint64_t icicle_operand_address(const struct icicle_operand *operand)
{
    return operand->host ? 0 : (uint64_t)begin_of(operand);
}

bool icicle_operand_direct(const struct icicle_operand *operand, uint64_t alignment)
{
    return !operand->host && operand->memory && operand->offset % alignment == 0;
}

uint64_t icicle_operand_generation(const struct icicle_operand *operand)
{
    return operand->memory ? atomic_load(&operand->memory->generation) : 0;
}

/* ---- Copies ---------------------------------------------------------------------------------- */

struct transfer {
    struct icicle_operand to, from;
    int value; /* of a fill, without `from` */
};

static void drop_transfer(void *args)
{
    struct transfer *const transfer = args;
    icicle_operand_drop(&transfer->to);
    icicle_operand_drop(&transfer->from);
}

/* Between memories of the device. */
static int copy_within(const struct icicle_operand *to, const struct icicle_operand *from)
{
    const pail_backend *const backend = to->memory->device->backend;
    icicle_operand_changes(to);
    const pail_status status = backend->memory_copy(to->memory->memory, to->offset,
                                                    from->memory->memory, from->offset, to->bytes);
    icicle_operand_changes(to);
    if (status == PAIL_OK)
        return ICICLE_SUCCESS;
    (void)icicle_device_fail(to->memory->device, status, "copy");
    return ICICLE_COPY_FAILED;
}

static int run_copy(void *args)
{
    const struct transfer *const transfer = args;
    const struct icicle_operand *const to = &transfer->to, *const from = &transfer->from;
    if (to->bytes == 0)
        return ICICLE_SUCCESS;
    if (from->host)
        return icicle_operand_write(to, 0, from->host, to->bytes);
    if (!to->host)
        return copy_within(to, from);
    const struct icicle_device *const device = from->memory->device;
    icicle_operand_changes(to);
    const pail_status status =
        to->bytes == 0
            ? PAIL_OK
            : device->backend->memory_read(from->memory->memory, to->host, from->offset, to->bytes);
    icicle_operand_changes(to);
    if (status == PAIL_OK)
        return ICICLE_SUCCESS;
    (void)icicle_device_fail(device, status, "copy from the device");
    return ICICLE_COPY_FAILED;
}

int pail_icicle_copy(void *to, const void *from, size_t bytes, enum icicle_copy direction,
                     void *stream, bool async)
{
    struct transfer transfer = {0};
    struct icicle_device *device = NULL;
    int status = icicle_device_active(&device);
    if (status != ICICLE_SUCCESS)
        return status;
    const bool anywhere = direction == ICICLE_ANYWHERE;
    const bool from_device =
        anywhere ? pail_icicle_is_host(from) != ICICLE_SUCCESS : direction == ICICLE_TO_HOST;
    const bool to_device =
        anywhere ? pail_icicle_is_host(to) != ICICLE_SUCCESS : direction == ICICLE_TO_DEVICE;
    status = icicle_operand_take(&transfer.to, "copy: the target", to, bytes, to_device, device);
    if (status == ICICLE_SUCCESS)
        status = icicle_operand_take(&transfer.from, "copy: the source", from, bytes, from_device,
                                     device);
    if (status == ICICLE_SUCCESS && icicle_operands_overlap(&transfer.to, &transfer.from, false))
        status = icicle_fail(ICICLE_INVALID_ARGUMENT, "copy: source and target overlap");
    if (status != ICICLE_SUCCESS) {
        drop_transfer(&transfer);
        return status;
    }
    return icicle_stream_run(device, stream, async && to_device && from_device, run_copy,
                             drop_transfer, &transfer, sizeof(transfer));
}

static int run_fill(void *args)
{
    const struct transfer *const transfer = args;
    const struct icicle_operand *const to = &transfer->to;
    pail_status status = PAIL_OK;
    icicle_operand_changes(to);
    if (to->host)
        memset(to->host, transfer->value, to->bytes);
    else if (to->bytes)
        status = to->memory->device->backend->memory_fill(to->memory->memory, to->offset, to->bytes,
                                                          (uint8_t)transfer->value);
    icicle_operand_changes(to);
    return status == PAIL_OK ? ICICLE_SUCCESS
                             : icicle_device_fail(to->memory->device, status, "memset");
}

int pail_icicle_fill(void *pointer, int value, size_t bytes, void *stream, bool async)
{
    struct transfer transfer = {.value = value};
    struct icicle_device *device = NULL;
    int status = icicle_device_active(&device);
    if (status == ICICLE_SUCCESS)
        status = icicle_operand_take(&transfer.to, "memset", pointer, bytes, true, device);
    if (status != ICICLE_SUCCESS) {
        drop_transfer(&transfer);
        return status;
    }
    return icicle_stream_run(device, stream, async, run_fill, drop_transfer, &transfer,
                             sizeof(transfer));
}
