/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU backend with an allocator that counts. */
#include "estimates.h"

#include <malloc.h>
#include <stdatomic.h>

#include <cpu/cpu.h>

#include "support/test.h"

const pail_backend *backend;
pail_context *context;

enum { HEAD = 64 }; /* before each block, which has its size */

static _Atomic uint64_t live, most;

static void *allocate(void *user, size_t size)
{
    (void)user;
    char *const block = aligned_alloc(HEAD, (size + 2 * HEAD - 1) / HEAD * HEAD);
    if (block == NULL)
        return NULL;
    *(uint64_t *)(void *)block = size;
    const uint64_t now = atomic_fetch_add(&live, size) + size;
    uint64_t was = atomic_load(&most);
    while (now > was && !atomic_compare_exchange_weak(&most, &was, now))
        continue;
    return block + HEAD;
}

static void release(void *user, void *memory)
{
    (void)user;
    if (memory == NULL)
        return;
    char *const block = (char *)memory - HEAD;
    atomic_fetch_sub(&live, *(uint64_t *)(void *)block);
    free(block);
}

uint64_t memory_begin(void)
{
    const uint64_t now = atomic_load(&live);
    atomic_store(&most, now);
    return now;
}

uint64_t memory_most(void)
{
    return atomic_load(&most);
}

bool estimates_are_slow(void)
{
    return false;
}

int support_setup(void **state)
{
    (void)state;
    static const pail_host host = {.struct_size = sizeof(host),
                                   .abi_major = PAIL_ABI_MAJOR,
                                   .abi_minor = PAIL_ABI_MINOR,
                                   .alloc = allocate,
                                   .free = release};
    const pail_context_params params = {.struct_size = sizeof(params), .threads = 2};
    return pail_cpu_open(&host, &backend) != PAIL_OK ||
           backend->context_create(&host, &context, &params) != PAIL_OK;
}

int support_teardown(void **state)
{
    (void)state;
    backend->context_destroy(&context);
    return atomic_load(&live) == 0 ? 0 : -1;
}
