/* SPDX-License-Identifier: Apache-2.0 */
/* Every number of points, cut in another way for each, over all devices of the plugin and the CPU
 * backend: right, also where a call of Vulkan fails on one of them. With lavapipe and SwiftShader
 * in VK_DRIVER_FILES these are three members of different kinds. An ordinary run takes some of the
 * numbers, tools/test --long all.
 *
 * Each number is struck at another call than the one before; in a long run every fourth is. A
 * device that is lost costs ten seconds: a new one, whose driver compiles all kernels anew. So
 * submissions fail at every LOSE_EVERY-th number, each one of a multiplication in turn, and the
 * other calls at all others. */
#include <curves/inputs.h>

#include "devices_faults.h"
#include "devices_members.h"
#include "support/long.h"
#include "support/test.h"

enum { MOST = 4097, FEW = 65, SHARE_EVERY = 61 };
/* One of so many numbers is struck, or loses a device: in an ordinary run, and in a long one. */
enum { STRIKE_EVERY_LONG = 4, LOSE_EVERY = 9, LOSE_EVERY_LONG = 521 };

static uint8_t points[MOST * 64], scalars[MOST * 32];
static const struct pail_curve_ops *ops;
static uint32_t state_of_random = 1;

static uint32_t random_below(uint32_t n)
{
    state_of_random = state_of_random * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(state_of_random >> 8) * n >> 24);
}

PAIL_FIXTURE(setup)
{
    ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    pail_make_bases(ops, points, true, 0, MOST, PAIL_BASES_INFINITY, 1);
    pail_make_scalars(ops, scalars, MOST, PAIL_SCALARS_EDGE, 2);
    return 0;
}

/* A software driver takes a millisecond for each point: it gets a few of n, and the processors the
 * rest. */
static void share_out_few(pail_context *context, size_t n)
{
    for (size_t i = 0; i < context->n; i++) {
        const double few = random_below(FEW), rest = n > context->n * FEW ? (double)n : FEW;
        for (size_t g = 0; g < PAIL_COMPOSITE_GROUPS; g++) {
            context->members[i].rates[g] = context->members[i].choice->built_in ? rest : few + 1e-3;
            context->members[i].measured[g].n = 0;
        }
    }
}

/* Shares of the members for the next multiplication: one of them may get next to nothing. */
static void share_out(pail_context *context)
{
    for (size_t i = 0; i < context->n; i++)
        for (size_t g = 0; g < PAIL_COMPOSITE_GROUPS; g++) {
            context->members[i].rates[g] = 1e3 * (1 + random_below(1000));
            context->members[i].measured[g].n = 0;
        }
    if (random_below(4) == 0)
        for (size_t g = 0; g < PAIL_COMPOSITE_GROUPS; g++)
            context->members[random_below((uint32_t)context->n)].rates[g] = 1e-3;
}

static pail_bases *register_points(pail_context *context)
{
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
              .encoding = PAIL_ENCODING_MONTGOMERY, .points = points, .n_points = MOST);
    pail_bases *bases = NULL;
    /* Rates that a set is cut by: not those that an earlier process has kept, which may be nothing
     * for one. */
    for (size_t i = 0; i < context->n; i++)
        for (size_t g = 0; g < PAIL_COMPOSITE_GROUPS; g++)
            context->members[i].rates[g] = 1;
    if (test_long())
        share_out_few(context, MOST);
    if (pail_composite_table.bases_create(context, &bases, NULL, &desc) != PAIL_OK)
        fail_msg("%s", pail_composite_table.error(context));
    return bases;
}

static pail_status multiply(pail_context *context, pail_bases *bases, size_t n,
                            pail_msm_result *result)
{
    const pail_backend *const t = &pail_composite_table;
    pail_pending *pending = NULL;
    if (test_long() && n % SHARE_EVERY != 0)
        share_out_few(context, n);
    else
        share_out(context);
    *result = (pail_msm_result){.struct_size = sizeof *result};
    const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = n);
    pail_status status = t->msm_start(context, &pending, &job, 1, NULL);
    if (status == PAIL_OK)
        status = t->msm_finish(&pending, result, 1, NULL);
    assert_null(pending);
    return status;
}

static void expect_right(const pail_msm_result *result, size_t n)
{
    uint8_t expected[64];
    pail_point sum;
    pail_affine affine;
    pail_expected_msm(ops, &sum, scalars, 0, n, PAIL_BASES_INFINITY, 1);
    ops->to_affine(&affine, &sum);
    ops->encode(expected, &affine, false);
    if (memcmp(result->x, expected, 32) != 0 || memcmp(result->y, expected + 32, 32) != 0)
        fail_msg("the sum of %zu points is wrong", n);
}

struct tally {
    long faults, losses, told;
    uint64_t points[PAIL_DEVICES_MAX]; /* each member's, in all contexts */
};

/* Ends a context; what its members had is counted. */
static void end(pail_context **context, pail_bases **bases, struct tally *tally)
{
    const pail_backend *const t = &pail_composite_table;
    assert_in_range((*context)->n, 1, PAIL_DEVICES_MAX);
    for (size_t i = 0; i < (*context)->n; i++)
        tally->points[i] += (*context)->members[i].points;
    t->bases_destroy(*context, bases);
    t->context_destroy(context);
    assert_int_equal(devices_blocks(), 0);
}

/* The k-th call that can fail does. */
static void strike(pail_context **context, pail_bases **bases, size_t n, size_t member, long k,
                   struct tally *tally)
{
    const pail_backend *const t = &pail_composite_table;
    pail_msm_result result;
    long failed = 0;
    devices_faults_arm((*context)->members[member].context, k, false);
    const pail_status status = multiply(*context, *bases, n, &result);
    (void)devices_faults_disarm(&failed);
    tally->faults += failed;
    if (status == PAIL_OK) {
        expect_right(&result, n);
    } else {
        const pail_msm_result zero = {.struct_size = sizeof zero};
        const char *const said = t->error(*context);
        tally->told++;
        if (failed == 0 || said[0] == '\0' ||
            (status != PAIL_ERR_DEVICE_MEMORY && status != PAIL_ERR_HOST_MEMORY))
            fail_msg("n %zu, member %zu, call %ld: status %d: %s", n, member, k, (int)status, said);
        assert_memory_equal(&result, &zero, sizeof zero);
    }
    if (!(*context)->members[member].lost)
        return;
    tally->losses++;
    end(context, bases, tally);
    *context = devices_open();
    *bases = register_points(*context);
}

/* The next number of points: each, or one near where a share, a window or a workgroup ends. */
static size_t next(size_t n, bool each)
{
    const size_t step = n < 4 ? 1 : n < 1025 ? n - 1 + random_below(3) : 1000 + random_below(50);
    return each ? n + 1 : n < MOST && n + step > MOST ? MOST : n + step;
}

/* replicate_up_to: MOST and more leaves all points with all members, less cuts the set. */
static void try_sizes(size_t replicate_up_to, bool all)
{
    const pail_backend *const t = &pail_composite_table;
    devices_find(replicate_up_to);
    const size_t n_vulkan = devices.n - 1;
    if (n_vulkan == 0)
        SKIP_BECAUSE("there is no device of the plugin");
    struct tally tally = {0};
    size_t tried = 0, struck = 0, lost = 0;
    const size_t lose_every = all ? LOSE_EVERY_LONG : LOSE_EVERY;
    pail_context *context = devices_open();
    pail_bases *bases = register_points(context);
    for (size_t n = 0; n <= MOST; n = next(n, all)) {
        const bool loses = tried % lose_every == lose_every / 2;
        const bool strikes = loses || !all || tried % STRIKE_EVERY_LONG == 0;
        const size_t turn = loses ? lost++ : struck, member = (turn + loses) % n_vulkan;
        pail_msm_result result;
        tried++;
        if (all && replicate_up_to < MOST && n % SHARE_EVERY == SHARE_EVERY - 1) {
            t->bases_destroy(context, &bases);
            bases = register_points(context); /* cut anew */
        }
        devices_faults_choose(loses ? DEVICES_FAULTS_OF_SUBMISSIONS : DEVICES_FAULTS_OF_OTHERS);
        devices_faults_arm(context->members[member].context, 0, false);
        if (multiply(context, bases, n, &result) != PAIL_OK)
            fail_msg("%zu points: %s", n, t->error(context));
        const long calls = devices_faults_disarm(&(long){0});
        expect_right(&result, n);
        if (calls == 0 || !strikes)
            continue;
        struck += !loses;
        strike(&context, &bases, n, member, 1 + (long)(turn / n_vulkan % (size_t)calls), &tally);
    }
    const size_t n_members = context->n;
    end(&context, &bases, &tally);
    for (size_t i = 0; i < n_members; i++) {
        print_message("member %zu of %zu: %llu points\n", i, n_members,
                      (unsigned long long)tally.points[i]);
        assert_true(tally.points[i] > 0);
    }
    print_message("%zu numbers of points, %ld faults, %ld losses, %ld told\n", tried, tally.faults,
                  tally.losses, tally.told);
    assert_true(tally.faults > 0 && tally.losses > 0);
}

PAIL_TEST(all_points_with_all_members)
{
    try_sizes(MOST, test_long());
}

PAIL_TEST(cut_sets)
{
    try_sizes(16, test_long());
}

PAIL_TEST_GROUP(setup, NULL)
