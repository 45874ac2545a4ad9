/* SPDX-License-Identifier: Apache-2.0 */
/* Every k-th call of Vulkan fails on one of several devices, which are all of the plugin and the
 * CPU backend: the result is right, or there is a status with one sentence; nothing is lost, and
 * the next multiplication is right. */

#include "devices_faults.h"
#include "devices_members.h"
#include "support/long.h"
#include "support/test.h"

enum { N = 300 };

static uint8_t points[N * 64], scalars[N * 32], expected[64];
PAIL_FIXTURE(setup)
{
    devices_inputs(points, scalars, expected, N);
    devices_find(16);
    return 0;
}

static pail_status multiply(pail_context *context, pail_msm_result *result)
{
    const pail_backend *const t = &pail_composite_table;
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
              .encoding = PAIL_ENCODING_MONTGOMERY, .points = points, .n_points = N);
    pail_bases *bases = NULL;
    pail_pending *pending = NULL;
    for (size_t i = 0; i < context->n; i++) { /* each has a part, however slow it is */
        for (size_t g = 0; g < PAIL_COMPOSITE_GROUPS; g++) {
            context->members[i].rates[g] = 10.0;
            context->members[i].measured[g].n = 0;
        }
    }
    *result = (pail_msm_result){.struct_size = sizeof *result};
    pail_status status = t->bases_create(context, &bases, NULL, &desc);
    assert_int_equal(status == PAIL_OK, bases != NULL);
    const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = N);
    if (status == PAIL_OK)
        status = t->msm_start(context, &pending, &job, 1, NULL);
    if (status == PAIL_OK)
        status = t->msm_finish(&pending, result, 1, NULL);
    assert_null(pending);
    t->bases_destroy(context, &bases);
    return status;
}

static void expect_right(const pail_msm_result *result)
{
    assert_memory_equal(result->x, expected, 32);
    assert_memory_equal(result->y, expected + 32, 32);
}

/* Returns the calls that were made. */
static long strike(pail_context *context, size_t member, long at, bool each)
{
    pail_msm_result result;
    const pail_msm_result zero = {.struct_size = sizeof zero};
    long failed;
    devices_faults_arm(context->members[member].context, at, each);
    const pail_status status = multiply(context, &result);
    const long calls = devices_faults_disarm(&failed);
    if (status == PAIL_OK) {
        expect_right(&result);
    } else {
        const char *const said = pail_composite_table.error(context);
        if (failed == 0 || said[0] == '\0' || strchr(said, '\n') != NULL ||
            (status != PAIL_ERR_DEVICE_MEMORY && status != PAIL_ERR_HOST_MEMORY))
            fail_msg("member %zu, call %ld: status %d: %s", member, at, (int)status, said);
        assert_memory_equal(&result, &zero, sizeof zero);
    }
    if (multiply(context, &result) != PAIL_OK)
        fail_msg("after call %ld: %s", at, pail_composite_table.error(context));
    expect_right(&result);
    return calls;
}

PAIL_TEST(every_call_fails)
{
    const size_t n_vulkan = devices.n - 1;
    if (n_vulkan == 0)
        SKIP_BECAUSE("there is no device of the plugin");
    for (size_t member = 0; member < n_vulkan; member++) {
        pail_context *context = devices_open();
        pail_msm_result result;
        assert_int_equal(multiply(context, &result), PAIL_OK); /* pipelines are made */
        const long calls = strike(context, member, 0, false);
        const long step = test_long() ? 1 : calls / 6 + 1;
        long tried = 0, lost = 0;
        assert_true(calls > 10);
        for (int each = 0; each < 2; each++) {
            for (long at = each ? 2 : 1; at <= calls; at += step, tried++) {
                (void)strike(context, member, at, each != 0);
                if (!context->members[member].lost)
                    continue;
                lost++;
                pail_composite_table.context_destroy(&context);
                assert_int_equal(devices_blocks(), 0);
                context = devices_open();
            }
        }
        pail_composite_table.context_destroy(&context);
        assert_int_equal(devices_blocks(), 0);
        print_message("member %zu: %ld calls, %ld faults, %ld losses\n", member, calls, tried,
                      lost);
    }
}

PAIL_TEST_GROUP(setup, NULL)
