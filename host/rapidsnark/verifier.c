/* SPDX-License-Identifier: Apache-2.0 */
#include "verifier.h"

#include <stdlib.h>
#include <string.h>

#include <formats/groth16_json.h>
#include <formats/report.h>

/* Sentences begin with the words of rapidsnark. */
static const pail_groth16_names names = {.struct_size = sizeof(names),
                                         .key = "invalid verification key data",
                                         .proof = "invalid proof data",
                                         .publics = "invalid inputs data"};

static pail_status parse(json_t **root, const char *text, const char *name, char *error,
                         size_t error_cap)
{
    json_error_t reason;
    *root = NULL;
    if (!text)
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT, "%s: it is NULL", name);
    *root = json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &reason);
    if (!*root)
        return pail_report(error, error_cap, PAIL_ERR_DATA, "%s: line %d, column %d: %s", name,
                           reason.line, reason.column, reason.text);
    return PAIL_OK;
}

/* Inputs that were read, and are freed at the end. */
struct input {
    json_t *roots[3];
    struct pail_verifying_key key;
    pail_groth16_proof proof;
    uint8_t *publics;
    uint64_t n_public;
};

static pail_status read_input(struct input *input, const char *proof, const char *inputs,
                              const char *verification_key, char *error, size_t error_cap)
{
    pail_status status = parse(&input->roots[0], verification_key, names.key, error, error_cap);
    if (status == PAIL_OK)
        status =
            pail_verifying_key_of_json(&input->key, input->roots[0], names.key, error, error_cap);
    if (status == PAIL_OK)
        status = parse(&input->roots[1], proof, names.proof, error, error_cap);
    if (status == PAIL_OK)
        status = pail_proof_of_json(&input->proof, input->key.key.curve, input->roots[1],
                                    names.proof, error, error_cap);
    if (status == PAIL_OK)
        status = parse(&input->roots[2], inputs, names.publics, error, error_cap);
    if (status == PAIL_OK)
        status = pail_publics_of_json(&input->publics, &input->n_public, input->roots[2],
                                      names.publics, error, error_cap);
    if (status == PAIL_OK && input->n_public != input->key.key.n_public)
        status = pail_report(error, error_cap, PAIL_ERR_DATA, "len(inputs)+1 != len(vk.IC)");
    return status;
}

static void free_input(struct input *input)
{
    for (size_t i = 0; i < sizeof(input->roots) / sizeof(input->roots[0]); i++)
        json_decref(input->roots[i]);
    pail_verifying_key_free(&input->key);
    free(input->publics);
}

int groth16_verify(const char *proof, const char *inputs, const char *verification_key,
                   char *error_msg, unsigned long error_msg_maxsize)
{
    struct input input = {0};
    uint32_t valid = 0;
    const size_t error_cap = error_msg ? error_msg_maxsize : 0;
    if (error_cap > 0)
        error_msg[0] = '\0';
    pail_status status = read_input(&input, proof, inputs, verification_key, error_msg, error_cap);
    if (status == PAIL_OK)
        status = pail_groth16_verify_named(&valid, &input.key.key, &input.proof, input.publics,
                                           input.n_public, &names, error_msg, error_cap);
    free_input(&input);
    if (status != PAIL_OK)
        return VERIFIER_ERROR;
    return valid != 0 ? VERIFIER_VALID_PROOF : VERIFIER_INVALID_PROOF;
}
