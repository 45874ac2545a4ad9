/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets, strides and bytes from capacities. Pure. */
#ifndef PAIL_ADSTACK_LAYOUT_H
#define PAIL_ADSTACK_LAYOUT_H

#include "eval.h"

#include <stdatomic.h>
#include <stdbool.h>

#include <core/error.h>

struct pail_ad_place {
    uint64_t capacity; /* entries: max(raw, 1); of a stack without memory: max(raw, 0) */
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

/* Bytes of heaps in rows, by pail_heap: stride * threads, or * rows of the float heap; UINT64_MAX
 * where that is beyond 64 bits. counted: optional, the place of the stack that counts rows.
 * Errors: PAIL_ERR_DATA */
pail_status pail_ad_heaps(uint64_t bytes[2], const uint64_t stride[2],
                          const pail_task_launch *launch, const struct pail_ad_place *counted,
                          const char *where, struct pail_error *err);

/* Bytes to allocate where there are `have` and `need` are needed: `have` if that is enough,
 * otherwise twice of it or what is needed. */
uint64_t pail_ad_grow(uint64_t have, uint64_t need);

/* Bytes in the unit of a task with these flags. */
uint64_t pail_ad_units(uint32_t task_flags, uint64_t bytes);

/* The numbers of metadata, of n_stacks in a heap, are the strides of the float and of the int heap
 * (0 and 1), then offset and capacity of stack i (2 + 2 * i, 3 + 2 * i). PAIL_TASK_WIDE_METADATA
 * says where they are. */
uint64_t pail_ad_metadata_words(uint32_t task_flags, uint64_t n_stacks);
uint64_t pail_ad_metadata_at(const uint32_t words[], uint32_t task_flags, size_t n_stacks,
                             size_t number);

/* words: [pail_ad_metadata_words], without claims. Errors: PAIL_ERR_DATA  a number does not fit 32
 * bits */
pail_status pail_ad_metadata(uint32_t words[], uint32_t task_flags,
                             const struct pail_ad_place places[], size_t n_stacks,
                             const uint64_t stride[2], size_t task, struct pail_error *err);

/* The heaps of a task at a launch, in either layout. */
struct pail_ad_claims {
    uint32_t layout;              /* the launch's: PAIL_LAYOUT_ROWS or PAIL_LAYOUT_CLAIMED */
    bool any;                     /* the task has claims */
    uint64_t rows[2], claimed[2]; /* bytes, by pail_heap */
    uint64_t total[2];            /* sums of claims, in the task's unit; 0: a heap without */
};

/* The numbers of claims: layout, then what is claimed and what there is of the float heap, and of
 * the int heap. They come behind the other metadata. */
#define PAIL_AD_CLAIM_NUMBERS 5u

/* Words of metadata of n_placed stacks in a heap, with claims if there are any. */
uint64_t pail_ad_words_in(uint32_t task_flags, uint64_t n_placed, bool claims);
/* words: [PAIL_AD_CLAIM_NUMBERS], or twice as many of PAIL_TASK_WIDE_METADATA. In rows a sum that
 * does not fit 32 bits is 2^32 - 1, for nobody claims.
 * Errors: PAIL_ERR_DATA  a number does not fit 32 bits */
pail_status pail_ad_claims_put(uint32_t words[], uint32_t task_flags,
                               const struct pail_ad_claims *claims, size_t task,
                               struct pail_error *err);
/* Layout, and sums of claims, 2^63 - 1 for one that did not fit. false: no launch has such words.
 */
bool pail_ad_claims_read(uint32_t *layout, uint64_t total[2], const uint32_t words[],
                         uint32_t task_flags);

/* The result of an evaluation: immutable, shared by reference count. A result outlives its kernel
 * and its context. */

/* The layout of one task, with what was read for it: shared by all launches that it holds for. */
struct pail_ad_laid {
    atomic_uint refs;
    uint32_t n_stacks, n_leaves;
    uint32_t n_placed;            /* stacks in a heap; the others have no memory: */
    uint32_t counted;             /* number of the one that counts rows, or PAIL_AD_NONE; */
    uint32_t claims[2];           /* numbers of those of claims, by pail_heap */
    size_t bytes;                 /* size of all of it */
    uint64_t stride[2];           /* bytes, by pail_heap */
    struct pail_ad_place *places; /* [n_stacks] */
    /* Values of reductions and reads of arrays at that launch, in the order of pail_ad_task.leaves;
     * unknown where they did not need to be looked at. */
    struct pail_ad_value *leaves; /* [n_leaves] */
    uint8_t *leaf_known;          /* [n_leaves] */
};

struct pail_ad_result_task {
    struct pail_ad_laid *laid;
    uint32_t id, flags;        /* flags: pail_task_flag */
    uint64_t heap[2], grow[2]; /* bytes, by pail_heap */
    struct pail_ad_claims claims;
    uint8_t *origins; /* [n_stacks] pail_size_origin */
};

struct pail_adstack_result {
    atomic_uint refs;
    struct pail_alloc alloc;
    uint32_t n_tasks, n_key;
    size_t bytes; /* size, without layouts and text */
    struct pail_ad_result_task *tasks;
    uint64_t *key; /* all that the result depends on (arrays.h) */
    char *text;    /* explanation of its computation; NULL: nobody asked */
    bool recorded; /* belongs to a command buffer: the sizes are in the memory that it writes */
    /* Frees the other objects of the result with the last reference; optional. */
    void (*drop)(void *user);
    void *user;
};

/* Errors: PAIL_ERR_HOST_MEMORY */
pail_status pail_ad_laid_make(struct pail_ad_laid **out, const pail_task_desc *task,
                              uint32_t n_leaves, const struct pail_alloc *alloc,
                              struct pail_error *err);

/* Place of the stack that counts rows; NULL: there is none. */
static inline const struct pail_ad_place *pail_ad_counted(const struct pail_ad_laid *laid)
{
    return laid->counted != PAIL_AD_NONE ? &laid->places[laid->counted] : NULL;
}

/* Chooses the layout of a launch. flags: pail_task_flag. Errors: PAIL_ERR_DATA  a heap is beyond 64
 * bits */
pail_status pail_ad_claims_choose(struct pail_ad_claims *claims, const struct pail_ad_laid *laid,
                                  uint32_t task_flags, const pail_task_launch *launch,
                                  const char *where, struct pail_error *err);

void pail_ad_laid_retain(struct pail_ad_laid *laid);
void pail_ad_laid_release(struct pail_ad_laid *laid, const struct pail_alloc *alloc);

/* Makes a result with one reference; tasks have no layouts yet. n_stacks: of each task.
 * Errors: PAIL_ERR_HOST_MEMORY */
pail_status pail_ad_result_make(struct pail_adstack_result **out, uint32_t n_tasks,
                                const uint32_t n_stacks[], uint32_t n_key,
                                const struct pail_alloc *alloc, struct pail_error *err);

/* Gives a result that nobody shares yet its text, which is copied. */
pail_status pail_ad_result_tell(struct pail_adstack_result *result, const char *text,
                                struct pail_error *err);

/* The same result as it is found in the cache: origins that were the host or the device become the
 * cache. text: optional, copied. */
pail_status pail_ad_result_cached(struct pail_adstack_result **out,
                                  const struct pail_adstack_result *result, const char *text,
                                  struct pail_error *err);

/* Bytes that it holds; layouts may be shared. */
uint64_t pail_ad_result_bytes(const struct pail_adstack_result *result, bool with_layouts);

void pail_ad_result_retain(struct pail_adstack_result *result);
/* Retains a result for a caller that has no reference, but knows that the memory is still there:
 * false where the last reference is gone. */
bool pail_ad_result_try_retain(struct pail_adstack_result *result);
void pail_ad_result_release(struct pail_adstack_result *result); /* may be NULL */

#endif /* PAIL_ADSTACK_LAYOUT_H */
