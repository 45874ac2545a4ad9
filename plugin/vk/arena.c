/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "device_priv.h"
#include "wipe.h"

struct pail_vk_arena_block {
    struct pail_vk_buffer buffer;
    uint64_t used;   /* bytes, a multiple of the alignment */
    uint64_t soiled; /* bytes from the first on that are to be wiped */
    uint64_t most;   /* largest value of `used` ever; bytes behind it were never written */
};

/* Contents of one planned block, while the plan is made. */
struct planned {
    uint64_t used, capacity;
};

/* Alignment for bindings and, where the host reads or writes, for flushes. At least 16, the size of
 * a uvec4. */
static uint64_t slice_alignment(const struct pail_vk_caps *caps, enum pail_vk_memory kind)
{
    uint64_t align = 16;
    if (caps->storage_align > align)
        align = caps->storage_align;
    if (kind != PAIL_VK_MEMORY_DEVICE && caps->non_coherent_align > align)
        align = caps->non_coherent_align;
    return align;
}

/* Bytes a slice takes; at least one unit of alignment. */
static uint64_t room(const struct pail_vk_caps *caps, enum pail_vk_memory kind, uint64_t bytes)
{
    const uint64_t align = slice_alignment(caps, kind);
    return bytes ? (bytes + align - 1) / align * align : align;
}

uint64_t pail_vk_arena_bytes(const struct pail_vk_caps *caps, enum pail_vk_memory kind,
                             const uint64_t sizes[], uint32_t n)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < n; i++)
        total += room(caps, kind, sizes[i]);
    return total;
}

static uint64_t block_limit(const struct pail_vk_caps *caps, enum pail_vk_memory kind)
{
    const uint64_t align = slice_alignment(caps, kind);
    return caps->max_buffer_bytes / align * align;
}

static pail_status check_size(const struct pail_vk_arena *arena, uint64_t bytes,
                              struct pail_error *err)
{
    const uint64_t limit = block_limit(&arena->dev->caps, arena->kind);
    if (bytes > limit)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "a slice of \"%s\" would have %llu bytes; device \"%s\" allows %llu",
                         arena->name, (unsigned long long)bytes, arena->dev->caps.name,
                         (unsigned long long)limit);
    return PAIL_OK;
}

void pail_vk_arena_init(struct pail_vk_arena *arena, struct pail_vk_device *dev,
                        enum pail_vk_memory kind, const char *name)
{
    *arena = (struct pail_vk_arena){.dev = dev, .kind = kind, .name = name};
}

void pail_vk_arena_clear(struct pail_vk_arena *arena)
{
    struct pail_error err;
    if (pail_vk_arena_wipe(arena, &err) != PAIL_OK)
        pail_log(&arena->dev->log, PAIL_LOG_WARNING, "\"%s\" is freed unwiped: %s", arena->name,
                 err.text);
    for (uint32_t i = 0; i < arena->n_blocks; i++) {
        pail_vk_buffer_destroy(arena->dev, &arena->blocks[i]->buffer);
        pail_free(&arena->dev->alloc, arena->blocks[i]);
    }
    arena->n_blocks = 0;
    arena->used = 0;
}

void pail_vk_arena_fini(struct pail_vk_arena *arena)
{
    if (!arena->dev)
        return;
    pail_vk_arena_clear(arena);
    pail_free(&arena->dev->alloc, arena->blocks);
    *arena = (struct pail_vk_arena){0};
}

static pail_status add_block(struct pail_vk_arena *arena, uint64_t bytes, struct pail_error *err)
{
    const struct pail_alloc *alloc = &arena->dev->alloc;
    pail_status status = pail_grow(alloc, &arena->blocks, &arena->cap_blocks, arena->n_blocks + 1,
                                   sizeof(struct pail_vk_arena_block *), err);
    if (status != PAIL_OK)
        return status;
    struct pail_vk_arena_block *block = pail_calloc(alloc, 1, sizeof(*block));
    if (!block)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a block of \"%s\"",
                         arena->name);
    status =
        pail_vk_buffer_create(arena->dev, &block->buffer, arena->kind, bytes, arena->name, err);
    if (status != PAIL_OK) {
        pail_free(alloc, block);
        return status;
    }
    arena->blocks[arena->n_blocks++] = block;
    return PAIL_OK;
}

/* Places sizes first-fit into blocks and returns how many there are then. The first `n_fixed` have
 * their capacity; one beyond grows up to the limit. Taking the slices later in the same order puts
 * each into the same block: where a planned block refused a size it had less than that left below
 * the limit, and it ends up no larger than the limit. */
static uint32_t plan(const struct pail_vk_arena *arena, struct planned blocks[], uint32_t n_fixed,
                     const uint64_t sizes[], uint32_t n)
{
    const struct pail_vk_caps *caps = &arena->dev->caps;
    const uint64_t limit = block_limit(caps, arena->kind);
    uint32_t n_blocks = n_fixed;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t bytes = room(caps, arena->kind, sizes[i]);
        uint32_t b = 0;
        while (b < n_blocks && bytes > (b < n_fixed ? blocks[b].capacity : limit) - blocks[b].used)
            b++;
        if (b == n_blocks)
            blocks[n_blocks++] = (struct planned){0};
        blocks[b].used += bytes;
        if (b >= n_fixed)
            blocks[b].capacity = blocks[b].used;
    }
    return n_blocks;
}

pail_status pail_vk_arena_reserve(struct pail_vk_arena *arena, const uint64_t sizes[], uint32_t n,
                                  struct pail_error *err)
{
    const struct pail_vk_caps *caps = &arena->dev->caps;
    pail_status status = PAIL_OK;
    for (uint32_t i = 0; i < n && status == PAIL_OK; i++)
        status = check_size(arena, sizes[i], err);
    if (status != PAIL_OK)
        return status;

    const uint32_t n_old = arena->n_blocks, n_max = n_old + n;
    struct planned *blocks = pail_calloc(&arena->dev->alloc, n_max ? n_max : 1, sizeof(*blocks));
    if (!blocks)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory to plan \"%s\"", arena->name);
    for (uint32_t i = 0; i < n_old; i++)
        blocks[i] = (struct planned){.used = arena->blocks[i]->used,
                                     .capacity = arena->blocks[i]->buffer.size};
    uint32_t first = n_old; /* blocks from here on are to be made */
    uint32_t n_blocks = plan(arena, blocks, n_old, sizes, n);
    if (n_blocks > n_old && arena->used == 0 && n_old) {
        /* Nothing is in use: plan few large blocks instead of many small ones. Each stays at
         * least as large as the one it replaces, so that the next reserve of the old kind fits
         * as well. */
        for (uint32_t i = 0; i < n_old; i++)
            blocks[i] = (struct planned){0};
        n_blocks = plan(arena, blocks, 0, sizes, n);
        for (uint32_t i = 0; i < n_blocks && i < n_old; i++)
            if (blocks[i].capacity < arena->blocks[i]->buffer.size)
                blocks[i].capacity = arena->blocks[i]->buffer.size;
        pail_vk_arena_clear(arena);
        first = 0;
    }
    for (uint32_t i = first; i < n_blocks && status == PAIL_OK; i++)
        status = add_block(arena, blocks[i].capacity, err);
    if (status == PAIL_ERR_DEVICE_MEMORY) {
        const struct pail_vk_memory_stats held = pail_vk_memory_stats(arena->dev);
        status = pail_fail(
            err, status, "no device memory for \"%s\": %llu bytes asked in %u slices, %llu held",
            arena->name, (unsigned long long)pail_vk_arena_bytes(caps, arena->kind, sizes, n), n,
            (unsigned long long)held.allocated);
    }
    pail_free(&arena->dev->alloc, blocks);
    return status;
}

pail_status pail_vk_arena_take(struct pail_vk_arena *arena, uint64_t bytes,
                               struct pail_vk_slice *out, struct pail_error *err)
{
    *out = (struct pail_vk_slice){0};
    pail_status status = pail_vk_device_check(arena->dev, err);
    if (status != PAIL_OK || (status = check_size(arena, bytes, err)) != PAIL_OK)
        return status;
    const uint64_t need = room(&arena->dev->caps, arena->kind, bytes);
    uint32_t b = 0;
    while (b < arena->n_blocks && need > arena->blocks[b]->buffer.size - arena->blocks[b]->used)
        b++;
    if (b == arena->n_blocks && (status = add_block(arena, need, err)) != PAIL_OK)
        return status;
    struct pail_vk_arena_block *block = arena->blocks[b];
    *out = pail_vk_buffer_slice(&block->buffer, block->used, bytes ? bytes : 4);
    block->used += need;
    if (block->most < block->used)
        block->most = block->used;
    arena->used += need;
    return PAIL_OK;
}

void pail_vk_arena_reset(struct pail_vk_arena *arena)
{
    for (uint32_t i = 0; i < arena->n_blocks; i++)
        arena->blocks[i]->used = 0;
    arena->used = 0;
}

uint64_t pail_vk_arena_capacity(const struct pail_vk_arena *arena)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < arena->n_blocks; i++)
        total += arena->blocks[i]->buffer.size;
    return total;
}

uint64_t pail_vk_arena_allocated(const struct pail_vk_arena *arena)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < arena->n_blocks; i++)
        total += arena->blocks[i]->buffer.allocated;
    return total;
}

void pail_vk_arena_soil(struct pail_vk_arena *arena)
{
    for (uint32_t i = 0; i < arena->n_blocks; i++)
        if (arena->blocks[i]->soiled < arena->blocks[i]->used)
            arena->blocks[i]->soiled = arena->blocks[i]->used;
}

uint64_t pail_vk_arena_soiled(const struct pail_vk_arena *arena)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < arena->n_blocks; i++)
        total += arena->blocks[i]->soiled;
    return total;
}

/* The part of a block that is to be wiped, in whole words: alignments and sizes are, or the block's
 * last word is its end. */
static struct pail_vk_slice soiled(const struct pail_vk_arena_block *block)
{
    const uint64_t bytes = block->soiled < block->buffer.size ? block->soiled : block->buffer.size;
    return pail_vk_buffer_slice(&block->buffer, 0, bytes);
}

void pail_vk_arena_record_wipe(const struct pail_vk_arena *arena, struct pail_vk_cmd *cmd)
{
    const uint32_t users = PAIL_VK_COMPUTE | PAIL_VK_TRANSFER;
    pail_vk_cmd_barrier(cmd, users, PAIL_VK_TRANSFER);
    for (uint32_t i = 0; i < arena->n_blocks; i++) {
        const struct pail_vk_slice slice = soiled(arena->blocks[i]);
        pail_vk_cmd_fill(cmd, &slice, 0, slice.size & ~UINT64_C(3), 0);
    }
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, users);
}

void pail_vk_arena_wiped(struct pail_vk_arena *arena)
{
    for (uint32_t i = 0; i < arena->n_blocks; i++)
        arena->blocks[i]->soiled = 0;
}

pail_status pail_vk_arena_wipe(struct pail_vk_arena *arena, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    for (uint32_t i = 0; i < arena->n_blocks && status == PAIL_OK; i++) {
        struct pail_vk_arena_block *block = arena->blocks[i];
        const struct pail_vk_slice slice = soiled(block);
        status = pail_vk_wipe(arena->dev, &slice, err);
        if (status == PAIL_OK)
            block->soiled = 0;
    }
    return status;
}

struct pail_vk_slice pail_vk_arena_block(const struct pail_vk_arena *arena, uint32_t i)
{
    return pail_vk_buffer_slice(&arena->blocks[i]->buffer, 0, arena->blocks[i]->most);
}
