/* Every k-th call of Vulkan fails on one of several devices, which are all of the plugin and the
 * CPU backend: the result is right, or there is a status with one sentence; nothing is lost, and
 * the next multiplication is right. */
#include <composite/composite.h>
#include <composite/table.h>
#include <cpu/cpu.h>
#include <curves/inputs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "devices_faults.h"
#include "support/long.h"
#include "support/skip.h"

enum { N = 300 };

static uint8_t points[N * 64], scalars[N * 32], expected[64];
static atomic_long blocks;

static void *on_alloc(void *user, size_t size)
{
    (void)user;
    void *const memory = malloc(size);
    atomic_fetch_add(&blocks, memory != NULL);
    return memory;
}

static void on_free(void *user, void *memory)
{
    (void)user;
    atomic_fetch_sub(&blocks, memory != NULL);
    free(memory);
}

static const pail_host host = {.struct_size = sizeof host,
                               .abi_major = PAIL_ABI_MAJOR,
                               .abi_minor = PAIL_ABI_MINOR,
                               .alloc = on_alloc,
                               .free = on_free};

static struct pail_devices devices;

static void add(const pail_backend *backend, bool built_in)
{
    uint32_t count = 0;
    if (backend->device_count(&host, &count) != PAIL_OK)
        return;
    for (uint32_t i = 0; i < count; i++) {
        pail_device_info info = {.struct_size = sizeof info};
        assert_int_equal(backend->device_info(&host, i, &info), PAIL_OK);
        if (info.usable == 0)
            continue;
        struct pail_composite_choice *const c = &devices.choices[devices.n++];
        *c = (struct pail_composite_choice){
            .backend = backend, .device = i, .built_in = built_in, .score = 10};
        (void)snprintf(c->name, sizeof c->name, "%s", info.name);
        print_message("member: %s\n", c->name);
    }
}

static int setup(void **state)
{
    (void)state;
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    pail_point sum;
    pail_affine affine;
    const pail_backend *plugin = NULL, *cpu = NULL;
    pail_make_bases(ops, points, true, 0, N, PAIL_BASES_INFINITY, 1);
    pail_make_scalars(ops, scalars, N, PAIL_SCALARS_EDGE, 2);
    pail_expected_msm(ops, &sum, scalars, 0, N, PAIL_BASES_INFINITY, 1);
    ops->to_affine(&affine, &sum);
    ops->encode(expected, &affine, false);
    devices = (struct pail_devices){.host = host,
                                    .mark = pail_composite_mark,
                                    .base = &host,
                                    .replicate_up_to = 16,
                                    .whole_below = 2};
    devices.host.struct_size = sizeof devices;
    assert_int_equal(pail_backend_open(&host, &plugin), PAIL_OK);
    assert_int_equal(pail_cpu_open(&host, &cpu), PAIL_OK);
    add(plugin, false);
    add(cpu, true);
    return 0;
}

static pail_context *open_context(void)
{
    const pail_context_params params = {.struct_size = sizeof params, .device = PAIL_DEVICE_BEST};
    pail_context *context = NULL;
    if (pail_composite_table.context_create(&devices.host, &context, &params) != PAIL_OK)
        fail_msg("%s", pail_composite_table.error(NULL));
    return context;
}

static pail_status multiply(pail_context *context, pail_msm_result *result)
{
    const pail_backend *const t = &pail_composite_table;
    const pail_bases_desc desc = {.struct_size = sizeof desc,
                                  .curve = PAIL_CURVE_BN254,
                                  .group = PAIL_G1,
                                  .encoding = PAIL_ENCODING_MONTGOMERY,
                                  .points = points,
                                  .n_points = N};
    pail_bases *bases = NULL;
    pail_pending *pending = NULL;
    for (size_t i = 0; i < context->n; i++) { /* each has a part, however slow it is */
        for (size_t g = 0; g < PAIL_COMPOSITE_GROUPS; g++) {
            context->members[i].rates[g] = 10.0;
            context->members[i].timed[g] = false;
        }
    }
    *result = (pail_msm_result){.struct_size = sizeof *result};
    pail_status status = t->bases_create(context, &bases, NULL, &desc);
    assert_int_equal(status == PAIL_OK, bases != NULL);
    const pail_msm_job job = {
        .struct_size = sizeof job, .bases = bases, .scalars = scalars, .n = N};
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

static void every_call_fails(void **state)
{
    (void)state;
    const size_t n_vulkan = devices.n - 1;
    if (n_vulkan == 0)
        SKIP_BECAUSE("there is no device of the plugin");
    for (size_t member = 0; member < n_vulkan; member++) {
        pail_context *context = open_context();
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
                assert_int_equal(atomic_load(&blocks), 0);
                context = open_context();
            }
        }
        pail_composite_table.context_destroy(&context);
        assert_int_equal(atomic_load(&blocks), 0);
        print_message("member %zu: %ld calls, %ld faults, %ld losses\n", member, calls, tried,
                      lost);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_call_fails)};
    return cmocka_run_group_tests_name("faults of one device", tests, setup, NULL);
}
