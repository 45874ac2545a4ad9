#include "row.h"

pail_point pail_twin_element(const struct pail_twin_row *row, uint32_t k, uint32_t level)
{
    const uint32_t number = k << (3 * level);
    if (number > row->stride)
        return (pail_point){{0}};
    return pail_twin_load(row->variant, row->points, row->first + number - 1);
}

void pail_twin_set_element(const struct pail_twin_row *row, uint32_t k, uint32_t level,
                           const pail_point *p)
{
    const uint32_t number = k << (3 * level);
    pail_twin_store(row->variant, row->points, row->first + number - 1, p);
}

void pail_twin_add_elements(const struct pail_twin_row *row, uint32_t a, uint32_t b, uint32_t level)
{
    pail_point sum = pail_twin_element(row, a, level);
    const pail_point term = pail_twin_element(row, b, level);
    row->variant->ops->add(&sum, &sum, &term);
    pail_twin_set_element(row, a, level, &sum);
}
