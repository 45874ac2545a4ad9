/* Offsets, strides and bytes from capacities. Pure. */
#ifndef PAIL_ADSTACK_LAYOUT_H
#define PAIL_ADSTACK_LAYOUT_H

#include <core/error.h>

struct pail_ad_place {
    uint64_t capacity; /* entries: max(raw, 1) */
    uint64_t offset;   /* bytes in a thread's part of its heap */
    int64_t raw;
};

/* Places the stacks of a task: a prefix sum for each heap, in the order of the stacks.
 * In:  raw     [n_stacks] sizes by the trees, or static capacities
 * Out: places  [n_stacks]
 *      stride  [2] bytes of a thread's part, by pail_heap
 * where: "task 3", for the sentence.
 * Errors: PAIL_ERR_DATA  a size is beyond 64 bits */
pail_status pail_ad_layout(struct pail_ad_place places[], uint64_t stride[2],
                           const pail_task_desc *task, const int64_t raw[], const char *where,
                           struct pail_error *err);

/* Bytes of heaps, by pail_heap: stride * threads, or * gated_rows of the float heap.
 * Errors: PAIL_ERR_DATA */
pail_status pail_ad_heaps(uint64_t bytes[2], const uint64_t stride[2],
                          const pail_task_launch *launch, const char *where,
                          struct pail_error *err);

/* Bytes to allocate where there are `have` and `need` are needed: `have` if that is enough,
 * otherwise twice of it or what is needed. */
uint64_t pail_ad_grow(uint64_t have, uint64_t need);

/* Bytes in the unit of a task with these flags. */
uint64_t pail_ad_units(uint32_t task_flags, uint64_t bytes);

/* words: [3 + 2 * n_stacks]. Errors: PAIL_ERR_DATA  a number does not fit 32 bits */
pail_status pail_ad_metadata(uint32_t words[], uint32_t task_flags,
                             const struct pail_ad_place places[], size_t n_stacks,
                             const uint64_t stride[2], size_t task, struct pail_error *err);

#endif /* PAIL_ADSTACK_LAYOUT_H */
