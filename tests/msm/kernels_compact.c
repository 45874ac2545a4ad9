/* msm/bases/compact and msm/bases/expand: points to x and a sign and back, next to their twins.
 * Infinities, both signs, x of 0 and 1, and parts of a set. */
#include "kernels_support.h"

#include <curves/inputs.h>

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

static void check(const struct vk_fixture *f, enum pail_field_form form)
{
    const struct pail_twin_variant variant = variant_of(form);
    const size_t words = coordinate_words();
    if (test_ops()->group != PAIL_KG_G1)
        return;
    struct buffer bases = buffer_make(2 * words * (FIRST + POINTS));
    struct buffer compact = buffer_make(words * (TO + POINTS));
    struct buffer back = buffer_make(2 * words * POINTS);
    fill(bases.host + 2 * words * FIRST, form);
    buffer_sync(&bases);
    const struct msm_compact_push half = {.n = POINTS, .from = FIRST, .to = TO};
    const struct kernel_call to_compact = {
        .id = PAIL_KERNEL_MSM_COMPACT,
        .form = form,
        .push = &half,
        .gx = 1,
        .gy = groups_for(POINTS, MSM_COMPACT_WORKGROUP) + 1,
        .bindings = {&bases, &compact},
    };
    kernel_run(f, &to_compact);
    pail_twin_compact(&half, &variant, bases.host, compact.host);
    assert_same_words(&compact, "compact points");
    assert_same_words(&bases, "bases");

    const uint32_t all = MSM_EXPAND_STEPS(32 * (uint32_t)words - 2);
    const uint32_t most = form == PAIL_FORM_X32 ? MSM_EXPAND_STEPS_X32 : all / 2 + 1;
    struct msm_expand_push whole = {
        .n = POINTS - SKIPPED, .first = TO + SKIPPED, .steps = most};
    for (; whole.step < all; whole.step += whole.steps) {
        const struct kernel_call expand = {
            .id = PAIL_KERNEL_MSM_EXPAND,
            .form = form,
            .push = &whole,
            .gx = 1,
            .gy = groups_for(whole.n, MSM_EXPAND_WORKGROUP) + 1,
            .bindings = {&compact, &back},
        };
        kernel_run(f, &expand);
        pail_twin_expand(&whole, &variant, compact.host, back.host);
    }
    assert_same_words(&back, "expanded points");
    assert_memory_equal(back.host, bases.host + 2 * words * (FIRST + SKIPPED),
                        4 * 2 * words * (POINTS - SKIPPED));
    buffer_free(&back);
    buffer_free(&compact);
    buffer_free(&bases);
}

void test_compact(void **state)
{
    in_all_groups(*state, check);
}
