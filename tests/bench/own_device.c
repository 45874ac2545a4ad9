/* SPDX-License-Identifier: Apache-2.0 */
#include "own_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shared/msm_layout.h>

#include <vk/cmd.h>
#include <vk/device_priv.h>
#include <vk/staging.h>

struct own_device {
    struct pail_vk_instance *instance;
    struct pail_vk_device *dev;
};

static struct pail_error error;

static void check(pail_status status)
{
    if (status == PAIL_OK)
        return;
    (void)fprintf(stderr, "%s\n", error.text);
    exit(1);
}

struct own_device *own_device_open(void)
{
    static struct own_device device;
    const struct pail_vk_env env = {.debug = "nocache"};
    check(pail_vk_instance_create(&device.instance, &env, &error));
    check(pail_vk_device_create(&device.dev, device.instance, 0, NULL, &error));
    if (!pail_vk_device_caps(device.dev)->buffer_device_address) {
        (void)fprintf(stderr, "device \"%s\" has no device addresses\n", own_device_name(&device));
        exit(1);
    }
    return &device;
}

void own_device_close(struct own_device *device)
{
    pail_vk_device_destroy(&device->dev);
    pail_vk_instance_destroy(&device->instance);
}

const char *own_device_name(const struct own_device *device)
{
    return pail_vk_device_caps(device->dev)->name;
}

pail_vulkan_import own_device_import(const struct own_device *device)
{
    const struct pail_vk_device *dev = device->dev;
    pail_vulkan_import import = {
        .struct_size = sizeof(import),
        .queue_family = dev->queues[0].family,
        .enabled_features = (dev->caps.int64 ? (uint32_t)PAIL_FEATURE_INT64 : 0) |
                            (uint32_t)PAIL_FEATURE_DEVICE_ADDRESS,
        .instance = dev->instance,
        .physical_device = dev->physical,
        .device = dev->handle,
        .flags = dev->caps.timeline_semaphore ? 0 : (uint32_t)PAIL_IMPORT_WITHOUT_TIMELINES,
    };
    return import;
}

void own_array_make(struct own_device *device, struct own_array *array, const void *bytes,
                    uint64_t n)
{
    *array = (struct own_array){.bytes = n};
    check(pail_vk_buffer_create(device->dev, &array->buffer, PAIL_VK_MEMORY_DEVICE, n, "array",
                                &error));
    const struct pail_vk_slice all = pail_vk_buffer_slice(&array->buffer, 0, n);
    pail_vk_ticket ticket;
    check(pail_vk_upload(device->dev, &all, 0, bytes, n, &ticket, &error));
    check(pail_vk_wait(device->dev, ticket, PAIL_VK_FOREVER, &error));
    array->address = array->buffer.address;
}

void own_array_free(struct own_device *device, struct own_array *array)
{
    pail_vk_buffer_destroy(device->dev, &array->buffer);
    pail_vk_buffer_destroy(device->dev, &array->copy);
}

/* The row of a kernel that reads one binding and writes another: push.n times 16 bytes. */
static const char copy_text[] =
    "#version 460\n"
    "#include \"../../lib/prelude.glsl\"\n"
    "#include \"../../shared/msm_layout.h\"\n"
    "layout(local_size_x = 128) in;\n"
    "layout(push_constant) uniform Push { msm_sort_push push; };\n"
    "layout(binding = 0, std430) readonly buffer From { uvec4 from[]; };\n"
    "layout(binding = 1, std430) buffer To { uvec4 to[]; };\n"
    "void main()\n"
    "{\n"
    "    const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;\n"
    "    for (uint i = gl_GlobalInvocationID.x; i < push.n; i += step)\n"
    "        to[i] = from[i];\n"
    "}\n";

static double timed(struct own_device *device, struct pail_vk_cmd *cmd)
{
    pail_vk_ticket ticket;
    struct pail_vk_phase phases[2];
    uint32_t n;
    check(pail_vk_cmd_submit(cmd, &ticket, &error));
    check(pail_vk_wait(device->dev, ticket, PAIL_VK_FOREVER, &error));
    check(pail_vk_cmd_phases(cmd, phases, 2, &n, &error));
    pail_vk_cmd_release(&cmd);
    if (n != 1) {
        (void)fprintf(stderr, "device \"%s\" has no timestamps\n", own_device_name(device));
        exit(1);
    }
    return phases[0].ms;
}

static struct pail_vk_cmd *begin(struct own_device *device, const struct pail_vk_slice *to)
{
    struct pail_vk_cmd *cmd;
    check(pail_vk_cmd_begin(device->dev, PAIL_VK_QUEUE_MAIN, "copy", &cmd, &error));
    pail_vk_cmd_fill(cmd, to, 0, to->size, 0);
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_TRANSFER | PAIL_VK_COMPUTE);
    pail_vk_cmd_stamp(cmd, "copy");
    return cmd;
}

/* The last 16 bytes were zero before. */
static void check_copied(struct own_device *device, const struct pail_vk_slice *from,
                         const struct pail_vk_slice *to)
{
    uint8_t a[16], b[16];
    check(pail_vk_download(device->dev, from, from->size - 16, a, 16, PAIL_VK_FOREVER, &error));
    check(pail_vk_download(device->dev, to, to->size - 16, b, 16, PAIL_VK_FOREVER, &error));
    if (memcmp(a, b, 16) != 0) {
        (void)fprintf(stderr, "a copy is not equal\n");
        exit(1);
    }
}

void own_copy(struct own_device *device, struct own_array *array, double *command_ms,
              double *kernel_ms)
{
    if (!array->copy.handle)
        check(pail_vk_buffer_create(device->dev, &array->copy, PAIL_VK_MEMORY_DEVICE, array->bytes,
                                    "copy", &error));
    const struct pail_vk_slice slices[2] = {
        pail_vk_buffer_slice(&array->buffer, 0, array->bytes),
        pail_vk_buffer_slice(&array->copy, 0, array->bytes),
    };
    struct pail_vk_cmd *cmd = begin(device, &slices[1]);
    pail_vk_cmd_copy(cmd, &slices[0], 0, &slices[1], 0, array->bytes);
    pail_vk_cmd_stamp(cmd, NULL);
    *command_ms = timed(device, cmd);
    check_copied(device, &slices[0], &slices[1]);

    const struct pail_source text = {"msm/sort/count_serial.comp", copy_text,
                                     sizeof(copy_text) - 1};
    const struct pail_vk_pipeline_request request = {.kernel = PAIL_KERNEL_MSM_SORT_COUNT_SERIAL,
                                                     .text = &text};
    const struct pail_vk_pipeline *pipeline;
    check(pail_vk_pipeline_find(device->dev, &request, &pipeline, NULL, &error));
    const struct msm_sort_push push = {.n = (uint32_t)(array->bytes / 16)};
    cmd = begin(device, &slices[1]);
    pail_vk_cmd_dispatch(cmd, pipeline, slices, 2, &push, sizeof(push), 4224, 1, 1);
    pail_vk_cmd_stamp(cmd, NULL);
    *kernel_ms = timed(device, cmd);
    check_copied(device, &slices[0], &slices[1]);
}
