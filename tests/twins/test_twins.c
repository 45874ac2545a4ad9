/* SPDX-License-Identifier: Apache-2.0 */
/* Whole multiplications by the CPU twins alone, step by step as a plan's steps say, against the
 * closed form. Regions are poisoned first: nothing may be read that was not written, and nothing
 * written that a step does not say it writes. */

#include <curves/fold.h>
#include <curves/inputs.h>
#include <curves/rng.h>
#include <msm/run/pending.h>
#include <msm/steps/steps.h>
#include <vk/execute.h>

#include "machine.h"
#include "support/test.h"
#include "twins.h"

enum { SCALAR_BYTES = 32, VECTORS_MAX = 3, SETS_MAX = 2 };

static const struct pail_alloc alloc = {0};

static void to_words(uint32_t *words, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        words[i / 4] = (i % 4 ? words[i / 4] : 0) | (uint32_t)bytes[i] << (8 * (i % 4));
}

/* A multiplication, and how it is done. Zeros: 254-bit scalars over one set of BN254 G1. */
struct input {
    uint32_t n;
    enum pail_base_kind kind;
    enum pail_scalar_dist dist;
    enum pail_field_form form;
    struct pail_msm_knobs knobs;
    uint32_t accumulator;  /* PAIL_ACCUMULATOR_ */
    uint32_t curve, group; /* 0: PAIL_CURVE_BN254, PAIL_G1 */
    uint32_t vectors, sets;
    uint32_t table;   /* copies of the bases */
    uint32_t overlap; /* points from which on chunks are joined */
    bool generic; /* bases with random logarithms in place of `kind`: no sums happen to cancel */
    bool serial;  /* the kernels of software drivers */
    bool tasks;   /* runs in order of their length, as tasks of groups of threads */
    bool halves;  /* scalars are split by the GLV endomorphism */
    bool device_results, streamed, strict;
    bool expanded; /* bases are compact points */
};

/* Everything about one multiplication. */
struct job {
    const struct input *in;
    const struct pail_curve_ops *ops;
    enum pail_field_form form;
    struct pail_bases bases[SETS_MAX];
    struct pail_msm_set sets[SETS_MAX];
    struct pail_msm_vector vectors[VECTORS_MAX];
    struct pail_msm_bundle bundle;
    struct machine machine;
    pail_point expected[SETS_MAX][VECTORS_MAX];
    uint32_t barriers, steps;
    struct pail_vk_hazards hazards;
    uint64_t adds, expected_adds;
};

/* ---- Inputs ---------------------------------------------------------------------------------- */
static void make_generic(const struct pail_curve_ops *ops, uint8_t *points, pail_point *expected,
                         const uint8_t *scalars, uint32_t n)
{
    struct pail_rng rng;
    pail_affine affine;
    pail_point g, p;
    pail_u256 sum = {{0}};
    pail_rng_init(&rng, 7);
    ops->generator(&affine);
    ops->from_affine(&g, &affine);
    for (uint32_t i = 0; i < n; i++) {
        pail_u256 s, k = {{pail_rng_next(&rng), pail_rng_next(&rng), pail_rng_next(&rng)}};
        ops->mul(&p, &g, &k);
        ops->to_affine(&affine, &p);
        ops->encode(points + 2 * ops->coordinate_bytes * i, &affine, false);
        pail_u256_from_bytes(&s, scalars + SCALAR_BYTES * (size_t)i);
        ops->scalar_mul(&s, &s, &k);
        ops->scalar_add(&sum, &sum, &s);
    }
    ops->mul(expected, &g, &sum);
}

/* Bases of set s and what follows from them: copies of a table, or GLV images. */
static void put_bases(struct job *job, uint32_t s, const uint8_t *points)
{
    const struct input *in = job->in;
    const struct pail_curve_ops *ops = job->ops;
    const struct pail_twin_variant variant = {ops, job->form};
    const size_t words = 2 * ops->coordinate_bytes / 4;
    uint32_t *raw = malloc(4 * words * in->n + 4), *to = job->machine.regions[PAIL_MSM_BASES + s];
    uint32_t *const whole = in->expanded ? malloc(4 * words * in->n + 4) : to;
    uint32_t status[MSM_STATUS_WORDS] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    assert_true(raw && whole);
    to_words(raw, points, 4 * words * in->n);
    const struct msm_convert_push push = {.n = in->n, .validation = 1};
    pail_twin_convert(&push, &variant, raw, whole, status);
    assert_int_equal(status[MSM_STATUS_RANGE], UINT32_MAX);
    assert_int_equal(status[MSM_STATUS_OFF_CURVE], UINT32_MAX);
    free(raw);
    if (in->expanded) {
        const struct msm_compact_push compact = {.n = in->n};
        pail_twin_compact(&compact, &variant, whole, to);
        free(whole);
    }
    for (uint32_t copy = 1; copy < in->table; copy++) {
        const struct msm_table_push table = {.n = in->n,
                                             .from = (copy - 1) * in->n,
                                             .to = copy * in->n,
                                             .bits = in->knobs.window_bits,
                                             .last = 1};
        pail_twin_table(&table, &variant, to);
    }
    for (uint32_t i = 0; in->halves && i < in->n; i++) {
        pail_affine affine;
        pail_point point;
        (void)ops->affine_from_words(&affine, to + words * i, job->form);
        ops->from_affine(&point, &affine);
        ops->mul(&point, &point, &ops->lambda);
        ops->to_affine(&affine, &point);
        ops->affine_to_words(to + words * (in->n + i), &affine, job->form);
    }
}

static void fill(struct job *job)
{
    const struct input *in = job->in;
    const struct pail_curve_ops *ops = job->ops;
    uint8_t *scalars = malloc(SCALAR_BYTES * (size_t)in->n + 1);
    uint8_t *points = malloc(2 * ops->coordinate_bytes * in->n + 1);
    assert_true(scalars && points);
    for (uint32_t s = 0; s < job->bundle.n_sets; s++)
        for (uint32_t v = 0; v < job->bundle.n_vectors; v++) {
            pail_make_scalars(ops, scalars, in->n, in->dist, 5 + v);
            if (!job->bundle.plan.stepped)
                to_words(job->machine.regions[PAIL_MSM_SCALARS] + 8 * (size_t)in->n * v, scalars,
                         SCALAR_BYTES * (size_t)in->n);
            if (in->generic) {
                make_generic(ops, points, &job->expected[s][v], scalars, in->n);
            } else {
                pail_make_bases(ops, points, false, 0, in->n, in->kind, 6 + s);
                pail_expected_msm(ops, &job->expected[s][v], scalars, 0, in->n, in->kind, 6 + s);
            }
            if (v == 0)
                put_bases(job, s, points);
        }
    free(points);
    free(scalars);
}

/* Sends scalars and points of a chunk, as a stepped multiplication does with each. */
static void send_chunk(struct job *job, const struct pail_msm_chunk *chunk)
{
    const struct input *in = job->in;
    uint8_t *scalars = malloc(SCALAR_BYTES * (size_t)in->n + 1);
    assert_non_null(scalars);
    pail_make_scalars(job->ops, scalars, in->n, in->dist, 5);
    to_words(job->machine.regions[PAIL_MSM_SCALARS], scalars + SCALAR_BYTES * chunk->first,
             SCALAR_BYTES * (size_t)chunk->n);
    const size_t bytes = 2 * job->ops->coordinate_bytes;
    if (in->streamed)
        memcpy(job->machine.regions[PAIL_MSM_STREAM],
               (const uint8_t *)job->machine.regions[PAIL_MSM_BASES] + bytes * chunk->first,
               bytes * chunk->n);
    free(scalars);
}

/* ---- The plan -------------------------------------------------------------------------------- */
/* By the accumulators' own rule; `serial` and `tasks` are chosen for devices that are not here. */
static struct pail_msm_accumulator choose(const struct job *job)
{
    const struct input *in = job->in;
    const struct pail_vk_caps caps = {
        .type = in->serial ? VK_PHYSICAL_DEVICE_TYPE_CPU : VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
        .int64 = true,
        .max_workgroup_invocations = 128,
        .max_workgroup_size = {128, 128, 64},
        .max_workgroup_bytes = 16384,
        .name = "none",
    };
    const pail_msm_config config = SIZED(
        pail_msm_config, .accumulator = in->accumulator ? in->accumulator : PAIL_ACCUMULATOR_XYZZ,
        .field = in->form);
    struct pail_msm_accumulator accumulator;
    struct pail_error err = {0};
    const uint32_t group = in->group ? in->group : PAIL_G1;
    if (pail_msm_accumulator_choose(&accumulator, &config, &caps,
                                    (uint32_t)job->ops->coordinate_bytes, group,
                                    in->tasks ? UINT64_MAX : 0, &err) != PAIL_OK)
        fail_msg("%s", err.text);
    return accumulator;
}

static void plan(struct job *job)
{
    const struct input *in = job->in;
    struct pail_msm_bundle *b = &job->bundle;
    const uint32_t group = in->group ? in->group : PAIL_G1;
    const uint32_t curve = in->curve ? in->curve : PAIL_CURVE_BN254;
    struct pail_error err = {0};
    for (uint32_t s = 0; s < SETS_MAX; s++) {
        job->bases[s] = (struct pail_bases){
            .n = in->n,
            .kept = in->n,
            .order_known = true,
            .segment = in->n,
            .table = {.factor = in->table ? in->table : 1u + in->halves, .glv = in->halves},
            .compact = in->expanded,
        };
        assert_int_equal(pail_msm_group(&job->bases[s].group, curve, group, &err), PAIL_OK);
        job->sets[s].bases = &job->bases[s];
    }
    for (uint32_t v = 0; v < VECTORS_MAX; v++)
        job->vectors[v].scalars = (const uint8_t *)""; /* in host memory */
    *b = (struct pail_msm_bundle){
        .shape =
            {
                .n = in->n,
                .vectors = in->vectors ? in->vectors : 1,
                .sets = in->sets ? in->sets : 1,
                .scalar_bits = job->ops->order_bits,
                .point_bytes = job->bases[0].group.point_bytes,
                .xyzz_bytes = job->bases[0].group.xyzz_bytes,
                .table = in->table ? in->table : 1,
                .half_bits = in->halves ? job->ops->half_bits : 0,
                .device_results = in->device_results,
                .streamed = in->streamed,
                .expanded = in->expanded,
                .sent = in->overlap != 0,
            },
        .form = in->form,
        .curve = curve,
        .promised_bits = 256,
        .reduce = true,
        .n_vectors = in->vectors ? in->vectors : 1,
        .n_sets = in->sets ? in->sets : 1,
        .vectors = job->vectors,
        .sets = job->sets,
    };
    struct pail_msm_limits limits = {
        .max_binding_bytes = (uint64_t)1 << 30,
        .align = 16,
        .max_workgroups = 65535,
        .max_threads = 256,
        .quads_at_once = 40,
        .overlap_points = in->overlap,
        .sort_kernels = {.count = PAIL_KERNEL_MSM_SORT_COUNT,
                         .scan = PAIL_KERNEL_MSM_SORT_SCAN,
                         .scatter = PAIL_KERNEL_MSM_SORT_SCATTER,
                         .finish = PAIL_KERNEL_MSM_SORT_FINISH,
                         .bits_max = in->n % 2 ? 4 : 8,
                         .top_bits = in->n % 3 ? 0 : 2,
                         .subtile = 32,
                         .tiles = 2,
                         .subtiles = 32},
        .accumulator = choose(job),
    };
    const struct pail_vk_caps software = {.type = VK_PHYSICAL_DEVICE_TYPE_CPU};
    if (in->serial)
        limits.sort_kernels = pail_msm_sort_kernels_of(&software);
    if (pail_msm_plan(&b->plan, &b->shape, &limits, &in->knobs, &err) != PAIL_OK)
        fail_msg("%s", err.text);
}

static void make_regions(struct job *job)
{
    const struct pail_msm_bundle *b = &job->bundle;
    for (uint32_t i = 0; i < PAIL_MSM_REGIONS; i++)
        machine_region(&job->machine, i, (b->plan.region_bytes[i] + 3) / 4 * 4 + 4);
    machine_region(&job->machine, PAIL_MSM_RESULTS_OUT, pail_msm_results_bytes(b));
    machine_region(&job->machine, PAIL_MSM_REPORT_OUT,
                   4 * ((uint64_t)PAIL_MSM_REPORT_WORDS + pail_msm_blocks(&b->plan)));
    machine_region(&job->machine, PAIL_MSM_BUCKETS_OUT, pail_msm_buckets_bytes(b));
    for (uint32_t s = 0; s < b->n_sets; s++)
        machine_region(&job->machine, PAIL_MSM_BASES + s, pail_bases_points_bytes(&job->bases[s]));
}

/* ---- Running --------------------------------------------------------------------------------- */
/* Entries that count, less buckets that have any: what the additions must come to. */
static void count_adds(struct job *job, const struct pail_vk_steps *list)
{
    const struct pail_msm_plan *p = &job->bundle.plan;
    const uint32_t *index = job->machine.regions[PAIL_MSM_INDEX];
    const struct pail_vk_step *last = &list->steps[list->n - 1];
    if (last->kind != PAIL_VK_STEP_COPY || last->ranges[0].offset != 4 * (uint64_t)p->adds)
        return;
    job->adds += index[p->adds];
    for (uint32_t w = 0; w < p->batch_windows; w++) {
        const uint32_t *starts = index + p->starts + (size_t)w * (p->window_buckets + 1);
        job->expected_adds += starts[p->window_buckets];
        for (uint32_t key = 0; key < p->window_buckets; key++)
            job->expected_adds -= starts[key + 1] > starts[key];
    }
}

static bool expands(const struct pail_vk_steps *list)
{
    const struct pail_vk_step *const first = &list->steps[0];
    return first->kind == PAIL_VK_STEP_DISPATCH &&
           list->requests[first->request].kernel == PAIL_KERNEL_MSM_EXPAND;
}

static bool run_section(void *user, struct pail_vk_steps *list, const struct pail_msm_chunk *chunk)
{
    struct job *job = user;
    /* A chunk's section without steps, or that expands bases, fetches: what is sent comes first. */
    if (chunk && job->bundle.plan.stepped && (list->n == 0 || expands(list)))
        send_chunk(job, chunk);
    machine_execute(&job->machine, list);
    for (uint32_t i = 0; i < list->n; i++)
        job->barriers += pail_vk_hazards_next(&job->hazards, &list->steps[i]).from != 0;
    job->steps += list->n;
    if (list->n && job->bundle.n_sets == 1)
        count_adds(job, list);
    pail_vk_steps_clear(list);
    return true;
}

static pail_point result_of(const struct job *job, uint32_t s, uint32_t v)
{
    const struct pail_msm_bundle *b = &job->bundle;
    const struct pail_curve_ops *ops = job->ops;
    const uint8_t *results = (const uint8_t *)job->machine.regions[PAIL_MSM_RESULTS_OUT];
    const uint64_t part = pail_msm_results_bytes(b) / b->n_sets;
    const uint64_t window = (uint64_t)b->plan.window_parts * b->shape.xyzz_bytes;
    pail_point total = {{0}}, one;
    size_t bad;
    if (b->plan.fold_on_device) {
        const uint64_t at = s * part + (uint64_t)v * b->shape.xyzz_bytes;
        assert_true(
            ops->from_words(&total, (const uint32_t *)(const void *)(results + at), job->form));
        return total;
    }
    for (uint32_t chunk = 0; chunk < b->plan.parts; chunk++) {
        const uint64_t at =
            s * part + ((uint64_t)chunk * b->n_vectors + v) * b->plan.windows * window;
        assert_true(pail_fold(ops, &one, &bad, (const uint32_t *)(const void *)(results + at), 1,
                              b->plan.windows, b->plan.window_step, b->plan.window_parts,
                              job->form));
        ops->add(&total, &total, &one);
    }
    return total;
}

/* The plan that it was done by, and the barriers that it took. */
struct done {
    struct pail_msm_plan plan;
    uint32_t barriers, steps;
};

static struct done check(const struct input *in)
{
    struct job job = {.in = in, .machine = {.strict = in->strict}};
    job.ops = pail_curve_ops(in->curve ? in->curve : PAIL_CURVE_BN254, in->group ? in->group : 1);
    job.form = in->form;
    plan(&job);
    make_regions(&job);
    fill(&job);
    static const uint64_t somewhere[SETS_MAX * VECTORS_MAX] = {0};
    const struct pail_msm_recording recording = {
        .bundle = &job.bundle,
        .addresses = in->device_results ? somewhere : NULL,
        .keeps_buckets = job.bundle.n_sets == 1 && job.bundle.n_vectors == 1,
    };
    struct pail_vk_steps list;
    pail_vk_steps_init(&list, &alloc);
    pail_msm_steps_all(&list, &recording, run_section, &job);
    assert_int_equal(list.failed, PAIL_OK);
    pail_vk_steps_fini(&list);
    for (uint32_t s = 0; s < job.bundle.n_sets; s++)
        for (uint32_t v = 0; v < job.bundle.n_vectors; v++) {
            const pail_point sum = result_of(&job, s, v);
            assert_true(job.ops->equal(&sum, &job.expected[s][v]));
        }
    /* Pieces that are infinite join without an addition. */
    if (in->generic &&
        job.bundle.plan.batches * job.bundle.plan.batch_windows == job.bundle.plan.total_windows)
        assert_int_equal(job.adds, job.expected_adds);
    machine_end(&job.machine);
    return (struct done){job.bundle.plan, job.barriers, job.steps};
}

/* ---- Tests ----------------------------------------------------------------------------------- */
PAIL_TEST(test_inputs)
{
    for (uint32_t dist = 0; dist < PAIL_SCALARS_COUNT; dist++)
        for (uint32_t kind = 0; kind < PAIL_BASES_COUNT; kind++)
            check(&(struct input){
                .n = 150,
                .kind = (enum pail_base_kind)kind,
                .dist = (enum pail_scalar_dist)dist,
                .form = (dist + kind) % 2 ? PAIL_FORM_X29 : PAIL_FORM_X32,
                .serial = (dist + kind) % 3 == 0,
                .tasks = (dist + kind) % 3 == 1,
            });
}

PAIL_TEST(test_sizes)
{
    static const uint32_t sizes[] = {1, 2, 3, 31, 100, 1023, 1025};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (int tasks = 0; tasks < 2; tasks++)
            check(&(struct input){.n = sizes[i],
                                  .dist = PAIL_SCALARS_UNIFORM,
                                  .form = PAIL_FORM_X29,
                                  .tasks = tasks});
}

PAIL_TEST(test_windows)
{
    for (uint32_t c = PAIL_MSM_WINDOW_MIN; c <= 12; c++)
        check(&(struct input){
            .n = 64,
            .dist = PAIL_SCALARS_EDGE,
            .form = PAIL_FORM_X32,
            .knobs = {.window_bits = c},
            .generic = true,
        });
}

PAIL_TEST(test_knobs)
{
    static const uint32_t threads[] = {1, 2, 7, 64, 1000};
    for (size_t t = 0; t < 5; t++)
        for (uint32_t batches = 1; batches <= 9; batches += 4)
            check(&(struct input){
                .n = 200,
                .dist = batches == 5 ? PAIL_SCALARS_HOT : PAIL_SCALARS_UNIFORM,
                .form = PAIL_FORM_X29,
                .knobs = {.window_bits = 5, .threads = threads[t], .batches = batches},
                .generic = true,
            });
    for (size_t t = 0; t < 10; t++)
        check(&(struct input){
            .n = 200,
            .dist = t % 2 ? PAIL_SCALARS_HOT : PAIL_SCALARS_UNIFORM,
            .form = PAIL_FORM_X29,
            .knobs = {.window_bits = 5,
                      .threads = threads[t % 5],
                      .batches = 1 + 4 * (uint32_t)(t % 3)},
            .generic = true,
            .serial = t < 5,
            .tasks = t >= 5,
        });
}

/* Few points at a time: the window sums of several chunks are folded. */
PAIL_TEST(test_chunks)
{
    struct input in = {
        .n = 3000,
        .dist = PAIL_SCALARS_UNIFORM,
        .form = PAIL_FORM_X29,
        .knobs = {.window_bits = 4, .batches = 13, .memory_budget = 200000},
    };
    assert_true(check(&in).plan.chunks > 1);
    in.knobs.memory_budget = 0;
    assert_int_equal(check(&in).plan.chunks, 1);
}

PAIL_TEST(test_accumulators)
{
    for (uint32_t accumulator = PAIL_ACCUMULATOR_WALKER; accumulator <= PAIL_ACCUMULATOR_DEBUG;
         accumulator++)
        check(&(struct input){.n = 200,
                              .dist = PAIL_SCALARS_HOT,
                              .form = PAIL_FORM_X29,
                              .accumulator = accumulator,
                              .knobs = {.window_bits = 5},
                              .strict = true});
}

PAIL_TEST(test_groups)
{
    for (uint32_t curve = PAIL_CURVE_BN254; curve <= PAIL_CURVE_BLS12_381; curve++)
        for (uint32_t group = PAIL_G1; group <= PAIL_G2; group++)
            check(&(struct input){.n = 70,
                                  .form = PAIL_FORM_X32,
                                  .curve = curve,
                                  .group = group,
                                  .tasks = group == PAIL_G2,
                                  .strict = true});
}

/* Several vectors or sets, folded by the host or by a kernel. */
PAIL_TEST(test_bundles)
{
    for (uint32_t i = 0; i < 8; i++)
        check(&(struct input){.n = 120,
                              .form = PAIL_FORM_X29,
                              .vectors = i % 2 ? VECTORS_MAX : 1,
                              .sets = i % 2 ? 1 : SETS_MAX,
                              .knobs = {.window_bits = 6, .batches = i / 4 ? 7 : 0},
                              .device_results = i / 2 % 2,
                              .tasks = i >= 4,
                              .strict = true});
}

PAIL_TEST(test_tables)
{
    check(&(struct input){
        .n = 100, .form = PAIL_FORM_X29, .knobs = {.window_bits = 6}, .table = 4, .strict = true});
}

/* Scalars split by the GLV endomorphism, and a top window with more bits than the others. */
PAIL_TEST(test_halves)
{
    uint32_t wide = 0;
    for (uint32_t c = 3; c <= 10; c++)
        wide |= check(&(struct input){.n = 90,
                                      .form = PAIL_FORM_X29,
                                      .knobs = {.window_bits = c},
                                      .halves = true,
                                      .tasks = c % 2,
                                      .strict = true})
                    .plan.wide_top;
    assert_true(wide);
}

PAIL_TEST(test_streams)
{
    const struct done done = check(&(struct input){
        .n = 3000,
        .form = PAIL_FORM_X29,
        .knobs = {.window_bits = 4, .batches = 13, .memory_budget = 300000},
        .streamed = true,
    });
    assert_true(done.plan.stepped && done.plan.chunks > 1);
}

/* Compact bases, expanded chunk by chunk; in form x32 in several dispatches. */
PAIL_TEST(test_expanded)
{
    const struct done done = check(&(struct input){
        .n = 2100,
        .kind = PAIL_BASES_INFINITY,
        .form = PAIL_FORM_X29,
        .knobs = {.window_bits = 4, .batches = 13, .memory_budget = 300000},
        .expanded = true,
    });
    assert_true(done.plan.stepped && done.plan.chunks > 1);
    for (uint32_t curve = PAIL_CURVE_BN254; curve <= PAIL_CURVE_BLS12_381; curve++)
        check(&(struct input){.n = 70,
                              .form = PAIL_FORM_X32,
                              .curve = curve,
                              .knobs = {.window_bits = 6},
                              .tasks = curve == PAIL_CURVE_BN254,
                              .strict = true,
                              .expanded = true});
}

/* Chunks that add to the same buckets. */
PAIL_TEST(test_joined)
{
    const struct done done = check(&(struct input){
        .n = 2000,
        .form = PAIL_FORM_X29,
        .knobs = {.window_bits = 7},
        .overlap = 100,
        .tasks = true,
        .strict = false,
    });
    assert_true(done.plan.joined && done.plan.chunks > 1);
}

/* A step waits for what it needs, and for nothing else: fewer barriers than steps. */
PAIL_TEST(test_barriers)
{
    const struct done done = check(&(struct input){
        .n = 1000, .form = PAIL_FORM_X29, .knobs = {.window_bits = 8}, .tasks = true});
    print_message("%u barriers for %u steps\n", done.barriers, done.steps);
    assert_true(done.barriers < done.steps);
}

/* Points that are written as words read back the same, in both forms and with infinity. */
PAIL_TEST(test_words)
{
    const struct pail_curve_ops *ops = pail_curve_ops(1, 1);
    uint8_t bytes[5 * 64];
    pail_make_bases(ops, bytes, false, 0, 5, PAIL_BASES_INFINITY, 1);
    for (enum pail_field_form form = PAIL_FORM_X32; form <= PAIL_FORM_X29; form++)
        for (size_t i = 0; i < 5; i++) {
            uint32_t words[32];
            pail_affine affine, back;
            pail_point p, q;
            assert_true(ops->decode(&affine, bytes + 64 * i, false));
            ops->affine_to_words(words, &affine, form);
            assert_true(ops->affine_from_words(&back, words, form));
            assert_memory_equal(&affine, &back, ops->affine_bytes);
            ops->from_affine(&p, &affine);
            ops->dbl(&p, &p);
            ops->to_words(words, &p, form);
            assert_true(ops->from_words(&q, words, form));
            assert_memory_equal(&p, &q, 2 * ops->affine_bytes);
            memset(words, 0xff, sizeof(words));
            assert_false(ops->affine_from_words(&back, words, form));
            assert_true(ops->affine_is_infinity(&back));
        }
}
