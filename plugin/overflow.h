/* SPDX-License-Identifier: Apache-2.0 */
/* The buffer that kernels report overflows to: memory of the device that the host can read. */
#ifndef PAIL_PLUGIN_OVERFLOW_H
#define PAIL_PLUGIN_OVERFLOW_H

#include <pthread.h>

#include <adstack/overflow.h>

#include "vk/device.h"
#include "vk/memory.h"

struct pail_adstack;

struct pail_overflows {
    struct pail_vk_device *dev;
    struct pail_adstack *adstack;
    pthread_mutex_t lock;         /* guards the making of the buffer */
    struct pail_vk_buffer buffer; /* once made, as it is */
};

/* Errors: PAIL_ERR_INTERNAL */
pail_status pail_overflows_init(struct pail_overflows *overflows, struct pail_error *err);
void pail_overflows_fini(struct pail_overflows *overflows);

/* Functions for a service of adstack sizing, with dev and adstack set before they are called. The
 * buffer is made at the first call of `open`. */
struct pail_ad_overflow_memory pail_overflows_memory(struct pail_overflows *overflows);

#endif /* PAIL_PLUGIN_OVERFLOW_H */
