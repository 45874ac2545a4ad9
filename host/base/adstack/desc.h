/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel's description, checked and copied: what registration, export and import share. */
#ifndef PAIL_ADSTACK_DESC_H
#define PAIL_ADSTACK_DESC_H

#include "program.h"

/* Limits of what is no tree; what goes beyond is reported. */
#define PAIL_AD_MAX_NAME    65535u
#define PAIL_AD_MAX_TASKS   65536u
#define PAIL_AD_MAX_STACKS  (1u << 20) /* in a kernel */
#define PAIL_AD_MAX_SOURCES 65536u
#define PAIL_AD_MAX_INDICES (1u << 20) /* in a tree */

/* A deep copy in one allocation: structs have their full size, arrays the stride of it. The name
 * has a terminating zero behind it.
 * Errors: PAIL_ERR_ARGUMENT  a rule of adstack.h about structs is broken
 *         PAIL_ERR_DATA      a tree breaks a rule
 *         PAIL_ERR_HOST_MEMORY */
pail_status pail_ad_desc_copy(pail_kernel_desc **out, const pail_kernel_desc *desc,
                              const struct pail_alloc *alloc, struct pail_error *err);
void pail_ad_desc_free(pail_kernel_desc *desc, const struct pail_alloc *alloc);

/* Stacks of a task that lie in a heap: those in front of the ones without memory. */
static inline size_t pail_ad_n_placed(const pail_task_desc *task)
{
    size_t n = task->n_stacks;
    while (n > 0 && task->stacks[n - 1].heap >= PAIL_HEAP_ROWS)
        n--;
    return n;
}

/* Number of the task's stack on a heap without memory; PAIL_AD_NONE: there is none. */
static inline uint32_t pail_ad_stack_on(const pail_task_desc *task, uint32_t heap)
{
    for (size_t n = task->n_stacks; n > 0 && task->stacks[n - 1].heap >= PAIL_HEAP_ROWS; n--)
        if (task->stacks[n - 1].heap == heap)
            return (uint32_t)n - 1;
    return PAIL_AD_NONE;
}

static inline bool pail_ad_has_claims(const pail_task_desc *task)
{
    return pail_ad_stack_on(task, PAIL_HEAP_FLOAT_CLAIMS) != PAIL_AD_NONE ||
           pail_ad_stack_on(task, PAIL_HEAP_INT_CLAIMS) != PAIL_AD_NONE;
}

/* A name for people, quoted (<platform/quote.h>). Returns text. */
const char *pail_ad_printable(char *text, size_t capacity, const char *name, size_t name_bytes);

#endif /* PAIL_ADSTACK_DESC_H */
