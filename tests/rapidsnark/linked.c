/* SPDX-License-Identifier: Apache-2.0 */
/* A program of rapidsnark's: linked KEY WITNESS VERIFICATION_KEY. It proves, and verifies that. */
#include <stdio.h>
#include <stdlib.h>

#include <rapidsnark/prover.h>
#include <rapidsnark/verifier.h>

static char *load(const char *path, size_t *size)
{
    static const size_t most = 1 << 24;
    char *const bytes = calloc(1, most);
    FILE *const file = fopen(path, "rb");
    if (!bytes || !file) {
        perror(path);
        exit(1);
    }
    *size = fread(bytes, 1, most - 1, file);
    fclose(file);
    return bytes;
}

int main(int argc, char **argv)
{
    char error[256] = "", proof[2048], publics[2048];
    unsigned long long proof_size = sizeof(proof), public_size = sizeof(publics);
    size_t wtns_size, key_size;
    if (argc != 4)
        return 2;
    char *const wtns = load(argv[2], &wtns_size), *const key = load(argv[3], &key_size);
    if (groth16_prover_zkey_file(argv[1], wtns, wtns_size, proof, &proof_size, publics,
                                 &public_size, error, sizeof(error)) != PROVER_OK) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    const int verified = groth16_verify(proof, publics, key, error, sizeof(error));
    printf("%s %d%s\n", publics, verified, error);
    free(key);
    free(wtns);
    return 0;
}
