/* SPDX-License-Identifier: Apache-2.0 */
#include "sort_plan.h"

#include <shared/msm_layout.h>
#include <string.h>

#include "integers.h"

/* Shape of msm/sort/scatter: threads of a workgroup, and entries of each that go through workgroup
 * memory at a time. With more, stretches of a bin are longer; with fewer, more workgroups share a
 * processor. Numbers of entries are often powers of two, and so are the groups of later passes,
 * more or less: 18 for each thread take in 16 and some more. By measurement on an H200
 * (docs/performance.md). */
#define WORKGROUP 256u
#define ITEMS     18u
#define ITEMS_MIN 4u
#define BITS      10u /* bits of a pass, where two are enough */
/* Bits that an entry leaves out where that more than doubles the entries that go through workgroup
 * memory at a time. With fewer bits of a key the sort takes longer with it, by measurement on an
 * H200 (docs/lab/sort.md). */
#define TOP_BITS 2u
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

/* Gives two passes as many bits as half of the key needs. */
static void fit_wide(struct pail_msm_sort_kernels *s, uint32_t bits)
{
    if (bits <= s->bits_max || bits > MSM_SORT_BITS_MAX)
        return;
    for (uint32_t workgroup = s->workgroup; workgroup > MSM_SCAN_COLUMNS; workgroup /= 2)
        for (uint32_t items = ITEMS; items >= ITEMS_MIN; items--)
            if (scatter_bytes(workgroup, items, bits) <= s->memory) {
                s->bits_max = bits;
                s->workgroup = workgroup;
                s->items = items;
                s->subtile = workgroup * items;
                return;
            }
}

struct pail_msm_sort_kernels
pail_msm_sort_kernels_for(const struct pail_msm_sort_kernels *sort_kernels, uint32_t key_bits)
{
    struct pail_msm_sort_kernels s = *sort_kernels;
    if (s.serial)
        return s;
    fit_wide(&s, (key_bits + 1) / 2);
    if (MSM_SORT_PLACES(key_bits, 0) < s.subtile / 2)
        s.top_bits = TOP_BITS;
    return s;
}

uint32_t pail_msm_sort_kernels_specs(const struct pail_msm_sort_kernels *sort_kernels,
                                     enum pail_kernel_id kernel, uint32_t specs[PAIL_MAX_SPECS])
{
    const uint32_t values[] = {
        [MSM_SPEC_WORKGROUP] = sort_kernels->workgroup,
        [MSM_SPEC_BINS] = (uint32_t)1 << sort_kernels->bits_max,
        [MSM_SPEC_ITEMS] = sort_kernels->items,
        [MSM_SPEC_TOP] = sort_kernels->top_bits,
    };
    const struct pail_kernel *row = &pail_kernels[kernel];
    for (uint32_t i = 0; i < row->n_specs; i++)
        specs[i] = values[row->specs[i].id];
    return row->n_specs;
}

/* The least number of whole subtiles that leaves a window no more tiles than the kernels ask
 * for: it counts on other windows, so that fewer than so many have more tiles each. */
#define WINDOWS_COUNTED_ON 8u

static uint32_t tile_of(const struct pail_msm_sort_kernels *s, uint64_t n, uint32_t windows)
{
    const uint64_t tiles = s->tiles * ceil_div(WINDOWS_COUNTED_ON, windows);
    const uint64_t subtiles = ceil_div(n, tiles * s->subtile);
    return (uint32_t)(subtiles < s->subtiles ? subtiles : s->subtiles) * s->subtile;
}

uint32_t pail_msm_sort_plan_bits(const struct pail_msm_sort_plan *s, uint32_t pass)
{
    return s->key_bits / s->passes + (pass < s->key_bits % s->passes);
}

/* Bits of the passes before. */
static uint32_t bits_before(const struct pail_msm_sort_plan *s, uint32_t pass)
{
    uint32_t bits = 0;
    for (uint32_t before = 0; before < pass; before++)
        bits += pail_msm_sort_plan_bits(s, before);
    return bits;
}

/* Bits of a word below its key. */
static uint32_t word_shift(const struct pail_msm_sort_plan *s)
{
    return 32 - (s->key_bits - pail_msm_sort_plan_bits(s, 0));
}

static uint64_t tiles_of(const struct pail_msm_sort_plan *s, uint64_t n)
{
    return ceil_div(n, s->tile);
}

static uint64_t epochs_of(const struct pail_msm_sort_plan *s, uint64_t n)
{
    return ceil_div(tiles_of(s, n), s->epoch_tiles);
}

/* Epochs of a segment, which is cut into tiles. */
static uint64_t span_of(const struct pail_msm_sort_plan *s, uint32_t pass, uint64_t n)
{
    return s->top_bits && pass + 1 == s->passes ? epochs_of(s, n) : 1;
}

/* Epochs of all groups of a window. */
static uint64_t group_epochs_of(const struct pail_msm_sort_plan *s, uint32_t pass, uint64_t n)
{
    return pass == 0 ? 0 : epochs_of(s, n) << bits_before(s, pass);
}

/* Segments of a window; each adds at most one tile that is not whole. */
static uint64_t segments_of(const struct pail_msm_sort_plan *s, uint32_t pass, uint64_t n)
{
    return group_epochs_of(s, pass, n) / span_of(s, pass, n);
}

static uint64_t tiles_in(const struct pail_msm_sort_plan *s, uint32_t pass, uint64_t n)
{
    return tiles_of(s, n) + segments_of(s, pass, n);
}

/* Bins that one workgroup of the scan adds up: as many as leave each of its threads some tiles of a
 * group. */
static uint32_t columns_of(const struct pail_msm_sort_plan *s, uint32_t pass, uint64_t n)
{
    const uint64_t tiles = tiles_in(s, pass, n) >> bits_before(s, pass);
    uint32_t columns = s->workgroup == MSM_SORT_SERIAL ? MSM_SORT_SERIAL : MSM_SCAN_COLUMNS;
    while (2 * columns <= s->workgroup && tiles * columns < (uint64_t)MSM_SCAN_TILES * s->workgroup)
        columns *= 2;
    return columns;
}

static void raise(uint64_t *most, uint64_t value)
{
    if (*most < value)
        *most = value;
}

void pail_msm_plan_sort(struct pail_msm_sort_plan *s,
                        const struct pail_msm_sort_kernels *sort_kernels, uint32_t key_bits,
                        uint64_t n, uint32_t windows)
{
    memset(s, 0, sizeof(*s)); /* padding, too: plans are compared as bytes */
    s->key_bits = key_bits;
    s->passes = (uint32_t)ceil_div(key_bits, sort_kernels->bits_max);
    s->tile = tile_of(sort_kernels, n, windows);
    s->top_bits = sort_kernels->top_bits;
    s->workgroup = sort_kernels->serial ? MSM_SORT_SERIAL : sort_kernels->workgroup;
    /* A lone pass makes no words: all its tiles are of one epoch. */
    s->epoch_tiles = s->passes > 1 ? ((uint32_t)1 << (word_shift(s) - 1)) / s->tile : UINT32_MAX;
    uint64_t counts = 0, totals = 0, segments = 0, list = 0, tiles_max = 0;
    for (uint32_t pass = 0; pass < s->passes; pass++) {
        const uint64_t tiles = tiles_in(s, pass, n);
        raise(&counts, windows * tiles << pail_msm_sort_plan_bits(s, pass));
        raise(&totals, (uint64_t)windows << bits_before(s, pass + 1));
        if (pass)
            raise(&list, windows * tiles);
        raise(&segments, segments_of(s, pass, n));
        raise(&tiles_max, tiles);
    }
    s->tiles_max = (uint32_t)(tiles_max < UINT32_MAX ? tiles_max : UINT32_MAX);
    s->words = counts;
    s->totals = (uint32_t)s->words;
    s->words += totals;
    s->first_tiles = (uint32_t)s->words;
    s->words += s->passes > 1 ? windows * (segments + 1) : 0;
    s->list = (uint32_t)s->words;
    s->words += list;
    for (uint32_t pass = 1; pass < s->passes; pass++) {
        s->starts[pass] = (uint32_t)s->words;
        s->words += windows * (group_epochs_of(s, pass, n) + 1);
    }
}

void pail_msm_sort_plan_push(const struct pail_msm_sort_plan *s, uint32_t pass, uint64_t n,
                             uint32_t starts, struct msm_sort_push *push)
{
    const bool first = pass == 0, last = pass + 1 == s->passes;
    const uint32_t bits = pail_msm_sort_plan_bits(s, pass);
    const uint32_t below = s->key_bits - bits_before(s, pass + 1); /* bits of later passes */
    push->n = (uint32_t)n;
    push->tile = s->tile;
    push->tiles = (uint32_t)tiles_in(s, pass, n);
    push->first_pass = first;
    push->key_bits = s->key_bits;
    push->bits = bits;
    push->word_shift = s->passes > 1 ? word_shift(s) : 0;
    push->down = below + (first ? 0 : push->word_shift);
    push->mask = first ? ~MSM_HANDLE_SIGN : (((uint32_t)1 << bits) - 1) << push->down;
    push->epochs = (uint32_t)epochs_of(s, n);
    push->epoch_tiles = s->epoch_tiles;
    push->span = (uint32_t)span_of(s, pass, n);
    push->columns = columns_of(s, pass, n);
    push->groups = (uint32_t)1 << bits_before(s, pass);
    push->totals = s->totals;
    push->first_tiles = s->first_tiles;
    push->list = s->list;
    push->starts_in = first ? 0 : s->starts[pass];
    push->starts_out = last ? starts : s->starts[pass + 1];
}
