/* SPDX-License-Identifier: Apache-2.0 */
/* Programs on a Vulkan device: the implementation of adstack/device.h over plugin/vk.
 *
 * One evaluation is one submission: what is unknown is written as words (encode.h), which the
 * kernels of glsl/adstack work through, level after level, and values come back. Everything is
 * reached by device address. */
#ifndef PAIL_ADSTACK_GPU_H
#define PAIL_ADSTACK_GPU_H

#include "encode.h"
#include "vk/pipeline.h"
#include "warm_list.h"

struct pail_ad_gpu;

/* Measurement of one dispatch of reductions. */
struct pail_ad_measure {
    const struct pail_ad_work *work;
    bool specialised; /* by a kernel for the body; otherwise by the interpreter, of any bodies */
    uint32_t n;       /* specs */
    const struct pail_ad_encoded_spec *specs; /* [n] */
    const uint32_t *reports;                  /* [n][AD_REPORT_WORDS]: what they took */
    double ms;                                /* on the device; 0 where there are no timestamps */
};

/* Kernels for bodies. Both functions may be called from several threads at a time. */
struct pail_ad_bodies {
    void *user;
    /* The kernel of a spec of work->program in place of the interpreter, and the cells that it
     * takes at a time; NULL: none. */
    const struct pail_vk_pipeline *(*find)(void *user, const struct pail_ad_work *work,
                                           uint32_t spec, uint32_t *together);
    void (*measured)(void *user, const struct pail_ad_measure *measure); /* optional */
};

/* bodies: optional; copied. The device must outlive it.
 * Errors: PAIL_ERR_UNSUPPORTED: the device has no device addresses; PAIL_ERR_HOST_MEMORY. */
pail_status pail_ad_gpu_create(struct pail_ad_gpu **out, struct pail_vk_device *dev,
                               const struct pail_ad_bodies *bodies, struct pail_error *err);

/* No call may be under way. Accepts a pointer to NULL, and leaves NULL behind. */
void pail_ad_gpu_destroy(struct pail_ad_gpu **gpu);

/* Valid as long as the gpu. */
const struct pail_ad_device *pail_ad_gpu_device(const struct pail_ad_gpu *gpu);

/* The form of 64-bit integers in the kernels' variants on a device: enum pail_integer_form. */
uint32_t pail_ad_integers(const struct pail_vk_device *dev);

/* Adds the pipelines of evaluations; kernels for bodies come with their bodies.
 * Errors: PAIL_ERR_HOST_MEMORY. */
pail_status pail_ad_gpu_warm(const struct pail_ad_gpu *gpu, struct pail_warm_list *list,
                             struct pail_error *err);

/* Frees the memory of evaluations that are over: it is wanted for something else. */
void pail_ad_gpu_trim(struct pail_ad_gpu *gpu);

#endif /* PAIL_ADSTACK_GPU_H */
