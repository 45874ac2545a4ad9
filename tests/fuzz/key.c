/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a proving key on the CPU backend: what opens proves a witness of ones and zeros, or
 * refuses it, and what does not open comes with a sentence. */
#include <pail/groth16.h>

#include <stdlib.h>
#include <string.h>

#include <cpu/cpu.h>
#include <curves/fnv.h>
#include <prover/open/open.h>
#include <prover/prove.h>

#include "target.h"

enum { VARIABLES_MAX = 64, DOMAIN_MAX = 64, PROVE_EVERY = 16 };

static const pail_backend *backend;
static pail_context *context;

static void begin(void)
{
    static const pail_host host = {
        .struct_size = sizeof(host), .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR};
    const pail_context_params params = {.struct_size = sizeof(params), .threads = 1};
    if (pail_cpu_open(&host, &backend) != PAIL_OK ||
        backend->context_create(&host, &context, &params) != PAIL_OK)
        abort();
}

static void prove(const pail_groth16_key *key)
{
    static uint8_t values[32 * VARIABLES_MAX] = {1}, publics[32 * VARIABLES_MAX];
    pail_groth16_proof proof;
    pail_groth16_timings timings;
    const pail_groth16_options options = {.struct_size = sizeof(options),
                                          .flags = PAIL_GROTH16_FIXED_BLINDING};
    const pail_groth16_witness witness = {
        .struct_size = sizeof(witness), .values = values, .n_values = key->n_vars};
    if (key->n_vars > VARIABLES_MAX || key->info.domain_size > DOMAIN_MAX)
        return;
    if (pail_prove(key, &proof, publics, &timings, &(struct pail_proof_source){.witness = &witness},
                   &options, NULL, 0) != PAIL_OK ||
        proof.curve != key->curve)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pail_groth16_key *key = NULL;
    char error[512] = "";
    const pail_groth16_key_params params = {
        .struct_size = sizeof(params), .bytes = data, .n_bytes = size};
    if (context == NULL)
        begin();
    const pail_status status = pail_key_open(&key, backend, context, &params, error, sizeof(error));
    if ((status == PAIL_OK) != (key != NULL) || (status == PAIL_OK) != (error[0] == '\0'))
        abort();
    if (key != NULL && pail_fnv1a64(data, size) % PROVE_EVERY == 0)
        prove(key);
    pail_key_close(&key);
    return 0;
}
