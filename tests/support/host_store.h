/* SPDX-License-Identifier: Apache-2.0 */
/* A host's own store for entries of the cache, in memory. Single-threaded tests may look inside. */
#ifndef PAIL_TESTS_HOST_STORE_H
#define PAIL_TESTS_HOST_STORE_H

#include <stddef.h>
#include <stdint.h>

enum { HOST_STORE_MAX = 256 };

/* All zero is an empty store. */
struct host_store {
    struct {
        uint64_t key;
        uint8_t *value;
        size_t size;
    } entries[HOST_STORE_MAX];
    int n, puts;
};

/* The callbacks of pail_cache_callbacks; user is the store. */
size_t host_store_get(void *user, void *value, size_t capacity, uint64_t key);
void host_store_put(void *user, uint64_t key, const void *value, size_t size);

/* Leaves an empty store. */
void host_store_free(struct host_store *store);

#endif /* PAIL_TESTS_HOST_STORE_H */
