/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers and arenas.
 *
 * Every buffer can be bound as storage, copied from and copied to, hold arguments of dispatches,
 * and has its own VkDeviceMemory. Slices that are used together are cut from one arena, because
 * allocating device memory is slow and the number of allocations is limited. */
#ifndef PAIL_VK_MEMORY_H
#define PAIL_VK_MEMORY_H

#include "device.h"

enum pail_vk_memory {
    PAIL_VK_MEMORY_DEVICE,   /* fastest for the device; mapped only by chance, so never mapped */
    PAIL_VK_MEMORY_UPLOAD,   /* mapped; the host writes in order and never reads */
    PAIL_VK_MEMORY_READBACK, /* mapped; fast for the host to read */
    PAIL_VK_MEMORY_PINNED,   /* mapped, coherent, the host's own: for both to read and write */
    PAIL_VK_MEMORY_KINDS
};

struct pail_vk_buffer {
    VkBuffer handle;
    VkDeviceMemory memory;  /* all of it, or */
    VkDeviceMemory *pieces; /* [n_pieces] behind one address */
    uint32_t n_pieces;
    enum pail_vk_memory kind;
    uint64_t size;      /* bytes asked for */
    uint64_t allocated; /* bytes of memory behind it */
    void *mapped;       /* persistently; NULL for PAIL_VK_MEMORY_DEVICE */
    bool coherent;
    VkDeviceAddress address; /* 0 unless caps.buffer_device_address */
};

/* A part of a buffer; valid as long as the buffer. */
struct pail_vk_slice {
    const struct pail_vk_buffer *buffer;
    uint64_t offset, size; /* bytes */
    void *mapped;          /* the slice's first byte; NULL where the buffer is not mapped */
};

struct pail_vk_cmd;

struct pail_vk_memory_stats {
    uint64_t requested;      /* bytes asked for and held now */
    uint64_t allocated;      /* bytes allocated and held now (VkMemoryRequirements) */
    uint64_t peak_allocated; /* the most `allocated` has been */
    uint64_t device;         /* the part of `allocated` in PAIL_VK_MEMORY_DEVICE */
    uint64_t live;           /* VkDeviceMemory objects held now */
    uint64_t allocations;    /* vkAllocateMemory calls that succeeded, since the device was made */
};

/* name: for debuggers and error sentences; copied by Vulkan, may be NULL.
 * Out:    buffer  all zero on failure.
 * Errors: PAIL_ERR_ARGUMENT       bytes is 0 or above caps.max_buffer_bytes
 *         PAIL_ERR_DEVICE_MEMORY  the sentence has the bytes asked; the device stays usable
 *         PAIL_ERR_DEVICE_LOST, PAIL_ERR_HOST_MEMORY */
pail_status pail_vk_buffer_create(struct pail_vk_device *dev, struct pail_vk_buffer *buffer,
                                  enum pail_vk_memory kind, uint64_t bytes, const char *name,
                                  struct pail_error *err);

/* The same for memory that is known by its address, PAIL_VK_MEMORY_DEVICE or _PINNED, of more bytes
 * than caps.max_allocation_bytes. Device memory has several allocations behind one address, where
 * the device has sparse binding. Pinned memory has one, where the driver grants it. Such a buffer
 * can be bound in parts only. PAIL_ERR_ARGUMENT has the largest size that is certain. */
pail_status pail_vk_buffer_create_large(struct pail_vk_device *dev, struct pail_vk_buffer *buffer,
                                        enum pail_vk_memory kind, uint64_t bytes, const char *name,
                                        struct pail_error *err);

/* No submitted work may still use it. A buffer that is all zero is accepted; it is left all zero.
 */
void pail_vk_buffer_destroy(struct pail_vk_device *dev, struct pail_vk_buffer *buffer);

/* offset + size must lie inside the buffer. */
struct pail_vk_slice pail_vk_buffer_slice(const struct pail_vk_buffer *buffer, uint64_t offset,
                                          uint64_t size);

/* A part of a slice; offset + size must lie inside it. */
struct pail_vk_slice pail_vk_slice_part(const struct pail_vk_slice *slice, uint64_t offset,
                                        uint64_t size);

/* Makes host writes to a mapped slice visible to work submitted afterwards. */
pail_status pail_vk_flush(struct pail_vk_device *dev, const struct pail_vk_slice *slice,
                          struct pail_error *err);

/* Makes device writes visible to the host. The work must have ended with a barrier to PAIL_VK_HOST
 * (vk/cmd.h) and be complete. */
pail_status pail_vk_invalidate(struct pail_vk_device *dev, const struct pail_vk_slice *slice,
                               struct pail_error *err);

struct pail_vk_memory_stats pail_vk_memory_stats(struct pail_vk_device *dev);

/* Slices bump-allocated from few large blocks of one memory kind. Not thread-safe. */
struct pail_vk_arena {
    struct pail_vk_device *dev;
    enum pail_vk_memory kind;
    const char *name;
    struct pail_vk_arena_block **blocks;
    uint32_t n_blocks, cap_blocks;
    uint64_t used; /* bytes taken since the last reset, alignment included */
};

/* Allocates nothing. name: static storage. */
void pail_vk_arena_init(struct pail_vk_arena *arena, struct pail_vk_device *dev,
                        enum pail_vk_memory kind, const char *name);

/* No submitted work may still use it. An arena that is all zero is accepted; it is left all zero.
 */
void pail_vk_arena_fini(struct pail_vk_arena *arena);

/* Makes room for slices of these sizes, taken afterwards in this order, so that taking them
 * allocates nothing. Where nothing is taken yet, blocks that are too small are replaced.
 * Errors: PAIL_ERR_DEVICE_MEMORY  the sentence has the total; the arena can still be used
 *         PAIL_ERR_ARGUMENT       a size above caps.max_buffer_bytes
 *         PAIL_ERR_HOST_MEMORY, PAIL_ERR_DEVICE_LOST */
pail_status pail_vk_arena_reserve(struct pail_vk_arena *arena, const uint64_t sizes[], uint32_t n,
                                  struct pail_error *err);

/* Cuts a slice of exactly `bytes` (0 counts as 4: a binding cannot be empty), aligned for a storage
 * binding. Allocates another block when none has room.
 * Errors: as for pail_vk_arena_reserve; *out is zeroed. */
pail_status pail_vk_arena_take(struct pail_vk_arena *arena, uint64_t bytes,
                               struct pail_vk_slice *out, struct pail_error *err);

/* Forgets all slices and keeps the memory. No submitted work may still use them. */
void pail_vk_arena_reset(struct pail_vk_arena *arena);

/* Forgets all slices and frees the memory, wiped where it is soiled, unless the device is lost. No
 * submitted work may still use them. */
void pail_vk_arena_clear(struct pail_vk_arena *arena);

/* Marks the slices taken since the last reset as secret: their bytes are wiped before the memory is
 * freed, if they have not been before (pail_vk_arena_wiped). */
void pail_vk_arena_soil(struct pail_vk_arena *arena);

/* Bytes that are to be wiped. */
uint64_t pail_vk_arena_soiled(const struct pail_vk_arena *arena);

/* Records fills of them, with barriers before and after. */
void pail_vk_arena_record_wipe(const struct pail_vk_arena *arena, struct pail_vk_cmd *cmd);

/* Notes that the soiled bytes have been wiped; or wipes them here and now. */
void pail_vk_arena_wiped(struct pail_vk_arena *arena);
pail_status pail_vk_arena_wipe(struct pail_vk_arena *arena, struct pail_error *err);

/* The part of block i, of n_blocks, from which slices have ever been cut; for tests. */
struct pail_vk_slice pail_vk_arena_block(const struct pail_vk_arena *arena, uint32_t i);

/* Bytes of all blocks, and of the device memory behind them. */
uint64_t pail_vk_arena_capacity(const struct pail_vk_arena *arena);
uint64_t pail_vk_arena_allocated(const struct pail_vk_arena *arena);

/* Bytes that slices of these sizes take in an arena of the kind, alignment included. Pure. */
uint64_t pail_vk_arena_bytes(const struct pail_vk_caps *caps, enum pail_vk_memory kind,
                             const uint64_t sizes[], uint32_t n);

#endif /* PAIL_VK_MEMORY_H */
