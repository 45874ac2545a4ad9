/* SPDX-License-Identifier: Apache-2.0 */
/* c-kzg with g1_lincomb_fast from libpail_hooks.so.
 *
 *     c_kzg SETUP BLOBS
 *
 * BLOBS has a blob and its commitment a line, in hexadecimal, "-" for a blob that is refused. All
 * of c-kzg's own ways through the function are taken: commitments, proofs of them, cells with
 * theirs (without tables, so that FK20 multiplies Jacobian points), and batches of these. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ckzg.h"
#include "common/lincomb.h"

/* The function of that name in lincomb.c: under another one, or in the shared library
 * C_KZG_LIBRARY. */
#ifdef C_KZG_LIBRARY
#include <dlfcn.h>

static C_KZG_RET peer_g1_lincomb_fast(g1_t *out, const g1_t *p, const fr_t *coeffs, size_t len)
{
    C_KZG_RET (*own)(g1_t *, const g1_t *, const fr_t *, size_t) = NULL;
    void *const library = dlopen(C_KZG_LIBRARY, RTLD_LAZY);
    if (library)
        *(void **)&own = dlsym(library, "g1_lincomb_fast");
    return own && own != g1_lincomb_fast ? own(out, p, coeffs, len) : C_KZG_ERROR;
}
#else
C_KZG_RET peer_g1_lincomb_fast(g1_t *out, const g1_t *p, const fr_t *coeffs, size_t len);
#endif
const char *pail_hooks_error(void);

static KZGSettings settings;
static unsigned done;

static void check(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "%s: %s\n", what, pail_hooks_error());
        exit(1);
    }
    done++;
}

/* Compares both functions: the group elements are the same. Without points, current versions of
 * c-kzg fail, though they document infinity. */
static void compare(const g1_t *points, const fr_t *coeffs, size_t n)
{
    g1_t ours, theirs;
    check(g1_lincomb_fast(&ours, points, coeffs, n) == C_KZG_OK, "g1_lincomb_fast");
    const C_KZG_RET status = peer_g1_lincomb_fast(&theirs, points, coeffs, n);
    if (n == 0 && status == C_KZG_BADARGS)
        theirs = G1_IDENTITY;
    else
        check(status == C_KZG_OK, "peer_g1_lincomb_fast");
    check(blst_p1_is_equal(&ours, &theirs), "sums are equal");
    check(blst_p1_on_curve(&ours), "the sum is on the curve");
}

static void compare_sizes(void)
{
    static fr_t coeffs[FIELD_ELEMENTS_PER_BLOB];
    for (size_t i = 0; i < FIELD_ELEMENTS_PER_BLOB; i++) {
        const uint64_t words[4] = {i * 0x9e3779b97f4a7c15u, i % 3 ? i * i : 0, i << 20, i};
        blst_fr_from_uint64(&coeffs[i], words);
    }
    static const size_t sizes[] = {0, 1, 2, 7, 8, 64, 1000, FIELD_ELEMENTS_PER_BLOB};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        compare(settings.g1_values_lagrange_brp, coeffs, sizes[i]);
    compare(settings.x_ext_fft_columns[5], coeffs, 64); /* z is not 1 */
    static g1_t points[16];
    memcpy(points, settings.x_ext_fft_columns[1], sizeof(points));
    points[3] = G1_IDENTITY;
    points[4].z = G1_IDENTITY.z;
    compare(points, coeffs, 16);
}

/* Proofs for a polynomial that is not constant. */
static void proofs(void)
{
    static Blob blob;
    KZGCommitment commitment;
    for (size_t i = 0; i < sizeof(blob.bytes); i++)
        blob.bytes[i] = i % 32 == 0 ? 0 : (uint8_t)(i * i / 7 + i / 32);
    check(blob_to_kzg_commitment(&commitment, &blob, &settings) == C_KZG_OK, "a commitment");
    enum { CELLS = CELLS_PER_EXT_BLOB };
    static Cell cells[CELLS];
    static KZGProof each[CELLS];
    static KZGCommitment commitments[CELLS];
    uint64_t indices[CELLS];
    KZGProof proof;
    bool good = false;
    check(compute_blob_kzg_proof(&proof, &blob, &commitment, &settings) == C_KZG_OK, "a proof");
    check(verify_blob_kzg_proof(&good, &blob, &commitment, &proof, &settings) == C_KZG_OK && good,
          "a valid proof");
    check(compute_cells_and_kzg_proofs(cells, each, &blob, &settings) == C_KZG_OK, "cells");
    for (uint64_t i = 0; i < CELLS; i++) {
        indices[i] = i;
        commitments[i] = commitment;
    }
    check(verify_cell_kzg_proof_batch(&good, commitments, indices, cells, each, CELLS, &settings) ==
                  C_KZG_OK &&
              good,
          "valid cells");
    each[9] = each[10];
    check(verify_cell_kzg_proof_batch(&good, commitments, indices, cells, each, CELLS, &settings) ==
                  C_KZG_OK &&
              !good,
          "cells with a wrong proof");
}

static int unhex(uint8_t *bytes, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++)
        if (sscanf(text + 2 * i, "%2hhx", &bytes[i]) != 1)
            return 0;
    return 1;
}

int main(int argc, char **argv)
{
    static char blob_text[2 * BYTES_PER_BLOB + 2], commitment_text[128];
    FILE *const setup = fopen(argc == 3 ? argv[1] : "", "r");
    FILE *const blobs = fopen(argc == 3 ? argv[2] : "", "r");
    check(setup && blobs, "the arguments");
    check(load_trusted_setup_file(&settings, setup, 0) == C_KZG_OK, "the setup");
    compare_sizes();
    proofs();
    int n = 0;
    while (fscanf(blobs, "%262144s %127s", blob_text, commitment_text) == 2) {
        static Blob blob;
        KZGCommitment expected, commitment;
        check(unhex(blob.bytes, sizeof(blob.bytes), blob_text), "a blob");
        const C_KZG_RET status = blob_to_kzg_commitment(&commitment, &blob, &settings);
        if (commitment_text[0] == '-') {
            check(status == C_KZG_BADARGS, "a blob that is refused");
            continue;
        }
        check(status == C_KZG_OK, "a commitment");
        check(unhex(expected.bytes, sizeof(expected.bytes), commitment_text), "the expectation");
        check(memcmp(&commitment, &expected, sizeof(expected)) == 0, "the commitment's value");
        n++;
    }
    printf("%d commitments, %u checks\n", n, done);
    free_trusted_setup(&settings);
    return 0;
}
