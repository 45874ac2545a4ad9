/* SPDX-License-Identifier: Apache-2.0 */
/* Points of an adder that are host/base/curves's affine points as they are. Include it, after the
 * group's header, with EC_ and AFFINE as the adders' templates define them. No include guard: each
 * inclusion is another group.
 */
static void EC_(adder_import)(void *points, const void *affine, size_t n)
{
    memcpy(points, affine, n * sizeof(AFFINE));
}

static void EC_(adder_export)(pail_affine *affine, const void *point)
{
    memcpy(affine->limbs, point, sizeof(AFFINE));
}

static void EC_(adder_negate)(void *point)
{
    AFFINE *p = point;
    EC_(affine_neg)(p, p);
}
