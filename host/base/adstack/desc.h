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

/* Stacks of a task that lie in a heap: without a last one that counts rows. */
static inline size_t pail_ad_n_placed(const pail_task_desc *task)
{
    const size_t n = task->n_stacks;
    return n > 0 && task->stacks[n - 1].heap == PAIL_HEAP_ROWS ? n - 1 : n;
}

/* A name for people, quoted (<platform/quote.h>). Returns text. */
const char *pail_ad_printable(char *text, size_t capacity, const char *name, size_t name_bytes);

#endif /* PAIL_ADSTACK_DESC_H */
