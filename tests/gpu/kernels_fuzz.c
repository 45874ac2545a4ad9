/* Cuts and runs that nobody made: every accumulator ends, and writes nothing behind its buffers.
 * What it adds up then is not looked at. */
#include "kernels_keys.h"
#include "kernels_shares.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 64, ROWS = 3, STRIDE = 4, THREADS = 10, SLOTS = 2, SHARES = THREADS * SLOTS };

struct fuzz {
    struct msm_accumulate_push push;
    struct buffer bases, entries, index, points;
};

static uint32_t corrupt(struct pail_rng *rng, uint32_t bound)
{
    switch (pail_rng_below(rng, 5)) {
    case 0:
        return (uint32_t)pail_rng_next(rng);
    case 1:
        return UINT32_MAX - (uint32_t)pail_rng_below(rng, 3);
    case 2:
        return 0;
    default:
        return (uint32_t)pail_rng_below(rng, 2 * (uint64_t)bound);
    }
}

/* Sorted entries with their bounds, as they always are, and cuts as they never are. */
static void make(struct fuzz *z, enum pail_field_form form, uint64_t seed)
{
    struct pail_rng rng;
    pail_rng_init(&rng, seed);
    const struct pail_twin_variant variant = variant_of(form);
    const uint32_t starts = 0, cuts = ROWS * (STRIDE + 1), keys = cuts + 2 * (SHARES + 1);
    z->push = (struct msm_accumulate_push){
        .n = ENTRIES,
        .rows = ROWS,
        .stride = STRIDE,
        .starts = starts,
        .cuts = cuts,
        .keys = keys,
        .adds = keys + 2 * SHARES,
        .threads = THREADS,
        .buckets = 0,
        .pieces = ROWS * STRIDE,
    };
    z->bases = buffer_make((size_t)AFFINE_WORDS * ENTRIES);
    z->entries = buffer_make((size_t)2 * ROWS * ENTRIES);
    z->index = buffer_make(z->push.adds + 1);
    z->points = buffer_make((size_t)XYZZ_WORDS * (ROWS * STRIDE + 2 * SHARES));
    uint8_t points[64 * ENTRIES];
    pail_make_bases(test_ops(), points, false, 0, ENTRIES, PAIL_BASES_PAIRS, seed);
    for (uint32_t i = 0; i < ENTRIES; i++) {
        pail_affine a;
        assert_true(test_ops()->decode(&a, points + 64 * i, false));
        test_ops()->affine_to_words(z->bases.host + (size_t)AFFINE_WORDS * i, &a, variant.radix);
    }
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t i = 0; i < ENTRIES; i++) {
            uint32_t *entry = z->entries.host + 2 * (size_t)(row * ENTRIES + i);
            entry[0] = i * (STRIDE + 1) / ENTRIES;
            entry[1] = i | (pail_rng_next(&rng) & 1 ? MSM_HANDLE_SIGN : 0);
        }
    starts_of(z->entries.host, ENTRIES, ROWS, STRIDE, z->index.host + starts);
    for (uint32_t i = 0; i <= SHARES; i++) {
        z->index.host[cuts + 2 * i] = corrupt(&rng, ROWS);
        z->index.host[cuts + 2 * i + 1] = corrupt(&rng, ENTRIES);
    }
    z->index.host[z->push.adds] = 0;
    memset(z->points.host, 0, (size_t)4 * XYZZ_WORDS * ROWS * STRIDE);
    buffer_sync(&z->bases);
    buffer_sync(&z->entries);
    buffer_sync(&z->index);
    buffer_sync(&z->points);
}

/* What a kernel only reads, and bounds and counters before the cuts, are as they were. */
static void assert_confined(struct fuzz *z)
{
    assert_memory_equal(z->index.device, z->index.host, (size_t)4 * z->push.cuts);
    assert_same_words(&z->bases, "bases");
    assert_same_words(&z->entries, "entries");
    struct buffer *written[] = {&z->index, &z->points};
    for (size_t i = 0; i < 2; i++) {
        memcpy(written[i]->host, written[i]->device, 4 * written[i]->n);
        assert_same_words(written[i], "what lies behind");
    }
    for (uint32_t i = 0; i < 2 * SHARES; i++) {
        const uint32_t key = z->index.device[z->push.keys + i];
        if (key != MSM_KEY_NONE && key >= ROWS * STRIDE)
            fail_msg("piece %u belongs to bucket %u of %u", i, key, ROWS * STRIDE);
    }
}

static void free_all(struct fuzz *z)
{
    buffer_free(&z->points);
    buffer_free(&z->index);
    buffer_free(&z->entries);
    buffer_free(&z->bases);
}

void test_corrupt_cuts(void **state)
{
    const struct vk_fixture *f = *state;
    static const struct {
        enum pail_kernel_id id;
        enum pail_field_form form;
        uint32_t threads, specs[PAIL_MAX_SPECS]; /* workgroup, and as the kernel has them */
    } kernels[] = {
        {PAIL_KERNEL_MSM_ACCUMULATE, PAIL_FORM_X32, SHARES, {8, MSM_PLACEMENT_PRIVATE}},
        {PAIL_KERNEL_MSM_ACCUMULATE, PAIL_FORM_X32, SHARES, {8, MSM_PLACEMENT_WORKGROUP}},
        {PAIL_KERNEL_MSM_WALKER, PAIL_FORM_X32, THREADS, {8, SLOTS, MSM_PLACEMENT_PRIVATE, 0}},
        {PAIL_KERNEL_MSM_COOP, PAIL_FORM_X32, THREADS, {8, SLOTS, MSM_PLACEMENT_WORKGROUP, 4}},
    };
    const uint64_t seeds = is_slow(f) ? 8 : 40;
    for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++)
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            struct fuzz z;
            make(&z, kernels[k].form, seed);
            z.push.threads = kernels[k].threads;
            const struct kernel_call call = {
                .id = kernels[k].id,
                .form = kernels[k].form,
                .specs = kernels[k].specs,
                .push = &z.push,
                .gx = groups_for(kernels[k].threads, 8),
                .gy = 1,
                .bindings = {&z.bases, &z.entries, &z.index, &z.points},
            };
            kernel_run(f, &call);
            assert_confined(&z);
            free_all(&z);
        }
}

/* The same with runs that nobody found. */
void test_corrupt_runs(void **state)
{
    const struct vk_fixture *f = *state;
    skip_without_int64(f);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct fuzz z;
        struct pail_rng rng;
        pail_rng_init(&rng, seed);
        make(&z, PAIL_FORM_X29, seed);
        const uint32_t n_runs = ROWS * STRIDE + 2 * SHARES;
        const uint32_t counts = z.push.adds + 1, runs = counts + MSM_ORDER_COUNTS;
        const struct msm_runs_push push = {
            .n_entries = ROWS * ENTRIES,
            .n_buckets = ROWS * STRIDE,
            .most = ENTRIES,
            .counts = counts,
            .runs = runs,
            .keys = z.push.keys,
            .threads = SHARES,
            .adds = z.push.adds,
            .buckets = z.push.buckets,
            .pieces = z.push.pieces,
            .resume = (uint32_t)seed % 2,
        };
        struct buffer index = buffer_make(runs + MSM_RUN_WORDS * n_runs);
        memcpy(index.host, z.index.host, 4 * (size_t)counts);
        memset(index.host + push.keys, 0xff, (size_t)8 * SHARES);
        index.host[counts + MSM_ORDER_RUNS] = seed % 3 ? n_runs : UINT32_MAX;
        for (uint32_t i = 0; i < n_runs; i++) {
            uint32_t *run = index.host + runs + MSM_RUN_WORDS * i;
            run[MSM_RUN_FIRST] = corrupt(&rng, ROWS * ENTRIES);
            run[MSM_RUN_COUNT] = corrupt(&rng, ENTRIES);
            run[MSM_RUN_BUCKET] = corrupt(&rng, ROWS * STRIDE);
            run[MSM_RUN_PIECE] = corrupt(&rng, 2 * SHARES);
        }
        buffer_sync(&index);
        buffer_free(&z.index);
        z.index = index;
        const uint32_t specs[PAIL_MAX_SPECS] = {8};
        const struct kernel_call call = {
            .id = PAIL_KERNEL_MSM_ACCUMULATE_SERIAL,
            .form = PAIL_FORM_X29,
            .specs = specs,
            .push = &push,
            .gx = groups_for(SHARES, 8),
            .gy = 1,
            .bindings = {&z.bases, &z.entries, &z.index, &z.points},
        };
        kernel_run(f, &call);
        z.push.cuts = z.push.adds; /* it reads all that is before the counter */
        assert_confined(&z);
        free_all(&z);
    }
}
