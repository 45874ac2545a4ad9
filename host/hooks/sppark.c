/* SPDX-License-Identifier: Apache-2.0 */
/* Names of sppark, as rust-kzg's blst-sppark builds it for BLS12-381. */
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "hooks.h"

/* The object that a handle of prepare_msm points to. */
struct prepared {
    pail_bases *bases;
    size_t n;
};

static pail_rust_error rust_error(pail_status status)
{
    if (status == PAIL_OK)
        return (pail_rust_error){0};
    return (pail_rust_error){.code = (int)status, .message = strdup(pail_hooks_error())};
}

static pail_status refuse(pail_blst_p1 *out, pail_status status, const char *sentence)
{
    if (out)
        memset(out, 0, sizeof(*out));
    return hook_fail(status, "%s", sentence);
}

static struct hook_points points_of(const pail_blst_p1_affine *points, size_t n)
{
    return (struct hook_points){
        .curve = PAIL_CURVE_BLS12_381, .group = PAIL_G1, .points = points, .n = n};
}

void *prepare_msm(const pail_blst_p1_affine points[], size_t npoints)
{
    hook_begin();
    const struct hook_points given = points_of(points, npoints);
    struct prepared *const prepared = calloc(1, sizeof(*prepared));
    if (!prepared) {
        (void)hook_fail(PAIL_ERR_HOST_MEMORY, "no memory for a handle");
        return NULL;
    }
    prepared->n = npoints;
    if (hook_bases_create(&prepared->bases, &given) != PAIL_OK) {
        free(prepared);
        return NULL;
    }
    return prepared;
}

void pail_hooks_drop_msm(void *msm)
{
    struct prepared *const prepared = msm;
    if (!prepared)
        return;
    hook_bases_destroy(&prepared->bases);
    free(prepared);
}

pail_rust_error mult_pippenger_prepared(void *msm, pail_blst_p1 *out, size_t npoints,
                                        const pail_blst_fr scalars[])
{
    hook_begin();
    const struct prepared *const prepared = msm;
    if (!prepared || !out)
        return rust_error(
            refuse(out, PAIL_ERR_ARGUMENT, !prepared ? "msm is NULL" : "out is NULL"));
    if (npoints > prepared->n) {
        memset(out, 0, sizeof(*out));
        return rust_error(hook_fail(PAIL_ERR_ARGUMENT, "%zu scalars for %zu prepared points",
                                    npoints, prepared->n));
    }
    return rust_error(hook_multiply(out, HOOK_BLST, prepared->bases, PAIL_CURVE_BLS12_381, PAIL_G1,
                                    scalars, PAIL_ENCODING_MONTGOMERY, npoints));
}

pail_rust_error mult_pippenger(pail_blst_p1 *out, const pail_blst_p1_affine points[],
                               size_t npoints, const pail_blst_fr scalars[])
{
    hook_begin();
    if (!out)
        return rust_error(refuse(out, PAIL_ERR_ARGUMENT, "out is NULL"));
    const struct hook_points given = points_of(points, npoints);
    return rust_error(
        hook_multiply_once(out, HOOK_BLST, &given, scalars, PAIL_ENCODING_MONTGOMERY));
}
