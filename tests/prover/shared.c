/* Proofs that are started together are those that are started one by one, to the last byte; and
 * what is wrong with one of them is its own affair. */

#include <prover/shared.h>

#include "support.h"
#include "support/test.h"

enum { PROOFS = 5, PUBLICS = 2 };

static struct support_case files[PROOFS];
static struct support_proof alone[PROOFS];
static pail_groth16_key *key;
static const pail_groth16_options fixed = {.struct_size = sizeof(fixed),
                                           .flags = PAIL_GROTH16_FIXED_BLINDING};

static int setup(void **state)
{
    if (support_setup(state) != 0)
        return -1;
    for (uint32_t i = 0; i < PROOFS; i++)
        support_make_case(&files[i], &(struct circuit_params){.curve = PAIL_CURVE_BN254,
                                                              .n_constraints = 300,
                                                              .n_public = PUBLICS,
                                                              .seed = i + 1});
    key = support_open(&files[0].zkey);
    for (uint32_t i = 0; i < PROOFS; i++)
        support_prove(&alone[i], key, &files[i].wtns, &fixed);
    return 0;
}

static int teardown(void **state)
{
    for (uint32_t i = 0; i < PROOFS; i++) {
        support_proof_free(&alone[i]);
        support_case_free(&files[i]);
    }
    pail_groth16_key_close(&key);
    return support_teardown(state);
}

struct several {
    struct pail_sharer sharers[PROOFS];
    char errors[PROOFS][512];
};

static void start(struct several *several, const struct support_bytes wtns[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const pail_groth16_witness witness = {
            .struct_size = sizeof(witness), .wtns = wtns[i].data, .n_wtns = wtns[i].size};
        struct pail_sharer *const sharer = &several->sharers[i];
        *sharer = (struct pail_sharer){.error = several->errors[i],
                                       .error_cap = sizeof(several->errors[i])};
        if (pail_proving_create(&sharer->proving, key, &witness, &fixed, sharer->error,
                                sharer->error_cap) != PAIL_OK)
            fail_msg("%s", sharer->error);
    }
    pail_shared_start(several->sharers, n, 0, 0);
}

/* It is the proof that was made alone; and is destroyed. */
static void expect_proof(struct pail_sharer *sharer, const struct support_proof *expected)
{
    pail_groth16_proof proof;
    pail_groth16_timings timings;
    uint8_t publics[32 * PUBLICS];
    assert_int_equal(sharer->status, PAIL_OK);
    assert_int_equal(pail_proving_wait(sharer->proving, UINT64_MAX), PAIL_OK);
    if (pail_proving_finish(sharer->proving, &proof, publics, &timings, sharer->error,
                            sharer->error_cap) != PAIL_OK)
        fail_msg("%s", sharer->error);
    assert_memory_equal(&proof, &expected->proof, sizeof(proof));
    assert_memory_equal(publics, expected->publics, sizeof(publics));
    pail_proving_destroy(&sharer->proving);
}

PAIL_TEST(the_same_proofs)
{
    for (size_t n = 1; n <= PROOFS; n += 2) {
        struct several several;
        struct support_bytes wtns[PROOFS];
        for (size_t i = 0; i < n; i++)
            wtns[i] = files[i].wtns;
        start(&several, wtns, n);
        for (size_t i = n; i-- > 0;) /* in any order */
            expect_proof(&several.sharers[i], &alone[i]);
    }
}

static struct support_bytes changed(const struct support_bytes *wtns, size_t value, uint8_t byte)
{
    struct support_bytes copy = {.data = malloc(wtns->size), .size = wtns->size};
    uint64_t size;
    assert_non_null(copy.data);
    memcpy(copy.data, wtns->data, wtns->size);
    memset(support_section(&copy, 2, &size) + 32 * value, byte, 32);
    return copy;
}

/* One is no witness, one satisfies nothing, one is given up: none of them costs the others. */
PAIL_TEST(each_for_itself)
{
    struct several several;
    struct support_bytes wtns[PROOFS];
    for (size_t i = 0; i < PROOFS; i++)
        wtns[i] = files[i].wtns;
    wtns[1] = changed(&files[1].wtns, PUBLICS + 3, 0xff);
    wtns[2] = changed(&files[2].wtns, PUBLICS + 3, 0x05);
    start(&several, wtns, PROOFS);
    assert_int_equal(several.sharers[1].status, PAIL_ERR_DATA);
    support_expect_words(several.errors[1], "value 5|order");
    pail_proving_destroy(&several.sharers[1].proving);
    pail_proving_destroy(&several.sharers[3].proving); /* before it is done */
    expect_proof(&several.sharers[0], &alone[0]);
    pail_groth16_proof proof;
    pail_groth16_timings timings;
    uint8_t publics[32 * PUBLICS];
    struct pail_sharer *const wrong = &several.sharers[2];
    assert_int_equal(pail_proving_finish(wrong->proving, &proof, publics, &timings, wrong->error,
                                         wrong->error_cap),
                     PAIL_OK);
    assert_memory_not_equal(&proof, &alone[2].proof, sizeof(proof));
    pail_proving_destroy(&wrong->proving);
    expect_proof(&several.sharers[4], &alone[4]);
    free(wtns[1].data);
    free(wtns[2].data);
}

/* Nobody is left, before or after it is done. */
PAIL_TEST(all_are_given_up)
{
    for (int waits = 0; waits < 2; waits++) {
        struct several several;
        const struct support_bytes wtns[] = {files[0].wtns, files[1].wtns};
        start(&several, wtns, 2);
        if (waits != 0)
            assert_int_equal(pail_proving_wait(several.sharers[0].proving, UINT64_MAX), PAIL_OK);
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(several.sharers[i].status, PAIL_OK);
            pail_proving_destroy(&several.sharers[i].proving);
        }
    }
}

PAIL_TEST_GROUP(setup, teardown)
