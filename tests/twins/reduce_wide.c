/* SPDX-License-Identifier: Apache-2.0 */
#include "window.h"

/* a and b to a - b and a + b. */
static void add_and_subtract(const struct pail_twin_window *window, uint32_t a, uint32_t b,
                             uint32_t level)
{
    const struct pail_curve_ops *ops = window->variant->ops;
    const pail_point left = pail_twin_element(window, a, level);
    pail_point right = pail_twin_element(window, b, level), sum;
    ops->add(&sum, &left, &right);
    pail_twin_set_element(window, b, level, &sum);
    ops->neg(&right, &right);
    ops->add(&sum, &left, &right);
    pail_twin_set_element(window, a, level, &sum);
}

static void reduce_group_step(const struct pail_twin_window *window, uint32_t level,
                              uint32_t middle, uint32_t step)
{
    if (middle == window->window_buckets >> (3 * level)) { /* the last group: no place above it */
        const uint32_t below = middle - 1 - step;
        pail_point p = pail_twin_element(window, below, level);
        pail_twin_add_elements(window, middle, below, level);
        window->variant->ops->neg(&p, &p);
        pail_twin_set_element(window, below, level, &p);
        return;
    }
    if (step == 0) {
        pail_twin_add_elements(window, middle, middle + 4, level);
        for (uint32_t j = 1; j <= 3; j++)
            add_and_subtract(window, middle + j, middle - j, level);
    } else if (step == 1) {
        pail_twin_add_elements(window, middle, middle - 1, level);
        pail_twin_add_elements(window, middle - 2, middle - 3, level);
    } else {
        pail_twin_add_elements(window, middle, middle - 2, level);
    }
}

void pail_twin_reduce_wide(const struct msm_reduce_push *push,
                           const struct pail_twin_variant *variant, uint32_t *points)
{
    const uint32_t window_buckets = (uint32_t)1 << push->log2_buckets, pass = push->pass;
    for (uint32_t r = 0; r < push->windows; r++) {
        const struct pail_twin_window window = {
            variant, points, push->buckets + (size_t)r * window_buckets, window_buckets};
        for (uint32_t i = 0; i < window_buckets >> (3 * pass + 3); i++) {
            reduce_group_step(&window, pass, 8 * (i + 1), push->step);
            for (uint32_t list = 0; list < 4 * pass; list++) {
                const uint32_t level = list / 4, apart = (uint32_t)1 << (3 * (pass - level));
                const uint32_t first = 8 * i * apart + list % 4 + 1;
                for (uint32_t k = 0; k < 8; k += (uint32_t)2 << push->step) {
                    pail_twin_add_elements(&window, first + k * apart,
                                           first + (k + ((uint32_t)1 << push->step)) * apart,
                                           level);
                }
            }
        }
    }
}

static void run(const struct pail_twin_call *c)
{
    pail_twin_reduce_wide(c->push, &c->variant, c->bound[0]);
}

PAIL_TWIN(MSM_REDUCE_WIDE, run)
