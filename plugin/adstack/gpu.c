/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu.h"

#include <platform/thread.h>
#include <shared/adstack_layout.h>

#include "gpu_priv.h"

/* Cost from which on a device is worth a submission for contents of the host: a submission and its
 * wait are about 60 microseconds on a discrete card, and the host takes about a nanosecond for an
 * instruction of a cell. A software driver is the same processor with a slower program: never
 * (docs/decisions/0016). */
#define WORTH_DEVICE   (UINT64_C(1) << 16)
#define WORTH_SOFTWARE UINT64_MAX

/* The host takes about as long to copy a byte into memory that a card reads as for an instruction
 * of a cell that is one of many: an eighth of a nanosecond. */
#define WORTH_OF_BYTE 1u

/* Workgroups that keep a device busy: a large card runs some 2000 of this size at a time, several
 * times that evens out their lengths. A software driver has a thread for each processor, and takes
 * tens of microseconds to begin a workgroup, which each portion does again. */
#define GROUPS_DEVICE       8192u
#define GROUPS_OF_PROCESSOR 16u
#define GROUPS_SOFTWARE     256u

static uint32_t groups_of_processors(void)
{
    const uint32_t n = pail_team_processors();
    return n < GROUPS_SOFTWARE / GROUPS_OF_PROCESSOR ? n * GROUPS_OF_PROCESSOR : GROUPS_SOFTWARE;
}

/* Turns left to loops that are not counted: looking for the spec, joining a workgroup. */
#define STEPS_KEPT 1024u

static uint64_t worth(void *user)
{
    const struct pail_ad_gpu *gpu = user;
    return pail_vk_device_caps(gpu->dev)->type == VK_PHYSICAL_DEVICE_TYPE_CPU ? WORTH_SOFTWARE
                                                                              : WORTH_DEVICE;
}

static struct pail_ad_shape shape_of(const struct pail_vk_caps *caps)
{
    const bool software = caps->type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    struct pail_ad_shape shape = {
        /* A limit that every device has is enough. */
        .max_groups = caps->max_workgroup_count[0] < 65535 ? caps->max_workgroup_count[0] : 65535,
        .good_groups = software ? groups_of_processors() : GROUPS_DEVICE,
        .pairs = !caps->int64,
        .max_bytes = caps->max_buffer_bytes - 256, /* a slice is rounded up */
    };
    if (caps->max_loop_iterations)
        shape.max_steps =
            caps->max_loop_iterations > 2 * STEPS_KEPT ? caps->max_loop_iterations - STEPS_KEPT : 1;
    return shape;
}

pail_status pail_ad_gpu_create(struct pail_ad_gpu **out, struct pail_vk_device *dev,
                               const struct pail_ad_bodies *bodies, struct pail_error *err)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(dev);
    *out = NULL;
    if (!caps->buffer_device_address)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "reductions need device addresses, device \"%s\" has none", caps->name);
    struct pail_ad_gpu *gpu = pail_calloc(pail_vk_device_alloc(dev), 1, sizeof(*gpu));
    if (!gpu)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for reductions");
    if (pthread_mutex_init(&gpu->lock, NULL) != 0) {
        pail_free(pail_vk_device_alloc(dev), gpu);
        return pail_fail(err, PAIL_ERR_INTERNAL, "a mutex cannot be made");
    }
    gpu->dev = dev;
    if (bodies)
        gpu->bodies = *bodies;
    gpu->shape = shape_of(caps);
    gpu->integers = pail_ad_integers(dev);
    gpu->device = (struct pail_ad_device){.user = gpu,
                                          .run = pail_ad_gpu_run,
                                          .fetch = pail_ad_gpu_fetch,
                                          .meet = caps->pointers ? pail_ad_gpu_meet : NULL,
                                          .worth = worth,
                                          .worth_of_byte = WORTH_OF_BYTE,
                                          .record = pail_ad_gpu_record,
                                          .unrecord = pail_ad_gpu_unrecord};
    *out = gpu;
    return PAIL_OK;
}

void pail_ad_gpu_destroy(struct pail_ad_gpu **out)
{
    struct pail_ad_gpu *gpu = *out;
    *out = NULL;
    if (!gpu)
        return;
    pail_ad_gpu_trim(gpu);
    pthread_mutex_destroy(&gpu->lock);
    pail_free(pail_vk_device_alloc(gpu->dev), gpu);
}

const struct pail_ad_device *pail_ad_gpu_device(const struct pail_ad_gpu *gpu)
{
    return &gpu->device;
}

uint32_t pail_ad_integers(const struct pail_vk_device *dev)
{
    return pail_vk_device_caps(dev)->int64 ? PAIL_INTEGER_I64 : PAIL_INTEGER_I32;
}

void pail_ad_gpu_trim(struct pail_ad_gpu *gpu)
{
    pthread_mutex_lock(&gpu->lock);
    struct pail_ad_space *space = gpu->idle;
    gpu->idle = NULL;
    pthread_mutex_unlock(&gpu->lock);
    while (space) {
        struct pail_ad_space *next = space->next;
        pail_ad_space_free(gpu, space);
        space = next;
    }
}

pail_status pail_ad_pipelines_find(const struct pail_ad_gpu *gpu, struct pail_ad_pipelines *p,
                                   bool layout, struct pail_error *err)
{
    const struct {
        enum pail_kernel_id kernel;
        const struct pail_vk_pipeline **to;
    } all[] = {
        {PAIL_KERNEL_ADSTACK_SLOTS, &p->slots},   {PAIL_KERNEL_ADSTACK_PREPARE, &p->prepare},
        {PAIL_KERNEL_ADSTACK_REDUCE, &p->reduce}, {PAIL_KERNEL_ADSTACK_COLLECT, &p->collect},
        {PAIL_KERNEL_ADSTACK_LAYOUT, &p->layout},
    };
    const size_t n = sizeof(all) / sizeof(all[0]) - !layout;
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < n && status == PAIL_OK; i++)
        status = pail_vk_pipeline_get(gpu->dev, all[i].kernel,
                                      (struct pail_variant){.field = gpu->integers}, NULL, 0,
                                      all[i].to, err);
    return status;
}

pail_status pail_ad_gpu_warm(const struct pail_ad_gpu *gpu, struct pail_warm_list *list,
                             struct pail_error *err)
{
    pail_status status = PAIL_OK;
    for (uint32_t k = PAIL_KERNEL_ADSTACK_SLOTS;
         k <= PAIL_KERNEL_ADSTACK_FETCH && status == PAIL_OK; k++) {
        const struct pail_vk_pipeline_request request = {
            .kernel = (enum pail_kernel_id)k,
            .variant = {.field = gpu->integers},
        };
        status = pail_warm_list_add(list, request, pail_vk_device_alloc(gpu->dev), err);
    }
    return status;
}
