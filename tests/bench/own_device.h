/* SPDX-License-Identifier: Apache-2.0 */
/* A Vulkan device of a benchmark's own, to be imported into a plugin: arrays at device addresses,
 * and how fast they can be copied. Whatever fails ends the program with a sentence. */
#ifndef PAIL_BENCH_OWN_DEVICE_H
#define PAIL_BENCH_OWN_DEVICE_H

#include <stdbool.h>

#include <vk/memory.h>

struct own_device;

struct own_array {
    struct pail_vk_buffer buffer, copy; /* copy: made by own_copy */
    uint64_t address, bytes;
};

struct own_device *own_device_open(void);
void own_device_close(struct own_device *device);
const char *own_device_name(const struct own_device *device);

/* The device must outlive the context. */
pail_vulkan_import own_device_import(const struct own_device *device);

void own_array_make(struct own_device *device, struct own_array *array, const void *bytes,
                    uint64_t n);
void own_array_free(struct own_device *device, struct own_array *array);

/* Device milliseconds of a copy of the array, by vkCmdCopyBuffer and by a kernel that moves 16
 * bytes at a time; compared by a checksum. */
void own_copy(struct own_device *device, struct own_array *array, double *command_ms,
              double *kernel_ms);

#endif /* PAIL_BENCH_OWN_DEVICE_H */
