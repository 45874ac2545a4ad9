/* SPDX-License-Identifier: Apache-2.0 */
/* Several members on the CPU: every size, devices that are lost, vectors, memory that is not there.
 */
#include <composite/composite.h>
#include <composite/table.h>
#include <cpu/cpu.h>
#include <curves/curve_ops.h>

#include "support/counted.h"
#include "support/jacobian.h"
#include "support/test.h"

#ifdef PAIL_TEST_SANITIZED /* a quarter of the points is as much code */
enum { MOST = 1025, MEMBERS = 3 };
#else
enum { MOST = 4097, MEMBERS = 3 };
#endif

static atomic_long until_lost = -1;

static const pail_host host =
    SIZED(pail_host, .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR,
          .alloc = counted_alloc, .free = counted_free);

/* The CPU backend as a device that is lost at the call that the test says, and stays so. */
static pail_backend frail;
static const pail_backend *cpu;
static atomic_bool gone;

static bool lost_now(void)
{
    if (atomic_load(&until_lost) > 0 && atomic_fetch_sub(&until_lost, 1) == 1)
        atomic_store(&gone, true);
    return atomic_load(&gone);
}

static pail_status frail_start(pail_context *context, pail_pending **pending,
                               const pail_msm_job *jobs, size_t n, const pail_msm_config *config)
{
    *pending = NULL;
    return lost_now() ? PAIL_ERR_DEVICE_LOST : cpu->msm_start(context, pending, jobs, n, config);
}

static pail_status frail_finish(pail_pending **pending, pail_msm_result *results, size_t n,
                                pail_stats *stats)
{
    if (!lost_now())
        return cpu->msm_finish(pending, results, n, stats);
    cpu->pending_abandon(pending);
    return PAIL_ERR_DEVICE_LOST;
}

/* The CPU backend as the member that has the vectors: elements that are read of them count. */
static pail_backend watched;
static atomic_size_t elements_read;

static pail_status watched_read(const pail_vector *vector, void *elements, uint64_t offset,
                                uint64_t n, uint32_t encoding)
{
    atomic_fetch_add(&elements_read, (size_t)n);
    return cpu->vector_read(vector, elements, offset, n, encoding);
}

static struct pail_devices devices_of(size_t replicate, size_t whole, size_t windows)
{
    assert_int_equal(pail_cpu_open(&host, &cpu), PAIL_OK);
    frail = *cpu;
    frail.msm_start = frail_start;
    frail.msm_finish = frail_finish;
    watched = *cpu;
    watched.vector_read = watched_read;
    atomic_store(&gone, false);
    struct pail_devices d = {.host = host,
                             .mark = pail_composite_mark,
                             .base = &host,
                             .replicate_up_to = replicate,
                             .whole_below = whole,
                             .windows_below = windows,
                             .n = MEMBERS};
    d.host.struct_size = sizeof d;
    for (size_t i = 0; i < MEMBERS; i++)
        d.choices[i] = (struct pail_composite_choice){.backend = i == 0   ? &watched
                                                                 : i == 1 ? &frail
                                                                          : cpu,
                                                      .built_in = true,
                                                      .name = "processor",
                                                      .score = 10};
    return d;
}

static uint8_t points[MOST * 192], scalars[MOST * 32], passing[MOST * 32];
static uint8_t jacobians[MOST * 288]; /* the same points */

static void make_points(const struct pail_curve_ops *ops)
{
    uint8_t g[sizeof(pail_affine)];
    pail_affine affine;
    pail_point sum;
    ops->generator(g);
    ops->from_affine(&sum, g);
    for (size_t i = 0; i < MOST; i++) {
        ops->to_affine(&affine, &sum);
        uint8_t montgomery[192];
        ops->encode(montgomery, &affine, true);
        test_jacobian(jacobians + i * 3 * ops->coordinate_bytes, montgomery, ops, i);
        ops->encode(points + i * 2 * ops->coordinate_bytes, &affine, false);
        ops->add_affine(&sum, &sum, g);
    }
    uint32_t x = 12345;
    for (size_t i = 0; i < sizeof scalars; i++) {
        x = x * 1664525u + 1013904223u;
        scalars[i] = (uint8_t)(x >> 24);
    }
}

static pail_context *open_context(const struct pail_devices *d)
{
    const pail_context_params params =
        SIZED(pail_context_params, .device = PAIL_DEVICE_BEST, .threads = MEMBERS);
    pail_context *context = NULL;
    if (pail_composite_table.context_create(&d->host, &context, &params) != PAIL_OK)
        fail_msg("%s", pail_composite_table.error(NULL));
    return context;
}

/* True if several devices get Jacobian points. */
static bool jacobian;

static pail_status make_bases(const pail_backend *backend, pail_context *context,
                              pail_bases **bases, const struct pail_curve_ops *ops, size_t n)
{
    const bool other = jacobian && backend == &pail_composite_table;
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = ops->curve, .group = ops->group,
              .encoding = other ? PAIL_ENCODING_JACOBIAN : PAIL_ENCODING_CANONICAL,
              .points = other ? jacobians : points, .n_points = n);
    return backend->bases_create(context, bases, NULL, &desc);
}

/* True if scalars stay until the end; otherwise they are others as soon as work is started. */
static bool stable;

static pail_status multiply(const pail_backend *backend, pail_context *context, pail_bases *bases,
                            size_t first, size_t n, uint32_t encoding, pail_msm_result *result,
                            pail_stats *stats)
{
    const pail_msm_job job = SIZED(pail_msm_job, .scalar_encoding = encoding, .bases = bases,
                                   .base_offset = first, .scalars = passing, .n = n);
    const pail_msm_config config =
        SIZED(pail_msm_config, .flags = stable ? PAIL_MSM_STABLE_SCALARS : 0);
    pail_pending *pending = NULL;
    *result = (pail_msm_result){.struct_size = sizeof *result};
    (void)memcpy(passing, scalars, n * 32);
    const pail_status status = backend->msm_start(context, &pending, &job, 1, &config);
    if (!stable)
        (void)memset(passing, 0x5a, n * 32);
    if (status == PAIL_OK && n % 2 == 0) /* finish is right after waiting and without */
        assert_int_equal(backend->pending_wait(pending, UINT64_MAX), PAIL_OK);
    return status == PAIL_OK ? backend->msm_finish(&pending, result, 1, stats) : status;
}

struct rig {
    const struct pail_curve_ops *ops;
    struct pail_devices devices;
    pail_context *context, *reference;
    pail_bases *bases, *right;
};

static void rig_open(struct rig *rig, uint32_t curve, uint32_t group, size_t replicate,
                     size_t whole, size_t windows)
{
    rig->ops = pail_curve_ops(curve, group);
    rig->devices = devices_of(replicate, whole, windows);
    make_points(rig->ops);
    rig->context = open_context(&rig->devices);
    const pail_context_params params = {.struct_size = sizeof params, .threads = 1};
    assert_int_equal(cpu->context_create(&host, &rig->reference, &params), PAIL_OK);
    assert_int_equal(make_bases(&pail_composite_table, rig->context, &rig->bases, rig->ops, MOST),
                     PAIL_OK);
    assert_int_equal(make_bases(cpu, rig->reference, &rig->right, rig->ops, MOST), PAIL_OK);
}

static void rig_close(struct rig *rig)
{
    pail_composite_table.bases_destroy(rig->context, &rig->bases);
    cpu->bases_destroy(rig->reference, &rig->right);
    pail_composite_table.context_destroy(&rig->context);
    cpu->context_destroy(&rig->reference);
    assert_int_equal(atomic_load(&counted_blocks), 0);
}

static void compare(struct rig *rig, size_t first, size_t n, uint32_t encoding, pail_stats *stats)
{
    pail_msm_result result, right;
    if (multiply(&pail_composite_table, rig->context, rig->bases, first, n, encoding, &result,
                 stats) != PAIL_OK)
        fail_msg("n %zu: %s", n, pail_composite_table.error(rig->context));
    assert_int_equal(multiply(cpu, rig->reference, rig->right, first, n, encoding, &right, NULL),
                     PAIL_OK);
    assert_memory_equal(&result, &right, sizeof result);
}

static bool is_edge(size_t n)
{
    return n <= 20 || n >= MOST - 2 || (n & (n - 1)) == 0 || (n & (n + 1)) == 0 ||
           ((n - 1) & (n - 2)) == 0;
}

/* Split sets, sets that everybody has, and bits of scalars; PAIL_TEST_EVERY: each n in all groups.
 */
PAIL_TEST(sizes_are_right)
{
    const size_t ways[3][3] = {{16, 1, 0}, {MOST, 1, 0}, {MOST, 1, MOST + 1}};
    for (uint32_t group = 0; group < 4; group++) {
        for (size_t w = 0; w < 3; w++) {
            struct rig rig;
            jacobian = (group + w) % 2;
            rig_open(&rig, 1 + group / 2, 1 + group % 2, ways[w][0], ways[w][1], ways[w][2]);
            for (size_t n = 0; n <= MOST; n++)
                if (is_edge(n) || getenv("PAIL_TEST_EVERY") != NULL)
                    compare(&rig, (MOST - n) / 3, n, (uint32_t)(n % 2), NULL);
            rig_close(&rig);
        }
    }
    jacobian = false;
}

PAIL_TEST(a_lost_device_is_replaced)
{
    const size_t ways[3][3] = {{16, 1, 0}, {MOST, 1, 0}, {MOST, 1, MOST + 1}};
    for (size_t w = 0; w < 3; w++) {
        for (long when = 1; when <= 4; when++) {
            struct rig rig;
            stable = when % 2 == (long)w % 2;
            jacobian = when > 2;
            rig_open(&rig, 1, 1, ways[w][0], ways[w][1], ways[w][2]);
            atomic_store(&until_lost, when);
            pail_stats stats = {.struct_size = sizeof stats};
            bool told = false;
            for (int round = 0; round < 3; round++) {
                compare(&rig, 7, MOST - 97, 0, &stats);
                for (uint32_t i = 0; i < stats.n_phases; i++)
                    told |= strcmp(stats.phases[i].name, "redone elsewhere") == 0;
            }
            assert_true(told);
            pail_devices_member member = {.struct_size = sizeof member};
            uint64_t redone = 0;
            for (size_t i = 0; i < MEMBERS; i++) {
                assert_int_equal(pail_devices_get(&rig.devices, rig.context, &member, i), PAIL_OK);
                assert_int_equal(member.lost, i == 1);
                redone += member.redone;
            }
            assert_true(redone > 0);
            rig_close(&rig);
        }
    }
    stable = jacobian = false;
}

PAIL_TEST(stable_scalars_are_not_copied)
{
    struct rig rig;
    rig_open(&rig, 1, 1, 16, 1, 0);
    long bytes[2];
    for (int round = 0; round < 4; round++) {
        stable = round % 2 == 1;
        const long before = atomic_load(&counted_bytes);
        pail_msm_result result;
        assert_int_equal(
            multiply(&pail_composite_table, rig.context, rig.bases, 0, MOST, 0, &result, NULL),
            PAIL_OK);
        bytes[round % 2] = atomic_load(&counted_bytes) - before; /* the last two stay */
    }
    assert_int_equal(bytes[0] - bytes[1], MOST * 32);
    stable = false;
    rig_close(&rig);
}

PAIL_TEST(without_spare_a_lost_device_is_told)
{
    struct rig rig;
    rig_open(&rig, 1, 1, 16, 1, 0);
    rig.devices.flags = PAIL_DEVICES_NO_SPARE;
    pail_composite_table.bases_destroy(rig.context, &rig.bases); /* this one has a copy */
    assert_int_equal(make_bases(&pail_composite_table, rig.context, &rig.bases, rig.ops, MOST),
                     PAIL_OK);
    atomic_store(&until_lost, 2);
    pail_msm_result result;
    const pail_msm_result zero = {.struct_size = sizeof zero};
    assert_int_equal(
        multiply(&pail_composite_table, rig.context, rig.bases, 0, MOST, 0, &result, NULL),
        PAIL_ERR_DEVICE_LOST);
    assert_memory_equal(&result, &zero, sizeof zero);
    assert_non_null(strstr(pail_composite_table.error(rig.context), "device 0 of cpu (processor)"));
    assert_int_equal(
        multiply(&pail_composite_table, rig.context, rig.bases, 0, MOST, 0, &result, NULL),
        PAIL_ERR_DEVICE_LOST);
    assert_non_null(strstr(pail_composite_table.error(rig.context), "no copy of its points"));
    rig_close(&rig);
}

/* Elements below r, in a vector of several devices. */
static pail_vector *make_vector(struct rig *rig)
{
    const pail_backend *const t = &pail_composite_table;
    pail_vector *vector = NULL;
    for (size_t i = 0; i < MOST; i++)
        scalars[i * 32 + 31] = 0;
    assert_int_equal(t->vector_create(rig->context, &vector, 1, MOST), PAIL_OK);
    assert_int_equal(t->vector_write(vector, 0, scalars, MOST, 0), PAIL_OK);
    return vector;
}

/* The cut of the next multiplication: the first member's share over each other's. */
static void hold_rates(struct rig *rig, double first)
{
    for (size_t i = 0; i < rig->context->n; i++) {
        rig->context->members[i].rates[0] = i == 0 ? 10.0 * first : 10.0;
        rig->context->members[i].measured[0].n = 0;
    }
}

/* n_jobs equal jobs by the vector's first n elements are right, and cut equally. Returns the
 * elements read. */
static size_t multiply_cut(struct rig *rig, pail_vector *vector, size_t n, size_t n_jobs,
                           double first)
{
    const pail_backend *const t = &pail_composite_table;
    pail_msm_job jobs[2] = {SIZED(pail_msm_job, .scalar_location = PAIL_LOCATION_VECTOR,
                                  .bases = rig->bases, .n = n, .scalar_vector = vector)};
    jobs[1] = jobs[0];
    pail_msm_result results[2] = {{.struct_size = sizeof results[0]},
                                  {.struct_size = sizeof results[0]}};
    pail_msm_result right;
    pail_pending *pending = NULL;
    hold_rates(rig, first);
    atomic_store(&elements_read, 0);
    if (t->msm_start(rig->context, &pending, jobs, n_jobs, NULL) != PAIL_OK ||
        t->msm_finish(&pending, results, n_jobs, NULL) != PAIL_OK)
        fail_msg("n %zu: %s", n, t->error(rig->context));
    assert_int_equal(multiply(cpu, rig->reference, rig->right, 0, n, 0, &right, NULL), PAIL_OK);
    for (size_t i = 0; i < n_jobs; i++)
        assert_memory_equal(&results[i], &right, sizeof right);
    return atomic_load(&elements_read);
}

static size_t multiply_by(struct rig *rig, pail_vector *vector, size_t n, size_t n_jobs)
{
    return multiply_cut(rig, vector, n, n_jobs, 1.0);
}

/* Elements that the member that has the vector works on are not read; those of others are, until
 * they have been asked for twice. */
PAIL_TEST(vectors_are_multiplied_with)
{
    const size_t replicate[2] = {16, MOST};
    const pail_backend *const t = &pail_composite_table;
    for (size_t w = 0; w < 2; w++) {
        struct rig rig;
        rig_open(&rig, 1, 1, replicate[w], 100, 0);
        pail_vector *vector = make_vector(&rig);
        for (size_t n = 0; n <= MOST; n = 3 * n + 1) {
            const uint64_t before = rig.context->members[0].points;
            const size_t read = multiply_by(&rig, vector, n, 1);
            assert_int_equal(read, n - (rig.context->members[0].points - before));
            (void)multiply_by(&rig, vector, n, 2);
        }
        t->vector_destroy(rig.context, &vector);
        rig_close(&rig);
    }
}

/* The cut of a set stays, and so do copies of the parts of a vector, until its elements change. */
PAIL_TEST(parts_of_a_vector_stay_with_their_devices)
{
    struct rig rig;
    rig_open(&rig, 1, 1, 16, 1, 0);
    const pail_backend *const t = &pail_composite_table;
    pail_vector *vector = make_vector(&rig);
    const size_t theirs = multiply_by(&rig, vector, MOST, 2);
    assert_in_range(theirs, 1, MOST - 1); /* by rates that an earlier process kept */
    const size_t more = multiply_by(&rig, vector, MOST, 1); /* copies have a margin */
    assert_in_range(more, theirs + 1, theirs + MOST / 32);
    for (size_t n_jobs = 1; n_jobs <= 2; n_jobs++)
        assert_int_equal(multiply_by(&rig, vector, MOST, n_jobs), 0);
    for (int way = 0; way < 2; way++) { /* by a copy, by an operation */
        for (size_t i = 0; i < MOST; i++)
            scalars[i * 32] ^= 1;
        pail_vector *other = make_vector(&rig);
        if (way == 0) {
            assert_int_equal(t->vector_write(vector, 0, scalars, MOST, 0), PAIL_OK);
        } else {
            const pail_vector_op op = SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_COPY,
                                            .r = vector, .a = other, .n = MOST);
            pail_pending *pending = NULL;
            assert_int_equal(t->vector_start(rig.context, &pending, &op, 1), PAIL_OK);
            assert_int_equal(t->vector_finish(&pending, NULL), PAIL_OK);
        }
        t->vector_destroy(rig.context, &other);
        assert_int_equal(multiply_by(&rig, vector, MOST, 1), theirs);
        assert_int_equal(multiply_by(&rig, vector, MOST, 1), more);
        assert_int_equal(multiply_by(&rig, vector, MOST, 1), 0);
    }
    t->vector_destroy(rig.context, &vector);
    rig_close(&rig);
}

/* Shares that differ a little, as rounding and new rates make them, do with the same copies; others
 * get new ones. */
PAIL_TEST(parts_of_a_vector_may_move_a_little)
{
    struct rig rig;
    rig_open(&rig, 1, 1, MOST, 1, 0);
    const pail_backend *const t = &pail_composite_table;
    pail_vector *vector = make_vector(&rig);
    assert_true(multiply_cut(&rig, vector, MOST, 1, 1.0) > 0);
    assert_true(multiply_cut(&rig, vector, MOST, 1, 1.001) > 0);
    for (int i = 0; i < 9; i++)
        assert_int_equal(multiply_cut(&rig, vector, MOST, 1, 0.996 + i * 0.001), 0);
    assert_true(multiply_cut(&rig, vector, MOST, 1, 0.5) > 0);
    assert_true(multiply_cut(&rig, vector, MOST, 1, 0.5) > 0);
    assert_int_equal(multiply_cut(&rig, vector, MOST, 1, 0.5), 0);
    t->vector_destroy(rig.context, &vector);
    rig_close(&rig);
}

/* The vector still has what a lost device had a copy of, unless its elements have changed since. */
PAIL_TEST(a_lost_copy_is_read_again)
{
    for (int changed = 0; changed < 2; changed++) {
        struct rig rig;
        rig_open(&rig, 1, 1, 16, 1, 0);
        const pail_backend *const t = &pail_composite_table;
        pail_vector *vector = make_vector(&rig);
        for (int i = 0; i < 3; i++)
            (void)multiply_by(&rig, vector, MOST, 1);
        const pail_msm_job job = SIZED(pail_msm_job, .scalar_location = PAIL_LOCATION_VECTOR,
                                       .bases = rig.bases, .n = MOST, .scalar_vector = vector);
        pail_pending *pending = NULL;
        pail_msm_result result = {.struct_size = sizeof result}, right;
        hold_rates(&rig, 1.0);
        atomic_store(&until_lost, 2);
        atomic_store(&elements_read, 0);
        assert_int_equal(t->msm_start(rig.context, &pending, &job, 1, NULL), PAIL_OK);
        assert_int_equal(multiply(cpu, rig.reference, rig.right, 0, MOST, 0, &right, NULL),
                         PAIL_OK);
        if (changed)
            assert_int_equal(t->vector_write(vector, 5, scalars, 1, 0), PAIL_OK);
        t->vector_destroy(rig.context, &vector); /* legal while it is used */
        const pail_status status = t->msm_finish(&pending, &result, 1, NULL);
        assert_int_equal(status, changed ? PAIL_ERR_DEVICE_LOST : PAIL_OK);
        if (changed) {
            const pail_msm_result zero = {.struct_size = sizeof zero};
            assert_memory_equal(&result, &zero, sizeof zero);
            assert_non_null(strstr(t->error(rig.context), "its vectors with it"));
        } else {
            assert_memory_equal(&result, &right, sizeof right);
            assert_in_range(atomic_load(&elements_read), 1, MOST - 1);
        }
        rig_close(&rig);
    }
}

/* Each allocation fails once: a status, or the right result, and nothing is left behind. */
PAIL_TEST(memory_that_is_not_there)
{
    struct rig rig;
    rig_open(&rig, 1, 1, 16, 1, 0);
    pail_msm_result right;
    assert_int_equal(multiply(cpu, rig.reference, rig.right, 0, 300, 0, &right, NULL), PAIL_OK);
    const long before = atomic_load(&counted_blocks);
    bool done = false;
    for (long k = 0; k < 2000 && !done; k++) {
        pail_bases *bases = NULL;
        pail_msm_result result = {.struct_size = sizeof result};
        const pail_msm_result zero = result;
        atomic_store(&counted_left, k);
        pail_status status = make_bases(&pail_composite_table, rig.context, &bases, rig.ops, 300);
        if (status == PAIL_OK)
            status = multiply(&pail_composite_table, rig.context, bases, 0, 300, 0, &result, NULL);
        done = atomic_load(&counted_left) > 0;
        atomic_store(&counted_left, -1);
        assert_true(status == PAIL_OK || status == PAIL_ERR_HOST_MEMORY);
        assert_memory_equal(&result, status == PAIL_OK ? &right : &zero, sizeof result);
        pail_composite_table.bases_destroy(rig.context, &bases);
        assert_int_equal(atomic_load(&counted_blocks), before);
    }
    assert_true(done);
    rig_close(&rig);
}

PAIL_TEST(other_hosts_are_refused)
{
    const pail_context_params params = {.struct_size = sizeof params};
    pail_context *context = NULL;
    assert_int_equal(pail_composite_table.context_create(&host, &context, &params),
                     PAIL_ERR_ARGUMENT);
    assert_null(context);
    assert_non_null(strstr(pail_composite_table.error(NULL), "pail_devices_host"));
}

/* A refusal by a member reaches the caller, however the job was cut. */
PAIL_TEST(members_are_heard)
{
    const size_t ways[3][3] = {{16, 1, 0}, {MOST, 1, 0}, {MOST, 1, MOST + 1}};
    for (size_t w = 0; w < 3; w++) {
        struct rig rig;
        rig_open(&rig, 1, 1, ways[w][0], ways[w][1], ways[w][2]);
        memset(scalars, 0, sizeof scalars);
        scalars[32 * 1000 + 5] = 1; /* 41 bits */
        const pail_backend *const t = &pail_composite_table;
        pail_msm_job job = SIZED(pail_msm_job, .scalar_bits = 40, .bases = rig.bases,
                                 .scalars = scalars, .n = MOST);
        pail_pending *pending = NULL;
        pail_msm_result result = {.struct_size = sizeof result};
        pail_status status = t->msm_start(rig.context, &pending, &job, 1, NULL);
        if (status == PAIL_OK)
            status = t->msm_finish(&pending, &result, 1, NULL);
        assert_int_equal(status, PAIL_ERR_DATA);
        assert_non_null(strstr(t->error(rig.context), "scalar"));
        /* Another context's bases are its own. */
        struct pail_devices others = devices_of(16, 1, 0);
        pail_context *other = open_context(&others);
        job.bases = rig.bases;
        assert_int_equal(t->msm_start(other, &pending, &job, 1, NULL), PAIL_ERR_ARGUMENT);
        assert_null(pending);
        assert_non_null(strstr(t->error(other), "another context"));
        pail_vector *vector = NULL;
        assert_int_equal(t->vector_create(other, &vector, 9, 5), PAIL_ERR_UNSUPPORTED);
        assert_non_null(strstr(t->error(other), "device 0 of cpu"));
        assert_non_null(strstr(t->error(other), "curve"));
        t->context_destroy(&other);
        rig_close(&rig);
    }
}

/* Each point is counted once, also in a set some of whose points are with others now. */
PAIL_TEST(points_are_counted_once)
{
    struct rig rig;
    rig_open(&rig, 1, 1, 16, 1, 0);
    pail_bases_info before = {.struct_size = sizeof before}, after = before;
    assert_int_equal(pail_composite_table.bases_info(rig.bases, &before), PAIL_OK);
    assert_int_equal(before.n_kept, MOST);
    atomic_store(&until_lost, 1);
    compare(&rig, 0, MOST, 0, NULL);
    assert_int_equal(pail_composite_table.bases_info(rig.bases, &after), PAIL_OK);
    assert_int_equal(after.n_points, MOST);
    assert_int_equal(after.n_kept, MOST);
    rig_close(&rig);
}

/* Phases of the host are told to the device that has the vectors. */
PAIL_TEST(the_host_begins_a_phase)
{
    struct pail_devices devices = devices_of(16, 100, 0);
    pail_context *context = open_context(&devices);
    const pail_backend *const t = &pail_composite_table;
    const volatile int32_t *const ours = t->throttle(context);
    assert_non_null(ours);
    assert_int_equal(*ours, 0);
    assert_int_equal(t->throttle_begin(context), PAIL_OK);
    assert_int_equal(t->throttle_begin(context), PAIL_OK);
    assert_int_equal(t->throttle_end(context), PAIL_OK);
    assert_int_equal(t->throttle_end(context), PAIL_OK);
    assert_int_equal(t->throttle_end(context), PAIL_ERR_ARGUMENT);
    assert_int_equal(t->throttle_begin(NULL), PAIL_ERR_ARGUMENT);
    assert_null(t->throttle(NULL));
    t->context_destroy(&context);
}
