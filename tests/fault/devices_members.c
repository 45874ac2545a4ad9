/* SPDX-License-Identifier: Apache-2.0 */
#include "devices_members.h"

#include <cpu/cpu.h>
#include <curves/inputs.h>

#include "devices_faults.h"
#include "support/counted.h"
#include "support/test.h"

static const pail_host host =
    SIZED(pail_host, .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR,
          .alloc = counted_alloc, .free = counted_free);

struct pail_devices devices;

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

void devices_find(size_t replicate_up_to)
{
    const pail_backend *plugin = NULL, *cpu = NULL;
    devices = (struct pail_devices){.host = host,
                                    .mark = pail_composite_mark,
                                    .base = &host,
                                    .replicate_up_to = replicate_up_to,
                                    .whole_below = 2};
    devices.host.struct_size = sizeof devices;
    assert_int_equal(pail_backend_open(&host, &plugin), PAIL_OK);
    assert_int_equal(pail_cpu_open(&host, &cpu), PAIL_OK);
    add(plugin, false);
    add(cpu, true);
}

pail_context *devices_open(void)
{
    const pail_context_params params = SIZED(pail_context_params, .device = PAIL_DEVICE_BEST);
    pail_context *context = NULL;
    if (pail_composite_table.context_create(&devices.host, &context, &params) != PAIL_OK)
        fail_msg("%s", pail_composite_table.error(NULL));
    return context;
}

void devices_inputs(uint8_t *points, uint8_t *scalars, uint8_t *expected, size_t n)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    pail_point sum;
    pail_affine affine;
    pail_make_bases(ops, points, true, 0, n, PAIL_BASES_INFINITY, 1);
    pail_make_scalars(ops, scalars, n, PAIL_SCALARS_EDGE, 2);
    pail_expected_msm(ops, &sum, scalars, 0, n, PAIL_BASES_INFINITY, 1);
    ops->to_affine(&affine, &sum);
    ops->encode(expected, &affine, false);
}

long devices_blocks(void)
{
    return atomic_load(&counted_blocks);
}
