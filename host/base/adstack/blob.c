/* SPDX-License-Identifier: Apache-2.0 */
#include "blob.h"

#include <inttypes.h>
#include <string.h>

#include <curves/fnv.h>
#include <curves/little_endian.h>

static const uint8_t magic[8] = {'P', 'A', 'I', 'L', 'A', 'D', 'S', 'T'};

enum {
    AT_FORMAT = 8,
    AT_RESERVED = 12,
    AT_BODY_BYTES = 16,
    AT_BODY_HASH = 24,
    AT_HEADER_HASH = 32,
    HEADER_BYTES = 40,
};

enum { NODE_BYTES = 48, INDEX_BYTES = 8 };

_Static_assert(sizeof(pail_node) == NODE_BYTES, "a node has no other members");

/* ---- Writing --------------------------------------------------------------------------------- */
/* NULL: only counts. */
struct writer {
    uint8_t *bytes;
    size_t used;
};

static void put_u32(struct writer *w, uint32_t value)
{
    if (w->bytes)
        pail_store_u32(w->bytes + w->used, value);
    w->used += 4;
}

static void put_u64(struct writer *w, uint64_t value)
{
    put_u32(w, (uint32_t)value);
    put_u32(w, (uint32_t)(value >> 32));
}

/* Followed by zeros up to a multiple of 4. */
static void put_bytes(struct writer *w, const void *bytes, size_t n)
{
    const size_t padded = (n + 3) & ~(size_t)3;
    if (w->bytes && n > 0) {
        memset(w->bytes + w->used, 0, padded);
        memcpy(w->bytes + w->used, bytes, n);
    }
    w->used += padded;
}

static void put_node(struct writer *w, const pail_node *node)
{
    put_u32(w, (uint32_t)node->kind | (uint32_t)node->dtype << 16);
    put_u32(w, (uint32_t)node->a);
    put_u32(w, (uint32_t)node->b);
    put_u32(w, (uint32_t)node->body);
    put_u32(w, (uint32_t)node->variable);
    put_u32(w, (uint32_t)node->source);
    put_u32(w, (uint32_t)node->axis);
    put_u32(w, node->index_first);
    put_u32(w, node->index_count);
    put_u32(w, node->reserved);
    put_u64(w, (uint64_t)node->imm);
}

static void put_stack(struct writer *w, const pail_stack_desc *stack)
{
    put_u32(w, stack->heap);
    put_u32(w, stack->element_bytes);
    put_u32(w, stack->copies);
    put_u32(w, stack->header_bytes);
    put_u32(w, stack->alignment);
    put_u32(w, (uint32_t)stack->tree.n_nodes);
    put_u32(w, (uint32_t)stack->tree.n_indices);
    put_u32(w, 0);
    put_u64(w, stack->static_capacity);
    for (size_t i = 0; i < stack->tree.n_nodes; i++)
        put_node(w, &stack->tree.nodes[i]);
    for (size_t i = 0; i < stack->tree.n_indices; i++)
        put_u64(w, (uint64_t)stack->tree.indices[i]);
}

static void put_kernel(struct writer *w, const struct pail_ad_kernel *kernel)
{
    const pail_kernel_desc *desc = kernel->desc;
    put_u32(w, (uint32_t)desc->name_bytes);
    put_u32(w, (uint32_t)desc->n_sources);
    put_u32(w, (uint32_t)desc->n_tasks);
    put_u32(w, desc->flags);
    put_bytes(w, desc->name, desc->name_bytes);
    put_bytes(w, desc->source_rank, desc->n_sources);
    for (size_t t = 0; t < desc->n_tasks; t++) {
        const pail_task_desc *task = &desc->tasks[t];
        put_u32(w, (uint32_t)task->task_index);
        put_u32(w, kernel->tasks[t].id);
        put_u32(w, task->flags);
        put_u32(w, (uint32_t)task->n_stacks);
        for (size_t s = 0; s < task->n_stacks; s++)
            put_stack(w, &task->stacks[s]);
    }
}

pail_status pail_adstack_export(struct pail_adstack *service, void *blob, size_t *size_bytes,
                                uint64_t handle, struct pail_error *err)
{
    const size_t room = blob ? *size_bytes : 0;
    struct pail_ad_kernel *kernel;
    struct writer count = {.used = HEADER_BYTES};
    *size_bytes = 0;
    pail_status status = pail_ad_registry_find(&service->registry, &kernel, handle, err);
    if (status != PAIL_OK)
        return status;
    put_kernel(&count, kernel);
    if (blob && room < count.used) {
        status = pail_fail(err, PAIL_ERR_ARGUMENT, "size_bytes: %zu, but the blob has %zu", room,
                           count.used);
    } else if (blob) {
        uint8_t *bytes = blob;
        struct writer w = {bytes, HEADER_BYTES};
        put_kernel(&w, kernel);
        memcpy(bytes, magic, sizeof(magic));
        pail_store_u32(bytes + AT_FORMAT, PAIL_AD_BLOB_FORMAT);
        pail_store_u32(bytes + AT_RESERVED, 0);
        pail_store_u64(bytes + AT_BODY_BYTES, w.used - HEADER_BYTES);
        pail_store_u64(bytes + AT_BODY_HASH,
                       pail_fnv1a64(bytes + HEADER_BYTES, w.used - HEADER_BYTES));
        pail_store_u64(bytes + AT_HEADER_HASH, pail_fnv1a64(bytes, AT_HEADER_HASH));
    }
    if (status == PAIL_OK)
        *size_bytes = count.used;
    pail_ad_kernel_release(kernel);
    return status;
}

/* ---- Reading --------------------------------------------------------------------------------- */
struct reader {
    const uint8_t *bytes;
    size_t used, size;
    bool good; /* false once something was not there */
};

static uint32_t get_u32(struct reader *r)
{
    r->good = r->good && r->size - r->used >= 4;
    if (!r->good)
        return 0;
    r->used += 4;
    return pail_read_u32(r->bytes + r->used - 4);
}

static uint64_t get_u64(struct reader *r)
{
    const uint64_t low = get_u32(r);
    return low | (uint64_t)get_u32(r) << 32;
}

/* n elements that are skipped, as far as they are all there. */
static const uint8_t *get_bytes(struct reader *r, uint32_t n, size_t size)
{
    const uint64_t bytes = ((uint64_t)n * size + 3) & ~UINT64_C(3);
    const uint8_t *at = r->bytes + r->used;
    r->good = r->good && bytes <= r->size - r->used;
    if (!r->good)
        return NULL;
    for (uint64_t i = (uint64_t)n * size; i < bytes; i++)
        r->good = r->good && at[i] == 0;
    r->used += (size_t)bytes;
    return at;
}

/* Parts of the description that is read; the first pass counts them, with NULL everywhere. */
struct parts {
    pail_task_desc *tasks;
    pail_stack_desc *stacks;
    pail_node *nodes;
    int64_t *indices;
    size_t n_tasks, n_stacks, n_nodes, n_indices;
};

static void get_node(struct reader *r, pail_node *node)
{
    const uint32_t kind = get_u32(r);
    *node = (pail_node){.kind = (uint16_t)kind, .dtype = (uint16_t)(kind >> 16)};
    node->a = (int32_t)get_u32(r);
    node->b = (int32_t)get_u32(r);
    node->body = (int32_t)get_u32(r);
    node->variable = (int32_t)get_u32(r);
    node->source = (int32_t)get_u32(r);
    node->axis = (int32_t)get_u32(r);
    node->index_first = get_u32(r);
    node->index_count = get_u32(r);
    node->reserved = get_u32(r);
    node->imm = (int64_t)get_u64(r);
}

static void get_stack(struct reader *r, struct parts *parts)
{
    pail_stack_desc stack = {.struct_size = sizeof(stack)};
    stack.heap = get_u32(r);
    stack.element_bytes = get_u32(r);
    stack.copies = get_u32(r);
    stack.header_bytes = get_u32(r);
    stack.alignment = get_u32(r);
    const uint32_t n_nodes = get_u32(r), n_indices = get_u32(r);
    r->good = get_u32(r) == 0 && r->good;
    stack.static_capacity = get_u64(r);
    struct reader nodes = *r;
    (void)get_bytes(r, n_nodes, NODE_BYTES);
    struct reader indices = *r;
    (void)get_bytes(r, n_indices, INDEX_BYTES);
    if (!r->good)
        return;
    for (uint32_t i = 0; parts->nodes && i < n_nodes; i++)
        get_node(&nodes, &parts->nodes[parts->n_nodes + i]);
    for (uint32_t i = 0; parts->indices && i < n_indices; i++)
        parts->indices[parts->n_indices + i] = (int64_t)get_u64(&indices);
    stack.tree = (pail_tree){
        n_nodes && parts->nodes ? parts->nodes + parts->n_nodes : NULL, n_nodes,
        n_indices && parts->indices ? parts->indices + parts->n_indices : NULL, n_indices};
    if (parts->stacks)
        parts->stacks[parts->n_stacks] = stack;
    parts->n_stacks++;
    parts->n_nodes += n_nodes;
    parts->n_indices += n_indices;
}

/* Reads the body in one pass. */
static void get_kernel(struct reader *r, pail_kernel_desc *desc, struct parts *parts)
{
    *desc = (pail_kernel_desc){.struct_size = sizeof(*desc)};
    desc->name_bytes = get_u32(r);
    desc->n_sources = get_u32(r);
    desc->n_tasks = get_u32(r);
    desc->flags = get_u32(r);
    desc->name = (const char *)get_bytes(r, (uint32_t)desc->name_bytes, 1);
    desc->source_rank = get_bytes(r, (uint32_t)desc->n_sources, 1);
    desc->tasks = parts->tasks;
    for (size_t t = 0; t < desc->n_tasks && r->good; t++) {
        pail_task_desc task = {.struct_size = sizeof(task)};
        task.task_index = (int32_t)get_u32(r);
        task.wanted_id = get_u32(r);
        task.flags = get_u32(r);
        task.n_stacks = get_u32(r);
        task.stacks = parts->stacks ? parts->stacks + parts->n_stacks : NULL;
        r->good = r->good && task.wanted_id != 0;
        for (size_t s = 0; s < task.n_stacks && r->good; s++)
            get_stack(r, parts);
        if (parts->tasks)
            parts->tasks[parts->n_tasks] = task;
        parts->n_tasks++;
    }
    r->good = r->good && r->used == r->size;
}

/* The body of a blob whose checksums are right. */
static pail_status open_blob(struct reader *r, const uint8_t *bytes, size_t n,
                             struct pail_error *err)
{
    if (n < HEADER_BYTES)
        return pail_fail(err, PAIL_ERR_DATA, "blob: %zu bytes are shorter than its header of %d", n,
                         HEADER_BYTES);
    if (memcmp(bytes, magic, sizeof(magic)) != 0)
        return pail_fail(err, PAIL_ERR_DATA, "blob: it does not begin as an adstack kernel does");
    const uint32_t format = pail_read_u32(bytes + AT_FORMAT);
    if (format != PAIL_AD_BLOB_FORMAT)
        return pail_fail(err, PAIL_ERR_DATA, "blob: its format is %u, this backend reads %u",
                         format, PAIL_AD_BLOB_FORMAT);
    if (pail_read_u64(bytes + AT_HEADER_HASH) != pail_fnv1a64(bytes, AT_HEADER_HASH) ||
        pail_read_u32(bytes + AT_RESERVED) != 0)
        return pail_fail(err, PAIL_ERR_DATA, "blob: the checksum of its header is wrong");
    const uint64_t body = pail_read_u64(bytes + AT_BODY_BYTES);
    if (body != n - HEADER_BYTES)
        return pail_fail(err, PAIL_ERR_DATA,
                         "blob: it should have %" PRIu64 " bytes behind its header, and has %zu",
                         body, n - HEADER_BYTES);
    if (pail_read_u64(bytes + AT_BODY_HASH) != pail_fnv1a64(bytes + HEADER_BYTES, (size_t)body))
        return pail_fail(err, PAIL_ERR_DATA, "blob: its checksum is wrong");
    *r = (struct reader){bytes + HEADER_BYTES, 0, (size_t)body, true};
    return PAIL_OK;
}

/* The kernel of a description that was read: what would be the caller's mistake is the blob's. */
static pail_status make_kernel(struct pail_ad_kernel **kernel, const pail_kernel_desc *desc,
                               const struct pail_alloc *alloc, struct pail_error *err)
{
    struct pail_error inner = {0};
    const pail_status status = pail_ad_kernel_make(kernel, desc, alloc, &inner);
    if (status == PAIL_OK)
        return PAIL_OK;
    return pail_fail(err, status == PAIL_ERR_ARGUMENT ? PAIL_ERR_DATA : status, "blob: %.480s",
                     inner.text);
}

pail_status pail_adstack_import(struct pail_adstack *service, uint64_t *handle, uint32_t *task_ids,
                                const void *blob, size_t size_bytes, struct pail_error *err)
{
    const struct pail_alloc *alloc = &service->env.alloc;
    struct reader first, second;
    pail_kernel_desc desc;
    struct parts parts = {.tasks = NULL};
    struct pail_ad_kernel *kernel = NULL;
    *handle = 0;
    pail_status status = open_blob(&first, blob, size_bytes, err);
    if (status != PAIL_OK)
        return status;
    second = first;
    get_kernel(&first, &desc, &parts);
    if (!first.good)
        return pail_fail(err, PAIL_ERR_DATA, "blob: its parts do not fit together at byte %zu",
                         HEADER_BYTES + first.used);
    struct parts made = {
        .tasks = pail_calloc(alloc, parts.n_tasks + 1, sizeof(*made.tasks)),
        .stacks = pail_calloc(alloc, parts.n_stacks + 1, sizeof(*made.stacks)),
        .nodes = pail_calloc(alloc, parts.n_nodes + 1, sizeof(*made.nodes)),
        .indices = pail_calloc(alloc, parts.n_indices + 1, sizeof(*made.indices)),
    };
    if (made.tasks && made.stacks && made.nodes && made.indices) {
        get_kernel(&second, &desc, &made);
        status = make_kernel(&kernel, &desc, alloc, err);
    } else {
        status = pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %zu bytes of a blob",
                           size_bytes);
    }
    pail_free(alloc, made.tasks);
    pail_free(alloc, made.stacks);
    pail_free(alloc, made.nodes);
    pail_free(alloc, made.indices);
    return status == PAIL_OK ? pail_ad_adopt(service, handle, task_ids, kernel, err) : status;
}
