/* SPDX-License-Identifier: Apache-2.0 */
/* libicicle_curve_CURVE: both groups, their multiplications and points. */
#include "names.h"

#if PAIL_ICICLE_VERSION < 40
#define EQUAL(prefix) NAME(prefix##eq)
#else
#define EQUAL(prefix) NAME(prefix##projective_eq)
#endif

#define GROUP_NAMES(prefix, group)                                                                 \
    NAMED(int, NAME(prefix##msm), const void *scalars, const void *points, int n,                  \
          const struct icicle_msm_config *config, void *results)                                   \
    {                                                                                              \
        return pail_icicle_msm(CURVE_OF, group, scalars, points, n, config, results);              \
    }                                                                                              \
    NAMED(int, NAME(prefix##msm_precompute_bases), const void *bases, int n,                       \
          const struct icicle_msm_config *config, void *output)                                    \
    {                                                                                              \
        return pail_icicle_precompute(CURVE_OF, group, bases, n, config, output);                  \
    }                                                                                              \
    NAMED(int, NAME(prefix##affine_convert_montgomery), const void *input, uint64_t n,             \
          bool to_montgomery, const struct icicle_vectors_config *config, void *output)            \
    {                                                                                              \
        return pail_icicle_convert_points(CURVE_OF, group, 2, input, n, to_montgomery, config,     \
                                          output);                                                 \
    }                                                                                              \
    NAMED(int, NAME(prefix##projective_convert_montgomery), const void *input, uint64_t n,         \
          bool to_montgomery, const struct icicle_vectors_config *config, void *output)            \
    {                                                                                              \
        return pail_icicle_convert_points(CURVE_OF, group, 3, input, n, to_montgomery, config,     \
                                          output);                                                 \
    }                                                                                              \
    NAMED(bool, EQUAL(prefix), const void *p, const void *q)                                       \
    {                                                                                              \
        return pail_icicle_point_equal(CURVE_OF, group, p, q);                                     \
    }                                                                                              \
    NAMED(bool, NAME(prefix##is_on_curve), const void *p)                                          \
    {                                                                                              \
        return pail_icicle_point_on_curve(CURVE_OF, group, p);                                     \
    }                                                                                              \
    NAMED(void, NAME(prefix##ecadd), const void *p, const void *q, void *result)                   \
    {                                                                                              \
        pail_icicle_point(CURVE_OF, group, ICICLE_POINT_ADD, p, q, result);                        \
    }                                                                                              \
    NAMED(void, NAME(prefix##ecsub), const void *p, const void *q, void *result)                   \
    {                                                                                              \
        pail_icicle_point(CURVE_OF, group, ICICLE_POINT_SUB, p, q, result);                        \
    }                                                                                              \
    NAMED(void, NAME(prefix##mul_scalar), const void *p, const void *scalar, void *result)         \
    {                                                                                              \
        pail_icicle_point_mul(CURVE_OF, group, p, scalar, result);                                 \
    }                                                                                              \
    NAMED(void, NAME(prefix##to_affine), const void *p, void *result)                              \
    {                                                                                              \
        pail_icicle_to_affine(CURVE_OF, group, p, result);                                         \
    }                                                                                              \
    NAMED(void, NAME(prefix##from_affine), const void *p, void *result)                            \
    {                                                                                              \
        pail_icicle_from_affine(CURVE_OF, group, p, result);                                       \
    }                                                                                              \
    NAMED(void, NAME(prefix##generator), void *result)                                             \
    {                                                                                              \
        pail_icicle_generator(CURVE_OF, group, result);                                            \
    }                                                                                              \
    NAMED(void, NAME(prefix##generate_affine_points), void *points, int n)                         \
    {                                                                                              \
        pail_icicle_points_random(CURVE_OF, group, true, points, n);                               \
    }                                                                                              \
    NAMED(void, NAME(prefix##generate_projective_points), void *points, int n)                     \
    {                                                                                              \
        pail_icicle_points_random(CURVE_OF, group, false, points, n);                              \
    }

GROUP_NAMES(, PAIL_G1)
GROUP_NAMES(g2_, PAIL_G2)

/* ---- The fields of coordinates --------------------------------------------------------------- */

#define COORDINATE_FROM(prefix, field)                                                             \
    NAMED(void, NAME(prefix##base_field_from_u32), uint32_t value, void *result)                   \
    {                                                                                              \
        pail_icicle_from_u32(CURVE_OF, field, value, result);                                      \
    }
COORDINATE_FROM(, ICICLE_BASE_FIELD)
COORDINATE_FROM(g2_, ICICLE_G2_FIELD)

#if PAIL_ICICLE_VERSION >= 40
#define COORDINATE_OP(name, field, op)                                                             \
    NAMED(void, NAME(name), const void *a, const void *b, void *result)                            \
    {                                                                                              \
        pail_icicle_element(CURVE_OF, field, op, a, b, result);                                    \
    }
#define COORDINATE_NAMES(prefix, field)                                                            \
    COORDINATE_OP(prefix##base_field_add, field, ICICLE_ADD)                                       \
    COORDINATE_OP(prefix##base_field_sub, field, ICICLE_SUB)                                       \
    COORDINATE_OP(prefix##base_field_mul, field, ICICLE_MUL)                                       \
    NAMED(void, NAME(prefix##base_field_sqr), const void *a, void *result)                         \
    {                                                                                              \
        pail_icicle_element(CURVE_OF, field, ICICLE_MUL, a, a, result);                            \
    }                                                                                              \
    NAMED(void, NAME(prefix##base_field_inv), const void *a, void *result)                         \
    {                                                                                              \
        pail_icicle_inverse(CURVE_OF, field, a, result);                                           \
    }                                                                                              \
    NAMED(void, NAME(prefix##base_field_pow), const void *a, int exponent, void *result)           \
    {                                                                                              \
        pail_icicle_power(CURVE_OF, field, a, exponent, result);                                   \
    }                                                                                              \
    NAMED(void, NAME(prefix##base_field_eq), const void *a, const void *b, bool *result)           \
    {                                                                                              \
        *result = pail_icicle_equal(CURVE_OF, field, a, b);                                        \
    }                                                                                              \
    NAMED(void, NAME(prefix##base_field_from_bytes_le), const void *bytes, void *result)           \
    {                                                                                              \
        pail_icicle_reduce(CURVE_OF, field, bytes, result);                                        \
    }                                                                                              \
    NAMED(void, NAME(prefix##base_field_generate_random), void *elements, int n)                   \
    {                                                                                              \
        (void)pail_icicle_random(CURVE_OF, field, elements, n);                                    \
    }
COORDINATE_NAMES(, ICICLE_BASE_FIELD)
COORDINATE_NAMES(g2_, ICICLE_G2_FIELD)
#endif

NAMED(int, NAME(ecntt), const void *input, int n, int direction,
      const struct icicle_ntt_config *config, void *output)
{
    return pail_icicle_ecntt(CURVE_OF, input, n, direction, config, output);
}

/* ---- Functions that are not offered ---------------------------------------------------------- */

CURVE_MISSING_4(pairing, pairing_target_field_generate_scalars,
                pairing_target_field_generate_random, pairing_target_field_from_bytes_le)
CURVE_MISSING_4(pairing_target_field_add, pairing_target_field_sub, pairing_target_field_mul,
                pairing_target_field_inv)
CURVE_MISSING_4(pairing_target_field_sqr, pairing_target_field_pow, pairing_target_field_eq,
                pairing_target_field_from_u32)
