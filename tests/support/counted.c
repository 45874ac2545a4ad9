/* SPDX-License-Identifier: Apache-2.0 */
#include "counted.h"

#include <stdlib.h>

atomic_long counted_blocks, counted_bytes, counted_left = -1;

void *counted_alloc(void *user, size_t size)
{
    (void)user;
    long left = atomic_load(&counted_left);
    while (left > 0 && !atomic_compare_exchange_weak(&counted_left, &left, left - 1))
        ;
    void *const memory = left != 0 ? malloc(size) : NULL;
    if (memory != NULL) {
        atomic_fetch_add(&counted_blocks, 1);
        atomic_fetch_add(&counted_bytes, (long)size);
    }
    return memory;
}

void counted_free(void *user, void *memory)
{
    (void)user;
    if (memory != NULL)
        atomic_fetch_sub(&counted_blocks, 1);
    free(memory);
}
