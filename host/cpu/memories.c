/* SPDX-License-Identifier: Apache-2.0 */
#include "memories.h"

#include <inttypes.h>
#include <string.h>

#include "adder.h"
#include "context.h"
#include <front/front.h>
#include <platform/machine.h>

/* Bytes of a task. */
#define TASK_BYTES ((uint64_t)1 << 20)

/* Threads that copy at most: few are enough for a machine's memory. */
#define THREADS_MAX 16u

pail_status pail_cpu_memory_at(pail_context *context, pail_memory **memory, unsigned char **at,
                               uint64_t address, uint64_t bytes, uint32_t align, const char *name,
                               struct pail_error *err)
{
    struct pail_front_place place;
    const pail_status status =
        pail_front_place(&place, &context->memories, address, bytes, align, name, err);
    *memory = status == PAIL_OK ? place.memory : NULL;
    *at = status == PAIL_OK ? place.memory->at + place.offset : NULL;
    return status;
}

pail_status pail_cpu_memory_create(pail_context *context, pail_memory **out, pail_memory_info *info,
                                   uint32_t kind, uint64_t bytes, struct pail_error *err)
{
    const struct pail_alloc *const memory = &context->memory;
    const uint64_t most = pail_machine_memory();
    if (bytes == 0)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "bytes is 0: there is no memory without any");
    if (bytes > most || bytes > SIZE_MAX - PAIL_CPU_ALIGNMENT)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "bytes is %" PRIu64 "; this machine has memory of %" PRIu64, bytes, most);
    pail_memory *const m = pail_cpu_alloc(memory, 1, sizeof *m);
    void *const block = pail_cpu_alloc(memory, 1, (size_t)bytes + PAIL_CPU_ALIGNMENT);
    pail_status status = PAIL_OK;
    if (m && block) {
        *m = (pail_memory){
            .context = context, .at = pail_cpu_aligned(block), .bytes = bytes, .block = block};
        const struct pail_range range = {(uintptr_t)m->at, bytes, m};
        status = pail_ranges_add(&context->memories, &range, err);
    } else {
        status = pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for %" PRIu64 " bytes", bytes);
    }
    if (status != PAIL_OK) {
        pail_cpu_free(memory, block);
        pail_cpu_free(memory, m);
        return status;
    }
    info->address = (uintptr_t)m->at;
    info->mapped = kind == PAIL_MEMORY_HOST ? m->at : NULL;
    *out = m;
    return PAIL_OK;
}

void pail_cpu_memory_destroy(pail_memory *memory)
{
    const struct pail_alloc *const alloc = &memory->context->memory;
    pail_ranges_remove(&memory->context->memories, (uintptr_t)memory->at);
    pail_cpu_free_wiped(alloc, memory->block, 1, (size_t)memory->bytes + PAIL_CPU_ALIGNMENT);
    pail_cpu_free(alloc, memory);
}

/* ---- Bytes ----------------------------------------------------------------------------------- */
struct transfer {
    struct pail_cpu_work work; /* first */
    unsigned char *to;
    const unsigned char *from; /* NULL: filled with a value */
    uint8_t value;
    uint64_t n_bytes;
    struct pail_cpu_use uses[2];
    size_t slots[THREADS_MAX];
};

static void transfer_task(struct pail_cpu_work *work, size_t task, size_t slot)
{
    (void)slot;
    const struct transfer *const t = (const struct transfer *)work;
    const uint64_t begin = task * TASK_BYTES, left = t->n_bytes - begin;
    const size_t n = (size_t)(left < TASK_BYTES ? left : TASK_BYTES);
    if (t->from)
        memcpy(t->to + begin, t->from + begin, n);
    else
        memset(t->to + begin, t->value, n);
}

/* In its turn behind earlier work on what it uses. */
static void run(pail_context *context, struct transfer *t)
{
    const size_t threads = pail_cpu_pool_threads(context->pool);
    const size_t n_tasks = (size_t)((t->n_bytes - 1) / TASK_BYTES + 1);
    size_t running = threads < n_tasks ? threads : n_tasks;
    running = running < THREADS_MAX ? running : THREADS_MAX;
    t->work = (struct pail_cpu_work){
        .run = transfer_task,
        .n_tasks = n_tasks,
        .max_running = running,
        .slots = t->slots,
        .uses = t->uses,
        .n_uses = t->uses[1].object ? 2 : 1,
    };
    pail_cpu_pool_submit(context->pool, &t->work);
    pail_cpu_pool_wait(context->pool, &t->work, UINT64_MAX);
}

pail_status pail_cpu_memory_write(pail_memory *memory, uint64_t offset, const void *bytes,
                                  uint64_t n_bytes, struct pail_error *err)
{
    (void)err;
    struct transfer t = {
        .to = memory->at + offset, .from = bytes, .n_bytes = n_bytes, .uses = {{memory, true}}};
    run(memory->context, &t);
    return PAIL_OK;
}

pail_status pail_cpu_memory_read(const pail_memory *memory, void *bytes, uint64_t offset,
                                 uint64_t n_bytes, struct pail_error *err)
{
    (void)err;
    struct transfer t = {
        .to = bytes, .from = memory->at + offset, .n_bytes = n_bytes, .uses = {{memory, false}}};
    run(memory->context, &t);
    return PAIL_OK;
}

pail_status pail_cpu_memory_copy(pail_memory *to, uint64_t to_offset, const pail_memory *from,
                                 uint64_t from_offset, uint64_t n_bytes, struct pail_error *err)
{
    (void)err;
    struct transfer t = {.to = to->at + to_offset,
                         .from = from->at + from_offset,
                         .n_bytes = n_bytes,
                         .uses = {{to, true}, {from != to ? from : NULL, false}}};
    run(to->context, &t);
    return PAIL_OK;
}

pail_status pail_cpu_memory_fill(pail_memory *memory, uint64_t offset, uint64_t n_bytes,
                                 uint8_t value, struct pail_error *err)
{
    (void)err;
    struct transfer t = {
        .to = memory->at + offset, .value = value, .n_bytes = n_bytes, .uses = {{memory, true}}};
    run(memory->context, &t);
    return PAIL_OK;
}
