/* SPDX-License-Identifier: Apache-2.0 */
/* `pail verify`: verify a Groth16 proof. Needs no backend. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <platform/clock.h>
#include <platform/text.h>

#include "commands.h"
#include "options/names.h"
#include "output/json.h"
#include "output/progress.h"
#include "verify.h"
#include <formats/file.h>

struct options {
    bool json;
};

static const struct pail_option rows[] = {
    {.argument = "KEY PUBLIC PROOF",
     .kind = PAIL_OPTION_WORDS,
     .file = true,
     .help = "verification_key.json of snarkjs or the proving key itself (.zkey), public.json and "
             "proof.json, in the form of snarkjs or of rapidsnark"},
    {PAIL_FLAG(struct options, json, "json", "print one JSON object")},
};

/* A proving key begins with this, and no JSON does. */
static const char zkey_magic[4] = {'z', 'k', 'e', 'y'};

static pail_status is_zkey(bool *is, const char *path, struct pail_error *error)
{
    struct pail_file file;
    char magic[sizeof(zkey_magic)] = "";
    pail_status status = pail_told(error, pail_file_open(&file, path, PAIL_SENTENCE(error)));
    if (status == PAIL_OK && file.size >= sizeof(magic))
        status =
            pail_told(error, pail_file_read(&file, magic, sizeof(magic), 0, PAIL_SENTENCE(error)));
    pail_file_close(&file);
    *is = memcmp(magic, zkey_magic, sizeof(magic)) == 0;
    return status;
}

enum content { KEY, PUBLIC, PROOF, OTHER };

static enum content content_of(const json_t *root)
{
    return json_object_get(root, "vk_alpha_1") ? KEY
           : json_object_get(root, "pi_a")     ? PROOF
           : json_is_array(root)               ? PUBLIC
                                               : OTHER;
}

/* Another of the three files in this place is named: the order is easily mistaken. */
static pail_status read_json(json_t **root, const char *path, enum content wanted,
                             struct pail_error *error)
{
    static const char *const names[] = {[KEY] = "a verification key",
                                        [PUBLIC] = "an array, as public values are",
                                        [PROOF] = "a proof"};
    if (pail_json_file_read(root, path, error) != PAIL_OK)
        return error->status;
    const enum content found = content_of(*root);
    return found == wanted || found == OTHER
               ? PAIL_OK
               : pail_fail(error, PAIL_ERR_DATA, "%s: this is %s; the order is KEY PUBLIC PROOF",
                           path, names[found]);
}

pail_status pail_verify_read_key(struct pail_verifying_key *key, const char *path,
                                 struct pail_error *error)
{
    bool binary;
    json_t *root = NULL;
    pail_status status = is_zkey(&binary, path, error);
    if (status == PAIL_OK && binary)
        return pail_told(error, pail_verifying_key_of_file(key, path, PAIL_SENTENCE(error)));
    if (status == PAIL_OK)
        status = read_json(&root, path, KEY, error);
    if (status == PAIL_OK)
        status =
            pail_told(error, pail_verifying_key_of_json(key, root, path, PAIL_SENTENCE(error)));
    json_decref(root);
    return status;
}

pail_status pail_verify_read_proof(pail_groth16_proof *proof, uint32_t curve, const char *path,
                                   struct pail_error *error)
{
    json_t *root;
    pail_status status = read_json(&root, path, PROOF, error);
    if (status == PAIL_OK)
        status =
            pail_told(error, pail_proof_of_json(proof, curve, root, path, PAIL_SENTENCE(error)));
    json_decref(root);
    return status;
}

pail_status pail_verify_read_publics(uint8_t **publics, uint64_t *n, const char *path,
                                     struct pail_error *error)
{
    json_t *root;
    pail_status status = read_json(&root, path, PUBLIC, error);
    if (status == PAIL_OK)
        status =
            pail_told(error, pail_publics_of_json(publics, n, root, path, PAIL_SENTENCE(error)));
    json_decref(root);
    return status;
}

static void print(const struct options *options, bool valid, const pail_groth16_verifying_key *key,
                  double ms, struct pail_error *error)
{
    const char *const curve = pail_name_of(pail_curve_names, key->curve);
    if (!options->json) {
        (void)pail_print(stdout, "%s (%s, public values: %" PRIu64 ", %.1f ms)\n",
                         valid ? "valid" : "invalid", curve, key->n_public, ms);
        return;
    }
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set_bool(&json, "valid", valid);
    pail_json_set_text(&json, "curve", curve);
    pail_json_set_number(&json, "n_public", key->n_public);
    pail_json_set_real(&json, "verify_ms", ms);
    (void)pail_json_print(stdout, &json, error);
}

static void run(struct pail_error *error, void *given, const struct pail_call *call)
{
    struct pail_verifying_key key = {0};
    pail_groth16_proof proof;
    uint8_t *publics = NULL;
    uint64_t n_public = 0;
    uint32_t valid = 0;
    if (call->n != 3) {
        (void)pail_fail(error, PAIL_ERR_ARGUMENT,
                        "expected KEY PUBLIC PROOF, got %zu; see pail verify --help", call->n);
        return;
    }
    const pail_groth16_names names = {.struct_size = sizeof(names),
                                      .key = call->words[0],
                                      .publics = call->words[1],
                                      .proof = call->words[2]};
    pail_status status = pail_verify_read_key(&key, names.key, error);
    if (status == PAIL_OK)
        status = pail_verify_read_publics(&publics, &n_public, names.publics, error);
    if (status == PAIL_OK)
        status = pail_verify_read_proof(&proof, key.key.curve, names.proof, error);
    const double begin_ms = pail_now_ms();
    if (status == PAIL_OK)
        status =
            pail_told(error, pail_groth16_verify_named(&valid, &key.key, &proof, publics, n_public,
                                                       &names, PAIL_SENTENCE(error)));
    if (status == PAIL_OK)
        print(given, valid != 0, &key.key, pail_now_ms() - begin_ms, error);
    if (status == PAIL_OK && valid == 0)
        pail_differs(error, "%s: the proof is not valid for the key %s and the public values %s",
                     names.proof, names.key, names.publics);
    free(publics);
    pail_verifying_key_free(&key);
}

const struct pail_command pail_verify_command = {
    .name = "verify",
    .summary = "verify a Groth16 proof",
    .usage = "KEY PUBLIC PROOF [--json]",
    .text =
        "Verifies a Groth16 proof over BN254 or BLS12-381. The exit status is 0 if it is valid, 1 "
        "if it is invalid, and 3 if a file has the wrong format, a point that is not on its curve "
        "or in its group, or a public value that is not below the order of the group.",
    .examples = "verify verification_key.json public.json proof.json\n"
                "verify circuit.zkey public.json proof.json",
    .parts = {{PAIL_PART(rows)}},
    .size = sizeof(struct options),
    .run = run,
};
