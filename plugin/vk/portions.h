/* A dispatch in portions: boxes of its grid of workgroups, one after the other, none with more work
 * than is allowed at a time. Pure functions. */
#ifndef PAIL_VK_PORTIONS_H
#define PAIL_VK_PORTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Bounds of the cut of a dispatch. */
struct pail_vk_cutting {
    double units;   /* units of work, evenly over its workgroups */
    double most;    /* units of a portion */
    uint64_t least; /* workgroups of a portion: with fewer the device has idle processors, and the
                       portion takes no less time */
    /* True if columns of a grid with several rows may be cut apart. A kernel that numbers its
     * workgroups over both (glsl/lib/grid.glsl) needs rows as wide as they were. */
    bool apart;
};

struct pail_vk_portions {
    uint32_t groups[3], step[3], at[3];
    double units_of_group;
};

struct pail_vk_portion {
    uint32_t base[3], groups[3];
    double units;
};

/* groups: none is 0. */
void pail_vk_portions_begin(struct pail_vk_portions *p, const uint32_t groups[3],
                            const struct pail_vk_cutting *cutting);

/* The next one; false behind the last. Together they cover the grid, each workgroup once. */
bool pail_vk_portions_next(struct pail_vk_portions *p, struct pail_vk_portion *portion);

#endif /* PAIL_VK_PORTIONS_H */
