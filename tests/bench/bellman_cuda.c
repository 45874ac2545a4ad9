/* SPDX-License-Identifier: Apache-2.0 */
/* A library in era-bellman-cuda's place, for the test of bench_peers: its functions, on the host.
 * Point i of a result is the sum of the bases whose scalars have bit i. */
#include "bellman_cuda.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <curves/curve_ops.h>
#include <pail/backend.h>

#define EXPORT __attribute__((visibility("default")))
enum { COORDINATE = 32, VALUE_ERROR = 1, MEMORY_ERROR = 2 };

static int opened; /* handles, which are all to be closed before msm_tear_down */

static int open_handle(struct bc_handle *handle)
{
    handle->handle = &opened;
    opened++;
    return 0;
}

static int close_handle(struct bc_handle handle)
{
    opened--;
    return handle.handle == &opened ? 0 : VALUE_ERROR;
}

EXPORT int bc_stream_create(struct bc_handle *stream, bool blocking_sync);
int bc_stream_create(struct bc_handle *stream, bool blocking_sync)
{
    (void)blocking_sync;
    return open_handle(stream);
}

EXPORT int bc_stream_synchronize(struct bc_handle stream);
int bc_stream_synchronize(struct bc_handle stream)
{
    return stream.handle == &opened ? 0 : VALUE_ERROR;
}

EXPORT int bc_stream_destroy(struct bc_handle stream);
int bc_stream_destroy(struct bc_handle stream)
{
    return close_handle(stream);
}

EXPORT int bc_mem_pool_create(struct bc_handle *pool, int device_id);
int bc_mem_pool_create(struct bc_handle *pool, int device_id)
{
    return device_id == 0 ? open_handle(pool) : VALUE_ERROR;
}

EXPORT int bc_mem_pool_destroy(struct bc_handle pool);
int bc_mem_pool_destroy(struct bc_handle pool)
{
    return close_handle(pool);
}

EXPORT int bc_malloc(void **ptr, size_t size);
int bc_malloc(void **ptr, size_t size)
{
    *ptr = malloc(size);
    return *ptr ? 0 : MEMORY_ERROR;
}

EXPORT int bc_free(void *ptr);
int bc_free(void *ptr)
{
    free(ptr);
    return 0;
}

EXPORT int bc_memcpy(void *dst, const void *src, size_t count);
int bc_memcpy(void *dst, const void *src, size_t count)
{
    memcpy(dst, src, count);
    return 0;
}

EXPORT int msm_set_up(void);
int msm_set_up(void)
{
    return 0;
}

EXPORT int msm_tear_down(void);
int msm_tear_down(void)
{
    return opened == 0 ? 0 : VALUE_ERROR;
}

static void add_modulus(uint8_t *coordinate)
{
    static const uint8_t p[COORDINATE] = {0x47, 0xfd, 0x7c, 0xd8, 0x16, 0x8c, 0x20, 0x3c,
                                          0x8d, 0xca, 0x71, 0x68, 0x91, 0x6a, 0x81, 0x97,
                                          0x5d, 0x58, 0x81, 0x81, 0xb6, 0x45, 0x50, 0xb8,
                                          0x29, 0xa0, 0x31, 0xe1, 0x72, 0x4e, 0x64, 0x30};
    unsigned sum = 0;
    for (size_t i = 0; i < COORDINATE; i++) {
        sum += coordinate[i] + p[i];
        coordinate[i] = (uint8_t)sum;
        sum >>= 8;
    }
}

/* Coordinates are stored as the library leaves them: modulo p, below 2p. */
static void store(uint8_t *result, const struct pail_curve_ops *ops, const pail_point *sum)
{
    static const uint8_t zero[COORDINATE];
    uint8_t one[COORDINATE] = {1};
    pail_affine affine;
    ops->to_affine(&affine, sum);
    ops->encode(result, &affine, true);
    ops->convert(one, one, 1, true);
    memcpy(result + 2 * COORDINATE, ops->is_infinity(sum) ? zero : one, COORDINATE);
    add_modulus(result);
    add_modulus(result + COORDINATE);
}

EXPORT int msm_execute_async(struct bc_msm configuration);
int msm_execute_async(struct bc_msm configuration)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    const uint8_t *const bases = configuration.bases, *const scalars = configuration.scalars;
    static const uint8_t infinity[2 * COORDINATE];
    uint8_t *const results = configuration.results;
    if (configuration.pool.handle != &opened || configuration.stream.handle != &opened ||
        configuration.h2d_copy_finished.handle || configuration.h2d_copy_finished_callback ||
        configuration.d2h_copy_finished.handle || configuration.d2h_copy_finished_callback)
        return VALUE_ERROR;
    for (size_t bit = 0; bit < BC_RESULTS; bit++) {
        pail_affine affine;
        pail_point sum;
        (void)ops->decode(&affine, infinity, true);
        ops->from_affine(&sum, &affine);
        for (size_t i = 0; i < (size_t)1 << configuration.log_scalars_count; i++) {
            pail_u256 scalar;
            pail_u256_from_bytes(&scalar, scalars + 32 * i);
            ops->scalar_from_montgomery(&scalar, &scalar);
            if ((scalar.l[bit / 64] >> bit % 64 & 1) == 0)
                continue;
            if (!ops->decode(&affine, bases + 2 * COORDINATE * i, true))
                return VALUE_ERROR;
            ops->add_affine(&sum, &sum, &affine);
        }
        store(results + 3 * COORDINATE * bit, ops, &sum);
    }
    return 0;
}
