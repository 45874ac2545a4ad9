/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that convert points and that reduce buckets: the same formulas in the same order as on
 * the CPU, so all coordinates are equal; sums are also checked against logarithms. */
#include "kernels_support.h"

#include <curves/fold.h>
#include <curves/inputs.h>
#include <msm/plan/plan.h>

#include <stdlib.h>
#include <string.h>

#include "support/long.h"

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

static void raw_points_make(struct buffer *raw, const struct conversion *c)
{
    uint8_t *points = malloc(64 * RAW_POINTS);
    assert_non_null(points);
    pail_make_bases(test_ops(), points, c->push.encoding == MSM_ENCODING_MONTGOMERY, 0, RAW_POINTS,
                    PAIL_BASES_INFINITY, 1);
    words_from_bytes(raw->host, points, 64 * RAW_POINTS);
    if (c->push.encoding > MSM_ENCODING_FORM) {
        const enum pail_field_form other =
            (enum pail_field_form)(c->push.encoding - MSM_ENCODING_FORM);
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
    raw_points_make(&raw, c);
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
    /* A refused coordinate may become anything. */
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
    enum pail_field_form forms[PAIL_FORM_COUNT];
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
                 c.push.encoding < MSM_ENCODING_FORM + PAIL_FORM_COUNT; c.push.encoding++)
                check_convert(f, &c, forms[i]);
        }
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

static pail_u256 log_of(enum content content, uint32_t key, uint32_t window_buckets,
                        struct pail_rng *rng)
{
    const pail_u256 zero = {{0}}, five = {{5}};
    pail_u256 minus_five;
    switch (content) {
    case EMPTY:
        return zero;
    case ONLY_SECOND:
        return key == 1 ? five : zero;
    case TWO_EQUAL:
        return key == 0 || key == window_buckets - 1 ? five : zero;
    case ALL_EQUAL:
        return five;
    case OPPOSITE:
        test_ops()->scalar_neg(&minus_five, &five);
        return key % 2 ? minus_five : five;
    case LAST_ONLY:
        return key == window_buckets - 1 ? five : zero;
    case MIXED:
    case CONTENT_COUNT:
        break;
    }
    return pail_rng_below(rng, 3) ? (pail_u256){{pail_rng_below(rng, 1 << 20)}} : zero;
}

/* lanes: 2 for the kernels in which two invocations have an element. */
static void run_reduce(const struct vk_fixture *f, const struct msm_reduce_push *push,
                       enum pail_field_form form, uint32_t lanes, struct buffer *points,
                       struct buffer *windows)
{
    const struct pail_twin_variant variant = variant_of(form);
    const struct kernel_call call = {
        .id = PAIL_KERNEL_MSM_REDUCE,
        .form = form,
        .lanes = lanes,
        .push = push,
        .gx = (groups_for((uint64_t)lanes * MSM_QUAD * push->team * push->quads * push->windows,
                          MSM_REDUCE_WORKGROUP) +
               1) /
              2,
        .gy = 3, /* two dimensions, and more workgroups than needed */
        .bindings = {points, windows},
    };
    points_loosen(points, form);
    kernel_run(f, &call);
    pail_twin_reduce(push, &variant, points->host, windows->host);
    points_settle(points, form);
    assert_same_points(points, "points after reducing");
    assert_same_points(windows, "window sums");
}

/* A level's pass with a thread for each addition. */
static void run_reduce_wide(const struct vk_fixture *f, struct msm_reduce_push push,
                            enum pail_field_form form, uint32_t lanes, struct buffer *points)
{
    const struct pail_twin_variant variant = variant_of(form);
    for (; push.step < MSM_REDUCE_STEPS; push.step++) {
        const uint64_t threads =
            (uint64_t)lanes * MSM_REDUCE_STEP_ADDITIONS(push.step) * push.quads * push.windows;
        const struct kernel_call call = {
            .id = PAIL_KERNEL_MSM_REDUCE_WIDE,
            .form = form,
            .lanes = lanes,
            .push = &push,
            .gx = (groups_for(threads, MSM_REDUCE_WIDE_WORKGROUP) + 1) / 2,
            .gy = 3, /* two dimensions, and more workgroups than needed */
            .bindings = {points},
        };
        points_loosen(points, form);
        kernel_run(f, &call);
        pail_twin_reduce_wide(&push, &variant, points->host);
        points_settle(points, form);
        assert_same_points(points, "points after a wide step");
    }
}

static void run_reduce_serial(const struct vk_fixture *f, struct msm_reduce_serial_push push,
                              enum pail_field_form form, struct buffer *points,
                              struct buffer *windows)
{
    const struct pail_twin_variant variant = variant_of(form);
    const uint32_t segments = (uint32_t)1 << (push.log2_buckets - push.log2_segment);
    for (; push.pass < (segments > 1 ? 2 : 1); push.pass++) {
        const uint32_t jobs = push.windows * (push.pass ? 1 : segments);
        const struct kernel_call call = {
            .id = PAIL_KERNEL_MSM_REDUCE_SERIAL,
            .form = form,
            .push = &push,
            .gx = (groups_for(jobs, MSM_REDUCE_SERIAL_WORKGROUP) + 1) / 2,
            .gy = 3, /* two dimensions, and more workgroups than needed */
            .bindings = {points, windows},
        };
        kernel_run(f, &call);
        pail_twin_reduce_serial(&push, &variant, points->host, windows->host);
        assert_same_points(points, "points after a serial pass");
        assert_same_points(windows, "window sums of a serial pass");
    }
}

struct reduce_case {
    uint32_t window_bits;
    enum content content;
    enum pail_field_form form;
    bool serial; /* msm/reduce/reduce_serial, or what follows */
    uint32_t wide_passes;
    bool teams, in_parts;
    uint32_t lanes; /* invocations that have an element together */
};

/* The levels of a plan, from buckets with known logarithms to window sums. */
static void check_reduce_window(const struct vk_fixture *f, const struct reduce_case *r)
{
    const uint32_t c = r->window_bits;
    const enum pail_field_form form = r->form;
    const struct pail_curve_ops *ops = test_ops();
    const struct pail_msm_shape shape = {
        .n = 1,
        .vectors = 1,
        .sets = 1,
        .scalar_bits = ops->order_bits,
        .point_bytes = (uint32_t)(4 * AFFINE_WORDS),
        .xyzz_bytes = (uint32_t)(4 * XYZZ_WORDS),
    };
    const struct pail_msm_limits limits = {
        .max_binding_bytes = UINT64_C(1) << 30,
        .align = 256,
        .max_workgroups = 65535,
        .max_threads = 64,
        .sort_kernels = {.bits_max = 8, .subtile = 1024, .tiles = 1, .subtiles = 1},
        .accumulator = {.workgroup = 64, .shares = 1, .share_max = 8192},
    };
    const struct pail_msm_knobs knobs = {.window_bits = c, .batches = 128 / c};
    struct pail_msm_plan plan;
    ASSERT_OK(pail_msm_plan(&plan, &shape, &limits, &knobs, ERR));
    const uint32_t n_windows = plan.batch_windows, first_window = 2;
    struct buffer points = buffer_make(plan.region_bytes[PAIL_MSM_SHARED] / 4);
    const uint32_t levels = MSM_REDUCE_LEVELS(plan.log2_buckets),
                   parts = r->in_parts ? levels + 1 : 1;
    struct buffer windows =
        buffer_make((size_t)XYZZ_WORDS * (first_window + n_windows * parts + 1));
    pail_u256 *logs = calloc(n_windows, sizeof(*logs));
    assert_non_null(logs);
    struct pail_rng rng;
    pail_rng_init(&rng, c);
    for (uint32_t b = 0; b < n_windows * plan.window_buckets; b++) {
        const uint32_t key = b % plan.window_buckets, w = b / plan.window_buckets;
        const pail_u256 log = log_of(r->content, key, plan.window_buckets, &rng),
                        weight = {{key + 1}};
        const pail_point p = multiple_of_g(&log);
        pail_u256 term;
        ops->to_words(points.host + XYZZ_WORDS * (plan.buckets + (size_t)b), &p,
                      variant_of(form).form);
        ops->scalar_mul(&term, &log, &weight);
        ops->scalar_add(&logs[w], &logs[w], &term);
    }
    buffer_sync(&points);
    struct msm_reduce_push push = {
        .windows = n_windows,
        .log2_buckets = plan.log2_buckets,
        .levels = levels,
        .buckets = plan.buckets,
        .first_out = first_window,
        .parts = parts,
    };
    if (r->serial) {
        const struct msm_reduce_serial_push serial = {
            .windows = n_windows,
            .log2_buckets = plan.log2_buckets,
            .log2_segment = MSM_REDUCE_LOG2_SEGMENT(plan.log2_buckets),
            .buckets = plan.buckets,
            .first_out = first_window,
        };
        run_reduce_serial(f, serial, form, &points, &windows);
    }
    for (; !r->serial && push.pass <= levels + (parts > 1 ? 1 : 2); push.pass++) {
        push.quads = MSM_REDUCE_QUADS(push.log2_buckets, push.levels, push.pass);
        push.team = r->teams && push.pass <= push.levels + 1 ? MSM_REDUCE_TEAM : 1;
        if (push.pass < push.levels && push.pass < r->wide_passes)
            run_reduce_wide(f, push, form, r->lanes, &points);
        else if (push.quads)
            run_reduce(f, &push, form, r->lanes, &points, &windows);
    }
    for (uint32_t w = 0; w < n_windows; w++) {
        const pail_point wanted = multiple_of_g(&logs[w]);
        pail_point got;
        size_t bad;
        assert_true(pail_fold(ops, &got, &bad,
                              windows.device + XYZZ_WORDS * (first_window + w * (size_t)parts), 1,
                              1, c, parts, variant_of(form).form));
        if (!ops->equal(&got, &wanted))
            fail_msg("window %u of %u bits, content %d, is not the weighted sum of its buckets", w,
                     c, (int)r->content);
    }
    free(logs);
    buffer_free(&windows);
    buffer_free(&points);
}

static void check_reduce_windows(const struct vk_fixture *f, uint32_t lanes)
{
    static const uint32_t bits[] = {2, 3, 5, 6, 9};
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of(f, forms);
    /* A slow driver has one number of buckets in all groups but the first, and each pass by itself
     * in all of them (test_reduce_pass). */
    const bool first = test_ops()->curve == PAIL_KC_BN254 && test_ops()->group == PAIL_KG_G1;
    const bool few = is_slow(f) && !first && !test_long();
    for (uint32_t i = 0; i < n_forms; i++)
        for (size_t b = few ? 2 : 0; b < (few ? 3 : is_slow(f) ? 4 : 5); b++)
            for (uint32_t content = 0; content < CONTENT_COUNT; content++)
                for (uint32_t wide = 0; wide <= MSM_REDUCE_LEVELS(bits[b] - 1); wide++) {
                    const struct reduce_case r = {
                        .window_bits = bits[b],
                        .content = (enum content)content,
                        .form = forms[i],
                        .wide_passes = wide,
                        .teams = (content + wide) % 2,
                        .in_parts = (content + wide) / 2 % 2,
                        .lanes = lanes,
                    };
                    check_reduce_window(f, &r);
                }
}

void test_reduce_window(void **state)
{
    skip_left_out_group(*state);
    check_reduce_windows(*state, 1);
}

void test_reduce_window_pairs(void **state)
{
    skip_left_out_pairs(*state);
    skip_without_pairs(*state, MSM_REDUCE_WORKGROUP);
    check_reduce_windows(*state, 2);
}

void test_reduce_serial(void **state)
{
    const struct vk_fixture *f = *state;
    skip_without_int64(f);
    for (uint32_t bits = 2; bits <= 9; bits++)
        for (uint32_t content = 0; content < CONTENT_COUNT; content++) {
            const struct reduce_case r = {
                .window_bits = bits,
                .content = (enum content)content,
                .form = PAIL_FORM_X29,
                .serial = true,
            };
            check_reduce_window(f, &r);
        }
}

enum reduce_by { BY_QUADS, BY_TEAMS, BY_INVOCATIONS };

/* One pass over what no pass before it made: equal and opposite elements wherever two are added,
 * and infinities in any coordinates. */
static void check_reduce_pass(const struct vk_fixture *f, struct msm_reduce_push push,
                              enum pail_field_form form, uint32_t lanes, enum reduce_by by)
{
    const uint32_t n = push.windows << push.log2_buckets;
    push.levels = MSM_REDUCE_LEVELS(push.log2_buckets);
    push.quads = MSM_REDUCE_QUADS(push.log2_buckets, push.levels, push.pass);
    struct buffer points = buffer_make((size_t)XYZZ_WORDS * (push.buckets + n + 1));
    struct buffer sums = buffer_make((size_t)XYZZ_WORDS * (push.first_out + push.windows));
    struct pail_rng rng;
    pail_rng_init(&rng, n + push.pass);
    for (uint32_t i = 0; i < n; i++) {
        pail_u256 k = {{pail_rng_below(&rng, 4)}};
        if (pail_rng_below(&rng, 2))
            test_ops()->scalar_neg(&k, &k);
        const pail_point p = multiple_of_g(&k);
        uint32_t *words = points.host + XYZZ_WORDS * (size_t)(push.buckets + i);
        test_ops()->to_words(words, &p, variant_of(form).form);
        const size_t own = coordinate_words();
        if (test_ops()->is_infinity(&p) && i % 2) /* only ZZ says that it is infinite */
            words[0] = words[own] = words[3 * own] = 12345;
    }
    buffer_sync(&points);
    push.team = by == BY_TEAMS ? MSM_REDUCE_TEAM : 1;
    push.parts = 1;
    if (by == BY_INVOCATIONS)
        run_reduce_wide(f, push, form, lanes, &points);
    else if (push.quads)
        run_reduce(f, &push, form, lanes, &points, &sums);
    buffer_free(&sums);
    buffer_free(&points);
}

static void check_reduce_passes(const struct vk_fixture *f, uint32_t lanes)
{
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of_probe(f, lanes, forms);
    for (uint32_t i = 0; i < n_forms; i++)
        for (uint32_t log2_buckets = 0; log2_buckets <= (is_slow(f) ? 7 : 8); log2_buckets++)
            for (uint32_t pass = 0; pass <= MSM_REDUCE_LEVELS(log2_buckets) + 2; pass++) {
                const struct msm_reduce_push push = {
                    .windows = 3,
                    .log2_buckets = log2_buckets,
                    .pass = pass,
                    .buckets = 1,
                    .first_out = 3,
                };
                check_reduce_pass(f, push, forms[i], lanes, BY_QUADS);
                if (pass <= MSM_REDUCE_LEVELS(log2_buckets) + 1)
                    check_reduce_pass(f, push, forms[i], lanes, BY_TEAMS);
                if (pass < MSM_REDUCE_LEVELS(log2_buckets))
                    check_reduce_pass(f, push, forms[i], lanes, BY_INVOCATIONS);
            }
}

void test_reduce_pass(void **state)
{
    skip_left_out_group(*state);
    check_reduce_passes(*state, 1);
}

void test_reduce_pass_pairs(void **state)
{
    skip_left_out_pairs(*state);
    skip_without_pairs(*state, MSM_REDUCE_WORKGROUP);
    check_reduce_passes(*state, 2);
}
