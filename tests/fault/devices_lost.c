/* SPDX-License-Identifier: Apache-2.0 */
/* A device of several is lost in the middle of a multiplication, and in the middle of a proof, by a
 * submission that fails: the others end both, with the results of one device, and go on. Where
 * there is nothing to go on with, a status and one sentence say so, and outputs are zero. */
#include <pail/prover.h>

#include "devices_faults.h"
#include "devices_members.h"
#include "prover/support.h"
#include "support/test.h"

enum { N = 300 };

static uint8_t points[N * 64], scalars[N * 32], expected[64];
static struct support_case files;
static pail_groth16_key *whole; /* on the CPU backend alone */

PAIL_FIXTURE(setup)
{
    devices_inputs(points, scalars, expected, N);
    devices_find(16);
    if (support_setup(NULL) != 0)
        return -1;
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, 90, 1, 1});
    whole = support_open(&files.zkey);
    return 0;
}

PAIL_FIXTURE(teardown)
{
    pail_groth16_key_close(&whole);
    support_case_free(&files);
    return support_teardown(NULL);
}

static pail_devices_member member_of(pail_context *all, size_t i)
{
    pail_devices_member member = {.struct_size = sizeof member};
    assert_int_equal(pail_devices_get(&devices, all, &member, i), PAIL_OK);
    return member;
}

/* On the context of all devices, or on that of one. */
static pail_status multiply(const pail_backend *by, pail_context *on, pail_bases *bases,
                            pail_msm_result *result, pail_stats *stats)
{
    const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = N);
    *result = (pail_msm_result){.struct_size = sizeof *result};
    return pail_msm(by, on, result, stats, &job, NULL);
}

static pail_bases *register_points(const pail_backend *by, pail_context *on)
{
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
              .encoding = PAIL_ENCODING_MONTGOMERY, .points = points, .n_points = N);
    pail_bases *bases = NULL;
    if (by->bases_create(on, &bases, NULL, &desc) != PAIL_OK)
        fail_msg("%s", by->error(on));
    return bases;
}

static void expect_sum(const pail_backend *by, pail_context *on, pail_bases *bases,
                       pail_stats *stats)
{
    pail_msm_result result;
    if (multiply(by, on, bases, &result, stats) != PAIL_OK)
        fail_msg("%s", by->error(on));
    assert_memory_equal(result.x, expected, 32);
    assert_memory_equal(result.y, expected + 32, 32);
}

/* Each has a part of the points, however slow it is, and whatever an earlier process has kept. */
static pail_context *open_all(void)
{
    pail_context *const all = devices_open();
    for (size_t i = 0; i < all->n; i++)
        for (size_t g = 0; g < PAIL_COMPOSITE_GROUPS; g++)
            all->members[i].rates[g] = 10.0;
    return all;
}

/* On n of the devices, from the first on. */
static pail_groth16_key *open_key(pail_context *all, size_t first, size_t n)
{
    pail_prover_device list[PAIL_DEVICES_MAX];
    for (size_t i = 0; i < n; i++) {
        const pail_devices_member member = member_of(all, first + i);
        list[i] = (pail_prover_device){
            .struct_size = sizeof list[i], .backend = member.backend, .context = member.context};
    }
    const pail_groth16_key_params params = support_params(&files.zkey);
    pail_groth16_key *key = NULL;
    char error[512] = "";
    if (pail_groth16_key_open_on(&key, list, (uint32_t)n, PAIL_GROTH16_SPREAD_EVERYWHERE, &params,
                                 error, sizeof error) != PAIL_OK)
        fail_msg("%s", error);
    return key;
}

static void expect_proof(const pail_groth16_key *key)
{
    const pail_groth16_options options = {.struct_size = sizeof options,
                                          .flags = PAIL_GROTH16_FIXED_BLINDING};
    struct support_proof one, other;
    support_prove(&one, whole, &files.wtns, &options);
    support_prove(&other, key, &files.wtns, &options);
    assert_true(one.valid && other.valid);
    assert_memory_equal(&one.proof, &other.proof, sizeof one.proof);
    support_proof_free(&one);
    support_proof_free(&other);
}

static pail_groth16_spread spread_of(const pail_groth16_key *key)
{
    pail_groth16_spread spread = {.struct_size = sizeof spread};
    assert_int_equal(pail_groth16_key_get_spread(key, &spread), PAIL_OK);
    return spread;
}

/* From here on the submission in the middle of as many fails. */
static void arm(pail_context *all, size_t member, long submissions)
{
    assert_true(submissions > 0);
    devices_faults_arm(all->members[member].context, (submissions + 1) / 2, false);
}

static void expect_struck(void)
{
    long failed;
    (void)devices_faults_disarm(&failed);
    assert_int_equal(failed, 1);
}

static long submissions_of_sum(pail_context *all, size_t member, pail_bases *bases)
{
    long failed;
    expect_sum(&pail_composite_table, all, bases, NULL); /* pipelines are made */
    devices_faults_arm(all->members[member].context, 0, false);
    expect_sum(&pail_composite_table, all, bases, NULL);
    return devices_faults_disarm(&failed);
}

static long submissions_of_proof(pail_context *all, size_t member, const pail_groth16_key *key)
{
    long failed;
    expect_proof(key);
    devices_faults_arm(all->members[member].context, 0, false);
    expect_proof(key);
    return devices_faults_disarm(&failed);
}

static void close_all(pail_context **all)
{
    pail_composite_table.context_destroy(all);
    assert_int_equal(devices_blocks(), 0);
}

static size_t struck_members(void)
{
    if (devices.n < 2)
        SKIP_BECAUSE("there is no device of the plugin");
    devices.flags = 0;
    devices_faults_choose(DEVICES_FAULTS_OF_SUBMISSIONS);
    return devices.n - 1; /* the last is the CPU backend */
}

PAIL_TEST(the_others_end_a_multiplication)
{
    const size_t n = struck_members();
    for (size_t d = 0; d < n; d++) {
        pail_context *all = open_all();
        pail_bases *bases = register_points(&pail_composite_table, all);
        pail_stats stats = {.struct_size = sizeof stats};
        arm(all, d, submissions_of_sum(all, d, bases));
        expect_sum(&pail_composite_table, all, bases, &stats);
        expect_struck();
        assert_string_equal(stats.phases[stats.n_phases - 1].name, "redone elsewhere");
        uint64_t redone = 0;
        for (size_t i = 0; i < devices.n; i++) {
            assert_int_equal(member_of(all, i).lost, i == d);
            redone += member_of(all, i).redone;
        }
        assert_true(redone > 0);
        expect_sum(&pail_composite_table, all, bases, NULL);
        pail_groth16_key *key = open_key(all, 0, devices.n); /* without the device that is lost */
        expect_proof(key);
        assert_int_equal(spread_of(key).n_lost, 1);
        pail_groth16_key_close(&key);
        pail_composite_table.bases_destroy(all, &bases);
        close_all(&all);
    }
}

PAIL_TEST(the_others_end_a_proof)
{
    const size_t n = struck_members();
    for (size_t d = 0; d < n; d++) {
        pail_context *all = open_all();
        pail_groth16_key *key = open_key(all, 0, devices.n);
        arm(all, d, submissions_of_proof(all, d, key));
        expect_proof(key);
        expect_struck();
        assert_int_equal(spread_of(key).n_lost, 1);
        assert_int_equal(spread_of(key).redone, 1);
        pail_groth16_part part = {.struct_size = sizeof part};
        for (size_t i = 0; pail_groth16_key_get_part(key, &part, i) == PAIL_OK; i++)
            assert_int_not_equal(part.device, d);
        expect_proof(key);
        pail_groth16_key_close(&key);
        close_all(&all);
    }
}

static void expect_sentence(const char *said, const char *words)
{
    assert_null(strchr(said, '\n'));
    support_expect_words(said, words);
}

PAIL_TEST(a_multiplication_without_copies_is_told)
{
    (void)struck_members();
    devices.flags = PAIL_DEVICES_NO_SPARE;
    pail_context *all = open_all();
    pail_bases *bases = register_points(&pail_composite_table, all);
    pail_msm_result result;
    const pail_msm_result zero = {.struct_size = sizeof zero};
    arm(all, 0, submissions_of_sum(all, 0, bases));
    assert_int_equal(multiply(&pail_composite_table, all, bases, &result, NULL),
                     PAIL_ERR_DEVICE_LOST);
    expect_struck();
    expect_sentence(pail_composite_table.error(all), "device 0 of vulkan|DEVICE_LOST");
    assert_memory_equal(&result, &zero, sizeof zero);
    const pail_devices_member last = member_of(all, devices.n - 1);
    pail_bases *own = register_points(last.backend, last.context);
    expect_sum(last.backend, last.context, own, NULL);
    last.backend->bases_destroy(last.context, &own);
    pail_composite_table.bases_destroy(all, &bases);
    close_all(&all);
}

PAIL_TEST(a_proof_without_other_devices_is_told)
{
    (void)struck_members();
    pail_context *all = open_all();
    pail_groth16_key *key = open_key(all, 0, 1);
    static const pail_groth16_proof zero;
    static const uint8_t no_publics[32];
    uint8_t publics[32] = {1};
    char error[512] = "";
    const pail_groth16_witness witness = {
        .struct_size = sizeof witness, .wtns = files.wtns.data, .n_wtns = files.wtns.size};
    pail_groth16_proof proof = {.struct_size = sizeof proof};
    arm(all, 0, submissions_of_proof(all, 0, key));
    assert_int_equal(
        pail_groth16_prove(key, &proof, publics, NULL, &witness, NULL, error, sizeof error),
        PAIL_ERR_DEVICE_LOST);
    expect_struck();
    expect_sentence(error, "k.zkey|all devices");
    assert_memory_equal(proof.a, zero.a, sizeof proof.a);
    assert_memory_equal(proof.b, zero.b, sizeof proof.b);
    assert_memory_equal(proof.c, zero.c, sizeof proof.c);
    assert_memory_equal(publics, no_publics, sizeof publics);
    pail_groth16_key_close(&key);
    key = open_key(all, devices.n - 1, 1); /* the CPU backend goes on */
    expect_proof(key);
    pail_groth16_key_close(&key);
    close_all(&all);
}

PAIL_TEST_GROUP(setup, teardown)
