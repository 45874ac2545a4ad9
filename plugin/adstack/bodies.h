/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for bodies: when one is compiled, and whether it is taken in place of the interpreter.
 *
 * The interpreter begins at once; a kernel for the body is faster, and takes the compiler a tenth
 * of a second or more. So the interpreter computes a body until the time it has taken would have
 * paid for compiling; from then on the faster of the two by their own measurements does. Where the
 * cache has the words already, the kernel is taken at once. */
#ifndef PAIL_ADSTACK_BODIES_H
#define PAIL_ADSTACK_BODIES_H

#include "gpu.h"

struct pail_ad_choices;

/* The device must outlive it. Errors: PAIL_ERR_HOST_MEMORY. */
pail_status pail_ad_choices_create(struct pail_ad_choices **out, struct pail_vk_device *dev,
                                   struct pail_error *err);
void pail_ad_choices_destroy(struct pail_ad_choices **choices);

/* The argument for pail_ad_gpu_create; valid as long as the choices. */
struct pail_ad_bodies pail_ad_choices_bodies(struct pail_ad_choices *choices);

#endif /* PAIL_ADSTACK_BODIES_H */
