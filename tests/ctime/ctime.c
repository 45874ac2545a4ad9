/* SPDX-License-Identifier: Apache-2.0 */
/* A multiplication on the CPU backend whose scalars memcheck takes for memory that was never
 * written: each of its complaints is a branch or an address that depends on a scalar. Run by
 * ctime.py, which compares them with known.txt. */
#include <cpu/cpu.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <valgrind/memcheck.h>

enum { N = 6 };

static int complain(const pail_backend *backend, const pail_context *context)
{
    (void)fprintf(stderr, "%s\n", backend->error(context));
    return 1;
}

/* One multiplication with scalars in the encoding. */
static int multiply(const pail_backend *backend, pail_context *context, const pail_bases *bases,
                    uint32_t encoding)
{
    static uint8_t scalars[N][32];
    pail_pending *pending = NULL;
    pail_msm_result result = {.struct_size = sizeof(result)};
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < 31; k++)
            scalars[i][k] = (uint8_t)(i * 41 + k * 17 + 3);
    const pail_msm_job job = {.struct_size = sizeof(job),
                              .scalar_encoding = encoding,
                              .bases = bases,
                              .scalars = scalars,
                              .n = N};
    (void)VALGRIND_MAKE_MEM_UNDEFINED(scalars, sizeof(scalars));
    const pail_status started = backend->msm_start(context, &pending, &job, 1, NULL);
    (void)VALGRIND_MAKE_MEM_DEFINED(scalars, sizeof(scalars));
    if (started != PAIL_OK || backend->msm_finish(&pending, &result, 1, NULL) != PAIL_OK)
        return complain(backend, context);
    (void)VALGRIND_MAKE_MEM_DEFINED(&result, sizeof(result));
    return result.infinity != 0;
}

int main(void)
{
    if (setenv("PAIL_CPU", "portable", 1) != 0)
        return 1;
    const pail_host host = {
        .struct_size = sizeof(host), .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR};
    const pail_context_params params = {
        .struct_size = sizeof(params), .device = PAIL_DEVICE_BEST, .threads = 1};
    static uint8_t points[N][64]; /* the generator of BN254 G1, and infinity */
    for (size_t i = 0; i < N; i++)
        points[i][0] = 1, points[i][32] = 2;
    memset(points[3], 0, sizeof(points[3]));
    const pail_bases_desc desc = {.struct_size = sizeof(desc),
                                  .curve = PAIL_CURVE_BN254,
                                  .group = PAIL_G1,
                                  .points = points,
                                  .n_points = N};
    const pail_backend *backend = NULL;
    pail_context *context = NULL;
    pail_bases *bases = NULL;
    if (pail_cpu_open(&host, &backend) != PAIL_OK)
        return 1;
    if (backend->context_create(&host, &context, &params) != PAIL_OK ||
        backend->bases_create(context, &bases, NULL, &desc) != PAIL_OK)
        return complain(backend, context);
    int failed = multiply(backend, context, bases, PAIL_ENCODING_CANONICAL);
    if (!failed)
        failed = multiply(backend, context, bases, PAIL_ENCODING_MONTGOMERY);
    backend->bases_destroy(context, &bases);
    backend->context_destroy(&context);
    return failed;
}
