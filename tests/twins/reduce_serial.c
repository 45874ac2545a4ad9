/* SPDX-License-Identifier: Apache-2.0 */
#include "window.h"

/* Elements of msm/reduce/reduce_serial, `apart` from each other: the sums weighted with 0, 1, ...
 * and plain. */
static void weigh_from_zero(const struct pail_twin_window *window, uint32_t first, uint32_t count,
                            uint32_t apart, pail_point *weighted, pail_point *plain)
{
    const struct pail_curve_ops *ops = window->variant->ops;
    *weighted = *plain = (pail_point){{0}};
    for (uint32_t i = count; i-- > 0;) {
        const pail_point term = pail_twin_element(window, first + i * apart, 0);
        ops->add(weighted, weighted, plain);
        ops->add(plain, plain, &term);
    }
}

static pail_point reduce_segments(const struct pail_twin_window *window, uint32_t log2_segment)
{
    const struct pail_curve_ops *ops = window->variant->ops;
    const uint32_t apart = (uint32_t)1 << log2_segment,
                   segments = window->window_buckets >> log2_segment;
    pail_point sum, plain, unused, rest;
    weigh_from_zero(window, 2, segments, apart, &sum, &plain);
    weigh_from_zero(window, 1, segments, apart, &unused, &rest);
    for (uint32_t i = 0; i < log2_segment; i++)
        ops->dbl(&sum, &sum);
    ops->add(&sum, &sum, &plain);
    ops->add(&sum, &sum, &rest);
    return sum;
}

void pail_twin_reduce_serial(const struct msm_reduce_serial_push *push,
                             const struct pail_twin_variant *variant, uint32_t *points,
                             uint32_t *windows)
{
    const uint32_t window_buckets = (uint32_t)1 << push->log2_buckets;
    const uint32_t length = (uint32_t)1 << push->log2_segment;
    for (uint32_t r = 0; r < push->windows; r++) {
        const struct pail_twin_window window = {
            variant, points, push->buckets + (size_t)r * window_buckets, window_buckets};
        pail_point sum, plain;
        if (push->pass == 1) {
            sum = reduce_segments(&window, push->log2_segment);
            pail_twin_store(variant, windows, (size_t)push->first_out + r, &sum);
        }
        for (uint32_t first = 1; first <= window_buckets && push->pass == 0; first += length) {
            weigh_from_zero(&window, first, length, 1, &sum, &plain);
            if (length < window_buckets) {
                pail_twin_set_element(&window, first, 0, &sum);
                pail_twin_set_element(&window, first + 1, 0, &plain);
            } else {
                variant->ops->add(&sum, &sum, &plain);
                pail_twin_store(variant, windows, (size_t)push->first_out + r, &sum);
            }
        }
    }
}

static void run(const struct pail_twin_call *c)
{
    pail_twin_reduce_serial(c->push, &c->variant, c->bound[0], c->bound[1]);
}

PAIL_TWIN(MSM_REDUCE_SERIAL, run)
