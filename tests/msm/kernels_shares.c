/* SPDX-License-Identifier: Apache-2.0 */
/* Accumulating the shares of threads and combining the pieces of buckets that were cut: next to the
 * twins, and each bucket against the plain sum of its entries. */
#include "kernels_shares.h"
#include "kernels_keys.h"

#include <msm/plan/plan.h>

#include <stdlib.h>
#include <string.h>

#include "support/long.h"

struct shares {
    const struct share_case *c;
    struct pail_twin_variant variant;
    enum pail_field_form form;
    uint32_t n_shares, n_pieces;
    struct msm_accumulate_push push;
    struct msm_runs_push runs; /* in place of it, where the accumulator takes runs */
    uint32_t n_levels;
    struct msm_combine_push levels[PAIL_MSM_LEVELS_MAX];
    uint32_t *sorted; /* keys and handles */
    struct buffer bases, entries, index, points;
    pail_affine *affine; /* each base's */
};

static void make_bases(struct shares *s, uint64_t seed)
{
    const struct share_case *c = s->c;
    const size_t n = c->n;
    s->bases = buffer_make(AFFINE_WORDS * (c->base_first + n));
    s->affine = calloc(n, sizeof(*s->affine));
    uint8_t *points = malloc(4 * AFFINE_WORDS * n);
    assert_non_null(s->affine);
    assert_non_null(points);
    pail_make_bases(test_ops(), points, false, 0, n, c->kind, seed);
    struct pail_rng rng;
    pail_rng_init(&rng, seed);
    for (size_t i = 0; i < n; i++) {
        assert_true(test_ops()->decode(&s->affine[i], points + 4 * AFFINE_WORDS * i, false));
        if (c->generic) {
            const pail_u256 k = random_u256(&rng);
            const pail_point p = multiple_of_g(&k);
            test_ops()->to_affine(&s->affine[i], &p);
        }
        test_ops()->affine_to_words(s->bases.host + AFFINE_WORDS * (c->base_first + i),
                                    &s->affine[i], s->variant.form);
    }
    buffer_sync(&s->bases);
    free(points);
}

static int by_key_and_base(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    if (x[0] != y[0])
        return x[0] < y[0] ? -1 : 1;
    const uint32_t p = x[1] & ~MSM_HANDLE_SIGN, q = y[1] & ~MSM_HANDLE_SIGN;
    return (p > q) - (p < q);
}

static bool takes_runs(const struct share_case *c)
{
    return c->serial || c->runs;
}

static void make_entries(struct shares *s, uint64_t seed)
{
    const struct share_case *c = s->c;
    struct pail_rng rng;
    pail_rng_init(&rng, seed);
    s->sorted = calloc((size_t)c->windows * c->n, 2 * sizeof(*s->sorted));
    assert_non_null(s->sorted);
    for (uint32_t w = 0; w < c->windows; w++) {
        uint32_t *window = s->sorted + 2 * (size_t)w * c->n;
        for (uint32_t i = 0; i < c->n; i++) {
            uint32_t key = (uint32_t)pail_rng_below(&rng, (uint64_t)c->buckets + 1);
            if (c->one_in)
                key = pail_rng_below(&rng, c->one_in) ? c->buckets : c->buckets / 2;
            if (c->regular)
                key = w % 2 ? i * c->buckets / c->n : c->buckets;
            window[2 * i] = key;
            window[2 * i + 1] = i | (pail_rng_next(&rng) & 1 ? MSM_HANDLE_SIGN : 0);
        }
        qsort(window, c->n, 8, by_key_and_base);
    }
    const uint32_t words = takes_runs(c) ? 1 : 2; /* runs know their keys */
    s->entries = buffer_make((size_t)words * c->windows * c->n);
    for (size_t i = 0; i < s->entries.n; i++)
        s->entries.host[i] = s->sorted[words == 1 ? 2 * i + 1 : i];
    buffer_sync(&s->entries);
}

static bool uses_scratch(const struct share_case *c)
{
    return c->walk && c->walk->placement == MSM_PLACEMENT_DEVICE;
}

/* Finds the runs by the kernels, next to their twins: they decide the order. */
static void order(const struct vk_fixture *f, struct shares *s, uint32_t window_offsets)
{
    const struct share_case *c = s->c;
    const struct msm_order_push push = {
        .n = c->n,
        .windows = c->windows,
        .window_buckets = c->buckets,
        .starts = s->push.starts,
        .window_offsets = window_offsets,
        .counts = s->push.cuts,
        .runs = s->push.cuts + MSM_ORDER_COUNTS,
        .keys = s->push.keys,
        .threads = c->threads,
        .share = c->share,
        .places_first = c->runs ? 2 * c->threads : 0,
        .places = c->runs ? MSM_TASK_PLACES : 1,
    };
    const uint32_t share = (c->windows * c->n + c->threads - 1) / c->threads;
    s->runs = (struct msm_runs_push){
        .n_entries = c->windows * c->n,
        .n_buckets = c->windows * c->buckets,
        .most = share > c->share ? share : c->share,
        .counts = push.counts,
        .runs = push.runs,
        .keys = push.keys,
        .places_first = push.places_first,
        .places = push.places,
        .threads = c->threads,
        .adds = s->push.adds,
        .base_first = c->base_first,
        .buckets = s->push.buckets,
        .pieces = s->push.pieces,
    };
    check_order(f, &push, &s->index);
}

/* Places everything with gaps, and finds bounds and cuts by the twins. */
static void lay_out(const struct vk_fixture *f, struct shares *s)
{
    const struct share_case *c = s->c;
    const uint32_t starts = 3, window_offsets = starts + c->windows * (c->buckets + 1) + 2;
    const uint32_t cuts = window_offsets + c->windows + 2;
    s->n_shares = c->threads * (c->walk ? c->walk->slots : 1);
    s->n_pieces = c->runs ? MSM_TASK_PIECES(c->threads) : 2 * s->n_shares;
    const uint32_t runs = MSM_RUN_WORDS * (c->windows * c->buckets + 2 * s->n_shares);
    const uint32_t adds =
        cuts + (takes_runs(c) ? MSM_ORDER_COUNTS + runs : 2 * (s->n_shares + 1)) + 1;
    const uint32_t keys = adds + 2;
    const uint32_t buckets = 1, pieces = buckets + c->windows * c->buckets + 1;
    uint32_t words = keys + s->n_pieces + 1, points = pieces + s->n_pieces + 1;
    s->push = (struct msm_accumulate_push){
        .n = c->n,
        .windows = c->windows,
        .window_buckets = c->buckets,
        .starts = starts,
        .cuts = cuts,
        .keys = keys,
        .adds = adds,
        .threads = c->threads,
        .base_first = c->base_first,
        .buckets = buckets,
        .pieces = pieces,
    };
    struct msm_combine_push level = {
        .n = s->n_pieces,
        .keys_in = keys,
        .pieces_in = pieces,
        .adds = adds,
        .buckets = buckets,
    };
    do {
        assert_true(s->n_levels < PAIL_MSM_LEVELS_MAX);
        level.tiles = groups_for(level.n, MSM_COMBINE_TILE);
        level.keys_out = words;
        level.pieces_out = points;
        s->levels[s->n_levels++] = level;
        words += 2 * level.tiles + 1;
        points += 2 * level.tiles + 1;
        level.n = 2 * level.tiles;
        level.keys_in = level.keys_out;
        level.pieces_in = level.pieces_out;
    } while (level.tiles > 1);

    s->push.scratch = points;
    if (uses_scratch(c))
        points += (s->n_shares + 3) / 4; /* a coordinate is a quarter of a point */
    s->index = buffer_make(words);
    s->points = buffer_make((size_t)XYZZ_WORDS * points);
    const struct msm_windows_push windows_push = {c->windows, c->buckets, starts, window_offsets};
    const struct msm_cuts_push cuts_push = {
        .windows = c->windows,
        .window_buckets = c->buckets,
        .starts = starts,
        .window_offsets = window_offsets,
        .cuts = cuts,
        .threads = s->n_shares,
        .share = c->share,
    };
    starts_of(s->sorted, c->n, c->windows, c->buckets, s->index.host + starts);
    pail_twin_order_windows(&windows_push, s->index.host);
    if (takes_runs(c))
        order(f, s, window_offsets);
    else
        pail_twin_cuts(&cuts_push, s->index.host);
    s->index.host[adds] = 0;
    /* Empty buckets are infinity; everything else is poison. */
    memset(s->points.host + XYZZ_WORDS * (size_t)buckets, 0,
           (size_t)4 * XYZZ_WORDS * c->windows * c->buckets);
    buffer_sync(&s->index);
    buffer_sync(&s->points);
}

static void run_accumulate(const struct vk_fixture *f, struct shares *s)
{
    const uint32_t workgroup = s->c->workgroup ? s->c->workgroup : MSM_ACCUMULATE_WORKGROUP;
    const struct share_case *c = s->c;
    struct kernel_call call = {
        .id = PAIL_KERNEL_MSM_ACCUMULATE,
        .form = s->form,
        .push = &s->push,
        .gx = groups_for(c->threads, workgroup),
        .gy = 1,
        .bindings = {&s->bases, &s->entries, &s->index, &s->points},
    };
    uint32_t specs[PAIL_MAX_SPECS] = {workgroup, c->shared_sums ? MSM_PLACEMENT_WORKGROUP
                                                                : MSM_PLACEMENT_PRIVATE};
    call.specs = specs;
    if (c->walk) {
        call.id = c->walk->kernel;
        specs[1] = c->walk->slots;
        specs[2] = c->walk->placement;
        specs[3] = c->walk->group;
    } else if (takes_runs(c)) {
        call.id = c->runs ? PAIL_KERNEL_MSM_ACCUMULATE_RUNS : PAIL_KERNEL_MSM_ACCUMULATE_SERIAL;
        call.lanes = c->pairs ? 2 : 1;
        call.gx = groups_for(call.lanes * c->threads, workgroup);
        call.push = &s->runs;
    } else if (c->debug) {
        call.id = PAIL_KERNEL_MSM_DEBUG;
        call.gx = groups_for(c->buckets, workgroup);
        call.gy = c->windows;
    }
    kernel_run(f, &call);
    if (c->walk)
        pail_twin_walk(&s->push, c->walk->slots, &s->variant, s->bases.host, s->entries.host,
                       s->index.host, s->points.host);
    else if (c->debug)
        pail_twin_debug(&s->push, &s->variant, s->bases.host, s->entries.host, s->index.host,
                        s->points.host);
    else if (takes_runs(c))
        (c->runs ? pail_twin_accumulate_runs : pail_twin_accumulate_serial)(
            &s->runs, &s->variant, s->bases.host, s->entries.host, s->index.host, s->points.host);
    else
        pail_twin_accumulate(&s->push, &s->variant, s->bases.host, s->entries.host, s->index.host,
                             s->points.host);
    if (uses_scratch(c)) { /* the kernel's own */
        const size_t first = XYZZ_WORDS * (size_t)s->push.scratch;
        memcpy(s->points.host + first, s->points.device + first, 4 * (s->points.n - first));
    }
    assert_same_words(&s->index, "index after accumulating");
    points_settle(&s->points, s->form);
    assert_same_points(&s->points, "points after accumulating");
    assert_same_words(&s->entries, "entries");
    assert_same_words(&s->bases, "bases");
}

static void run_combine(const struct vk_fixture *f, struct shares *s)
{
    for (uint32_t i = 0; i < s->n_levels; i++) {
        const struct kernel_call call = {
            .id = PAIL_KERNEL_MSM_COMBINE,
            .form = s->form,
            .lanes = s->c->pairs ? 2 : 1,
            .push = &s->levels[i],
            .gx = (s->levels[i].tiles + 2) / 2, /* two dimensions, and more than needed */
            .gy = 2,
            .bindings = {&s->index, &s->points},
        };
        points_loosen(&s->points, s->form);
        kernel_run(f, &call);
        pail_twin_combine(&s->levels[i], &s->variant, s->index.host, s->points.host);
        assert_same_words(&s->index, "index after combining");
        points_settle(&s->points, s->form);
        assert_same_points(&s->points, "points after combining");
    }
}

/* Every bucket is the sum of its entries, whoever added them up. */
static void assert_buckets(const struct shares *s)
{
    const struct pail_curve_ops *ops = test_ops();
    const struct share_case *c = s->c;
    const size_t n_buckets = (size_t)c->windows * c->buckets;
    pail_point *sums = calloc(n_buckets, sizeof(*sums));
    assert_non_null(sums);
    for (size_t i = 0; i < (size_t)c->windows * c->n; i++) {
        const uint32_t *entry = s->sorted + 2 * i;
        if (entry[0] == c->buckets)
            continue;
        pail_affine a = s->affine[entry[1] & ~MSM_HANDLE_SIGN];
        if (entry[1] & MSM_HANDLE_SIGN)
            ops->affine_neg(&a, &a);
        pail_point *sum = &sums[i / c->n * c->buckets + entry[0]];
        ops->add_affine(sum, sum, &a);
    }
    for (size_t b = 0; b < n_buckets; b++) {
        pail_point got;
        assert_true(ops->from_words(&got, s->points.device + XYZZ_WORDS * (s->push.buckets + b),
                                    s->variant.form));
        if (!ops->equal(&got, &sums[b]))
            fail_msg("bucket %zu of %zu is not the sum of its entries", b, n_buckets);
    }
    free(sums);
}

/* Entries of non-zero digits, less the buckets that have any. */
static uint32_t adds_needed(const struct shares *s)
{
    const uint32_t *starts = s->index.host + s->push.starts;
    uint32_t adds = 0;
    for (uint32_t w = 0; w < s->c->windows; w++, starts += s->c->buckets + 1) {
        adds += starts[s->c->buckets];
        for (uint32_t key = 0; key < s->c->buckets; key++)
            adds -= starts[key + 1] > starts[key];
    }
    return adds;
}

static uint32_t count_pieces(const struct shares *s)
{
    uint32_t pieces = 0;
    for (uint32_t i = 0; i < s->n_pieces; i++)
        pieces += s->index.device[s->push.keys + i] != MSM_KEY_NONE;
    return pieces;
}

uint32_t check_shares(const struct vk_fixture *f, const struct share_case *c,
                      enum pail_field_form form, uint64_t seed)
{
    struct shares s = {.c = c, .form = form, .variant = variant_of(form)};
    make_bases(&s, seed);
    make_entries(&s, seed + 1);
    lay_out(f, &s);
    run_accumulate(f, &s);
    const uint32_t pieces = c->debug ? 0 : count_pieces(&s);
    if (!c->debug)
        run_combine(f, &s);
    assert_buckets(&s);
    const uint32_t adds = s.index.device[s.push.adds];
    if (c->generic)
        assert_int_equal(adds, adds_needed(&s));
    else /* infinite pieces join without an addition */
        assert_true(adds <= adds_needed(&s));
    free(s.affine);
    buffer_free(&s.points);
    buffer_free(&s.index);
    buffer_free(&s.entries);
    free(s.sorted);
    buffer_free(&s.bases);
    return pieces;
}

void check_edges(const struct vk_fixture *f, struct share_case c, enum pail_field_form form,
                 uint64_t seed)
{
    enum { BUCKETS = 8 };
    static const uint32_t sharers[] = {BUCKETS / 2, BUCKETS, 2 * BUCKETS, 5 * BUCKETS};
    const uint32_t shares = c.threads * (c.walk ? c.walk->slots : 1);
    assert_int_equal(c.n % 40, 0);
    assert_true(shares >= 2 * BUCKETS);
    c.windows = 5;
    c.buckets = BUCKETS / 2;
    c.regular = true;
    c.generic = true;
    for (size_t i = 0; i < sizeof(sharers) / sizeof(sharers[0]) && sharers[i] <= shares; i++) {
        c.share = 2 * c.n / sharers[i];
        /* One from each end of a bucket, and two from a share between them. */
        const uint32_t pieces = sharers[i] > BUCKETS ? 2 * (sharers[i] - BUCKETS) : 0;
        assert_int_equal(check_shares(f, &c, form, seed + i), pieces);
    }
}

/* The accumulator that a check is about. */
enum taker { SHARES, SERIAL, RUNS, PAIRS };

/* A case for it: msm/accumulate/xyzz_runs has whole groups of threads. */
static struct share_case of_taker(struct share_case c, enum taker taker)
{
    c.serial = taker == SERIAL;
    c.runs = taker == RUNS || taker == PAIRS;
    c.pairs = taker == PAIRS;
    c.shared_sums = c.shared_sums && !c.serial;
    if (c.runs)
        c.threads = groups_for(c.threads, MSM_TASK) * MSM_TASK;
    return c;
}

static void check_kinds(const struct vk_fixture *f, enum pail_field_form form, enum taker taker)
{
    for (uint32_t kind = 0; kind < PAIL_BASES_COUNT; kind++) {
        const struct share_case c = {
            .n = is_slow(f) ? 40 : 150,
            .windows = 3,
            .buckets = 8,
            .threads = 21,
            .share = 4,
            .kind = (enum pail_base_kind)kind,
            .base_first = kind,
            .shared_sums = kind % 2,
        };
        const struct share_case of = of_taker(c, taker);
        check_shares(f, &of, form, kind);
    }
}

void test_accumulate(void **state)
{
    const struct vk_fixture *f = *state;
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of(f, forms);
    for (uint32_t i = 0; i < n_forms; i++)
        check_kinds(f, forms[i], SHARES);
}

/* Few buckets and many threads: nearly every bucket is in several pieces, some in many. */
static void check_splits(const struct vk_fixture *f, enum pail_field_form form, enum taker taker)
{
    const uint32_t n = is_slow(f) ? 40 : 200;
    const struct share_case cases[] = {
        /* a few pieces of each bucket; one entry for each thread; one bucket in all threads */
        {.n = n, .windows = 2, .buckets = 4, .threads = 50, .share = 1, .generic = true},
        {.n = n, .windows = 2, .buckets = 4, .threads = 3 * n, .share = 1, .generic = true},
        {.n = n,
         .windows = 3,
         .buckets = 2,
         .threads = 65,
         .share = 1,
         .one_in = 1,
         .generic = true},
        {.n = n,
         .windows = 2,
         .buckets = 16,
         .threads = 65,
         .share = 1,
         .one_in = 9,
         .generic = true},
        /* whole sums that cancel, in pieces that do not */
        {.n = n, .windows = 2, .buckets = 2, .threads = 33, .share = 1, .kind = PAIL_BASES_PAIRS},
        {.n = n, .windows = 2, .buckets = 2, .threads = 33, .share = 1, .kind = PAIL_BASES_EQUAL},
        {.n = n,
         .windows = 2,
         .buckets = 2,
         .threads = 64,
         .share = 1,
         .kind = PAIL_BASES_INFINITY},
    };
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        const struct share_case c = of_taker(cases[k], taker);
        const uint32_t pieces = check_shares(f, &c, form, 100 + k);
        assert_true(pieces > c.windows * 2);
    }
    if (taker == SHARES)
        check_edges(f, (struct share_case){.n = n, .threads = 50}, form, 210);
}

/* All digits zero, nothing to do; fewer entries than threads; other workgroups. */
static void check_odd(const struct vk_fixture *f, enum pail_field_form form, enum taker taker)
{
    const uint32_t n = is_slow(f) ? 40 : 200;
    const struct share_case none = {.n = n,
                                    .windows = 2,
                                    .buckets = 4,
                                    .threads = 9,
                                    .share = 1,
                                    .one_in = UINT32_MAX,
                                    .generic = true};
    const struct share_case few = {
        .n = 3, .windows = 1, .buckets = 4, .threads = 70, .share = 8, .generic = true};
    const struct share_case other = {.n = n,
                                     .windows = 2,
                                     .buckets = 4,
                                     .threads = 50,
                                     .share = 1,
                                     .workgroup = 32,
                                     .generic = true};
    const struct share_case cases[] = {of_taker(none, taker), of_taker(few, taker),
                                       of_taker(other, taker)};
    assert_int_equal(check_shares(f, &cases[0], form, 200), 0);
    check_shares(f, &cases[1], form, 201);
    /* Another workgroup is another pipeline, and no coordinate knows of it. */
    if (test_long() || (test_ops()->curve == PAIL_KC_BN254 && test_ops()->group == PAIL_KG_G1))
        check_shares(f, &cases[2], form, 202);
}

void test_accumulate_splits(void **state)
{
    const struct vk_fixture *f = *state;
    skip_left_out_group(f);
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of(f, forms);
    for (uint32_t i = 0; i < n_forms; i++)
        check_splits(f, forms[i], SHARES);
    check_odd(f, forms[0], SHARES);
}

/* A share of as many entries as a plan ever gives to one thread: drivers are known to end long
 * loops. */
static void check_long_share(const struct vk_fixture *f, enum pail_field_form form,
                             enum taker taker)
{
    const struct share_case c = {
        .n = 1024,
        /* A share as long as the plan makes them. */
        .windows = is_slow(f) || test_ops()->group == PAIL_KG_G2      ? 1
                   : pail_vk_device_caps(f->dev)->max_loop_iterations ? 3
                                                                      : 8,
        .buckets = 2,
        .threads = 1,
        .share = 1,
        .one_in = 1,
        .kind = PAIL_BASES_DISTINCT,
    };
    const struct share_case of = of_taker(c, taker);
    check_shares(f, &of, form, 300);
}

void test_accumulate_long_share(void **state)
{
    const struct vk_fixture *f = *state;
    skip_left_out_group(f);
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of(f, forms);
    for (uint32_t i = 0; i < n_forms; i++)
        check_long_share(f, forms[i], SHARES);
}

void test_accumulate_serial(void **state)
{
    const struct vk_fixture *f = *state;
    skip_without_int64(f);
    check_kinds(f, PAIL_FORM_X29, SERIAL);
    check_splits(f, PAIL_FORM_X29, SERIAL);
    check_odd(f, PAIL_FORM_X29, SERIAL);
    check_long_share(f, PAIL_FORM_X29, SERIAL);
}

/* Tasks that many groups share: runs of one length, which go over from a group to the next, and
 * long ones of which each is in pieces. */
static void check_tasks(const struct vk_fixture *f, enum pail_field_form form, enum taker taker)
{
    const uint32_t n = is_slow(f) ? 120 : 600;
    const struct share_case cases[] = {
        {.n = n, .windows = 3, .buckets = n / 10, .threads = 96, .share = 1, .generic = true},
        {.n = n, .windows = 2, .buckets = n / 12, .threads = 64, .share = 1, .regular = true},
        {.n = n, .windows = 2, .buckets = 5, .threads = 160, .share = 1, .kind = PAIL_BASES_PAIRS},
        {.n = n,
         .windows = 2,
         .buckets = 40,
         .threads = 32,
         .share = 4,
         .one_in = 3,
         .generic = true},
    };
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        struct share_case c = of_taker(cases[k], taker);
        c.shared_sums = k % 2;
        const uint32_t pieces = check_shares(f, &c, form, 400 + k);
        if (c.threads > MSM_TASK)
            assert_true(pieces > 0);
    }
}

void test_accumulate_runs(void **state)
{
    const struct vk_fixture *f = *state;
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of(f, forms);
    for (uint32_t i = 0; i < n_forms; i++) {
        check_kinds(f, forms[i], RUNS);
        check_splits(f, forms[i], RUNS);
        check_odd(f, forms[i], RUNS);
        check_tasks(f, forms[i], RUNS);
    }
}

/* Second groups alone; the subgroups of a workgroup are full. */
void test_accumulate_pairs(void **state)
{
    const struct vk_fixture *f = *state;
    skip_left_out_pairs(f);
    skip_without_pairs(f, MSM_REDUCE_WORKGROUP); /* the smallest */
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of(f, forms);
    for (uint32_t i = 0; i < n_forms; i++) {
        check_kinds(f, forms[i], PAIRS);
        check_tasks(f, forms[i], PAIRS);
    }
}
