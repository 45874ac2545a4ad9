/* SPDX-License-Identifier: Apache-2.0 */
/* Several multiplications by elements of vectors, each on a queue of its own (PAIL_DEBUG=lanes: on
 * devices with one queue, too): the same sums, whatever is done to the vectors meanwhile, and
 * nothing left behind by those that are abandoned. */
#include "support/plugin.h"
#include "support/test.h"

#include <curves/inputs.h>

enum { N = 300, SETS = 3, VECTORS = 2, JOBS = SETS * VECTORS };

#define OK(call) assert_int_equal(call, PAIL_OK)

static struct test_plugin plugin;
static pail_bases *bases[SETS];
static uint8_t scalars[VECTORS][32 * N];
/* Sets that cannot be one bundle: of both groups, and of points that are left out. */
static const struct {
    uint32_t group;
    enum pail_base_kind kind;
} sets[SETS] = {
    {PAIL_G1, PAIL_BASES_DISTINCT}, {PAIL_G2, PAIL_BASES_DISTINCT}, {PAIL_G1, PAIL_BASES_INFINITY}};

static const struct pail_curve_ops *ops_of(uint32_t group)
{
    return pail_curve_ops(PAIL_CURVE_BN254, group);
}

PAIL_FIXTURE(setup)
{
    static uint8_t points[N * 4 * PAIL_COORDINATE_MAX];
    if (test_plugin_debug("lanes") != 0 || test_plugin_open(&plugin) != 0)
        return -1;
    for (int i = 0; i < SETS; i++) {
        pail_make_bases(ops_of(sets[i].group), points, true, 0, N, sets[i].kind, 1);
        const pail_bases_desc desc =
            SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = sets[i].group,
                  .encoding = PAIL_ENCODING_MONTGOMERY, .points = points, .n_points = N);
        if (plugin.api->bases_create(plugin.context, &bases[i], NULL, &desc) != PAIL_OK)
            return -1;
    }
    for (int v = 0; v < VECTORS; v++)
        pail_make_scalars(ops_of(PAIL_G1), scalars[v], N, PAIL_SCALARS_UNIFORM, (uint64_t)v + 1);
    return 0;
}

PAIL_FIXTURE(teardown)
{
    for (int i = 0; i < SETS; i++)
        plugin.api->bases_destroy(plugin.context, &bases[i]);
    return test_plugin_close(&plugin);
}

static void make_vectors(pail_vector *vectors[VECTORS])
{
    for (int v = 0; v < VECTORS; v++) {
        OK(plugin.api->vector_create(plugin.context, &vectors[v], PAIL_CURVE_BN254, N));
        OK(plugin.api->vector_write(vectors[v], 0, scalars[v], N, PAIL_ENCODING_CANONICAL));
    }
}

static pail_pending *start(pail_vector *const vectors[VECTORS])
{
    pail_msm_job jobs[JOBS];
    pail_pending *pending = NULL;
    for (int i = 0; i < JOBS; i++)
        jobs[i] = (pail_msm_job)SIZED(pail_msm_job, .scalar_location = PAIL_LOCATION_VECTOR,
                                      .scalar_bits = 254, .bases = bases[i % SETS],
                                      .scalar_vector = vectors[i / SETS], .n = N);
    OK(plugin.api->msm_start(plugin.context, &pending, jobs, JOBS, NULL));
    return pending;
}

static void expect_sums(pail_pending **pending)
{
    pail_msm_result results[JOBS];
    pail_stats stats = {.struct_size = sizeof(stats)};
    for (int i = 0; i < JOBS; i++)
        results[i] = (pail_msm_result){.struct_size = sizeof(results[i])};
    OK(plugin.api->msm_finish(pending, results, JOBS, &stats));
    assert_true(stats.submissions >= JOBS); /* a queue each */
    for (int i = 0; i < JOBS; i++) {
        const struct pail_curve_ops *ops = ops_of(sets[i % SETS].group);
        pail_point expected;
        pail_expected_msm(ops, &expected, scalars[i / SETS], 0, N, sets[i % SETS].kind, 1);
        assert_true(test_result_is(ops, &results[i], &expected));
    }
}

static void destroy_vectors(pail_vector *vectors[VECTORS])
{
    for (int v = 0; v < VECTORS; v++)
        plugin.api->vector_destroy(plugin.context, &vectors[v]);
}

/* Again and again, in the memory of those before. */
PAIL_TEST(sums_are_right)
{
    for (int round = 0; round < 3; round++) {
        pail_vector *vectors[VECTORS];
        make_vectors(vectors);
        pail_pending *pending = start(vectors);
        expect_sums(&pending);
        destroy_vectors(vectors);
    }
}

/* Work on the main queue, and the host, write what lanes read; and lanes read what it wrote. */
PAIL_TEST(vectors_change_meanwhile)
{
    pail_vector *vectors[VECTORS];
    make_vectors(vectors);
    pail_pending *pending = start(vectors), *added = NULL;
    pail_stats stats = {.struct_size = sizeof(stats)};
    const pail_vector_op add = SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_SUB, .r = vectors[0],
                                     .a = vectors[0], .b = vectors[0], .n = N);
    OK(plugin.api->vector_start(plugin.context, &added, &add, 1));
    OK(plugin.api->vector_write(vectors[1], 0, scalars[0], N, PAIL_ENCODING_CANONICAL));
    expect_sums(&pending);
    OK(plugin.api->vector_finish(&added, &stats));
    destroy_vectors(vectors);

    /* Zero and a copy, then what they were. */
    make_vectors(vectors);
    const pail_vector_op ops[] = {SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_ADD, .r = vectors[0],
                                        .a = vectors[0], .b = vectors[1], .n = N),
                                  SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_SUB, .r = vectors[0],
                                        .a = vectors[0], .b = vectors[1], .n = N)};
    OK(plugin.api->vector_start(plugin.context, &added, ops, 2));
    pending = start(vectors);
    expect_sums(&pending);
    OK(plugin.api->vector_finish(&added, &stats));
    destroy_vectors(vectors);
}

PAIL_TEST(abandoned)
{
    pail_vector *vectors[VECTORS];
    make_vectors(vectors);
    pail_pending *left = start(vectors), *pending = start(vectors);
    plugin.api->pending_abandon(&left);
    expect_sums(&pending);
    destroy_vectors(vectors);
}

PAIL_TEST_GROUP(setup, teardown)
