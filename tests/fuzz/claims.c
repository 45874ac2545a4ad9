/* SPDX-License-Identifier: Apache-2.0 */
#include <kzg/kzg.h>

#include <stdlib.h>
#include <string.h>

#include "target.h"

enum { N = 4, LENGTH = 2, CELLS = PAIL_KZG_MEMBER_CELLS };

static uint8_t sum;

static void read_all(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; bytes && i < n; i++)
        sum ^= bytes[i];
}

/* A refusal has a sentence, which begins with the file's name, and leaves nothing; what is taken
 * has all that is needed, as often as it says. */
static void take(const json_t *root, uint32_t needs)
{
    const pail_kzg_info info = {.n = N,
                                .cell_elements = LENGTH,
                                .n_cells = 2 * N / LENGTH,
                                .scalar_bytes = PAIL_KZG_SCALAR_BYTES,
                                .point_bytes = PAIL_KZG_POINT_BYTES};
    struct pail_kzg_claims claims;
    struct pail_error error = {0};
    if (pail_kzg_claims_of_json(&claims, root, "fuzz.json", &info, needs, &error) != PAIL_OK) {
        if (strncmp(error.sentence, "fuzz.json", 9) != 0 || claims.blobs || claims.commitments ||
            claims.proofs || claims.values || claims.cells || claims.indices)
            abort();
        return;
    }
    if (((needs & PAIL_KZG_MEMBER_COMMITMENTS) != 0 && !claims.commitments) ||
        ((needs & PAIL_KZG_MEMBER_PROOFS) != 0 && !claims.proofs) ||
        ((needs & CELLS) != 0 &&
         (!claims.cells || !claims.indices || claims.n_indices != claims.n)))
        abort();
    if ((needs & PAIL_KZG_MEMBER_COMMITMENTS) != 0)
        read_all(claims.commitments, claims.n * PAIL_KZG_POINT_BYTES);
    if ((needs & PAIL_KZG_MEMBER_PROOFS) != 0) {
        read_all(claims.proofs, claims.n * PAIL_KZG_POINT_BYTES);
        read_all(claims.values, claims.n * PAIL_KZG_SCALAR_BYTES);
    }
    if ((needs & CELLS) != 0)
        read_all(claims.cells, claims.n * LENGTH * PAIL_KZG_SCALAR_BYTES);
    read_all(claims.blobs, claims.n_blobs * N * PAIL_KZG_SCALAR_BYTES);
    for (size_t i = 0; i < claims.n_indices; i++)
        sum ^= (uint8_t)claims.indices[i];
    pail_kzg_claims_free(&claims);
}

/* Members that verify, verify-cells and recover read. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint32_t verify = PAIL_KZG_MEMBER_COMMITMENTS | PAIL_KZG_MEMBER_PROOFS;
    json_t *const root =
        json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
    if (!root)
        return 0;
    take(root, verify);
    take(root, verify | CELLS);
    take(root, CELLS);
    json_decref(root);
    volatile uint8_t seen = sum;
    (void)seen;
    return 0;
}
