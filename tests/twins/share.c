/* SPDX-License-Identifier: Apache-2.0 */
#include "share.h"

void pail_twin_add_base(const struct pail_twin_variant *variant, pail_point *sum,
                        const uint32_t *bases, uint32_t first, uint32_t handle)
{
    const struct pail_curve_ops *ops = variant->ops;
    const size_t base = (size_t)first + (handle & ~MSM_HANDLE_SIGN);
    pail_affine affine;
    pail_point point;
    (void)ops->affine_from_words(&affine, bases + pail_twin_affine_words(variant) * base,
                                 variant->form);
    if (handle & MSM_HANDLE_SIGN)
        ops->affine_neg(&affine, &affine);
    ops->from_affine(&point, &affine);
    if (ops->equal(sum, &point))
        ops->dbl(sum, sum);
    else
        ops->add_affine(sum, sum, &affine);
}

void pail_twin_no_pieces(const struct pail_twin_leavings *out)
{
    out->keys[0] = MSM_KEY_NONE;
    out->keys[1] = MSM_KEY_NONE;
}

void pail_twin_close_run(const struct pail_twin_leavings *out, uint32_t bucket,
                         const pail_point *sum, bool open_left, bool open_right)
{
    static const pail_point infinity;
    if (open_left) {
        out->keys[0] = bucket;
        pail_twin_store(out->variant, out->points, out->pieces, sum);
    }
    if (open_right) {
        out->keys[1] = bucket;
        pail_twin_store(out->variant, out->points, out->pieces + 1, open_left ? &infinity : sum);
    }
    if (!open_left && !open_right)
        pail_twin_store(out->variant, out->points, out->buckets + bucket, sum);
}

/* ZZ = ZZZ = 1, as accumulators leave points that work with affine ones. */
static void make_affine(const struct pail_twin_variant *variant, pail_point *p)
{
    pail_affine affine;
    variant->ops->to_affine(&affine, p);
    variant->ops->from_affine(p, &affine);
}

void pail_twin_accumulate_shares(const struct msm_accumulate_push *push, uint32_t shares,
                                 bool affine, const struct pail_twin_variant *variant,
                                 const uint32_t *bases, const uint32_t *entries, uint32_t *index,
                                 uint32_t *points)
{
    for (uint32_t share = 0; share < shares; share++) {
        const uint32_t *cut = index + push->cuts + 2 * (size_t)share;
        const uint32_t first_window = cut[0], last_window = cut[2];
        const struct pail_twin_leavings out = {
            .variant = variant,
            .keys = index + push->keys + 2 * (size_t)share,
            .points = points,
            .buckets = push->buckets,
            .pieces = push->pieces + 2 * (size_t)share,
        };
        pail_twin_no_pieces(&out);
        for (uint32_t window = first_window; window <= last_window && window < push->windows;
             window++) {
            const uint32_t *starts =
                index + push->starts + (size_t)window * (push->window_buckets + 1);
            const uint32_t share_first = window == first_window ? cut[1] : 0;
            const uint32_t share_end =
                window == last_window ? cut[3] : starts[push->window_buckets];
            for (uint32_t key = 0; key < push->window_buckets; key++) {
                const uint32_t first = pail_twin_max(starts[key], share_first);
                const uint32_t end = pail_twin_min(starts[key + 1], share_end);
                if (first >= end)
                    continue;
                pail_point sum = {{0}};
                if (push->resume && starts[key] == first) {
                    sum =
                        pail_twin_load(variant, points,
                                       push->buckets + (size_t)window * push->window_buckets + key);
                    index[push->adds] += !variant->ops->is_infinity(&sum);
                }
                for (uint32_t i = first; i < end; i++) {
                    const uint32_t handle = entries[2 * ((size_t)window * push->n + i) + 1];
                    pail_twin_add_base(variant, &sum, bases, push->base_first, handle);
                }
                index[push->adds] += end - first - 1;
                if (affine)
                    make_affine(variant, &sum);
                pail_twin_close_run(&out, window * push->window_buckets + key, &sum,
                                    starts[key] < first, end < starts[key + 1]);
            }
        }
    }
}
