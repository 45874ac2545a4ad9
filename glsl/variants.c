/* SPDX-License-Identifier: Apache-2.0 */
/* Variants of kernels, and what their names are made of. */
#include <stdio.h>
#include <string.h>

#include "kernels.h"

static const struct curve {
    uint32_t number;
    uint32_t groups; /* groups that it has, from g1 on */
    const char *name;
    bool test;
} curves[] = {
    {PAIL_KC_BN254, 2, "bn254", false},
    {PAIL_KC_BLS12_381, 2, "bls12_381", false},
#ifdef PAIL_TEST_CURVES
    {PAIL_KC_TOY1, 1, "toy1", true},
    {PAIL_KC_TOY2, 1, "toy2", true},
#endif
};
enum { CURVE_COUNT = sizeof(curves) / sizeof(curves[0]) };

static const char *const group_names[PAIL_KG_COUNT] = {
    [PAIL_KG_G1] = "g1",
    [PAIL_KG_G2] = "g2",
};
static const char *const field_names[PAIL_INTEGER_END] = {
    [PAIL_FORM_X32] = "x32",    [PAIL_FORM_X29] = "x29",    [PAIL_FORM_D51] = "d51",
    [PAIL_INTEGER_I32] = "i32", [PAIL_INTEGER_I64] = "i64",
};

const char *pail_kernel_curve_name(uint32_t curve)
{
    for (uint32_t i = 0; i < CURVE_COUNT; i++)
        if (curves[i].number == curve)
            return curves[i].name;
    return NULL;
}

void pail_kernel_curve_dir(const struct pail_kernel *kernel, uint32_t curve,
                           char dir[PAIL_NAME_MAX])
{
    const char *name = pail_kernel_curve_name(curve);
    snprintf(dir, PAIL_NAME_MAX, "curve/%s%s", name ? name : "?",
             kernel->scalar_field ? "/scalar" : "");
}

const char *pail_kernel_group_name(uint32_t group)
{
    return group < PAIL_KG_COUNT ? group_names[group] : NULL;
}

const char *pail_field_form_name(uint32_t field)
{
    return field < PAIL_INTEGER_END ? field_names[field] : NULL;
}

uint32_t pail_kernel_variants(const struct pail_kernel *kernel,
                              struct pail_variant out[PAIL_MAX_VARIANTS])
{
    /* An axis the kernel lacks is walked once, with the value 0. */
    const uint32_t n_curves = kernel->axes & PAIL_AXIS_CURVE ? CURVE_COUNT : 1;
    const bool integers = kernel->axes & PAIL_AXIS_INTEGER;
    const uint32_t first = integers ? PAIL_INTEGER_I32 : 1;
    const uint32_t fields = integers                         ? PAIL_INTEGER_END
                            : kernel->axes & PAIL_AXIS_FIELD ? PAIL_FORM_COUNT
                                                             : 2;
    uint32_t n = 0;
    for (uint32_t c = 0; c < n_curves; c++) {
        if (kernel->scalar_field && curves[c].test)
            continue;
        const uint32_t groups = kernel->axes & PAIL_AXIS_GROUP ? curves[c].groups : 1;
        for (uint32_t g = 1; g <= groups; g++)
            for (uint32_t f = first; f < fields; f++) {
                if ((kernel->only_group && g != kernel->only_group) ||
                    (kernel->only_field && f != kernel->only_field) ||
                    (kernel->not_field && f == kernel->not_field))
                    continue;
                const struct pail_variant one = {curves[c].number, g, f, 0},
                                          pair = {curves[c].number, g, f, PAIL_LANES_PAIR};
                out[n++] = pail_kernel_narrow(kernel, one);
                if (pail_kernel_narrow(kernel, pair).lanes)
                    out[n++] = pair;
            }
    }
    return n;
}

struct pail_variant pail_kernel_narrow(const struct pail_kernel *kernel,
                                       struct pail_variant variant)
{
    return (struct pail_variant){
        .curve = kernel->axes & PAIL_AXIS_CURVE ? variant.curve : 0,
        .group = kernel->axes & PAIL_AXIS_GROUP ? variant.group : 0,
        .field = kernel->axes & (PAIL_AXIS_FIELD | PAIL_AXIS_INTEGER) ? variant.field : 0,
        .lanes = kernel->axes & PAIL_AXIS_LANES && variant.group == PAIL_KG_G2 && variant.lanes > 1
                     ? variant.lanes
                     : 0,
    };
}

void pail_variant_name(const struct pail_kernel *kernel, struct pail_variant variant,
                       char name[PAIL_NAME_MAX])
{
    const char *parts[4];
    uint32_t n = 0;
    if (variant.curve)
        parts[n++] = pail_kernel_curve_name(variant.curve);
    if (variant.group)
        parts[n++] = pail_kernel_group_name(variant.group);
    if (variant.field)
        parts[n++] = pail_field_form_name(variant.field);
    if (variant.lanes)
        parts[n++] = variant.lanes == PAIL_LANES_PAIR ? "pairs" : NULL;
    size_t at = (size_t)snprintf(name, PAIL_NAME_MAX, "%s", kernel->name);
    for (uint32_t i = 0; i < n && at < PAIL_NAME_MAX; i++)
        at += (size_t)snprintf(name + at, PAIL_NAME_MAX - at, ".%s", parts[i] ? parts[i] : "?");
}

uint32_t pail_variant_index(enum pail_kernel_id id, struct pail_variant variant)
{
    uint32_t index = 0;
    for (uint32_t k = 0; k < pail_n_kernels; k++) {
        struct pail_variant list[PAIL_MAX_VARIANTS];
        const uint32_t n = pail_kernel_variants(&pail_kernels[k], list);
        for (uint32_t i = 0; k == (uint32_t)id && i < n; i++)
            if (memcmp(&list[i], &variant, sizeof(variant)) == 0)
                return index + i;
        if (k == (uint32_t)id)
            break;
        index += n;
    }
    return UINT32_MAX;
}
