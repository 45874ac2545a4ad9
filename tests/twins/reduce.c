/* SPDX-License-Identifier: Apache-2.0 */
#include "window.h"

static void reduce_group(const struct pail_twin_window *window, uint32_t level, uint32_t middle)
{
    const struct pail_curve_ops *ops = window->variant->ops;
    const uint32_t n = window->window_buckets >> (3 * level);
    pail_point total = pail_twin_element(window, middle, level);
    const pail_point half_way = pail_twin_element(window, middle + 4, level);
    ops->add(&total, &total, &half_way);
    for (uint32_t j = 1; j <= 3; j++) {
        const pail_point above = pail_twin_element(window, middle + j, level);
        pail_point below = pail_twin_element(window, middle - j, level), sum;
        ops->add(&sum, &above, &below);
        ops->add(&total, &total, &sum);
        ops->neg(&below, &below);
        ops->add(&sum, &above, &below);
        pail_twin_set_element(window, middle + j <= n ? middle + j : middle - j, level, &sum);
    }
    pail_twin_set_element(window, middle, level, &total);
}

/* Adds `count` elements of a list, every 8^pass buckets, up to the first of them. */
static void reduce_list(const struct pail_twin_window *window, uint32_t level, uint32_t column,
                        uint32_t pass, uint32_t index, uint32_t count, bool last)
{
    const struct pail_curve_ops *ops = window->variant->ops;
    const uint32_t step = (uint32_t)1 << (3 * (pass - level));
    const uint32_t first = 8 * index * step + column, n = window->window_buckets >> (3 * level);
    pail_point sum = {{0}};
    /* The last group of a level had no place above its middle. */
    if (last && column < 4)
        sum = pail_twin_element(window, n - column, level);
    for (uint32_t i = 0; i < count; i++) {
        const pail_point term = pail_twin_element(window, first + i * step, level);
        ops->add(&sum, &sum, &term);
    }
    pail_twin_set_element(window, first, level, &sum);
}

static pail_point reduce_weigh(const struct pail_twin_window *window, uint32_t level,
                               uint32_t count)
{
    const struct pail_curve_ops *ops = window->variant->ops;
    pail_point sum = pail_twin_element(window, count, level), weighted = sum;
    for (uint32_t k = count - 1; k > 0; k--) {
        const pail_point term = pail_twin_element(window, k, level);
        ops->add(&sum, &sum, &term);
        ops->add(&weighted, &weighted, &sum);
    }
    return weighted;
}

static pail_point reduce_window(const struct pail_twin_window *window, uint32_t levels)
{
    const struct pail_curve_ops *ops = window->variant->ops;
    pail_point sum = pail_twin_element(window, 1, levels);
    for (uint32_t level = levels; level-- > 0;) {
        for (uint32_t i = 0; i < 3; i++)
            ops->dbl(&sum, &sum);
        const pail_point term = pail_twin_element(window, 1, level);
        ops->add(&sum, &sum, &term);
    }
    return sum;
}

/* The elements of a list by a team, as a tree; then what the last group of the level had left. */
static void reduce_list_end(const struct pail_twin_window *window, uint32_t level, uint32_t column,
                            uint32_t pass, uint32_t base)
{
    const uint32_t apart = (uint32_t)1 << (3 * (pass - level));
    for (uint32_t step = 1; step < base; step *= 2)
        for (uint32_t k = 0; k < base; k += 2 * step)
            pail_twin_add_elements(window, column + k * apart, column + (k + step) * apart, level);
    if (column < 4)
        pail_twin_add_elements(window, column, (window->window_buckets >> (3 * level)) - column,
                               level);
}

/* 2^bits elements weighed by a team, by the bits of their numbers. */
static void reduce_weigh_bits(const struct pail_twin_window *window, uint32_t level, uint32_t bits)
{
    const uint32_t top = (uint32_t)1 << bits;
    if (bits == 0)
        return;
    for (uint32_t bit = 1; bit < top; bit *= 2) {
        for (uint32_t k = bit + 1; k < top; k++)
            if (k & bit)
                pail_twin_add_elements(window, bit, k, level);
    }
    for (uint32_t bit = top / 2; bit != 0; bit /= 2) {
        pail_twin_add_elements(window, top, top, level);
        pail_point sum = pail_twin_element(window, top, level);
        const pail_point term = pail_twin_element(window, bit, level);
        window->variant->ops->add(&sum, &sum, &term);
        pail_twin_set_element(window, bit == 1 ? 1 : top, level, &sum);
    }
}

static void reduce_by_teams(const struct msm_reduce_push *push,
                            const struct pail_twin_variant *variant, uint32_t *points,
                            uint32_t *windows)
{
    const uint32_t window_buckets = (uint32_t)1 << push->log2_buckets, levels = push->levels;
    const uint32_t log2_base = push->log2_buckets - 3 * levels;
    struct msm_reduce_push step = *push;
    for (step.step = 0; push->pass < levels && step.step < MSM_REDUCE_STEPS; step.step++)
        pail_twin_reduce_wide(&step, variant, points);
    for (uint32_t r = 0; r < push->windows && push->pass >= levels; r++) {
        const struct pail_twin_window window = {
            variant, points, push->buckets + (size_t)r * window_buckets, window_buckets};
        for (uint32_t list = 0; list < 4 * levels && push->pass == levels; list++)
            reduce_list_end(&window, list / 4, list % 4 + 1, levels, (uint32_t)1 << log2_base);
        for (uint32_t level = 0; level <= levels && push->pass > levels; level++) {
            reduce_weigh_bits(&window, level, level < levels ? 2 : log2_base);
            if (push->parts > 1) {
                const pail_point sum = pail_twin_element(&window, 1, level);
                pail_twin_store(variant, windows, push->first_out + (size_t)r * push->parts + level,
                                &sum);
            }
        }
    }
}

void pail_twin_reduce(const struct msm_reduce_push *push, const struct pail_twin_variant *variant,
                      uint32_t *points, uint32_t *windows)
{
    const uint32_t pass = push->pass, levels = push->levels;
    const uint32_t base = (uint32_t)1 << (push->log2_buckets - 3 * levels);
    if (push->team > 1) {
        reduce_by_teams(push, variant, points, windows);
        return;
    }
    for (uint32_t r = 0; r < push->windows; r++) {
        const uint32_t window_buckets = (uint32_t)1 << push->log2_buckets;
        const struct pail_twin_window window = {
            variant, points, push->buckets + (size_t)r * window_buckets, window_buckets};
        const uint32_t groups = pass < levels ? window_buckets >> (3 * pass + 3) : 1;
        for (uint32_t i = 0; i < groups && pass <= levels; i++) {
            if (pass < levels)
                reduce_group(&window, pass, 8 * (i + 1));
            for (uint32_t list = 0; list < 4 * pass; list++) {
                reduce_list(&window, list / 4, list % 4 + 1, pass, i, pass < levels ? 8 : base,
                            pass == levels);
            }
        }
        for (uint32_t level = 0; level <= levels && pass == levels + 1; level++) {
            const pail_point sum = reduce_weigh(&window, level, level < levels ? 4 : base);
            if (push->parts > 1) {
                pail_twin_store(variant, windows, push->first_out + (size_t)r * push->parts + level,
                                &sum);
            } else {
                pail_twin_set_element(&window, 1, level, &sum);
            }
        }
        if (pass == levels + 2) {
            const pail_point sum = reduce_window(&window, levels);
            pail_twin_store(variant, windows, (size_t)push->first_out + r, &sum);
        }
    }
}

static void run(const struct pail_twin_call *c)
{
    pail_twin_reduce(c->push, &c->variant, c->bound[0], c->bound[1]);
}

PAIL_TWIN(MSM_REDUCE, run)
