/* SPDX-License-Identifier: Apache-2.0 */
/* The command `prover` of rapidsnark: the same arguments, silent when all is well. Unlike that one
 * it fails where a file cannot be written, and writes over nothing but proofs and public values. */
#include <stdio.h>
#include <stdlib.h>

#include <formats/file.h>
#include <formats/proof_files.h>
#include <platform/text.h>

#include "prover.h"

enum { ERROR_CHARS = 1024 };

/* Buffers for the texts of a proof and its public values. */
struct texts {
    char *proof, *publics;
    unsigned long long proof_size, public_size;
};

static int prove(struct texts *texts, const char *zkey, const struct pail_bytes *wtns, char *error)
{
    groth16_proof_size(&texts->proof_size);
    const int sized =
        groth16_public_size_for_zkey_file(zkey, &texts->public_size, error, ERROR_CHARS);
    if (sized != PROVER_OK)
        return sized;
    texts->proof = malloc((size_t)texts->proof_size);
    texts->publics = malloc((size_t)texts->public_size);
    if (!texts->proof || !texts->publics) {
        (void)pail_line(error, ERROR_CHARS, "no memory for the proof");
        return PROVER_ERROR;
    }
    return groth16_prover_zkey_file(zkey, wtns->data, wtns->size, texts->proof, &texts->proof_size,
                                    texts->publics, &texts->public_size, error, ERROR_CHARS);
}

static int run(char **paths, char *error)
{
    struct pail_proof_files files = PAIL_PROOF_FILES_NONE;
    struct pail_bytes wtns = {0};
    struct texts texts = {0};
    bool done =
        pail_proof_files_begin(&files, paths[2], paths[3], error, ERROR_CHARS) == PAIL_OK &&
        pail_file_load_whole(&wtns, paths[1], error, ERROR_CHARS) == PAIL_OK &&
        prove(&texts, paths[0], &wtns, error) == PROVER_OK &&
        pail_proof_files_write_texts(&files, texts.proof, (size_t)texts.proof_size, texts.publics,
                                     (size_t)texts.public_size, error, ERROR_CHARS) == PAIL_OK;
    pail_proof_files_end(&files);
    pail_bytes_free(&wtns, true);
    free(texts.proof);
    free(texts.publics);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    char error[ERROR_CHARS] = "";
    if (argc != 5) {
        (void)fputs("Invalid number of parameters\n"
                    "Usage: prover <circuit.zkey> <witness.wtns> <proof.json> <public.json>\n",
                    stderr);
        return EXIT_FAILURE;
    }
    const int result = run(argv + 1, error);
    if (result != EXIT_SUCCESS)
        (void)pail_print(stderr, "Error: %s\n", error);
    return result;
}
