/* SPDX-License-Identifier: Apache-2.0 */
#include "share.h"

/* Finds the pieces of a tile that count: each bucket's first, and those that are not infinity. */
static uint32_t find_pieces(const struct msm_combine_push *push,
                            const struct pail_twin_variant *variant, uint32_t first, uint32_t n,
                            const uint32_t *keys, const uint32_t *points, uint32_t *places)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        const pail_point piece =
            pail_twin_load(variant, points, (size_t)push->pieces_in + first + i);
        if (keys[i] != MSM_KEY_NONE &&
            (i == 0 || keys[i - 1] != keys[i] || !variant->ops->is_infinity(&piece)))
            places[count++] = i;
    }
    return count;
}

/* One step of the trees over the runs of a tile: pieces whose rank in their run is a multiple of
 * 2 step take the one `step` further on. Returns whether there was any. */
static bool join(const struct msm_combine_push *push, const struct pail_twin_variant *variant,
                 uint32_t first, const uint32_t *places, uint32_t n, uint32_t step, uint32_t *index,
                 uint32_t *points)
{
    const struct pail_curve_ops *ops = variant->ops;
    const uint32_t *keys = index + push->keys_in + first;
    const size_t pieces = (size_t)push->pieces_in + first;
    bool any = false;
    uint32_t run = 0;
    for (uint32_t i = 0; i + step < n; i++) {
        if (keys[places[i]] != keys[places[run]])
            run = i;
        if (keys[places[i + step]] != keys[places[i]] || (i - run) % (2 * step))
            continue;
        const size_t at = pieces + places[i];
        pail_point sum = pail_twin_load(variant, points, at);
        const pail_point piece = pail_twin_load(variant, points, pieces + places[i + step]);
        index[push->adds] += !ops->is_infinity(&sum) && !ops->is_infinity(&piece);
        ops->add(&sum, &sum, &piece);
        pail_twin_store(variant, points, at, &sum);
        any = true;
    }
    return any;
}

void pail_twin_combine(const struct msm_combine_push *push, const struct pail_twin_variant *variant,
                       uint32_t *index, uint32_t *points)
{
    const uint32_t *keys = index + push->keys_in;
    for (uint32_t tile = 0; tile < push->tiles; tile++) {
        const uint32_t first = tile * MSM_COMBINE_TILE;
        const uint32_t end = pail_twin_min(first + MSM_COMBINE_TILE, push->n);
        const struct pail_twin_leavings out = {
            .variant = variant,
            .keys = index + push->keys_out + 2 * (size_t)tile,
            .points = points,
            .buckets = push->buckets,
            .pieces = push->pieces_out + 2 * (size_t)tile,
        };
        uint32_t step = 1, places[MSM_COMBINE_TILE];
        const uint32_t n =
            find_pieces(push, variant, first, end - first, keys + first, points, places);
        while (join(push, variant, first, places, n, step, index, points))
            step *= 2;
        pail_twin_no_pieces(&out);
        for (uint32_t run = first, next; run < end; run = next) {
            for (next = run + 1; next < end && keys[next] == keys[run]; next++) {
            }
            if (keys[run] == MSM_KEY_NONE)
                continue;
            const pail_point sum = pail_twin_load(variant, points, (size_t)push->pieces_in + run);
            const bool open_left = run == first && run > 0 && keys[run - 1] == keys[run];
            const bool open_right = next == end && end < push->n && keys[end] == keys[run];
            pail_twin_close_run(&out, keys[run], &sum, open_left, open_right);
        }
    }
}

static void run(const struct pail_twin_call *c)
{
    pail_twin_combine(c->push, &c->variant, c->bound[0], c->bound[1]);
}

PAIL_TWIN(MSM_COMBINE, run)
