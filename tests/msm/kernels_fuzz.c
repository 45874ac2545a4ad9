/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts and runs that nobody made: every accumulator ends, and writes nothing behind its buffers.
 * What it adds up then is not looked at. */
#include "kernels_keys.h"
#include "kernels_shares.h"

#include <stdlib.h>
#include <string.h>

enum {
    ENTRIES = 64,
    WINDOWS = 3,
    WINDOW_BUCKETS = 4,
    SHARES = 20,
    WORKGROUP = MSM_ACCUMULATE_WORKGROUP, /* other tests have made its pipelines */
    PIECES = MSM_TASK_PIECES(MSM_TASK)    /* at least 2 * SHARES */
};

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
    const uint32_t starts = 0, cuts = WINDOWS * (WINDOW_BUCKETS + 1),
                   keys = cuts + 2 * (SHARES + 1);
    z->push = (struct msm_accumulate_push){
        .n = ENTRIES,
        .windows = WINDOWS,
        .window_buckets = WINDOW_BUCKETS,
        .starts = starts,
        .cuts = cuts,
        .keys = keys,
        .adds = keys + PIECES,
        .threads = SHARES,
        .buckets = 0,
        .pieces = WINDOWS * WINDOW_BUCKETS,
    };
    z->bases = buffer_make((size_t)AFFINE_WORDS * ENTRIES);
    z->entries = buffer_make((size_t)2 * WINDOWS * ENTRIES);
    z->index = buffer_make(z->push.adds + 1);
    z->points = buffer_make((size_t)XYZZ_WORDS * (WINDOWS * WINDOW_BUCKETS + PIECES));
    uint8_t points[64 * ENTRIES];
    pail_make_bases(test_ops(), points, false, 0, ENTRIES, PAIL_BASES_PAIRS, seed);
    for (uint32_t i = 0; i < ENTRIES; i++) {
        pail_affine a;
        assert_true(test_ops()->decode(&a, points + 64 * i, false));
        test_ops()->affine_to_words(z->bases.host + (size_t)AFFINE_WORDS * i, &a, variant.form);
    }
    for (uint32_t window = 0; window < WINDOWS; window++)
        for (uint32_t i = 0; i < ENTRIES; i++) {
            uint32_t *entry = z->entries.host + 2 * (size_t)(window * ENTRIES + i);
            entry[0] = i * (WINDOW_BUCKETS + 1) / ENTRIES;
            entry[1] = i | (pail_rng_next(&rng) & 1 ? MSM_HANDLE_SIGN : 0);
        }
    starts_of(z->entries.host, ENTRIES, WINDOWS, WINDOW_BUCKETS, z->index.host + starts);
    for (uint32_t i = 0; i <= SHARES; i++) {
        z->index.host[cuts + 2 * i] = corrupt(&rng, WINDOWS);
        z->index.host[cuts + 2 * i + 1] = corrupt(&rng, ENTRIES);
    }
    z->index.host[z->push.adds] = 0;
    memset(z->points.host, 0, (size_t)4 * XYZZ_WORDS * WINDOWS * WINDOW_BUCKETS);
    buffer_sync(&z->bases);
    buffer_sync(&z->entries);
    buffer_sync(&z->index);
    buffer_sync(&z->points);
}

/* Words that a kernel only reads, and bounds and counters before the cuts, are as they were. */
static void assert_confined(struct fuzz *z, uint32_t n_pieces)
{
    assert_memory_equal(z->index.device, z->index.host, (size_t)4 * z->push.cuts);
    assert_same_words(&z->bases, "bases");
    assert_same_words(&z->entries, "entries");
    struct buffer *written[] = {&z->index, &z->points};
    for (size_t i = 0; i < 2; i++) {
        memcpy(written[i]->host, written[i]->device, 4 * written[i]->n);
        assert_same_words(written[i], "what lies behind");
    }
    for (uint32_t i = 0; i < n_pieces; i++) {
        const uint32_t key = z->index.device[z->push.keys + i];
        if (key != MSM_KEY_NONE && key >= WINDOWS * WINDOW_BUCKETS)
            fail_msg("piece %u belongs to bucket %u of %u", i, key, WINDOWS * WINDOW_BUCKETS);
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
        uint32_t slots, specs[PAIL_MAX_SPECS]; /* workgroup, and as the kernel has them */
    } kernels[] = {
        {PAIL_KERNEL_MSM_ACCUMULATE, PAIL_FORM_X32, 1, {WORKGROUP, MSM_PLACEMENT_PRIVATE}},
        {PAIL_KERNEL_MSM_ACCUMULATE, PAIL_FORM_X32, 1, {WORKGROUP, MSM_PLACEMENT_WORKGROUP}},
        {PAIL_KERNEL_MSM_WALKER, PAIL_FORM_X32, 4, {8, 4, MSM_PLACEMENT_PRIVATE, 0}},
        {PAIL_KERNEL_MSM_COOP, PAIL_FORM_X32, 2, {8, 2, MSM_PLACEMENT_WORKGROUP, 4}},
    };
    const uint64_t seeds = is_slow(f) ? 8 : 40;
    for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++)
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            struct fuzz z;
            make(&z, kernels[k].form, seed);
            z.push.threads = SHARES / kernels[k].slots;
            const struct kernel_call call = {
                .id = kernels[k].id,
                .form = kernels[k].form,
                .specs = kernels[k].specs,
                .push = &z.push,
                .gx = groups_for(z.push.threads, kernels[k].specs[0]),
                .gy = 1,
                .bindings = {&z.bases, &z.entries, &z.index, &z.points},
            };
            kernel_run(f, &call);
            assert_confined(&z, 2 * SHARES);
            free_all(&z);
        }
}

/* The same with runs that nobody found, and steps of tasks that nobody counted. */
static void check_corrupt_runs(const struct vk_fixture *f, bool serial, uint64_t seed)
{
    const enum pail_field_form form = serial ? PAIL_FORM_X29 : PAIL_FORM_X32;
    const uint32_t threads = serial ? SHARES : MSM_TASK;
    const uint32_t n_runs = WINDOWS * WINDOW_BUCKETS + 2 * threads;
    struct fuzz z;
    struct pail_rng rng;
    pail_rng_init(&rng, seed);
    make(&z, form, seed);
    const uint32_t counts = z.push.adds + 1, runs = counts + MSM_ORDER_COUNTS;
    const struct msm_runs_push push = {
        .n_entries = WINDOWS * ENTRIES,
        .n_buckets = WINDOWS * WINDOW_BUCKETS,
        .most = ENTRIES,
        .counts = counts,
        .runs = runs,
        .keys = z.push.keys,
        .places_first = serial ? 0 : 2 * threads,
        .places = serial ? 1 : MSM_TASK_PLACES,
        .threads = threads,
        .adds = z.push.adds,
        .buckets = z.push.buckets,
        .pieces = z.push.pieces,
        .resume = (uint32_t)seed % 2,
    };
    struct buffer index = buffer_make(runs + MSM_RUN_WORDS * n_runs);
    memcpy(index.host, z.index.host, 4 * (size_t)counts);
    memset(index.host + push.keys, 0xff, (size_t)4 * PIECES);
    for (uint32_t i = 0; i < MSM_ORDER_COUNTS; i++)
        index.host[counts + i] = corrupt(&rng, ENTRIES);
    index.host[counts + MSM_ORDER_RUNS] = seed % 3 ? n_runs : UINT32_MAX;
    for (uint32_t i = 0; i < n_runs; i++) {
        uint32_t *run = index.host + runs + MSM_RUN_WORDS * i;
        run[MSM_RUN_FIRST] = corrupt(&rng, WINDOWS * ENTRIES);
        run[MSM_RUN_COUNT] = corrupt(&rng, ENTRIES);
        run[MSM_RUN_BUCKET] = corrupt(&rng, WINDOWS * WINDOW_BUCKETS);
        run[MSM_RUN_PIECE] = corrupt(&rng, 2 * threads);
    }
    buffer_sync(&index);
    buffer_free(&z.index);
    z.index = index;
    const uint32_t specs[PAIL_MAX_SPECS] = {WORKGROUP, MSM_PLACEMENT_PRIVATE};
    const struct kernel_call call = {
        .id = serial ? PAIL_KERNEL_MSM_ACCUMULATE_SERIAL : PAIL_KERNEL_MSM_ACCUMULATE_RUNS,
        .form = form,
        .specs = specs,
        .push = &push,
        .gx = groups_for(threads, WORKGROUP),
        .gy = 1,
        .bindings = {&z.bases, &z.entries, &z.index, &z.points},
    };
    kernel_run(f, &call);
    z.push.cuts = z.push.adds; /* it reads all that is before the counter */
    if (!serial)               /* and this one writes keys */
        z.push.cuts = z.push.keys;
    assert_confined(&z, PIECES);
    free_all(&z);
}

void test_corrupt_runs(void **state)
{
    const struct vk_fixture *f = *state;
    const uint64_t seeds = is_slow(f) ? 8 : 40;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        check_corrupt_runs(f, false, seed);
        if (!is_slow(f))
            check_corrupt_runs(f, true, seed);
    }
}
