#include "sort_kernels.h"

#include <shared/msm_layout.h>

/* Shape of msm/sort/scatter: threads of a workgroup, and entries of each that go through workgroup
 * memory at a time. With more, stretches of a bin are longer; with fewer, more workgroups share a
 * processor. Numbers of entries are often powers of two, and so are the groups of later passes,
 * more or less: 18 for each thread take in 16 and some more. By measurement on an H200
 * (docs/performance.md). */
#define WORKGROUP 256u
#define ITEMS     18u
#define ITEMS_MIN 4u
#define BITS      10u /* bits of a pass, where two are enough */
/* A window's tiles: from so many on there are enough workgroups, and longer tiles have fewer
 * counters.
 */
#define TILES    256u
#define SUBTILES 2u
/* A tile of a serial kernel: so many threads in a row fill a processor's vectors. Each has all
 * counters for itself, so long tiles pay for many bits, and many bits for all passes but one. The
 * driver ends long loops, and a tile is the loop. */
#define SERIAL_TILES   8u
#define SERIAL_SUBTILE 256u
#define SERIAL_TILE    16384u

/* Workgroup memory of msm/sort/scatter: entries, three numbers for each bin, and sums of its scan.
 */
static uint64_t scatter_bytes(uint32_t workgroup, uint32_t items, uint32_t bits)
{
    return 4 * ((uint64_t)workgroup * items + 3 * ((uint64_t)1 << bits) + workgroup);
}

/* Fits a workgroup to the device: as many threads as there may be, then entries, then bits. Few
 * bits cost another pass at worst, few entries are writes of single ones. */
static void fit(struct pail_msm_sort_kernels *s, const struct pail_vk_caps *caps)
{
    s->workgroup = WORKGROUP;
    while (s->workgroup > caps->max_workgroup_invocations ||
           s->workgroup > caps->max_workgroup_size[0])
        s->workgroup /= 2;
    for (; s->workgroup > MSM_SCAN_COLUMNS; s->workgroup /= 2)
        for (s->items = ITEMS; s->items >= ITEMS_MIN; s->items--)
            for (s->bits_max = BITS; s->bits_max >= MSM_SORT_BITS; s->bits_max--)
                if (scatter_bytes(s->workgroup, s->items, s->bits_max) <= caps->max_workgroup_bytes)
                    return;
}

struct pail_msm_sort_kernels pail_msm_sort_kernels_of(const struct pail_vk_caps *caps)
{
    struct pail_msm_sort_kernels s = {
        .count = PAIL_KERNEL_MSM_SORT_COUNT,
        .scan = PAIL_KERNEL_MSM_SORT_SCAN,
        .scatter = PAIL_KERNEL_MSM_SORT_SCATTER,
        .finish = PAIL_KERNEL_MSM_SORT_FINISH,
        .tiles = TILES,
        .subtiles = SUBTILES,
    };
    if (caps->type == VK_PHYSICAL_DEVICE_TYPE_CPU) {
        s.count = PAIL_KERNEL_MSM_SORT_COUNT_SERIAL;
        s.scan = PAIL_KERNEL_MSM_SORT_SCAN_SERIAL;
        s.scatter = PAIL_KERNEL_MSM_SORT_SCATTER_SERIAL;
        s.finish = PAIL_KERNEL_MSM_SORT_FINISH_SERIAL;
        s.workgroup = MSM_SORT_WORKGROUP; /* for msm/sort/tiles; others: MSM_SORT_SERIAL */
        s.serial = true;
        s.bits_max = MSM_SORT_BITS_SERIAL;
        s.subtile = SERIAL_SUBTILE;
        s.tiles = SERIAL_TILES;
        s.subtiles = SERIAL_TILE / SERIAL_SUBTILE;
        return s;
    }
    s.memory = caps->max_workgroup_bytes;
    fit(&s, caps);
    s.subtile = s.workgroup * s.items;
    return s;
}

bool pail_msm_sort_kernels_strained(const struct pail_msm_sort_kernels *sort_kernels,
                                    uint32_t key_bits)
{
    return key_bits > 2 * pail_msm_sort_kernels_for(sort_kernels, key_bits).bits_max;
}

struct pail_msm_sort_kernels
pail_msm_sort_kernels_for(const struct pail_msm_sort_kernels *sort_kernels, uint32_t key_bits)
{
    struct pail_msm_sort_kernels s = *sort_kernels;
    s.bits_max = (key_bits + 1) / 2;
    if (s.serial || s.bits_max <= sort_kernels->bits_max || s.bits_max > MSM_SORT_BITS_MAX)
        return *sort_kernels;
    for (; s.workgroup > MSM_SCAN_COLUMNS; s.workgroup /= 2)
        for (s.items = ITEMS; s.items >= ITEMS_MIN; s.items--)
            if (scatter_bytes(s.workgroup, s.items, s.bits_max) <= s.memory) {
                s.subtile = s.workgroup * s.items;
                return s;
            }
    return *sort_kernels;
}

uint32_t pail_msm_sort_kernels_scan_columns(const struct pail_msm_sort_kernels *sort_kernels)
{
    return sort_kernels->serial ? MSM_SORT_SERIAL : MSM_SCAN_COLUMNS;
}

uint32_t pail_msm_sort_kernels_specs(const struct pail_msm_sort_kernels *sort_kernels,
                                     enum pail_kernel_id kernel, uint32_t specs[PAIL_MAX_SPECS])
{
    const uint32_t values[] = {
        [MSM_SPEC_WORKGROUP] = sort_kernels->workgroup,
        [MSM_SPEC_BINS] = (uint32_t)1 << sort_kernels->bits_max,
        [MSM_SPEC_ITEMS] = sort_kernels->items,
    };
    const struct pail_kernel *row = &pail_kernels[kernel];
    for (uint32_t i = 0; i < row->n_specs; i++)
        specs[i] = values[row->specs[i].id];
    return row->n_specs;
}
