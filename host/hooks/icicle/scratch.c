/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors that calls work in. A vector is wiped when it is destroyed, which a host that calls one
 * transform after another would wait for in each call; so some are kept. */
#include <pthread.h>

#include "state.h"

/* 128 MiB each at most. */
enum { SPARES_MAX = 4, SPARE_ELEMENTS = 1 << 22 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct icicle_scratch spares[SPARES_MAX]; /* vector is NULL: the slot is free */

static void destroy(struct icicle_scratch *scratch)
{
    if (scratch->vector)
        scratch->device->backend->vector_destroy(scratch->device->context, &scratch->vector);
    *scratch = (struct icicle_scratch){0};
}

int icicle_scratch_take(struct icicle_scratch *scratch, struct icicle_device *device,
                        const char *name, uint32_t curve, uint64_t n)
{
    struct icicle_scratch *best = NULL;
    *scratch = (struct icicle_scratch){.device = device, .curve = curve, .n = n};
    (void)pthread_mutex_lock(&lock);
    for (struct icicle_scratch *spare = spares; spare < spares + SPARES_MAX; spare++)
        if (spare->vector && spare->device == device && spare->curve == curve && spare->n >= n &&
            (!best || spare->n < best->n))
            best = spare;
    if (best) {
        *scratch = *best;
        *best = (struct icicle_scratch){0};
    }
    (void)pthread_mutex_unlock(&lock);
    if (scratch->vector)
        return ICICLE_SUCCESS;
    const pail_backend *const backend = device->backend;
    pail_status made;
    do
        made = backend->vector_create(device->context, &scratch->vector, curve, n);
    while (icicle_bases_retry(device, made));
    return made == PAIL_OK ? ICICLE_SUCCESS : icicle_device_fail(device, made, name);
}

void icicle_scratch_give(struct icicle_scratch *scratch)
{
    if (scratch->vector && scratch->n <= SPARE_ELEMENTS) {
        (void)pthread_mutex_lock(&lock);
        struct icicle_scratch *least = spares;
        for (struct icicle_scratch *spare = spares; spare < spares + SPARES_MAX; spare++)
            if (least->vector && (!spare->vector || spare->n < least->n))
                least = spare;
        if (!least->vector || least->n < scratch->n) {
            const struct icicle_scratch other = *least;
            *least = *scratch;
            *scratch = other;
        }
        (void)pthread_mutex_unlock(&lock);
    }
    destroy(scratch);
}

bool icicle_scratch_trim(const struct icicle_device *device)
{
    bool any = false;
    (void)pthread_mutex_lock(&lock);
    for (struct icicle_scratch *spare = spares; spare < spares + SPARES_MAX; spare++) {
        if (!spare->vector || (device && spare->device != device))
            continue;
        destroy(spare);
        any = true;
    }
    (void)pthread_mutex_unlock(&lock);
    return any;
}
