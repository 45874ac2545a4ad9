/* SPDX-License-Identifier: Apache-2.0 */
#include "host_store.h"
#include "support/test.h"

size_t host_store_get(void *user, void *value, size_t capacity, uint64_t key)
{
    const struct host_store *s = user;
    for (int i = 0; i < s->n; i++)
        if (s->entries[i].key == key) {
            const size_t size = s->entries[i].size;
            memcpy(value, s->entries[i].value, size < capacity ? size : capacity);
            return size;
        }
    return 0;
}

void host_store_put(void *user, uint64_t key, const void *value, size_t size)
{
    struct host_store *s = user;
    int i = 0;
    while (i < s->n && s->entries[i].key != key)
        i++;
    assert_true(i < HOST_STORE_MAX);
    s->n += i == s->n;
    s->puts++;
    free(s->entries[i].value);
    s->entries[i].key = key;
    s->entries[i].size = size;
    s->entries[i].value = malloc(size);
    assert_non_null(s->entries[i].value);
    memcpy(s->entries[i].value, value, size);
}

void host_store_free(struct host_store *store)
{
    for (int i = 0; i < store->n; i++)
        free(store->entries[i].value);
    *store = (struct host_store){.n = 0};
}
