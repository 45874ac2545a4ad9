/* SPDX-License-Identifier: Apache-2.0 */
/* The processors beside a device run out of memory, or the device fails while they multiply: a
 * status, a sentence, and nothing left behind. */
#include "support.h"
#include <cpu/cpu.h>
#include <prover/b2/b2.h>
#include <prover/prove.h>

#include <stdatomic.h>

#include "support/counted.h"
#include "support/test.h"

const pail_backend *backend; /* declared in support.h: the CPU backend by another name */
pail_context *context;

static const pail_backend *cpu;
static pail_backend device;
static struct support_case files;
static atomic_int losses; /* multiplications of the device that are still to be lost */

static pail_status losing_finish(pail_pending **pending, pail_msm_result *results, size_t n,
                                 pail_stats *stats)
{
    const pail_status status = cpu->msm_finish(pending, results, n, stats);
    return atomic_fetch_sub(&losses, 1) > 0 ? PAIL_ERR_DEVICE_LOST : status;
}

int support_setup(void **state)
{
    (void)state;
    static const pail_host usual = {
        .struct_size = sizeof(usual), .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR};
    static const pail_host counted = {.struct_size = sizeof(counted),
                                      .abi_major = PAIL_ABI_MAJOR,
                                      .abi_minor = PAIL_ABI_MINOR,
                                      .alloc = counted_alloc,
                                      .free = counted_free};
    const pail_context_params params = {.struct_size = sizeof(params), .threads = 2};
    if (pail_cpu_open(&usual, &cpu) != PAIL_OK ||
        cpu->context_create(&usual, &context, &params) != PAIL_OK)
        return -1;
    device = *cpu;
    device.name = "other";
    device.msm_finish = losing_finish;
    backend = &device;
    pail_b2_host = &counted;
    atomic_store(&counted_left, -1);
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, 40, 1, 1});
    return 0;
}

int support_teardown(void **state)
{
    (void)state;
    support_case_free(&files);
    backend->context_destroy(&context);
    return atomic_load(&counted_blocks) == 0 ? 0 : -1;
}

static pail_status open_key(pail_groth16_key **key, uint32_t b2, char error[512])
{
    pail_groth16_key_params params = support_params(&files.zkey);
    params.b2 = b2;
    params.b2_threads = 2;
    error[0] = '\0';
    *key = NULL;
    return pail_groth16_key_open(key, backend, context, &params, error, 512);
}

PAIL_TEST(opening)
{
    pail_status status = PAIL_ERR_HOST_MEMORY;
    char error[512];
    long failures = 0;
    for (; status != PAIL_OK && failures < 1000; failures++) {
        pail_groth16_key *key;
        atomic_store(&counted_left, failures);
        status = open_key(&key, PAIL_GROTH16_B2_CPU, error);
        assert_true(status == PAIL_OK || status == PAIL_ERR_HOST_MEMORY);
        assert_true((status == PAIL_OK) == (error[0] == '\0'));
        assert_true((status == PAIL_OK) == (key != NULL));
        pail_groth16_key_close(&key);
        assert_int_equal(atomic_load(&counted_blocks), 0);
    }
    assert_true(status == PAIL_OK && failures > 3); /* a context and points at least */
    /* The device has B2 where nobody asked for the processors. */
    for (long n = 0; n < failures; n++) {
        pail_groth16_key *key;
        pail_groth16_key_info info = {.struct_size = sizeof(info)};
        atomic_store(&counted_left, n);
        assert_int_equal(open_key(&key, PAIL_GROTH16_B2_AUTO, error), PAIL_OK);
        assert_int_equal(pail_groth16_key_get_info(key, &info), PAIL_OK);
        assert_int_equal(info.b2, n == failures - 1 ? PAIL_GROTH16_B2_CPU : PAIL_GROTH16_B2_DEVICE);
        pail_groth16_key_close(&key);
        assert_int_equal(atomic_load(&counted_blocks), 0);
    }
    atomic_store(&counted_left, -1);
}

static pail_status prove(const pail_groth16_key *key, uint32_t flags, char error[512])
{
    static const pail_groth16_proof zero;
    const pail_groth16_options options = {.struct_size = sizeof(options), .flags = flags};
    const pail_groth16_witness witness = {
        .struct_size = sizeof(witness), .wtns = files.wtns.data, .n_wtns = files.wtns.size};
    pail_groth16_proof proof = {.struct_size = sizeof(proof)};
    pail_groth16_timings timings = {.struct_size = sizeof(timings)};
    uint8_t publics[32];
    error[0] = '\0';
    const pail_status status =
        pail_groth16_prove(key, &proof, publics, &timings, &witness, &options, error, 512);
    assert_true((status == PAIL_OK) == (error[0] == '\0'));
    assert_true((memcmp(proof.a, zero.a, sizeof(proof.a)) == 0) == (status != PAIL_OK));
    return status;
}

PAIL_TEST(proving)
{
    pail_groth16_key *key;
    char error[512];
    assert_int_equal(open_key(&key, PAIL_GROTH16_B2_CPU, error), PAIL_OK);
    const long before = atomic_load(&counted_blocks);
    for (uint32_t flags = 0; flags <= PAIL_GROTH16_STAGES; flags += PAIL_GROTH16_STAGES) {
        pail_status status = PAIL_ERR_HOST_MEMORY;
        long failures = 0;
        for (; status != PAIL_OK && failures < 1000; failures++) {
            atomic_store(&counted_left, failures);
            status = prove(key, flags, error);
            assert_true(status == PAIL_OK || status == PAIL_ERR_HOST_MEMORY);
            if (status != PAIL_OK)
                support_expect_words(error, "cpu|B2");
            assert_int_equal(atomic_load(&counted_blocks), before);
        }
        assert_true(status == PAIL_OK && failures > 1);
    }
    atomic_store(&counted_left, -1);
    pail_groth16_key_close(&key);
}

/* The device is lost while the processors multiply. */
PAIL_TEST(lost)
{
    pail_groth16_key *key;
    char error[512];
    assert_int_equal(open_key(&key, PAIL_GROTH16_B2_CPU, error), PAIL_OK);
    const long before = atomic_load(&counted_blocks);
    for (int i = 0; i < 20; i++) {
        atomic_store(&losses, 1);
        assert_int_equal(prove(key, 0, error), PAIL_ERR_DEVICE_LOST);
        assert_int_equal(atomic_load(&counted_blocks), before);
    }
    atomic_store(&losses, 0);
    assert_int_equal(prove(key, 0, error), PAIL_OK);
    pail_groth16_key_close(&key);
}

/* Given up at any time. */
PAIL_TEST(abandoned)
{
    pail_groth16_key *key;
    char error[512];
    assert_int_equal(open_key(&key, PAIL_GROTH16_B2_CPU, error), PAIL_OK);
    const long before = atomic_load(&counted_blocks);
    const pail_groth16_options options = {.struct_size = sizeof(options)};
    const pail_groth16_witness witness = {
        .struct_size = sizeof(witness), .wtns = files.wtns.data, .n_wtns = files.wtns.size};
    for (int i = 0; i < 20; i++) {
        struct pail_proving *proving;
        assert_int_equal(pail_proving_create(&proving, key,
                                             &(struct pail_proof_source){.witness = &witness},
                                             &options, error, sizeof(error)),
                         PAIL_OK);
        assert_int_equal(pail_proving_start(proving, 0, 0, error, sizeof(error)), PAIL_OK);
        if (i % 2 == 1)
            (void)pail_proving_wait(proving, (uint64_t)i * 10000);
        pail_proving_destroy(&proving);
        assert_int_equal(atomic_load(&counted_blocks), before);
    }
    pail_groth16_key_close(&key);
}

PAIL_TEST_GROUP(support_setup, support_teardown)
