/* SPDX-License-Identifier: Apache-2.0 */
/* `pail key export` and `pail export calldata`: what others verify proofs with. */
#include <stdlib.h>
#include <string.h>

#include <formats/proof_json.h>
#include <formats/solidity.h>
#include <platform/text.h>

#include "commands.h"
#include "output/files.h"
#include "verify/verify.h"

struct options {
    bool none;
};

/* ---- Keys ------------------------------------------------------------------------------------ */

struct text {
    char *bytes;
    size_t length;
};

static pail_status make_json(struct text *text, const char *path,
                             const pail_groth16_verifying_key *key, struct pail_error *error)
{
    char why[512];
    pail_status status = pail_verifying_key_json(NULL, 0, &text->length, key, why, sizeof(why));
    if (status == PAIL_OK && !(text->bytes = malloc(text->length + 1)))
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "%s: no memory for its text", path);
    if (status == PAIL_OK)
        status = pail_verifying_key_json(text->bytes, text->length + 1, &text->length, key, why,
                                         sizeof(why));
    return status == PAIL_OK ? PAIL_OK : pail_fail(error, status, "%s: %s", path, why);
}

/* The beginning of a verification key as snarkjs writes it, by which an older file is known. */
#define JSON_HEAD "{\n \"protocol\": \"groth16\","

/* The head of the file is written already. */
static void put_json(FILE *out, const void *what)
{
    const struct text *const text = what;
    (void)fwrite(text->bytes + sizeof(JSON_HEAD) - 1, 1, text->length - sizeof(JSON_HEAD) + 1, out);
}

static void put_contract(FILE *out, const void *key)
{
    pail_solidity_verifier(out, key);
}

static bool ends_in(const char *path, const char *tail)
{
    const size_t n = strlen(path), chars = strlen(tail);
    return n > chars && strcmp(path + n - chars, tail) == 0;
}

static const struct pail_option key_rows[] = {
    {.argument = "KEY OUT.json|OUT.sol",
     .kind = PAIL_OPTION_WORDS,
     .file = true,
     .help = "a proving key (.zkey) or a verification key of snarkjs, and the file to write, whose "
             "name says what: snarkjs's verification key, or a contract in Solidity"},
};

static void run_key(struct pail_error *error, void *given, const struct pail_call *call)
{
    (void)given;
    struct pail_verifying_key key = {0};
    struct text text = {NULL, 0};
    struct pail_whole_file file = PAIL_WHOLE_FILE_NONE;
    if (call->n != 2) {
        (void)pail_fail(error, PAIL_ERR_ARGUMENT,
                        "expected KEY OUT.json or KEY OUT.sol, got %zu; see pail key export --help",
                        call->n);
        return;
    }
    const char *const from = call->words[0], *const to = call->words[1];
    const bool contract = ends_in(to, ".sol");
    if (!contract && !ends_in(to, ".json")) {
        (void)pail_fail(error, PAIL_ERR_ARGUMENT,
                        "%s: its name ends neither in .json, for a verification key, nor in .sol, "
                        "for a contract",
                        to);
        return;
    }
    const struct pail_magic head =
        contract ? (struct pail_magic){PAIL_SOLIDITY_HEAD, sizeof(PAIL_SOLIDITY_HEAD) - 1}
                 : (struct pail_magic){JSON_HEAD, sizeof(JSON_HEAD) - 1};
    pail_status status = pail_verify_read_key(&key, from, error);
    if (status == PAIL_OK && contract && key.key.curve != PAIL_CURVE_BN254)
        status = pail_fail(error, PAIL_ERR_UNSUPPORTED,
                           "%s: is over bls12-381, and contracts are for bn254 alone", from);
    if (status == PAIL_OK && !contract)
        status = make_json(&text, from, &key.key, error);
    if (status == PAIL_OK)
        status = pail_whole_file_begin(&file, "OUT", to, head, error);
    if (status == PAIL_OK)
        (void)pail_whole_file_write(&file, contract ? put_contract : put_json,
                                    contract ? (const void *)&key.key : &text, error);
    pail_whole_file_end(&file);
    free(text.bytes);
    pail_verifying_key_free(&key);
}

const struct pail_command pail_key_export_command = {
    .name = "key export",
    .summary = "write the verification key, or a contract that verifies",
    .usage = "KEY OUT.json\nKEY OUT.sol",
    .text = "Writes the verification key of a proving key, as snarkjs zkey export verificationkey "
            "does, or a contract in Solidity, for keys over bn254. The contract Groth16Verifier "
            "has the function verifyProof with the arguments of snarkjs's contract, which pail "
            "export calldata prints. An existing file is replaced if it is of the same kind.",
    .examples = "key export circuit.zkey verification_key.json\n"
                "key export circuit.zkey Verifier.sol",
    .parts = {{PAIL_PART(key_rows)}},
    .size = sizeof(struct options),
    .run = run_key,
};

/* ---- Arguments of the contract --------------------------------------------------------------- */

static const struct pail_option calldata_rows[] = {
    {.argument = "PUBLIC.json PROOF.json",
     .kind = PAIL_OPTION_WORDS,
     .file = true,
     .help = "public values and a proof over bn254"},
};

static void run_calldata(struct pail_error *error, void *given, const struct pail_call *call)
{
    (void)given;
    uint8_t *publics = NULL;
    uint64_t n_public = 0;
    pail_groth16_proof proof;
    if (call->n != 2) {
        (void)pail_fail(error, PAIL_ERR_ARGUMENT,
                        "expected PUBLIC.json PROOF.json, got %zu; see pail export calldata --help",
                        call->n);
        return;
    }
    pail_status status = pail_verify_read_publics(&publics, &n_public, call->words[0], error);
    if (status == PAIL_OK)
        status = pail_verify_read_proof(&proof, PAIL_CURVE_BN254, call->words[1], error);
    if (status == PAIL_OK)
        pail_solidity_calldata(stdout, &proof, publics, n_public);
    free(publics);
}

const struct pail_command pail_export_calldata_command = {
    .name = "export calldata",
    .summary = "print a proof as arguments of a contract",
    .usage = "PUBLIC.json PROOF.json",
    .text =
        "Prints the arguments of verifyProof of the contracts that pail key export and snarkjs "
        "write, as snarkjs zkey export soliditycalldata does. Without public values it ends in an "
        "empty array, which no contract takes: leave it out.",
    .examples = "export calldata public.json proof.json",
    .parts = {{PAIL_PART(calldata_rows)}},
    .size = sizeof(struct options),
    .run = run_calldata,
};
