/* Kernels that compute with points: the same formulas in the same order as on the CPU, so all
 * coordinates are equal; sums are also checked against logarithms. */
#include "kernels_support.h"

#include <inputs.h>
#include <msm/plan.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- convert -------------------------------------------------------------------------------- */
enum { RAW_POINTS = 150, BAD_RANGE = 40, BAD_CURVE = 25, FIRST = 1000 };

static void words_from_bytes(uint32_t *words, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        words[i / 4] = (i % 4 ? words[i / 4] : 0) | (uint32_t)bytes[i] << (8 * (i % 4));
}

/* p, little-endian: -1 is p - 1. */
static void modulus_words(uint32_t p[8])
{
    pail_affine g;
    uint8_t bytes[64];
    test_ops()->generator(&g); /* (1, 2) */
    test_ops()->affine_neg(&g, &g);
    test_ops()->encode(bytes, &g, false);
    words_from_bytes(p, bytes + 32, 32); /* p - 2 */
    p[0] += 2;
}

struct conversion {
    struct msm_convert_push push;
    bool bad_range, bad_curve;
    uint32_t status_before;
};

static void raw_points_make(struct buffer *raw, const struct conversion *c,
                            enum pail_field_form form)
{
    uint8_t *points = malloc(64 * RAW_POINTS);
    assert_non_null(points);
    pail_make_bases(test_ops(), points, c->push.encoding == MSM_ENCODING_MONTGOMERY, 0, RAW_POINTS,
                    PAIL_BASES_INFINITY, 1);
    words_from_bytes(raw->host, points, 64 * RAW_POINTS);
    if (c->push.encoding == MSM_ENCODING_OTHER_FORM) {
        const enum pail_radix other = form == PAIL_FIELD_9X29 ? PAIL_RADIX_8X32 : PAIL_RADIX_9X29;
        for (size_t i = 0; i < RAW_POINTS; i++) {
            pail_affine affine;
            assert_true(test_ops()->decode(&affine, points + 64 * i, false));
            test_ops()->affine_to_words(raw->host + AFFINE_WORDS * i, &affine, other);
        }
    }
    free(points);
    uint32_t p[8];
    modulus_words(p);
    if (c->bad_range) { /* y = p; x = p + 1; x = y = 2^256 - 1 */
        memcpy(raw->host + AFFINE_WORDS * (BAD_RANGE + 50) + 8, p, sizeof(p));
        memcpy(raw->host + AFFINE_WORDS * BAD_RANGE, p, sizeof(p));
        raw->host[AFFINE_WORDS * BAD_RANGE]++;
        memset(raw->host + AFFINE_WORDS * (BAD_RANGE + 1), 0xff, 64);
    }
    if (c->bad_curve) { /* y off by one; (0, 1), which is not infinity; x = p - 1 */
        raw->host[AFFINE_WORDS * (BAD_CURVE + 2) + 8] ^= 1;
        memset(raw->host + AFFINE_WORDS * BAD_CURVE, 0, 64);
        raw->host[AFFINE_WORDS * BAD_CURVE + 8] = 1;
        memcpy(raw->host + AFFINE_WORDS * (BAD_CURVE + 70), p, sizeof(p));
        raw->host[AFFINE_WORDS * (BAD_CURVE + 70)]--;
    }
    buffer_sync(raw);
}

static bool in_range(const uint32_t *coordinate, const uint32_t p[8])
{
    for (size_t i = 8; i-- > 0;)
        if (coordinate[i] != p[i])
            return coordinate[i] < p[i];
    return false;
}

static void check_convert(const struct vk_fixture *f, const struct conversion *c,
                          enum pail_field_form form)
{
    struct buffer raw = buffer_make(AFFINE_WORDS * RAW_POINTS), bases = buffer_make(raw.n);
    struct buffer status = buffer_make(MSM_STATUS_WORDS);
    raw_points_make(&raw, c, form);
    status.host[MSM_STATUS_RANGE] = c->status_before;
    status.host[MSM_STATUS_OFF_CURVE] = c->status_before;
    buffer_sync(&status);
    const struct kernel_call call = {
        .id = PAIL_KERNEL_MSM_CONVERT,
        .form = form,
        .push = &c->push,
        .gx = 2,
        .gy = groups_for(c->push.n, 2 * MSM_CONVERT_WORKGROUP) + 1,
        .bindings = {&raw, &bases, &status},
    };
    kernel_run(f, &call);
    const struct pail_twin_variant variant = variant_of(form);
    pail_twin_convert(&c->push, &variant, raw.host, bases.host, status.host);
    assert_same_words(&raw, "raw points");
    assert_same_words(&status, "status");
    const uint32_t off_curve = c->push.validation && c->bad_curve ? FIRST + BAD_CURVE : UINT32_MAX;
    const uint32_t range = c->bad_range ? FIRST + BAD_RANGE : UINT32_MAX;
    const uint32_t before = c->status_before;
    assert_int_equal(status.device[MSM_STATUS_RANGE], range < before ? range : before);
    assert_int_equal(status.device[MSM_STATUS_OFF_CURVE], off_curve < before ? off_curve : before);
    /* What a refused coordinate becomes is nobody's business. */
    uint32_t p[8];
    modulus_words(p);
    for (size_t i = 0; i < RAW_POINTS; i++)
        if (!in_range(raw.host + AFFINE_WORDS * i, p) ||
            !in_range(raw.host + AFFINE_WORDS * i + 8, p))
            memcpy(bases.host + AFFINE_WORDS * i, bases.device + AFFINE_WORDS * i, 64);
    assert_same_words(&bases, "bases");
    buffer_free(&status);
    buffer_free(&bases);
    buffer_free(&raw);
}

void test_convert(void **state)
{
    const struct vk_fixture *f = *state;
    enum pail_field_form forms[PAIL_FIELD_COUNT];
    const uint32_t n_forms = forms_of(f, forms);
    for (uint32_t i = 0; i < n_forms; i++)
        for (uint32_t bad = 0; bad < 16; bad++) {
            struct conversion c = {
                .push = {.n = RAW_POINTS, .validation = bad >> 2 & 1, .first = FIRST},
                .bad_range = bad & 1,
                .bad_curve = bad >> 1 & 1,
                .status_before = bad >> 3 ? FIRST + 30 : UINT32_MAX,
            };
            for (c.push.encoding = MSM_ENCODING_CANONICAL;
                 c.push.encoding <= MSM_ENCODING_OTHER_FORM; c.push.encoding++)
                check_convert(f, &c, forms[i]);
        }
}

/* ---- accumulate and combine ----------------------------------------------------------------- */

/* One accumulation of n entries in each window, and the joining of its pieces. */
struct share_case {
    uint32_t n, windows, stride, threads, share, snap;
    enum pail_base_kind kind;
    bool generic;    /* random bases in place of `kind`, no sums of which happen to cancel */
    uint32_t one_in; /* one in so many entries is in the hot bucket; 0: no hot bucket */
    uint32_t workgroup;
    uint32_t base_first;
};

struct shares {
    const struct share_case *c;
    struct pail_twin_variant variant;
    enum pail_field_form form;
    struct msm_accumulate_push push;
    uint32_t n_levels;
    struct msm_combine_push levels[PAIL_MSM_LEVELS_MAX];
    struct buffer bases, entries, index, points;
    pail_affine *affine; /* of each base */
};

static void make_bases(struct shares *s, uint64_t seed)
{
    const struct share_case *c = s->c;
    const size_t n = c->n;
    s->bases = buffer_make(AFFINE_WORDS * (c->base_first + n));
    s->affine = calloc(n, sizeof(*s->affine));
    uint8_t *points = malloc(64 * n);
    assert_non_null(s->affine);
    assert_non_null(points);
    pail_make_bases(test_ops(), points, false, 0, n, c->kind, seed);
    struct pail_rng rng;
    pail_rng_init(&rng, seed);
    for (size_t i = 0; i < n; i++) {
        assert_true(test_ops()->decode(&s->affine[i], points + 64 * i, false));
        if (c->generic) {
            const pail_u256 k = random_u256(&rng);
            const pail_point p = multiple_of_g(&k);
            test_ops()->to_affine(&s->affine[i], &p);
        }
        test_ops()->affine_to_words(s->bases.host + AFFINE_WORDS * (c->base_first + i),
                                    &s->affine[i], s->variant.radix);
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

static void make_entries(struct shares *s, uint64_t seed)
{
    const struct share_case *c = s->c;
    struct pail_rng rng;
    pail_rng_init(&rng, seed);
    s->entries = buffer_make(2 * (size_t)c->windows * c->n);
    for (uint32_t w = 0; w < c->windows; w++) {
        uint32_t *window = s->entries.host + 2 * (size_t)w * c->n;
        for (uint32_t i = 0; i < c->n; i++) {
            uint32_t key = (uint32_t)pail_rng_below(&rng, (uint64_t)c->stride + 1);
            if (c->one_in)
                key = pail_rng_below(&rng, c->one_in) ? c->stride : c->stride / 2;
            window[2 * i] = key;
            window[2 * i + 1] = i | (pail_rng_next(&rng) & 1 ? MSM_HANDLE_SIGN : 0);
        }
        qsort(window, c->n, 8, by_key_and_base);
    }
    buffer_sync(&s->entries);
}

/* Places everything with gaps, and finds bounds and cuts by the twins. */
static void lay_out(struct shares *s)
{
    const struct share_case *c = s->c;
    const uint32_t starts = 3, cuts = starts + c->windows * (c->stride + 1) + 2;
    const uint32_t adds = cuts + 2 * (c->threads + 1) + 1, keys = adds + 2;
    const uint32_t buckets = 1, pieces = buckets + c->windows * c->stride + 1;
    uint32_t words = keys + 2 * c->threads + 1, points = pieces + 2 * c->threads + 1;
    s->push = (struct msm_accumulate_push){
        .n = c->n,
        .windows = c->windows,
        .stride = c->stride,
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
        .n = 2 * c->threads,
        .keys_in = keys,
        .pieces_in = pieces,
        .adds = adds,
        .buckets = buckets,
    };
    do {
        assert_true(s->n_levels < PAIL_MSM_LEVELS_MAX);
        level.threads = groups_for(level.n, MSM_COMBINE_SLOTS);
        level.keys_out = words;
        level.pieces_out = points;
        s->levels[s->n_levels++] = level;
        words += 2 * level.threads + 1;
        points += 2 * level.threads + 1;
        level.n = 2 * level.threads;
        level.keys_in = level.keys_out;
        level.pieces_in = level.pieces_out;
    } while (level.threads > 1);

    s->index = buffer_make(words);
    s->points = buffer_make((size_t)XYZZ_WORDS * points);
    const struct msm_bounds_push bounds_push = {.n = c->n, .stride = c->stride, .starts = starts};
    const struct msm_cuts_push cuts_push = {
        .windows = c->windows,
        .stride = c->stride,
        .starts = starts,
        .cuts = cuts,
        .threads = c->threads,
        .share = c->share,
        .snap = c->snap,
    };
    pail_twin_bounds(&bounds_push, c->windows, s->entries.host, s->index.host);
    pail_twin_cuts(&cuts_push, s->index.host);
    s->index.host[adds] = 0;
    /* Empty buckets are infinity; everything else is poison. */
    memset(s->points.host + XYZZ_WORDS * (size_t)buckets, 0,
           (size_t)4 * XYZZ_WORDS * c->windows * c->stride);
    buffer_sync(&s->index);
    buffer_sync(&s->points);
}

static void run_accumulate(const struct vk_fixture *f, struct shares *s)
{
    const uint32_t workgroup = s->c->workgroup ? s->c->workgroup : MSM_ACCUMULATE_WORKGROUP;
    const struct kernel_call call = {
        .id = PAIL_KERNEL_MSM_ACCUMULATE,
        .form = s->form,
        .workgroup = s->c->workgroup,
        .push = &s->push,
        .gx = groups_for(s->c->threads, workgroup),
        .gy = 1,
        .bindings = {&s->bases, &s->entries, &s->index, &s->points},
    };
    kernel_run(f, &call);
    pail_twin_accumulate(&s->push, &s->variant, s->bases.host, s->entries.host, s->index.host,
                         s->points.host);
    assert_same_words(&s->index, "index after accumulating");
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
            .push = &s->levels[i],
            .gx = groups_for(s->levels[i].threads, MSM_COMBINE_WORKGROUP),
            .gy = 1,
            .bindings = {&s->index, &s->points},
        };
        kernel_run(f, &call);
        pail_twin_combine(&s->levels[i], &s->variant, s->index.host, s->points.host);
        assert_same_words(&s->index, "index after combining");
        assert_same_points(&s->points, "points after combining");
    }
}

/* Every bucket is the sum of its entries, whoever added them up. */
static void assert_buckets(const struct shares *s)
{
    const struct pail_curve_ops *ops = test_ops();
    const struct share_case *c = s->c;
    const size_t n_buckets = (size_t)c->windows * c->stride;
    pail_point *sums = calloc(n_buckets, sizeof(*sums));
    assert_non_null(sums);
    for (size_t i = 0; i < (size_t)c->windows * c->n; i++) {
        const uint32_t *entry = s->entries.host + 2 * i;
        if (entry[0] == c->stride)
            continue;
        pail_affine a = s->affine[entry[1] & ~MSM_HANDLE_SIGN];
        if (entry[1] & MSM_HANDLE_SIGN)
            ops->affine_neg(&a, &a);
        pail_point *sum = &sums[i / c->n * c->stride + entry[0]];
        ops->add_affine(sum, sum, &a);
    }
    for (size_t b = 0; b < n_buckets; b++) {
        pail_point got;
        assert_true(ops->from_words(&got, s->points.device + XYZZ_WORDS * (s->push.buckets + b),
                                    s->variant.radix));
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
    for (uint32_t w = 0; w < s->c->windows; w++, starts += s->c->stride + 1) {
        adds += starts[s->c->stride];
        for (uint32_t key = 0; key < s->c->stride; key++)
            adds -= starts[key + 1] > starts[key];
    }
    return adds;
}

static uint32_t count_pieces(const struct shares *s)
{
    uint32_t pieces = 0;
    for (uint32_t i = 0; i < 2 * s->c->threads; i++)
        pieces += s->index.device[s->push.keys + i] != MSM_KEY_NONE;
    return pieces;
}

/* Returns how many pieces of cut buckets the accumulation left. */
static uint32_t check_shares(const struct vk_fixture *f, const struct share_case *c,
                             enum pail_field_form form, uint64_t seed)
{
    struct shares s = {.c = c, .form = form, .variant = variant_of(form)};
    make_bases(&s, seed);
    make_entries(&s, seed + 1);
    lay_out(&s);
    run_accumulate(f, &s);
    const uint32_t pieces = count_pieces(&s);
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
    buffer_free(&s.bases);
    return pieces;
}

void test_accumulate(void **state)
{
    const struct vk_fixture *f = *state;
    enum pail_field_form forms[PAIL_FIELD_COUNT];
    const uint32_t n_forms = forms_of(f, forms), n = is_slow(f) ? 40 : 150;
    for (uint32_t i = 0; i < n_forms; i++)
        for (uint32_t kind = 0; kind < PAIL_BASES_COUNT; kind++) {
            const struct share_case c = {
                .n = n,
                .windows = 3,
                .stride = 8,
                .threads = 21,
                .share = 4,
                .snap = kind % 3,
                .kind = (enum pail_base_kind)kind,
                .base_first = kind,
            };
            check_shares(f, &c, forms[i], kind);
        }
}

/* Few buckets and many threads: nearly every bucket is in several pieces, some in many. */
void test_accumulate_splits(void **state)
{
    const struct vk_fixture *f = *state;
    enum pail_field_form forms[PAIL_FIELD_COUNT];
    const uint32_t n_forms = forms_of(f, forms), n = is_slow(f) ? 40 : 200;
    const struct share_case cases[] = {
        /* a few pieces of each bucket; one entry for each thread; one bucket in all threads */
        {.n = n, .windows = 2, .stride = 4, .threads = 50, .share = 1, .generic = true},
        {.n = n, .windows = 2, .stride = 4, .threads = 3 * n, .share = 1, .generic = true},
        {.n = n,
         .windows = 3,
         .stride = 2,
         .threads = 65,
         .share = 1,
         .one_in = 1,
         .generic = true},
        {.n = n,
         .windows = 2,
         .stride = 16,
         .threads = 65,
         .share = 1,
         .one_in = 9,
         .generic = true},
        /* whole sums that cancel, in pieces that do not */
        {.n = n, .windows = 2, .stride = 2, .threads = 33, .share = 1, .kind = PAIL_BASES_PAIRS},
        {.n = n, .windows = 2, .stride = 2, .threads = 33, .share = 1, .kind = PAIL_BASES_EQUAL},
        {.n = n, .windows = 2, .stride = 2, .threads = 64, .share = 1, .kind = PAIL_BASES_INFINITY},
    };
    for (uint32_t i = 0; i < n_forms; i++)
        for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
            const uint32_t pieces = check_shares(f, &cases[k], forms[i], 100 + k);
            assert_true(pieces > cases[k].windows * 2);
        }
    /* All digits zero, nothing to do; fewer entries than threads; other workgroups. */
    const struct share_case none = {.n = n,
                                    .windows = 2,
                                    .stride = 4,
                                    .threads = 9,
                                    .share = 1,
                                    .one_in = UINT32_MAX,
                                    .generic = true};
    const struct share_case few = {
        .n = 3, .windows = 1, .stride = 4, .threads = 70, .share = 8, .generic = true};
    const struct share_case other = {.n = n,
                                     .windows = 2,
                                     .stride = 4,
                                     .threads = 50,
                                     .share = 1,
                                     .workgroup = 32,
                                     .generic = true};
    assert_int_equal(check_shares(f, &none, forms[0], 200), 0);
    check_shares(f, &few, forms[0], 201);
    check_shares(f, &other, forms[0], 202);
}

/* As many entries as a plan ever gives to one thread: drivers are known to end long loops. */
void test_accumulate_long_share(void **state)
{
    const struct vk_fixture *f = *state;
    enum pail_field_form forms[PAIL_FIELD_COUNT];
    const uint32_t n_forms = forms_of(f, forms);
    const struct share_case c = {
        .n = 1024,
        .windows = is_slow(f) ? 1 : 8,
        .stride = 2,
        .threads = 1,
        .share = 1,
        .one_in = 1,
        .kind = PAIL_BASES_DISTINCT,
    };
    for (uint32_t i = 0; i < n_forms; i++)
        check_shares(f, &c, forms[i], 300);
}

/* ---- reduce --------------------------------------------------------------------------------- */
enum content {
    EMPTY,
    ONLY_SECOND,
    TWO_EQUAL,
    ALL_EQUAL,
    OPPOSITE, /* P, -P, P, -P, ... */
    LAST_ONLY,
    MIXED, /* random, a third of it empty */
    CONTENT_COUNT
};

static pail_u256 log_of(enum content content, uint32_t key, uint32_t stride, struct pail_rng *rng)
{
    const pail_u256 zero = {{0}}, five = {{5}};
    pail_u256 minus_five;
    switch (content) {
    case EMPTY:
        return zero;
    case ONLY_SECOND:
        return key == 1 ? five : zero;
    case TWO_EQUAL:
        return key == 0 || key == stride - 1 ? five : zero;
    case ALL_EQUAL:
        return five;
    case OPPOSITE:
        test_ops()->scalar_neg(&minus_five, &five);
        return key % 2 ? minus_five : five;
    case LAST_ONLY:
        return key == stride - 1 ? five : zero;
    case MIXED:
    case CONTENT_COUNT:
        break;
    }
    return pail_rng_below(rng, 3) ? (pail_u256){{pail_rng_below(rng, 1 << 20)}} : zero;
}

static void run_reduce(const struct vk_fixture *f, const struct msm_reduce_push *push,
                       enum pail_field_form form, struct buffer *points, struct buffer *windows)
{
    const struct pail_twin_variant variant = variant_of(form);
    const struct kernel_call call = {
        .id = PAIL_KERNEL_MSM_REDUCE,
        .form = form,
        .push = push,
        .gx = groups_for(push->n_out, MSM_REDUCE_WORKGROUP),
        .gy = push->windows,
        .bindings = {points, windows},
    };
    kernel_run(f, &call);
    pail_twin_reduce(push, &variant, points->host, windows->host);
    assert_same_points(points, "points after reducing");
    assert_same_points(windows, "window sums");
}

/* The levels of a plan, from buckets with known logarithms to window sums. */
static void check_reduce_window(const struct vk_fixture *f, uint32_t c, enum content content,
                                enum pail_field_form form)
{
    const struct pail_curve_ops *ops = test_ops();
    const struct pail_msm_shape shape = {
        .n = 1, .scalar_bits = ops->order_bits, .point_bytes = 64, .xyzz_bytes = 128};
    const struct pail_msm_limits limits = {
        .max_binding_bytes = UINT64_C(1) << 30,
        .align = 256,
        .max_workgroups = 65535,
        .max_threads = 64,
        .workgroup = 64,
    };
    const struct pail_msm_knobs knobs = {.window_bits = c, .batches = 128 / c};
    struct pail_msm_plan plan;
    ASSERT_OK(pail_msm_plan(&plan, &shape, &limits, &knobs, ERR));
    const uint32_t n_windows = plan.batch_windows, first_window = 2;
    struct buffer points = buffer_make(plan.region_bytes[PAIL_MSM_POINTS] / 4);
    struct buffer windows = buffer_make((size_t)XYZZ_WORDS * (first_window + n_windows + 1));
    pail_u256 *logs = calloc(n_windows, sizeof(*logs));
    assert_non_null(logs);
    struct pail_rng rng;
    pail_rng_init(&rng, c);
    for (uint32_t b = 0; b < n_windows * plan.stride; b++) {
        const uint32_t key = b % plan.stride, w = b / plan.stride;
        const pail_u256 log = log_of(content, key, plan.stride, &rng), weight = {{key + 1}};
        const pail_point p = multiple_of_g(&log);
        pail_u256 term;
        ops->to_words(points.host + XYZZ_WORDS * (plan.buckets + (size_t)b), &p,
                      variant_of(form).radix);
        ops->scalar_mul(&term, &log, &weight);
        ops->scalar_add(&logs[w], &logs[w], &term);
    }
    buffer_sync(&points);
    for (uint32_t i = 0; i < plan.n_reduce; i++) {
        const struct pail_msm_reduce_level *level = &plan.reduce[i];
        const struct msm_reduce_push push = {
            .n = level->n,
            .n_out = level->n_out,
            .log2_group = level->log2_group,
            .doublings = level->doublings,
            .sums_in = level->sums_in,
            .rests_in = level->rests_in,
            .sums_out = level->sums_out,
            .rests_out = level->rests_out,
            .last = i + 1 == plan.n_reduce,
            .first_window = first_window,
            .windows = n_windows,
        };
        run_reduce(f, &push, form, &points, &windows);
    }
    for (uint32_t w = 0; w < n_windows; w++) {
        const pail_point wanted = multiple_of_g(&logs[w]);
        pail_point got;
        assert_true(ops->from_words(&got, windows.device + XYZZ_WORDS * (first_window + w),
                                    variant_of(form).radix));
        if (!ops->equal(&got, &wanted))
            fail_msg("window %u of %u bits, content %d, is not the weighted sum of its buckets", w,
                     c, (int)content);
    }
    free(logs);
    buffer_free(&windows);
    buffer_free(&points);
}

void test_reduce_window(void **state)
{
    const struct vk_fixture *f = *state;
    static const uint32_t bits[] = {2, 3, 5, 6, 9};
    enum pail_field_form forms[PAIL_FIELD_COUNT];
    const uint32_t n_forms = forms_of(f, forms);
    for (uint32_t i = 0; i < n_forms; i++)
        for (size_t b = 0; b < (is_slow(f) ? 4 : 5); b++)
            for (uint32_t content = 0; content < CONTENT_COUNT; content++)
                check_reduce_window(f, bits[b], (enum content)content, forms[i]);
}

/* Groups that are not full, sums and rests of earlier levels, and infinities in any coordinates. */
static void check_reduce_level(const struct vk_fixture *f, struct msm_reduce_push push,
                               enum pail_field_form form)
{
    const uint32_t windows = push.windows, in = windows * push.n, out = windows * push.n_out;
    const bool has_rests = push.rests_in != MSM_KEY_NONE;
    push.sums_in = 1;
    push.rests_in = has_rests ? push.sums_in + in + 1 : MSM_KEY_NONE;
    push.sums_out = push.sums_in + 2 * in + 2;
    push.rests_out = push.sums_out + out + 1;
    struct buffer points = buffer_make((size_t)XYZZ_WORDS * (push.rests_out + out));
    struct buffer sums = buffer_make((size_t)XYZZ_WORDS * (push.first_window + windows));
    struct pail_rng rng;
    pail_rng_init(&rng, push.n);
    for (uint32_t i = 0; i < in * (has_rests ? 2 : 1); i++) {
        const pail_u256 k = {{pail_rng_below(&rng, 5)}};
        const pail_point p = multiple_of_g(&k);
        uint32_t *words = points.host + XYZZ_WORDS * (size_t)(push.sums_in + i + i / in);
        test_ops()->to_words(words, &p, variant_of(form).radix);
        if (k.l[0] == 0 && i % 2)
            words[0] = words[8] = words[24] = 12345; /* only ZZ says that it is infinite */
    }
    buffer_sync(&points);
    run_reduce(f, &push, form, &points, &sums);
    buffer_free(&sums);
    buffer_free(&points);
}

void test_reduce_level(void **state)
{
    const struct vk_fixture *f = *state;
    enum pail_field_form forms[PAIL_FIELD_COUNT];
    const uint32_t n_forms = forms_of(f, forms);
    static const uint32_t shapes[][2] = {{1, 1}, {11, 2}, {16, 4}, {70, 3}, {100, 1}};
    for (uint32_t i = 0; i < n_forms; i++)
        for (size_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++)
            for (uint32_t flags = 0; flags < 4; flags++) {
                const uint32_t n = shapes[k][0], log2_group = shapes[k][1];
                const struct msm_reduce_push push = {
                    .n = n,
                    .n_out = (n + (1u << log2_group) - 1) >> log2_group,
                    .log2_group = log2_group,
                    .doublings = flags + (uint32_t)k,
                    .rests_in = flags & 1 ? 0 : MSM_KEY_NONE,
                    .last = n >> log2_group <= 1 && flags & 2,
                    .first_window = 3,
                    .windows = 2,
                };
                check_reduce_level(f, push, forms[i]);
            }
}
