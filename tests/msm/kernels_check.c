/* SPDX-License-Identifier: Apache-2.0 */
/* msm/bases/check next to its twin: in every group, all bits in one dispatch and some in each,
 * points of the subgroup, of other orders, and infinity; and single steps, from sums in special
 * positions. */
#include "kernels_support.h"

#include <curves/inputs.h>

#include "support/long.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS = 70, FIRST = 500 };

/* The k-th point of the curve by its x; not in the subgroup where there are others. A multiple of
 * it has an order that divides the cofactor. */
static void outsider(pail_affine *affine, uint32_t k)
{
    const struct pail_curve_ops *ops = test_ops();
    uint8_t x[96] = {(uint8_t)k};
    while (!ops->lift_x(affine, x, k & 1))
        x[0]++;
    if (k % 2) {
        pail_point p;
        ops->from_affine(&p, affine);
        ops->mul(&p, &p, &ops->order);
        ops->to_affine(affine, &p);
    }
}

static void check(const struct vk_fixture *f, enum pail_field_form form, uint32_t steps,
                  const uint32_t *outsiders, uint32_t n_outsiders, uint32_t before)
{
    const struct pail_curve_ops *ops = test_ops();
    const struct pail_twin_variant variant = variant_of(form);
    const size_t words = 2 * coordinate_words();
    struct buffer bases = buffer_make(words * POINTS), sums = buffer_make(2 * words * POINTS);
    struct buffer status = buffer_make(MSM_STATUS_WORDS);
    uint8_t *points = malloc(4 * words * POINTS);
    assert_non_null(points);
    pail_make_bases(ops, points, false, 0, POINTS, PAIL_BASES_INFINITY, 1);
    for (uint32_t i = 0; i < POINTS; i++) {
        pail_affine affine;
        assert_true(ops->decode(&affine, points + 4 * words * i, false));
        for (uint32_t k = 0; k < n_outsiders; k++)
            if (outsiders[k] == i)
                outsider(&affine, i + k);
        ops->affine_to_words(bases.host + words * i, &affine, variant.form);
    }
    free(points);
    status.host[MSM_STATUS_NOT_IN_SUBGROUP] = before;
    buffer_sync(&bases);
    buffer_sync(&status);
    struct msm_check_push push = {.n = POINTS, .first = FIRST, .steps = steps};
    for (; push.step < MSM_CHECK_BITS_MAX; push.step += push.steps) {
        const struct kernel_call call = {
            .id = PAIL_KERNEL_MSM_CHECK,
            .form = form,
            .push = &push,
            .gx = 1,
            .gy = groups_for(POINTS, MSM_CHECK_WORKGROUP) + 1,
            .bindings = {&bases, &sums, &status},
        };
        kernel_run(f, &call);
    }
    pail_twin_check(&push, &variant, bases.host, status.host);
    const bool all = ops->cofactor_one || n_outsiders == 0;
    const uint32_t found = all ? UINT32_MAX : FIRST + outsiders[0];
    assert_int_equal(status.host[MSM_STATUS_NOT_IN_SUBGROUP], found < before ? found : before);
    assert_same_words(&bases, "bases");
    assert_same_words(&status, "status");
    memcpy(sums.host, sums.device, 4 * sums.n); /* the kernel's own */
    assert_same_words(&sums, "sums");
    buffer_free(&status);
    buffer_free(&sums);
    buffer_free(&bases);
}

/* ---- Single steps ---------------------------------------------------------------------------- */

/* The point is so many times the sum that a step begins with: what it is added to is twice that.
 * The last two sums are infinite. */
static const int multiples[] = {7, 2, -2, 1, -1, 3, 5};
enum { POSITIONS = sizeof(multiples) / sizeof(multiples[0]), PAIRS = 3 * POSITIONS };

struct step_pair {
    pail_point sum, point;
};

static struct step_pair step_pair(uint32_t i)
{
    const struct pail_curve_ops *ops = test_ops();
    const int times = multiples[i % POSITIONS];
    const pail_u256 k = {{11 + i}}, many = {{(11 + i) * (uint64_t)abs(times)}};
    struct step_pair pair = {multiple_of_g(&k), multiple_of_g(&many)};
    if (times < 0)
        ops->neg(&pair.point, &pair.point);
    const size_t limbs = coordinate_words() / 2;
    if (i % POSITIONS >= POSITIONS - 2)
        memset(pair.sum.limbs + 2 * limbs, 0, 8 * limbs); /* only ZZ is 0 */
    if (i % POSITIONS == POSITIONS - 1)
        memset(&pair.sum, 0, sizeof(pair.sum));
    return pair;
}

/* The point that a step makes of the sum. */
static pail_point step_result(const struct step_pair *pair, bool adding)
{
    const struct pail_curve_ops *ops = test_ops();
    pail_point r;
    pail_affine affine;
    ops->dbl(&r, &pair->sum);
    if (!adding)
        return r;
    if (ops->equal(&r, &pair->point)) { /* the kernel doubles the sum */
        ops->dbl(&r, &r);
        return r;
    }
    ops->to_affine(&affine, &pair->point);
    ops->add_affine(&r, &r, &affine);
    return r;
}

/* Returns whether the step's bit of k is one, by what the first sum has become. */
static bool check_step(const struct vk_fixture *f, enum pail_field_form form, uint32_t step)
{
    const struct pail_curve_ops *ops = test_ops();
    struct buffer bases = buffer_make(AFFINE_WORDS * PAIRS), sums = buffer_make(XYZZ_WORDS * PAIRS);
    struct buffer status = buffer_make(MSM_STATUS_WORDS);
    for (uint32_t i = 0; i < PAIRS; i++) {
        const struct step_pair pair = step_pair(i);
        pail_affine affine;
        ops->to_affine(&affine, &pair.point);
        ops->affine_to_words(bases.host + AFFINE_WORDS * i, &affine, form);
        ops->to_words(sums.host + XYZZ_WORDS * i, &pair.sum, form);
    }
    buffer_sync(&bases);
    buffer_sync(&sums);
    const struct msm_check_push push = {.n = PAIRS, .first = FIRST, .step = step, .steps = 1};
    const struct kernel_call call = {
        .id = PAIL_KERNEL_MSM_CHECK,
        .form = form,
        .push = &push,
        .gx = 1,
        .gy = 1,
        .bindings = {&bases, &sums, &status},
    };
    points_loosen(&sums, form);
    kernel_run(f, &call);
    points_settle(&sums, form);
    const struct step_pair first = step_pair(0);
    const pail_point doubled = step_result(&first, false);
    pail_point got;
    assert_true(ops->from_words(&got, sums.device, form));
    const bool adding = !ops->equal(&got, &doubled);
    for (uint32_t i = 0; i < PAIRS; i++) {
        const struct step_pair pair = step_pair(i);
        const pail_point result = step_result(&pair, adding);
        ops->to_words(sums.host + XYZZ_WORDS * i, &result, form);
    }
    assert_same_points(&sums, adding ? "2 sum + point" : "2 sum");
    assert_same_words(&status, "status");
    buffer_free(&status);
    buffer_free(&sums);
    buffer_free(&bases);
    return adding;
}

static void check_steps(const struct vk_fixture *f, enum pail_field_form form)
{
    bool seen[2] = {false, false};
    for (uint32_t step = 1; step <= 8; step++)
        seen[check_step(f, form, step)] = true;
    assert_true(seen[0] && seen[1]);
}

void test_check(void **state)
{
    const struct vk_fixture *f = *state;
    static const uint32_t some[] = {9, 10, 64, 69}, last[] = {69}, first[] = {0};
    enum pail_field_form forms[PAIL_FORM_COUNT];
    for (uint32_t curve = PAIL_KC_BN254; curve <= PAIL_KC_BLS12_381; curve++)
        for (uint32_t group = PAIL_KG_G1; group <= PAIL_KG_G2; group++) {
            test_group(curve, group);
            if (leaves_out_group(f))
                continue;
            const uint32_t n_forms = forms_of(f, forms);
            for (uint32_t i = 0; i < n_forms; i++) {
                const uint32_t most =
                    forms[i] == PAIL_FORM_X32 ? MSM_CHECK_STEPS_X32 : MSM_CHECK_BITS_MAX;
                check(f, forms[i], most, NULL, 0, UINT32_MAX);
                if (is_slow(f) && !test_long()) { /* a hundred dispatches for each of them */
                    check(f, forms[i], 3, some, 4, UINT32_MAX);
                } else {
                    check(f, forms[i], most, some, 4, UINT32_MAX);
                    check(f, forms[i], most, last, 1, FIRST + 20);
                    check(f, forms[i], most < 7 ? 1 : 7, first, 1, UINT32_MAX);
                }
                check_steps(f, forms[i]);
            }
        }
    test_group(PAIL_KC_BN254, PAIL_KG_G1);
}
