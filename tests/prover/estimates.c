/* SPDX-License-Identifier: Apache-2.0 */
/* Reservations for proofs, against what they take: never more than that, and not less than three
 * quarters. The first with a key is reserved an estimate for, the others what it took. */
#include "estimates.h"

#include <prover/open/open.h>
#include <prover/proof/memory.h>
#include <prover/proof/run.h>
#include <prover/prove.h>

#include "assigned.h"
#include "support/test.h"

static pail_groth16_options no_options = {.struct_size = sizeof(no_options)};

/* One proof; what it took at most beyond what was there before, and what it says that it took. */
static uint64_t taken_by_a_proof(uint64_t *said, const pail_groth16_key *key,
                                 const struct pail_proof_source *source)
{
    char error[512] = "";
    struct pail_proving *proving = NULL;
    pail_groth16_proof proof;
    pail_groth16_timings timings;
    uint8_t publics[32 * 8];
    if (pail_proving_create(&proving, key, source, &no_options, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    const uint64_t before = memory_begin();
    if (pail_proving_start(proving, 0, 0, error, sizeof(error)) != PAIL_OK ||
        pail_proving_wait(proving, UINT64_MAX) != PAIL_OK ||
        pail_proving_finish(proving, &proof, publics, &timings, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    const uint64_t most = memory_most();
    *said = pail_proving_taken_bytes(proving);
    pail_proving_destroy(&proving);
    assert_true(most >= before);
    return most - before;
}

/* B2 stays where it is: the one that moves there takes more than the one before. */
static pail_groth16_key_params params_of(const struct support_bytes *file)
{
    pail_groth16_key_params params = support_params(file);
    params.b2 = PAIL_GROTH16_B2_DEVICE;
    return params;
}

/* Proves twice on a context of its own: what an earlier key has left would serve this one. Returns
 * the number of bounds that do not hold. */
static int count_wrong(const char *what, const struct support_bytes *file,
                       const struct pail_proof_source *source)
{
    uint64_t bound = 0, largest = 0, said = 0, again = 0;
    int wrong = 0;
    /* The prover opens keys so: without the room of a proof, which would be taken already. */
    pail_groth16_key *key = NULL;
    const pail_groth16_key_params params = params_of(file);
    assert_int_equal(pail_key_open(&key, backend, context, &params, NULL, 0), PAIL_OK);
    struct pail_proof_lane lane;
    pail_proof_lane_of(&lane, key, false, false);
    assert_int_equal(pail_proof_estimate(key, &lane, 0, &bound, &largest), PAIL_OK);
    const uint64_t taken = taken_by_a_proof(&said, key, source);
    print_message("# %s: %llu bytes at most, %llu said, %llu taken\n", what,
                  (unsigned long long)bound, (unsigned long long)said, (unsigned long long)taken);
    wrong += taken > bound || 4 * taken < 3 * bound;
    wrong += taken > said || 4 * taken < 3 * said;
    /* Memory that is kept for the next proof is not taken once more. */
    const uint64_t second = taken_by_a_proof(&again, key, source);
    print_message("# another one: %llu said, %llu taken\n", (unsigned long long)again,
                  (unsigned long long)second);
    wrong += second > said || again != said;
    pail_groth16_key_close(&key);
    return wrong;
}

PAIL_TEST(what_is_reserved_is_taken)
{
    static const struct circuit_params circuits[] = {
        {PAIL_CURVE_BN254, 300, 3, 1},      {PAIL_CURVE_BN254, 2000, 1, 2},
        {PAIL_CURVE_BLS12_381, 1000, 0, 5},
#ifndef PAIL_TEST_SANITIZED /* the same code with less */
        {PAIL_CURVE_BN254, 5000, 2, 3},     {PAIL_CURVE_BN254, 20000, 2, 4},
        {PAIL_CURVE_BLS12_381, 4000, 1, 6},
#endif
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof(circuits) / sizeof(circuits[0]); i++) {
        struct support_case files;
        char what[64];
        assert_int_equal(support_setup(NULL), 0);
        if (estimates_are_slow() && i > 0) {
            assert_int_equal(support_teardown(NULL), 0);
            break;
        }
        support_make_case(&files, &circuits[i]);
        const pail_groth16_witness witness = {
            .struct_size = sizeof(witness), .wtns = files.wtns.data, .n_wtns = files.wtns.size};
        (void)snprintf(what, sizeof(what), "%u constraints, curve %u", circuits[i].n_constraints,
                       circuits[i].curve);
        wrong += count_wrong(what, &files.zkey, &(struct pail_proof_source){.witness = &witness});
        support_case_free(&files);
        assert_int_equal(support_teardown(NULL), 0);
    }
    assert_int_equal(wrong, 0);
}

PAIL_TEST(what_is_reserved_for_assignments)
{
    static const uint32_t sizes[] = {300,
#ifndef PAIL_TEST_SANITIZED
                                     2000, 20000
#endif
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct assigned made;
        char what[64];
        if (estimates_are_slow() && i > 0)
            break;
        assert_int_equal(support_setup(NULL), 0);
        assigned_make(&made, sizes[i], 2, PAIL_ENCODING_MONTGOMERY);
        (void)snprintf(what, sizeof(what), "an assignment of %u constraints", sizes[i]);
        wrong += count_wrong(what, &made.params,
                             &(struct pail_proof_source){.assignment = &made.assignment});
        assigned_free(&made);
        assert_int_equal(support_teardown(NULL), 0);
    }
    assert_int_equal(wrong, 0);
}
