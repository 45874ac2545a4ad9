/* SPDX-License-Identifier: Apache-2.0 */
/* msm/bases/compact and msm/bases/expand: points to x and a sign and back, next to their twins.
 * Infinities, both signs, x of 0 and 1, and parts of a set. */
#include "kernels_support.h"

#include <curves/inputs.h>
#include <msm/steps/steps.h>

#include <stdlib.h>
#include <string.h>

enum { POINTS = 70, FIRST = 3, TO = 2, SKIPPED = 5 };

/* Points with logarithms of both signs, infinities among them, and at the end the points of the
 * smallest x that the curve has. */
static void fill(uint32_t *words, enum pail_field_form form)
{
    const struct pail_curve_ops *const ops = test_ops();
    const size_t coordinate = ops->coordinate_bytes;
    uint8_t *const points = malloc(2 * coordinate * POINTS);
    assert_non_null(points);
    pail_make_bases(ops, points, false, 0, POINTS, PAIL_BASES_INFINITY, 1);
    uint8_t x[PAIL_COORDINATE_MAX] = {0};
    for (uint32_t i = 0, at = POINTS - 6; at < POINTS; at++, i++) {
        pail_affine affine;
        while (!ops->lift_x(&affine, x, i % 2 != 0))
            x[0]++;
        x[0] = (uint8_t)(x[0] + i % 2); /* both points of an x */
        ops->encode(points + 2 * coordinate * at, &affine, false);
    }
    for (uint32_t i = 0; i < POINTS; i++) {
        pail_affine affine;
        assert_true(ops->decode(&affine, points + 2 * coordinate * i, false));
        if (i % 3 == 1)
            ops->affine_neg(&affine, &affine);
        ops->affine_to_words(words + 2 * coordinate_words() * i, &affine, form);
    }
    free(points);
}

/* Expands all but the first few, for the form of `bases`, and compares with them. */
static void expand(const struct vk_fixture *f, struct buffer *compact, const struct buffer *bases,
                   enum pail_field_form form)
{
    const size_t words = coordinate_words();
    const enum pail_field_form by = pail_msm_expand_form(form);
    const struct pail_twin_variant variant = variant_of(by);
    const uint32_t all = MSM_EXPAND_STEPS(32 * (uint32_t)words - 2);
    const uint32_t most = by == PAIL_FORM_X32 ? MSM_EXPAND_STEPS_X32 : all / 2 + 1;
    struct buffer back = buffer_make(2 * words * POINTS);
    struct msm_expand_push push = {.n = POINTS - SKIPPED,
                                   .first = TO + SKIPPED,
                                   .steps = most,
                                   .doubles = form == PAIL_FORM_D51};
    for (; push.step < all; push.step += push.steps) {
        const struct kernel_call call = {
            .id = PAIL_KERNEL_MSM_EXPAND,
            .form = by,
            .push = &push,
            .gx = 1,
            .gy = groups_for(push.n, MSM_EXPAND_WORKGROUP) + 1,
            .bindings = {compact, &back},
        };
        kernel_run(f, &call);
        pail_twin_expand(&push, &variant, compact->host, back.host);
    }
    assert_same_words(&back, "expanded points");
    assert_memory_equal(back.host, bases->host + 2 * words * (FIRST + SKIPPED),
                        4 * 2 * words * (POINTS - SKIPPED));
    buffer_free(&back);
}

static void check(const struct vk_fixture *f, enum pail_field_form form)
{
    const struct pail_twin_variant variant = variant_of(form);
    const size_t words = coordinate_words();
    if (test_ops()->group != PAIL_KG_G1)
        return;
    struct buffer bases = buffer_make(2 * words * (FIRST + POINTS));
    struct buffer compact = buffer_make(words * (TO + POINTS));
    fill(bases.host + 2 * words * FIRST, form);
    buffer_sync(&bases);
    const struct msm_compact_push push = {.n = POINTS, .from = FIRST, .to = TO};
    const struct kernel_call call = {
        .id = PAIL_KERNEL_MSM_COMPACT,
        .form = form,
        .push = &push,
        .gx = 1,
        .gy = groups_for(POINTS, MSM_COMPACT_WORKGROUP) + 1,
        .bindings = {&bases, &compact},
    };
    kernel_run(f, &call);
    pail_twin_compact(&push, &variant, bases.host, compact.host);
    assert_same_words(&compact, "compact points");
    assert_same_words(&bases, "bases");
    expand(f, &compact, &bases, form);
    if (form == PAIL_FORM_X29) { /* on devices that do not compute in form d51, too */
        fill(bases.host + 2 * words * FIRST, PAIL_FORM_D51);
        expand(f, &compact, &bases, PAIL_FORM_D51);
    }
    buffer_free(&compact);
    buffer_free(&bases);
}

void test_compact(void **state)
{
    in_all_groups(*state, check);
}
