/* SPDX-License-Identifier: Apache-2.0 */
/* A key that does not fit the memory that a context may hold: its points stay in host memory, where
 * nobody asked for more than that, and the proofs are the same to the last byte. */

#include "support.h"
#include "support/plugin.h"
#include "support/test.h"

enum { CONSTRAINTS = 4000, PROOFS = 3 };

/* How near the two budgets come that end the search: each one between them is a context of its own,
 * with all its pipelines. */
static uint64_t parts_of_budget(void)
{
    return test_sanitized() ? 4 : 32;
}

/* Memory of the device that a context with a budget holds, once what lies idle is gone: the
 * sentence of an allocation that cannot be had says it. */
static uint64_t held(pail_context *own, uint64_t budget)
{
    pail_vector *vector = NULL;
    assert_int_equal(backend->vector_create(own, &vector, PAIL_CURVE_BN254, budget / 32 + 1),
                     PAIL_ERR_DEVICE_MEMORY);
    const char *const asked = strstr(backend->error(own), "bytes asked, ");
    assert_non_null(asked);
    return strtoull(asked + strlen("bytes asked, "), NULL, 10);
}

struct outcome {
    bool opened;
    uint64_t device_bytes, host_bytes; /* for the points */
};

static struct outcome prove_within(uint64_t budget, const struct support_case *files,
                                   const struct support_proof *expected)
{
    struct outcome outcome = {0};
    const pail_host host = {
        .struct_size = sizeof(host), .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR};
    const pail_context_params params = {
        .struct_size = sizeof(params), .device = PAIL_DEVICE_BEST, .memory_budget = budget};
    const pail_groth16_key_params opening = {.struct_size = sizeof(opening),
                                             .residency = PAIL_RESIDENCY_AUTO,
                                             .b2 = PAIL_GROTH16_B2_DEVICE, /* its bytes count */
                                             .bytes = files->zkey.data,
                                             .n_bytes = files->zkey.size};
    const pail_groth16_options options = {.struct_size = sizeof(options),
                                          .flags = PAIL_GROTH16_FIXED_BLINDING};
    const pail_groth16_witness witness = {
        .struct_size = sizeof(witness), .wtns = files->wtns.data, .n_wtns = files->wtns.size};
    pail_context *own = NULL;
    pail_groth16_key *key = NULL;
    char said[512] = "";
    assert_int_equal(backend->context_create(&host, &own, &params), PAIL_OK);
    pail_status status = pail_groth16_key_open(&key, backend, own, &opening, said, sizeof(said));
    uint64_t before = 0;
    for (int i = 0; status == PAIL_OK && i < PROOFS; i++) {
        pail_groth16_proof proof = {.struct_size = sizeof(proof)};
        uint8_t publics[64];
        status =
            pail_groth16_prove(key, &proof, publics, NULL, &witness, &options, said, sizeof(said));
        if (status != PAIL_OK)
            break;
        assert_memory_equal(&proof, &expected->proof, sizeof(proof));
        const uint64_t now = held(own, budget);
        assert_true(now <= budget);
        if (i > 0)
            assert_int_equal(now, before);
        before = now;
        outcome.opened = true;
    }
    if (status != PAIL_OK) { /* too little for what is no point; and then from the first proof on */
        if (strstr(said, "budget") == NULL || outcome.opened)
            fail_msg("status %d: %s", (int)status, said);
    }
    if (outcome.opened) {
        pail_groth16_key_info info = {.struct_size = sizeof(info)};
        assert_int_equal(pail_groth16_key_get_info(key, &info), PAIL_OK);
        outcome.device_bytes = info.device_bytes;
        outcome.host_bytes = info.host_bytes;
        assert_true(info.device_bytes <= budget);
    }
    pail_groth16_key_close(&key);
    backend->context_destroy(&own);
    return outcome;
}

/* The least budget that a proof can be made with keeps points on the host, and one that is large
 * enough none. */
PAIL_TEST(budgets)
{
    struct support_case files;
    struct support_proof expected;
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, CONSTRAINTS, 2, 1});
    const pail_groth16_options options = {.struct_size = sizeof(options),
                                          .flags = PAIL_GROTH16_FIXED_BLINDING};
    pail_groth16_key *key = NULL;
    pail_groth16_key_params opening = support_params(&files.zkey);
    opening.b2 = PAIL_GROTH16_B2_DEVICE; /* its bytes count */
    assert_int_equal(pail_groth16_key_open(&key, backend, context, &opening, NULL, 0), PAIL_OK);
    support_prove(&expected, key, &files.wtns, &options);
    assert_true(expected.valid);
    pail_groth16_key_info info = {.struct_size = sizeof(info)};
    assert_int_equal(pail_groth16_key_get_info(key, &info), PAIL_OK);
    pail_groth16_key_close(&key);
    const uint64_t points = info.device_bytes;
    assert_true(points > 0);

    /* Twice as much, until there is a proof; then between the two, until they are near. */
    uint64_t too_little = points / 2, enough = points;
    struct outcome least;
    while (!(least = prove_within(enough, &files, &expected)).opened) {
        too_little = enough;
        enough *= 2;
    }
    while (enough - too_little > enough / parts_of_budget()) {
        const uint64_t budget = too_little + (enough - too_little) / 2;
        const struct outcome outcome = prove_within(budget, &files, &expected);
        if (outcome.opened) {
            enough = budget;
            least = outcome;
        } else {
            too_little = budget;
        }
    }
    print_message("with the least budget, %llu bytes, %llu of %llu of points are on the device\n",
                  (unsigned long long)enough, (unsigned long long)least.device_bytes,
                  (unsigned long long)points);
    assert_true(least.device_bytes < points);
    assert_true(least.host_bytes > info.host_bytes);
    const struct outcome all = prove_within(4 * enough + 4 * points, &files, &expected);
    assert_true(all.opened);
    assert_int_equal(all.device_bytes, points);
    support_proof_free(&expected);
    support_case_free(&files);
}

PAIL_TEST_GROUP(support_setup, support_teardown)
