/* SPDX-License-Identifier: Apache-2.0 */
#include "sums.h"

#include <curves/inputs.h>
#include <stdio.h>
#include <string.h>

static const struct pail_curve_ops *ops(void)
{
    return pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
}

static void say(const struct sums *sums, const char *what)
{
    (void)fprintf(stderr, "%s: %s: %s\n", sums->backend->name, what,
                  sums->backend->error(sums->context));
}

pail_bases *sums_bases(const struct sums *sums)
{
    pail_bases *bases = NULL;
    const pail_bases_desc desc = {
        .struct_size = sizeof desc,
        .curve = PAIL_CURVE_BN254,
        .group = PAIL_G1,
        .validation = PAIL_VALIDATE_CURVE,
        .points = sums->points,
        .n_points = SUMS_N,
        .residency = sums->residency,
    };
    if (sums->backend->bases_create(sums->context, &bases, NULL, &desc) != PAIL_OK)
        say(sums, "no bases");
    return bases;
}

bool sums_open(struct sums *sums, pail_backend_open_fn open, uint32_t threads, uint32_t residency)
{
    const pail_host host = {
        .struct_size = sizeof host, .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR};
    const pail_backend *backend;
    if (open(&host, &backend) != PAIL_OK) {
        (void)fprintf(stderr, "the backend does not open\n");
        return false;
    }
    return sums_fill(sums, backend, threads, residency);
}

bool sums_fill(struct sums *sums, const pail_backend *backend, uint32_t threads, uint32_t residency)
{
    *sums = (struct sums){.host = {.struct_size = sizeof sums->host,
                                   .abi_major = PAIL_ABI_MAJOR,
                                   .abi_minor = PAIL_ABI_MINOR},
                          .backend = backend,
                          .residency = residency};
    pail_point expected;
    pail_affine affine;
    pail_make_bases(ops(), sums->points, false, 0, SUMS_N, PAIL_BASES_DISTINCT, 1);
    pail_make_scalars(ops(), sums->scalars, SUMS_N, PAIL_SCALARS_UNIFORM, 1);
    pail_expected_msm(ops(), &expected, sums->scalars, 0, SUMS_N, PAIL_BASES_DISTINCT, 1);
    ops()->to_affine(&affine, &expected);
    ops()->encode(sums->expected, &affine, false);

    const pail_context_params params = {
        .struct_size = sizeof params, .device = PAIL_DEVICE_BEST, .threads = threads};
    if (sums->backend->context_create(&sums->host, &sums->context, &params) != PAIL_OK) {
        say(sums, "no context");
        return false;
    }
    sums->bases = sums_bases(sums);
    return sums->bases != NULL;
}

void sums_close(struct sums *sums)
{
    sums->backend->bases_destroy(sums->context, &sums->bases);
    sums->backend->context_destroy(&sums->context);
}

pail_pending *sums_start(const struct sums *sums, const pail_bases *bases)
{
    pail_pending *pending = NULL;
    const pail_msm_job job = {
        .struct_size = sizeof job, .bases = bases, .scalars = sums->scalars, .n = SUMS_N};
    if (sums->backend->msm_start(sums->context, &pending, &job, 1, NULL) != PAIL_OK)
        say(sums, "no multiplication");
    return pending;
}

bool sums_finish(const struct sums *sums, pail_pending *pending)
{
    pail_msm_result result = {.struct_size = sizeof result};
    if (!pending)
        return false;
    if (sums->backend->msm_finish(&pending, &result, 1, NULL) != PAIL_OK) {
        say(sums, "no result");
        return false;
    }
    return !result.infinity && memcmp(result.x, sums->expected, 32) == 0 &&
           memcmp(result.y, sums->expected + 32, 32) == 0;
}

bool sums_multiply(const struct sums *sums)
{
    return sums_finish(sums, sums_start(sums, sums->bases));
}
