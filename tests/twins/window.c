/* SPDX-License-Identifier: Apache-2.0 */
#include "window.h"

pail_point pail_twin_element(const struct pail_twin_window *window, uint32_t k, uint32_t level)
{
    const uint32_t number = k << (3 * level);
    if (number > window->window_buckets)
        return (pail_point){{0}};
    return pail_twin_load(window->variant, window->points, window->first + number - 1);
}

void pail_twin_set_element(const struct pail_twin_window *window, uint32_t k, uint32_t level,
                           const pail_point *p)
{
    const uint32_t number = k << (3 * level);
    pail_twin_store(window->variant, window->points, window->first + number - 1, p);
}

void pail_twin_add_elements(const struct pail_twin_window *window, uint32_t a, uint32_t b,
                            uint32_t level)
{
    pail_point sum = pail_twin_element(window, a, level);
    const pail_point term = pail_twin_element(window, b, level);
    window->variant->ops->add(&sum, &sum, &term);
    pail_twin_set_element(window, a, level, &sum);
}
