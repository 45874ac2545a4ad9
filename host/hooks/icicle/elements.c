/* SPDX-License-Identifier: Apache-2.0 */
/* Single elements of the fields, on the CPU. */
#include <string.h>

#include <curves/bls12_381.h>
#include <curves/bn254.h>
#include <curves/little_endian.h>
#include <curves/paste.h>
#include <platform/memory.h>

#include "state.h"

struct element_ops {
    size_t bytes;
    void (*op)(uint8_t *r, const uint8_t *a, const uint8_t *b, enum icicle_element_op op);
    void (*inverse)(uint8_t *r, const uint8_t *a);
    void (*reduce)(uint8_t *r, const uint8_t *a);
    void (*map)(const struct icicle_map *map);
};

#define FE     pail_bn254_fr
#define BASE   pail_bn254_fr
#define DEGREE 1
#include "element_template.h"
#define FE     pail_bn254_fp
#define BASE   pail_bn254_fp
#define DEGREE 1
#include "element_template.h"
#define FE     pail_bn254_fp2
#define BASE   pail_bn254_fp
#define DEGREE 2
#include "element_template.h"
#define FE     pail_bls12_381_fr
#define BASE   pail_bls12_381_fr
#define DEGREE 1
#include "element_template.h"
#define FE     pail_bls12_381_fp
#define BASE   pail_bls12_381_fp
#define DEGREE 1
#include "element_template.h"
#define FE     pail_bls12_381_fp2
#define BASE   pail_bls12_381_fp
#define DEGREE 2
#include "element_template.h"

/* ---- Elements of callers, which may be secret: the stack is wiped ---------------------------- */

static const struct element_ops *field_of(uint32_t curve, enum icicle_field field)
{
    static const struct element_ops *const fields[ICICLE_CURVES][3] = {
        {&pail_bn254_fr_elements, &pail_bn254_fp_elements, &pail_bn254_fp2_elements},
        {&pail_bls12_381_fr_elements, &pail_bls12_381_fp_elements, &pail_bls12_381_fp2_elements},
    };
    return fields[curve - PAIL_CURVE_BN254][field];
}

void pail_icicle_element(uint32_t curve, enum icicle_field field, enum icicle_element_op op,
                         const void *a, const void *b, void *result)
{
    field_of(curve, field)->op(result, a, b, op);
    pail_wipe_stack();
}

void pail_icicle_inverse(uint32_t curve, enum icicle_field field, const void *a, void *result)
{
    field_of(curve, field)->inverse(result, a);
    pail_wipe_stack();
}

void pail_icicle_from_u32(uint32_t curve, enum icicle_field field, uint32_t value, void *result)
{
    uint8_t *const bytes = result;
    memset(bytes, 0, field_of(curve, field)->bytes);
    for (uint32_t i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

void pail_icicle_power(uint32_t curve, enum icicle_field field, const void *a, int exponent,
                       void *result)
{
    const struct element_ops *const ops = field_of(curve, field);
    uint8_t base[PAIL_COORDINATE_MAX], power[PAIL_COORDINATE_MAX];
    pail_icicle_from_u32(curve, field, 1, power);
    ops->reduce(base, a);
    for (int rest = exponent; rest > 0; rest >>= 1) {
        if (rest & 1)
            ops->op(power, power, base, ICICLE_MUL);
        ops->op(base, base, base, ICICLE_MUL);
    }
    memcpy(result, power, ops->bytes);
    pail_wipe(base, sizeof(base));
    pail_wipe(power, sizeof(power));
    pail_wipe_stack();
}

void pail_icicle_reduce(uint32_t curve, enum icicle_field field, const void *a, void *result)
{
    field_of(curve, field)->reduce(result, a);
    pail_wipe_stack();
}

bool pail_icicle_equal(uint32_t curve, enum icicle_field field, const void *a, const void *b)
{
    const struct element_ops *const ops = field_of(curve, field);
    uint8_t x[PAIL_COORDINATE_MAX], y[PAIL_COORDINATE_MAX];
    ops->reduce(x, a);
    ops->reduce(y, b);
    const bool equal = memcmp(x, y, ops->bytes) == 0;
    pail_wipe(x, sizeof(x));
    pail_wipe(y, sizeof(y));
    pail_wipe_stack();
    return equal;
}

/* 256 random bits modulo r favour some values by at most one in two, which test data may. */
bool pail_icicle_random(uint32_t curve, enum icicle_field field, void *elements, int n)
{
    const struct element_ops *const ops = field_of(curve, field);
    const size_t bytes = n > 0 ? (size_t)n * ops->bytes : 0;
    uint8_t *const first = elements;
    if (!pail_random(first, bytes)) {
        (void)icicle_fail(ICICLE_UNKNOWN_ERROR,
                          "generate: the system has no random numbers: all %d elements are 0", n);
        return false;
    }
    for (uint8_t *element = first; element < first + bytes; element += ops->bytes)
        ops->reduce(element, element);
    pail_wipe_stack();
    return true;
}

void icicle_elements_map(const struct icicle_map *map)
{
    field_of(map->curve, ICICLE_SCALAR_FIELD)->map(map);
    pail_wipe_stack();
}
