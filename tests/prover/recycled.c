/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs under way in numbers that change: once each number was there, the device's memory goes
 * round, and none is made or freed. By the plugin's own account. */
#include <context.h>
#include <prover/prove.h>
#include <vk/memory.h>

#include "support.h"
#include "support/plugin_group.h"
#include "support/test.h"

enum { TOGETHER = 3, PUBLICS = 2, CONSTRAINTS = 40, SETTLED = 2, ROUNDS = 3 };

struct start {
    struct pail_proving *provings[TOGETHER];
    size_t n;
};

static struct support_case files;
static pail_groth16_key *key;

static void begin(struct start *start, size_t n)
{
    const pail_groth16_options options = {.struct_size = sizeof(options)};
    start->n = n;
    for (size_t i = 0; i < n; i++) {
        const pail_groth16_witness witness = {
            .struct_size = sizeof(witness), .wtns = files.wtns.data, .n_wtns = files.wtns.size};
        char error[512];
        if (pail_proving_create(&start->provings[i], key,
                                &(struct pail_proof_source){.witness = &witness}, &options, error,
                                sizeof(error)) != PAIL_OK ||
            pail_proving_start(start->provings[i], 0, 0, error, sizeof(error)) != PAIL_OK)
            fail_msg("%s", error);
    }
}

static void end(struct start *start)
{
    pail_groth16_verifying_key verifying = {.struct_size = sizeof(verifying)};
    assert_int_equal(pail_groth16_key_verifying(key, &verifying), PAIL_OK);
    for (size_t i = 0; i < start->n; i++) {
        char error[512] = "";
        pail_groth16_proof proof;
        pail_groth16_timings timings;
        uint8_t publics[32 * PUBLICS];
        uint32_t valid = 0;
        if (pail_proving_wait(start->provings[i], UINT64_MAX) != PAIL_OK ||
            pail_proving_finish(start->provings[i], &proof, publics, &timings, error,
                                sizeof(error)) != PAIL_OK)
            fail_msg("%s", error);
        assert_int_equal(
            pail_groth16_verify(&valid, &verifying, &proof, publics, verifying.n_public, NULL, 0),
            PAIL_OK);
        assert_int_equal(valid, 1);
        pail_proving_destroy(&start->provings[i]);
    }
}

/* Two starts at a time, as of two slots, of each number beside each. */
static void all_pairs(void)
{
    for (size_t first = 1; first <= TOGETHER; first++)
        for (size_t second = 1; second <= TOGETHER; second++) {
            struct start one, other;
            begin(&one, first);
            begin(&other, second);
            end(&one);
            end(&other);
        }
}

PAIL_TEST(numbers_that_change)
{
    struct pail_vk_memory_stats settled = {0};
    for (int round = 0; round < ROUNDS; round++) {
        all_pairs();
        const struct pail_vk_memory_stats now = pail_vk_memory_stats(context->dev);
        if (round >= SETTLED && now.allocations != settled.allocations)
            fail_msg("round %d: %llu allocations", round,
                     (unsigned long long)(now.allocations - settled.allocations));
        if (round >= SETTLED)
            assert_int_equal(now.allocated, settled.allocated);
        settled = now;
    }
}

static int set_up(void **state)
{
    if (support_setup(state) != 0)
        return -1;
    support_make_case(&files, &(struct circuit_params){.curve = PAIL_CURVE_BN254,
                                                       .n_constraints = CONSTRAINTS,
                                                       .n_public = PUBLICS,
                                                       .seed = 1});
    key = support_open(&files.zkey);
    return 0;
}

static int tear_down(void **state)
{
    pail_groth16_key_close(&key);
    support_case_free(&files);
    return support_teardown(state);
}

PAIL_TEST_GROUP(set_up, tear_down)
