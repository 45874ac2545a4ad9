/* SPDX-License-Identifier: Apache-2.0 */
/* msm/bases/table next to its twin, all doublings in one dispatch and some in each: in all forms of
 * a group, and in one of the others, since drivers take long to compile it. */
#include "kernels_support.h"

#include <curves/inputs.h>

#include <stdlib.h>
#include <string.h>

enum { POINTS = 70, PITCH = 75, COPIES = 3 };

/* Copy 2 from copy 1, of which infinities are some. */
static void check(const struct vk_fixture *f, enum pail_field_form form, uint32_t bits,
                  uint32_t steps)
{
    const struct pail_curve_ops *ops = test_ops();
    const struct pail_twin_variant variant = variant_of(form);
    const size_t words = 2 * coordinate_words();
    struct buffer bases = buffer_make(words * PITCH * COPIES),
                  sums = buffer_make(2 * words * POINTS);
    uint8_t *points = malloc(4 * words * POINTS);
    assert_non_null(points);
    pail_make_bases(ops, points, false, 0, POINTS, PAIL_BASES_INFINITY, 1);
    for (uint32_t i = 0; i < POINTS; i++) {
        pail_affine affine;
        assert_true(ops->decode(&affine, points + 4 * words * i, false));
        ops->affine_to_words(bases.host + words * (PITCH + i), &affine, variant.form);
    }
    free(points);
    buffer_sync(&bases);
    struct msm_table_push push = {
        .n = POINTS, .from = PITCH, .to = 2 * PITCH, .bits = bits, .steps = steps};
    do {
        push.last = steps >= bits || push.step >= bits;
        const struct kernel_call call = {
            .id = PAIL_KERNEL_MSM_TABLE,
            .form = form,
            .push = &push,
            .gx = 1,
            .gy = groups_for(POINTS, MSM_TABLE_WORKGROUP) + 1,
            .bindings = {&bases, &sums},
        };
        kernel_run(f, &call);
        push.step += steps;
    } while (!push.last);
    pail_twin_table(&push, &variant, bases.host);
    assert_same_words(&bases, "bases");
    memcpy(sums.host, sums.device, 4 * sums.n); /* the kernel's own */
    assert_same_words(&sums, "sums");
    buffer_free(&sums);
    buffer_free(&bases);
}

void test_table(void **state)
{
    const struct vk_fixture *f = *state;
    enum pail_field_form forms[PAIL_FORM_COUNT];
    for (uint32_t curve = PAIL_KC_BN254; curve <= PAIL_KC_BLS12_381; curve++)
        for (uint32_t group = PAIL_KG_G1; group <= PAIL_KG_G2; group++) {
            test_group(curve, group);
            if (leaves_out_group(f))
                continue;
            const uint32_t n_forms = forms_of(f, forms);
            for (uint32_t i = 0; i < n_forms; i++) {
                const uint32_t most = forms[i] == PAIL_FORM_X32 ? MSM_TABLE_STEPS_X32 : 22;
                const bool first = curve == PAIL_KC_BN254 && group == PAIL_KG_G1;
                if (!first && i != (curve + group) % n_forms)
                    continue;
                check(f, forms[i], is_slow(f) ? 5 : 22, most);
                check(f, forms[i], 9, 3);
            }
        }
    test_group(PAIL_KC_BN254, PAIL_KG_G1);
}
