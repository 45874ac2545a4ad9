/* SPDX-License-Identifier: Apache-2.0 */
/* Points that a set must not have: the first of them is named, and what is wrong with it. */
#include "bases_support.h"
#include "support/long.h"
#include "support/test.h"

enum fault { RANGE, OFF_CURVE, NOT_IN_SUBGROUP };

static void spoil(struct set *s, size_t i, enum fault fault)
{
    uint8_t *point = s->points + i * s->stride;
    const size_t bytes = s->group->ops->coordinate_bytes;
    const bool in_z = s->point_bytes > 2 * bytes && i % 2;
    if (fault == RANGE) /* the top of y or z, in G2 of its c1 */
        memset(point + (in_z ? 3 : 2) * bytes - 16, 0xff, 16);
    else if (in_z)
        memset(point, 0, 2 * bytes); /* x = y = 0 is infinity in affine points alone */
    else
        point[bytes] ^= 1;
}

static void expect_refused(struct fixture *f, const struct set *s, size_t index, const char *words)
{
    struct pail_bases *bases;
    size_t bad = 0;
    char point[32];
    snprintf(point, sizeof(point), "point %zu (x = 0x", index);
    ASSERT_STATUS(pail_bases_register(f->msm, &bases, &bad, &s->desc, ERR), PAIL_ERR_DATA, words);
    assert_null(bases);
    if (bad != index || !strstr(vk_error.text, point))
        fail_msg("point %zu is bad, not %zu: %s", index, bad, vk_error.text);
    const bool pair = strstr(vk_error.text, " + 0x") != NULL; /* x has two parts in G2 */
    assert_int_equal(pair, s->group->group == PAIL_G2);
}

static const char *const sentences[] = {
    [RANGE] = "not below p of",
    [OFF_CURVE] = "is not on",
    [NOT_IN_SUBGROUP] = "is on the curve, but not in the subgroup of order r, of",
};

/* One bad point, in any place, among points that are left out, of a set in pieces. */
PAIL_TEST_OF(test_bad_points, struct fixture *f)
{
    struct pail_msm_group groups[4];
    const uint32_t n_groups = groups_of(groups);
    for (uint32_t g = 0; g < n_groups; g++)
        for (uint32_t i = 0; i < 12; i++) {
            const enum pattern pattern = i & 1 ? NONE : MOST;
            struct set s = set_make(&groups[g], points_needed(&groups[g]), pattern, i % 3, i & 4);
            s.desc.residency = i & 4 ? PAIL_RESIDENCY_HOST : PAIL_RESIDENCY_DEVICE;
            size_t places[] = {0, 1, s.n / 2, s.n - 2, s.n - 1};
            for (size_t p = 0; p < sizeof(places) / sizeof(places[0]); p++) {
                while (is_infinite(pattern, places[p], s.n))
                    places[p] = p < 3 ? places[p] + 1 : places[p] - 1;
                for (uint32_t fault = RANGE; fault <= OFF_CURVE; fault++) {
                    uint8_t good[POINT_MAX];
                    memcpy(good, s.points + places[p] * s.stride, s.point_bytes);
                    spoil(&s, places[p], (enum fault)fault);
                    expect_refused(f, &s, places[p], sentences[fault]);
                    s.desc.validation = PAIL_VALIDATE_NONE;
                    if (fault == RANGE)
                        expect_refused(f, &s, places[p], sentences[fault]);
                    else
                        pail_bases_release(set_register(f, &s));
                    s.desc.validation = PAIL_VALIDATE_CURVE;
                    memcpy(s.points + places[p] * s.stride, good, s.point_bytes);
                }
            }
            set_free(&s);
        }
}

/* The first of several bad points is named, whatever is wrong with it. */
PAIL_TEST_OF(test_several_bad_points, struct fixture *f)
{
    struct pail_msm_group groups[4];
    const uint32_t n_groups = groups_of(groups);
    for (uint32_t g = 0; g < n_groups; g++)
        for (uint32_t order = 0; order < 8; order++) {
            const enum fault first = order & 1 ? RANGE : OFF_CURVE;
            const size_t n = points_needed(&groups[g]), distance = order & 2 ? n / 2 : 1;
            struct set s =
                set_make(&groups[g], n, NONE,
                         order & 4 ? PAIL_ENCODING_JACOBIAN : PAIL_ENCODING_CANONICAL, false);
            spoil(&s, 40, first);
            spoil(&s, 40 + distance, first == RANGE ? OFF_CURVE : RANGE);
            spoil(&s, n - 1, first);
            expect_refused(f, &s, 40, sentences[first]);
            set_free(&s);
        }
}

/* ---- Subgroups ------------------------------------------------------------------------------ */

/* The k-th point that is on the curve but not in the subgroup: of any order, of an order that
 * divides the cofactor, and the sum of such a point and one of the subgroup. */
static void outsider(uint8_t *point, const struct set *s, size_t k)
{
    const struct pail_curve_ops *ops = s->group->ops;
    uint8_t x[PAIL_COORDINATE_MAX] = {0};
    pail_affine affine;
    pail_point p, g;
    for (x[0] = (uint8_t)(k / 3); !ops->lift_x(&affine, x, k & 1) || ops->in_subgroup(&affine);)
        x[0]++;
    if (k % 3) {
        ops->from_affine(&p, &affine);
        ops->mul(&p, &p, &ops->order);
        if (k % 3 == 2) {
            ops->generator(&affine);
            ops->from_affine(&g, &affine);
            ops->add(&p, &p, &g);
        }
        ops->to_affine(&affine, &p);
    }
    assert_true(ops->on_curve(&affine) && !ops->in_subgroup(&affine));
    ops->encode(point, &affine, s->desc.encoding != PAIL_ENCODING_CANONICAL);
    if (s->desc.encoding == PAIL_ENCODING_JACOBIAN) {
        uint8_t plain[POINT_MAX];
        memcpy(plain, point, 2 * ops->coordinate_bytes);
        test_jacobian(point, plain, ops, k);
    }
}

/* Two pieces of the least size, the last one short. */
static void check_subgroup(struct fixture *f, const struct pail_msm_group *group,
                           uint32_t residency, uint32_t encoding)
{
    enum { N = PAIL_PIECE_POINTS + 10, KINDS = 3 };
    static const size_t places[KINDS] = {N - 1, 0, PAIL_PIECE_POINTS - 1};
    struct set s = set_make(group, N, NONE, encoding, false);
    s.desc.residency = residency;
    s.desc.validation = PAIL_VALIDATE_SUBGROUP;
    struct pail_bases *bases = set_register(f, &s);
    assert_true(bases->order_known);
    expect_points(f, &s, bases, bases->form);
    f->msm->memory_budget =
        pail_vk_memory_stats(f->vk.dev).device + pail_points_least_bytes(bases, s.point_bytes);
    pail_bases_release(bases);
    for (uint32_t i = 0; i < KINDS && !group->ops->cofactor_one; i++) {
        uint8_t good[POINT_MAX], *point = s.points + places[i] * s.stride;
        memcpy(good, point, s.point_bytes);
        outsider(point, &s, i + KINDS * places[i]);
        expect_refused(f, &s, places[i], sentences[NOT_IN_SUBGROUP]);
        if (places[i] > 40) { /* an earlier point of another fault comes first */
            const enum fault fault = i ? RANGE : OFF_CURVE;
            uint8_t first[POINT_MAX], *earlier = s.points + 40 * s.stride;
            memcpy(first, earlier, s.point_bytes);
            spoil(&s, 40, fault);
            expect_refused(f, &s, 40, sentences[fault]);
            memcpy(earlier, first, s.point_bytes);
        }
        s.desc.validation = PAIL_VALIDATE_CURVE;
        bases = set_register(f, &s);
        assert_false(bases->order_known);
        pail_bases_release(bases);
        s.desc.validation = PAIL_VALIDATE_SUBGROUP;
        memcpy(point, good, s.point_bytes);
    }
    f->msm->memory_budget = 0;
    set_free(&s);

    s = set_make(group, 100, MOST, encoding, true);
    s.desc.residency = residency;
    s.desc.validation = PAIL_VALIDATE_SUBGROUP;
    for (uint32_t flags = 0; flags <= PAIL_BASES_KEEP_INFINITIES; flags++) {
        s.desc.flags = flags;
        bases = set_register(f, &s);
        expect_points(f, &s, bases, bases->form);
        pail_bases_release(bases);
    }
    set_free(&s);
}

/* In both forms: a device without 64-bit integers converts to form x32, here one encoding of each
 * group, for the check takes longest. */
PAIL_TEST(test_subgroups)
{
    struct fixture *f = *state, other = {0};
    struct pail_msm_group groups[4];
    const uint32_t n_groups = groups_of(groups);
    const bool both = pail_vk_device_caps(f->vk.dev)->int64 && !few_groups();
    if (both)
        open_device(&other, true);
    for (uint32_t g = 0; g < n_groups; g++) {
        if (few_groups() && (groups[g].ops->cofactor_one || groups[g].group != PAIL_G1))
            continue; /* one with a check whose kernels are soon made */
        for (uint32_t encoding = 0; encoding <= PAIL_ENCODING_JACOBIAN; encoding++) {
            const bool on_host = (g + encoding) % 2;
            check_subgroup(f, &groups[g], on_host ? PAIL_RESIDENCY_HOST : PAIL_RESIDENCY_DEVICE,
                           encoding);
            if (both && (encoding == g % 3 || test_long()))
                check_subgroup(&other, &groups[g],
                               on_host ? PAIL_RESIDENCY_DEVICE : PAIL_RESIDENCY_HOST, encoding);
        }
    }
    if (both)
        close_device(&other);
}
