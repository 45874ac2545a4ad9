/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of the prover's functions; host/prover does the work. */
#include <pail/groth16.h>

#include <string.h>

#include "caller.h"
#include <cpu/cpu.h>
#include <formats/report.h>
#include <platform/memory.h>
#include <platform/process.h>
#include <prover/b2/b2.h>
#include <prover/open/open.h>
#include <prover/prove.h>
#include <prover/spread/spread.h>

enum { SCALAR_BYTES = 32, B2_THREADS_MAX = 4096 };

static pail_status check_key_params(const pail_groth16_key_params *params, uint32_t known,
                                    char *error, size_t capacity)
{
    if (!params->path == !params->bytes)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "params: exactly one of path and bytes says where the key is");
    if ((params->flags & ~known) != 0)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "params: there are no flags 0x%x",
                           params->flags & ~known);
    if (params->b2 > PAIL_GROTH16_B2_KEPT)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "params: there is no b2 %u",
                           params->b2);
    if (params->b2_threads > B2_THREADS_MAX)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "params: b2_threads is %u; at most %d", params->b2_threads,
                           B2_THREADS_MAX);
    if (params->n_bytes > SIZE_MAX)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "params: n_bytes does not fit the address space");
    return PAIL_OK;
}

pail_status pail_take_key_params(pail_groth16_key_params *ours,
                                 const pail_groth16_key_params *theirs, uint32_t known, char *error,
                                 size_t capacity)
{
    pail_status status = pail_check_process(error, capacity);
    if (status == PAIL_OK)
        status = pail_take(ours, sizeof(*ours), theirs, "params", error, capacity);
    return status == PAIL_OK ? check_key_params(ours, known, error, capacity) : status;
}

pail_status pail_groth16_key_open(pail_groth16_key **key, const pail_backend *backend,
                                  pail_context *context, const pail_groth16_key_params *params,
                                  char *error, size_t capacity)
{
    pail_clear_error(error, capacity);
    if (!key)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "key is NULL");
    *key = NULL;
    if (!backend || !context || !params)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "%s is NULL",
                           !backend   ? "backend"
                           : !context ? "context"
                                      : "params");
    pail_groth16_key_params ours;
    const pail_status status = pail_take_key_params(
        &ours, params, PAIL_GROTH16_KEY_HASH | PAIL_GROTH16_KEY_ONCE | PAIL_GROTH16_KEY_WARM, error,
        capacity);
    if (status == PAIL_OK && ours.b2 == PAIL_GROTH16_B2_CPU &&
        (ours.flags & PAIL_GROTH16_KEY_ONCE) != 0 && !pail_is_cpu(backend))
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "params: a key for one proof has B2 on its context alone");
    return status == PAIL_OK
               ? pail_key_open_with_room(key, backend, context, &ours, error, capacity)
               : status;
}

void pail_groth16_key_close(pail_groth16_key **key)
{
    if (!key)
        return;
    if (pail_process_is_first())
        pail_spread_key_close(key);
    *key = NULL;
}

pail_status pail_groth16_key_get_info(const pail_groth16_key *key, pail_groth16_key_info *info)
{
    const pail_status status = pail_check_out(info, sizeof(uint32_t), "info", NULL, 0);
    if (status != PAIL_OK || !key)
        return PAIL_ERR_ARGUMENT;
    pail_groth16_key_info ours;
    pail_b2_info(key, &ours);
    pail_struct_deliver(info, &ours, sizeof(ours));
    return PAIL_OK;
}

pail_status pail_groth16_key_verifying(const pail_groth16_key *key,
                                       pail_groth16_verifying_key *verifying)
{
    const pail_status status = pail_check_out(verifying, sizeof(*verifying), "verifying", NULL, 0);
    if (status != PAIL_OK || !key)
        return PAIL_ERR_ARGUMENT;
    pail_struct_deliver(verifying, &key->verifying.key, sizeof(key->verifying.key));
    return PAIL_OK;
}

pail_status pail_check_witness(const pail_groth16_witness *witness, char *error, size_t capacity)
{
    const int ways = (witness->values != NULL) + (witness->wtns != NULL) + (witness->path != NULL);
    if (ways != 1)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "witness: exactly one of values, wtns and path says what it is");
    if (witness->n_values > SIZE_MAX / SCALAR_BYTES || witness->n_wtns > SIZE_MAX)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "witness: its length does not fit the address space");
    return PAIL_OK;
}

pail_status pail_check_options(const pail_groth16_options *options, uint32_t known, char *error,
                               size_t capacity)
{
    if ((options->flags & ~known) == 0)
        return PAIL_OK;
    return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "options: there are no flags 0x%x",
                       options->flags & ~known);
}

pail_status pail_take_assignment(pail_groth16_assignment *ours,
                                 const pail_groth16_assignment *theirs, char *error,
                                 size_t capacity)
{
    const pail_status status =
        pail_take(ours, sizeof(*ours), theirs, "assignment", error, capacity);
    if (status != PAIL_OK)
        return status;
    const struct {
        const char *name;
        const void *array;
        uint64_t n;
    } rows[] = {{"a", ours->a, ours->n_constraints},
                {"b", ours->b, ours->n_constraints},
                {"c", ours->c, ours->n_constraints},
                {"inputs", ours->inputs, ours->n_inputs},
                {"aux", ours->aux, ours->n_aux},
                {"a_aux_density", ours->a_aux_density, ours->n_aux},
                {"b_input_density", ours->b_input_density, ours->n_inputs},
                {"b_aux_density", ours->b_aux_density, ours->n_aux}};
    if (ours->encoding > PAIL_ENCODING_MONTGOMERY)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "assignment: encoding is %u, which is no encoding of scalars",
                           ours->encoding);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (!rows[i].array && rows[i].n != 0)
            return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "assignment: %s is NULL",
                               rows[i].name);
        if (rows[i].n > SIZE_MAX / SCALAR_BYTES)
            return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                               "assignment: the length of %s does not fit the address space",
                               rows[i].name);
    }
    return PAIL_OK;
}

/* Makes a proof from a witness or an assignment; the other is NULL. */
static pail_status prove(const pail_groth16_key *key, pail_groth16_proof *proof, void *publics,
                         pail_groth16_timings *timings, const pail_groth16_witness *witness,
                         const pail_groth16_assignment *assignment,
                         const pail_groth16_options *options, char *error, size_t capacity)
{
    pail_groth16_witness our_witness;
    pail_groth16_assignment our_assignment;
    pail_groth16_options our_options = {0};
    pail_groth16_proof our_proof;
    pail_groth16_timings our_timings;
    const struct pail_proof_source source = {witness ? &our_witness : NULL,
                                             assignment ? &our_assignment : NULL};
    pail_status status = pail_check_process(error, capacity);
    if (status == PAIL_OK && witness)
        status = pail_take(&our_witness, sizeof(our_witness), witness, "witness", error, capacity);
    if (status == PAIL_OK && witness)
        status = pail_check_witness(&our_witness, error, capacity);
    if (status == PAIL_OK && assignment)
        status = pail_take_assignment(&our_assignment, assignment, error, capacity);
    if (status == PAIL_OK)
        status = pail_take(&our_options, sizeof(our_options), options, "options", error, capacity);
    if (status == PAIL_OK)
        status = pail_check_options(&our_options, PAIL_GROTH16_FIXED_BLINDING | PAIL_GROTH16_STAGES,
                                    error, capacity);
    if (status != PAIL_OK) {
        if (publics && key->n_public != 0)
            memset(publics, 0, (size_t)SCALAR_BYTES * key->n_public);
        pail_wipe(&our_options, sizeof(our_options));
        return status;
    }
    status =
        pail_prove(key, &our_proof, publics, &our_timings, &source, &our_options, error, capacity);
    pail_wipe(&our_options, sizeof(our_options));
    pail_struct_deliver(proof, &our_proof, sizeof(our_proof));
    if (timings)
        pail_struct_deliver(timings, &our_timings, sizeof(our_timings));
    return status;
}

/* Checks what no struct of the caller's is needed for. */
static pail_status check_outputs(const pail_groth16_key *key, pail_groth16_proof *proof,
                                 pail_groth16_timings *timings, const void *source,
                                 const char *name, char *error, size_t capacity)
{
    pail_clear_error(error, capacity);
    pail_status status = pail_check_out(proof, sizeof(*proof), "proof", error, capacity);
    if (status == PAIL_OK && timings)
        status = pail_check_out(timings, sizeof(uint32_t), "timings", error, capacity);
    if (status == PAIL_OK && (!key || !source))
        status = pail_report(error, capacity, PAIL_ERR_ARGUMENT, "%s is NULL", !key ? "key" : name);
    return status;
}

pail_status pail_groth16_prove(const pail_groth16_key *key, pail_groth16_proof *proof,
                               void *publics, pail_groth16_timings *timings,
                               const pail_groth16_witness *witness,
                               const pail_groth16_options *options, char *error, size_t capacity)
{
    const pail_status status =
        check_outputs(key, proof, timings, witness, "witness", error, capacity);
    if (status != PAIL_OK)
        return status;
    if (!publics && key->n_public != 0)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "publics is NULL");
    return prove(key, proof, publics, timings, witness, NULL, options, error, capacity);
}

pail_status pail_groth16_prove_assignment(const pail_groth16_key *key, pail_groth16_proof *proof,
                                          void *publics, pail_groth16_timings *timings,
                                          const pail_groth16_assignment *assignment,
                                          const pail_groth16_options *options, char *error,
                                          size_t capacity)
{
    const pail_status status =
        check_outputs(key, proof, timings, assignment, "assignment", error, capacity);
    return status == PAIL_OK
               ? prove(key, proof, publics, timings, NULL, assignment, options, error, capacity)
               : status;
}

pail_status pail_groth16_h_scalars(void *scalars, uint64_t n, const pail_groth16_key_params *key,
                                   const pail_groth16_witness *witness,
                                   void (*tick)(void *user, double part), void *user, char *error,
                                   size_t capacity)
{
    pail_groth16_key_params our_key;
    pail_groth16_witness our_witness;
    pail_clear_error(error, capacity);
    if (!scalars || !key || !witness)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "%s is NULL",
                           !scalars ? "scalars"
                           : !key   ? "key"
                                    : "witness");
    if (n > SIZE_MAX / SCALAR_BYTES)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "n is %llu, which does not fit the address space",
                           (unsigned long long)n);
    pail_status status = pail_take_key_params(&our_key, key, UINT32_MAX, error, capacity);
    if (status == PAIL_OK)
        status = pail_take(&our_witness, sizeof(our_witness), witness, "witness", error, capacity);
    if (status == PAIL_OK)
        status = pail_check_witness(&our_witness, error, capacity);
    if (status == PAIL_OK)
        status = pail_prove_h(scalars, n, &our_key, &our_witness, tick, user, error, capacity);
    if (status != PAIL_OK)
        memset(scalars, 0, (size_t)n * SCALAR_BYTES);
    return status;
}
