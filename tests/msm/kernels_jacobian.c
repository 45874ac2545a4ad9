/* SPDX-License-Identifier: Apache-2.0 */
/* msm/bases/normalize: Jacobian points of each group, however many share an inversion, next to the
 * twin and to the affine points that they were made of. */
#include "kernels_support.h"

#include <curves/inputs.h>
#include <support/jacobian.h>

#include <stdlib.h>
#include <string.h>

/* Bad points are not at infinity. */
enum { POINTS = 150, FIRST = 1000, BAD_CURVE = 26, BAD_RANGE = 42, BAD_Z = 44 };

struct normalization {
    struct msm_normalize_push push;
    bool bad_range, bad_z, bad_curve; /* bad_z: a z alone; bad_range has one, too */
    uint32_t status_before;
};

/* affine: in Montgomery form. */
static void raw_make(struct buffer *raw, uint8_t *affine, const struct normalization *c)
{
    const size_t width = 4 * coordinate_words();
    uint8_t *const points = malloc(3 * width * POINTS);
    assert_non_null(points);
    pail_make_bases(test_ops(), affine, true, 0, POINTS, PAIL_BASES_INFINITY, 1);
    test_jacobians(points, affine, POINTS, test_ops(), c->push.threads);
    if (c->bad_range) { /* the top of y, of x */
        memset(points + 3 * width * BAD_RANGE + 2 * width - 4, 0xff, 4);
        memset(points + 3 * width * (BAD_RANGE + 50) + width - 4, 0xff, 4);
    }
    if (c->bad_range || c->bad_z)
        memset(points + 3 * width * BAD_Z + 3 * width - 4, 0xff, 4);
    if (c->bad_curve) { /* (0, 0, z); y off by one */
        memset(points + 3 * width * (BAD_CURVE + 1), 0, 2 * width);
        points[3 * width * BAD_CURVE + 1 * width - 8] ^= 1;
    }
    for (size_t i = 0; i < 3 * width * POINTS; i++)
        raw->host[i / 4] = (i % 4 ? raw->host[i / 4] : 0) | (uint32_t)points[i] << (8 * (i % 4));
    buffer_sync(raw);
    free(points);
}

static bool is_refused(const struct normalization *c, size_t i)
{
    return (c->bad_range && (i == BAD_RANGE || i == BAD_RANGE + 50)) ||
           ((c->bad_range || c->bad_z) && i == BAD_Z) ||
           (c->bad_curve && (i == BAD_CURVE || i == BAD_CURVE + 1));
}

static void check(const struct vk_fixture *f, const struct normalization *c,
                  enum pail_field_form form)
{
    struct buffer raw = buffer_make(3 * coordinate_words() * POINTS);
    struct buffer bases = buffer_make(AFFINE_WORDS * POINTS);
    struct buffer status = buffer_make(MSM_STATUS_WORDS);
    uint8_t *const affine = malloc(4 * AFFINE_WORDS * POINTS);
    assert_non_null(affine);
    raw_make(&raw, affine, c);
    status.host[MSM_STATUS_RANGE] = status.host[MSM_STATUS_OFF_CURVE] = c->status_before;
    buffer_sync(&status);
    const struct kernel_call call = {
        .id = PAIL_KERNEL_MSM_NORMALIZE,
        .form = form,
        .push = &c->push,
        .gx = 1,
        .gy = groups_for(c->push.threads, MSM_NORMALIZE_WORKGROUP) + 1,
        .bindings = {&raw, &bases, &status},
    };
    kernel_run(f, &call);
    const struct pail_twin_variant variant = variant_of(form);
    pail_twin_normalize(&c->push, &variant, raw.host, bases.host, status.host);
    assert_same_words(&raw, "raw points");
    assert_same_words(&status, "status");
    const uint32_t off_curve = c->push.validation && c->bad_curve ? FIRST + BAD_CURVE : UINT32_MAX;
    const uint32_t range = c->bad_range ? FIRST + BAD_RANGE : c->bad_z ? FIRST + BAD_Z : UINT32_MAX;
    const uint32_t before = c->status_before;
    assert_int_equal(status.device[MSM_STATUS_RANGE], range < before ? range : before);
    assert_int_equal(status.device[MSM_STATUS_OFF_CURVE], off_curve < before ? off_curve : before);
    for (size_t i = 0; i < c->push.n; i++) {
        uint32_t words[2 * 24];
        pail_affine point;
        if ((c->bad_range || c->bad_z) &&
            is_refused(c, i)) /* a refused point may become anything */
            memcpy(bases.host + AFFINE_WORDS * i, bases.device + AFFINE_WORDS * i,
                   4 * AFFINE_WORDS);
        if (is_refused(c, i))
            continue;
        assert_true(test_ops()->decode(&point, affine + 4 * AFFINE_WORDS * i, true));
        test_ops()->affine_to_words(words, &point, variant.form);
        assert_memory_equal(bases.device + AFFINE_WORDS * i, words, 4 * AFFINE_WORDS);
    }
    assert_same_words(&bases, "bases");
    free(affine);
    buffer_free(&status);
    buffer_free(&bases);
    buffer_free(&raw);
}

static void check_group(const struct vk_fixture *f, enum pail_field_form form)
{
    const uint32_t most = form == PAIL_FORM_X32 ? MSM_NORMALIZE_POINTS_X32 : MSM_NORMALIZE_POINTS;
    for (uint32_t bad = 0; bad < 17; bad++) {
        static const uint32_t sizes[] = {POINTS, 1, POINTS - 1, 17};
        const uint32_t n = bad & 3 || bad == 16 ? POINTS : sizes[bad / 4],
                       each = bad % 5 == 4 ? 1 : most;
        const struct normalization c = {
            .push = {.n = n,
                     .threads = (n + each - 1) / each,
                     .validation = bad >> 2 & 1,
                     .first = FIRST},
            .bad_range = bad & 1,
            .bad_z = bad == 16,
            .bad_curve = bad >> 1 & 1,
            .status_before = bad >> 3 & 1 ? FIRST + 30 : UINT32_MAX,
        };
        check(f, &c, form);
    }
}

void test_normalize(void **state)
{
    in_all_groups(*state, check_group);
}
