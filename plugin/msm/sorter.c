#include "sorter.h"

#include <shared/msm_layout.h>

/* Of msm/sort_scatter_subgroup: threads of a workgroup, and entries that each ranks at a time, with
 * the size of subgroups certain or not. With more, what goes to a bin together is longer; with
 * fewer, more workgroups share a processor. By measurement on an H200 (docs/performance.md). */
#define SUBGROUP_WORKGROUP     256u
#define SUBGROUP_ITEMS_CERTAIN 16u
#define SUBGROUP_ITEMS         8u
#define SUBGROUP_ITEMS_MIN     4u
/* Smaller subgroups leave too many counters to add up. */
#define SUBGROUP_MIN 16u
#define SUBGROUP_MAX 128u
/* A row's tiles: from so many on there are enough workgroups, and longer tiles have fewer counters.
 */
#define TILES         256u
#define SUBTILES      4u
#define SUBGROUP_TILE 8192u
/* A tile of a serial kernel: so many threads in a row fill a processor's vectors. The driver ends
 * long loops, and a tile is the loop. */
#define SERIAL_TILES   32u
#define SERIAL_SUBTILE 256u
#define SERIAL_TILE    16384u

static bool power_of_two(uint32_t x)
{
    return x && (x & (x - 1)) == 0;
}

/* Workgroup memory of msm/sort_scatter_subgroup: keys and handles, two numbers for each bin, and
 * sums of its scan. */
static uint64_t subgroup_bytes(uint32_t workgroup, uint32_t items, uint32_t bits)
{
    return 4 * (2 * (uint64_t)workgroup * items + 2 * ((uint64_t)1 << bits) + workgroup);
}

/* As many entries as there is room for, then as many bits: few bits are another pass at worst, few
 * entries are writes of single ones. */
static bool fit_subgroup(struct pail_msm_sorter *s, const struct pail_vk_caps *caps)
{
    s->workgroup = SUBGROUP_WORKGROUP;
    while (s->workgroup > caps->max_workgroup_invocations ||
           s->workgroup > caps->max_workgroup_size[0])
        s->workgroup /= 2;
    if (s->workgroup < caps->subgroup_size || s->workgroup < MSM_SCAN_COLUMNS)
        return false;
    s->items = caps->full_subgroups ? SUBGROUP_ITEMS_CERTAIN : SUBGROUP_ITEMS;
    for (; s->items >= SUBGROUP_ITEMS_MIN; s->items /= 2)
        for (s->bits_max = MSM_SORT_BITS_MAX; s->bits_max >= MSM_SORT_BITS; s->bits_max--)
            if (subgroup_bytes(s->workgroup, s->items, s->bits_max) <= caps->max_workgroup_bytes)
                return true;
    return false;
}

struct pail_msm_sorter pail_msm_sorter_of(const struct pail_vk_caps *caps)
{
    struct pail_msm_sorter s = {
        .count = PAIL_KERNEL_MSM_SORT_COUNT,
        .tiles = TILES,
        .subtiles = SUBTILES,
    };
    if (caps->type == VK_PHYSICAL_DEVICE_TYPE_CPU) {
        s.count = PAIL_KERNEL_MSM_SORT_COUNT_SERIAL;
        s.scatter = PAIL_KERNEL_MSM_SORT_SCATTER_SERIAL;
        s.workgroup = MSM_SORT_WORKGROUP; /* of the scan; the others have MSM_SORT_SERIAL */
        s.serial = true;
        s.bits_max = MSM_SORT_BITS;
        s.subtile = SERIAL_SUBTILE;
        s.tiles = SERIAL_TILES;
        s.subtiles = SERIAL_TILE / SERIAL_SUBTILE;
        return s;
    }
    if (pail_vk_caps_exchange(caps) && power_of_two(caps->subgroup_size) &&
        caps->subgroup_size >= SUBGROUP_MIN && caps->subgroup_size <= SUBGROUP_MAX &&
        fit_subgroup(&s, caps)) {
        s.scatter = PAIL_KERNEL_MSM_SORT_SCATTER_SUBGROUP;
        s.lanes = caps->full_subgroups       ? caps->subgroup_size
                  : caps->subgroup_size > 32 ? PAIL_LANES_MANY
                                             : PAIL_LANES_FEW;
        s.subtile = s.workgroup * s.items;
        s.subtiles = SUBGROUP_TILE / s.subtile;
        return s;
    }
    s.scatter = PAIL_KERNEL_MSM_SORT_SCATTER;
    s.workgroup = MSM_SORT_WORKGROUP;
    s.bits_max = MSM_SORT_BITS;
    s.subtile = MSM_SORT_SUBTILE;
    return s;
}

uint32_t pail_msm_sorter_specs(const struct pail_msm_sorter *sorter, enum pail_kernel_id kernel,
                               uint32_t specs[PAIL_MAX_SPECS])
{
    const uint32_t values[] = {
        [MSM_SPEC_WORKGROUP] = sorter->workgroup,
        [MSM_SPEC_BINS] = (uint32_t)1 << sorter->bits_max,
        [MSM_SPEC_ITEMS] = sorter->items,
        [PAIL_SPEC_LANES] = sorter->lanes,
    };
    const struct pail_kernel *row = &pail_kernels[kernel];
    for (uint32_t i = 0; i < row->n_specs; i++)
        specs[i] = values[row->specs[i].id];
    return row->n_specs;
}
