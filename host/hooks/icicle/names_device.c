/* SPDX-License-Identifier: Apache-2.0 */
/* libicicle_device: devices, memory, streams, and extensions of configurations. */
#include "names.h"

NAMED(int, icicle_load_backend, const char *path, bool is_recursive)
{
    (void)is_recursive;
    return pail_icicle_load(path);
}

NAMED(int, icicle_load_backend_from_env_or_default, void)
{
    return pail_icicle_load("");
}

NAMED(int, icicle_set_device, const struct icicle_device_name *device)
{
    return pail_icicle_set_device(device, false);
}

NAMED(int, icicle_set_default_device, const struct icicle_device_name *device)
{
    return pail_icicle_set_device(device, true);
}

NAMED(int, icicle_get_active_device, struct icicle_device_name *device)
{
    return pail_icicle_active_device(device);
}

NAMED(int, icicle_get_device_count, int *count)
{
    return pail_icicle_device_count(count);
}

NAMED(int, icicle_is_device_available, const struct icicle_device_name *device)
{
    return pail_icicle_available(device);
}

NAMED(int, icicle_get_registered_devices, char *output, size_t capacity)
{
    return pail_icicle_registered(output, capacity);
}

NAMED(int, icicle_get_device_properties, struct icicle_device_properties *properties)
{
    return pail_icicle_properties(properties);
}

NAMED(int, icicle_get_available_memory, size_t *total, size_t *left)
{
    return pail_icicle_memory_left(total, left);
}

NAMED(int, icicle_is_host_memory, const void *pointer)
{
    return pail_icicle_is_host(pointer);
}

NAMED(int, icicle_is_active_device_memory, const void *pointer)
{
    return pail_icicle_is_active_device(pointer);
}

NAMED(int, icicle_malloc, void **pointer, size_t bytes)
{
    return pail_icicle_malloc(pointer, bytes);
}

/* Nothing of the stream's earlier work can know the memory: it may be there at once. */
NAMED(int, icicle_malloc_async, void **pointer, size_t bytes, void *stream)
{
    (void)stream;
    return pail_icicle_malloc(pointer, bytes);
}

NAMED(int, icicle_free, void *pointer)
{
    return pail_icicle_free(pointer, NULL);
}

NAMED(int, icicle_free_async, void *pointer, void *stream)
{
    return pail_icicle_free(pointer, stream);
}

NAMED(int, icicle_memset, void *pointer, int value, size_t bytes)
{
    return pail_icicle_fill(pointer, value, bytes, NULL, false);
}

NAMED(int, icicle_memset_async, void *pointer, int value, size_t bytes, void *stream)
{
    return pail_icicle_fill(pointer, value, bytes, stream, true);
}

NAMED(int, icicle_copy, void *to, const void *from, size_t bytes)
{
    return pail_icicle_copy(to, from, bytes, ICICLE_ANYWHERE, NULL, false);
}

NAMED(int, icicle_copy_async, void *to, const void *from, size_t bytes, void *stream)
{
    return pail_icicle_copy(to, from, bytes, ICICLE_ANYWHERE, stream, true);
}

NAMED(int, icicle_copy_to_host, void *to, const void *from, size_t bytes)
{
    return pail_icicle_copy(to, from, bytes, ICICLE_TO_HOST, NULL, false);
}

NAMED(int, icicle_copy_to_host_async, void *to, const void *from, size_t bytes, void *stream)
{
    return pail_icicle_copy(to, from, bytes, ICICLE_TO_HOST, stream, true);
}

NAMED(int, icicle_copy_to_device, void *to, const void *from, size_t bytes)
{
    return pail_icicle_copy(to, from, bytes, ICICLE_TO_DEVICE, NULL, false);
}

NAMED(int, icicle_copy_to_device_async, void *to, const void *from, size_t bytes, void *stream)
{
    return pail_icicle_copy(to, from, bytes, ICICLE_TO_DEVICE, stream, true);
}

NAMED(int, icicle_create_stream, void **stream)
{
    return pail_icicle_stream_create(stream);
}

NAMED(int, icicle_destroy_stream, void *stream)
{
    return pail_icicle_stream_destroy(stream);
}

NAMED(int, icicle_stream_synchronize, void *stream)
{
    return pail_icicle_stream_wait(stream);
}

NAMED(int, icicle_device_synchronize, void)
{
    return pail_icicle_stream_wait(NULL);
}

NAMED(void *, create_config_extension, void)
{
    return pail_icicle_extension_create();
}

NAMED(void *, clone_config_extension, const void *extension)
{
    return pail_icicle_extension_clone(extension);
}

NAMED(void, destroy_config_extension, void *extension)
{
    pail_icicle_extension_destroy(extension);
}

NAMED(void, config_extension_set_int, void *extension, const char *key, int value)
{
    pail_icicle_extension_set(extension, key, value);
}

NAMED(void, config_extension_set_bool, void *extension, const char *key, bool value)
{
    pail_icicle_extension_set(extension, key, value);
}

NAMED(int, config_extension_get_int, const void *extension, const char *key)
{
    return pail_icicle_extension_get(extension, key);
}

NAMED(bool, config_extension_get_bool, const void *extension, const char *key)
{
    return pail_icicle_extension_get(extension, key) != 0;
}
