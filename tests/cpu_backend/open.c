/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU backend is opened: who it talks to, its one device, and what a context of it may be. */

#include "support.h"
#include "support/test.h"

PAIL_TEST(negotiation)
{
    const pail_backend *backend = (const pail_backend *)state;
    assert_int_equal(pail_cpu_open(NULL, &backend), PAIL_ERR_ARGUMENT);
    assert_null(backend);
    pail_host host = {.struct_size = sizeof host, .abi_major = PAIL_ABI_MAJOR + 1};
    assert_int_equal(pail_cpu_open(&host, &backend), PAIL_ERR_ABI);
    assert_null(backend);
    host = (pail_host){.struct_size = sizeof host - 1, .abi_major = PAIL_ABI_MAJOR};
    assert_int_equal(pail_cpu_open(&host, &backend), PAIL_ERR_ARGUMENT);
    assert_null(backend);
    host = (pail_host){.struct_size = sizeof host, .abi_major = PAIL_ABI_MAJOR, .abi_minor = 99};
    assert_int_equal(pail_cpu_open(&host, &backend), PAIL_OK);
    assert_string_equal(backend->name, "cpu");
    assert_int_equal(backend->struct_size, sizeof *backend);
    assert_int_equal(backend->score(&host), PAIL_CPU_SCORE);
    assert_true(PAIL_HAS(backend, adstack_register));
    assert_true(PAIL_HAS(backend, msm_start));
}

PAIL_TEST(devices)
{
    struct test_cpu cpu;
    test_cpu_host(&cpu);
    uint32_t count = 0;
    assert_int_equal(cpu.backend->device_count(&cpu.host, &count), PAIL_OK);
    assert_int_equal(count, 1);
    pail_device_info info = {.struct_size = sizeof info};
    assert_int_equal(cpu.backend->device_info(&cpu.host, 0, &info), PAIL_OK);
    assert_int_equal(info.type, PAIL_DEVICE_CPU);
    assert_int_equal(info.usable, 1);
    assert_true(info.compute_units > 0 && info.heap_bytes > 0 && info.name[0] != 0);
    assert_int_equal(cpu.backend->device_info(&cpu.host, 1, &info), PAIL_ERR_ARGUMENT);
    assert_int_equal(info.usable, 0);
    assert_int_equal(info.name[0], 0);
    assert_int_equal(info.struct_size, sizeof info);
    assert_string_equal(cpu.backend->error(NULL), "device 1: the CPU backend has device 0 only");

    pail_context_params params = {.struct_size = sizeof params, .device = 3};
    cpu.context = (pail_context *)&cpu;
    assert_int_equal(cpu.backend->context_create(&cpu.host, &cpu.context, &params),
                     PAIL_ERR_ARGUMENT);
    assert_null(cpu.context);
    const pail_vulkan_import import = {.struct_size = sizeof import};
    params = (pail_context_params){.struct_size = sizeof params, .import = &import};
    assert_int_equal(cpu.backend->context_create(&cpu.host, &cpu.context, &params),
                     PAIL_ERR_UNSUPPORTED);
    params = (pail_context_params){.struct_size = sizeof params, .threads = 100000};
    assert_int_equal(cpu.backend->context_create(&cpu.host, &cpu.context, &params),
                     PAIL_ERR_ARGUMENT);
    params = (pail_context_params){
        .struct_size = sizeof params, .device = PAIL_DEVICE_BEST, .threads = 3};
    pail_host half = cpu.host;
    half.free = NULL;
    assert_int_equal(cpu.backend->context_create(&half, &cpu.context, &params), PAIL_ERR_ARGUMENT);
    assert_int_equal(cpu.backend->context_create(&cpu.host, &cpu.context, &params), PAIL_OK);
    assert_int_equal(cpu.backend->context_device(cpu.context, &info), PAIL_OK);
    assert_int_equal(info.compute_units, 3);
    assert_int_equal(*cpu.backend->throttle(cpu.context), 0);
    test_cpu_end(&cpu);
    cpu.backend->context_destroy(&cpu.context); /* NULL is legal */
}
