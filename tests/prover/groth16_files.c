/* SPDX-License-Identifier: Apache-2.0 */
#include "groth16_files.h"
#include "support/test.h"
#include <formats/file.h>

const char *const groth16_cases[] = {"ledger",
                                     "groth16/bn254_0",
                                     "groth16/bn254_3",
                                     "groth16/bn254_infinities",
                                     "groth16/bls12_381_0",
                                     "groth16/bls12_381_3",
                                     "groth16/bls12_381_infinities",
                                     NULL};

/* tests/data/ledger.proof.json, tests/data/groth16/bn254_0/proof.json */
static json_t *load(char **text, size_t *n, const char *name, const char *file)
{
    char path[4096], error[512];
    struct pail_bytes bytes;
    json_error_t reason;
    assert_true(snprintf(path, sizeof(path), PAIL_TEST_DATA "/%s%c%s.json", name,
                         strchr(name, '/') != NULL ? '/' : '.', file) < (int)sizeof(path));
    if (pail_file_load_whole(&bytes, path, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    json_t *const root = json_loadb((const char *)bytes.data, bytes.size, 0, &reason);
    if (root == NULL)
        fail_msg("%s: %s", path, reason.text);
    if (text != NULL) {
        *text = malloc(bytes.size + 1);
        assert_non_null(*text);
        memcpy(*text, bytes.data, bytes.size);
        (*text)[bytes.size] = '\0';
        *n = bytes.size;
    }
    pail_bytes_free(&bytes, false);
    return root;
}

struct groth16_files groth16_files_load(const char *name)
{
    struct groth16_files files;
    char error[512];
    files.vkey = load(NULL, NULL, name, "vkey");
    files.proof = load(&files.proof_text, &files.n_proof_text, name, "proof");
    files.public = load(&files.public_text, &files.n_public_text, name, "public");
    if (pail_verifying_key_of_json(&files.key, files.vkey, "vkey", error, sizeof(error)) !=
            PAIL_OK ||
        pail_proof_of_json(&files.of_proof, files.key.key.curve, files.proof, "proof", error,
                           sizeof(error)) != PAIL_OK ||
        pail_publics_of_json(&files.publics, &files.n_public, files.public, "public", error,
                             sizeof(error)) != PAIL_OK)
        fail_msg("%s: %s", name, error);
    return files;
}

void groth16_files_free(struct groth16_files *files)
{
    json_decref(files->vkey);
    json_decref(files->proof);
    json_decref(files->public);
    free(files->proof_text);
    free(files->public_text);
    free(files->publics);
    pail_verifying_key_free(&files->key);
}
