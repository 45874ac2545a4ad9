/* SPDX-License-Identifier: Apache-2.0 */
#include <pail/groth16.h>

#include <string.h>

#include "caller.h"
#include <formats/proof_json.h>
#include <formats/report.h>
#include <prover/verify.h>

static pail_status check_curve(uint32_t curve, const char *what, char *error, size_t capacity)
{
    if (pail_snarkjs_curve_name(curve))
        return PAIL_OK;
    return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "there is no curve %u, of the %s", curve,
                       what);
}

static pail_status check_proof(const pail_groth16_proof *proof, char *error, size_t capacity)
{
    if (!proof || proof->struct_size < sizeof(*proof))
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "the proof is missing or too small");
    return check_curve(proof->curve, "proof", error, capacity);
}

static pail_status check_key(const pail_groth16_verifying_key *key, char *error, size_t capacity)
{
    if (!key || key->struct_size < sizeof(*key))
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "the verifying key is missing or too small");
    if (!key->ic)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "ic of the verifying key is NULL");
    return check_curve(key->curve, "verifying key", error, capacity);
}

static pail_status check_publics(const void *publics, uint64_t n_public, char *error,
                                 size_t capacity)
{
    if (!publics && n_public > 0)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "publics is NULL");
    if (n_public > SIZE_MAX / (2 * PAIL_COORDINATE_MAX) - 1)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "%llu public values do not fit the address space",
                           (unsigned long long)n_public);
    return PAIL_OK;
}

static pail_status take_names(struct pail_verify_names *names, const pail_groth16_names *theirs,
                              char *error, size_t capacity)
{
    pail_groth16_names ours;
    const pail_status status = pail_take(&ours, sizeof(ours), theirs, "names", error, capacity);
    *names = (struct pail_verify_names){
        .key = ours.key ? ours.key : "the verifying key",
        .proof = ours.proof ? ours.proof : "the proof",
        .publics = ours.publics ? ours.publics : "the public values",
    };
    return status;
}

pail_status pail_groth16_verify(uint32_t *valid, const pail_groth16_verifying_key *key,
                                const pail_groth16_proof *proof, const void *publics,
                                uint64_t n_public, char *error, size_t capacity)
{
    return pail_groth16_verify_named(valid, key, proof, publics, n_public, NULL, error, capacity);
}

pail_status pail_groth16_verify_named(uint32_t *valid, const pail_groth16_verifying_key *key,
                                      const pail_groth16_proof *proof, const void *publics,
                                      uint64_t n_public, const pail_groth16_names *their_names,
                                      char *error, size_t capacity)
{
    struct pail_verify_names names;
    bool is_valid = false;
    if (error && capacity > 0)
        error[0] = '\0';
    if (!valid)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "valid is NULL");
    *valid = 0;
    pail_status status = check_proof(proof, error, capacity);
    if (status == PAIL_OK)
        status = check_key(key, error, capacity);
    if (status == PAIL_OK)
        status = check_publics(publics, n_public, error, capacity);
    if (status == PAIL_OK)
        status = take_names(&names, their_names, error, capacity);
    if (status == PAIL_OK)
        status = pail_verify(&is_valid, key, proof, publics, n_public, &names, error, capacity);
    *valid = is_valid ? 1 : 0;
    return status;
}

/* The common beginning of both texts: empty outputs. */
static pail_status begin_text(char *text, size_t capacity, size_t *length, uint32_t layout,
                              char *error, size_t error_capacity)
{
    if (error && error_capacity > 0)
        error[0] = '\0';
    if (text && capacity > 0)
        text[0] = '\0';
    if (!length)
        return pail_report(error, error_capacity, PAIL_ERR_ARGUMENT, "length is NULL");
    *length = 0;
    if (!text && capacity > 0)
        return pail_report(error, error_capacity, PAIL_ERR_ARGUMENT, "text is NULL");
    if (layout != PAIL_GROTH16_SNARKJS && layout != PAIL_GROTH16_RAPIDSNARK)
        return pail_report(error, error_capacity, PAIL_ERR_ARGUMENT, "there is no layout %u",
                           layout);
    return PAIL_OK;
}

pail_status pail_groth16_proof_text(char *text, size_t capacity, size_t *length,
                                    const pail_groth16_proof *proof, uint32_t layout, char *error,
                                    size_t error_capacity)
{
    pail_status status = begin_text(text, capacity, length, layout, error, error_capacity);
    if (status == PAIL_OK)
        status = check_proof(proof, error, error_capacity);
    return status != PAIL_OK
               ? status
               : pail_proof_json(text, capacity, length, proof, (enum pail_groth16_layout)layout,
                                 error, error_capacity);
}

pail_status pail_groth16_public_text(char *text, size_t capacity, size_t *length,
                                     const void *publics, uint64_t n_public, uint32_t layout,
                                     char *error, size_t error_capacity)
{
    pail_status status = begin_text(text, capacity, length, layout, error, error_capacity);
    if (status == PAIL_OK)
        status = check_publics(publics, n_public, error, error_capacity);
    return status != PAIL_OK
               ? status
               : pail_public_json(text, capacity, length, publics, (size_t)n_public,
                                  (enum pail_groth16_layout)layout, error, error_capacity);
}
