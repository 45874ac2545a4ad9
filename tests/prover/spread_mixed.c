/* SPDX-License-Identifier: Apache-2.0 */
/* One proof over all devices of the plugin and the CPU backend: the bytes are those of the CPU. */
#include "support.h"

#include <pail/devices.h>
#include <pail/prover.h>

#include "support/test.h"

enum { MEMBERS_MAX = 16 };

PAIL_TEST(bytes_are_those_of_the_cpu)
{
    static const struct circuit_params circuits[] = {{PAIL_CURVE_BN254, 500, 3, 1},
                                                     {PAIL_CURVE_BLS12_381, 70, 1, 2}};
    char error[512] = "";
    pail_registry *registry = NULL;
    pail_devices *devices = NULL;
    pail_context *all = NULL;
    assert_int_equal(pail_registry_create(&registry, NULL, error, sizeof(error)), PAIL_OK);
    const pail_devices_params words = {.struct_size = sizeof(words), .devices = "all,cpu"};
    if (pail_devices_create(&devices, registry, &words, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    const pail_backend *const composite = pail_devices_backend(devices);
    const pail_context_params params = {.struct_size = sizeof(params), .device = PAIL_DEVICE_BEST};
    if (composite->context_create(pail_devices_host(devices), &all, &params) != PAIL_OK)
        fail_msg("%s", composite->error(NULL));
    pail_prover_device members[MEMBERS_MAX];
    const uint32_t n = (uint32_t)pail_devices_count(devices);
    assert_in_range(n, 2, MEMBERS_MAX);
    for (uint32_t i = 0; i < n; i++) {
        pail_devices_member member = {.struct_size = sizeof(member)};
        assert_int_equal(pail_devices_get(devices, all, &member, i), PAIL_OK);
        print_message("%s\n", member.name);
        members[i] = (pail_prover_device){.struct_size = sizeof(members[i]),
                                          .backend = member.backend,
                                          .context = member.context};
    }
    for (size_t c = 0; c < sizeof(circuits) / sizeof(circuits[0]); c++) {
        struct support_case files;
        support_make_case(&files, &circuits[c]);
        pail_groth16_key *whole = support_open(&files.zkey), *key = NULL;
        const pail_groth16_key_params with = support_params(&files.zkey);
        if (pail_groth16_key_open_on(&key, members, n, PAIL_GROTH16_SPREAD_EVERYWHERE, &with, error,
                                     sizeof(error)) != PAIL_OK)
            fail_msg("%s", error);
        for (uint8_t r = 0; r < 2; r++) {
            pail_groth16_options options = {.struct_size = sizeof(options),
                                            .flags = PAIL_GROTH16_FIXED_BLINDING};
            options.r[1] = options.s[0] = r;
            struct support_proof one, other;
            support_prove(&one, whole, &files.wtns, &options);
            support_prove(&other, key, &files.wtns, &options);
            assert_true(one.valid && other.valid);
            assert_memory_equal(&one.proof, &other.proof, sizeof(one.proof));
            support_proof_free(&one);
            support_proof_free(&other);
        }
        pail_groth16_spread spread = {.struct_size = sizeof(spread)};
        assert_int_equal(pail_groth16_key_get_spread(key, &spread), PAIL_OK);
        assert_int_equal(spread.n_used, n);
        assert_int_equal(spread.n_lost, 0);
        pail_groth16_key_close(&key);
        pail_groth16_key_close(&whole);
        support_case_free(&files);
    }
    composite->context_destroy(&all);
    pail_devices_destroy(&devices);
    pail_registry_destroy(&registry);
}

PAIL_TEST_GROUP(support_setup, support_teardown)
