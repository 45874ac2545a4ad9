/* SPDX-License-Identifier: Apache-2.0 */
/* Points of a key of bellman: what is added for the scalars that most circuits have, and keys that
 * are larger than the memory for points. */
#include "assigned.h"
#include "support/test.h"

#ifdef PAIL_TEST_SANITIZED /* the same code */
enum { LARGE = 200 };
#else
enum { LARGE = 1500 };
#endif

static uint32_t size_here(void)
{
    return strcmp(backend->name, "cpu") == 0 ? LARGE : 200; /* a driver takes longer for each */
}

static uint64_t adds; /* of all multiplications */

static pail_status counting_finish(pail_pending **pending, pail_msm_result *results, size_t n,
                                   pail_stats *stats)
{
    const pail_status status = backend->msm_finish(pending, results, n, stats);
    adds += stats->adds;
    return status;
}

/* Additions of points of a proof whose values are all the same number; its quotient is 0. */
static uint64_t adds_with(const pail_groth16_key *key, struct assigned *made,
                          const uint8_t value[32])
{
    pail_groth16_proof proof = {.struct_size = sizeof(proof)};
    char error[512] = "";
    for (size_t i = 0; i < made->assignment.n_aux; i++)
        memcpy(made->aux + 32 * i, value, 32);
    adds = 0;
    if (pail_groth16_prove_assignment(key, &proof, NULL, NULL, &made->assignment, NULL, error,
                                      sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    return adds;
}

/* Many values of a circuit are 0 or 1. A 1 costs one addition of its point in each list and no
 * product, and a 0 costs nothing. */
PAIL_TEST(ones_are_added)
{
    static const uint8_t zero[32],
        one[32] = {1},
        other[32] = {0x5b, 0x5c, 0x5d, 0x5e, 0x5f, 0x60, 0x61, 0x62, 0x63, 0x64, 0x65,
                     0x66, 0x67, 0x68, 0x69, 0x6a, 0x5b, 0x5c, 0x5d, 0x5e, 0x5f, 0x60,
                     0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x2a};
    static pail_backend counting;
    struct assigned made;
    pail_groth16_key *key = NULL;
    assigned_make(&made, size_here(), 2, PAIL_ENCODING_CANONICAL);
    const pail_groth16_key_params params = support_params(&made.params);
    pail_groth16_key_info info = {.struct_size = sizeof(info)};
    counting = *backend;
    counting.msm_finish = counting_finish;
    assert_int_equal(pail_groth16_key_open(&key, &counting, context, &params, NULL, 0), PAIL_OK);
    assert_int_equal(pail_groth16_key_get_info(key, &info), PAIL_OK);
    const pail_groth16_assignment *const given = &made.assignment;
    for (int i = 0; i < 3; i++)
        memset(made.rows[i], 0, 32 * (size_t)given->n_constraints);
    memset(made.inputs + 32, 0, 32 * (size_t)(given->n_inputs - 1));
    const uint64_t points = info.n_points - (info.domain_size - 1); /* of all lists but h */
    const uint64_t of_zeros = adds_with(key, &made, zero), of_ones = adds_with(key, &made, one),
                   of_others = adds_with(key, &made, other);
    print_message("%llu points: %llu, %llu and %llu additions\n", (unsigned long long)points,
                  (unsigned long long)of_zeros, (unsigned long long)of_ones,
                  (unsigned long long)of_others);
    assert_in_range(of_zeros, 0, 8); /* of the constant 1 in A, B1 and B2 */
    assert_in_range(of_ones, points / 2, points + points / 4);
    assert_true(of_others > 8 * points);
    pail_groth16_key_close(&key);
    assigned_free(&made);
}

static uint64_t registrations;

static pail_status counting_create(pail_context *on, pail_bases **bases, size_t *bad,
                                   const pail_bases_desc *desc)
{
    registrations++;
    return backend->bases_create(on, bases, bad, desc);
}

struct progress {
    int calls;
    double part;
};

static void note_progress(void *user, double part)
{
    struct progress *const progress = user;
    assert_true(part > progress->part && part <= 1);
    progress->part = part;
    progress->calls++;
}

/* With a budget of a quarter of the file the points come and go in pieces, of which there is never
 * more; the proof is the same, also with one point at a time. A file of snarkjs is no other. */
PAIL_TEST(a_quarter_of_the_file)
{
    static pail_backend counting;
    struct assigned made;
    struct support_proof expected, proof;
    struct progress progress;
    pail_groth16_options options = {.struct_size = sizeof(options),
                                    .flags = PAIL_GROTH16_FIXED_BLINDING,
                                    .r = {3, [20] = 3},
                                    .s = {9, [21] = 9}};
    counting = *backend;
    counting.bases_create = counting_create;
    assigned_make(&made, size_here(), 2, PAIL_ENCODING_MONTGOMERY);
    pail_groth16_key *key = support_open(&made.params);
    pail_groth16_key_info whole = {.struct_size = sizeof(whole)}, info = whole;
    assert_int_equal(pail_groth16_key_get_info(key, &whole), PAIL_OK);
    assigned_prove(&expected, key, &made, &options);
    pail_groth16_key_close(&key);
    assert_true(expected.valid);
    options.user = &progress;
    options.tick = note_progress;
    for (int way = 0; way < 4; way++) {
        const bool is_zkey = way == 3;
        pail_groth16_key_params params = support_params(is_zkey ? &made.files.zkey : &made.params);
        params.flags = PAIL_GROTH16_KEY_ONCE;
        params.validation = PAIL_VALIDATE_NONE;
        params.residency = way == 1 ? PAIL_RESIDENCY_HOST : PAIL_RESIDENCY_AUTO;
        params.points_budget = way == 2 ? 40 * 96 : made.params.size / 4;
        registrations = 0;
        progress = (struct progress){0};
        assert_int_equal(pail_groth16_key_open(&key, &counting, context, &params, NULL, 0),
                         PAIL_OK);
        if (is_zkey)
            support_prove(&proof, key, &made.files.wtns, &options);
        else
            assigned_prove(&proof, key, &made, &options);
        assert_memory_equal(&proof.proof, &expected.proof, sizeof(proof.proof));
        assert_int_equal(pail_groth16_key_get_info(key, &info), PAIL_OK);
        print_message("%zu bytes, budget %llu: at most %llu on the device, %llu on the host, in "
                      "%llu pieces\n",
                      made.params.size, (unsigned long long)params.points_budget,
                      (unsigned long long)info.device_bytes, (unsigned long long)info.host_bytes,
                      (unsigned long long)registrations);
        /* The other place has at most a list of the points that are infinity. */
        const uint64_t most = way == 1 ? info.host_bytes : info.device_bytes;
        assert_in_range(most, params.points_budget / 2, params.points_budget);
        assert_true(info.device_bytes + info.host_bytes - most < params.points_budget / 16);
        assert_true(registrations > 5); /* there are five sections */
        assert_int_equal(progress.calls, registrations);
        assert_true(progress.part == 1);
        if (!is_zkey)
            assert_int_equal(info.n_points, whole.n_points);
        support_proof_free(&proof);
        pail_groth16_key_close(&key);
    }
    support_proof_free(&expected);
    assigned_free(&made);
}

PAIL_TEST_GROUP(support_setup, support_teardown)
