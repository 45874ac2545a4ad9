/* SPDX-License-Identifier: Apache-2.0 */
/* insecure_setup: circuits, witnesses and keys for tests and measurements. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pail/backend.h>

#include "circuit.h"
#include "setup.h"

static const char usage[] =
    "usage: insecure_setup circuit CURVE CONSTRAINTS PUBLIC OUT.r1cs OUT.wtns\n"
    "       insecure_setup key IN.r1cs OUT.zkey [SEED]\n"
    "       insecure_setup params IN.r1cs OUT.params [SEED]\n"
    "\n"
    "Makes up a circuit (CURVE: bn254 or bls12-381) with a witness; makes a Groth16 key for a\n"
    "circuit, in the format of snarkjs or of bellman. Everybody knows the key's trapdoor: it is "
    "worth nothing outside of tests.\n";

static bool read_u32(uint32_t *value, const char *text)
{
    char *end;
    const unsigned long long wide = strtoull(text, &end, 0);
    *value = (uint32_t)wide;
    return *text != '\0' && *end == '\0' && wide <= UINT32_MAX;
}

static int make_circuit(char **argv)
{
    struct circuit_params params = {.curve = PAIL_CURVE_BN254, .seed = 1};
    if (strcmp(argv[0], "bls12-381") == 0)
        params.curve = PAIL_CURVE_BLS12_381;
    else if (strcmp(argv[0], "bn254") != 0)
        params.curve = 0;
    if (params.curve == 0 || !read_u32(&params.n_constraints, argv[1]) ||
        !read_u32(&params.n_public, argv[2]) || params.n_constraints > UINT32_MAX - 2 ||
        params.n_public > params.n_constraints + 1) {
        (void)fputs(usage, stderr);
        return 2;
    }
    if (circuit_write(argv[3], argv[4], &params))
        return 0;
    (void)fprintf(stderr, "insecure_setup: %s or %s cannot be written\n", argv[3], argv[4]);
    return 5;
}

static int make_key(char **argv, int argc, bool params)
{
    char error[512];
    uint32_t seed = 1;
    if (argc > 2 && !read_u32(&seed, argv[2])) {
        (void)fputs(usage, stderr);
        return 2;
    }
    const pail_status status = insecure_setup_both(params ? NULL : argv[1], params ? argv[1] : NULL,
                                                   argv[0], seed, error, sizeof(error));
    if (status == PAIL_OK)
        return 0;
    (void)fprintf(stderr, "insecure_setup: %s\n", error);
    return PAIL_STATUS_KIND(status) == PAIL_KIND_DATA ? 3 : 5;
}

int main(int argc, char **argv)
{
    if (argc == 7 && strcmp(argv[1], "circuit") == 0)
        return make_circuit(argv + 2);
    if ((argc == 4 || argc == 5) && strcmp(argv[1], "key") == 0)
        return make_key(argv + 2, argc - 2, false);
    if ((argc == 4 || argc == 5) && strcmp(argv[1], "params") == 0)
        return make_key(argv + 2, argc - 2, true);
    (void)fputs(usage, stderr);
    return 2;
}
