/* SPDX-License-Identifier: Apache-2.0 */
#include "jacobian.h"
#include "support/test.h"
#include <curves/bls12_381.h>
#include <curves/bn254.h>
#include <curves/rng.h>

enum { COORDINATE_MAX = 96 };

/* A z, below p: the top byte of each half is 0. */
static void make_z(uint8_t *z, const struct pail_curve_ops *ops, uint64_t seed)
{
    const size_t width = ops->coordinate_bytes, half = ops->group == 2 ? width / 2 : width;
    struct pail_rng rng;
    pail_rng_init(&rng, seed);
    for (size_t i = 0; i < width; i++)
        z[i] = (i + 1) % half == 0 ? 0 : (uint8_t)(1 + pail_rng_below(&rng, 255));
    if (ops->group == 2 && seed % 7 < 2)
        memset(z + seed % 7 * half, 0, half);
}

#define MAKER(FE)                                                                                  \
    static void make_##FE(uint8_t *out, const uint8_t *affine, const uint8_t *bytes, bool plain)   \
    {                                                                                              \
        FE x, y, z = FE##_one, power;                                                              \
        assert_true(FE##_from_bytes(&x, affine, true));                                            \
        assert_true(FE##_from_bytes(&y, affine + sizeof x, true));                                 \
        if (!plain)                                                                                \
            assert_true(FE##_from_bytes(&z, bytes, true));                                         \
        FE##_sqr(&power, &z);                                                                      \
        FE##_mul(&x, &x, &power);                                                                  \
        FE##_mul(&power, &power, &z);                                                              \
        FE##_mul(&y, &y, &power);                                                                  \
        FE##_to_bytes(out, &x, true);                                                              \
        FE##_to_bytes(out + sizeof x, &y, true);                                                   \
        FE##_to_bytes(out + 2 * sizeof x, &z, true);                                               \
    }
MAKER(pail_bn254_fp)
MAKER(pail_bn254_fp2)
MAKER(pail_bls12_381_fp)
MAKER(pail_bls12_381_fp2)

void test_jacobian(uint8_t *jacobian, const uint8_t *affine, const struct pail_curve_ops *ops,
                   uint64_t seed)
{
    static void (*const makers[2][2])(uint8_t *, const uint8_t *, const uint8_t *,
                                      bool) = {{make_pail_bn254_fp, make_pail_bn254_fp2},
                                               {make_pail_bls12_381_fp, make_pail_bls12_381_fp2}};
    static const uint8_t infinity[2 * COORDINATE_MAX];
    const size_t width = ops->coordinate_bytes;
    uint8_t z[COORDINATE_MAX];
    if (memcmp(affine, infinity, 2 * width) == 0) {
        memset(jacobian, seed % 2 ? 0xff : 0, 2 * width);
        memset(jacobian + 2 * width, 0, width);
        return;
    }
    make_z(z, ops, seed);
    makers[ops->curve - 1][ops->group - 1](jacobian, affine, z, seed % 5 == 0);
}

void test_jacobians(uint8_t *jacobian, const uint8_t *affine, size_t n,
                    const struct pail_curve_ops *ops, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        test_jacobian(jacobian + 3 * ops->coordinate_bytes * i,
                      affine + 2 * ops->coordinate_bytes * i, ops, seed + i);
}
