/* SPDX-License-Identifier: Apache-2.0 */
/* msm/bases/endomorphism: lambda times each point of order r, next to the multiplication by lambda,
 * and infinity for infinity. */
#include "kernels_support.h"

#include <curves/inputs.h>

#include <stdlib.h>
#include <string.h>

enum { POINTS = 70, PITCH = 75, FIRST = 3 };

static void check(const struct vk_fixture *f, enum pail_field_form form)
{
    const struct pail_curve_ops *ops = test_ops();
    const struct pail_twin_variant variant = variant_of(form);
    const size_t words = 2 * coordinate_words();
    struct buffer bases = buffer_make(words * 2 * PITCH);
    uint8_t *points = malloc(4 * words * POINTS);
    assert_non_null(points);
    pail_make_bases(ops, points, false, 0, POINTS, PAIL_BASES_INFINITY, 1);
    for (uint32_t i = 0; i < POINTS; i++) {
        pail_affine affine;
        assert_true(ops->decode(&affine, points + 4 * words * i, false));
        ops->affine_to_words(bases.host + words * (FIRST + i), &affine, variant.form);
    }
    buffer_sync(&bases);
    const struct msm_endomorphism_push push = {.n = POINTS, .from = FIRST, .to = PITCH + FIRST};
    const struct kernel_call call = {
        .id = PAIL_KERNEL_MSM_ENDOMORPHISM,
        .form = form,
        .push = &push,
        .gx = 1,
        .gy = groups_for(POINTS, MSM_ENDOMORPHISM_WORKGROUP) + 1,
        .bindings = {&bases},
    };
    kernel_run(f, &call);
    for (uint32_t i = 0; i < POINTS; i++) {
        pail_affine affine;
        pail_point point;
        assert_true(ops->decode(&affine, points + 4 * words * i, false));
        ops->from_affine(&point, &affine);
        ops->mul(&point, &point, &ops->lambda);
        ops->to_affine(&affine, &point);
        ops->affine_to_words(bases.host + words * (PITCH + FIRST + i), &affine, variant.form);
    }
    assert_same_words(&bases, "bases");
    free(points);
    buffer_free(&bases);
}

void test_endomorphism(void **state)
{
    in_all_groups(*state, check);
}
