#include "portions.h"

/* The size of portions that are as many as by `step`, but all of about the same size. */
static uint32_t even(uint32_t size, uint64_t step)
{
    if (step >= size)
        return size;
    const uint32_t n = (uint32_t)((size + step - 1) / step);
    return (size + n - 1) / n;
}

/* Workgroups that a portion may have, at least one. */
static uint64_t allowed(uint64_t all, const struct pail_vk_cutting *cutting)
{
    if (!(cutting->units > cutting->most))
        return all;
    const double fit = (double)all * (cutting->most / cutting->units);
    uint64_t n = fit >= 1 ? (uint64_t)fit : 1;
    if (n < cutting->least)
        n = cutting->least;
    return n < all ? n : all;
}

void pail_vk_portions_begin(struct pail_vk_portions *p, const uint32_t groups[3],
                            const struct pail_vk_cutting *cutting)
{
    const uint64_t row = groups[0], plane = row * groups[1], all = plane * groups[2];
    const uint64_t n = allowed(all, cutting);
    *p = (struct pail_vk_portions){.units_of_group = cutting->units / (double)all};
    for (uint32_t i = 0; i < 3; i++)
        p->groups[i] = p->step[i] = groups[i];
    /* The outermost axis first: what is left together is what ran together. */
    if (n < all)
        p->step[2] = even(groups[2], n / plane ? n / plane : 1);
    if (n < plane)
        p->step[1] = even(groups[1], n / row ? n / row : 1);
    if (n < row && (cutting->apart || groups[1] == 1))
        p->step[0] = even(groups[0], n);
}

bool pail_vk_portions_next(struct pail_vk_portions *p, struct pail_vk_portion *portion)
{
    if (p->at[2] >= p->groups[2])
        return false;
    portion->units = p->units_of_group;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t left = p->groups[i] - p->at[i];
        portion->base[i] = p->at[i];
        portion->groups[i] = p->step[i] < left ? p->step[i] : left;
        portion->units *= portion->groups[i];
    }
    uint32_t axis = 0;
    p->at[0] += portion->groups[0];
    for (; axis < 2 && p->at[axis] >= p->groups[axis]; axis++) {
        p->at[axis] = 0;
        p->at[axis + 1] += portion->groups[axis + 1];
    }
    return true;
}
