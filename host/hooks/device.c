/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <curves/curve_ops.h>
#include <platform/memory.h>

#include "hooks.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Guarded by the lock until it is set. It is then constant until pail_hooks_close, which runs
 * alone. */
static struct device {
    pail_registry *registry;
    const pail_backend *backend;
    pail_context *context;
} device;

static _Thread_local char sentence[512];

void hook_begin(void)
{
    sentence[0] = '\0';
}

pail_status hook_fail(pail_status status, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)vsnprintf(sentence, sizeof(sentence), format, values);
    va_end(values);
    return status;
}

const char *pail_hooks_error(void)
{
    return sentence;
}

static pail_status open_locked(void)
{
    struct device made = {0};
    const pail_context_params params = {.struct_size = sizeof(params), .device = PAIL_DEVICE_BEST};
    pail_status status = pail_registry_create(&made.registry, NULL, sentence, sizeof(sentence));
    if (status == PAIL_OK)
        status = pail_registry_find(made.registry, &made.backend, NULL, sentence, sizeof(sentence));
    if (status == PAIL_OK) {
        status =
            made.backend->context_create(pail_registry_host(made.registry), &made.context, &params);
        if (status != PAIL_OK)
            (void)hook_fail(status, "%s: %s", made.backend->name, made.backend->error(NULL));
    }
    if (status == PAIL_OK)
        device = made;
    else
        pail_registry_destroy(&made.registry);
    return status;
}

/* Opens the backend. A failure is not kept: the next call tries again. */
static pail_status open_device(void)
{
    (void)pthread_mutex_lock(&lock);
    const pail_status status = device.context ? PAIL_OK : open_locked();
    (void)pthread_mutex_unlock(&lock);
    return status;
}

void pail_hooks_close(void)
{
    hook_sets_clear();
    if (device.context)
        device.backend->context_destroy(&device.context);
    pail_registry_destroy(&device.registry);
    device = (struct device){0};
}

static pail_status told(pail_status status)
{
    if (status != PAIL_OK)
        (void)hook_fail(status, "%s", device.backend->error(device.context));
    return status;
}

pail_status hook_bases_create(pail_bases **bases, const struct hook_points *points)
{
    /* Points are not checked: none of the peers checks that they are on the curve. */
    const pail_bases_desc desc = {.struct_size = sizeof(desc),
                                  .curve = points->curve,
                                  .group = points->group,
                                  .encoding = points->jacobian ? PAIL_ENCODING_JACOBIAN
                                                               : PAIL_ENCODING_MONTGOMERY,
                                  .validation = PAIL_VALIDATE_NONE,
                                  .points = points->points,
                                  .n_points = points->n};
    const pail_status status = open_device();
    if (status != PAIL_OK)
        return status;
    return told(device.backend->bases_create(device.context, bases, NULL, &desc));
}

void hook_bases_destroy(pail_bases **bases)
{
    if (*bases)
        device.backend->bases_destroy(device.context, bases);
}

/* Converts coordinates of the boundary, canonical, to Montgomery form: one point, the sum. */
static void to_montgomery(uint8_t *point, const struct pail_curve_ops *ops)
{
    pail_affine affine;
    (void)ops->decode(&affine, point, false); /* the backend's coordinates are below p */
    ops->encode(point, &affine, true);
    pail_wipe(&affine, sizeof(affine));
}

static void write_sum(uint8_t *sum, enum hook_form form, const struct pail_curve_ops *ops,
                      const pail_msm_result *result)
{
    const size_t width = ops->coordinate_bytes;
    uint8_t one[2 * PAIL_COORDINATE_MAX] = {1}, point[2 * PAIL_COORDINATE_MAX];
    memset(sum, 0, 3 * width);
    to_montgomery(one, ops);
    if (result->infinity == 0) {
        memcpy(point, result->x, width);
        memcpy(point + width, result->y, width);
        to_montgomery(point, ops);
        memcpy(sum, point, 2 * width);
        memcpy(sum + 2 * width, one, width);
        pail_wipe(point, sizeof(point));
        return;
    }
    if (form == HOOK_CONSTANTINE_JACOBI)
        memcpy(sum, one, width);
    if (form != HOOK_BLST)
        memcpy(sum + width, one, width);
}

pail_status hook_multiply(void *sum, enum hook_form form, const pail_bases *bases, uint32_t curve,
                          uint32_t group, const void *scalars, uint32_t scalar_encoding, size_t n)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(curve, group);
    const pail_msm_job job = {.struct_size = sizeof(job),
                              .scalar_encoding = scalar_encoding,
                              .bases = bases,
                              .scalars = scalars,
                              .n = n};
    pail_msm_result result = {.struct_size = sizeof(result)};
    const pail_status status =
        told(pail_msm(device.backend, device.context, &result, NULL, &job, NULL));
    if (status == PAIL_OK)
        write_sum(sum, form, ops, &result);
    else
        memset(sum, 0, 3 * ops->coordinate_bytes);
    pail_wipe(&result, sizeof(result)); /* the caller's alone */
    return status;
}

pail_status hook_multiply_once(void *sum, enum hook_form form, const struct hook_points *points,
                               const void *scalars, uint32_t scalar_encoding)
{
    pail_bases *bases = NULL;
    pail_status status = hook_bases_create(&bases, points);
    if (status != PAIL_OK) {
        memset(sum, 0, 3 * pail_curve_ops(points->curve, points->group)->coordinate_bytes);
        return status;
    }
    status = hook_multiply(sum, form, bases, points->curve, points->group, scalars, scalar_encoding,
                           points->n);
    hook_bases_destroy(&bases);
    return status;
}
