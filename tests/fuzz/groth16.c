/* SPDX-License-Identifier: Apache-2.0 */
#include <formats/groth16_json.h>

#include <stdlib.h>
#include <string.h>

#include <formats/proof_json.h>

#include "target.h"

static char error[512];

/* A refusal comes with a sentence, and leaves nothing. */
static void expect_refusal(const void *output)
{
    if (error[0] == '\0' || output != NULL)
        abort();
}

static void read_key(const json_t *root)
{
    struct pail_verifying_key key;
    if (pail_verifying_key_of_json(&key, root, "fuzz.json", error, sizeof(error)) != PAIL_OK) {
        expect_refusal(key.ic);
        return;
    }
    if (pail_snarkjs_curve_name(key.key.curve) == NULL || key.key.ic != key.ic)
        abort();
    pail_verifying_key_free(&key);
}

/* A proof that is taken and written is read as the same, in either layout. */
static void read_proof(const json_t *root, uint32_t curve)
{
    pail_groth16_proof proof, again;
    char text[4096];
    size_t n;
    if (pail_proof_of_json(&proof, curve, root, "fuzz.json", error, sizeof(error)) != PAIL_OK) {
        expect_refusal(NULL);
        return;
    }
    for (enum pail_groth16_layout layout = PAIL_GROTH16_SNARKJS; layout <= PAIL_GROTH16_RAPIDSNARK;
         layout++) {
        if (pail_proof_json(text, sizeof(text), &n, &proof, layout, error, sizeof(error)) !=
            PAIL_OK)
            abort();
        json_t *const back = json_loadb(text, n, 0, NULL);
        if (pail_proof_of_json(&again, curve, back, "again.json", error, sizeof(error)) !=
                PAIL_OK ||
            memcmp(&again, &proof, sizeof(proof)) != 0)
            abort();
        json_decref(back);
    }
}

static void read_publics(const json_t *root)
{
    uint8_t *publics, *again;
    uint64_t n_public, n_again;
    size_t n;
    if (pail_publics_of_json(&publics, &n_public, root, "fuzz.json", error, sizeof(error)) !=
        PAIL_OK) {
        expect_refusal(publics);
        return;
    }
    (void)pail_public_json(NULL, 0, &n, publics, (size_t)n_public, PAIL_GROTH16_SNARKJS, NULL, 0);
    char *const text = malloc(n + 1);
    if (text == NULL || pail_public_json(text, n + 1, &n, publics, (size_t)n_public,
                                         PAIL_GROTH16_SNARKJS, error, sizeof(error)) != PAIL_OK)
        abort();
    json_t *const back = json_loadb(text, n, 0, NULL);
    if (pail_publics_of_json(&again, &n_again, back, "again.json", error, sizeof(error)) !=
            PAIL_OK ||
        n_again != n_public || memcmp(again, publics, (size_t)n_public * 32) != 0)
        abort();
    json_decref(back);
    free(again);
    free(publics);
    free(text);
}

/* The verifying key in a proving key. */
static void read_proving_key(const uint8_t *data, size_t size)
{
    struct pail_zkey proving;
    struct pail_verifying_key key;
    if (pail_zkey_parse(&proving, "fuzz.zkey", data, size, error, sizeof(error)) != PAIL_OK)
        return;
    if (pail_verifying_key_of_zkey(&key, &proving, error, sizeof(error)) != PAIL_OK)
        expect_refusal(key.ic);
    else if (key.key.n_public != proving.n_public)
        abort();
    pail_verifying_key_free(&key);
    pail_zkey_close(&proving);
}

/* Each text is taken for each kind of file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_proving_key(data, size);
    json_t *const root = json_loadb((const char *)data, size, JSON_DECODE_ANY, NULL);
    if (root == NULL)
        return 0;
    read_key(root);
    read_proof(root, PAIL_CURVE_BN254);
    read_proof(root, PAIL_CURVE_BLS12_381);
    read_publics(root);
    json_decref(root);
    return 0;
}
