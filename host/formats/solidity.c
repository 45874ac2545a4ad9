/* SPDX-License-Identifier: Apache-2.0 */
#include "solidity.h"

#include <inttypes.h>

#include "decimal.h"

enum { WORD = 32, G2_WORDS = 4 };

/* Words of a point of G2, in the order of the EVM: the coefficient of u comes first. */
static const size_t evm_order[G2_WORDS] = {1, 0, 3, 2};

/* ---- The contract ---------------------------------------------------------------------------- */

static void put_number(FILE *out, const uint8_t *word)
{
    char digits[PAIL_DECIMAL_DIGITS_MAX];
    (void)fwrite(digits, 1, pail_decimal_write(digits, word, WORD), out);
}

/* Stores a word of the key in the pairing's input. */
static void put_store(FILE *out, size_t offset, const uint8_t *word)
{
    (void)fprintf(out, "            mstore(add(pairs, %zu), ", offset);
    put_number(out, word);
    (void)fputs(")\n", out);
}

static void put_g2(FILE *out, size_t offset, const uint8_t *point)
{
    for (size_t i = 0; i < G2_WORDS; i++)
        put_store(out, offset + WORD * i, point + WORD * evm_order[i]);
}

static void put_multiples(FILE *out, const pail_groth16_verifying_key *key)
{
    const uint8_t *const ic = key->ic;
    for (uint64_t i = 1; i <= key->n_public; i++) {
        (void)fputs("            addMultiple(sum, ", out);
        put_number(out, ic + 2 * WORD * i);
        (void)fputs(", ", out);
        put_number(out, ic + 2 * WORD * i + WORD);
        (void)fprintf(out, ", calldataload(add(publicSignals, %" PRIu64 ")))\n", WORD * (i - 1));
    }
}

void pail_solidity_verifier(FILE *out, const pail_groth16_verifying_key *key)
{
    static const char head[] =
        "// SPDX-License-Identifier: Apache-2.0\n"
        "pragma solidity >=0.8.13 <0.9.0;\n"
        "\n"
        "/// Verifies Groth16 proofs of one circuit: e(-A, B) e(alpha, beta) e(IC, gamma) e(C, "
        "delta) = 1, with\n"
        "/// IC = IC[0] + the sum of publicSignals[i] IC[i + 1]. Points of G2 have the coefficient "
        "of u first.\n"
        "contract Groth16Verifier {\n"
        "    // Coordinates are below P, scalars below R.\n"
        "    uint256 private constant P = "
        "21888242871839275222246405745257275088696311157297823662689037894645226208583;\n"
        "    uint256 private constant R = "
        "21888242871839275222246405745257275088548364400416034343698204186575808495617;\n"
        "\n"
        "    /// False also for coordinates, points and public values that are not valid.\n"
        "    function verifyProof(\n"
        "        uint256[2] calldata a,\n"
        "        uint256[2][2] calldata b,\n"
        "        uint256[2] calldata c";
    static const char body[] =
        "\n"
        "    ) external view returns (bool) {\n"
        "        assembly (\"memory-safe\") {\n"
        "            function refuse() {\n"
        "                mstore(0, 0)\n"
        "                return(0, 32)\n"
        "            }\n"
        "            // The point at `sum` grows by scalar (x, y); three words behind it are "
        "overwritten.\n"
        "            function addMultiple(sum, x, y, scalar) {\n"
        "                if iszero(lt(scalar, R)) { refuse() }\n"
        "                mstore(add(sum, 64), x)\n"
        "                mstore(add(sum, 96), y)\n"
        "                mstore(add(sum, 128), scalar)\n"
        "                if iszero(staticcall(gas(), 7, add(sum, 64), 96, add(sum, 64), 64)) { "
        "refuse() }\n"
        "                if iszero(staticcall(gas(), 6, sum, 128, sum, 64)) { refuse() }\n"
        "            }\n"
        "            let sum := mload(64)\n"
        "            let pairs := add(sum, 192)\n"
        "            mstore(sum, ";
    static const char pairs[] = "            // -A and B\n"
                                "            let y := calldataload(add(a, 32))\n"
                                "            if iszero(lt(y, P)) { refuse() }\n"
                                "            mstore(pairs, calldataload(a))\n"
                                "            mstore(add(pairs, 32), mod(sub(P, y), P))\n"
                                "            calldatacopy(add(pairs, 64), b, 128)\n"
                                "            // alpha and beta, IC and gamma, C and delta\n"
                                "            mstore(add(pairs, 384), mload(sum))\n"
                                "            mstore(add(pairs, 416), mload(add(sum, 32)))\n"
                                "            calldatacopy(add(pairs, 576), c, 64)\n";
    static const char tail[] = "            let done := staticcall(gas(), 8, pairs, 768, sum, 32)\n"
                               "            mstore(0, and(done, eq(mload(sum), 1)))\n"
                               "            return(0, 32)\n"
                               "        }\n"
                               "    }\n"
                               "}\n";
    (void)fputs(head, out);
    if (key->n_public > 0)
        (void)fprintf(out, ",\n        uint256[%" PRIu64 "] calldata publicSignals", key->n_public);
    (void)fputs(body, out);
    put_number(out, key->ic);
    (void)fputs(")\n            mstore(add(sum, 32), ", out);
    put_number(out, (const uint8_t *)key->ic + WORD);
    (void)fputs(")\n", out);
    put_multiples(out, key);
    (void)fputs(pairs, out);
    put_store(out, 192, key->alpha1);
    put_store(out, 224, key->alpha1 + WORD);
    put_g2(out, 256, key->beta2);
    put_g2(out, 448, key->gamma2);
    put_g2(out, 640, key->delta2);
    (void)fputs(tail, out);
}

/* ---- The arguments --------------------------------------------------------------------------- */

static void put_word(FILE *out, const uint8_t *word)
{
    (void)fputs("\"0x", out);
    for (size_t i = WORD; i-- > 0;)
        (void)fprintf(out, "%02x", word[i]);
    (void)fputc('"', out);
}

static void put_pair(FILE *out, const uint8_t *first, const uint8_t *second)
{
    (void)fputc('[', out);
    put_word(out, first);
    (void)fputs(", ", out);
    put_word(out, second);
    (void)fputc(']', out);
}

void pail_solidity_calldata(FILE *out, const pail_groth16_proof *proof, const uint8_t *publics,
                            uint64_t n_public)
{
    put_pair(out, proof->a, proof->a + WORD);
    (void)fputs(",[", out);
    put_pair(out, proof->b + WORD, proof->b);
    (void)fputc(',', out);
    put_pair(out, proof->b + 3 * WORD, proof->b + 2 * WORD);
    (void)fputs("],", out);
    put_pair(out, proof->c, proof->c + WORD);
    (void)fputs(",[", out);
    for (uint64_t i = 0; i < n_public; i++) {
        if (i > 0)
            (void)fputc(',', out);
        put_word(out, publics + WORD * i);
    }
    (void)fputs("]\n", out);
}
