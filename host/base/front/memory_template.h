/* SPDX-License-Identifier: Apache-2.0 */
/* Slots of memory at addresses, of backends that have it: a part of slots_template.h. */
static pail_status front_memory_create(pail_context *context, pail_memory **memory,
                                       pail_memory_info *info, uint32_t kind, uint64_t bytes)
{
    struct pail_error err = {0};
    pail_memory_info ours = {.struct_size = sizeof(ours), .kind = kind, .bytes = bytes};
    pail_status status = PAIL_OK;
    if (memory)
        *memory = NULL;
    if (info)
        status = pail_struct_out(info, PAIL_MEMORY_INFO_SIZE_1_0, "info", &err);
    THEN(pail_front_object(context, "context", &err));
    THEN(pail_front_need(memory, "memory", &err));
    if (status == PAIL_OK && kind != PAIL_MEMORY_DEVICE && kind != PAIL_MEMORY_HOST)
        status = pail_fail(&err, PAIL_ERR_ARGUMENT, "kind: %u is not a pail_memory_kind", kind);
    THEN(FRONT(memory_create)(context, memory, &ours, kind, bytes, &err));
    if (status == PAIL_OK && info)
        pail_struct_deliver(info, &ours, sizeof(ours));
    return pail_front_end(context ? FRONT_CONTEXT_LOG(context) : NULL, status, &err);
}

static void front_memory_destroy(pail_context *context, pail_memory **memory)
{
    pail_memory *const m = memory ? *memory : NULL;
    (void)context;
    if (!m)
        return;
    *memory = NULL;
    if (pail_process_is_first())
        FRONT(memory_destroy)(m);
}

/* Checks what memory_write and memory_read take. */
static pail_status front_memory_bytes(const pail_memory *memory, uint64_t offset, const void *bytes,
                                      uint64_t n_bytes, struct pail_error *err)
{
    pail_status status = pail_front_need(memory, "memory", err);
    if (status == PAIL_OK && !bytes && n_bytes)
        status = pail_fail(err, PAIL_ERR_ARGUMENT, "bytes: NULL with n_bytes = %llu",
                           (unsigned long long)n_bytes);
    if (status == PAIL_OK) {
        const struct pail_front_memory facts = FRONT_FACTS.memory(memory);
        status = pail_front_bytes(&facts, offset, n_bytes, "memory", err);
    }
    return status;
}

static pail_status front_memory_write(pail_memory *memory, uint64_t offset, const void *bytes,
                                      uint64_t n_bytes)
{
    struct pail_error err = {0};
    pail_status status = front_memory_bytes(memory, offset, bytes, n_bytes, &err);
    THEN(pail_front_process(&err));
    if (n_bytes)
        THEN(FRONT(memory_write)(memory, offset, bytes, n_bytes, &err));
    return pail_front_end(memory ? FRONT_MEMORY_LOG(memory) : NULL, status, &err);
}

static pail_status front_memory_read(const pail_memory *memory, void *bytes, uint64_t offset,
                                     uint64_t n_bytes)
{
    struct pail_error err = {0};
    pail_status status = front_memory_bytes(memory, offset, bytes, n_bytes, &err);
    /* A wrong range may come with a wrong size of `bytes`: nothing is zeroed then. */
    const bool right = status == PAIL_OK;
    THEN(pail_front_process(&err));
    if (n_bytes)
        THEN(FRONT(memory_read)(memory, bytes, offset, n_bytes, &err));
    if (status != PAIL_OK && right && bytes)
        memset(bytes, 0, (size_t)n_bytes);
    return pail_front_end(memory ? FRONT_MEMORY_LOG(memory) : NULL, status, &err);
}

static pail_status front_memory_find(pail_context *context, pail_memory **memory, uint64_t *offset,
                                     uint64_t address)
{
    struct pail_error err = {0};
    struct pail_front_place place;
    if (memory)
        *memory = NULL;
    if (offset)
        *offset = 0;
    pail_status status = pail_front_object(context, "context", &err);
    THEN(pail_front_need(memory, "memory", &err));
    THEN(pail_front_need(offset, "offset", &err));
    THEN(pail_front_place(&place, FRONT_FACTS.memories(FRONT_OWNER(context)), address, 1, 1,
                          "address", &err));
    if (status == PAIL_OK) {
        *memory = place.memory;
        *offset = place.offset;
    }
    return pail_front_end(context ? FRONT_CONTEXT_LOG(context) : NULL, status, &err);
}

static pail_status front_memory_copy(pail_memory *to, uint64_t to_offset, const pail_memory *from,
                                     uint64_t from_offset, uint64_t n_bytes)
{
    struct pail_error err = {0};
    pail_status status = pail_front_object(to, "to", &err);
    THEN(pail_front_need(from, "from", &err));
    THEN(pail_front_memory_copy(&FRONT_FACTS, to, to_offset, from, from_offset, n_bytes, &err));
    if (n_bytes)
        THEN(FRONT(memory_copy)(to, to_offset, from, from_offset, n_bytes, &err));
    return pail_front_end(to ? FRONT_MEMORY_LOG(to) : NULL, status, &err);
}

static pail_status front_memory_fill(pail_memory *memory, uint64_t offset, uint64_t n_bytes,
                                     uint32_t value)
{
    struct pail_error err = {0};
    pail_status status = pail_front_object(memory, "memory", &err);
    if (status == PAIL_OK) {
        const struct pail_front_memory facts = FRONT_FACTS.memory(memory);
        status = pail_front_bytes(&facts, offset, n_bytes, "memory", &err);
    }
    if (status == PAIL_OK && value > 0xff)
        status = pail_fail(&err, PAIL_ERR_ARGUMENT, "value is %u; a byte is at most 255", value);
    if (n_bytes)
        THEN(FRONT(memory_fill)(memory, offset, n_bytes, (uint8_t)value, &err));
    return pail_front_end(memory ? FRONT_MEMORY_LOG(memory) : NULL, status, &err);
}

#define FRONT_MEMORY_SLOTS                                                                         \
    .memory_create = front_memory_create, .memory_destroy = front_memory_destroy,                  \
    .memory_write = front_memory_write, .memory_read = front_memory_read,                          \
    .memory_find = front_memory_find, .memory_copy = front_memory_copy,                            \
    .memory_fill = front_memory_fill
