/* SPDX-License-Identifier: Apache-2.0 */
/* Extensions of configurations: integers by name. Pail knows no name of them, so that none changes
 * a result; hosts read back what they set. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

struct entry {
    struct entry *next;
    int value;
    char key[];
};

struct extension {
    struct entry *entries;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct entry *find(const struct extension *extension, const char *key)
{
    struct entry *entry = extension->entries;
    while (entry && strcmp(entry->key, key) != 0)
        entry = entry->next;
    return entry;
}

void *pail_icicle_extension_create(void)
{
    struct extension *const extension = calloc(1, sizeof(*extension));
    if (!extension)
        (void)icicle_fail(ICICLE_OUT_OF_MEMORY, "create_config_extension: out of host memory");
    return extension;
}

void pail_icicle_extension_destroy(void *handle)
{
    struct extension *const extension = handle;
    while (extension && extension->entries) {
        struct entry *const entry = extension->entries;
        extension->entries = entry->next;
        free(entry);
    }
    free(extension);
}

void pail_icicle_extension_set(void *handle, const char *key, int value)
{
    struct extension *const extension = handle;
    if (!extension || !key) {
        (void)icicle_fail(ICICLE_INVALID_ARGUMENT,
                          "config_extension_set: the extension or the name is NULL");
        return;
    }
    (void)pthread_mutex_lock(&lock);
    struct entry *entry = find(extension, key);
    const size_t bytes = strlen(key) + 1;
    if (!entry && (entry = malloc(sizeof(*entry) + bytes))) {
        memcpy(entry->key, key, bytes);
        entry->next = extension->entries;
        extension->entries = entry;
    }
    if (entry)
        entry->value = value;
    (void)pthread_mutex_unlock(&lock);
    if (!entry)
        (void)icicle_fail(ICICLE_OUT_OF_MEMORY, "config_extension_set: out of host memory");
}

int pail_icicle_extension_get(const void *handle, const char *key)
{
    if (!handle || !key) {
        (void)icicle_fail(ICICLE_INVALID_ARGUMENT,
                          "config_extension_get: the extension or the name is NULL");
        return 0;
    }
    (void)pthread_mutex_lock(&lock);
    const struct entry *const entry = find(handle, key);
    const int value = entry ? entry->value : 0;
    (void)pthread_mutex_unlock(&lock);
    if (!entry)
        (void)icicle_fail(ICICLE_INVALID_ARGUMENT, "config_extension_get: %.200s was not set", key);
    return value;
}

void *pail_icicle_extension_clone(const void *handle)
{
    const struct extension *const from = handle;
    if (!from) {
        (void)icicle_fail(ICICLE_INVALID_ARGUMENT, "clone_config_extension: the extension is NULL");
        return NULL;
    }
    struct extension *const copy = pail_icicle_extension_create();
    for (const struct entry *entry = from->entries; entry && copy; entry = entry->next)
        pail_icicle_extension_set(copy, entry->key, entry->value);
    return copy;
}
