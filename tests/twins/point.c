/* SPDX-License-Identifier: Apache-2.0 */
#include "point.h"

size_t pail_twin_affine_words(const struct pail_twin_variant *variant)
{
    return 2 * variant->ops->coordinate_bytes / sizeof(uint32_t);
}

static size_t word_of_point(const struct pail_twin_variant *variant, size_t at)
{
    return 2 * pail_twin_affine_words(variant) * at;
}

pail_point pail_twin_load(const struct pail_twin_variant *variant, const uint32_t *points,
                          size_t at)
{
    pail_point p;
    (void)variant->ops->from_words(&p, points + word_of_point(variant, at), variant->form);
    return p;
}

void pail_twin_store(const struct pail_twin_variant *variant, uint32_t *points, size_t at,
                     const pail_point *p)
{
    variant->ops->to_words(points + word_of_point(variant, at), p, variant->form);
}
