/* SPDX-License-Identifier: Apache-2.0 */
/* The backend's memory runs out at every point of opening a key and of a proof: a status, a
 * sentence, and nothing left behind. */
#include "support.h"
#include <cpu/cpu.h>

#include <stdatomic.h>

#include "support/counted.h"
#include "support/test.h"

const pail_backend *backend;
pail_context *context;

int support_setup(void **state)
{
    (void)state;
    static const pail_host host = {.struct_size = sizeof(host),
                                   .abi_major = PAIL_ABI_MAJOR,
                                   .abi_minor = PAIL_ABI_MINOR,
                                   .alloc = counted_alloc,
                                   .free = counted_free};
    const pail_context_params params = {.struct_size = sizeof(params), .threads = 2};
    atomic_store(&counted_left, 1000000);
    return pail_cpu_open(&host, &backend) != PAIL_OK ||
           backend->context_create(&host, &context, &params) != PAIL_OK;
}

int support_teardown(void **state)
{
    (void)state;
    backend->context_destroy(&context);
    return atomic_load(&counted_blocks) == 0 ? 0 : -1;
}

static pail_groth16_key *open_all(const struct support_case *files)
{
    atomic_store(&counted_left, 1000000);
    return support_open(&files->zkey);
}

PAIL_TEST(opening)
{
    struct support_case files;
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, 20, 1, 1});
    const long before = atomic_load(&counted_blocks);
    const pail_groth16_key_params params = {
        .struct_size = sizeof(params), .bytes = files.zkey.data, .n_bytes = files.zkey.size};
    pail_status status = PAIL_ERR_HOST_MEMORY;
    long failures = 0;
    for (; status != PAIL_OK && failures < 1000; failures++) {
        char error[512] = "";
        pail_groth16_key *key = NULL;
        atomic_store(&counted_left, failures);
        status = pail_groth16_key_open(&key, backend, context, &params, error, sizeof(error));
        assert_true(status == PAIL_OK || status == PAIL_ERR_HOST_MEMORY);
        assert_true((status == PAIL_OK) == (error[0] == '\0'));
        assert_true((status == PAIL_OK) == (key != NULL));
        pail_groth16_key_close(&key);
        assert_int_equal(atomic_load(&counted_blocks), before);
    }
    assert_int_equal(status, PAIL_OK);
    assert_true(failures > 7); /* two matrices and five sets of points at least */
    support_case_free(&files);
}

PAIL_TEST(proving)
{
    struct support_case files;
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, 20, 1, 1});
    pail_groth16_key *key = open_all(&files);
    const long before = atomic_load(&counted_blocks);
    for (uint32_t flags = 0; flags <= PAIL_GROTH16_STAGES; flags += PAIL_GROTH16_STAGES) {
        const pail_groth16_options options = {.struct_size = sizeof(options), .flags = flags};
        const pail_groth16_witness witness = {
            .struct_size = sizeof(witness), .wtns = files.wtns.data, .n_wtns = files.wtns.size};
        pail_status status = PAIL_ERR_HOST_MEMORY;
        long failures = 0;
        for (; status != PAIL_OK && failures < 1000; failures++) {
            static const pail_groth16_proof zero;
            char error[512] = "";
            uint8_t publics[32];
            pail_groth16_proof proof = {.struct_size = sizeof(proof)};
            atomic_store(&counted_left, failures);
            status = pail_groth16_prove(key, &proof, publics, NULL, &witness, &options, error,
                                        sizeof(error));
            assert_true(status == PAIL_OK || status == PAIL_ERR_HOST_MEMORY);
            assert_true((status == PAIL_OK) == (error[0] == '\0'));
            if (status != PAIL_OK)
                assert_memory_equal(proof.a, zero.a, sizeof(proof.a));
            assert_int_equal(atomic_load(&counted_blocks), before);
        }
        assert_int_equal(status, PAIL_OK);
        assert_true(failures > 4); /* two vectors and two starts at least */
    }
    atomic_store(&counted_left, 1000000);
    pail_groth16_key_close(&key);
    support_case_free(&files);
}

PAIL_TEST_GROUP(support_setup, support_teardown)
